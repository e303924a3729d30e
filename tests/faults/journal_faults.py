"""Faults in the journal, and a compact check that must catch each.

``python -m tests.faults.journal_faults <package folder> <empty folder>`` runs the check on the
package in a folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from unittest import mock

import tidings
from tests.faults.fault import Fault
from tests.unit.stores.sample_journal import filled, flip, records_in, sample_records
from tidings.errors import DiskFull, JournalBroken, JournalInUse, JournalTooNew
from tidings.stores.chain import CUT, HEAD, MISSING
from tidings.stores.journal import Journal
from tidings.stores.records import Damage, Kind, Record, encode, scan
from tidings.stores.segments import DATA_START

CAUGHT = "caught:"
RECORDS = "stores/records.py"
SEGMENTS = "stores/segments.py"
JOURNAL = "stores/journal.py"
CHAIN = "stores/chain.py"

JOURNAL_FAULTS = [
    Fault(
        "the head CRC does not cover the kind",
        RECORDS,
        "from zlib import crc32\n",
        "import zlib\n\n\n"
        "def crc32(octets, seed=0):\n"
        "    octets = bytes(octets)\n"
        "    return zlib.crc32(octets[:1] + octets[2:] if len(octets) == 34 else octets, seed)\n",
    ),
    Fault("the payload is not checked", RECORDS, "crc32(view[start:end]) == body", "body >= 0"),
    Fault(
        "the search for the next record starts too late",
        RECORDS,
        "at = _next_magic(buffer, at + 1)",
        "at = _next_magic(buffer, at + HEAD_OCTETS)",
    ),
    Fault(
        "a magic across two chunks is missed",
        RECORDS,
        "max(at, len(buffer) - len(MAGIC) + 1)",
        "len(buffer)",
    ),
    Fault("a changed end counts as torn", RECORDS, "start, torn=False)", "start, torn=True)"),
    Fault("any head is believed", RECORDS, "self._seed) != check", "self._seed) < 0"),
    Fault(
        "all segments have one seed",
        SEGMENTS,
        'journal_id + number.to_bytes(8, "big")',
        "journal_id",
    ),
    Fault("the header is written once", SEGMENTS, "number, version)) * 2", "number, version))"),
    Fault("part of a write is enough", SEGMENTS, "while done < len(octets):", "while done < 0:"),
    Fault("a later format is read", SEGMENTS, "if version > FORMAT_VERSION:", "if version < 0:"),
    Fault("damage is not copied", SEGMENTS, "copy.write(octets)", "len(octets)"),
    Fault(
        "new names are not synced",
        SEGMENTS,
        "        sync_folder(folder, opened)\n    except",
        "    except",
    ),
    Fault("the torn end is not cut", JOURNAL, "os.truncate(path, found.offset)", "path.exists()"),
    Fault("syncing is skipped", JOURNAL, "os.fdatasync(self._file)", "os.fstat(self._file)"),
    Fault("a failed sync is forgotten", JOURNAL, 'self._break(f"a sync', 'str(f"a sync'),
    Fault(
        "a shortage of descriptors breaks the journal",
        JOURNAL,
        "            if cause.errno not in OUT_OF_DESCRIPTORS:\n                raise\n",
        "            raise\n",
    ),
    Fault(
        "a failed write is left there",
        JOURNAL,
        "os.ftruncate(self._file, end)",
        "os.fstat(self._file)",
    ),
    Fault("anyone may open it", JOURNAL, "fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH"),
    Fault("a segment cut at an edge is whole", CHAIN, "if length < link.end:", "if length < 0:"),
    Fault(
        "the newest may be missing",
        CHAIN,
        "self._missing(range(self._number + 1, head.newest + 1))",
        "head.newest",
    ),
    Fault(
        "the end is noted at a segment change only",
        JOURNAL,
        "        self._synced = self._end\n        self._note()",
        "        self._synced = self._end",
    ),
    Fault(
        "the number of a lost segment is used again",
        JOURNAL,
        "last, self._end, self._last_crc = head.newest, head.end, 0",
        "pass",
    ),
    Fault("the written one is dropped", JOURNAL, "self._numbers[:-1] if", "self._numbers if"),
]

SAMPLE = sample_records(12)


def fails(action: Callable[[], object], expected: type[Exception]) -> bool:
    """Whether an action raises what it should."""
    try:
        action()
    except expected:
        return True
    return False


def flipped_bits(fresh: Iterator[Path]) -> Iterator[str]:
    """Every bit of a record and of the header, and what is served besides."""
    octets = b"".join(map(encode, SAMPLE[:3]))
    for bit in range(SAMPLE[0].octets * 8):
        spoilt = bytearray(octets)
        spoilt[bit // 8] ^= 1 << bit % 8
        if list(scan(bytes(spoilt))) != [Damage(0, SAMPLE[0].octets, torn=False), *SAMPLE[1:3]]:
            yield f"bit {bit} of a record"
    for bit in (5, 200, DATA_START * 8 + 3):
        folder = next(fresh)
        [path] = filled(folder, SAMPLE)
        flip(path, bit)
        with Journal.open(folder) as journal:
            if records_in(journal) != SAMPLE[bit > 300 :]:
                yield f"bit {bit} of a segment costs other records"
            [report] = journal.damage
            place = slice(report.offset, report.offset + report.length)
            if not report.aside or report.aside.read_bytes() != path.read_bytes()[place]:
                yield "what is set aside is not the damage"


def junk_and_pieces(fresh: Iterator[Path]) -> Iterator[str]:
    """A short piece of junk, a magic at the end of a chunk, an end that is cut or changed."""
    octets = encode(SAMPLE[0])
    if list(scan(b"??" + octets)) != [Damage(0, 2, torn=False), SAMPLE[0]]:
        yield "a record close behind junk is lost"
    folder = next(fresh)
    [path] = filled(folder, SAMPLE)
    whole = path.read_bytes()
    for octets, what in [(whole[:-1], "torn"), (whole[:-1] + b"\xff", "damaged")]:
        path.write_bytes(octets)
        (folder / HEAD).unlink()  # it would know that the end was synced
        with Journal.open(folder) as journal:
            if [report.what for report in journal.damage] != [what]:
                yield f"the end is not {what}"
            journal.append(SAMPLE)
        with Journal.open(folder) as journal:
            if records_in(journal) != SAMPLE[:-1] + SAMPLE:
                yield f"behind the {what} end"
    path.write_bytes(whole[:DATA_START] + b"?" * 60 + whole[DATA_START:])
    with mock.patch("tidings.stores.segments.CHUNK_OCTETS", 62), Journal.open(folder) as journal:
        if records_in(journal) != SAMPLE:
            yield "a record across two chunks is lost"


def foreign_octets(fresh: Iterator[Path]) -> Iterator[str]:
    """Records of another segment, a later format, a second opener, retention."""
    folder = next(fresh)
    [path] = filled(folder, SAMPLE)
    with Journal.open(folder) as journal:
        journal.roll()
        second = folder / "000000000002.journal"
        with second.open("ab") as file:
            file.write(path.read_bytes()[DATA_START:])
        if not fails(lambda: Journal.open(folder), JournalInUse):
            yield "opened twice"
    with Journal.open(folder) as journal:
        if records_in(journal) != SAMPLE:
            yield "a record counts in two segments"
        journal.drop_before(99)
        if not second.exists():
            yield "the segment in use was dropped"
    header = encode(Record(Kind.HEADER, bytes(16), 1, (7).to_bytes(2, "big")))
    later = next(fresh)
    later.mkdir()
    (later / path.name).write_bytes(header * 2)
    if not fails(lambda: Journal.open(later), JournalTooNew):
        yield "a later format was opened"


def lost_ends(fresh: Iterator[Path]) -> Iterator[str]:
    """A segment is deleted, or cut where a record begins, after a kill."""
    for at, what in [(0, MISSING), (1, MISSING), (-1, MISSING), (0, CUT), (-1, CUT)]:
        folder = next(fresh)
        journal = Journal.open(folder, segment_octets=300)
        for record in SAMPLE:
            places = journal.append([record])
            journal.sync()
        used = journal.segments
        journal._release()  # as a killed process does
        paths = sorted(folder.glob("*.journal"))
        if what == MISSING:
            paths[at].unlink()
        else:
            cut = places[-1].offset if at else paths[at].stat().st_size - SAMPLE[2].octets
            os.truncate(paths[at], cut)
        with Journal.open(folder) as journal:
            if [(report.segment, report.what) for report in journal.lost] != [(used[at], what)]:
                yield f"segment {at}: not seen that it is {what}"
            if at < 0 and journal.end.segment in used:
                yield "the number of a segment is used twice"


def failing_disk(fresh: Iterator[Path]) -> Iterator[str]:
    """Parts of writes, no room, failing syncs; and that syncs happen."""
    write, full = os.write, OSError(errno.ENOSPC, "full")
    folder = next(fresh)
    journal = Journal.open(folder)
    with mock.patch("os.write", lambda file, octets: write(file, octets[:50])):
        journal.append(SAMPLE[:6])
    answers = iter([30])

    def filling(file: int, octets: bytes) -> int:
        if part := next(answers, 0):
            return write(file, octets[:part])
        raise full

    with mock.patch("os.write", filling):
        if not fails(lambda: journal.append(SAMPLE), DiskFull):
            yield "a full disk is not noticed"
    journal.append(SAMPLE[6:])
    with mock.patch("os.fdatasync") as called:
        journal.sync()
    if called.call_count != 1:
        yield "no sync"
    with mock.patch("os.fsync") as called:
        journal.roll()
    if called.call_count != 2:
        yield "a new segment and its name are not synced"
    if records_in(journal) != SAMPLE or journal.damage:
        yield "a failed write left something"
    short = Journal.open(next(fresh), segment_octets=1)
    short.append(SAMPLE[:1])
    with mock.patch("os.open", side_effect=OSError(errno.EMFILE, "too many")):
        short.append(SAMPLE[1:])  # goes on with the segment there is
    short.close()
    journal.append(SAMPLE)
    with mock.patch("os.fdatasync", side_effect=full):
        fails(journal.sync, JournalBroken)
    if not fails(lambda: journal.append(SAMPLE), JournalBroken):
        yield "appended after a failed sync"
    journal.close()


def main(package: str, scratch: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    logging.disable()
    fresh = (Path(scratch) / str(number) for number in count())
    try:
        for check in (flipped_bits, junk_and_pieces, foreign_octets, lost_ends, failing_disk):
            for found in check(fresh):
                sys.stdout.write(f"{CAUGHT} {found}\n")
                return 1
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        sys.stdout.write(f"{CAUGHT} {error!r}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
