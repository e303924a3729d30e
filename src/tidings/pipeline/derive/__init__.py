"""Continuous queries: they read channels from the archive and publish derived events.

A query file is plain Python::

    from tidings.pipeline.derive import Batch, derived, query

    @query(reads="traffic", writes="offences")
    def offences(batch: Batch) -> DataFrame:
        fast = batch.new(type="Traffic::Speed").where(number("rate") > 120)
        return derived(fast, domain="Traffic", type="Offence", name=fast["name"], data={...})

`running.py` calls a query once for every batch of sealed segments, and again with the same batch
after a crash. A query sees the batch's own events (`Batch.new`) and everything archived up to it
(`Batch.upto`, `Batch.before`), so its result depends on the batch alone.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from tidings.errors import InvalidUsage
from tidings.filters.constraint import event_type
from tidings.pipeline.frames import Selection, events_frame


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
        """Return the events of this batch.

        Args:
            channel: One of the query's channels; all of them if None.
            type: An event type such as ``Traffic::Speed``; all types if None.
        """
        return self._read(channel, type, self.after_seal, self.upto_seal)

    def upto(
        self, *, channel: str | None = None, type: str | None = None, since_us: int | None = None
    ) -> DataFrame:
        """Return all archived events up to the end of this batch, including its own.

        Args:
            channel: As in `new`.
            type: As in `new`.
            since_us: Earliest arrival, microseconds since 1970.
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
            types=() if type is None else (event_type(type),),
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
        if not self.name or not set(self.name) <= _NAME:
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


_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def query(
    *, reads: str | Sequence[str], writes: str, name: str | None = None
) -> Callable[[Callable[[Batch], DataFrame]], Query]:
    """Turn a function into a query.

    Args:
        reads: Channel or channels to read.
        writes: Channel to publish to.
        name: Name of the query; the function's name if None.

    Raises:
        InvalidUsage: The name or the channels are invalid.
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
