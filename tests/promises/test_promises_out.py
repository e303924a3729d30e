"""What each door promises of events on their way out: each test has the words of its row.

The rows are those of docs/promises.md; `test_promises.py` compares.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.edges.web.served import Wire
from tests.patience import PATIENCE
from tests.promises.corba import IiopService
from tests.promises.plain import CHANNEL, PlainWeb, outline, plain
from tests.promises.services import HttpService, Service, bid, eventually, seen, seqs, shown
from tidings.channel.effects import Message
from tidings.channel.questions import SeeProxy
from tidings.clock import SystemClock

# Failures are tried again after 1 ms here; what measures that may be a little off.
PAUSE = 0.0009
LEASE = 30_000_000


@pytest.fixture
def corba(tmp_path: Path) -> IiopService:
    """A service that is reached over IIOP."""
    return IiopService(tmp_path / "data")


@pytest.fixture
def web(tmp_path: Path) -> HttpService:
    """A service that is only reached over the web."""
    return HttpService(tmp_path / "data")


async def test_in_process_handler(service: Service) -> None:
    """
    in-process handler
    | when the call returns
    | when the call raises, after a pause, in order
    """
    client = await service.client()
    channel = await client.create_channel(persistent=True)
    calls: list[tuple[int, float]] = []
    third, may_return = asyncio.Event(), asyncio.Event()

    async def handler(message: Message) -> None:
        calls.append((message.seq, asyncio.get_running_loop().time()))
        if len(calls) == 1:
            raise ConnectionError("away")
        if len(calls) == 3:
            third.set()
            await may_return.wait()

    handled = await client.handle(channel, handler)
    await (await client.publisher(channel)).publish_many([bid(1), bid(2), bid(3)])
    await asyncio.wait_for(third.wait(), PATIENCE)
    assert [seq for seq, _ in calls] == [1, 1, 2]
    assert calls[1][1] - calls[0][1] >= PAUSE
    await client.publish(channel, bid(4))  # what was answered before has been heard of by now
    await shown(service, handled, delivered=1)
    may_return.set()
    await eventually(lambda: len(calls) == 5)
    await shown(service, handled, delivered=4, waiting=0, in_flight=0)
    assert [seq for seq, _ in calls] == [1, 1, 2, 3, 4]


@pytest.mark.not_over_corba("acks")
async def test_in_process_subscription(service: Service) -> None:
    """
    in-process subscription
    | on ack: asking for the next one, or `Delivery.ack`
    | when the subscription is resumed, in order, marked `redelivered`
    """
    client = await service.client()
    channel = await client.create_channel(persistent=True)
    first = await client.subscribe(channel, name="bidder")
    for price in (1, 2, 3, 4):
        await client.publish(channel, bid(price))
    assert await seqs(first, 2) == [1, 2]
    second = await client.subscribe(channel, name="bidder", manual_ack=True)
    await client.publish(channel, bid(5))
    found = [await anext(second) for _ in range(4)]
    assert [(one.seq, one.redelivered) for one in found] == [
        (2, True), (3, True), (4, True), (5, False),
    ]  # fmt: skip
    found[1].ack()
    third = await client.subscribe(channel, name="bidder")
    again = [await anext(third) for _ in range(3)]
    assert [(one.seq, one.redelivered) for one in again] == [(2, True), (4, True), (5, True)]


async def _received(wire: Wire, count: int) -> tuple[list[int], list[int]]:
    """The numbers of the next events, and of those among them that may have come before."""
    found: list[int] = []
    again: list[int] = []
    while len(found) < count:
        frame = await wire.receive("events")
        found += [one["seq"] for one in frame["events"]]
        again += frame.get("again", [])
    return found, again


async def test_websocket(web: HttpService) -> None:
    """
    WebSocket
    | on ack; at most `window` (256) are in flight
    | when the client reconnects, in order, marked (`again`)
    """
    async with plain(web) as http:
        channel = await http.create()
        proxy = await http.proxy(name="bidder")
        await http.publish(*range(1, 11))
        async with http.wire() as wire:
            await wire.connect(1, channel, proxy, window=3)
            assert await _received(wire, 3) == ([1, 2, 3], [])
            assert await http.waits(proxy) == (7, 3)
            await wire.send(op="ack", line=1, seqs=[1, 3])
            assert await _received(wire, 2) == ([4, 5], [])
            assert await http.waits(proxy) == (5, 3)
            await wire.cut()
        async with http.wire() as wire:
            await wire.connect(1, channel, proxy, window=8, again=True)
            assert await _received(wire, 8) == ([2, *range(4, 11)], [2, 4, 5])
            await wire.send(op="ack", line=1, seqs=[2, *range(4, 11)])
            await http.publish(*range(11, 311))
            await _received(wire, 8)
        async with http.wire(f"/v1/channels/{CHANNEL}/subscribe?name=bidder") as wire:
            await wire.receive("connected")
            found, again = await _received(wire, 256)
            assert (found, again) == ([*range(11, 267)], [*range(11, 19)])
            assert await http.waits(proxy) == (300 - 256, 256)


async def _pulling(http: PlainWeb) -> None:
    await http.create()
    await http.proxy(style="pull", name="bidder")
    await http.publish(1, 2, 3, 4)


async def test_http_pull(web: HttpService) -> None:
    """
    HTTP pull
    | on ack; leased for 30 s meanwhile
    | after the lease, or when the service restarts, marked `redelivered`
    """
    async with plain(web) as http:
        await _pulling(http)
        clock = SystemClock()
        before = clock.now()
        leased = await http.ask("POST", "/proxies/bidder/pull", {"most": 3})
        assert before <= leased["leased_until"] - LEASE <= clock.now()
        assert outline(leased["events"]) == [(1, False), (2, False), (3, False)]
        assert await http.pull("bidder", lease=0.02) == [(4, False)]
        assert await http.pull("bidder", most=9, wait=5) == [(4, True)]
        assert await http.waits("bidder") == (0, 4)
        await http.ask("POST", "/proxies/bidder/ack", {"seqs": [1, 3]})
        assert await http.waits("bidder") == (0, 2)
        assert await http.pull("bidder", most=9) == []
    await web.restart()
    async with plain(web) as http:
        assert await http.pull("bidder", most=9) == [(2, True), (4, True)]


async def test_http_pull_without_a_lease(web: HttpService) -> None:
    """
    HTTP pull without a lease
    | once it is handed over
    | never
    """
    async with plain(web) as http:
        await _pulling(http)
        assert await http.pull("bidder", lease=None) == [(1, False)]
        assert await http.waits("bidder") == (3, 0)
        assert await http.pull("bidder", lease=None) == [(2, False)]
        await http.publish(5)  # with it, what was handed over before is on the disk
    await web.restart(kill=True)
    async with plain(web) as http:
        found = [await http.pull("bidder", lease=None) for _ in range(4)]
        assert [seq for some in found for seq, _ in some] == [3, 4, 5]


async def test_sse_tail(web: HttpService) -> None:
    """
    SSE tail
    | when handed to the socket (at-most-once)
    | `Last-Event-ID` resumes from the journal
    """
    async with plain(web) as http:
        await http.create()
        await http.publish(0)
        stop, published = asyncio.Event(), [0]

        async def go_on() -> None:
            while not stop.is_set():
                published[:] = await http.publish(0, 0, 0)

        publishing = asyncio.ensure_future(go_on())
        found: list[int] = []
        for _ in range(6):
            async with http.tail(Last_Event_ID=str(len(found))) as tail:
                found.extend(await tail.events(25))
            await eventually(lambda: published[-1] > found[-1])
        stop.set()
        await publishing
        assert found == [*range(1, 151)]
        async with http.tail() as tail:
            (new,) = await http.publish(0)
            assert await tail.events(1) == [new]
            (proxy,) = await seen(http.consumers, lambda consumers: len(consumers) == 1)
            assert await http.waits(proxy) == (0, 0)


async def _delivered(corba: IiopService, channel: int, proxy: int) -> tuple[int, int, int]:
    """How many events were delivered through a proxy, how many wait, and are under way."""
    info = await (await corba.inside()).transport.request(SeeProxy(channel, proxy))
    return info.counts.get("delivered", 0), info.waiting, info.in_flight


async def test_corba_push_consumer(corba: IiopService) -> None:
    """
    CORBA push consumer
    | when the call returns
    | when the call fails, after a pause, in order
    """
    client = await corba.client()
    channel = await client.create_channel(persistent=True)
    calls: list[tuple[int, float]] = []
    third, may_return = asyncio.Event(), asyncio.Event()

    async def handler(message: Message) -> None:
        calls.append((message.seq, asyncio.get_running_loop().time()))
        if len(calls) == 1:
            raise ConnectionError("away")
        if len(calls) == 3:
            third.set()
            await may_return.wait()

    handled = await client.handle(channel, handler)
    await (await client.publisher(channel)).publish_many([bid(1), bid(2), bid(3)])
    await asyncio.wait_for(third.wait(), PATIENCE)
    assert [seq for seq, _ in calls] == [1, 1, 2]
    assert calls[1][1] - calls[0][1] >= PAUSE
    await client.publish(channel, bid(4))  # what was answered before has been heard of by now
    assert (await _delivered(corba, channel.id, handled.proxy))[0] == 1
    may_return.set()
    await seen(
        lambda: _delivered(corba, channel.id, handled.proxy), lambda found: found == (4, 0, 0)
    )
    assert [seq for seq, _ in calls] == [1, 1, 2, 3, 4]


async def test_corba_pull(corba: IiopService) -> None:
    """
    CORBA pull
    | once it is handed over
    | never
    """
    client = await corba.client()
    channel = await client.create_channel(persistent=True)
    puller = await client.puller(channel, qos={"ConnectionReliability": 1})
    await (await client.publisher(channel)).publish_many([bid(1), bid(2), bid(3)])
    assert [one.seq for one in await puller.pull(1)] == [1]
    await seen(
        lambda: _delivered(corba, channel.id, puller.proxy), lambda found: found == (1, 2, 0)
    )
    await client.publish(channel, bid(4))  # with it, what was handed over before is on the disk
    await corba.restart(kill=True)
    again = (await corba.client()).transport
    found = [await again.pull(channel.id, puller.proxy, 9, 0, None) for _ in range(2)]
    assert [one.seq for some in found for one in some.messages] == [2, 3, 4]
