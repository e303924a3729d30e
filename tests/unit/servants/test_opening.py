"""Plain keys, the agent and the advertisers of the whole service."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.unit.servants.opened import Whole, play, whole
from tidings.cos.Advertising_auto import Advertiser, ListenerServant, Offer
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ClientType,
    ConsumerAdmin,
    EventChannel,
    EventChannelFactory,
    InterFilterGroupOperator,
    StructuredProxyPullSupplier,
    StructuredProxyPushConsumer,
    SupplierAdmin,
)
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.cos.CosNotifyFilter_auto import CallbackNotFound, FilterFactory
from tidings.cos.NotificationServiceAgent_auto import Agent
from tidings.engine.access import Grant, ObjectKey, Principal
from tidings.events.reference import Reference
from tidings.orb.exceptions import BAD_PARAM, NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.servants.advertiser import ADVERTISER


def test_plain_keys_lead_to_the_services_objects() -> None:
    async def part(w: Whole) -> None:
        for key in ("NotificationService", "NotifyEventChannelFactory"):
            assert await w.plain(EventChannelFactory, key).get_all_channels() == (1,)
        made = await w.plain(FilterFactory, "DefaultFilterFactory").create_filter("EXTENDED_TCL")
        assert made.type_id == "IDL:omg.org/CosNotifyFilter/Filter:1.0"
        for key in ("DefaultEventChannel", "default"):
            assert await w.plain(EventChannel, key).get_all_consumeradmins() == (0,)
        for key in ("", "nonsense", "1"):
            with pytest.raises(OBJECT_NOT_EXIST):
                await w.plain(EventChannel, key).get_all_consumeradmins()

    play(part)


def test_plain_keys_are_for_callers_on_this_machine_unless_opened() -> None:
    async def run() -> None:
        for opened in (False, True):
            async with whole(open_well_known=opened) as made:
                service = made.opened.service
                assert (service.find(b"NameService") is not None) is opened
                assert (service.find(b"default") is not None) is opened
                assert service.find_near(b"NameService") is not None
                assert service.find(b"nonsense") is None

    asyncio.run(run())


def test_the_agent_leads_to_both_factories_and_tells_settings() -> None:
    async def part(w: Whole) -> None:
        agent = w.plain(Agent, "NotificationServiceAgent")
        factory = w.client.stub(EventChannelFactory, await agent.getECF())
        assert await factory.get_all_channels() == (1,)
        filters = w.client.stub(FilterFactory, await agent.getFF())
        assert (await filters.create_filter("EXTENDED_TCL")).profiles
        assert await agent.getProperty("http.port") == "8080"
        old = "de.unimuenchen.informatik.mnm.NotificationService.httpport"
        assert await agent.getProperty(old) == "8080"
        assert await agent.getProperty("nonsense") == ""

    play(part)


def test_the_references_of_plain_objects_are_as_short_as_old_clients_need() -> None:
    async def part(w: Whole) -> None:
        from tidings.orb.ior import to_ior

        for plain in ("NotificationService", "DefaultFilterFactory", "NotificationServiceAgent"):
            assert len(to_ior(w.opened.reference(plain))) < 512

    play(part)


def _plain(types: Sequence[EventType]) -> list[tuple[str, str]]:
    return [(one.domain_name, one.type_name) for one in types]


class Listener(ListenerServant):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, list[tuple[str, str]], list[tuple[str, str]]]] = []

    def _note(self, what: str, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        self.told.append((what, _plain(added), _plain(removed)))

    async def offer_change(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        self._note("offers", added, removed)

    async def subscription_change(
        self, added: Sequence[EventType], removed: Sequence[EventType]
    ) -> None:
        self._note("wants", added, removed)

    async def until(self, count: int) -> None:
        """Waits for so many calls."""
        while len(self.told) < count:  # noqa: ASYNC110 -- whatever is told
            await asyncio.sleep(0.01)


async def clients(w: Whole) -> tuple[StructuredProxyPushConsumer, StructuredProxyPullSupplier]:
    """A supplier and a consumer of the default channel."""
    channel = w.plain(EventChannel, "DefaultEventChannel")
    suppliers = w.client.stub(SupplierAdmin, await channel.get_default_supplier_admin())
    reference, _ = await channel.new_for_consumers(InterFilterGroupOperator.AND_OP)
    consumers = w.client.stub(ConsumerAdmin, reference)
    form = ClientType.STRUCTURED_EVENT
    to, _ = await suppliers.obtain_notification_push_consumer(form)
    supplier = w.client.stub(StructuredProxyPushConsumer, to)
    await supplier.connect_structured_push_supplier(Reference())
    out, _ = await consumers.obtain_notification_pull_supplier(form)
    consumer = w.client.stub(StructuredProxyPullSupplier, out)
    await consumer.connect_structured_pull_consumer(Reference())
    return supplier, consumer


async def advertiser(w: Whole) -> Advertiser:
    return w.client.stub(Advertiser, await w.root.resolve_str("advertisers/default"))


def test_the_advertiser_tells_what_is_offered_and_wanted_and_by_whom() -> None:
    async def part(w: Whole) -> None:
        supplier, consumer = await clients(w)
        told = await advertiser(w)
        assert await told.offered_types() == ()
        await supplier.offer_change([EventType("A", "B"), EventType("A", "C")], [])
        await consumer.subscription_change([EventType("A", "*")], [])
        assert await told.offered_types() == (("A", "B"), ("A", "C"))
        assert await told.subscribed_types() == (("A", "*"),)
        assert await told.offers_of(EventType("A", "*")) == (Offer(1, 0),)
        assert await told.offers_of(EventType("X", "*")) == ()
        suppliers = w.client.stub(SupplierAdmin, await supplier.get_MyAdmin())
        await suppliers.offer_change([EventType("X", "Y")], [])
        assert await told.offers_of(EventType("X", "*")) == (Offer(0, 0),)
        with pytest.raises(InvalidEventType):
            await told.offers_of(EventType("A", "%NONE"))

    play(part)


def test_listeners_are_told_of_changes_until_they_are_detached() -> None:
    async def part(w: Whole) -> None:
        supplier, consumer = await clients(w)
        told, listener = await advertiser(w), Listener()
        await w.client.listen()
        id = await told.attach(w.client.activate(listener, b"listener"))
        await supplier.offer_change([EventType("A", "B")], [])
        await listener.until(1)
        await consumer.subscription_change([EventType("A", "*")], [])
        await listener.until(2)
        assert listener.told == [
            ("offers", [("A", "B")], []),
            ("wants", [("A", "*")], [("", "%ALL")]),
        ]
        await told.detach(id)
        with pytest.raises(CallbackNotFound):
            await told.detach(id)
        await supplier.offer_change([], [EventType("A", "B")])
        await asyncio.sleep(0.7)
        assert len(listener.told) == 2

    play(part)


def test_a_listener_is_detached_by_who_attached_it_or_by_the_owner() -> None:
    async def part(w: Whole) -> None:
        await w.client.listen()
        service = w.opened.service
        attached: dict[str, tuple[Advertiser, int]] = {}
        for grant, who in enumerate(("ann", "bob"), 1):
            service.grants[grant] = Grant(grant, Principal(who))
            key = ObjectKey(ADVERTISER, (1,), grant)
            mine = w.client.stub(Advertiser, service.reference(key, Advertiser.INTERFACE))
            id = await mine.attach(w.client.activate(Listener(), who.encode()))
            attached[who] = mine, id
        (ann, anns), (bob, bobs) = attached["ann"], attached["bob"]
        with pytest.raises(NO_PERMISSION):
            await bob.detach(anns)
        await ann.detach(anns)
        await (await advertiser(w)).detach(bobs)
        with pytest.raises(CallbackNotFound):
            await bob.detach(bobs)

    play(part)


def test_ids_of_listeners_cannot_be_guessed() -> None:
    async def part(w: Whole) -> None:
        told = await advertiser(w)
        await w.client.listen()
        listener = w.client.activate(Listener(), b"listener")
        ids = [await told.attach(listener) for _ in range(20)]
        assert len(set(ids)) == 20
        assert max(ids) > 1_000_000
        for id in range(1, 22):
            if id not in ids:
                with pytest.raises(CallbackNotFound):
                    await told.detach(id)

    play(part)


def test_listeners_that_are_none() -> None:
    async def part(w: Whole) -> None:
        told = await advertiser(w)
        with pytest.raises(BAD_PARAM):
            await told.attach(Reference())
        await w.client.listen()
        gone = w.client.reference(b"gone", "IDL:tidings/Advertising/Listener:1.0")
        id = await told.attach(gone)
        supplier, _ = await clients(w)
        await supplier.offer_change([EventType("A", "B")], [])
        await asyncio.sleep(1.2)  # it is dropped as soon as it says that it does not exist
        with pytest.raises(CallbackNotFound):
            await told.detach(id)

    play(part)


def test_the_advertiser_of_a_channel_that_is_no_more() -> None:
    async def part(w: Whole) -> None:
        told, listener = await advertiser(w), Listener()
        await w.client.listen()
        await told.attach(w.client.activate(listener, b"listener"))
        await w.plain(EventChannel, "default").destroy()
        with pytest.raises(OBJECT_NOT_EXIST):
            await told.offered_types()
        await asyncio.sleep(0.7)

    play(part)
