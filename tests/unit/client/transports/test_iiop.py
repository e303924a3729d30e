"""The transport through CORBA, with a real service on the loopback."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any as Whatever

import pytest

from tests.unit.client.transports.iiop_scenes import Scene, run, until
from tidings import Any, connect, connect_sync, event
from tidings.channel.management import (
    Disconnect,
    ObtainProxy,
)
from tidings.channel.vocabulary import Form, Item, Side, Style
from tidings.client.transports.iiop_values import UNKNOWN
from tidings.errors import (
    AlreadyConnected,
    Disconnected,
    InvalidEvent,
    InvalidUsage,
    NotOverCorba,
    ProxyNotFound,
    Unreachable,
)
from tidings.events import typecode as tc
from tidings.events.structured import StructuredEvent
from tidings.orb.ior import to_ior


def bid(price: int) -> StructuredEvent:
    return event("Auction", "bid", "", {"price": price})


def test_a_service_is_found_by_every_kind_of_address() -> None:
    async def scene(made: Scene) -> None:
        host, port = made.address
        channel = await made.client.create_channel()
        for url in (
            f"corbaloc::{host}:{port}/NotificationService",
            f"corbaname::{host}:{port}#NotificationService",
            f"iiop://{host}:{port}/NotifyEventChannelFactory",
            to_ior(made.opened.reference("NotificationService")),
        ):
            async with await connect(url) as client:
                assert [one.id for one in await client.channels()] == [channel.id]

    run(scene)


def test_plain_threads_use_it_too() -> None:
    async def scene(made: Scene) -> None:
        def work() -> list[object]:
            with connect_sync(f"iiop://{made.address}") as client:
                channel = client.create_channel()
                with client.subscribe(channel) as subscription:
                    client.publish(channel, bid(7))
                    return [next(iter(subscription)).event]

        assert await asyncio.to_thread(work) == [bid(7)]

    run(scene)


@pytest.mark.parametrize("url", ["iiop:", "iiop://", "corbaloc::/x", "IOR:00zz", "iiop://h:1/%zz"])
def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(InvalidUsage, match="is no address of a service"):
        asyncio.run(_connected(url))


async def _connected(url: str, **settings: object) -> None:
    await (await connect(url, **settings)).close()  # type: ignore[arg-type]


def test_nobody_there_and_somebody_else_are_told() -> None:
    async def scene(made: Scene) -> None:
        host, port = made.address
        with pytest.raises(Unreachable, match="is no factory of notification channels"):
            await connect(f"corbaloc::{host}:{port}/NameService")
        with pytest.raises(Unreachable, match="does not answer"):
            await connect(f"corbaloc::{host}:{port}/nothing")
        with pytest.raises(Unreachable, match="does not answer"):
            await connect(f"iiop://{host}:1", patience=0)

    run(scene)


@pytest.mark.parametrize("settings", [{"token": "x"}, {"on_connection": print}])
def test_what_corba_has_not_cannot_be_set(settings: dict[str, object]) -> None:
    with pytest.raises(InvalidUsage, match="a CORBA address, over which there is no token"):
        asyncio.run(_connected("iiop://localhost", **settings))


def test_listening_is_for_corba_only() -> None:
    with pytest.raises(InvalidUsage, match="only a CORBA service calls back"):
        asyncio.run(_connected("http://localhost:1", listen="127.0.0.1:0"))


def test_a_program_says_where_it_is_called_back() -> None:
    async def scene(made: Scene) -> None:
        async with await connect(f"iiop://{made.address}", listen="localhost") as client:
            channel = await client.create_channel()
            subscription = await client.subscribe(channel)
            await client.publish(channel, bid(1))
            assert (await anext(subscription)).event == bid(1)
        for listen in ("", ":80", "a:b"):
            with pytest.raises(InvalidUsage, match="is no address to listen on"):
                await connect(f"iiop://{made.address}", listen=listen)

    run(scene)


def test_what_corba_has_no_words_for_is_told_with_a_way_out() -> None:
    async def scene(made: Scene) -> None:
        client = made.client
        channel = await client.create_channel()
        puller = await client.puller(channel)
        publisher = await client.publisher(channel)
        subscription = await client.subscribe(channel, manual_ack=True)
        await publisher.publish_many([bid(1), bid(2)])
        delivery = await anext(subscription)
        for asking in (
            client.create_channel("auction"),
            client.channel("auction"),
            client.subscribe(channel, name="bidder"),
            client.puller(channel, name="bidder"),
            client.handle(channel, print, name="bidder"),
            client.publisher(channel, "house"),
            client.peek(channel),
            client.dead_letters(),
            client.redrive(1),
            client.drop_dead_letter(1),
            channel.advertisement(),
            channel.dry_run(bid(1)),
            publisher.publish_traced(bid(1)),
            puller.pull(lease=5),
        ):
            with pytest.raises(NotOverCorba, match="cannot be had over CORBA: "):
                await asking
        for answering in (delivery.ack, lambda: delivery.retry("no")):
            with pytest.raises(NotOverCorba, match=r"use Client\.handle"):
                answering()
        replayed = await client.subscribe(channel, since=0)
        with pytest.raises(NotOverCorba, match="past events"):
            await anext(replayed)
        [pulled] = await puller.pull()
        refusals: list[Callable[[], None]] = [
            lambda: delivery.reject("no"),
            pulled.ack,
            lambda: pulled.retry("no"),
        ]
        for refusing in refusals:
            with pytest.raises(NotOverCorba, match="over HTTP"):
                refusing()
        with pytest.raises(NotOverCorba, match="numbers and origins"):
            _ = delivery.message.envelope
        assert (delivery.id, delivery.redelivered) == (("", UNKNOWN), False)
        assert (delivery.message.arrival, delivery.message.mark) == (UNKNOWN, None)

    run(scene)


@pytest.mark.parametrize("form", Form)
def test_events_come_in_every_form_to_streams_functions_and_pullers(form: Form) -> None:
    async def scene(made: Scene) -> None:
        client = made.client
        channel = await client.create_channel()
        called: list[object] = []

        def handler(handed: Whatever) -> None:
            called.extend(one.event for one in (handed if isinstance(handed, list) else [handed]))

        await client.handle(channel, handler, form=form)
        stream = await client.subscribe(channel, form=form)
        puller = await client.puller(channel, form=form)
        items: list[Item] = [bid(1), Any(tc.LONG, 5), event("Auction", "bid", priority=3)]
        for item in items:
            await client.publish(channel, item)
        streamed = [(await anext(stream)).event for _ in items]
        pulled = [one.event for _ in items for one in await puller.pull(seconds=5)]
        await until(lambda: len(called) == 3)
        for found in (streamed, pulled, called):
            kinds = [(one.type, one.data, one.body) for one in found]  # type: ignore[attr-defined]
            assert sorted(kinds, key=str) == sorted(
                [("bid", {"price": 1}, None), ("%ANY", {}, 5), ("bid", {}, None)], key=str
            )

    run(scene)


@pytest.mark.parametrize("form", Form)
def test_suppliers_push_and_are_asked_in_every_form(form: Form) -> None:
    async def scene(made: Scene) -> None:
        client = made.client
        channel = await client.create_channel()
        puller = await client.puller(channel)
        stock = [bid(1), bid(2)]
        await client.supply(channel, lambda most: stock.pop(0) if stock else None, form=form)
        found: list[StructuredEvent] = []
        while len(found) < 2:
            found += [one.event for one in await puller.pull(9, seconds=5)]
        assert found == [bid(1), bid(2)]

    run(scene)


def test_a_stream_that_is_full_has_the_service_pause_and_go_on() -> None:
    async def scene(made: Scene) -> None:
        client = made.client
        channel = await client.create_channel()
        subscription = await client.subscribe(channel, window=4)
        proxy = made.host.factory.channel(channel.id).proxy(subscription.proxy)
        await (await client.publisher(channel)).publish_many(map(bid, range(50)))
        await until(lambda: proxy.suspended)
        assert len(subscription) == 4
        await subscription.suspend()  # of the program's own, on top
        first = [await anext(subscription) for _ in range(4)]
        await asyncio.sleep(0.01)
        assert (proxy.suspended, len(subscription)) == (True, 0)
        await subscription.resume()
        rest = [await anext(subscription) for _ in range(46)]
        assert [one.event for one in (*first, *rest)] == [bid(at) for at in range(50)]

    run(scene)


def test_a_pull_that_is_given_up_loses_nothing() -> None:
    async def scene(made: Scene) -> None:
        client = made.client
        channel = await client.create_channel()
        puller = await client.puller(channel)
        for _ in range(3):
            assert await puller.pull(9, seconds=0.001) == []
        waiting = asyncio.create_task(puller.pull())
        await asyncio.sleep(0.005)
        await client.publish(channel, bid(1))
        waiting.cancel()
        await asyncio.wait([waiting])
        found = [] if waiting.cancelled() else waiting.result()
        found += await puller.pull(9, seconds=0 if found else 5)
        assert [one.event for one in found] == [bid(1)]
        subscription = await client.subscribe(channel)
        with pytest.raises(InvalidUsage, match="cannot be pulled here"):
            await client.transport.pull(channel.id, subscription.proxy, 1, 0, None)

    run(scene)


def test_a_program_goes_on_with_a_proxy_of_before() -> None:
    async def scene(made: Scene) -> None:
        first = made.client
        channel = await first.create_channel()
        puller = await first.puller(channel)
        await first.publish(channel, bid(1))
        async with await connect(f"iiop://{made.address}") as other:
            found = await other.transport.pull(channel.id, puller.proxy, 9, 0, None)
            assert [one.event for one in found.messages] == [bid(1)]
            info = await other.transport.proxy(channel.id, puller.proxy)
            assert (info.side, info.style, info.form) == (Side.CONSUMER, Style.PULL, Form.SEQUENCE)
            with pytest.raises(ProxyNotFound):
                await other.transport.proxy(channel.id, 99)
        assert len(await channel.proxies()) == 2  # the puller and the publisher stay

    run(scene)


def test_batches_are_pushed_through_sequence_proxies() -> None:
    async def scene(made: Scene) -> None:
        from tidings.channel.commands import Push
        from tidings.channel.management import Connect

        client, ask = made.client, made.client.transport.ask
        channel = await client.create_channel()
        puller = await client.puller(channel)
        for form in Form:
            obtain = ObtainProxy(channel.id, Side.SUPPLIER, Style.PUSH, form)
            proxy = await ask(obtain)
            await client.transport.supply(Connect(channel.id, proxy), None, None)
            assert await ask(Push(channel.id, proxy, [bid(form), bid(form)])) == [UNKNOWN] * 2
        found = [one.event.data["price"] for one in await puller.pull(9)]
        assert found == [0, 0, 1, 1, 2, 2]

    run(scene)


@pytest.mark.parametrize("form", Form)
def test_events_are_sent_in_messages_that_the_service_takes(form: Form) -> None:
    async def scene(made: Scene) -> None:
        from tidings.channel.commands import Push
        from tidings.channel.management import Connect

        client, ask = made.client, made.client.transport.ask
        channel = await client.create_channel()
        puller = await client.puller(channel)
        proxy = await ask(ObtainProxy(channel.id, Side.SUPPLIER, Style.PUSH, form))
        await client.transport.supply(Connect(channel.id, proxy), None, None)
        big, huge = ("x" * size for size in (1_200_000, 9_000_000))
        items = [event("Auction", "bid", str(at), {"x": big}) for at in range(12)]
        items[3] = event("Auction", "bid", "a huge one", {"x": huge})
        items[5] = "no event"  # type: ignore[call-overload]
        answers = await ask(Push(channel.id, proxy, items))
        assert [at for at, one in enumerate(answers) if one != UNKNOWN] == [3, 5]
        assert isinstance(answers[3], InvalidEvent)
        told = r"Auction::bid 'a huge one' makes a message of 9,\d{3},\d{3} octets.*8,388,608 are"
        assert re.search(told, str(answers[3]))
        found: list[str] = []
        while len(found) < 10:
            found += [one.event.name for one in await puller.pull(99, seconds=5)]
        assert found == [str(at) for at in range(12) if at not in (3, 5)]
        with pytest.raises(InvalidEvent, match="a huge one"):
            await client.publish(channel, items[3])

    run(scene)


def test_a_service_that_goes_away_is_told_and_closing_does_not_hang() -> None:
    async def scene(made: Scene) -> None:
        client = await connect(f"iiop://{made.address}", patience=0)
        channel = await client.create_channel()
        subscription = await client.subscribe(channel)
        puller = await client.puller(channel)
        waiting = asyncio.create_task(puller.pull())
        await asyncio.sleep(0.005)
        await made.opened.service.orb.close()
        with pytest.raises(Unreachable):
            await client.channels()
        with pytest.raises((Unreachable, Disconnected)):
            await waiting
        await client.close()
        assert [one async for one in subscription] == []

    run(scene)


def test_closing_ends_all_that_was_made_though_some_is_gone_already() -> None:
    async def scene(made: Scene) -> None:
        async with await connect(f"iiop://{made.address}") as client:
            channels = [await client.create_channel() for _ in range(3)]
            for channel in channels:
                await client.subscribe(channel, "$price > 1")
                await client.publish(channel, bid(1))
            await channels[0].destroy()
            [proxy] = [one for one in await channels[1].proxies() if one.side is Side.CONSUMER]
            made.host.tell(Disconnect(channels[1].id, proxy.id))
        assert [(one.suppliers, one.consumers) for one in await made.client.channels()] == [
            (0, 0),
            (0, 0),
        ]
        assert made.host.factory.filters.filters == {}

    run(scene)


def test_who_connects_twice_keeps_the_first_connection() -> None:
    async def scene(made: Scene) -> None:
        from tidings.channel.management import Connect

        transport = made.client.transport
        channel = await made.client.create_channel()
        obtain = ObtainProxy(channel.id, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        proxy = await transport.ask(obtain)
        first = await transport.receive(Connect(channel.id, proxy, window=8), None)
        with pytest.raises(AlreadyConnected):
            await transport.receive(Connect(channel.id, proxy, window=8), None)
        await made.client.publish(channel, bid(1))
        assert (await first.get()).event == bid(1)
        waiting = asyncio.create_task(first.get())
        await asyncio.sleep(0.01)
        await made.client.close()
        with pytest.raises(Disconnected):
            await asyncio.wait_for(waiting, 2)

    run(scene)
