from __future__ import annotations

import asyncio

from tests.unit.engine.hosts import (
    collect,
    consumer,
    new_channel,
    obtained,
    publish,
    run,
    supplier,
    turns,
)
from tests.unit.web.doors import web_door
from tidings.channel.management import DestroyChannel, Disconnect
from tidings.engine.access import OWNER
from tidings.web.looking import Movement, channels, consumers, proxies


def test_what_ends_during_a_look_is_passed_over() -> None:
    async def work() -> None:
        async with web_door() as door:
            for _ in range(3):
                await new_channel(door.host)
            local = door.state.door(OWNER)
            seen = []
            async for one in channels(local):
                seen.append(one.id)
                if one.id == 1:
                    await door.host.ask(DestroyChannel(2))
            assert seen == [1, 3]
            ids = [await obtained(door.host, 1) for _ in range(3)]
            found = []
            async for proxy in proxies(local, 1):
                found.append(proxy.id)
                if proxy.id == ids[0]:
                    await door.host.ask(Disconnect(1, ids[1]))
            assert found == [ids[0], ids[2]]

    run(work())


def test_others_get_their_turn_while_very_many_are_listed() -> None:
    async def work() -> None:
        async with web_door() as door:
            channel = await new_channel(door.host)
            for _ in range(2_000):
                await obtained(door.host, channel)
            for path in ("/v1/channels/1/proxies", "/v1/tree"):
                given = 0
                asked = asyncio.create_task(door.ask("GET", path))
                while not asked.done():
                    await asyncio.sleep(0)
                    given += 1
                assert given > 10, path

    run(work())


def test_consumers_are_looked_at_with_what_they_are_behind() -> None:
    async def work() -> None:
        async with web_door() as door:
            channel = await new_channel(door.host)
            proxy, endpoint = await consumer(door.host, channel, window=2)
            sends = await supplier(door.host, channel)
            await publish(door.host, channel, sends, *range(6))
            await collect(endpoint, 1)
            endpoint.flush()
            await turns()
            (one,) = [one async for one in consumers(door.host)]
            assert (one.proxy, one.waiting, one.in_flight) == (proxy, 3, 2)
            assert (one.oldest, one.behind, one.taken) == (2, 5, 1)
            [second] = await collect(endpoint, 1, ack=False)
            endpoint.reject(second, "no")
            await turns()
            (one,) = [one async for one in consumers(door.host)]
            assert (one.taken, one.counts) == (2, {"delivered": 1, "rejected": 1})
            await door.host.ask(Disconnect(channel, proxy))
            assert [one async for one in consumers(door.host)] == []

    run(work())


def test_movement_forgets_who_has_ended() -> None:
    async def work() -> None:
        async with web_door() as door:
            channel = await new_channel(door.host)
            proxy, _ = await consumer(door.host, channel)
            await publish(door.host, channel, await supplier(door.host, channel), 1)
            movement = Movement(door.state)
            (one,) = [one async for one in consumers(door.host)]
            assert movement.idle(one) == 0
            await asyncio.sleep(0.01)
            assert movement.idle(one) >= 0.01
            await door.host.ask(Disconnect(channel, proxy))
            await movement.look()
            assert movement.idle(one) == 0

    run(work())
