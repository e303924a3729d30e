"""Mapping filters: the value of the best constraint that matches."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from tidings.errors import ConstraintNotFound, InvalidMappingValue, InvalidUsage
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.events.typecode import LONG, SHORT, ULONGLONG, alias
from tidings.filters.constraint import constraint
from tidings.filters.mapping import MappedConstraint, MappingFilter

EVENT = fields_of(event("d", "t", "n", {"a": 1}))


def short(value: int) -> Value:
    return Any(SHORT, value)


def mapped(text: str, value: Value) -> MappedConstraint:
    return MappedConstraint(constraint(text), value)


def test_the_best_value_wins_whatever_the_order() -> None:
    filter = MappingFilter(short(0))
    filter.add(
        [mapped("$a == 1", short(3)), mapped("$a > 0", short(7)), mapped("$a == 2", short(9))]
    )
    assert filter.match(EVENT) == (True, short(7))


def test_without_a_match_there_is_the_default() -> None:
    filter = MappingFilter(short(5))
    assert filter.match(EVENT) == (False, short(5))
    filter.add([mapped("$a == 2", short(9)), mapped("$missing", short(8))])
    assert filter.match(EVENT) == (False, short(5))


def test_the_same_value_keeps_the_order_added() -> None:
    filter = MappingFilter("")
    filter.add([mapped("$a == 1", "first"), mapped("$a == 1", "second")])
    assert filter.match(EVENT) == (True, "first")


@pytest.mark.parametrize(
    "values",
    [
        (2**64 - 2, 2**64 - 1),  # the same number as doubles
        (-1, 1),
        (-math.inf, 1e308),
        (Decimal("9999999999999999999999999999.8"), Decimal("9999999999999999999999999999.9")),
    ],
)
def test_near_values_are_told_apart(values: tuple[Value, Value]) -> None:
    worse, better = values
    if isinstance(worse, int):
        type_ = ULONGLONG if worse > 0 else LONG
        worse, better = Any(type_, worse), Any(type_, better)
    filter = MappingFilter(better)
    filter.add([mapped("$a == 1", worse), mapped("$a == 1", better)])
    assert filter.match(EVENT) == (True, better)


def test_nan_has_no_order_and_does_no_harm() -> None:
    filter = MappingFilter(0.0)
    filter.add([mapped("", 1.0), mapped("", math.nan), mapped("", 2.0), mapped("", -1.0)])
    ranked = [one.value for one in filter.version.best_first]
    assert str(ranked) == "[2.0, 1.0, nan, -1.0]"


def test_another_type_is_refused_and_nothing_changed() -> None:
    filter = MappingFilter(short(0))
    with pytest.raises(InvalidMappingValue, match="short"):
        filter.add([mapped("", short(1)), mapped("$a == 1", Any(ULONGLONG, 1))])
    assert filter.version.mapped == {}
    (number,) = filter.add([mapped("", short(1))])
    assert number == 1
    with pytest.raises(InvalidMappingValue):
        filter.modify([], {1: mapped("", "text")})
    assert filter.match(EVENT) == (True, short(1))


def test_aliases_are_looked_through() -> None:
    filter = MappingFilter(short(0))
    filter.add([mapped("", Any(alias("IDL:x:1.0", "Rank", SHORT), 4))])
    assert filter.match(EVENT)[0]


def test_modify_and_clear() -> None:
    filter = MappingFilter(short(0))
    filter.add([mapped("", short(1)), mapped("", short(2)), mapped("", short(3))])
    before = filter.version
    filter.modify([3], {1: mapped("", short(9))})
    assert filter.match(EVENT) == (True, short(9))
    assert sorted(filter.version.mapped) == [1, 2]
    filter.clear()
    assert filter.match(EVENT) == (False, short(0))
    assert before.match(EVENT) is not None
    assert filter.add([mapped("", short(1))]) == [4]


@pytest.mark.parametrize(("delete", "replace"), [([9], []), ([], [9]), ([1], [1])])
def test_ids_must_be_known_and_stand_in_one_list(delete: list[int], replace: list[int]) -> None:
    filter = MappingFilter(short(0))
    filter.add([mapped("", short(1))])
    before = filter.version
    with pytest.raises(ConstraintNotFound):
        filter.modify(delete, {number: mapped("", short(2)) for number in replace})
    assert filter.version is before


def test_constraints_are_found_by_their_ids() -> None:
    made = MappingFilter(Any(SHORT, 0))
    (first,) = made.add([MappedConstraint(constraint("$a > 1"), Any(SHORT, 5))])
    assert made.mapped([first])[first].constraint.text == "$a > 1"
    with pytest.raises(ConstraintNotFound, match="no constraint 9"):
        made.mapped([first, 9])


def test_a_text_is_no_constraint() -> None:
    with pytest.raises(InvalidUsage, match=r"constraint\(text\), not with '\$a == 1'"):
        MappedConstraint("$a == 1", Any(SHORT, 1))  # type: ignore[arg-type]
