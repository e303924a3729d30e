"""Going away, giving up and being sent away over HTTP: soon, and with a clear word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.promises.cutting import CuttingProxy
from tests.promises.services import HttpService, bid, eventually, seen, seqs
from tidings.client.client import Client
from tidings.errors import Disconnected, Stopping, TidingsError, Unauthenticated, Unreachable
from tidings.web.options import WebOptions


@pytest.fixture
def served(tmp_path: Path) -> HttpService:
    """A service with a disk, over HTTP."""
    return HttpService(tmp_path / "data")


@asynccontextmanager
async def way(
    served: HttpService, patience: float = 30.0
) -> AsyncIterator[tuple[Client, CuttingProxy]]:
    """A client whose way to the service can be cut."""
    async with CuttingProxy(await served.start()) as between:
        client = await served.client(port=between.port, patience=patience)
        try:
            yield client, between
        finally:
            await client.close()


async def outcome(work: Awaitable[object]) -> object:
    """What comes of something, or the kind of its error."""
    try:
        return await work
    except TidingsError as error:
        return type(error)


async def test_closing_ends_all_that_waits_though_the_service_is_away(served: HttpService) -> None:
    async with way(served) as (client, between):
        channel = await client.create_channel(persistent=True)
        puller, publisher = await client.puller(channel), await client.publisher(channel)
        named = await client.subscribe(channel, name="bidder")
        between.refusing = True
        between.cut()
        calls = [
            asyncio.create_task(outcome(work))
            for work in (
                named.next(),
                puller.pull(),
                publisher.publish(bid(1)),
                client.channels(),
                client.peek(channel),
            )
        ]
        await asyncio.sleep(0.05)
        async with asyncio.timeout(PATIENCE):
            await client.close()
            assert await asyncio.gather(*calls) == [None, Disconnected, *[Stopping] * 3]


async def test_what_has_no_name_is_closed_though_the_service_is_away(served: HttpService) -> None:
    async with way(served, patience=0.2) as (client, between):
        channel = await client.create_channel(persistent=True)
        unnamed, named = await client.subscribe(channel), await client.subscribe(channel, name="a")
        between.refusing = True
        between.cut()
        async with asyncio.timeout(PATIENCE):
            await unnamed.close()
            await named.close()
            with pytest.raises(Unreachable):  # it has not ended, which somebody should know
                await named.delete()


async def test_who_gives_up_does_not_wait_for_the_service(served: HttpService) -> None:
    async with way(served) as (client, between):
        channel = await client.create_channel(persistent=True)
        looking = await (await served.client()).channel(channel.id)
        between.refusing = True  # the connection that was made stays, a WebSocket cannot be had
        subscribing = asyncio.create_task(client.subscribe(channel))
        await seen(looking.proxies, len)
        await asyncio.sleep(0.05)
        between.cut()
        await asyncio.sleep(0.01)
        subscribing.cancel()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(asyncio.CancelledError):
                await subscribing


async def test_calls_that_are_cancelled_leave_nothing(served: HttpService) -> None:
    async with way(served) as (client, between):
        channel = await client.create_channel(persistent=True)
        publisher, puller = await client.publisher(channel), await client.puller(channel)
        for milliseconds in range(0, 20, 2):
            for work in (
                publisher.publish(bid(1)),
                puller.pull(seconds=1),
                client.subscribe(channel, name="bidder"),
            ):
                call = asyncio.ensure_future(work)
                await asyncio.wait({call}, timeout=milliseconds / 1_000)
                call.cancel()
                await asyncio.wait({call})
            if milliseconds == 10:
                between.cut()
        subscription = await client.subscribe(channel, name="bidder")
        await publisher.publish(bid(2))
        found = await subscription.next(PATIENCE)
        while found is not None and found.event.data["price"] != 2:
            found = await subscription.next(PATIENCE)
        assert found is not None


async def test_a_token_that_counts_no_more_ends_everything_with_a_word(served: HttpService) -> None:
    told: list[tuple[bool, str]] = []
    served.options = WebOptions(token="first")
    client = await served.client(token="first", on_connection=lambda *now: told.append(now))
    channel = await client.create_channel(persistent=True)
    subscription = await client.subscribe(channel, name="bidder")
    publisher = await client.publisher(channel)
    await served.stop()
    served.options = WebOptions(token="second")
    publishing = asyncio.create_task(outcome(publisher.publish(bid(1))))
    await served.start()
    async with asyncio.timeout(PATIENCE):
        assert await publishing is Unauthenticated
        assert await subscription.next() is None
    for work in (publisher.publish(bid(1)), client.subscribe(channel), client.channels()):
        assert await outcome(work) is Unauthenticated
    await eventually(lambda: len(told) > 2)
    assert [up for up, _ in told[:2]] == [True, False]
    assert all(not up and "token" in why for up, why in told[2:])


async def test_who_was_cut_takes_its_subscription_back_and_nobody_fights(
    served: HttpService,
) -> None:
    other = await served.client()
    async with way(served) as (client, between):
        channel = await client.create_channel(persistent=True)
        first = await client.subscribe(channel, name="bidder")
        between.refusing = True
        between.cut()
        second = await other.subscribe(channel.id, name="bidder")
        between.refusing = False
        assert [delivery async for delivery in second] == []
        await other.publish(channel.id, bid(1))
        assert await seqs(first, 1) == [1]


async def test_a_channel_that_is_destroyed_ends_what_is_connected_to_it(
    served: HttpService,
) -> None:
    client = await served.client()
    channel = await client.create_channel(persistent=True)
    subscription, puller = await client.subscribe(channel), await client.puller(channel)
    publisher = await client.publisher(channel)
    pulling = asyncio.create_task(outcome(puller.pull()))
    await asyncio.sleep(0.01)
    await channel.destroy()
    async with asyncio.timeout(PATIENCE):
        assert issubclass(await pulling, TidingsError)  # type: ignore[arg-type]
        assert await subscription.next() is None
    assert issubclass(await outcome(publisher.publish(bid(1))), TidingsError)  # type: ignore[arg-type]
    for connection in (subscription, puller, publisher):
        await connection.close()
