"""What proxies have besides events: quality of service, filters, owners, clients behind walls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.unit.servants.scenes import ANN
from tests.unit.servants.worlds import (
    FIRST_COME,
    QUICK_CLIENTS,
    StructuredPushConsumer,
    World,
    joined,
    kind_of,
    run,
    structured_pair,
    until,
    world,
)
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos.CosNotification_auto import EventType, Property, UnsupportedQoS
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintExp,
    Filter,
    FilterFactory,
    FilterFactory_INTERFACE,
)
from tidings.cos.events import event_out
from tidings.engine.access import Grant, Keys, ObjectKey, Principal
from tidings.engine.host import Host
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.events.build import event
from tidings.orb.aio import Bidirectional, Options, Orb
from tidings.orb.exceptions import BAD_OPERATION, NO_PERMISSION
from tidings.orb.stubs import Servant
from tidings.servants.makers import MAKERS
from tidings.servants.service import NIL, CorbaService

ALARM = EventType("Telecom", "Alarm")


def play(part: Callable[[World], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with world() as made:
            await part(made)

    run(whole())


def test_a_proxy_has_quality_of_service_of_its_own() -> None:
    async def part(made: World) -> None:
        _, _, proxy = await structured_pair(made, await made.channel(*FIRST_COME))
        before = dict(await proxy.get_qos())
        assert before["OrderPolicy"] == Any(tc.SHORT, 1)
        await proxy.set_qos([Property("MaximumBatchSize", Any(tc.LONG, 7))])
        assert dict(await proxy.get_qos())["MaximumBatchSize"] == 7
        with pytest.raises(UnsupportedQoS) as told:
            await proxy.set_qos([Property("EventReliability", Any(tc.SHORT, 0))])
        assert [error.name for error in told.value.qos_err] == ["EventReliability"]

    play(part)


def test_a_proxy_tells_what_the_header_of_an_event_may_carry() -> None:
    async def part(made: World) -> None:
        supply, _, proxy = await structured_pair(made, await made.channel())
        for one in (supply, proxy):
            others = await one.validate_event_qos([Property("Priority", Any(tc.SHORT, 4))])
            assert "Timeout" in {other.name for other in others}
            with pytest.raises(UnsupportedQoS) as told:
                await one.validate_event_qos([Property("Priority", Any(tc.STRING, "high"))])
            assert told.value.qos_err[0].code == "BAD_TYPE"

    play(part)


def test_a_filter_at_a_proxy_decides_what_its_consumer_gets() -> None:
    async def part(made: World) -> None:
        supply, consumer, proxy = await structured_pair(made, await made.channel(*FIRST_COME))
        key = ObjectKey("filter factory", (), 0)
        factory = made.service.reference(key, FilterFactory_INTERFACE)
        reference = await made.stub(FilterFactory, factory).create_filter("EXTENDED_TCL")
        made_filter = made.stub(Filter, reference)
        await made_filter.add_constraints([ConstraintExp((ALARM,), "$count > 3")])
        attached = await proxy.add_filter(reference)
        for number in range(6):
            sent = event("Telecom", "Alarm", str(number), {"count": number})
            await supply.push_structured_event(event_out(sent))
        await until(lambda: len(consumer.got) == 2)
        assert [one.header.fixed_header.event_name for one in consumer.got] == ["4", "5"]
        await proxy.remove_filter(attached)
        assert await proxy.get_all_filters() == ()

    play(part)


def test_proxies_of_the_event_service_have_no_quality_of_service() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        bare = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.ANY, bare=True)
        pretended = made.stub(admin.ProxyPushSupplier, bare._reference)
        with pytest.raises(BAD_OPERATION):
            await pretended.get_qos()

    play(part)


def test_who_may_not_look_at_a_proxy_does_not_hear_of_its_admin() -> None:
    async def part(made: World) -> None:
        await structured_pair(made, await made.channel())
        interface = admin.StructuredProxyPushConsumer_INTERFACE
        hers = made.service.reference(ObjectKey("proxy", (1, 1), ANN), interface)
        proxy = made.stub(admin.StructuredProxyPushConsumer, hers)
        made.service.grants[ANN] = Grant(ANN, Principal("ann"))
        assert (await proxy.get_MyAdmin()).type_id == admin.SupplierAdmin_INTERFACE.id
        made.service.grants[ANN] = Grant(ANN, Principal("ann", scope=frozenset({2})))
        with pytest.raises(NO_PERMISSION):
            await proxy.get_MyAdmin()

    play(part)


def test_a_proxy_is_of_use_to_whoever_obtained_it_only() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        supply, _, _ = await structured_pair(made, channel)
        made.service.grants[ANN] = Grant(ANN, Principal("ann"))
        interface = admin.StructuredProxyPushConsumer_INTERFACE
        hers = made.service.reference(ObjectKey("proxy", (1, 1), ANN), interface)
        with pytest.raises(NO_PERMISSION):
            await made.stub(admin.StructuredProxyPushConsumer, hers).push_structured_event(
                event_out(event("a", "b"))
            )
        key = ObjectKey("admin", (1, 0, 0), ANN)
        suppliers = made.service.reference(key, admin.SupplierAdmin_INTERFACE)
        reference, _ = await made.stub(
            admin.SupplierAdmin, suppliers
        ).obtain_notification_push_consumer(admin.ClientType.STRUCTURED_EVENT)
        own = made.stub(admin.StructuredProxyPushConsumer, reference)
        await own.connect_structured_push_supplier(NIL)
        await own.push_structured_event(event_out(event("a", "b")))
        await supply.push_structured_event(event_out(event("a", "b")))

    play(part)


def test_a_consumer_without_a_port_of_its_own_gets_its_events() -> None:
    found: list[CorbaService] = []

    def find(key: bytes) -> Servant | None:
        return found[0].find(key)

    async def part() -> None:
        host = await Host.open(None)
        both_ways = Options(accept_bidirectional=Bidirectional.ALWAYS, close_seconds=0.1)
        async with Orb(both_ways, find=find) as server:
            await server.listen()
            keys = Keys(b"a secret of the tests")
            service = CorbaService(host, server, keys, MAKERS, client_options=QUICK_CLIENTS)
            found.append(service)
            async with Orb(Options(offer_bidirectional=True, close_seconds=0.1)) as client:
                made = World(client, service)
                channel = await made.channel(*FIRST_COME)
                supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
                await supply.connect_structured_push_supplier(NIL)
                consumer, _ = await joined(made, channel, kind_of(StructuredPushConsumer))
                for number in range(10):
                    await supply.push_structured_event(event_out(event("D", "T", str(number))))
                await until(lambda: len(consumer.got) == 10)
            await host.close(0.0)
            await service.clients.close()

    run(part())
