"""Everything that generated modules use, in one namespace: IDL may declare names such as `Any`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from tidings.events.anyvalue import UnionValue, Value
from tidings.events.reference import Reference
from tidings.events.typecode import TypeCode
from tidings.orb.exceptions import UserException
from tidings.orb.marshal import Reads, Types, Writes, not_done
from tidings.orb.stubs import Servant, Stub

__all__ = [
    "Decimal",
    "Final",
    "NamedTuple",
    "Reads",
    "Reference",
    "Sequence",
    "Servant",
    "StrEnum",
    "Stub",
    "TypeAlias",
    "TypeCode",
    "Types",
    "UnionValue",
    "UserException",
    "Value",
    "Writes",
    "not_done",
]
