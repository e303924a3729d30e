"""A manifest that is folded says the same, and an archive that is killed meanwhile has the same."""

from __future__ import annotations

import errno
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.archive_worlds import archive_journal
from tests.unit.stores.archive.archive_rows import all_rows, last_books_of
from tests.unit.stores.archive.failing_disk import Killed, counted_calls, failing_at
from tests.unit.stores.archive.small_journal import channel, happened, outcome, plan, written
from tidings.stores.archive import compaction
from tidings.stores.archive.archiver import ArchiveOptions
from tidings.stores.archive.manifest import Manifest, read_manifest
from tidings.stores.archive.sealing import ManifestFile

ALL = ArchiveOptions(seal_rows=3)
OPTIONS = ArchiveOptions(seal_rows=3, keep_octets=60_000)
RECORDS = [
    channel(),
    *(one for n in range(1, 15) for one in (plan(n, [3]), happened(n, [3]), outcome([n], 3))),
]


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, and real syncs would take most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    written(tmp_path / "journal", RECORDS)
    return tmp_path / "journal"


def check(folder: Path, everything: dict[str, list[dict[str, Any]]]) -> Manifest:
    """Every row is there, or among the sums of what is gone; nothing else is there."""
    manifest = read_manifest(folder)
    rows = all_rows(folder)
    for kind, expected in everything.items():
        sums = Counter({"rows": len(rows[kind]), "sum": sum(r.get("seq", 0) for r in rows[kind])})
        for file in manifest.gone:
            for count, total in file.sums.values() if file.kind == kind else ():
                sums.update({"rows": count, "sum": total})
        total = sum(row.get("seq", 0) for row in expected)
        assert sums == Counter({"rows": len(expected), "sum": total})
        assert [row for row in expected if row in rows[kind]] == rows[kind]
    assert manifest.problems == ()
    there = {str(path.relative_to(folder)) for path in folder.rglob("*.parquet*")}
    assert there == {file.path for file in manifest.files}
    return manifest


def test_rows_books_and_sums_are_the_same(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_journal(journal, tmp_path / "all", ALL)
    everything = all_rows(tmp_path / "all")
    archive_journal(journal, tmp_path / "plain", OPTIONS)
    before = check(tmp_path / "plain", everything)
    monkeypatch.setattr(compaction, "LEAST_OCTETS", 3_000)
    folder = tmp_path / "folded"
    archive_journal(journal, folder, OPTIONS)
    after = check(folder, everything)
    assert last_books_of(folder) == last_books_of(tmp_path / "plain")
    assert after.last_seal == before.last_seal > after.folded > 5
    assert after.end < before.end / 2
    assert len(after.select("plans")) < len(before.select("plans")) / 2
    assert all(after.is_gone(path) for path in before.dropped - {f.path for f in after.files})
    assert not any(after.is_gone(file.path) for file in after.files)


def test_killed_at_every_step(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_journal(journal, tmp_path / "all", ALL)
    everything = all_rows(tmp_path / "all")
    start = tmp_path / "start"
    seal = read_manifest(tmp_path / "all").seals[-2]
    archive_journal(journal, start, OPTIONS, seal.cursor)
    monkeypatch.setattr(compaction, "LEAST_OCTETS", 0)
    steps = counted_calls(
        lambda: archive_journal(journal, shutil.copytree(start, tmp_path / "whole"), OPTIONS)
    )
    assert check(tmp_path / "whole", everything).folded
    for at in range(1, steps + 1):
        folder = shutil.copytree(start, tmp_path / str(at))
        try:
            with failing_at(at, Killed):
                archive_journal(journal, folder, OPTIONS)
        except Killed:
            pass
        archive_journal(journal, folder, OPTIONS)
        check(folder, everything)
        shutil.rmtree(folder)


def test_no_room_to_compact_leaves_it_as_it_is(
    journal: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(compaction, "LEAST_OCTETS", 0)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ManifestFile, "replace", refuse)
    archive_journal(journal, tmp_path / "full", ALL)
    assert "stays long: " in caplog.text
    monkeypatch.undo()
    archive_journal(journal, tmp_path / "all", ALL)
    assert all_rows(tmp_path / "full") == all_rows(tmp_path / "all")
