"""SIENA filters: conjunctions of tests on attributes (Carzaniga et al., section 3).

A notification is a set of named values: string, int, double, bool, bytes. A test holds only if the
attribute is there, and of a kind that its value compares with: int and double with each other, all
others only with their own kind; so a test on another kind fails, `!=` too. Values are finite; no
number is NaN. Strings and bytes have an order, by code points and octets; booleans have none. A
filter with no tests matches everything; several filters match what any of them matches.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

SienaValue: TypeAlias = str | int | float | bool | bytes
"""The value of an attribute."""


class Operator(StrEnum):
    """How an attribute is tested."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    PREFIX = ">*"
    SUFFIX = "*<"
    SUBSTRING = "*"
    ANY = "any"


_KINDS: Final = {str: "string", int: "number", float: "number", bool: "bool", bytes: "bytes"}


def kind_of(value: SienaValue) -> str:
    """Return string, number, bool or bytes: values of one kind compare with each other."""
    return _KINDS[type(value)]


class AttributeTest(msgspec.Struct, frozen=True, eq=False):
    """One test of a filter.

    Attributes:
        name: Of the attribute.
        operator: …
        value: What the attribute is compared with; None for `any`, which asks whether it is there.
    """

    name: str
    operator: Operator
    value: SienaValue | None = None

    # 1, 1.0 and True are equal in Python, and three different values here.
    def _key(self) -> tuple[object, ...]:
        return self.name, self.operator, type(self.value), self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AttributeTest) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


SienaFilter: TypeAlias = tuple[AttributeTest, ...]
"""All of these tests; none: everything."""
