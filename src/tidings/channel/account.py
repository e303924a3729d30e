"""The account of one channel: which events still wait, and for how many consumers.

When it holds MaxQueueLength events and must accept more, its DiscardPolicy chooses one that is
discarded for all its consumers (clause 11).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Protocol

from tidings.channel.core import Core
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

    def make_room(self, live: Collection[int], most: int) -> None:
        """Discard events for all consumers until at most `most` of `live` wait."""
        while self._heap and len(live) > most:
            _, entry = heappop(self._heap)
            consumers = self._consumers.pop(entry.seq, ())
            if entry.seq in live:
                for consumer in consumers:
                    consumer.discard(entry.seq)
        if len(self._heap) > 2 * len(live) + 1_000:
            self._forget_settled(live)

    def _forget_settled(self, live: Collection[int]) -> None:
        self._heap = [item for item in self._heap if item[1].seq in live]
        heapify(self._heap)
        self._consumers = {s: c for s, c in self._consumers.items() if s in live}


class Account:
    """The identity and backlog of a channel, as its admins and proxies see it.

    `live` counts the consumers that wait for each event, without entries on disk; `origin` is its
    globally unique id, 32 hexadecimal digits.
    """

    def __init__(self, id: int, origin: str, core: Core) -> None:
        self.id = id
        self.origin = origin
        self.name = ""
        self.core = core
        self.live: dict[int, int] = {}
        self.spilled = 0
        self.backlog: Backlog | None = None

    @property
    def label(self) -> str:
        """Return the name errors use for the channel: its name, or its id if unnamed."""
        return f"channel {self.name or self.id}"

    @property
    def waiting(self) -> int:
        """Count the waiting events; one on disk counts once per consumer."""
        return len(self.live) + self.spilled

    def load(self, entries: Sequence[Entry]) -> None:
        """Count copies of events that start to wait here."""
        live = self.live
        for entry in entries:
            live[entry.seq] = live.get(entry.seq, 0) + 1

    def release(self, entries: Sequence[Entry]) -> list[int]:
        """Uncount copies; return the numbers of events that no consumer waits for any more."""
        live = self.live
        settled: list[int] = []
        octets = 0
        for entry in entries:
            seq = entry[1]
            left = live.get(seq, 1) - 1
            if left:
                live[seq] = left
            else:
                live.pop(seq, None)
                settled.append(seq)
                octets += entry[3]
        self.core.octets -= octets
        return settled
