"""A journal that lost a segment, or the end of one, is found out; a crash is not taken for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.stores.archive.failing_disk import CALLS, Killed, failing_at
from tests.unit.stores.sample_journal import CHANNEL, filled, records_in, sample_records
from tidings.errors import StoreError
from tidings.stores.chain import CUT, HEAD, HEADLESS, LINK_OCTETS, MISSING, read_head
from tidings.stores.journal import Journal
from tidings.stores.records import Kind, Record
from tidings.stores.segments import DATA_START, Cursor, DamageReport, read_entries

RECORDS = sample_records(40)
SEGMENT = 600


def losses(folder: Path) -> list[tuple[int, str]]:
    with Journal.open(folder, segment_octets=SEGMENT) as journal:
        assert journal.damage == journal.lost
        return [(report.segment, report.what) for report in journal.damage]


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(os, "fdatasync", lambda _: None)


def test_every_segment_that_is_deleted_is_missed(tmp_path: Path) -> None:
    files = filled(tmp_path / "whole", RECORDS, SEGMENT)
    assert len(files) > 4
    for gone in files:
        copy = shutil.copytree(tmp_path / "whole", tmp_path / gone.stem)
        (copy / gone.name).unlink()
        assert losses(copy) == [(int(gone.stem), MISSING)]
    shutil.copytree(tmp_path / "whole", tmp_path / "empty")
    for gone in files:
        (tmp_path / "empty" / gone.name).unlink()
    assert losses(tmp_path / "empty") == [(int(gone.stem), MISSING) for gone in files]


def test_a_cut_at_the_edge_of_any_record_is_seen(tmp_path: Path) -> None:
    files = filled(tmp_path / "whole", RECORDS, SEGMENT)
    with Journal.open(tmp_path / "whole", segment_octets=SEGMENT) as journal:
        entries = list(journal.read())
        assert journal.damage == []
    for entry in entries:
        folder = shutil.copytree(tmp_path / "whole", tmp_path / "cut")
        name = files[entry.at.segment - 1].name
        os.truncate(folder / name, entry.at.offset)
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


def test_a_first_segment_that_was_dropped_is_not_missed(tmp_path: Path) -> None:
    filled(tmp_path, RECORDS, SEGMENT)
    with Journal.open(tmp_path) as journal:
        journal.drop_before(3)
    assert losses(tmp_path) == []
    (tmp_path / "000000000003.journal").unlink()
    with Journal.open(tmp_path) as journal:
        assert journal.lost == [DamageReport(3, 0, 0, MISSING)]
        journal.settle([])
    assert losses(tmp_path) == []


def test_a_journal_of_an_older_version_is_taken_as_it_is(tmp_path: Path) -> None:
    files = filled(tmp_path, RECORDS, 10_000_000)
    (tmp_path / HEAD).unlink()
    with Journal.open(tmp_path, segment_octets=SEGMENT) as journal:
        assert journal.damage == []
        journal.append(RECORDS)
        assert records_in(journal) == RECORDS * 2
    os.truncate(files[0], files[0].stat().st_size - RECORDS[-1].octets)
    assert losses(tmp_path) == [(1, CUT)]


def test_without_its_head_a_chain_says_so(tmp_path: Path) -> None:
    filled(tmp_path, RECORDS, SEGMENT)
    (tmp_path / HEAD).unlink()
    assert losses(tmp_path) == [(0, HEADLESS)]
    assert losses(tmp_path) == []


def test_the_head_of_another_journal_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "one", RECORDS)
    filled(tmp_path / "other", RECORDS)
    shutil.copy(tmp_path / "other" / HEAD, tmp_path / "one" / HEAD)
    with pytest.raises(StoreError, match="head file is of another"):
        Journal.open(tmp_path / "one")


def test_a_torn_head_leaves_the_one_before(tmp_path: Path) -> None:
    filled(tmp_path, RECORDS, SEGMENT)
    whole = (tmp_path / HEAD).read_bytes()
    slots = [whole[at : at + 512] for at in (0, 512, 1_024)]
    for torn in range(3):
        parts = [part if at != torn else bytes(30) + part[30:] for at, part in enumerate(slots)]
        (tmp_path / HEAD).write_bytes(b"".join(parts))
        head = read_head(tmp_path)
        assert head is not None
        assert head.newest == int(max(tmp_path.glob("*.journal")).stem)


def test_somebody_who_knows_more_moves_it_on(tmp_path: Path) -> None:
    filled(tmp_path, RECORDS)
    head = read_head(tmp_path)
    assert head is not None
    beyond = head._replace(newest=4, end=200, highest=700)
    with Journal.open(tmp_path, beyond=beyond) as journal:
        assert journal.highest == 700
        assert journal.segments == [1, 5]
        assert [report.segment for report in journal.lost] == [2, 3, 4]
        link = next(read_entries(tmp_path, journal.id, Cursor(5, DATA_START)))
        assert link.record.octets == LINK_OCTETS  # type: ignore[union-attr]


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
    real: Callable[[Journal], None] = Journal.close
    at = 0
    while True:
        at += 1
        folder = tmp_path / str(at)
        with monkeypatch.context() as patch:
            patch.setattr(Journal, "close", Journal._release)  # a killed process closes nothing
            try:
                with failing_at(at, Killed, calls):
                    work(folder)
            except Killed:
                pass
            else:
                break
        assert Journal.close is real
        if folder.exists():
            assert losses(folder) == [], at
            shutil.rmtree(folder)
    assert at > 100
