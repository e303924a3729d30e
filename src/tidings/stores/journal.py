"""The journal: append, sync, read; synced records survive any crash.

One thread uses it, the engine's disk thread; nothing here waits for anything but the disk.

- A failed write is truncated: none of the batch is in the journal then. After a crash before its
  sync, any part of a batch may remain, each record complete. Unless the error may pass (a full
  disk), the journal accepts nothing more until it is reopened.
- Without a free descriptor for a new segment, the last one grows beyond its size.
- A failed sync is not retried, because the system may have discarded the octets and report success
  the next time. Unsynced records are truncated if possible, and the journal accepts nothing more
  until it is reopened.
- Opening reads everything once: unfinished writes at the end are truncated, damage is copied aside
  and reported, and all remaining records are synced.
- The chain (`chain.py`) detects and reports a missing segment or end; the journal continues in a
  segment whose number was never used.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

from tidings.clock import Clock, SystemClock
from tidings.errors import CursorNotFound, InvalidUsage, JournalBroken, JournalInUse, StoreError
from tidings.names import new_origin
from tidings.stores import segments
from tidings.stores.chain import (
    LINK_OCTETS,
    ChainCheck,
    Head,
    HeadFile,
    Link,
    lost_record,
    read_head,
)
from tidings.stores.files import FULL, disk_error, make_folder, sync_folder, write_all
from tidings.stores.observed_time import ObservedTime
from tidings.stores.records import Damage, Kind, Record, encode
from tidings.stores.segments import (
    DATA_START,
    OUT_OF_DESCRIPTORS,
    Cursor,
    DamageReport,
    Entry,
    Segment,
    SegmentFiles,
)

# Retention frees whole segments: small enough to free often, large enough that a new one, with
# its three syncs, is rare.
SEGMENT_OCTETS = 64 * 1024 * 1024

# Each copy costs two syncs: a badly damaged disk must not keep the journal from opening.
# Stretches beyond these are reported, and stay where they are.
MAX_ASIDE = 1_000

# A segment of this length has no records but a link.
_EMPTY = DATA_START + LINK_OCTETS

# Write errors that pass by themselves, or when somebody makes room.
_PASSING = {*FULL, *segments.OUT_OF_DESCRIPTORS, errno.ENOMEM, errno.ENOBUFS, errno.EAGAIN}

_OF_THE_CHAIN = {Kind.LINK, Kind.LOST}

log = logging.getLogger(__name__)


class Journal:
    """An open journal; made by `Journal.open`.

    Attributes:
        id: Its random id, 16 octets, repeated in every segment.
        damage: Damage found on opening and on reading since.
        lost: Missing parts not known before; `settle` makes them known.
        highest: The highest sequence number known to have been written.
    """

    def __init__(self, folder: Path, lock: int, segment_octets: int) -> None:
        self.folder = folder
        self.files = SegmentFiles(folder)
        self.id = bytes(16)
        self.damage: list[DamageReport] = []
        self.lost: list[DamageReport] = []
        self.highest = 0
        self._lock = lock
        self._segment_octets = segment_octets
        self._numbers: list[int] = []  # of all segments; the last is written to
        self._file = -1
        self._end = DATA_START  # of the last segment
        self._synced = DATA_START  # the last segment is durable up to here
        self._seed = 0
        self._last_crc = 0  # of the last record
        self._head: HeadFile | None = None
        self._clock: Clock = SystemClock()
        self._time = ObservedTime(0, 0, self._clock.now)
        self._ended: dict[int, int] = {}  # when segments ended, as far as is known
        self._broken = ""
        self._known: set[tuple[int, int]] = set()  # where reported damage ends
        self._damaged: Callable[[DamageReport], object] | None = None

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        segment_octets: int = SEGMENT_OCTETS,
        visit: Callable[[Entry], object] | None = None,
        damaged: Callable[[DamageReport], object] | None = None,
        beyond: Head | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Open or create the journal in a folder, locking it until `close`.

        Args:
            folder: Created if missing.
            segment_octets: Size limit; a new segment begins before it is exceeded.
            visit: Called with every record, so that recovery reads the journal only once.
            damaged: Called with all damage, in its place among the records.
            beyond: How far the archive knows the journal; parts missing up to there are lost.
            clock: The wall clock, for pauses between two runs only.
        """
        if segment_octets < 1:
            raise InvalidUsage(f"a segment has at least 1 octet, not {segment_octets}")
        try:
            make_folder(folder)
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreError(f"the journal folder {folder} cannot be used: {error}") from error
        journal = cls(folder, lock, segment_octets)
        journal._clock = clock or SystemClock()
        try:
            journal._damaged = damaged
            journal._take_lock()
            journal._recover(visit, beyond)
        except OSError as error:
            journal._release()
            raise disk_error(error, f"the journal in {folder} cannot be opened") from error
        except BaseException:
            journal._release()
            raise
        return journal

    @property
    def end(self) -> Cursor:
        """Return where the next record goes unless a new segment begins."""
        return Cursor(self._numbers[-1], self._end)

    @property
    def synced(self) -> Cursor:
        """Return the position up to which everything is durable."""
        return Cursor(self._numbers[-1], self._synced)

    @property
    def segments(self) -> list[int]:
        """Return the numbers of all segments, oldest first; the last is the one written to."""
        return list(self._numbers)

    def ages(self) -> dict[int, int]:
        """Return segment ages in observed microseconds; without a known end, the next one's."""
        found: dict[int, int] = {}
        now = ended = self._time.now()
        for number in reversed(self._numbers):
            ended = min(ended, self._ended.get(number, ended))
            found[number] = now - ended
        return found

    def append(self, records: Sequence[Record]) -> list[Cursor]:
        """Write a batch with one call; return where each record begins. `sync` makes it durable."""
        self._check()
        if not records:
            return []
        size = sum(record.octets for record in records)
        encoded = [encode(record, self._seed) for record in records]
        if self._end > _EMPTY and self._end + size > self._segment_octets and self._rolled():
            encoded = [encode(record, self._seed) for record in records]
        try:
            write_all(self._file, b"".join(encoded))
        except OSError as error:
            self._cut_back(self._end)
            if error.errno not in _PASSING:
                self._break(f"a write failed ({error})")
                raise JournalBroken(self._broken) from error
            what = f"nothing was written to the journal {self.folder}"
            raise disk_error(error, what) from error
        number, at = self._numbers[-1], self._end
        places = []
        for octets in encoded:
            places.append(Cursor(number, at))
            at += len(octets)
        self._end = at
        self._last_crc = int.from_bytes(encoded[-1][4:8], "big")
        self.highest = max(self.highest, *(record.seq for record in records))
        return places

    def sync(self) -> None:
        """Make all appended records durable; a failure is final (JournalBroken)."""
        self._check()
        if self._synced == self._end:
            return
        try:
            os.fdatasync(self._file)
        except OSError as error:
            self._break(f"a sync failed ({error})")
            self._cut_back(self._synced)
            raise JournalBroken(self._broken) from error
        self._synced = self._end
        self._note()

    def read(self, start: Cursor | None = None) -> Iterator[Entry]:
        """Yield the records from a position on (None: the oldest), in the order of writing.

        Damage is skipped; if it was not known yet, it is set aside and reported. Raises
        CursorNotFound if the segment does not exist (any more).
        """
        self._check_open()
        first = start or Cursor(self._numbers[0], DATA_START)
        if first.segment not in self._numbers:
            raise CursorNotFound(
                f"the journal has no segment {first.segment}; "
                f"it has {self._numbers[0]} to {self._numbers[-1]}"
            )
        numbers = [number for number in self._numbers if number >= first.segment]
        return self._read(numbers, first, self.end)

    def fetch(self, place: Cursor) -> Record:
        """Read the record at a position."""
        try:
            return segments.fetch_record(self.files, self.id, place)
        except OSError as error:
            raise disk_error(error, f"segment {place.segment} cannot be read now") from error

    def _rolled(self) -> bool:
        """Begin a new segment unless there is no free descriptor; return whether it did."""
        try:
            self.roll()
        except StoreError as error:
            cause = error.__cause__
            if self._broken or not isinstance(cause, OSError):
                raise
            if cause.errno not in OUT_OF_DESCRIPTORS:
                raise
            log.warning("segment %d goes on beyond its size: %s", self._numbers[-1], error)
            return False
        return True

    def roll(self) -> int:
        """Sync the last segment and begin a new one; return its number."""
        self.sync()
        number = self._numbers[-1] + 1
        try:
            link = self._link(number)
            file = segments.create_segment(self.folder, self.id, number, link, self._lock)
        except OSError as error:
            if segments.segment_path(self.folder, number).exists():
                self._break(f"a new segment could not be synced ({error})")
                raise JournalBroken(self._broken) from error
            raise disk_error(error, f"no new segment in the journal {self.folder}") from error
        self._write_to(number, file)
        self._note(sync=True)
        return number

    def drop_before(self, segment: int) -> list[int]:
        """Remove the segments before a number, except the one in use; return their numbers."""
        self._check()
        old = [number for number in self._numbers[:-1] if number < segment]
        try:
            if old:  # first: dropped segments must not look lost
                self._write_head(first=old[-1] + 1)
            for number in old:
                self.files.forget(number)
            segments.drop_segments(self.folder, old, self._lock)
        except OSError as error:
            raise disk_error(error, f"segments of {self.folder} are not removed") from error
        self._numbers = self._numbers[len(old) :]
        return old

    def settle(self, records: Sequence[Record]) -> None:
        """Record the losses durably, with records that continue the numbers after them."""
        self.append([*records, *(lost_record(self.id, report) for report in self.lost)])
        self.sync()
        self._write_head(first=self._numbers[0])

    def close(self) -> None:
        """Sync what can be synced and unlock the journal; repeated calls are allowed."""
        try:
            if self._lock >= 0 and not self._broken:
                self.sync()
                self._note(sync=True)
        finally:
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise JournalInUse(
                f"the journal in {self.folder} is open in another process; "
                "stop that one, or give this one a folder of its own"
            ) from error

    def _recover(self, visit: Callable[[Entry], object] | None, beyond: Head | None) -> None:
        """Check all headers before anything is changed, then recover each segment."""
        found = segments.find_segments(self.folder)
        known = [segment.journal_id for segment in found if segment.journal_id is not None]
        if not known:
            self._check_empty(found)
        head = self._known_head(known, beyond)
        segments.remove_unfinished(self.folder)
        self.id = known[0] if known else head.journal_id if head else bytes.fromhex(new_origin())
        chain = ChainCheck(head, self._report)
        for segment in found:
            chain.segment(segment.number)
            self._numbers.append(segment.number)
            last = bool(known) and segment is found[-1]
            self._recover_segment(segment, visit, chain, last=last)
        chain.finish()
        self.lost, self.highest, self._ended = chain.unknown(), chain.highest, chain.ended
        if head is not None:
            self._time = ObservedTime(head.observed, head.wall, self._clock.now)
        self._begin(head, bool(known), chain)
        self.files.get(self._numbers[-1])  # from here on one can be closed to free a descriptor

    def _known_head(self, known: Sequence[bytes], beyond: Head | None) -> Head | None:
        """Return the head according to the head file and the archive."""
        head = read_head(self.folder)
        for one in (head, beyond):
            if one is not None and known and one.journal_id != known[0]:
                raise StoreError(
                    f"{self.folder} holds segments of one journal and the "
                    f"{'head file' if one is head else 'archive'} is of another: put back that of "
                    "the same journal, or move it away; nothing was changed"
                )
        if head is None or beyond is None:
            return head or beyond
        newest, end = max((head.newest, head.end), (beyond.newest, beyond.end))
        return head._replace(newest=newest, end=end, highest=max(head.highest, beyond.highest))

    def _begin(self, head: Head | None, known: bool, chain: ChainCheck) -> None:
        """Find or create the segment to write to, and update the head."""
        last = self._numbers[-1] if self._numbers else 0
        end = segments.segment_path(self.folder, last).stat().st_size if last else 0
        goes_on = known and end >= DATA_START and not chain.end_lost
        if chain.end_lost and head is not None:
            last, self._end, self._last_crc = head.newest, head.end, 0
        else:
            self._end, self._last_crc = end, chain.check
        if not goes_on:  # the head is written first: no segment ever exists without one
            first = self._numbers[0] if self._numbers else last + 1
            held = head or Head(self.id, first, last, highest=self.highest)
            self._head = HeadFile(self.folder, held)
            link = self._link(last + 1)
            file = segments.create_segment(self.folder, self.id, last + 1, link, self._lock)
            self._write_to(last + 1, file)
            self._note(sync=True)
            return
        file = segments.open_for_append(self.folder, last)
        self._write_to(last, file, end)
        os.fsync(file)  # records of a killed process will be delivered: they must be durable
        sync_folder(self.folder, self._lock)
        first = head.first if head is not None else self._numbers[0]
        held = Head(self.id, first, last, end, self.highest)
        self._head = HeadFile(self.folder, self._timed(held))

    def _check_empty(self, found: Sequence[Segment]) -> None:
        """Refuse unreadable records: they may be all that a user has."""
        for segment in found:
            path = segments.segment_path(self.folder, segment.number)
            if path.stat().st_size > DATA_START:
                raise StoreError(
                    f"no segment in {self.folder} has a header that can be read, and without the "
                    f"journal's id in it no record can be checked: put {path.name} back from a "
                    "copy, or move it away to begin a new journal; nothing was changed"
                )

    def _recover_segment(
        self,
        segment: Segment,
        visit: Callable[[Entry], object] | None,
        chain: ChainCheck,
        *,
        last: bool,
    ) -> None:
        number = segment.number
        path = segments.segment_path(self.folder, number)
        if not segment.intact:
            self.note_damage(number, Damage(0, min(DATA_START, path.stat().st_size), torn=False))
        start = end = Cursor(number, DATA_START)
        latest = None
        for found in segments.read_entries(self.folder, self.id, start, None, self.files):
            if isinstance(found, Entry):
                latest, end = found.at, found.after
                if not chain.record(found.record) and visit is not None:
                    visit(found)
            elif found.torn and last:
                os.truncate(path, found.offset)
                self._report(DamageReport(number, found.offset, found.length, "torn"))
            else:
                self.note_damage(number, found)
        size = path.stat().st_size
        whole = latest is not None and end.offset == size
        chain.ends(size, segments.check_at(self.folder, latest) if whole and latest else 0)

    def _read(self, numbers: list[int], start: Cursor, end: Cursor) -> Iterator[Entry]:
        for number in numbers:
            first = start if number == start.segment else Cursor(number, DATA_START)
            stop = end.offset if number == end.segment else None
            try:
                for found in segments.read_entries(self.folder, self.id, first, stop, self.files):
                    if not isinstance(found, Entry):
                        self.note_damage(number, found)
                    elif found.record.kind not in _OF_THE_CHAIN:
                        yield found
            except FileNotFoundError as error:
                raise CursorNotFound(f"segment {number} was dropped while it was read") from error
            except OSError as error:
                raise StoreError(f"segment {number} cannot be read: {error}") from error

    def note_damage(self, number: int, damage: Damage) -> None:
        """Copy damage aside and report it, unless already reported."""
        offset, length, _ = damage
        # A reader that begins inside known damage leaves it at the same end.
        if (number, offset + length) in self._known:
            return
        self._known.add((number, offset + length))
        aside = None
        if len(self._known) <= MAX_ASIDE:
            aside = segments.set_aside(self.folder, number, offset, length)
        lost = segments.lost_in(self.files, self.id, number, offset, length)
        self._report(DamageReport(number, offset, length, "damaged", aside, *lost))

    def _report(self, report: DamageReport) -> None:
        log.warning("journal %s: %s", self.folder, report)
        self.damage.append(report)
        if self._damaged is not None:
            self._damaged(report)

    def _link(self, number: int) -> bytes:
        """Encode the link after a segment's header; the first segment has none."""
        if number == 1:
            return b""
        observed = self._ended[number - 1] = self._time.now()
        link = Link(self._end, self._last_crc, self.highest, observed)
        return encode(link.record(self.id, number), segments.segment_seed(self.id, number))

    def _note(self, *, sync: bool = False) -> None:
        """Record in the head how far the journal is durable; an outdated head does no harm."""
        assert self._head is not None
        head = self._head.head._replace(
            newest=self._numbers[-1], end=self._synced, highest=self.highest
        )
        try:
            self._head.write(self._timed(head)) if sync else self._head.note(self._timed(head))
        except OSError as error:
            log.warning("the head of the journal %s is not written: %s", self.folder, error)

    def _write_head(self, first: int) -> None:
        assert self._head is not None
        self._head.write(self._head.head._replace(first=first))

    def _timed(self, head: Head) -> Head:
        return head._replace(observed=self._time.now(), wall=self._clock.now())

    def _write_to(self, number: int, file: int, end: int | None = None) -> None:
        """Continue in a segment; a new one has only a header and a link."""
        if end is None:
            end = os.fstat(file).st_size
            self._last_crc = 0
        if self._file >= 0:
            os.close(self._file)
        self._file = file
        self._end = self._synced = end
        self._seed = segments.segment_seed(self.id, number)
        if number not in self._numbers:
            self._numbers.append(number)

    def _cut_back(self, end: int) -> None:
        """Truncate everything after a position; if that fails, accept nothing more."""
        try:
            os.ftruncate(self._file, end)
        except OSError as error:
            self._break(f"a failed write could not be taken back ({error})")
        else:
            self._end = end

    def _break(self, why: str) -> None:
        if not self._broken:
            self._broken = f"the journal in {self.folder} takes nothing more: {why}; open it again"

    def _check(self) -> None:
        self._check_open()
        if self._broken:
            raise JournalBroken(self._broken)

    def _check_open(self) -> None:
        if self._lock < 0:
            raise StoreError(f"the journal in {self.folder} is closed")

    def _release(self) -> None:
        self.files.close()
        if self._head is not None:
            self._head.close()
        for descriptor in (self._file, self._lock):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._file = self._lock = -1
