"""Values of constant expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal, DecimalException
from typing import Final

from tidings.events.typecode import INTEGER_RANGES, KEYWORDS, Kind
from tidings.idl.faults import InvalidIdl, Place
from tidings.idl.model import (
    Basic,
    ConstDef,
    ConstValue,
    EnumDef,
    FixedOf,
    TextOf,
    Type,
    unaliased,
)
from tidings.idl.scopes import EnumLabel, Scope
from tidings.idl.tree import Binary, Expression, Literal, Named, Unary

# The type of constants that are just `fixed`.
ANY_FIXED: Final = FixedOf(31, 0)

_WIDEST: Final = 64
_EXACT: Final = Context(prec=62, rounding=ROUND_DOWN)
_SINGLE: Final = 3.4028235677973366e38  # what is rounded to infinity as a float begins here


def _quotient(left: int, right: int) -> int:
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def _remainder(left: int, right: int) -> int:
    return left - right * _quotient(left, right)


_INTEGERS: Final[dict[str, Callable[[int, int], int]]] = {
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": _remainder,
}
_REALS: Final[dict[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_DECIMALS: Final[dict[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "+": _EXACT.add,
    "-": _EXACT.subtract,
    "*": _EXACT.multiply,
    "/": _EXACT.divide,
}
_LITERALS: Final = {"char": Kind.CHAR, "wchar": Kind.WCHAR, "boolean": Kind.BOOLEAN}


def evaluate(node: Expression, type_: Type, scope: Scope) -> ConstValue:
    """The value of an expression, as a value of a type."""
    target = unaliased(type_)
    place = node.place
    if isinstance(target, EnumDef):
        return _label(node, target, scope)
    if isinstance(target, TextOf):
        return _text(node, target, scope)
    if isinstance(target, FixedOf):
        return _fixed_value(node, scope)
    if isinstance(target, Basic):
        if target.kind in INTEGER_RANGES:
            low, high = INTEGER_RANGES[target.kind]
            found = _integer(node, scope, 0 if low else high.bit_length())
            if not low <= found <= high:
                word = KEYWORDS[target.kind]
                raise InvalidIdl(f"{found} does not fit {word}, which holds {low} to {high}", place)
            return found
        if target.kind in (Kind.FLOAT, Kind.DOUBLE):
            real = _real(node, scope)
            if target.kind is Kind.FLOAT and abs(real) >= _SINGLE:
                raise InvalidIdl(f"{real} is too large for a float", place, "use a double")
            return real
        if target.kind in _LITERALS.values():
            return _plain(node, target.kind, scope)
    raise InvalidIdl(
        "a constant cannot be of this type",
        place,
        "constants are numbers, booleans, characters, strings and enum labels",
    )


def positive(node: Expression, what: str, scope: Scope, lowest: int = 1) -> int:
    """The value of a bound, a dimension, or the digits of a fixed type."""
    found = _integer(node, scope, 0)
    if not lowest <= found < 2**32:
        raise InvalidIdl(f"{what} is {lowest} to {2**32 - 1}, not {found}", node.place)
    return found


def _named(node: Named, scope: Scope) -> ConstDef | EnumLabel:
    found = scope.find(node.name)
    if not isinstance(found, ConstDef | EnumLabel):
        raise InvalidIdl(f"{node.name} is not a constant", node.place)
    return found


def _misfit(node: Expression, wanted: str) -> InvalidIdl:
    given = str(node.name) if isinstance(node, Named) else "this"
    if isinstance(node, Literal):
        given = f"the {node.kind} {str(node.value)[:40]!r}"
    return InvalidIdl(f"{given} is not {wanted}", node.place)


def _label(node: Expression, enum: EnumDef, scope: Scope) -> str:
    if isinstance(node, Named):
        # A label may stand without the scope of its enum, as it can mean nothing else.
        if len(node.name.parts) == 1 and node.name.parts[0] in enum.labels:
            return node.name.parts[0]
        found = _named(node, scope)
        if isinstance(found, EnumLabel) and found.enum is enum:
            return found.label
        if isinstance(found, ConstDef) and unaliased(found.type) is enum:
            return str(found.value)
    raise _misfit(node, f"a label of {enum.scoped}, which are {', '.join(enum.labels)[:200]}")


def _text(node: Expression, type_: TextOf, scope: Scope) -> str:
    word = "wstring" if type_.wide else "string"
    text: object = None
    if isinstance(node, Literal) and node.kind == word:
        text = node.value
    elif isinstance(node, Named):
        found = _named(node, scope)
        kind = unaliased(found.type) if isinstance(found, ConstDef) else None
        if isinstance(found, ConstDef) and isinstance(kind, TextOf) and kind.wide == type_.wide:
            text = found.value
    if not isinstance(text, str):
        raise _misfit(node, f"a {word}")
    if type_.bound and len(text) > type_.bound:
        raise InvalidIdl(f"{len(text)} characters are more than {type_.bound}", node.place)
    return text


def _plain(node: Expression, kind: Kind, scope: Scope) -> ConstValue:
    """A character or boolean: neither can be computed with."""
    if isinstance(node, Literal) and _LITERALS.get(node.kind) is kind:
        return node.value
    if isinstance(node, Named):
        found = _named(node, scope)
        if isinstance(found, ConstDef) and unaliased(found.type) == Basic(kind):
            return found.value
    raise _misfit(node, f"a {KEYWORDS[kind]}")


def _integer(node: Expression, scope: Scope, unsigned_bits: int) -> int:
    """The integer an expression gives; `~` needs to know how wide the type is."""
    if isinstance(node, Literal) and node.kind == "integer":
        return int(node.value)
    if isinstance(node, Named):
        found = _named(node, scope)
        if isinstance(found, ConstDef) and type(found.value) is int:
            return found.value
    if isinstance(node, Unary):
        operand = _integer(node.operand, scope, unsigned_bits)
        if node.operator == "~":
            return (1 << unsigned_bits) - 1 - operand if unsigned_bits else ~operand
        return -operand if node.operator == "-" else operand
    if isinstance(node, Binary):
        left = _integer(node.left, scope, unsigned_bits)
        right = _integer(node.right, scope, unsigned_bits)
        return _computed(node.operator, left, right, node.place)
    raise _misfit(node, "an integer")


def _computed(sign: str, left: int, right: int, place: Place) -> int:
    if sign in ("/", "%") and right == 0:
        raise InvalidIdl("division by zero", place)
    if sign in ("<<", ">>") and not 0 <= right < _WIDEST:
        raise InvalidIdl(f"a shift is by 0 to {_WIDEST - 1}, not by {right}", place)
    found = _INTEGERS[sign](left, right)
    if not -(2**63) <= found < 2**64:
        raise InvalidIdl("the result is larger than any integer type holds", place)
    return found


def _real(node: Expression, scope: Scope) -> float:
    if isinstance(node, Literal) and node.kind in ("real", "integer"):
        return float(node.value)
    if isinstance(node, Named):
        found = _named(node, scope)
        if isinstance(found, ConstDef) and type(found.value) in (int, float):
            return float(found.value)
    if isinstance(node, Unary) and node.operator != "~":
        operand = _real(node.operand, scope)
        return -operand if node.operator == "-" else operand
    if isinstance(node, Binary) and node.operator in _REALS:
        left, right = _real(node.left, scope), _real(node.right, scope)
        if node.operator == "/" and right == 0:
            raise InvalidIdl("division by zero", node.place)
        found_real = _REALS[node.operator](left, right)
        if found_real - found_real != 0:
            raise InvalidIdl("the result is too large for a double", node.place)
        return found_real
    raise _misfit(node, "a number")


def _fixed_value(node: Expression, scope: Scope) -> Decimal:
    """A decimal; a constant takes its digits and scale from its value."""
    value = _decimal(node, scope)
    if len(value.as_tuple().digits) > 31:
        raise InvalidIdl("a fixed number has at most 31 digits", node.place)
    return value


def _decimal(node: Expression, scope: Scope) -> Decimal:
    if isinstance(node, Literal) and isinstance(node.value, Decimal):
        return node.value
    if isinstance(node, Named):
        found = _named(node, scope)
        if isinstance(found, ConstDef) and isinstance(found.value, Decimal):
            return found.value
    if isinstance(node, Unary) and node.operator != "~":
        operand = _decimal(node.operand, scope)
        return operand.copy_negate() if node.operator == "-" else operand
    if isinstance(node, Binary) and node.operator in _DECIMALS:
        try:
            left, right = _decimal(node.left, scope), _decimal(node.right, scope)
            return _DECIMALS[node.operator](left, right)
        except DecimalException as error:
            raise InvalidIdl("the numbers cannot be computed with", node.place) from error
    raise _misfit(node, "a fixed number, such as 1.5d")
