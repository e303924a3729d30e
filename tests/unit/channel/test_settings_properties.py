"""Settings about properties: defaults, what ANY means, inheritance, what may be set where."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.channel.machine import Machine, named
from tidings.channel import management as m
from tidings.channel.effects import (
    Accepted,
)
from tidings.channel.entries import PERSISTENT
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import DiscardPolicy, OrderPolicy, QoS
from tidings.channel.settings import Inheritance, Settings
from tidings.channel.views import view_admin, view_channel, view_proxy
from tidings.channel.vocabulary import Place, Side, Style
from tidings.errors import (
    PropertyErrorCode,
    UnsupportedQoS,
)

CONNECTION = "ConnectionReliability"
BOTH = pytest.mark.parametrize("on", [True, False])


def test_default_qos_and_default_admin() -> None:
    qos = QoS({"Priority": 4, "MaximumBatchSize": 0})
    machine = Machine(Settings(default_qos=qos, default_admin=AdminProperties({"MaxConsumers": 1})))
    view = view_channel(machine.core_channel)
    assert (view.qos["Priority"], view.qos["MaximumBatchSize"]) == (4, 1)
    assert view.admin["MaxConsumers"] == 1
    proxy = machine.new_consumer()
    assert view_proxy(machine.proxy(proxy)).qos["Priority"] == 4
    other = machine.do(m.CreateChannel("1" * 32, {"Priority": 2}, {"MaxConsumers": 0}))
    view = view_channel(machine.factory.channel(other))
    assert (view.qos["Priority"], view.admin["MaxConsumers"]) == (2, 0)


@pytest.mark.parametrize(
    ("any_order", "expected"),
    [
        (OrderPolicy.PRIORITY, [3, 1, 2]),
        (OrderPolicy.FIFO, [1, 2, 3]),
        (OrderPolicy.DEADLINE, [2, 1, 3]),
    ],
)
def test_any_order(any_order: OrderPolicy, expected: list[int]) -> None:
    machine = Machine(Settings(any_order=any_order))
    proxy = machine.new_consumer()
    machine.suspend(proxy)
    machine.push("one", named("two", timeout=timedelta(seconds=5)), named("three", priority=9))
    machine.resume(proxy)
    assert machine.drained(proxy) == expected


@pytest.mark.parametrize(
    "any_discard", [DiscardPolicy.FIFO, DiscardPolicy.LIFO, DiscardPolicy.PRIORITY]
)
def test_any_discard(any_discard: DiscardPolicy) -> None:
    machine = Machine(Settings(any_discard=any_discard))
    proxy = machine.new_consumer(MaxEventsPerConsumer=2)
    machine.suspend(proxy)
    machine.push(named("a", priority=1), named("b"), named("c", priority=2))
    kept = {DiscardPolicy.FIFO: {2, 3}, DiscardPolicy.LIFO: {1, 2}, DiscardPolicy.PRIORITY: {1, 3}}
    assert set(machine.waiting(proxy)) == kept[any_discard]


@pytest.mark.parametrize("any_discard", [DiscardPolicy.FIFO, DiscardPolicy.LIFO])
def test_any_discard_of_a_full_channel(any_discard: DiscardPolicy) -> None:
    admin = AdminProperties({"MaxQueueLength": 2, "RejectNewEvents": False})
    machine = Machine(Settings(any_discard=any_discard, default_admin=admin))
    proxy = machine.new_consumer()
    machine.suspend(proxy)
    machine.push("a", "b", "c")
    assert machine.waiting(proxy) == ([2, 3] if any_discard is DiscardPolicy.FIFO else [1, 2])


def test_copied_properties_stay_as_they_were() -> None:
    machine = Machine(Settings(inheritance=Inheritance.COPIED))
    admin, proxy = machine.new_admin(), machine.new_consumer()
    machine.do(m.SetQoS(Place(machine.channel), {"Priority": 3}))
    assert machine.core_channel.admins[Side.CONSUMER][admin].qos.priority == 0
    assert machine.proxy(proxy).qos.priority == 0
    assert machine.proxy(machine.new_consumer(admin=machine.new_admin())).qos.priority == 3


@pytest.mark.parametrize("below", [False, True])
def test_what_cannot_be_set_below_a_channel_follows_it(below: bool) -> None:
    machine = Machine(Settings(event_reliability_below=below), qos={CONNECTION: 1})
    later = machine.new_supplier()
    machine.do(m.SetQoS(Place(machine.channel), {"EventReliability": 1}))
    suppliers = [machine.supplier, later, machine.new_supplier()]
    assert [machine.proxy(one).defaults[2] for one in suppliers] == [not below] * 3


def test_followed_properties_reach_what_was_never_set_below() -> None:
    machine = Machine(Settings(inheritance=Inheritance.FOLLOWED))
    admin = machine.new_admin()
    above = machine.core_channel.admins[Side.CONSUMER][admin]
    follows, own = machine.new_consumer(admin=admin), machine.new_consumer(admin=admin, Priority=1)
    machine.do(m.SetQoS(Place(machine.channel), {"Priority": 3, "Timeout": 70}))
    assert (above.qos.priority, above.qos.timeout) == (3, 70)
    assert (machine.proxy(follows).qos.priority, machine.proxy(own).qos.priority) == (3, 1)
    machine.do(m.SetQoS(Place(machine.channel, Side.CONSUMER, admin), {"Priority": 5}))
    assert (machine.proxy(follows).qos.priority, machine.proxy(own).qos.priority) == (5, 1)
    machine.do(m.SetQoS(Place(machine.channel), {"Priority": 8, "MaxEventsPerConsumer": 2}))
    assert (above.qos.priority, machine.proxy(follows).qos.priority) == (5, 5)
    assert machine.proxy(own).qos.timeout == 70
    machine.suspend(follows)
    machine.push("a", "b", "c")
    assert machine.waiting(follows) == [2, 3]
    assert machine.proxy(machine.supplier).defaults == (8, 70, False)


def test_followed_properties_do_not_leave_a_child_in_conflict() -> None:
    machine = Machine(Settings(inheritance=Inheritance.FOLLOWED), qos={CONNECTION: 1})
    admin = machine.new_admin()
    place = Place(machine.channel, Side.CONSUMER, admin)
    proxy = machine.new_consumer(admin=admin, ConnectionReliability=1)
    before = machine.view()
    for above in (Place(machine.channel), place):
        with pytest.raises(UnsupportedQoS) as caught:
            machine.do(m.SetQoS(above, {"Priority": 2, CONNECTION: 0}))
        [error] = caught.value.errors
        assert (error.code, error.name) == (PropertyErrorCode.UNAVAILABLE_VALUE, CONNECTION)
        assert (error.low, error.high) == (1, 1)
    assert machine.view() == before
    machine.set_qos(proxy, **{CONNECTION: 0})
    machine.do(m.SetQoS(Place(machine.channel), {CONNECTION: 0}))
    assert view_admin(machine.core_channel.admins[Side.CONSUMER][admin]).qos[CONNECTION] == 0


def test_copied_properties_may_be_lowered_above() -> None:
    machine = Machine(qos={CONNECTION: 1})
    proxy = machine.new_consumer(ConnectionReliability=1)
    machine.do(m.SetQoS(Place(machine.channel), {CONNECTION: 0}))
    assert machine.proxy(proxy).durable


@BOTH
def test_event_reliability_below(on: bool) -> None:
    machine = Machine(Settings(event_reliability_below=on), qos={CONNECTION: 1}, spills=True)
    proxy = Place(machine.channel, proxy=machine.supplier)
    admin = Place(machine.channel, Side.SUPPLIER, 0)
    asked = {"EventReliability": 1}
    for place in (proxy, admin):
        if not on:
            with pytest.raises(UnsupportedQoS) as caught:
                machine.do(m.SetQoS(place, asked))
            assert caught.value.errors[0].code is PropertyErrorCode.UNSUPPORTED_PROPERTY
            assert "EventReliability" not in {r.name for r in machine.do(m.ValidateQoS(place, {}))}
        else:
            assert "EventReliability" in {r.name for r in machine.do(m.ValidateQoS(place, {}))}
            machine.do(m.ValidateQoS(place, asked))
            machine.do(m.SetQoS(place, asked))
    obtain = m.ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH, qos=asked)
    if not on:
        with pytest.raises(UnsupportedQoS):
            machine.do(obtain)
    else:
        assert machine.proxy(machine.do(obtain)).qos["EventReliability"] == 1
        machine.do(m.CreateChannel("2" * 32, {CONNECTION: 1, **asked}))
    machine.push("one")
    [accepted] = machine.of(Accepted)
    assert bool(accepted.entry.flags & PERSISTENT) is on
    seen = view_proxy(machine.proxy(machine.supplier)).qos
    assert seen.get("EventReliability") == (1 if on else None)
    above = view_admin(machine.core_channel.admins[Side.SUPPLIER][0]).qos
    assert above.get("EventReliability") == (1 if on else None)


def test_persistent_events_below_need_a_persistent_connection() -> None:
    machine = Machine(Settings(event_reliability_below=True))
    with pytest.raises(UnsupportedQoS) as caught:
        machine.set_qos(machine.supplier, EventReliability=1)
    assert caught.value.errors[0].code is PropertyErrorCode.UNAVAILABLE_VALUE


def test_narrowed() -> None:
    machine = Machine(Settings(narrowed={CONNECTION: (0, 0), "MaxConsumers": (0, 5)}))
    with pytest.raises(UnsupportedQoS) as caught:
        machine.set_qos(machine.supplier, **{CONNECTION: 1})
    assert caught.value.errors[0].code is PropertyErrorCode.UNSUPPORTED_VALUE
    with pytest.raises(UnsupportedQoS):
        machine.do(m.CreateChannel("1" * 32, {CONNECTION: 1}))
    with pytest.raises(UnsupportedQoS):
        machine.new_consumer(ConnectionReliability=1)
    machine.set_admin(MaxConsumers=5)
    with pytest.raises(Exception, match="MaxConsumers"):
        machine.set_admin(MaxConsumers=6)


@settings(max_examples=60)
@given(st.integers(0, 2**32).map(Random))
def test_what_is_followed_is_always_what_stands_above(rng: Random) -> None:
    machine = Machine(Settings(inheritance=Inheritance.FOLLOWED, event_reliability_below=True))
    channel = machine.core_channel
    places = [Place(machine.channel)]
    for side in Side:
        id = machine.new_admin(side=side)
        below = machine.do(m.ObtainProxy(machine.channel, side, Style.PUSH, admin=id))
        places += [Place(machine.channel, side, id), Place(machine.channel, proxy=below)]
    names = {CONNECTION: 2, "EventReliability": 2, "Priority": 5, "MaxEventsPerConsumer": 3}
    for _ in range(30):
        asked = {name: rng.randrange(names[name]) for name in rng.sample(list(names), 2)}
        machine.do_many(m.SetQoS(rng.choice(places), asked))
        for admins in channel.admins.values():
            for admin in admins.values():
                assert admin.qos == QoS({**channel.qos, **admin.own})
                assert admin.qos[CONNECTION] <= channel.qos[CONNECTION]
                for proxy in admin.proxies.values():
                    assert proxy.qos == QoS({**admin.qos, **proxy.own})
                    assert proxy.qos[CONNECTION] <= admin.qos[CONNECTION]
                    assert proxy.durable is bool(proxy.qos[CONNECTION])
