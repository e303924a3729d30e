"""Segment files: the journal's octets in files of bounded size, dropped one by one.

A segment is named by its number, ``000000000001.journal``, and begins with its header record,
written twice so that a flipped bit does no harm: channel = the journal's id, seq = the segment's
number, payload = the format version (two octets, big-endian). The header's layout never changes, so
later formats are recognised and refused. Headers are checked with seed 0; all other records with a
seed made of the journal's id and the segment's number, so that a record is valid only in the
segment it was written to.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from tidings.errors import CursorNotFound, JournalTooNew, StoreError
from tidings.stores.files import MODE, sync_folder, write_all
from tidings.stores.records import (
    HEAD_OCTETS,
    MAGIC,
    Damage,
    Kind,
    LostRecord,
    Record,
    Scanner,
    encode,
    first_record,
    lost_records,
    record_octets,
    scan,
)

FORMAT_VERSION = 1
# Large compared to the cost of a call, small compared to the server's memory.
CHUNK_OCTETS = 1024 * 1024
DAMAGED = "damaged"

_NAME = re.compile(r"([0-9]{12})\.journal", re.ASCII)
_UNFINISHED = ".unfinished"
# Read descriptors kept open: the number of segments that the default retention keeps.
_MOST_OPEN: Final = 16

OUT_OF_DESCRIPTORS: Final = frozenset({errno.EMFILE, errno.ENFILE})
"""System errors that pass when somebody closes a file or a connection."""

# Twice as fast as calling the class: a start reads millions of records.
_new = tuple.__new__

log = logging.getLogger(__name__)


class Cursor(NamedTuple):
    """A position in the journal; positions compare in the order of writing."""

    segment: int
    offset: int


class Entry(NamedTuple):
    """A record with its position and that of the next one."""

    at: Cursor
    after: Cursor
    record: Record


class Segment(NamedTuple):
    """A segment file as found; `journal_id` is None if both headers are unreadable."""

    number: int
    journal_id: bytes | None
    intact: bool


class DamageReport(NamedTuple):
    """Damage to a part of the journal.

    Attributes:
        what: ``damaged``, ``torn`` (the end of an unfinished write), ``missing`` (the whole file),
            ``cut`` (synced records at its end are gone), ``replaced`` (it does not end as its
            successor says) or ``headless`` (no segment: without head file, ends cannot be checked).
        aside: Where its octets were copied to; None if they were not.
        lost: The records it held whose heads are readable; `all_known` if these are all.
    """

    segment: int
    offset: int
    length: int
    what: str
    aside: Path | None = None
    lost: tuple[LostRecord, ...] = ()
    all_known: bool = False

    def __str__(self) -> str:
        """Describe the damage for the log."""
        if self.what == "missing":
            return f"segment {self.segment} ({segment_path(Path(), self.segment)}) is missing"
        if self.what == "headless":
            return "the file `head` is missing: nobody knows whether an end of the journal is, too"
        aside = "" if self.aside is None else f", copied to {self.aside}"
        what = {"cut": "missing", "replaced": "of another file"}.get(self.what, self.what)
        return f"segment {self.segment}: {self.length} octets at {self.offset} are {what}{aside}"


def segment_path(folder: Path, number: int) -> Path:
    """Return the file of a segment."""
    return folder / f"{number:012d}.journal"


def segment_seed(journal_id: bytes, number: int) -> int:
    """Return the initial value of a segment's head CRCs."""
    return crc32(journal_id + number.to_bytes(8, "big"))


def _header(journal_id: bytes, number: int) -> bytes:
    version = FORMAT_VERSION.to_bytes(2, "big")
    return encode(Record(Kind.HEADER, journal_id, number, version)) * 2


DATA_START = len(_header(bytes(16), 0))


def find_segments(folder: Path) -> list[Segment]:
    """Return all segments in the order of their numbers."""
    names = (_NAME.fullmatch(path.name) for path in folder.iterdir())
    found = [_look_at(folder, int(name[1])) for name in names if name]
    found.sort()
    ids = {segment.journal_id for segment in found if segment.journal_id is not None}
    if len(ids) > 1:
        raise StoreError(f"{folder} holds segments of {len(ids)} journals; keep those of one")
    return found


def _look_at(folder: Path, number: int) -> Segment:
    path = segment_path(folder, number)
    with path.open("rb") as file:
        start = file.read(DATA_START)
    for found in scan(start):
        if isinstance(found, Damage) or found.kind != Kind.HEADER:
            continue
        version = int.from_bytes(found.payload, "big")
        if version > FORMAT_VERSION:
            raise JournalTooNew(
                f"{path} has journal format {version}, and this version of Tidings knows up to "
                f"{FORMAT_VERSION}: start the version that wrote it; nothing was changed"
            )
        if found.seq != number:
            raise StoreError(f"{path} is segment {found.seq} by its header; give it back its name")
        return Segment(number, found.channel, start == _header(found.channel, number))
    return Segment(number, None, intact=False)


class SegmentFiles:
    """Descriptors for reading segments, kept open; closed when the process runs out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: OrderedDict[int, int] = OrderedDict()  # by segment, the latest used last

    def get(self, number: int) -> int:
        """Return the descriptor of a segment; use it before the next call."""
        found = self._open.get(number)
        if found is None:
            found = self._opened(segment_path(self._folder, number))
            self._open[number] = found
            if len(self._open) > _MOST_OPEN:
                self._close_oldest()
        self._open.move_to_end(number)
        return found

    def _opened(self, path: Path) -> int:
        while True:
            try:
                return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:
                if error.errno not in OUT_OF_DESCRIPTORS or not self._open:
                    raise
                self._close_oldest()

    def _close_oldest(self) -> None:
        os.close(self._open.popitem(last=False)[1])

    def forget(self, number: int) -> None:
        """Close the descriptor of a segment to be removed: an open file keeps its disk space."""
        found = self._open.pop(number, None)
        if found is not None:
            os.close(found)

    def close(self) -> None:
        """Close all; they are reopened when needed."""
        while self._open:
            self._close_oldest()


def create_segment(
    folder: Path, journal_id: bytes, number: int, link: bytes = b"", opened: int | None = None
) -> int:
    """Create a segment atomically with `link` as first record; return its descriptor.

    `opened` is a descriptor of the folder, so that syncing needs no other.
    """
    path = segment_path(folder, number)
    unfinished = path.with_suffix(_UNFINISHED)
    descriptor = os.open(
        unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, MODE
    )
    try:
        write_all(descriptor, _header(journal_id, number) + link)
        os.fsync(descriptor)
        unfinished.rename(path)
        sync_folder(folder, opened)
    except BaseException:
        os.close(descriptor)
        unfinished.unlink(missing_ok=True)
        raise
    return descriptor


def remove_unfinished(folder: Path) -> None:
    """Remove what a crash while creating a segment left."""
    for path in folder.glob(f"*{_UNFINISHED}"):
        path.unlink()


def open_for_append(folder: Path, number: int) -> int:
    """Open a segment for appending."""
    return os.open(segment_path(folder, number), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)


# Most records are read with one call.
_FETCHED_AT_ONCE = 4_096


def fetch_record(files: SegmentFiles, journal_id: bytes, place: Cursor) -> Record:
    """Read the record at a position; CursorNotFound if it is incomplete or gone.

    An OSError says nothing about the record.
    """
    seed = segment_seed(journal_id, place.segment)
    try:
        file = files.get(place.segment)
    except FileNotFoundError as error:
        raise CursorNotFound(f"the journal has no segment {place.segment}") from error
    octets = os.pread(file, _FETCHED_AT_ONCE, place.offset)
    whole = record_octets(octets)
    if whole > len(octets):
        octets += os.pread(file, whole - len(octets), place.offset + len(octets))
    record = first_record(octets, seed)
    if record is not None:
        return record
    raise CursorNotFound(f"no whole record is at {place.offset} in segment {place.segment}")


def check_at(folder: Path, place: Cursor) -> int:
    """Return the head CRC of the record at a position."""
    with segment_path(folder, place.segment).open("rb", buffering=0) as file:
        return int.from_bytes(os.pread(file.fileno(), 4, place.offset + len(MAGIC)), "big")


def drop_segments(folder: Path, numbers: list[int], opened: int | None = None) -> None:
    """Remove segments, oldest first, so that a crash in between leaves no gap.

    Each removal is synced by itself: an event must not outlive the later segment that says it is
    done. `opened` is as for `create_segment`.
    """
    for number in sorted(numbers):
        segment_path(folder, number).unlink(missing_ok=True)
        sync_folder(folder, opened)


def read_entries(
    folder: Path,
    journal_id: bytes,
    start: Cursor,
    end: int | None = None,
    files: SegmentFiles | None = None,
) -> Iterator[Entry | Damage]:
    """Yield the records and damage of one segment up to `end`, a chunk at a time."""
    if files is None:
        with contextlib.closing(SegmentFiles(folder)) as own:
            yield from read_entries(folder, journal_id, start, end, own)
        return
    number = start.segment
    at = max(start.offset, DATA_START)
    scanner = Scanner(segment_seed(journal_id, number), at)
    limit = os.fstat(files.get(number)).st_size if end is None else end
    while at < limit:
        octets = os.pread(files.get(number), min(CHUNK_OCTETS, limit - at), at)
        if not octets:
            break
        at += len(octets)
        for place, found in scanner.feed(octets):
            if isinstance(found, Damage):
                yield found
            else:
                after = place + HEAD_OCTETS + len(found.payload)
                places = _new(Cursor, (number, place)), _new(Cursor, (number, after))
                yield _new(Entry, (*places, found))
    for _, damage in scanner.finish():
        yield damage


def lost_in(
    files: SegmentFiles, journal_id: bytes, number: int, offset: int, length: int
) -> tuple[tuple[LostRecord, ...], bool]:
    """Return the record heads readable in damage after the header; whether they are all."""
    if offset < DATA_START:
        return (), True
    try:
        octets = os.pread(files.get(number), length, offset)
    except OSError as error:
        log.warning("damage in segment %d at %d cannot be looked at: %s", number, offset, error)
        return (), False
    found, all_known = lost_records(octets, segment_seed(journal_id, number))
    return tuple(found), all_known


def set_aside(folder: Path, number: int, offset: int, length: int) -> Path | None:
    """Copy a part of a segment to ``damaged``; a failure is only logged, so that opening works."""
    aside = folder / DAMAGED / f"{number:012d}-{offset:012d}-{length}.octets"
    unfinished = aside.with_suffix(_UNFINISHED)
    try:
        if aside.exists():
            return aside
        aside.parent.mkdir(mode=0o700, exist_ok=True)
        with segment_path(folder, number).open("rb") as source, unfinished.open("wb") as copy:
            source.seek(offset)
            while length and (octets := source.read(min(CHUNK_OCTETS, length))):
                copy.write(octets)
                length -= len(octets)
            copy.flush()
            os.fsync(copy.fileno())
        unfinished.rename(aside)
        sync_folder(aside.parent)
    except OSError as error:
        log.warning("damage in segment %d at %d is not set aside: %s", number, offset, error)
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        return None
    return aside
