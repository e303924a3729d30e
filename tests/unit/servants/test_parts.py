from __future__ import annotations

import pytest

from tests.unit.servants.scenes import Scene, expression, play, refused
from tidings.channel.vocabulary import Place, Side
from tidings.cos.CosNotifyChannelAdmin_auto import ConsumerAdmin, SupplierAdmin
from tidings.cos.CosNotifyFilter_auto import Filter, FilterNotFound
from tidings.engine.access import ObjectKey
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.events.reference import Reference
from tidings.orb.exceptions import BAD_PARAM, NO_IMPLEMENT
from tidings.servants.parts import place_of


async def consumer_admin(scene: Scene) -> ConsumerAdmin:
    channel = await scene.channel()
    return scene.stub(ConsumerAdmin, await channel.get_default_consumer_admin())


def test_a_key_names_a_place() -> None:
    assert place_of(ObjectKey("channel", (3,), 0)) == Place(3)
    assert place_of(ObjectKey("admin", (3, 0, 4), 0)) == Place(3, Side.SUPPLIER, 4)
    assert place_of(ObjectKey("admin", (3, 1, 4), 0)) == Place(3, Side.CONSUMER, 4)
    assert place_of(ObjectKey("proxy", (3, 5), 0)) == Place(3, proxy=5)


def test_filters_are_attached_found_and_taken_off() -> None:
    async def part(scene: Scene) -> None:
        channel = await scene.channel()
        for admin in (
            scene.stub(ConsumerAdmin, await channel.get_default_consumer_admin()),
            scene.stub(SupplierAdmin, await channel.get_default_supplier_admin()),
        ):
            filter_ = await scene.filters.create_filter("")
            first, second = await admin.add_filter(filter_), await admin.add_filter(filter_)
            assert list(await admin.get_all_filters()) == [first, second]
            assert await admin.get_filter(second) == filter_
            await admin.remove_filter(first)
            for call in (admin.get_filter(first), admin.remove_filter(first)):
                with pytest.raises(FilterNotFound):
                    await call
            await admin.remove_all_filters()
            assert not await admin.get_all_filters()

    play(part)


def test_a_filter_that_was_destroyed_is_attached_no_more_and_cannot_be() -> None:
    async def part(scene: Scene) -> None:
        admin = await consumer_admin(scene)
        filter_ = await scene.filters.create_filter("")
        await admin.add_filter(filter_)
        await scene.stub(Filter, filter_).destroy()
        assert not await admin.get_all_filters()
        await refused(admin.add_filter(filter_), BAD_PARAM)

    play(part)


def test_only_filters_of_this_service_are_attached() -> None:
    async def part(scene: Scene) -> None:
        admin = await consumer_admin(scene)
        mapping = await scene.filters.create_mapping_filter("", 1)
        for reference in (Reference(), mapping, admin._reference):
            await refused(admin.add_filter(reference), BAD_PARAM)
        await scene.client.listen()
        foreign = scene.client.reference(b"elsewhere", Filter.INTERFACE)
        await refused(admin.add_filter(foreign), NO_IMPLEMENT)
        await refused(admin.set_priority_filter(foreign), NO_IMPLEMENT)
        assert not await admin.get_all_filters()

    play(part)


def test_mapping_filters_are_set_read_and_taken_away() -> None:
    async def part(scene: Scene) -> None:
        admin = await consumer_admin(scene)
        priority = await scene.filters.create_mapping_filter("", Any(tc.SHORT, 1))
        lifetime = await scene.filters.create_mapping_filter("", Any(tc.ULONGLONG, 1))
        assert await admin.get_priority_filter() == Reference()
        await admin.set_priority_filter(priority)
        await admin.set_lifetime_filter(lifetime)
        assert await admin.get_priority_filter() == priority
        assert await admin.get_lifetime_filter() == lifetime
        await admin.set_priority_filter(Reference())
        assert await admin.get_priority_filter() == Reference()

    play(part)


def test_a_mapping_filter_of_another_type_is_refused() -> None:
    async def part(scene: Scene) -> None:
        admin = await consumer_admin(scene)
        priority = await scene.filters.create_mapping_filter("", Any(tc.SHORT, 1))
        plain = await scene.filters.create_filter("")
        for call in (admin.set_lifetime_filter(priority), admin.set_priority_filter(plain)):
            await refused(call, BAD_PARAM)
        await scene.stub(Filter, plain).add_constraints([expression("$price > 3")])

    play(part)


def test_a_mapping_filter_that_was_destroyed_cannot_be_set() -> None:
    async def part(scene: Scene) -> None:
        admin = await consumer_admin(scene)
        gone = scene.service.reference(ObjectKey("mapping", (99,), 0), Filter.INTERFACE)
        await refused(admin.set_priority_filter(gone), BAD_PARAM)

    play(part)
