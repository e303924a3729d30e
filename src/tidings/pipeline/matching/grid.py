"""Cells of a number line, to find the ranges that may contain a number.

The line between the lowest and the highest end of all ranges is cut into pieces with about equally
many ends, and each piece into cells of equal width. The index of a cell must be monotonic in the
number, and equal in Python and Spark; both hold because they run the same few operations on
doubles. A number whose cell lies strictly between those of a range's ends is inside the range, and
needs no further test.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

NAN_CELL: Final = -1
"""The cell of NaN, which no range contains."""

_PIECES: Final = 8
_MOST_CELLS: Final = 4_096
_CELLS_PER_RANGE: Final = 8
# Under a value of another field, there are only a few ranges each.
_CROWDED_CELLS: Final = 64
_CROWDED_PLACES: Final = 8
_FEWEST_CELLS: Final = 8
# Most entries in the cells' lists, over all ranges.
_MOST_PLACES: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A range, infinite where it has no end; ends may or may not belong to it."""

    low: float = -math.inf
    high: float = math.inf
    with_nan: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    start: float
    scale: float
    first: int
    cells: int


class Grid:
    """The cells for some ranges, of which at least one has a finite end.

    With `crowded`, ranges are looked up under a value of another field, and few cells suffice.
    """

    def __init__(self, intervals: Iterable[Interval], *, crowded: bool = False) -> None:
        kept = list(intervals)
        ends = sorted({end for one in kept for end in (one.low, one.high) if math.isfinite(end)})
        cells, fewest = min(_MOST_CELLS, max(64, _CELLS_PER_RANGE * len(kept))), 64
        most = _MOST_PLACES
        if crowded:
            cells, fewest = _CROWDED_CELLS, _FEWEST_CELLS
            most = min(most, _CROWDED_PLACES * len(kept))
        while True:
            self._pieces = _pieces(ends, cells)
            self._starts = [piece.start for piece in self._pieces]
            self._last = self._pieces[-1].first
            places = sum(self.span(one)[1] - self.span(one)[0] + 1 for one in kept)
            if places <= most or cells <= fewest:
                return
            cells //= 2

    def cell(self, number: float) -> int:
        """Return the cell of a number: 0 below the lowest end."""
        at = bisect_right(self._starts, number) - 1
        if at < 0:
            return 0
        piece = self._pieces[at]
        if piece.cells == 1:
            return piece.first
        # Same operations in the same order as in `expression`.
        return piece.first + min(piece.cells - 1, int((number - piece.start) * piece.scale))

    def span(self, interval: Interval) -> tuple[int, int]:
        """Return the first and the last cell that a range touches."""
        low = 0 if interval.low == -math.inf else self.cell(interval.low)
        return low, self._last if interval.high == math.inf else self.cell(interval.high)

    def expression(self, number: str) -> str:
        """Return the SQL for the cell of a column; NULL stays NULL."""
        return (
            f"CASE WHEN {number} IS NULL THEN NULL WHEN isnan({number}) THEN {NAN_CELL} "
            f"WHEN {number} < {self._starts[0]!r}D THEN 0 ELSE {self._search(number, 0)} END"
        )

    def _search(self, number: str, first: int, last: int | None = None) -> str:
        last = len(self._pieces) if last is None else last
        if last - first == 1:
            return _in_piece(self._pieces[first], number)
        middle = (first + last) // 2
        below, above = self._search(number, first, middle), self._search(number, middle, last)
        return f"CASE WHEN {number} < {self._starts[middle]!r}D THEN {below} ELSE {above} END"


def _pieces(ends: list[float], cells: int) -> list[_Piece]:
    """Cut pieces with about equally many ends; the last one has one cell and no upper end."""
    count = min(_PIECES, len(ends) - 1)
    borders = [ends[(len(ends) - 1) * at // count] for at in range(count + 1)] if count else ends
    made, first = [], 1
    for start, end in pairwise(borders):
        each = max(1, cells // count)
        width = end - start
        scale = each / width if math.isfinite(width) else 0.0
        if not 0 < scale < math.inf:
            each, scale = 1, 0.0
        made.append(_Piece(start, scale, first, each))
        first += each
    made.append(_Piece(borders[-1], 0.0, first, 1))
    return made


def _in_piece(piece: _Piece, number: str) -> str:
    if piece.cells == 1:
        return str(piece.first)
    offset = f"CAST(({number} - {piece.start!r}D) * {piece.scale!r}D AS INT)"
    return f"({piece.first} + least({piece.cells - 1}, {offset}))"
