"""Proxies: their clients, connected, probed and found again, and events on their way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any as Whatever

import pytest

from tests.edges.orb.echo import INTERFACE, Echo
from tests.edges.servants.scenes import ANN, SECRET, name, refused
from tests.edges.servants.worlds import (
    BATCHES,
    CONSUMERS,
    FIRST_COME,
    PERSISTENT,
    QUICK,
    SUPPLIERS,
    AnyPullConsumer,
    AnyPushConsumer,
    AnyPushSupplier,
    EventPushConsumer,
    Kind,
    SequencePullConsumer,
    SequencePullSupplier,
    SequencePushConsumer,
    SequencePushSupplier,
    StructuredPullConsumer,
    StructuredPullSupplier,
    StructuredPushConsumer,
    StructuredPushSupplier,
    World,
    Written,
    joined,
    kind_of,
    numbered,
    numbers,
    opened,
    push_all,
    structured_pair,
    until,
    world,
)
from tidings.channel.commands import Command, Push
from tidings.channel.effects import Message, Outcome
from tidings.channel.management import Disconnect
from tidings.channel.settings import Settings
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Form, Place, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.Advertising_auto import Advertiser
from tidings.cos.CosEventChannelAdmin_auto import AlreadyConnected
from tidings.cos.CosEventChannelAdmin_auto import TypeError as WrongType
from tidings.cos.CosEventComm_auto import Disconnected as ClientDisconnected
from tidings.cos.CosNaming_auto import NamingContext
from tidings.cos.CosNotification_auto import EventType, Property, UnsupportedQoS
from tidings.cos.CosNotifyFilter_auto import Filter, FilterFactory
from tidings.cos.events import ReadEvent, any_in, any_out, event_in, event_out
from tidings.engine import turns
from tidings.engine.access import Caller, Grant, ObjectKey
from tidings.engine.endpoints import EventBatch
from tidings.engine.host import Host
from tidings.errors import Disconnected, ProxyNotFound, Stopping
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue, Value, infer, same
from tidings.events.build import event
from tidings.events.envelope import MAX_HOPS
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent
from tidings.orb.aio import Address, Options, Orb, Targets
from tidings.orb.aio.serving import request_contexts
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import NOT_NEGOTIATED, OURS
from tidings.orb.exceptions import (
    BAD_PARAM,
    DATA_CONVERSION,
    NO_IMPLEMENT,
    NO_PERMISSION,
    OBJECT_NOT_EXIST,
    OMG,
    TRANSIENT,
    Completion,
)
from tidings.orb.giop import ServiceContext, Wire
from tidings.orb.ior import make_reference
from tidings.orb.poa import Found
from tidings.orb.stubs import Interface, Operation, Servant
from tidings.servants.advertiser import ADVERTISER, Advertisers
from tidings.servants.door import GatheringDoor
from tidings.servants.endpoints import ClientOptions
from tidings.servants.loops import path_context
from tidings.servants.opening import Opened, open_service
from tidings.servants.probing import Probing
from tidings.servants.service import NIL
from tidings.servants.shared_events import SharedEvents, UnwritableError

ALL = (*CONSUMERS, *SUPPLIERS)
CALLED = [kind for kind in ALL if (kind.side is Side.CONSUMER) == (kind.style is Style.PUSH)]
CONSUMER = kind_of(StructuredPushConsumer)
ALARM = EventType("Telecom", "Alarm")


async def new_proxy(made: World, kind: Kind) -> Whatever:
    channel = await made.channel()
    return await made.proxy(channel, kind.side, kind.style, kind.form, bare=kind.bare)


async def new_pair(made: World) -> tuple[Whatever, Whatever]:
    """A proxy to push to, and one that a consumer can be connected to."""
    channel = await made.channel()
    supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
    await supply.connect_structured_push_supplier(NIL)
    return supply, await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)


@pytest.mark.parametrize("kind", ALL, ids=str)
async def test_a_client_of_another_kind_is_refused_and_only_who_calls_itself_may_be_nil(
    kind: Kind,
) -> None:
    async with world() as made:
        connect = getattr(await new_proxy(made, kind), kind.connect)
        if kind in CALLED:
            await refused(connect(made.activate(StructuredPullConsumer())), WrongType)
        else:
            await connect(NIL)
            await refused(connect(NIL), AlreadyConnected)


class OwnConsumer(Written, comm.StructuredPushConsumerServant):
    """A consumer whose interface is its maker's own."""

    _BASE = comm.StructuredPushConsumer_INTERFACE
    INTERFACE = Interface("IDL:Own/Consumer:1.0", "Own::Consumer", (_BASE,), _BASE.operations)


async def test_for_who_may_not_use_the_proxy_nobody_is_called() -> None:
    async with world() as made:
        mine = await new_proxy(made, CONSUMER)
        made.service.grants[ANN] = Grant(ANN, Caller("ann"))
        interface = admin.StructuredProxyPushSupplier_INTERFACE
        reference = made.service.reference(ObjectKey("proxy", (1, 1), ANN), interface)
        hers = made.stub(admin.StructuredProxyPushSupplier, reference)
        before = made.service.orb.connections
        await refused(
            hers.connect_structured_push_consumer(made.activate(OwnConsumer())), NO_PERMISSION
        )
        assert made.service.orb.connections == before
        await mine.connect_structured_push_consumer(made.activate(OwnConsumer()))
        assert made.service.orb.connections == before + 1
        # One that cannot be asked what it is is believed.
        nowhere = make_reference("IDL:Own/Consumer:1.0", "127.0.0.1", 1, b"key")
        other = await new_proxy(made, CONSUMER)
        await other.connect_structured_push_consumer(nowhere)


async def test_without_a_connection_nothing_can_be_pushed_or_pulled() -> None:
    async with world() as made:
        channel = await made.channel()
        sent = event_out(event("a", "b"))
        for side, style, form, bare, operation, arguments in (
            (Side.SUPPLIER, Style.PUSH, Form.ANY, False, "push", (1,)),
            (Side.SUPPLIER, Style.PUSH, Form.ANY, True, "push", (1,)),
            (Side.SUPPLIER, Style.PUSH, Form.STRUCTURED, False, "push_structured_event", (sent,)),
            (Side.SUPPLIER, Style.PUSH, Form.SEQUENCE, False, "push_structured_events", ([sent],)),
            (Side.CONSUMER, Style.PULL, Form.ANY, False, "pull", ()),
            (Side.CONSUMER, Style.PULL, Form.ANY, True, "try_pull", ()),
            (Side.CONSUMER, Style.PULL, Form.STRUCTURED, False, "try_pull_structured_event", ()),
            (Side.CONSUMER, Style.PULL, Form.SEQUENCE, False, "pull_structured_events", (1,)),
        ):
            proxy = await made.proxy(channel, side, style, form, bare=bare)
            await refused(getattr(proxy, operation)(*arguments), ClientDisconnected)


@pytest.mark.parametrize("kind", ALL, ids=str)
async def test_a_client_that_disconnects_is_told_so_once_and_its_proxy_is_gone(kind: Kind) -> None:
    infix = "" if kind.form is Form.ANY else f"{kind.form.name.lower()}_"
    peer, own = (
        ("supplier", "consumers") if kind.side is Side.CONSUMER else ("consumer", "suppliers")
    )
    async with world() as made:
        channel = await made.channel()
        client, proxy = await joined(made, channel, kind)
        if not kind.bare:
            assert await proxy.get_MyType() == f"{kind.style.name}_{kind.form.name}"
            assert await proxy.get_MyAdmin() == await getattr(channel, f"for_{own}")()
        disconnect = getattr(proxy, f"disconnect_{infix}{kind.style.value}_{peer}")
        await disconnect()
        await until(lambda: client.goodbyes)
        await refused(disconnect(), OBJECT_NOT_EXIST)
        assert client.goodbyes == 1


async def test_a_supplier_hears_what_is_wanted_and_a_consumer_what_is_offered() -> None:
    async with world() as made:
        channel = await made.channel()
        supplier, supply = await joined(made, channel, kind_of(StructuredPushSupplier))
        consumer, proxy = await joined(made, channel, CONSUMER)
        await proxy.subscription_change([ALARM], [])
        await until(lambda: any(ALARM in added for added, _ in supplier.notices))
        await supply.offer_change([ALARM], [])
        await until(lambda: consumer.notices == [((ALARM,), ())])
        await supply.offer_change([], [ALARM])
        await until(lambda: consumer.notices[1:] == [((), (ALARM,))])
        now = admin.ObtainInfoMode.ALL_NOW_UPDATES_OFF
        assert await supply.obtain_subscription_types(now) == (ALARM,)


async def test_of_consumers_of_anys_only_those_of_the_event_service_are_not_told_of_offers() -> (
    None
):
    async with world() as made:
        channel = await made.channel()
        plain = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.ANY)
        deaf = EventPushConsumer()
        await plain.connect_any_push_consumer(made.activate(deaf))
        _, supply = await joined(made, channel, kind_of(AnyPushSupplier))
        consumer, proxy = await joined(made, channel, kind_of(AnyPushConsumer))
        await supply.offer_change([ALARM], [])
        await until(lambda: consumer.notices)
        assert await proxy.obtain_offered_types(admin.ObtainInfoMode.NONE_NOW_UPDATES_OFF) == ()
        await supply.offer_change([], [ALARM])
        await supply.push(5)
        await until(lambda: deaf.got == consumer.got == [5])
        await asyncio.sleep(0.05)
        assert not made.host.factory.channel(1).proxy(1).notices
        assert len(consumer.notices) == 1


async def test_a_client_that_cannot_hear_of_offers_is_left_alone_after_the_first_time() -> None:
    class Deaf(StructuredPushConsumer):
        calls = 0

        async def offer_change(self, added: Whatever, removed: Whatever) -> None:
            self.calls += 1
            raise NO_IMPLEMENT

    async with world() as made:
        supply, proxy = await new_pair(made)
        deaf = Deaf()
        await proxy.connect_structured_push_consumer(made.activate(deaf))
        await supply.offer_change([ALARM], [])
        core = made.host.factory.channel(1).proxy(2)
        await until(lambda: not core.updates)
        await supply.offer_change([], [ALARM])
        await supply.push_structured_event(numbered(1))
        await until(lambda: deaf.got)
        assert deaf.calls == 1


async def test_changes_that_come_while_one_is_told_are_told_together() -> None:
    begun, gate = asyncio.Event(), asyncio.Event()

    class Slow(StructuredPushConsumer):
        async def offer_change(self, added: Whatever, removed: Whatever) -> None:
            begun.set()
            await gate.wait()
            await self.notice(added, removed)

    async with world() as made:
        supply, proxy = await new_pair(made)
        slow = Slow()
        await proxy.connect_structured_push_consumer(made.activate(slow))
        first, second, third = (EventType("D", name) for name in "abc")
        await supply.offer_change([first], [])
        await begun.wait()
        await supply.offer_change([second, third], [])
        await supply.offer_change([], [third])
        gate.set()
        await until(lambda: len(slow.notices) == 2)
        assert slow.notices == [((first,), ()), ((second,), ())]
        begun.clear()
        gate.clear()
        await supply.offer_change([third], [])
        await begun.wait()  # and while this is told, the service ends


async def test_a_proxy_tells_what_the_header_of_an_event_may_carry() -> None:
    async with world() as made:
        supply, _, proxy = await structured_pair(made, await made.channel())
        for one in (supply, proxy):
            others = await one.validate_event_qos([Property("Priority", Any(tc.SHORT, 4))])
            assert "Timeout" in {other.name for other in others}
            told = await refused(
                one.validate_event_qos([Property("Priority", Any(tc.STRING, "high"))]),
                UnsupportedQoS,
            )
            assert told.qos_err[0].code == "BAD_TYPE"


async def test_who_may_not_look_at_a_proxy_does_not_hear_of_its_admin() -> None:
    async with world() as made:
        await structured_pair(made, await made.channel())
        interface = admin.StructuredProxyPushConsumer_INTERFACE
        hers = made.service.reference(ObjectKey("proxy", (1, 1), ANN), interface)
        proxy = made.stub(admin.StructuredProxyPushConsumer, hers)
        made.service.grants[ANN] = Grant(ANN, Caller("ann"))
        assert (await proxy.get_MyAdmin()).type_id == admin.SupplierAdmin_INTERFACE.id
        made.service.grants[ANN] = Grant(ANN, Caller("ann", scope=Place(2)))
        await refused(proxy.get_MyAdmin(), NO_PERMISSION)


class Bystander:
    """A service at 127.0.0.2 that is none of ours, and notes who connects."""

    def __init__(self) -> None:
        self.met = 0

    async def __aenter__(self) -> Bystander:
        self._server = await asyncio.start_server(self._meet, "127.0.0.2", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    def _meet(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.met += 1
        writer.close()

    def object(self, type_id: str = "IDL:x:1.0", host: str = "127.0.0.2") -> Reference:
        """A reference that leads there."""
        return make_reference(type_id, host, self.port, b"octets of the caller's choice")


@asynccontextmanager
async def beside(*networks: str) -> AsyncIterator[tuple[World, Bystander]]:
    async with Bystander() as other, world(targets=Targets(networks, "the setting")) as made:
        yield made, other


@pytest.mark.parametrize("kind", CALLED, ids=str)
async def test_no_client_has_the_service_connect_elsewhere(
    kind: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    async with beside("peer") as (made, other):
        channel = await made.channel()
        proxy = await made.proxy(channel, kind.side, kind.style, kind.form, bare=kind.bare)
        await refused(getattr(proxy, kind.connect)(other.object()), NO_PERMISSION)
        assert not other.met
        await joined(made, channel, kind)  # its own address is allowed
    assert "127.0.0.1 leads to 127.0.0.2:" in caplog.text
    assert "the setting" in caplog.text


async def test_callbacks_of_filters_and_listeners_are_checked_as_well() -> None:
    async with beside("peer") as (made, other):
        key = ObjectKey("filter factory", (), 0)
        found = made.service.reference(key, FilterFactory.INTERFACE)
        filters = made.stub(FilterFactory, found)
        filter = made.stub(Filter, await filters.create_filter(""))
        await refused(filter.attach_callback(other.object()), NO_PERMISSION)
        await made.channel()
        made.service.makers = {**made.service.makers, ADVERTISER: Advertisers(made.service)}
        key = ObjectKey(ADVERTISER, tuple(made.host.factory.channels), 0)
        advertiser = made.stub(Advertiser, made.service.reference(key, Advertiser.INTERFACE))
        await refused(advertiser.attach(other.object()), NO_PERMISSION)
        assert not other.met


@pytest.mark.parametrize(("networks", "allowed"), [
    (("loopback",), True), (("127.0.0.2/32",), True), (("peer", "10.0.0.0/8", "::1"), False),
    ((), False),
])  # fmt: skip
async def test_networks_decide(networks: tuple[str, ...], allowed: bool) -> None:
    async with beside(*networks) as (made, other):
        proxy = await new_proxy(made, CONSUMER)
        known = other.object(StructuredPushConsumer.INTERFACE.id)
        with nullcontext() if allowed else pytest.raises(NO_PERMISSION):
            await proxy.connect_structured_push_consumer(known)


async def test_a_forward_leads_only_where_a_reference_may() -> None:
    def find(key: bytes) -> Found:
        return other.object(INTERFACE.id)

    options = Options(targets=Targets(["peer", "127.0.0.1/32"]))
    async with Bystander() as other, Orb(find=find) as forwarder, Orb(options) as orb:
        await forwarder.listen()
        stub = orb.stub(Echo, forwarder.reference(b"old", INTERFACE))
        await refused(stub.echo("x"), NO_PERMISSION)
        assert not other.met


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_client_at_its_own_address_is_called_after_a_restart(
    tmp_path: Path, host: str
) -> None:
    peers = Targets(["peer"])
    async with Orb(Options(close_seconds=0.2, advertise=Address(host, 0))) as client:
        await client.listen()
        async with opened(client, tmp_path, targets=peers) as made:
            port = made.service.orb._links.listening[0].port
            supply, consumer, _ = await structured_pair(made, await made.channel(*PERSISTENT))
        async with opened(client, tmp_path, port, targets=peers):
            await supply.push_structured_event(numbered(1))
            await until(lambda: consumer.got)


async def test_a_channel_is_not_connected_with_itself() -> None:
    async with beside("peer") as (made, _):
        first, second = await made.channel(), await made.channel()
        out, second_out = [
            await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
            for channel in (first, second)
        ]
        into, second_into = [
            await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
            for channel in (first, second)
        ]
        await refused(out.connect_structured_push_consumer(into._reference), BAD_PARAM)
        # One channel may feed another, but not the other way round as well.
        await out.connect_structured_push_consumer(second_into._reference)
        await second_into.connect_structured_push_supplier(out._reference)
        pulled = await made.proxy(second, Side.CONSUMER, Style.PULL, Form.STRUCTURED)
        pulls = await made.proxy(first, Side.SUPPLIER, Style.PULL, Form.STRUCTURED)
        for call in (
            second_out.connect_structured_push_consumer(into._reference),
            into.connect_structured_push_supplier(second_out._reference),
            pulls.connect_structured_pull_supplier(pulled._reference),
        ):
            await refused(call, BAD_PARAM)
        # When the first connection is gone, the other one is no loop.
        await out.disconnect_structured_push_supplier()
        await second_into.disconnect_structured_push_consumer()
        await second_out.connect_structured_push_consumer(into._reference)


@asynccontextmanager
async def clients() -> AsyncIterator[Orb]:
    """The ORB of clients."""
    async with Orb(Options(close_seconds=0.1)) as orb:
        await orb.listen()
        yield orb


async def test_persistent_clients_go_on_after_a_restart_if_their_references_can_be_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with clients() as client:
        async with opened(client, tmp_path) as made:
            port = made.service.orb._links.listening[0].port
            lasting = await made.channel(*PERSISTENT)
            for _ in range(3):
                await joined(made, lasting, CONSUMER)
            consumer, proxy = await joined(made, await made.channel(), CONSUMER)
        async with opened(client, tmp_path, port) as made:
            await refused(proxy.get_MyType(), OBJECT_NOT_EXIST)
            assert not consumer.goodbyes
            found = made.service.clients
            assert len(made.host.out.endpoints) == 3
            assert await found.reconnect() == 0
            made.host.out.endpoints.clear()
            made.host.factory.channel(1).proxy(1).address = "IOR:no hexadecimal digits"
            assert await found.reconnect() == 2
            reached = [found.reached(1, number) is not None for number in (1, 2, 3)]
            assert reached == [False, True, True]
    assert "the client of proxy 1 of channel 1 cannot be found again" in caplog.text


OFTEN = ClientOptions(probe_seconds=0.08, check_seconds=0.3, notice_seconds=0.3)
FEW = Settings(retry_limit=2)


def proxies(made: World) -> int:
    return len(made.host.factory.channel(1).proxies)


async def test_a_client_that_sends_is_not_asked() -> None:
    async with world(settings=FEW, options=OFTEN) as made:
        proxy = await made.proxy(await made.channel(), Side.SUPPLIER, Style.PUSH, Form.ANY)
        await proxy.connect_any_push_supplier(made.client.activate(AnyPushSupplier(), b"quiet"))
        made.client.deactivate(b"quiet")
        for number in range(20):
            await proxy.push(number)
            await asyncio.sleep(0.01)
        assert made.service.clients.reached(1, 1) is not None
        await until(lambda: proxies(made) == 0)


async def unreachable(client: Servant) -> Reference:
    """The reference of a client that nobody can connect to."""
    async with Orb(Options(close_seconds=0.1)) as orb:
        await orb.listen()
        return orb.activate(client, b"c")


async def test_a_client_that_waits_in_a_pull_is_there_even_if_it_cannot_be_reached() -> None:
    async with world(settings=FEW, options=OFTEN) as made:
        proxy = await made.proxy(await made.channel(), Side.CONSUMER, Style.PULL, Form.ANY)
        await proxy.connect_any_pull_consumer(await unreachable(AnyPullConsumer()))
        pull = asyncio.create_task(proxy.pull())
        await asyncio.sleep(0.5)
        assert not pull.done()
        pull.cancel()
        await until(lambda: proxies(made) == 0)


async def test_suppliers_that_have_crashed_leave_no_proxies(tmp_path: Path) -> None:
    """Those who gave no reference, never connected, or whose connection is Persistent."""
    settings = Settings(unused_proxy_lifetime=300_000)
    async with world(tmp_path, settings=settings, options=OFTEN) as made:
        channel, other = await made.channel(*PERSISTENT), await made.channel(*PERSISTENT)
        consumes = await made.proxy(other, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        # It is gone before the suppliers are, so that it would be given up before them.
        reference = await unreachable(StructuredPushConsumer())
        await consumes.connect_structured_push_consumer(reference)
        kind = (Side.SUPPLIER, Style.PUSH, Form.ANY)
        nil, gone, _, alive = [await made.proxy(channel, *kind) for _ in range(4)]
        await nil.connect_any_push_supplier(NIL)
        await gone.connect_any_push_supplier(await unreachable(AnyPushSupplier()))
        await alive.connect_any_push_supplier(made.client.activate(AnyPushSupplier(), b"s"))
        assert proxies(made) == 4
        await until(lambda: proxies(made) == 1)
        await alive.push(1)
        assert len(made.host.factory.channel(2).proxies) == 1


async def test_a_fault_does_not_end_the_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[float] = []
    usual = Probing._round

    async def faulty(self: Probing, since: float) -> None:
        rounds.append(since)
        if len(rounds) == 1:
            raise ValueError
        await usual(self, since)

    monkeypatch.setattr(Probing, "_round", faulty)
    async with world(options=OFTEN) as made:
        await joined(made, await made.channel(), CONSUMER)
        await until(lambda: len(rounds) > 2)


VERY_LONG = 1_000.0
"""Nothing in these tests waits for as many seconds; one that does fails."""


@asynccontextmanager
async def service(
    client: Orb, folder: Path | None = None, port: int = 0
) -> AsyncIterator[tuple[Opened, World]]:
    """A service whose requests in progress, and whose calls, may take very long."""
    host = await Host.open(folder, settings=QUICK)
    options = ClientOptions(call_seconds=VERY_LONG)
    opened = open_service(host, Options(close_seconds=VERY_LONG), SECRET, dict, clients=options)
    try:
        await opened.service.orb.listen("127.0.0.1", port)
        opened.publish(None)
        await opened.reconnect()
        yield opened, World(client, opened.service)
    finally:
        await opened.close()
        await host.close(0.0)


@pytest.mark.parametrize(
    ("form", "pull", "arguments"),
    [
        (Form.ANY, "pull", ()),
        (Form.STRUCTURED, "pull_structured_event", ()),
        (Form.SEQUENCE, "pull_structured_events", (5,)),
    ],
)
async def test_who_waits_in_a_pull_is_told_at_once_to_come_back(
    form: Form, pull: str, arguments: tuple[int, ...]
) -> None:
    async with clients() as client, service(client) as (opened, world):
        proxy = await world.proxy(await world.channel(), Side.CONSUMER, Style.PULL, form)
        await getattr(proxy, f"connect_{form.name.lower()}_pull_consumer")(NIL)
        waiting = asyncio.ensure_future(getattr(proxy, pull)(*arguments))
        await until(lambda: world.host.out.pulls)
        await opened.close()
        await refused(waiting, TRANSIENT)


async def test_a_call_that_ends_in_time_is_answered_and_requests_meanwhile_are_refused(
    tmp_path: Path,
) -> None:
    async with clients() as client:
        async with service(client, tmp_path) as (opened, world):
            port = opened.service.orb._links.listening[0].port
            supply, consumer, _ = await structured_pair(world, await world.channel(*PERSISTENT))
            gate = asyncio.Event()
            consumer.during = gate.wait
            for number in (1, 2):
                await supply.push_structured_event(numbered(number))
            ends: Whatever = world.host.out.endpoints
            await until(lambda: any(one.carries for one, _ in ends.values()))
            names = client.stub(NamingContext, opened.names.reference())
            closing = asyncio.ensure_future(opened.close(VERY_LONG))
            await asyncio.sleep(0)
            told = await refused(names.resolve(name("NotificationService")), TRANSIENT)
            assert told.minor == OMG | 1
            assert not closing.done()
            gate.set()
            await closing
            assert numbers(consumer.got) == [1]  # and no call is made after it
        async with service(client, tmp_path, port):
            await until(lambda: len(consumer.got) >= 2)
        assert numbers(consumer.got) == [1, 2]


async def feed(
    source: World, first: admin.EventChannel, target: World, second: admin.EventChannel, form: Form
) -> None:
    """Has a channel of one service feed one of another."""
    out = await source.proxy(first, Side.CONSUMER, Style.PUSH, form)
    into = await target.proxy(second, Side.SUPPLIER, Style.PUSH, form)
    await getattr(into, f"connect_{form.name.lower()}_push_supplier")(NIL)
    await getattr(out, f"connect_{form.name.lower()}_push_consumer")(into._reference)


@pytest.mark.parametrize("form", list(Form))
async def test_events_that_come_back_are_dropped(form: Form, tmp_path: Path) -> None:
    async with (
        clients() as client,
        opened(client, tmp_path / "here") as here,
        opened(client, tmp_path / "there", secret=b"another secret of tests") as there,
    ):
        # On the way their contents may come from the disk: so do the paths.
        first, second = await here.channel(*PERSISTENT), await there.channel(*PERSISTENT)
        seen, _ = await joined(here, first, CONSUMER)
        far, _ = await joined(there, second, CONSUMER)
        await feed(here, first, there, second, form)
        await feed(there, second, here, first, form)
        supply = await here.proxy(first, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        await supply.connect_structured_push_supplier(NIL)
        for number in range(3):
            await supply.push_structured_event(numbered(number))
        loops = here.service.clients.loops
        await until(lambda: loops.dropped >= (1 if form is Form.SEQUENCE else 3))
        await until(lambda: len(far.got) == 3)
        # What began there goes here, and not back.
        supply = await there.proxy(second, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        await supply.connect_structured_push_supplier(NIL)
        await supply.push_structured_event(numbered(3))
        await until(lambda: there.service.clients.loops.dropped)
        assert numbers(seen.got) == numbers(far.got) == [0, 1, 2, 3]
        assert sum("a loop of channels" in each.detail for each in here.host.notices) == 1


async def test_events_pass_so_many_channels_and_no_more() -> None:
    async with world() as made:
        await made.channel()
        hops = tuple([f"{number:032x}" for number in range(MAX_HOPS + 1)])
        for path, passed in ((hops[1:], hops[1:]), (hops, None)):
            request_contexts.set(tuple([ServiceContext(*one) for one in path_context(path)]))
            assert made.service.clients.loops.passed(1, 1) == passed


COLOUR = tc.enum("IDL:Colour:1.0", "Colour", ["red", "green"])
POINT = tc.struct("IDL:Point:1.0", "Point", [("x", tc.LONG), ("y", tc.SHORT)])
NAMED = tc.alias("IDL:Points:1.0", "Points", tc.sequence(POINT))
EITHER = tc.union("IDL:Either:1.0", "Either", tc.LONG, [(1, "n", tc.OCTET), (None, "s", tc.STRING)])
NESTED: Value = {"a": 1, "b": ("x", "y")}
VALUES: tuple[Value, ...] = (
    *(7, "text", None, Any(tc.SHORT, -3), Any(tc.WSTRING, "wide é"), b"octets"),
    *((1, 2, 3), (1, "two", None)),
    NESTED,
    *(Any(COLOUR, "green"), Any(NAMED, ((1, 2), (3, 4)))),
    *(Any(EITHER, UnionValue(1, 255)), Any(EITHER, UnionValue(5, "other"))),
    *(Reference("IDL:Chess/Board:1.0", [(0, b"profile")]), tc.sequence(POINT)),
)
HEADER = {"Priority": 4, "Timeout": 10**12, "own": Any(tc.ULONG, 1)}
DATA = dict(zip("abcdefghijklmno", VALUES, strict=True))
EVENTS = (
    event("Telecom", "CommunicationsAlarm", "lost"),
    event("Telecom", "Alarm", "n", DATA, header=HEADER, body=Any(POINT, (1, 2))),
    event("", "%ANY", body="a bare value"),
    event("Ünicode", "Ⓣ", "ñ", {"é": "ö"}, body={"nested": event("a", "b").as_any()}),
)


def sent(kind: Kind) -> list[tuple[Whatever, StructuredEvent]]:
    """What a supplier of a kind sends, and the event that is."""
    if kind.form is not Form.ANY:
        return [(event_out(one), one) for one in EVENTS]
    bare = [(value, entered(_boxed(value), unwrap=True)) for value in VALUES]
    return bare + [(one.as_any(), one) for one in EVENTS if one.type != "%ANY"]


def _boxed(value: Value) -> Any:
    return value if isinstance(value, Any) else Any(infer(value), value)


async def send(kind: Kind, client: Whatever, proxy: Whatever, what: Sequence[Whatever]) -> None:
    """Has a supplier send events, each way as its kind does."""
    if kind.style is Style.PULL:
        client.has.extend(what)
    elif kind.form is Form.SEQUENCE:
        await proxy.push_structured_events(what)
    else:
        push = proxy.push if kind.form is Form.ANY else proxy.push_structured_event
        for one in what:
            await push(one)


async def receive(kind: Kind, client: Whatever, proxy: Whatever, number: int) -> list[Whatever]:
    """So many events, as a consumer of a kind gets them."""
    if kind.style is Style.PUSH:
        await until(lambda: len(client.got) >= number)
        return [*client.got]
    found: list[Whatever] = []
    while len(found) < number:
        if kind.form is Form.SEQUENCE:
            found += await proxy.pull_structured_events(3)
        else:
            pull = proxy.pull if kind.form is Form.ANY else proxy.pull_structured_event
            found.append(await pull())
    return found


async def test_no_batch_overtakes_a_long_one_that_is_read_in_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "_TURN", -1)  # every event of a batch is a turn of its own
    long, short = [event("a", "b", str(n)) for n in range(80)], [event("a", "b", "last")]
    async with world() as made:
        channel = await made.channel(*BATCHES)
        taker, _ = await joined(made, channel, CONSUMER)
        _, given = await joined(made, channel, kind_of(SequencePushSupplier))
        async with asyncio.TaskGroup() as pushes:
            for batch in (long, short):
                pushes.create_task(given.push_structured_events([event_out(e) for e in batch]))
            pushes.create_task(given.disconnect_sequence_push_consumer())
        await until(lambda: len(taker.got) == 81)
    assert [event_in(one).name for one in taker.got] == [one.name for one in long + short]


@pytest.mark.parametrize("consumer", [kind for kind in CONSUMERS if not kind.bare], ids=str)
@pytest.mark.parametrize("supplier", SUPPLIERS, ids=str)
async def test_every_field_arrives_after_a_restart_of_the_service(
    supplier: Kind, consumer: Kind, tmp_path: Path
) -> None:
    async with Orb(Options(close_seconds=0.2)) as client:
        await client.listen()
        async with opened(client, tmp_path) as made:
            port = made.service.orb._links.listening[0].port
            channel = await made.channel(*PERSISTENT, *BATCHES)
            taker, taken = await joined(made, channel, consumer)
            if consumer.style is Style.PUSH:
                await taken.suspend_connection()
            giver, given = await joined(made, channel, supplier)
            pairs = sent(supplier)
            await send(supplier, giver, given, [what for what, _ in pairs])
            await until(lambda: made.host.factory.channel(1).seq == len(pairs))
        async with opened(client, tmp_path, port):
            if consumer.style is Style.PUSH:
                await taken.resume_connection()
            got = await receive(consumer, taker, taken, len(pairs))
            for found, (_, meant) in zip(got, pairs, strict=True):
                if consumer.form is Form.ANY:
                    assert same(_boxed(found), _boxed(any_out(meant)))
                else:
                    assert event_in(found) == meant


ANY = comm.PushConsumer_INTERFACE.operations["push"]
ONE = comm.StructuredPushConsumer_INTERFACE.operations["push_structured_event"]
MANY = comm.SequencePushConsumer_INTERFACE.operations["push_structured_events"]
NUMBERED = [event("D", "T", "n" * number, {"a": number}, body=1.5) for number in range(5)]


def message(content: StructuredEvent, seq: int = 1) -> Message:
    return Message(content, "0" * 32, seq, 0)


def written(operation: Operation, arguments: tuple[object, ...], writer: Writer) -> bytes:
    operation.write_arguments(writer, arguments)
    return writer.getvalue()


@pytest.mark.parametrize("little", [True, False])
@pytest.mark.parametrize("offset", range(9))
def test_the_octets_are_those_of_the_operation_however_often_they_are_written(
    little: bool, offset: int
) -> None:
    shared = SharedEvents()
    messages = [message(one, seq) for seq, one in enumerate(NUMBERED)]
    for _ in range(3):
        pairs = [
            (ANY, Form.ANY, messages[:1], any_out(NUMBERED[0])),
            (ONE, Form.STRUCTURED, messages[1:2], event_out(NUMBERED[1])),
            (MANY, Form.SEQUENCE, messages, tuple(map(event_out, NUMBERED))),
        ]
        for operation, form, handed, meant in pairs:
            ours, theirs = (Writer(little=little, origin=-offset) for _ in range(2))
            push = shared.operation(operation, form)
            right = written(operation, (meant,), theirs)
            assert written(push, (handed,), ours) == right
            octets = shared.octets(push, form)
            assert octets(handed, Wire(2, little, ours.codesets), offset) == right


def test_octets_that_came_are_sent_where_they_fit() -> None:
    shared = SharedEvents()
    push = shared.operation(ONE, Form.STRUCTURED)
    octets = shared.octets(push, Form.STRUCTURED)
    one = message(NUMBERED[3])
    shared.came(ReadEvent(one.event, b"as it came", 4, 2, True), Form.STRUCTURED)
    for codesets in (OURS, NOT_NEGOTIATED):
        assert octets([one], Wire(2, True, codesets), 12) == b"as it came"
        again = Writer(origin=-1, codesets=codesets)
        assert written(push, ([one],), again) == b"\0\0\0as it came"
    fits = Wire(2, True, OURS)
    for wire, at in ((fits, 8), (Wire(2, False, OURS), 12), (Wire(1, True, OURS), 12)):
        assert b"nnn" in octets([one], wire, at)
    as_any = shared.octets(shared.operation(ANY, Form.ANY), Form.ANY)
    assert b"nnn" in as_any([one], fits, 12)
    equal = message(event("D", "T", "nnn", {"a": 3}, body=1.5))
    assert b"nnn" in octets([equal], fits, 12)


def test_little_is_kept() -> None:
    shared = SharedEvents()
    shared.came(ReadEvent(event("D", "T", "0"), b"nobody wants it", 0, 2, True), Form.STRUCTURED)
    assert not shared._kept._of_key
    shared.operation(ONE, Form.STRUCTURED)
    for number in range(10_000):
        came = ReadEvent(event("D", "T", str(number)), bytes(number % 500), 0, 2, True)
        shared.came(came, Form.STRUCTURED)
        shared.came(came, Form.STRUCTURED)
    kept = shared._kept._of_key.values()
    assert 800 < len(kept) < 2_100
    octets = sum(512 + len(octets) for _, octets in kept)
    assert octets == shared._kept._octets <= 1024 * 1024


def test_an_event_that_is_too_long_for_any_message_is_not_sent() -> None:
    push = SharedEvents(most=1_000).operation(MANY, Form.SEQUENCE)
    small, large = (message(event("D", "T", body="x" * count)) for count in (100, 1_000))
    written(push, ([small, small],), Writer())
    with pytest.raises(UnwritableError, match="too many octets") as told:
        written(push, ([large, small],), Writer())
    assert told.value.fits == 0


# Of three such events a message would be too long.
LONG = b"x" * 700_000
NOT_LATIN = "\N{EURO SIGN}"


async def filled(made: World, consumer: type[Whatever], *bodies: Whatever) -> Whatever:
    """A proxy to pull from, with events of these bodies."""
    channel = await made.channel(*FIRST_COME)
    _, proxy = await joined(made, channel, kind_of(consumer))
    supply = await structured_supply(made, channel)
    for number, body in enumerate(bodies):
        await supply.push_structured_event(numbered(number)._replace(remainder_of_body=body))
    return proxy


async def structured_supply(made: World, channel: Whatever) -> Whatever:
    """A proxy to push structured events to."""
    proxy = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
    await proxy.connect_structured_push_supplier(NIL)
    return proxy


def flight(made: World) -> int:
    """How many events were handed out and are not done with."""
    delivery = made.host.factory.channel(1).consumer(1).consumer
    assert delivery is not None
    return len(delivery.flight)


async def test_an_answer_is_no_longer_than_old_orbs_take_and_the_rest_waits() -> None:
    async with world() as made:
        proxy = await filled(made, SequencePullConsumer, *[LONG] * 5)
        assert numbers(await proxy.pull_structured_events(100)) == [0, 1]
        found, has_event = await proxy.try_pull_structured_events(100)
        assert (numbers(found), has_event) == ([2, 3], True)
        assert numbers(await proxy.pull_structured_events(100)) == [4]
        await until(lambda: flight(made) == 0)
        assert await proxy.try_pull_structured_events(100) == ((), False)


@pytest.mark.parametrize(
    ("consumer", "operation", "arguments"),
    [
        (AnyPullConsumer, "pull", ()),
        (AnyPullConsumer, "try_pull", ()),
        (StructuredPullConsumer, "pull_structured_event", ()),
        (StructuredPullConsumer, "try_pull_structured_event", ()),
        (SequencePullConsumer, "pull_structured_events", (1,)),
        (SequencePullConsumer, "try_pull_structured_events", (1,)),
    ],
)
async def test_what_cannot_be_written_at_all_is_told_and_becomes_a_dead_letter(
    consumer: type[Whatever], operation: str, arguments: tuple[int, ...]
) -> None:
    async with world() as made:
        proxy = await filled(made, consumer, NOT_LATIN, "next")
        async with Orb(Options(minor=0, close_seconds=0.1)) as old:
            pull = getattr(old.stub(type(proxy), proxy._reference), operation)
            told = await refused(pull(*arguments), DATA_CONVERSION)
            assert told.completed is Completion.YES
            assert "next" in repr(await pull(*arguments))
        await until(lambda: flight(made) == 0)
        assert made.host.counts[Outcome.REJECTED] == 1


async def supplier(made: World, channel: Whatever) -> Whatever:
    """A proxy to push anys to."""
    proxy = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.ANY)
    await proxy.connect_any_push_supplier(NIL)
    return proxy


async def test_who_waits_goes_on_waiting_if_what_came_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with world() as made:
        channel = await made.channel()
        _, structured = await joined(made, channel, kind_of(StructuredPullConsumer))
        pull, spoiled = made.host.out.pull, [True]

        async def unreadable(*arguments: Whatever) -> EventBatch:
            found = await pull(*arguments)
            if spoiled.pop():
                found.messages = []
            return found

        monkeypatch.setattr(made.host.out, "pull", unreadable)
        supply = await supplier(made, channel)
        waiting = asyncio.ensure_future(structured.pull_structured_event())
        await supply.push(7)
        await until(lambda: not spoiled)
        spoiled.append(False)
        await supply.push(8)
        assert (await waiting).remainder_of_body == 8


def door_of(made: World) -> GatheringDoor:
    door = made.service.door(0)
    assert door is not None
    return door


async def test_commands_go_behind_the_events(monkeypatch: pytest.MonkeyPatch) -> None:
    async with world() as made:
        await supplier(made, await made.channel())
        door, heard, post = door_of(made), list[Command](), made.host.post
        one, two, three = (door.push(1, 1, any_in(number)) for number in range(3))
        two.cancel()  # and takes nobody else's answer away
        assert (await one, await three) == (1, 3)

        def listening(command: Command, *rest: Whatever) -> None:
            heard.append(command)
            post(command, *rest)

        monkeypatch.setattr(made.host, "post", listening)
        accepted = door.push(1, 1, any_in(1))
        await door.ask(Disconnect(1, 1))
        assert await accepted == 4
        assert [type(one) for one in heard] == [Push, Disconnect]
        await door.close()
        await refused(door.push(1, 1, any_in(1)), Stopping)


async def test_what_is_asked_after_a_push_is_carried_out_after_it() -> None:
    async with world() as made:
        channel = await made.channel(*FIRST_COME)
        supply = await supplier(made, channel)
        _, pulls = await joined(made, channel, kind_of(AnyPullConsumer))
        pushes = [asyncio.create_task(supply.push(number)) for number in range(5)]
        end = asyncio.create_task(supply.disconnect_push_consumer())
        late = asyncio.create_task(supply.push(5))
        await asyncio.gather(*pushes, end)
        with pytest.raises((ClientDisconnected, OBJECT_NOT_EXIST)):
            await late
        assert [await pulls.pull() for _ in range(5)] == list(range(5))


async def test_an_error_of_the_proxy_is_the_answer_to_every_push() -> None:
    async with world() as made:
        await made.proxy(await made.channel(), Side.SUPPLIER, Style.PUSH, Form.ANY)
        door = door_of(made)
        pushes = [door.push(1, 1, any_in(number)) for number in range(3)]
        answers = await asyncio.gather(*pushes, return_exceptions=True)
        assert [type(answer) for answer in answers] == [Disconnected] * 3
        first = door.push(1, 1, any_in(3))
        await refused(door.push(1, 99, any_in(0)), ProxyNotFound)
        await refused(first, Disconnected)


async def test_a_goodbye_comes_after_the_event_that_is_delivered() -> None:
    async with world() as made:
        channel = await made.channel(*FIRST_COME)
        supply, consumer, _ = await structured_pair(made, channel)
        begun, gate = held(consumer)
        await supply.push_structured_event(numbered(0))
        await begun.wait()
        await channel.destroy()
        await asyncio.sleep(0.05)
        assert not consumer.goodbyes
        gate.set()
        await until(lambda: consumer.goodbyes)


async def test_a_goodbye_without_an_answer_is_said_again() -> None:
    async with world() as made:
        channel = await made.channel()
        _, consumer, _ = await structured_pair(made, channel)
        began: list[bool] = []

        async def goodbye() -> None:
            began.append(True)
            if len(began) == 1:
                await asyncio.Event().wait()
            await consumer.goodbye()

        consumer.disconnect_structured_push_consumer = goodbye  # type: ignore[method-assign]
        await channel.destroy()
        await until(lambda: consumer.goodbyes)
        assert len(began) == 2


@pytest.mark.parametrize("raised", [ClientDisconnected, OBJECT_NOT_EXIST])
async def test_a_consumer_that_says_it_is_gone_is_left_alone(raised: type[Exception]) -> None:
    async with world() as made:
        supply, consumer, _ = await structured_pair(made, await made.channel())

        async def during() -> None:
            raise raised

        consumer.during = during
        await supply.push_structured_event(numbered(1))
        await until(lambda: len(made.host.factory.channel(1).proxies) == 1)
        await asyncio.sleep(0.05)
        assert (consumer.goodbyes, consumer.got) == (0, [])


async def test_what_cannot_be_written_for_a_consumer_becomes_a_dead_letter() -> None:
    async with world() as made:
        channel = await made.channel(*BATCHES)
        supply, consumer, _ = await structured_pair(made, channel)
        batched, _ = await joined(made, channel, kind_of(SequencePushConsumer))
        names = ("1", "no\x00string", "2")
        await asyncio.gather(*(door_of(made).push(1, 1, event("D", "T", name)) for name in names))
        await until(lambda: len(consumer.got) == 2 and len(batched.got) == 2)
        assert numbers(consumer.got) == numbers(batched.got) == [1, 2]
        await until(lambda: made.host.counts[Outcome.REJECTED] == 2)
        assert len(made.host.factory.channel(1).proxies) == 3
        await supply.push_structured_event(numbered(3))
        await until(lambda: len(consumer.got) == 3)
        assert made.host.counts[Outcome.REJECTED] == 2


async def test_only_the_call_that_opens_a_connection_is_a_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with world() as made:
        _, consumer, _ = await structured_pair(made, await made.channel(*BATCHES))
        orb, tasks = made.service.orb, 0
        call = orb.call

        async def counted(*given: Whatever, **named: Whatever) -> object:
            nonlocal tasks
            tasks += 1
            return await call(*given, **named)

        monkeypatch.setattr(orb, "call", counted)
        names = ("1", "2", "3")
        await asyncio.gather(*(door_of(made).push(1, 1, event("D", "T", name)) for name in names))
        await until(lambda: len(consumer.got) == 3)
        assert tasks == 1


async def test_calls_under_way_end_with_the_service() -> None:
    async with world(options=ClientOptions(call_seconds=3_600.0)) as made:
        channel = await made.channel()
        supply, consumer, _ = await structured_pair(made, channel)
        anyone, _ = await joined(made, channel, kind_of(AnyPushConsumer))
        consumer.during = anyone.during = asyncio.Event().wait  # for ever
        await supply.push_structured_event(numbered(1))
        reached = [made.service.clients.reached(1, number) for number in (2, 3)]
        await until(lambda: all(one is not None and one.busy for one in reached))
        host = made.host
    assert not host.out.endpoints


async def test_a_bad_event_of_a_pull_supplier_takes_no_other_with_it() -> None:
    async with world() as made:
        channel = await made.channel(*BATCHES)
        consumer, _ = await joined(made, channel, CONSUMER)
        supplier, _ = await joined(made, channel, kind_of(SequencePullSupplier))
        bad = numbered(1)._replace(filterable_data=(Property("", 1),))
        supplier.has.extend([numbered(0), bad, numbered(2)])
        await until(lambda: len(consumer.got) == 2)
        assert numbers(consumer.got) == [0, 2]


def held(consumer: StructuredPushConsumer) -> tuple[asyncio.Event, asyncio.Event]:
    """When a call of a consumer has begun, and what lets it end."""
    begun, gate = asyncio.Event(), asyncio.Event()

    async def during() -> None:
        begun.set()
        await gate.wait()

    consumer.during = during
    return begun, gate


async def test_a_suspended_consumer_gets_nothing_until_it_resumes() -> None:
    async with world() as made:
        channel = await made.channel(*FIRST_COME)
        supply, consumer, proxy = await structured_pair(made, channel)
        await refused(proxy.resume_connection(), admin.ConnectionAlreadyActive)
        begun, gate = held(consumer)
        await push_all(supply, range(10))
        await begun.wait()
        await proxy.suspend_connection()
        await refused(proxy.suspend_connection(), admin.ConnectionAlreadyInactive)
        gate.set()
        await push_all(supply, range(10, 40))
        await until(lambda: consumer.got)
        await asyncio.sleep(0.05)
        assert numbers(consumer.got) == [0]  # what was handed over already waits as well
        await proxy.resume_connection()
        await until(lambda: len(consumer.got) == 40)
        assert numbers(consumer.got) == list(range(40))
        unconnected = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.ANY)
        for call in (unconnected.suspend_connection(), unconnected.resume_connection()):
            await refused(call, admin.NotConnected)


async def test_no_more_is_handed_over_ahead_than_may_wait() -> None:
    async with world() as made:
        channel = await made.channel(*FIRST_COME)
        few = Property("MaxEventsPerConsumer", Any(tc.LONG, 2))
        await joined(made, channel, CONSUMER, qos=[few])
        await joined(made, channel, CONSUMER)
        proxies = made.host.factory.channel(1).proxies
        assert [proxies[number].window for number in (1, 2)] == [2, 16]


async def test_a_suspended_pull_supplier_is_not_asked() -> None:
    async with world() as made:
        channel = await made.channel(*FIRST_COME)
        _, consumer, _ = await structured_pair(made, channel)
        supplier, proxy = await joined(made, channel, kind_of(StructuredPullSupplier))
        await proxy.suspend_connection()
        await asyncio.sleep(0.05)  # who was asked just before may still answer
        supplier.has.extend(map(numbered, range(3)))
        await asyncio.sleep(0.05)
        assert len(supplier.has) == 3
        await proxy.resume_connection()
        await until(lambda: len(consumer.got) == 3)


async def test_a_batch_is_no_longer_than_old_orbs_take() -> None:
    minute = Property("PacingInterval", Any(tc.ULONGLONG, 600_000_000))
    five = Property("MaximumBatchSize", Any(tc.LONG, 5))
    async with world() as made:
        channel = await made.channel(*FIRST_COME)
        supply = await structured_supply(made, channel)
        consumer, _ = await joined(made, channel, kind_of(SequencePushConsumer), qos=[five, minute])
        for number in range(5):
            await supply.push_structured_event(numbered(number)._replace(remainder_of_body=LONG))
        await until(lambda: len(consumer.got) == 5)
        assert numbers(consumer.got) == list(range(5))
        assert consumer.batches == [2, 2, 1]
