"""The backtest: evaluate a constraint on archived events before it goes live.

Current subscriptions may be evaluated on the same events: by the current rules, not by those in
force when an event arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final

import msgspec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.channel.questions import SeeChannels
from tidings.client.configuration.model import AdminPart, Configuration, HolderPart, Spot
from tidings.client.configuration.state import find_configuration
from tidings.client.connecting import connect
from tidings.events.codecs.json_values import TYPE
from tidings.filters.constraint import constraint
from tidings.filters.plan import AdminRule, PlanOptions, ProxyRule, Rule, Side
from tidings.filters.to_spark import matching, plan_of
from tidings.pipeline import Progress
from tidings.pipeline.archive import Archive, Selection
from tidings.pipeline.frames import Frame, events_frame, kind_frame, plan_changes
from tidings.pipeline.matching import match
from tidings.pipeline.matching.book import PlanBook, Span, Unit

_HOUR: Final = 3_600_000_000
_ALWAYS: Final = Span(0)


def run_backtest(
    spark: SparkSession, options: BacktestOptions, progress: Progress = lambda *_: None
) -> BacktestResult:
    """Evaluate a constraint on the events of an archive."""
    begun = monotonic()
    asked = constraint(options.constraint, options.event_types)
    progress("looking for events", 0.0)
    frame = events_frame(spark, options)
    matched = matching(frame.df, asked, frame.occurring)
    progress("asking the constraint", 0.1)
    hours, first, last = _hours(frame.df, matched)
    progress("picking samples", 0.5)
    samples = _samples(matched, options.samples)
    live: tuple[LiveSubscription, ...] | None = None
    live_from = None
    if options.live:
        progress("asking the present subscriptions", 0.7)
        live, live_from = live_subscriptions(spark, options, frame, matched)
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


def _hours(
    events: DataFrame, matched: DataFrame
) -> tuple[tuple[HourCount, ...], int | None, int | None]:
    """Count events by hour and type; also return the first and the last arrival."""
    hour = (F.col("arrival_us") - F.pmod("arrival_us", F.lit(_HOUR))).alias("hour_us")

    def counted(df: DataFrame, events: int, matched: int) -> DataFrame:
        counts = (F.lit(events).alias("events"), F.lit(matched).alias("matched"))
        return df.select(hour, "domain", "type", "arrival_us", *counts)

    rows = (
        counted(events, 1, 0)
        .unionByName(counted(matched, 0, 1))
        .groupBy("hour_us", "domain", "type")
        .agg(F.sum("events"), F.sum("matched"), F.min("arrival_us"), F.max("arrival_us"))
        .collect()
    )
    hours = tuple(HourCount(*row[:-2]) for row in sorted(rows))
    first = min((row[-2] for row in rows), default=None)
    return hours, first, max((row[-1] for row in rows), default=None)


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


@dataclass(frozen=True, slots=True)
class BacktestOptions(Selection):
    """What a backtest evaluates; all types of events are read."""

    constraint: str
    event_types: tuple[str, ...] = ()  # of the constraint, such as ``Domain::Type``; empty for all
    samples: int = 10  # most matching events to return
    live: bool = False  # whether to evaluate all current subscriptions, too
    url: str | None = None  # service whose current rules to use; None for the last archived ones
    token: str | None = None  # access token of that service


@dataclass(frozen=True, slots=True)
class HourCount:
    """Events of one hour and one type."""

    hour_us: int  # start of the hour, microseconds since 1970
    domain: str
    type: str
    events: int
    matched: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A matching event."""

    channel: str  # channel name
    seq: int  # sequence number
    arrival_us: int  # microseconds since 1970
    event: str  # plain JSON


@dataclass(frozen=True, slots=True)
class LiveSubscription:
    """What a current subscription would have received."""

    channel: str  # channel name
    proxy: int
    name: str | None
    matched: int  # number of events
    both: int  # number of events that the new constraint matches, too
    hours: tuple[tuple[int, int], ...]  # start of each hour and number of matches


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """Result of a backtest."""

    constraint: str  # as parsed
    event_types: tuple[str, ...]
    seal: int  # last seal covered
    since_us: int | None  # as requested
    until_us: int | None  # as requested
    events: int  # number of events evaluated
    matched: int
    first_us: int | None  # arrival of the first event; None if there are no events
    last_us: int | None  # arrival of the last event
    hours: tuple[HourCount, ...]  # by hour and event type
    samples: tuple[Sample, ...]  # newest first
    how: str  # how Spark evaluated it: natively, or in Arrow batches and why
    # Current subscriptions, most matches first; None if not requested
    live: tuple[LiveSubscription, ...] | None = None
    live_from: str | None = None  # source of their rules
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # duration

    @property
    def share(self) -> float:
        """Fraction of events that match, from 0 to 1."""
        return self.matched / self.events if self.events else 0.0


@dataclass(frozen=True, slots=True)
class Present:
    """The current rules."""

    book: PlanBook  # as if the rules had never been different
    # Names of consumers, by origin and id; consumers without a name are absent
    names: Mapping[tuple[str, int], str]
    channels: Mapping[str, str]  # names by origin
    source: str  # where the rules come from, in words


def live_subscriptions(
    spark: SparkSession, options: BacktestOptions, frame: Frame, matched: DataFrame
) -> tuple[tuple[LiveSubscription, ...], str]:
    """Return what each current subscription would have received, and the source of the rules."""
    if options.url is None:
        # Rules and objects are older than the events they judge: ignore the time range.
        present = archived_rules(spark, replace(options, since_us=None, until_us=None))
    else:
        present = asyncio.run(rules_of_service(options.url, options.token))
    key = ["origin", "seq"]
    both = matched.select(*key, F.lit(1).alias("both"))
    hour = (F.col("arrival_us") - F.pmod("arrival_us", F.lit(_HOUR))).alias("hour_us")
    events = frame.df.select(*key, hour).join(both, key, "left")
    got = match(frame.df, present.book, occurring=frame.occurring)
    rows = (
        got.select(*key, "proxy")
        .join(events, key)
        .groupBy("origin", "proxy", "hour_us")
        .agg(F.count("*").alias("matched"), F.count("both").alias("both"))
        .collect()
    )
    hours: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    for origin, proxy, begins, count, shared in rows:
        hours.setdefault((origin, proxy), []).append((begins, count, shared))
    return tuple(_told(present, hours)), present.source


def _told(
    present: Present, hours: Mapping[tuple[str, int], list[tuple[int, int, int]]]
) -> list[LiveSubscription]:
    found = []
    for unit in present.book.units:
        key = (unit.origin, unit.proxy)
        counts = sorted(hours.get(key, ()))
        found.append(
            LiveSubscription(
                present.channels.get(unit.origin, unit.origin),
                unit.proxy,
                present.names.get(key),
                sum(count for _, count, _ in counts),
                sum(shared for _, _, shared in counts),
                tuple((begins, count) for begins, count, _ in counts),
            )
        )
    return sorted(found, key=lambda one: (-one.matched, one.channel, one.proxy))


def _as_ever(units: Iterator[Unit]) -> PlanBook:
    made = tuple(replace(unit, id=number, span=_ALWAYS) for number, unit in enumerate(units))
    return PlanBook(made, {unit.origin: (_ALWAYS,) for unit in made})


# From the archive.


class _Named(msgspec.Struct):
    name: str | None = None


_named = msgspec.json.Decoder(_Named).decode


def archived_rules(spark: SparkSession, selection: Selection) -> Present:
    """Return the last archived rules of existing channels."""
    changes = plan_changes(spark, selection)
    rows = (
        kind_frame(spark, selection, "objects")
        .df.select("position", "origin", "object", "id", "present", "state")
        .collect()
    )
    ended: set[str] = set()
    names: dict[tuple[str, int], str] = {}
    for _, origin, kind, id, present, state in sorted(rows):
        if kind == "channel":
            (ended.discard if present else ended.add)(origin)
        elif state is not None and (name := _named(state).name):
            names[origin, id] = name
    units = PlanBook.from_rows(changes).units
    lasting = (unit for unit in units if unit.span.end is None and unit.origin not in ended)
    channels = {change.origin: change.channel for change in changes}
    return Present(_as_ever(lasting), names, channels, "the last rules in the archive")


# From a service.


async def rules_of_service(url: str, token: str | None) -> Present:
    """Return the current rules of the named subscriptions of a service's named channels."""
    async with await connect(url, token=token) as client:
        origins = {info.name: info.origin for info in await client.transport.request(SeeChannels())}
        found = await find_configuration(client.transport)
    names: dict[tuple[str, int], str] = {}
    units: list[Unit] = []
    for spot, place in found.places.items():
        if spot.side is not Side.CONSUMER or place.proxy is None:
            continue
        origin = origins[spot.channel]
        names[origin, place.proxy] = spot.proxy
        units.append(_unit(found.configuration, spot, origin, place.proxy))
    channels = {origin: name for name, origin in origins.items()}
    return Present(_as_ever(iter(units)), names, channels, f"the service at {url}")


def _unit(configuration: Configuration, spot: Spot, origin: str, proxy: int) -> Unit:
    part, admin = configuration.holders[spot], configuration.above(spot)
    assert isinstance(admin, AdminPart)
    # Admin ids do not matter here: each consumer has its own rule.
    return Unit(
        0,
        origin,
        _ALWAYS,
        AdminRule(Side.CONSUMER, 0, admin.operator, _rule(configuration, admin)),
        ProxyRule(Side.CONSUMER, proxy, 0, _rule(configuration, part)),
        PlanOptions(),
    )


def _rule(configuration: Configuration, part: HolderPart) -> Rule:
    own = () if part.constraints is None else (part.constraints,)
    shared = tuple(configuration.filters[label] for label in part.filters)
    return Rule((*own, *shared), tuple(part.types))
