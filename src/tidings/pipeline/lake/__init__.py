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
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import msgspec
from pyspark.sql import DataFrame, SparkSession

from tidings.clock import Clock, SystemClock
from tidings.errors import ArchiveNotFound, PipelineFailed
from tidings.pipeline import Progress
from tidings.pipeline.archive import Archive, glob_free, local_folder
from tidings.pipeline.expectations import Expectation
from tidings.pipeline.lake.loading import (
    BatchLoader,
    LoadedBatch,
    NextSegments,
    compact_tree,
    next_segments,
    repaired_segments,
    seal_mark,
)
from tidings.pipeline.lake.loading import compact as compact
from tidings.pipeline.lake.log import LakeLog, LakeState, LakeTree
from tidings.pipeline.lake.tables import KindConflict
from tidings.pipeline.session.job import stopped_by_signals
from tidings.stores.archive.manifest import Manifest

_TIMESTAMPS: Final = "spark.sql.parquet.outputTimestampType"
_MOST_LISTED: Final = 100


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

    `progress` is called with the current step and the fraction that is done; `stop` is set from
    another thread to stop the run.
    """
    tree = LakeTree(local_folder(options.lake))
    stopping = stop or threading.Event()
    with tree.locked(), _exact_timestamps(spark), stopped_by_signals(stopping):
        run = _Run(spark, options, progress, stopping, clock or SystemClock())
        return run.run()


def read_lake(spark: SparkSession, lake: str, table: str) -> DataFrame:
    """Read the committed rows of a table, such as `events` or `types/Traffic/Speed`."""
    tree = LakeTree(local_folder(lake))
    state = LakeLog(tree).state()
    files = state.files_of(table)
    if not files:
        there = ", ".join(state.rows_by_table()) or "none yet"
        raise PipelineFailed(f"the lake {lake} has no table {table!r}; its tables: {there}")
    reader = spark.read.option("basePath", tree.path(table)).option("mergeSchema", "true")
    return reader.parquet(*(glob_free(tree.path(file.path)) for file in files))


def lake_tables(spark: SparkSession, lake: str) -> dict[str, int]:
    """Return the number of rows of each table of a lake."""
    return LakeLog(LakeTree(local_folder(lake))).state().rows_by_table()


@dataclass
class _Run:
    spark: SparkSession
    options: LakeOptions
    progress: Progress
    stopping: threading.Event
    clock: Clock

    def __post_init__(self) -> None:
        options = self.options
        self._tree = LakeTree(local_folder(options.lake))
        self._log = LakeLog(self._tree)
        self._archive = Archive(options.archive)
        self._result = LakeResult(lake=options.lake)
        self._problems: tuple[str, ...] = ()  # of the manifest
        most = (options.max_types, options.max_columns)
        ends = (self.spark, self._archive, self._tree)
        self._loader = BatchLoader(*ends, options.expectations, *most)

    def run(self) -> LakeResult:
        began = time.monotonic()
        notes = self._log.recover()
        state = self._log.state()
        if self.options.retry_damaged:
            state = self._retried(state)
        while True:
            state = self._caught_up(state)
            if self.options.once or self.stopping.wait(self.options.every):
                break
        self._result.notes = (*notes, *self._problems)
        self._result.end(state, time.monotonic() - began)
        return self._result

    def _manifest(self) -> Manifest | None:
        try:
            manifest = self._archive.manifest()
        except ArchiveNotFound:
            if self.options.once:
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
            coming = next_segments(manifest, state, self.options.max_rows_per_batch)
            if coming is None:
                return state
            began = time.monotonic()
            loaded = self._loaded(coming, state, manifest)
            state = state.after(loaded.batch)
            done = (state.upto_seal - first) / (manifest.last_seal - first)
            self.progress(loaded.text(self.clock.now(), time.monotonic() - began), done)
            every = self.options.compact_every
            if every and self._result.batches % every == 0:
                compact_tree(self.spark, self._tree, self.progress, clock=self.clock)
                state = self._log.state()
            if self.stopping.is_set():
                return state

    def _retried(self, state: LakeState) -> LakeState:
        """Load damaged segments that have been repaired since."""
        manifest = self._manifest()
        if manifest is None or not state.damaged:
            return state
        coming = repaired_segments(manifest, state)
        damaged = self._archive.problems(coming.files, deep=True)
        if len(damaged) == len(coming.files) == len(coming.retaken):
            return state
        return state.after(self._loaded(coming, state, manifest).batch)

    def _loaded(self, coming: NextSegments, state: LakeState, manifest: Manifest) -> LoadedBatch:
        mark = seal_mark(manifest, coming.upto_seal)
        loaded = self._loader.load(coming, state, mark, self.clock.now())
        self._result.add(loaded, self.clock.now())
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


class LakeResult(msgspec.Struct, kw_only=True):
    """Work of a run (fields up to `gaps`) and the state of the lake afterwards."""

    lake: str
    batches: int = 0
    events: int = 0
    outcomes: int = 0
    quarantined: int = 0
    failed_checks: dict[str, int] = {}  # rows that failed or caused a warning, by check
    conflicts: tuple[KindConflict, ...] = ()  # properties of another kind than their column
    # They have no column because their type has too many; they are in `events`.
    properties_left_out: tuple[str, ...] = ()
    types_left_out: dict[str, int] = {}  # events of types without a table; they are in `events`
    gaps: tuple[str, ...] = ()  # what retention removed before it was loaded
    rows_by_table: dict[str, int] = {}
    damaged: dict[str, str] = {}  # segments that are not in the lake, and what is wrong with them
    upto_seal: int = 0
    files: int = 0  # data files of the lake
    # From the arrival of the newest event of the last batch until it was readable.
    latency_us: int | None = None
    notes: tuple[str, ...] = ()  # repairs, and problems of the archive's manifest
    seconds: float = 0.0

    def add(self, loaded: LoadedBatch, now: int) -> None:
        """Add a batch that became visible at `now`."""
        self.batches += 1
        self.events += loaded.rows.get("events", 0)
        self.outcomes += loaded.rows.get("outcomes", 0)
        self.quarantined += loaded.rows.get("quarantine", 0)
        for sums, more in (
            (self.types_left_out, loaded.types_left_out),
            (self.failed_checks, loaded.failed_checks),
        ):
            for key, count in more.items():
                sums[key] = sums.get(key, 0) + count
        conflicts = {msgspec.structs.astuple(one)[:-1]: one for one in self.conflicts}
        for one in loaded.conflicts:
            same = msgspec.structs.astuple(one)[:-1]
            before = conflicts.get(same)
            rows = one.rows + (before.rows if before else 0)
            conflicts[same] = msgspec.structs.replace(one, rows=rows)
        self.conflicts = tuple(conflicts.values())
        left_out = dict.fromkeys((*self.properties_left_out, *loaded.properties_left_out))
        self.properties_left_out = tuple(left_out)[:_MOST_LISTED]
        self.gaps += loaded.batch.gaps
        if loaded.last_us is not None:
            self.latency_us = now - loaded.last_us

    def end(self, state: LakeState, seconds: float) -> None:
        """Record the state of the lake at the end of the run."""
        self.rows_by_table = state.rows_by_table()
        self.damaged, self.upto_seal, self.files = state.damaged, state.upto_seal, len(state.files)
        self.seconds = seconds
