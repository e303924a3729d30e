"""What the disk can do to a journal: no room, failing syncs, failing cuts."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.stores.sample_journal import CHANNEL, records_in, sample_records
from tidings.errors import DiskFull, JournalBroken, StoreError
from tidings.stores.journal import Journal
from tidings.stores.records import Record

# Fills a journal under a file size limit, then raises the limit and goes on.
LIMITED = """
import resource, sys
from pathlib import Path
from tidings.errors import DiskFull
from tidings.stores.journal import Journal
from tidings.stores.records import Record
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
journal = Journal.open(Path(sys.argv[1]))
taken = refused = 0
for seq in range(40):
    try:
        journal.append([Record(1, bytes(16), seq, bytes(958))])
        taken += 1
    except DiskFull:
        refused += 1
        if refused == 5:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
journal.close()
print(taken, refused)
"""


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


@pytest.mark.parametrize("part", [0, 1, 50, 300])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_takes_nothing_and_loses_nothing(
    code: int, part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = sample_records(30)
    with Journal.open(tmp_path) as journal:
        journal.append(records[:10])
        end = journal.end
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", FailingCall("write", code, part=part))
            for _ in range(3):
                with pytest.raises(DiskFull, match="nothing was written"):
                    journal.append(records[10:20])
        assert journal.end == end
        [path] = tmp_path.glob("*.journal")
        assert path.stat().st_size == end.offset
        assert records_in(journal) == records[:10]
        journal.append(records[10:])
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records
        assert journal.damage == []


def test_a_real_limit_of_the_system_is_a_full_disk(tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("35 5\n", "")
    with Journal.open(tmp_path) as journal:
        assert [record.seq for record in records_in(journal)] == [*range(9), *range(14, 40)]
        assert journal.damage == []


def test_no_room_for_a_new_segment_leaves_the_old_one_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = sample_records(30)
    with Journal.open(tmp_path, segment_octets=500) as journal:
        journal.append(records[:10])
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", FailingCall("write", errno.ENOSPC, part=5))
            with pytest.raises(DiskFull, match="no new segment"):
                journal.append(records[10:])
        assert journal.segments == [1]
        assert {path.name for path in tmp_path.iterdir()} == {"000000000001.journal", "head"}
        journal.append(records[10:])
        assert journal.segments == [1, 2]
        assert records_in(journal) == records


def test_an_error_of_a_write_that_may_pass_is_taken_back_and_another_is_final(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = sample_records(2)
    journal = Journal.open(tmp_path)
    for code in (errno.ENOMEM, errno.EIO):
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", FailingCall("write", code, part=9))
            with pytest.raises(StoreError, match=os.strerror(code)) as caught:
                journal.append(records)
        assert type(caught.value) is (JournalBroken if code == errno.EIO else StoreError)
        assert isinstance(caught.value.__cause__, OSError)
        if code != errno.EIO:
            journal.append(records)
    with pytest.raises(JournalBroken, match="a write failed"):
        journal.append(records)
    assert records_in(journal) == records
    journal.close()
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records
        assert journal.damage == []


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


def test_a_write_that_cannot_be_taken_back_breaks_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = sample_records(4)
    journal = Journal.open(tmp_path)
    journal.append(records[:2])
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", FailingCall("write", errno.ENOSPC, part=9))
        patch.setattr(os, "ftruncate", FailingCall("ftruncate", errno.EIO))
        with pytest.raises(DiskFull):
            journal.append(records[2:])
    with pytest.raises(JournalBroken, match="could not be taken back"):
        journal.append(records[2:])
    assert records_in(journal) == records[:2]
    journal.close()
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records[:2]
        assert [report.what for report in journal.damage] == ["torn"]


def test_a_failed_sync_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = sample_records(10)
    journal = Journal.open(tmp_path)
    journal.append(records[:5])
    journal.sync()
    journal.append(records[5:])
    failing = FailingCall("fdatasync", errno.EIO)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", failing)
        for use in (journal.sync, journal.sync, journal.roll):
            with pytest.raises(JournalBroken, match=r"a sync failed.*open it again"):
                use()
    assert failing.calls == 1
    with pytest.raises(JournalBroken):
        journal.append(records)
    with pytest.raises(JournalBroken):
        journal.drop_before(9)
    assert records_in(journal) == records[:5]
    journal.close()
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records[:5]
        journal.append(records[5:])
        journal.sync()
        assert records_in(journal) == records


def test_a_new_segment_whose_name_is_not_synced_breaks_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = sample_records(3)
    journal = Journal.open(tmp_path)
    journal.append(records)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", FailingCall("fsync", errno.EIO, good=1))
        with pytest.raises(JournalBroken, match="could not be synced"):
            journal.roll()
    journal.close()
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == records
        assert journal.segments == [1, 2]


def test_closing_tells_when_the_last_records_are_not_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal.open(tmp_path)
    journal.append(sample_records(1))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", FailingCall("fdatasync", errno.EIO))
        with pytest.raises(JournalBroken):
            journal.close()
    Journal.open(tmp_path).close()  # the lock is free


def test_syncs_are_real_and_only_where_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal.open(tmp_path) as journal:
        counting = FailingCall("fdatasync", 0, good=99)
        monkeypatch.setattr(os, "fdatasync", counting)
        journal.sync()
        assert counting.calls == 0
        journal.append([Record(1, CHANNEL, 1, b"")])
        journal.sync()
        journal.sync()
        assert counting.calls == 1
        journal.append([Record(1, CHANNEL, 2, b"")])
        journal.roll()
        assert counting.calls == 3  # the head, too


@pytest.mark.parametrize("good", [0, 1, 2], ids=["folder", "last segment", "its name"])
def test_what_a_killed_process_left_is_synced_before_it_is_served(
    good: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal.open(tmp_path).close()
    failing = FailingCall("fsync", errno.EIO, good)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(StoreError, match=r"cannot be (used|opened)"):
            Journal.open(tmp_path)
    assert failing.calls == good + 1
    Journal.open(tmp_path).close()
