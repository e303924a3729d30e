"""Detection of an archive that is ahead of its journal; both are only read."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tidings.errors import ArchiveDamaged, ArchiveNotFound, StoreError
from tidings.stores.archive.books import read_books
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.chain import Head
from tidings.stores.segments import Cursor, find_segments, segment_path


class ArchiveEnd(NamedTuple):
    """How far an archive knows its journal.

    `journal_id` is empty if the books are unreadable. `channels` has names and highest seqs by
    origin, `gone` the origins of deleted ones.
    """

    journal_id: bytes
    cursor: Cursor
    channels: Mapping[bytes, tuple[str, int]]
    gone: frozenset[bytes] = frozenset()
    problems: tuple[str, ...] = ()

    @property
    def present(self) -> dict[bytes, tuple[str, int]]:
        """Return the channels that must also be in the journal."""
        return {one: known for one, known in self.channels.items() if one not in self.gone}

    @property
    def head(self) -> Head:
        """Return the same as a journal's head."""
        highest = max((last for _, last in self.channels.values()), default=0)
        return Head(self.journal_id, 1, *self.cursor, highest=highest)


def archive_end(folder: Path) -> ArchiveEnd | None:
    """Read how far an archive goes; None if nothing was archived yet."""
    try:
        manifest = read_manifest(folder)
    except ArchiveNotFound:
        return None
    if not manifest.seals:
        if manifest.problems:
            return ArchiveEnd(b"", Cursor(0, 0), {}, problems=manifest.problems)
        return None
    last = manifest.seals[-1]
    journal_id, channels, gone = b"", {}, frozenset[bytes]()
    with contextlib.suppress(ArchiveDamaged):  # the archiver rebuilds them
        books = read_books(folder, last)
        journal_id = bytes.fromhex(books.journal)
        channels = {
            bytes.fromhex(origin): (book.name, max(book.last, book.highest or 0))
            for origin, book in books.channels.items()
        }
        gone = frozenset(
            bytes.fromhex(origin) for origin, book in books.channels.items() if not book.present
        )
    return ArchiveEnd(journal_id, last.cursor, channels, gone, manifest.problems)


def journal_end(folder: Path) -> tuple[bytes, Cursor]:
    """Read a journal's id and end from its files."""
    found = find_segments(folder) if folder.is_dir() else []
    if not found:
        return b"", Cursor(0, 0)
    ids = [segment.journal_id for segment in found if segment.journal_id is not None]
    last = found[-1].number
    return ids[0] if ids else b"", Cursor(last, segment_path(folder, last).stat().st_size)


def check_journal_reaches(data: Path, journal: Path, archive: Path) -> ArchiveEnd | None:
    """Refuse a journal that ends before its archive; return how far the archive goes."""
    known = archive_end(archive)
    if known is None:
        return None
    id, end = journal_end(journal)
    if id and known.journal_id and id != known.journal_id:
        return None  # the archiver reports it
    if known.cursor <= end:
        return known
    reach = f"ends in segment {end.segment} at {end.offset}" if end.segment else "is empty"
    raise StoreError(
        f"the archive {archive} reaches segment {known.cursor.segment}, octet "
        f"{known.cursor.offset} of the journal, and the journal in {data} {reach}: its newest "
        "part was deleted, or an older copy of it was restored. Nothing was changed. "
        f"`tidings journal check {data} --archive {archive}` shows what is missing. Put the "
        "newer journal back, or go on without what it held: "
        f"`tidings journal accept {data} --archive {archive}`"
    )
