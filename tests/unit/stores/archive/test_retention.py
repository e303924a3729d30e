from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.stores.archive.archive_rows import rows_of
from tests.unit.stores.archive.failing_disk import Killed, failing_at
from tests.unit.stores.archive.small_journal import HOUR, START, channel, happened, plan, written
from tidings.clock import ManualClock
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.journal import Journal
from tidings.stores.segments import Cursor

RECORDS = [channel(), *(happened(n, at=START + n * HOUR) for n in range(1, 9)), plan(1, [3])]


def archived(tmp_path: Path, now: int = START + 8 * HOUR, **keep: int) -> tuple[Archiver, Cursor]:
    end = written(tmp_path / "journal", RECORDS)
    options = ArchiveOptions(seal_rows=2, **keep)
    return Archiver(tmp_path / "journal", tmp_path / "a", options, ManualClock(now)), end


def test_the_oldest_go_first(tmp_path: Path) -> None:
    archiver, end = archived(tmp_path, keep_octets=60_000)
    with archiver:
        archiver.advance(end, seal=True)
    manifest = read_manifest(tmp_path / "a")
    assert sum(file.octets for file in manifest.files) <= 60_000
    seqs = [row["seq"] for row in rows_of(tmp_path / "a", "events")]
    assert 0 < len(seqs) < 8
    assert seqs == list(range(9 - len(seqs), 9))
    assert len(manifest.dropped) == 8 - len(seqs)
    assert not any((tmp_path / "a" / path).exists() for path in manifest.dropped)


def test_what_is_too_old_goes_and_plans_stay(tmp_path: Path) -> None:
    """A clock that is set makes nothing old; a pause between two runs counts for a day at most."""
    day = 24 * HOUR
    end = written(tmp_path / "journal", RECORDS)
    options = ArchiveOptions(seal_rows=2, keep_microseconds=4 * day)
    wall, passing = ManualClock(START), ManualClock()

    def archive(upto: Cursor, pace: int) -> list[int]:
        def slowly(_: object) -> None:
            passing.advance(pace)
            wall.advance(1_000 * day)

        folders = tmp_path / "journal", tmp_path / "a"
        with Archiver(*folders, options, wall, on_seal=slowly, monotonic=passing.now) as archiver:
            archiver.advance(upto, seal=True)
        return [row["seq"] for row in rows_of(tmp_path / "a", "events")]

    assert archive(end, 2 * day) == [6, 7, 8]
    with Journal.open(tmp_path / "journal") as journal:
        journal.append([happened(9)])
        journal.sync()
        end = journal.synced
    wall.advance(1_000 * day)
    assert archive(end, 0) == [6, 7, 8, 9]
    assert len(rows_of(tmp_path / "a", "plans")) == len(rows_of(tmp_path / "a", "objects")) == 1


def test_nothing_but_plans_and_objects_is_left_at_most(tmp_path: Path) -> None:
    archiver, end = archived(tmp_path, keep_octets=0)
    with archiver:
        archiver.advance(end, seal=True)
    kinds = {file.kind for file in read_manifest(tmp_path / "a").files}
    assert kinds == {"plans", "objects"}


def test_killed_while_dropping(tmp_path: Path) -> None:
    for at in range(1, 60, 3):
        folder = tmp_path / str(at)
        archiver, end = archived(folder, keep_octets=60_000)
        with archiver:
            try:
                with failing_at(at, Killed):
                    archiver.advance(end, seal=True)
            except Killed:
                pass
        archiver, _ = archived(folder, keep_octets=60_000)
        with archiver:
            archiver.advance(end, seal=True)
        manifest = read_manifest(folder / "a")
        there = {str(p.relative_to(folder / "a")) for p in (folder / "a").rglob("*.parquet")}
        assert there == {file.path for file in manifest.files}


def test_without_options_nothing_goes(tmp_path: Path) -> None:
    archiver, end = archived(tmp_path)
    with archiver:
        archiver.advance(end, seal=True)
    assert not read_manifest(tmp_path / "a").dropped


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, and real syncs would take most of the time."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr("os.fdatasync", lambda _: None)
