"""The backtest: evaluate a constraint on archived events before it goes live."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, Final

import msgspec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.events.codecs.json_values import TYPE
from tidings.filters.constraint import constraint
from tidings.filters.to_spark import matching, plan_of
from tidings.pipeline.archive import Archive
from tidings.pipeline.backtest.live import live_subscriptions
from tidings.pipeline.backtest.result import (
    BacktestOptions,
    BacktestResult,
    HourCount,
    LiveSubscription,
    Sample,
)
from tidings.pipeline.frames import Selection, events_frame

__all__ = ["BacktestOptions", "BacktestResult", "run_backtest"]

Progress = Callable[[str, float], None]

_HOUR: Final = 3_600_000_000


def run_backtest(
    spark: SparkSession, options: BacktestOptions, progress: Progress = lambda *_: None
) -> BacktestResult:
    """Evaluate a constraint on the events of an archive.

    Raises:
        InvalidConstraint: The constraint is invalid; raised before anything is read.
        InvalidEventType: An event type is invalid.
        ArchiveNotFound: There is no archive at this path.
        ArchiveDamaged: With `live`: plans in the archive cannot be read.
        Unreachable: With `live` and `url`: the service does not answer.
    """
    begun = monotonic()
    asked = constraint(options.constraint, options.event_types)
    progress("looking for events", 0.0)
    selection = Selection(
        options.archive,
        channels=options.channels,
        since_us=options.since_us,
        until_us=options.until_us,
    )
    frame = events_frame(spark, selection)
    matched = matching(frame.df, asked, frame.occurring)
    progress("asking the constraint", 0.1)
    hours = _hours(frame.df, matched)
    progress("picking samples", 0.5)
    samples = _samples(matched, options.samples)
    first, last = _span(frame.df)
    live: tuple[LiveSubscription, ...] | None = None
    live_from = None
    if options.live:
        progress("asking the present subscriptions", 0.7)
        live, live_from = live_subscriptions(spark, options, selection, frame, matched)
    progress("done", 1.0)
    return BacktestResult(
        constraint=asked.text,
        event_types=options.event_types,
        seal=Archive(options.archive).manifest().last_seal,
        since_us=options.since_us,
        until_us=options.until_us,
        events=sum(hour.events for hour in hours),
        matched=sum(hour.matched for hour in hours),
        first_us=first,
        last_us=last,
        hours=hours,
        samples=samples,
        how=plan_of(asked, frame.occurring),
        live=live,
        live_from=live_from,
        problems=frame.problems,
        seconds=round(monotonic() - begun, 3),
    )


def _hours(events: DataFrame, matched: DataFrame) -> tuple[HourCount, ...]:
    hour = (F.col("arrival_us") - F.pmod("arrival_us", F.lit(_HOUR))).alias("hour_us")

    def counted(df: DataFrame, events: int, matched: int) -> DataFrame:
        return df.select(
            hour, "domain", "type", F.lit(events).alias("events"), F.lit(matched).alias("matched")
        )

    rows = (
        counted(events, 1, 0)
        .unionByName(counted(matched, 0, 1))
        .groupBy("hour_us", "domain", "type")
        .agg(F.sum("events").alias("events"), F.sum("matched").alias("matched"))
        .collect()
    )
    return tuple(sorted((HourCount(*row) for row in rows), key=_by_hour))


def _by_hour(one: HourCount) -> tuple[int, str, str]:
    return one.hour_us, one.domain, one.type


def _span(events: DataFrame) -> tuple[int | None, int | None]:
    [row] = events.agg(F.min("arrival_us"), F.max("arrival_us")).collect()
    return row[0], row[1]


def _samples(matched: DataFrame, most: int) -> tuple[Sample, ...]:
    if most < 1:
        return ()
    newest = (F.desc("arrival_us"), F.desc("seq"), F.asc("origin"))
    rows = matched.orderBy(*newest).select("channel", "seq", "arrival_us", "raw").limit(most)
    return tuple(
        Sample(channel, seq, arrival, plain_event(bytes(raw)))
        for channel, seq, arrival, raw in rows.collect()
    )


def plain_event(raw: bytes) -> str:
    """Return an event as plain JSON, without value types."""
    return msgspec.json.encode(_plain(msgspec.json.decode(raw))).decode()


def _plain(value: Any) -> Any:  # noqa: ANN401 -- JSON
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if TYPE in value:
        return _plain(value.get("value"))
    return {name: _plain(each) for name, each in value.items()}
