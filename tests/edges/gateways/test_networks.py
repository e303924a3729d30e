"""Networks of channels of two services in one process: planned, made, changed, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.edges.server.serving import serving, sources
from tests.patience import PATIENCE
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.errors import InvalidUsage, NameTaken, NotFound, Unreachable, WrongState
from tidings.events.build import event
from tidings.federation import requests as r
from tidings.gateways import networks as n

TIMES: dict[str, Any] = {"federation__hello": 0.1, "federation__gone": 2.0}
ABC = {name: n.Node(name, f"http://{name}:1", name) for name in "abc"}


@pytest.mark.parametrize(
    ("shape", "links"),
    [
        ("line", ["ab", "bc", "cd"]),
        ("ring", ["ab", "bc", "cd", "da"]),
        ("star", ["ab", "ac", "ad"]),
        ("full", ["ab", "ac", "ad", "bc", "bd", "cd"]),
        ("d-a, b-c", ["da", "bc"]),
    ],
)
def test_shapes(shape: str, links: list[str]) -> None:
    assert n.links_of(shape, "abcd") == [tuple(pair) for pair in links]


def test_two_nodes_in_a_ring_have_one_link_and_names_may_have_hyphens() -> None:
    assert n.links_of("ring", "ab") == [("a", "b")]
    assert n.links_of("a-1-b-2", ["a", "a-1", "b-2"]) == [("a-1", "b-2")]
    for wrong in ("a", "a-a", "a-x", "circle", ""):
        with pytest.raises(InvalidUsage, match="joins no two of a, b"):
            n.links_of(wrong, "ab")
    with pytest.raises(InvalidUsage, match="did you mean 'ring'"):
        n.links_of("rign", "ab")


def test_nodes_are_names_and_addresses() -> None:
    made = n.node_of("a=http://h:1/base/a%2Fb", {"a": "env:A"})
    assert made == n.Node("a", "http://h:1/base", "a/b", "env:A")
    for wrong in ("a", "a=", "a=http://h:1", "a=roads", "a b=http://h:1/x", "a=iiop://h:1/x"):
        with pytest.raises(InvalidUsage):
            n.node_of(wrong)
    with pytest.raises(InvalidUsage, match="env:NAME or file:PATH"):
        n.node_of("a=http://h:1/x", {"a": "secret"})


def test_links_are_gateways() -> None:
    found = n.planned("roads", ABC, [("a", "b")], 3)
    assert [(one.config.name, one.home) for one in found] == [
        ("roads.a-b", "a"), ("roads.a-b.2", "b"), ("roads.a-b.3", "a")
    ]  # fmt: skip
    with pytest.raises(InvalidUsage, match="1 to 16"):
        n.planned("roads", ABC, [("a", "b")], 0)
    with pytest.raises(InvalidUsage, match="nodes a and z are the same channel"):
        n.planned("roads", {**ABC, "z": ABC["a"]}, [("a", "b")], 1)


async def test_a_network_does_not_fall_apart() -> None:
    links = n.planned("roads", ABC, [("a", "b")], 1)
    async with n.Services() as services:
        with pytest.raises(InvalidUsage, match="no link joins a, b with c"):
            await n.change(services, n.Network("roads"), nodes=ABC, more=links)


async def test_a_link_stays_while_a_node_that_has_something_for_it_is_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    links = n.planned("roads", ABC, [("a", "b"), ("b", "c"), ("a", "c")], 1)
    network = n.Network("roads", dict(ABC), {one.config.name: one for one in links})

    async def all_but_b(_: n.Services, nodes: Iterable[n.Node]) -> dict[str, Client]:
        if "b" in {one.name for one in nodes}:
            raise Unreachable("b does not answer")
        pytest.fail("b was not asked")

    monkeypatch.setattr(n.Services, "of", all_but_b)
    async with n.Services() as services:
        with pytest.raises(Unreachable):
            await n.change(services, network, nodes=ABC, less=["roads.a-b"])


class World:
    """Two services: a and c are channels of one, b of the other."""

    def __init__(self, one: Client, other: Client, urls: tuple[str, str]) -> None:
        self.clients = {"a": one, "b": other, "c": one}
        self.nodes = {
            name: n.node_of(f"{name}={urls[name == 'b']}/{name}") for name in self.clients
        }

    async def create(self, services: n.Services, parallel: int = 1) -> n.Network:
        """Create a line in which every node gets everything of all others."""
        network = await n.survey(services, "roads", self.nodes.values())
        more = n.planned("roads", self.nodes, [("a", "b"), ("b", "c")], parallel)
        await n.change(services, network, nodes=self.nodes, more=more, filters=["$rate > 30"])
        assert await n.until_settled(services, network)
        return network

    async def passes(self, count: int, origin: str, to: str) -> None:
        """Events of different subjects that are published at one node reach another one."""
        client = self.clients[to]
        async with await client.subscribe(to, name="test") as heard:
            publisher = await self.clients[origin].publisher(origin)
            names = {f"car-{number}" for number in range(count)}
            await publisher.publish_many([event("", "", one, {"rate": 50}) for one in names])
            async with asyncio.timeout(PATIENCE):
                assert {(await anext(heard)).event.name for _ in names} == names
            await heard.delete()

    async def is_clean(self, *channels: str) -> None:
        """No gateway is left, and nothing of any but these channels."""
        for client in self.clients.values():
            assert not await client.transport.request(r.SeeGateways())
            for one in await client.channels():
                assert one.name in channels
                proxies = await (await client.channel(one.name)).proxies()
                assert not [each for each in proxies if each.name.startswith(r.OF_GATEWAYS)]


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    here = sources(store__dir=folder / "here", **TIMES)
    there = sources(store__dir=folder / "there", **TIMES)
    async with (
        serving(here) as (one, _),
        serving(there) as (other, _),
        await connect(one.url) as a,
        await connect(other.url) as b,
    ):
        yield World(a, b, (one.url, other.url))


async def test_a_network_is_made_changed_and_deleted(tmp_path: Path) -> None:
    async with world(tmp_path) as made, n.Services(made.nodes["a"].url) as services:
        await made.create(services, parallel=2)
        await made.create(services, parallel=2)  # repeated, nothing changes
        network = await n.discover(services, "roads")
        assert network.nodes == made.nodes
        assert network.filters() == {"$rate > 30"}
        names = ["roads.a-b", "roads.a-b.2", "roads.b-c", "roads.b-c.2"]
        assert sorted(network.gateways) == names
        await made.passes(40, "a", "c")
        network = await n.discover(services, "roads")
        assert all(one.info.carried for one in network.gateways.values() if one.info)
        # b leaves; what a and c have asked for through its gateways still holds.
        nodes = {name: node for name, node in network.nodes.items() if name != "b"}
        more = n.planned("roads", nodes, [("a", "c")], 1)
        await n.change(services, network, nodes=nodes, more=more, less=names)
        assert await n.until_settled(services, network)
        await made.passes(3, "a", "c")
        await made.passes(3, "c", "a")
        await n.rest(services, network, paused=True)
        [resting] = (await n.discover(services, "roads")).gateways.values()
        assert resting.info is not None
        assert resting.info.paused
        await n.rest(services, network, paused=False)
        await made.passes(3, "a", "c")
        await n.delete(services, await n.discover(services, "roads"))
        await made.is_clean("a", "b", "c")
        with pytest.raises(NotFound, match="runs no gateway of network roads"):
            await n.discover(services, "roads")


async def test_what_was_made_is_undone(tmp_path: Path) -> None:
    async with world(tmp_path) as made, n.Services(made.nodes["a"].url) as services:
        ask = made.clients["b"].transport.ask
        other = r.SideConfig("x", "x", "memory", {"name": "x"})
        await ask(r.CreateGateway("roads.b-c", (other,)))  # not of this network
        with pytest.raises(WrongState, match=r"b, gateway roads\.b-c: .*what was made is undone"):
            await made.create(services)
        await ask(r.DeleteGateway("roads.b-c"))
        await made.is_clean()
        nowhere = n.Node("d", "http://127.0.0.1:9", "d")
        with pytest.raises(Unreachable, match=r"nothing was changed, .* answer: d \("):
            await n.survey(services, "roads", [*made.nodes.values(), nowhere])


async def test_a_gateway_that_joins_other_channels_is_not_replaced(tmp_path: Path) -> None:
    async with world(tmp_path) as made, n.Services(made.nodes["a"].url) as services:
        network = await made.create(services)
        nodes = {**made.nodes, "a": n.Node("a", made.nodes["a"].url, "another")}
        more = n.planned("roads", nodes, [("a", "b"), ("b", "c")], 1)
        with pytest.raises(NameTaken, match=r"there is a gateway roads\.a-b at a already"):
            await n.change(services, network, nodes=nodes, more=more)


async def test_a_deleted_gateway_leaves_no_subscription(tmp_path: Path) -> None:
    async with world(tmp_path) as made, n.Services(made.nodes["a"].url) as services:
        network = await made.create(services)
        for name, one in network.gateways.items():
            await made.clients[one.home].transport.ask(r.DeleteGateway(name))
        channel = await made.clients["b"].channel("b")
        async with asyncio.timeout(PATIENCE):
            while any(one.name.startswith(r.OF_GATEWAYS) for one in await channel.proxies()):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
