"""The match index and its parts; that it equals the plain loop, the laws say."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tidings.errors import InvalidUsage, NotFound
from tidings.events.build import event
from tidings.events.fields import Fields, fields_for, fields_of
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.index import MatchIndex
from tidings.filters.index.access import best_of, required_path
from tidings.filters.index.rowcode import RowCode
from tidings.filters.index.tables import Grid, Needles, Side
from tidings.filters.parse import parse
from tidings.filters.persistent_map import PersistentMap
from tidings.filters.searching import LONG, Search, Unfinished, stands_in
from tidings.filters.tree import And


def index_of(*texts: str) -> MatchIndex[str]:
    """An index with the constraints as their own keys."""
    made: MatchIndex[str] = MatchIndex()
    for text in texts:
        made.add(text, [constraint(text)])
    return made


def fields(**data: object) -> Fields:
    return fields_of(event("Telecom", "Alarm", "n", data))


def test_keys_are_added_and_removed_once() -> None:
    index = index_of("$a == 1")
    with pytest.raises(InvalidUsage, match="already"):
        index.add("$a == 1", [])
    with pytest.raises(NotFound, match="not in the index"):
        index.remove("$b == 1")
    assert "$a == 1" in index
    assert len(index) == 1


def test_a_bad_constraint_on_the_way_adds_nothing() -> None:
    index: MatchIndex[int] = MatchIndex()

    def failing() -> Iterable[object]:
        yield constraint("$a == 1", [EventTypePattern("T*", "*")])
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        index.add(1, failing())  # type: ignore[arg-type]
    assert 1 not in index
    assert index.match(fields(a=1)) == []


def test_several_intervals_do_not_multiply_without_end() -> None:
    text = " and ".join(f"$f{n} > 0.0 and $f{n} < 10.0" for n in range(8))
    index = MatchIndex[int]()
    for key in range(200):
        index.add_tree(key, parse(text))
    assert max(way.places for ways in index._ways.values() for way in ways) <= 40


@pytest.mark.parametrize(
    ("text", "kind", "field"),
    [
        *(("$a == 1 and 3 in $n", "equal", "$a"), ("'x' ~ $s and 3 in $n", "in", "$s")),
        *(("$a > 1 and $a != 5", "ordered", "$a"), ("exist $x and not $b", "false", "$b")),
    ],
)
def test_the_way_to_a_constraint_and_the_field_it_needs(text: str, kind: str, field: str) -> None:
    tree = parse(text)
    assert isinstance(tree, And)
    best = best_of(tree)
    assert best is not None
    assert (best.kind, str(required_path(tree.operands))) == (kind, field)


def test_only_simple_shapes_are_tested_together() -> None:
    assert RowCode(parse("$a == 1")).run([], fields(a=1)) == []
    assert RowCode(parse(" or ".join(["$a == 1"] * 200))).run([], fields(a=1)) is None


_ends = st.floats(-1e6, 1e6, allow_nan=False) | st.sampled_from(
    [0.0, 1.0, 8.0, 16.0, -4.0, 2.0**52]
)


def _filled(low: float, high: float) -> Grid[list[Side]]:
    grid: Grid[list[Side]] = Grid()
    for table, cell, side in grid.slots(low, high):
        table.setdefault(cell, []).append(side)
    return grid


@given(_ends, _ends, st.floats(0, 1))
@example(0.0, 8.0, 0.0)
@example(0.0, 8.0, 1.0)
@example(-8.0, 8.0, 0.5)
def test_a_number_inside_meets_one_cell_of_its_interval(low: float, high: float, at: float) -> None:
    assume(Grid.takes(low, high))
    number = min(max(low + (high - low) * at, low), high)
    found = _filled(low, high).find(number)
    assert len(found) == 1
    assert len(found[0]) == 1


@given(_ends, _ends, _ends)
def test_what_the_side_leaves_to_test_decides(low: float, high: float, number: float) -> None:
    assume(Grid.takes(low, high))
    inside = low < number < high
    for sides in _filled(low, high).find(number):
        for side in sides:
            left = {Side.LOWER: number > low, Side.UPPER: number < high, Side.INSIDE: True}[side]
            assert left == inside or number in (low, high)


@given(_ends, _ends)
@example(-1.0, -1e-252)  # two cells: its width is rounded up
def test_an_interval_takes_few_cells_and_ends_in_different_ones(low: float, high: float) -> None:
    assume(Grid.takes(low, high))
    sides = [side for _, _, side in Grid[int]().slots(low, high)]
    assert 2 <= len(sides) <= 5
    assert (sides[0], sides[-1]) == (Side.LOWER, Side.UPPER)
    assert set(sides[1:-1]) <= {Side.INSIDE}


_text = st.text("abc ", max_size=30)
_needle = st.text("abc ", min_size=1, max_size=7)


def _filled_needles(needles: set[str]) -> Needles[str]:
    index: Needles[str] = Needles()
    for needle in needles:
        index.table(needle)[needle] = needle
    return index


@given(st.sets(_needle, max_size=60), _text)
def test_needles_are_found_as_by_looking_for_each(needles: set[str], text: str) -> None:
    found = list(_filled_needles(needles).find(text))
    assert sorted(found) == sorted(needle for needle in needles if needle in text)


@given(st.sets(_needle, max_size=40))
def test_a_needle_keeps_its_table_and_nothing_is_left_when_all_are_gone(needles: set[str]) -> None:
    index = _filled_needles(needles)
    assert all(needle in index.table(needle) for needle in needles)
    for needle in needles:
        table = index.table(needle)
        del table[needle]
        if not table:
            index.forget(table, needle)
    assert index.runs == {}


TEXT = "needle " * LONG


def _attempts(search: Search, judge: Callable[[], object]) -> tuple[object, int]:
    """What a judgement comes to, and after how many attempts of one search each."""
    for attempt in range(1, 100):
        with search.attempt(1):
            try:
                return judge(), attempt
            except Unfinished:
                pass
    raise AssertionError("it does not end")


def test_an_attempt_makes_one_search_and_none_is_made_twice() -> None:
    search = Search()

    def judge() -> list[bool]:
        return [stands_in(needle, TEXT) for needle in ("needle", "hay", "need", "hay")]

    assert _attempts(search, judge) == ([True, False, True, False], 3)
    with search.attempt(None):
        assert stands_in("more", TEXT + "more")
    assert not stands_in("more", TEXT)


@pytest.mark.parametrize(
    ("texts", "searches"),
    [
        (["'x' ~ $.remainder_of_body"], 1),
        ([f"'{n}' ~ $.remainder_of_body" for n in range(30)], 30),
        (["'x' ~ $.remainder_of_body or 'y' ~ $.remainder_of_body"], 2),
        ([f"'{n}' ~ $.remainder_of_body or $a == {n}" for n in range(30)], 30),
        (["not ('x' ~ $.remainder_of_body) and not ('y' ~ $.remainder_of_body)"], 2),
        ([f"not ('{n}' ~ $.remainder_of_body)" for n in range(30)], 30),
        (["$domain_name ~ $.remainder_of_body"], 1),
    ],
    ids=["one", "needles", "or", "either", "not", "rows", "field"],
)
def test_all_that_looks_through_a_text_may_be_interrupted(texts: list[str], searches: int) -> None:
    index = index_of(*texts)
    for body in ("0 a" * LONG, "-" * LONG):
        asked = fields_for(event("a", "b", body=body), 0)
        found, attempts = _attempts(Search(), lambda: sorted(index.match(asked)))  # noqa: B023
        assert found == sorted(index.match(fields_for(event("a", "b", body=body), 0)))
        assert attempts <= searches
        assert attempts > 1 or searches == 1


def filled(count: int) -> PersistentMap[int, str]:
    return PersistentMap[int, str]().changed({key: str(key) for key in range(count)})


def test_none_removes() -> None:
    made = filled(3).changed({1: None})
    assert made == {0: "0", 2: "2"}
    assert len(made) == 2
    assert 1 not in made


@pytest.mark.parametrize("size", [0, 3, 64, 65, 5_000])
def test_a_change_leaves_the_one_before_as_it_was(size: int) -> None:
    before = filled(size)
    content = dict(before)
    before.changed({0: "other", 1: None, size: "new", -1: "new"})
    before.changed(dict.fromkeys(content))
    assert dict(before) == content
    assert len(before) == len(content)


def test_it_is_shown_like_a_dictionary() -> None:
    assert repr(filled(1)) == "PersistentMap({0: '0'})"
