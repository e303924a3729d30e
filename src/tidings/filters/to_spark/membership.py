"""`x in $sequence` as SQL: whether an element equals x, from the first element on.

The elements of a sequence in a column are of one kind, so either all of them compare with x or none
does; a comparison that is an error is one at the first element. An empty sequence has no first
element: it is among the integers, and no x is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tidings.filters.to_spark.columns import EventColumns
from tidings.filters.to_spark.places import Property
from tidings.filters.to_spark.values import (
    BOOL,
    DOUBLE,
    LABEL,
    TEXT,
    WIDE,
    WIDE_TYPE,
    Scope,
    Value,
    both,
    first_known,
    only,
    unsure,
)

SEQUENCES: Final = ("data_ints", "data_doubles", "data_strings", "data_bools")
_NUMBERS: Final = {"data_ints": "BIGINT", "data_doubles": "DOUBLE", "data_bools": "BOOLEAN"}
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
    for column, item_type in _NUMBERS.items():
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
