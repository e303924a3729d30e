"""Values of constant expressions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from decimal import ROUND_DOWN, Context, Decimal, DecimalException
from typing import Any, Final, NamedTuple, TypeAlias

from tidings.events.typecode import INTEGER_RANGES, KEYWORDS, Kind
from tidings.idl import model as m
from tidings.idl.faults import InvalidIdl
from tidings.idl.scopes import EnumLabel, Scope
from tidings.idl.tree import Binary, Expression, Literal, Named, Unary

# The type of constants that are just `fixed`.
ANY_FIXED: Final = m.FixedOf(31, 0)

_EXACT: Final = Context(prec=62, rounding=ROUND_DOWN)
_SINGLE: Final = 3.4028235677973366e38  # what is rounded to infinity as a float begins here
_Number: TypeAlias = Any
"""An int, float or Decimal; two that are combined are of one type."""


def _quotient(left: int, right: int) -> int:
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def _shifted(shift: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def shifted(left: int, right: int) -> int:
        if not 0 <= right < 64:
            raise ValueError(f"a shift is by 0 to 63, not by {right}")
        return shift(left, right)

    return shifted


class _Arithmetic(NamedTuple):
    """How expressions of one type of number are computed."""

    what: str
    make: Callable[[_Number], _Number]
    literals: tuple[str, ...]
    constants: tuple[type, ...]
    operators: Mapping[str, Callable[[_Number, _Number], _Number]]
    fits: Callable[[_Number], bool] = lambda _: True
    overflow: str = ""


_SIGNS: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_INTEGER: Final = _Arithmetic(
    "an integer",
    int,
    ("integer",),
    (int,),
    {
        **_SIGNS,
        "|": operator.or_,
        "^": operator.xor,
        "&": operator.and_,
        "<<": _shifted(operator.lshift),
        ">>": _shifted(operator.rshift),
        "/": _quotient,
        "%": lambda left, right: left - right * _quotient(left, right),
    },
    lambda found: -(2**63) <= found < 2**64,
    "the result is larger than any integer type holds",
)
_REAL: Final = _Arithmetic(
    "a number",
    float,
    ("real", "integer"),
    (int, float),
    {**_SIGNS, "/": operator.truediv},
    math.isfinite,
    "the result is too large for a double",
)
_DECIMAL: Final = _Arithmetic(
    "a fixed number, such as 1.5d",
    Decimal,
    ("fixed",),
    (Decimal,),
    {"+": _EXACT.add, "-": _EXACT.subtract, "*": _EXACT.multiply, "/": _EXACT.divide},
)


def evaluate(node: Expression, type_: m.Type, scope: Scope) -> m.ConstValue:
    """The value of an expression, as a value of a type."""
    target = m.unaliased(type_)
    place = node.place
    if isinstance(target, m.EnumDef):
        return _label(node, target, scope)
    if isinstance(target, m.TextOf):
        text = str(_plain(node, target, scope))
        if target.bound and len(text) > target.bound:
            raise InvalidIdl(f"{len(text)} characters are more than {target.bound}", place)
        return text
    if isinstance(target, m.FixedOf):
        value: Decimal = _computed(node, scope, _DECIMAL)
        if len(value.as_tuple().digits) > 31:
            raise InvalidIdl("a fixed number has at most 31 digits", place)
        return value
    if isinstance(target, m.Basic):
        if target.kind in INTEGER_RANGES:
            low, high = INTEGER_RANGES[target.kind]
            found: int = _computed(node, scope, _INTEGER, 0 if low else high.bit_length())
            if not low <= found <= high:
                word = KEYWORDS[target.kind]
                raise InvalidIdl(f"{found} does not fit {word}, which holds {low} to {high}", place)
            return found
        if target.kind in (Kind.FLOAT, Kind.DOUBLE):
            real: float = _computed(node, scope, _REAL)
            if target.kind is Kind.FLOAT and abs(real) >= _SINGLE:
                raise InvalidIdl(f"{real} is too large for a float", place, "use a double")
            return real
        if target.kind in (Kind.CHAR, Kind.WCHAR, Kind.BOOLEAN):
            return _plain(node, target, scope)
    raise InvalidIdl(
        "a constant cannot be of this type",
        place,
        "constants are numbers, booleans, characters, strings and enum labels",
    )


def positive(node: Expression, what: str, scope: Scope, lowest: int = 1) -> int:
    """The value of a bound, a dimension, or the digits of a fixed type."""
    found: int = _computed(node, scope, _INTEGER)
    if not lowest <= found < 2**32:
        raise InvalidIdl(f"{what} is {lowest} to {2**32 - 1}, not {found}", node.place)
    return found


def _named(node: Named, scope: Scope) -> m.ConstDef | EnumLabel:
    found = scope.find(node.name)
    if not isinstance(found, m.ConstDef | EnumLabel):
        raise InvalidIdl(f"{node.name} is not a constant", node.place)
    return found


def _misfit(node: Expression, wanted: str) -> InvalidIdl:
    given = str(node.name) if isinstance(node, Named) else "this"
    if isinstance(node, Literal):
        given = f"the {node.kind} {str(node.value)[:40]!r}"
    return InvalidIdl(f"{given} is not {wanted}", node.place)


def _label(node: Expression, enum: m.EnumDef, scope: Scope) -> str:
    if isinstance(node, Named):
        # A label may stand without the scope of its enum, as it can mean nothing else.
        if len(node.name.parts) == 1 and node.name.parts[0] in enum.labels:
            return node.name.parts[0]
        found = _named(node, scope)
        if isinstance(found, EnumLabel) and found.enum is enum:
            return found.label
        if isinstance(found, m.ConstDef) and m.unaliased(found.type) is enum:
            return str(found.value)
    raise _misfit(node, f"a label of {enum.scoped}, which are {', '.join(enum.labels)[:200]}")


def _word(type_: m.Type) -> str:
    if isinstance(type_, m.TextOf):
        return "wstring" if type_.wide else "string"
    return KEYWORDS.get(type_.kind, "") if isinstance(type_, m.Basic) else ""


def _plain(node: Expression, type_: m.Type, scope: Scope) -> m.ConstValue:
    """A text, character or boolean: none of them can be computed with."""
    word = _word(type_)
    if isinstance(node, Literal) and node.kind == word:
        return node.value
    if isinstance(node, Named):
        found = _named(node, scope)
        if isinstance(found, m.ConstDef) and _word(m.unaliased(found.type)) == word:
            return found.value
    raise _misfit(node, f"a {word}")


def _computed(
    node: Expression, scope: Scope, numbers: _Arithmetic, unsigned_bits: int = 0
) -> _Number:
    """The number an expression gives; `~` needs to know how wide the type is."""
    if isinstance(node, Literal) and node.kind in numbers.literals:
        return numbers.make(node.value)
    if isinstance(node, Named):
        constant = _named(node, scope)
        if isinstance(constant, m.ConstDef) and type(constant.value) in numbers.constants:
            return numbers.make(constant.value)
    if isinstance(node, Unary) and (node.operator != "~" or numbers is _INTEGER):
        operand = _computed(node.operand, scope, numbers, unsigned_bits)
        if node.operator == "~":
            return (1 << unsigned_bits) - 1 - operand if unsigned_bits else ~operand
        # A decimal's own minus would round.
        return (
            numbers.operators["*"](numbers.make(-1), operand) if node.operator == "-" else operand
        )
    if isinstance(node, Binary) and node.operator in numbers.operators:
        left = _computed(node.left, scope, numbers, unsigned_bits)
        right = _computed(node.right, scope, numbers, unsigned_bits)
        try:
            found = numbers.operators[node.operator](left, right)
        except ZeroDivisionError as error:
            raise InvalidIdl("division by zero", node.place) from error
        except DecimalException as error:
            raise InvalidIdl("the numbers cannot be computed with", node.place) from error
        except ValueError as error:
            raise InvalidIdl(str(error), node.place) from error
        if not numbers.fits(found):
            raise InvalidIdl(numbers.overflow, node.place)
        return found
    raise _misfit(node, numbers.what)
