"""The laws of export and apply, on real services in memory."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.unit.client.configuration.worlds import (
    applied,
    changes,
    configurations,
    exported,
    on_services,
)
from tidings import event
from tidings.channel.commands import Command
from tidings.channel.management import ObtainProxy
from tidings.channel.properties import ADMIN_PROPERTIES, AdminProperties
from tidings.channel.qos import QOS_PROPERTIES, QoS
from tidings.channel.settings import Inheritance, Settings
from tidings.channel.vocabulary import Operator, Side, Style
from tidings.client.client import Client
from tidings.client.configuration.applying import Applying
from tidings.client.configuration.model import Configuration
from tidings.client.configuration.reading import read_configuration
from tidings.client.configuration.rehearsal import rehearse
from tidings.client.configuration.state import find_configuration
from tidings.client.configuration.steps import Plan
from tidings.client.managing import HostedFilter
from tidings.errors import BadInput, InvalidUsage, TidingsError

QUICK = settings(settings.get_profile("quick"))

PROBE = event("D", "T", "", {"n": 3, "m": 1})

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
    "reliability below": Settings(event_reliability_below=True),
    "followed": Settings(inheritance=Inheritance.FOLLOWED),
    "followed, below": Settings(inheritance=Inheritance.FOLLOWED, event_reliability_below=True),
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


class _Probing:
    """A transport that has an event published after everything that is asked."""

    def __init__(self, client: Client) -> None:
        self._transport = client.transport
        self._client = client
        self.published = 0

    async def ask(self, command: Command) -> Any:
        answer = await self._transport.ask(command)
        await self._client.publish("a", PROBE)
        self.published += 1
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


HELD = """
version = 1
[filters.f]
constraints = [{}]
[filters.g]
constraints = [{}]
[channels.a.subscriptions.p]
filters = ["f", "g"]
"""


def test_a_filter_is_emptied_before_another_lets_less_through() -> None:
    before, after = HELD.format('"$n > 1"', '"$n == 0"'), HELD.format('"$n == 9"', "")

    async def scene(client: Client) -> tuple[int, int]:
        await applied(client, read_configuration(before))
        probing = _Probing(client)
        found = await find_configuration(client.transport)
        await Applying(probing, read_configuration(after), found).run(lambda step: None)
        [proxy] = [one for one in await (await client.channel("a")).proxies() if one.name]
        return proxy.waiting, probing.published

    waiting, published = on_services(scene)
    assert waiting == published > 0


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
        probing = _Probing(client)
        found = await find_configuration(client.transport)
        await Applying(probing, after, found, prune=True).run(lambda step: None)
        last = await channel.dry_run(PROBE)
        [proxy] = [one for one in await channel.proxies() if one.name]
        if first.recipients and last.recipients:
            assert proxy.waiting == probing.published

    on_services(scene)


def test_events_wait_for_what_was_made() -> None:
    async def scene(client: Client) -> dict[str, int]:
        await applied(client, read_configuration(FILE))
        for price in (1, 3, 30):
            await client.publish("auction", event("A", "b", "", {"price": price}))
        proxies = await (await client.channel("auction")).proxies()
        return {one.name: one.waiting for one in proxies if one.side is Side.CONSUMER}

    assert on_services(scene) == {"night": 1, "day": 2}


def test_a_subscription_that_nobody_ever_connected_to_is_mended() -> None:
    """As after a crash between two steps."""
    wanted = read_configuration("version = 1\n[channels.a.subscriptions.one]")

    async def scene(client: Client) -> tuple[tuple[str, ...], int]:
        channel = await client.create_channel("a")
        await client.transport.ask(ObtainProxy(channel.id, Side.CONSUMER, Style.PUSH, name="one"))
        [step] = (await applied(client, wanted)).steps
        await client.publish("a", event("D", "T"))
        [proxy, *_] = await channel.proxies()
        return step.details, proxy.waiting

    assert on_services(scene) == (("events wait for it from now on",), 1)


def test_a_shared_filter_stays_one_filter() -> None:
    async def scene(client: Client) -> tuple[set[int], list[str]]:
        await applied(client, read_configuration(FILE))
        text = FILE.replace('["$price < 10"]', '["$price < 9", "$price == 10"]')
        ids = (await find_configuration(client.transport)).filters
        await applied(client, read_configuration(text))
        found = await find_configuration(client.transport)
        assert found.filters == ids
        [constraints] = found.configuration.filters.values()
        return set(ids.values()), [one.text for one in constraints]

    ids, texts = on_services(scene)
    assert len(ids) == 1
    assert texts == ["$price < 9", "$price == 10"]


def test_pruning_leaves_filters_alone_that_programs_hold() -> None:
    async def scene(client: Client) -> int:
        await applied(client, read_configuration(FILE))
        [id] = (await find_configuration(client.transport)).filters.values()
        channel = await client.channel("auction")
        program = await client.subscribe(channel)
        await channel.proxy(program.proxy).add_filter(HostedFilter(client.transport, id))
        await applied(client, read_configuration("version = 1\n[channels.auction]"), prune=True)
        return (await client.transport.filter(id)).holders

    assert on_services(scene) == 1


def test_a_failure_leaves_what_can_be_applied_again() -> None:
    wanted = read_configuration(FILE)

    async def scene(client: Client) -> str:
        found = await find_configuration(client.transport)
        failing = _Failing(client)
        with pytest.raises(OSError, match="cut"):
            await Applying(failing, wanted, found).run(lambda step: None)
        await applied(client, wanted)
        return await exported(client)

    async def straight(client: Client) -> str:
        await applied(client, wanted)
        return await exported(client)

    assert on_services(scene) == on_services(straight)


class _Failing:
    """A transport that is cut after a few questions."""

    def __init__(self, client: Client) -> None:
        self._transport = client.transport
        self._left = 8

    async def ask(self, command: Command) -> Any:
        self._left -= 1
        if not self._left:
            raise OSError("cut")
        return await self._transport.ask(command)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
