"""Which event goes when a channel holds MaxQueueLength events and must not refuse new ones.

The channel's DiscardPolicy chooses, and the event goes for all its consumers (11).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence, Sized
from heapq import heapify, heappop, heappush
from typing import Protocol

from tidings.channel.entries import Entry
from tidings.channel.qos import DiscardPolicy


def discard_key(policy: DiscardPolicy, entry: Entry) -> tuple[int, ...]:
    """The smallest goes first."""
    if policy is DiscardPolicy.PRIORITY:
        return entry.priority, entry.seq
    if policy is DiscardPolicy.DEADLINE:
        return entry.expiry, entry.seq
    if policy is DiscardPolicy.LIFO:
        return (-entry.seq,)
    return (entry.seq,)


class Discards(Protocol):
    """A consumer that can do without an event."""

    def discard(self, seq: int) -> None:
        """Discards its copy of an event, if it is in memory."""


class Events(Container[int], Sized, Protocol):
    """Numbers of events that wait; there are fewer after one was discarded."""


class Backlog:
    """All events that wait in a channel, in the order in which they would be discarded.

    Args:
        policy: Which event goes first.
        waiting: The consumers, each with its events.
    """

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
        """Notes an event that waits now."""
        heappush(self._heap, (discard_key(self.policy, entry), entry))
        self._consumers[entry.seq] = consumers

    def make_room(self, live: Events, most: int) -> None:
        """Discards events for everybody until no more than so many wait."""
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
