"""Every limit of the server holds; nonsense in settings is refused by name."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any as AnyValue

import pytest

from tests.unit.channel.machine import Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import DeadLetter, Done, Outcome, Spill
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import DiscardPolicy, OrderPolicy, QoS, reliabilities
from tidings.channel.settings import DEFAULT_SETTINGS, Limits, Settings
from tidings.channel.translation import approximate_octets
from tidings.channel.vocabulary import Form, Side, Style
from tidings.errors import (
    AdminLimitExceeded,
    ChannelFull,
    InvalidUsage,
    LimitExceeded,
    NumberTooOld,
    TidingsError,
    TooManyObjects,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import constraint
from tidings.filters.mapping import MappedConstraint

CONNECTION = "ConnectionReliability"


def limited(qos: dict[str, int] | None = None, **limits: int) -> Machine:
    """A machine that keeps little."""
    return Machine(Settings(limits=Limits(**limits)), qos=qos or {})


def heavy(name: str) -> StructuredEvent:
    """An event of about ten thousand octets."""
    return event("Traffic", "Speed", name, {"text": "x" * 10_000})


def test_entries_per_consumer() -> None:
    machine = limited(entries_per_consumer=3)
    proxy = machine.new_consumer()
    machine.suspend(proxy)
    machine.push(*"abcde")
    assert machine.waiting(proxy) == [3, 4, 5]


def test_octets_per_consumer() -> None:
    machine = limited(octets_per_consumer=2 * approximate_octets(heavy("a")))
    proxy = machine.new_consumer()
    machine.suspend(proxy)
    machine.push(*(heavy(name) for name in "abcd"))
    assert machine.waiting(proxy) == [3, 4]


@pytest.mark.parametrize("persistent", [False, True])  # without a disk, that is no difference
def test_octets_in_all(persistent: bool) -> None:
    qos = reliabilities(persistent=persistent)
    machine = limited(qos, octets_in_all=3 * approximate_octets(heavy("a")))
    slow, fast = machine.new_consumer(), machine.new_consumer(window=9)
    machine.suspend(slow)
    machine.push(heavy("a"), heavy("b"), heavy("c"))
    machine.ack(fast, 1, 2, 3)
    machine.push(heavy("d"))
    assert machine.waiting(slow) == [2, 3, 4]
    assert machine.delivered(fast) == [4]


def test_octets_in_all_that_are_in_flight_cannot_be_discarded() -> None:
    machine = limited(octets_in_all=2 * approximate_octets(heavy("a")))
    machine.new_consumer(window=9)
    assert machine.push(heavy("a"), heavy("b")) == [1, 2]
    [answer] = machine.push(heavy("c"))
    assert isinstance(answer, ChannelFull)


def test_event_octets() -> None:
    machine = limited(event_octets=approximate_octets(heavy("a")))
    larger = event("Traffic", "Speed", "a", {"text": "x" * 10_001})
    answers = machine.push(heavy("a"), larger, "small")
    assert (answers[0], answers[2]) == (1, 2)
    assert isinstance(answers[1], LimitExceeded)


def test_batch_events() -> None:
    machine = limited(batch_events=2)
    assert machine.push("a", "b") == [1, 2]
    with pytest.raises(LimitExceeded, match="at most 2 events, not 3"):
        machine.push("a", "b", "c")


def marked(machine: Machine, producer: str, number: int) -> int:
    """Pushes an event with a mark; its number."""
    mark = ProducerMark(producer, number)
    [seq] = machine.do(c.Push(machine.channel, machine.supplier, [named("x")], [mark]))
    if isinstance(seq, TidingsError):
        raise seq
    assert isinstance(seq, int)
    return seq


def test_producers() -> None:
    machine = limited(producers=2)
    assert [marked(machine, producer, 1) for producer in "abab"] == [1, 2, 1, 2]
    assert [marked(machine, producer, 1) for producer in "cba"] == [3, 2, 4]


def test_producer_runs() -> None:
    machine = limited(producer_runs=2)
    assert [marked(machine, "a", number) for number in (10, 20, 30)] == [1, 2, 3]
    assert [marked(machine, "a", number) for number in (10, 20, 30)] == [-1, 2, 3]
    assert [marked(machine, "a", number) for number in (40, 50)] == [4, 5]
    mark = [ProducerMark("a", 5)]
    for trail in (False, True):  # never sent, and nobody can tell
        push = c.Push(machine.channel, machine.supplier, [named("x")], mark, trail=trail)
        [answer] = machine.do(push)
        assert isinstance(answer, NumberTooOld)
        assert "number 5 of producer 'a'" in str(answer)
    assert marked(machine, "a", 51) == 6


def test_producer_runs_in_all() -> None:
    machine = limited(producer_runs_in_all=1)
    assert [marked(machine, "a", number) for number in (1, 3, 5)] == [1, 2, 3]
    with pytest.raises(NumberTooOld):
        marked(machine, "a", 1)
    assert [marked(machine, "a", number) for number in (3, 5)] == [-1, 3]


@pytest.mark.parametrize(
    ("limit", "most", "command"),
    [
        ("channels", 1, m.CreateChannel("7" * 32)),
        ("admins", 2, m.NewAdmin(1, Side.CONSUMER)),
        ("proxies", 1, m.ObtainProxy(1, Side.CONSUMER, Style.PUSH)),
        ("named_proxies", 1, m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, name="lane")),
        ("filters", 1, m.CreateFilter()),
        ("filters", 1, m.CreateMapping(Any(tc.SHORT, 1))),
    ],
)
def test_how_many_objects_there_may_be(limit: str, most: int, command: m.Management) -> None:
    machine = limited(None, **{limit: most})
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


@pytest.mark.parametrize("limit", [2, 10])
def test_dead_letters(limit: int) -> None:
    machine = Machine(Settings(retry_limit=0, limits=Limits(dead_letters=limit)))
    proxy = machine.new_consumer(window=5)
    machine.push(*"abcde")
    machine.fail(proxy, 1, 2, 3, 4, 5)
    assert len(machine.of(DeadLetter)) == min(limit, 5)
    assert machine.is_empty()


def test_of_too_many_dead_letters_the_last_ones_are_kept() -> None:
    machine = limited(dead_letters=2)
    proxy = machine.new_consumer(window=5)
    machine.push(*"abcde")
    machine.do(c.Reject(machine.channel, proxy, [1, 2, 3, 4, 5], "no"))
    assert [letter.entry.seq for letter in machine.of(DeadLetter)] == [4, 5]
    assert machine.done(proxy) == {Outcome.REJECTED: 2, Outcome.DISCARDED: 3}
    assert machine.is_empty()


def test_a_limit_on_memory_spills_what_must_survive() -> None:
    settings = Settings(limits=Limits(entries_per_consumer=10))
    qos = {CONNECTION: 1, "EventReliability": 1}
    machine = Machine(settings, spills=True, qos=qos)
    proxy = machine.new_consumer()
    machine.suspend(proxy)
    machine.push(*(str(number) for number in range(12)))
    assert machine.of(Spill)
    assert machine.of(Done) == []


# Nonsense.


def test_the_defaults_are_good_and_cannot_be_changed() -> None:
    assert Settings() == DEFAULT_SETTINGS
    with pytest.raises(FrozenInstanceError):
        DEFAULT_SETTINGS.unwrap = False  # type: ignore[misc]


@pytest.mark.parametrize("name", [one.name for one in fields(Limits)])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "many", None])
def test_a_limit_is_a_number_from_1_on(name: str, value: AnyValue) -> None:
    with pytest.raises(InvalidUsage, match=rf"limits\.{name} is a whole number from 1 on, not"):
        Limits(**{name: value})
    assert getattr(Limits(**{name: 1}), name) == 1


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("any_order", OrderPolicy.ANY, "any_order is one of the other policies"),
        ("any_discard", DiscardPolicy.ANY, "any_discard is one of the other policies"),
        ("any_order", 2, "one of OrderPolicy.ANY, OrderPolicy.FIFO"),
        ("default_operator", "AND_OP", "one of Operator.AND, Operator.OR"),
        ("inheritance", None, "one of Inheritance.COPIED, Inheritance.FOLLOWED"),
        ("counted", "obtained", "one of Counted.OBTAINED, Counted.CONNECTED, not 'obtained'"),
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


@pytest.mark.parametrize("name", [one.name for one in fields(Settings) if one.type == "bool"])
def test_a_switch_is_on_or_off(name: str) -> None:
    with pytest.raises(InvalidUsage, match=f"the setting {name} is True or False, not 1"):
        Settings(**{name: 1})  # type: ignore[arg-type]
    for value in (True, False):
        assert getattr(Settings(**{name: value}), name) is value  # type: ignore[arg-type]


def test_forms_are_counted_too() -> None:
    machine = Machine(admin={"MaxConsumers": 2})
    machine.new_consumer(form=Form.ANY)
    machine.do(m.ObtainProxy(machine.channel, Side.CONSUMER, Style.PUSH, bare=True))
    with pytest.raises(AdminLimitExceeded):
        machine.new_consumer()


@pytest.mark.parametrize(
    ("limits", "text", "what"),
    [
        ({"filter_constraints": 2}, "$a == 1", "3 constraints are more than the 2"),
        ({"filter_types": 5}, "$a == 1", "6 event types are more than the 5"),
        ({"filter_octets": 20}, "$a == 1", "21 characters are more than the 20"),
        ({"filter_searches": 2}, "'a' ~ $b", "3 times ~ are more than the 2"),
    ],
)
def test_how_large_a_filter_may_be(limits: dict[str, int], text: str, what: str) -> None:
    machine = limited(None, **limits)
    one = constraint(text, ["A::B", "C::D"])
    small = constraint("$a")
    with pytest.raises(LimitExceeded, match=what):
        machine.do(m.CreateFilter([one] * 3))
    filter, ids = machine.do(m.CreateFilter([one] * 2))
    with pytest.raises(LimitExceeded, match=what):
        machine.do(m.AddConstraints(filter, [one]))
    machine.do(m.ModifyConstraints(filter, (), {ids[0]: small}))
    mapped = MappedConstraint(one, 1)
    with pytest.raises(LimitExceeded, match=what):
        machine.do(m.CreateMapping(0, [mapped] * 3))
    mapping, _ = machine.do(m.CreateMapping(0, [mapped] * 2))
    with pytest.raises(LimitExceeded, match=what):
        machine.do(m.AddMapped(mapping, [mapped]))


def test_a_filter_may_not_grow_by_changes_either() -> None:
    machine = limited(filter_octets=20)
    filter, ids = machine.do(m.CreateFilter([constraint("$a"), constraint("$b")]))
    with pytest.raises(LimitExceeded, match="characters"):
        machine.do(m.ModifyConstraints(filter, (), {ids[0]: constraint("$a == 1 and $b == 2")}))
    machine.do(m.ModifyConstraints(filter, (), {ids[0]: constraint("$a == 1 and $b")}))
