"""What TimeBase.idl declares. Generated from it; changes belong there."""

# ruff: noqa

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from decimal import Decimal as _Decimal
from enum import StrEnum as _StrEnum
from typing import Any as _Any
from typing import Final as _Final
from typing import NamedTuple as _NamedTuple
from typing import TypeAlias as _TypeAlias

from tidings.events import typecode as _tc
from tidings.events.boxes import UnionValue as _UnionValue
from tidings.events.boxes import Value as _Value
from tidings.events.reference import Reference as _Reference
from tidings.orb import generated as _g
from tidings.orb.cdr_reader import Reader as _Reader
from tidings.orb.cdr_writer import Writer as _Writer
from tidings.orb.exceptions import UserException as _UserException
from tidings.orb.stubs import Interface as _Interface
from tidings.orb.stubs import Operation as _Operation
from tidings.orb.stubs import Servant as _Servant
from tidings.orb.stubs import Stub as _Stub


__all__ = [
    "InaccuracyT",
    "InaccuracyT_TYPE",
    "IntervalT",
    "IntervalT_TYPE",
    "TdfT",
    "TdfT_TYPE",
    "TimeT",
    "TimeT_TYPE",
    "UtcT",
    "UtcT_TYPE",
    "read_InaccuracyT",
    "read_IntervalT",
    "read_TdfT",
    "read_TimeT",
    "read_UtcT",
    "write_InaccuracyT",
    "write_IntervalT",
    "write_TdfT",
    "write_TimeT",
    "write_UtcT",
]

TimeT_TYPE: _Final = _tc.alias("IDL:omg.org/TimeBase/TimeT:1.0", "TimeT", _tc.ULONGLONG)
InaccuracyT_TYPE: _Final = _tc.alias("IDL:omg.org/TimeBase/InaccuracyT:1.0", "InaccuracyT", TimeT_TYPE)
TdfT_TYPE: _Final = _tc.alias("IDL:omg.org/TimeBase/TdfT:1.0", "TdfT", _tc.SHORT)
UtcT_TYPE: _Final = _tc.struct("IDL:omg.org/TimeBase/UtcT:1.0", "UtcT", [("time", TimeT_TYPE), ("inacclo", _tc.ULONG), ("inacchi", _tc.USHORT), ("tdf", TdfT_TYPE)])
IntervalT_TYPE: _Final = _tc.struct("IDL:omg.org/TimeBase/IntervalT:1.0", "IntervalT", [("lower_bound", TimeT_TYPE), ("upper_bound", TimeT_TYPE)])

TimeT: _TypeAlias = "int"

def write_TimeT(w: _Writer, v: TimeT) -> None:
    w.ulonglong(v)

def read_TimeT(r: _Reader) -> TimeT:
    made = r.ulonglong()
    return made

InaccuracyT: _TypeAlias = "TimeT"

def write_InaccuracyT(w: _Writer, v: InaccuracyT) -> None:
    w.ulonglong(v)

def read_InaccuracyT(r: _Reader) -> InaccuracyT:
    made = r.ulonglong()
    return made

TdfT: _TypeAlias = "int"

def write_TdfT(w: _Writer, v: TdfT) -> None:
    w.short(v)

def read_TdfT(r: _Reader) -> TdfT:
    made = r.short()
    return made

class UtcT(_NamedTuple):
    """struct TimeBase::UtcT"""
    time: TimeT
    inacclo: int
    inacchi: int
    tdf: TdfT

def write_UtcT(w: _Writer, v: UtcT) -> None:
    try:
        (a0, a1, a2, a3, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("TimeBase::UtcT", 4, v) from None
    w.ulonglong(a0)
    w.ulong(a1)
    w.ushort(a2)
    w.short(a3)

def read_UtcT(r: _Reader) -> UtcT:
    made = UtcT(
        r.ulonglong(),
        r.ulong(),
        r.ushort(),
        r.short(),
    )
    return made

class IntervalT(_NamedTuple):
    """struct TimeBase::IntervalT"""
    lower_bound: TimeT
    upper_bound: TimeT

def write_IntervalT(w: _Writer, v: IntervalT) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("TimeBase::IntervalT", 2, v) from None
    w.ulonglong(a0)
    w.ulonglong(a1)

def read_IntervalT(r: _Reader) -> IntervalT:
    made = IntervalT(
        r.ulonglong(),
        r.ulonglong(),
    )
    return made
