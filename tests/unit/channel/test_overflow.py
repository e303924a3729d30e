from __future__ import annotations

import pytest

from tests.unit.channel.five import DEADLINE, FIFO, FIVE, LIFO, ORDERS, PRIORITY, five
from tests.unit.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, moment, named
from tidings.channel import management as m
from tidings.channel.effects import Notice, NoticeKind, Outcome, Settled
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Place
from tidings.errors import ChannelFull

POLICIES = (FIFO, PRIORITY, DEADLINE, LIFO)


class TestMaxEventsPerConsumer:
    @pytest.mark.parametrize("order", ORDERS)
    @pytest.mark.parametrize("policy", POLICIES)
    def test_every_policy_in_every_order(self, order: int, policy: int) -> None:
        machine = Machine()
        consumer = machine.new_consumer(
            window=9, MaxEventsPerConsumer=3, OrderPolicy=order, DiscardPolicy=policy
        )
        machine.suspend(consumer)
        machine.push(*five())
        assert machine.done(consumer) == {Outcome.DISCARDED: 2}
        # The fourth event is one too many, and then the fifth.
        first = min([1, 2, 3, 4], key=lambda seq: _rank(policy, seq))
        left = {1, 2, 3, 4, 5} - {first}
        left.discard(min(left, key=lambda seq: _rank(policy, seq)))
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


def _rank(policy: int, seq: int) -> tuple[int, int]:
    """The smallest goes first."""
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

    @pytest.mark.parametrize("policy", POLICIES)
    def test_or_discards_for_everybody(self, policy: int) -> None:
        admin = {"MaxQueueLength": 3, "RejectNewEvents": False}
        machine = Machine(qos={"DiscardPolicy": policy}, admin=admin)
        one, other = machine.new_consumer(window=9), machine.new_consumer(window=9)
        for consumer in (one, other):
            machine.suspend(consumer)
        assert machine.push(*five()) == [1, 2, 3, 4, 5]
        gone = [seq for effect in machine.of(Settled) for seq in effect.seqs]
        first = min([1, 2, 3, 4], key=lambda seq: _rank(policy, seq))
        left = {1, 2, 3, 4, 5} - {first}
        second = min(left, key=lambda seq: _rank(policy, seq))
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

    def test_what_goes_makes_room_in_its_window(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 2, "RejectNewEvents": False})
        one, other = machine.new_consumer(), machine.new_consumer()
        machine.filtered(Place(machine.channel, proxy=one), "$event_name == 'one'")
        machine.filtered(Place(machine.channel, proxy=other), "$event_name == 'other'")
        machine.push("one", "one")
        machine.push("other")
        assert machine.done(one) == {Outcome.DISCARDED: 1}
        assert machine.delivered(one) == [2]

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
