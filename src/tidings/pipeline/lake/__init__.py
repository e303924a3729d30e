"""The lake: the whole archive as partitioned Parquet tables that any tool can read.

::

    LAKE/events/date=2026-11-15/part-000000000012-00000.parquet
    LAKE/outcomes/date=…            outcomes of the events
    LAKE/types/<Domain>/<Type>/…    one table per event type, a column per property
    LAKE/quarantine/date=…          events that failed a check, with the reason
    LAKE/_log, _schemas, _staging   internal; Spark ignores them

The lake holds every event exactly once, however often the job is run or killed; see `lake/log.py`.
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
    """What to load into a lake, and how.

    Attributes:
        archive: Folder of the archive.
        lake: Folder of the lake.
        once: Load what is sealed and end; otherwise run until stopped.
        every: Seconds between two looks at the archive.
        max_rows_per_batch: Seals are combined up to this many rows; a batch has at least one seal.
        max_types: Most event types with a table of their own; all others are only in `events`.
        max_columns: Most columns of a typed table, beyond the fixed ones.
        compact_every: Compact small files after this many batches; 0 for never.
        expectations: Checks on events; those that fail go to `quarantine`.
        retry_damaged: Retry segments that were damaged when first read.
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
    """Load new segments of an archive into its lake, once or continuously.

    A continuous run stops on SIGINT, SIGTERM or `stop`, after the current batch.

    Args:
        spark: The Spark session.
        options: What to load.
        progress: Called with the current step and the fraction that is done.
        stop: Set from another thread to stop the run.
        clock: Source of the time.

    Raises:
        ArchiveNotFound: There is no archive (a continuous run waits for one).
        PipelineFailed: Another process writes to the lake, or Spark failed.
        DiskFull: The disk is full; the lake is unharmed.
    """
    tree = LakeTree(local_folder(options.lake))
    stopping = stop or threading.Event()
    with tree.locked(), _exact_timestamps(spark), stopped_by_signals(stopping):
        run = _Run(spark, options, progress, stopping, clock or SystemClock())
        return run.run()


def read_lake(spark: SparkSession, lake: str, table: str) -> DataFrame:
    """Read the committed rows of a lake's table.

    Args:
        spark: The Spark session.
        lake: Folder of the lake.
        table: `events`, `outcomes`, `quarantine`, or a typed table such as `types/Traffic/Speed`.

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
    """Return the number of rows of each table of a lake."""
    state = LakeLog(LakeTree(local_folder(lake))).state()
    return {table: sum(f.rows for f in state.files_of(table)) for table in state.tables()}


class _Run:
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
        """Load damaged segments that have been repaired since."""
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
    """Write times as microseconds, which every Parquet reader understands."""
    before = spark.conf.get(_TIMESTAMPS)
    spark.conf.set(_TIMESTAMPS, "TIMESTAMP_MICROS")
    try:
        yield
    finally:
        spark.conf.set(_TIMESTAMPS, before or "TIMESTAMP_MICROS")
