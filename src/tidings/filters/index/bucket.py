"""The index proper: a tree of buckets.

A `Bucket` holds subscriptions by what remains to be tested. A few are tested one by one; when they
become more, each moves by its best access into a bucket below, where less remains, or, without an
access, into a lane of its kind. So the cost of an event follows the buckets its values lead to.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tidings.events.fields import RESERVED_NAMES, Char, EnumLabel, Fields, Plain
from tidings.events.paths import MISSING, Path
from tidings.filters import truth
from tidings.filters.index.access import Access, accesses, best_of, required_path
from tidings.filters.index.entry import IndexEntry, Tested, take_out
from tidings.filters.index.ordered import LaneName, OrderedLane, lane_name
from tidings.filters.index.rows import RowSet
from tidings.filters.index.tables import EqualityTable, Grid, Needles, Side
from tidings.filters.tree import And, Node, Or

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


class FieldIndex:
    """What the value of one field decides, inside one bucket."""

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

    def __init__(self, parent: Bucket, path: Path) -> None:
        self.parent = parent
        self.path = path
        self.equal: EqualityTable[Bucket] | None = None
        self.member: EqualityTable[Bucket] | None = None
        self.flags: dict[object, Bucket] = {}  # the buckets of TRUE, FALSE and «there»
        self.grid: Grid[Bucket] | None = None
        self.needles: Needles[Bucket] | None = None
        # The innermost field of most buckets has lanes and nothing else; these the bucket walks.
        self.more_than_lanes = False
        self.lanes: dict[LaneName, OrderedLane] = {}
        self.rows: RowSet | None = None

    def match(self, value: Plain, fields: Fields, out: list[object]) -> None:
        """Add the keys of all subscriptions that a value leads to, except those in lanes."""
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

    def _members(self, items: tuple[Plain, ...] | bytes) -> list[Bucket]:
        """The buckets of the literals that are `in` the sequence, each once."""
        assert self.member is not None
        kinds = set(map(type, items))
        found: dict[int, Bucket] = {}
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
        self, entry: IndexEntry, access: Access, used: tuple[Node, ...], rest: tuple[Node, ...]
    ) -> None:
        """Put a subscription where an access leads.

        `used` are the conjuncts of the access, `rest` those that remain to be tested.
        """
        if access.kind == "ordered":
            lane = self._ordered_lane(lane_name(used[0], rest))
            lane.add(IndexEntry(entry.way, (*used, *rest)))
            return
        self._has_more()
        if access.kind == "between":
            self._place_interval(entry, access, used, rest)
        else:
            for table, slot in self._slots(access):
                self._bucket(table, slot).add(IndexEntry(entry.way, rest))

    def _has_more(self) -> None:
        if not self.more_than_lanes:
            self.more_than_lanes = True
            self.parent.changed()

    def _place_interval(
        self, entry: IndexEntry, access: Access, used: tuple[Node, ...], rest: tuple[Node, ...]
    ) -> None:
        if self.grid is None:
            self.grid = Grid()
        low, high = access.literals
        for table, cell, side in self.grid.slots(float(low), float(high)):
            # In the outer cells one end is still to be tested.
            ends = {Side.LOWER: used[:1], Side.UPPER: used[1:], Side.INSIDE: ()}[side]
            self._bucket(table, cell).add(IndexEntry(entry.way, (*ends, *rest)))  # type: ignore[arg-type]

    def _slots(self, access: Access) -> list[tuple[dict[object, Bucket], object]]:
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

    def _bucket(self, table: dict[object, Bucket], slot: object) -> Bucket:
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

    def bucket_emptied(self, table: dict[object, Bucket], slot: object) -> None:
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


# So many subscriptions are tested one by one before they are spread.
_FEW = 8
# Buckets inside buckets; equal constraints with very many conjuncts would go on and on.
_DEEPEST = 12
# An interval takes up to five places and an `or` one for each operand, and what is left is placed
# in each of these again: with more places than this, further ones are tested, not sorted by.
_MOST_PLACES = 8
_MULTIPLYING = ("between", "either")


class Bucket:
    """Subscriptions that share an access; the parent keeps it in `table` under `slot`."""

    __slots__ = (
        "depth",
        "few",
        "fields",
        "indexes",
        "keys",
        "lanes",
        "owners",
        "parent",
        "rows",
        "slot",
        "table",
    )

    def __init__(
        self,
        parent: FieldIndex | None = None,
        table: dict[object, Bucket] | None = None,
        slot: object = None,
        depth: int = 0,
    ) -> None:
        self.parent = parent
        self.table = table
        self.slot = slot
        self.depth = depth
        # Matching walks through very many buckets: what is empty is the one empty tuple, and
        # what is walked is a tuple, so that little memory is touched.
        self.keys: list[object] | tuple[()] = ()
        self.owners: list[IndexEntry] | tuple[()] = ()
        self.few: list[IndexEntry] | tuple[()] = ()
        self.fields: dict[Path, FieldIndex] | None = None
        self.indexes: tuple[FieldIndex, ...] = ()
        self.lanes: tuple[OrderedLane, ...] | None = ()
        self.rows: RowSet | None = None

    def match(self, fields: Fields, out: list[object]) -> None:
        """Add the keys of all subscriptions whose remaining tests pass."""
        if self.keys:
            out += self.keys
        for entry in self.few:
            way = entry.way
            # Compiled when it was added.
            if way.predicate(fields):  # type: ignore[misc]
                out.append(way.key)
        for lane in self.lanes if self.lanes is not None else self._look_again():
            value = fields[lane.path]
            if value is not MISSING:
                lane.match(value, fields, out)
        for index in self.indexes:
            value = fields[index.path]
            if value is not MISSING:
                index.match(value, fields, out)
        if self.rows is not None:
            self.rows.match(fields, out)

    def _look_again(self) -> tuple[OrderedLane, ...]:
        """Collect what to walk, after something has come or gone."""
        indexes = self.fields.values() if self.fields else ()
        self.indexes = tuple(index for index in indexes if index.more_than_lanes)
        self.lanes = tuple(lane for index in indexes for lane in index.lanes.values())
        return self.lanes

    def changed(self) -> None:
        """Called by a field's index when lanes or buckets have come or gone."""
        self.lanes = None

    def weight(self) -> int:
        """How full the bucket is, roughly: what one more subscription would share."""
        return len(self.few) + len(self.keys) if self.fields is None else _FEW + 1

    def add(self, entry: IndexEntry) -> None:
        """Add a subscription."""
        if not entry.conjuncts:
            entry.home, entry.place = self, len(self.keys)
            if isinstance(self.keys, tuple) or isinstance(self.owners, tuple):
                self.keys, self.owners = [], []
            self.keys.append(entry.way.key)
            self.owners.append(entry)
        elif self.fields is None:
            entry.home, entry.place = self, len(self.few)
            entry.way.compiled()
            if isinstance(self.few, tuple):
                self.few = []
            self.few.append(entry)
            if len(self.few) > _FEW:
                self._spread()
        else:
            self._place(entry)

    def discard(self, entry: IndexEntry) -> None:
        """Remove an entry that is kept right here."""
        if entry.conjuncts:
            assert isinstance(self.few, list)
            take_out(entry, self.few)
        else:
            assert isinstance(self.keys, list)
            assert isinstance(self.owners, list)
            take_out(entry, self.owners, self.keys)
        self._check_empty()

    def _check_empty(self) -> None:
        if self.keys or self.few or self.fields or self.rows is not None or self.parent is None:
            return
        assert self.table is not None
        del self.table[self.slot]
        self.parent.bucket_emptied(self.table, self.slot)

    def _spread(self) -> None:
        self.fields = {}
        entries, self.few = self.few, ()
        for entry in entries:
            self._place(entry)

    def _place(self, entry: IndexEntry) -> None:
        access = self._best_access(entry)
        if access is None:
            self._put_in_rows(entry)
            return
        entry.way.leave(entry)
        conjuncts = entry.conjuncts
        if access.kind == "either":
            self._place_either(entry, access.places[0])
            return
        used = tuple(conjuncts[i] for i in access.places)
        rest = tuple(c for i, c in enumerate(conjuncts) if i not in access.places)
        self.field(access.path).place(entry, access, used, rest)

    def _place_either(self, entry: IndexEntry, place: int) -> None:
        """Place it under an access of each operand; each has the whole `or` left to test."""
        either = entry.conjuncts[place]
        assert isinstance(either, Or)
        rest = (*entry.conjuncts[:place], Tested(either.operands), *entry.conjuncts[place + 1 :])
        for operand in either.operands:
            way = best_of(operand)
            assert way is not None
            conjuncts = operand.operands if isinstance(operand, And) else (operand,)
            used = tuple(conjuncts[i] for i in way.places)
            self.field(way.path).place(entry, way, used, rest)

    def _best_access(self, entry: IndexEntry) -> Access | None:
        if self.depth >= _DEEPEST:
            return None
        best: Access | None = None
        least = (0, 0)
        for access in accesses(entry.conjuncts):
            if access.kind in _MULTIPLYING and entry.way.places > _MOST_PLACES:
                continue
            index = self.fields.get(access.path) if self.fields else None
            cost = (access.rank, index.weight(access) if index is not None else 0)
            if best is None or cost < least:
                best, least = access, cost
        return best

    def _put_in_rows(self, entry: IndexEntry) -> None:
        path = required_path(entry.conjuncts)
        if path is not None:
            self.field(path).row_set().add(entry)
            return
        if self.rows is None:
            self.rows = RowSet(self)
        self.rows.add(entry)

    def lane_emptied(self, lane: object) -> None:
        """Called by the rows when no entry is left."""
        self.rows = None
        self._check_empty()

    def below(self, index: FieldIndex, table: dict[object, Bucket], slot: object) -> Bucket:
        """A bucket one access further down."""
        return Bucket(index, table, slot, self.depth + 1)

    def field(self, path: Path) -> FieldIndex:
        """The index of a field, made when first needed."""
        assert self.fields is not None
        index = self.fields.get(path)
        if index is None:
            index = self.fields[path] = FieldIndex(self, path)
        return index

    def field_emptied(self, path: Path) -> None:
        """Called by the index of a field that leads nowhere any more."""
        assert self.fields is not None
        del self.fields[path]
        self.lanes = None
        self._check_empty()


class RootBucket(Bucket):
    """The bucket at the top: always spread, and reached by every event."""

    __slots__ = ("by_name", "unnamed")

    def __init__(self) -> None:
        super().__init__()
        self.fields = {}
        self.by_name: dict[str, dict[Path, FieldIndex]] = {}
        self.unnamed: dict[Path, FieldIndex] = {}

    def match(self, fields: Fields, out: list[object]) -> None:
        """Add the keys of all subscriptions that match.

        If the index has more fields than an event can have, those of the event are visited.
        """
        assert self.fields is not None
        names = fields.names() if len(self.fields) > _FEW else None
        if names is None:
            super().match(fields, out)
            return
        out += self.keys
        for index in self._reached(names):
            value = fields[index.path]
            if value is not MISSING:
                for lane in index.lanes.values():
                    lane.match(value, fields, out)
                index.match(value, fields, out)
        if self.rows is not None:
            self.rows.match(fields, out)

    def _reached(self, names: Iterable[str]) -> list[FieldIndex]:
        reached = list(self.unnamed.values())
        for name in dict.fromkeys(names):
            indexes = self.by_name.get(name)
            if indexes:
                reached += indexes.values()
        return reached

    def field(self, path: Path) -> FieldIndex:
        """The index of a field, made when first needed."""
        index = super().field(path)
        self._group(path)[path] = index
        return index

    def field_emptied(self, path: Path) -> None:
        """Called by the index of a field that leads nowhere any more."""
        group = self._group(path)
        del group[path]
        if not group and group is not self.unnamed:
            del self.by_name[str(path.root)]
        super().field_emptied(path)

    def _group(self, path: Path) -> dict[Path, FieldIndex]:
        root = path.root
        if root is None or root in RESERVED_NAMES or root.startswith("%"):
            return self.unnamed
        return self.by_name.setdefault(root, {})
