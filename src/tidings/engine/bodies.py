"""The content of waiting events: in memory, or in a bounded cache over the journal."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from tidings.channel.effects import Message
from tidings.stores.segments import Cursor

CACHE_OCTETS: Final = 64 * 1024 * 1024
# What a cached message takes beside its content; counted, so that tiny events are bounded too.
OVERHEAD_OCTETS: Final = 256
# A place in the journal as one number: no segment grows beyond 2**40 octets.
_OFFSET_BITS: Final = 40
_OFFSET_MASK: Final = (1 << _OFFSET_BITS) - 1
_NOTHING: Final[Mapping[int, Message | int]] = {}


def packed(cursor: Cursor) -> int:
    """Return a place in the journal as one number."""
    return cursor.segment << _OFFSET_BITS | cursor.offset


def unpacked(place: int) -> Cursor:
    """Return the place that `packed` encoded."""
    return Cursor(place >> _OFFSET_BITS, place & _OFFSET_MASK)


class Bodies:
    """Contents of waiting events by channel and number; for the loop's thread only.

    An event is held from `keep` or `keep_on_disk` until `forget`. An event on disk has its place
    held, and its content while the cache has room; the least recently used is evicted first.
    `octets` counts content only in memory, `cached_octets` the cache with `OVERHEAD_OCTETS` for
    each event.
    """

    def __init__(self, cache_octets: int = CACHE_OCTETS) -> None:
        # By channel and number: the message, or where in the journal it is.
        self._held: defaultdict[int, dict[int, Message | int]] = defaultdict(dict)
        self._cache: OrderedDict[tuple[int, int], Message] = OrderedDict()
        self._cache_octets = cache_octets
        self.octets = 0
        self.cached_octets = 0

    def __len__(self) -> int:
        return sum(map(len, self._held.values()))

    def keep(self, channel: int, seq: int, message: Message) -> None:
        """Hold an event in memory; one already on disk stays there."""
        held = self._held[channel]
        if seq in held:
            before = held[seq]
            if isinstance(before, int):
                self.cache(channel, seq, message)
                return
            self.octets -= before.octets
        held[seq] = message
        self.octets += message.octets

    def keep_on_disk(self, channel: int, seq: int, message: Message, cursor: Cursor) -> None:
        """Hold an event's place in the journal, and its content while there is room."""
        held = self._held[channel]
        before = held.get(seq)
        if isinstance(before, Message):
            self.octets -= before.octets
        held[seq] = packed(cursor)
        self.cache(channel, seq, message)

    def of(self, channel: int) -> dict[int, Message | int]:
        """Return all of a channel for quick reading: messages, or places on disk."""
        return self._held[channel]

    def holds(self, channel: int, seq: int) -> bool:
        """Return whether a consumer still waits for an event."""
        return seq in self._held.get(channel, ())

    def keep_place(self, channel: int, seq: int, place: int) -> None:
        """Hold an event's place in the journal (`packed`), without its content."""
        self._held[channel].setdefault(seq, place)

    def get(self, channel: int, seq: int) -> Message | None:
        """Return an event's content; None if it is not in memory: see `place`."""
        found = self._held.get(channel, _NOTHING).get(seq)
        if found is None or isinstance(found, Message):
            return found
        message = self._cache.get((channel, seq))
        if message is not None:
            self._cache.move_to_end((channel, seq))
        return message

    def place(self, channel: int, seq: int) -> Cursor | None:
        """Return an event's place in the journal; None if it is not held, or only in memory."""
        found = self._held.get(channel, _NOTHING).get(seq)
        return unpacked(found) if isinstance(found, int) else None

    def moved(self, channel: int, seq: int, cursor: Cursor) -> None:
        """Update the place of an event that compaction moved; ignore one that is not held."""
        held = self._held.get(channel)
        if held is not None and isinstance(held.get(seq), int):
            held[seq] = packed(cursor)

    def cache(self, channel: int, seq: int, message: Message) -> None:
        """Cache content read from disk; ignore an event no longer held there."""
        if not isinstance(self._held.get(channel, _NOTHING).get(seq), int):
            return
        self._uncache(channel, seq)
        octets = _room(message)
        if octets > self._cache_octets:
            return
        self._cache[channel, seq] = message
        self.cached_octets += octets
        while self.cached_octets > self._cache_octets:
            oldest = self._cache.popitem(last=False)[1]
            self.cached_octets -= _room(oldest)

    def forget(self, channel: int, seqs: Iterable[int]) -> None:
        """Drop events no consumer waits for; ignore numbers that are not held."""
        held = self._held.get(channel)
        if held is None:
            return
        take = held.pop
        for seq in seqs:
            found = take(seq, None)
            if found.__class__ is Message:
                self.octets -= found.octets
            elif found is not None:
                self._uncache(channel, seq)

    def drop_channel(self, channel: int) -> None:
        """Drop all events of a channel that is gone."""
        self.forget(channel, list(self._held.get(channel, ())))
        self._held.pop(channel, None)

    def _uncache(self, channel: int, seq: int) -> None:
        message = self._cache.pop((channel, seq), None)
        if message is not None:
            self.cached_octets -= _room(message)


def _room(message: Message) -> int:
    json = message.json
    return message.octets + OVERHEAD_OCTETS + (0 if json is None else len(json))
