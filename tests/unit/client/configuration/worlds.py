"""Random configurations, and services that they are applied to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from hypothesis import strategies as st

from tidings.channel.properties import AdminProperties
from tidings.channel.qos import TIME_T, QoS
from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.client.client import Client
from tidings.client.configuration.applying import Applying
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    AdminPart,
    ChannelPart,
    Configuration,
    MappingPart,
    ProxyPart,
)
from tidings.client.configuration.state import find_configuration
from tidings.client.configuration.steps import Plan
from tidings.client.configuration.text import written
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.typecode import TypeCode
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.server.embedded import embedded

_T = TypeVar("_T")

TEXTS = ("$n > 1", "$n < 5", "$n == 3", "$m == 1", "TRUE", "$n == 'it\\'s \"so\"'")
PATTERNS = (
    EventTypePattern("D", "T"),
    EventTypePattern("D", "*"),
    EventTypePattern("E", "T"),
    EventTypePattern("a::b", "T"),
)

patterns = st.sets(st.sampled_from(PATTERNS), max_size=2).map(lambda found: tuple(sorted(found)))
some_constraints = st.lists(
    st.builds(constraint, st.sampled_from(TEXTS), patterns), max_size=3
).map(tuple)


def _mappings(type_: TypeCode) -> st.SearchStrategy[MappingPart]:
    values = st.integers(0, 5).map(lambda n: AnyValue(type_, n * 10**9))
    if type_ is tc.SHORT:
        values = st.integers(0, 5).map(lambda n: AnyValue(type_, n))
    mapped = st.builds(MappedConstraint, st.sampled_from(TEXTS).map(constraint), values)
    return st.builds(MappingPart, values, st.lists(mapped, max_size=2).map(tuple))


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    """A configuration; every shared filter in it is used."""
    filters = dict(enumerate(draw(st.lists(some_constraints, max_size=3))))
    names = draw(st.lists(st.sampled_from(["a", "b c", 'd"e']), unique=True, max_size=2))
    labels = {f"f{n}": one for n, one in filters.items()}
    values = {
        f"{letter}{n}": one
        for letter, type_ in (("p", tc.SHORT), ("l", TIME_T))
        for n, one in enumerate(draw(st.lists(_mappings(type_), max_size=2)))
    }
    channels = {name: draw(_channels(sorted(labels), sorted(values))) for name in sorted(names)}
    made = Configuration(channels, labels, values)
    used = {label for _, one in made.holders() for label in one.filters}
    used |= {label for _, one in made.holders() for label in (one.priority, one.lifetime)}
    return Configuration(
        channels,
        {label: one for label, one in labels.items() if label in used},
        {label: one for label, one in values.items() if label in used},
    )


@st.composite
def _channels(draw: st.DrawFn, filters: list[str], values: list[str]) -> ChannelPart:
    qos = {**QoS(), "Priority": draw(st.integers(0, 2))}
    limits = {**AdminProperties(), "MaxConsumers": draw(st.sampled_from([0, 100]))}
    admins: dict[Side, dict[str, AdminPart]] = {}
    proxies: dict[Side, dict[str, ProxyPart]] = {}
    for side in Side:
        admins[side] = {}
        for label in [DEFAULT_ADMIN, "x", "y"][: draw(st.integers(1, 3))]:
            operator = draw(st.sampled_from(Operator)) if label != DEFAULT_ADMIN else Operator.AND
            held = draw(_held(qos, filters, values, side))
            admins[side][label] = AdminPart(operator=operator, **held)
        proxies[side] = {}
        for name in draw(st.lists(st.sampled_from(["p", "q", "r s"]), unique=True, max_size=2)):
            admin = draw(st.sampled_from(sorted(admins[side])))
            held = draw(_held(admins[side][admin].qos, filters, values, side))
            style, form = draw(st.sampled_from(Style)), draw(st.sampled_from(Form))
            unique = f"{name} {side.value}"
            proxies[side][unique] = ProxyPart(style=style, form=form, admin=admin, **held)
        proxies[side] = dict(sorted(proxies[side].items()))
    return ChannelPart(qos, limits, admins, proxies)


@st.composite
def _held(
    draw: st.DrawFn, parent: Mapping[str, int], filters: list[str], values: list[str], side: Side
) -> dict[str, Any]:
    held: dict[str, Any] = {
        "qos": {**parent, **draw(st.sampled_from([{}, {}, {"Priority": 7}]))},
        "types": draw(patterns),
        "constraints": draw(st.none() | some_constraints),
        "filters": tuple(draw(st.lists(st.sampled_from(filters), unique=True, max_size=2)))
        if filters
        else (),
    }
    if side is Side.CONSUMER and values:
        held["priority"] = draw(st.sampled_from(["", *(v for v in values if v[0] == "p")]))
        held["lifetime"] = draw(st.sampled_from(["", *(v for v in values if v[0] == "l")]))
    return held


@st.composite
def changes(draw: st.DrawFn) -> tuple[Configuration, Configuration]:
    """Two configurations of one subscription below one admin, with other filters and types."""
    operator = draw(st.sampled_from(Operator))

    def drawn() -> Configuration:
        labels = ["f", "g"]
        admin = AdminPart(operator=operator, **draw(_held(dict(QoS()), labels, [], Side.CONSUMER)))
        proxy = ProxyPart(admin="x", **draw(_held({**admin.qos}, labels, [], Side.CONSUMER)))
        usual = AdminPart(qos=dict(QoS()))
        used = {*admin.filters, *proxy.filters}
        return Configuration(
            {
                "a": ChannelPart(
                    dict(QoS()),
                    dict(AdminProperties()),
                    {
                        Side.SUPPLIER: {DEFAULT_ADMIN: usual},
                        Side.CONSUMER: {DEFAULT_ADMIN: usual, "x": admin},
                    },
                    {Side.SUPPLIER: {}, Side.CONSUMER: {"p": proxy}},
                )
            },
            {label: draw(some_constraints) for label in labels if label in used},
        )

    return drawn(), drawn()


def on_services(
    scene: Callable[..., Coroutine[Any, Any, _T]],
    count: int = 1,
    rules: Settings = DEFAULT_SETTINGS,
) -> _T:
    """Plays a scene with clients of so many empty services."""

    async def played() -> _T:
        clients = [await embedded(settings=rules) for _ in range(count)]
        try:
            return await scene(*clients)
        finally:
            for client in clients:
                await client.close()

    return asyncio.run(played())


async def applied(client: Client, wanted: Configuration, *, prune: bool = False) -> Plan:
    """Applies a configuration; what was planned."""
    found = await find_configuration(client.transport)
    applying = Applying(client.transport, wanted, found, prune=prune)
    done: list[object] = []
    await applying.run(done.append)
    assert sorted(map(id, done)) == sorted(map(id, applying.plan.steps))
    return applying.plan


async def exported(client: Client) -> str:
    """The text of a service's configuration."""
    return written((await find_configuration(client.transport)).configuration)
