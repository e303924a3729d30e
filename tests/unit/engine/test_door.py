from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any
from unittest import mock

import pytest

from tests.doors.services import SETTINGS, bid
from tidings.channel.management import CreateFilter, DestroyChannel, ObtainProxy
from tidings.channel.vocabulary import Side, Style
from tidings.client.client import Client
from tidings.client.transport import Message
from tidings.client.transports.inproc import InProcess
from tidings.engine.access import OWNER, Principal
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import InvalidUsage, Stopping
from tidings.server.embedded import embedded, local_client


def hosted(scene: Callable[[Host], Awaitable[None]]) -> None:
    """Runs a scene with a host in memory."""

    async def run() -> None:
        host = await Host.open(None, settings=SETTINGS)
        try:
            await scene(host)
        finally:
            await host.close(0.0)

    asyncio.run(run())


def test_what_a_principal_makes_belongs_to_it_whatever_the_command_says() -> None:
    async def scene(host: Host) -> None:
        channel = await local_client(host).create_channel()
        for principal, owner in ((Principal("ann"), "ann"), (OWNER, "bob")):
            door = LocalDoor(host, principal)
            proxy = await door.ask(ObtainProxy(channel.id, Side.CONSUMER, Style.PUSH, owner="bob"))
            filter_id, _ = await door.ask(CreateFilter(owner="bob"))
            assert door.views.proxy(channel.id, proxy).owner == owner
            assert door.views.filter(filter_id).owner == owner

    hosted(scene)


def test_nothing_is_kept_of_connections_that_ended() -> None:
    async def scene(host: Host) -> None:
        client = local_client(host)
        door = client._transport._door  # type: ignore[attr-defined]
        for _ in range(3):
            channel = await client.create_channel()
            for _ in range(3):
                await client.subscribe(channel)
            await (await client.publisher(channel)).close()
            await door.ask(DestroyChannel(channel.id))
        gc.collect()
        assert len(door._endpoints) == 0
        assert not host.out.endpoints

    hosted(scene)


def test_closing_lets_go_of_what_is_its_own_only() -> None:
    async def scene(host: Host) -> None:
        one, other = local_client(host), local_client(host)
        channel = await one.create_channel()
        await one.subscribe(channel)
        stays = await other.subscribe(channel)
        named = await one.subscribe(channel, name="bidder")
        await one.close()
        info = {
            proxy.id: proxy.attached for proxy in await (await other.channel(channel.id)).proxies()
        }
        assert info == {stays.proxy: True, named.proxy: False}
        with pytest.raises(Stopping):
            await one.channels()
        await other.channels()

    hosted(scene)


def test_closing_an_owned_host_does_not_wait_for_events_nobody_takes() -> None:
    """A host that is stopped waits for events that were handed over; these are given back."""

    async def scene() -> None:
        host = await Host.open(None, settings=SETTINGS)
        client = Client(InProcess(LocalDoor(host, owned=True)))
        channel = await client.create_channel()
        for name in ("", "bidder"):
            await client.subscribe(channel, name=name)
        await client.publish(channel, bid(1))
        assert any(one.flight for _, one in host.factory.core.deliveries())
        with mock.patch.object(host, "close", wraps=host.close) as closing:
            closing.side_effect = lambda: given_back.append(
                not any(one.flight for _, one in host.factory.core.deliveries())
            )
            await client.close()
        await host.close(0.0)

    given_back: list[bool] = []
    asyncio.run(scene())
    assert given_back == [True]


def test_closing_an_owned_host_lets_handlers_finish() -> None:
    async def scene() -> None:
        client = await embedded()
        channel = await client.create_channel()
        done: list[int] = []
        begun = asyncio.Event()

        async def handler(message: Message) -> None:
            begun.set()
            await asyncio.sleep(0.01)
            done.append(message.seq)

        await client.handle(channel, handler)
        await client.publish(channel, bid(1))
        await begun.wait()
        await client.close()
        assert done == [1]

    asyncio.run(scene())


def test_whoever_closes_second_waits_for_the_first() -> None:
    async def scene() -> None:
        client = await embedded()
        await client.create_channel()
        host = client._transport._door._host  # type: ignore[attr-defined]
        await asyncio.gather(*(client.close() for _ in range(3)))
        assert host._around.cancelled()
        await client.close()

    asyncio.run(scene())


def test_what_is_told_to_a_closed_door_is_dropped_in_silence() -> None:
    async def scene(host: Host) -> None:
        client = local_client(host)
        channel = await client.create_channel()
        puller = await client.puller(channel)
        await client.publish(channel, bid(1))
        [delivery] = await puller.pull(lease=30)
        await client.close()
        delivery.ack()
        await asyncio.sleep(0)

    hosted(scene)


def test_an_error_of_what_was_told_troubles_nobody() -> None:
    async def scene(host: Host) -> None:
        client = local_client(host)
        channel = await client.create_channel()
        puller = await client.puller(channel)
        await client.publish(channel, bid(1))
        [delivery] = await puller.pull(lease=30)
        await channel.destroy()
        delivery.ack()
        for _ in range(3):
            await asyncio.sleep(0)
        gc.collect()

    hosted(scene)


def test_functions_are_functions() -> None:
    door = LocalDoor
    nothing: Any = 5
    for make in (door.buffer, door.handler, lambda five: door.supplier(five, None),
                 lambda five: door.supplier(None, five)):  # fmt: skip
        with pytest.raises(InvalidUsage, match="told to a function, not to 5"):
            make(nothing)


def test_nothing_is_kept_of_channels_that_ended() -> None:
    async def scene(host: Host) -> None:
        client = local_client(host)
        stays = await client.create_channel()
        await client.publish(stays, bid(1))
        for _ in range(200):
            channel = await client.create_channel()
            await client.publish(channel, bid(1))
            await channel.destroy()
        assert set(host.origins) == {stays.id}
        assert len(client._publishers) <= 65
        assert (await client.publish(stays, bid(2))).seq == 2

    hosted(scene)
