"""The current subscriptions, evaluated on the same history as a new constraint.

Every event is judged by the current rules, not by those in force when it arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import msgspec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tidings.channel.questions import SeeChannels
from tidings.client.configuration.model import AdminPart, Configuration, HolderPart, Spot
from tidings.client.configuration.state import find_configuration
from tidings.client.connecting import connect
from tidings.filters.plan import AdminRule, PlanOptions, ProxyRule, Rule, Side
from tidings.pipeline.backtest.result import BacktestOptions, LiveSubscription
from tidings.pipeline.frames import Frame, Selection, kind_frame, plan_changes
from tidings.pipeline.matching import match
from tidings.pipeline.matching.book import PlanBook, Span, Unit

_HOUR: Final = 3_600_000_000
_ALWAYS: Final = Span(0)


@dataclass(frozen=True, slots=True)
class Present:
    """The current rules."""

    book: PlanBook  # as if the rules had never been different
    # Names of consumers, by origin and id; consumers without a name are absent
    names: Mapping[tuple[str, int], str]
    channels: Mapping[str, str]  # names by origin
    source: str  # where the rules come from, in words


def live_subscriptions(
    spark: SparkSession,
    options: BacktestOptions,
    selection: Selection,
    frame: Frame,
    matched: DataFrame,
) -> tuple[tuple[LiveSubscription, ...], str]:
    """Return what each current subscription would have received, and the source of the rules."""
    if options.url is None:
        # Rules and objects are older than the events they judge: ignore the time range.
        always = replace(selection, since_us=None, until_us=None)
        present = archived_rules(spark, always)
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
