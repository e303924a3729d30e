"""Continuous queries: they read channels from the archive and publish derived events.

A query file is plain Python::

    from tidings.pipeline.derive import Batch, derived, query

    @query(reads="traffic", writes="offences")
    def offences(batch: Batch) -> DataFrame:
        fast = batch.new(type="Traffic::Speed").where(number("rate") > 120)
        return derived(fast, domain="Traffic", type="Offence", name=fast["name"], data={...})

A query is called once for every batch of sealed segments, and again with the same batch after a
crash. It sees the batch's own events (`Batch.new`) and everything archived up to it (`Batch.upto`,
`Batch.before`), so its result depends on the batch alone.

Before a batch runs, its bounds and the number of its first event are written to the query's log and
synced. After a crash, the same batch runs again and its events carry the same marks, so the service
drops those it has already accepted: each derived event is published exactly once.
"""

from __future__ import annotations

import os
import re
import runpy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

import msgspec
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from tidings.errors import InvalidUsage, PipelineFailed, StoreError
from tidings.pipeline import Progress
from tidings.pipeline.archive import Archive, Selection
from tidings.pipeline.frames import events_frame
from tidings.stores.archive.manifest import SegmentFile
from tidings.stores.files import MODE, disk_errors, make_folder, sync_folder


@dataclass(frozen=True)
class Batch:
    """Input of a query: the events of some seals, and everything archived before.

    Attributes:
        spark: The Spark session.
        archive: Folder of the archive.
        channels: Channels that the query reads.
        after_seal: Last seal before the batch.
        upto_seal: Last seal of the batch.
        first_us: Arrival of the earliest event in the batch, of any channel; microseconds since
            1970.
        problems: Damage found in segments so far.
    """

    spark: SparkSession
    archive: str
    channels: tuple[str, ...]
    after_seal: int
    upto_seal: int
    first_us: int = 0
    problems: list[str] = field(default_factory=list)

    def new(self, *, channel: str | None = None, type: str | None = None) -> DataFrame:
        """Return the events of this batch, optionally of one of the query's channels or one type.

        A type is a text such as ``Traffic::Speed``.
        """
        return self._read(channel, type, self.after_seal, self.upto_seal)

    def upto(
        self, *, channel: str | None = None, type: str | None = None, since_us: int | None = None
    ) -> DataFrame:
        """Return all archived events up to the end of this batch, including its own.

        `channel` and `type` are as in `new`, `since_us` is the earliest arrival in microseconds
        since 1970.
        """
        return self._read(channel, type, 0, self.upto_seal, since_us)

    def before(
        self, *, channel: str | None = None, type: str | None = None, since_us: int | None = None
    ) -> DataFrame:
        """Return all archived events before this batch; the arguments are those of `upto`."""
        return self._read(channel, type, 0, self.after_seal, since_us)

    def _read(
        self,
        channel: str | None,
        type: str | None,
        after: int,
        upto: int,
        since_us: int | None = None,
    ) -> DataFrame:
        if channel is not None and channel not in self.channels:
            raise InvalidUsage(
                f"the query reads {', '.join(self.channels)}, and not {channel!r}: "
                "name every channel in `reads`"
            )
        selection = Selection(
            self.archive,
            channels=self.channels if channel is None else (channel,),
            types=() if type is None else (type,),
            since_us=since_us,
            after_seal=after,
            upto_seal=upto,
        )
        frame = events_frame(self.spark, selection)
        self.problems.extend(frame.problems)
        return frame.df


@dataclass(frozen=True)
class Query:
    """A continuous query; created by `query`.

    Attributes:
        name: Identifies its checkpoint and its events; must not change.
        reads: Channels to read.
        writes: Channel to publish to.
        make: Function that derives the events.
    """

    name: str
    reads: tuple[str, ...]
    writes: str
    make: Callable[[Batch], DataFrame]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", self.name):
            raise InvalidUsage(
                f"a query's name has letters, digits, '-' and '_' only, not {self.name!r:.60}"
            )
        if not self.reads or not all(self.reads):
            raise InvalidUsage(f"the query {self.name} reads no channel: name it in `reads`")
        if not self.writes:
            raise InvalidUsage(f"the query {self.name} writes to no channel: name it in `writes`")
        if self.writes in self.reads:
            raise InvalidUsage(
                f"the query {self.name} reads {self.writes!r} and writes to it: it would be asked "
                "about its own events for ever; let it write to another channel"
            )


def query(
    *, reads: str | Sequence[str], writes: str, name: str | None = None
) -> Callable[[Callable[[Batch], DataFrame]], Query]:
    """Turn a function into a query that reads some channels and publishes to another.

    Its name is that of the function unless `name` is given.
    """
    channels = (reads,) if isinstance(reads, str) else tuple(reads)

    def made(function: Callable[[Batch], DataFrame]) -> Query:
        return Query(name or function.__name__, channels, writes, function)

    return made


def derived(
    rows: DataFrame,
    *,
    domain: str,
    type: str,
    name: Column | str,
    data: Mapping[str, Column],
    header: Mapping[str, Column] | None = None,
) -> DataFrame:
    """Convert rows to events to publish: one column `event` with plain JSON.

    Properties that are null are omitted.

    Args:
        rows: Each row becomes one event.
        domain: Domain of all events.
        type: Type of all events.
        name: Name of each event.
        data: Filterable properties.
        header: Header properties, such as Priority.
    """
    parts = [
        f.lit(domain).alias("domain"),
        f.lit(type).alias("type"),
        (f.lit(name) if isinstance(name, str) else name).alias("name"),
        f.struct(*(column.alias(key) for key, column in data.items())).alias("data"),
    ]
    if header:
        parts.append(f.struct(*(c.alias(key) for key, c in header.items())).alias("header"))
    return rows.select(f.to_json(f.struct(*parts)).alias("event"))


def load_queries(path: Path) -> list[Query]:
    """Load the queries of a file, sorted by name; raise InvalidUsage if it has none or fails."""
    if not path.is_file():
        raise InvalidUsage(f"there is no file {path}: name a Python file with queries")
    try:
        found = runpy.run_path(str(path), run_name="tidings_queries")
    except InvalidUsage:
        raise
    except Exception as error:
        raise InvalidUsage(f"{path} does not run: {type(error).__name__}: {error}") from error
    queries = {one.name: one for one in found.values() if isinstance(one, Query)}
    if not queries:
        raise InvalidUsage(
            f"{path} has no queries: write @query(reads=…, writes=…) before a function of a Batch"
        )
    return [queries[name] for name in sorted(queries)]


@dataclass(frozen=True)
class RunOptions:
    """How to run queries."""

    archive: str  # folder of the archive
    url: str  # service to publish to
    checkpoint: Path  # folder of the query logs
    token: str | None = None  # access token of the service
    once: bool = True  # stop when there are no new seals; otherwise run until stopped
    every: float = 1.0  # seconds between two looks at the archive when there is nothing new
    most_rows: int = 1_000_000  # a batch ends with the seal that reaches this many events


@dataclass
class QueryResult:
    """Result of one query."""

    query: str
    reads: tuple[str, ...]
    writes: str
    batches: int = 0
    events: int = 0  # events read
    published: int = 0  # events derived and published
    seal: int = 0  # last seal processed
    problems: list[str] = field(default_factory=list)  # damage found in segments


@dataclass
class RunResult:
    """Result of a run."""

    queries: list[QueryResult]


def run_queries(
    spark: SparkSession,
    queries: Sequence[Query],
    options: RunOptions,
    progress: Progress,
    stopped: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run queries in turn until everything is processed or `stopped` returns true.

    `progress` is called with the current step and the fraction of the archive that is done;
    `stopped` is checked between batches.
    """
    names = [one.name for one in queries]
    if len(set(names)) < len(names):
        raise InvalidUsage(f"two queries have the name {max(names, key=names.count)}")
    runs = [_Run(spark, one, options) for one in queries]
    try:
        while not stopped():
            went_on = [run.step(progress) for run in runs]
            if any(went_on):
                continue
            if options.once:
                break
            time.sleep(options.every)
    finally:
        for run in runs:
            run.log.close()
    return RunResult([run.result for run in runs])


class _Run:
    def __init__(self, spark: SparkSession, asked: Query, options: RunOptions) -> None:
        self.log = QueryLog(options.checkpoint / f"{asked.name}.jsonl")
        self.result = QueryResult(asked.name, asked.reads, asked.writes, seal=self.log.seal)
        self._spark = spark
        self._archive = Archive(options.archive)
        self._query = asked
        self._options = options

    def step(self, progress: Progress) -> bool:
        """Run the next batch; return whether there was one."""
        manifest = self._archive.manifest()
        begun = self.log.begun
        if begun is None:
            unseen = manifest.select("events", channels=self._query.reads, after_seal=self.log.seal)
            upto = self._end_of_batch(unseen)
            if upto is None:
                return False
            begun = self.log.begin(self.log.seal, upto)
        reads, after, upto = self._query.reads, begun.after, begun.upto
        files = manifest.select("events", channels=reads, after_seal=after, upto_seal=upto)
        published = self._publish(begun, min((file.first_us for file in files), default=0))
        self.log.done(published)
        result = self.result
        result.batches += 1
        result.events += sum(_rows_of(file, reads) for file in files)
        result.published += published
        result.seal = begun.upto
        share = begun.upto / max(1, manifest.last_seal)
        progress(f"{self._query.name}: {published} events from seals up to {begun.upto}", share)
        return True

    def _end_of_batch(self, files: Sequence[SegmentFile]) -> int | None:
        rows, last = 0, None
        for file in sorted(files, key=attrgetter("seal")):
            if last is not None and file.seal != last and rows >= self._options.most_rows:
                break
            rows += file.rows
            last = file.seal
        return last

    def _publish(self, begun: QueryBatch, first_us: int) -> int:
        one, options = self._query, self._options
        batch = Batch(self._spark, options.archive, one.reads, begun.after, begun.upto, first_us)
        try:
            rows = _numbered(one.make(batch), one, begun.first).cache()
            try:
                published = rows.count()
                if published:
                    self._write(rows)
            finally:
                rows.unpersist()
        except Exception as error:
            raise PipelineFailed(
                f"the query {one.name} failed on seals {begun.after + 1} to {begun.upto}: "
                f"{type(error).__name__}: {error}; nothing of the batch is lost, the next run "
                "asks for it again"
            ) from error
        finally:
            self.result.problems += [p for p in batch.problems if p not in self.result.problems]
        return published

    def _write(self, rows: DataFrame) -> None:
        writer = rows.write.format("tidings").mode("append")
        writer = writer.option("url", self._options.url).option("channel", self._query.writes)
        if self._options.token is not None:
            writer = writer.option("token", self._options.token)
        writer.save()


def _rows_of(file: SegmentFile, channels: Sequence[str]) -> int:
    """Count a file's events of some channels; all of its events if it does not list channels."""
    if file.channels is None:
        return file.rows
    return sum(file.sums[origin][0] for origin, name in file.channels if name in channels)


def _numbered(events: DataFrame, asked: Query, first: int) -> DataFrame:
    """Give each event its mark; numbers follow the events' text, so a retry repeats them."""
    if "event" not in events.columns:
        raise InvalidUsage(
            f"the query {asked.name} returned the columns {', '.join(events.columns)}: it must "
            "have a column `event`; make the rows with `derived`"
        )
    order = Window.orderBy("event")
    return events.coalesce(1).select(
        "event",
        f.lit(f"query/{asked.name}").alias("producer"),
        (f.row_number().over(order) + f.lit(first - 1)).cast("bigint").alias("number"),
    )


class QueryBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a query's log: a batch that was begun."""

    after: int  # last seal before it
    upto: int  # its last seal
    first: int  # number of its first event
    published: int | None = None  # number of events; None until published


class QueryLog:
    """Log of one query, created if missing.

    Everything up to `seal` is published; `begun` is a batch that was begun and not finished.
    """

    def __init__(self, path: Path) -> None:
        self.seal = 0
        self.next = 1
        self.begun: QueryBatch | None = None
        self._path = path
        with disk_errors(f"the log of a query, {path}, cannot be used"):
            make_folder(path.parent)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, MODE)
            sync_folder(path.parent)  # syncing a file does not make its directory entry durable
            self._read(path.read_bytes())

    def begin(self, after: int, upto: int) -> QueryBatch:
        """Record the next batch."""
        begun = QueryBatch(after, upto, self.next)
        self._write(begun)
        self.begun = begun
        return begun

    def done(self, published: int) -> None:
        """Record that the batch is published, with its number of events."""
        begun = self.begun
        assert begun is not None
        self._write(msgspec.structs.replace(begun, published=published))
        self.seal, self.next, self.begun = begun.upto, begun.first + published, None

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _write(self, line: QueryBatch) -> None:
        with disk_errors(f"the log of a query, {self._path}, is not written"):
            os.write(self._file, msgspec.json.encode(line) + b"\n")
            os.fsync(self._file)

    def _read(self, octets: bytes) -> None:
        whole, newline, torn = octets.rpartition(b"\n")
        if torn:
            os.ftruncate(self._file, len(whole) + len(newline))
        for number, text in enumerate(whole.splitlines(), 1):
            try:
                line = msgspec.json.decode(text, type=QueryBatch)
            except msgspec.MsgspecError as error:
                raise StoreError(
                    f"{self._path} is no log of a query: line {number}: {error}"
                ) from error
            if line.published is None:
                self.begun = line
            else:
                self.seal, self.next, self.begun = line.upto, line.first + line.published, None
