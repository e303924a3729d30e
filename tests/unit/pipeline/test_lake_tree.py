"""Files of a lake on this machine."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidings.errors import DiskFull, PipelineFailed, StoreError
from tidings.pipeline.lake_tree import LOCK, LocalTree, glob_free, locked_message

HOLDER = """
import sys
from pathlib import Path
from tidings.pipeline.lake_tree import LocalTree
with LocalTree(Path(sys.argv[1])).locked():
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_what_is_written_is_read(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path / "lake")
    assert tree.read("_log/1.json") is None
    assert tree.names("_log") == []
    assert tree.files("_log") == {}
    tree.write("_log/1.json", b"one")
    tree.write("_log/1.json", b"two")
    tree.write("_log/deep/2.json", b"four")
    assert tree.read("_log/1.json") == b"two"
    assert tree.names("_log") == ["1.json", "deep"]
    assert tree.files("_log") == {"_log/1.json": 3, "_log/deep/2.json": 4}
    assert tree.exists("_log/deep")
    assert not tree.exists("_log/3.json")


def test_half_a_file_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = LocalTree(tmp_path)
    tree.write("a/1", b"old")

    def dead(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", dead)
    with pytest.raises(KeyboardInterrupt):
        tree.write("a/1", b"new")
    assert tree.read("a/1") == b"old"
    assert tree.names("a") == ["1"]
    assert tree.files("a") == {"a/1": 3}


def test_renaming_makes_folders_and_replaces(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    tree.write("a", b"new")
    tree.write("x/y/b", b"old")
    tree.rename("a", "x/y/b")
    assert tree.read("x/y/b") == b"new"
    assert not tree.exists("a")
    with pytest.raises(StoreError, match="cannot become"):
        tree.rename("a", "b")


def test_removing_takes_files_and_folders_and_what_is_not_there(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    tree.write("x/y/b", b"b")
    tree.remove("x")
    tree.remove("x/y/b")
    assert not tree.exists("x")


def test_no_room_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = LocalTree(tmp_path)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match="no room on the disk; the lake is unharmed"):
        tree.write("a", b"a")


def test_rows_are_those_of_the_footer(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "good.parquet")
    (tmp_path / "bad.parquet").write_bytes((tmp_path / "good.parquet").read_bytes()[:-3])
    assert tree.rows("good.parquet") == 3
    with pytest.raises(StoreError, match=r"bad\.parquet is no whole Parquet file"):
        tree.rows("bad.parquet")


def test_a_second_writer_is_kept_out_until_the_first_is_dead(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        said = f"process {holder.pid} on .* is writing to the lake {tmp_path}"
        with pytest.raises(PipelineFailed, match=said), LocalTree(tmp_path).locked():
            pass
        holder.kill()
        holder.wait()
    assert (tmp_path / LOCK).exists()
    with LocalTree(tmp_path).locked():
        assert str(os.getpid()).encode() in (tmp_path / LOCK).read_bytes()
    with LocalTree(tmp_path).locked():
        pass


def test_a_lock_that_says_nothing() -> None:
    assert locked_message("here", b"").startswith("another process is writing to the lake here")


def test_patterns_are_no_patterns() -> None:
    assert glob_free("/a/{b}/c*[d]") == r"/a/\{b\}/c\*\[d\]"
