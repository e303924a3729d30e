"""Which event is discarded when a channel holds MaxQueueLength events and must accept more.

The channel's DiscardPolicy chooses, and the event is discarded for all its consumers (clause 11).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence, Sized
from heapq import heapify, heappop, heappush
from typing import Protocol

from tidings.channel.entries import Entry
from tidings.channel.qos import DiscardPolicy


def discard_key(policy: DiscardPolicy, entry: Entry) -> tuple[int, ...]:
    """Return the sort key of an entry; the smallest is discarded first."""
    if policy is DiscardPolicy.PRIORITY:
        return entry.priority, entry.seq
    if policy is DiscardPolicy.DEADLINE:
        return entry.expiry, entry.seq
    if policy is DiscardPolicy.LIFO:
        return (-entry.seq,)
    return (entry.seq,)


class Discards(Protocol):
    """A consumer whose copy of an event can be discarded."""

    def discard(self, seq: int) -> None:
        """Discard the consumer's copy of an event, if it is in memory."""


class Events(Container[int], Sized, Protocol):
    """The numbers of waiting events; shrinks when an event is discarded."""


class Backlog:
    """All waiting events of a channel, in discard order."""

    def __init__(
        self, policy: DiscardPolicy, waiting: Iterable[tuple[Discards, Sequence[Entry]]] = ()
    ) -> None:
        self.policy = policy
        consumers: dict[int, list[Discards]] = {}
        entries: dict[int, Entry] = {}
        for consumer, held in waiting:
            for entry in held:
                entries[entry.seq] = entry
                consumers.setdefault(entry.seq, []).append(consumer)
        self._consumers: dict[int, Sequence[Discards]] = {**consumers}
        self._heap = [(discard_key(policy, entry), entry) for entry in entries.values()]
        heapify(self._heap)

    def add(self, entry: Entry, consumers: Sequence[Discards]) -> None:
        """Add an event that now waits."""
        heappush(self._heap, (discard_key(self.policy, entry), entry))
        self._consumers[entry.seq] = consumers

    def make_room(self, live: Events, most: int) -> None:
        """Discard events for all consumers until at most `most` wait."""
        while self._heap and len(live) > most:
            _, entry = heappop(self._heap)
            consumers = self._consumers.pop(entry.seq, ())
            if entry.seq in live:
                for consumer in consumers:
                    consumer.discard(entry.seq)
        if len(self._heap) > 2 * len(live) + 1_000:
            self._forget_settled(live)

    def _forget_settled(self, live: Events) -> None:
        self._heap = [item for item in self._heap if item[1].seq in live]
        heapify(self._heap)
        self._consumers = {s: c for s, c in self._consumers.items() if s in live}
