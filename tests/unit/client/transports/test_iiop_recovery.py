"""A client through CORBA whose service is cut off, or started again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any as Whatever

import pytest

from tests.doors.cutting import CuttingProxy
from tests.unit.client.transports.iiop_scenes import QUICK, until
from tidings import connect, event
from tidings.client.client import Client
from tidings.client.transports.iiop import IiopTransport
from tidings.engine.host import Host
from tidings.errors import ChannelNotFound, ProxyNotFound, Stopping, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.names import new_origin
from tidings.orb.aio import Address, Options
from tidings.servants.calls import ClientOptions
from tidings.servants.opening import Opened, open_service


def bid(price: int) -> StructuredEvent:
    return event("Auction", "bid", "", {"price": price})


class Cuttable:
    """A service whose references lead through a way that can be cut."""

    def __init__(self, way: CuttingProxy) -> None:
        self.way = way
        self.clients: list[Client] = []

    async def start(self) -> None:
        """Starts the service, which begins with nothing."""
        self.host = await Host.open(None, settings=QUICK)
        options = Options(close_seconds=0.2, advertise=Address("127.0.0.1", self.way.port))
        clients = ClientOptions(notice_seconds=1.0)
        self.opened: Opened = open_service(
            self.host, options, new_origin().encode(), dict, clients=clients
        )
        self.way.target_port = (await self.opened.service.orb.listen()).port
        self.opened.publish(None)

    async def stop(self) -> None:
        """Stops it in good order."""
        await self.host.close(0.0)
        await self.opened.close()

    async def client(self, patience: float = 10.0) -> Client:
        """A client, closed at the end."""
        made = await connect(f"iiop://127.0.0.1:{self.way.port}", patience=patience)
        self.clients.append(made)
        return made


@asynccontextmanager
async def cuttable() -> AsyncIterator[Cuttable]:
    async with CuttingProxy(0) as way:
        made = Cuttable(way)
        await made.start()
        try:
            yield made
        finally:
            for client in made.clients:
                await client.close()
            await made.stop()


def run(scene: Callable[[Cuttable], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(15), cuttable() as made:
            await scene(made)

    asyncio.run(bounded())


async def lost(client: Client, cut: Callable[[], None]) -> None:
    """Cuts the way, and waits until a client has noticed."""
    transport = client.transport
    assert isinstance(transport, IiopTransport)
    before, _ = transport._recovery.moment
    cut()
    await until(lambda: transport._recovery.moment[0] > before)


def test_a_service_that_is_away_for_a_while_is_waited_for() -> None:
    async def scene(made: Cuttable) -> None:
        client, hasty = await made.client(), await made.client(patience=0)
        channel = await client.create_channel()
        made.way.refusing = True
        made.way.cut()
        with pytest.raises(Unreachable, match=r"get_all_channels: (COMM_FAILURE|TRANSIENT)"):
            await hasty.channels()
        asking = [asyncio.create_task(client.channels()), asyncio.create_task(client.channels())]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in asking)
        made.way.refusing = False
        for found in await asyncio.gather(*asking):
            assert [one.id for one in found] == [channel.id]

    run(scene)


def test_who_waits_for_a_service_that_is_away_hears_that_the_client_is_closed() -> None:
    async def scene(made: Cuttable) -> None:
        clients = [await made.client() for _ in range(12)]
        made.way.refusing = True
        made.way.cut()
        asking = [asyncio.create_task(client.channels()) for client in clients]
        for client in clients:  # in a pause, or in the middle of a try
            await asyncio.sleep(0.005)
            await client.close()
        for task in asking:
            with pytest.raises(Stopping):
                await task

    run(scene)


def test_events_flow_again_after_a_cut_and_none_is_sent_twice() -> None:
    async def scene(made: Cuttable) -> None:
        client = await made.client()
        channel = await client.create_channel()
        stream, puller = await client.subscribe(channel), await client.puller(channel)
        called: list[int] = []

        def handler(message: Whatever) -> None:
            called.append(message.event.data["price"])

        await client.handle(channel, handler)
        publisher = await client.publisher(channel)
        for at in range(10):
            waiting = asyncio.create_task(puller.pull(9))
            await asyncio.sleep(0.005)
            await lost(client, made.way.cut)
            await publisher.publish(bid(at))
            assert [one.event for one in await waiting] == [bid(at)]
            assert (await anext(stream)).event == bid(at)
        await until(lambda: called == list(range(10)))

    run(scene)


def test_events_that_cannot_be_sent_wait_and_go_in_order() -> None:
    async def scene(made: Cuttable) -> None:
        client = await made.client()
        channel = await client.create_channel()
        stream = await client.subscribe(channel, window=1_000)
        publisher = await client.publisher(channel)
        closing = asyncio.create_task(made.way.close())
        await lost(client, lambda: None)
        await closing
        sending = asyncio.create_task(publisher.publish_many(map(bid, range(150))))
        await asyncio.sleep(0.1)
        await made.way.open()
        assert {one.seq for one in await sending if not isinstance(one, Exception)} == {-1}
        assert [(await anext(stream)).event for _ in range(150)] == [bid(at) for at in range(150)]

    run(scene)


def test_a_push_whose_fate_is_unknown_is_told_and_not_made_again() -> None:
    async def scene(made: Cuttable) -> None:
        client = await made.client()
        channel = await client.create_channel()
        stream = await client.subscribe(channel)
        publisher = await client.publisher(channel)
        made.way.muting = True
        pushing = asyncio.create_task(publisher.publish(bid(1)))
        assert (await anext(stream)).event == bid(1)
        made.way.cut()
        made.way.muting = False
        with pytest.raises(Unreachable, match="whether the service has done it is unknown"):
            await pushing
        await publisher.publish(bid(2))
        assert (await anext(stream)).event == bid(2)

    run(scene)


def test_what_a_service_without_a_disk_has_lost_is_told() -> None:
    async def scene(made: Cuttable) -> None:
        client = await made.client()
        channel = await client.create_channel()
        stream, puller = await client.subscribe(channel), await client.puller(channel)
        publisher = await client.publisher(channel)
        waiting = asyncio.create_task(anext(stream))
        pulling = asyncio.create_task(puller.pull())
        await made.stop()
        await made.start()
        for asking in (waiting, pulling):
            with pytest.raises((ChannelNotFound, ProxyNotFound)):
                await asking
        with pytest.raises((ChannelNotFound, ProxyNotFound)):
            await publisher.publish(bid(1))
        again = await client.create_channel()
        assert again.id == channel.id
        other = await client.subscribe(again)
        await client.publish(again, bid(2))
        assert (await anext(other)).event == bid(2)

    run(scene)
