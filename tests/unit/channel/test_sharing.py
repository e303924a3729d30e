"""Offers and subscriptions: who hears what, in which order, and what can be asked."""

from __future__ import annotations

import pytest

from tests.unit.channel.machine import Machine
from tidings.channel.effects import TellOffers, TellSubscriptions
from tidings.channel.management import (
    Connect,
    DestroyAdmin,
    Disconnect,
    ObtainProxy,
    ObtainTypes,
    OfferChange,
    SubscriptionChange,
)
from tidings.channel.offers import ALL_TYPES
from tidings.channel.settings import Settings
from tidings.channel.sharing import check_patterns
from tidings.channel.views import advertisement
from tidings.channel.vocabulary import InfoMode, Place, Side, Style
from tidings.errors import InvalidEventType, InvalidUsage
from tidings.filters.constraint import EventTypePattern

SPEED, JAM = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
OFF = InfoMode.NONE_NOW_UPDATES_OFF


def offers(machine: Machine) -> list[tuple[int, tuple[EventTypePattern, ...], object]]:
    """What consumers hear of the latest command."""
    return [(one.proxy, one.added, one.removed) for one in machine.of(TellOffers)]


def supplier_place(machine: Machine) -> Place:
    return Place(machine.channel, proxy=machine.supplier)


@pytest.mark.parametrize("mode", list(InfoMode))
def test_what_is_offered_can_be_asked_and_heard(mode: InfoMode) -> None:
    machine = Machine()
    proxy = machine.new_consumer()
    machine.do(OfferChange(supplier_place(machine), [SPEED]))
    types = machine.do(ObtainTypes(machine.channel, proxy, mode))
    assert types == ((SPEED,) if mode.name.startswith("ALL_NOW") else ())
    machine.do(OfferChange(supplier_place(machine), [JAM]))
    assert bool(offers(machine)) is mode.name.endswith("_ON")


@pytest.mark.parametrize("mode", list(InfoMode))
def test_what_is_wanted_can_be_asked_and_heard(mode: InfoMode) -> None:
    machine = Machine()
    supplier = machine.do(ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH))
    machine.do(Connect(machine.channel, supplier))
    place = Place(machine.channel, proxy=machine.new_consumer())
    machine.do(SubscriptionChange(place, [SPEED]))
    types = machine.do(ObtainTypes(machine.channel, supplier, mode))
    assert types == ((SPEED,) if mode.name.startswith("ALL_NOW") else ())
    machine.do(SubscriptionChange(place, [JAM]))
    heard = [(e.proxy, e.added) for e in machine.of(TellSubscriptions)]
    assert heard == ([(supplier, (JAM,))] if mode.name.endswith("_ON") else [])


def test_only_those_hear_who_can_and_want_to() -> None:
    machine = Machine()
    hears, mute, off, nil, unconnected = (machine.new_consumer(connect=False) for _ in range(5))
    pull = machine.do(ObtainProxy(machine.channel, Side.CONSUMER, Style.PULL))
    machine.do(Connect(machine.channel, hears))
    machine.do(Connect(machine.channel, mute, notices=False))
    machine.do(Connect(machine.channel, off))
    machine.do(ObtainTypes(machine.channel, off, OFF))
    machine.do(Connect(machine.channel, pull, reachable=False))
    machine.do(OfferChange(supplier_place(machine), [SPEED]))
    assert offers(machine) == [(hears, (SPEED,), ())]
    assert {mute, off, nil, unconnected} <= machine.core_channel.proxies.keys()


def test_only_the_first_and_the_last_who_offers_is_told() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    second = Place(machine.channel, proxy=machine.new_supplier())
    machine.do(OfferChange(supplier_place(machine), [SPEED, JAM]))
    assert offers(machine) == [(consumer, (JAM, SPEED), ())]
    machine.do(OfferChange(second, [SPEED]))
    assert offers(machine) == []
    machine.do(OfferChange(supplier_place(machine), (), [SPEED, JAM]))
    assert offers(machine) == [(consumer, (), (JAM,))]
    machine.do(OfferChange(second, (), [JAM]))
    assert offers(machine) == []
    machine.do(Disconnect(machine.channel, second.proxy or 0))
    assert offers(machine) == [(consumer, (), (SPEED,))]


def test_each_client_hears_in_the_order_of_the_changes() -> None:
    machine = Machine()
    consumers = [machine.new_consumer() for _ in range(2)]
    machine.do_many(
        OfferChange(supplier_place(machine), [SPEED]),
        OfferChange(supplier_place(machine), [JAM], [SPEED]),
        OfferChange(supplier_place(machine), (), [JAM]),
    )
    for consumer in consumers:
        heard = [(added, removed) for who, added, removed in offers(machine) if who == consumer]
        assert heard == [((SPEED,), ()), ((JAM,), (SPEED,)), ((), (JAM,))]


def test_an_admin_offers_for_all_below_it() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    admin = machine.new_admin(side=Side.SUPPLIER)
    machine.do(OfferChange(Place(machine.channel, Side.SUPPLIER, admin), [JAM]))
    assert offers(machine) == [(consumer, (JAM,), ())]
    machine.do(DestroyAdmin(machine.channel, Side.SUPPLIER, admin))
    assert offers(machine) == [(consumer, (), (JAM,))]


def test_a_consumer_admin_that_ends_takes_no_offers_with_it() -> None:
    machine = Machine()
    consumer_admin, supplier_admin = machine.new_admin(), machine.new_admin(side=Side.SUPPLIER)
    assert consumer_admin == supplier_admin
    machine.new_consumer()
    machine.do(OfferChange(Place(machine.channel, Side.SUPPLIER, supplier_admin), [JAM]))
    machine.do(DestroyAdmin(machine.channel, Side.CONSUMER, consumer_admin))
    assert offers(machine) == []
    assert machine.core_channel.offers.types() == (JAM,)


def test_offers_restrict_nothing() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    machine.do(OfferChange(supplier_place(machine), [JAM]))
    machine.push("speed")
    assert machine.delivered(consumer) == [1]


def test_who_offers_and_wants_what_can_be_seen() -> None:
    machine = Machine()
    consumer, other = machine.new_consumer(), machine.new_consumer()
    machine.do(SubscriptionChange(Place(machine.channel, proxy=consumer), [SPEED]))
    machine.do(OfferChange(supplier_place(machine), [SPEED, JAM]))
    machine.do(OfferChange(Place(machine.channel, Side.SUPPLIER, 0), [JAM]))
    seen = advertisement(machine.core_channel)
    assert seen.offered == (JAM, SPEED)
    assert seen.wanted == (ALL_TYPES, SPEED)
    assert seen.offers == {f"proxy {machine.supplier}": (JAM, SPEED), "admin 0": (JAM,)}
    assert seen.wants == {consumer: (SPEED,), other: (ALL_TYPES,)}


def test_each_side_says_its_own() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    for place in (Place(machine.channel, proxy=consumer), Place(machine.channel, Side.CONSUMER, 0)):
        with pytest.raises(InvalidUsage, match="is not for a supplier"):
            machine.do(OfferChange(place, [SPEED]))
    for place in (supplier_place(machine), Place(machine.channel, Side.SUPPLIER, 0)):
        with pytest.raises(InvalidUsage, match="is not for a consumer"):
            machine.do(SubscriptionChange(place, [SPEED]))
    with pytest.raises(InvalidUsage, match="no event types"):
        machine.do(OfferChange(Place(machine.channel), [SPEED]))


def test_whole_wildcards_are_always_taken() -> None:
    whole = [EventTypePattern("*", "*"), EventTypePattern("", "%ALL"), SPEED]
    check_patterns(Settings(partial_wildcards=False), whole)
    for pattern in (EventTypePattern("T*", "x"), EventTypePattern("x", "**")):
        check_patterns(Settings(), [pattern])
        with pytest.raises(InvalidEventType):
            check_patterns(Settings(partial_wildcards=False), [SPEED, pattern])
