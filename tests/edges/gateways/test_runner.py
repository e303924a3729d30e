"""A gateway between channels and buses of one process: what it carries, keeps and sets aside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tidings.engine.host import Host
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation import requests as r
from tidings.federation.gateway import Gateway, GatewayTimes
from tidings.federation.marks import unmarked
from tidings.gateways.adapters.memory import bus
from tidings.gateways.runner import GatewayRunner, Gateways
from tidings.names import new_origin
from tidings.server.cores import service_cores
from tidings.server.embedded import client_for, local_client

TIMES = GatewayTimes(hello=100_000, gone=350_000)


class World:
    """A service with its gateways."""

    def __init__(self, host: Host, times: GatewayTimes) -> None:
        self.host = host
        self.client = local_client(host)
        self.gateways = Gateways(host.tell, host.on_effect, partial(client_for, host), times=times)

    async def ask(self, request: Any) -> Any:
        return await self.client.transport.ask(request)

    async def see(self, question: Any) -> Any:
        return await self.client.transport.request(question)

    async def gateway(self, *sides: r.SideConfig, name: str = "G") -> None:
        await self.ask(r.CreateGateway(name, sides))
        await self.until(lambda info: all(one.state == "up" for one in info.sides), name)

    async def until(self, done: Callable[[r.GatewayInfo], bool], name: str = "G") -> r.GatewayInfo:
        async with asyncio.timeout(PATIENCE):
            while True:
                info = await self.ask(r.SeeGateway(name))
                assert isinstance(info, r.GatewayInfo)
                if info.sides and not info.problem and done(info):
                    return info
                await asyncio.sleep(0.01)

    async def want(self, what: str, source: str, targets: str = "*") -> None:
        await self.ask(r.AskFederation("G", r.RequestKind.SUBSCRIBE, what, source, targets))
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await self.ask(r.SeeFederationRequests("G"))
                if all(one.applied and not one.missing for one in found):
                    return
                await asyncio.sleep(0.01)


@asynccontextmanager
async def world(folder: Path | None = None, times: GatewayTimes = TIMES) -> AsyncIterator[World]:
    host = await Host.open(folder, cores=service_cores())
    made = World(host, times)
    made.gateways.start()
    try:
        yield made
    finally:
        await made.gateways.stop()
        await made.client.close()
        await host.close()


class Listener:
    """Hears what is published at a bus."""

    def __init__(self, name: str) -> None:
        self.heard: asyncio.Queue[StructuredEvent] = asyncio.Queue()
        bus(name).listen(self._listen, lambda _: None)

    def _listen(self, found: StructuredEvent) -> None:
        if not found.name.startswith("FES_"):
            self.heard.put_nowait(unmarked(found)[0])

    async def next(self) -> StructuredEvent:
        async with asyncio.timeout(PATIENCE):
            return await self.heard.get()


def memory(adapter: str, name: str, **rest: Any) -> r.SideConfig:
    return r.SideConfig(adapter, adapter.upper(), "memory", {"name": name}, **rest)


def channel(adapter: str, name: str, **rest: Any) -> r.SideConfig:
    return r.SideConfig(
        adapter, adapter.upper(), "tidings", {"channel": name, "create": True}, **rest
    )


def speed(rate: float, name: str = "Speed") -> StructuredEvent:
    return event("", "", name, {"rate": rate})


async def test_events_go_where_they_are_wanted() -> None:
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other), channel("c", "roads"))
        heard = Listener(other)
        await made.want("subject = Speed and rate > 30", "B")
        for rate in (10, 31, 30, 32):
            bus(one).publish(speed(rate))
        await made.client.publish("roads", speed(33))
        found = [await heard.next() for _ in range(3)]
        assert {each.data["rate"] for each in found} == {31, 32, 33}
        info = await made.until(lambda info: info.carried == 3)
        assert [side.sent for side in info.sides if side.adapter == "b"] == [3 + 0]


async def test_what_waits_outlives_the_service_and_the_gateway(tmp_path: Path) -> None:
    one, other = new_origin(), new_origin()
    async with world(tmp_path) as made:
        await made.gateway(memory("a", one), memory("b", other))
        await made.want("Speed", "B")
        bus(other).go("away for a while")
        await made.until(lambda info: info.sides[1].state == "down")
        for rate in range(5):
            bus(one).publish(speed(rate))
        await made.until(lambda info: info.sides[1].waiting == 5)
    async with world(tmp_path) as made:
        await made.until(lambda info: info.sides[1].waiting == 5)
        heard = Listener.__new__(Listener)
        bus(other).come_back()
        heard.__init__(other)  # type: ignore[misc]
        assert [(await heard.next()).data["rate"] for _ in range(5)] == [0, 1, 2, 3, 4]
        await made.until(lambda info: info.sides[1].waiting == 0)
        bus(one).publish(speed(5))
        assert (await heard.next()).data["rate"] == 5


async def test_what_was_asked_of_a_gateway_is_kept() -> None:
    async with world() as made:
        await made.gateway(memory("a", new_origin()), memory("b", new_origin()))
        await made.want("Speed", "B")
        config = await made.ask(r.SeeGatewayConfig("G"))
        assert [(one.what, one.source) for one in config.requests] == [("Speed", "B")]


async def until_parted(made: World, adapter: str, name: str = "G") -> r.GatewayInfo:
    return await made.until(lambda info: adapter not in {s.adapter for s in info.sides}, name)


async def test_a_side_that_leaves_yields_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stays in its place goes on without a gap, and what leaves takes its things along."""
    sides = (channel("c", "roads"), channel("b", "town"))
    async with world() as made:
        await made.gateway(*sides)
        await made.gateway(*sides, name="H")
        await made.want("$rate > 0", "B")
        heard = await made.client.subscribe("town")
        serves, goes_on = asyncio.Event(), asyncio.Event()
        is_yielding = Gateway.is_yielding

        def yielding(self: Gateway, now: int) -> bool:
            serves.set()
            return is_yielding(self, now) or not goes_on.is_set()

        monkeypatch.setattr(Gateway, "is_yielding", yielding)
        await made.ask(r.ChangeGateway("G", (sides[1],)))
        await serves.wait()
        info = await made.until(lambda _: True)
        assert "it leaves" in info.sides[0].cause
        assert made.gateways._running["G"].machine.topology.on("C") == ("H",)
        subjects = {f"E{number}" for number in range(20)}  # some of them are the share of each

        async def all_come() -> None:
            for subject in subjects:
                await made.client.publish("roads", speed(1, subject))
            assert {(await anext(heard)).event.name for _ in subjects} == subjects

        await all_come()
        goes_on.set()
        await until_parted(made, "c")
        proxies = await (await made.client.channel("roads")).proxies()
        assert {one.name for one in proxies if one.name} == {"federation tidings/H/c"}
        await all_come()


async def test_a_side_that_is_wanted_again_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = new_origin(), new_origin()
    sides = (memory("a", one), memory("b", other))
    async with world() as made:
        await made.gateway(*sides)
        await made.want("Speed", "B")
        monkeypatch.setattr(Gateway, "is_yielding", lambda *_: True)
        await made.ask(r.ChangeGateway("G", sides[:1]))
        await made.until(lambda info: "it leaves" in info.sides[1].cause)
        await made.ask(r.ChangeGateway("G", sides))
        info = await made.until(lambda info: not info.sides[1].cause)
        assert info.sides[1].reconnects == 0
        assert made.gateways._running["G"].machine.topology.on("B") == ("G",)
        heard = Listener(other)
        bus(one).publish(speed(1))
        assert (await heard.next()).data["rate"] == 1


async def test_a_gateway_that_is_made_again_starts_when_the_deleted_one_has_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = new_origin(), new_origin()
    sides = (memory("a", one), memory("b", other))
    async with world() as made:
        await made.gateway(*sides)
        goes_on, yields = asyncio.Event(), GatewayRunner._yield

        async def slow(self: GatewayRunner) -> None:
            await goes_on.wait()
            await yields(self)

        monkeypatch.setattr(GatewayRunner, "_yield", slow)
        await made.ask(r.DeleteGateway("G"))
        await made.ask(r.CreateGateway("G", sides))
        await made.ask(r.AskFederation("G", r.RequestKind.SUBSCRIBE, "Speed", "B"))
        await made.gateway(memory("x", one), name="X")  # others do not wait for it
        info = await made.ask(r.SeeGateway("G"))
        assert "when the deleted gateway of this name has left" in info.problem
        goes_on.set()
        await made.until(lambda info: bool(info.sides[0].wants))
        heard = Listener(other)
        bus(one).publish(speed(1))
        assert (await heard.next()).data["rate"] == 1
        await made.ask(r.DeleteGateway("G"))
        await made.ask(r.CreateGateway("G", sides))
        await made.ask(r.DeleteGateway("G"))
        assert [each.name for each in await made.ask(r.SeeGateways())] == ["X"]


async def test_rules_change_and_withhold_events() -> None:
    one, other = new_origin(), new_origin()
    mapping = {
        "in": [{"when": "$rate < 0", "drop": True}],
        "out": [
            {"when": "$rate > 200", "name": "{data.nothing}"},
            {"name": "fast {name}", "rename": {"rate": "speed"}, "set": {"unit": "km/h"}},
        ],
    }
    async with world() as made:
        await made.gateway(
            memory("a", one, mapping={"in": mapping["in"]}),
            memory("b", other, mapping={"out": mapping["out"]}, flow=r.Flow(deny="$speed == 7")),
        )
        heard = Listener(other)
        await made.want("Speed", "B")
        for rate in (-1, 201, 7, 8):
            bus(one).publish(speed(rate))
        found = await heard.next()
        assert (found.name, dict(found.data)) == ("fast Speed", {"speed": 8, "unit": "km/h"})
        info = await made.until(lambda info: info.sides[1].set_aside == 1)
        assert (info.sides[1].sent, info.sides[1].withheld) == (1, 1)
        assert "nothing" in info.sides[1].last_cause


async def test_an_event_goes_only_where_its_area_reaches() -> None:
    one, near, far = new_origin(), new_origin(), new_origin()
    async with world() as made:
        await made.gateway(
            memory("a", one),
            memory("n", near, position="53.34, -6.25"),
            memory("f", far, position="53.34, -6.35"),
        )
        heard = {name: Listener(name) for name in (near, far)}
        await made.want("Speed", "N")
        await made.want("Speed", "F")
        area = "0, 0, 53.34, -6.251, 1000"
        bus(one).publish(event("", "", "Speed", {"rate": 1}, header={"Proximity": area}))
        bus(one).publish(event("", "", "Speed", {"rate": 2}, header={"Proximity": "a circle"}))
        bus(one).publish(event("", "", "Speed", {"rate": 3}))
        assert [(await heard[near].next()).data["rate"] for _ in range(2)] == [1, 3]
        assert (await heard[far].next()).data["rate"] == 3
        info = await made.until(lambda info: info.sides[2].set_aside == 1)
        assert [side.outside for side in info.sides] == [0, 0, 1]
        assert "Proximity" in info.sides[2].last_cause
