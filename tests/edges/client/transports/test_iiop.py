"""The transport through CORBA with a real service on the loopback, also when it is cut off."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any as Whatever

import pytest

from tests.patience import PATIENCE
from tests.promises.cutting import CuttingProxy
from tests.promises.services import SETTINGS, bid, eventually
from tidings import Any, MappedConstraint, connect, constraint, event
from tidings.channel.commands import Push
from tidings.channel.management import (
    Connect,
    Disconnect,
    ModifyConstraints,
    ModifyMapped,
    ObtainProxy,
    ObtainTypes,
    RemoveAllFilters,
    ValidateEventQoS,
)
from tidings.channel.views import FilterInfo, MappingInfo
from tidings.channel.vocabulary import Form, InfoMode, Item, Side, Style
from tidings.client.client import Client
from tidings.client.transports.iiop.transport import IiopTransport
from tidings.client.transports.iiop.values import UNKNOWN
from tidings.engine.host import Host
from tidings.errors import (
    AlreadyConnected,
    ChannelNotFound,
    ConstraintNotFound,
    Disconnected,
    InvalidEvent,
    InvalidUsage,
    NotOverCorba,
    ProxyNotFound,
    Unreachable,
    UnsupportedQoS,
)
from tidings.events import typecode as tc
from tidings.events.structured import StructuredEvent
from tidings.names import new_origin
from tidings.orb.aio import Address, Options
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import Opened, open_service


@dataclass
class Scene:
    """A service, and one client of it."""

    host: Host
    opened: Opened
    address: Address
    client: Client


@asynccontextmanager
async def served() -> AsyncIterator[Scene]:
    """A service in memory with a client, while the context lasts."""
    host = await Host.open(None, settings=SETTINGS)
    options, clients = Options(close_seconds=0.2), ClientOptions(notice_seconds=1.0)
    opened = open_service(host, options, b"a secret of the tests", dict, clients=clients)
    address = await opened.service.orb.listen()
    opened.publish(None)
    client = await connect(f"iiop://{address}")
    try:
        yield Scene(host, opened, address, client)
    finally:
        await client.close()
        await host.close(0.0)
        await opened.close()


async def test_nobody_there_and_somebody_else_are_told() -> None:
    async with served() as made:
        host, port = made.address
        with pytest.raises(Unreachable, match="is no factory of notification channels"):
            await connect(f"corbaloc::{host}:{port}/NameService")
        with pytest.raises(Unreachable, match="does not answer"):
            await connect(f"corbaloc::{host}:{port}/nothing")
        with pytest.raises(Unreachable, match="does not answer"):
            await connect(f"iiop://{host}:1", patience=0)


async def test_a_program_says_where_it_is_called_back() -> None:
    async with served() as made:
        async with await connect(f"iiop://{made.address}", listen="localhost") as client:
            channel = await client.create_channel()
            subscription = await client.subscribe(channel)
            await client.publish(channel, bid(1))
            assert (await anext(subscription)).event == bid(1)
        for listen in ("", ":80", "a:b"):
            with pytest.raises(InvalidUsage, match="is no address to listen on"):
                await connect(f"iiop://{made.address}", listen=listen)


async def test_what_corba_has_no_words_for_is_told_with_a_way_out() -> None:
    async with served() as made:
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
        refusals: list[Callable[[], None]] = [pulled.ack]
        refusals += [lambda: delivery.reject("no"), lambda: pulled.retry("no")]
        for refusing in refusals:
            with pytest.raises(NotOverCorba, match="over HTTP"):
                refusing()
        with pytest.raises(NotOverCorba, match="numbers and origins"):
            _ = delivery.message.envelope
        assert (delivery.id, delivery.redelivered) == (("", UNKNOWN), False)
        assert (delivery.message.arrival, delivery.message.mark) == (UNKNOWN, None)


@pytest.mark.parametrize("form", Form)
async def test_events_come_in_every_form_to_streams_functions_and_pullers(form: Form) -> None:
    async with served() as made:
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
        await eventually(lambda: len(called) == 3)
        for found in (streamed, pulled, called):
            kinds = [(one.type, one.data, one.body) for one in found]  # type: ignore[attr-defined]
            assert sorted(kinds, key=str) == sorted(
                [("bid", {"price": 1}, None), ("%ANY", {}, 5), ("bid", {}, None)], key=str
            )


@pytest.mark.parametrize("form", Form)
async def test_suppliers_push_and_are_asked_in_every_form(form: Form) -> None:
    async with served() as made:
        client = made.client
        channel = await client.create_channel()
        puller = await client.puller(channel)
        stock = [bid(1), bid(2)]
        await client.supply(channel, lambda most: stock.pop(0) if stock else None, form=form)
        found: list[StructuredEvent] = []
        while len(found) < 2:
            found += [one.event for one in await puller.pull(9, seconds=5)]
        assert found == [bid(1), bid(2)]


async def test_a_pull_that_is_given_up_loses_nothing() -> None:
    async with served() as made:
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


@pytest.mark.parametrize("form", Form)
async def test_events_are_sent_in_messages_that_the_service_takes(form: Form) -> None:
    async with served() as made:
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


async def test_closing_ends_all_that_was_made_though_some_is_gone_already() -> None:
    async with served() as made:
        async with await connect(f"iiop://{made.address}") as client:
            channels = [await client.create_channel() for _ in range(3)]
            for channel in channels:
                await client.subscribe(channel, "$price > 1")
                await client.publish(channel, bid(1))
            await channels[0].destroy()
            [proxy] = [one for one in await channels[1].proxies() if one.side is Side.CONSUMER]
            made.host.tell(Disconnect(channels[1].id, proxy.id))
        left = [(one.suppliers, one.consumers) for one in await made.client.channels()]
        assert left == [(0, 0), (0, 0)]
        assert made.host.factory.filters.filters == {}


async def test_who_connects_twice_keeps_the_first_connection() -> None:
    async with served() as made:
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
            await asyncio.wait_for(waiting, PATIENCE)


async def test_filters_are_changed_and_looked_at() -> None:
    async with served() as made:
        client = made.client
        with pytest.raises(InvalidUsage, match="make a channel first"):
            await client.create_filter("$price > 1")
        channel = await client.create_channel()
        kept = await client.create_filter(["$price > 1", "$price > 2"])
        info = await kept.info()
        assert isinstance(info, FilterInfo)
        first, second = info.constraints
        change = ModifyConstraints(kept.id, [first], {second: constraint("$price > 3")})
        await client.transport.ask(change)
        info = await kept.info()
        assert isinstance(info, FilterInfo)
        assert [one.text for one in info.constraints.values()] == ["$price > 3"]
        with pytest.raises(ConstraintNotFound):
            await client.transport.ask(change)
        books = MappedConstraint(constraint("$price > 1"), Any(tc.SHORT, 9))
        mapping = await client.create_mapping(Any(tc.SHORT, 0), [books])
        found = await mapping.info()
        assert isinstance(found, MappingInfo)
        [number] = found.mapped
        cars = MappedConstraint(constraint("$price > 2"), Any(tc.SHORT, 8))
        await client.transport.ask(ModifyMapped(mapping.id, [], {number: cars}))
        found = await mapping.info()
        assert isinstance(found, MappingInfo)
        assert found.mapped == {number: cars}
        assert found.default == Any(tc.SHORT, 0)
        await mapping.clear()
        admin = channel.consumer_admin()
        await admin.add_filter(kept)
        await admin.set_priority_filter(mapping)
        told = await admin.info()
        assert (list(told.filters.values()), told.priority_filter) == ([kept.id], mapping.id)
        await client.transport.ask(RemoveAllFilters(admin.place))
        assert (await admin.info()).filters == {}
        with pytest.raises(InvalidUsage, match="is of another kind"):
            await mapping.add("$price > 1")


async def test_what_only_one_side_has_is_told() -> None:
    async with served() as made:
        channel = await made.client.create_channel()
        supplies = (await made.client.publisher(channel)).proxy
        consumes = (await made.client.subscribe(channel)).proxy
        supplier, consumer = channel.proxy(supplies), channel.proxy(consumes)
        assert [one.side for one in await channel.proxies()] == [Side.SUPPLIER, Side.CONSUMER]
        for asking in (
            supplier.ask_for(["Auction::bid"]),
            consumer.offer(["Auction::bid"]),
            supplier.set_priority_filter(None),
        ):
            with pytest.raises(InvalidUsage):
                await asking
        mode = InfoMode.ALL_NOW_UPDATES_OFF
        await supplier.offer(["Auction::bid"])
        [offered] = await made.client.transport.ask(ObtainTypes(channel.id, consumes, mode))
        assert (offered.domain, offered.type) == ("Auction", "bid")
        check = ValidateEventQoS(channel.id, supplies, {"Priority": 3})
        assert "Timeout" in {one.name for one in await made.client.transport.ask(check)}
        bad = ValidateEventQoS(channel.id, supplies, {"Priority": 10**9})
        with pytest.raises(UnsupportedQoS):
            await made.client.transport.ask(bad)


class Cuttable:
    """A service whose references lead through a way that can be cut."""

    def __init__(self, way: CuttingProxy) -> None:
        self.way = way
        self.clients: list[Client] = []

    async def start(self) -> None:
        """Starts the service, which begins with nothing."""
        self.host = await Host.open(None, settings=SETTINGS)
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


async def lost(client: Client, cut: Callable[[], None]) -> None:
    """Cuts the way, and waits until a client has noticed."""
    transport = client.transport
    assert isinstance(transport, IiopTransport)
    before = transport._recovery._losses
    cut()
    await eventually(lambda: transport._recovery._losses > before)


async def test_a_service_that_is_away_for_a_while_is_waited_for() -> None:
    async with cuttable() as made:
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


async def test_events_that_cannot_be_sent_wait_and_go_in_order() -> None:
    async with cuttable() as made:
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


async def test_a_push_whose_fate_is_unknown_is_told_and_not_made_again() -> None:
    async with cuttable() as made:
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


async def test_what_a_service_without_a_disk_has_lost_is_told() -> None:
    async with cuttable() as made:
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
