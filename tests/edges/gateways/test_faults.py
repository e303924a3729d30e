"""Sides whose services, adapters, plug-ins or rules are wrong: it is said, and the rest goes on."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.edges.gateways.test_runner import Listener, World, channel, memory, speed, world
from tests.patience import PATIENCE
from tests.real.federation.rigs import cosmic
from tidings.channel.questions import RedriveDeadLetter, SeeDeadLetters
from tidings.errors import ChannelFull, InvalidUsage, Unreachable
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation import requests as r
from tidings.federation.gateway import Gateway, Routed
from tidings.federation.marks import PROPERTY, Mark
from tidings.gateways import sides
from tidings.gateways.adapters.base import (
    MOST_UNREADABLE,
    AdapterError,
    Outgoing,
    Side,
    new_adapter,
    unreadable,
)
from tidings.gateways.adapters.memory import Bus, MemoryAdapter, bus
from tidings.gateways.outbox import Outbox, SetAside
from tidings.gateways.runner import GatewayRunner
from tidings.names import new_origin


async def until_empty(made: World, name: str) -> None:
    """Wait until a channel has nothing that waits."""
    async with asyncio.timeout(PATIENCE):
        while any(  # noqa: ASYNC110
            one.waiting for one in await made.client.channels() if one.name == name
        ):
            await asyncio.sleep(0.01)


async def test_a_slow_side_is_still_heard_by_others() -> None:
    """What gateways tell each other waits for no rate and no backlog."""
    one, other, third = new_origin(), new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other, flow=r.Flow(rate=5)))
        await made.gateway(memory("b", other), memory("c", third), name="H")
        await made.want("Speed", "B", "A")
        heard = Listener(other)
        for rate in range(8):
            bus(one).publish(speed(rate))
        found: list[Any] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < 8:
                services = await made.ask(r.SeeFederation("H"))
                here = {one.service for one in services if one.gateways}
                assert here == {"A", "B", "C"} or not found
                while not heard.heard.empty():
                    found.append(heard.heard.get_nowait().data["rate"])
                await asyncio.sleep(0.01)
        assert found == list(range(8))


async def test_an_event_that_the_adapter_fails_with_is_set_aside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish = MemoryAdapter.publish

    async def failing(self: MemoryAdapter, events: Sequence[Any]) -> Any:
        if any(one.event.name == "Bad" for one in events):
            raise ValueError("no such thing")
        if any(one.event.name == "Short" for one in events):
            return []
        return await publish(self, events)

    monkeypatch.setattr(MemoryAdapter, "publish", failing)
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other))
        await made.want("$rate > 0", "B")
        heard = Listener(other)
        for rate, name in enumerate(("Good", "Bad", "Good", "Short", "Good"), 1):
            bus(one).publish(speed(rate, name))
        assert [(await heard.next()).data["rate"] for _ in range(3)] == [1, 3, 5]
        info = await made.until(lambda info: info.sides[1].set_aside == 2)
        assert "1 events" in info.sides[1].last_cause
        assert info.sides[1].sent == 3


async def test_an_event_that_the_gateway_fails_with_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    route = Gateway.route

    def failing(self: Gateway, adapter: str, heard: Any) -> Any:
        if heard.event.name == "Bad":
            raise ValueError("no such thing")
        return route(self, adapter, heard)

    monkeypatch.setattr(Gateway, "route", failing)
    one, other = new_origin(), new_origin()
    async with world(tmp_path) as made:
        await made.gateway(memory("a", one), memory("b", other))
        await made.want("$rate > 0", "B")
        heard = Listener(other)
        for rate, name in enumerate(("Good", "Bad", "Good"), 1):
            bus(one).publish(speed(rate, name))
        assert [(await heard.next()).data["rate"] for _ in range(2)] == [1, 3]
        info = await made.until(lambda info: info.sides[0].set_aside == 1)
        assert "no such thing" in info.sides[0].last_cause
        [found] = await letters(made, "federation G/a in", 1)
        assert found.event.name == "Bad"


async def test_a_gateway_goes_on_after_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    tick, failed = Gateway.tick, asyncio.Event()

    def failing(self: Gateway, now: int) -> None:
        if not failed.is_set():
            failed.set()
            raise ValueError("no such thing")
        tick(self, now)

    async with world() as made:
        await made.gateway(memory("a", new_origin()))
        monkeypatch.setattr(Gateway, "tick", failing)
        await failed.wait()
        ticked = asyncio.Event()
        monkeypatch.setattr(Gateway, "tick", lambda *_: ticked.set())
        async with asyncio.timeout(PATIENCE):
            await ticked.wait()
        monkeypatch.undo()


async def test_what_a_service_refuses_is_wanted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    want, refusals = MemoryAdapter.want, [1, 2]

    async def refusing(self: MemoryAdapter, filters: Sequence[Any]) -> Any:
        if len(filters) > 1 and refusals:
            refusals.pop()
            raise AdapterError("too many filters for now")
        return await want(self, filters)

    monkeypatch.setattr(MemoryAdapter, "want", refusing)
    monkeypatch.setattr(sides, "_AGAIN", 0.05)
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other))
        await made.ask(r.AskFederation("G", r.RequestKind.SUBSCRIBE, "Speed", "B"))
        info = await made.until(lambda info: not refusals and info.sides[0].state == "up")
        assert info.sides[0].wants
        heard = Listener(other)
        bus(one).publish(speed(1))
        assert (await heard.next()).data["rate"] == 1


async def test_a_service_that_loses_marks_is_degraded_and_nothing_circles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish = Bus.publish

    def stripping(self: Bus, sent: StructuredEvent) -> None:
        header = {name: value for name, value in sent.header.items() if name != PROPERTY}
        publish(self, msgspec.structs.replace(sent, header=header))

    monkeypatch.setattr(Bus, "publish", stripping)
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.ask(r.CreateGateway("G", (memory("a", one), memory("b", other))))
        await made.until(lambda info: all(side.state == "degraded" for side in info.sides))
        await made.want("Speed", "A")
        await made.want("Speed", "B")
        bus(one).publish(speed(1))
        info = await made.until(lambda info: info.sides[1].received == 1)
        assert "loses the marks" in info.sides[0].cause
        published = bus(one).published, bus(other).published
        assert (info.fresh, info.carried) == (1, 1)
        assert min(published) > 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("raise RuntimeError('not today')", "not today"),
        ("def change(", "SyntaxError"),
        ("", "has no attribute"),
    ],
)
async def test_a_plug_in_that_cannot_be_loaded_is_named(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"plug_{new_origin()}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    rules = {"in": [{"plugin": f"{name}:change"}]}
    async with world() as made:
        with pytest.raises(InvalidUsage, match=rf"a: mapping.in\[0\].plugin.*{words}"):
            await made.ask(r.CreateGateway("G", (memory("a", "x", mapping=rules),)))
    sys.modules.pop(name, None)


async def test_what_a_plug_in_does_wrong_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"plug_{new_origin()}"
    (tmp_path / f"{name}.py").write_text(
        "import msgspec\n"
        "def change(event):\n"
        "    rate = event.data['rate']\n"
        "    if rate == 1: return 7\n"
        "    if rate == 2: return msgspec.structs.replace(event, data={'x': object()})\n"
        "    if rate == 3: raise KeyError('no')\n"
        "    if rate == 4: return None\n"
        "    return event\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    rules = {"out": [{"plugin": f"{name}:change"}]}
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other, mapping=rules))
        await made.want("Speed", "B")
        heard = Listener(other)
        for rate in range(1, 6):
            bus(one).publish(event("", "", "Speed", {"rate": rate}))
        assert (await heard.next()).data["rate"] == 5
        info = await made.until(lambda info: info.sides[1].set_aside == 3)
        assert name in info.sides[1].last_cause
        assert info.sides[1].reconnects == 0
    sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ([r.SideConfig("r", "R", "tidings")], "r: tidings needs the parameter 'channel'"),
        ([r.SideConfig("r", "R", "radio")], "no adapter is called 'radio'; there are: "),
        ([memory("r", "x", position="north")], "r: 'north' is no position"),
        ([memory("r", "x", flow=r.Flow(deny="((("))], "sides: r: deny: line 1, column 4"),
        ([memory("r", "x"), memory("q", "x")], "R and Q are one service under two names"),
        ([memory("r r", "x")], "a name has 1 to 128 letters"),
        ([memory("r", "x", trusts=("city",))], "r trusts 'city'"),
        ([memory("r", "x", mapping={"in": [{"when": "((("}]})], r"r: mapping.in\[0\]: line 1"),
        ([memory("r", "x", mapping={"in": [{"name": "{colour}"}]})], r"mapping.in\[0\].name"),
        ([memory("r", "x", outbox={"Colour": 1})], "r: outbox: Colour: no property has this name"),
        (
            [memory("r", "x", outbox={"DiscardPolicy": "FifoOrdr"})],
            "r: outbox: DiscardPolicy.*write AnyOrder or FifoOrder or",
        ),
        (
            [r.SideConfig("m", "M", "mqtt", {"qos": 7})],
            "m: mqtt: qos: 7 is none of 0, 1",
        ),
        (
            [r.SideConfig("k", "K", "corba", {"reference": "x", "model": "evnts"})],
            "k: corba: model: 'evnts' is none of .*; did you mean 'events'",
        ),
        (
            [r.SideConfig("r", "R", "tidings", {"channel": "x", "creat": True})],
            "no parameter 'creat'; did you mean 'create'",
        ),
        (
            [r.SideConfig("r", "R", "tidings", {"channel": "x", "create": "yes"})],
            "r: tidings: create: 'yes' is not true or false",
        ),
        (
            [r.SideConfig("k", "K", "corba", {"reference": "x", "form": "sequenc"})],
            "form: 'sequenc' is none of any, sequence, structured; did you mean 'sequence'",
        ),
        (
            [r.SideConfig("m", "M", "nats", {"window": 0})],
            "m: nats: window: expected `int` >= 1",
        ),
        (
            [memory("r", "x", mapping={"in": [{"renam": {}}]})],
            r"r: mapping: in\[0\]: there is no 'renam'; did you mean 'rename'",
        ),
        ([], "a gateway has 1 to 32"),
    ],
)
async def test_a_wrong_side_is_refused_and_named(sides: list[r.SideConfig], words: str) -> None:
    async with world() as made:
        with pytest.raises(InvalidUsage, match=words):
            await made.ask(r.CreateGateway("G", tuple(sides)))


async def test_a_side_that_is_changed_takes_what_it_is_handed_over_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Events on their way are acknowledged by the side as it is then."""
    opened, keep = asyncio.Event(), Outbox.keep

    async def slow(self: Outbox, events: Sequence[Any]) -> Sequence[bool]:
        await opened.wait()
        return await keep(self, events)

    monkeypatch.setattr(Outbox, "keep", slow)
    other = new_origin()
    async with world() as made:
        await made.gateway(channel("c", "roads"), memory("b", other))
        await made.want("Speed", "B")
        bus(other).go("away")
        await made.until(lambda info: info.sides[1].state == "down")
        await made.client.publish("roads", speed(1))
        await made.until(lambda info: info.sides[0].received == 1)
        changed = (channel("c", "roads", position="1, 1"), memory("b", other))
        await made.ask(r.ChangeGateway("G", changed))
        sides = made.gateways._running["G"]._sides
        await made.until(lambda _: "c" in sides and sides["c"].config == changed[0])
        await made.until(lambda info: any(side.received == 1 for side in info.sides))
        opened.set()
        await made.until(lambda info: any(side.waiting == 1 for side in info.sides))
        await until_empty(made, "roads")
        bus(other).come_back()
        await made.until(lambda info: all(side.state == "up" for side in info.sides))


async def test_what_comes_while_a_side_is_changed_is_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closing, closed, close = asyncio.Event(), asyncio.Event(), Outbox.close

    async def slow(self: Outbox) -> None:
        closing.set()
        await closed.wait()
        await close(self)

    monkeypatch.setattr(Outbox, "close", slow)
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other))
        await made.want("Speed", "B")
        heard = Listener(other)
        changed = (memory("a", one), memory("b", other, position="1, 1"))
        await made.ask(r.ChangeGateway("G", changed))
        await closing.wait()
        bus(one).publish(speed(1))
        await made.until(lambda info: info.fresh == 1)
        closed.set()
        assert speed_of(await heard.next()) == 1
        await made.until(lambda info: all(side.state == "up" for side in info.sides))


def speed_of(found: StructuredEvent) -> object:
    return found.data["rate"]


async def test_a_full_outbox_makes_others_wait_and_loses_nothing() -> None:
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.client.create_channel("federation G/b", admin={"MaxQueueLength": 3})
        await made.gateway(memory("a", one), memory("b", other))
        await made.want("Speed", "B")
        bus(other).go("away")
        await made.until(lambda info: info.sides[1].state == "down")
        for rate in range(10):
            bus(one).publish(speed(rate))
        await made.until(lambda info: "outbox takes nothing" in info.sides[1].last_cause)
        bus(other).come_back()
        heard = Listener(other)
        found = [speed_of(await heard.next()) for _ in range(10)]
        assert found == list(range(10))
        info = await made.until(lambda info: info.sides[1].waiting == 0)
        assert info.sides[1].set_aside == 0


async def test_an_outbox_has_the_quality_of_service_that_its_side_says() -> None:
    one, other = new_origin(), new_origin()
    outbox = {"DiscardPolicy": "LifoOrder", "MaxEventsPerConsumer": 2, "Timeout": "1h"}
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other, outbox=outbox))
        await made.want("Speed", "B")
        bus(other).go("away")
        await made.until(lambda info: info.sides[1].state == "down")
        for rate in range(5):
            bus(one).publish(speed(rate))
        await made.until(lambda info: info.fresh == 5)
        channels = await made.client.channels()
        while not any(each.name == "federation G/b" and each.accepted == 5 for each in channels):
            await asyncio.sleep(0.01)
            channels = await made.client.channels()
        bus(other).come_back()
        heard = Listener(other)
        assert [speed_of(await heard.next()) for _ in range(2)] == [0, 1]
        await made.until(lambda info: info.sides[1].waiting == 0)


async def test_a_full_outbox_keeps_what_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    keep, fulls = Outbox.keep, [1, 2]

    async def full(self: Outbox, events: Sequence[Any]) -> Sequence[bool]:
        if fulls:
            fulls.pop()
            raise ChannelFull("no room")
        return await keep(self, events)

    monkeypatch.setattr(Outbox, "keep", full)
    one, other = new_origin(), new_origin()
    async with world() as made:
        rules = {"out": [{"when": "$rate == 1", "name": "{data.nothing}"}]}
        await made.gateway(memory("a", one), memory("b", other, mapping=rules))
        await made.want("Speed", "B")
        heard = Listener(other)
        for rate in range(3):
            bus(one).publish(speed(rate))
        assert [(await heard.next()).data["rate"] for _ in range(2)] == [0, 2]
        info = await made.until(lambda info: info.sides[1].set_aside == 1)
        assert info.sides[1].reconnects > 0


async def test_a_channel_whose_reader_fails_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    hear, faults = GatewayRunner._heard, [1]

    async def failing(self: GatewayRunner, adapter: str, arrivals: Sequence[Any]) -> None:
        if faults and any(one.event.name == "Speed" for one in arrivals):
            faults.pop()
            raise ValueError("no such thing")
        await hear(self, adapter, arrivals)

    monkeypatch.setattr(GatewayRunner, "_heard", failing)
    other = new_origin()
    async with world() as made:
        await made.gateway(channel("c", "roads"), memory("b", other))
        await made.want("Speed", "B")
        heard = Listener(other)
        await made.client.publish("roads", speed(1))
        assert (await heard.next()).data["rate"] == 1
        assert not faults


async def test_what_no_way_leads_to_is_held_for_a_while_and_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    route = Gateway.route

    def lost(self: Gateway, adapter: str, heard: Any) -> Routed:
        found = route(self, adapter, heard)
        return Routed(held=True) if heard.event.data["rate"] == 1 else found

    monkeypatch.setattr(Gateway, "route", lost)
    other = new_origin()
    async with world() as made:
        await made.gateway(channel("c", "roads"), memory("b", other))
        await made.want("Speed", "B")
        heard = Listener(other)
        for rate in (1, 2):
            await made.client.publish("roads", speed(rate))
        assert speed_of(await heard.next()) == 2
        runner = made.gateways._running["G"]
        assert len(runner._held) == 1
        assert (await made.until(lambda _: True)).unreachable == 0
        monkeypatch.setattr("tidings.gateways.runner._HOLD", -1)
        await until_empty(made, "roads")
        assert (await made.until(lambda _: True)).unreachable == 1
        assert not runner._held


async def letters(made: World, channel: str, most: int) -> list[Any]:
    """Wait until a channel has so many dead letters, and return them."""
    async with asyncio.timeout(PATIENCE):
        while True:
            there = {one.name: one.id for one in await made.client.channels()}
            found = await made.see(SeeDeadLetters(there[channel])) if channel in there else []
            if len(found) == most:
                return list(found)
            await asyncio.sleep(0.01)


async def test_what_cannot_be_mapped_on_its_way_in_is_a_dead_letter(tmp_path: Path) -> None:
    one, other = new_origin(), new_origin()
    wrong = {"in": [{"when": "$rate > 1", "name": "{data.nothing}"}]}
    right = {"in": [{"name": "{name}{data.rate}"}]}
    async with world(tmp_path) as made:
        await made.gateway(memory("a", one, mapping=wrong), memory("b", other))
        await made.want("$rate > 0", "B")
        heard = Listener(other)
        for rate in (1, 2, 3):
            bus(one).publish(speed(rate))
        assert speed_of(await heard.next()) == 1
        found = await letters(made, "federation G/a in", 2)
        assert [speed_of(each.event) for each in found] == [2, 3]
        assert all("nothing" in str(each.causes) for each in found)
        info = await made.until(lambda _: True)
        assert (info.sides[0].set_aside, info.sides[0].reconnects) == (2, 0)
        # Redriven too early it is a dead letter again, and passes once the rule is right.
        await made.see(RedriveDeadLetter(found[0].id))
        found = await letters(made, "federation G/a in", 2)
        changed = (memory("a", one, mapping=right), memory("b", other))
        await made.ask(r.ChangeGateway("G", changed))
        await made.until(lambda info: all(side.state == "up" for side in info.sides))
        for each in found:
            await made.see(RedriveDeadLetter(each.id))
        assert {(await heard.next()).name for _ in found} == {"Speed2", "Speed3"}
        await letters(made, "federation G/a in", 0)
        await until_empty(made, "federation G/a in")


async def test_what_is_no_event_is_a_dead_letter_with_what_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ears: list[Any] = []
    connect = MemoryAdapter.connect

    async def listening(self: MemoryAdapter, heard: Any) -> None:
        ears.append(heard)
        await connect(self, heard)

    monkeypatch.setattr(MemoryAdapter, "connect", listening)
    async with world(tmp_path) as made:
        await made.gateway(memory("a", new_origin()))
        came = bytes(range(256)) * 1_000
        await ears[0]([unreadable(came, "frame", "it has 256,000 octets; 8 are expected")])
        [found] = await letters(made, "federation G/a in", 1)
        assert found.event.body == came[:MOST_UNREADABLE]
        assert "8 are expected" in str(found.causes)
        await made.see(RedriveDeadLetter(found.id))
        [again] = await letters(made, "federation G/a in", 1)
        assert again.event.body == found.event.body


async def test_what_cannot_be_set_aside_stays_at_its_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, full = SetAside.keep, [1]

    async def failing(self: SetAside, arrival: Any, cause: str = "") -> None:
        if full:
            full.pop()
            raise ChannelFull("the disk is full")
        await keep(self, arrival, cause)
        await keep(self, arrival, cause)  # handed over again, it is the same

    monkeypatch.setattr(SetAside, "keep", failing)
    monkeypatch.setattr(sides, "_RETRY", 0.01)
    rules = {"in": [{"name": "{data.nothing}"}]}
    async with world(tmp_path) as made:
        await made.gateway(channel("c", "roads", mapping=rules), memory("b", new_origin()))
        await made.want("Speed", "B")
        await made.client.publish("roads", speed(1))
        info = await made.until(lambda info: "the disk is full" in info.sides[0].last_cause)
        assert info.sides[0].set_aside == 1
        [found] = await letters(made, "federation G/c in", 1)
        assert speed_of(found.event) == 1
        await until_empty(made, "roads")
        await until_empty(made, "federation G/c in")
        assert len(await letters(made, "federation G/c in", 1)) == 1


@pytest.mark.parametrize("away", [False, True])
async def test_what_may_have_come_twice_is_counted(
    away: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer is lost: of an event from the queue, or from the outbox."""
    publish, lost = MemoryAdapter.publish, [1]

    async def unanswered(self: MemoryAdapter, events: Sequence[Any]) -> Any:
        found = await publish(self, events)
        if lost and any(one.event.name == "Speed" for one in events):
            lost.pop()
            raise AdapterError("the answer is lost")
        return found

    monkeypatch.setattr(MemoryAdapter, "publish", unanswered)
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other))
        await made.want("Speed", "B")
        heard = Listener(other)
        if away:
            bus(other).go("away")
            await made.until(lambda info: info.sides[1].state == "down")
        bus(one).publish(speed(1))
        if away:
            await made.until(lambda info: info.sides[1].waiting == 1)
            bus(other).come_back()
            heard = Listener(other)
        assert [speed_of(await heard.next()) for _ in range(2)] == [1, 1]
        info = await made.until(lambda info: info.sides[1].waiting == 0)
        assert (info.sides[1].repeated, info.sides[1].sent) == (1, 1)


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("kind", ["cosmic", "steam"])
async def test_what_was_sent_before_the_network_went_is_not_sent_again(
    kind: str, before: int
) -> None:
    """Where nobody confirms, and nobody drops what comes again."""
    given: dict[str, Any] = {"network": "x", "position": "1, 1"}
    if kind == "cosmic":
        given = {"interface": "virtual", "channel": "x", "events": [cosmic.SPEED]}
    one: Any = new_adapter(kind, Side("s", "G", "a", "A"), given)
    sent: list[object] = []

    def send(*outgoing: object) -> asyncio.Future[None]:
        lost = len(sent) == before
        if lost and kind == "steam":
            raise Unreachable("it was unplugged")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if lost:
            done.set_exception(Unreachable("it was unplugged"))
        else:
            sent.append(outgoing)
            done.set_result(None)
        return done

    one._node, one._publish = SimpleNamespace(begin=send), send
    events = [Outgoing(speed(rate), Mark("s", "B", "b", rate, ())) for rate in range(1, 5)]
    if not before:
        with pytest.raises(AdapterError, match="unplugged"):
            await one.publish(events)
        return
    answers = await one.publish(events)
    assert answers[:2] == [None, None]
    assert all("unplugged" in answer.cause for answer in answers[2:])
