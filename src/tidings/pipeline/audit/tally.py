"""Counts of events and pairs, and the archiver's books beside them.

Independently of the rows, the archiver counts the events of each channel and those waiting for
each consumer, and adds up their sequence numbers. If one row is missing, the difference of the
sums is its number. If several are missing, only their count and sum are known, and events that may
be meant are suspects.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from tidings.pipeline.audit.pairs import DISAGREES, DOUBLED, LAST, NOT_ENDED, ORPHAN, WRONG
from tidings.pipeline.audit.result import ACCOUNTED, Account

K = TypeVar("K", bound=Hashable)
BAD: Final = (DOUBLED, NOT_ENDED, DISAGREES, WRONG, ORPHAN)
"""Unexplained states."""


@dataclass(frozen=True, slots=True)
class Total:
    """A count of events and the sum of their sequence numbers."""

    count: int = 0
    sum: int = 0

    def less(self, other: Total) -> Total:
        """Subtract another total."""
        return Total(self.count - other.count, self.sum - other.sum)

    def plus(self, other: Total) -> Total:
        """Add another total."""
        return Total(self.count + other.count, self.sum + other.sum)


NOTHING = Total()


class MissingEvents(NamedTuple):
    """Events of a channel that are in the books but not in the rows, or the reverse."""

    # Missing events, other than orphans
    named: tuple[int, ...] = ()
    # Whether the books also miss the orphans: events of which only outcomes exist
    orphans: bool = False
    # Missing events that cannot be identified
    unnamed: Total = NOTHING
    extra: Total = NOTHING  # rows that are not in the books
    changed: int = 0  # difference of the sums while the counts agree


class MissingOutcomes(NamedTuple):
    """Waiting events of a consumer on which books and rows disagree."""

    outcomes: int = 0  # number of missing outcomes
    named: tuple[int, ...] = ()  # their events, if the books identify them
    suspects: tuple[int, ...] = ()  # otherwise, some events that may be meant
    sum: int | None = None  # sum of their sequence numbers; None if unknown
    odd: bool = False  # nothing explains the difference; all else is empty


def differences(rows: Mapping[K, Total], books: Mapping[K, Total]) -> dict[K, Total]:
    """Return rows minus books where they differ."""
    found = {}
    for key in rows.keys() | books.keys():
        beyond = rows.get(key, NOTHING).less(books.get(key, NOTHING))
        if beyond != NOTHING:
            found[key] = beyond
    return found


def missing_events(beyond: Total, orphans: Total) -> MissingEvents:
    """Determine which events are missing: `beyond` is rows minus books, `orphans` have outcomes."""
    count, sum_ = -beyond.count, -beyond.sum
    if count < 0:
        return MissingEvents(extra=beyond)
    if count == 0:
        return MissingEvents(changed=beyond.sum)
    rest = Total(count, sum_).less(orphans)
    if orphans.count and rest.count == 0 and rest.sum == 0:
        return MissingEvents(orphans=True)
    if orphans.count and rest.count == 1 and rest.sum > 0:
        return MissingEvents((rest.sum,), orphans=True)
    if count == 1:
        return MissingEvents((sum_,))
    if orphans.count and rest.count > 1:
        return MissingEvents(orphans=True, unnamed=rest)
    return MissingEvents(unnamed=Total(count, sum_))


def asked_of(beyond: Total, gone: Collection[int]) -> set[int]:
    """Return the events whose waiting state `missing_outcomes` needs to know."""
    return {beyond.sum, *(beyond.sum + seq for seq in gone)}


def missing_outcomes(
    beyond: Total, waiting: Sequence[int], gone: Collection[int], *, exact: bool = True
) -> MissingOutcomes:
    """Determine which outcomes of a consumer are missing.

    A missing event waits in the books but not in the rows; this is considered before a difference
    counts as odd. `beyond` is rows minus books; `waiting` has at least those of `asked_of`. Unless
    `exact`, events may wait in the books whose rows retention has dropped.
    """
    if not exact:
        if beyond.count <= 0:
            return MissingOutcomes()
        return MissingOutcomes(beyond.count, suspects=tuple(waiting))
    candidates = [NOTHING, *(Total(1, seq) for seq in sorted(gone))]
    if len(gone) > 1:
        candidates.append(Total(len(gone), sum(gone)))
    for absent in candidates:
        found = _explained(beyond.plus(absent), waiting)
        if found is not None:
            return found
    return MissingOutcomes(odd=True)


def _explained(beyond: Total, waiting: Sequence[int]) -> MissingOutcomes | None:
    if beyond == NOTHING:
        return MissingOutcomes()
    if beyond.count < 1 or beyond.sum < 1:
        return None
    if beyond.count == 1:
        return MissingOutcomes(1, (beyond.sum,), sum=beyond.sum) if beyond.sum in waiting else None
    if beyond.count == len(waiting) and beyond.sum == sum(waiting):
        return MissingOutcomes(beyond.count, tuple(waiting), sum=beyond.sum)
    return MissingOutcomes(beyond.count, suspects=tuple(waiting), sum=beyond.sum)


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
                account_, pending=account_.pending - moved, unexplained=account_.unexplained + moved
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
