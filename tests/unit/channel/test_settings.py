"""Every setting acts, with both of its values; nonsense is refused by name."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tests.unit.channel import test_settings_limits, test_settings_properties
from tests.unit.channel.machine import SECOND, Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import (
    Accepted,
    Deliver,
    DisconnectPeer,
    Notice,
    NoticeKind,
    Outcome,
    Poll,
    TellOffers,
)
from tidings.channel.qos import reliabilities
from tidings.channel.settings import Counted, Limits, Settings
from tidings.channel.vocabulary import Operator, Place, Side, Style
from tidings.errors import (
    AdminLimitExceeded,
    InvalidEventType,
    InvalidUsage,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint

SPEED = EventTypePattern("Traffic", "Speed")
CONNECTION = "ConnectionReliability"
BOTH = pytest.mark.parametrize("on", [True, False])


# Filters and lists.


@pytest.mark.parametrize("operator", list(Operator))
def test_default_operator(operator: Operator) -> None:
    machine = Machine(Settings(default_operator=operator))
    for side in Side:
        assert machine.core_channel.admins[side][0].operator is operator
    machine.do(m.DestroyAdmin(machine.channel, Side.CONSUMER, 0))
    assert machine.core_channel.admins[Side.CONSUMER][0].operator is operator
    assert machine.core_channel.admins[Side.CONSUMER][machine.new_admin()].operator is Operator.AND


@BOTH
def test_empty_filter_passes(on: bool) -> None:
    machine = Machine(Settings(empty_filter_passes=on))
    proxy = machine.new_consumer()
    filter_id, _ = machine.do(m.CreateFilter())
    machine.do(m.AddFilter(Place(machine.channel, proxy=proxy), filter_id))
    machine.push("one")
    assert machine.delivered(proxy) == ([1] if on else [])


@BOTH
def test_empty_group_is_neutral(on: bool) -> None:
    machine = Machine(Settings(empty_group_is_neutral=on, default_operator=Operator.OR))
    own, none = machine.new_consumer(), machine.new_consumer()
    machine.filtered(Place(machine.channel, proxy=own), "FALSE")
    machine.push("one")
    assert machine.delivered(own) == ([] if on else [1])
    assert machine.delivered(none) == [1]


@BOTH
def test_list_beside_filters(on: bool) -> None:
    machine = Machine(Settings(list_beside_filters=on))
    proxy = machine.new_consumer()
    place = Place(machine.channel, proxy=proxy)
    machine.filtered(place, "$a == 1")
    change = m.SubscriptionChange(place, [SPEED])
    if not on:
        with pytest.raises(InvalidUsage, match="list_beside_filters"):
            machine.do(change)
        machine.do(m.RemoveAllFilters(place))
    machine.do(change)
    if on:
        machine.push(named("one"), named("two", data={"a": 1}), event("X", "Y", data={"a": 1}))
        assert machine.delivered(proxy) == [2]


@BOTH
def test_partial_wildcards(on: bool) -> None:
    machine = Machine(Settings(partial_wildcards=on))
    proxy = machine.new_consumer()
    part, whole = EventTypePattern("Tra*", "*"), EventTypePattern("*", "Speed")
    place = Place(machine.channel, proxy=proxy)
    supplier = Place(machine.channel, proxy=machine.supplier)
    filter_id, ids = machine.do(m.CreateFilter([constraint("$a == 1", [whole])]))
    mapping, _ = machine.do(m.CreateMapping(Any(tc.SHORT, 0)))
    asked = constraint("", [part])
    for command in (
        m.SubscriptionChange(place, [whole, part]),
        m.OfferChange(supplier, [part]),
        m.CreateFilter([asked]),
        m.AddConstraints(filter_id, [asked]),
        m.ModifyConstraints(filter_id, (), {ids[0]: asked}),
        m.CreateMapping(Any(tc.SHORT, 0), [MappedConstraint(asked, Any(tc.SHORT, 1))]),
        m.AddMapped(mapping, [MappedConstraint(asked, Any(tc.SHORT, 1))]),
    ):
        if on:
            machine.do(command)
        else:
            with pytest.raises(InvalidEventType, match=r"'Tra\*'.* partial_wildcards is off"):
                machine.do(command)
    machine.do(m.SubscriptionChange(place, [whole]))
    machine.push("one")
    assert machine.delivered(proxy) == [1]


@BOTH
def test_mapping_default_always(on: bool) -> None:
    machine = Machine(Settings(mapping_default_always=on))
    proxy = machine.new_consumer()
    mapping, _ = machine.do(m.CreateMapping(Any(tc.SHORT, 7)))
    machine.do(m.SetMapping(Place(machine.channel, proxy=proxy), "priority", mapping))
    machine.push(named("own", priority=2), named("none"))
    [[first]] = [effect.entries for effect in machine.of(Deliver)]
    entries = {first.seq: first.priority}
    for entry in machine.proxy(proxy).delivery.queue.entries():  # type: ignore[union-attr]
        entries[entry.seq] = entry.priority
    assert entries == {1: 7 if on else 2, 2: 7}


# Connections.


@BOTH
def test_nil_clients(on: bool) -> None:
    machine = Machine()
    machine.factory.core.settings = Settings(nil_clients=on)
    for side, style in ((Side.SUPPLIER, Style.PUSH), (Side.CONSUMER, Style.PULL)):
        proxy = machine.do(m.ObtainProxy(machine.channel, side, style))
        connect = m.Connect(machine.channel, proxy, reachable=False)
        if on:
            machine.do(connect)
        else:
            with pytest.raises(InvalidUsage, match="must be reachable"):
                machine.do(connect)
            assert not machine.proxy(proxy).connected


@BOTH
def test_nobody_whom_the_channel_must_call_is_nil(on: bool) -> None:
    machine = Machine()
    machine.factory.core.settings = Settings(nil_clients=on)
    for side, style in ((Side.CONSUMER, Style.PUSH), (Side.SUPPLIER, Style.PULL)):
        proxy = machine.do(m.ObtainProxy(machine.channel, side, style))
        with pytest.raises(InvalidUsage):
            machine.do(m.Connect(machine.channel, proxy, reachable=False))


@BOTH
def test_call_back_on_disconnect(on: bool) -> None:
    machine = Machine(Settings(call_back_on_disconnect=on))
    proxy = machine.new_consumer()
    machine.do(m.Disconnect(machine.channel, proxy))
    assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, proxy, on)]
    machine.new_consumer()
    machine.do(m.DestroyChannel(machine.channel))
    assert [effect.tell for effect in machine.of(DisconnectPeer)] == [False, True]  # one is nil


@pytest.mark.parametrize("counted", list(Counted))
def test_counted(counted: Counted) -> None:
    machine = Machine(Settings(counted=counted), admin={"MaxConsumers": 1, "MaxSuppliers": 1})
    first = machine.new_consumer(connect=False)
    if counted is Counted.OBTAINED:
        with pytest.raises(AdminLimitExceeded):
            machine.new_consumer(connect=False)
        machine.do(m.Connect(machine.channel, first))
    else:
        second = machine.new_consumer(connect=False)
        machine.do(m.Connect(machine.channel, first))
        machine.do(m.Connect(machine.channel, first, again=True))
        with pytest.raises(AdminLimitExceeded):
            machine.do(m.Connect(machine.channel, second))
        machine.do(m.Disconnect(machine.channel, first))
        machine.do(m.Connect(machine.channel, second))


@BOTH
def test_updates_on(on: bool) -> None:
    machine = Machine(Settings(updates_on=on))
    proxy = machine.new_consumer()
    machine.do(m.OfferChange(Place(machine.channel, proxy=machine.supplier), [SPEED]))
    assert [effect.proxy for effect in machine.of(TellOffers)] == ([proxy] if on else [])


@BOTH
def test_unwrap(on: bool) -> None:
    machine = Machine(Settings(unwrap=on))
    typed = machine.new_consumer(window=9)
    machine.do(m.SubscriptionChange(Place(machine.channel, proxy=typed), [SPEED]))
    machine.push(named("inside").as_any())
    assert machine.delivered(typed) == ([1] if on else [])
    wrapped = event("", "%ANY", body=named("inside").as_any())
    machine.push(wrapped)
    [accepted] = machine.of(Accepted)
    assert accepted.event.name == ("inside" if on else "")
    trail = machine.do(c.DryRun(machine.channel, named("inside").as_any()))
    assert trail.recipients == ((typed,) if on else ())


# Times.


def test_retry_pauses() -> None:
    machine = Machine(Settings(retry_first=10, retry_longest=35, retry_limit=4))
    proxy = machine.new_consumer()
    machine.push("one")
    pauses = []
    while machine.delivered(proxy):
        machine.fail(proxy, 1)
        if proxy not in machine.core_channel.proxies:
            break
        started = machine.now
        while not machine.delivered(proxy):
            machine.wait(1)
        pauses.append(machine.now - started)
    assert pauses == [10, 20, 35]


def test_poll_interval() -> None:
    machine = Machine(Settings(poll_interval=3 * SECOND))
    proxy = machine.new_supplier(Style.PULL)
    assert machine.of(Poll) == [Poll(machine.channel, proxy, 1)]
    machine.do(c.Polled(machine.channel, proxy))
    machine.wait(3 * SECOND - 1)
    assert machine.of(Poll) == []
    machine.wait(1)
    assert machine.of(Poll) == [Poll(machine.channel, proxy, 1)]


@pytest.mark.parametrize("interval", [2 * SECOND, 20 * SECOND])
def test_sweep_interval(interval: int) -> None:
    machine = Machine(Settings(sweep_interval=interval))
    proxy = machine.new_consumer(Timeout=10 * SECOND)
    machine.suspend(proxy)
    machine.push("one")
    machine.wait(interval - 1)
    assert machine.waiting(proxy) == [1]
    machine.wait(1)
    assert machine.waiting(proxy) == []
    assert machine.done(proxy) == {Outcome.EXPIRED: 1}


@pytest.mark.parametrize("lifetime", [7, 1_000])
def test_unused_filter_lifetime(lifetime: int) -> None:
    machine = Machine(Settings(unused_filter_lifetime=lifetime))
    machine.do(m.CreateFilter())
    machine.wait(lifetime - 1)
    assert len(machine.factory.filters.filters) == 1
    machine.wait(1)
    assert not machine.factory.filters.filters


@pytest.mark.parametrize("reliability", [0, 1])
def test_unused_proxy_lifetime(reliability: int) -> None:
    """Of crashed clients nobody tells; those who can be called are asked by their door."""
    both = reliabilities(persistent=bool(reliability))
    machine = Machine(Settings(unused_proxy_lifetime=100), qos=both, spills=True)
    asked = [
        m.ObtainProxy(machine.channel, side, style, name=name)
        for side, style in ((Side.SUPPLIER, Style.PUSH), (Side.CONSUMER, Style.PULL))
        for name in ("", f"{side.value} with a name")
    ]
    supplier, lasting, consumer, lasting_too = idle = [machine.do(one) for one in asked]
    nil, pulling = machine.do(asked[0]), machine.do(asked[2])
    for proxy in (nil, pulling):
        machine.do(m.Connect(machine.channel, proxy, reachable=False))
    machine.wait(60)
    machine.do(c.Push(machine.channel, nil, [named("a")]))
    machine.do(c.Pull(machine.channel, pulling, token=1, wait=61))
    ends = [machine.supplier, supplier] if reliability else [machine.supplier, supplier, consumer]
    machine.wait(39)
    assert {*idle, nil, pulling} < machine.core_channel.proxies.keys()
    notices = [(one.kind, one.proxy) for one in machine.wait(1) if isinstance(one, Notice)]
    assert notices == [(NoticeKind.GIVEN_UP, proxy) for proxy in ends]
    left = {lasting, lasting_too, nil, pulling}
    assert machine.core_channel.proxies.keys() - {consumer} == left
    machine.wait(60)
    left -= {nil} if reliability else {nil, pulling}
    assert machine.core_channel.proxies.keys() - {consumer} == left
    assert machine.factory.unattended.collected == (3 if reliability else 5)
    machine.do(m.DestroyChannel(machine.channel))
    assert not machine.factory.unattended


def test_every_setting_has_a_test_of_its_own() -> None:
    tests = " ".join((*globals(), *dir(test_settings_limits), *dir(test_settings_properties)))
    known = {
        **dict.fromkeys(("retry_first", "retry_longest", "retry_limit"), "retry_pauses"),
        "default_admin": "default_qos_and_default_admin",
        "inheritance": "followed_properties",
        "limits": "a_limit_on_memory",
        **dict.fromkeys(
            ("channels", "admins", "proxies", "named_proxies", "filters"),
            "how_many_objects_there_may_be",
        ),
        **dict.fromkeys(
            ("filter_constraints", "filter_types", "filter_octets", "filter_searches"),
            "how_large_a_filter_may_be",
        ),
    }
    read_by_doors = {"event_values"}
    for one in (*fields(Settings), *fields(Limits)):
        if one.name in read_by_doors:
            continue
        assert f"test_{known.get(one.name, one.name)}" in tests, one.name
