"""Programs that are connected over CORBA while their service is started again."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from tests.promises.corba import IiopService
from tests.promises.services import bid, eventually, seen, seqs
from tidings.channel.effects import Message
from tidings.channel.questions import SeeProxy

LASTING = {"ConnectionReliability": 1}


@pytest.fixture
def corba(tmp_path: Path) -> IiopService:
    """A service with a disk, over IIOP."""
    return IiopService(tmp_path / "data")


@pytest.mark.parametrize("kill", [False, True])
async def test_what_lasts_goes_on(corba: IiopService, kill: bool) -> None:
    client = await corba.client()
    channel = await client.create_channel(persistent=True)
    lasting = await client.subscribe(channel, "$price > 1", qos=LASTING)
    puller = await client.puller(channel, qos=LASTING)
    calls: list[int] = []
    handled = await client.handle(channel, lambda message: calls.append(message.seq), qos=LASTING)
    await client.publish(channel, bid(5))
    assert await seqs(lasting, 1) == [1]
    await eventually(lambda: calls == [1])
    inside = await corba.inside()
    for one in (lasting, handled):  # the answers to the calls have come
        proxy = SeeProxy(channel.id, one.proxy)
        await seen(partial(inside.transport.request, proxy), lambda info: not info.in_flight)
    await client.publish(channel, bid(1))  # with it, what was taken before is on the disk
    await corba.begin_anew(kill=kill)
    await client.publish(channel, bid(1))
    await client.publish(channel, bid(6))
    assert await seqs(lasting, 1) == [4]
    await eventually(lambda: calls[-2:] == [3, 4])
    assert [one.seq for one in await puller.pull(9, seconds=5)] == [1, 2, 3, 4]
    await lasting.close()
    await handled.close()
    await puller.close()
    assert (await channel.info()).consumers == 0


async def test_what_was_not_taken_comes_again_after_a_restart(corba: IiopService) -> None:
    client = await corba.client()
    channel = await client.create_channel(persistent=True)
    calls: list[int] = []
    away = True

    def handler(message: Message) -> None:
        calls.append(message.seq)
        if away:
            raise ConnectionError("away")

    await client.handle(channel, handler, qos=LASTING)
    await (await client.publisher(channel)).publish_many([bid(1), bid(2)])
    await eventually(lambda: calls)
    await corba.begin_anew(kill=True)
    calls.clear()
    away = False
    await eventually(lambda: calls[-2:] == [1, 2])


@pytest.mark.parametrize("kill", [False, True])
async def test_what_does_not_last_is_made_again_as_it_was(corba: IiopService, kill: bool) -> None:
    client = await corba.client()
    channel = await client.create_channel()
    cheap = await client.subscribe(
        channel, "$price < 20", types=["Auction::*"], qos={"Priority": 3}
    )
    puller = await client.puller(channel, "$price < 20")
    calls: list[int] = []
    handled = await client.handle(channel, lambda message: calls.append(message.seq))
    stock: list[object] = []
    await client.supply(channel, lambda most: stock.pop(0) if stock else None)
    publisher = await client.publisher(channel)
    shared = await client.create_filter("$price < 10")
    attachment = await channel.proxy(cheap.proxy).add_filter(shared)
    for _ in range(2):
        await handled.suspend()
        pulling = asyncio.create_task(puller.pull(9))
        await corba.begin_anew(kill=kill)
        await publisher.publish(bid(25))
        receipts = await publisher.publish_many([bid(5)])
        assert len(receipts) == 1
        assert [one.event for one in await pulling] == [bid(5)]
        assert (await anext(cheap)).event == bid(5)
        info = await cheap.info()
        assert (info.id, info.qos["Priority"], len(info.filters)) == (cheap.proxy, 3, 2)
        assert {one.id for one in await channel.proxies()} >= {cheap.proxy, puller.proxy}
        await eventually(lambda: not calls)
        await handled.resume()
        await eventually(lambda: len(calls) == 2)
        calls.clear()
        stock.append(bid(6))
        assert (await anext(cheap)).event == bid(6)
        await eventually(lambda: len(calls) == 1)
        calls.clear()
        assert [one.event for one in await puller.pull(9)] == [bid(6)]
    await channel.proxy(cheap.proxy).remove_filter(attachment)
    assert len((await cheap.info()).filters) == 1
    for one in (cheap, puller, handled):
        await one.close()
    assert (await channel.info()).consumers == 0


async def test_a_stream_that_is_full_has_the_new_proxy_pause_too(corba: IiopService) -> None:
    client = await corba.client()
    channel = await client.create_channel()
    stream = await client.subscribe(channel, window=2)
    publisher = await client.publisher(channel)
    await publisher.publish_many([bid(1), bid(2)])
    await eventually(lambda: len(stream) == 2)
    await corba.begin_anew(kill=True)
    await publisher.publish_many([bid(3), bid(4), bid(5), bid(6), bid(7)])
    for _ in range(40):  # long enough for all of them to come, if they did
        assert len(stream) <= 4
        await asyncio.sleep(0.02)
    assert [(await anext(stream)).event for _ in range(7)] == [bid(at) for at in range(1, 8)]
