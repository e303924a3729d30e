"""Lakes without Spark: files that hold row numbers, and a disk that dies at a chosen step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from tidings.pipeline.lake_log import STAGING, LakeBatch, LakeLog, LakeState, StagedFile
from tidings.pipeline.lake_tree import LocalTree

_T = TypeVar("_T")

SCHEMA = "_schemas/Traffic/Speed.json"


class Killed(BaseException):
    """The process is gone."""


class DyingTree:
    """A tree that dies at one step.

    Args:
        tree: What does the work until then.
        step: Counted over all that changes something; each counts twice, before and after.
        error: What is raised there.
    """

    def __init__(self, tree: LocalTree, step: int, error: BaseException | None = None) -> None:
        self._tree = tree
        self._left = step
        self._error = error or Killed()

    def _do(self, change: Callable[[], _T]) -> _T:
        self._tick()
        done = change()
        self._tick()
        return done

    def _tick(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise self._error

    def write(self, name: str, octets: bytes) -> None:
        self._do(lambda: self._tree.write(name, octets))

    def rename(self, old: str, new: str) -> None:
        self._do(lambda: self._tree.rename(old, new))

    def remove(self, name: str) -> None:
        self._do(lambda: self._tree.remove(name))

    def sync(self, names: Iterable[str]) -> None:
        self._do(lambda: self._tree.sync(names))

    def path(self, name: str) -> str:
        return self._tree.path(name)

    def read(self, name: str) -> bytes | None:
        return self._tree.read(name)

    def names(self, folder: str) -> list[str]:
        return self._tree.names(folder)

    def files(self, folder: str) -> dict[str, int]:
        return self._tree.files(folder)

    def exists(self, name: str) -> bool:
        return self._tree.exists(name)

    def rows(self, name: str) -> int:
        return self._tree.rows(name)

    def locked(self) -> AbstractContextManager[None]:
        return self._tree.locked()


Tree = LocalTree | DyingTree


def take(tree: Tree, rows: Iterable[int], upto_seal: int) -> LakeBatch:
    """Takes rows in, as a batch of two files and a schema."""
    log = LakeLog(tree)
    number = log.state().batch + 1
    staging = log.new_staging(number)
    numbers = list(rows)
    halves = [numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]]
    adds = [_staged(tree, staging, number, k, half) for k, half in enumerate(halves)]
    schema = f"{staging}/{SCHEMA}"
    tree.write(schema, b"schema %d" % number)
    adds.append(StagedFile(schema, SCHEMA))
    batch = LakeBatch(
        batch=number,
        kind="take",
        staging=staging,
        at_us=5,
        upto_seal=upto_seal,
        adds=tuple(adds),
        archive=f"{upto_seal}/1/1",
    )
    log.commit(batch)
    return batch


def compact(tree: Tree) -> LakeBatch:
    """All files become one."""
    log = LakeLog(tree)
    state = log.state()
    number = state.batch + 1
    staging = log.new_staging(number)
    rows = [row for path in state.files for row in json.loads(tree.read(path) or b"[]")]
    batch = LakeBatch(
        batch=number,
        kind="compact",
        staging=staging,
        at_us=5,
        upto_seal=state.upto_seal,
        adds=(_staged(tree, staging, number, 0, rows),),
        removes=tuple(state.files),
    )
    log.commit(batch)
    return batch


def _staged(tree: Tree, staging: str, number: int, k: int, rows: list[int]) -> StagedFile:
    octets = json.dumps(rows).encode()
    name = f"{staging}/events/{k}.parquet"
    tree.write(name, octets)
    path = f"events/date=2026-11-15/part-{number:012d}-{k:05d}.parquet"
    return StagedFile(name, path, "events", len(rows), len(octets))


def visible_rows(folder: Path) -> Counter[int]:
    """What a reader of the bare folders sees."""
    files = (folder / "events").rglob("*.parquet")
    return Counter(row for file in files for row in json.loads(file.read_bytes()))


def committed_rows(tree: LocalTree, state: LakeState) -> Counter[int]:
    """What the log says."""
    return Counter(row for path in state.files for row in json.loads(tree.read(path) or b""))


def has_leftovers(folder: Path) -> bool:
    """Whether something is there that belongs to no batch."""
    staging = folder / STAGING
    intents = list((folder / "_log").glob("*.intent.json"))
    return bool(intents) or (staging.exists() and any(staging.iterdir()))
