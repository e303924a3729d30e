"""Too much: what is discarded, what goes to the disk, and in which order it comes back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edges.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, moment, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Outcome, Refill, Settled
from tidings.channel.qos import reliabilities
from tidings.channel.settings import Limits, Settings
from tidings.channel.translation import approximate_octets
from tidings.channel.vocabulary import Place
from tidings.errors import ChannelFull
from tidings.events.structured import StructuredEvent

FIFO, PRIORITY, DEADLINE, LIFO = 1, 2, 3, 4

# Numbers 1 to 5: priorities and lifetimes such that every order and policy has another opinion.
FIVE = [(0, 500), (3, 400), (-3, 300), (5, 100), (1, 600)]
ORDERS = {FIFO: [1, 2, 3, 4, 5], PRIORITY: [4, 2, 5, 1, 3], DEADLINE: [4, 3, 2, 1, 5]}
DISCARDED = {FIFO: [1, 2], PRIORITY: [3, 1], DEADLINE: [4, 3], LIFO: [4, 5]}  # of three places
PASSING = {"EventReliability": 0}


def five() -> list[StructuredEvent]:
    return [named("x", priority=p, header={"Timeout": 10 * SECOND * t}) for p, t in FIVE]


def heavy(name: str, **more: object) -> StructuredEvent:
    return named(name, data={"text": "x" * 10_000}, **more)


HEAVY = approximate_octets(heavy("a"))


def limited(octets_in_all: int, **more: object) -> Machine:
    return Machine(Settings(limits=Limits(octets_in_all=octets_in_all)), **more)  # type: ignore[arg-type]


# What is discarded.


def test_the_copies_of_others_stay() -> None:
    machine = Machine()
    small, large = machine.new_consumer(MaxEventsPerConsumer=1), machine.new_consumer()
    machine.push("a", "b", "c")
    assert (machine.waiting(small), machine.waiting(large)) == ([3], [2, 3])
    assert not machine.of(Settled)


def test_what_a_consumer_discards_makes_room_for_the_rest_of_a_push() -> None:
    machine = Machine(admin={"MaxQueueLength": 5, "RejectNewEvents": True})
    consumer = machine.new_consumer(suspended=True, MaxEventsPerConsumer=2)
    assert machine.push(*map(str, range(10))) == [*range(1, 11)]
    assert machine.waiting(consumer) == [9, 10]


@pytest.mark.parametrize("policy", DISCARDED)
def test_a_full_channel_may_discard_for_everybody(policy: int) -> None:
    admin = {"MaxQueueLength": 3, "RejectNewEvents": False}
    machine = Machine(qos={"DiscardPolicy": policy}, admin=admin)
    consumers = [machine.new_consumer(window=9, suspended=True) for _ in range(2)]
    assert machine.push(*five()) == [1, 2, 3, 4, 5]
    gone = [seq for effect in machine.of(Settled) for seq in effect.seqs]
    assert gone == DISCARDED[policy]
    for consumer in consumers:
        assert machine.done(consumer) == {Outcome.DISCARDED: 2}
        assert sorted(machine.waiting(consumer)) == sorted({1, 2, 3, 4, 5} - {*gone})


def test_what_goes_makes_room_in_its_window() -> None:
    machine = Machine(admin={"MaxQueueLength": 2, "RejectNewEvents": False})
    one, other = machine.new_consumer(), machine.new_consumer()
    machine.filtered(Place(machine.channel, proxy=one), "$event_name == 'one'")
    machine.filtered(Place(machine.channel, proxy=other), "$event_name == 'other'")
    machine.push("one", "one")
    machine.push("other")
    assert machine.done(one) == {Outcome.DISCARDED: 1}
    assert machine.delivered(one) == [2]


@pytest.mark.parametrize("persistent", [False, True])  # without a disk, that is no difference
def test_octets_in_all(persistent: bool) -> None:
    machine = limited(3 * HEAVY, qos=reliabilities(persistent=persistent))
    slow, fast = machine.new_consumer(suspended=True), machine.new_consumer(window=9)
    machine.push(heavy("a"), heavy("b"), heavy("c"))
    machine.ack(fast, 1, 2, 3)
    machine.push(heavy("d"))
    assert machine.waiting(slow) == [2, 3, 4]
    assert machine.delivered(fast) == [4]


def test_octets_in_all_that_are_in_flight_cannot_be_discarded() -> None:
    machine = limited(2 * HEAVY)
    machine.new_consumer(window=9)
    assert machine.push(heavy("a"), heavy("b")) == [1, 2]
    assert isinstance(machine.push(heavy("c"))[0], ChannelFull)


def test_two_channels_may_be_equally_large() -> None:
    """Then either may lose events, and none of it depends on what cannot be compared."""
    machine = limited(3 * HEAVY)
    first, consumer = machine.core_channel, machine.new_consumer(suspended=True)
    machine.push(heavy("x"))
    machine.channel = machine.do(m.CreateChannel("1" * 32))
    machine.supplier = machine.new_supplier()
    assert machine.new_consumer(suspended=True) == consumer
    for _ in range(5):
        machine.push(heavy("x"))
    assert machine.factory.core.octets <= 3 * HEAVY
    assert first.live or machine.core_channel.live


def test_persistent_events_take_no_memory_and_stay() -> None:
    machine = limited(5 * HEAVY, spills=True, qos=PERSISTENT_CHANNEL)
    consumer = machine.new_consumer(suspended=True)
    machine.push("a", "b")
    for _ in range(9):
        machine.push(heavy("x", header=PASSING))
    assert machine.waiting(consumer)[:2] == [1, 2]


# What goes to the disk.


def spilling(order: int = FIFO, **qos: Any) -> tuple[Machine, int]:
    """A machine that keeps four entries in memory, and a consumer that does not take any."""
    settings = Settings(limits=Limits(entries_per_consumer=4))
    machine = Machine(settings, spills=True, qos=PERSISTENT_CHANNEL)
    return machine, machine.new_consumer(suspended=True, OrderPolicy=order, **qos)


def begin_refill(machine: Machine, consumer: int) -> list[int]:
    """Goes on until the disk is asked; what is in flight then."""
    machine.resume(consumer)
    while not machine.of(Refill):
        machine.ack(consumer, *machine.delivered(consumer))
    return machine.delivered(consumer)


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_holds_with_arrivals_during_a_refill(order: int) -> None:
    machine, consumer = spilling(order)
    for _ in range(3):
        machine.push(*five())
    handed = begin_refill(machine, consumer)
    assert len(handed) == 1
    machine.refill(consumer, c.Push(machine.channel, machine.supplier, five()))
    rest = machine.drained_after(consumer, handed)
    rank = ORDERS[order].index
    assert rest == sorted(rest, key=lambda n: (order != FIFO and rank((n - 1) % 5 + 1), n))
    assert machine.is_empty()


def test_best_effort_events_are_never_on_the_disk_and_lost_beyond_the_limit() -> None:
    machine, consumer = spilling()
    machine.push(*"abcde")
    machine.push(*(named("x", header=PASSING) for _ in range(2)))
    machine.push("f")
    assert all(entry.octets == 0 for entry in machine.disk[consumer])
    machine.resume(consumer)
    order = machine.drained(consumer)
    assert order == sorted(order)
    assert {1, 2, 3, 4, 5, 8} <= set(order)
    assert machine.is_empty()
    machine, consumer = spilling()
    machine.push(*"abcde", named("later", start=moment(SECOND)))
    machine.resume(consumer)
    machine.push(*(named("x", header=PASSING) for _ in range(9)))
    delivery = machine.consumer(consumer).consumer
    assert delivery is not None
    assert (len(delivery.queue), len(delivery.later), len(delivery.held)) == (2, 1, 1)
    assert machine.done(consumer)[Outcome.DISCARDED] == 8


def test_max_events_counts_what_is_on_the_disk() -> None:
    machine, consumer = spilling(MaxEventsPerConsumer=6, DiscardPolicy=LIFO)
    machine.push(*"abcdefgh")
    assert machine.done(consumer) == {Outcome.DISCARDED: 2}
    machine.resume(consumer)
    assert machine.drained(consumer) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("when", ["before", "before, and more comes", "during a refill"])
def test_another_order_holds_for_what_is_on_the_disk(when: str) -> None:
    machine, consumer = spilling()
    machine.push(*five(), *five())
    change = m.SetQoS(Place(machine.channel, proxy=consumer), {"OrderPolicy": PRIORITY})
    expected = [4, 9, 2, 7, 5, 10, 1, 6, 3, 8]
    if when == "during a refill":
        [handed] = begin_refill(machine, consumer)
        machine.refill(consumer, change)
        rest = machine.drained_after(consumer, [handed])
        assert rest == [seq for seq in expected if seq > handed]
        return
    machine.do(change)
    if when == "before, and more comes":
        machine.push(named("x", priority=4))
        expected.insert(2, 11)
    machine.resume(consumer)
    assert machine.drained(consumer) == expected


def test_events_that_wait_for_their_start_are_not_lost() -> None:
    machine, _ = spilling()
    consumer = machine.new_consumer(window=99)
    machine.push(*(named("x", start=moment(SECOND)) for _ in range(9)))
    assert machine.done(consumer) == {}
    machine.wait(SECOND)
    assert machine.drained(consumer) == list(range(1, 10))


def test_of_an_idle_consumer_all_persistent_entries_go_to_the_disk() -> None:
    machine, consumer = spilling()
    machine.push("a", "b", named("c", header=PASSING), "d")
    assert machine.do(c.Idle(machine.channel, consumer)) == 3
    assert machine.waiting(consumer) == []
    assert not machine.of(Refill)
    machine.resume(consumer)
    assert machine.drained(consumer) == [1, 2, 3, 4]
    assert machine.is_empty()
    machine.do(m.Connect(machine.channel, consumer, window=9, again=True))
    machine.do(m.Suspend(machine.channel, consumer))
    machine.push(*"abcdefgh")
    machine.resume(consumer)
    assert machine.of(Refill)
    assert machine.do(c.Idle(machine.channel, consumer)) == 0, "not during a refill"
