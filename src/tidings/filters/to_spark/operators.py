"""The table of `truth.py` as SQL: the answer of an operator for every pair of kinds.

Spark orders NaN above all and finds it equal to itself; where a NaN can occur, that is undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from tidings.filters.to_spark.columns import EventColumns
from tidings.filters.to_spark.places import Property
from tidings.filters.to_spark.values import (
    BOOL,
    CODE,
    DOUBLE,
    INT,
    LABEL,
    TEXT,
    WIDE,
    WIDE_TYPE,
    Kind,
    Scope,
    Value,
    as_bigint,
    as_struct,
    both,
    either,
    first_known,
    only,
    to_double,
    unsure,
)
from tidings.filters.truth import HIGHEST, LOWEST

_Uses: TypeAlias = dict[Kind, Callable[[str], str]]

_MIRRORED: Final = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EQUALITY: Final = frozenset({"==", "!="})
_NUMBERS: Final[frozenset[Kind]] = frozenset({INT, WIDE, BOOL, CODE, DOUBLE})
_COMPARABLE: Final[frozenset[Kind]] = _NUMBERS | {TEXT}


def compared(symbol: str, left: Value, right: Value, scope: Scope) -> Value:
    """`left symbol right`."""
    if left.is_simple and not right.is_simple:
        return compared(_MIRRORED[symbol], right, left, scope)
    if right.is_simple and left.record is None:
        answer = left.chosen(_against(symbol, left, right))
    else:
        bound = scope.bind(left, right, kinds=_COMPARABLE)
        answer = _of_any_kinds(symbol, *bound.values)
        answer = None if answer is None else bound.inside(answer)
    if answer is None:
        return unsure()
    # Two values that are there can still not be comparable.
    comparable = left.is_simple and right.is_simple and left.is_total and right.is_total
    return only(BOOL, answer, is_total=comparable)


def _against(symbol: str, left: Value, right: Value) -> _Uses:
    """What to make of the left value by its kind, with a right one whose kind is known."""
    (layer,) = right.layers
    uses: _Uses = {}
    for kind, other in layer.items():
        if kind == TEXT or (kind == LABEL and symbol in _EQUALITY):
            uses[kind] = _with(symbol, other)
        elif kind == DOUBLE:
            uses |= _against_double(symbol, left, other, right.is_finite)
        elif kind != LABEL:
            uses |= _against_integer(symbol, left, as_bigint(other) if kind == BOOL else other)
    return uses


def _with(symbol: str, other: str) -> Callable[[str], str]:
    return lambda value: f"({value} {symbol} {other})"


def _against_integer(symbol: str, left: Value, other: str) -> _Uses:
    integers = _with(symbol, other)
    return {
        INT: integers,
        WIDE: integers,
        CODE: integers,
        BOOL: lambda value: integers(as_bigint(value)),
        DOUBLE: lambda value: _doubles(symbol, value, to_double(other), left.is_finite, True),
    }


def _against_double(symbol: str, left: Value, other: str, finite: bool) -> _Uses:
    def integers(value: str) -> str:
        return _doubles(symbol, to_double(value), other, True, finite)

    return {
        **dict.fromkeys((INT, WIDE, CODE, BOOL), integers),
        DOUBLE: lambda value: _doubles(symbol, value, other, left.is_finite, finite),
    }


def _of_any_kinds(symbol: str, left: Value, right: Value) -> str | None:
    """Compare two values, either of which may be of several kinds."""
    answers = []
    one, two = left.of_kind(TEXT), right.of_kind(TEXT)
    if one is not None and two is not None:
        answers.append(f"({one} {symbol} {two})")
    one, two = left.as_integer(), right.as_integer()
    if one is not None and two is not None:
        answers.append(f"({one} {symbol} {two})")
    one, two = left.as_double(), right.as_double()
    if one is not None and two is not None and DOUBLE in left.kinds | right.kinds:
        finite = (DOUBLE not in value.kinds or value.is_finite for value in (left, right))
        answers.append(_doubles(symbol, one, two, *finite))
    return first_known(answers)


def _doubles(symbol: str, left: str, right: str, left_finite: bool, right_finite: bool) -> str:
    """Compare two doubles as Python does: with a NaN only `!=` is TRUE."""
    plainly = f"({left} {symbol} {right})"
    if symbol in _EQUALITY:
        if left_finite or right_finite:
            return plainly
        if symbol == "==":
            return both(plainly, f"NOT isnan({left})")
        return either(plainly, f"isnan({left})")
    if symbol in {"<", "<="}:
        greater, greater_finite, other_finite = right, right_finite, left_finite
    else:
        greater, greater_finite, other_finite = left, left_finite, right_finite
    if greater_finite:
        return plainly
    if other_finite:
        # A NaN stays above all when its sign changes, so the other way round it is right.
        return f"((-{left}) {_MIRRORED[symbol]} (-{right}))"
    return both(plainly, f"NOT isnan({greater})")


def computed(symbol: str, left: Value, right: Value, scope: Scope) -> Value:
    """`left symbol right`, two numbers: integers stay integers."""
    bound = scope.bind(left, right, kinds=_NUMBERS)
    layer = _of_numbers(symbol, *bound.values)
    if not layer:
        return unsure()
    record = bound.inside(as_struct(layer, sorted(layer)))
    return Value((dict.fromkeys(layer, ""),), record=record)


def _of_numbers(symbol: str, left: Value, right: Value) -> dict[Kind, str]:
    layer: dict[Kind, str] = {}
    one, two = left.as_integer(), right.as_integer()
    if one is not None and two is not None:
        layer[WIDE] = _integers(symbol, one, two)
    reals = []
    if DOUBLE in left.kinds:
        reals.append((left.of_kind(DOUBLE), right.as_double()))
    if DOUBLE in right.kinds and one is not None:
        reals.append((to_double(one), right.of_kind(DOUBLE)))
    answers = [_REALS[symbol].format(one, two) for one, two in reals if two is not None]
    real = first_known(answers)
    return layer if real is None else {**layer, DOUBLE: real}


_REALS: Final = {
    "+": "({} + {})",
    "-": "({} - {})",
    "*": "({} * {})",
    "/": "try_divide({}, {})",
    "%": "try_mod({}, {})",
}
_INTEGERS: Final = {
    "+": "try_add({}, {})",
    "-": "try_subtract({}, {})",
    "*": "try_multiply({}, {})",
    "%": "try_mod({}, {})",
    # Without its remainder the left divides exactly: Spark would round a long fraction.
    "/": "try_divide({0} - try_mod({0}, {1}), {1})",
}

# |x - middle| <= half asks for both ends of the range. Both numbers end in .5.
_IN_RANGE: Final = (
    f"abs(try_subtract({{}}, {(LOWEST + HIGHEST) // 2}.5BD)) <= {(HIGHEST - LOWEST) // 2}.5BD"
)


def _integers(symbol: str, left: str, right: str) -> str:
    """An operation on integers, in decimals; NULL outside the range, and for a zero divisor."""
    one, two = (f"CAST({value} AS {WIDE_TYPE})" for value in (left, right))
    result = _INTEGERS[symbol].format(one, two)
    kept = f"TRY_CAST({result} AS {WIDE_TYPE})"
    # A quotient or a remainder is never larger than its left side.
    return kept if symbol in {"/", "%"} else f"CASE WHEN {_IN_RANGE.format(result)} THEN {kept} END"


def contained(left: Value, right: Value) -> Value:
    """`left ~ right`: whether the right text contains the left one."""
    needle, text = left.of_kind(TEXT), right.of_kind(TEXT)
    if needle is None or text is None:
        return unsure()
    total = left.is_simple and right.is_simple and left.is_total and right.is_total
    return only(BOOL, f"contains({text}, {needle})", is_total=total)


# `x in $sequence`: whether an element equals x, from the first element on. The elements of a
# sequence in a column are of one kind, so either all of them compare with x or none does; a
# comparison that is an error is one at the first element. An empty sequence has no first element:
# it is among the integers, and no x is in it.

SEQUENCES: Final = ("data_ints", "data_doubles", "data_strings", "data_bools")
_ITEM_TYPES: Final = {"data_ints": "BIGINT", "data_doubles": "DOUBLE", "data_bools": "BOOLEAN"}
_SIMPLE_HEADER: Final = ("header_int", "header_double", "header_string", "header_bool")


def found_in(left: Value, place: Property, columns: EventColumns, scope: Scope) -> Value:
    """`left in $place`; no column holds a sequence of the header alone."""
    if not place.in_data:
        return unsure()
    bound = scope.bind(left, kinds=left.kinds)
    (left,) = bound.values
    answer = first_known(list(_answers(left, place.name, columns)))
    if answer is None:
        return unsure()
    answer = bound.inside(answer)
    if place.in_header:
        held = (name for name in _SIMPLE_HEADER if columns.has(name, place.name))
        header = [f"{columns.lookup(name, place.name)} IS NULL" for name in held]
        if header:
            answer = f"CASE WHEN {' AND '.join(header)} THEN {answer} END"
    return only(BOOL, answer)


def _answers(left: Value, name: str, columns: EventColumns) -> Iterator[str]:
    """For each kind of sequence that the property may be, whether it has the value."""
    items = {
        column: columns.lookup(column, name) for column in SEQUENCES if columns.has(column, name)
    }
    for column, item_type in _ITEM_TYPES.items():
        if column in items:
            yield from _among_numbers(left, items[column], item_type)
    text = left.of_kind(TEXT)
    if text is not None and "data_strings" in items:
        yield f"array_contains({items['data_strings']}, {text})"
    if "data_ints" in items:
        yield from _among_none(left, items["data_ints"])


def _among_numbers(left: Value, items: str, item_type: str) -> list[str]:
    answers = []
    integer = left.as_integer()
    if integer is not None and item_type == "DOUBLE":
        answers.append(f"array_contains({items}, CAST({integer} AS DOUBLE))")
    elif integer is not None:
        wanted = WIDE_TYPE if WIDE in left.kinds else "BIGINT"
        compared = items if item_type == wanted else f"CAST({items} AS ARRAY<{wanted}>)"
        answers.append(f"array_contains({compared}, CAST({integer} AS {wanted}))")
    real = left.of_kind(DOUBLE)
    if real is not None:
        compared = items if item_type == "DOUBLE" else f"CAST({items} AS ARRAY<DOUBLE>)"
        found = f"array_contains({compared}, {real})"
        answers.append(found if left.is_finite else both(found, f"NOT isnan({real})"))
    return answers


def _among_none(left: Value, items: str) -> list[str]:
    """FALSE for an empty sequence also where the left value is not a number."""
    parts = [left.of_kind(kind) for kind in (TEXT, LABEL)]
    present = " OR ".join(f"{part} IS NOT NULL" for part in parts if part is not None)
    return [f"CASE WHEN size({items}) = 0 AND ({present}) THEN FALSE END"] if present else []
