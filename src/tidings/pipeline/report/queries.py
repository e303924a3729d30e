"""Spark queries of a report; each has a small result, whatever the size of the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

from tidings.pipeline.audit.pairs import BEST_EFFORT, Sources, pairs, proxy_tiles
from tidings.pipeline.audit.result import ACCOUNTED
from tidings.pipeline.matching.book import PlanRow
from tidings.pipeline.report.result import (
    Consumer,
    DeadLetters,
    FanOut,
    Latency,
    Slice,
    Supplier,
    Volume,
)

REST: Final = "the rest"

UNEXPLAINED: Final = "unexplained"
OUTCOMES: Final = (*(state for state in ACCOUNTED if state != BEST_EFFORT), UNEXPLAINED)
"""Outcomes of a copy, as in the audit: the last one, or why there is none."""

_SECOND: Final = 1_000_000
_HOUR: Final = 3_600 * _SECOND
_LENGTHS: Final = tuple(
    seconds * _SECOND for seconds in (1, 10, 60, 600, 3_600, 21_600, 86_400, 604_800)
)
# A chart cannot show more columns.
_MOST_SLICES: Final = 400
_FINE_SLICES: Final = 120
# Event types with a series of their own over time.
_MOST_SERIES: Final = 12
_LONGEST_CAUSE: Final = 300


class Totals(NamedTuple):
    """Totals over all events, named as in `Report`."""

    events: int
    octets: int
    first_us: int | None
    last_us: int | None
    types: int


class Consumers(NamedTuple):
    """Statistics of consumers, named as in `Report`."""

    outcomes: Mapping[str, int]
    latency: Latency | None
    consumers: tuple[Consumer, ...]
    slowest: tuple[Consumer, ...]
    consumers_in_all: int


def volumes(events: DataFrame, top: int) -> tuple[Totals, tuple[Volume, ...]]:
    """Return the totals, and events by channel and type, the largest first."""
    keys = ("channel", "domain", "type")
    grouped = (
        events.groupBy(*keys)
        .agg(
            sf.count(sf.lit(1)).alias("events"),
            sf.sum(sf.octet_length("raw")).alias("octets"),
            sf.min("arrival_us").alias("first_us"),
            sf.max("arrival_us").alias("last_us"),
        )
        .persist()
    )
    try:
        [whole] = grouped.agg(
            sf.coalesce(sf.sum("events"), sf.lit(0)),
            sf.coalesce(sf.sum("octets"), sf.lit(0)),
            sf.min("first_us"),
            sf.max("last_us"),
            sf.count(sf.lit(1)),
        ).collect()
        rows = grouped.orderBy(sf.desc("events"), *keys).limit(top).collect()
    finally:
        grouped.unpersist()
    return Totals(*whole), tuple(Volume(*row[:5]) for row in rows)


def slice_length(first_us: int | None, last_us: int | None) -> int:
    """Return the length of a time slice: an hour, unless that gives too many or too few."""
    span = 0 if first_us is None or last_us is None else last_us - first_us
    wanted = span / (_MOST_SLICES if span >= 12 * _HOUR else _FINE_SLICES)
    least = _HOUR if span >= 12 * _HOUR else 0
    return next((one for one in _LENGTHS if one >= max(wanted, least)), _LENGTHS[-1])


def slices(events: DataFrame, length_us: int, largest: Sequence[Volume]) -> tuple[Slice, ...]:
    """Count events over time by channel and type; the smaller types of a channel are combined."""
    followed = [(one.channel, one.domain, one.type) for one in largest[:_MOST_SERIES]]
    own = sf.struct("channel", "domain", "type").isin(
        [sf.struct(*(sf.lit(part) for part in one)) for one in followed]
    ) if followed else sf.lit(False)  # fmt: skip
    start = sf.col("arrival_us") - sf.pmod("arrival_us", sf.lit(length_us))
    named = events.select(
        start.alias("from_us"),
        "channel",
        sf.when(own, sf.col("domain")).otherwise("").alias("domain"),
        sf.when(own, sf.col("type")).otherwise(REST).alias("type"),
    )
    keys = ("from_us", "channel", "domain", "type")
    return tuple(Slice(*row) for row in named.groupBy(*keys).count().orderBy(*keys).collect())


def fan_out(events: DataFrame) -> tuple[FanOut, ...]:
    """Return the number of durable consumers per event, by channel."""
    width = sf.size("durable")
    rows = (
        events.groupBy("channel")
        .agg(
            sf.count(sf.lit(1)),
            sf.sum(width).alias("copies"),
            sf.avg(width),
            sf.percentile_approx(width, 0.5),
            sf.percentile_approx(width, 0.99),
            sf.max(width),
            sf.count_if(width == 0),
        )
        .orderBy(sf.desc("copies"), "channel")
        .collect()
    )
    return tuple(FanOut(*row) for row in rows)


def suppliers(events: DataFrame, top: int) -> tuple[tuple[Supplier, ...], int]:
    """Return the largest suppliers, and the number of all suppliers."""
    counts = (sf.count(sf.lit(1)).alias("events"), sf.count_distinct("origin"))
    grouped = events.groupBy("producer").agg(*counts, sf.max("arrival_us")).persist()
    try:
        rows = grouped.orderBy(sf.desc("events"), "producer").limit(top).collect()
        return tuple(Supplier(*row) for row in rows), grouped.count()
    finally:
        grouped.unpersist()


def names_of(objects: DataFrame) -> DataFrame:
    """Return the last name of every proxy: origin, proxy, name."""
    of_proxies = objects.where((sf.col("object") == "proxy") & sf.col("state").isNotNull())
    name = sf.nullif(sf.get_json_object("state", "$.name"), sf.lit(""))
    return of_proxies.groupBy("origin", sf.col("id").alias("proxy")).agg(
        sf.max_by(name, "position").alias("name")
    )


def copies_of(
    events: DataFrame, outcomes: DataFrame, objects: DataFrame, plans: Sequence[PlanRow]
) -> DataFrame:
    """Return every copy with its last outcome, as in the audit.

    Columns: origin, seq, proxy, outcome, ended_at (the position of that outcome), redriven, and
    `took_us`, the time from arrival to delivery.
    """
    # Events are not judged again here: the engine's lists say who gets a copy.
    listed = events.withColumns({"chosen": sf.lit(True), "judged": sf.lit(False)})
    sent = events.limit(0).select("origin", "seq", sf.lit(0).alias("proxy"), "position")
    tiles = proxy_tiles(objects, plans)
    found = pairs(Sources(listed, sent, outcomes, tiles)).where("listed")
    state = sf.col("state")
    # A clock that was set back must not give negative latencies.
    took = sf.greatest(sf.col("ended.at_us") - sf.col("arrival_us"), sf.lit(0))
    return found.select(
        "origin",
        "seq",
        "proxy",
        sf.when(state.isin(*OUTCOMES), state).otherwise(UNEXPLAINED).alias("outcome"),
        sf.col("ended.position").alias("ended_at"),
        "redriven",
        sf.when(state == "delivered", took).alias("took_us"),
    )


def consumers(events: DataFrame, copies: DataFrame, objects: DataFrame, top: int) -> Consumers:
    """Return copies, outcomes and latencies by consumer."""
    key = ["origin", "proxy"]
    of_channel = events.groupBy("origin").agg(
        sf.count(sf.lit(1)).alias("events"), sf.max("channel").alias("channel")
    )
    results = _results(copies).persist()
    try:
        whole = results.where(sf.col("level") == 3).first()
        known = (
            results.where(sf.col("level") == 0)
            .drop("level")
            .join(sf.broadcast(of_channel), "origin")
            .join(names_of(objects), key, "left")
            .persist()
        )
        try:
            in_all = known.count()
            order = ("channel", "proxy")
            largest = known.orderBy(sf.desc("copies"), *order).limit(top).collect()
            timed = known.where(sf.col("measured") > 0)
            slowest = timed.orderBy(sf.desc(sf.col("parts")[2]), *order).limit(top).collect()
        finally:
            known.unpersist()
    finally:
        results.unpersist()
    return Consumers(
        {} if whole is None else _outcomes(whole),
        None if whole is None else _latency(whole),
        tuple(map(_consumer, largest)),
        tuple(map(_consumer, slowest)),
        in_all,
    )


def _results(copies: DataFrame) -> DataFrame:
    """Aggregate outcomes and latencies: by proxy (level 0), by channel (1) and in total (3)."""
    counts = [sf.count_if(sf.col("outcome") == name).alias(_column(name)) for name in OUTCOMES]
    return copies.rollup("origin", "proxy").agg(
        sf.grouping_id().alias("level"),
        sf.count(sf.lit(1)).alias("copies"),
        *counts,
        sf.count_if("redriven").alias("redriven"),
        sf.count("took_us").alias("measured"),
        sf.percentile_approx("took_us", [0.5, 0.9, 0.99]).alias("parts"),
        sf.max("took_us").alias("most"),
    )


def _column(outcome: str) -> str:
    return outcome.replace("-", "_").replace(" ", "_")


def _outcomes(row: Row) -> dict[str, int]:
    """Return the number of copies by outcome, and of all that were redriven."""
    names = (*OUTCOMES, "redriven")
    return {name: row[_column(name)] for name in names if row[_column(name)]}


def _latency(row: Row) -> Latency | None:
    if not row["measured"]:
        return None
    p50, p90, p99 = (part / 1_000 for part in row["parts"])
    return Latency(row["measured"], p50, p90, p99, row["most"] / 1_000)


def _consumer(row: Row) -> Consumer:
    return Consumer(
        row["channel"], row["origin"], row["proxy"], row["name"], row["copies"],
        row["copies"] / row["events"], _outcomes(row), _latency(row),
    )  # fmt: skip


def dead_letters(
    copies: DataFrame, outcomes: DataFrame, objects: DataFrame, top: int
) -> tuple[DeadLetters, ...]:
    """Count dead letters by consumer and cause, the most frequent first."""
    given_up = copies.where(sf.col("outcome").isin("dead-lettered", "rejected")).select(
        "origin", "seq", "proxy", sf.col("ended_at").alias("position")
    )
    cause: Column = sf.left(sf.col("detail"), sf.lit(_LONGEST_CAUSE))
    grouped = (
        outcomes.join(given_up, given_up.columns)
        .groupBy("origin", "channel", "proxy", "outcome", cause.alias("cause"))
        .agg(sf.count(sf.lit(1)).alias("count"), sf.max("at_us").alias("last_us"))
        .orderBy(sf.desc("count"), "channel", "proxy", "outcome", "cause")
        .limit(top)
    )
    rows = (
        grouped.join(names_of(objects), ["origin", "proxy"], "left")
        .orderBy(sf.desc("count"), "channel", "proxy", "outcome", "cause")
        .select("channel", "proxy", "name", "outcome", "cause", "count", "last_us")
        .collect()
    )
    return tuple(DeadLetters(*row) for row in rows)
