"""Pairs of event and consumer, with what the plan, the engine and the outcomes say of them.

A pair is an event and a consumer's proxy. Three sources name pairs: the event's own version of the
plan, evaluated on Spark (*sent*), the engine's list of durable recipients stored with the event
(*listed*), and the outcomes. They are grouped by event and proxy, and `_state` classifies each
pair. Everything runs on executors in native expressions; driver memory does not grow with the
number of events.

When each consumer was durable and how it ended comes from the archived objects and plans: the
journal records when a consumer becomes durable, and when it is deleted or stops being durable. A
tile is the range of positions between two such records. The tiles of a proxy cover all positions,
so each event falls into exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import merge
from typing import Final, NamedTuple

import msgspec
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.pipeline.audit.result import ACCOUNTED
from tidings.pipeline.matching.book import PlanRow

DISCONNECTED: Final = "disconnected"
NO_LONGER_TRACKED: Final = "no longer tracked"
FIRST: Final = -(2**63)
"""Below every position."""
LAST: Final = 2**63 - 1
"""Above every position."""
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
    listed = sources.events.where("chosen").withColumn("proxy", F.explode("durable"))
    unknown = F.lit(None).cast("bigint")
    sent = sources.sent.withColumns(
        {
            "proxy": F.col("proxy").cast("int"),
            "arrival_us": unknown,
            "plan": unknown,
            "judged": F.lit(True),
            "carried": F.lit(False),
        }
    )
    word = F.struct("position", "outcome", "at_us").cast(_WORD).alias("word")
    told = sources.outcomes.select("origin", "seq", "proxy", word)
    events = sources.events.select("origin", "seq", *_OWN, "chosen")
    is_absent = F.col("position").isNull()
    # An outcome before its event belongs to a refused event with the same number.
    is_behind = F.col("word.position") > F.col("position")
    joined = told.join(events, ["origin", "seq"], "left")
    said = joined.where(is_absent | (F.col("chosen") & is_behind))
    met = (
        _marked(listed, listed=True)
        .unionByName(_marked(sent, sent=True))
        .unionByName(_marked(said, word=F.col("word")))
        .groupBy("origin", "seq", "proxy")
        .agg(
            *(F.max(name).alias(name) for name in (*_OWN, "sent", "listed")),
            F.array_sort(F.collect_list("word")).alias("words"),
        )
    )
    return _with_state(met, sources.tiles)


def _marked(
    df: DataFrame, *, sent: bool = False, listed: bool = False, word: Column | None = None
) -> DataFrame:
    told = F.lit(None).cast(_WORD) if word is None else word
    marks = (F.lit(sent).alias("sent"), F.lit(listed).alias("listed"), told.alias("word"))
    return df.select("origin", "seq", "proxy", *_OWN, *marks)


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
    last = F.coalesce(F.try_element_at("words", F.lit(-1))["position"], F.lit(FIRST))
    # Outcomes are not recorded while a consumer is not durable.
    begins_late = course.startswith("R") & (first < F.coalesce(gone, F.lit(LAST)))
    is_cut = course.contains("RR") & gone.isNull()
    return (
        F.when(course.contains("FF"), DOUBLED)
        .when(F.col("listed") & (begins_late | is_cut), NOT_ENDED)
        .when(course.endswith("F"), F.col("ended.outcome"))
        .when(F.coalesce(gone > last, F.lit(False)), F.col("t_how"))
        .otherwise(PENDING)
    )


def _waits() -> Column:
    """Count waiting pairs as the archiver does.

    An end does not count if the consumer becomes durable again; for events that the journal had
    only in part, the rows do not name all waiting consumers.
    """
    counts = F.coalesce("t_stays", F.lit(True)) & ~F.col("carried")
    return (F.col("listed") | _told_later()) & ~F.col("course").endswith("F") & counts


class ObjectRow(NamedTuple):
    """An archived record of a channel or a durable proxy."""

    position: int
    origin: str  # of the channel
    object: str  # ``channel`` or ``proxy``
    id: int
    present: bool  # whether it exists from here on


class Tile(NamedTuple):
    """A range of positions in which nothing changes for a proxy."""

    origin: str
    proxy: int
    start: int  # first position
    end: int  # first position after it
    durable: bool
    gone: int | None  # position where it is next deleted or no longer durable; None if never
    how: str | None  # `DISCONNECTED` or `NO_LONGER_TRACKED`; None if never
    stays: bool  # whether it is durable at the end


class _PlanPart(msgspec.Struct):
    proxy: int


class _PlanProxies(msgspec.Struct):
    whole: bool = False
    proxies: list[_PlanPart] = []
    removed_proxies: list[int] = []


_decode = msgspec.json.Decoder(_PlanProxies).decode


class _Word(NamedTuple):
    """A record at a position: durable from here on (`how` is None), or how it ends."""

    position: int
    how: str | None


def tiles(objects: Iterable[ObjectRow], plans: Iterable[tuple[int, str, str]]) -> list[Tile]:
    """Return the tiles of all proxies in `objects`.

    A proxy that the plan still has when its object is deleted exists, but is no longer durable.
    Unreadable plan changes are skipped. Both arguments are sorted by position; a plan is position,
    origin and change.
    """
    words: dict[tuple[str, int], list[_Word]] = {}
    connected: dict[str, set[int]] = {}
    said: Iterable[tuple[int, ObjectRow | tuple[str, str]]] = merge(
        ((row.position, row) for row in objects),
        ((position, (origin, change)) for position, origin, change in plans),
        key=lambda one: one[0],
    )
    for _, one in said:
        if not isinstance(one, ObjectRow):
            _follow(connected.setdefault(one[0], set()), one[1])
        elif one.object == "proxy":
            known = one.id in connected.get(one.origin, ())
            how = NO_LONGER_TRACKED if known else DISCONNECTED
            said_of = words.setdefault((one.origin, one.id), [])
            said_of.append(_Word(one.position, None if one.present else how))
        elif not one.present:
            for (origin, _), said_of in words.items():
                if origin == one.origin and said_of[-1].how is None:
                    said_of.append(_Word(one.position, DISCONNECTED))
    return [
        tile for (origin, proxy), said_of in words.items() for tile in _laid(origin, proxy, said_of)
    ]


def _follow(connected: set[int], change: str) -> None:
    try:
        parts = _decode(change)
    except msgspec.DecodeError:
        return
    if parts.whole:
        connected.clear()
    connected.update(part.proxy for part in parts.proxies)
    connected.difference_update(parts.removed_proxies)


def _laid(origin: str, proxy: int, words: list[_Word]) -> list[Tile]:
    """Return the tiles of one proxy, from last to first."""
    found = []
    end, gone, how = LAST, None, None
    stays = words[-1].how is None
    for word in reversed(words):
        if word.how is not None:
            # Events that wait after this position wait for the next end, not for this one.
            found.append(Tile(origin, proxy, word.position, end, False, gone, how, stays))
            gone, how = word.position, word.how
        else:
            found.append(Tile(origin, proxy, word.position, end, True, gone, how, stays))
        end = word.position
    found.append(Tile(origin, proxy, FIRST, end, False, gone, how, stays))
    return found
