"""An index of a channel's events within segments, to find a page deep in a journal.

Per block of a segment it records which channels have events there, up to which seq and arrival.
Blocks are scanned once, when first read. The index stays much smaller than the segment: blocks or
segments with too many channels are not indexed and scanned each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tidings.stores.journal import Journal
from tidings.stores.payloads import arrival_of
from tidings.stores.segments import DATA_START, Cursor, Entry, read_entries

# Scanned in a few milliseconds.
BLOCK_OCTETS: Final = 512 * 1024
_CHANNELS_OF_A_BLOCK: Final = 32
_CHANNELS_OF_A_SEGMENT: Final = 4_096


class Stretch(NamedTuple):
    """A part of a segment to read; `passed` is the highest seq skipped before it.

    `stop` is None if it was not scanned yet.
    """

    start: int
    stop: int | None
    passed: int


class _Spans:
    """The highest seq and latest arrival per channel, for a limited number of channels."""

    __slots__ = ("_known", "_most")

    def __init__(self, most: int) -> None:
        self._known: dict[bytes, tuple[int, int]] | None = {}
        self._most = most

    def add(self, origin: bytes, seq: int, arrival: int) -> None:
        known = self._known
        if known is None:
            return
        before = known.get(origin)
        if before is not None:
            known[origin] = max(before[0], seq), max(before[1], arrival)
        elif len(known) < self._most:
            known[origin] = (seq, arrival)
        else:
            self._known = None

    def may_hold(self, origin: bytes, after: int, since: int | None) -> bool:
        if self._known is None:
            return True
        found = self._known.get(origin)
        return found is not None and found[0] > after and (since is None or found[1] >= since)

    def highest(self, origin: bytes) -> int:
        return 0 if self._known is None else self._known.get(origin, (0, 0))[0]


class SegmentIndex:
    """The index of one segment, scanned up to `upto`; `complete` if to the end."""

    def __init__(self) -> None:
        self.upto = DATA_START
        self.complete = False
        self._starts: list[int] = []
        self._blocks: list[_Spans] = []
        self._all = _Spans(_CHANNELS_OF_A_SEGMENT)

    def add(self, entry: Entry) -> None:
        """Add the event at `upto`."""
        record, offset = entry.record, entry.at.offset
        if not self._starts or offset - self._starts[-1] >= BLOCK_OCTETS:
            self._starts.append(offset)
            self._blocks.append(_Spans(_CHANNELS_OF_A_BLOCK))
        arrival = arrival_of(record.payload)
        for spans in (self._blocks[-1], self._all):
            spans.add(record.channel, record.seq, arrival)

    def stretch(self, offset: int, origin: bytes, after: int, since: int | None) -> Stretch:
        """Return the first part at or after an offset that may hold a channel's matching events."""
        if self.complete and not self._all.may_hold(origin, after, since):
            return Stretch(self.upto, None, self._all.highest(origin))
        passed = 0
        starts = self._starts
        for at, spans in enumerate(self._blocks):
            stop = starts[at + 1] if at + 1 < len(starts) else self.upto
            if stop <= offset:
                continue
            if spans.may_hold(origin, after, since):
                return Stretch(max(offset, starts[at]), stop, passed)
            passed = max(passed, spans.highest(origin))
        return Stretch(self.upto, None, passed)


def durable_entries(journal: Journal, start: Cursor, stop: int | None = None) -> Iterator[Entry]:
    """Yield the undamaged durable records of a part of one segment."""
    synced = journal.synced
    if start.segment == synced.segment:
        stop = synced.offset if stop is None else min(stop, synced.offset)
    for found in read_entries(journal.folder, journal.id, start, stop, journal.files):
        if isinstance(found, Entry):
            yield found
        else:
            journal.note_damage(start.segment, found)
