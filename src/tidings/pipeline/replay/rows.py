"""The events of a replay in their order, a few at a time, however many there are."""

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

# Rows that the driver holds at a time, about.
_PARTITION: Final = 20_000


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What is replayed, and where to."""

    archive: str  # the folder of the archive
    into: str  # the channel that gets the events, by name or id
    url: str  # where its service is
    token: str | None = None  # the service's, if it wants one
    run: str = ""  # a name for the replay: one that was broken off goes on under it
    constraint: str = ""  # only events that match it; blank for all
    types: tuple[str, ...] = ()  # only events of these types, as ``Domain::Type``; empty for all
    # Only events of these channels, by name or origin; empty for all
    channels: tuple[str, ...] = ()
    since_us: int | None = None  # events that arrived from this moment on, microseconds since 1970
    until_us: int | None = None  # events that arrived before this moment
    # 1 for the speed they came with, 10 for ten times that; None for no pauses
    speed: float | None = 1.0
    stamp: bool = False  # whether each event's header tells which one it was
    patience: float = 30.0  # seconds to wait for a service that is away, or a channel that is full


class ArchivedEvent(NamedTuple):
    """An event of history."""

    origin: str  # id of its channel
    seq: int  # its number there
    due_us: int  # when it is due: its arrival, and never before an event of a lower number
    raw: bytes  # the event as typed JSON


@dataclass(frozen=True, slots=True)
class History:
    """The events that are asked for."""

    df: DataFrame  # They, with the columns of the archive
    counts: Mapping[str, int]  # how many there are of each origin
    first_us: int | None  # when the first arrived; None if there are none
    last_us: int | None  # when the last arrived
    how: str  # how Spark judges the constraint
    problems: tuple[str, ...]  # what could not be read


def history_of(spark: SparkSession, options: ReplayOptions, target: str) -> History:
    """What of the archive is to be replayed; the target's own events only if it is named."""
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
    """Where a run goes on of which some was sent before.

    Args:
        history: The events.
        highest: The highest number of each origin that the channel has.
        again: So many of those up to there are sent again: of the last ones sent together, some
            in the middle may be missing. The channel knows which ones it has.

    Returns:
        From which number on events are sent, for each of these origins; and how many of them
        were sent before.
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
    """The events by their times, and each origin's by their numbers.

    The driver holds one part of them at a time.
    """
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
    """The next few of them; none at the end."""
    return list(islice(rows, most))
