"""Event types, constraints, filters and mapping filters: what they take, and who hears of them."""

from __future__ import annotations

import pytest

from tidings.errors import (
    ConstraintNotFound,
    InvalidConstraint,
    InvalidEventType,
    InvalidMappingValue,
    InvalidUsage,
)
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.events.typecode import SHORT, ULONGLONG
from tidings.filters.constraint import (
    MAX_NAME,
    Constraint,
    EventTypePattern,
    accepted_constraint,
    constraint,
)
from tidings.filters.filter import Filter
from tidings.filters.mapping import MappedConstraint, MappingFilter

EVENT = fields_of(event("d", "t", "n", {"a": 1}))
YES, NO, ERROR = (constraint(text) for text in ("$a == 1", "$a == 2", "$a == 'one'"))


@pytest.mark.parametrize(
    ("constraints", "answer"),
    [([], True), ([YES], True), ([NO], False), ([ERROR], False), ([NO, ERROR, YES], True)],
)
def test_one_constraint_must_match(constraints: list[Constraint], answer: bool) -> None:
    asked = Filter()
    asked.add(constraints)
    assert asked.matches(EVENT) is answer


def test_ids_are_never_used_again() -> None:
    asked = Filter()
    assert asked.add([YES, NO]) == [1, 2]
    asked.modify([1, 2], {})
    assert asked.add([YES]) == [3]
    asked.clear()
    assert asked.add([NO]) == [4]
    assert asked.constraints([4]) == {4: NO}


@pytest.mark.parametrize(
    ("delete", "replace"),
    [([9], {}), ([], {9: YES}), ([1], {1: YES}), ([1, 9], {}), ([0], {2: YES})],
)
def test_modify_is_all_or_nothing(delete: list[int], replace: dict[int, Constraint]) -> None:
    asked = Filter()
    asked.add([YES, NO])
    before = asked.version
    with pytest.raises(ConstraintNotFound):
        asked.modify(delete, replace)
    assert asked.version is before


def test_what_is_no_constraint_or_unknown_is_refused_and_nothing_changed() -> None:
    asked = Filter()
    before = asked.version
    with pytest.raises(InvalidConstraint):
        asked.add(constraint(text) for text in ("$a == 1", "$a =="))
    with pytest.raises(InvalidUsage, match="use constraint"):
        asked.add(["$a == 1"])  # type: ignore[list-item]
    with pytest.raises(InvalidUsage, match=r"constraint\(text\), not with '\$a == 1'"):
        MappedConstraint("$a == 1", short(1))  # type: ignore[arg-type]
    with pytest.raises(ConstraintNotFound, match="no constraint 1"):
        asked.constraints([1])
    assert asked.version is before
    assert asked.add([YES]) == [1]


@pytest.mark.parametrize(
    ("domain", "type_"),
    [("X", "%ALL"), ("*", "%OTHER"), ("*", "%"), ("x" * (MAX_NAME + 1), "*"), ("*", "y" * 2_000)],
)
def test_patterns_outside_the_rules(domain: str, type_: str) -> None:
    with pytest.raises(InvalidEventType):
        EventTypePattern(domain, type_)


@pytest.mark.parametrize(("text", "types"), [(5, ()), ("", [5]), ("", [("D", "T")])])
def test_what_is_no_text_and_no_pattern_is_refused(text: object, types: object) -> None:
    with pytest.raises(InvalidUsage):
        constraint(text, types)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["\ud800", 5, None])
def test_names_of_types_are_texts(name: str) -> None:
    for given in ((name, "*"), ("*", name)):
        with pytest.raises(InvalidEventType, match="an event type's name"):
            EventTypePattern(*given)


def test_a_constraint_that_was_accepted_is_read_again() -> None:
    types = (EventTypePattern("Traffic", "Speed"),)
    for text in ("$rate > 50 and 17 in $zones", "", "not exist $x"):
        assert accepted_constraint(text, types) == constraint(text, types)
    with pytest.raises(InvalidConstraint):
        accepted_constraint("$rate >", types)


def short(value: int) -> Value:
    return Any(SHORT, value)


def mapped(text: str, value: Value) -> MappedConstraint:
    return MappedConstraint(constraint(text), value)


def test_another_type_is_refused_and_nothing_changed() -> None:
    filter = MappingFilter(short(0))
    with pytest.raises(InvalidMappingValue, match="short"):
        filter.add([mapped("", short(1)), mapped("$a == 1", Any(ULONGLONG, 1))])
    assert filter.version.mapped == {}
    assert filter.add([mapped("", short(1))]) == [1]
    with pytest.raises(InvalidMappingValue):
        filter.modify([], {1: mapped("", "text")})
    assert filter.match(EVENT) == (True, short(1))
    assert filter.mapped([1])[1].value == short(1)
    with pytest.raises(ConstraintNotFound, match="no constraint 9"):
        filter.mapped([1, 9])
