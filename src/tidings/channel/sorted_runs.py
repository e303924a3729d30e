"""A sorted sequence that is cheap at both ends and in the middle."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final, Generic, TypeVar

Item = TypeVar("Item")

# Moving so many references costs less than the comparisons that find the place.
_MOST_IN_A_BUCKET: Final = 1024

# When the new items are at least such a part of all, sorting everything costs less.
_WORTH_MERGING: Final = 8


class SortedRun(Generic[Item]):
    """Items in ascending order of unique rank; without `key` the items compare themselves.

    The items lie in buckets of bounded length, so that adding and removing never move more than one
    bucket, and an item takes about one reference. New items are sorted in when the order is next
    needed, many at once for less than one by one.
    """

    __slots__ = ("_bounds", "_buckets", "_key", "_new", "add")

    def __init__(
        self, items: Iterable[Item] = (), key: Callable[[Item], Any] | None = None
    ) -> None:
        self._key = key
        self._buckets: list[list[Item]] = []
        # No rank in a bucket is above its bound, and every one in the next bucket is.
        self._bounds: list[Any] = []
        self._new = list(items)
        self.add: Callable[[Item], None] = self._new.append

    def __bool__(self) -> bool:
        return bool(self._buckets or self._new)

    def __iter__(self) -> Iterator[Item]:
        if self._new:
            self._settle()
        return chain.from_iterable(self._buckets)

    def remove(self, item: Item) -> None:
        """Remove an item that must be present."""
        if self._new:
            self._settle()
        bucket = self._buckets[0]
        if bucket[0] is item:
            at = place = 0
        else:
            rank = self._rank(item)
            at = bisect_left(self._bounds, rank)
            bucket = self._buckets[at]
            place = bisect_left(bucket, rank, key=self._key)
        del bucket[place]
        if not bucket:
            del self._buckets[at], self._bounds[at]

    def first(self) -> Item:
        """Return the lowest item, or raise IndexError."""
        if self._new:
            self._settle()
        return self._buckets[0][0]

    def last(self) -> Item:
        """Return the highest item, or raise IndexError."""
        if self._new:
            self._settle()
        return self._buckets[-1][-1]

    def take(self, most: int) -> list[Item]:
        """Remove and return the lowest items, at most `most`, ascending."""
        if self._new:
            self._settle()
        taken: list[Item] = []
        while self._buckets and most > len(taken):
            bucket = self._buckets[0]
            wanted = most - len(taken)
            taken += bucket[:wanted]
            if wanted < len(bucket):
                del bucket[:wanted]
            else:
                del self._buckets[0], self._bounds[0]
        return taken

    def take_last(self, most: int) -> list[Item]:
        """Remove and return the highest items, at most `most`, ascending."""
        if self._new:
            self._settle()
        pieces: list[list[Item]] = []
        while self._buckets and most > 0:
            bucket = self._buckets[-1]
            pieces.append(bucket[-most:])
            if most < len(bucket):
                del bucket[-most:]
            else:
                del self._buckets[-1], self._bounds[-1]
            most -= len(pieces[-1])
        return list(chain.from_iterable(reversed(pieces)))

    def take_below(self, rank: Any) -> list[Item]:  # noqa: ANN401 -- see `_rank`
        """Remove and return all items that rank below `rank`, ascending."""
        if self._new:
            self._settle()
        taken: list[Item] = []
        while self._buckets:
            bucket = self._buckets[0]
            end = bisect_left(bucket, rank, key=self._key)
            taken += bucket[:end]
            if end < len(bucket):
                del bucket[:end]
                break
            del self._buckets[0], self._bounds[0]
        return taken

    def _rank(self, item: Item) -> Any:  # noqa: ANN401 -- whatever the key makes of it
        return item if self._key is None else self._key(item)

    def _settle(self) -> None:
        new, buckets = self._new, self._buckets
        if len(new) > 1:
            new.sort(key=self._key)
        if not buckets or self._rank(new[0]) > self._bounds[-1]:
            self._append(new)
        elif len(new) * _WORTH_MERGING < len(buckets) * _MOST_IN_A_BUCKET:
            for item in new:
                self._insert(item)
        else:
            merged = [*chain.from_iterable(buckets), *new]
            merged.sort(key=self._key)
            buckets.clear()
            self._bounds.clear()
            self._append(merged)
        new.clear()

    def _append(self, items: list[Item]) -> None:
        """Add sorted items that rank above all others."""
        start = 0
        if self._buckets:
            last = self._buckets[-1]
            start = max(0, _MOST_IN_A_BUCKET - len(last))
            last += items[:start]
            self._bounds[-1] = self._rank(last[-1])
        for at in range(start, len(items), _MOST_IN_A_BUCKET):
            bucket = items[at : at + _MOST_IN_A_BUCKET]
            self._buckets.append(bucket)
            self._bounds.append(self._rank(bucket[-1]))

    def _insert(self, item: Item) -> None:
        rank, bounds = self._rank(item), self._bounds
        at = min(bisect_left(bounds, rank), len(bounds) - 1)
        bucket = self._buckets[at]
        insort(bucket, item, key=self._key)  # type: ignore[arg-type]
        bounds[at] = max(bounds[at], rank)
        if len(bucket) > _MOST_IN_A_BUCKET:
            half = len(bucket) // 2
            self._buckets.insert(at, bucket[:half])
            bounds.insert(at, self._rank(bucket[half - 1]))
            del bucket[:half]
