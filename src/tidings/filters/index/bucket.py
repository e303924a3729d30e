"""The index proper: a tree of buckets.

A `Bucket` holds subscriptions by what is left to test. A few are tested one by one; when they
become more, they are spread: each is sorted by its best access into a bucket below, where
less is left to test, or, where no access is left, into a lane of its kind. So what an event
costs follows the buckets its values lead to.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidings.events.fields import RESERVED_NAMES, Fields
from tidings.events.paths import MISSING, Path
from tidings.filters.index.access import Access, accesses, best_of, required_path
from tidings.filters.index.entry import Entry, Tested
from tidings.filters.index.field_index import BucketLike, FieldIndex
from tidings.filters.index.ordered import OrderedLane
from tidings.filters.index.rows import RowSet
from tidings.filters.tree import And, Or

# So many subscriptions are tested one by one before they are spread.
_FEW = 8
# Buckets inside buckets; equal constraints with very many conjuncts would go on and on.
_DEEPEST = 12
# An interval takes up to five places and an `or` one for each operand, and what is left is placed
# in each of these again: with more places than this, further ones are tested, not sorted by.
_MOST_PLACES = 8
_MULTIPLYING = ("between", "either")


class Bucket:
    """Subscriptions that share an access.

    Args:
        parent: The field index that leads here.
        table: Where the parent keeps it.
        slot: Under which key.
        depth: How many accesses lead here.
    """

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
        table: dict[object, BucketLike] | None = None,
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
        self.owners: list[Entry] | tuple[()] = ()
        self.few: list[Entry] | tuple[()] = ()
        self.fields: dict[Path, FieldIndex] | None = None
        self.indexes: tuple[FieldIndex, ...] = ()
        self.lanes: tuple[OrderedLane, ...] | None = ()
        self.rows: RowSet | None = None

    def match(self, fields: Fields, out: list[object]) -> None:
        """Adds the keys of all subscriptions whose remaining tests pass."""
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
        """Notes what is to be walked, after something has come or gone."""
        indexes = self.fields.values() if self.fields else ()
        self.indexes = tuple(index for index in indexes if index.more_than_lanes)
        self.lanes = tuple(lane for index in indexes for lane in index.lanes.values())
        return self.lanes

    def changed(self) -> None:
        """Called by the index of a field when lanes or buckets have come or gone."""
        self.lanes = None

    def weight(self) -> int:
        """How full the bucket is, roughly: what one more subscription would have to share."""
        return len(self.few) + len(self.keys) if self.fields is None else _FEW + 1

    def add(self, entry: Entry) -> None:
        """Takes a subscription in."""
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

    def discard(self, entry: Entry) -> None:
        """Takes an entry out that is kept right here; the last one moves into its place."""
        if entry.conjuncts:
            assert isinstance(self.few, list)
            last = self.few.pop()
            if last is not entry:
                self.few[entry.place] = last
        else:
            assert isinstance(self.keys, list)
            assert isinstance(self.owners, list)
            key, last = self.keys.pop(), self.owners.pop()
            if last is not entry:
                self.keys[entry.place], self.owners[entry.place] = key, last
        last.place = entry.place
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

    def _place(self, entry: Entry) -> None:
        access = self._best_access(entry)
        if access is None:
            self._put_in_rows(entry)
            return
        entry.give_up()
        conjuncts = entry.conjuncts
        if access.kind == "either":
            self._place_either(entry, access.places[0])
            return
        used = tuple(conjuncts[i] for i in access.places)
        rest = tuple(c for i, c in enumerate(conjuncts) if i not in access.places)
        self.field(access.path).place(entry, access, used, rest)

    def _place_either(self, entry: Entry, place: int) -> None:
        """Under an access of each operand; each then has the whole `or` left to test."""
        either = entry.conjuncts[place]
        assert isinstance(either, Or)
        rest = (*entry.conjuncts[:place], Tested(either.operands), *entry.conjuncts[place + 1 :])
        for operand in either.operands:
            way = best_of(operand)
            assert way is not None
            conjuncts = operand.operands if isinstance(operand, And) else (operand,)
            used = tuple(conjuncts[i] for i in way.places)
            self.field(way.path).place(entry, way, used, rest)

    def _best_access(self, entry: Entry) -> Access | None:
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

    def _put_in_rows(self, entry: Entry) -> None:
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

    def below(self, index: FieldIndex, table: dict[object, BucketLike], slot: object) -> Bucket:
        """A bucket one access further down."""
        return Bucket(index, table, slot, self.depth + 1)

    def field(self, path: Path) -> FieldIndex:
        """The index of a field, made when first asked for."""
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
        """Adds the keys of all subscriptions that match.

        With more fields in the index than an event can have, those of the event are visited,
        not those of the index.
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
        """The index of a field, made when first asked for."""
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
