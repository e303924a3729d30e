"""Cells of the number line: they never fall, and a range's inner cells are inside it."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tidings.pipeline.matching_grid import Grid, Interval

ENDS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-50, 50).map(float)
INTERVALS = st.lists(
    st.tuples(ENDS, ENDS, st.sampled_from(("both", "low", "high"))), min_size=1, max_size=12
)


def interval(one: tuple[float, float, str]) -> Interval:
    low, high = sorted(one[:2])
    return Interval(low if one[2] != "high" else -math.inf, high if one[2] != "low" else math.inf)


@given(INTERVALS, st.lists(st.floats(allow_nan=False) | ENDS, max_size=20))
def test_cells_never_fall_and_inner_cells_are_inside(
    drawn: list[tuple[float, float, str]], numbers: list[float]
) -> None:
    intervals = [interval(one) for one in drawn]
    grid = Grid(intervals)
    asked = sorted({*numbers, *(end for one in drawn for end in one[:2])})
    cells = [grid.cell(number) for number in asked]
    assert cells == sorted(cells)
    for one in intervals:
        first, last = grid.span(one)
        for number in asked:
            if one.low <= number <= one.high:
                assert first <= grid.cell(number) <= last
            above = grid.cell(number) > first or one.low == -math.inf
            if above and (grid.cell(number) < last or one.high == math.inf):
                assert one.low <= number <= one.high or not first <= grid.cell(number) <= last


def test_many_ranges_share_few_cells() -> None:
    grid = Grid([Interval(float(at)) for at in range(5_000)])
    assert grid.span(Interval())[1] <= 4_096 + 8
