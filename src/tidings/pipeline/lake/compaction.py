"""Compaction: merge the small files of a partition into few large ones with the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec
from pyspark.sql import SparkSession

from tidings.clock import Clock, SystemClock
from tidings.pipeline.archive import glob_free, local_folder
from tidings.pipeline.lake.log import LakeBatch, LakeFile, LakeLog, LakeState
from tidings.pipeline.lake.staging import ROWS_PER_FILE, Table, failing, staged_tables
from tidings.pipeline.lake.tree import LakeTree

SMALL_OCTETS: Final = 64 * 1024 * 1024
"""Files below this size are small."""
_GROUPS_PER_BATCH: Final = 16  # limits the work lost by a kill


class CompactResult(msgspec.Struct, frozen=True):
    """Result of a compaction."""

    batches: int
    files_before: int
    files_after: int
    rows: int  # rows rewritten
    notes: tuple[str, ...] = ()


def groups(
    state: LakeState, *, small: int = SMALL_OCTETS, least: int = 2, most_rows: int = ROWS_PER_FILE
) -> Iterator[list[LakeFile]]:
    """Yield groups of files of one partition, each to be merged into one file.

    A group has files below `small` bytes and at most `most_rows` rows in total; partitions with
    fewer than `least` such files are skipped.
    """
    partitions: dict[tuple[str, str], list[LakeFile]] = {}
    for file in sorted(state.files.values(), key=lambda one: one.path):
        if file.octets < small:
            key = (file.table, file.path.rpartition("/")[0])
            partitions.setdefault(key, []).append(file)
    for files in partitions.values():
        if len(files) < max(least, 2):
            continue
        group: list[LakeFile] = []
        rows = octets = 0
        for file in files:
            if group and (rows + file.rows > most_rows or octets + file.octets > 2 * small):
                if len(group) > 1:
                    yield group
                group, rows, octets = [], 0, 0
            group.append(file)
            rows, octets = rows + file.rows, octets + file.octets
        if len(group) > 1:
            yield group


def compact(
    spark: SparkSession,
    lake: str,
    progress: Callable[[str, float], None] | None = None,
    *,
    small: int = SMALL_OCTETS,
    clock: Clock | None = None,
) -> CompactResult:
    """Merge small files into few large ones; the rows stay the same.

    A reader of the bare folders may briefly miss rows, but never sees one twice; a query that has
    already listed the old files may fail and must be run again.

    Raises:
        PipelineFailed: Another process writes to the lake, or Spark failed.
        DiskFull: The disk is full; the lake is unharmed.
    """
    tree = LakeTree(local_folder(lake))
    with tree.locked():
        notes = LakeLog(tree).recover()
        result = compact_tree(spark, tree, progress, small=small, clock=clock)
    return msgspec.structs.replace(result, notes=tuple(notes))


def compact_tree(
    spark: SparkSession,
    tree: LakeTree,
    progress: Callable[[str, float], None] | None = None,
    *,
    small: int = SMALL_OCTETS,
    least: int = 2,
    clock: Clock | None = None,
) -> CompactResult:
    """Compact a lake whose lock the caller holds."""
    log, now = LakeLog(tree), (clock or SystemClock()).now
    state = log.state()
    before = len(state.files)
    todo = list(groups(state, small=small, least=least))
    batches = rows = 0
    for start in range(0, len(todo), _GROUPS_PER_BATCH):
        some = todo[start : start + _GROUPS_PER_BATCH]
        if progress is not None:
            progress(f"compacting {some[0][0].table}", start / len(todo))
        batch = _compacted(spark, tree, state, some, now())
        log.commit(batch)
        state = state.after(batch)
        batches += 1
        rows += sum(file.rows for group in some for file in group)
    return CompactResult(batches, before, len(state.files), rows)


def _compacted(
    spark: SparkSession, tree: LakeTree, state: LakeState, some: list[list[LakeFile]], now: int
) -> LakeBatch:
    log, number = LakeLog(tree), state.batch + 1
    staging = log.new_staging(number)
    adds = []
    try:
        for k, group in enumerate(some):
            table = _table(spark, tree, group)
            # One table at a time, so that each is written with its own columns.
            for add in staged_tables(tree, f"{staging}/{k}", number, [table]):
                folder, _, name = add.path.rpartition("/")
                path = f"{folder}/{name.removesuffix('.parquet')}-{k:05d}.parquet"
                adds.append(msgspec.structs.replace(add, path=path))
    except BaseException:
        log.discard(staging)
        raise
    return LakeBatch(
        batch=number,
        kind="compact",
        staging=staging,
        at_us=now,
        upto_seal=state.upto_seal,
        adds=tuple(adds),
        removes=tuple(file.path for group in some for file in group),
    )


def _table(spark: SparkSession, tree: LakeTree, group: list[LakeFile]) -> Table:
    name = group[0].table
    paths = [glob_free(tree.path(file.path)) for file in group]
    with failing(f"the table {name} could not be read"):
        reader = spark.read.option("mergeSchema", "true")
        df = reader.option("basePath", tree.path(name)).parquet(*paths)
    df = df.coalesce(1).sortWithinPartitions("origin", "seq")
    return Table(name, df, sum(file.rows for file in group))
