"""Offered and wanted event types."""

from __future__ import annotations

from fnmatch import translate
from itertools import product
from re import fullmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.offers import (
    ALL_TYPES,
    TypeChange,
    TypeList,
    TypeRegistry,
    offered,
    overlap,
    wanted_by,
)
from tidings.filters.constraint import EventTypePattern

SPEED = EventTypePattern("Traffic", "Speed")
JAM = EventTypePattern("Traffic", "Jam")
TRAFFIC = EventTypePattern("Traffic", "*")
ALL_FORMS = [
    EventTypePattern(domain, type_)
    for domain, type_ in product(["", "*", "**"], ["", "*", "**", "%ALL"])
    if not (domain == "**" and type_ == "%ALL")
]
NONE = frozenset[EventTypePattern]()

TEXTS = st.text("ab*", max_size=6)
PATTERNS = st.builds(EventTypePattern, TEXTS, TEXTS)
TYPE_SETS = st.frozensets(
    st.sampled_from([SPEED, JAM, TRAFFIC, EventTypePattern("", "Speed"), *ALL_FORMS[:3]])
)


def test_a_change_is_true_when_there_is_something_in_it() -> None:
    assert not TypeChange()
    assert TypeChange(added=(SPEED,))
    assert TypeChange(removed=(SPEED,))


def test_only_the_first_and_the_last_owner_of_a_type_change_the_union() -> None:
    registry = TypeRegistry[int]()
    assert registry.replace(1, [SPEED, JAM]) == TypeChange((JAM, SPEED), ())
    assert registry.replace(2, [SPEED]) == TypeChange()
    assert registry.replace(1, [TRAFFIC]) == TypeChange((TRAFFIC,), (JAM,))
    assert registry.types() == (TRAFFIC, SPEED)
    assert registry.withdraw(2) == TypeChange((), (SPEED,))
    assert registry.types() == (TRAFFIC,)
    assert registry.owners() == {1: {TRAFFIC}}


def test_the_same_types_once_more_change_nothing() -> None:
    registry = TypeRegistry[int]()
    registry.replace(1, [SPEED])
    assert not registry.replace(1, [SPEED, SPEED])
    assert registry.withdraw(1) == TypeChange((), (SPEED,))


def test_who_names_nothing_is_no_owner() -> None:
    registry = TypeRegistry[int]()
    assert not registry.withdraw(7)
    registry.replace(1, [SPEED])
    registry.replace(1, [])
    assert registry.owners() == {}
    assert registry.of(1) == NONE


@pytest.mark.parametrize("form", ALL_FORMS, ids=str)
def test_all_types_have_one_form(form: EventTypePattern) -> None:
    registry = TypeRegistry[int]()
    registry.replace(1, [form])
    assert registry.types() == (ALL_TYPES,)
    assert registry.of(1) == {ALL_TYPES}
    assert not registry.replace(2, [ALL_TYPES])
    assert TypeList(frozenset({SPEED, form})) == TypeList()
    assert wanted_by(frozenset({form, SPEED}), TypeList(), NONE, TypeList()) == {ALL_TYPES}
    assert offered(frozenset({ALL_TYPES}), [SPEED], [form]) == {SPEED}


@given(st.lists(st.tuples(st.integers(0, 3), TYPE_SETS), max_size=12))
def test_the_changes_add_up_to_the_union(
    steps: list[tuple[int, frozenset[EventTypePattern]]],
) -> None:
    registry = TypeRegistry[int]()
    told = set[EventTypePattern]()
    for owner, types in steps:
        change = registry.replace(owner, types)
        assert told.isdisjoint(change.added)
        assert told.issuperset(change.removed)
        told = (told | set(change.added)) - set(change.removed)
        assert list(change.added) == sorted(change.added)
        assert list(change.removed) == sorted(change.removed)
        assert registry.types() == tuple(sorted(told))
        assert told == NONE.union(*registry.owners().values())


def test_patterns_that_repeat_do_not_make_it_slow() -> None:
    one = EventTypePattern("x*" + "a*" * 500 + "b", "T")
    two = EventTypePattern("xa*" + "b*" * 500 + "a", "T")
    assert not overlap(one, two)


SHORT_TEXTS = ["".join(letters) for size in range(9) for letters in product("ab", repeat=size)]


@given(st.text("ab*", min_size=1, max_size=4), st.text("ab*", min_size=1, max_size=4))
def test_patterns_overlap_when_some_text_fits_both(one: str, two: str) -> None:
    expected = any(
        fullmatch(translate(one), text) and fullmatch(translate(two), text) for text in SHORT_TEXTS
    )
    assert overlap(EventTypePattern("D", one), EventTypePattern("D", two)) == expected
    assert overlap(EventTypePattern(one, "T"), EventTypePattern(two, "T")) == expected


@given(PATTERNS, PATTERNS, st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_what_both_match_overlaps_and_the_order_does_not_matter(
    one: EventTypePattern, two: EventTypePattern, domain: str, type_: str
) -> None:
    assert overlap(one, two) == overlap(two, one)
    assert overlap(one, one)
    if one.matches(domain, type_) and two.matches(domain, type_):
        assert overlap(one, two)


def test_a_list_is_all_until_the_first_type_is_added() -> None:
    everything = TypeList()
    assert everything.passes("Any", "Thing")
    only = everything.changed([SPEED], [])
    assert only.types == {SPEED}
    assert only.passes("Traffic", "Speed")
    assert not only.passes("Traffic", "Jam")
    assert everything.types == NONE


def test_a_list_without_types_is_all_again() -> None:
    assert TypeList(frozenset({SPEED})).changed([], [SPEED]) == TypeList()
    assert TypeList(frozenset({SPEED})).changed([ALL_TYPES], []) == TypeList()
    assert TypeList(frozenset({SPEED})).changed([JAM, ALL_TYPES], []) == TypeList()


def test_types_that_are_not_in_a_list_are_not_removed() -> None:
    only = TypeList(frozenset({SPEED}))
    assert only.changed([], [JAM, TRAFFIC, ALL_TYPES]) == only
    assert TypeList().changed([], [SPEED, ALL_TYPES]) == TypeList()


def test_what_is_removed_and_added_at_once_is_in() -> None:
    assert TypeList(frozenset({SPEED, JAM})).changed([SPEED], [SPEED, JAM]).types == {SPEED}
    assert offered(frozenset({SPEED}), [SPEED], [SPEED]) == {SPEED}


def test_a_list_passes_by_pattern() -> None:
    some = TypeList(frozenset({TRAFFIC, EventTypePattern("*", "Alarm*")}))
    assert some.passes("Traffic", "Jam")
    assert some.passes("House", "AlarmOff")
    assert not some.passes("House", "Door")


def test_a_proxy_wants_what_its_filters_and_lists_name_and_else_all() -> None:
    no_list, speed = TypeList(), frozenset({SPEED})
    assert wanted_by(NONE, no_list, NONE, no_list) == {ALL_TYPES}
    assert wanted_by(speed, no_list, NONE, no_list) == {SPEED}
    assert wanted_by(NONE, TypeList(speed), NONE, no_list) == {SPEED}
    assert wanted_by(NONE, no_list, speed, no_list) == {SPEED}
    assert wanted_by(NONE, no_list, NONE, TypeList(speed)) == {SPEED}
    admin = TypeList(frozenset({TRAFFIC}))
    assert wanted_by(speed, TypeList(frozenset({JAM})), NONE, admin) == {SPEED, JAM, TRAFFIC}


def test_offers_change() -> None:
    assert offered(NONE, [SPEED, JAM], [TRAFFIC]) == {SPEED, JAM}
    assert offered(frozenset({SPEED, JAM}), [], [JAM]) == {SPEED}
