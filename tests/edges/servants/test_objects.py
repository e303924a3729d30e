"""The objects of the service: channels, admins, filters, who may use them, and their errors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.servants.scenes import (
    ANN,
    UNKNOWN_OBJECT,
    Scene,
    expression,
    long,
    new_scene,
    refused,
    short,
)
from tests.edges.servants.worlds import until
from tidings import errors
from tidings.channel.property_errors import Level
from tidings.channel.qos import QOS_PROPERTIES, QoS
from tidings.channel.qos_check import changed
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Form, Place, Side, Style
from tidings.cos import CosNotification_auto as notification
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
    StructuredEvent,
)
from tidings.cos.CosNotifyChannelAdmin_auto import (
    AdminLimitExceeded,
    AdminNotFound,
    ClientType,
    ConsumerAdmin,
    EventChannel,
    EventChannelFactory,
    InterFilterGroupOperator,
    ProxyNotFound,
    ProxyPushSupplier,
    SupplierAdmin,
)
from tidings.cos.CosNotifyComm_auto import InvalidEventType, NotifySubscribeServant
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintNotFound,
    Filter,
    FilterFactory,
    FilterNotFound,
    InvalidConstraint,
    InvalidGrammar,
    InvalidValue,
    MappingConstraintInfo,
    MappingConstraintPair,
    MappingFilter,
    UnsupportedFilterableData,
)
from tidings.cos.kinds import kind_of
from tidings.cos.mapping import properties_out, request_in
from tidings.engine.access import Caller, Grant, ObjectKey
from tidings.errors import InvalidUsage, TidingsError
from tidings.events import build
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.reference import Reference
from tidings.events.structured import STRUCTURED_EVENT
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import (
    BAD_PARAM,
    IMP_LIMIT,
    NO_IMPLEMENT,
    NO_PERMISSION,
    OBJECT_NOT_EXIST,
    TRANSIENT,
    UNKNOWN,
    Completion,
    SystemException,
)
from tidings.servants import changes
from tidings.servants.filters import (
    selected,
)
from tidings.servants.operations import TypedErrors, partly, typed

Admins: TypeAlias = tuple[EventChannel, ConsumerAdmin, SupplierAdmin]


async def admins(scene: Scene) -> Admins:
    channel = await scene.channel()
    consumers = scene.stub(ConsumerAdmin, await channel.get_default_consumer_admin())
    suppliers = scene.stub(SupplierAdmin, await channel.get_default_supplier_admin())
    return channel, consumers, suppliers


async def test_admins_are_made_listed_and_found_by_their_ids() -> None:
    async with new_scene() as scene:
        channel, of_consumers, of_suppliers = await admins(scene)
        for admin in (of_consumers, of_suppliers):
            assert await admin.get_MyChannel() == channel._reference
            assert await admin.get_MyID() == 0
            assert await admin.get_MyOperator() is AND
        consumers, one = await channel.new_for_consumers(OR)
        suppliers, other = await channel.new_for_suppliers(AND)
        assert (one, other) == (1, 1)
        assert list(await channel.get_all_consumeradmins()) == [0, 1]
        assert list(await channel.get_all_supplieradmins()) == [0, 1]
        assert await channel.get_consumeradmin(1) == consumers
        assert await channel.get_supplieradmin(1) == suppliers
        assert await scene.stub(ConsumerAdmin, consumers).get_MyOperator() is OR
        assert await scene.stub(SupplierAdmin, suppliers).get_MyOperator() is AND
        await refused(channel.get_consumeradmin(2), AdminNotFound)
        await channel.new_for_consumers(OR)
        await refused(channel.get_supplieradmin(2), AdminNotFound)


async def test_each_of_the_twelve_kinds_of_proxies_can_be_obtained_and_found_again() -> None:
    async with new_scene() as scene:
        _, consumers, suppliers = await admins(scene)
        to_consumers, to_suppliers = consumers.get_proxy_supplier, suppliers.get_proxy_consumer
        for side, style, obtain, find, listed in (
            (Side.CONSUMER, Style.PUSH, consumers.obtain_notification_push_supplier, to_consumers,
             consumers.get_push_suppliers),
            (Side.CONSUMER, Style.PULL, consumers.obtain_notification_pull_supplier, to_consumers,
             consumers.get_pull_suppliers),
            (Side.SUPPLIER, Style.PUSH, suppliers.obtain_notification_push_consumer, to_suppliers,
             suppliers.get_push_consumers),
            (Side.SUPPLIER, Style.PULL, suppliers.obtain_notification_pull_consumer, to_suppliers,
             suppliers.get_pull_consumers),
        ):  # fmt: skip
            ids = []
            for form, client in zip(Form, ClientType, strict=True):
                reference, id = await obtain(client)
                assert reference.type_id == kind_of(side, style, form).proxy.id
                assert await find(id) == reference
                ids.append(id)
            assert list(await listed()) == ids
            await refused(find(999), ProxyNotFound)


async def test_an_admin_does_not_know_the_proxies_of_another() -> None:
    async with new_scene() as scene:
        channel, consumers, suppliers = await admins(scene)
        _, id = await consumers.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        reference, _ = await channel.new_for_consumers(InterFilterGroupOperator.OR_OP)
        other = scene.stub(ConsumerAdmin, reference)
        assert not await other.get_push_suppliers()
        mine, _ = await other.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        assert await scene.stub(ProxyPushSupplier, mine).get_MyAdmin() == reference
        for find in (other.get_proxy_supplier, suppliers.get_proxy_consumer):
            await refused(find(id), ProxyNotFound)


async def test_a_channel_has_no_more_proxies_than_its_admin_properties_allow() -> None:
    async with new_scene() as scene:
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
            told = await refused(ask(ClientType.SEQUENCE_EVENT), AdminLimitExceeded)
            assert told.admin_property_err == (name, 1)
        for call in (consumers.obtain_push_supplier(), suppliers.obtain_pull_consumer()):
            await refused(call, IMP_LIMIT)


async def test_event_types_outside_the_rules_are_told() -> None:
    async with new_scene() as scene:
        _, consumers, suppliers = await admins(scene)
        bad = EventType("Auction", "%ALL")
        for change in (consumers.subscription_change, suppliers.offer_change):
            for added, removed in (([bad], ()), ((), [bad])):
                told = await refused(change(added, removed), InvalidEventType)
                assert told.type == bad


async def test_what_was_destroyed_exists_no_more_and_a_default_admin_begins_anew() -> None:
    async with new_scene() as scene:
        channel, default, suppliers = await admins(scene)
        reference, id = await channel.new_for_consumers(AND)
        admin = scene.stub(ConsumerAdmin, reference)
        made, mapping = await new_filter(scene, "$price > 1"), await new_mapping(scene)
        await default.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        for one in (admin, default, suppliers, made, mapping):
            await one.destroy()
        assert id not in await channel.get_all_consumeradmins()
        assert not await default.get_push_suppliers()
        assert await suppliers.get_MyID() == 0
        for call in (
            *(admin.get_MyID(), admin.destroy(), admin.get_push_suppliers()),
            *(made.get_all_constraints(), made.match(1), made.destroy(), made.get_callbacks()),
            *(made.get_constraint_grammar(), mapping.get_value_type(), mapping.destroy()),
            mapping.match(1),
        ):
            await refused(call, OBJECT_NOT_EXIST)
        await channel.destroy()
        for last in (channel.get_qos(), channel.destroy(), channel.get_MyFactory()):
            assert (await refused(last, OBJECT_NOT_EXIST)).minor == UNKNOWN_OBJECT
        await refused(default.get_MyChannel(), OBJECT_NOT_EXIST)


AND, OR = InterFilterGroupOperator.AND_OP, InterFilterGroupOperator.OR_OP


async def test_what_else_could_be_set_is_told_and_nothing_is_changed() -> None:
    async with new_scene() as scene:
        channel = await scene.channel()
        ranges = dict(await channel.validate_qos([short("Priority", 5)]))
        assert "Priority" not in ranges
        assert ranges["OrderPolicy"] == (Any(tc.SHORT, 0), Any(tc.SHORT, 3))
        assert ranges["Timeout"] == (Any(tc.ULONGLONG, 0), 2**64 - 1)
        assert dict(await channel.get_qos())["Priority"] == Any(tc.SHORT, 0)
        await refused(channel.validate_qos([long("Priority", 5)]), notification.UnsupportedQoS)


async def test_a_grant_is_whose_it_was_given_to_and_for_their_channels_only() -> None:
    async with new_scene() as scene:
        mine, other = [(await scene.factory.create_channel((), ()))[1] for _ in range(2)]
        factory = scene.known(EventChannelFactory, "factory", grant=ANN)
        assert await factory.get_all_channels() == (mine, other)
        confined = Caller("ann", scope=Place(mine))
        scene.service.grants[ANN] = Grant(ANN, confined)
        assert await factory.get_all_channels() == (mine,)
        await factory.get_event_channel(mine)
        for id in (other, 12):  # whether there is a channel or not
            await refused(factory.get_event_channel(id), NO_PERMISSION)
        del scene.service.grants[ANN]
        await refused(factory.get_all_channels(), OBJECT_NOT_EXIST)


async def test_what_is_reached_from_an_object_is_used_under_the_same_grant() -> None:
    async with new_scene() as scene:
        await scene.channel()
        channel = scene.known(EventChannel, "channel", (1,), ANN)
        factory = scene.stub(FilterFactory, await channel.get_default_filter_factory())
        admin = scene.stub(ConsumerAdmin, await channel.get_default_consumer_admin())
        proxy, _ = await admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)
        for reference in (
            *(factory._reference, admin._reference, proxy, await factory.create_filter("")),
            *(await channel.get_MyFactory(), await admin.get_MyChannel()),
        ):
            key = scene.service.own_key(reference)
            assert key is not None
            assert key.grant == ANN


async def test_a_filter_belongs_to_who_made_it() -> None:
    async with new_scene() as scene:
        scene.service.grants[8] = Grant(8, Caller("bob"))
        factory = scene.known(FilterFactory, "filter factory", grant=ANN)
        hers = scene.stub(Filter, await factory.create_filter(""))
        await hers.add_constraints([expression("$price > 3")])
        his = scene.known(Filter, "filter", (1,), 8)
        assert len(await his.get_all_constraints()) == 1
        assert await his.get_callbacks() == ()
        for call in (
            *(his.add_constraints([expression("")]), his.modify_constraints([1], ())),
            *(his.remove_all_constraints(), his.destroy(), his.detach_callback(1)),
            his.attach_callback(hers._reference),
        ):
            await refused(call, NO_PERMISSION)
        await scene.known(Filter, "filter", (1,)).destroy()  # the owner of the service may


async def test_a_service_that_stops_says_so() -> None:
    async with new_scene() as scene:
        await scene.service.host.drain(0.1)
        told = await refused(scene.factory.create_channel((), ()), TRANSIENT)
        assert told.minor & 0xFFF == 1


async def test_filters_are_attached_found_and_taken_off() -> None:
    async with new_scene() as scene:
        _, consumers, suppliers = await admins(scene)
        for admin in (consumers, suppliers):
            filter_ = await scene.filters.create_filter("")
            first, second = await admin.add_filter(filter_), await admin.add_filter(filter_)
            assert list(await admin.get_all_filters()) == [first, second]
            assert await admin.get_filter(second) == filter_
            await admin.remove_filter(first)
            for call in (admin.get_filter(first), admin.remove_filter(first)):
                await refused(call, FilterNotFound)
            await admin.remove_all_filters()
            assert not await admin.get_all_filters()
            await admin.add_filter(filter_)
            await scene.stub(Filter, filter_).destroy()
            assert not await admin.get_all_filters()
            await refused(admin.add_filter(filter_), BAD_PARAM)


async def test_only_filters_of_this_service_are_attached() -> None:
    async with new_scene() as scene:
        _, admin, _ = await admins(scene)
        await scene.filters.create_filter("")  # it has the number of the admin's channel
        no_mapping = scene.known(MappingFilter, "mapping", (1,))
        await refused(no_mapping.get_value_type(), OBJECT_NOT_EXIST)
        mapping = await scene.filters.create_mapping_filter("", 1)
        for reference in (Reference(), mapping, admin._reference):
            await refused(admin.add_filter(reference), BAD_PARAM)
        await scene.client.listen()
        foreign = scene.client.reference(b"elsewhere", Filter.INTERFACE)
        await refused(admin.add_filter(foreign), NO_IMPLEMENT)
        await refused(admin.set_priority_filter(foreign), NO_IMPLEMENT)
        assert not await admin.get_all_filters()


async def test_mapping_filters_are_set_read_and_taken_away() -> None:
    async with new_scene() as scene:
        _, admin, _ = await admins(scene)
        priority = await scene.filters.create_mapping_filter("", Any(tc.SHORT, 1))
        lifetime = await scene.filters.create_mapping_filter("", Any(tc.ULONGLONG, 1))
        assert await admin.get_priority_filter() == Reference()
        await admin.set_priority_filter(priority)
        await admin.set_lifetime_filter(lifetime)
        assert await admin.get_priority_filter() == priority
        assert await admin.get_lifetime_filter() == lifetime
        await admin.set_priority_filter(Reference())
        assert await admin.get_priority_filter() == Reference()
        gone = scene.service.reference(ObjectKey("mapping", (99,), 0), Filter.INTERFACE)
        await refused(admin.set_priority_filter(gone), BAD_PARAM)


async def new_filter(scene: Scene, *texts: str) -> Filter:
    made = scene.stub(Filter, await scene.filters.create_filter("EXTENDED_TCL"))
    if texts:
        await made.add_constraints([expression(text) for text in texts])
    return made


def bid(price: int) -> StructuredEvent:
    header = EventHeader(FixedEventHeader(EventType("Auction", "Bid"), "first"), ())
    return StructuredEvent(header, (Property("price", price),), None)


async def test_filters_are_made_for_the_languages_we_speak() -> None:
    async with new_scene() as scene:
        for grammar in ("EXTENDED_TCL", "ETCL", ""):
            reference = await scene.filters.create_filter(grammar)
            assert reference.type_id == Filter.INTERFACE.id
            assert await scene.stub(Filter, reference).get_constraint_grammar() == "EXTENDED_TCL"
            for default, kind in ((Any(tc.SHORT, 1), tc.SHORT), ("none", tc.STRING)):
                reference = await scene.filters.create_mapping_filter(grammar, default)
                assert reference.type_id == MappingFilter.INTERFACE.id
                made = scene.stub(MappingFilter, reference)
                assert (await made.get_value_type(), await made.get_default_value()) == (
                    kind,
                    default,
                )
                assert await made.get_constraint_grammar() == "EXTENDED_TCL"
        for call in (
            scene.filters.create_filter("SQL"),
            scene.filters.create_mapping_filter("SQL", 1),
        ):
            await refused(call, InvalidGrammar)


async def test_constraints_get_ids_and_come_back_as_they_were_given() -> None:
    async with new_scene(Settings(empty_filter_passes=False)) as scene:
        made = await new_filter(scene)
        for bad in (expression("$price >"), expression("", ("Auction", "%ALL"))):
            refusal = await refused(
                made.add_constraints([expression("$price > 3"), bad]), InvalidConstraint
            )
            assert refusal.constr == bad
        assert not await made.get_all_constraints()
        assert not await made.match_structured(bid(1))  # as an installation may have it
        given = [expression("$price > 3", ("Auction", "Bid"), ("", "%ALL")), expression("")]
        added = await made.add_constraints(given)
        assert [one.constraint_expression for one in added] == given
        first, second = (one.constraint_id for one in added)
        assert list(await made.get_all_constraints()) == list(added)
        assert list(await made.get_constraints([second, first])) == [added[1], added[0]]
        told = await refused(made.get_constraints([first, 99]), ConstraintNotFound)
        assert told.id == 99


async def test_of_two_clients_that_delete_one_constraint_one_is_told_that_it_is_gone() -> None:
    async with new_scene() as scene:
        made, mapping = await new_filter(scene, "$price > 1"), await new_mapping(scene)
        await mapping.add_mapping_constraints([pair("$price > 3", 2)])
        for modify in (made.modify_constraints, mapping.modify_mapping_constraints):
            results = await asyncio.gather(modify([1], ()), modify([1], ()), return_exceptions=True)
            told = sorted(type(one).__name__ for one in results)
            assert told == ["ConstraintNotFound", "NoneType"]


async def test_a_filter_can_be_asked_about_bare_values() -> None:
    async with new_scene() as scene:
        made = await new_filter(scene, "$ > 3")
        assert await made.match(4)
        assert not await made.match(Any(tc.SHORT, 3))
        assert not await made.match("four")
        # What holds a structured event is taken for it, as channels do.
        made = await new_filter(scene, "$price > 3 and $type_name == 'Bid'")
        assert await made.match(build.event("Auction", "Bid", data={"price": 5}).as_any())
        # Something else under the name of a structured event.
        claimed = tc.struct(STRUCTURED_EVENT.id, "StructuredEvent", [("price", tc.LONG)])
        nameless = (Property("", 1),)
        for call in (
            made.match(Any(claimed, (4,))),
            made.match_structured(bid(1)._replace(filterable_data=nameless)),
            made.match_typed(nameless),
        ):
            await refused(call, UnsupportedFilterableData)


async def test_a_filter_can_be_asked_about_typed_events() -> None:
    async with new_scene() as scene:
        made = await new_filter(scene, "$operation == 'bid' and $price > 3")
        sold = [Property("operation", "sell"), Property("price", 4)]
        assert await made.match_typed([Property("operation", "bid"), Property("price", 4)])
        assert not await made.match_typed(sold)
        await made.add_constraints([expression("", ("", "%TYPED"))])
        assert await made.match_typed(sold)


async def new_mapping(scene: Scene) -> MappingFilter:
    reference = await scene.filters.create_mapping_filter("", Any(tc.SHORT, 1))
    return scene.stub(MappingFilter, reference)


def pair(text: str, value: int) -> MappingConstraintPair:
    return MappingConstraintPair(expression(text), Any(tc.SHORT, value))


async def test_constraints_with_values_are_added_and_replaced_all_or_nothing() -> None:
    async with new_scene() as scene:
        made = await new_mapping(scene)
        refusal = await refused(
            made.add_mapping_constraints([pair("", 1), pair("$price >", 2)]), InvalidConstraint
        )
        assert refusal.constr == expression("$price >")
        wrong = MappingConstraintPair(expression("$price > 3"), Any(tc.LONG, 2))
        of_value = await refused(made.add_mapping_constraints([pair("", 1), wrong]), InvalidValue)
        assert (of_value.constr, of_value.value) == (expression("$price > 3"), 2)
        assert not await made.get_all_mapping_constraints()
        given = [pair("$price > 3", 2), pair("$price > 9", 3)]
        added = await made.add_mapping_constraints(given)
        assert [(one[0], one.value) for one in added] == given
        assert list(await made.get_all_mapping_constraints()) == list(added)
        one, two = (info.constraint_id for info in added)
        assert list(await made.get_mapping_constraints([two, one])) == list(added)[::-1]
        new = MappingConstraintInfo(expression("$price > 99"), two, Any(tc.SHORT, 4))
        for call in (
            made.get_mapping_constraints([55]),
            made.modify_mapping_constraints([one], [new._replace(constraint_id=55)]),
        ):
            told = await refused(call, ConstraintNotFound)
            assert told.id == 55
        of_value = await refused(
            made.modify_mapping_constraints([one], [new._replace(value="high")]), InvalidValue
        )
        assert of_value.value == "high"
        bad = new._replace(constraint_expression=expression("("))
        await refused(made.modify_mapping_constraints([one], [bad]), InvalidConstraint)
        assert list(await made.get_all_mapping_constraints()) == list(added)
        await made.modify_mapping_constraints([one], [new])
        assert list(await made.get_all_mapping_constraints()) == [new]
        await made.remove_all_mapping_constraints()
        assert not await made.get_all_mapping_constraints()


async def test_the_best_value_whose_constraint_matches_is_told() -> None:
    async with new_scene() as scene:
        made = await new_mapping(scene)
        await made.add_mapping_constraints([pair("$price > 3", 2), pair("$price > 9", 3)])
        assert await made.match_structured(bid(10)) == (True, Any(tc.SHORT, 3))
        assert await made.match_structured(bid(4)) == (True, Any(tc.SHORT, 2))
        assert await made.match_structured(bid(1)) == (False, Any(tc.SHORT, 1))
        assert await made.match_typed([Property("price", 10)]) == (True, Any(tc.SHORT, 3))
        await made.add_mapping_constraints([pair("$ == 5", 9)])
        assert await made.match(5) == (True, Any(tc.SHORT, 9))
        assert await made.match("five") == (False, Any(tc.SHORT, 1))
        await refused(made.match_typed([Property("", 10)]), UnsupportedFilterableData)


ALL = EventType("", "%ALL")
BID, LOT = EventType("Auction", "Bid"), EventType("Auction", "Lot")


class Listener(NotifySubscribeServant):
    """A client that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[list[EventType], list[EventType]]] = []
        self.gate = asyncio.Event()
        self.error: Exception | None = None
        self.gate.set()

    async def subscription_change(
        self, added: Sequence[EventType], removed: Sequence[EventType]
    ) -> None:
        self.told.append((list(added), list(removed)))
        await self.gate.wait()
        if self.error is not None:
            raise self.error


async def listened(scene: Scene) -> tuple[Filter, Listener, Reference]:
    await scene.client.listen()
    listener = Listener()
    reference = scene.client.activate(listener, b"listener")
    made = scene.stub(Filter, await scene.filters.create_filter(""))
    return made, listener, reference


async def test_a_slow_callback_is_told_what_has_changed_meanwhile_in_one_call() -> None:
    async with new_scene() as scene:
        made, listener, reference = await listened(scene)
        await made.attach_callback(reference)
        listener.gate.clear()
        await made.add_constraints([expression("", BID)])
        await until(lambda: listener.told)
        added = await made.add_constraints([expression("", LOT), expression("")])
        await made.modify_constraints([added[1].constraint_id], ())
        listener.gate.set()
        await until(lambda: len(listener.told) == 2)
        assert listener.told[1] == ([LOT], [])
        # What went and came again is no change at all.
        listener.gate.clear()
        await made.remove_all_constraints()
        await until(lambda: len(listener.told) == 3)
        (info,) = await made.add_constraints([expression("", BID)])
        await made.modify_constraints([info.constraint_id], ())
        listener.gate.set()
        await asyncio.sleep(0.02)
        assert len(listener.told) == 3


async def test_a_callback_that_is_no_more_is_dropped_and_one_that_fails_otherwise_is_not() -> None:
    async with new_scene() as scene:
        made, listener, reference = await listened(scene)
        await made.attach_callback(reference)
        listener.error = NO_IMPLEMENT()
        await made.add_constraints([expression("", BID)])
        await until(lambda: len(listener.told) == 1)
        await made.add_constraints([expression("", LOT)])
        await until(lambda: len(listener.told) == 2)
        assert len(await made.get_callbacks()) == 1
        scene.client.deactivate(b"listener")
        await made.add_constraints([expression("", ("Auction", "End"))])
        await until(lambda: not scene.service.callbacks.of(1))


async def test_a_filter_has_so_many_callbacks_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MAX_CALLBACKS", 2)
    async with new_scene() as scene:
        made, _, reference = await listened(scene)
        await refused(made.attach_callback(Reference()), BAD_PARAM)
        for _ in range(2):
            await made.attach_callback(reference)
        await refused(made.attach_callback(reference), IMP_LIMIT)


def test_a_short_question_gets_no_endless_answer() -> None:
    assert selected([1, 1], {1: "a", 2: "b"}) == {1: "a"}
    with pytest.raises(InvalidUsage, match="3 ids are asked for, and there are 2 constraints"):
        selected([1, 1, 1], {1: "a", 2: "b"})


def test_what_is_no_exception_of_the_operation_is_a_system_exception() -> None:
    found = typed(TidingsError("what should not be"))
    assert isinstance(found, UNKNOWN)
    assert found.completed is Completion.MAYBE  # a fault of ours may have happened half
    error = errors.InvalidConstraint("bad", "$x ==", 5)
    assert isinstance(typed(error, (filters.InvalidConstraint,)), BAD_PARAM)
    told = partly(errors.DiskFull("no room"))
    assert isinstance(told, SystemException)
    assert (told.completed, type(told)) == (Completion.MAYBE, type(typed(errors.DiskFull("x"))))


def test_a_servant_tells_its_errors_as_the_operation_declares_them() -> None:
    missing = errors.FilterNotFound("x")
    made = TypedErrors()
    assert isinstance(made._translate(missing, (filters.FilterNotFound,)), filters.FilterNotFound)
    assert isinstance(made._translate(missing, ()), OBJECT_NOT_EXIST)


def over_the_wire(properties: object) -> notification.PropertySeq:
    writer = Writer()
    notification.write_PropertySeq(writer, properties)  # type: ignore[attr-defined]
    return notification.read_PropertySeq(Reader(writer.getvalue(), little=True))  # type: ignore[attr-defined,no-any-return]


def test_a_number_keeps_the_type_it_was_sent_with() -> None:
    typed_ones = {"a": Any(tc.SHORT, 1), "b": Any(tc.LONG, 1), "c": Any(tc.ULONGLONG, 1)}
    sent = [Property(name, value) for name, value in typed_ones.items()]
    read = request_in(over_the_wire([*sent, Property("d", 2**63), Property("e", None)]))
    assert read == {**typed_ones, "d": Any(tc.ULONGLONG, 2**63), "e": Any(tc.NULL, None)}


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "Priority": st.integers(-32767, 32767),
            "Timeout": st.integers(0, 2**64 - 1),
            "StartTimeSupported": st.booleans(),
            "MaxEventsPerConsumer": st.integers(0, 2**31 - 1),
            "OrderPolicy": st.integers(0, 3),
            "DiscardPolicy": st.integers(0, 4),
            "MaximumBatchSize": st.integers(1, 2**31 - 1),
            "PacingInterval": st.integers(0, 2**64 - 1),
        },
    )
)
def test_what_is_told_can_be_set_again(values: dict[str, int]) -> None:
    qos = QoS(values)
    told = over_the_wire(properties_out(qos.at(Level.CHANNEL), QOS_PROPERTIES))
    assert changed(QoS(), Level.CHANNEL, None, request_in(told)) == qos
