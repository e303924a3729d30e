"""Pairs counted: by channel for the accounts, by consumer for the books."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as F

from tidings.pipeline.audit_books import Total
from tidings.pipeline.audit_objects import LAST
from tidings.pipeline.audit_pairs import (
    BEST_EFFORT,
    DISAGREES,
    DOUBLED,
    NOT_ENDED,
    ORPHAN,
    PENDING,
    WRONG,
)
from tidings.pipeline.audit_result import Account

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ACCOUNTED: Final = {
    BEST_EFFORT: "best_effort",
    "delivered": "delivered",
    "expired": "expired",
    "discarded": "discarded",
    "dead-lettered": "dead_lettered",
    "rejected": "rejected",
    "disconnected": "disconnected",
    "lost": "lost",
    "purged": "purged",
    "no longer tracked": "no_longer_tracked",
    PENDING: "pending",
}
"""What a pair counts under, by its state."""
BAD: Final = (DOUBLED, NOT_ENDED, DISAGREES, WRONG, ORPHAN)
"""States that nothing explains."""


class EventTotals(NamedTuple):
    """The events of a channel.

    Attributes:
        rows: How many rows there are, and the sum of their numbers.
        doubled: How many numbers stand more than once.
        chosen: How many events are looked at.
        listed: How many durable recipients these have, all together.
        unjudged: How many of these have a plan that is not known.
    """

    rows: Total
    doubled: int
    chosen: int
    listed: int
    unjudged: int


class TallyRow(NamedTuple):
    """Pairs of one consumer and one state.

    Attributes:
        origin: Of the channel.
        proxy: Of the consumer.
        state: Their state.
        pairs: How many.
        expected: How many of them the plan or the engine names.
        listed: How many of them the engine names.
        redriven: How many of those that the engine names were redriven.
        skewed: How many have an outcome that is older than the event.
        waiting: How many wait by the rows.
        waiting_sum: The sum of their numbers.
    """

    origin: str
    proxy: int
    state: str
    pairs: int
    expected: int
    listed: int
    redriven: int
    skewed: int
    waiting: int
    waiting_sum: int


class BadPair(NamedTuple):
    """A pair that something is wrong with.

    Attributes:
        origin: Of the channel.
        state: What is wrong.
        version: Of the plan, if the plan is what is wrong.
        seq: The event.
        proxy: The consumer.
        sent: Whether the plan names it.
        plan: The version the event was judged by.
        outcomes: Its outcomes, in order.
        total: How many there are of the same channel, state and version.
    """

    origin: str
    state: str
    version: int | None
    seq: int
    proxy: int
    sent: bool
    plan: int | None
    outcomes: list[str]
    total: int


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
    """Counts pairs; one row for each consumer and state, however many events there are.

    Args:
        pairs: As `audit_pairs.pairs` makes them.
        settled_from: Only events from this position on count as waiting.
    """
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
    """The account of each channel.

    Args:
        rows: As counted.
        events: By origin.
        names: Of the channels, by origin.
        disbelieved: By origin, how many pairs wait by the rows, and not by the books.
    """
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
