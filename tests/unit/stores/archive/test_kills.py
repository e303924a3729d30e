"""Killed anywhere, the archiver goes on from the last seal: the same rows, each once."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from tests.archive_worlds import FIRST_US, archive_journal
from tests.unit.stores.archive.archive_rows import all_rows, check_ledger, last_books_of
from tests.unit.stores.archive.failing_disk import Killed, counted_calls, failing_at
from tests.unit.stores.archive.small_journal import small_journal
from tidings.clock import ManualClock
from tidings.errors import DiskFull, StoreError
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.segments import Cursor

OPTIONS = ArchiveOptions(seal_rows=8)


class Small(NamedTuple):
    journal: Path
    archive: Path
    end: Cursor


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Small:
    folder = tmp_path_factory.mktemp("world")
    end = small_journal(folder / "journal")
    archive_journal(folder / "journal", folder / "archive", OPTIONS)
    return Small(folder / "journal", folder / "archive", end)


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, and real syncs would take most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def archived_until_killed(world: Small, folder: Path, at: int) -> None:
    archiver = None
    try:
        with failing_at(at, Killed):
            archiver = Archiver(world.journal, folder, OPTIONS, ManualClock(FIRST_US))
            archiver.advance(world.end, seal=True)
    except Killed:
        pass
    finally:
        if archiver is not None:
            archiver.close()


def nothing_else_is_there(folder: Path) -> None:
    """Every file is one that the manifest names."""
    manifest = read_manifest(folder)
    named = {file.path for file in manifest.files}
    kept = {seal.books for seal in manifest.seals[-2:]}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found - kept == named | {"manifest.jsonl"}
    assert manifest.seals[-1].books in found


def test_killed_at_every_step(world: Small, tmp_path: Path) -> None:
    expected, books = all_rows(world.archive), last_books_of(world.archive)
    steps = counted_calls(lambda: archive_journal(world.journal, tmp_path / "whole", OPTIONS))
    assert steps > 50
    for at in range(1, steps + 1):
        folder = tmp_path / str(at)
        archived_until_killed(world, folder, at)
        archive_journal(world.journal, folder, OPTIONS)
        assert all_rows(folder) == expected
        found = last_books_of(folder)
        found.seal = books.seal
        assert found == books
        nothing_else_is_there(folder)
        shutil.rmtree(folder)


def test_killed_again_and_again(world: Small, tmp_path: Path) -> None:
    for at in range(1, 40, 3):
        archived_until_killed(world, tmp_path, at)
    archive_journal(world.journal, tmp_path, OPTIONS)
    assert all_rows(tmp_path) == all_rows(world.archive)
    nothing_else_is_there(tmp_path)


@pytest.mark.parametrize(("code", "error"), [(errno.ENOSPC, DiskFull), (errno.EIO, StoreError)])
def test_a_disk_that_refuses_anywhere(
    world: Small, tmp_path: Path, code: int, error: type[StoreError]
) -> None:
    expected = all_rows(world.archive)
    steps = counted_calls(lambda: archive_journal(world.journal, tmp_path / "whole", OPTIONS))
    for at in range(1, steps + 1, 2):
        folder = tmp_path / str(at)
        try:
            archiver = Archiver(world.journal, folder, OPTIONS, ManualClock(FIRST_US))
        except StoreError:
            continue
        with archiver:
            raised = None
            try:
                with failing_at(at, lambda: OSError(code, os.strerror(code))):
                    archiver.advance(world.end, seal=True)
            except StoreError as found:
                raised = found
            if raised is not None:
                assert isinstance(raised, error)
                assert os.strerror(code) in str(raised)
                if read_manifest(folder).seals:
                    nothing_else_is_there(folder)
            archiver.advance(world.end, seal=True)  # there is room again
        assert all_rows(folder) == expected
        shutil.rmtree(folder)


def no_space() -> OSError:
    return OSError(errno.ENOSPC, "No space left on device")


def test_nothing_more_is_read_while_there_is_no_room(world: Small, tmp_path: Path) -> None:
    with Archiver(world.journal, tmp_path, OPTIONS, ManualClock(FIRST_US)) as archiver:
        for _ in range(3):
            with (
                failing_at(1, no_space, ("write",)),
                pytest.raises(DiskFull, match="No space left on device; nothing half-written"),
            ):
                archiver.advance(world.end, seal=True)
            assert archiver._rows.segment.rows < 8 + 2
            assert not list(tmp_path.rglob("*.parquet*"))
        archiver.advance(world.end, seal=True)
    assert all_rows(tmp_path) == all_rows(world.archive)


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
    assert all_rows(tmp_path) == all_rows(world.archive)


_CHILD = """
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock
from tests.archive_worlds import archive_journal
from tidings.stores.archive.archiver import ArchiveOptions
print("begins", flush=True)
archive_journal(Path(sys.argv[1]), Path(sys.argv[2]), ArchiveOptions(seal_rows=1))
"""


def test_a_process_that_is_killed(world: Small, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _CHILD, str(world.journal), str(tmp_path)]
    sealed = []
    for after in (0.02, 0.08, 0.15):
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(Path.cwd())}
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"begins\n"
        time.sleep(after)  # the moment is what is tried
        child.send_signal(signal.SIGKILL)
        child.wait(10)
        child.stdout.close()
        if (tmp_path / "manifest.jsonl").exists():
            sealed.append(read_manifest(tmp_path).last_seal)
    archive_journal(world.journal, tmp_path, ArchiveOptions(seal_rows=1))
    assert all_rows(tmp_path) == all_rows(world.archive)
    check_ledger(tmp_path)
    nothing_else_is_there(tmp_path)
