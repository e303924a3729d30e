"""Pairs counted: by channel for the accounts, by consumer for the books."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from tidings.pipeline.audit.books import Total
from tidings.pipeline.audit.objects import LAST
from tidings.pipeline.audit.pairs import (
    DISAGREES,
    DOUBLED,
    NOT_ENDED,
    ORPHAN,
    WRONG,
)
from tidings.pipeline.audit.result import ACCOUNTED, Account

BAD: Final = (DOUBLED, NOT_ENDED, DISAGREES, WRONG, ORPHAN)
"""States that nothing explains."""


class EventTotals(NamedTuple):
    """The events of a channel."""

    rows: Total  # how many rows there are, and the sum of their numbers
    doubled: int  # how many numbers stand more than once
    chosen: int  # how many events are looked at
    listed: int  # how many durable recipients these have, all together
    unjudged: int  # how many of these have a plan that is not known


class TallyRow(NamedTuple):
    """Pairs of one consumer and one state."""

    origin: str  # of the channel
    proxy: int  # of the consumer
    state: str  # their state
    pairs: int  # how many
    expected: int  # how many of them the plan or the engine names
    listed: int  # how many of them the engine names
    redriven: int  # how many of those that the engine names were redriven
    skewed: int  # how many have an outcome that is older than the event
    waiting: int  # how many wait by the rows
    waiting_sum: int  # the sum of their numbers


class BadPair(NamedTuple):
    """A pair that something is wrong with."""

    origin: str  # of the channel
    state: str  # what is wrong
    version: int | None  # of the plan, if the plan is what is wrong
    seq: int  # the event
    proxy: int  # the consumer
    sent: bool  # whether the plan names it
    plan: int | None  # the version the event was judged by
    outcomes: list[str]  # its outcomes, in order
    total: int  # how many there are of the same channel, state and version


def event_totals(events: DataFrame) -> dict[str, EventTotals]:
    """The events of each channel; `events` may have numbers that stand more than once."""
    seq = F.col("seq").cast("decimal(20,0)")
    numbers = events.groupBy("origin", "seq").agg(
        F.count("*").alias("rows"),
        F.max("chosen").alias("chosen"),
        F.max("judged").alias("judged"),
        F.max(F.size("durable")).alias("durable"),
    )
    rows = (
        numbers.groupBy("origin")
        .agg(
            F.sum("rows"),
            F.sum(seq * F.col("rows")),
            F.count_if(F.col("rows") > 1),
            F.count_if("chosen"),
            F.sum(F.when(F.col("chosen"), F.col("durable")).otherwise(0)),
            F.count_if(F.col("chosen") & ~F.col("judged")),
        )
        .collect()
    )
    return {row[0]: EventTotals(Total(row[1], int(row[2])), *row[3:]) for row in rows}


def tally(pairs: DataFrame, settled_from: int) -> list[TallyRow]:
    """Count pairs by consumer and state; only events from `settled_from` on count as waiting."""
    waits = F.col("waits") & (F.col("position") >= settled_from)
    seq = F.col("seq").cast("decimal(20,0)")
    rows = (
        pairs.groupBy("origin", "proxy", "state")
        .agg(
            F.count("*"),
            F.count_if(F.col("sent") | F.col("listed")),
            F.count_if("listed"),
            F.count_if(F.col("listed") & F.col("redriven")),
            F.count_if(F.col("first_at_us") < F.col("arrival_us")),
            F.count_if(waits),
            F.sum(F.when(waits, seq).otherwise(0)),
        )
        .collect()
    )
    return [TallyRow(*row)._replace(waiting_sum=int(row[-1])) for row in rows]


def accounts(
    rows: Iterable[TallyRow],
    events: Mapping[str, EventTotals],
    names: Mapping[str, str],
    disbelieved: Mapping[str, int],
) -> tuple[Account, ...]:
    """The account of each channel; pairs that the books disbelieve are unexplained."""
    sums: dict[str, dict[str, int]] = {
        origin: {"events": totals.chosen} for origin, totals in events.items()
    }
    for row in rows:
        if not row.expected:
            continue
        account = sums.setdefault(row.origin, {})
        state = ACCOUNTED.get(row.state, "unexplained")
        # Outcomes are also written of a consumer that became durable while the event waited.
        copies = row.listed if row.state in ACCOUNTED else row.expected
        for name, count in (
            ("pairs", row.expected),
            (state, copies),
            ("best_effort", row.expected - copies),
            ("redriven", row.redriven),
        ):
            account[name] = account.get(name, 0) + count
    found = []
    for origin, counts in sums.items():
        account_ = Account(names.get(origin, origin), origin, **counts)
        moved = min(disbelieved.get(origin, 0), account_.pending)
        found.append(
            replace(
                account_,
                pending=account_.pending - moved,
                unexplained=account_.unexplained + moved,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.channel, one.origin)))


def odd_pairs(pairs: DataFrame, consumers: Collection[tuple[str, int]]) -> DataFrame:
    """The pairs that are to be looked at: bad ones, and what waits for these consumers.

    They are few, and asked several times: they are kept until `unpersist`.
    """
    wanted = pairs.sparkSession.createDataFrame(sorted(consumers), "origin string, proxy int")
    asked = F.broadcast(wanted.withColumn("asked", F.lit(True)))
    is_asked = F.col("waits") & F.coalesce("asked", F.lit(False))
    return (
        pairs.join(asked, ["origin", "proxy"], "left")
        .where(F.col("state").isin(*BAD) | is_asked)
        .drop("asked")
        .persist()
    )


def bad_pairs(pairs: DataFrame, events: DataFrame, sample: int) -> list[BadPair]:
    """Some of the pairs that something is wrong with, of each kind."""
    version = F.when(F.col("state") == DISAGREES, F.col("plan"))
    of_kind = Window.partitionBy("origin", "state", "version")
    rows = (
        pairs.where(F.col("state").isin(*BAD))
        .drop("plan")
        .join(events.select("origin", "seq", "plan"), ["origin", "seq"], "left")
        .withColumn("version", version)
        .withColumn("total", F.count("*").over(of_kind))
        .withColumn("place", F.row_number().over(of_kind.orderBy("seq", "proxy")))
        .where(F.col("place") <= sample)
        .withColumn("outcomes", F.transform("words", lambda one: one["outcome"]))
        .select(*BadPair._fields)
        .collect()
    )
    found = (BadPair(*row) for row in rows)
    return sorted(found, key=lambda one: (*one[:2], one.version or 0, one.seq, one.proxy))


def orphan_totals(pairs: DataFrame) -> dict[str, Total]:
    """By origin, of the events that are not there and whose outcomes are: count and sum."""
    rows = (
        pairs.where(F.col("state") == ORPHAN)
        .select("origin", "seq")
        .distinct()
        .groupBy("origin")
        .agg(F.count("*"), F.sum(F.col("seq").cast("decimal(20,0)")))
        .collect()
    )
    return {row[0]: Total(row[1], int(row[2])) for row in rows}


def waiting_pairs(
    pairs: DataFrame, asked: Mapping[tuple[str, int], set[int]], sample: int
) -> dict[tuple[str, int], list[int]]:
    """Of some consumers, events that wait by the rows: those asked for, and the first others."""
    spark = pairs.sparkSession
    wanted = spark.createDataFrame(
        [
            (origin, proxy, [seq for seq in seqs if 0 < seq <= LAST])
            for (origin, proxy), seqs in asked.items()
        ],
        "origin string, proxy int, asked array<bigint>",
    )
    one = Window.partitionBy("origin", "proxy").orderBy("seq")
    rows = (
        pairs.where("waits")
        .join(F.broadcast(wanted), ["origin", "proxy"])
        .withColumn("place", F.row_number().over(one))
        .where((F.col("place") <= sample) | F.array_contains("asked", F.col("seq")))
        .select("origin", "proxy", "seq")
        .collect()
    )
    found: dict[tuple[str, int], list[int]] = {key: [] for key in asked}
    for origin, proxy, seq in sorted(rows):
        found[origin, proxy].append(seq)
    return found
