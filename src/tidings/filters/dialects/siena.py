"""SIENA filters: conjunctions of tests on attributes (Carzaniga et al., section 3).

A notification is a set of named values: string, int, double, bool, bytes. A test holds only if the
attribute is there, and of a kind that its value compares with: int and double with each other, all
others only with their own kind; so a test on another kind fails, `!=` too. Values are finite; no
number is NaN. Strings and bytes have an order, by code points and octets; booleans have none. A
filter with no tests matches everything; several filters match what any of them matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

import msgspec

from tidings.events.paths import Path
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.translation import Translation
from tidings.filters.dialects.writing import (
    Names,
    Seen,
    Surplus,
    Test,
    conjunctions,
    formula_of,
)

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

MOST_FILTERS: Final = 64
"""Filters that one constraint becomes, at most."""

_NAME: Final = re.compile(r"[A-Za-z_$][\w$./]*", re.ASCII)


def is_name(text: str) -> bool:
    """Whether an attribute can be called so: no hyphen, which old programs split names at."""
    return _NAME.fullmatch(text) is not None


class SienaTranslation(NamedTuple):
    """A constraint as SIENA filters: the same events or more.

    Attributes:
        filters: What any of them matches is selected; none: nothing.
        exact: Whether they select the same events.
        surplus: What was left out, in words.
    """

    filters: tuple[SienaFilter, ...]
    exact: bool
    surplus: str = ""

    @property
    def translation(self) -> Translation:
        """The same as text."""
        return Translation(print_filters(self.filters) or "(nothing)", self.exact, self.surplus)


def write(wanted: Constraint, names: Names) -> SienaTranslation:
    """Write a constraint as filters; `names` gives the attributes, see `writing`."""
    surplus = Surplus()

    def valid(path: Path) -> Seen | None:
        seen = names(path)
        return seen if seen is not None and is_name(seen.name) else None

    formula = formula_of(wanted, valid, surplus)
    found: dict[SienaFilter, None] = {}
    for row in conjunctions(formula, MOST_FILTERS, surplus):
        tests = (one for test in row for one in _tests(test, surplus))
        found[tuple(dict.fromkeys(tests))] = None
    # Whatever has all the tests of another filter selects nothing more than that one does.
    filters = tuple(one for one in found if not any(set(other) < set(one) for other in found))
    return SienaTranslation(filters, surplus.exact, surplus.text)


def _tests(test: Test, surplus: Surplus) -> list[AttributeTest]:
    (name, _, _), operator, value = test
    if operator == "absent":
        surplus.add(f"events with {name}, since no filter asks for its absence")
        return []
    if operator == "like":
        assert isinstance(value, str)
        return _fits(name, value, surplus)
    if operator == "!~":
        surplus.add(f"every {name}, whatever it contains")
        return [AttributeTest(name, Operator.ANY)]
    return [AttributeTest(name, _OPERATORS[operator], value)]


_OPERATORS: Final = {
    "==": Operator.EQUAL, "is": Operator.EQUAL, "!=": Operator.NOT_EQUAL, "~": Operator.SUBSTRING,
    "<": Operator.LESS, "<=": Operator.LESS_EQUAL, "!<": Operator.GREATER_EQUAL,
    "!<=": Operator.GREATER, ">": Operator.GREATER, ">=": Operator.GREATER_EQUAL,
    "!>": Operator.LESS_EQUAL, "!>=": Operator.LESS, "exist": Operator.ANY,
}  # fmt: skip


def _fits(name: str, pattern: str, surplus: Surplus) -> list[AttributeTest]:
    first, *middle, last = pattern.split("*")
    pieces = (
        (Operator.PREFIX, first),
        *((Operator.SUBSTRING, one) for one in middle),
        (Operator.SUFFIX, last),
    )
    tests = [AttributeTest(name, operator, text) for operator, text in pieces if text]
    if len(tests) > 1:
        surplus.add(f"texts in {name} with the pieces of {pattern} one over the other")
    return tests or [AttributeTest(name, Operator.PREFIX, "")]


def print_filters(filters: Iterable[SienaFilter]) -> str:
    """Return filters as text: `filter{ price > 10 name = "foo" }`, one after the other."""
    return " ".join(
        "filter{ " + "".join(f"{_printed(test)} " for test in one) + "}" for one in filters
    )


def _printed(test: AttributeTest) -> str:
    if test.operator is Operator.ANY:
        return f"{test.name} any"
    return f"{test.name} {test.operator} {print_value(test.value)}"


def print_value(value: SienaValue | None) -> str:
    """Return a value as text: `"foo"`, `7`, `7.0`, `true`, `x"00ff"`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return f'x"{value.hex()}"'
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return repr(value)
