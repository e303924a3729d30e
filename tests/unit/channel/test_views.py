"""What can be seen of the objects: values of the moment, which nothing changes later."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from tests.unit.channel.machine import ORIGIN, Machine
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    Connect,
    CreateChannel,
    CreateFilter,
    CreateMapping,
    DestroyAdmin,
    Detach,
    ObtainProxy,
    OfferChange,
    SetMapping,
    SubscriptionChange,
)
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
    view_admin,
    view_channel,
    view_filter,
    view_proxy,
)
from tidings.channel.vocabulary import Form, Operator, Place, Side, Style
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint

SPEED, JAM = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
ONE = constraint("$a == 1")
OBJECT_QOS = {
    "ConnectionReliability": 0,
    "Priority": 0,
    "Timeout": 0,
    "StartTimeSupported": True,
    "StopTimeSupported": True,
    "MaxEventsPerConsumer": 0,
    "OrderPolicy": 0,
    "DiscardPolicy": 0,
    "MaximumBatchSize": 1,
    "PacingInterval": 0,
}


def test_a_channel() -> None:
    machine = Machine()
    id = machine.do(CreateChannel("7" * 32, {"Priority": 2}, {"MaxConsumers": 9}, "news"))
    machine.channel, machine.supplier = id, 0
    machine.supplier = machine.new_supplier()
    consumer = machine.new_consumer()
    machine.do(ObtainProxy(id, Side.CONSUMER, Style.PULL, bare=True))
    admin = machine.new_admin()
    machine.do(DestroyAdmin(id, Side.SUPPLIER, 0))
    machine.supplier = machine.new_supplier()
    machine.suspend(consumer)
    machine.push("one", "two")
    channel = machine.core_channel
    assert view_channel(channel) == ChannelInfo(
        id=id,
        name="news",
        origin="7" * 32,
        qos={"EventReliability": 0, **OBJECT_QOS, "Priority": 2},
        admin={"MaxQueueLength": 0, "MaxConsumers": 9, "MaxSuppliers": 0, "RejectNewEvents": True},
        supplier_admins=(0,),
        consumer_admins=(0, admin),
        suppliers=1,
        consumers=2,
        accepted=2,
        waiting=2,
        plan=channel.plan.version,
        seq=2,
    )


def test_a_destroyed_default_admin_stays_the_first() -> None:
    machine = Machine()
    admin = machine.new_admin()
    machine.do(DestroyAdmin(machine.channel, Side.CONSUMER, 0))
    assert view_channel(machine.core_channel).consumer_admins == (0, admin)


def test_an_admin() -> None:
    machine = Machine()
    id = machine.new_admin(Operator.OR)
    place = Place(machine.channel, Side.CONSUMER, id)
    filter_id = machine.filtered(place, "$a == 1")
    machine.do(SubscriptionChange(place, [SPEED, JAM]))
    mapping, _ = machine.do(CreateMapping(Any(tc.SHORT, 1)))
    machine.do(SetMapping(place, "priority", mapping))
    proxy = machine.new_consumer(admin=id)
    machine.do(ObtainProxy(machine.channel, Side.CONSUMER, Style.PUSH, admin=id, bare=True))
    assert view_admin(machine.core_channel.admins[Side.CONSUMER][id]) == AdminInfo(
        channel=machine.channel,
        side=Side.CONSUMER,
        id=id,
        operator=Operator.OR,
        qos=OBJECT_QOS,
        filters={1: filter_id},
        types=(JAM, SPEED),
        proxies=(proxy,),
        priority_filter=mapping,
        lifetime_filter=None,
    )


def test_a_proxy() -> None:
    machine = Machine()
    obtain = ObtainProxy(
        machine.channel,
        Side.CONSUMER,
        Style.PUSH,
        Form.ANY,
        qos={"Priority": 4},
        name="n",
        owner="o",
    )
    id = machine.do(obtain)
    place = Place(machine.channel, proxy=id)
    machine.do(SubscriptionChange(place, [SPEED]))
    unconnected = view_proxy(machine.proxy(id))
    assert (unconnected.connected, unconnected.attached, unconnected.waiting) == (False, False, 0)
    machine.do(Connect(machine.channel, id, window=2))
    machine.push("one", "two", "three", "four")
    machine.ack(id, 1)
    machine.fail(id, 2)
    assert view_proxy(machine.proxy(id)) == ProxyInfo(
        channel=machine.channel,
        id=id,
        side=Side.CONSUMER,
        style=Style.PUSH,
        form=Form.ANY,
        admin=0,
        name="n",
        owner="o",
        qos={**OBJECT_QOS, "Priority": 4},
        filters={},
        types=(SPEED,),
        connected=True,
        attached=True,
        suspended=False,
        waiting=2,
        spilled=0,
        in_flight=1,
        failures=1,
        counts={"delivered": 1},
        priority_filter=None,
        lifetime_filter=None,
    )
    machine.suspend(id)
    machine.do(Detach(machine.channel, id))
    view = view_proxy(machine.proxy(id))
    assert (view.connected, view.attached, view.suspended) == (True, False, True)
    assert (view.waiting, view.in_flight) == (3, 0)


def test_a_supplier_shows_what_it_offers() -> None:
    machine = Machine()
    machine.do(OfferChange(Place(machine.channel, proxy=machine.supplier), [SPEED]))
    machine.do(OfferChange(Place(machine.channel, Side.SUPPLIER, 0), [JAM]))
    assert view_proxy(machine.proxy(machine.supplier)).types == (SPEED,)
    assert view_admin(machine.core_channel.admins[Side.SUPPLIER][0]).types == (JAM,)


def test_filters() -> None:
    machine = Machine()
    filter_id, _ = machine.do(CreateFilter([ONE], owner="me"))
    mapped = MappedConstraint(ONE, Any(tc.SHORT, 5))
    mapping, _ = machine.do(CreateMapping(Any(tc.SHORT, 1), [mapped], owner="you"))
    machine.do(AddFilter(Place(machine.channel, Side.CONSUMER, 0), filter_id))
    seen, found = view_filter(machine.factory.filters.find(filter_id)), FilterInfo
    assert seen == found(filter_id, 2, {1: ONE}, 1, "me")
    other = view_filter(machine.factory.filters.find(mapping))
    assert other == MappingInfo(mapping, 2, Any(tc.SHORT, 1), {1: mapped}, 0, "you")
    machine.do(AddConstraints(filter_id, [ONE]))
    machine.do(AddMapped(mapping, [mapped]))
    assert seen == found(filter_id, 2, {1: ONE}, 1, "me")
    assert other == MappingInfo(mapping, 2, Any(tc.SHORT, 1), {1: mapped}, 0, "you")
    assert view_filter(machine.factory.filters.find(filter_id)).version == 3


def test_what_was_seen_stays() -> None:
    machine = Machine()
    proxy = machine.new_consumer()
    before = machine.view()
    again = machine.view()
    assert before == again
    machine.push("one")
    machine.set_qos(proxy, Priority=1)
    machine.new_admin()
    assert before == again
    assert machine.view() != before
    with pytest.raises(FrozenInstanceError):
        view_channel(machine.core_channel).name = ORIGIN  # type: ignore[misc]


def test_who_offers_and_who_wants_a_type() -> None:
    speed, jam = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
    weather, everything = EventTypePattern("Weather", "*"), EventTypePattern("", "%ALL")
    found = Advertisement(
        (), (), {"proxy 1": (speed,), "admin 0": (jam, weather)}, {5: (everything,), 6: (jam,)}
    )
    assert found.offered_by(speed) == ["proxy 1"]
    assert found.offered_by(EventTypePattern("Weather", "Rain")) == ["admin 0"]
    assert found.offered_by(EventTypePattern("Traffic", "*")) == ["proxy 1", "admin 0"]
    assert found.wanted_by(speed) == [5]
    assert found.wanted_by(EventTypePattern("*", "J*")) == [5, 6]
