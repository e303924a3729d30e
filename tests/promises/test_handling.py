"""Functions that are called with events."""

from __future__ import annotations

import asyncio

import pytest

from tests.promises.services import Service, bid, eventually, seen, shown
from tidings.channel.effects import Message
from tidings.errors import Disconnected, ProxyNotFound


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
async def test_a_function_is_called_with_each_event(service: Service, kind: str) -> None:
    client = await service.client()
    channel = await client.create_channel()
    calls: list[int] = []

    def plain(message: Message) -> None:
        calls.append(message.seq)

    async def coroutine(message: Message) -> None:
        await asyncio.sleep(0)
        calls.append(message.seq)

    handler = plain if kind == "plain" else coroutine
    handled = await client.handle(channel, handler, "$price > 1")
    await (await client.publisher(channel)).publish_many([bid(1), bid(2), bid(3)])
    await eventually(lambda: len(calls) == 2)
    assert calls == [2, 3]
    await shown(service, handled, delivered=2)


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
async def test_an_event_whose_call_raised_comes_again_in_order(service: Service, kind: str) -> None:
    client = await service.client()
    channel = await client.create_channel()
    calls: list[int] = []

    def plain(message: Message) -> None:
        calls.append(message.seq)
        if calls == [1, 2]:
            raise ValueError("a bad day")

    async def coroutine(message: Message) -> None:
        await asyncio.sleep(0)
        plain(message)

    handler = plain if kind == "plain" else coroutine
    await client.handle(channel, handler)
    await (await client.publisher(channel)).publish_many([bid(1), bid(2), bid(3)])
    await eventually(lambda: len(calls) == 4)
    assert calls == [1, 2, 2, 3]


async def test_disconnected_ends_the_connection(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()

    def handler(message: Message) -> None:
        raise Disconnected("enough")

    handled = await client.handle(channel, handler)
    await client.publish(channel, bid(1))
    await seen(channel.info, lambda info: not info.consumers)
    with pytest.raises(ProxyNotFound):
        await handled.info()


@pytest.mark.not_over_corba("names")
async def test_disconnected_ends_the_connection_with_a_name_too(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()

    def handler(message: Message) -> None:
        raise Disconnected("enough")

    await client.handle(channel, handler, name="bidder")
    await client.publish(channel, bid(1))
    await seen(channel.info, lambda info: not info.consumers)


async def test_a_handler_can_be_paused_and_ended(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    calls: list[int] = []
    handled = await client.handle(channel, lambda message: calls.append(message.seq))
    await handled.suspend()
    await client.publish(channel, bid(1))
    assert calls == []
    await handled.resume()
    await eventually(lambda: calls == [1])
    await handled.close()
    await client.publish(channel, bid(2))
    assert (await channel.info()).consumers == 0
    assert calls == [1]


@pytest.mark.not_over_corba("names")
async def test_a_named_handler_goes_on_where_it_was(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    calls: list[int] = []
    async with await client.handle(channel, lambda m: calls.append(m.seq), name="bidder"):
        await client.publish(channel, bid(1))
        await eventually(lambda: calls == [1])
    await client.publish(channel, bid(2))
    assert calls == [1]
    again = await client.handle(channel, lambda m: calls.append(-m.seq), name="bidder")
    await eventually(lambda: calls == [1, -2])
    await again.delete()
    assert (await channel.info()).consumers == 0


async def test_closing_the_client_ends_its_handlers(service: Service) -> None:
    assert await left_by_a_handler(service, "") == 0


@pytest.mark.not_over_corba("names")
async def test_closing_the_client_leaves_the_name_of_a_handler(service: Service) -> None:
    assert await left_by_a_handler(service, "bidder") == 1


async def left_by_a_handler(service: Service, name: str) -> int:
    """How many consumers there are when the client of one is closed; it is called no more."""
    client = await service.client()
    channel = await client.create_channel()
    calls: list[int] = []
    await client.handle(channel, lambda m: calls.append(m.seq), name=name)
    await client.close()
    other = await service.client()
    await other.publish(channel.id, bid(1))
    await asyncio.sleep(0.005)
    assert calls == []
    return (await (await other.channel(channel.id)).info()).consumers
