"""A journal: what it has answered is there, whatever the disk, a kill or somebody else does."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edges.stores.archive.failing_disk import CALLS, Killed, failing_at
from tests.edges.stores.sample_journal import CHANNEL, filled, flip, records_in, sample_records
from tests.patience import PATIENCE
from tidings import errors
from tidings.stores import journal as journal_module
from tidings.stores.chain import CUT, HEAD, LINK_OCTETS, MISSING
from tidings.stores.journal import Journal
from tidings.stores.records import MAX_PAYLOAD, Kind, Record, encode
from tidings.stores.segments import DATA_START, Cursor, DamageReport


@settings(max_examples=25)
@given(st.lists(st.lists(st.binary(max_size=80), max_size=4), max_size=8), st.integers(100, 600))
def test_batches_come_back_in_order(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[bytes]], size: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    written: list[Record] = []
    places: list[Cursor] = []
    with Journal.open(folder, segment_octets=size) as journal:
        for batch in batches:
            records = [Record(1, CHANNEL, len(written) + n, p) for n, p in enumerate(batch)]
            places += journal.append(records)
            written += records
    with Journal.open(folder) as journal:
        found = list(journal.read())
        assert [entry.record for entry in found] == written
        assert [entry.at for entry in found] == places == sorted(places)


def test_segments_roll_by_size_and_old_ones_are_dropped(tmp_path: Path) -> None:
    records = sample_records(40, largest=100)
    filled(tmp_path, records, segment_octets=1_000)
    assert all(path.stat().st_size <= 1_000 for path in tmp_path.glob("*.journal"))
    with Journal.open(tmp_path, segment_octets=1_000) as journal:
        numbers = journal.segments
        assert len(numbers) > 3
        entries = list(journal.read())
        assert journal.drop_before(3) == [1, 2]
        assert journal.segments == numbers[2:]
        kept = [entry for entry in entries if entry.at.segment >= 3]
        assert list(journal.read()) == kept
        with pytest.raises(errors.CursorNotFound, match="no segment 1; it has 3"):
            journal.read(entries[0].at)
        assert journal.drop_before(10**6) == numbers[2:-1]
        assert journal.roll() == numbers[-1] + 1
    with Journal.open(tmp_path) as journal:
        assert journal.segments == [numbers[-1], numbers[-1] + 1]
        assert journal.damage == []


@pytest.mark.parametrize("taken", [0, 1])
def test_a_segment_dropped_while_it_is_read_is_told(taken: int, tmp_path: Path) -> None:
    with Journal.open(tmp_path, segment_octets=300) as journal:
        for record in sample_records(20):
            journal.append([record])
        reading = journal.read()
        for _ in range(taken):
            next(reading)
        journal.drop_before(journal.end.segment)
        with pytest.raises(errors.CursorNotFound, match="was dropped"):
            list(reading)


def test_the_journal_cut_at_every_octet(tmp_path: Path) -> None:
    records = sample_records(8, largest=12)
    [path] = filled(tmp_path / "whole", records)
    octets = path.read_bytes()
    ends = [DATA_START]
    for record in records:
        ends.append(ends[-1] + record.octets)
    more = Record(1, CHANNEL, 99, b"more")
    folder = tmp_path / "cut"
    for cut in range(DATA_START, len(octets) + 1):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / path.name).write_bytes(octets[:cut])
        whole = sum(end <= cut for end in ends) - 1
        with Journal.open(folder) as journal:
            assert records_in(journal) == records[:whole]
            left = cut - ends[whole]
            torn = [DamageReport(1, ends[whole], left, "torn")] if left else []
            assert journal.damage == torn
            journal.append([more])
        with Journal.open(folder) as journal:
            assert (records_in(journal), journal.damage) == ([*records[:whole], more], [])


def test_300_flipped_bits_are_found_reported_and_set_aside(tmp_path: Path) -> None:
    records = sample_records(40)
    files = filled(tmp_path / "whole", records, segment_octets=1_000)
    with Journal.open(tmp_path / "whole") as journal:
        places = [(entry.at, entry.after) for entry in journal.read()]
    rng = Random(7)
    folder = tmp_path / "flipped"
    for _ in range(300):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tmp_path / "whole", folder)
        victim = folder / rng.choice(files).name
        bit = rng.randrange(victim.stat().st_size * 8)
        flip(victim, bit)
        spot = Cursor(int(victim.stem), bit // 8)
        hit = [n for n, (at, after) in enumerate(places) if at <= spot < after]
        with Journal.open(folder) as journal:
            assert records_in(journal) == [r for n, r in enumerate(records) if n not in hit]
            [report] = journal.damage
        assert report.segment == spot.segment
        assert report.offset <= spot.offset < report.offset + report.length
        own = DATA_START if spot.offset < DATA_START else LINK_OCTETS
        assert report.length == (records[hit[0]].octets if hit else own)
        assert report.aside is not None
        octets = victim.read_bytes()[report.offset : report.offset + report.length]
        assert report.aside.read_bytes() == octets


def test_no_more_than_so_many_stretches_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_ASIDE", 3)
    with Journal.open(tmp_path) as journal:
        places = journal.append(sample_records(20))
    [path] = tmp_path.glob("*.journal")
    for place in places[::2]:
        flip(path, place.offset * 8)
    with Journal.open(tmp_path) as journal:
        assert [report.aside is not None for report in journal.damage] == [True] * 3 + [False] * 7


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.iterdir()}


def test_what_cannot_be_read_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    rubbish, newer = tmp_path / "rubbish", tmp_path / "newer"
    rubbish.mkdir()
    (rubbish / "000000000001.journal").write_bytes(Random(5).randbytes(5_000))
    path = filled(newer, sample_records(3))[0]
    header = encode(Record(Kind.HEADER, bytes(16), 2, (9).to_bytes(2, "big")))
    (newer / "000000000002.journal").write_bytes(header * 2)
    path.write_bytes(path.read_bytes()[:-1])  # a torn end would be cut
    (newer / "000000000003.unfinished").write_bytes(b"theirs")
    before = contents(rubbish), contents(newer)
    with pytest.raises(errors.StoreError, match=r"put 000000000001\.journal back from a copy, or"):
        Journal.open(rubbish)
    with pytest.raises(errors.JournalTooNew, match="format 9"):
        Journal.open(newer)
    assert (contents(rubbish), contents(newer)) == before


def test_a_wrong_record_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        end = journal.end
        good = sample_records(1)
        with pytest.raises(errors.LimitExceeded):
            journal.append([*good, Record(1, CHANNEL, 1, bytes(MAX_PAYLOAD + 1))])
        with pytest.raises(errors.BadInput):
            journal.append([*good, Record(1, b"", 1, b"")])
        assert journal.end == end
        journal.append(good)
        assert records_in(journal) == good


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path)
    journal.close()
    journal.close()
    for use in (journal.sync, journal.roll, journal.read, lambda: journal.append([])):
        with pytest.raises(errors.StoreError, match="is closed"):
            use()


HOLDER = """
import sys
from pathlib import Path
from tidings.stores.journal import Journal
with Journal.open(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_told_whose_folder_it_is(tmp_path: Path) -> None:
    command, pipe = [sys.executable, "-c", HOLDER, str(tmp_path)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        before = contents(tmp_path)
        with pytest.raises(errors.JournalInUse, match=f"{tmp_path} is open in another process"):
            Journal.open(tmp_path)
        assert contents(tmp_path) == before
        holder.communicate("", timeout=PATIENCE)
        assert holder.returncode == 0
    Journal.open(tmp_path).close()


# A journal that lost a segment, or the end of one, is found out; a crash is not taken for it.

RECORDS = sample_records(40)
SEGMENT = 600


def losses(folder: Path) -> list[tuple[int, str]]:
    with Journal.open(folder, segment_octets=SEGMENT) as journal:
        assert journal.damage == journal.lost
        return [(report.segment, report.what) for report in journal.damage]


@pytest.fixture(params=["closed", "killed"])
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A journal of several segments, which a process has closed or was killed in."""
    journal = Journal.open(tmp_path / "whole", segment_octets=SEGMENT)
    for record in RECORDS:
        journal.append([record])
        journal.sync()
    journal.close() if request.param == "closed" else journal._release()
    return tmp_path / "whole"


def test_every_segment_that_is_deleted_is_missed(whole: Path, tmp_path: Path) -> None:
    files = sorted(whole.glob("*.journal"))
    assert len(files) > 4
    for gone in files:
        copy = shutil.copytree(whole, tmp_path / gone.stem)
        (copy / gone.name).unlink()
        assert losses(copy) == [(int(gone.stem), MISSING)]
    for gone in files:
        gone.unlink()
    assert losses(whole) == [(int(gone.stem), MISSING) for gone in files]


def test_a_cut_at_the_edge_of_any_record_is_seen(whole: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(whole, tmp_path / "copy")
    with Journal.open(copy, segment_octets=SEGMENT) as journal:
        entries = list(journal.read())
        assert journal.damage == []
    for entry in entries:
        folder = shutil.copytree(whole, tmp_path / "cut")
        os.truncate(folder / f"{entry.at.segment:012d}.journal", entry.at.offset)
        assert losses(folder) == [(entry.at.segment, CUT)]
        shutil.rmtree(folder)


def test_it_goes_on_in_a_segment_that_never_was(tmp_path: Path) -> None:
    files = filled(tmp_path, RECORDS, SEGMENT)
    files[-1].unlink()
    with Journal.open(tmp_path) as journal:
        assert journal.end.segment == len(files) + 1
        assert journal.highest == len(RECORDS)
        before = records_in(journal)
    lost = DamageReport(len(files), 0, 0, MISSING)
    with Journal.open(tmp_path) as journal:  # nobody has settled it: it is still unknown
        assert journal.lost == [lost]
        journal.settle([Record(Kind.RESERVED, CHANNEL, 900, b"")])
    with Journal.open(tmp_path) as journal:
        assert (journal.damage, journal.lost) == ([lost], [])
        assert [record.seq for record in records_in(journal)[len(before) :]] == [900]


def test_the_head_of_another_journal_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "one", RECORDS)
    filled(tmp_path / "other", RECORDS)
    shutil.copy(tmp_path / "other" / HEAD, tmp_path / "one" / HEAD)
    with pytest.raises(errors.StoreError, match="head file is of another"):
        Journal.open(tmp_path / "one")


def work(folder: Path) -> None:
    """All that touches the head: new segments, drops, closing, opening again."""
    for round_ in range(2):
        journal = Journal.open(folder, segment_octets=SEGMENT)
        try:
            for start in range(0, 20, 5):
                journal.append(RECORDS[start : start + 5])
                journal.sync()
            journal.drop_before(journal.segments[-1] - round_)
        finally:
            journal.close()


def test_a_process_that_is_killed_at_any_disk_call_has_lost_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = (*CALLS, "fdatasync", "pwrite", "open")
    for at in count(1):
        folder = tmp_path / str(at)
        with monkeypatch.context() as patch:
            patch.setattr(Journal, "close", Journal._release)  # a killed process closes nothing
            try:
                with failing_at(at, Killed, calls):
                    work(folder)
                break
            except Killed:
                pass
        if folder.exists():
            assert losses(folder) == [], at
            shutil.rmtree(folder)
    assert at > 100


# What the disk can do to a journal: no room, failing syncs, failing cuts.


class FailingCall:
    """Stands for a function of `os`: works `good` times, takes `part` octets, then fails."""

    def __init__(self, name: str, code: int, good: int = 0, part: int = 0) -> None:
        self.real = getattr(os, name)
        self.code, self.good, self.part = code, good, part
        self.calls = 0

    def __call__(self, file: int, *rest: bytes) -> object:
        self.calls += 1
        if self.good:
            self.good -= 1
            return self.real(file, *rest)
        if self.part:
            part, self.part = self.part, 0
            return self.real(file, rest[0][:part])
        raise OSError(self.code, os.strerror(self.code))


@contextlib.contextmanager
def failing(name: str, code: int, good: int = 0, part: int = 0) -> Iterator[FailingCall]:
    call = FailingCall(name, code, good, part)
    with mock.patch.object(os, name, call):
        yield call


@pytest.mark.parametrize("part", [0, 1, 50, 300])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_takes_nothing_and_loses_nothing(code: int, part: int, tmp_path: Path) -> None:
    records = sample_records(30)
    with Journal.open(tmp_path) as journal:
        journal.append(records[:10])
        end = journal.end
        with failing("write", code, part=part):
            for _ in range(3):
                with pytest.raises(errors.DiskFull, match="nothing was written"):
                    journal.append(records[10:20])
        assert journal.end == end
        [path] = tmp_path.glob("*.journal")
        assert path.stat().st_size == end.offset
        assert records_in(journal) == records[:10]
        journal.append(records[10:])
    with Journal.open(tmp_path) as journal:
        assert (records_in(journal), journal.damage) == (records, [])


def test_no_room_for_a_new_segment_leaves_the_old_one_in_use(tmp_path: Path) -> None:
    records = sample_records(30)
    with Journal.open(tmp_path, segment_octets=500) as journal:
        journal.append(records[:10])
        with (
            failing("write", errno.ENOSPC, part=5),
            pytest.raises(errors.DiskFull, match="no new segm"),
        ):
            journal.append(records[10:])
        assert journal.segments == [1]
        assert {path.name for path in tmp_path.iterdir()} == {"000000000001.journal", "head"}
        journal.append(records[10:])
        assert journal.segments == [1, 2]
        assert records_in(journal) == records


@pytest.mark.parametrize("free", [0, 1])
def test_a_segment_change_needs_no_descriptor_it_cannot_do_without(
    free: int, tmp_path: Path
) -> None:
    records = sample_records(60)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Journal.open(tmp_path, segment_octets=500) as journal:
        journal.append(records[:10])
        journal.sync()
        taken: list[int] = []
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
            with contextlib.suppress(OSError):
                while True:
                    taken.append(os.open("/dev/null", os.O_RDONLY))
            for _ in range(free):
                os.close(taken.pop())
            journal.append(records[10:40])
            journal.sync()
            assert journal.segments == ([1, 2] if free else [1])
            assert records_in(journal) == records[:40]
        finally:
            for one in taken:
                os.close(one)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        journal.append(records[40:])
        assert len(journal.segments) > 1
        assert records_in(journal) == records
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records
        assert journal.damage == []


def test_a_write_that_cannot_be_taken_back_breaks_the_journal(tmp_path: Path) -> None:
    records = sample_records(4)
    journal = Journal.open(tmp_path)
    journal.append(records[:2])
    full, broken = failing("write", errno.ENOSPC, part=9), failing("ftruncate", errno.EIO)
    with full, broken, pytest.raises(errors.DiskFull):
        journal.append(records[2:])
    with pytest.raises(errors.JournalBroken, match="could not be taken back"):
        journal.append(records[2:])
    assert records_in(journal) == records[:2]
    journal.close()
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records[:2]
        assert [report.what for report in journal.damage] == ["torn"]


def test_a_failed_sync_is_final(tmp_path: Path) -> None:
    records = sample_records(10)
    journal = Journal.open(tmp_path)
    journal.append(records[:5])
    journal.sync()
    journal.append(records[5:])
    with failing("fdatasync", errno.EIO) as call:
        for use in (journal.sync, journal.sync, journal.roll):
            with pytest.raises(errors.JournalBroken, match=r"a sync failed.*open it again"):
                use()
    assert call.calls == 1
    with pytest.raises(errors.JournalBroken):
        journal.append(records)
    with pytest.raises(errors.JournalBroken):
        journal.drop_before(9)
    assert records_in(journal) == records[:5]
    journal.close()
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records[:5]
        journal.append(records[5:])
        journal.sync()
        assert records_in(journal) == records


def test_a_new_segment_whose_name_is_not_synced_breaks_the_journal(tmp_path: Path) -> None:
    records = sample_records(3)
    journal = Journal.open(tmp_path)
    journal.append(records)
    with (
        failing("fsync", errno.EIO, good=1),
        pytest.raises(errors.JournalBroken, match="not be synced"),
    ):
        journal.roll()
    journal.close()
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records
        assert journal.segments == [1, 2]


def test_closing_tells_when_the_last_records_are_not_durable(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path)
    journal.append(sample_records(1))
    with failing("fdatasync", errno.EIO), pytest.raises(errors.JournalBroken):
        journal.close()
    Journal.open(tmp_path).close()  # the lock is free


@pytest.mark.parametrize("good", [0, 1, 2], ids=["folder", "last segment", "its name"])
def test_what_a_killed_process_left_is_synced_before_it_is_served(
    good: int, tmp_path: Path
) -> None:
    Journal.open(tmp_path).close()
    refused = pytest.raises(errors.StoreError, match=r"cannot be (used|opened)")
    with failing("fsync", errno.EIO, good) as call, refused:
        Journal.open(tmp_path)
    assert call.calls == good + 1
    Journal.open(tmp_path).close()
