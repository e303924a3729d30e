"""Areas of the Earth, and an index of what is in them.

The index has cells of one degree. An area that covers many of them is not looked up: all objects
are asked then, which costs no more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidings.errors import InvalidUsage

_MOST_CELLS: Final = 1_024


class Position(NamedTuple):
    """A place, in degrees."""

    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Area:
    """What lies between two latitudes and two longitudes, the edges included.

    Attributes:
        south: The lower latitude, -90 to 90.
        west: The longitude where it begins, -180 to 180. Beyond `east` the area crosses 180°.
        north: The upper latitude.
        east: The longitude where it ends.
    """

    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        for name, most in (("south", 90), ("north", 90), ("west", 180), ("east", 180)):
            value = getattr(self, name)
            if not -most <= value <= most:  # NaN is refused, too
                raise InvalidUsage(f"{name} of an area is {value}: it is from -{most} to {most}")
        if self.south > self.north:
            raise InvalidUsage(
                f"an area from south {self.south} to north {self.north} has nothing in it: "
                "the south comes first"
            )

    def has(self, position: Position | None) -> bool:
        """Whether a position lies in it; what has no position does not."""
        if position is None or not self.south <= position.latitude <= self.north:
            return False
        east_of_west = self.west <= position.longitude
        west_of_east = position.longitude <= self.east
        if self.west <= self.east:
            return east_of_west and west_of_east
        return east_of_west or west_of_east

    def cells(self) -> list[tuple[int, int]] | None:
        """Return the cells it touches; None for many."""
        rows = range(math.floor(self.south), math.floor(self.north) + 1)
        west, east = math.floor(self.west), math.floor(self.east)
        # Both ends of the range are the same meridian.
        columns = (
            range(west, east + 1)
            if self.west <= self.east
            else (*range(west, 181), *range(-180, east + 1))
        )
        if len(rows) * len(columns) > _MOST_CELLS:
            return None
        return [(row, column) for row in rows for column in columns]


class AreaIndex:
    """Which objects are in which cell."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], set[int]] = {}

    def move(self, number: int, before: Position | None, after: Position | None) -> None:
        """Note that an object has moved, appeared (None before) or gone (None after)."""
        left = None if before is None else _cell(before)
        entered = None if after is None else _cell(after)
        if left == entered:
            return
        if left is not None:
            inside = self._cells[left]
            inside.remove(number)
            if not inside:
                del self._cells[left]
        if entered is not None:
            self._cells.setdefault(entered, set()).add(number)

    def candidates(self, area: Area) -> Iterable[int] | None:
        """Return all objects in an area, and some near it; None if all had better be asked."""
        cells = area.cells()
        if cells is None or len(cells) > len(self._cells):
            return None
        return self._of(cells)

    def _of(self, cells: Iterable[tuple[int, int]]) -> Iterator[int]:
        for cell in cells:
            yield from self._cells.get(cell, ())


def _cell(position: Position) -> tuple[int, int]:
    return math.floor(position.latitude), math.floor(position.longitude)
