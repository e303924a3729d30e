from __future__ import annotations

import pytest

from tests.unit.servants.scenes import ANN, Scene, expression, play, refused, short
from tidings.cos.CosEventChannelAdmin_auto import ConsumerAdmin as EventConsumerAdmin
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ClientType,
    ConsumerAdmin,
    EventChannel,
    EventChannelFactory,
    SupplierAdmin,
)
from tidings.cos.CosNotifyFilter_auto import Filter, FilterFactory, MappingFilter
from tidings.engine.access import Grant, Principal
from tidings.engine.viewing import Viewing
from tidings.events.reference import Reference
from tidings.orb.exceptions import (
    BAD_OPERATION,
    NO_PERMISSION,
    OBJECT_NOT_EXIST,
    TRANSIENT,
    UNKNOWN,
)
from tidings.orb.ior import make_reference, profile_of
from tidings.orb.stubs import OBJECT_ID, Interface


async def everything(scene: Scene) -> list[tuple[Reference, Interface]]:
    """One object of each kind."""
    channel = await scene.channel()
    return [
        (scene.factory._reference, EventChannelFactory.INTERFACE),
        (channel._reference, EventChannel.INTERFACE),
        (await channel.get_default_consumer_admin(), ConsumerAdmin.INTERFACE),
        (await channel.get_default_supplier_admin(), SupplierAdmin.INTERFACE),
        (scene.filters._reference, FilterFactory.INTERFACE),
        (await scene.filters.create_filter(""), Filter.INTERFACE),
        (await scene.filters.create_mapping_filter("", 1), MappingFilter.INTERFACE),
    ]


def test_every_object_says_all_it_is() -> None:
    async def part(scene: Scene) -> None:
        for reference, interface in await everything(scene):
            assert reference.type_id == interface.id
            anonymous = Reference("", reference.profiles)  # nothing is told without asking
            for id in (*interface.ids, OBJECT_ID):
                assert await scene.client.is_a(anonymous, id)
            assert not await scene.client.is_a(anonymous, "IDL:omg.org/CosNaming/NamingContext:1.0")
            assert not await scene.client.non_existent(reference)

    play(part)


def test_an_admin_is_one_of_the_event_service_too() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        admin = scene.stub(EventConsumerAdmin, await channel.for_consumers())
        assert (await admin.obtain_push_supplier()).type_id.endswith("/ProxyPushSupplier:1.0")

    play(part)


def test_a_key_that_was_changed_names_nothing() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        profile = profile_of(channel._reference)
        assert profile is not None
        key = bytearray(profile.key)
        key[-1] ^= 1
        other = make_reference("", profile.host, profile.port, bytes(key))
        await refused(scene.stub(EventChannel, other).get_qos(), OBJECT_NOT_EXIST)

    play(part)


def test_a_filter_is_no_mapping_filter_though_the_id_is_right() -> None:
    async def part(scene: Scene) -> None:
        await scene.filters.create_filter("")
        await refused(
            scene.known(MappingFilter, "mapping", (1,)).get_value_type(), OBJECT_NOT_EXIST
        )

    play(part)


def test_an_operation_of_another_interface_is_none() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        await refused(scene.stub(Filter, channel._reference).get_all_constraints(), BAD_OPERATION)

    play(part)


def test_who_does_not_own_the_service_may_look_and_not_change() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        (id,) = await scene.factory.get_all_channels()
        factory = scene.known(EventChannelFactory, "factory", grant=ANN)
        assert list(await factory.get_all_channels()) == [id]
        await refused(factory.create_channel((), ()), NO_PERMISSION)
        hers = scene.stub(EventChannel, await factory.get_event_channel(id))
        assert list(await hers.get_qos()) == list(await channel.get_qos())
        await refused(hers.set_qos([short("Priority", 1)]), NO_PERMISSION)
        await refused(hers.validate_qos(()), NO_PERMISSION)
        await refused(hers.set_admin(()), NO_PERMISSION)
        await refused(hers.destroy(), NO_PERMISSION)
        admin = scene.stub(ConsumerAdmin, await hers.get_default_consumer_admin())
        await refused(admin.destroy(), NO_PERMISSION)
        await refused(admin.subscription_change((), ()), NO_PERMISSION)

    play(part)


def test_what_is_reached_from_an_object_is_used_under_the_same_grant() -> None:
    async def part(scene: Scene) -> None:
        await scene.channel()
        (id,) = await scene.factory.get_all_channels()
        channel = scene.known(EventChannel, "channel", (id,), ANN)
        factory = scene.stub(FilterFactory, await channel.get_default_filter_factory())
        filter_ = await factory.create_filter("")
        admin = scene.stub(ConsumerAdmin, await channel.get_default_consumer_admin())
        proxy, _ = await admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        for reference in (
            factory._reference,
            filter_,
            admin._reference,
            proxy,
            await channel.get_MyFactory(),
            await admin.get_MyChannel(),
        ):
            key = scene.service.own_key(reference)
            assert key is not None
            assert key.grant == ANN

    play(part)


def test_a_filter_belongs_to_who_made_it() -> None:
    async def part(scene: Scene) -> None:
        scene.service.grants[8] = Grant(8, Principal("bob"))
        factory = scene.known(FilterFactory, "filter factory", grant=ANN)
        hers = scene.stub(Filter, await factory.create_filter(""))
        await hers.add_constraints([expression("$price > 3")])
        his = scene.known(Filter, "filter", (1,), 8)
        assert len(await his.get_all_constraints()) == 1
        assert await his.get_callbacks() == ()
        for call in (
            his.add_constraints([expression("")]),
            his.modify_constraints([1], ()),
            his.remove_all_constraints(),
            his.destroy(),
            his.attach_callback(hers._reference),
            his.detach_callback(1),
        ):
            await refused(call, NO_PERMISSION)
        await scene.known(Filter, "filter", (1,)).destroy()  # the owner of the service may

    play(part)


def test_a_grant_that_was_taken_back_opens_nothing() -> None:
    async def part(scene: Scene) -> None:
        factory = scene.known(EventChannelFactory, "factory", grant=ANN)
        await factory.get_all_channels()
        del scene.service.grants[ANN]
        await refused(factory.get_all_channels(), OBJECT_NOT_EXIST)

    play(part)


def test_a_grant_that_is_given_to_somebody_else_is_theirs() -> None:
    async def part(scene: Scene) -> None:
        _, mine = await scene.factory.create_channel((), ())
        factory = scene.known(EventChannelFactory, "factory", grant=ANN)
        assert await factory.get_all_channels() == (mine,)
        scene.service.grants[ANN] = Grant(ANN, Principal("bob", scope=frozenset()))
        assert await factory.get_all_channels() == ()

    play(part)


def test_a_service_that_stops_says_so() -> None:
    async def part(scene: Scene) -> None:
        await scene.service.host.drain(0.1)
        told = await refused(scene.factory.create_channel((), ()), TRANSIENT)
        assert told.minor & 0xFFF == 1

    play(part)


def test_a_fault_of_ours_is_unknown_and_logged_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(viewing: Viewing) -> list[int]:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Viewing, "channel_ids", broken)

    async def part(scene: Scene) -> None:
        await refused(scene.factory.get_all_channels(), UNKNOWN)

    play(part)
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 1
