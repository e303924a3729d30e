"""The chain of segments: detects whether a journal has lost an end or a segment between.

Each segment but the first begins with a link that states how its predecessor ended. The file
``head`` names the oldest segment that must exist and the newest, with how far the newest was
synced. Both are lower bounds, written after the data they describe was synced, so a crash between
any two disk calls never looks like a loss.

The head has three slots, each a separate record. Segment changes, drops and closing are synced,
alternating between the first two slots, so that a torn write leaves the previous one. Syncs of the
journal are recorded in the third slot without a sync of its own: a killed process leaves it exact,
a power loss as old as the system's write-back (about half a minute).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from tidings.stores.files import MODE, sync_folder
from tidings.stores.records import Kind, Record, encode, first_record
from tidings.stores.segments import DamageReport

HEAD: Final = "head"

MISSING: Final = "missing"
CUT: Final = "cut"
REPLACED: Final = "replaced"
HEADLESS: Final = "headless"

_LINK: Final = struct.Struct(">QIQQ")
_HEAD: Final = struct.Struct(">QQQQQQ")
_LOST: Final = struct.Struct(">QQ")
LINK_OCTETS: Final = Record(Kind.LINK, bytes(16), 0, bytes(_LINK.size)).octets
# One slot per sector: sector writes are atomic.
_SLOT: Final = 512
_NOTE: Final = 2


class Link(NamedTuple):
    """How a segment's predecessor ended; `check` is its last head CRC, 0 if unknown."""

    end: int
    check: int
    highest: int
    observed: int

    def record(self, journal_id: bytes, number: int) -> Record:
        """Build the first record of a segment."""
        return Record(Kind.LINK, journal_id, number - 1, _LINK.pack(*self))


def lost_record(journal_id: bytes, report: DamageReport) -> Record:
    """Build the record that makes a loss known and continues the numbers after it."""
    payload = _LOST.pack(report.offset, report.length) + report.what.encode()
    return Record(Kind.LOST, journal_id, report.segment, payload)


class Head(NamedTuple):
    """The contents of the head file.

    Segments before `first` were dropped on purpose; `newest` was synced up to `end`. `observed` is
    in observed time (`ObservedTime`), `wall` in microseconds since 1970.
    """

    journal_id: bytes
    first: int
    newest: int = 0
    end: int = 0
    highest: int = 0
    observed: int = 0
    wall: int = 0


def read_head(folder: Path) -> Head | None:
    """Read the latest head in a folder; None if none is readable."""
    found = _slots(folder)
    return max(found)[2] if found else None


def _slots(folder: Path) -> list[tuple[int, int, Head]]:
    """Return generation, slot number and contents of each readable slot."""
    try:
        octets = (folder / HEAD).read_bytes()
    except FileNotFoundError:
        return []
    found = []
    for slot in range(_NOTE + 1):
        record = first_record(octets[slot * _SLOT : (slot + 1) * _SLOT])
        if record is not None and len(record.payload) == _HEAD.size:
            head = Head(record.channel, *_HEAD.unpack(record.payload))
            found.append((record.seq, slot, head))
    return found


class HeadFile:
    """The head file of an open journal; only the journal's owner writes it."""

    def __init__(self, folder: Path, head: Head) -> None:
        found = _slots(folder)
        synced = [one for one in found if one[1] != _NOTE]
        self._generation = max(found)[0] if found else 0
        self._slot = max(synced)[1] if synced else 1
        self._file = os.open(folder / HEAD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, MODE)
        self.head = head
        try:
            if not found:
                os.ftruncate(self._file, (_NOTE + 1) * _SLOT)
            self.write(head)
            sync_folder(folder)
        except BaseException:
            self.close()
            raise

    def write(self, head: Head) -> None:
        """Replace the head durably; after an OSError either the old or the new one counts."""
        self._slot = 1 - self._slot
        self._put(head, self._slot)
        os.fdatasync(self._file)

    def note(self, head: Head) -> None:
        """Replace the head without a sync of its own; after an OSError the old one counts."""
        self._put(head, _NOTE)

    def _put(self, head: Head, slot: int) -> None:
        self._generation += 1
        record = Record(Kind.HEADER, head.journal_id, self._generation, _HEAD.pack(*head[1:]))
        os.pwrite(self._file, encode(record), slot * _SLOT)
        self.head = head

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class ChainCheck:
    """A check of segments, oldest first, that calls `found` in order with what is missing.

    Attributes:
        highest: The highest sequence number known to have been used.
        end_lost: Whether the newest records are missing.
        ended: When segments ended, by number, as far as links say.
    """

    def __init__(
        self, head: Head | None, found: Callable[[DamageReport], object] | None = None
    ) -> None:
        self.reports: list[DamageReport] = []
        self._found = found
        self.highest = head.highest if head is not None else 0
        self.end_lost = False
        self.ended: dict[int, int] = {}
        self._head = head
        self._linked = False
        self._known: set[tuple[int, int, str]] = set()
        self._number = head.first - 1 if head is not None else -1
        self._length = self._check = 0
        self._before: tuple[int, int] | None = None  # length and check of the previous segment

    def segment(self, number: int) -> None:
        """Begin the next existing segment."""
        follows = self._length > 0 and number == self._number + 1
        self._before = (self._length, self._check) if follows else None
        if self._number >= 0:
            self._missing(range(self._number + 1, number))
        self._number = number
        self._length = self._check = 0

    def _missing(self, numbers: range) -> None:
        for number in numbers:
            self._report(DamageReport(number, 0, 0, MISSING))

    def _report(self, report: DamageReport) -> None:
        self.reports.append(report)
        if self._found is not None:
            self._found(report)

    def record(self, record: Record) -> bool:
        """Check a record; return whether it belongs to the chain itself."""
        if record.kind == Kind.LINK:
            self._linked = True
            if len(record.payload) == _LINK.size:  # otherwise a later version wrote it
                self._compare(Link(*_LINK.unpack(record.payload)))
            return True
        if record.kind == Kind.LOST:
            offset, _ = _LOST.unpack_from(record.payload)
            self._known.add((record.seq, offset, record.payload[_LOST.size :].decode()))
            return True
        if record.seq > self.highest:  # noqa: PLR1730 -- of millions, few are higher
            self.highest = record.seq
        return False

    def _compare(self, link: Link) -> None:
        self.highest = max(self.highest, link.highest)
        self.ended[self._number - 1] = link.observed
        if self._before is None:  # dropped, or missing and already reported
            return
        number, (length, check) = self._number - 1, self._before
        if length < link.end:
            self._report(DamageReport(number, length, link.end - length, CUT))
        elif link.check and check and check != link.check:
            self._report(DamageReport(number, 0, length, REPLACED))

    def ends(self, length: int, check: int) -> None:
        """End a segment; `check` is the head CRC of its last record, 0 if that is torn."""
        self._length, self._check = length, check

    def finish(self) -> None:
        """Finish after the last segment."""
        head = self._head
        if head is None:
            if self._linked:
                self._report(DamageReport(0, 0, 0, HEADLESS))
            return
        before = len(self.reports)
        self._missing(range(self._number + 1, head.newest + 1))
        if self._number == head.newest and self._length < head.end:
            lost = head.end - self._length
            self._report(DamageReport(self._number, self._length, lost, CUT))
        self.end_lost = len(self.reports) > before

    @property
    def check(self) -> int:
        """Return the head CRC of the last record; 0 if unknown."""
        return self._check

    def unknown(self) -> list[DamageReport]:
        """Return the losses that were not yet known when the journal was last open."""
        return [
            one for one in self.reports if (one.segment, one.offset, one.what) not in self._known
        ]
