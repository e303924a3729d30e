"""Entries on the disk: what goes there, and in which order it comes back."""

from __future__ import annotations

import pytest

from tests.unit.channel.five import DEADLINE, FIFO, FIVE, LIFO, ORDERS, PRIORITY, five
from tests.unit.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, moment, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Outcome, Refill, Settled, Spill, Unspill
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Place


def spilling(qos: dict[str, object] | None = None, **limits: int) -> Machine:
    settings = Settings(limits=Limits(**{"entries_per_consumer": 4, **limits}))
    return Machine(settings, spills=True, qos={**PERSISTENT_CHANNEL, **(qos or {})})


class TestSpill:
    @pytest.mark.parametrize("order", ORDERS)
    def test_everything_comes_back_in_order(self, order: int) -> None:
        machine = spilling()
        consumer = machine.new_consumer(OrderPolicy=order)
        machine.suspend(consumer)
        for _ in range(4):
            machine.push(*five())
        assert machine.disk[consumer]
        waiting = machine.proxy(consumer).delivery
        assert waiting is not None
        assert waiting.waiting == 20
        machine.resume(consumer)
        rounds = [seq + 5 * number for seq in ORDERS[order] for number in range(4)]
        assert machine.drained(consumer) == (list(range(1, 21)) if order == FIFO else rounds)
        assert machine.is_empty()

    @pytest.mark.parametrize("order", ORDERS)
    def test_with_arrivals_during_a_refill(self, order: int) -> None:
        machine = spilling()
        consumer = machine.new_consumer(OrderPolicy=order)
        machine.suspend(consumer)
        for _ in range(3):
            machine.push(*five())
        machine.resume(consumer)
        while not machine.of(Refill):
            machine.ack(consumer, *machine.delivered(consumer))
        handed = machine.delivered(consumer)
        assert len(handed) == 1
        arrivals = c.Push(machine.channel, machine.supplier, five())
        machine.refill(consumer, arrivals)
        rest = machine.drained_after(consumer, handed)
        assert rest == _in_order(order, rest)
        assert machine.is_empty()

    def test_a_more_urgent_event_does_not_wait_for_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer(window=9)
        machine.suspend(consumer)
        machine.push(*(named("x") for _ in range(8)))
        machine.resume(consumer)
        assert machine.of(Refill)
        machine.push(named("urgent", priority=9))
        assert machine.delivered(consumer) == [9]

    def test_best_effort_events_are_never_on_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(*"abcde")
        passing = [named("x", header={"EventReliability": 0}) for _ in range(2)]
        machine.push(*passing)
        machine.push("f")
        assert all(entry.octets == 0 for entry in machine.disk[consumer])
        machine.resume(consumer)
        order = machine.drained(consumer)
        assert order == sorted(order)
        assert {1, 2, 3, 4, 5, 8} <= set(order)
        assert machine.is_empty()

    def test_best_effort_events_beyond_the_limit_are_lost(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(*"abcde")
        machine.push(*(named("x", header={"EventReliability": 0}) for _ in range(9)))
        delivery = machine.proxy(consumer).delivery
        assert delivery is not None
        assert len(delivery.queue) + len(delivery.held) == 4
        assert machine.done(consumer)[Outcome.DISCARDED] == 9 - len(delivery.held)

    def test_the_account_of_spilled_events_is_on_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(*"abcdef")
        spilled = [entry.seq for effect in machine.of(Spill) for entry in effect.entries]
        assert [seq for effect in machine.of(Settled) for seq in effect.seqs] == spilled
        assert set(machine.core_channel.live) == set(range(1, 7)) - set(spilled)
        assert machine.core_channel.spilled == len(spilled)

    def test_the_end_of_the_proxy_clears_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(*"abcdef")
        machine.do(m.Disconnect(machine.channel, consumer))
        assert machine.of(Unspill) == [Unspill(machine.channel, consumer, None)]
        assert machine.is_empty()

    def test_max_events_counts_what_is_on_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer(MaxEventsPerConsumer=6, DiscardPolicy=LIFO)
        machine.suspend(consumer)
        machine.push(*"abcdefgh")
        assert machine.done(consumer) == {Outcome.DISCARDED: 2}
        machine.resume(consumer)
        assert machine.drained(consumer) == [1, 2, 3, 4, 5, 6]

    def test_a_limit_below_what_is_on_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(*"abcdefgh")
        machine.do(c.Idle(machine.channel, consumer))
        machine.set_qos(consumer, MaxEventsPerConsumer=2)
        machine.push("i")
        assert machine.done(consumer) == {Outcome.DISCARDED: 1}
        machine.resume(consumer)
        order = machine.drained(consumer)
        assert order == sorted(order)
        assert order[-2:] == [7, 8], "what comes back is counted then"
        assert machine.is_empty()

    def reordered(self) -> tuple[Machine, int, m.SetQoS]:
        machine = spilling()
        consumer = machine.new_consumer(OrderPolicy=FIFO)
        machine.suspend(consumer)
        for _ in range(2):
            machine.push(*five())
        change = m.SetQoS(Place(machine.channel, proxy=consumer), {"OrderPolicy": PRIORITY})
        return machine, consumer, change

    def test_another_order_holds_for_what_is_on_the_disk(self) -> None:
        machine, consumer, change = self.reordered()
        machine.do(change)
        machine.resume(consumer)
        assert machine.drained(consumer) == [4, 9, 2, 7, 5, 10, 1, 6, 3, 8]

    def test_also_for_what_comes_afterwards(self) -> None:
        machine, consumer, change = self.reordered()
        machine.do(change)
        machine.push(named("x", priority=4))
        machine.resume(consumer)
        assert machine.drained(consumer) == [4, 9, 11, 2, 7, 5, 10, 1, 6, 3, 8]

    def test_also_when_it_comes_during_a_refill(self) -> None:
        machine, consumer, change = self.reordered()
        machine.resume(consumer)
        while not machine.of(Refill):
            machine.ack(consumer, *machine.delivered(consumer))
        [handed] = machine.delivered(consumer)
        machine.refill(consumer, change)
        rest = machine.drained_after(consumer, [handed])
        assert rest == [seq for seq in [4, 9, 2, 7, 5, 10, 1, 6, 3, 8] if seq > handed]

    def test_what_fails_goes_behind_more_urgent_events_on_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer(window=4)
        machine.push(named("slow"))
        machine.push(*(named("x", priority=5) for _ in range(12)))
        machine.fail(consumer, 1)
        machine.wait(SECOND)
        order = machine.drained(consumer)
        assert order[-1] == 1
        assert machine.is_empty() or machine.waiting(consumer) == []

    def test_events_that_wait_for_their_start_are_not_lost(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer(window=99)
        machine.push(*(named("x", start=moment(SECOND)) for _ in range(9)))
        assert machine.done(consumer) == {}
        machine.wait(SECOND)
        assert machine.drained(consumer) == list(range(1, 10))


def _in_order(order: int, seqs: list[int]) -> list[int]:
    def key(seq: int) -> tuple[int, int]:
        priority, life = FIVE[(seq - 1) % 5]
        return {FIFO: 0, PRIORITY: -priority, DEADLINE: life}[order], seq

    return sorted(seqs, key=key)


class TestIdle:
    def test_all_persistent_entries_go_to_the_disk(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push("a", "b", named("c", header={"EventReliability": 0}), "d")
        assert machine.do(c.Idle(machine.channel, consumer)) == 3
        assert machine.waiting(consumer) == []
        assert not machine.of(Refill)
        machine.resume(consumer)
        assert machine.drained(consumer) == [1, 2, 3, 4]
        assert machine.is_empty()

    def test_what_comes_first_may_stay(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(named("a", header={"EventReliability": 0}), "b")
        assert machine.do(c.Idle(machine.channel, consumer)) == 1
        assert machine.waiting(consumer) == [1]

    def test_where_nothing_survives_nothing_is_written(self) -> None:
        machine = spilling()
        passing = machine.new_consumer(ConnectionReliability=0)
        machine.suspend(passing)
        machine.push("a")
        assert machine.do(c.Idle(machine.channel, passing)) == 0
        assert machine.do(c.Idle(machine.channel, machine.new_consumer())) == 0

    def test_not_during_a_refill(self) -> None:
        machine = spilling()
        consumer = machine.new_consumer(window=9)
        machine.suspend(consumer)
        machine.push(*"abcdefgh")
        machine.resume(consumer)
        assert machine.of(Refill)
        assert machine.do(c.Idle(machine.channel, consumer)) == 0
