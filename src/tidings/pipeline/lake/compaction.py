"""Compaction: the small files of a partition become few large ones, with the same rows."""

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
"""A file below this is small."""
_GROUPS_PER_BATCH: Final = 16  # what a kill may cost


class CompactResult(msgspec.Struct, frozen=True):
    """What a compaction did."""

    batches: int
    files_before: int
    files_after: int
    rows: int  # that were written again
    notes: tuple[str, ...] = ()


def groups(
    state: LakeState, *, small: int = SMALL_OCTETS, least: int = 2, most_rows: int = ROWS_PER_FILE
) -> Iterator[list[LakeFile]]:
    """The small files that are to become one, partition by partition.

    Args:
        state: Of the lake.
        small: Files below so many octets count.
        least: Fewer of them in a partition are left alone.
        most_rows: The new file has no more rows.
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
    """Make few large files of many small ones; the rows stay the same.

    Whoever reads the bare folders meanwhile may for a moment miss rows, and never sees one
    twice; a query that has listed the old files before may fail and is to be run again.

    Raises:
        PipelineFailed: Another process writes to the lake, or Spark could not do it.
        DiskFull: There is no room; the lake is unharmed.
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
    """The same for whoever has the lock."""
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
            # Groups of one table apart, so that each is written with its own columns.
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
