"""Events that could not be written were never accepted."""

from __future__ import annotations

from tests.unit.channel.machine import PERSISTENT_CHANNEL, Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Deliver, Unspill
from tidings.channel.settings import Limits, Settings
from tidings.events.envelope import ProducerMark


def revoke(machine: Machine, *seqs: int, marks: tuple[ProducerMark, ...] = ()) -> None:
    machine.do(c.Revoke(machine.channel, seqs, marks))


def test_they_wait_for_nobody() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    one, other = machine.new_consumer(), machine.new_consumer()
    machine.push("a", "b")
    revoke(machine, 1, 2)
    assert machine.is_empty()
    assert machine.waiting(one) == machine.waiting(other) == []
    machine.ack(one, 1)
    assert machine.effects == []


def test_the_latest_numbers_are_free_again() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    machine.push("a", "b", "c")
    revoke(machine, 3, 2)
    assert machine.push("d") == [2]
    revoke(machine)
    assert machine.push("e") == [3]


def test_others_are_not() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    machine.push("a", "b")
    revoke(machine, 1)
    assert machine.push("c") == [3]


def test_their_marks_may_come_again() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    mark = ProducerMark("radar", 1)
    push = c.Push(machine.channel, machine.supplier, [named("a")], [mark])
    assert machine.do(push) == [1]
    revoke(machine, 1, marks=(mark,))
    assert machine.do(push) == [1]
    machine.push("b")
    assert machine.do(push) == [1]


def test_the_next_event_goes_into_the_free_window() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    consumer = machine.new_consumer()
    machine.push("a", "b")
    revoke(machine, 1)
    assert machine.delivered(consumer) == [2]


def test_a_number_used_again_is_no_redelivery() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    consumer = machine.new_consumer()
    machine.push("a")
    machine.do(m.Connect(machine.channel, consumer, again=True))
    revoke(machine, 1)
    machine.push("b")
    [deliver] = machine.of(Deliver)
    assert deliver.again == frozenset()


def test_best_effort_events_give_their_memory_back() -> None:
    machine = Machine()
    machine.new_consumer()
    machine.new_consumer()
    machine.push("a")
    revoke(machine, 1)
    assert machine.is_empty()


def test_what_was_spilled_is_not_wanted() -> None:
    settings = Settings(limits=Limits(entries_per_consumer=2))
    machine = Machine(settings, spills=True, qos=PERSISTENT_CHANNEL)
    consumer = machine.new_consumer()
    machine.suspend(consumer)
    machine.push("a", "b", "c")
    revoke(machine, 1, 2, 3)
    assert machine.of(Unspill) == [Unspill(machine.channel, consumer, [1, 2, 3])]
    machine.disk[consumer] = []
    machine.resume(consumer)
    machine.refill(consumer)
    assert machine.is_empty()
    machine.push("d")
    assert machine.delivered(consumer) == [1]


def test_a_full_channel_has_room_again() -> None:
    admin = {"MaxQueueLength": 2, "RejectNewEvents": False}
    machine = Machine(qos={**PERSISTENT_CHANNEL, "DiscardPolicy": 2}, admin=admin)
    consumer = machine.new_consumer()
    machine.suspend(consumer)
    machine.push(named("a", priority=5), named("b", priority=6), named("c", priority=4))
    machine.push(named("d", priority=3))
    revoke(machine, 3, 4)
    machine.push(named("e", priority=9))
    assert sorted(machine.waiting(consumer)) == [2, 3]
