"""JMS selectors, as ActiveMQ takes them (JMS 2.0, section 3.8).

A comparison with a property that is not there is unknown, and only what is true is selected. Texts
compare by `=`, `<>`, `IN` and `LIKE` alone; of values of different kinds `=` and the orders are
false, and `<>` is true. Numbers are written as doubles: a property of any numeric type compares
with them exactly, and so does a text that the broker was told to convert
(`convert_string_expressions:`, which an adapter over STOMP puts before the selector).

NaN: Java's operators say that no order holds; ActiveMQ sorts it above all numbers, and -0.0 below
0.0. What is written here selects the right events either way, and on ActiveMQ NaN for `>`, too.
"""

from __future__ import annotations

import re
from typing import Final

from tidings.events.paths import Path
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.translation import Translation
from tidings.filters.dialects.writing import (
    ALWAYS,
    All,
    Formula,
    Kind,
    Names,
    Seen,
    Surplus,
    Test,
    formula_of,
)

_RESERVED: Final = frozenset(
    ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
) | {"XPATH", "XQUERY"}
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
NOTHING: Final = "1 = 0"
"""The selector that selects no message."""


def is_identifier(name: str) -> bool:
    """Whether a selector can name a property so: ActiveMQ takes letters of ASCII alone."""
    return _IDENTIFIER.fullmatch(name) is not None and name.upper() not in _RESERVED


def write(wanted: Constraint, names: Names) -> Translation:
    """Write a constraint as a selector; `names` gives the properties, see `writing`."""
    surplus = Surplus()

    def valid(path: Path) -> Seen | None:
        seen = names(path)
        return seen if seen is not None and is_identifier(seen.name) else None

    formula = formula_of(wanted, valid, surplus)
    text = "" if formula == ALWAYS and isinstance(formula, All) else _text(formula, surplus)
    return Translation(text, surplus.exact, surplus.text)


def quoted(text: str) -> str:
    """Return a text as a literal."""
    return "'" + text.replace("'", "''") + "'"


def _text(formula: Formula, surplus: Surplus) -> str:
    if isinstance(formula, Test):
        return _test(formula, surplus)
    if isinstance(formula, All):
        return " AND ".join(_inner(part, surplus) for part in formula.parts)
    if not formula.parts:
        return NOTHING
    lists: dict[str, list[str]] = {}
    others = []
    for part in formula.parts:
        if isinstance(part, Test) and part.operator == "==" and isinstance(part.value, str):
            lists.setdefault(part.seen.name, []).append(quoted(part.value))
        else:
            others.append(_inner(part, surplus))
    equal = [
        f"{name} = {texts[0]}" if len(texts) == 1 else f"{name} IN ({', '.join(texts)})"
        for name, texts in lists.items()
    ]
    return " OR ".join([*equal, *others])


def _inner(formula: Formula, surplus: Surplus) -> str:
    text = _text(formula, surplus)
    single = isinstance(formula, Test) and " AND " not in text and " OR " not in text
    return text if single else f"({text})"


def _test(test: Test, surplus: Surplus) -> str:
    (name, kinds, _), operator, value = test
    if operator in ("exist", "absent"):
        return f"{name} IS {'NOT ' if operator == 'exist' else ''}NULL"
    if operator == "is":
        return f"{name} = {str(value).upper()}"
    if isinstance(value, str):
        return _text_test(name, kinds, operator, value, surplus)
    assert value is not None
    return _number_test(name, kinds, operator, float(value), surplus)


def _text_test(name: str, kinds: Kind, operator: str, value: str, surplus: Surplus) -> str:
    if operator == "==":
        return f"{name} = {quoted(value)}"
    if operator in ("~", "like"):
        return f"{name} LIKE {_pattern(value, operator)}"
    of_other_kind = "" if kinds is Kind.TEXT else f" AND {name} LIKE '%'"
    if operator == "!=":
        return f"{name} <> {quoted(value)}{of_other_kind}"
    if operator == "!~":
        return f"{name} NOT LIKE {_pattern(value, '~')}{of_other_kind}"
    surplus.add(f"every text in {name}, since texts have no order")
    return f"{name} IS NOT NULL" if kinds is Kind.TEXT else f"{name} LIKE '%'"


def _pattern(text: str, operator: str) -> str:
    """A pattern that contains a text, or fits one with `*`; with an escape if one is needed."""
    escaped = re.sub(r"([\\%_])", r"\\\1", text)
    pattern = f"%{escaped}%" if operator == "~" else escaped.replace("*", "%")
    return quoted(pattern) + ("" if escaped == text else r" ESCAPE '\'")


def _number_test(name: str, kinds: Kind, operator: str, value: float, surplus: Surplus) -> str:
    if kinds is not Kind.NUMBER and operator.startswith("!"):
        surplus.add(f"values of {name} that are no numbers")
    if operator.startswith("!") and operator != "!=":
        holds = _number_test(name, Kind.NUMBER, operator[1:], value, surplus)
        # NaN, for which no order holds, is not at most infinity in either way.
        return f"NOT ({holds} AND {name} <= 1E999)"
    if value:
        return f"{name} {_SYMBOLS.get(operator, operator)} {value!r}"
    return _ZERO[operator].format(name)


_SYMBOLS: Final = {"==": "=", "!=": "<>"}
_ZERO: Final = {
    "==": "{0} BETWEEN -0.0 AND 0.0",
    "!=": "{0} NOT BETWEEN -0.0 AND 0.0",
    "<": "{0} < -0.0",
    "<=": "{0} <= 0.0",
    ">": "{0} > 0.0",
    ">=": "{0} >= -0.0",
}
