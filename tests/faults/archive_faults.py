"""Faults in the archive, and a compact check that must catch each.

``python -m tests.faults.archive_faults <package folder>`` runs the check on the package in a
folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import tidings
from tests.faults.fault import Fault

CAUGHT = "caught:"
ROWS = "stores/archive/rows.py"
BOOKS = "stores/archive/books.py"
SEALING = "stores/archive/sealing.py"
FILES = "stores/archive/files.py"
MANIFEST = "stores/archive/manifest.py"
OPENING = "stores/archive/opening.py"
READING = "stores/archive/reading.py"
RETENTION = "stores/archive/retention.py"
COLUMNS = "stores/archive/columns.py"
ARCHIVER = "stores/archive/archiver.py"

COMPACTION = "stores/archive/compaction.py"

ARCHIVE_FAULTS = [
    Fault(
        "merged files go before the manifest names their successor",
        COMPACTION,
        "        self._manifest.replace(_lines(found, kept))\n"
        "        for path in replaced:\n"
        "            remove_file(self._folder / path)\n",
        "        for path in replaced:\n"
        "            remove_file(self._folder / path)\n"
        "        self._manifest.replace(_lines(found, kept))\n",
    ),
    Fault("what is gone is forgotten", COMPACTION, "_summed(found.gone)), *late", "[]), *late"),
    Fault(
        "a carried event is a second row",
        ROWS,
        "if not covered and seq not in book.carried:",
        "if seq not in book.carried:",
    ),
    Fault("a redriven event is a new one", ROWS, "elif seq <= channel.book.last or", "elif"),
    Fault(
        "withdrawn ends an event",
        ROWS,
        "if proxy is None or outcome is Outcome.WITHDRAWN:",
        "if proxy is None:",
    ),
    Fault("stray outcomes count", BOOKS, "return 0 < self.first <= seq <= self.last and", "return"),
    Fault(
        "events from before a proxy count",
        BOOKS,
        "return not any(low <= seq <= high for low, high in self.holes)",
        "return True",
    ),
    Fault("the cause is lost", ROWS, "causes[key] = letter.causes[-1].reason", "causes[key] = ''"),
    Fault(
        "objects are rows twice",
        ROWS,
        "return before != book.state or not book.present",
        "return True",
    ),
    Fault(
        "repeated plans are rows twice",
        ROWS,
        "if version == book.plan_version and rules == book.rules:",
        "if version < 0:",
    ),
    Fault(
        "after a gap old copies are pending",
        ROWS,
        "proxy.pending = proxy.pending_sum = 0",
        "proxy.pending = proxy.pending",
    ),
    Fault("what a gap has swallowed stays", ROWS, "if proxy.unsure and self", "if not id and self"),
    Fault(
        "the line comes before the books",
        SEALING,
        "            kept = books_octets(books)\n",
        "            kept = books_octets(books)\n"
        "            self._manifest.append(seal_line(Seal(number, at, Cursor(*books.cursor), path, "
        "crc32(kept), gap, 0, 0), files))\n",
    ),
    Fault(
        "a full disk leaves files behind",
        SEALING,
        "            for file in files:\n",
        "            for file in []:\n",
    ),
    Fault(
        "the books are never thrown away",
        SEALING,
        "books_path(number - KEPT_BOOKS)",
        "books_path(0)",
    ),
    Fault("hours are mixed", SEALING, "if hour == hour_of(last):", "if hour:"),
    Fault("files are not sorted", COLUMNS, "table = table.take(order)", "len(order)"),
    Fault(
        "files are not synced", FILES, "            os.fsync(descriptor)\n", "            pass\n"
    ),
    Fault("checksums are not compared", FILES, "if check != file.crc32:", "if check < 0:"),
    Fault("a bad line counts", MANIFEST, 'crc32(text[:start] + b"}") != int(check[1])', "not text"),
    Fault("leftovers stay", OPENING, "int(number[1]) > manifest.last_seal", "not number"),
    Fault("dropped files stay", OPENING, "for dropped in manifest.dropped:", "for dropped in ():"),
    Fault(
        "it reads further than told",
        READING,
        "end = upto.offset if is_last else None",
        "end = None",
    ),
    Fault(
        "plans are dropped",
        RETENTION,
        "frozenset({EVENTS, OUTCOMES})",
        'frozenset({EVENTS, "plans"})',
    ),
    Fault("age seals nothing", ARCHIVER, "or age >= options.seal_seconds * _SECOND", ""),
    Fault("gaps are not told", ARCHIVER, "self._gap = Gap(self._at, to)", "self._gap = None"),
]


def _archive(folder: Path, **options: Any) -> Path:
    """The small journal archived."""
    from tests.archive_worlds import archive_journal
    from tests.unit.stores.archive.small_journal import small_journal
    from tidings.stores.archive.archiver import ArchiveOptions

    small_journal(folder / "journal")
    archive_journal(folder / "journal", folder / "a", ArchiveOptions(**options))
    return folder / "a"


def small(folders: Iterator[Path]) -> Iterator[str]:
    """The rows of a journal with a bit of everything."""
    import pyarrow.parquet as pq

    from tests.unit.stores.archive.archive_rows import check_ledger, last_books_of, rows_of
    from tests.unit.stores.archive.small_journal import HOUR, ORIGIN
    from tidings.stores.archive.manifest import read_manifest

    folder = _archive(next(folders))
    check_ledger(folder)
    if [row["seq"] for row in rows_of(folder, "events")] != [1, 2, 3, 4]:
        yield "other events"
    found = [(row["seq"], row["outcome"], row["detail"]) for row in rows_of(folder, "outcomes")]
    if found != [
        (1, "delivered", None), (3, "rejected", "no"), (3, "redriven", None),
        (2, "expired", None), (3, "expired", None),
    ]:  # fmt: skip
        yield "other outcomes"
    if len(rows_of(folder, "plans")) != 2 or len(rows_of(folder, "objects")) != 4:
        yield "other plans or objects"
    four = last_books_of(folder).proxies[f"{ORIGIN.hex()}/4"]
    if (four.pending, four.pending_sum) != (1, 2):
        yield "other books"
    for file in read_manifest(folder).files:
        if file.first_us // HOUR != file.last_us // HOUR:
            yield "a file of several hours"
        table = pq.read_table(folder / file.path, partitioning=None)
        if file.kind == "outcomes":
            seqs: list[Any] = table["seq"].to_pylist()
            if seqs != sorted(seqs):
                yield "a file that is not sorted"


def model(folders: Iterator[Path]) -> Iterator[str]:
    """Pending copies, whatever happens, with retention and gaps."""
    from tests.archive_worlds import FIRST_US
    from tests.unit.stores.archive.archive_rows import check_ledger, last_books_of
    from tests.unit.stores.archive.journal_model import JournalModel
    from tests.unit.stores.archive.small_journal import ORIGIN
    from tidings.clock import ManualClock
    from tidings.stores.archive.archiver import ArchiveOptions, Archiver
    from tidings.stores.archive.manifest import read_manifest

    gaps = 0
    for seed in range(4):
        folder, dice = next(folders), random.Random(seed)
        made = JournalModel(folder / "journal", dice)
        options = ArchiveOptions(seal_rows=30)
        with Archiver(folder / "journal", folder / "a", options, ManualClock(FIRST_US)) as archiver:
            for step in range(90):
                made.happen()
                if step % 30 == 29:
                    made.retain(archiver.advance if seed % 2 else None)
                if dice.random() < 0.2:
                    archiver.advance(made.end, seal=True)
            archiver.advance(made.end, seal=True)
        made.close()
        check_ledger(folder / "a")
        books = last_books_of(folder / "a").proxies
        gaps += sum(seal.gap is not None for seal in read_manifest(folder / "a").seals)
        if made.present != {int(k.split("/")[1]) for k, book in books.items() if book.present}:
            yield "other proxies"
        for id in made.present:
            seqs = [seq for seq, proxy in made.pending if proxy == id]
            book = books.get(f"{ORIGIN.hex()}/{id}")
            if book is None or (book.pending, book.pending_sum) != (len(seqs), sum(seqs)):
                yield "other copies are pending"
    if not gaps:
        yield "no gap is told"


def events(folders: Iterator[Path]) -> Iterator[str]:
    """Stray outcomes, withdrawn ones, repeated objects."""
    from tests.archive_worlds import archive_journal
    from tests.unit.stores.archive import small_journal as sj
    from tests.unit.stores.archive.archive_rows import last_books_of, rows_of
    from tidings.channel.effects import Outcome

    folder = next(folders)
    records = [
        sj.channel(), sj.channel(), sj.happened(5, [3]), sj.outcome([6], 3), sj.happened(6, [3]),
        sj.outcome([5], 3, Outcome.WITHDRAWN), sj.happened(5, [3], carried=True),
    ]  # fmt: skip
    sj.written(folder / "journal", records)
    archive_journal(folder / "journal", folder / "a")
    book = last_books_of(folder / "a").proxies[f"{sj.ORIGIN.hex()}/3"]
    if (book.pending, book.pending_sum) != (2, 11):
        yield "withdrawn or stray outcomes count"
    if len(rows_of(folder / "a", "events")) != 2 or len(rows_of(folder / "a", "outcomes")) != 1:
        yield "other rows"


def kills(folders: Iterator[Path]) -> Iterator[str]:
    """Killed and refused at many steps."""
    from tests.archive_worlds import FIRST_US, archive_journal
    from tests.unit.stores.archive.archive_rows import all_rows
    from tests.unit.stores.archive.failing_disk import Killed, counted_calls, failing_at
    from tidings.clock import ManualClock
    from tidings.errors import StoreError
    from tidings.stores.archive.archiver import ArchiveOptions, Archiver
    from tidings.stores.archive.manifest import read_manifest

    first = next(folders)
    expected = all_rows(_archive(first, seal_rows=8))
    options = ArchiveOptions(seal_rows=8)
    whole = next(folders)
    journal = first / "journal"
    steps = counted_calls(lambda: archive_journal(journal, whole, options))
    for at in range(1, steps + 1, 3):
        folder = next(folders)
        error = Killed if at % 2 else lambda: OSError(28, "No space left on device")
        with Archiver(journal, folder, options, ManualClock(FIRST_US)) as archiver:
            try:
                with failing_at(at, error):
                    archiver.advance(_end(journal), seal=True)
            except (Killed, StoreError) as raised:
                made = read_manifest(folder)
                there = {str(p.relative_to(folder)) for p in folder.rglob("*.parquet*")}
                if isinstance(raised, StoreError) and there != {f.path for f in made.files}:
                    yield "files are left behind"
        archive_journal(journal, folder, options)
        there = {str(path.relative_to(folder)) for path in folder.rglob("*.parquet")}
        if there != {file.path for file in read_manifest(folder).files}:
            yield "files are there that nobody names"
        if all_rows(folder) != expected:
            yield "other rows after a kill"
            return


def _end(journal: Path) -> Any:
    from tests.archive_worlds import journal_end

    return journal_end(journal)


def files(folders: Iterator[Path]) -> Iterator[str]:
    """Damage, and files that are not synced."""
    from tidings.stores.archive.files import check_file, write_file
    from tidings.stores.archive.manifest import parse_manifest, read_manifest

    folder = _archive(next(folders), seal_rows=4)
    lines = (folder / "manifest.jsonl").read_bytes()
    if (
        parse_manifest(lines.replace(b'"seal":2', b'"seal":7')).last_seal == 7
        or not parse_manifest(lines.replace(b'"seal":2', b'"seal":7')).problems
    ):
        yield "a changed line counts"
    file = read_manifest(folder).files[0]
    octets = bytearray((folder / file.path).read_bytes())
    octets[len(octets) // 2] ^= 1
    (folder / file.path).write_bytes(octets)
    if check_file(folder, file, deep=True) is None:
        yield "a damaged file passes"
    with mock.patch.object(os, "fsync") as synced:
        write_file(folder / "y", b"z", {folder})
    if synced.call_count != 2:
        yield "a file is not synced"


def keeping(folders: Iterator[Path]) -> Iterator[str]:
    """Retention, age, and what is told to be read."""
    from tests.archive_worlds import FIRST_US
    from tests.unit.stores.archive.archive_rows import rows_of
    from tidings.clock import ManualClock
    from tidings.stores.archive.archiver import ArchiveOptions, Archiver
    from tidings.stores.archive.manifest import read_manifest
    from tidings.stores.segments import Cursor

    again = next(folders)
    _archive(again, seal_rows=4, keep_octets=0)
    manifest = read_manifest(again / "a")
    if {one.kind for one in manifest.files} != {"plans", "objects"}:
        yield "something else is dropped"
    gone = again / "a" / min(manifest.dropped)
    gone.parent.mkdir(parents=True, exist_ok=True)
    gone.write_bytes(b"left by a kill")
    left = gone.with_name("000000000099.parquet")
    left.write_bytes(b"left by a kill")
    clock = ManualClock(FIRST_US)
    Archiver(again / "journal", again / "a", clock=clock).close()
    if gone.exists() or left.exists():
        yield "a file stays that is not in the archive"
    if len(list((again / "a" / "books").iterdir())) != 2:
        yield "books pile up"
    with Archiver(again / "journal", again / "b", ArchiveOptions(), clock) as archiver:
        end = _end(again / "journal")
        archiver.advance(Cursor(end.segment, 700))
        clock.advance(31_000_000)
        if len(archiver.tick().seals) != 1:
            yield "age does not seal"
    if any(row["position"] % 2**40 >= 700 for row in rows_of(again / "b", "objects")) or any(
        row["position"] % 2**40 >= 700 for row in rows_of(again / "b", "outcomes")
    ):
        yield "it has read too far"


def compacted(folders: Iterator[Path]) -> Iterator[str]:
    """A manifest that is folded, and a kill at each of the renames."""
    from tests.archive_worlds import archive_journal
    from tests.unit.stores.archive.archive_rows import all_rows
    from tests.unit.stores.archive.failing_disk import Killed, failing_at
    from tests.unit.stores.archive.small_journal import written
    from tests.unit.stores.archive.test_compaction import ALL, OPTIONS, RECORDS
    from tidings.stores.archive import compaction
    from tidings.stores.archive.manifest import read_manifest

    journal, plain = next(folders), next(folders)
    written(journal, RECORDS)
    archive_journal(journal, plain, ALL)
    expected = all_rows(plain)
    start = next(folders)
    archive_journal(journal, start, ALL, read_manifest(plain).seals[-2].cursor)
    with mock.patch.object(compaction, "LEAST_OCTETS", 0):
        dropping = next(folders)
        archive_journal(journal, dropping, OPTIONS)
        gone = sum(file.rows for file in read_manifest(dropping).gone if file.kind == "events")
        if gone + len(all_rows(dropping)["events"]) != len(expected["events"]):
            yield "nobody knows what is gone"
        for at in range(1, 100):
            folder = shutil.copytree(start, next(folders))
            try:
                with failing_at(at, Killed, ("rename",)):
                    archive_journal(journal, folder, ALL)
                break
            except Killed:
                archive_journal(journal, folder, ALL)
            named = {file.path for file in read_manifest(folder).files}
            if any(not (folder / path).exists() for path in named) or all_rows(folder) != expected:
                yield "other rows after a kill while compacting"
                return


@contextlib.contextmanager
def quick_syncs() -> Iterator[None]:
    """Nobody pulls the plug here, and real syncs would take most of the time."""
    with mock.patch.object(os, "fsync"), mock.patch.object(os, "fdatasync"):
        yield


CHECKS: list[Callable[[Iterator[Path]], Iterator[str]]] = [
    *(small, events, files, keeping, model, kills, compacted)
]


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    try:
        with quick_syncs(), tempfile.TemporaryDirectory() as scratch:
            fresh = (Path(scratch) / str(number) for number in count())
            for check in CHECKS:
                for found in check(fresh):
                    sys.stdout.write(f"{CAUGHT} {found}\n")
                    return 1
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        sys.stdout.write(f"{CAUGHT} {error!r:.300}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
