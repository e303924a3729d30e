"""Networks of channels on several services, as processes: made, watched and changed as one."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.real.e2e.processes import run
from tests.real.federation.rigs.tidings import Rig
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.events.build import event
from tidings.federation import requests as r
from tidings.gateways import networks as n

TIMES = {"HELLO": "300 ms", "GONE": "2 s"}
WANTED = "$rate > 30"


class Town:
    """Four services.

    Attributes:
        urls: Where they are, by name.
    """

    def __init__(self) -> None:
        self._rigs = {name: Rig() for name in "abcd"}
        with ThreadPoolExecutor() as pool:
            list(pool.map(Rig.start, self._rigs.values()))
        self.urls = {name: rig.parameters()["url"] for name, rig in self._rigs.items()}

    def kill(self, name: str) -> None:
        self._rigs[name].kill()

    def restart(self, name: str) -> None:
        self._rigs[name].restart()

    def stop(self) -> None:
        for rig in self._rigs.values():
            rig.stop()

    def node(self, name: str, channel: str) -> str:
        return f"{name}={self.urls[name]}/{channel}"

    async def network(self, *words: str) -> Any:
        done = await self.command(*words)
        assert not done.returncode, done.stderr.decode()
        return json.loads(done.stdout)

    async def command(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return await asyncio.to_thread(run, "network", *words, "--json", "--url", self.urls["a"])

    @asynccontextmanager
    async def client(self, name: str) -> AsyncIterator[Client]:
        async with await connect(self.urls[name], patience=PATIENCE) as client:
            yield client

    async def publish(self, channel: str, names: str, count: int, prefix: str) -> set[str]:
        """Publish so many events at each of these nodes; their names, which are all different."""
        sent = set()
        for name in names:
            async with self.client(name) as client:
                publisher = await client.publisher(channel)
                subjects = [f"{prefix}-{name}-{number}" for number in range(count)]
                await publisher.publish_many([event("", "", one, {"rate": 50}) for one in subjects])
                sent.update(subjects)
        return sent

    async def all_have(self, channel: str, names: str, wanted: set[str]) -> None:
        """Wait until these events are in the channel at each of these nodes; each once."""
        for name in names:
            async with self.client(name) as client:
                await until(lambda client=client: _has_all(client, channel, wanted))  # type: ignore[misc]

    async def is_clean(self) -> None:
        """Nothing of a network is left but the channels with their events."""
        for name in self.urls:
            async with self.client(name) as client:
                assert not await client.transport.request(r.SeeGateways())
                for one in await client.channels():
                    assert one.name in ("roads", "lanes", "yard")
                    proxies = await (await client.channel(one.name)).proxies()
                    assert not [each for each in proxies if each.name.startswith(r.OF_GATEWAYS)]


async def _has_all(client: Client, channel: str, wanted: set[str]) -> bool:
    found = Counter([message.event.name async for message in client.history(channel)])
    assert set(found.values()) <= {1}, [name for name, count in found.items() if count > 1]
    return wanted <= set(found)


async def until(done: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await done():  # noqa: ASYNC110 -- of other processes
            await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
def town() -> Iterator[Town]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in TIMES.items():
            patch.setenv(f"TIDINGS_FEDERATION__{name}", value)
        made = Town()
        yield made
        made.stop()


async def test_a_ring_goes_on_around_a_killed_node(town: Town) -> None:
    nodes = [word for name in "abcd" for word in ("--node", town.node(name, "roads"))]
    made = await town.network(
        "create", "roads", *nodes, "--links", "ring", "--subscribe", WANTED
    )  # fmt: skip
    assert made["up"]
    sent = await town.publish("roads", "abcd", 10, "all")
    await town.all_have("roads", "abcd", sent)
    town.kill("c")
    sent |= await town.publish("roads", "abd", 10, "killed")  # some may wait for its return
    await until(lambda: _is_missed(town, "roads.c-d"))
    around = await town.publish("roads", "abd", 10, "around")
    await town.all_have("roads", "abd", around)
    shown = await town.network("show", "roads", "--over", "0", "--patience", "1")
    states = {one["node"]: one["state"] for one in shown["nodes"]}
    assert states == {"a": "up", "b": "up", "c": "unreachable", "d": "up"}
    links = {one["link"]: one["state"] for one in shown["links"]}
    assert links == {
        "roads.a-b": "up", "roads.b-c": "degraded", "roads.c-d": "unreachable", "roads.d-a": "up"
    }  # fmt: skip
    town.restart("c")
    await town.all_have("roads", "abcd", sent | around)
    await town.network("delete", "roads")
    await town.is_clean()


async def _is_missed(town: Town, missing: str) -> bool:
    """Whether the neighbours of a killed node know that its gateway is gone."""
    found: list[r.MapService] = []
    for name in "bd":
        async with town.client(name) as client:
            [gateway] = await client.transport.request(r.SeeGateways())
            found += await client.transport.request(r.SeeFederation(gateway.name))
    return sum(missing in one.missing for one in found) == 4  # both know it of two services


async def test_a_network_changes_while_events_flow(town: Town) -> None:
    async with n.Services() as services:
        await _network(services, town, "lanes", "abcd", "ring")
    flows = asyncio.Event()
    flowing = asyncio.create_task(_flow(town, flows))
    # The new node is a second channel of a service that is in the network already.
    new = ("--node", f"e={town.urls['b']}/yard", "--links", "d-e,e-a", "--unlink", "d-a")
    changed = await town.network("add", "lanes", *new)
    assert changed["up"]
    links = [f"lanes.{one}" for one in ("a-b", "b-c", "c-d", "d-e", "e-a")]
    assert sorted(changed["links"]) == links
    five = await town.publish("lanes", "abcd", 5, "five")
    flows.set()
    await town.all_have("lanes", "abcd", five | await flowing)
    await town.all_have("yard", "b", five)
    await town.network("delete", "lanes")
    await town.is_clean()


async def _flow(town: Town, end: asyncio.Event) -> set[str]:
    """Publish a few events at one node after the other until the end."""
    sent: set[str] = set()
    for number in itertools.count():
        sent |= await town.publish("lanes", "abcd"[number % 4], 2, f"flow-{number}")
        if end.is_set():
            break
    return sent


async def _network(services: n.Services, town: Town, name: str, names: str, shape: str) -> None:
    """Create a network in which every node gets everything of all others."""
    nodes = {one: n.node_of(town.node(one, name)) for one in names}
    network = await n.survey(services, name, nodes.values())
    more = n.planned(name, nodes, n.links_of(shape, [*names]), 1)
    await n.change(services, network, nodes=nodes, more=more, filters=[WANTED])
    assert await n.until_settled(services, network)
