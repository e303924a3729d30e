"""Subscriptions with no access left: tested one by one, or as rows of constants.

While few have the same shape, each is tested by its own predicate. When they become more, they are
rows of one lane, and a generated comprehension tests them all.
"""

from __future__ import annotations

from tidings.events.fields import Fields
from tidings.events.paths import Path
from tidings.filters.index.entry import IndexEntry, LaneOwner, shape_and_constants, take_out
from tidings.filters.index.rowcode import has_row_code, row_code
from tidings.filters.index.unequal import Guard, UnequalLane, decisive
from tidings.filters.shape import Constant, Shape
from tidings.filters.to_python import Predicate

# Up to so many rows of a shape are tested one by one: looking at kinds first costs more.
_FEW = 6


class RowLane:
    """Rows of one shape."""

    __slots__ = ("code", "entries", "rows")

    def __init__(self, shape: Shape) -> None:
        self.code = row_code(shape)
        self.rows: list[tuple[object, ...]] = []
        self.entries: list[IndexEntry] = []

    def add(self, entry: IndexEntry, constants: list[Constant]) -> None:
        """Add an entry."""
        entry.place = len(self.entries)
        self.rows.append((entry.way.key, *constants))
        self.entries.append(entry)

    def match(self, fields: Fields, out: list[object]) -> None:
        """Add the keys whose tests pass."""
        passing = self.code.run(self.rows, fields)
        if passing is None:
            passing = [entry.way.key for entry in self.entries if entry.way.compiled()(fields)]
        out += passing


class RowSet:
    """Subscriptions of many shapes."""

    __slots__ = ("entries", "few", "lanes", "loose", "owner", "unequal")

    def __init__(self, owner: LaneOwner) -> None:
        self.owner = owner
        self.lanes: dict[Shape, RowLane] = {}
        self.unequal: dict[tuple[Path, Guard], UnequalLane] = {}
        # Entries of shapes with few, where they could become rows; and all that are tested one by
        # one, as they are tested.
        self.few: dict[Shape, list[IndexEntry]] = {}
        self.loose: list[tuple[Predicate, object]] = []
        self.entries: list[IndexEntry] = []

    def match(self, fields: Fields, out: list[object]) -> None:
        """Add the keys whose tests pass."""
        if self.loose:
            out += [key for predicate, key in self.loose if predicate(fields)]
        for lane in self.lanes.values():
            lane.match(fields, out)
        for unequal in self.unequal.values():
            unequal.match(fields, out)

    def add(self, entry: IndexEntry) -> None:
        """Add an entry."""
        entry.home = self
        found = decisive(entry.conjuncts)
        if found is not None:
            name = (found.path, found.guard)
            if name not in self.unequal:
                self.unequal[name] = UnequalLane(*name)
            self.unequal[name].add(entry, found.literal)
            return
        shape, constants = shape_and_constants(entry.conjuncts)
        lane = self.lanes.get(shape)
        if lane is not None:
            lane.add(entry, constants)
            return
        entry.place = len(self.loose)
        self.loose.append((entry.way.compiled(), entry.way.key))
        self.entries.append(entry)
        if not has_row_code(shape):
            return
        same = self.few.setdefault(shape, [])
        same.append(entry)
        if len(same) > _FEW:
            self._gather(shape)

    def _gather(self, shape: Shape) -> None:
        """Make a lane of a shape that has become frequent."""
        lane = self.lanes[shape] = RowLane(shape)
        for entry in self.few.pop(shape):
            take_out(entry, self.entries, self.loose)
            lane.add(entry, shape_and_constants(entry.conjuncts)[1])

    def discard(self, entry: IndexEntry) -> None:
        """Remove an entry."""
        found = decisive(entry.conjuncts)
        if found is not None:
            name = (found.path, found.guard)
            self.unequal[name].discard(entry, found.literal)
            if not self.unequal[name].entries:
                del self.unequal[name]
        else:
            self._discard_by_shape(entry)
        if not self.lanes and not self.loose and not self.unequal:
            self.owner.lane_emptied(self)

    def _discard_by_shape(self, entry: IndexEntry) -> None:
        shape, _ = shape_and_constants(entry.conjuncts)
        lane = self.lanes.get(shape)
        if lane is not None:
            take_out(entry, lane.entries, lane.rows)
            if not lane.entries:
                del self.lanes[shape]
            return
        same = self.few.get(shape)
        if same is not None:
            same.remove(entry)
            if not same:
                del self.few[shape]
        take_out(entry, self.entries, self.loose)
