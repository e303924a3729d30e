from __future__ import annotations

import pytest

from tests.unit.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, moment, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Notice, NoticeKind, Outcome, Refill, Settled, Spill, Unspill
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Place
from tidings.errors import ChannelFull
from tidings.events.structured import StructuredEvent

FIFO, PRIORITY, DEADLINE, LIFO = 1, 2, 3, 4

# Numbers 1 to 5: priorities and lifetimes such that every policy chooses another one.
FIVE = [(0, 500), (3, 400), (-3, 300), (5, 100), (1, 600)]
ORDERS = {FIFO: [1, 2, 3, 4, 5], PRIORITY: [4, 2, 5, 1, 3], DEADLINE: [4, 3, 2, 1, 5]}
VICTIMS = {FIFO: [1, 2], PRIORITY: [3, 1], DEADLINE: [4, 3], LIFO: [5, 4]}


def five() -> list[StructuredEvent]:
    return [named("x", priority=p, header={"Timeout": 10 * SECOND * t}) for p, t in FIVE]


def spilling(qos: dict[str, object] | None = None, **limits: int) -> Machine:
    settings = Settings(limits=Limits(**{"entries_per_consumer": 4, **limits}))
    return Machine(settings, spills=True, qos={**PERSISTENT_CHANNEL, **(qos or {})})


class TestMaxEventsPerConsumer:
    @pytest.mark.parametrize("order", ORDERS)
    @pytest.mark.parametrize("policy", VICTIMS)
    def test_every_policy_in_every_order(self, order: int, policy: int) -> None:
        machine = Machine()
        consumer = machine.new_consumer(
            window=9, MaxEventsPerConsumer=3, OrderPolicy=order, DiscardPolicy=policy
        )
        machine.suspend(consumer)
        machine.push(*five())
        assert machine.done(consumer) == {Outcome.DISCARDED: 2}
        # Number by number: 4 is chosen among the first four, then the next one of all.
        among_four = min(VICTIMS[policy] + [1, 4], key=lambda seq: _rank(policy, seq, 4))
        left = {1, 2, 3, 4, 5} - {among_four}
        left.discard(min(left, key=lambda seq: _rank(policy, seq, 5)))
        machine.resume(consumer)
        assert machine.delivered(consumer) == [seq for seq in ORDERS[order] if seq in left]

    def test_the_copies_of_others_stay(self) -> None:
        machine = Machine()
        small, large = machine.new_consumer(MaxEventsPerConsumer=1), machine.new_consumer()
        machine.push("a", "b", "c")
        assert machine.waiting(small) == [3]
        assert machine.waiting(large) == [2, 3]
        assert not machine.of(Settled)

    def test_what_is_in_flight_does_not_count(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=2, MaxEventsPerConsumer=1)
        machine.push("a", "b", "c")
        assert machine.done(consumer) == {}
        assert machine.delivered(consumer) == [1, 2]

    def test_any_is_fifo(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(MaxEventsPerConsumer=2)
        machine.suspend(consumer)
        machine.push("a", "b", "c")
        assert machine.waiting(consumer) == [2, 3]

    def test_a_lower_limit_counts_at_once(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push("a", "b", "c")
        machine.set_qos(consumer, MaxEventsPerConsumer=1)
        assert machine.done(consumer) == {Outcome.DISCARDED: 2}
        assert machine.waiting(consumer) == [3]

    def test_events_that_wait_for_their_start_count(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(MaxEventsPerConsumer=2)
        machine.push(*(named("x", start=moment(t * SECOND)) for t in (5, 9, 3)))
        assert machine.done(consumer) == {Outcome.DISCARDED: 1}
        machine.wait(SECOND * 3)
        assert machine.delivered(consumer) == [3]
        machine.ack(consumer, 3)
        machine.wait(SECOND * 2)
        assert machine.delivered(consumer) == [1]

    def test_who_is_slow_is_reported_once(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(MaxEventsPerConsumer=1)
        machine.push("a", "b", "c", "d")
        [slow] = machine.of(Notice)
        assert slow.kind is NoticeKind.SLOW_CONSUMER
        assert "MaxEventsPerConsumer is 1" in slow.detail
        machine.ack(consumer, 1)
        assert [notice.kind for notice in machine.of(Notice)] == [NoticeKind.CAUGHT_UP]
        machine.push("e", "f")
        assert [notice.kind for notice in machine.of(Notice)] == [NoticeKind.SLOW_CONSUMER]


def _rank(policy: int, seq: int, highest: int) -> tuple[int, int]:
    """The smallest goes first."""
    if seq > highest:
        return 1 << 40, seq
    priority, life = FIVE[seq - 1]
    keys = {FIFO: seq, PRIORITY: priority, DEADLINE: life, LIFO: -seq}
    return keys[policy], seq


class TestMaxQueueLength:
    def test_a_full_channel_refuses(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 2})
        consumer = machine.new_consumer()
        answers = machine.push("a", "b", "c")
        assert answers[:2] == [1, 2]
        assert isinstance(answers[2], ChannelFull)
        machine.ack(consumer, 1)
        assert machine.push("c") == [3]

    def test_events_for_nobody_do_not_count(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 1})
        assert machine.push("a", "b", "c") == [1, 2, 3]

    @pytest.mark.parametrize("policy", VICTIMS)
    def test_or_discards_for_everybody(self, policy: int) -> None:
        admin = {"MaxQueueLength": 3, "RejectNewEvents": False}
        machine = Machine(qos={"DiscardPolicy": policy}, admin=admin)
        one, other = machine.new_consumer(window=9), machine.new_consumer(window=9)
        for consumer in (one, other):
            machine.suspend(consumer)
        assert machine.push(*five()) == [1, 2, 3, 4, 5]
        gone = [seq for effect in machine.of(Settled) for seq in effect.seqs]
        first = min([1, 2, 3, 4], key=lambda seq: _rank(policy, seq, 4))
        left = {1, 2, 3, 4, 5} - {first}
        second = min(left, key=lambda seq: _rank(policy, seq, 5))
        assert gone == [first, second]
        for consumer in (one, other):
            assert machine.done(consumer) == {Outcome.DISCARDED: 2}
            assert sorted(machine.waiting(consumer)) == sorted(left - {second})

    def test_an_event_for_nobody_pushes_nothing_out(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 1, "RejectNewEvents": False})
        consumer = machine.new_consumer()
        machine.filtered(Place(machine.channel, proxy=consumer), "$event_name == 'a'")
        machine.push("a", "b")
        assert machine.done(consumer) == {}

    def test_another_policy_counts_at_once(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 2, "RejectNewEvents": False})
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push("a", "b", "c")
        assert machine.waiting(consumer) == [2, 3]
        machine.do(m.SetQoS(Place(machine.channel), {"DiscardPolicy": LIFO}))
        machine.push("d")
        assert machine.waiting(consumer) == [2, 3]
        machine.set_admin(MaxQueueLength=3)
        machine.push("e")
        assert machine.waiting(consumer) == [2, 3, 5]

    def test_what_was_settled_is_passed_over(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 2, "RejectNewEvents": False})
        consumer = machine.new_consumer(window=9)
        machine.push("a", "b", "c")
        for number in range(3, 1_300):
            machine.ack(consumer, number - 1)
            machine.push("x")
        machine.push("y")
        assert len(machine.core_channel.live) == 2


class TestServerLimits:
    def test_entries(self) -> None:
        machine = Machine(Settings(limits=Limits(entries_per_consumer=2)))
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push("a", "b", "c")
        assert machine.done(consumer) == {Outcome.DISCARDED: 1}
        assert machine.waiting(consumer) == [2, 3]

    def test_octets_of_one_consumer(self) -> None:
        machine = Machine(Settings(limits=Limits(octets_per_consumer=3_500)))
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        for _ in range(5):
            machine.push(named("x", data={"text": "x" * 1_000}))
        assert machine.waiting(consumer) == [4, 5]

    def test_octets_in_all_are_taken_from_the_largest(self) -> None:
        machine = Machine(Settings(limits=Limits(octets_in_all=20_000)))
        large, small = machine.new_consumer(), machine.new_consumer()
        for consumer in (large, small):
            machine.suspend(consumer)
        machine.filtered(Place(machine.channel, proxy=small), "$event_name == 'both'")
        machine.push("both")
        for _ in range(30):
            machine.push(named("x", data={"text": "x" * 1_000}))
        assert machine.waiting(small) == [1]
        assert machine.factory.core.octets <= 20_000
        assert machine.waiting(large)[-1] == 31

    def test_two_channels_may_be_equally_large(self) -> None:
        machine = Machine(Settings(limits=Limits(octets_in_all=5_000)))
        first = machine.channel
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(named("x", data={"text": "x" * 1_000}))
        machine.channel = machine.do(m.CreateChannel("1" * 32))
        machine.supplier = machine.new_supplier()
        assert machine.new_consumer() == consumer
        machine.suspend(consumer)
        for _ in range(5):
            machine.push(named("x", data={"text": "x" * 1_000}))
        assert machine.factory.core.octets <= 5_000
        assert machine.factory.channel(first).live or machine.core_channel.live

    def test_persistent_events_take_no_memory_and_stay(self) -> None:
        settings = Settings(limits=Limits(octets_in_all=5_000))
        machine = Machine(settings, spills=True, qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push("a", "b")
        for _ in range(9):
            text = {"text": "x" * 1_000}
            machine.push(named("x", header={"EventReliability": 0}, data=text))
        assert machine.waiting(consumer)[:2] == [1, 2]

    def test_nothing_is_discarded_in_vain(self) -> None:
        machine = Machine(Settings(limits=Limits(octets_in_all=4_000)))
        taken, waiting = machine.new_consumer(window=9), machine.new_consumer()
        machine.suspend(waiting)
        for _ in range(3):
            machine.push(named("x", data={"text": "x" * 900}))
        before = machine.view()
        [answer] = machine.push(named("x", data={"text": "x" * 900}))
        assert isinstance(answer, ChannelFull)
        assert machine.view() == before
        assert machine.delivered(taken) == []

    def test_a_refused_event_pushes_nothing_out(self) -> None:
        limits = Limits(octets_in_all=2_000)
        machine = Machine(Settings(limits=limits), admin={"MaxQueueLength": 1})
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(named("x", data={"text": "x" * 900}))
        before = machine.view()
        [answer] = machine.push(named("x", data={"text": "x" * 900}))
        assert isinstance(answer, ChannelFull)
        assert machine.view() == before


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

    @pytest.mark.parametrize("asked", [False, True], ids=["before", "during"])
    def test_another_order_holds_for_what_is_on_the_disk(self, asked: bool) -> None:
        machine = spilling()
        consumer = machine.new_consumer(OrderPolicy=FIFO)
        machine.suspend(consumer)
        for _ in range(2):
            machine.push(*five())
        change = m.SetQoS(Place(machine.channel, proxy=consumer), {"OrderPolicy": PRIORITY})
        if not asked:
            machine.do(change)
            machine.resume(consumer)
            assert machine.drained(consumer) == [4, 9, 2, 7, 5, 10, 1, 6, 3, 8]
            return
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
