"""Change notification through CORBA: the facts of the sources' test plans, and every exception."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import current_thread
from typing import Final
from urllib.parse import quote

import pytest

from tests.edges.engine.hosts import until
from tests.edges.servants.change_scenes import (
    BANK,
    KIND,
    LASER,
    PROXIES,
    AnyStub,
    Batches,
    Callback,
    Changing,
    Documents,
    Structured,
    T,
    bank,
    changing,
    content,
    five,
    published,
    pulled,
    qos,
)
from tests.edges.servants.scenes import refused
from tests.edges.servants.towns import town
from tidings.changes import documents
from tidings.changes.requests import (
    DisconnectProxySubscriber,
    RegisterSubscriber,
    SetChangeSettings,
)
from tidings.changes.xml import read_notice
from tidings.cos import change_notices
from tidings.cos import scncomm_auto as comm
from tidings.cos import scnmesg_auto as mesg
from tidings.cos.change_notices import NO_MESSAGE
from tidings.cos.CosNaming_auto import NameComponent, NamingContext
from tidings.cos.CosTrading_auto import (
    DuplicatePropertyName,
    IllegalOfferId,
    IllegalPropertyName,
    IllegalServiceType,
    Lookup,
    MissingMandatoryProperty,
    Register,
    Register_InvalidObjectRef,
    Register_OfferInfo,
    UnknownOfferId,
    UnknownServiceType,
)
from tidings.cos.CosTrading_auto import Property as Value
from tidings.cos.CosTradingRepos_auto import (
    ServiceTypeRepository,
    ServiceTypeRepository_PropertyMode,
    ServiceTypeRepository_PropStruct,
)
from tidings.cos.mapping import boxed
from tidings.cos.NotificationServiceAgent_auto import Agent
from tidings.cos.scnmanager_auto import EventManager, PublisherManager, SubscriberManager
from tidings.cos.SCSModule_auto import SCS, InvalidIDL
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent
from tidings.grants.model import Verb
from tidings.orb.aio import Orb
from tidings.orb.exceptions import NO_IMPLEMENT, NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.orb.ior import NIL, profile_of
from tidings.servants.endpoints import ClientOptions
from tidings.servants.subscribers import party_number
from tidings.trader.model import PropertyDef, PropertyMode
from tidings.trader.requests import AddServiceType, ExportOffer, SeeOffers

ALL: Final = ["EV1", "EV2", "EV3", "EV4", "EV5"]


MINUTE: Final = 60 * 10_000_000
"""As TimeT."""
F: Final = comm.FilterEventType


async def test_each_of_the_six_kinds_gets_all_five() -> None:
    async with changing() as world:
        admin = await world.register("me")
        await admin.set_qos(qos(MaximumBatchSize=2, PacingInterval=5 * MINUTE))
        found = {type: await world.connected(admin, type) for type in T}
        await world.announce()
        for type, (proxy, callback) in found.items():
            if callback is None:
                heard = await pulled(proxy, type)
            elif type is T.PUSH_STRUCTURED_SEQUENCE:
                await callback.until(lambda one: len(one.heard) >= 2)
                assert callback.heard == [["EV1", "EV2"], ["EV3", "EV4"]]  # the last one waits
                await proxy.set_qos(qos(PacingInterval=1))
                await callback.until(lambda one: len(one.heard) > 2)
                heard = callback.heard
            else:
                await callback.until(lambda one: len(one.ids) == len(ALL))
                heard = callback.heard
            assert [id for call in heard for id in call] == ALL
            sizes = [2, 2, 1] if "SEQUENCE" in type.name else [1] * 5
            assert [len(call) for call in heard] == sizes


async def test_a_batch_is_collected_until_it_is_full_or_the_interval_is_over() -> None:
    async with changing() as world:
        admin = await world.register("me")
        proxy, _ = await world.connected(admin, T.PULL_STRUCTURED_SEQUENCE)
        assert await proxy.pull_sequence_structured_event(2) == ((), False)
        await proxy.set_qos(qos(PacingInterval=5 * MINUTE))
        collected = asyncio.ensure_future(proxy.pull_sequence_structured_event(5))
        await world.announce()
        batch, has = await collected
        assert ([one.header.message_id for one in batch], has) == (ALL, True)
        await proxy.set_qos(qos(PacingInterval=1))
        assert await proxy.pull_sequence_structured_event(5) == ((), False)


ORDERS: Final = [
    # OrderPolicy, DiscardPolicy, MaxEventsPerProxy, MaxQueueLength -> what arrives, in order
    ({}, 3, ["EV1", "EV2", "EV3"]),
    ({}, 5, ALL),
    ({"OrderPolicy": comm.DeadlineOrder}, 0, ["EV1", "EV5", "EV3", "EV2", "EV4"]),
    ({"OrderPolicy": comm.PriorityOrder}, 0, ["EV2", "EV4", "EV3", "EV1", "EV5"]),
    ({"DiscardPolicy": comm.PriorityOrder}, 3, ["EV2", "EV3", "EV4"]),
    ({"DiscardPolicy": comm.FifoOrder}, 3, ["EV3", "EV4", "EV5"]),
    ({"MaxQueueLength": 2}, 3, ["EV1", "EV2"]),
]


@pytest.mark.parametrize(("given", "most", "arrive"), ORDERS)
async def test_order_and_discarding(given: dict[str, int], most: int, arrive: list[str]) -> None:
    async with changing() as world:
        await world.host.ask(SetChangeSettings(max_events_per_proxy=most))
        admin = await world.register("me")
        proxy, _ = await world.connected(admin, T.PULL_STRUCTURED)
        await proxy.set_qos(qos(**given))
        assert {one.name for one in await proxy.get_qos()} == set(given)
        await world.announce()
        assert await pulled(proxy, T.PULL_STRUCTURED) == [[id] for id in arrive]


FILTERS: Final = [
    (
        [
            content(services=[("Bank", "$Name == 'ISEL-Bank' and $ReservedFund > 100000")]),
            content(services=[("Printer", "")]),
        ],
        ["EV2", "EV3", "EV4"],
    ),
    ([content(F.INSTANTIATION_SERVICE_EVENT)], ["EV1", "EV5"]),
    ([content(F.CHANGE_SERVICE_EVENT)], ["EV2", "EV3", "EV4"]),
    ([content(iors=["corbaloc::192.0.2.1/CP-Bank"])], ["EV5"]),
    (
        [content(services=[("Bank", "$ReservedFund > 1e8")], iors=["corbaloc::192.0.2.1/laser"])],
        ["EV1", "EV2", "EV3"],
    ),
    ([content(services=[("Scanner", "")])], []),
]


@pytest.mark.parametrize(("filters", "arrive"), FILTERS)
async def test_filters(filters: list[comm.FilterContent], arrive: list[str]) -> None:
    async with changing() as world:
        admin = await world.register("me")
        proxy, _ = await world.connected(admin, T.PULL_XML)
        ids = [await proxy.addFilter(one) for one in filters]
        assert ids == [f"F{at}" for at in range(1, len(filters) + 1)]
        await world.announce()
        assert await pulled(proxy, T.PULL_XML) == [[id] for id in arrive]


async def test_filters_are_listed_found_and_removed() -> None:
    async with changing() as world:
        admin = await world.register("me")
        proxy = await world.proxy(admin, T.PULL_XML)
        for held in (proxy, admin):
            first, second = content(services=[("Bank", "$x > 1")]), content(iors=["IOR:00"])
            assert [await held.addFilter(one) for one in (first, second)] == ["F1", "F2"]
            assert await held.getAllFilterID() == ("F1", "F2")
            assert await held.getFilter("F2") == comm.FilterInfo("F2", second)
            assert [one.filter for one in await held.getAllFilters()] == [first, second]
            await held.removeFilter("F2")
            assert await held.getAllFilterID() == ("F1",)
            await refused(held.getFilter("F2"), comm.FilterNotFound)
            await refused(held.removeFilter("F2"), comm.FilterNotFound)
            bad = content(services=[("Bank", "$x >")])
            await refused(held.addFilter(bad), comm.IllegalConstraint)
            await held.remove_all_filters()
            assert await held.getAllFilters() == ()


async def test_limits_of_subscribers() -> None:
    async with changing() as world:
        await world.host.ask(SetChangeSettings(max_subscribers=5))
        made = [await world.register(f"S{at}") for at in range(5)]
        await refused(world.register("S5"), comm.ExceedSubscriberLimit)
        await refused(world.register("S0"), comm.DuplicatedSubscriberID)
        limits = SetChangeSettings(max_subscribers=10, max_connected_subscribers=5)
        await world.host.ask(limits)
        made += [await world.register(f"S{at}") for at in range(5, 10)]
        proxies = [await world.proxy(one, T.PULL_XML) for one in made]
        for proxy in proxies[:5]:
            await proxy.connect(NIL)
        for proxy in proxies[5:]:
            await refused(proxy.connect(NIL), comm.ExceedConnectSubscriberLimit)
        await proxies[0].disconnect()
        await proxies[9].connect(NIL)
        await world.host.ask(SetChangeSettings(max_connected_subscribers=10))
        for proxy in (proxies[0], *proxies[5:9]):
            await proxy.connect(NIL)


async def test_the_life_of_a_subscriber() -> None:
    async with changing() as world:
        admin = await world.register("me", "secret")
        manager = world.subscribers
        found = world.stub(comm.AdminSubscriber, await manager.getAdminSubscriber("me", "secret"))
        assert await found.get_adminID() == await admin.get_adminID() == "me"
        await refused(manager.getAdminSubscriber("you", "secret"), comm.NotFoundSubscriberID)
        for wrong in ("Secret", ""):
            await refused(manager.getAdminSubscriber("me", wrong), comm.InvalidPassword)
            await refused(manager.unregisterSubscriber("me", wrong), comm.InvalidPassword)
        for at, type in enumerate(T, 1):
            reference, id = await admin.createProxySubscriber(type)
            assert id == f"PS{at:02}"
            assert reference.type_id == PROXIES[type].INTERFACE.id
            await refused(admin.createProxySubscriber(type), comm.AlreadyHaveTheType)
            proxy = world.stub(PROXIES[type], await admin.getProxySubscriber(id))
            assert await proxy.get_proxyID() == id
            assert await proxy.get_MyType() == await proxy.get_proxyType() == type
        assert len(await admin.getAllProxySubscriber()) == len(T)
        await admin.destroyProxySubscriber("PS02")
        await refused(admin.destroyProxySubscriber("PS02"), comm.NotFoundProxy)
        await refused(admin.getProxySubscriber("PS02"), comm.NotFoundProxy)
        await proxy.destroy()
        await refused(proxy.get_proxyID(), OBJECT_NOT_EXIST)
        assert len(await admin.getAllProxySubscriber()) == len(T) - 2
        await admin.destroyAllProxySubscriber()
        assert await admin.getAllProxySubscriber() == ()
        await manager.unregisterSubscriber("me", "secret")
        await refused(manager.unregisterSubscriber("me", "secret"), comm.NotFoundSubscriberID)
        await refused(manager.getAdminSubscriber("me", "secret"), comm.NotFoundSubscriberID)
        await refused(admin.getAllProxySubscriber(), OBJECT_NOT_EXIST)


async def test_who_is_disconnected_gets_nothing_and_all_of_it_later() -> None:
    async with changing() as world:
        admin = await world.register("me")
        pull, _ = await world.connected(admin, T.PULL_STRUCTURED)
        push, callback = await world.connected(admin, T.PUSH_STRUCTURED)
        assert callback is not None
        await refused(pull.connect(NIL), comm.AlreadyConnected)
        await refused(push.connect(world.callback(callback)), comm.AlreadyConnected)
        for proxy in (pull, push):
            await proxy.disconnect()
            await refused(proxy.disconnect(), comm.AlreadyDisconnected)
        await refused(pull.pull_structured_event(), comm.Disconnected)
        await world.announce()
        assert callback.heard == []
        await pull.connect(NIL)
        assert await pulled(pull, T.PULL_STRUCTURED) == [[id] for id in ALL]
        other = Structured()
        await push.connect(world.callback(other))
        await other.until(lambda one: one.ids == ALL)
        assert callback.ended == 0
        await push.destroy()
        await other.until(lambda one: one.ended == 1)


async def test_a_callback_that_cannot_be_reached_loses_nothing() -> None:
    async with changing() as world:
        admin = await world.register("me")
        push, callback = await world.connected(admin, T.PUSH_XML)
        assert callback is not None
        world.servants.clear()
        await world.announce()
        channel = next(iter(world.host.channels.values()))
        (proxy,) = (one for one in channel.proxies.values() if one.name == "me/PS01")
        await until(lambda: proxy.suspended)
        await push.connect(world.callback(callback))  # it need not disconnect first
        await callback.until(lambda one: one.ids == ALL)


async def test_a_subscriber_that_has_ended_can_come_back() -> None:
    async with changing(clients=ClientOptions(probe_seconds=0.01)) as world:
        admin = await world.register("me")
        push, callback = await world.connected(admin, T.PUSH_STRUCTURED)
        assert callback is not None
        world.servants.clear()  # nobody is told: the service finds out by itself
        channel = next(iter(world.host.channels.values()))
        proxy = channel.proxies[channel.names["me/PS01"]]
        await until(lambda: proxy.suspended)
        assert proxy.id in channel.proxies
        await world.announce()
        await push.connect(world.callback(callback))
        await callback.until(lambda one: one.ids == ALL)


async def test_wrong_callbacks_are_refused_and_nobody_is_connected() -> None:
    async with changing() as world:
        admin = await world.register("me")
        push, pull = [await world.proxy(admin, one) for one in (T.PUSH_STRUCTURED, T.PULL_XML)]
        wrong = world.callback(Documents())
        for proxy, client in ((push, wrong), (push, NIL), (pull, wrong)):
            await refused(proxy.connect(client), comm.TypeError)
            await refused(proxy.disconnect(), comm.AlreadyDisconnected)


async def test_without_lxml_nobody_connects_for_xml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "etree", None)
    async with changing() as world:
        admin = await world.register("me")
        for type in (T.PUSH_XML, T.PULL_XML):
            proxy = await world.proxy(admin, type)
            await refused(proxy.connect(NIL), NO_IMPLEMENT)


async def test_bad_properties_are_refused() -> None:
    async with changing() as world:
        admin = await world.register("me")
        proxy = await world.proxy(admin, T.PULL_XML)
        bad = (
            qos(Colour=1),
            qos(OrderPolicy=9),
            (comm.Property("OrderPolicy", "first"),),
            (comm.Property("PriorityOverride", override(("$Speed >", 3))),),
            (comm.Property("PriorityOverride", override(("", 11))),),
        )
        for one in bad:
            await refused(proxy.set_qos(one), comm.UnsupportedQoS)
            await refused(admin.set_qos(one), comm.UnsupportedQoS)
        given = (
            *qos(OrderPolicy=2, DiscardPolicy=2, MaxQueueLength=9, MaximumBatchSize=3),
            *qos(PacingInterval=MINUTE),
            comm.Property("PriorityOverride", override(("$Speed > 10", 1))),
        )
        await proxy.set_qos(given)
        held = {name: boxed(value) for name, value in await proxy.get_qos()}
        assert held == {name: boxed(value) for name, value in given}


def override(*pairs: tuple[str, int]) -> AnyValue:
    made = tuple(comm.OverriddenPriority(*one) for one in pairs)
    return AnyValue(comm.OverriddenPrioritySeq_TYPE, made)


async def test_a_subscriber_overrides_priorities() -> None:
    async with changing() as world:
        admin = await world.register("me")
        proxy, _ = await world.connected(admin, T.PULL_STRUCTURED)
        rates = comm.Property("PriorityOverride", override(("$Interest_rate > 5.1", 10)))
        await proxy.set_qos((*qos(OrderPolicy=comm.PriorityOrder), rates))
        await world.announce()
        ordered = [id for (id,) in await pulled(proxy, T.PULL_STRUCTURED)]
        assert ordered == ["EV2", "EV4", "EV5", "EV3", "EV1"]


async def test_only_a_registered_evolver_announces() -> None:
    async with changing(password="pw") as world:
        message = five(world.host.time())[0]
        await refused(world.publishers.notify(message), comm.NotFoundPublisherID)
        again = world.publishers.registerPublisher("CU", "pw", "")
        await refused(again, comm.DuplicatedPublisherID)
        bare = message._replace(body=message.body._replace(descriptions=()))
        told = await refused(world.evolver.notify(bare), comm.InvalidMessage)
        assert "0 services are described" in told.why
        high = message._replace(header=message.header._replace(priority=11))
        assert "priority" in (await refused(world.evolver.notify(high), comm.InvalidMessage)).why
        await refused(world.publishers.unregisterPublisher("CU", "no"), comm.InvalidPassword)
        await world.publishers.unregisterPublisher("CU", "pw")
        await refused(world.evolver.notify(message), comm.NotFoundPublisherID)
        events = world.known(EventManager, "SCNComponent")
        await refused(events.processEventMesg(NO_MESSAGE), NO_PERMISSION)
        found = world.stub(PublisherManager, await events.get_publisherManager_if())
        assert (await found.get_subscriberManager_if()).type_id == SubscriberManager.INTERFACE.id


async def test_the_lowest_priority_of_all_that_wait_goes_first() -> None:
    async with changing() as world:
        await world.host.ask(SetChangeSettings(max_events_per_proxy=10))
        admin = await world.register("A")
        proxy, _ = await world.connected(admin, T.PULL_XML)
        await proxy.set_qos(qos(DiscardPolicy=comm.PriorityOrder))
        service = bank("CU-Bank", 1e9, 5.0)
        priorities = [5, 5, 1, 5, 5, 5, 5, 5, 2, 3, 4]
        await world.announce(
            [published(0, KIND.INSTANTIATION_SERVICE, one, 0, service) for one in priorities]
        )
        found = [id for (id,) in await pulled(proxy, T.PULL_XML)]
        assert found == [f"EV{at}" for at in range(1, 12) if at != 3]


async def test_the_trader_tells_of_its_changes_at_once() -> None:
    async with changing() as world:
        lookup = world.known(Lookup, "TradingService")
        types = world.stub(ServiceTypeRepository, await lookup.get_type_repos())
        register = world.stub(Register, await lookup.get_register_if())
        mode = ServiceTypeRepository_PropertyMode.PROP_MANDATORY
        defined = (ServiceTypeRepository_PropStruct("Name", tc.STRING, mode),)
        await types.add_type("Bank", "IDL:Bank:1.0", defined, ())
        await types.add_type("Bank_2", "IDL:Bank_2:1.0", defined, ("Bank",))
        admin = await world.register("me")
        proxy, _ = await world.connected(admin, T.PULL_STRUCTURED)
        target = world.client.reference(b"bank", "IDL:Bank:1.0")
        old = (Value("Name", "CU"),)
        first = await register.export(target, "Bank", old)
        await register.modify(first, (), (Value("Name", "CP"),))
        new = Register_OfferInfo(target, "Bank_2", old)
        second = await world.scs.modifyServiceOffer_NewType(first, new, True)
        assert second == "Bank_2/2"
        await refused(register.withdraw(first), UnknownOfferId)
        kept = await world.scs.modifyServiceOffer_NewType(second, new, False)
        await register.withdraw(kept)
        await register.withdraw(second)
        await world.settled()
        heard = []
        while (answer := await proxy.pull_structured_event())[1]:
            header, body, _ = answer[0]
            assert header.time_indicator == mesg.TimeIndicator.IMMEDIATE
            services = [(one.type.name, one.properties) for one in body.descriptions]
            heard.append((header.message_type, services, body.modified))
        cp, cu = ("Bank", (Value("Name", "CP"),)), ("Bank_2", old)
        assert heard == [
            (KIND.INSTANTIATION_SERVICE, [("Bank", old)], ()),
            (KIND.CHANGE_PROPERTY_VAL, [("Bank", old)], cp[1]),
            (KIND.CHANGE_TYPE, [cp, cu], ()),
            (KIND.CHANGE_TYPE, [cu, cu], ()),
            (KIND.REMOVAL_SERVICE, [cu], ()),
            (KIND.REMOVAL_SERVICE, [cu], ()),
        ]


NOT_REPLACED: Final = [
    ("Bank", "Bank/9", "Bank", "Name", UnknownOfferId),
    ("Bank", "x", "Bank", "Name", IllegalOfferId),
    ("Bank", "Bank/1", "No", "Name", UnknownServiceType),
    ("Bank", "Bank/1", "1", "Name", IllegalServiceType),
    ("Bank", "Bank/1", "Bank", "1", IllegalPropertyName),
    ("Bank", "Bank/1", "Bank", "Other", MissingMandatoryProperty),
    ("", "Bank/1", "Bank", "Name", Register_InvalidObjectRef),
]


async def test_an_offer_that_cannot_be_replaced_stays() -> None:
    async with changing() as world:
        await world.host.ask(
            AddServiceType("Bank", "", (PropertyDef("Name", tc.STRING, PropertyMode.MANDATORY),))
        )
        await world.host.ask(ExportOffer("Bank", "corbaloc::192.0.2.1/a", {"Name": "CU"}))
        target = world.client.reference(b"bank", "IDL:Bank:1.0")
        for there, offer, type, name, kind in NOT_REPLACED:
            new = Register_OfferInfo(target if there else NIL, type, (Value(name, "CU"),))
            await refused(world.scs.modifyServiceOffer_NewType(offer, new, True), kind)
        twice = Register_OfferInfo(target, "Bank", (Value("Name", "a"), Value("Name", "b")))
        await refused(
            world.scs.modifyServiceOffer_NewType("Bank/1", twice, True), DuplicatePropertyName
        )
        assert [one.id for one in await world.host.ask(SeeOffers())] == ["Bank/1"]


async def test_all_begin_at_names_and_references_are_kept(tmp_path: Path) -> None:
    async with changing(tmp_path) as world:
        names = world.known(NamingContext, "NameService")
        for id in ("SCS", "SCNComponent", "PublisherManager", "SubscriberManager"):
            found = await names.resolve((NameComponent(id, ""),))
            assert found.type_id == world.opened.reference(id).type_id
        components = await world.scs.get_subscriberManager_if()
        assert components.type_id == SubscriberManager.INTERFACE.id
        admin = await world.register("me")
        proxy = await world.proxy(admin, T.PULL_XML)
        await proxy.connect(NIL)
        kept = [one._reference for one in (admin, proxy, world.evolver)]
    async with changing(tmp_path, register=False) as world:
        admin = again(world, comm.AdminSubscriber, kept[0])
        proxy = again(world, comm.XMLProxyPullSubscriber, kept[1])
        world.evolver = again(world, PublisherManager, kept[2])
        assert await admin.get_adminID() == "me"
        await world.announce()
        assert await pulled(proxy, T.PULL_XML) == [[id] for id in ALL]


def again(world: Changing, cls: type[AnyStub], reference: Reference) -> AnyStub:
    """An object of before, at the service's new address."""
    profile = profile_of(reference)
    assert profile is not None
    return world.client.stub(cls, f"corbaloc::{world.address}/{quote(profile.key)}")


async def test_a_restarted_service_calls_its_subscribers_again(tmp_path: Path) -> None:
    callbacks: dict[bytes, Callback] = {b"a": Documents(), b"b": Batches()}
    kinds = (T.PUSH_XML, T.PUSH_STRUCTURED_SEQUENCE)
    async with Orb(find=callbacks.get) as listener:
        await listener.listen()
        async with changing(tmp_path) as world:
            admin = await world.register("me")
            for key, type in zip(callbacks, kinds, strict=True):
                proxy = await world.proxy(admin, type)
                await proxy.connect(listener.reference(key, callbacks[key].INTERFACE))
            left = await world.proxy(admin, T.PUSH_STRUCTURED)
            gone = Structured()
            await left.connect(world.callback(gone))
            await left.disconnect()
            kept = world.evolver._reference
        async with changing(tmp_path, register=False) as world:
            world.evolver = again(world, PublisherManager, kept)
            await world.announce()
            for one in callbacks.values():
                await one.until(lambda one: one.ids == ALL)
            await world.host.ask(DisconnectProxySubscriber("me", "PS01"))  # by another door
            await world.announce([published(0, KIND.REMOVAL_SERVICE, 5, 0, LASER)])
            await callbacks[b"b"].until(lambda one: len(one.ids) > len(ALL))
            assert callbacks[b"a"].ids == ALL
            channel = next(iter(world.host.channels.values()))
            proxy = channel.proxies[channel.names["me/PS03"]]
            assert proxy.suspended  # whoever has disconnected is not called
            assert world.host.endpoint(channel.id, proxy.id) is None


async def test_a_subscriber_is_for_those_who_may_use_it() -> None:
    async with town() as made:
        agent = await made.issued(Agent, agent=True)
        scs = made.stub(SCS, await agent.getServiceChanges())
        manager = made.stub(SubscriberManager, await scs.get_subscriberManager_if())
        await refused(manager.registerSubscriber("own", "pw"), NO_PERMISSION)
        await made.grant(Verb.SUBSCRIBE)
        own = made.stub(comm.AdminSubscriber, await manager.registerSubscriber("own", ""))
        assert await own.createProxySubscriber(T.PULL_XML)
        await made.owner.request(RegisterSubscriber("other", "pw"))
        number = made.host.access.grants._status.last_credential
        key = (party_number("other"),)
        other = made.forged(comm.AdminSubscriber, "admin subscriber", key, number)
        await refused(other.createProxySubscriber(T.PULL_XML), NO_PERMISSION)
        await refused(manager.getAdminSubscriber("other", "no"), comm.InvalidPassword)
        await manager.getAdminSubscriber("other", "pw")
        assert await other.createProxySubscriber(T.PULL_XML)
        proxy = made.stub(comm.XMLProxyPullSubscriber, (await other.getAllProxySubscriber())[0])
        await proxy.connect(NIL)
        assert await pulled(proxy, T.PULL_XML) == []


async def test_long_interfaces_are_written_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    make = change_notices.Documents.make

    def recorded(self: change_notices.Documents, event: StructuredEvent) -> object:
        threads.append(current_thread().name.partition("_")[0])
        return make(self, event)

    monkeypatch.setattr(change_notices.Documents, "make", recorded)
    idl = f"interface Bank {{ {' '.join(f'void pay{at}();' for at in range(100))} }};"
    service = bank("CU-Bank", 1e9, 5.0, BANK._replace(interface_idl=idl))
    async with changing() as world:
        admin = await world.register("me")
        _, callback = await world.connected(admin, T.PUSH_XML)
        assert isinstance(callback, Documents)
        await world.announce([published(0, KIND.REMOVAL_SERVICE, 5, 0, service)])
        await world.announce()
        await callback.until(lambda one: len(one.ids) > len(ALL))
        assert callback.ids == [f"EV{at}" for at in range(1, 7)]
        assert "pay99" in callback.documents[0]
        assert (threads[0], threads[-1]) == ("beside", current_thread().name)
        threads.clear()
        pull, _ = await world.connected(admin, T.PULL_XML)
        await world.announce([published(0, KIND.REMOVAL_SERVICE, 5, 0, service)])
        assert await pulled(pull, T.PULL_XML) == [["EV7"]]
        assert threads[0] == "beside"


OLD_BANK: Final = "interface Bank { float balance(in string account); };"
NEW_BANK: Final = "interface Bank_2 { float balance(in string account, in long type); };"


async def test_notices_have_the_interfaces_that_were_loaded() -> None:
    async with changing() as world:
        bad = await refused(world.scs.load_idl("interface Bank {\n  flaot x();\n};"), InvalidIDL)
        assert "text.idl:2:3" in bad.why
        assert await world.scs.load_idl(OLD_BANK) == ("IDL:Bank:1.0",)
        assert await world.scs.load_idl(NEW_BANK) == ("IDL:Bank_2:1.0",)
        for name in ("Bank", "Bank_2"):
            await world.host.ask(AddServiceType(name, f"IDL:{name}:1.0"))
        admin = await world.register("me")
        proxy, _ = await world.connected(admin, T.PULL_XML)
        target = world.client.reference(b"bank", "IDL:Bank:1.0")
        await world.host.ask(ExportOffer("Bank", "corbaloc::192.0.2.1/a", {}))
        new = Register_OfferInfo(target, "Bank_2", ())
        await world.scs.modifyServiceOffer_NewType("Bank/1", new, True)
        await world.settled()
        await proxy.pull_xml_event()
        document, _ = await proxy.pull_xml_event()
        assert document.count('<Operation Id="IDL:Bank') == 2
        assert '<Parameter Name="type" Type="long" Mode="IN"/>' in document
        notice = read_notice(document)
        assert notice.compatible is False
        assert any("type" in one.text for one in notice.differences)
