"""Killed or refused anywhere, the archiver goes on from the last seal: the same rows, each once."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from tests.archive_worlds import FIRST_US, archive_journal
from tests.edges.stores.archive import small_journal as small
from tests.edges.stores.archive.failing_disk import Killed, counted_calls, failing_at
from tidings.clock import ManualClock
from tidings.errors import DiskFull, StoreError
from tidings.stores.archive import retention
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.manifest import Manifest, read_manifest
from tidings.stores.archive.sealing import ManifestFile
from tidings.stores.segments import Cursor

OPTIONS = ArchiveOptions(seal_rows=8)


class Small(NamedTuple):
    journal: Path
    archive: Path
    end: Cursor


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Small:
    folder = tmp_path_factory.mktemp("world")
    end = small.small_journal(folder / "journal")
    archive_journal(folder / "journal", folder / "archive", OPTIONS)
    return Small(folder / "journal", folder / "archive", end)


def archived_until_killed(world: Small, folder: Path, at: int) -> None:
    with contextlib.ExitStack() as stack, contextlib.suppress(Killed), failing_at(at, Killed):
        archiver = Archiver(world.journal, folder, OPTIONS, ManualClock(FIRST_US))
        stack.callback(archiver.close)
        archiver.advance(world.end, seal=True)


def nothing_else_is_there(folder: Path) -> None:
    """Every file is one that the manifest names."""
    manifest = read_manifest(folder)
    named = {file.path for file in manifest.files}
    kept = {seal.books for seal in manifest.seals[-2:]}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found - kept == named | {"manifest.jsonl"}
    assert manifest.seals[-1].books in found


@pytest.mark.parametrize("first", [1, 2, 3])
def test_killed_at_every_step(world: Small, tmp_path: Path, first: int) -> None:
    expected, books = small.all_rows(world.archive), small.last_books_of(world.archive)
    steps = counted_calls(lambda: archive_journal(world.journal, tmp_path / "whole", OPTIONS))
    assert steps > 50
    for at in range(first, steps + 1, 3):
        folder = tmp_path / str(at)
        archived_until_killed(world, folder, at)
        archive_journal(world.journal, folder, OPTIONS)
        assert small.all_rows(folder) == expected
        found = small.last_books_of(folder)
        found.seal = books.seal
        assert found == books
        nothing_else_is_there(folder)
        shutil.rmtree(folder)


def test_killed_again_and_again(world: Small, tmp_path: Path) -> None:
    for at in range(1, 40, 3):
        archived_until_killed(world, tmp_path, at)
    archive_journal(world.journal, tmp_path, OPTIONS)
    assert small.all_rows(tmp_path) == small.all_rows(world.archive)
    nothing_else_is_there(tmp_path)


@pytest.mark.parametrize(("code", "error"), [(errno.ENOSPC, DiskFull), (errno.EIO, StoreError)])
def test_a_disk_that_refuses_anywhere(
    world: Small, tmp_path: Path, code: int, error: type[StoreError]
) -> None:
    expected = small.all_rows(world.archive)
    steps = counted_calls(lambda: archive_journal(world.journal, tmp_path / "whole", OPTIONS))
    for at in range(1, steps + 1, 2):
        folder = tmp_path / str(at)
        with Archiver(world.journal, folder, OPTIONS, ManualClock(FIRST_US)) as archiver:
            try:
                with failing_at(at, lambda: OSError(code, os.strerror(code))):
                    archiver.advance(world.end, seal=True)
            except error as raised:
                assert os.strerror(code) in str(raised)  # noqa: PT017 - not all steps are reached
                if read_manifest(folder).seals:
                    nothing_else_is_there(folder)
            archiver.advance(world.end, seal=True)  # there is room again
        assert small.all_rows(folder) == expected
        shutil.rmtree(folder)


def no_space() -> OSError:
    return OSError(errno.ENOSPC, "No space left on device")


def test_nothing_more_is_read_while_there_is_no_room(world: Small, tmp_path: Path) -> None:
    with Archiver(world.journal, tmp_path, OPTIONS, ManualClock(FIRST_US)) as archiver:
        for at in (1, 2, 3):
            with (
                failing_at(at, no_space, ("write",)),
                pytest.raises(DiskFull, match="No space left on device; nothing half-written"),
            ):
                archiver.advance(world.end, seal=True)
            assert archiver._rows.segment.rows < 8 + 2
            assert not list(tmp_path.rglob("*.parquet*"))
        archiver.advance(world.end, seal=True)
    assert small.all_rows(tmp_path) == small.all_rows(world.archive)


def test_a_manifest_that_cannot_be_cut_back_ends_it(world: Small, tmp_path: Path) -> None:
    with Archiver(world.journal, tmp_path, OPTIONS, ManualClock(FIRST_US)) as archiver:
        archiver.advance(world.end, seal=True)
        manifest = archiver._manifest
        assert manifest is not None
        with (
            mock.patch.object(os, "fsync", side_effect=OSError(errno.EIO, "broken")),
            pytest.raises(OSError, match="broken"),
        ):
            manifest.append(b"x\n")
        with pytest.raises(StoreError, match="open the archive again"):
            manifest.append(b"x\n")
    archive_journal(world.journal, tmp_path, OPTIONS)
    assert small.all_rows(tmp_path) == small.all_rows(world.archive)


_CHILD = """
import sys
from pathlib import Path
from tests.archive_worlds import archive_journal
from tidings.stores.archive.archiver import ArchiveOptions
print("begins", flush=True)
archive_journal(Path(sys.argv[1]), Path(sys.argv[2]), ArchiveOptions(seal_rows=1))
"""


def test_a_process_that_is_killed(world: Small, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _CHILD, str(world.journal), str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    for after in (0.02, 0.08, 0.15):
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"begins\n"
            time.sleep(after)  # the moment is what is tried
            child.kill()
    archive_journal(world.journal, tmp_path, ArchiveOptions(seal_rows=1))
    assert small.all_rows(tmp_path) == small.all_rows(world.archive)
    small.check_ledger(tmp_path)
    nothing_else_is_there(tmp_path)


# A manifest that is folded says the same, and an archive that is killed meanwhile has the same.

ALL = ArchiveOptions(seal_rows=3)
LESS = ArchiveOptions(seal_rows=3, keep_octets=60_000)
RECORDS = [
    small.channel(),
    *(
        one
        for n in range(1, 15)
        for one in (small.plan(n, [3]), small.happened(n, [3]), small.outcome([n], 3))
    ),
]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal, with an archive of all of it in the folder `all`."""
    small.written(tmp_path / "journal", RECORDS)
    archive_journal(tmp_path / "journal", tmp_path / "all", ALL)
    return tmp_path / "journal"


def check(folder: Path, everything: dict[str, list[dict[str, Any]]]) -> Manifest:
    """Every row is there, or among the sums of what is gone; nothing else is there."""
    manifest = read_manifest(folder)
    rows = small.all_rows(folder)
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
    everything = small.all_rows(tmp_path / "all")
    archive_journal(journal, tmp_path / "plain", LESS)
    before = check(tmp_path / "plain", everything)
    monkeypatch.setattr(retention, "LEAST_OCTETS", 3_000)
    folder = tmp_path / "folded"
    archive_journal(journal, folder, LESS)
    after = check(folder, everything)
    assert small.last_books_of(folder) == small.last_books_of(tmp_path / "plain")
    assert after.last_seal == before.last_seal > after.folded > 5
    assert after.end < before.end / 2
    assert len(after.select("plans")) < len(before.select("plans")) / 2
    assert all(after.is_gone(path) for path in before.dropped - {f.path for f in after.files})
    assert not any(after.is_gone(file.path) for file in after.files)


def test_killed_at_every_step_while_folding(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = small.all_rows(tmp_path / "all")
    start = tmp_path / "start"
    archive_journal(journal, start, LESS, read_manifest(tmp_path / "all").seals[-2].cursor)
    monkeypatch.setattr(retention, "LEAST_OCTETS", 0)
    whole = shutil.copytree(start, tmp_path / "whole")
    steps = counted_calls(lambda: archive_journal(journal, whole, LESS))
    assert check(whole, everything).folded
    for at in range(1, steps + 1):
        folder = shutil.copytree(start, tmp_path / str(at))
        with contextlib.suppress(Killed), failing_at(at, Killed):
            archive_journal(journal, folder, LESS)
        archive_journal(journal, folder, LESS)
        check(folder, everything)
        shutil.rmtree(folder)


def test_no_room_to_fold_leaves_it_as_it_is(
    journal: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        mock.patch.object(retention, "LEAST_OCTETS", 0),
        mock.patch.object(ManifestFile, "replace", side_effect=no_space()),
    ):
        archive_journal(journal, tmp_path / "full", ALL)
    assert "stays long: " in caplog.text
    assert small.all_rows(tmp_path / "full") == small.all_rows(tmp_path / "all")
