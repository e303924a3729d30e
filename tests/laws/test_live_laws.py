"""What a view shows is what there is: the newest value of every attribute, however slow it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final
from unittest.mock import patch

from hypothesis import event, example, given
from hypothesis import strategies as st

from tidings.filters.constraint import constraint
from tidings.live import board as board_module
from tidings.live.area import Area, AreaIndex, Position
from tidings.live.board import Board, Looked, Told, View
from tidings.live.model import LiveObject, attribute

_TAGS: Final = ("north/1", "north/2", "south/1")
_NAMES: Final = ("latitude", "longitude", "height")
_AREAS: Final = (None, Area(0, 0, 5, 5), Area(-5, 175, 90, -175), Area(-90, -180, 90, 180))
_CONSTRAINTS: Final = (None, constraint("$height > 2"), constraint("'1' ~ $tag"))

_sets = st.tuples(
    st.just("set"),
    st.sampled_from(_TAGS),
    st.dictionaries(st.sampled_from(_NAMES), st.integers(-1, 6), min_size=1, max_size=2),
)
_looks = st.just(Looked()) | st.builds(
    Looked,
    st.sampled_from(("", "north", "south/1")),
    st.sampled_from(_AREAS),
    st.sampled_from(_CONSTRAINTS),
    st.sampled_from((None, frozenset({"height"}), frozenset({"latitude", "height"}))),
)
_changes = st.one_of(_sets, _sets, st.tuples(st.just("delete"), st.sampled_from(_TAGS)))
_TAKE: Final = ("take",)
# Much happens between two slices, and a view begins to look elsewhere in the middle of a round.
_steps = st.tuples(
    st.lists(_changes, max_size=8),
    st.sampled_from((0, 1, 1, 2)).map(lambda count: [_TAKE] * count),
    st.lists(st.tuples(st.just("look"), _looks), max_size=1),
).map(lambda parts: [*parts[0], *parts[1], *parts[2]])


@dataclass
class _Screen:
    """A display that knows only what it was told."""

    objects: dict[int, tuple[str, dict[str, object]]] = field(default_factory=dict)

    def show(self, told: Told, names: frozenset[str] | None) -> None:
        if told.anew:
            self.objects.clear()
        for number in told.left:
            del self.objects[number]
        for one, shown in told.entered:
            assert one.number not in self.objects
            assert shown == names
            assert one.tag not in {tag for tag, _ in self.objects.values()}
            self.objects[one.number] = (one.tag, _values(one, names))
        for one, changed in told.changed:
            assert names is None or names.issuperset(changed)
            self.objects[one.number][1].update(
                {name: one.attributes[name].value for name in changed}
            )


def _values(one: LiveObject, names: frozenset[str] | None) -> dict[str, object]:
    return {
        name: attribute.value
        for name, attribute in one.attributes.items()
        if names is None or name in names
    }


_A, _B = ("set", _TAGS[0], {"height": 1}), ("set", _TAGS[1], {"height": 1})
_MOVED_A = ("set", _TAGS[0], {"latitude": 2})


# What changed early in an object that changed late; a look elsewhere; deletions forgotten; a tag
# that is used again.
@example([[_A, _B, _TAKE, _TAKE, _TAKE, _MOVED_A, _B, _A, _TAKE]], Looked(), 1)
@example([[_A, _TAKE, ("look", Looked("south/1"))]], Looked(), 500)
@example([[_A, _B, _TAKE, ("delete", _TAGS[0]), ("delete", _TAGS[1])]], Looked(), 500)
@example([[_A, _TAKE, _TAKE, ("delete", _TAGS[0]), _A, _TAKE, _TAKE]], Looked(), 1)
@given(st.lists(_steps, min_size=2, max_size=8), _looks, st.sampled_from((1, 1, 2, 500)))
def test_a_view_comes_to_show_what_there_is(
    rounds: list[list[tuple[Any, ...]]], first: Looked, most: int
) -> None:
    """Whatever is set, deleted, and looked at between slices, and if deletions are forgotten."""
    board, looked, screen = Board(), first, _Screen()
    with (
        patch.object(board_module, "MOST_TOLD", most),
        patch.object(board_module, "_MOST_GONE", 1),
        patch.object(board_module, "_FEW", 1),
    ):
        view = View(board, looked)
        for what, *rest in chain.from_iterable(rounds):
            if what == "set":
                tag, attributes = rest
                one = board.find(tag) or board.make(tag, "")
                board.set(
                    one, {name: attribute(name, value) for name, value in attributes.items()}, 1
                )
            elif what == "delete":
                if (found := board.find(rest[0])) is not None:
                    board.delete(found)
            elif what == "look":
                (looked,) = rest
                view.look(looked)
            else:
                screen.show(view.take(), looked.attributes)
        quiet = 0  # a round may have nothing to tell, and there is another one behind it
        while quiet < 2:
            told = view.take()
            screen.show(told, looked.attributes)
            quiet = 0 if told or told.more else quiet + 1
    there = {
        one.number: (one.tag, _values(one, looked.attributes))
        for one in map(board.get, board.candidates())
        if one is not None and looked.shows(one)
    }
    event(f"{len(there)} objects shown")
    assert screen.objects == there


_latitudes = st.floats(-90, 90) | st.integers(-90, 90).map(float)
_longitudes = st.floats(-180, 180) | st.sampled_from((-180.0, -179.5, 0.0, 179.5, 180.0))


@given(
    st.lists(st.tuples(st.integers(0, 3), _latitudes, _longitudes), max_size=20),
    st.tuples(_latitudes, _latitudes, _longitudes, _longitudes),
    st.floats(0.1, 3),
)
def test_the_index_of_areas_passes_over_nothing(
    moves: list[tuple[int, float, float]],
    corners: tuple[float, float, float, float],
    size: float,
) -> None:
    """What is in an area is among the candidates; small areas around a place count most."""
    index, places = AreaIndex(), dict[int, Position]()
    for number, latitude, longitude in moves:
        after = Position(latitude, longitude)
        index.move(number, places.get(number), after)
        places[number] = after
    south, north = sorted(corners[:2])
    areas = [Area(south, corners[2], north, corners[3])]
    for at in places.values():
        low, high = max(at.latitude - size, -90), min(at.latitude + size, 90)
        west = math.remainder(at.longitude - size, 360)
        areas.append(Area(low, west, high, math.remainder(at.longitude + size, 360)))
    for area in areas:
        candidates = index.candidates(area)
        inside = {number for number, at in places.items() if area.has(at)}
        event("looked up" if candidates is not None else "all asked")
        assert candidates is None or inside <= set(candidates)
