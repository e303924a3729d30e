"""How clients are connected to proxies, disconnected, and told of event types."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any as Whatever

import pytest

from tests.unit.servants.scenes import ANN
from tests.unit.servants.worlds import (
    CONSUMERS,
    QUICK,
    SUPPLIERS,
    AnyPushConsumer,
    AnyPushSupplier,
    EventPushConsumer,
    Kind,
    StructuredPullConsumer,
    StructuredPushConsumer,
    StructuredPushSupplier,
    World,
    Written,
    joined,
    kind_of,
    run,
    structured_pair,
    until,
    world,
)
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.CosEventChannelAdmin_auto import AlreadyConnected
from tidings.cos.CosEventChannelAdmin_auto import TypeError as WrongType
from tidings.cos.CosEventComm_auto import Disconnected
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.events import event_out
from tidings.engine.access import Grant, ObjectKey, Principal
from tidings.events.build import event
from tidings.orb.exceptions import BAD_PARAM, NO_IMPLEMENT, NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.orb.ior import make_reference
from tidings.orb.stubs import Interface
from tidings.servants.service import NIL

ALL = (*CONSUMERS, *SUPPLIERS)
CALLED = [kind for kind in ALL if (kind.side is Side.CONSUMER) == (kind.style is Style.PUSH)]
CALLING = [kind for kind in ALL if kind not in CALLED]
ALARM = EventType("Telecom", "Alarm")


def play(part: Callable[[World], Awaitable[None]], settings: Settings = QUICK) -> None:
    async def whole() -> None:
        async with world(settings=settings) as made:
            await part(made)

    run(whole())


async def new_proxy(made: World, kind: Kind) -> Whatever:
    channel = await made.channel()
    return await made.proxy(channel, kind.side, kind.style, kind.form, bare=kind.bare)


def new_client(kind: Kind) -> Whatever:
    return kind.client()


@pytest.mark.parametrize("kind", CALLED, ids=str)
def test_a_client_that_must_be_called_cannot_be_nil(kind: Kind) -> None:
    async def part(made: World) -> None:
        proxy = await new_proxy(made, kind)
        with pytest.raises(BAD_PARAM):
            await getattr(proxy, kind.connect)(NIL)

    play(part)


@pytest.mark.parametrize("kind", CALLING, ids=str)
def test_a_client_that_calls_itself_may_be_nil(kind: Kind) -> None:
    async def part(made: World) -> None:
        proxy = await new_proxy(made, kind)
        await getattr(proxy, kind.connect)(NIL)
        with pytest.raises(AlreadyConnected):
            await getattr(proxy, kind.connect)(NIL)

    play(part)


@pytest.mark.parametrize("kind", ALL, ids=str)
def test_a_second_client_is_refused(kind: Kind) -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        _, proxy = await joined(made, channel, kind)
        with pytest.raises(AlreadyConnected):
            await getattr(proxy, kind.connect)(made.activate(new_client(kind)))

    play(part)


@pytest.mark.parametrize("kind", CALLED, ids=str)
def test_a_client_of_another_kind_is_refused(kind: Kind) -> None:
    async def part(made: World) -> None:
        proxy = await new_proxy(made, kind)
        with pytest.raises(WrongType):
            await getattr(proxy, kind.connect)(made.activate(StructuredPullConsumer()))

    play(part)


class OwnConsumer(Written, comm.StructuredPushConsumerServant):
    """A consumer whose interface is its maker's own."""

    _BASE = comm.StructuredPushConsumer_INTERFACE
    INTERFACE = Interface("IDL:Own/Consumer:1.0", "Own::Consumer", (_BASE,), _BASE.operations)


def test_a_client_of_an_unknown_kind_is_asked_what_it_is() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        structured = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        client = made.activate(OwnConsumer())
        await structured.connect_structured_push_consumer(client)
        sequence = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.SEQUENCE)
        with pytest.raises(WrongType):
            await sequence.connect_sequence_push_consumer(client)

    play(part)


def test_for_who_may_not_use_the_proxy_nobody_is_called() -> None:
    async def part(made: World) -> None:
        proxy = await new_proxy(made, kind_of(StructuredPushConsumer))
        made.service.grants[ANN] = Grant(ANN, Principal("ann"))
        interface = admin.StructuredProxyPushSupplier_INTERFACE
        hers = made.service.reference(ObjectKey("proxy", (1, 1), ANN), interface)
        before = made.service.orb.connections
        with pytest.raises(NO_PERMISSION):
            await made.stub(
                admin.StructuredProxyPushSupplier, hers
            ).connect_structured_push_consumer(made.activate(OwnConsumer()))
        assert made.service.orb.connections == before
        await proxy.connect_structured_push_consumer(made.activate(OwnConsumer()))
        assert made.service.orb.connections == before + 1

    play(part)


def test_a_client_of_an_unknown_kind_that_cannot_be_asked_is_believed() -> None:
    async def part(made: World) -> None:
        proxy = await new_proxy(made, kind_of(StructuredPushConsumer))
        nowhere = make_reference("IDL:Own/Consumer:1.0", "127.0.0.1", 1, b"key")
        await proxy.connect_structured_push_consumer(nowhere)

    play(part)


def test_without_a_connection_nothing_can_be_pushed_or_pulled() -> None:
    async def part(made: World) -> None:
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
            with pytest.raises(Disconnected):
                await getattr(proxy, operation)(*arguments)

    play(part)


@pytest.mark.parametrize("kind", ALL, ids=str)
def test_the_end_of_a_channel_is_told_to_its_clients_once(kind: Kind) -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        client, proxy = await joined(made, channel, kind)
        await channel.destroy()
        await until(lambda: client.goodbyes)
        with pytest.raises(OBJECT_NOT_EXIST):
            await getattr(proxy, kind.connect)(NIL)
        assert client.goodbyes == 1

    play(part)


def other_side(kind: Kind) -> str:
    """What the peer of a client is called: a proxy supplier is what a consumer has."""
    infix = {Form.ANY: "", Form.STRUCTURED: "structured_", Form.SEQUENCE: "sequence_"}[kind.form]
    peer = "supplier" if kind.side is Side.CONSUMER else "consumer"
    return f"disconnect_{infix}{kind.style.value}_{peer}"


@pytest.mark.parametrize("kind", ALL, ids=str)
def test_a_client_that_disconnects_is_told_so_once_and_its_proxy_is_gone(kind: Kind) -> None:
    async def part(made: World) -> None:
        client, proxy = await joined(made, await made.channel(), kind)
        await getattr(proxy, other_side(kind))()
        await until(lambda: client.goodbyes)
        with pytest.raises(OBJECT_NOT_EXIST):
            await getattr(proxy, other_side(kind))()
        assert client.goodbyes == 1

    play(part)


def test_clients_that_disconnect_each_other_come_to_an_end() -> None:
    class Polite(StructuredPushConsumer):
        proxy: Whatever = None

        async def disconnect_structured_push_consumer(self) -> None:
            await self.goodbye()
            await self.proxy.disconnect_structured_push_supplier()

    async def part(made: World) -> None:
        proxy = await new_proxy(made, kind_of(StructuredPushConsumer))
        client = Polite()
        client.proxy = proxy
        await proxy.connect_structured_push_consumer(made.activate(client))
        await proxy.disconnect_structured_push_supplier()
        await until(lambda: client.goodbyes)
        await asyncio.sleep(0.05)
        assert client.goodbyes == 1

    play(part)


@pytest.mark.parametrize("kind", [kind for kind in ALL if not kind.bare], ids=str)
def test_a_proxy_says_what_it_is_and_whose(kind: Kind) -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        proxy = await made.proxy(channel, kind.side, kind.style, kind.form)
        expected = f"{kind.style.name}_{kind.form.name}"
        assert await proxy.get_MyType() == expected
        own = channel.for_consumers if kind.side is Side.CONSUMER else channel.for_suppliers
        assert await proxy.get_MyAdmin() == await own()

    play(part)


# Event types.


def test_a_supplier_hears_what_is_wanted_and_a_consumer_what_is_offered() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        supplier, supply = await joined(made, channel, kind_of(StructuredPushSupplier))
        consumer, proxy = await joined(made, channel, kind_of(StructuredPushConsumer))
        await proxy.subscription_change([ALARM], [])
        await until(lambda: any(ALARM in added for added, _ in supplier.notices))
        await supply.offer_change([ALARM], [])
        await until(lambda: consumer.notices == [((ALARM,), ())])
        await supply.offer_change([], [ALARM])
        await until(lambda: consumer.notices[1:] == [((), (ALARM,))])
        assert await supply.obtain_subscription_types(admin.ObtainInfoMode.ALL_NOW_UPDATES_OFF) == (
            ALARM,
        )

    play(part)


def test_a_consumer_of_anys_that_can_hear_of_offers_does() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        _, supply = await joined(made, channel, kind_of(AnyPushSupplier))
        consumer, proxy = await joined(made, channel, kind_of(AnyPushConsumer))
        await supply.offer_change([ALARM], [])
        await until(lambda: consumer.notices)
        mode = admin.ObtainInfoMode.NONE_NOW_UPDATES_OFF
        assert await proxy.obtain_offered_types(mode) == ()
        await supply.offer_change([], [ALARM])
        await asyncio.sleep(0.05)
        assert len(consumer.notices) == 1

    play(part)


def test_a_plain_event_service_client_is_not_told_of_offers() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.ANY)
        consumer = EventPushConsumer()
        await proxy.connect_any_push_consumer(made.activate(consumer))
        _, supply = await joined(made, channel, kind_of(AnyPushSupplier))
        await supply.offer_change([ALARM], [])
        await supply.push(5)
        await until(lambda: consumer.got == [5])
        assert not made.host.factory.channel(1).proxy(1).notices

    play(part)


def test_a_client_that_cannot_hear_of_offers_is_left_alone_after_the_first_time() -> None:
    class Deaf(StructuredPushConsumer):
        calls = 0

        async def offer_change(self, added: Whatever, removed: Whatever) -> None:
            Deaf.calls += 1
            raise NO_IMPLEMENT

    async def part(made: World) -> None:
        channel = await made.channel()
        supply, _, _ = await structured_pair(made, channel)
        proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        deaf = Deaf()
        await proxy.connect_structured_push_consumer(made.activate(deaf))
        await supply.offer_change([ALARM], [])
        core = next(p for p in made.host.factory.channel(1).proxies.values() if p.id == 3)
        await until(lambda: not core.updates)
        await supply.offer_change([], [ALARM])
        await supply.push_structured_event(event_out(event("a", "b")))
        await until(lambda: deaf.got)
        assert Deaf.calls == 1

    play(part)


def test_changes_that_come_while_one_is_told_are_told_together() -> None:
    class Slow(StructuredPushConsumer):
        async def offer_change(self, added: Whatever, removed: Whatever) -> None:
            await asyncio.sleep(0.1)
            await self.notice(added, removed)

    async def part(made: World) -> None:
        channel = await made.channel()
        supply, _, _ = await structured_pair(made, channel)
        proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        slow = Slow()
        await proxy.connect_structured_push_consumer(made.activate(slow))
        first, second, third = (EventType("D", name) for name in "abc")
        await supply.offer_change([first], [])
        await asyncio.sleep(0.02)
        await supply.offer_change([second, third], [])
        await supply.offer_change([], [third])
        await until(lambda: len(slow.notices) == 2)
        assert slow.notices == [((first,), ()), ((second,), ())]

    play(part)


def test_an_event_type_outside_the_rules_is_refused_by_name() -> None:
    async def part(made: World) -> None:
        supply, _, proxy = await structured_pair(made, await made.channel())
        bad = EventType("Telecom", "%ALL")
        with pytest.raises(comm.InvalidEventType) as told:
            await supply.offer_change([ALARM, bad], [])
        assert told.value.type == bad
        with pytest.raises(comm.InvalidEventType):
            await proxy.subscription_change([bad], [])

    play(part)


def test_references_of_clients_are_kept_as_they_came() -> None:
    async def part(made: World) -> None:
        client = StructuredPushConsumer()
        proxy = await new_proxy(made, kind_of(StructuredPushConsumer))
        reference = made.activate(client)
        await proxy.connect_structured_push_consumer(reference)
        reached = made.service.clients.reached(1, 1)
        assert reached is not None
        assert reached.client == reference

    play(part)
