"""The log of a lake: killed at every step, no row is lost and none is there twice.

These lakes need no Spark: their files hold row numbers, on a disk that dies at a chosen step.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tidings.errors import PipelineFailed, TidingsError
from tidings.pipeline.lake import log as lake_log
from tidings.pipeline.lake.log import (
    LOG,
    STAGING,
    LakeBatch,
    LakeLog,
    LakeState,
    LakeTree,
    StagedFile,
)

SCHEMA = "_schemas/Traffic/Speed.json"


class Killed(BaseException):
    """The process is gone."""


class DyingTree(LakeTree):
    """Dies at a step, counted over all that changes something; each counts before and after."""

    def __init__(self, folder: Path, step: int) -> None:
        super().__init__(folder)
        self._left = step

    def _tick(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise Killed

    def write(self, name: str, octets: bytes) -> None:
        self._tick()
        super().write(name, octets)
        self._tick()

    def rename(self, old: str, new: str) -> None:
        self._tick()
        super().rename(old, new)
        self._tick()

    def remove(self, name: str) -> None:
        self._tick()
        super().remove(name)
        self._tick()

    def sync(self, names: Iterable[str]) -> None:
        self._tick()
        super().sync(names)
        self._tick()


def batch_of(number: int, upto_seal: int, kind: str = "take", **rest: object) -> LakeBatch:
    fields: dict[str, object] = {"staging": "s", "at_us": 5, "kind": kind, **rest}
    return LakeBatch(batch=number, upto_seal=upto_seal, **fields)  # type: ignore[arg-type]


def take(tree: LakeTree, rows: Iterable[int], upto_seal: int) -> None:
    """Takes rows in, as a batch of two files and a schema."""
    log = LakeLog(tree)
    number = log.state().batch + 1
    staging = log.new_staging(number)
    numbers = list(rows)
    halves = [numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]]
    adds = [_staged(tree, staging, number, k, half) for k, half in enumerate(halves)]
    tree.write(f"{staging}/{SCHEMA}", b"schema %d" % number)
    adds.append(StagedFile(f"{staging}/{SCHEMA}", SCHEMA))
    more: dict[str, Any] = {"staging": staging, "adds": tuple(adds), "archive": f"{upto_seal}/1/1"}
    log.commit(batch_of(number, upto_seal, **more))


def compact(tree: LakeTree) -> None:
    """All files become one."""
    log = LakeLog(tree)
    state = log.state()
    staging = log.new_staging(state.batch + 1)
    rows = [row for path in state.files for row in json.loads(tree.read(path) or b"[]")]
    adds = (_staged(tree, staging, state.batch + 1, 0, rows),)
    more: dict[str, Any] = {"staging": staging, "adds": adds, "removes": tuple(state.files)}
    log.commit(batch_of(state.batch + 1, state.upto_seal, "compact", **more))


def _staged(tree: LakeTree, staging: str, number: int, k: int, rows: list[int]) -> StagedFile:
    octets = json.dumps(rows).encode()
    name = f"{staging}/events/{k}.parquet"
    tree.write(name, octets)
    path = f"events/date=2026-11-15/part-{number:012d}-{k:05d}.parquet"
    return StagedFile(name, path, "events", len(rows), len(octets))


def visible_rows(folder: Path) -> Counter[int]:
    """What a reader of the bare folders sees."""
    files = (folder / "events").rglob("*.parquet")
    return Counter(row for file in files for row in json.loads(file.read_bytes()))


def committed_rows(tree: LakeTree) -> Counter[int]:
    """What the log says."""
    files = LakeLog(tree).state().files
    return Counter(row for path in files for row in json.loads(tree.read(path) or b""))


def has_leftovers(folder: Path) -> bool:
    """Whether something is there that belongs to no batch."""
    staging = folder / STAGING
    intents = list((folder / LOG).glob("*.intent.json"))
    return bool(intents) or (staging.exists() and any(staging.iterdir()))


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are killed here, machines are not: nothing need reach the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


STEPS: list[Callable[[LakeTree], None]] = [
    lambda tree: take(tree, range(10), 3),
    lambda tree: take(tree, range(10, 15), 5),
    compact,
    lambda tree: take(tree, range(15, 17), 6),
]
ROWS = [Counter(range(count)) for count in (0, 10, 15, 15, 17)]
SCHEMAS = [b"schema 1", b"schema 2", b"schema 2", b"schema 4"]


@pytest.mark.parametrize("done", range(len(STEPS)))
def test_killed_at_every_step_all_rows_are_there_once(done: int, tmp_path: Path) -> None:
    """The step behind `done` ones, with ever later deaths."""
    for step in range(1, 200):
        lake = tmp_path / f"{done}-{step}"
        for before in STEPS[:done]:
            before(LakeTree(lake))
        try:
            STEPS[done](DyingTree(lake, step))
        except Killed:
            check_after_death(lake, done)
        else:
            assert step > 10
            return
    raise AssertionError("it never ends")


def check_after_death(lake: Path, done: int) -> None:
    seen = visible_rows(lake)
    assert set(seen.values()) <= {1}, "a row is there twice"
    assert set(seen) <= set(ROWS[done + 1])
    tree = LakeTree(lake)
    log = LakeLog(tree)
    assert log.state().batch in {done, done + 1}, "readers need nobody to recover"
    log.recover()
    reached = log.state().batch
    assert not has_leftovers(lake)
    assert visible_rows(lake) == committed_rows(tree) == ROWS[reached]
    if reached == done:
        STEPS[done](tree)
    assert log.recover() == []
    assert visible_rows(lake) == committed_rows(tree) == ROWS[done + 1]
    assert tree.read(SCHEMA) == SCHEMAS[done]


def test_killed_again_while_recovering(tmp_path: Path) -> None:
    for first in range(5, 14):
        for second in range(1, 12):
            lake = tmp_path / f"{first}-{second}"
            tree = LakeTree(lake)
            take(tree, range(10), 3)
            with pytest.raises(Killed):
                compact(DyingTree(lake, first))
            try:
                LakeLog(DyingTree(lake, second)).recover()
            except Killed:
                assert set(visible_rows(lake).values()) <= {1}
            LakeLog(tree).recover()
            assert not has_leftovers(lake)
            assert committed_rows(tree) == visible_rows(lake) == Counter(range(10))


def test_what_a_dying_writer_adds_later_is_not_taken_for_ours(tmp_path: Path) -> None:
    tree = LakeTree(tmp_path)
    log = LakeLog(tree)
    assert log.new_staging(1) != log.new_staging(1)
    take(tree, range(10), 3)
    assert log.new_staging(2).startswith("_staging/000000000002-")
    take(tree, range(10, 15), 5)
    (tmp_path / "events/date=2026-11-15/part-stray.parquet").write_bytes(b"[99]")
    state = log.state()
    assert (state.batch, state.upto_seal, state.archive) == (2, 5, "5/1/1")
    assert list(state.rows_by_table()) == ["events"]
    assert [file.rows for file in state.files_of("events")] == [5, 5, 2, 3]
    assert committed_rows(tree) == Counter(range(15))


def test_damaged_segments_are_kept_until_they_are_retaken() -> None:
    state = LakeState().after(batch_of(1, 1, damaged={"a": "cut", "b": "missing"}))
    assert state.damaged == {"a": "cut", "b": "missing"}
    again = batch_of(2, 1, retaken=("a", "b"), damaged={"b": "still missing"})
    assert state.after(again).damaged == {"b": "still missing"}


def test_snapshots_replace_old_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_log, "SNAPSHOT_EVERY", 3)
    tree = LakeTree(tmp_path)
    for number in range(10):
        take(tree, [number], number + 1)
    names = [name.removesuffix(".json").lstrip("0") for name in tree.names(LOG)]
    assert names == ["6.state", "7", "8", "9", "9.state", "10"]
    state = LakeLog(tree).state()
    assert (state.batch, state.upto_seal) == (10, 10)
    assert committed_rows(tree) == Counter(range(10))


def test_killed_around_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_log, "SNAPSHOT_EVERY", 2)
    for step in range(1, 60):
        lake = tmp_path / str(step)
        tree = LakeTree(lake)
        for number in range(3):
            take(tree, [number], number + 1)
        try:
            take(DyingTree(lake, step), [3], 4)
        except Killed:
            LakeLog(tree).recover()
        else:
            return
        state = LakeLog(tree).state()
        assert committed_rows(tree) == visible_rows(lake)
        assert state.upto_seal == state.batch
        take(tree, [9], state.batch + 1)
        assert visible_rows(lake)[9] == 1
    raise AssertionError("it never ends")


def test_a_changed_log_is_refused(tmp_path: Path) -> None:
    tree = LakeTree(tmp_path)
    take(tree, range(10), 3)
    path = tmp_path / LOG / "000000000001.json"
    octets = path.read_bytes()
    for at in range(0, len(octets), 7):
        path.write_bytes(octets[:at] + bytes([octets[at] ^ 1]) + octets[at + 1 :])
        with pytest.raises(PipelineFailed, match=r"000000000001\.json"):
            LakeLog(tree).state()
    path.write_bytes(octets[:-1])
    with pytest.raises(PipelineFailed, match="is not as it was written"):
        LakeLog(tree).state()


def test_a_missing_batch_and_a_newer_format_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = LakeTree(tmp_path)
    for number in range(3):
        take(tree, [number], number + 1)
    (tmp_path / LOG / "000000000002.json").unlink()
    with pytest.raises(PipelineFailed, match="lacks batch 2"):
        LakeLog(tree).state()
    monkeypatch.setattr(lake_log, "FORMAT", 0)
    with pytest.raises(PipelineFailed, match="format 1; this version of Tidings knows 0"):
        LakeLog(tree).state()


def test_a_file_that_somebody_removed_is_named(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        take(DyingTree(tmp_path, 10), range(10), 3)
    for file in (tmp_path / STAGING).rglob("1.parquet"):
        file.unlink()
    with pytest.raises(PipelineFailed, match=r"batch 1 of the lake names .*somebody has remo"):
        LakeLog(LakeTree(tmp_path)).recover()


def test_a_log_that_cannot_be_listed_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = LakeTree(tmp_path / "lake")
    assert tree.names("_log") == []
    (tmp_path / "lake" / "_log").mkdir(parents=True)

    def refused(folder: object) -> Iterable[Path]:
        raise PermissionError(13, "Permission denied")

    for name in ("iterdir", "_scandir"):
        monkeypatch.setattr(Path, name, refused, raising=False)
    with pytest.raises(TidingsError, match="cannot be listed"):
        tree.names("_log")
