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

from tidings.errors import InvalidConstraint
from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.dialects.reading import (
    FieldOf,
    Paths,
    all_of,
    any_of,
    compared,
    contained,
    prefixed,
)
from tidings.filters.dialects.translation import Translation
from tidings.filters.dialects.writing import (
    Names,
    Seen,
    Surplus,
    Test,
    conjunctions,
    formula_of,
)
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import fold
from tidings.filters.truth import EXACT

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


# Reading.

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<open>filter\s*\{)|(?P<close>\})|(?P<text>\"(?:\\.|[^\"\\])*\")"
    r"|x\"(?P<bytes>(?:[0-9A-Fa-f]{2})*)\"|(?P<real>[-+]?\d+(?:\.\d*(?:[eE][-+]?\d+)?|[eE][-+]?\d+))"
    r"|(?P<integer>[-+]?\d+)|(?P<word>[A-Za-z_$][\w$./]*)|(?P<operator>>\*|\*<|!=|<=|>=|[=<>*]))",
    re.ASCII | re.DOTALL,
)


def read_filters(text: str) -> tuple[SienaFilter, ...]:
    """Read what `print_filters` writes.

    Raises:
        InvalidConstraint: It is something else; the message says where.
    """
    reader = _Reader(text)
    filters = []
    while reader.kind != "end":
        reader.take("open")
        tests = []
        while reader.kind != "close":
            tests.append(reader.test())
        reader.take("close")
        filters.append(tuple(tests))
    return tuple(filters)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._end = self._start = 0
        self.kind, self._word = "", ""
        self._next()

    def _next(self) -> None:
        if not self._text[self._end :].strip():
            self.kind, self._word, self._start = "end", "", len(self._text.rstrip())
            return
        found = _TOKEN.match(self._text, self._end)
        if found is None or found.lastgroup is None:
            blanks = len(self._text[self._end :]) - len(self._text[self._end :].lstrip())
            raise InvalidConstraint("nothing begins so", self._text, self._end + blanks)
        self.kind, self._word = found.lastgroup, found[found.lastgroup]
        self._start, self._end = found.start(found.lastgroup), found.end()

    def take(self, *kinds: str) -> str:
        if self.kind not in kinds:
            raise InvalidConstraint(
                f"here stands {' or '.join(_EXPECTED[kind] for kind in kinds)}",
                self._text,
                self._start,
                'filter{ price > 10 name = "foo" }',
            )
        word = self._word
        self._next()
        return word

    def test(self) -> AttributeTest:
        name = self.take("word")
        if self.kind == "word" and self._word == Operator.ANY:
            self._next()
            return AttributeTest(name, Operator.ANY)
        at = self._start
        operator = Operator(self.take("operator"))
        value = self._value()
        texts = operator in (Operator.PREFIX, Operator.SUFFIX, Operator.SUBSTRING)
        if (texts and type(value) not in (str, bytes)) or (
            type(value) is bool and operator not in (Operator.EQUAL, Operator.NOT_EQUAL)
        ):
            raise InvalidConstraint(f"{operator} does not take this value", self._text, at)
        return AttributeTest(name, operator, value)

    def _value(self) -> SienaValue:
        kind, at = self.kind, self._start
        word = self.take("text", "bytes", "real", "integer", "word")
        if kind == "text":
            return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL)
        if kind == "bytes":
            return bytes.fromhex(word)
        if kind == "real":
            return float(word)
        if kind == "integer":
            return int(word)
        if word not in ("true", "false"):
            raise InvalidConstraint(f"{word} is no value", self._text, at, "texts stand in quotes")
        return word == "true"


_EXPECTED: Final = {
    "open": "filter{", "close": "}", "text": "a text in quotes", "bytes": 'octets, x"00ff"',
    "real": "a number", "integer": "an integer", "word": "a name, true or false",
    "operator": "an operator",
}  # fmt: skip


def read(text: str, paths: Paths = Path) -> Constraint:
    """Read filters as one constraint; `paths` gives the event's field for each attribute.

    Raises:
        InvalidConstraint: They are none, or ours cannot say the same: suffixes, octets.
    """
    filters = read_filters(text)
    alone = len(filters) == 1
    trees = [
        all_of(_tree(test, paths(test.name), text).true(safe=not alone) for test in one)
        for one in filters
    ]
    return constraint(print_tree(fold(any_of(trees))))


def _tree(test: AttributeTest, path: Path, text: str) -> FieldOf:
    operator, value = test.operator, test.value
    if operator is Operator.ANY:
        return FieldOf(path, object, t.Exist(path))
    if isinstance(value, bytes) or value is None or operator is Operator.SUFFIX:
        raise InvalidConstraint(
            f"our language has neither suffixes nor octets; {test.name} is asked for one",
            text,
            max(0, text.find(test.name)),
        )
    if isinstance(value, str) and operator in (Operator.PREFIX, Operator.SUBSTRING):
        return prefixed(path, value) if operator is Operator.PREFIX else contained(path, value)
    if type(value) in (int, float) and abs(value) >= EXACT:  # type: ignore[arg-type]
        raise InvalidConstraint(
            "beyond 2**53, numbers compare in more than one way", text, text.find(test.name)
        )
    return compared(path, "==" if operator is Operator.EQUAL else operator.value, value)
