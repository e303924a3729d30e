"""The events of a replay in order, read in parts of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

from tidings.filters.constraint import constraint
from tidings.filters.to_spark import matching, plan_of
from tidings.pipeline.archive import Archive
from tidings.pipeline.frames import Selection, events_frame

# Approximate number of rows that the driver holds at a time.
_PARTITION: Final = 20_000


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What to replay, and where to."""

    archive: str  # the folder of the archive
    into: str  # target channel, by name or id
    url: str  # the service
    token: str | None = None  # access token of the service
    run: str = ""  # name of the run; an interrupted run resumes under it
    constraint: str = ""  # empty for all events
    types: tuple[str, ...] = ()  # such as ``Domain::Type``; empty for all
    # Source channels, by name or origin; empty for all
    channels: tuple[str, ...] = ()
    since_us: int | None = None  # arrival time, inclusive; microseconds since 1970
    until_us: int | None = None  # arrival time, exclusive
    # 1 for the original speed, 10 for ten times that; None for no pauses
    speed: float | None = 1.0
    stamp: bool = False  # whether to add header properties that identify the original
    patience: float = 30.0  # seconds to wait for a service that is down or a channel that is full


class ArchivedEvent(NamedTuple):
    """An archived event."""

    origin: str
    seq: int
    due_us: int  # arrival time, but not before that of a lower sequence number
    raw: bytes  # typed JSON


@dataclass(frozen=True, slots=True)
class History:
    """The selected events."""

    df: DataFrame  # with the columns of the archive
    counts: Mapping[str, int]  # by origin
    first_us: int | None  # arrival of the first; None if there are no events
    last_us: int | None  # arrival of the last
    how: str  # how Spark evaluates the constraint
    problems: tuple[str, ...]  # what could not be read


def history_of(spark: SparkSession, options: ReplayOptions, target: str) -> History:
    """Select the events to replay; the target's own events only if it is named as a source."""
    asked = constraint(options.constraint)
    seal = Archive(options.archive).manifest().last_seal
    selection = Selection(
        options.archive,
        options.channels,
        options.types,
        options.since_us,
        options.until_us,
        upto_seal=seal,
    )
    frame = events_frame(spark, selection)
    rows = frame.df if options.channels else frame.df.where(sf.col("origin") != target)
    matched = matching(rows, asked, frame.occurring)
    counted = (
        matched.groupBy("origin")
        .agg(
            sf.count(sf.lit(1)).alias("events"),
            sf.min("arrival_us").alias("first_us"),
            sf.max("arrival_us").alias("last_us"),
        )
        .collect()
    )
    return History(
        matched,
        {row["origin"]: row["events"] for row in counted},
        min((row["first_us"] for row in counted), default=None),
        max((row["last_us"] for row in counted), default=None),
        plan_of(asked, frame.occurring),
        frame.problems,
    )


def resume_points(
    history: History, highest: Mapping[str, int], again: int
) -> tuple[dict[str, int], int]:
    """Return the first number to send by origin, and how many events were sent before.

    `highest` is the highest number of each origin that the channel has. The last `again` events are
    resent: of those published together, some may be missing, and the channel drops those it has.
    """
    points: dict[str, int] = {}
    before = 0
    for origin, number in highest.items():
        sent = history.df.where((sf.col("origin") == origin) & (sf.col("seq") <= number))
        numbers = sent.select("seq")
        before += numbers.count()
        first = numbers.orderBy(sf.desc("seq")).limit(again).agg(sf.min("seq")).first()
        points[origin] = number + 1 if first is None or first[0] is None else first[0]
    return points, before


def rows_in_order(history: History, points: Mapping[str, int]) -> Iterator[ArchivedEvent]:
    """Yield events by time, each origin's by sequence number; the driver holds a part at a time."""
    df = history.df
    for origin, first in points.items():
        df = df.where((sf.col("origin") != origin) | (sf.col("seq") >= first))
    # A clock that was set back must not change the order of a channel.
    so_far = Window.partitionBy("origin").orderBy("seq")
    due = sf.max("arrival_us").over(so_far)
    parts = sum(history.counts.values()) // _PARTITION + 1
    keys = ("due_us", "origin", "seq")
    ordered = (
        df.select("origin", "seq", due.alias("due_us"), "raw")
        .repartitionByRange(parts, *keys)
        .sortWithinPartitions(*keys)
    )
    for origin, seq, due_us, raw in ordered.toLocalIterator(prefetchPartitions=True):
        yield ArchivedEvent(origin, seq, due_us, bytes(raw))


def chunk_of(rows: Iterator[ArchivedEvent], most: int) -> list[ArchivedEvent]:
    """Return the next events; empty at the end."""
    return list(islice(rows, most))
