"""Intervals are found by every number inside them, once, and by no other."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tidings.filters.index.grid import Grid, Side

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


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1.0, 1.0),
        (2.0, 1.0),
        (0.0, math.inf),
        (-math.inf, 0.0),
        (1e300, 1e301),
        (1.0, 1.0 + 2**-52),
    ],
)
def test_what_no_grid_can_hold_is_refused(low: float, high: float) -> None:
    assert not Grid.takes(low, high)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e308])
def test_numbers_beyond_all_cells_find_nothing(number: float) -> None:
    assert _filled(-10.0, 10.0).find(number) == []


def test_an_empty_level_is_forgotten() -> None:
    grid = _filled(0.0, 8.0)
    (table,) = grid.levels.values()
    table.clear()
    grid.forget(table)
    assert grid.levels == {}
