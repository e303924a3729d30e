"""The lake: all that the archive has, as partitioned Parquet tables that anybody can read.

::

    LAKE/events/date=2026-11-15/part-000000000012-00000.parquet
    LAKE/outcomes/date=…            what became of them
    LAKE/types/<Domain>/<Type>/…    one table per event type, a column per property
    LAKE/quarantine/date=…          events that failed a check, with the reason
    LAKE/_log, _schemas, _staging   ours; Spark passes them over

Every event is in it once, however often the job is run or killed; see `lake/log.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from tidings.clock import Clock, SystemClock, monotonic_microseconds
from tidings.errors import ArchiveNotFound, PipelineFailed
from tidings.pipeline.archive import Archive, glob_free, local_folder
from tidings.pipeline.expectations import Expectation
from tidings.pipeline.lake.compaction import CompactResult, compact, compact_tree
from tidings.pipeline.lake.loading import BatchLoader, LoadedBatch
from tidings.pipeline.lake.log import LakeLog, LakeState
from tidings.pipeline.lake.result import LakeResult
from tidings.pipeline.lake.segments import NextSegments, next_segments, repaired_segments, seal_mark
from tidings.pipeline.lake.tree import LakeTree
from tidings.pipeline.session.job import stopped_by_signals
from tidings.stores.archive.manifest import Manifest

__all__ = [
    "CompactResult",
    "LakeOptions",
    "LakeResult",
    "compact",
    "lake_tables",
    "read_lake",
    "run_lake",
]

Progress = Callable[[str, float], None]

_MICROSECONDS: Final = 1_000_000
_TIMESTAMPS: Final = "spark.sql.parquet.outputTimestampType"


@dataclass(frozen=True, slots=True)
class LakeOptions:
    """What a lake is filled from, and how.

    Attributes:
        archive: Its folder.
        lake: Its folder.
        once: Take in what is there and end; otherwise go on until stopped.
        every: Seconds between two looks at the archive.
        max_rows_per_batch: Seals are taken together up to so many rows, and one at least.
        max_types: So many event types get tables of their own; events of others are in `events`.
        max_columns: So many columns a typed table may have behind the fixed ones.
        compact_every: After so many batches small files are compacted; 0 for never.
        expectations: Checks on events; those that fail go to `quarantine`.
        retry_damaged: Try segments again that were damaged when their turn came.
    """

    archive: str
    lake: str
    once: bool = True
    every: float = 2.0
    max_rows_per_batch: int = 1_000_000
    max_types: int = 200
    max_columns: int = 500
    compact_every: int = 0
    expectations: Sequence[Expectation] = ()
    retry_damaged: bool = False


def run_lake(
    spark: SparkSession,
    options: LakeOptions,
    progress: Progress = lambda *_: None,
    *,
    stop: threading.Event | None = None,
    clock: Clock | None = None,
) -> LakeResult:
    """Bring a lake up to its archive, once or continuously.

    A continuous run ends with SIGINT or SIGTERM, or when `stop` is set, after the batch that is
    being taken in.

    Args:
        spark: The session.
        options: From where to where.
        progress: Is told what is going on, and what part of it is done.
        stop: Ends the run, from another thread.
        clock: The time.

    Raises:
        ArchiveNotFound: There is no archive (a continuous run waits for one).
        PipelineFailed: Another process writes to the lake, or Spark could not do something.
        DiskFull: There is no room; the lake is unharmed.
    """
    tree = LakeTree(local_folder(options.lake))
    stopping = stop or threading.Event()
    with tree.locked(), _exact_timestamps(spark), stopped_by_signals(stopping):
        run = _Run(spark, options, progress, stopping, clock or SystemClock())
        return run.run()


def read_lake(spark: SparkSession, lake: str, table: str) -> DataFrame:
    """A table of a lake: exactly what has been committed.

    Args:
        spark: The session.
        lake: Its folder.
        table: `events`, `outcomes`, `quarantine`, or a type's, such as `types/Traffic/Speed`.

    Raises:
        PipelineFailed: There is no such table.
    """
    tree = LakeTree(local_folder(lake))
    state = LakeLog(tree).state()
    files = state.files_of(table)
    if not files:
        there = ", ".join(state.tables()) or "none yet"
        raise PipelineFailed(f"the lake {lake} has no table {table!r}; its tables: {there}")
    reader = spark.read.option("basePath", tree.path(table)).option("mergeSchema", "true")
    return reader.parquet(*(glob_free(tree.path(file.path)) for file in files))


def lake_tables(spark: SparkSession, lake: str) -> dict[str, int]:
    """The tables of a lake, and how many rows they have."""
    state = LakeLog(LakeTree(local_folder(lake))).state()
    return {table: sum(f.rows for f in state.files_of(table)) for table in state.tables()}


class _Run:
    """One run of `run_lake`."""

    def __init__(
        self,
        spark: SparkSession,
        options: LakeOptions,
        progress: Progress,
        stopping: threading.Event,
        clock: Clock,
    ) -> None:
        self._spark = spark
        self._options = options
        self._progress = progress
        self._stopping = stopping
        self._clock = clock
        self._tree = LakeTree(local_folder(options.lake))
        self._log = LakeLog(self._tree)
        self._archive = Archive(options.archive)
        self._result = LakeResult(lake=options.lake)
        self._problems: tuple[str, ...] = ()  # of the manifest
        self._loader = BatchLoader(
            spark,
            self._archive,
            self._tree,
            options.expectations,
            options.max_types,
            options.max_columns,
        )

    def run(self) -> LakeResult:
        began = monotonic_microseconds()
        notes = self._log.recover()
        state = self._log.state()
        if self._options.retry_damaged:
            state = self._retried(state)
        while True:
            state = self._caught_up(state)
            if self._options.once or self._stopping.wait(self._options.every):
                break
        seconds = (monotonic_microseconds() - began) / _MICROSECONDS
        self._result.notes = (*notes, *self._problems)
        self._result.end(state, seconds)
        return self._result

    def _manifest(self) -> Manifest | None:
        try:
            manifest = self._archive.manifest()
        except ArchiveNotFound:
            if self._options.once:
                raise
            return None
        self._problems = manifest.problems
        return manifest

    def _caught_up(self, state: LakeState) -> LakeState:
        """The lake after all that the archive has now."""
        manifest = self._manifest()
        if manifest is None:
            return state
        first = state.upto_seal
        while True:
            coming = next_segments(manifest, state, self._options.max_rows_per_batch)
            if coming is None:
                return state
            began = monotonic_microseconds()
            loaded = self._loaded(coming, state, manifest)
            state = state.after(loaded.batch)
            done = (state.upto_seal - first) / (manifest.last_seal - first)
            seconds = (monotonic_microseconds() - began) / _MICROSECONDS
            self._progress(loaded.text(self._clock.now(), seconds), done)
            every = self._options.compact_every
            if every and self._result.batches % every == 0:
                compact_tree(self._spark, self._tree, self._progress, clock=self._clock)
                state = self._log.state()
            if self._stopping.is_set():
                return state

    def _retried(self, state: LakeState) -> LakeState:
        """The lake with what has been repaired meanwhile."""
        manifest = self._manifest()
        if manifest is None or not state.damaged:
            return state
        coming = repaired_segments(manifest, state)
        damaged = self._archive.problems(coming.files, self._spark)
        if len(damaged) == len(coming.files) == len(coming.retaken):
            return state
        return state.after(self._loaded(coming, state, manifest).batch)

    def _loaded(self, coming: NextSegments, state: LakeState, manifest: Manifest) -> LoadedBatch:
        mark = seal_mark(manifest, coming.upto_seal)
        loaded = self._loader.load(coming, state, mark, self._clock.now())
        self._result.add(loaded, self._clock.now())
        return loaded


@contextmanager
def _exact_timestamps(spark: SparkSession) -> Iterator[None]:
    """Times as microseconds that every reader of Parquet understands."""
    before = spark.conf.get(_TIMESTAMPS)
    spark.conf.set(_TIMESTAMPS, "TIMESTAMP_MICROS")
    try:
        yield
    finally:
        spark.conf.set(_TIMESTAMPS, before or "TIMESTAMP_MICROS")
