"""The constraint language a second time, from the specification: slow, plain, and on its own.

Uses trees, fields and event-type patterns as data, and nothing of `tidings.filters` that
decides; so a fault in the table of operators, which all back ends share, shows as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from typing import Any

from tests.laws.filter_events import kind_of
from tidings.events.fields import EnumLabel, Fields, Plain
from tidings.events.paths import MISSING, DefaultActive, Path
from tidings.filters import tree as t
from tidings.filters.constraint import EventTypePattern

Number = int | float | Decimal


class Failure(Exception):
    """An error in the sense of section 5: the constraint as a whole is FALSE."""


class Letter(str):
    """A string literal of one character."""

    __slots__ = ()


def answer(tree: t.Node, fields: Fields) -> bool | None:
    """TRUE, FALSE, or None for an error."""
    try:
        return _truth(tree, fields)
    except Failure:
        return None


def fits(patterns: tuple[EventTypePattern, ...], event_type: tuple[str, str]) -> bool:
    """Whether an event of this domain and type is meant by one of the patterns, or by none."""
    return not patterns or any(
        all(_fits(part, name) for part, name in zip((p.domain, p.type), event_type, strict=True))
        for p in patterns
    )


def _fits(part: str, name: str) -> bool:
    if part in ("", "%ALL"):
        return True
    return re.fullmatch(".*".join(map(re.escape, part.split("*"))), name, re.DOTALL) is not None


def _truth(node: t.Node, fields: Fields) -> bool:
    value = _value(node, fields)
    if value is True or value is False:
        return value
    raise Failure


def _value(node: t.Node, fields: Fields) -> Plain:
    match node:
        case t.Integer(value=literal) | t.Real(value=literal) | t.Boolean(value=literal):
            return literal
        case t.Text(value=text):
            return Letter(text) if len(text) == 1 else text
        case t.Label(value=label):
            return EnumLabel(label)
        case t.Component(path=path):
            return _found(path, fields)
        case t.Exist(path=path):
            return fields[path] is not MISSING
        case t.Default(path=path):
            return _found(Path(path.root, (*path.steps[:-1], DefaultActive())), fields)
        case t.In(left=left, path=path):
            return _in(_value(left, fields), _found(path, fields))
        case t.Not() | t.And() | t.Or():
            return _logical(node, fields)
    return _binary(node, fields)


def _logical(node: t.Not | t.And | t.Or, fields: Fields) -> bool:
    if isinstance(node, t.Not):
        return not _truth(node.operand, fields)
    # all() and any() stop where the language does, and a failure on the way passes through.
    decide = all if isinstance(node, t.And) else any
    return decide(_truth(operand, fields) for operand in node.operands)


def _found(path: Path, fields: Fields) -> Plain:
    value = fields[path]
    if value is MISSING:
        raise Failure
    return value


def _binary(node: t.Node, fields: Fields) -> Plain:
    assert isinstance(node, t.Infix)
    left, right = _value(node.left, fields), _value(node.right, fields)
    if isinstance(node, t.Comparison):
        return _compared(node.symbol, left, right)
    if isinstance(node, t.Arithmetic):
        return _computed(node.symbol, left, right)
    if not _is_string(left) or not _is_string(right):
        raise Failure
    return str(left) in str(right)


def _is_string(value: Plain) -> bool:
    return type(value) in (str, Letter)


def _number(value: Plain) -> Number:
    """Numbers; booleans and characters count as integers."""
    if isinstance(value, bool):
        return 1 if value else 0
    if isinstance(value, int | float | Decimal):
        return value
    if kind_of(value) == "char" or isinstance(value, Letter):
        return ord(str(value))
    raise Failure


def _compared(symbol: str, left: Plain, right: Plain) -> bool:
    kinds = {kind_of(left), kind_of(right)}
    if kinds <= {"string", "char"}:
        if "char" in kinds and not len(str(left)) == len(str(right)) == 1:
            raise Failure
        return _order(symbol, [ord(c) for c in str(left)], [ord(c) for c in str(right)])
    if kinds == {"enum"}:
        if symbol not in ("==", "!="):
            raise Failure
        return _order(symbol, str(left), str(right))
    one, two = _number(left), _number(right)
    if isinstance(one, float) or isinstance(two, float):
        one, two = float(one), float(two)
        if math.isnan(one) or math.isnan(two):
            return symbol == "!="
        if math.isinf(one) or math.isinf(two):
            return _order(symbol, one, two)
    return _order(symbol, Fraction(one), Fraction(two))


def _order(symbol: str, left: Any, right: Any) -> bool:
    same, less = bool(left == right), bool(left < right)
    answers = {"==": same, "!=": not same, "<": less, ">": not less and not same}
    answers |= {"<=": less or same, ">=": not less}
    return answers[symbol]


def _computed(symbol: str, left: Plain, right: Plain) -> Number:
    one, two = _number(left), _number(right)
    if symbol in "/%" and two == 0:
        raise Failure
    if isinstance(one, float) or isinstance(two, float):
        return _REAL[symbol](float(one), float(two))
    if isinstance(one, Decimal) or isinstance(two, Decimal):
        return _decimal(symbol, Decimal(one), Decimal(two))
    exact = _exact(symbol, Fraction(one), Fraction(two))
    if not -(2**63) <= exact < 2**64:
        raise Failure
    return int(exact)


def _exact(symbol: str, one: Fraction, two: Fraction) -> Fraction:
    if symbol in "/%":
        # int() of a fraction cuts towards zero.
        quotient = Fraction(int(one / two))
        return quotient if symbol == "/" else one - quotient * two
    return {"+": one + two, "-": one - two, "*": one * two}[symbol]


_REAL: dict[str, Callable[[float, float], float]] = {
    "+": lambda one, two: one + two,
    "-": lambda one, two: one - two,
    "*": lambda one, two: one * two,
    "/": lambda one, two: one / two,
    "%": lambda one, two: math.nan if math.isinf(one) else math.fmod(one, two),
}

# Exact but for the quotient, which is cut after 31 digits; more than 62 digits are rounded.
_CUT = Context(prec=31, rounding=ROUND_DOWN)
_WIDE = Context(prec=62)


def _decimal(symbol: str, one: Decimal, two: Decimal) -> Decimal:
    if symbol == "/":
        return _CUT.divide(one, two)
    exact = _exact(symbol, Fraction(one), Fraction(two))
    if symbol == "%" and abs(one / two) >= Decimal(10) ** 62:
        raise Failure
    return _WIDE.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def _in(value: Plain, items: Plain) -> bool:
    if kind_of(value) in ("sequence", "composite") or not isinstance(items, tuple | bytes):
        raise Failure
    return any(_compared("==", value, item) for item in items)
