"""`tidings pipeline report`: statistics of the archive, or of a part of it.

Spark counts in native expressions, without Python on executors; the results are small, however
large the archive is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from tidings.errors import ArchiveDamaged
from tidings.pipeline import Progress
from tidings.pipeline.archive import Archive, Selection, journal_losses
from tidings.pipeline.audit.pairs import BEST_EFFORT, Sources, pairs, proxy_tiles
from tidings.pipeline.audit.result import ACCOUNTED
from tidings.pipeline.frames import events_frame, kind_frame, plan_changes
from tidings.pipeline.matching.book import PlanRow
from tidings.pipeline.report.services import ServiceChange, ServiceHistory, find_service_changes
from tidings.stores.archive.columns import CHANGES, KINDS
from tidings.stores.archive.manifest import Manifest

REST: Final = "the rest"
UNEXPLAINED: Final = "unexplained"
COPY_OUTCOMES: Final = (*(state for state in ACCOUNTED if state != BEST_EFFORT), UNEXPLAINED)
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
# Columns needed for events; `raw` is read for its length only.
_EVENT_COLUMNS = (
    *("origin", "channel", "seq", "arrival_us", "domain", "type", "name"),
    *("producer", "durable", "position", "plan", "carried"),
)


@dataclass(frozen=True, slots=True)
class ReportOptions(Selection):
    """What a report covers."""

    top: int = 20  # most entries of long lists


@dataclass(frozen=True, slots=True)
class ArchiveFacts:
    """Contents of the whole archive."""

    seals: int  # number of the last seal
    sealed_us: int | None  # time of the last seal
    segments: int
    octets: int
    rows: Mapping[str, int]  # by kind
    dropped: int  # files dropped by retention
    first_us: int | None  # earliest time in it
    last_us: int | None  # latest time in it


@dataclass(frozen=True, slots=True)
class Volume:
    """Events of one type in one channel."""

    channel: str
    domain: str
    type: str
    events: int
    octets: int  # size as typed JSON


@dataclass(frozen=True, slots=True)
class Slice:
    """Events of a channel and type in a slice of time."""

    from_us: int  # start, microseconds since 1970
    channel: str
    domain: str  # empty for the smaller types, which are combined
    type: str  # `the rest` for the smaller types
    events: int


@dataclass(frozen=True, slots=True)
class FanOut:
    """Number of durable consumers per event of a channel."""

    channel: str
    events: int
    copies: int  # pairs of event and consumer
    mean: float  # consumers per event
    p50: int  # median
    p99: int  # 99th percentile
    most: int  # maximum
    to_nobody: int  # events without a durable consumer


@dataclass(frozen=True, slots=True)
class Latency:
    """Time from an event's arrival to its delivery, in milliseconds."""

    measured: int  # deliveries with a time
    p50: float  # median
    p90: float  # 90th percentile
    p99: float  # 99th percentile
    most: float  # maximum


@dataclass(frozen=True, slots=True)
class Consumer:
    """A durable consumer."""

    channel: str  # channel name
    origin: str
    proxy: int
    name: str | None
    copies: int  # number of events for it
    # Fraction of the channel's events that it receives, from 0 to 1
    share: float
    # Copies by last outcome; `redriven` counts those redriven before, whatever their outcome
    outcomes: Mapping[str, int]
    latency: Latency | None  # None if no delivery has a time

    @property
    def label(self) -> str:
        """Channel and name, or id."""
        return f"{self.channel}/{self.name or self.proxy}"


@dataclass(frozen=True, slots=True)
class Supplier:
    """A producer of events."""

    producer: str | None  # None for events without a mark
    events: int
    channels: int  # number of channels it published to
    last_us: int  # arrival of the latest event


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """Dead letters of one consumer and cause."""

    channel: str
    proxy: int
    name: str | None
    outcome: str  # `dead-lettered` or `rejected`
    cause: str | None  # last cause; None if not recorded
    count: int
    last_us: int | None  # time of the latest; None if not recorded


@dataclass(frozen=True, slots=True)
class Destroyed:
    """A channel that was destroyed."""

    channel: str  # its name, or else what names it in the trail
    at_us: int
    principal: str
    credential: int | None  # None if the principal has shown none
    door: str
    peer: str  # the address; empty inside the service's process


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of one principal with one operation and result."""

    principal: str
    operation: str
    result: str  # `done`, or the code of the error
    count: int
    last_us: int  # time of the latest


@dataclass(frozen=True, slots=True)
class Refusals:
    """Refusals of one principal, door and address, with one operation and result."""

    principal: str
    door: str
    peer: str
    operation: str
    result: str  # the code of the error
    count: int
    last_us: int  # time of the latest


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a report."""

    archive: str
    since_us: int | None  # as requested
    until_us: int | None  # as requested
    channels: tuple[str, ...]  # as requested; empty for all
    facts: ArchiveFacts
    events: int = 0
    octets: int = 0  # size as typed JSON
    first_us: int | None = None  # arrival of the first event; None if there are no events
    last_us: int | None = None  # arrival of the last event
    slice_us: int = 3_600_000_000  # length of a slice
    slices: tuple[Slice, ...] = ()  # events over time, by channel and type
    volumes: tuple[Volume, ...] = ()  # by channel and type, the largest first
    types: int = 0  # number of types, including those not listed
    fan_out: tuple[FanOut, ...] = ()  # by channel
    # Copies by last outcome; `redriven` counts those redriven before, whatever their outcome
    outcomes: Mapping[str, int] = field(default_factory=dict)
    latency: Latency | None = None  # of all deliveries; None if none has a time
    consumers: tuple[Consumer, ...] = ()  # those with the most events
    slowest: tuple[Consumer, ...] = ()  # those with the highest latency
    consumers_in_all: int = 0  # number of consumers, including those not listed
    suppliers: tuple[Supplier, ...] = ()  # those with the most events
    suppliers_in_all: int = 0  # number of suppliers, including those not listed
    dead_letters: tuple[DeadLetters, ...] = ()  # by consumer and cause, the most frequent first
    destroyed: tuple[Destroyed, ...] = ()  # channels destroyed, the latest first
    changes: tuple[Changes, ...] = ()  # by principal, operation and result, the most frequent first
    refusals: tuple[Refusals, ...] = ()  # by principal and address, the most frequent first
    services: tuple[ServiceHistory, ...] = ()  # by service type, those that break clients first
    service_changes: tuple[ServiceChange, ...] = ()  # notices of changes, the latest first
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # duration

    @property
    def rate(self) -> float:
        """Events per second, over the whole slices from the first to the last event."""
        first, last = self.first_us or 0, self.last_us or 0
        slices = last // self.slice_us - first // self.slice_us + 1
        return self.events * 1_000_000 / (slices * self.slice_us)


class _Frames(NamedTuple):
    events: DataFrame
    outcomes: DataFrame
    objects: DataFrame
    changes: DataFrame
    plans: list[PlanRow]
    problems: tuple[str, ...]


def run_report(spark: SparkSession, options: ReportOptions, progress: Progress) -> Report:
    """Report on an archive; `progress` is called with the current step and the fraction done."""
    began = time.perf_counter()
    progress("reading the manifest", 0.0)
    manifest = Archive(options.archive).manifest()
    frames = _frames(spark, options, manifest)
    found = _answers(frames, options.top, progress)
    progress("done", 1.0)
    return Report(
        archive=options.archive,
        since_us=options.since_us,
        until_us=options.until_us,
        channels=tuple(options.channels),
        facts=_archive_facts(manifest),
        problems=frames.problems,
        seconds=time.perf_counter() - began,
        **found,
    )


def _frames(spark: SparkSession, options: ReportOptions, manifest: Manifest) -> _Frames:
    """Return all frames as of one seal, even if new ones are sealed meanwhile."""
    chosen = replace(options, upto_seal=manifest.last_seal)
    events = events_frame(spark, chosen)
    # Outcomes come after the event's arrival, however late: no end of the time range.
    outcomes = kind_frame(spark, replace(chosen, until_us=None), "outcomes")
    always = replace(chosen, since_us=None, until_us=None)
    objects = kind_frame(spark, always, "objects")
    changes = kind_frame(spark, chosen, CHANGES)
    told = [*events.problems, *outcomes.problems, *objects.problems, *changes.problems]
    told += [text for _, text in journal_losses(manifest)]
    plans: list[PlanRow] = []
    try:
        plans = plan_changes(spark, always)
    except ArchiveDamaged as error:
        told.append(str(error))
    narrow = events.df.select(*_EVENT_COLUMNS, "raw")
    problems = tuple(dict.fromkeys(told))
    return _Frames(narrow, outcomes.df, objects.df, changes.df, plans, problems)


def _answers(frames: _Frames, top: int, progress: Progress) -> dict[str, Any]:
    events, outcomes, objects, changes, plans, _ = frames
    progress("changes and refusals", 0.05)
    found = _find_changes(changes, top)
    progress("counting events", 0.1)
    found |= _find_volumes(events, top)
    if not found["events"]:
        return found
    progress("events over time", 0.25)
    length = _slice_length(found["first_us"], found["last_us"])
    found |= {"slice_us": length, "slices": _find_slices(events, length, found["volumes"])}
    progress("fan-out", 0.4)
    found["fan_out"] = _find_fan_out(events)
    progress("changes of services", 0.45)
    found |= find_service_changes(events, changes, top)
    progress("suppliers", 0.5)
    found["suppliers"], found["suppliers_in_all"] = _find_suppliers(events, top)
    progress("consumers, outcomes, latencies", 0.6)
    copies = _copies_of(events.drop("raw"), outcomes, objects, plans).persist()
    try:
        found |= _find_consumers(events, copies, objects, top)
        progress("dead letters", 0.9)
        found["dead_letters"] = _find_dead_letters(copies, outcomes, objects, top)
    finally:
        copies.unpersist()
    return found


def _archive_facts(manifest: Manifest) -> ArchiveFacts:
    files = manifest.files
    rows = {kind: sum(file.rows for file in files if file.kind == kind) for kind in KINDS}
    return ArchiveFacts(
        seals=manifest.last_seal,
        sealed_us=manifest.seals[-1].sealed_us if manifest.seals else None,
        segments=len(files),
        octets=sum(file.octets for file in files),
        rows=rows,
        dropped=len(manifest.dropped),
        first_us=min((file.first_us for file in files), default=None),
        last_us=max((file.last_us for file in files), default=None),
    )


def _find_volumes(events: DataFrame, top: int) -> dict[str, Any]:
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
            sf.coalesce(sf.sum("events"), sf.lit(0)).alias("events"),
            sf.coalesce(sf.sum("octets"), sf.lit(0)).alias("octets"),
            sf.min("first_us").alias("first_us"),
            sf.max("last_us").alias("last_us"),
            sf.count(sf.lit(1)).alias("types"),
        ).collect()
        rows = grouped.orderBy(sf.desc("events"), *keys).limit(top).collect()
    finally:
        grouped.unpersist()
    return {**whole.asDict(), "volumes": tuple(Volume(*row[:5]) for row in rows)}


def _slice_length(first_us: int, last_us: int) -> int:
    """Return the length of a time slice: an hour, unless that gives too many or too few."""
    span = last_us - first_us
    wanted = span / (_MOST_SLICES if span >= 12 * _HOUR else _FINE_SLICES)
    least = _HOUR if span >= 12 * _HOUR else 0
    return next((one for one in _LENGTHS if one >= max(wanted, least)), _LENGTHS[-1])


def _find_slices(events: DataFrame, length_us: int, largest: Sequence[Volume]) -> tuple[Slice, ...]:
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


def _find_fan_out(events: DataFrame) -> tuple[FanOut, ...]:
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


def _find_suppliers(events: DataFrame, top: int) -> tuple[tuple[Supplier, ...], int]:
    """Return the largest suppliers, and the number of all suppliers."""
    counts = (sf.count(sf.lit(1)).alias("events"), sf.count_distinct("origin"))
    grouped = events.groupBy("producer").agg(*counts, sf.max("arrival_us")).persist()
    try:
        rows = grouped.orderBy(sf.desc("events"), "producer").limit(top).collect()
        return tuple(Supplier(*row) for row in rows), grouped.count()
    finally:
        grouped.unpersist()


def _names_of(objects: DataFrame) -> DataFrame:
    """Return the last name of every proxy: origin, proxy, name."""
    of_proxies = objects.where((sf.col("object") == "proxy") & sf.col("state").isNotNull())
    name = sf.nullif(sf.get_json_object("state", "$.name"), sf.lit(""))
    return of_proxies.groupBy("origin", sf.col("id").alias("proxy")).agg(
        sf.max_by(name, "position").alias("name")
    )


def _copies_of(
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
        sf.when(state.isin(*COPY_OUTCOMES), state).otherwise(UNEXPLAINED).alias("outcome"),
        sf.col("ended.position").alias("ended_at"),
        "redriven",
        sf.when(state == "delivered", took).alias("took_us"),
    )


def _find_consumers(
    events: DataFrame, copies: DataFrame, objects: DataFrame, top: int
) -> dict[str, Any]:
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
            .join(_names_of(objects), key, "left")
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
    return {
        "outcomes": {} if whole is None else _outcomes(whole),
        "latency": None if whole is None else _latency(whole),
        "consumers": tuple(map(_consumer, largest)),
        "slowest": tuple(map(_consumer, slowest)),
        "consumers_in_all": in_all,
    }


def _results(copies: DataFrame) -> DataFrame:
    """Aggregate outcomes and latencies: by proxy (level 0), by channel (1) and in total (3)."""
    counts = [sf.count_if(sf.col("outcome") == name).alias(_column(name)) for name in COPY_OUTCOMES]
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
    names = (*COPY_OUTCOMES, "redriven")
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


def _find_dead_letters(
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
        grouped.join(_names_of(objects), ["origin", "proxy"], "left")
        .orderBy(sf.desc("count"), "channel", "proxy", "outcome", "cause")
        .select("channel", "proxy", "name", "outcome", "cause", "count", "last_us")
        .collect()
    )
    return tuple(DeadLetters(*row) for row in rows)


def _find_changes(changes: DataFrame, top: int) -> dict[str, Any]:
    """Return who destroyed channels, who changed what, and who was refused."""
    refused, times = sf.col("refused"), (sf.sum("count").alias("n"), sf.max("at_us").alias("last"))
    done = ~refused & (sf.col("operation") == "destroy_channel") & (sf.col("result") == "done")
    name = sf.when(sf.col("channel") == "", sf.col("about")).otherwise(sf.col("channel"))
    changes = changes.persist()  # one row for each change: few
    try:
        destroyed = (
            changes.where(done)
            .orderBy(sf.desc("at_us"), sf.desc("number"))
            .select(name, "at_us", "principal", "credential", "door", "peer")
            .limit(top)
            .collect()
        )
        what = ("principal", "operation", "result")
        made = changes.where(~refused).groupBy(*what).agg(*times)
        made_by = made.orderBy(sf.desc("n"), *what).limit(top).collect()
        who = ("principal", "door", "peer", "operation", "result")
        turned_away = changes.where(refused).groupBy(*who).agg(*times)
        refused_to = turned_away.orderBy(sf.desc("n"), *who).limit(top).collect()
    finally:
        changes.unpersist()
    return {
        "destroyed": tuple(Destroyed(*row) for row in destroyed),
        "changes": tuple(Changes(*row) for row in made_by),
        "refusals": tuple(Refusals(*row) for row in refused_to),
    }
