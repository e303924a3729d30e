"""All ways from the value of one field to subscriptions."""

from __future__ import annotations

from decimal import Decimal
from typing import Protocol

from tidings.events.fields import Char, EnumLabel, Fields, Plain
from tidings.events.paths import Path
from tidings.filters import truth
from tidings.filters.index.access import Access
from tidings.filters.index.entry import Entry
from tidings.filters.index.equality import EqualityTable
from tidings.filters.index.grid import Grid, Side
from tidings.filters.index.needles import Needles
from tidings.filters.index.ordered import LaneName, OrderedLane, lane_name
from tidings.filters.index.rows import RowSet
from tidings.filters.tree import Node

_NUMBERS = frozenset({int, float, bool, Decimal, Char})
_PLAIN_NUMBERS = frozenset({int, float, bool})

# Kinds of literals as bits, and which of them an element of a sequence compares with.
_NUMBER, _STRING, _ONE_CHAR, _LABEL = 1, 2, 4, 8
_EVERY_KIND = _NUMBER | _STRING | _ONE_CHAR | _LABEL
_KIND_OF_LITERAL: dict[type, int] = {
    **dict.fromkeys((int, float, bool), _NUMBER),
    str: _STRING,
    truth.OneChar: _ONE_CHAR,
    EnumLabel: _LABEL,
}
_COMPARABLE: dict[type, int] = {
    **dict.fromkeys((int, float, bool, Decimal, Char), _NUMBER | _ONE_CHAR),
    str: _STRING | _ONE_CHAR,
    EnumLabel: _LABEL,
}


class BucketLike(Protocol):
    """What a field index must know of the buckets it leads to, and of the one it is in."""

    def match(self, fields: Fields, out: list[object]) -> None:
        """Adds the keys of all subscriptions whose remaining tests pass."""
        ...

    def add(self, entry: Entry) -> None:
        """Takes a subscription in."""
        ...

    def weight(self) -> int:
        """How full the bucket is."""
        ...

    def below(self, index: FieldIndex, table: dict[object, BucketLike], slot: object) -> BucketLike:
        """A bucket one access further down."""
        ...

    def field_emptied(self, path: Path) -> None:
        """Called by the index of a field that leads nowhere any more."""
        ...

    def changed(self) -> None:
        """Called by the index of a field when lanes or buckets have come or gone."""
        ...


class FieldIndex:
    """What the value of one field decides, inside one bucket.

    Args:
        parent: The bucket.
        path: The field.
    """

    __slots__ = (
        "equal",
        "flags",
        "grid",
        "lanes",
        "member",
        "more_than_lanes",
        "needles",
        "parent",
        "path",
        "rows",
    )

    def __init__(self, parent: BucketLike, path: Path) -> None:
        self.parent = parent
        self.path = path
        self.equal: EqualityTable[BucketLike] | None = None
        self.member: EqualityTable[BucketLike] | None = None
        self.flags: dict[object, BucketLike] = {}  # the buckets of TRUE, FALSE and «there»
        self.grid: Grid[BucketLike] | None = None
        self.needles: Needles[BucketLike] | None = None
        # The innermost field of most buckets has lanes and nothing else; these the bucket walks.
        self.more_than_lanes = False
        self.lanes: dict[LaneName, OrderedLane] = {}
        self.rows: RowSet | None = None

    def match(self, value: Plain, fields: Fields, out: list[object]) -> None:
        """Adds the keys of all subscriptions that a value leads to, but for those in lanes."""
        kind = type(value)
        if self.equal is not None:
            for bucket in self.equal.find(value):
                bucket.match(fields, out)
        if self.grid is not None and kind in _NUMBERS:
            for bucket in self.grid.find(float(truth.number(value))):  # type: ignore[arg-type]
                bucket.match(fields, out)
        if self.needles is not None and kind is str:
            for bucket in self.needles.find(value):  # type: ignore[arg-type]
                bucket.match(fields, out)
        if self.flags:
            self._match_flags(value, fields, out)
        if self.member is not None and (kind is tuple or kind is bytes):
            for bucket in self._members(value):  # type: ignore[arg-type]
                bucket.match(fields, out)
        if self.rows is not None:
            self.rows.match(fields, out)

    def _match_flags(self, value: Plain, fields: Fields, out: list[object]) -> None:
        for flag in ("there", value if type(value) is bool else None):
            bucket = self.flags.get(flag)
            if bucket is not None:
                bucket.match(fields, out)

    def _members(self, items: tuple[Plain, ...] | bytes) -> list[BucketLike]:
        """The buckets of the literals that are `in` the sequence, each once."""
        assert self.member is not None
        kinds = set(map(type, items))
        found: dict[int, BucketLike] = {}
        if kinds == {str} or kinds <= _PLAIN_NUMBERS:
            # A set would take an integer and a double that are equal for one.
            for item in set(items) if len(kinds) == 1 else items:
                found.update((id(b), b) for b in self.member.find(item))
            return list(found.values())
        # An element that a literal cannot be compared with ends the search for its like.
        sought = _EVERY_KIND
        for item in items:
            sought &= _COMPARABLE.get(type(item), 0)
            if not sought:
                break
            for literal, bucket in self.member.find_with_literal(item):
                if sought & _KIND_OF_LITERAL[type(literal)]:
                    found[id(bucket)] = bucket
        return list(found.values())

    def weight(self, access: Access) -> int:
        """How full the buckets are to which an access would add."""
        if access.kind in ("equal", "in"):
            table = self.equal if access.kind == "equal" else self.member
            if table is None:
                return 0
            slots = [slot for literal in access.literals for slot in table.slots(literal)]
            return max((b.weight() for t, key in slots if (b := t.get(key)) is not None), default=0)
        bucket = self.flags.get(_FLAGS.get(access.kind))
        return 0 if bucket is None else bucket.weight()

    def place(
        self, entry: Entry, access: Access, used: tuple[Node, ...], rest: tuple[Node, ...]
    ) -> None:
        """Puts a subscription where an access leads.

        Args:
            entry: The subscription, which has left its former place.
            access: The way.
            used: The conjuncts the access comes from.
            rest: What is left to test wherever it leads.
        """
        if access.kind == "ordered":
            lane = self._ordered_lane(lane_name(used[0], rest))
            lane.add(Entry(entry.way, (*used, *rest)))
            return
        self._has_more()
        if access.kind == "between":
            self._place_interval(entry, access, used, rest)
        else:
            for table, slot in self._slots(access):
                self._bucket(table, slot).add(Entry(entry.way, rest))

    def _has_more(self) -> None:
        if not self.more_than_lanes:
            self.more_than_lanes = True
            self.parent.changed()

    def _place_interval(
        self, entry: Entry, access: Access, used: tuple[Node, ...], rest: tuple[Node, ...]
    ) -> None:
        if self.grid is None:
            self.grid = Grid()
        low, high = access.literals
        for table, cell, side in self.grid.slots(float(low), float(high)):
            # In the outer cells one end is still to be tested.
            ends = {Side.LOWER: used[:1], Side.UPPER: used[1:], Side.INSIDE: ()}[side]
            self._bucket(table, cell).add(Entry(entry.way, (*ends, *rest)))  # type: ignore[arg-type]

    def _slots(self, access: Access) -> list[tuple[dict[object, BucketLike], object]]:
        """The tables, each with its key, of an access other than an interval."""
        if access.kind in ("equal", "in"):
            if access.kind == "equal":
                table = self.equal = self.equal or EqualityTable()
            else:
                table = self.member = self.member or EqualityTable()
            return [slot for literal in access.literals for slot in table.slots(literal)]
        if access.kind == "needle":
            if self.needles is None:
                self.needles = Needles()
            (needle,) = access.literals
            return [(self.needles.table(str(needle)), needle)]  # type: ignore[list-item]
        return [(self.flags, _FLAGS[access.kind])]

    def _bucket(self, table: dict[object, BucketLike], slot: object) -> BucketLike:
        bucket = table.get(slot)
        if bucket is None:
            bucket = table[slot] = self.parent.below(self, table, slot)
        return bucket

    def _ordered_lane(self, name: LaneName) -> OrderedLane:
        lane = self.lanes.get(name)
        if lane is None:
            lane = self.lanes[name] = OrderedLane(name, self.path, self)
            self.parent.changed()
        return lane

    def row_set(self) -> RowSet:
        """The subscriptions with no access left that need this field."""
        if self.rows is None:
            self._has_more()
            self.rows = RowSet(self)
        return self.rows

    def lane_emptied(self, lane: object) -> None:
        """Called by a lane that has no entry left."""
        if lane is self.rows:
            self.rows = None
        else:
            assert isinstance(lane, OrderedLane)
            del self.lanes[lane.name]
            self.parent.changed()
        self._check_empty()

    def bucket_emptied(self, table: dict[object, BucketLike], slot: object) -> None:
        """Called by a bucket that has just left its table."""
        if not table and self.grid is not None:
            self.grid.forget(table)  # type: ignore[arg-type]
        if not table and self.needles is not None and isinstance(slot, str):
            self.needles.forget(table, slot)  # type: ignore[arg-type]
        self._check_empty()

    def _check_empty(self) -> None:
        if self.flags or self.lanes or self.rows is not None or self.equal or self.member:
            return
        if (self.grid is not None and self.grid.levels) or (
            self.needles is not None and self.needles.runs
        ):
            return
        self.parent.field_emptied(self.path)


_FLAGS: dict[str, object] = {"true": True, "false": False, "there": "there"}
