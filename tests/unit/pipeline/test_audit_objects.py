"""When each consumer was durable, and how it ended."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tidings.pipeline.audit_objects import (
    DISCONNECTED,
    FIRST,
    LAST,
    NO_LONGER_TRACKED,
    ObjectRow,
    Tile,
    tiles,
)

A, B = "a" * 32, "b" * 32


def proxy(position: int, id: int, present: bool, origin: str = A) -> ObjectRow:
    return ObjectRow(position, origin, "proxy", id, present)


def plan(
    position: int, *connected: int, origin: str = A, whole: bool = True
) -> tuple[int, str, str]:
    change = {"whole": whole, "proxies": [{"side": "consumer", "proxy": id} for id in connected]}
    return position, origin, json.dumps({**change, "removed_proxies": []})


def at(found: list[Tile], id: int, position: int, origin: str = A) -> Tile:
    [tile] = [
        tile
        for tile in found
        if (tile.origin, tile.proxy) == (origin, id) and tile.start <= position < tile.end
    ]
    return tile


def test_a_proxy_is_durable_from_where_the_journal_says_so() -> None:
    found = tiles([proxy(10, 1, True)], [])
    assert found == [
        Tile(A, 1, 10, LAST, True, None, None, True),
        Tile(A, 1, FIRST, 10, False, None, None, True),
    ]


def test_what_waits_when_a_proxy_goes_is_told_by_the_next_end() -> None:
    found = tiles([proxy(10, 1, True), proxy(30, 1, False)], [])
    assert at(found, 1, 5) == Tile(A, 1, FIRST, 10, False, 30, DISCONNECTED, False)
    assert at(found, 1, 20) == Tile(A, 1, 10, 30, True, 30, DISCONNECTED, False)
    assert at(found, 1, 30) == Tile(A, 1, 30, LAST, False, None, None, False)


def test_a_proxy_the_plan_still_knows_is_no_longer_tracked() -> None:
    rows = [proxy(10, 1, True), proxy(20, 2, True), proxy(30, 1, False), proxy(40, 2, False)]
    found = tiles(rows, [plan(5, 1, 2), plan(35, 1)])
    assert at(found, 1, 15).how == NO_LONGER_TRACKED
    assert at(found, 2, 25).how == DISCONNECTED


def test_a_plan_may_change_by_parts() -> None:
    removed = (25, A, json.dumps({"whole": False, "proxies": [], "removed_proxies": [1]}))
    rows = [proxy(10, 1, True), proxy(30, 1, False)]
    assert at(tiles(rows, [plan(5, 1), plan(7, 2, whole=False)]), 1, 15).how == NO_LONGER_TRACKED
    assert at(tiles(rows, [plan(5, 1), removed]), 1, 15).how == DISCONNECTED
    assert at(tiles(rows, [plan(5, 1), (8, A, "{")]), 1, 15).how == NO_LONGER_TRACKED


def test_a_proxy_may_become_durable_again() -> None:
    rows = [proxy(10, 1, True), proxy(20, 1, False), proxy(30, 1, True), proxy(40, 1, False)]
    found = tiles(rows, [plan(5, 1), plan(35)])
    assert [at(found, 1, position).durable for position in (5, 15, 25, 35, 45)] == [
        *(False, True, False, True, False),
    ]
    assert (at(found, 1, 15).gone, at(found, 1, 15).how) == (20, NO_LONGER_TRACKED)
    assert (at(found, 1, 25).gone, at(found, 1, 25).how) == (40, DISCONNECTED)


def test_a_channel_takes_its_proxies_along() -> None:
    rows = [proxy(10, 1, True), proxy(10, 1, True, B), ObjectRow(50, A, "channel", 1, False)]
    found = tiles(rows, [plan(5, 1), plan(5, 1, origin=B)])
    assert (at(found, 1, 20).gone, at(found, 1, 20).how) == (50, DISCONNECTED)
    assert at(found, 1, 20, B).gone is None


@given(st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=12), st.integers(0, 150))
def test_every_position_is_in_one_tile_that_says_what_was_last_said(
    said: list[tuple[int, bool]], position: int
) -> None:
    rows = [proxy(10 * place, id, present) for place, (id, present) in enumerate(said)]
    found = tiles(rows, [])
    for id in {row.id for row in rows}:
        tile = at(found, id, position)
        before = [row for row in rows if row.id == id and row.position <= position]
        ends = [row.position for row in rows if row.id == id and not row.present]
        assert tile.durable is (bool(before) and before[-1].present)
        assert tile.stays is [row for row in rows if row.id == id][-1].present
        assert tile.gone == min((end for end in ends if end > position), default=None)
