"""The answer of every operator for every pair of kinds: the table all back ends obey.

A function here gets plain values (see `events/fields.py`) and returns the result, or None for an
error: a missing field, a kind the operator does not accept, a division by zero, an integer out of
range. An error makes the whole constraint FALSE, not only the part it is in.
"""

from __future__ import annotations

import math
import operator
import typing
from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal, InvalidOperation

from tidings.events.fields import Char, Composite, EnumLabel, Plain
from tidings.events.paths import Missing
from tidings.filters import tree as t
from tidings.filters.searching import LONG, stands_in

LOWEST, HIGHEST = -(2**63), 2**64 - 1

# An integer up to here is the same number as a double.
EXACT = 2**53

# fixed has at most 31 digits, so a product has at most 62; a quotient is cut as IDL cuts it.
_EXACT_DECIMAL = Context(prec=62)
_QUOTIENT = Context(prec=31, rounding=ROUND_DOWN)


class OneChar(str):
    """A string literal of length 1: a string or a character, as the other side asks."""

    __slots__ = ()


def literal(text: str) -> str:
    """The value of a string literal."""
    return OneChar(text) if len(text) == 1 else text


_Number = int | float | Decimal


def number(value: Plain) -> _Number | None:
    """The value as a number, if it counts as one: booleans and characters do."""
    kind = type(value)
    if kind is int or kind is float or kind is Decimal:
        return value  # type: ignore[return-value]
    if kind is bool:
        return int(value)  # type: ignore[arg-type]
    if kind is Char or kind is OneChar:
        return ord(value)  # type: ignore[arg-type]
    return None


def _promoted(left: _Number, right: _Number) -> tuple[_Number, _Number]:
    """Both as doubles if one is a double: an integer becomes a double before anything else."""
    if type(left) is float or type(right) is float:
        return float(left), float(right)
    return left, right


def _texts(left: Plain, right: Plain) -> bool:
    """Whether the two compare as strings."""
    if not isinstance(left, str) or not isinstance(right, str):
        return False
    if type(left) is EnumLabel or type(right) is EnumLabel:
        return False
    if type(left) is Char or type(right) is Char:
        return len(left) == len(right) == 1
    return True


def _comparison(
    test: Callable[[typing.Any, typing.Any], bool], for_labels: bool
) -> Callable[[Plain, Plain], bool | None]:
    def compare(left: Plain, right: Plain) -> bool | None:
        if _texts(left, right):
            return test(str(left), str(right))
        if type(left) is EnumLabel and type(right) is EnumLabel:
            return test(str(left), str(right)) if for_labels else None
        one, two = number(left), number(right)
        if one is None or two is None:
            return None
        return test(*_promoted(one, two))

    return compare


equal = _comparison(operator.eq, for_labels=True)
not_equal = _comparison(operator.ne, for_labels=True)

COMPARE: dict[type[t.Node], Callable[[Plain, Plain], bool | None]] = {
    t.Equal: equal,
    t.NotEqual: not_equal,
    t.Less: _comparison(operator.lt, for_labels=False),
    t.LessEqual: _comparison(operator.le, for_labels=False),
    t.Greater: _comparison(operator.gt, for_labels=False),
    t.GreaterEqual: _comparison(operator.ge, for_labels=False),
}


def _divide_integers(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder_of_integers(left: int, right: int) -> int:
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _remainder_of_reals(left: float, right: float) -> float:
    # fmod() refuses what the language calls not a number.
    return left % right if math.isinf(left) or not right else math.fmod(left, right)


def _arithmetic(
    on_integers: Callable[[int, int], int],
    on_reals: Callable[[float, float], float],
    on_decimals: Callable[[Decimal, Decimal], Decimal],
) -> Callable[[Plain, Plain], _Number | None]:
    def compute(left: Plain, right: Plain) -> _Number | None:
        one, two = number(left), number(right)
        if one is None or two is None:
            return None
        try:
            if type(one) is int and type(two) is int:
                result = on_integers(one, two)
                return result if LOWEST <= result <= HIGHEST else None
            if type(one) is float or type(two) is float:
                return on_reals(float(one), float(two))
            return on_decimals(Decimal(one), Decimal(two))
        except (ZeroDivisionError, InvalidOperation):  # or a quotient with too many digits
            return None

    return compute


ARITHMETIC: dict[type[t.Node], Callable[[Plain, Plain], _Number | None]] = {
    t.Add: _arithmetic(operator.add, operator.add, _EXACT_DECIMAL.add),
    t.Subtract: _arithmetic(operator.sub, operator.sub, _EXACT_DECIMAL.subtract),
    t.Multiply: _arithmetic(operator.mul, operator.mul, _EXACT_DECIMAL.multiply),
    t.Divide: _arithmetic(_divide_integers, operator.truediv, _QUOTIENT.divide),
    t.Remainder: _arithmetic(_remainder_of_integers, _remainder_of_reals, _EXACT_DECIMAL.remainder),
}


def contains(needle: Plain, text: Plain) -> bool | None:
    """`needle ~ text`: whether the right string contains the left one."""
    if type(needle) in _STRINGS and type(text) in _STRINGS:
        if len(text) >= LONG:  # type: ignore[arg-type]
            return stands_in(needle, text)  # type: ignore[arg-type]
        return needle in text  # type: ignore[operator]
    return None


_STRINGS = (str, OneChar)


def member(value: Plain, items: Plain) -> bool | None:
    """`value in items`: whether an element equals the value, from the first element on."""
    kind = type(value)
    if kind in _NOT_SIMPLE or not isinstance(items, _SEQUENCES):
        return None
    if kind is int and type(items) is bytes:
        return 0 <= value < 256 and value in items  # type: ignore[operator]
    if len(items) > _SHORT:
        kinds = set(map(type, items))
        # One kind on both sides, the usual case: let the interpreter's own search do it.
        if (kinds == {str} and kind in _STRINGS) or (kinds == {int} and kind is int):
            return value in items
    for item in items:
        if type(item) is kind and kind in _COMPARED_DIRECTLY:
            if item == value:
                return True
            continue
        found = equal(value, item)
        if found is not False:
            return found
    return False


# Up to here, looking at the kinds first costs more than it saves.
_SHORT = 8
_COMPARED_DIRECTLY = (int, str, float)
_SEQUENCES = (tuple, bytes)
_NOT_SIMPLE = (Composite, Missing, tuple, bytes)

OPERATORS: dict[type[t.Node], Callable[[Plain, Plain], bool | _Number | None]] = {
    **COMPARE,
    **ARITHMETIC,
    t.Contains: contains,
    t.In: member,
}
"""The functions of all operators with two operands."""

_KIND_NAMES: dict[type, str] = {
    int: "integer",
    float: "real",
    Decimal: "fixed",
    bool: "boolean",
    str: "string",
    Char: "char",
    OneChar: "string",
    EnumLabel: "enum",
    tuple: "sequence",
    bytes: "sequence",
    Composite: "composite",
    Missing: "missing",
}


def kind_name(value: Plain) -> str:
    """The kind of a plain value, for messages and tables."""
    return _KIND_NAMES[type(value)]


def with_article(kind: str) -> str:
    """A kind's name with its article: an integer, a string."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
