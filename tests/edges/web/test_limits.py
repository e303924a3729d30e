"""What a principal may use at once, asked for through the doors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from tests.edges.engine.hosts import until
from tests.edges.web.served import served
from tidings import event
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.consumer import Consumer
from tidings.channel.effects import NoticeKind, Outcome
from tidings.channel.vocabulary import Form, Side, Style
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.engine.access import OWNER, Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.limiting import Limiting
from tidings.errors import LimitExceeded, RateExceeded, TooManyConnections, TooManyObjects
from tidings.events.structured import StructuredEvent
from tidings.grants import requests as g
from tidings.grants.model import CredentialKind, Limits, Verb
from tidings.server.cores import service_cores

ROADS = 1
THOUSAND, LIMIT = "x" * 1_000, 16_000


class Scene(NamedTuple):
    host: Host
    url: str
    token: str

    @property
    def ann(self) -> LocalDoor:
        return LocalDoor(self.host, Caller("ann"))

    async def client(self) -> Client:
        """Ann over HTTP and WebSocket."""
        return await connect(self.url, token=self.token)

    async def limit(self, **limits: int) -> None:
        await self.host.ask(g.ChangePrincipal("ann", limits=Limits(**limits)))

    def consumer(self, proxy: int) -> Consumer:
        return self.host.channels[ROADS].consumer(proxy).ensure_consumer()

    async def happen(self, count: int) -> None:
        """Events of a thousand octets, from the service's owner."""
        client = LocalDoor(self.host, OWNER)
        proxy = await client.ask(m.ObtainProxy(ROADS, Side.SUPPLIER))
        await self.host.connect(m.Connect(ROADS, proxy, reachable=False), None)
        for number in range(count):
            await client.ask(c.Push(ROADS, proxy, [event("a", "b", f"{number}", {"x": THOUSAND})]))


@asynccontextmanager
async def scene(**limits: int) -> AsyncIterator[Scene]:
    async with served(cores=service_cores()) as door:
        host = door.host
        await host.ask(m.CreateChannel("1" * 32, name="roads"))
        for command in (
            g.CreatePrincipal("root"),
            g.CreateGrant("root", (Verb.ADMINISTER,)),
            g.AddCredential("root", CredentialKind.TOKEN, "x"),
            g.CreatePrincipal("ann", limits=Limits(**limits)),
            g.CreateGrant("ann", (Verb.PUBLISH, Verb.SUBSCRIBE), ("roads",)),
        ):
            await host.ask(command)
        token = await LocalDoor(host).request(g.CreateToken("ann"))
        yield Scene(host, f"http://127.0.0.1:{door.port}", token.token)


async def test_who_publishes_too_fast_is_told_when_to_come_again() -> None:
    async with scene(events_per_second=1) as made, await made.client() as client:
        await (await client.publisher("roads")).publish_many([event("a", "b")] * 600)
        with pytest.raises(RateExceeded, match="ann may publish 1 events a second: try again in"):
            await client.publish("roads", event("a", "b"))
        http = client_of(client)
        found = await http.post(f"/v1/channels/{ROADS}/events", json={"domain": "a", "type": "b"})
        assert found.status_code == 429
        assert 590 < int(found.headers["retry-after"]) <= 600
        assert made.host.channels[ROADS].seq == 600
        await made.limit()
        await client.publish("roads", event("a", "b"))


async def test_large_events_are_refused_before_any_of_the_push_is_taken() -> None:
    async with scene(event_octets=900) as made, await made.client() as client:
        small, large = event("a", "b"), event("a", "b", "c", {"x": THOUSAND})
        with pytest.raises(LimitExceeded, match=r"event 2 of 2 takes about .* events of 900"):
            await (await client.publisher("roads")).publish_many([small, large])
        await client.publish("roads", small)
        assert made.host.channels[ROADS].seq == 1


async def test_a_principal_has_so_many_proxies_and_no_more() -> None:
    async with scene(subscriptions=2) as made, await made.client() as client:
        first = await client.subscribe("roads")
        asked = [made.ann.ask(m.ObtainProxy(ROADS)) for _ in range(2)]  # in one turn
        assert await asked[0]
        with pytest.raises(TooManyObjects, match="ann owns 2 proxies, as many as it may"):
            await asked[1]
        await first.close()
        await until(lambda: len(made.host.channels.owned["ann"]) == 1)
        await made.ann.ask(m.ObtainProxy(ROADS))
        assert await LocalDoor(made.host).ask(m.ObtainProxy(ROADS, owner="ann"))  # not by itself


async def test_a_principal_has_so_many_connections_and_no_more() -> None:
    async with scene(connections=1) as made, await made.client() as client:
        subscription = await client.subscribe("roads")  # over a WebSocket
        http = client_of(client)
        found = await http.get("/v1/channels")
        assert (found.status_code, found.json()["code"]) == (429, "too_many_connections")
        await subscription.close()
        await client.close()
        await until(lambda: not made.host.limiting.connections)
        disconnected = made.host.limiting.connected(Caller("ann"))
        with pytest.raises(TooManyConnections, match="ann has 1 connections, as many as it may"):
            made.host.limiting.connected(Caller("ann"))
        disconnected()
        assert not made.host.limiting.connections
        for _ in range(3):
            made.host.limiting.connected(OWNER)


async def test_what_waits_for_a_principal_is_bounded_over_all_its_consumers() -> None:
    async with scene(queued_octets=LIMIT) as made:
        qos = {"DiscardPolicy": 4}  # the newest goes
        proxies = [
            await made.ann.ask(m.ObtainProxy(ROADS, Side.CONSUMER, Style.PULL, qos=qos, keep=True))
            for _ in range(2)
        ]
        others = await made.host.ask(m.ObtainProxy(ROADS, Side.CONSUMER, Style.PULL, keep=True))
        await made.happen(20)
        queues = [made.consumer(proxy).queue for proxy in proxies]
        size = made.consumer(others).queue.octets // 20
        assert LIMIT - size < sum(queue.octets for queue in queues) <= LIMIT
        counts = [made.consumer(proxy).counts[Outcome.DISCARDED] for proxy in proxies]
        assert sum(counts) == 40 - sum(len(queue) for queue in queues)
        assert len(made.consumer(others).queue) == 20
        notices = [one.detail for one in made.host.notices if one.kind is NoticeKind.SLOW_CONSUMER]
        assert len(notices) == 2
        assert all(f"ann may let {LIMIT} octets wait" in one for one in notices)
        # Whoever ends one of them, or takes events, has room for others.
        await made.ann.ask(m.Disconnect(ROADS, proxies[0]))
        await made.happen(2)
        assert made.host.factory.core.budgets["ann"].octets == queues[1].octets
        await made.limit(queued_octets=size + 1)
        await until(lambda: queues[1].octets <= size + 1)
        assert len(queues[1]) == 1
        await made.limit()
        await made.happen(9)
        assert len(queues[1]) == 10


def client_of(client: Client) -> Any:
    """The client's own HTTP connection."""
    return client.transport._caller._http  # type: ignore[attr-defined]


async def test_a_supplier_that_is_polled_stays_within_the_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An event that is too large is refused; after too many its source is not asked at all."""
    looks: list[bool] = []
    may_poll = Limiting.may_poll

    def look(limiting: Limiting, owner: Caller) -> bool:
        looks.append(may_poll(limiting, owner))
        return looks[-1]

    monkeypatch.setattr(Limiting, "may_poll", look)
    asked: list[int] = []

    def source(most: int) -> list[StructuredEvent]:
        asked.append(most)
        return [event("a", "b", "c", {"x": THOUSAND if len(asked) == 1 else ""})] * 600

    async with scene(events_per_second=1, event_octets=900) as made:
        batches = {"MaximumBatchSize": 600}
        command = m.ObtainProxy(ROADS, Side.SUPPLIER, Style.PULL, Form.SEQUENCE, qos=batches)
        proxy = await made.ann.ask(command)
        await made.ann.connect(m.Connect(ROADS, proxy), made.ann.supplier(None, source))
        await until(lambda: len(looks) > 5)
        assert made.host.channels[ROADS].seq == 600
        assert len(asked) == 2
        assert looks[:4] == [True, True, False, False]
