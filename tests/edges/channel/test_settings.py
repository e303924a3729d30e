"""Every setting acts, with both of its values; every limit holds; nonsense is refused by name."""

from __future__ import annotations

from dataclasses import fields
from random import Random
from typing import Any as AnyValue

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edges.channel.machine import Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import DeadLetter, Outcome
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import DiscardPolicy, OrderPolicy, QoS
from tidings.channel.settings import Inheritance, Limits, Settings
from tidings.channel.views import view_admin
from tidings.channel.vocabulary import Place, Side, Style
from tidings.errors import (
    InvalidUsage,
    LimitExceeded,
    NumberTooOld,
    PropertyErrorCode,
    TooManyObjects,
    UnsupportedQoS,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import EventTypePattern, constraint

SPEED = EventTypePattern("Traffic", "Speed")
CONNECTION = "ConnectionReliability"
BOTH = pytest.mark.parametrize("on", [True, False])


def limited(**limits: int) -> Machine:
    """A machine that keeps little."""
    return Machine(Settings(limits=Limits(**limits)))


def test_producer_runs() -> None:
    machine = limited(producer_runs=2)

    def push(*numbers: int, trail: bool = False) -> list[AnyValue]:
        """Pushes events with these numbers; the answers."""
        marks, events = [ProducerMark("a", n) for n in numbers], [named("x")] * len(numbers)
        push = c.Push(machine.channel, machine.supplier, events, marks, trail=trail)
        return list(machine.do(push))

    assert push(10, 20, 30) == [1, 2, 3]
    assert push(10, 20, 30) == [-1, 2, 3]
    assert push(40, 50) == [4, 5]
    for trail in (False, True):  # never sent, and nobody can tell
        [answer] = push(5, trail=trail)
        assert isinstance(answer, NumberTooOld)
        assert "number 5 of producer 'a'" in str(answer)
    assert push(51) == [6]


@pytest.mark.parametrize(
    ("limit", "most", "command"),
    [
        *(("channels", 1, m.CreateChannel("7" * 32)), ("admins", 2, m.NewAdmin(1, Side.CONSUMER))),
        ("proxies", 1, m.ObtainProxy(1, Side.CONSUMER, Style.PUSH)),
        ("named_proxies", 1, m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, name="lane")),
        *(("filters", 1, m.CreateFilter()), ("filters", 1, m.CreateMapping(Any(tc.SHORT, 1)))),
    ],
)
def test_how_many_objects_there_may_be(limit: str, most: int, command: m.Management) -> None:
    machine = limited(**{limit: most})
    if limit == "named_proxies":
        machine.do(m.ObtainProxy(1, Side.SUPPLIER, Style.PUSH, name="camera"))
    if limit == "filters":
        machine.do(m.CreateFilter())
    [error], effects = machine.factory.handle_many([command], machine.now)
    assert isinstance(error, TooManyObjects)
    assert f"(limits.{limit})" in str(error)
    assert not effects
    if limit == "admins":  # the default admin begins anew all the same
        machine.do(m.DestroyAdmin(1, Side.CONSUMER, 0))


def test_of_too_many_dead_letters_the_last_ones_are_kept() -> None:
    machine = limited(dead_letters=2)
    proxy = machine.new_consumer(window=5)
    machine.push(*"abcde")
    machine.do(c.Reject(machine.channel, proxy, [1, 2, 3, 4, 5], "no"))
    assert [letter.entry.seq for letter in machine.of(DeadLetter)] == [4, 5]
    assert machine.done(proxy) == {Outcome.REJECTED: 2, Outcome.DISCARDED: 3}
    assert machine.is_empty()


@pytest.mark.parametrize("name", [one.name for one in fields(Limits)])
def test_a_limit_is_a_number_from_1_on(name: str) -> None:
    assert getattr(Limits(**{name: 1}), name) == 1
    wrong: list[AnyValue] = [0, -1, 1.5, True, "many", None]
    for value in wrong:
        with pytest.raises(InvalidUsage, match=rf"limits\.{name} is a whole number from 1 on, not"):
            Limits(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("any_order", OrderPolicy.ANY, "any_order is one of the other policies"),
        ("any_discard", DiscardPolicy.ANY, "any_discard is one of the other policies"),
        ("any_order", 2, "one of OrderPolicy.ANY, OrderPolicy.FIFO"),
        ("default_operator", "AND_OP", "one of Operator.AND, Operator.OR"),
        ("inheritance", None, "one of Inheritance.COPIED, Inheritance.FOLLOWED"),
        ("limits", {}, r"limits is a value of Limits\(…\)"),
        ("default_qos", {}, r"default_qos is a value of QoS\(…\)"),
        ("retry_first", 0, "retry_first is a whole number from 1 on, not 0"),
        ("retry_longest", 999_999, "retry_longest is a whole number from 1000000 on"),
        ("retry_limit", -1, "retry_limit is a whole number from 0 on"),
        ("poll_interval", 0, "poll_interval is a whole number from 1 on"),
        ("sweep_interval", -3, "sweep_interval is a whole number from 1 on"),
        ("default_qos", QoS({"EventReliability": 1}), "default_qos could be had by no channel: E"),
        ("default_admin", AdminProperties({"MaxConsumers": -1}), "default_admin could be had by"),
        ("narrowed", {"Prioritee": (0, 1)}, "narrowed is a property that has a range, not 'Pri"),
        ("narrowed", {"StartTime": (0, 1)}, "narrowed is a property that has a range"),
        ("narrowed", {"Priority": (2, 1)}, r"narrowed\['Priority'\] is a range within -32767 to"),
        ("narrowed", {"Priority": (-40_000, 0)}, "within -32767 to 32767"),
        ("narrowed", {"Priority": (1, 9)}, "default_qos could be had by no channel: Priority"),
    ],
)
def test_nonsense_is_refused(name: str, value: AnyValue, message: str) -> None:
    with pytest.raises(InvalidUsage, match=message):
        Settings(**{name: value})


def test_a_filter_may_not_grow_by_changes_either() -> None:
    machine = limited(filter_octets=20)
    filter, ids = machine.do(m.CreateFilter([constraint("$a"), constraint("$b")]))
    with pytest.raises(LimitExceeded, match="characters"):
        machine.do(m.ModifyConstraints(filter, (), {ids[0]: constraint("$a == 1 and $b == 2")}))
    machine.do(m.ModifyConstraints(filter, (), {ids[0]: constraint("$a == 1 and $b")}))


def test_what_cannot_be_set_below_a_channel_follows_it() -> None:
    machine = Machine(qos={CONNECTION: 1})
    later = machine.new_supplier()
    machine.do(m.SetQoS(Place(machine.channel), {"EventReliability": 1}))
    suppliers = [machine.supplier, later, machine.new_supplier()]
    assert [machine.core_channel.supplier(one).defaults[2] for one in suppliers] == [True] * 3


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
    machine.do(m.Suspend(machine.channel, follows))
    machine.push("a", "b", "c")
    assert machine.waiting(follows) == [2, 3]
    assert machine.core_channel.supplier(machine.supplier).defaults == (8, 70, False)


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
    for below in (Place(machine.channel, proxy=proxy), Place(machine.channel)):
        machine.do(m.SetQoS(below, {CONNECTION: 0}))
    assert view_admin(machine.core_channel.admins[Side.CONSUMER][admin]).qos[CONNECTION] == 0


@settings(max_examples=60)
@given(st.integers(0, 2**32).map(Random))
def test_what_is_followed_is_always_what_stands_above(rng: Random) -> None:
    machine = Machine(Settings(inheritance=Inheritance.FOLLOWED))
    channel = machine.core_channel
    places = [Place(machine.channel)]
    for side in Side:
        id = machine.new_admin(side=side)
        below = machine.do(m.ObtainProxy(machine.channel, side, Style.PUSH, admin=id))
        places += [Place(machine.channel, side, id), Place(machine.channel, proxy=below)]
    names = {CONNECTION: 2, "Priority": 5, "MaxEventsPerConsumer": 3}
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
