"""Configurations: reading, writing, planning, rehearsing; the laws of export and apply."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any, TypeVar

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tidings import event
from tidings.channel.commands import Command
from tidings.channel.properties import ADMIN_PROPERTIES, AdminProperties
from tidings.channel.property_errors import TIME_T
from tidings.channel.qos import QOS_PROPERTIES, QoS
from tidings.channel.questions import SeeProxies
from tidings.channel.settings import DEFAULT_SETTINGS, Inheritance, Settings
from tidings.channel.vocabulary import Form, Operator, Place, Side, Style
from tidings.client.client import Client
from tidings.client.configuration.applying import Applying, rehearse
from tidings.client.configuration.diff import Plan, plan
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    AdminPart,
    ChannelPart,
    Configuration,
    Holder,
    MappingPart,
    ProxyPart,
    Spot,
)
from tidings.client.configuration.state import OWN, Found, find_configuration
from tidings.client.configuration.text import _Reading, read_configuration, written
from tidings.client.configuration.text import _text as text_of
from tidings.client.configuration.trading import FoundTrader, OfferPart, TraderPart
from tidings.errors import (
    AdminLimitExceeded,
    BadInput,
    ChannelNotFound,
    InvalidUsage,
    ProxyNotFound,
    TidingsError,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.typecode import TypeCode
from tidings.federation.requests import (
    Flow,
    GatewayConfig,
    RequestKind,
    SideConfig,
    StandingRequest,
)
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.server.embedded import embedded
from tidings.trader.model import (
    FollowOption,
    LinkInfo,
    PropertyDef,
    PropertyMode,
    ServiceType,
    TraderSettings,
)

_T = TypeVar("_T")

QUICK = settings(settings.get_profile("quick"))

TEXTS = ("$n > 1", "$n < 5", "$n == 3", "$m == 1", "TRUE", "$n == 'it\\'s \"so\"'")
PATTERNS = [EventTypePattern(*one) for one in (("D", "T"), ("D", "*"), ("E", "T"), ("a::b", "T"))]

patterns = st.sets(st.sampled_from(PATTERNS), max_size=2).map(lambda found: tuple(sorted(found)))
single_constraints = st.builds(constraint, st.sampled_from(TEXTS), patterns)
some_constraints = st.lists(single_constraints, max_size=3).map(tuple)


def _mappings(type_: TypeCode) -> st.SearchStrategy[MappingPart]:
    unit = 1 if type_ is tc.SHORT else 10**9
    values = st.integers(0, 5).map(lambda n: AnyValue(type_, n * unit))
    mapped = st.builds(MappedConstraint, st.sampled_from(TEXTS).map(constraint), values)
    return st.builds(MappingPart, values, st.lists(mapped, max_size=2).map(tuple))


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    """A configuration; every shared filter in it is used."""
    labels = {f"f{n}": one for n, one in enumerate(draw(st.lists(some_constraints, max_size=3)))}
    names = draw(st.lists(st.sampled_from(["a", "b c", 'd"e']), unique=True, max_size=2))
    values = {
        f"{letter}{n}": one
        for letter, type_ in (("p", tc.SHORT), ("l", TIME_T))
        for n, one in enumerate(draw(st.lists(_mappings(type_), max_size=2)))
    }
    channels: dict[str, ChannelPart] = {}
    holders: dict[Spot, Holder] = {}
    for name in sorted(names):
        channels[name], inside = draw(_channels(name, sorted(labels), sorted(values)))
        holders |= inside
    used = {
        label for one in holders.values() for label in (*one.filters, one.priority, one.lifetime)
    }
    labels = {label: one for label, one in labels.items() if label in used}
    values = {label: one for label, one in values.items() if label in used}
    return Configuration(channels, holders, labels, values, draw(gateways), draw(traders()))


COST = PropertyDef("cost", tc.DOUBLE, PropertyMode.MANDATORY)
PRINTER = ServiceType("Office::Printer", "IDL:Printer:1.0", (COST,))
PLOTTER = ServiceType("Plotter", "IDL:Plotter:1.0", (), ("Office::Printer",))
_RULES = list(combinations_with_replacement(FollowOption, 2))


@st.composite
def traders(draw: st.DrawFn) -> TraderPart | None:
    """A trader that differs from an empty one; types of one name are always the same."""
    masked = st.booleans()
    types = [replace(one, masked=draw(masked)) for one in (PRINTER, PLOTTER)][
        : draw(st.integers(0, 2))
    ]
    values = st.fixed_dictionaries(
        {"cost": st.sampled_from([1.0, 2.5])},
        optional={"x": st.sampled_from([1, 1.0, "a", ("b",), None, AnyValue(tc.SHORT, 3)])},
    )
    offer = st.builds(
        OfferPart,
        st.sampled_from([one.name for one in types] or [""]),
        st.sampled_from(["corbaloc::a/b", "corbaloc::c/d"]),
        values,
    )
    links = {
        name: LinkInfo(name, draw(st.sampled_from(["corbaloc::a/c", "corbaloc::b/c"])), *rules)
        for name in draw(st.sets(st.sampled_from(["one", "t.wo"])))
        for rules in [draw(st.sampled_from(_RULES))]
    }
    made = TraderPart(
        draw(st.sampled_from([TraderSettings(), TraderSettings(max_list=7, max_hop_count=2)])),
        {one.name: one for one in types},
        dict(sorted(links.items())),
        tuple(draw(st.lists(offer, max_size=3))) if types else (),
    )
    return None if made == TraderPart() else made


def _sides(names: list[str]) -> st.SearchStrategy[tuple[SideConfig, ...]]:
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("memory", {}),
        ("memory", {"name": "x"}),
        ("tidings", {"channel": "d'e", "create": True}),
    ]

    def side(kind: tuple[str, dict[str, Any]], **rest: Any) -> SideConfig:
        return SideConfig("", "", *kind, **rest)

    made = st.builds(
        side,
        st.sampled_from(kinds),
        mapping=st.sampled_from([{}, {"in": [{"when": "$a > 1", "drop": True}], "out": []}]),
        flow=st.sampled_from([Flow(), Flow(deny="$a > 1", rate=5)]),
        outbox=st.sampled_from([{}, {"Priority": 3}]),
        position=st.sampled_from(["", "1.5, 2"]),
    )
    return st.tuples(
        *(made.map(lambda one, n=n: replace(one, adapter=n, service=f"S{n}")) for n in names)  # type: ignore[misc]
    ).filter(lambda sides: len({repr((one.kind, one.parameters)) for one in sides}) == len(sides))


_requests = st.lists(
    st.builds(
        StandingRequest,
        st.sampled_from([RequestKind.SUBSCRIBE, RequestKind.ANNOUNCE]),
        st.sampled_from(["Speed", "subject = Speed and rate > 30"]),
        st.sampled_from(["A", "B"]),
        st.sampled_from(["*", "ES?, x"]),
        st.integers(1, 2),
    ),
    max_size=2,
    unique_by=lambda one: (one.kind, one.what, one.source, one.targets),
).map(tuple)
gateways = st.dictionaries(
    st.sampled_from(["G1", "x.y"]),
    st.builds(
        GatewayConfig,
        sides=st.sampled_from([["a"], ["a", "b+1"], ["b+1"]]).flatmap(_sides),
        requests=_requests,
        paused=st.booleans(),
    ),
    max_size=2,
).map(lambda found: {name: replace(one, name=name) for name, one in sorted(found.items())})


@st.composite
def _channels(
    draw: st.DrawFn, channel: str, filters: list[str], values: list[str]
) -> tuple[ChannelPart, dict[Spot, Holder]]:
    qos = {**QoS(), "Priority": draw(st.integers(0, 2))}
    limits = {**AdminProperties(), "MaxConsumers": draw(st.sampled_from([0, 100]))}
    admins: dict[Spot, AdminPart] = {}
    proxies: dict[Spot, ProxyPart] = {}
    for side in Side:
        for label in [DEFAULT_ADMIN, "x", "y"][: draw(st.integers(1, 3))]:
            operator = draw(st.sampled_from(Operator)) if label != DEFAULT_ADMIN else Operator.AND
            held = draw(_held(qos, filters, values, side))
            admins[Spot(channel, side, label)] = AdminPart(operator=operator, **held)
        labels = sorted(spot.admin for spot in admins if spot.side is side)
        names = draw(st.lists(st.sampled_from(["p", "q", "r s"]), unique=True, max_size=2))
        for name in sorted(names):
            admin = draw(st.sampled_from(labels))
            held = draw(_held(admins[Spot(channel, side, admin)].qos, filters, values, side))
            style, form = draw(st.sampled_from(Style)), draw(st.sampled_from(Form))
            spot = Spot(channel, side, proxy=f"{name} {side.value}")
            proxies[spot] = ProxyPart(style=style, form=form, admin=admin, **held)
    return ChannelPart(qos, limits), {**admins, **proxies}


@st.composite
def _held(
    draw: st.DrawFn, parent: Mapping[str, int], filters: list[str], values: list[str], side: Side
) -> dict[str, Any]:
    labels = st.lists(st.sampled_from(filters), unique=True, max_size=2) if filters else st.just([])
    held: dict[str, Any] = {
        "qos": {**parent, **draw(st.sampled_from([{}, {}, {"Priority": 7}]))},
        "types": draw(patterns),
        "constraints": draw(st.none() | some_constraints),
        "filters": tuple(draw(labels)),
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
        holders: dict[Spot, Holder] = {
            Spot("a", side, DEFAULT_ADMIN): AdminPart(qos=dict(QoS())) for side in Side
        }
        holders[Spot("a", Side.CONSUMER, "x")] = admin
        holders[Spot("a", Side.CONSUMER, proxy="p")] = proxy
        channel = ChannelPart(dict(QoS()), dict(AdminProperties()))
        used = {*admin.filters, *proxy.filters}
        filters = {label: draw(some_constraints) for label in labels if label in used}
        return Configuration({"a": channel}, holders, filters)

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


class Between:
    """A transport that something stands before."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client.transport, name)


def faults(text: str) -> list[str]:
    with pytest.raises(BadInput) as caught:
        read_configuration(f"version = 1\n{text}")
    return str(caught.value).split("\n")


S, Q = "channels.a.subscriptions.s", "channels.a.qos"
RANGE = "this value is outside the legal range; use"


@pytest.mark.parametrize(
    ("table", "line", "fault"),
    [
        ("channels.a", "qoss = 1", ".qoss: unknown; did you mean 'qos'?"),
        (Q, "Prioritie = 1", ": Prioritie: no property has this name; did you mean Priority?"),
        (
            *(Q, "EventReliability = 'Forever'"),
            ": EventReliability: the value is of the wrong type; write BestEffort or Persistent",
        ),
        (Q, "Priority = 99999", f": Priority: {RANGE} -32767 to 32767"),
        ("channels.a", "qos = 3", ".qos: must be a table of properties"),
        ("channels", "a = 3", ".a: must be a table"),
        (
            *("channels.a.admin-properties", "MaxQueueLength = -1"),
            f": MaxQueueLength: {RANGE} 0 to 2147483647",
        ),
        (S, "admin = 'x'", ".admin: 'x' is none; known are default"),
        (
            *(S, "filters = ['cheap']"),
            ".filters[0]: the file has no [filters.cheap]; it has no [filters.…] at all",
        ),
        (
            *(S, "priority = 'm'"),
            ".priority: the file has no [mappings.m]; it has no [mappings.…] at all",
        ),
        (
            *("channels.a.suppliers.s", "priority = 'm'"),
            ".priority: mapping filters are for the consumers' side",
        ),
        (S, "style = 'pul'", ".style: 'pul' is none; did you mean 'pull'?"),
        ("filters.f", "constraints = ['$a']", ": nothing in the file uses it"),
        (
            *(S, "constraints = ['$a = 1']"),
            ".constraints[0]: line 1, column 4: '=' has no meaning here",
        ),
        (S, "constraints = [{ txt = '$a' }]", ".constraints[0].txt: unknown; did you mean 'text'?"),
        (
            *(S, "constraints = [3]"),
            ".constraints[0]: a constraint is a text, or { text = …, types = […] }",
        ),
        (S, "constraints = '$a'", ".constraints: must be a list"),
        (S, "types = [3]", ".types[0]: write Domain::Type, or { domain = …, type = … }"),
        ("mappings.m", "mapped = [3]", ": must have a default"),
        ('channels.""', "", ": must have a name"),
        (
            *("channels.a.consumer-admins.x", "operator = 'xor'"),
            ".operator: 'xor' is none; did you mean 'or'?",
        ),
    ],
)
def test_faults_have_their_place(table: str, line: str, fault: str) -> None:
    assert table + fault in faults(f"[{table}]\n{line}")


def test_what_is_no_configuration_at_all() -> None:
    assert "chanels: unknown; did you mean 'channels'?" in faults("chanels = 1")
    assert "channels: must be a table of tables" in faults("channels = 3")
    for version in ("", "version = 2", "version = true", "version = '1'"):
        with pytest.raises(BadInput, match="version: this reads version = 1"):
            read_configuration(version)
    with pytest.raises(BadInput, match=r"this is no TOML: .*line 2"):
        read_configuration("version = 1\nchannels = [,]\n")


@pytest.mark.parametrize("purpose", ["priority", "lifetime"])
def test_mapping_values_have_the_type_of_their_use(purpose: str) -> None:
    text = f'[mappings.m]\ndefault = "text"\n[{S}]\n{purpose} = "m"\n'
    [told] = faults(text)
    assert told.startswith(f"{S}.{purpose}: a {purpose} is of the type ")
    made = told.partition("; write each as ")[2].replace("…", "3")
    assert read_configuration("version = 1\n" + text.replace('"text"', made)).mappings


def test_values_of_one_mapping_have_one_type() -> None:
    text = f"""
    [mappings.m]
    default = {{ "$type" = "short", value = 0 }}
    mapped = [{{ text = "TRUE", value = "text" }}, {{ text = "TRUE" }}]
    [{S}]
    priority = "m"
    """
    first, second, *_ = faults(text)
    assert first.startswith("mappings.m.mapped[0]: the value for 'TRUE' is a ")
    assert second == "mappings.m.mapped[1]: must have a value"


@QUICK
@given(configurations())
def test_what_was_written_is_read_as_the_same(configuration: Configuration) -> None:
    text = written(configuration)
    assert read_configuration(text) == configuration
    assert written(read_configuration(text)) == text


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
    lambda name: not (name.isascii() and name.isdigit())
)


@QUICK
@given(NAMES, NAMES)
def test_every_name_is_a_key(channel: str, subscription: str) -> None:
    start = read_configuration("version = 1\n[channels.a.subscriptions.s]")
    holders = {
        replace(spot, channel=channel, proxy=subscription if spot.proxy else ""): one
        for spot, one in start.holders.items()
    }
    made = Configuration({channel: start.channels["a"]}, holders)
    assert read_configuration(written(made)) == made


@QUICK
@given(st.text(st.characters(codec="utf-8"), max_size=12))
def test_every_text_is_a_text(text: str) -> None:
    assert tomllib.loads(f"x = {text_of(text)}") == {"x": text}


def test_null_has_a_way_to_be_written() -> None:
    text = """
    version = 1
    [mappings.m]
    default = { "$type" = "null" }
    mapped = [{ text = "TRUE", value = { "$type" = "null" } }]
    [channels.a.subscriptions.s]
    """
    found = _Reading().everything(tomllib.loads(text))
    assert found.mappings["m"].default is None
    assert '"$type" = "null"' in written(found)


def found_with(configuration: Configuration) -> Found:
    """A service with this configuration; ids are positions."""
    places = {Spot(name): Place(n) for n, name in enumerate(configuration.channels, 1)}
    attachments = {}
    for n, (spot, holder) in enumerate(configuration.holders.items()):
        channel = places[Spot(spot.channel)].channel
        admin = isinstance(holder, AdminPart)
        places[spot] = Place(channel, spot.side, n) if admin else Place(channel, proxy=n)
        labels = [*holder.filters, *([] if holder.constraints is None else [OWN])]
        attachments[spot] = {label: (id,) for id, label in enumerate(labels, 1)}
    filters = {label: n for n, label in enumerate(configuration.filters, 1)}
    mappings = {label: n for n, label in enumerate(configuration.mappings, 100)}
    offers = () if configuration.trader is None else configuration.trader.offers
    ids = tuple(f"{one.type}/{at}" for at, one in enumerate(offers, 1))
    trader = FoundTrader(configuration.trader, ids)
    return Found(configuration, places, attachments, filters, mappings, trader=trader)


@QUICK
@given(configurations())
def test_what_is_there_needs_no_step(configuration: Configuration) -> None:
    assert plan(configuration, found_with(configuration), prune=True) == Plan(())


@QUICK
@given(configurations())
def test_labels_of_filters_and_admins_mean_nothing(configuration: Configuration) -> None:
    text = written(configuration)
    for label in [*configuration.filters, *configuration.mappings]:
        text = text.replace(f'"{label}"', f'"other-{label}"')
        text = text.replace(f"s.{label}]", f"s.other-{label}]")
    for label in ("x", "y"):
        text = text.replace(f'admin = "{label}"', f'admin = "other-{label}"')
        text = text.replace(f"-admins.{label}", f"-admins.other-{label}")
    assert plan(read_configuration(text), found_with(configuration), prune=True) == Plan(())


@pytest.mark.parametrize(
    ("error", "times", "channels"),
    [(ProxyNotFound("gone"), 2, ["a", "b"]), (ChannelNotFound("gone"), 1, ["b"])],
)
def test_a_service_that_changes_between_two_looks(
    error: Exception, times: int, channels: list[str]
) -> None:
    class Changing(Between):
        left = times

        async def request(self, question: Any) -> Any:
            if isinstance(question, SeeProxies):
                self.left -= 1
                if self.left >= 0:
                    raise error
            return await self.client.transport.request(question)

    async def scene(client: Client) -> list[str]:
        await client.create_channel("b")
        await client.create_channel("a")
        return list((await find_configuration(Changing(client))).configuration.channels)

    assert on_services(scene) == channels


@QUICK
@given(configurations())
def test_export_then_apply_on_an_empty_service_then_export_gives_the_same_file(
    wanted: Configuration,
) -> None:
    async def scene(one: Client, other: Client) -> None:
        await applied(one, wanted)
        text = await exported(one)
        await applied(other, read_configuration(text))
        assert await exported(other) == text

    on_services(scene, 2)


@QUICK
@given(configurations())
def test_apply_twice_changes_nothing(wanted: Configuration) -> None:
    async def scene(client: Client) -> Plan:
        await applied(client, wanted)
        return await applied(client, wanted, prune=True)

    assert on_services(scene) == Plan(())


@QUICK
@given(configurations(), configurations())
def test_from_anything_to_anything(before: Configuration, after: Configuration) -> None:
    async def scene(client: Client) -> None:
        await applied(client, before)
        try:
            await applied(client, after, prune=True)
        except InvalidUsage:
            assume(False)  # what cannot be changed has tests of its own
        assert await applied(client, after, prune=True) == Plan(())

    on_services(scene)


RULES = {
    "default": Settings(),
    "followed": Settings(inheritance=Inheritance.FOLLOWED),
    "narrowed": Settings(narrowed={"Priority": (-5, 5), "MaxQueueLength": (0, 100)}),
    "in memory": Settings(
        narrowed={"EventReliability": (0, 0), "ConnectionReliability": (0, 0)},
        default_operator=Operator.OR,
    ),
}
TABLES = {
    "channel": "channels.a.qos",
    "limits": "channels.a.admin-properties",
    "default admin": "channels.a.consumer-admins.default.qos",
    "admin": "channels.a.supplier-admins.x.qos",
    "subscription": "channels.a.subscriptions.p.qos",
    "supplier": "channels.a.suppliers.s.qos",
}
VALUES = {
    name: st.sampled_from(
        [False, True]
        if line.low is False
        else sorted({line.low, 1, 2, min(line.high, 2**62)} - {0} | {line.zero})
    )
    for name, line in {**QOS_PROPERTIES, **ADMIN_PROPERTIES}.items()
    if line.low is not None and line.high is not None
}
# Those that lean on each other come as often as all others together.
RELIABILITIES = ["EventReliability", "ConnectionReliability"]
QOS_NAMES = st.sampled_from(RELIABILITIES) | st.sampled_from(sorted(QoS()))


@st.composite
def changed_properties(draw: st.DrawFn) -> tuple[str, str]:
    """A file, and the same with a property changed here and there."""

    def drawn() -> dict[tuple[str, str], object]:
        place = draw(st.sampled_from(sorted(TABLES)))
        names = st.sampled_from(sorted(AdminProperties())) if place == "limits" else QOS_NAMES
        name = draw(names)
        return {(place, name): draw(VALUES[name])}

    before: dict[tuple[str, str], object] = {}
    if draw(st.booleans()):
        before = {("channel", name): 1 for name in RELIABILITIES}
    for _ in range(draw(st.integers(0, 2))):
        before |= drawn()
    after = dict(before)
    for _ in range(draw(st.integers(1, 3))):
        after |= drawn()
    for key in draw(st.sets(st.sampled_from(sorted(before)), max_size=2)) if before else ():
        after.pop(key)
    return _text(before), _text(after)


def _text(values: Mapping[tuple[str, str], object]) -> str:
    lines = ["version = 1"]
    for place, table in TABLES.items():
        lines.append(f"[{table}]")
        lines += [f"{n} = {json.dumps(v)}" for (at, n), v in values.items() if at == place]
    return "\n".join([*lines, '[channels.a.suppliers."t"]', 'admin = "x"'])


async def _refusal(done: Awaitable[object]) -> str:
    try:
        await done
    except TidingsError as error:
        return str(error)
    return ""


@settings(QUICK, max_examples=120)
@given(changed_properties(), st.sampled_from(sorted(RULES)))
@example((_text({}), _text({("channel", name): 1 for name in RELIABILITIES})), "default")
def test_a_rehearsal_says_what_apply_will_say(texts: tuple[str, str], rules: str) -> None:
    try:
        before, after = map(read_configuration, texts)
    except BadInput:
        assume(False)  # refused before anybody is asked

    async def scene(client: Client) -> None:
        if await _refusal(applied(client, before)):
            return
        found = await find_configuration(client.transport)
        text = await exported(client)
        said = await _refusal(rehearse(after, found))
        assert await exported(client) == text
        assert await _refusal(applied(client, after)) == said
        if not said:
            assert await applied(client, after) == Plan(())

    on_services(scene, rules=RULES[rules])


PROBE = event("D", "T", "", {"n": 3, "m": 1})


class Probing(Between):
    """Has an event published after everything that is asked."""

    published = 0

    async def ask(self, command: Command) -> Any:
        answer = await self.client.transport.ask(command)
        await self.client.publish("a", PROBE)
        self.published += 1
        return answer


@settings(QUICK, max_examples=100)
@given(changes())
def test_an_event_wanted_before_and_after_is_wanted_all_the_while(
    change: tuple[Configuration, Configuration],
) -> None:
    before, after = change

    async def scene(client: Client) -> None:
        await applied(client, before)
        channel = await client.channel("a")
        first = await channel.dry_run(PROBE)
        probing = Probing(client)
        found = await find_configuration(client.transport)
        await Applying(probing, after, found, prune=True).run(lambda step: None)
        last = await channel.dry_run(PROBE)
        [proxy] = [one for one in await channel.proxies() if one.name]
        if first.recipients and last.recipients:
            assert proxy.waiting == probing.published

    on_services(scene)


FILE = """
version = 1
[filters.cheap]
constraints = ["$price < 10"]
[mappings.urgent]
default = { "$type" = "short", value = 0 }
mapped = [{ text = "$price > 5", value = { "$type" = "short", value = 7 } }]
[channels.auction]
[channels.auction.consumer-admins.shop]
filters = ["cheap"]
[channels.auction.subscriptions.night]
admin = "shop"
priority = "urgent"
constraints = ["$price > 1"]
[channels.auction.subscriptions.day]
style = "pull"
form = "sequence"
filters = ["cheap"]
"""


class Failing(Between):
    """Is cut after a few questions."""

    left = 8

    async def ask(self, command: Command) -> Any:
        self.left -= 1
        if not self.left:
            raise OSError("cut")
        return await self.client.transport.ask(command)


def test_a_failure_leaves_what_can_be_applied_again() -> None:
    wanted = read_configuration(FILE)

    async def scene(client: Client, other: Client) -> None:
        found = await find_configuration(client.transport)
        with pytest.raises(OSError, match="cut"):
            await Applying(Failing(client), wanted, found).run(lambda step: None)
        await applied(client, wanted)
        await applied(other, wanted)
        assert await exported(client) == await exported(other)

    on_services(scene, 2)


QOS = "version = 1\n[channels.a]\nqos = {{ EventReliability = {0}, ConnectionReliability = {0} }}\n"
BEST_EFFORT, PERSISTENT = QOS.format(0), QOS.format(1)


def test_the_reliability_of_a_channel_with_a_publisher_can_be_changed() -> None:
    async def scene(client: Client) -> str:
        await applied(client, read_configuration(BEST_EFFORT))
        publisher = await client.publisher("a")
        wanted = read_configuration(PERSISTENT)
        await rehearse(wanted, await find_configuration(client.transport))
        await applied(client, wanted)
        trail = (await publisher.publish_traced(event("D", "T", header={"EventReliability": 1})))[1]
        return trail.steps[1].reason

    assert on_services(scene) == "applied: EventReliability (Persistent)"


def test_proxies_without_a_name_count_in_a_rehearsal() -> None:
    limited = "version = 1\n[channels.a.admin-properties]\nMaxConsumers = 2\n"
    more = limited + "[channels.a.subscriptions.p]\n[channels.a.subscriptions.q]\n"

    async def scene(client: Client) -> str:
        await applied(client, read_configuration(limited))
        await client.subscribe("a")
        found = await find_configuration(client.transport)
        with pytest.raises(AdminLimitExceeded) as said:
            await rehearse(read_configuration(more), found)
        with pytest.raises(AdminLimitExceeded) as refused:
            await applied(client, read_configuration(more))
        assert str(said.value) == str(refused.value)
        return str(said.value)

    assert on_services(scene) == "MaxConsumers is 2: the channel has that many already"


TRADER = """
version = 1
[trader.settings]
max_list = 7
def_follow_policy = "often"
[trader.types.A]
properties = [{ name = "x", type = "dubble" }]
[trader.types.B]
supertypes = []
[trader.links.l]
target = 5
[trader.offers.one]
type = "A"
[trader.more]
"""


def test_what_is_wrong_with_a_trader_is_told_by_its_place() -> None:
    with pytest.raises(BadInput) as caught:
        read_configuration(TRADER)
    faults = str(caught.value).split("\n")
    assert [line.partition(":")[0] for line in faults] == [
        "trader.more", "trader.types.A", "trader.types.B", "trader.links.l", "trader.offers.one",
        "trader.settings",
    ]  # fmt: skip
    assert "supertypes is unknown" in faults[2]
    assert "'often' is none" in faults[5]


def test_service_types_come_after_those_they_are_derived_from_and_never_change() -> None:
    upside = replace(PLOTTER, name="A", super_types=("Z",)), replace(PRINTER, name="Z")
    wanted = Configuration(trader=TraderPart(types={one.name: one for one in upside}))
    assert [step.what for step in plan(wanted, Found()).steps] == [
        "service type Z", "service type A",
    ]  # fmt: skip
    other = TraderPart(types={"Z": replace(PRINTER, name="Z", properties=())})
    found = Found(Configuration(trader=other), trader=FoundTrader(other))
    with pytest.raises(InvalidUsage, match="service type Z: its properties differ"):
        plan(wanted, found)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            'requests = [{kind = "subscrbe", what = "A", source = "S"}]',
            r"requests\[0\].kind: 'subscrbe' is none of .*unannounce; did you mean 'subscribe'",
        ),
        (
            "sides.a.flow.rate = 'fast'",
            r"sides\[0\].flow.rate: 'fast' is not a whole number",
        ),
        ("paused = 1", "paused: 1 is not true or false"),
        ("keys = { a = 1 }", "keys: expected `str`, got `int`"),
        ("sides.a.flow.rat = 1", "sides.a.flow.rat: unknown; did you mean 'rate'"),
    ],
)
def test_a_wrong_gateway_in_a_file_is_named(wrong: str, words: str) -> None:
    side = "sides.a = { service = 'S', kind = 'memory' }"
    if wrong.startswith("sides"):
        side = "sides.a.service = 'S'\nsides.a.kind = 'memory'"
    [fault] = faults(f"[gateways.G]\n{wrong}\n{side}\n")
    assert re.match(rf"gateways\.G\.{words}", fault), fault
