"""Pairs of event and consumer, with what the plan, the engine and the outcomes say of them.

A pair is an event and a consumer's proxy. Three sources name pairs: the event's own version of the
plan, evaluated on Spark (*sent*), the engine's list of durable recipients stored with the event
(*listed*), and the outcomes. They are grouped by event and proxy, and `_state` classifies each
pair. Everything runs on executors in native expressions; driver memory does not grow with the
number of events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.pipeline.audit.objects import (
    FIRST,
    LAST,
    NO_LONGER_TRACKED,
    ObjectRow,
    Tile,
    tiles,
)
from tidings.pipeline.audit.result import ACCOUNTED
from tidings.pipeline.matching.book import PlanRow

REDRIVEN: Final = "redriven"
BEST_EFFORT: Final = "best effort"
PENDING: Final = "pending"
FINAL: Final = tuple(
    state for state in ACCOUNTED if state not in {BEST_EFFORT, PENDING, NO_LONGER_TRACKED}
)
"""Outcomes after which a consumer no longer waits for the event."""
DOUBLED: Final = "doubled"
"""Two final outcomes without a redrive between them."""
NOT_ENDED: Final = "not ended"
"""Redriven without a final outcome before."""
DISAGREES: Final = "disagrees"
"""Sent and durable but not listed, or listed but not sent."""
WRONG: Final = "wrong"
"""An outcome of a consumer that should not receive the event or was not durable."""
ORPHAN: Final = "orphan"
"""An outcome of a missing event."""
UNKNOWN: Final = "unknown"
"""An outcome of a consumer that the engine does not list, for an event with an unknown plan."""

_OWN: Final = ("position", "arrival_us", "plan", "judged", "carried")
_WORD: Final = "struct<position: bigint, outcome: string, at_us: bigint>"


class Sources(NamedTuple):
    """Input of `pairs`."""

    # Each event once: origin, seq, arrival_us, plan, position, durable, carried, `chosen` (it is
    # audited) and `judged` (its plan is known)
    events: DataFrame
    # Result of the plans for chosen and judged events: origin, seq, proxy, position
    sent: DataFrame
    outcomes: DataFrame  # of all events, audited or not
    tiles: DataFrame  # from `tile_frame`


def tile_frame(spark: SparkSession, tiles: Sequence[Tile]) -> DataFrame:
    """Return tiles as a frame."""
    schema = (
        "t_origin string, t_proxy int, t_start long, t_end long, t_durable boolean, "
        "t_gone long, t_how string, t_stays boolean"
    )
    return spark.createDataFrame(list(tiles), schema)


def proxy_tiles(objects: DataFrame, plans: Iterable[PlanRow]) -> DataFrame:
    """Return the tiles of all proxies of an archive."""
    rows = objects.select(*ObjectRow._fields).collect()
    changes = ((plan.position, plan.origin, plan.change) for plan in plans)
    return tile_frame(objects.sparkSession, tiles(sorted(ObjectRow(*row) for row in rows), changes))


def pairs(sources: Sources) -> DataFrame:
    """Return all pairs of audited events that any source names.

    Columns: origin, seq, proxy, position, arrival_us, plan, sent, listed, words (position,
    outcome and time of the outcomes, in order), state, waits (by the rows the consumer still waits
    for an event that was archived whole, even if the pair is bad), ended (the last final outcome,
    as in words, or null), first_at_us, redriven.
    """
    met = (
        _listed(sources.events)
        .unionByName(_sent(sources.sent))
        .unionByName(_said(sources))
        .groupBy("origin", "seq", "proxy")
        .agg(
            *(F.max(name).alias(name) for name in (*_OWN, "sent", "listed")),
            F.array_sort(F.collect_list("word")).alias("words"),
        )
    )
    return _with_state(met, sources.tiles)


def _listed(events: DataFrame) -> DataFrame:
    return events.where("chosen").select(
        "origin",
        "seq",
        F.explode("durable").alias("proxy"),
        *_OWN,
        F.lit(False).alias("sent"),
        F.lit(True).alias("listed"),
        F.lit(None).cast(_WORD).alias("word"),
    )


def _sent(sent: DataFrame) -> DataFrame:
    return sent.select(
        "origin",
        "seq",
        F.col("proxy").cast("int").alias("proxy"),
        "position",
        F.lit(None).cast("bigint").alias("arrival_us"),
        F.lit(None).cast("bigint").alias("plan"),
        F.lit(True).alias("judged"),
        F.lit(False).alias("carried"),
        F.lit(True).alias("sent"),
        F.lit(False).alias("listed"),
        F.lit(None).cast(_WORD).alias("word"),
    )


def _said(sources: Sources) -> DataFrame:
    """Join outcomes with their events; a missing event has no position."""
    told = sources.outcomes.select(
        "origin", "seq", "proxy", F.struct("position", "outcome", "at_us").cast(_WORD).alias("word")
    )
    events = sources.events.select("origin", "seq", *_OWN, "chosen")
    is_absent = F.col("position").isNull()
    # An outcome before its event belongs to a refused event with the same number.
    is_behind = F.col("word.position") > F.col("position")
    return (
        told.join(events, ["origin", "seq"], "left")
        .where(is_absent | (F.col("chosen") & is_behind))
        .select(
            "origin",
            "seq",
            "proxy",
            *_OWN,
            F.lit(False).alias("sent"),
            F.lit(False).alias("listed"),
            "word",
        )
    )


def _with_state(met: DataFrame, tiles: DataFrame) -> DataFrame:
    in_tile = (
        (F.col("origin") == F.col("t_origin"))
        & (F.col("proxy") == F.col("t_proxy"))
        & (F.col("position") >= F.col("t_start"))
        & (F.col("position") < F.col("t_end"))
    )
    # F for a final outcome, R for a redrive: only their order matters.
    letters = F.transform(
        "words",
        lambda one: (
            F.when(one["outcome"].isin(*FINAL), "F")
            .when(one["outcome"] == REDRIVEN, "R")
            .otherwise("")
        ),
    )
    finals = F.filter("words", lambda one: one["outcome"].isin(*FINAL))
    return (
        met.join(F.broadcast(tiles), in_tile, "left")
        .withColumn("course", F.array_join(letters, ""))
        .withColumn("ended", F.try_element_at(finals, F.lit(-1)))
        .withColumn("state", _state())
        .withColumn("waits", _waits())
        .withColumn("first_at_us", F.array_min(F.transform("words", lambda one: one["at_us"])))
        .withColumn("redriven", F.col("course").contains("R"))
        .select(
            "origin", "seq", "proxy", "position", "arrival_us", "plan",
            "sent", "listed", "words", "state", "waits", "ended", "first_at_us", "redriven",
        )
    )  # fmt: skip


def _told_later() -> Column:
    """Whether the consumer became durable while the event waited; its outcomes begin then."""
    first = F.get("words", F.lit(0))["position"]
    later = F.coalesce(first >= F.col("t_end"), F.lit(False))
    return ~F.coalesce("t_durable", F.lit(False)) & F.col("sent") & later


def _state() -> Column:
    sent, listed, judged = F.col("sent"), F.col("listed"), F.col("judged")
    durable = F.coalesce("t_durable", F.lit(False))
    return (
        F.when(F.col("position").isNull(), ORPHAN)
        .when(~sent & ~listed, F.when(judged, WRONG).otherwise(UNKNOWN))
        .when(judged & listed & ~sent, DISAGREES)
        .when(sent & ~listed & durable, DISAGREES)
        .when(sent & ~listed & (F.size("words") == 0), BEST_EFFORT)
        .when(sent & ~listed & ~_told_later(), WRONG)
        .otherwise(_followed())
    )


def _followed() -> Column:
    """Classify a copy by its outcomes and its consumer's end."""
    course, gone = F.col("course"), F.col("t_gone")
    first = F.get("words", F.lit(0))["position"]
    # Outcomes are not recorded while a consumer is not durable.
    begins_late = course.startswith("R") & (first < F.coalesce(gone, F.lit(LAST)))
    is_cut = course.contains("RR") & gone.isNull()
    return (
        F.when(course.contains("FF"), DOUBLED)
        .when(F.col("listed") & (begins_late | is_cut), NOT_ENDED)
        .when(course.endswith("F"), F.col("ended.outcome"))
        .when(_went(), F.col("t_how"))
        .otherwise(PENDING)
    )


def _went() -> Column:
    last = F.coalesce(F.try_element_at("words", F.lit(-1))["position"], F.lit(FIRST))
    return F.coalesce(F.col("t_gone") > last, F.lit(False))


def _waits() -> Column:
    """Count waiting pairs as the archiver does.

    An end does not count if the consumer becomes durable again; for events that the journal had
    only in part, the rows do not name all waiting consumers.
    """
    counts = F.coalesce("t_stays", F.lit(True)) & ~F.col("carried")
    return (F.col("listed") | _told_later()) & ~F.col("course").endswith("F") & counts
