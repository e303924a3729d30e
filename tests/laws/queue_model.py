"""What a queue does, on a plain list that is sorted when somebody asks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tidings.channel.entries import ABSOLUTE, NEVER, Entry
from tidings.channel.qos import DiscardPolicy, OrderPolicy


class ModelQueue:
    """Like `Queue`, and so short that it can be read.

    Attributes:
        waiting: The entries in the order they were pushed, with those put back before them.
    """

    def __init__(self, order: OrderPolicy) -> None:
        self.order = order
        self.waiting: list[Entry] = []

    @property
    def octets(self) -> int:
        return sum(entry.octets for entry in self.waiting)

    def entries(self) -> list[Entry]:
        if self.order is OrderPolicy.PRIORITY:
            return sorted(self.waiting, key=lambda entry: -entry.priority)
        return sorted(self.waiting) if self.order is OrderPolicy.DEADLINE else self.waiting[:]

    def push(self, entry: Entry) -> None:
        self.waiting.append(entry)

    def put_back(self, entries: Sequence[Entry]) -> None:
        self.waiting[:0] = entries

    def take(self, most: int, now: int, expired: list[Entry]) -> list[Entry]:
        expired += self.expire(now)
        return self._without(self.entries()[:most])

    def take_last(self, most: int) -> list[Entry]:
        return self._without(self.entries()[-most:] if most else [])

    def discard(self, policy: DiscardPolicy) -> Entry:
        victim = self.victim(policy)
        self._without([victim])
        return victim

    def victim(self, policy: DiscardPolicy) -> Entry:
        received = self.waiting
        if self.order is not OrderPolicy.FIFO:
            received = sorted(self.waiting, key=lambda entry: entry.seq)
        if policy is DiscardPolicy.LIFO:
            return received[-1]
        if policy is DiscardPolicy.PRIORITY:
            if self.order is OrderPolicy.PRIORITY:
                return min(self.waiting, key=lambda entry: entry.priority)
            return min(self.waiting, key=lambda entry: (entry.priority, entry.seq))
        expiring = [entry for entry in self.waiting if entry.expiry != NEVER]
        if policy is DiscardPolicy.DEADLINE and expiring:
            return min(expiring)
        return received[0]

    def expire(self, now: int) -> list[Entry]:
        return self._without(sorted(entry for entry in self.waiting if entry.expiry <= now))

    def next_expiry(self) -> int | None:
        return min((e.expiry for e in self.waiting if e.expiry != NEVER), default=None)

    def remove(self, seqs: Collection[int]) -> list[Entry]:
        return self._without([entry for entry in self.entries() if entry.seq in seqs])

    def reorder(self, order: OrderPolicy) -> None:
        if order is not self.order:
            self.waiting.sort(key=lambda entry: entry.seq)
        self.order = order

    def shift_absolute(self, delta: int) -> None:
        self.waiting = [
            entry._replace(expiry=entry.expiry + delta)
            if entry.flags & ABSOLUTE and entry.expiry != NEVER
            else entry
            for entry in self.waiting
        ]

    def _without(self, entries: list[Entry]) -> list[Entry]:
        self.waiting = [entry for entry in self.waiting if entry not in entries]
        return entries
