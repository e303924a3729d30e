"""The archiver: reads the journal from another process, and writes the archive.

It never writes to the journal's folder and never waits for the service. Unsealed rows are in memory
only; if killed at any moment, it continues from the last seal.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Self

from tidings.clock import Clock, SystemClock
from tidings.errors import ArchiveDamaged, ArchiveNotFound, InvalidUsage, StoreError
from tidings.stores.archive.books import Books, read_books
from tidings.stores.archive.columns import KINDS, MERGED, Segment
from tidings.stores.archive.journal_reader import JournalReader
from tidings.stores.archive.manifest import MANIFEST, Gap, Manifest, Seal, read_manifest
from tidings.stores.archive.retention import ArchiveRetention, Compaction
from tidings.stores.archive.rows import Rows
from tidings.stores.archive.sealing import ManifestFile, Sealer, store_error
from tidings.stores.files import UNFINISHED, make_folder
from tidings.stores.observed_time import ObservedTime
from tidings.stores.records import Damage
from tidings.stores.segments import DATA_START, Cursor

log = logging.getLogger(__name__)

_SECOND: Final = 1_000_000
NOWHERE: Final = Cursor(0, 0)
"""Before every position: nothing was read yet."""
_NUMBERED: Final = re.compile(r"([0-9]{12})\.(?:parquet|json)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ArchiveOptions:
    """When a segment is sealed (any limit reached), and what is retained.

    The oldest events and outcomes are dropped beyond `keep_octets` or `keep_microseconds`.
    """

    seal_rows: int = 200_000
    seal_octets: int = 64 * 1024 * 1024
    seal_seconds: float = 30.0
    keep_octets: int | None = None
    keep_microseconds: int | None = None

    def __post_init__(self) -> None:
        for name in ("seal_rows", "seal_octets"):
            if getattr(self, name) < 1:
                raise InvalidUsage(f"{name} is at least 1, not {getattr(self, name)}")
        for name in ("seal_seconds", "keep_octets", "keep_microseconds"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise InvalidUsage(f"{name} is at least 0, not {value}")


class Sealed(NamedTuple):
    """A completed seal: everything in the journal before its cursor is in the archive."""

    number: int
    cursor: Cursor
    rows: int


class Progress(NamedTuple):
    """The new seals, how far the journal was read and sealed, and the count of waiting rows."""

    seals: tuple[Sealed, ...]
    read: Cursor
    cursor: Cursor
    rows: int


class Archiver:
    """The archive of one journal, locked for writing until `close`.

    `journal_folder` is only read; `folder` is created if missing. `on_seal` is called after every
    seal. `monotonic` returns microseconds.
    """

    def __init__(
        self,
        journal_folder: Path,
        folder: Path,
        options: ArchiveOptions | None = None,
        clock: Clock | None = None,
        *,
        on_seal: Callable[[Sealed], None] | None = None,
        monotonic: Callable[[], int] | None = None,
    ) -> None:
        self.folder = folder
        self._options = options or ArchiveOptions()
        self._clock = clock or SystemClock()
        self._on_seal = on_seal
        self._monotonic = monotonic
        self._reader = JournalReader(journal_folder)
        self._gap: Gap | None = None
        self._opened_us = self._clock.now()
        self._lock = -1
        self._manifest: ManifestFile | None = None
        try:
            self._open()
        except OSError as error:
            self.close()
            raise store_error(error, f"the archive {folder} cannot be opened") from error
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        make_folder(self.folder)
        self._lock = _locked(self.folder)
        manifest = manifest_of(self.folder)
        clear_leftovers(self.folder, manifest)
        books = last_books(self.folder, manifest, self._reader, self._clock.now)
        last = manifest.seals[-1] if manifest.seals else None
        observed, sealed = (last.observed_us, last.sealed_us) if last else (0, 0)
        self._time = ObservedTime(observed, sealed, self._clock.now, self._monotonic)
        self._manifest = ManifestFile(self.folder, manifest.end)
        number = last_number(self.folder, manifest)
        self._sealer = Sealer(self.folder, self._manifest, number)
        keep = (self._options.keep_octets, self._options.keep_microseconds)
        self._retention = ArchiveRetention(self.folder, self._manifest, manifest, *keep)
        self._compaction = Compaction(self.folder, self._manifest)
        self._rows = Rows(books, self._clock.now, self._reader.name_of)
        self._at = self._sealed = Cursor(*books.cursor)

    @property
    def cursor(self) -> Cursor:
        """Return the position before which everything in the journal is sealed."""
        return self._sealed

    @property
    def manifest_octets(self) -> int:
        """Return the manifest's size."""
        assert self._manifest is not None
        return self._manifest.octets

    def advance(self, upto: Cursor, *, seal: bool = False) -> Progress:
        """Read up to the synced position and seal; after a disk error a later call continues."""
        seals: list[Sealed] = []
        self._seal_if_due(seals)
        try:
            first = self._reader.begin(self._rows.books.journal)
            self._rows.books.journal = self._reader.id.hex()
            if first is not None and self._at == NOWHERE:
                self._at = self._sealed = self._rows.books.cursor = first
            while self._at < upto and self._read_some(upto, seals):
                pass
        except OSError as error:
            raise store_error(error, "the journal cannot be read") from error
        self._seal_if_due(seals, at_once=seal)
        return Progress(tuple(seals), self._at, self._sealed, self._rows.segment.rows)

    def close(self) -> None:
        """Unlock the archive; unsealed rows are read again next time."""
        if self._manifest is not None:
            self._manifest.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _read_some(self, upto: Cursor, seals: list[Sealed]) -> bool:
        """Read the rest of a segment, or skip a gap; return whether there may be more."""
        self._reader.upto = upto
        rows, options = self._rows, self._options
        number = self._at.segment
        try:
            for found in self._reader.entries(self._at, upto):
                if isinstance(found, Damage):
                    rows.damage()
                    self._at = Cursor(number, found.offset + found.length)
                    continue
                rows.take(found)
                self._at = found.after
                if rows.segment.is_full(options.seal_rows, options.seal_octets):
                    self._seal(seals)
        except FileNotFoundError:
            return self._pass_over_gap(upto, seals)
        if number == upto.segment:
            return False
        self._at = Cursor(number + 1, DATA_START)
        return True

    def _pass_over_gap(self, upto: Cursor, seals: list[Sealed]) -> bool:
        """Skip segments that are gone; return whether any follow."""
        behind = self._reader.next_segment(self._at.segment)
        if behind is None or behind > upto.segment:
            return False
        if self._gap is not None:  # a manifest line holds one gap
            self._seal(seals)
        to = Cursor(behind, DATA_START)
        self._gap = Gap(self._at, to)
        self._rows.gap()
        self._at = to
        return True

    def _seal_if_due(self, seals: list[Sealed], *, at_once: bool = False) -> None:
        if self._at == self._sealed:
            self._opened_us = self._clock.now()
            return
        options = self._options
        age = abs(self._clock.now() - self._opened_us)  # a clock set back must not stop it
        if (
            at_once
            or age >= options.seal_seconds * _SECOND
            or self._rows.segment.is_full(options.seal_rows, options.seal_octets)
        ):
            self._seal(seals)

    def _seal(self, seals: list[Sealed]) -> None:
        rows, now = self._rows, self._clock.now()
        rows.books.cursor = self._at
        count = rows.segment.rows
        seal, files = self._sealer.seal(rows.segment, rows.books, now, self._gap, self._time.now())
        rows.segment = Segment()
        self._gap = None
        self._sealed = self._at
        self._opened_us = now
        sealed = Sealed(seal.number, seal.cursor, count)
        seals.append(sealed)
        if self._on_seal is not None:
            self._on_seal(sealed)
        self._retention.sealed(seal, files, self._time.now())
        try:
            self._retention.shrunk(self._compaction.run_if_due())
        except OSError as error:
            log.warning("the manifest of the archive %s stays long: %s", self.folder, error)


def _locked(folder: Path) -> int:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise StoreError(
            f"the archive in {folder} is open in another process; stop that one, or give this "
            "one a folder of its own"
        ) from error
    return lock


def manifest_of(folder: Path) -> Manifest:
    """Read the manifest of an archive, which may be new."""
    try:
        found = read_manifest(folder)
    except ArchiveNotFound:
        return Manifest((), (), (), (), 0)
    if found.problems and not found.seals:
        raise ArchiveDamaged(
            f"no seal in {folder / MANIFEST} can be read, and it alone says what is in the "
            f"archive: put {MANIFEST} back from a copy, or move the archive away to begin a new "
            "one; nothing was changed"
        )
    return found


def clear_leftovers(folder: Path, manifest: Manifest) -> None:
    """Remove leftover files, except of seals that a damaged manifest end may have named."""
    for path in _files(folder):
        unsealed = _number(path) > manifest.last_seal and not manifest.end_damaged
        if path.name.endswith(UNFINISHED) or unsealed:
            path.unlink()
    for dropped in manifest.dropped:
        (folder / dropped).unlink(missing_ok=True)
    if not manifest.problems:  # merged files or their replacement
        for kind in MERGED:
            named = {folder / file.path for file in manifest.select(kind)}
            for path in (folder / kind).rglob("*.parquet"):
                if path not in named:
                    path.unlink()
    (folder / (MANIFEST + UNFINISHED)).unlink(missing_ok=True)


def last_number(folder: Path, manifest: Manifest) -> int:
    """Return the highest number a seal may have had, so that no file is overwritten."""
    return max([manifest.last_seal, *map(_number, _files(folder))])


def _number(path: Path) -> int:
    """Return the seal number in a file's name; 0 if there is none."""
    found = _NUMBERED.fullmatch(path.name)
    return int(found[1]) if found else 0


def _files(folder: Path) -> Iterator[Path]:
    for kind in (*KINDS, "books"):
        yield from [path for path in (folder / kind).rglob("*") if path.is_file()]


def last_books(
    folder: Path, manifest: Manifest, reader: JournalReader, now: Callable[[], int]
) -> Books:
    """Read the books of the last seal; rebuild damaged ones from the journal."""
    if not manifest.seals:
        return Books(0, "", NOWHERE, {}, {})
    last = manifest.seals[-1]
    try:
        return read_books(folder, last)
    except ArchiveDamaged as error:
        try:
            return _made_again(folder, manifest.seals, reader, now)
        except (ArchiveDamaged, OSError) as second:
            raise ArchiveDamaged(
                f"{error}; they cannot be made again from those before and the journal, either "
                f"({second}): put {last.books} back from a copy, or move the archive {folder} "
                "away to begin a new one"
            ) from second


def _made_again(
    folder: Path, seals: tuple[Seal, ...], reader: JournalReader, now: Callable[[], int]
) -> Books:
    if len(seals) < 2 or seals[-1].gap is not None:
        raise ArchiveDamaged("there are none before")
    last = seals[-1]
    books = read_books(folder, seals[-2])
    reader.begin(books.journal)
    reader.upto = last.cursor
    rows = Rows(books, now, reader.name_of)
    for number in range(books.cursor[0], last.cursor.segment + 1):
        start = Cursor(*books.cursor) if number == books.cursor[0] else Cursor(number, DATA_START)
        for found in reader.entries(start, last.cursor):
            if not isinstance(found, Damage):
                rows.take(found)
    books.seal, books.cursor = last.number, last.cursor
    return books
