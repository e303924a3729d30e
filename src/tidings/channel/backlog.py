"""Which event goes when a channel holds MaxQueueLength events and must not refuse new ones.

The channel's DiscardPolicy chooses, and the event goes for all its consumers (11).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from tidings.channel.effects import Outcome
from tidings.channel.entries import Entry
from tidings.channel.qos import DiscardPolicy

if TYPE_CHECKING:
    from tidings.channel.channel import Channel
    from tidings.channel.holders import Proxy


def discard_key(policy: DiscardPolicy, entry: Entry) -> tuple[int, ...]:
    """The smallest goes first."""
    if policy is DiscardPolicy.PRIORITY:
        return entry.priority, entry.seq
    if policy is DiscardPolicy.DEADLINE:
        return entry.expiry, entry.seq
    if policy is DiscardPolicy.LIFO:
        return (-entry.seq,)
    return (entry.seq,)


class Backlog:
    """All events that wait in a channel, in the order in which they would be discarded."""

    def __init__(self, policy: DiscardPolicy) -> None:
        self.policy = policy
        self._heap: list[tuple[tuple[int, ...], Entry]] = []
        self._consumers: dict[int, Sequence[Proxy]] = {}

    @classmethod
    def of(cls, channel: Channel) -> Backlog:
        """The backlog of a channel as it is now."""
        asked = channel.qos.discard_policy
        policy = channel.core.settings.any_discard if asked is DiscardPolicy.ANY else asked
        made = cls(policy)
        consumers: dict[int, list[Proxy]] = {}
        entries: dict[int, Entry] = {}
        for proxy, delivery in channel.deliveries():
            for entry in delivery.all_entries():
                entries[entry.seq] = entry
                consumers.setdefault(entry.seq, []).append(proxy)
        made._consumers.update(consumers)
        made._heap = [(discard_key(policy, entry), entry) for entry in entries.values()]
        heapify(made._heap)
        return made

    def add(self, entry: Entry, consumers: Sequence[Proxy]) -> None:
        """Notes an event that waits now."""
        heappush(self._heap, (discard_key(self.policy, entry), entry))
        self._consumers[entry.seq] = consumers

    def make_room(self, channel: Channel, most: int) -> None:
        """Discards events for everybody until not too many wait."""
        while self._heap and len(channel.live) + channel.spilled > most:
            _, entry = heappop(self._heap)
            consumers = self._consumers.pop(entry.seq, ())
            if entry.seq not in channel.live:
                continue
            for proxy in consumers:
                delivery = proxy.delivery
                gone = [] if delivery is None else delivery.withdraw([entry.seq])
                if gone:
                    channel.done(proxy, gone, Outcome.DISCARDED)
                    channel.core.touched[proxy] = None  # it may have been in flight
        if len(self._heap) > 2 * len(channel.live) + 1_000:
            self._forget_settled(channel)

    def _forget_settled(self, channel: Channel) -> None:
        self._heap = [item for item in self._heap if item[1].seq in channel.live]
        heapify(self._heap)
        self._consumers = {s: c for s, c in self._consumers.items() if s in channel.live}
