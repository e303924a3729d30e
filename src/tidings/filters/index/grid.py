"""Intervals to buckets: which two-sided ranges contain a number?

A grid of cells on several levels, each with cells twice as wide as those of the level below. An
interval is kept on the level where it is two to four cells wide, so it touches three to five. A
number lies in one cell of every level. Cells between the outer two are inside the interval; in the
outer two, one end remains to be tested.

Integers beyond the doubles and decimals are rounded to find the cell. That is exact: ends of
intervals and borders of cells are doubles, and rounding never carries a number across one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import Enum
from typing import Generic, TypeVar

B = TypeVar("B")

# Cells a number of this size or less can be counted in without overflow.
_LARGEST = 2.0**900


class Side(Enum):
    """Where in an interval a cell lies, and so which end remains to be tested there."""

    LOWER = "lower"
    INSIDE = "inside"
    UPPER = "upper"


class Grid(Generic[B]):
    """Intervals with their buckets: level to cell number to bucket, per side."""

    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels: dict[int, dict[int, B]] = {}

    @staticmethod
    def takes(low: float, high: float) -> bool:
        """Whether an interval can be kept here."""
        width = high - low
        return (
            low < high
            and low >= -_LARGEST
            and high <= _LARGEST
            # Narrower than its own rounding: no cell would lie between its ends.
            and width >= max(abs(low), abs(high)) * 2.0**-48
            and width >= 2.0**-900
        )

    def slots(self, low: float, high: float) -> Iterator[tuple[dict[int, B], int, Side]]:
        """The table of the level, the cell and its side, for every cell an interval touches."""
        level = math.frexp(high - low)[1] - 2
        first, last = _cell(low, level), _cell(high, level)
        table = self.levels.setdefault(level, {})
        for cell in range(first, last + 1):
            side = Side.LOWER if cell == first else Side.UPPER if cell == last else Side.INSIDE
            yield table, cell, side

    def forget(self, table: dict[int, B]) -> None:
        """Drop the level of a table that has become empty."""
        self.levels = {level: kept for level, kept in self.levels.items() if kept is not table}

    def find(self, number: float) -> list[B]:
        """The buckets of the cells a number lies in."""
        if not -_LARGEST <= number <= _LARGEST:  # also NaN
            return []
        found = []
        for level, table in self.levels.items():
            bucket = table.get(math.floor(math.ldexp(number, -level)))
            if bucket is not None:
                found.append(bucket)
        return found


def _cell(number: float, level: int) -> int:
    return math.floor(math.ldexp(number, -level))
