"""Every event and consumer, with what the plan, the engine and the outcomes say of them.

A pair is an event and a consumer's proxy. Three sources name pairs: the plan of the event's own
version asked on Spark (*sent*), the engine's list of durable recipients beside the event
(*listed*), and the outcomes. They meet in one grouping by event and proxy; what a pair's words
amount to is decided in `_state`, in one place. All of it runs on executors, in native
expressions; nothing grows on the driver with the number of events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import functions as F

from tidings.pipeline.audit_objects import FIRST, LAST, ObjectRow, Tile, tiles
from tidings.pipeline.frames import PlanRow

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

FINAL: Final = (
    *("delivered", "expired", "discarded", "dead-lettered", "rejected", "disconnected"),
    *("lost", "purged"),
)
"""Outcomes after which a consumer waits for the event no more."""
REDRIVEN: Final = "redriven"

BEST_EFFORT: Final = "best effort"
PENDING: Final = "pending"
DOUBLED: Final = "doubled"
"""Two final outcomes, and no redrive between them."""
NOT_ENDED: Final = "not ended"
"""Redriven, and never done with before."""
DISAGREES: Final = "disagrees"
"""Sent and durable, but not listed; or listed, but not sent."""
WRONG: Final = "wrong"
"""An outcome of a consumer the event does not go to, or that was not durable."""
ORPHAN: Final = "orphan"
"""An outcome of an event that is not there."""
UNKNOWN: Final = "unknown"
"""An outcome of an event whose plan is not known, of a consumer the engine does not list."""

_OWN: Final = ("position", "arrival_us", "plan", "judged", "carried")
_WORD: Final = "struct<position: bigint, outcome: string, at_us: bigint>"


class Sources(NamedTuple):
    """What pairs are made of.

    Attributes:
        events: Each event once: origin, seq, arrival_us, plan, position, durable, carried,
            `chosen`, whether it is looked at, and `judged`, whether its plan is known.
        sent: What the plans give for those that are chosen and judged: origin, seq, proxy,
            position.
        outcomes: Of all events, looked at or not.
        tiles: As `tile_frame` makes them.
    """

    events: DataFrame
    sent: DataFrame
    outcomes: DataFrame
    tiles: DataFrame


def tile_frame(spark: SparkSession, tiles: Sequence[Tile]) -> DataFrame:
    """Tiles as a frame."""
    schema = (
        "t_origin string, t_proxy int, t_start long, t_end long, t_durable boolean, "
        "t_gone long, t_how string, t_stays boolean"
    )
    return spark.createDataFrame(list(tiles), schema)


def proxy_tiles(objects: DataFrame, plans: Iterable[PlanRow]) -> DataFrame:
    """The tiles of all proxies, from the objects and plans of an archive."""
    rows = objects.select(*ObjectRow._fields).collect()
    changes = ((plan.position, plan.origin, plan.change) for plan in plans)
    return tile_frame(objects.sparkSession, tiles(sorted(ObjectRow(*row) for row in rows), changes))


def pairs(sources: Sources) -> DataFrame:
    """All pairs that any of the sources names, of the events that are looked at.

    Columns: origin, seq, proxy, position, arrival_us, plan, sent, listed, words (position,
    outcome and time of the outcomes, in order), state, waits (whether by the rows the consumer
    still waits for an event that was archived whole, whatever else is wrong), ended (the last
    final outcome, as in words; null if there is none), first_at_us, redriven.
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
    """Outcomes with their events; an event that is not there has no position."""
    told = sources.outcomes.select(
        "origin", "seq", "proxy", F.struct("position", "outcome", "at_us").cast(_WORD).alias("word")
    )
    events = sources.events.select("origin", "seq", *_OWN, "chosen")
    is_absent = F.col("position").isNull()
    # An outcome before its event was of another event of that number, which was refused.
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
    # F for a final outcome, R for a redrive: what matters is their order.
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
    """A consumer that became durable while the event waited is told of from then on."""
    first = F.get("words", F.lit(0))["position"]
    later = F.coalesce(first >= F.col("t_end"), F.lit(False))
    return ~F.coalesce("t_durable", F.lit(False)) & F.col("sent") & later


def _state() -> Column:
    """What the words of a pair amount to."""
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
    """What became of a copy that is written down."""
    course, gone = F.col("course"), F.col("t_gone")
    first = F.get("words", F.lit(0))["position"]
    # While a consumer is not durable its outcomes are not written.
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
    """Whether the consumer ended behind the last word."""
    last = F.coalesce(F.try_element_at("words", F.lit(-1))["position"], F.lit(FIRST))
    return F.coalesce(F.col("t_gone") > last, F.lit(False))


def _waits() -> Column:
    """As the archiver counts: an end is no end for who becomes durable again.

    Of events that the journal had only in part the rows do not tell all who wait.
    """
    counts = F.coalesce("t_stays", F.lit(True)) & ~F.col("carried")
    return (F.col("listed") | _told_later()) & ~F.col("course").endswith("F") & counts
