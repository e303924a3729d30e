from __future__ import annotations

import pytest

from tests.unit.servants.scenes import UNKNOWN_OBJECT, Scene, long, play, refused, short
from tidings.cos import CosNotification_auto as notification
from tidings.cos.CosNotification_auto import Property, QoSError_code
from tidings.cos.CosNotifyChannelAdmin_auto import (
    AdminNotFound,
    ConsumerAdmin,
    EventChannelFactory,
    InterFilterGroupOperator,
    SupplierAdmin,
)
from tidings.cos.CosNotifyFilter_auto import FilterFactory
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.orb.exceptions import OBJECT_NOT_EXIST

AND, OR = InterFilterGroupOperator.AND_OP, InterFilterGroupOperator.OR_OP


def test_a_channel_leads_to_its_factory_its_default_admins_and_the_factory_of_filters() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        factory = await channel.get_MyFactory()
        assert factory == scene.factory._reference
        assert factory.type_id == EventChannelFactory.INTERFACE.id
        consumers = await channel.get_default_consumer_admin()
        suppliers = await channel.get_default_supplier_admin()
        assert consumers.type_id == ConsumerAdmin.INTERFACE.id
        assert suppliers.type_id == SupplierAdmin.INTERFACE.id
        assert await scene.stub(ConsumerAdmin, consumers).get_MyID() == 0
        assert await scene.stub(SupplierAdmin, suppliers).get_MyID() == 0
        filters = await channel.get_default_filter_factory()
        assert filters.type_id == FilterFactory.INTERFACE.id
        assert filters == scene.filters._reference

    play(part)


def test_clients_of_the_event_service_find_the_default_admins() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        assert await channel.for_consumers() == await channel.get_default_consumer_admin()
        assert await channel.for_suppliers() == await channel.get_default_supplier_admin()

    play(part)


def test_admins_are_made_listed_and_found_by_their_ids() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        consumers, one = await channel.new_for_consumers(OR)
        suppliers, other = await channel.new_for_suppliers(AND)
        assert (one, other) == (1, 1)
        assert list(await channel.get_all_consumeradmins()) == [0, 1]
        assert list(await channel.get_all_supplieradmins()) == [0, 1]
        assert await channel.get_consumeradmin(1) == consumers
        assert await channel.get_supplieradmin(1) == suppliers
        assert await scene.stub(ConsumerAdmin, consumers).get_MyOperator() is OR
        assert await scene.stub(SupplierAdmin, suppliers).get_MyOperator() is AND
        for find in (channel.get_consumeradmin, channel.get_supplieradmin):
            with pytest.raises(AdminNotFound):
                await find(2)

    play(part)


def test_properties_are_set_all_or_nothing() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        await channel.set_qos([short("Priority", 5), long("MaximumBatchSize", 8)])
        with pytest.raises(notification.UnsupportedQoS) as told:
            await channel.set_qos([short("Priority", 6), short("EventReliability", 1)])
        (bad,) = told.value.qos_err
        assert (bad.name, bad.code) == ("EventReliability", QoSError_code.UNAVAILABLE_VALUE)
        assert bad.available_range == (Any(tc.SHORT, 0), Any(tc.SHORT, 0))
        qos = dict(await channel.get_qos())
        assert (qos["Priority"], qos["MaximumBatchSize"]) == (Any(tc.SHORT, 5), 8)
        await channel.set_admin([long("MaxQueueLength", 4), Property("RejectNewEvents", False)])
        with pytest.raises(notification.UnsupportedAdmin) as refusal:
            await channel.set_admin([long("MaxQueueLength", 5), Property("MaxQueue", 1)])
        assert [one.code for one in refusal.value.admin_err] == [QoSError_code.BAD_PROPERTY]
        admin = dict(await channel.get_admin())
        assert (admin["MaxQueueLength"], admin["RejectNewEvents"]) == (4, False)

    play(part)


def test_what_else_could_be_set_is_told_and_nothing_is_changed() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        ranges = dict(await channel.validate_qos([short("Priority", 5)]))
        assert "Priority" not in ranges
        assert ranges["OrderPolicy"] == (Any(tc.SHORT, 0), Any(tc.SHORT, 3))
        assert ranges["Timeout"] == (Any(tc.ULONGLONG, 0), 2**64 - 1)
        assert dict(await channel.get_qos())["Priority"] == Any(tc.SHORT, 0)
        with pytest.raises(notification.UnsupportedQoS):
            await channel.validate_qos([long("Priority", 5)])

    play(part)


def test_a_channel_that_was_destroyed_and_all_in_it_exist_no_more() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        admin = scene.stub(ConsumerAdmin, await channel.get_default_consumer_admin())
        await channel.destroy()
        for call in (channel.get_qos(), channel.destroy(), channel.get_MyFactory()):
            assert (await refused(call, OBJECT_NOT_EXIST)).minor == UNKNOWN_OBJECT
        await refused(admin.get_MyChannel(), OBJECT_NOT_EXIST)

    play(part)
