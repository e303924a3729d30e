"""Filters: sets of constraints with versions, and who hears of them."""

from __future__ import annotations

import pytest

from tidings.errors import (
    CallbackNotFound,
    ConstraintNotFound,
    InvalidConstraint,
    InvalidGrammar,
    InvalidUsage,
)
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.filter import EventTypes, Filter, FilterVersion, accepted_grammar

EVENT = fields_of(event("d", "t", "n", {"a": 1}))
YES, NO, ERROR = (constraint(text) for text in ("$a == 1", "$a == 2", "$a == 'one'"))
ALL = EventTypePattern("", "%ALL")
X, Y = EventTypePattern("d", "x"), EventTypePattern("d", "y")


def with_types(*types: EventTypePattern) -> Constraint:
    return constraint("", types)


@pytest.mark.parametrize("name", ["EXTENDED_TCL", "ETCL", "TCL", ""])
def test_grammars(name: str) -> None:
    assert accepted_grammar(name) == "EXTENDED_TCL"


@pytest.mark.parametrize("name", ["SQL", "etcl", "EXTENDED_TCL "])
def test_a_grammar_nobody_speaks(name: str) -> None:
    with pytest.raises(InvalidGrammar, match="EXTENDED_TCL"):
        accepted_grammar(name)


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


def test_versions_do_not_change() -> None:
    asked = Filter()
    asked.add([NO])
    before = asked.version
    asked.add([YES])
    assert (before.number, asked.version.number) == (2, 3)
    assert not before.matches(EVENT)
    assert asked.version.matches(EVENT)


def test_modify_deletes_and_replaces() -> None:
    asked = Filter()
    asked.add([NO, ERROR, YES])
    asked.modify([1], {3: NO})
    assert asked.version.constraints == {2: ERROR, 3: NO}


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


def test_a_bad_constraint_on_the_way_adds_nothing() -> None:
    asked = Filter()
    with pytest.raises(InvalidConstraint):
        asked.add(constraint(text) for text in ("$a == 1", "$a =="))
    assert asked.version.constraints == {}
    assert asked.add([YES]) == [1]


def test_unknown_ids_are_not_found() -> None:
    asked = Filter()
    with pytest.raises(ConstraintNotFound, match="no constraint 1"):
        asked.constraints([1])
    with pytest.raises(CallbackNotFound, match="no callback 7"):
        asked.detach_callback(7)


def test_callbacks_hear_of_changed_event_types_only() -> None:
    asked, heard = Filter(), list[tuple[EventTypes, EventTypes]]()
    number = asked.attach_callback(lambda added, removed: heard.append((added, removed)))
    asked.add([with_types(X)])
    asked.add([with_types(X)])  # the union stays the same
    asked.add([with_types(X, Y)])
    asked.modify([3], {})
    asked.add([YES])
    asked.clear()
    none: EventTypes = frozenset()
    assert heard == [
        (frozenset({X}), none),
        (frozenset({Y}), none),
        (none, frozenset({Y})),
        (frozenset({ALL}), none),
        (none, frozenset({X, ALL})),
    ]
    assert asked.callbacks() == [number]
    asked.detach_callback(number)
    asked.add([with_types(Y)])
    assert len(heard) == 5


def test_watchers_hear_of_every_version() -> None:
    asked, heard = Filter(), list[FilterVersion]()
    unwatch = asked.watch(heard.append)
    asked.add([YES])
    asked.add([NO])
    unwatch()
    unwatch()
    asked.clear()
    assert [version.number for version in heard] == [2, 3]


def test_one_who_fails_does_not_keep_the_others_from_hearing() -> None:
    def fail(version: FilterVersion) -> None:
        raise RuntimeError(f"cannot take {version.number}")

    asked, heard = Filter(), list[FilterVersion]()
    asked.watch(fail)
    asked.watch(heard.append)
    with pytest.raises(ExceptionGroup) as caught:
        asked.add([YES])
    assert [str(error) for error in caught.value.exceptions] == ["cannot take 2"]
    assert heard == [asked.version]
    assert asked.version.constraints == {1: YES}


def test_who_changes_the_filter_while_it_tells_is_told_too() -> None:
    asked, heard = Filter(), list[int]()

    def add_more(version: FilterVersion) -> None:
        heard.append(version.number)
        if version.number == 2:
            asked.add([NO])

    asked.watch(add_more)
    later = list[int]()
    asked.watch(lambda version: later.append(version.number))
    asked.add([YES])
    assert heard == [2, 3]
    assert later == [2, 3]
    assert asked.version.constraints == {1: YES, 2: NO}


def test_what_is_no_constraint_changes_nothing() -> None:
    made = Filter()
    before = made.version
    with pytest.raises(InvalidUsage, match="use constraint"):
        made.add(["$a == 1"])  # type: ignore[list-item]
    assert made.version is before
