"""Recovery when an archive is opened: cleans up after a killed archiver."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.stores.archive.books import Books, read_books
from tidings.stores.archive.files import UNFINISHED
from tidings.stores.archive.journal_reader import JournalReader
from tidings.stores.archive.manifest import MANIFEST, Manifest, Seal, read_manifest
from tidings.stores.archive.rows import Rows
from tidings.stores.archive.schema import KINDS, MERGED
from tidings.stores.records import Damage
from tidings.stores.segments import DATA_START, Cursor

NOWHERE: Final = Cursor(0, 0)
"""Before every position: nothing was read yet."""

_NUMBERED: Final = re.compile(r"([0-9]{12})\.(?:parquet|json)", re.ASCII)


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
