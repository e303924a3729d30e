from __future__ import annotations

from itertools import product
from typing import TypeAlias

import pytest

from tests.unit.servants.scenes import Scene, long, play, refused, short
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyChannelAdmin_auto import (
    AdminLimitExceeded,
    ClientType,
    ConsumerAdmin,
    EventChannel,
    InterFilterGroupOperator,
    ProxyNotFound,
    SupplierAdmin,
)
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.filters.constraint import EventTypePattern
from tidings.orb.exceptions import IMP_LIMIT, OBJECT_NOT_EXIST
from tidings.servants.proxy_kinds import form_of, proxy_interface

Admins: TypeAlias = tuple[EventChannel, ConsumerAdmin, SupplierAdmin]


async def admins(scene: Scene) -> Admins:
    channel = await scene.channel()
    consumers = scene.stub(ConsumerAdmin, await channel.get_default_consumer_admin())
    suppliers = scene.stub(SupplierAdmin, await channel.get_default_supplier_admin())
    return channel, consumers, suppliers


def test_an_admin_knows_its_channel_its_id_and_its_operator() -> None:
    async def part(scene: Scene) -> None:
        channel, consumers, suppliers = await admins(scene)
        for admin in (consumers, suppliers):
            assert await admin.get_MyChannel() == channel._reference
            assert await admin.get_MyID() == 0
            assert await admin.get_MyOperator() is InterFilterGroupOperator.AND_OP

    play(part)


def test_each_of_the_twelve_kinds_of_proxies_can_be_obtained_and_found_again() -> None:
    async def part(scene: Scene) -> None:
        _, consumers, suppliers = await admins(scene)
        obtain = {
            (Side.CONSUMER, Style.PUSH): consumers.obtain_notification_push_supplier,
            (Side.CONSUMER, Style.PULL): consumers.obtain_notification_pull_supplier,
            (Side.SUPPLIER, Style.PUSH): suppliers.obtain_notification_push_consumer,
            (Side.SUPPLIER, Style.PULL): suppliers.obtain_notification_pull_consumer,
        }
        ids: dict[tuple[Side, Style], list[int]] = {kind: [] for kind in obtain}
        for (kind, ask), client in product(obtain.items(), ClientType):
            reference, id = await ask(client)
            assert reference.type_id == proxy_interface(*kind, form_of(client)).id
            ids[kind].append(id)
            side, _ = kind
            consumes = side is Side.CONSUMER
            find = consumers.get_proxy_supplier if consumes else suppliers.get_proxy_consumer
            assert await find(id) == reference
        assert list(await consumers.get_push_suppliers()) == ids[Side.CONSUMER, Style.PUSH]
        assert list(await consumers.get_pull_suppliers()) == ids[Side.CONSUMER, Style.PULL]
        assert list(await suppliers.get_push_consumers()) == ids[Side.SUPPLIER, Style.PUSH]
        assert list(await suppliers.get_pull_consumers()) == ids[Side.SUPPLIER, Style.PULL]
        for find in (consumers.get_proxy_supplier, suppliers.get_proxy_consumer):
            with pytest.raises(ProxyNotFound):
                await find(999)

    play(part)


def test_an_admin_does_not_know_the_proxies_of_another() -> None:
    async def part(scene: Scene) -> None:
        channel, consumers, suppliers = await admins(scene)
        _, id = await consumers.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        reference, _ = await channel.new_for_consumers(InterFilterGroupOperator.OR_OP)
        other = scene.stub(ConsumerAdmin, reference)
        assert not await other.get_push_suppliers()
        for find in (other.get_proxy_supplier, suppliers.get_proxy_consumer):
            with pytest.raises(ProxyNotFound):
                await find(id)

    play(part)


def test_proxies_of_the_event_service_are_in_no_list() -> None:
    async def part(scene: Scene) -> None:
        _, consumers, suppliers = await admins(scene)
        made = [
            (await consumers.obtain_push_supplier(), Side.CONSUMER, Style.PUSH),
            (await consumers.obtain_pull_supplier(), Side.CONSUMER, Style.PULL),
            (await suppliers.obtain_push_consumer(), Side.SUPPLIER, Style.PUSH),
            (await suppliers.obtain_pull_consumer(), Side.SUPPLIER, Style.PULL),
        ]
        for reference, side, style in made:
            assert reference.type_id == proxy_interface(side, style, Form.ANY, bare=True).id
            key = scene.service.own_key(reference)
            assert key is not None
            consumes = side is Side.CONSUMER
            find = consumers.get_proxy_supplier if consumes else suppliers.get_proxy_consumer
            with pytest.raises(ProxyNotFound):
                await find(key.ids[1])
        assert not await consumers.get_push_suppliers()
        assert not await suppliers.get_pull_consumers()

    play(part)


def test_a_channel_has_no_more_proxies_than_its_admin_properties_allow() -> None:
    async def part(scene: Scene) -> None:
        channel, consumers, suppliers = await admins(scene)
        await channel.set_admin([long("MaxConsumers", 1), long("MaxSuppliers", 1)])
        await consumers.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        await suppliers.obtain_push_consumer()
        for ask, name in (
            (consumers.obtain_notification_push_supplier, "MaxConsumers"),
            (consumers.obtain_notification_pull_supplier, "MaxConsumers"),
            (suppliers.obtain_notification_push_consumer, "MaxSuppliers"),
            (suppliers.obtain_notification_pull_consumer, "MaxSuppliers"),
        ):
            with pytest.raises(AdminLimitExceeded) as told:
                await ask(ClientType.SEQUENCE_EVENT)
            assert told.value.admin_property_err == (name, 1)
        for call in (consumers.obtain_push_supplier(), suppliers.obtain_pull_consumer()):
            await refused(call, IMP_LIMIT)

    play(part)


def test_event_types_are_asked_for_and_offered_at_admins() -> None:
    async def part(scene: Scene) -> None:
        _, consumers, suppliers = await admins(scene)
        (id,) = await scene.factory.get_all_channels()
        views = scene.service.host.factory.channel(id)
        bids, lots = EventType("Auction", "Bid"), EventType("Auction", "Lot*")
        await consumers.subscription_change([bids, lots], ())
        await consumers.subscription_change((), [lots, EventType("x", "never added")])
        await suppliers.offer_change([bids, lots], ())
        await suppliers.offer_change((), [bids])
        assert views.admin(Side.CONSUMER, 0).types.types == {EventTypePattern("Auction", "Bid")}
        assert views.admin(Side.SUPPLIER, 0).offered == {EventTypePattern("Auction", "Lot*")}

    play(part)


def test_event_types_outside_the_rules_are_told() -> None:
    async def part(scene: Scene) -> None:
        _, consumers, suppliers = await admins(scene)
        bad, partial = EventType("Auction", "%ALL"), EventType("Auction", "Bid*")
        for change in (consumers.subscription_change, suppliers.offer_change):
            for added, removed in (([bad], ()), ((), [bad]), ([partial], ())):
                with pytest.raises(InvalidEventType) as told:
                    await change(added, removed)
                assert told.value.type in (bad, partial)

    play(part, Settings(partial_wildcards=False))


def test_quality_of_service_is_inherited_and_can_be_changed() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        await channel.set_qos([short("Priority", 4)])
        reference, _ = await channel.new_for_consumers(InterFilterGroupOperator.AND_OP)
        admin = scene.stub(ConsumerAdmin, reference)
        qos = dict(await admin.get_qos())
        assert qos["Priority"] == Any(tc.SHORT, 4)
        assert "EventReliability" not in qos
        await admin.set_qos([short("Priority", 6)])
        assert dict(await admin.get_qos())["Priority"] == Any(tc.SHORT, 6)
        assert "Priority" not in dict(await admin.validate_qos([short("Priority", 1)]))

    play(part)


def test_an_admin_that_was_destroyed_exists_no_more_and_a_default_one_begins_anew() -> None:
    async def part(scene: Scene) -> None:
        channel, default, suppliers = await admins(scene)
        reference, id = await channel.new_for_consumers(InterFilterGroupOperator.AND_OP)
        admin = scene.stub(ConsumerAdmin, reference)
        await admin.destroy()
        for call in (admin.get_MyID(), admin.destroy(), admin.get_push_suppliers()):
            await refused(call, OBJECT_NOT_EXIST)
        assert id not in await channel.get_all_consumeradmins()
        await default.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        await default.destroy()
        assert not await default.get_push_suppliers()
        await suppliers.destroy()
        assert await suppliers.get_MyID() == 0

    play(part)
