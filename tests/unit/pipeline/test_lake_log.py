"""The log of a lake: killed at every step, no row is lost and none is there twice."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.pipeline.lake_scenes import (
    SCHEMA,
    DyingTree,
    Killed,
    Tree,
    committed_rows,
    compact,
    has_leftovers,
    take,
    visible_rows,
)
from tidings.errors import DiskFull, PipelineFailed
from tidings.pipeline import lake_log
from tidings.pipeline.lake_log import LOG, LakeBatch, LakeLog, LakeState
from tidings.pipeline.lake_tree import LocalTree

FIRST, SECOND = range(10), range(10, 15)

STEPS: list[Callable[[Tree], object]] = [
    lambda tree: take(tree, FIRST, 3),
    lambda tree: take(tree, SECOND, 5),
    compact,
    lambda tree: take(tree, range(15, 17), 6),
]
AFTER = [Counter(range(10)), Counter(range(15)), Counter(range(15)), Counter(range(17))]


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are killed here, machines are not: nothing need reach the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def steps_until_done(folder: Path, done: int) -> int:
    """Runs the step behind `done` ones with ever later deaths; checks after each."""
    for step in range(1, 200):
        lake = folder / f"{done}-{step}"
        tree = LocalTree(lake)
        for before in STEPS[:done]:
            before(tree)
        try:
            STEPS[done](DyingTree(tree, step))
        except Killed:
            check_after_death(lake, done)
        else:
            return step
    raise AssertionError("it never ends")


def check_after_death(lake: Path, done: int) -> None:
    before, after = ([Counter[int](), *AFTER][done], AFTER[done])
    seen = visible_rows(lake)
    assert set(seen.values()) <= {1}, "a row is there twice"
    assert set(seen) <= set(after)
    tree = LocalTree(lake)
    log = LakeLog(tree)
    assert log.state().batch in {done, done + 1}, "readers need nobody to recover"
    log.recover()
    state = log.state()
    assert not has_leftovers(lake)
    assert visible_rows(lake) == committed_rows(tree, state)
    assert visible_rows(lake) == (after if state.batch > done else before)
    if state.batch == done:
        STEPS[done](tree)
    assert log.recover() == []
    assert visible_rows(lake) == committed_rows(tree, log.state()) == after
    schema = {0: b"schema 1", 1: b"schema 2", 2: b"schema 2", 3: b"schema 4"}[done]
    assert tree.read(SCHEMA) == schema


@pytest.mark.parametrize("done", range(len(STEPS)))
def test_killed_at_every_step_all_rows_are_there_once(done: int, tmp_path: Path) -> None:
    assert steps_until_done(tmp_path, done) > 10


def test_killed_again_while_recovering(tmp_path: Path) -> None:
    for first in range(5, 14):
        for second in range(1, 12):
            lake = tmp_path / f"{first}-{second}"
            tree = LocalTree(lake)
            take(tree, FIRST, 3)
            with pytest.raises(Killed):
                compact(DyingTree(tree, first))
            try:
                LakeLog(DyingTree(tree, second)).recover()
            except Killed:
                assert set(visible_rows(lake).values()) <= {1}
            LakeLog(tree).recover()
            assert not has_leftovers(lake)
            assert committed_rows(tree, LakeLog(tree).state()) == visible_rows(lake)
            assert visible_rows(lake) == Counter(FIRST)


def test_no_room_leaves_the_lake_as_it_was_or_is_made_good(tmp_path: Path) -> None:
    for step in range(1, 40):
        lake = tmp_path / str(step)
        tree = LocalTree(lake)
        take(tree, FIRST, 3)
        try:
            take(DyingTree(tree, step, DiskFull("no room")), SECOND, 4)
        except DiskFull:
            LakeLog(tree).recover()
            if LakeLog(tree).state().batch == 1:
                assert visible_rows(lake) == Counter(FIRST)
                take(tree, SECOND, 4)
        assert visible_rows(lake) == Counter(range(15))


def test_recovery_says_what_it_did(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    with pytest.raises(Killed):
        take(DyingTree(tree, 3), FIRST, 3)
    assert LakeLog(tree).recover() == [
        "a batch was begun and not decided: removed, to be done again"
    ]
    with pytest.raises(Killed):
        take(DyingTree(tree, 11), FIRST, 3)
    assert LakeLog(tree).recover() == ["batch 1 was decided and not finished: finished now"]
    assert LakeLog(tree).recover() == []


def test_what_a_dying_writer_adds_later_is_not_taken_for_ours(tmp_path: Path) -> None:
    tree, log = LocalTree(tmp_path), LakeLog(LocalTree(tmp_path))
    assert log.new_staging(1) != log.new_staging(1)
    take(tree, FIRST, 3)
    assert log.new_staging(2).startswith("_staging/000000000002-")


def test_state_says_which_files_count(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    take(tree, FIRST, 3)
    take(tree, SECOND, 5)
    (tmp_path / "events/date=2026-11-15/part-stray.parquet").write_bytes(b"[99]")
    state = LakeLog(tree).state()
    assert (state.batch, state.upto_seal, state.archive) == (2, 5, "5/1/1")
    assert state.tables() == ["events"]
    assert [file.rows for file in state.files_of("events")] == [5, 5, 2, 3]
    assert committed_rows(tree, state) == Counter(range(15))


def test_damaged_segments_are_kept_until_they_are_retaken() -> None:
    def batch(number: int, **rest: object) -> LakeBatch:
        fields: dict[str, object] = {"kind": "take", "staging": "s", "at_us": 1, "upto_seal": 1}
        return LakeBatch(batch=number, **fields, **rest)  # type: ignore[arg-type]

    state = LakeState().after(batch(1, damaged={"a": "cut", "b": "missing"}))
    assert state.damaged == {"a": "cut", "b": "missing"}
    state = state.after(batch(2, retaken=("a", "b"), damaged={"b": "still missing"}))
    assert state.damaged == {"b": "still missing"}


def test_snapshots_replace_old_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_log, "SNAPSHOT_EVERY", 3)
    tree = LocalTree(tmp_path)
    for number in range(10):
        take(tree, [number], number + 1)
    names = tree.names(LOG)
    assert names == [
        "000000000006.state.json",
        "000000000007.json",
        "000000000008.json",
        "000000000009.json",
        "000000000009.state.json",
        "000000000010.json",
    ]
    state = LakeLog(tree).state()
    assert (state.batch, state.upto_seal) == (10, 10)
    assert committed_rows(tree, state) == Counter(range(10))


def test_killed_around_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_log, "SNAPSHOT_EVERY", 2)
    for step in range(1, 60):
        lake = tmp_path / str(step)
        tree = LocalTree(lake)
        for number in range(3):
            take(tree, [number], number + 1)
        try:
            take(DyingTree(tree, step), [3], 4)
        except Killed:
            LakeLog(tree).recover()
        else:
            break
        state = LakeLog(tree).state()
        assert committed_rows(tree, state) == visible_rows(lake)
        assert state.upto_seal == state.batch
        take(tree, [9], state.batch + 1)
        assert visible_rows(lake)[9] == 1
    else:
        raise AssertionError("it never ends")


def test_a_changed_log_is_refused(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    take(tree, FIRST, 3)
    path = tmp_path / LOG / "000000000001.json"
    octets = path.read_bytes()
    for at in range(0, len(octets), 7):
        path.write_bytes(octets[:at] + bytes([octets[at] ^ 1]) + octets[at + 1 :])
        with pytest.raises(PipelineFailed, match=r"000000000001\.json"):
            LakeLog(tree).state()
    path.write_bytes(octets[:-1])
    with pytest.raises(PipelineFailed, match="is not as it was written"):
        LakeLog(tree).state()


def test_a_missing_batch_is_refused(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    for number in range(3):
        take(tree, [number], number + 1)
    (tmp_path / LOG / "000000000002.json").unlink()
    with pytest.raises(PipelineFailed, match="lacks batch 2"):
        LakeLog(tree).state()


def test_a_newer_log_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = LocalTree(tmp_path)
    take(tree, FIRST, 3)
    monkeypatch.setattr(lake_log, "FORMAT", 0)
    with pytest.raises(PipelineFailed, match="format 1; this version of Tidings knows 0"):
        LakeLog(tree).state()


def test_a_file_that_somebody_removed_is_named(tmp_path: Path) -> None:
    tree = LocalTree(tmp_path)
    with pytest.raises(Killed):
        take(DyingTree(tree, 10), FIRST, 3)
    for file in (tmp_path / "_staging").rglob("1.parquet"):
        file.unlink()
    with pytest.raises(
        PipelineFailed, match=r"batch 1 of the lake names .*somebody has removed it"
    ):
        LakeLog(tree).recover()


def test_an_entry_of_the_log_can_be_read_by_anybody(tmp_path: Path) -> None:
    take(LocalTree(tmp_path), FIRST, 3)
    entry = json.loads((tmp_path / LOG / "000000000001.json").read_bytes())
    assert entry["upto_seal"] == 3
    assert [add["rows"] for add in entry["adds"]] == [5, 5, 0]
