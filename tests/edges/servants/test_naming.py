"""Names, plain keys, the factory of plain channels, the agent and the advertisers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest

from tests.edges.servants.scenes import Whole, name, refused, whole
from tests.edges.servants.worlds import until
from tidings.channel.vocabulary import Place
from tidings.cos import CosNaming_auto as cos_naming
from tidings.cos import omniEvents_auto
from tidings.cos.Advertising_auto import Advertiser, ListenerServant, Offer
from tidings.cos.CosLifeCycle_auto import (
    NVP,
    CannotMeetCriteria,
    InvalidCriteria,
    NoFactory,
)
from tidings.cos.CosNaming_auto import (
    Binding,
    BindingIterator,
    BindingType,
    NameComponent,
    NamingContext,
)
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
from tidings.cos.names import register
from tidings.cos.NotificationServiceAgent_auto import Agent
from tidings.engine.access import Caller, Grant, ObjectKey
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.reference import Reference
from tidings.orb.exceptions import BAD_PARAM, IMP_LIMIT, NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.orb.ior import make_reference
from tidings.servants.advertiser import ADVERTISER
from tidings.servants.naming import ROOT, NameTree, name_text, read_name

THERE = make_reference("IDL:X:1.0", "there.example", 1, b"x")
OTHER = make_reference("IDL:X:1.0", "other.example", 1, b"x")


async def test_names_are_bound_found_and_taken_away_in_contexts_as_well() -> None:
    async with whole() as w:
        root = w.root
        inner = w.client.stub(NamingContext, await root.bind_new_context(name("in")))
        again = w.client.stub(NamingContext, await root.resolve(name("in")))
        for context, path in ((root, name("a")), (inner, name("in", "a"))):
            await context.bind(name("a"), THERE)
            assert await root.resolve(path) == THERE
            await refused(root.bind(path, OTHER), cos_naming.NamingContext_AlreadyBound)
            await root.rebind(path, OTHER)
            assert await context.resolve(name("a")) == OTHER
        assert await again.resolve(name("a")) == await root.resolve_str("a") == OTHER
        await refused(inner.destroy(), cos_naming.NamingContext_NotEmpty)
        for context in (root, inner):
            await context.unbind(name("a"))
            missing = await refused(context.resolve(name("a")), cos_naming.NamingContext_NotFound)
            assert (missing.why, missing.rest_of_name) == ("missing_node", name("a"))
        await inner.destroy()
        await refused(inner.resolve(name("a")), OBJECT_NOT_EXIST)
        await refused(root.resolve(name("in", "a")), cos_naming.NamingContext_NotFound)
        await root.bind_context(name("there"), THERE)  # contexts of others are not asked
        assert await root.resolve(name("there")) == THERE
        elsewhere = await refused(
            root.resolve(name("there", "a", "b")), cos_naming.NamingContext_CannotProceed
        )
        assert (elsewhere.cxt, elsewhere.rest_of_name) == (THERE, name("a", "b"))


async def test_a_name_may_go_on_only_in_a_context() -> None:
    async with whole() as w:
        root = w.root
        await root.bind(name("a"), THERE)
        await root.bind_new_context(name("in"))
        for call, why, rest in (
            (root.resolve(name("a", "b", "c")), "not_context", name("a", "b", "c")),
            (root.rebind_context(name("a"), THERE), "not_context", name("a")),
            (root.rebind(name("in"), THERE), "not_object", name("in")),
        ):
            told = await refused(call, cos_naming.NamingContext_NotFound)
            assert (told.why, told.rest_of_name) == (why, rest)
        await refused(root.bind_new_context(name("in")), cos_naming.NamingContext_AlreadyBound)
        await refused(root.bind_context(name("nil"), Reference()), BAD_PARAM)


async def test_a_list_is_read_to_its_end() -> None:
    async with whole() as w:
        context = w.client.stub(NamingContext, await w.root.new_context())
        for at in range(10):
            await context.bind(name(str(at)), THERE)
        listed, rest = await context.list(3)
        more = w.client.stub(BindingIterator, rest)
        there, binding = await more.next_one()
        still_there, bindings = await more.next_n(100)
        assert there
        assert still_there
        found = [*listed, binding, *bindings]
        assert found == [Binding(name(str(at)), BindingType.nobject) for at in range(10)]
        assert await more.next_one() == (False, Binding((), BindingType.nobject))
        assert await more.next_n(1) == (False, ())
        await refused(more.next_n(0), BAD_PARAM)
        await more.destroy()
        await refused(more.next_one(), OBJECT_NOT_EXIST)
        listed, rest = await context.list(10)
        assert (len(listed), rest.profiles) == (10, ())
        _, oldest = await context.list(1)
        for _ in range(100):
            await context.list(1)
        await refused(w.client.stub(BindingIterator, oldest).next_one(), OBJECT_NOT_EXIST)


async def test_the_services_own_objects_are_there() -> None:
    async with whole() as w:
        listed, _ = await w.root.list(100)
        found = {name_text(one.binding_name): one.binding_type.value for one in listed}
        objects = (
            *("NotificationService", "NotifyEventChannelFactory", "DefaultFilterFactory"),
            *("NotificationServiceAgent", "EventChannelFactory", "DefaultEventChannel"),
            *("ChannelFactory.ChannelFactory", "EventChannelFactory.EventChannelFactory"),
            *("EventChannel.EventChannel", "TradingService", "SCS", "SCNComponent"),
            *("PublisherManager", "SubscriberManager"),
        )
        contexts = dict.fromkeys(("channels", "advertisers"), "ncontext")
        assert found == {**dict.fromkeys(objects, "nobject"), **contexts}
        channel = await w.root.resolve_str("DefaultEventChannel")
        for text in ("EventChannel.EventChannel", "channels/default", "channels/1.id"):
            assert await w.root.resolve_str(text) == channel
        assert await w.client.resolve(f"corbaname::{w.address}#channels/default") == channel
        await refused(w.root.bind(name("channels", "x"), THERE), NO_PERMISSION)
        await refused(w.root.unbind(name("channels", "default")), NO_PERMISSION)
        for one in listed:
            await w.root.unbind(one.binding_name)
        await refused(w.root.destroy(), NO_PERMISSION)  # the root stays


async def test_what_is_registered_again_takes_the_place_of_what_was_there() -> None:
    async with whole() as w:
        root = await w.client.resolve(f"corbaloc::{w.address}/NameService")
        for reference in (THERE, OTHER):
            await register(w.client, root, name("plant", "line", "bell"), reference)
            assert await w.root.resolve_str("plant/line/bell") == reference


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("a", [("a", "")]),
        ("a.b/c", [("a", "b"), ("c", "")]),
        (r"a\.b/c\/d\\", [("a.b", ""), ("c/d\\", "")]),
        (".b", [("", "b")]),
        (".", [("", "")]),
    ],
)
def test_names_as_text(text: str, components: list[tuple[str, str]]) -> None:
    made = tuple(NameComponent(*one) for one in components)
    assert read_name(text) == made
    assert name_text(made) == text


async def test_texts_that_are_no_names_and_texts_and_urls_over_the_wire() -> None:
    for text in ("", "a//b", "a.", "a\\b"):
        with pytest.raises(cos_naming.NamingContext_InvalidName):
            read_name(text)
    with pytest.raises(cos_naming.NamingContext_InvalidName):
        name_text(())
    async with whole() as w:
        assert await w.root.to_string([NameComponent("a.b", "c")]) == r"a\.b.c"
        assert await w.root.to_name(r"a\.b.c") == (NameComponent("a.b", "c"),)
        assert await w.root.to_url(":host:2809", "a b/c.d") == "corbaname::host:2809#a%20b/c.d"
        await refused(w.root.to_url("no address", "a"), cos_naming.NamingContextExt_InvalidAddress)
        await refused(w.root.to_url(":host", "a//b"), cos_naming.NamingContext_InvalidName)


def tree(most: int = 3) -> NameTree:
    made: dict[Reference, int] = {}

    def refer(id: int) -> Reference:
        reference = make_reference("IDL:X:1.0", "here", 1, str(id).encode())
        made[reference] = id
        return reference

    return NameTree(refer, made.get, most)


def test_names_and_contexts_are_bounded() -> None:
    names = tree()
    for id in "abc":
        names.bind(ROOT, name(id), Reference())
    with pytest.raises(IMP_LIMIT):
        names.bind(ROOT, name("d"), Reference())
    names.bind(ROOT, name("a"), Reference(), again=True)
    names.unbind(ROOT, name("a"))
    names.bind(ROOT, name("d"), Reference())
    with pytest.raises(IMP_LIMIT):
        names.bind(ROOT, name("e"), Reference())
    names = tree()
    for id in "ab":
        names.new_context(ROOT, name(id))
    with pytest.raises(IMP_LIMIT):
        names.new_context()
    found = names.resolve(ROOT, name("a")).context
    assert found is not None
    names.destroy(found)
    names.new_context()


def test_the_log_tells_once_that_no_more_fits(caplog: pytest.LogCaptureFixture) -> None:
    names = tree(1)
    caplog.set_level(logging.WARNING, "tidings.servants.naming")
    for told in (1, 2):
        names.bind(ROOT, name("a"), Reference())
        for _ in range(3):
            with pytest.raises(IMP_LIMIT, match=r"iiop\.max_names"):
                names.bind(ROOT, name("b"), Reference())
        assert len(caplog.records) == told
        names.unbind(ROOT, name("a"))


def test_references_ids_and_kinds_are_bounded() -> None:
    names = tree()
    names.bind(ROOT, name("a"), Reference("IDL:X:1.0", [(0, b"x" * 8_000)]))
    with pytest.raises(IMP_LIMIT, match="8192"):
        names.bind(ROOT, name("b"), Reference("IDL:X:1.0", [(0, b"x" * 5_000)] * 2))
    with pytest.raises(IMP_LIMIT):
        names.bind(ROOT, name("b"), Reference("x" * 9_000, [(0, b"")]))
    names.bind(ROOT, (NameComponent("a" * 1_000, "b" * 24),), Reference())
    for long in ((NameComponent("a" * 1_000, "b" * 25),), name(*["a"] * 65)):
        with pytest.raises(cos_naming.NamingContext_InvalidName):
            names.bind(ROOT, long, Reference())


CHANNEL = (NameComponent("EventChannel", "object interface"),)


async def test_a_channel_is_made_as_the_criteria_ask() -> None:
    async with whole() as w:
        factory = w.plain(omniEvents_auto.EventChannelFactory, "omniEvents")
        numbers = {"MaxQueueLength": 5, "MaxNumProxies": 7, "CyclePeriod_ns": 100}
        criteria = [NVP(key, Any(tc.ULONG, number)) for key, number in numbers.items()]
        criteria += [NVP("InsName", "plain"), NVP("FilterId", "IDL:it's/a\\\\one:1.0")]
        made = w.client.stub(EventChannel, await factory.create_object(CHANNEL, criteria))
        assert dict(await made.get_qos())["MaxEventsPerConsumer"] == 5
        admin = dict(await made.get_admin())
        assert admin["MaxConsumers"] == admin["MaxSuppliers"] == 7
        assert await w.plain(EventChannel, "plain").get_all_consumeradmins() == (0,)
        told = await refused(
            factory.create_object(CHANNEL, [NVP("InsName", "default")]), CannotMeetCriteria
        )
        assert [one.name for one in told.unmet_criteria] == ["InsName"]
        assert await factory.supports(CHANNEL)
        other = (NameComponent("Printer", "object interface"),)
        assert not await factory.supports(other)
        await refused(factory.create_object(other, []), NoFactory)


async def test_a_bad_criterion_is_told_and_leaves_no_channel_behind() -> None:
    async with whole() as w:
        factory = w.plain(omniEvents_auto.EventChannelFactory, "omniEvents")
        for bad in (
            *(NVP("Colour", "red"), NVP("MaxQueueLength", True), NVP("MaxNumProxies", "7")),
            *(NVP("MaxQueueLength", Any(tc.LONG, -1)), NVP("FilterId", "x" * 70_000)),
            *(NVP("InsName", ""), NVP("InsName", "x" * 257)),
        ):
            told = await refused(
                factory.create_object(CHANNEL, [NVP("MaxNumProxies", Any(tc.LONG, 7)), bad]),
                InvalidCriteria,
            )
            assert [one.name for one in told.invalid_criteria] == [bad.name]
            assert list(w.opened.service.host.factory.channels) == [1]


async def test_plain_keys_lead_to_the_services_objects() -> None:
    async with whole() as w:
        for key in ("NotificationService", "NotifyEventChannelFactory"):
            assert await w.plain(EventChannelFactory, key).get_all_channels() == (1,)
        made = await w.plain(FilterFactory, "DefaultFilterFactory").create_filter("EXTENDED_TCL")
        assert made.type_id == "IDL:omg.org/CosNotifyFilter/Filter:1.0"
        for key in ("DefaultEventChannel", "default"):
            assert await w.plain(EventChannel, key).get_all_consumeradmins() == (0,)
        for key in ("", "nonsense", "1"):
            await refused(w.plain(EventChannel, key).get_all_consumeradmins(), OBJECT_NOT_EXIST)


async def test_plain_keys_are_for_callers_on_this_machine_unless_opened() -> None:
    for opened in (False, True):
        async with whole(open_well_known=opened) as made:
            service = made.opened.service
            for key in (b"NameService", b"default"):
                assert (service.find(key) is not None) is opened
            assert service.find_near(b"NameService") is not None
            assert service.find(b"nonsense") is None


async def test_the_agent_leads_to_both_factories_and_tells_settings() -> None:
    async with whole() as w:
        agent = w.plain(Agent, "NotificationServiceAgent")
        factory = w.client.stub(EventChannelFactory, await agent.getECF())
        assert await factory.get_all_channels() == (1,)
        filters = w.client.stub(FilterFactory, await agent.getFF())
        assert (await filters.create_filter("EXTENDED_TCL")).profiles
        assert await agent.getProperty("http.port") == "8080"
        old = "de.unimuenchen.informatik.mnm.NotificationService.httpport"
        assert await agent.getProperty(old) == "8080"
        assert await agent.getProperty("nonsense") == ""


class Listener(ListenerServant):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, list[EventType], list[EventType]]] = []

    async def offer_change(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        self.told.append(("offers", [*added], [*removed]))

    async def subscription_change(
        self, added: Sequence[EventType], removed: Sequence[EventType]
    ) -> None:
        self.told.append(("wants", [*added], [*removed]))


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


async def test_the_advertiser_tells_what_is_offered_and_wanted_and_by_whom() -> None:
    async with whole() as w:
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
        await refused(told.offers_of(EventType("A", "%NONE")), InvalidEventType)


async def test_listeners_are_told_of_changes_until_they_are_detached() -> None:
    async with whole() as w:
        supplier, consumer = await clients(w)
        told, listener = await advertiser(w), Listener()
        await w.client.listen()
        id = await told.attach(w.client.activate(listener, b"listener"))
        await supplier.offer_change([EventType("A", "B")], [])
        await until(lambda: len(listener.told) == 1)
        await consumer.subscription_change([EventType("A", "*")], [])
        await until(lambda: len(listener.told) == 2)
        assert listener.told == [
            ("offers", [("A", "B")], []),
            ("wants", [("A", "*")], [("", "%ALL")]),
        ]
        await told.detach(id)
        await refused(told.detach(id), CallbackNotFound)
        await supplier.offer_change([], [EventType("A", "B")])
        await asyncio.sleep(0.7)
        assert len(listener.told) == 2


async def test_a_listener_is_detached_by_who_attached_it_or_by_the_owner() -> None:
    async with whole() as w:
        await w.client.listen()
        service = w.opened.service
        listener = w.client.activate(Listener(), b"listener")
        seen: list[Advertiser] = []
        for grant, scope in enumerate((None, None, Place(2)), 1):
            service.grants[grant] = Grant(grant, Caller(f"user {grant}", scope=scope))
            key = ObjectKey(ADVERTISER, (1,), grant)
            seen.append(w.client.stub(Advertiser, service.reference(key, Advertiser.INTERFACE)))
        ann, bob, eve = seen
        anns, bobs = await ann.attach(listener), await bob.attach(listener)
        await refused(bob.detach(anns), NO_PERMISSION)
        await ann.detach(anns)
        await (await advertiser(w)).detach(bobs)
        await refused(bob.detach(bobs), CallbackNotFound)
        await refused(eve.attach(listener), NO_PERMISSION)


async def test_ids_of_listeners_cannot_be_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.servants.advertiser._MOST_LISTENERS", 20)
    async with whole() as w:
        told = await advertiser(w)
        await w.client.listen()
        listener = w.client.activate(Listener(), b"listener")
        ids = {await told.attach(listener) for _ in range(20)}
        assert len(ids) == 20
        await refused(told.attach(listener), IMP_LIMIT)
        assert max(ids) > 1_000_000
        for id in set(range(1, 22)) - ids:
            await refused(told.detach(id), CallbackNotFound)


async def test_listeners_that_are_none() -> None:
    async with whole() as w:
        told = await advertiser(w)
        await refused(told.attach(Reference()), BAD_PARAM)
        await w.client.listen()
        gone = w.client.reference(b"gone", "IDL:tidings/Advertising/Listener:1.0")
        id = await told.attach(gone)
        supplier, _ = await clients(w)
        await supplier.offer_change([EventType("A", "B")], [])
        # It is dropped as soon as it says that it does not exist.
        await until(lambda: not w.opened.advertisers._watches)
        await refused(told.detach(id), CallbackNotFound)


async def test_the_advertiser_of_a_channel_that_is_no_more() -> None:
    async with whole() as w:
        told = await advertiser(w)
        await w.client.listen()
        await told.attach(w.client.activate(Listener(), b"listener"))
        await w.plain(EventChannel, "default").destroy()
        await refused(told.offered_types(), OBJECT_NOT_EXIST)
        await until(lambda: not w.opened.advertisers._watches)
