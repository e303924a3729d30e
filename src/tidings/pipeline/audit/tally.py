"""Counts of pairs: by channel for the accounts, by consumer for the books."""

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
"""Unexplained states."""


class EventTotals(NamedTuple):
    """Counts of a channel's events."""

    rows: Total
    doubled: int  # sequence numbers that occur more than once
    chosen: int  # audited events
    listed: int  # total of their durable recipients
    unjudged: int  # audited events whose plan is unknown


class TallyRow(NamedTuple):
    """Pairs of one consumer and one state."""

    origin: str
    proxy: int
    state: str
    pairs: int
    expected: int  # named by the plan or the engine
    listed: int  # named by the engine
    redriven: int  # of those listed
    skewed: int  # with an outcome older than the event
    waiting: int  # waiting according to the rows
    waiting_sum: int  # sum of their sequence numbers


class BadPair(NamedTuple):
    """A pair with a fault."""

    origin: str
    state: str
    version: int | None  # of the plan, if the plan is at fault
    seq: int
    proxy: int
    sent: bool  # whether the plan names it
    plan: int | None  # version that the event was judged by
    outcomes: list[str]  # in order
    total: int  # number of pairs with the same channel, state and version


def event_totals(events: DataFrame) -> dict[str, EventTotals]:
    """Count the events of each channel; sequence numbers may be duplicated."""
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
    """Return the account of each channel; pairs contradicted by the books are unexplained."""
    sums: dict[str, dict[str, int]] = {
        origin: {"events": totals.chosen} for origin, totals in events.items()
    }
    for row in rows:
        if not row.expected:
            continue
        account = sums.setdefault(row.origin, {})
        state = ACCOUNTED.get(row.state, "unexplained")
        # A consumer that became durable while the event waited has outcomes, too.
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
    """Return bad pairs and those that wait for these consumers, cached until `unpersist`."""
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
    """Return a sample of the bad pairs of each kind."""
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
    """Return the totals of missing events that have outcomes, by origin."""
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
    """Return waiting events of some consumers: those in `asked`, and the first others."""
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
