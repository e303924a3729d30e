"""Scenes with a client whose way to the service fails at a chosen octet.

Each is a coroutine function of a service; what is wrong is raised.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, TypeAlias
from unittest import mock

from tests.patience import PATIENCE
from tests.promises.services import HttpService, bid, eventually, known, seen
from tests.promises.test_cuts import (
    test_without_a_name_a_subscription_misses_nothing_persistent,
)
from tests.real.faults.service.way import BadWay
from tidings.channel.questions import SeeProxy
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.client.publishing import Publisher
from tidings.client.subscription import Subscription
from tidings.client.transports.http import calls as http_calls
from tidings.client.transports.http import wire as http_wire

__all__ = ["SCENES", "Scene"]

Scene: TypeAlias = Callable[[HttpService], Awaitable[None]]

# Octets of a handshake or of frames after which the way is closed.
_UP_CUTS: Final = (1, 60, 170)
_DOWN_CUTS: Final = (1, 2, 5, 40, 120, 400)
_SILENCE: Final = 0.3


class Stage(NamedTuple):
    """Who plays.

    Attributes:
        owner: A client whose way is good.
        channel: Persistent, first in, first out.
        client: A client whose way is bad.
        way: The bad way.
    """

    owner: Client
    channel: Channel
    client: Client
    way: BadWay


@asynccontextmanager
async def stage(served: HttpService) -> AsyncIterator[Stage]:
    """A channel and two clients."""
    owner = await served.client()
    channel = await owner.create_channel(qos={"OrderPolicy": 1}, persistent=True)
    async with BadWay(await served.start()) as way:
        client = await served.client(port=way.port)
        yield Stage(owner, channel, client, way)
        await client.close()


async def _publish(publisher: Publisher, first: int, many: int) -> None:
    await publisher.publish_many(bid(price) for price in range(first, first + many))


async def _took(subscription: Subscription, many: int) -> list[tuple[int, bool]]:
    """Numbers and marks of the next events; fewer if no more come."""
    found: list[tuple[int, bool]] = []
    while len(found) < many:
        delivery = await subscription.next(PATIENCE)
        if delivery is None:
            break
        found.append((delivery.seq, delivery.redelivered))
    return found


def _fresh(first: int, last: int) -> list[tuple[int, bool]]:
    return [(seq, False) for seq in range(first, last + 1)]


async def acknowledgements_are_lost(served: HttpService) -> None:
    """What the program has dealt with comes no second time, and the service hears of it."""
    async with stage(served) as (owner, channel, client, way):
        subscription = await client.subscribe(channel, name="bidder")
        publisher = await owner.publisher(channel)
        await _publish(publisher, 1, 3)
        assert await _took(subscription, 3) == _fresh(1, 3)
        way.up.swallowing = True
        await _publish(publisher, 4, 3)
        assert await _took(subscription, 3) == _fresh(4, 6)
        await eventually(lambda: way.up.swallowed > 0)
        way.cut()
        await _publish(publisher, 7, 3)
        assert await _took(subscription, 3) == _fresh(7, 9)
        await subscription.next(0)
        info = await known(subscription, lambda info: not info.in_flight)
        assert info.counts["delivered"] == 9


async def frames_are_cut_in_half(served: HttpService) -> None:
    """Of events whose frame came in part nothing is taken; they come again, in order."""
    async with stage(served) as (owner, channel, client, way):
        subscription = await client.subscribe(channel, name="bidder")
        publisher = await owner.publisher(channel)
        for turn, octets in enumerate(_DOWN_CUTS):
            way.down.left = octets
            await _publish(publisher, turn * 20, 20)
            found = await _took(subscription, 20)
            assert found == _fresh(turn * 20 + 1, turn * 20 + 20), octets
            assert way.down.left is None


async def a_frame_waits_when_the_next_is_cut(served: HttpService) -> None:
    """What came and was not taken before a cut is handed out once, and is not marked."""
    async with stage(served) as (owner, channel, client, way):
        await (await owner.subscribe(channel, name="bidder")).close()
        subscription = await client.subscribe(channel, name="bidder")
        publisher = await owner.publisher(channel)
        await _publish(publisher, 1, 5)
        await eventually(lambda: len(subscription) == 5)
        way.down.left = 30
        await _publish(publisher, 6, 5)
        await eventually(lambda: len(subscription) >= 10)
        assert way.down.left is None
        found = await _took(subscription, 10)
        assert found[:5] == _fresh(1, 5)
        # Of the others only the service knows: somebody who had the name before may have seen them.
        assert [seq for seq, _ in found[5:]] == list(range(6, 11))
        assert await subscription.next(0.05) is None


async def handshakes_are_cut(served: HttpService) -> None:
    """A client tries until it is through."""
    async with stage(served) as (owner, channel, client, way):
        subscription = await client.subscribe(channel, name="bidder")
        publisher = await owner.publisher(channel)
        cuts = [(way.up, octets) for octets in _UP_CUTS]
        cuts += [(way.down, octets) for octets in _DOWN_CUTS]
        for turn, (direction, octets) in enumerate(cuts, 1):
            way.cut()
            direction.left = octets
            await _publish(publisher, turn, 1)
            assert await _took(subscription, 1) == _fresh(turn, turn), (turn, octets)
            assert direction.left is None


async def silence_is_noticed(served: HttpService) -> None:
    """A connection over which nothing comes any more is given up, though nobody closes it."""
    idle = mock.patch.object(http_calls, "_IDLE", _SILENCE / 3)
    with idle, mock.patch.object(http_wire, "SILENCE", _SILENCE):
        async with stage(served) as (owner, channel, client, way):
            subscription = await client.subscribe(channel, name="bidder")
            publisher = await owner.publisher(channel)
            await _publish(publisher, 1, 5)
            assert await _took(subscription, 5) == _fresh(1, 5)
            way.down.stall()
            way.up.stall()
            await _publish(publisher, 6, 5)
            assert await _took(subscription, 5) == _fresh(6, 10)


async def answers_to_pushes_are_lost(served: HttpService) -> None:
    """Events are sent again, and accepted once."""
    async with stage(served) as (owner, channel, client, way):
        subscription = await owner.subscribe(channel, name="bidder")
        publisher = await client.publisher(channel, "house")
        await publisher.publish(bid(1))
        for turn in range(3):
            first = turn * 10 + 2
            way.down.swallowing = True
            way.down.swallowed = 0
            pushes = [asyncio.create_task(publisher.publish(bid(first + at))) for at in range(10)]
            await eventually(lambda: way.down.swallowed > 0)
            way.cut()
            receipts = await asyncio.wait_for(asyncio.gather(*pushes), PATIENCE)
            assert [one.seq for one in receipts] == list(range(first, first + 10))
        assert await _took(subscription, 31) == _fresh(1, 31)
        assert await subscription.next(0.05) is None


async def pushes_are_cut_in_half(served: HttpService) -> None:
    """What came in part was not accepted, and is sent again."""
    async with stage(served) as (owner, channel, client, way):
        subscription = await owner.subscribe(channel, name="bidder")
        publisher = await client.publisher(channel, "house")
        await publisher.publish(bid(0))
        for turn, octets in enumerate(_DOWN_CUTS):
            way.up.left = octets
            pushes = [asyncio.create_task(publisher.publish(bid(at))) for at in range(10)]
            receipts = await asyncio.wait_for(asyncio.gather(*pushes), PATIENCE)
            first = turn * 10 + 2
            assert [one.seq for one in receipts] == list(range(first, first + 10)), octets
            assert way.up.left is None
        many = 10 * len(_DOWN_CUTS) + 1
        assert await _took(subscription, many) == _fresh(1, many)
        assert await subscription.next(0.05) is None


async def another_client_goes_on(served: HttpService) -> None:
    """The service lets go of a client that was cut; what it may have seen is marked."""
    async with stage(served) as (owner, channel, client, way):
        subscription = await client.subscribe(channel, name="bidder", manual_ack=True)
        publisher = await owner.publisher(channel)
        await _publish(publisher, 1, 4)
        assert await _took(subscription, 2) == _fresh(1, 2)
        way.refusing = True
        way.cut()
        transport, at = owner.transport, (subscription.channel, subscription.proxy)
        info = await seen(lambda: transport.request(SeeProxy(*at)), lambda info: not info.attached)
        assert (info.waiting, info.in_flight) == (4, 0)
        await _publish(publisher, 5, 1)
        async with await owner.subscribe(channel, name="bidder") as other:
            assert await _took(other, 5) == [(seq, seq <= 4) for seq in range(1, 6)]


async def the_service_is_started_again(served: HttpService) -> None:
    """A subscription without a name gets what came while it had no proxy."""
    await test_without_a_name_a_subscription_misses_nothing_persistent(served, kill=False)


SCENES: Final[tuple[Scene, ...]] = (
    acknowledgements_are_lost,
    frames_are_cut_in_half,
    a_frame_waits_when_the_next_is_cut,
    handshakes_are_cut,
    silence_is_noticed,
    answers_to_pushes_are_lost,
    pushes_are_cut_in_half,
    another_client_goes_on,
    the_service_is_started_again,
)
