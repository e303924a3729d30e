from __future__ import annotations

import pytest

from tests.unit.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.delivery import MAX_CAUSES
from tidings.channel.effects import (
    Accepted,
    Cause,
    DeadLetter,
    Deliver,
    DisconnectPeer,
    Done,
    Notice,
    NoticeKind,
    Outcome,
    Settled,
)
from tidings.channel.entries import NEVER, PERSISTENT, Entry
from tidings.channel.settings import Limits, Settings
from tidings.errors import Disconnected, InvalidUsage, ProxyNotFound


class TestWindow:
    def test_so_many_are_in_flight_and_no_more(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=2)
        machine.push("a", "b", "c", "d")
        assert machine.delivered(consumer) == [1, 2]
        machine.ack(consumer, 1)
        assert machine.delivered(consumer) == [3]

    def test_a_slow_consumer_delays_nobody_else(self) -> None:
        machine = Machine()
        slow, quick = machine.new_consumer(), machine.new_consumer()
        machine.push("a", "b")
        machine.ack(quick, 1)
        assert machine.delivered(quick) == [2]
        assert machine.waiting(slow) == [2]

    def test_a_batch_of_acks_is_one_delivery(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=2)
        machine.push("a", "b", "c", "d")
        first, second = c.Ack(machine.channel, consumer, [1]), c.Ack(machine.channel, consumer, [2])
        machine.do_many(first, second)
        assert machine.batches(consumer) == [[3, 4]]


class TestAck:
    def test_out_of_order_and_unknown(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=3)
        machine.push("a", "b", "c")
        machine.ack(consumer, 3, 99, 1)
        assert machine.done(consumer) == {Outcome.DELIVERED: 2}
        machine.ack(consumer, 3, 1)
        assert machine.effects == []
        machine.ack(consumer, 2)
        assert machine.is_empty()

    def test_of_what_only_waits(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", "b")
        machine.ack(consumer, 2)
        assert machine.effects == []

    def test_before_there_was_an_event(self) -> None:
        machine = Machine()
        machine.ack(machine.new_consumer(), 1)
        assert machine.effects == []

    def test_names_what_recovery_would_serve_again(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer(window=2)
        machine.push("a", named("b", header={"EventReliability": 0}))
        machine.ack(consumer, 1, 2)
        [done] = machine.of(Done)
        assert done.durable == [1]


class TestFailed:
    def pauses(self, machine: Machine, consumer: int, count: int) -> list[int]:
        found = []
        for _ in range(count):
            machine.fail(consumer, 1)
            before = machine.now
            assert machine.factory.wake_at is not None
            machine.wait(machine.factory.wake_at - machine.now)
            assert machine.delivered(consumer) == [1]
            assert machine.of(Deliver)[0].again == {1}
            found.append(machine.now - before)
        return found

    def test_the_pause_doubles_up_to_a_limit(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer()
        machine.push("a")
        seconds = [pause // SECOND for pause in self.pauses(machine, consumer, 8)]
        assert seconds == [1, 2, 4, 8, 16, 30, 30, 30]

    def test_nothing_is_handed_over_during_the_pause(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=2)
        machine.push("a")
        machine.fail(consumer, 1)
        machine.push("b")
        assert machine.delivered(consumer) == []
        machine.wait(SECOND - 1)
        assert machine.delivered(consumer) == []
        machine.wait(1)
        assert machine.delivered(consumer) == [1, 2]

    def test_a_success_ends_the_row(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer()
        machine.push("a", "b")
        self.pauses(machine, consumer, 3)
        machine.ack(consumer, 1)
        machine.fail(consumer, 2)
        assert machine.factory.wake_at == machine.now + SECOND

    def test_what_fails_together_is_one_failure(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=9)
        machine.push(*"abcdefghi")
        for seq in range(1, 10):
            machine.fail(consumer, seq)
        assert machine.proxy(consumer).connected
        machine.wait(SECOND)
        assert machine.delivered(consumer) == list(range(1, 10))

    def test_order_is_kept_when_failures_come_out_of_order(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=4, OrderPolicy=1)
        machine.push(*"abcdef")
        machine.fail(consumer, 1)
        machine.fail(consumer, 4, 2)
        machine.fail(consumer, 3)
        machine.wait(SECOND)
        assert machine.delivered(consumer) == [1, 2, 3, 4]

    def test_unknown_numbers_are_no_failure(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a")
        machine.fail(consumer, 7)
        assert machine.effects == []
        machine.fail(machine.new_consumer(), 1)
        assert machine.effects == []

    def test_the_first_failure_is_worth_a_notice(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a")
        machine.fail(consumer, 1, reason="line cut")
        [notice] = machine.of(Notice)
        assert (notice.kind, notice.proxy) == (NoticeKind.FAILING, consumer)
        assert "line cut" in notice.detail
        machine.wait(SECOND)
        machine.fail(consumer, 1)
        assert not machine.of(Notice)

    def test_a_best_effort_connection_is_given_up(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.now = 50
        machine.do(c.ClockSet(1_000))
        machine.push("a", "b")
        machine.fail(consumer, 1, reason="first")
        for _ in range(4):
            machine.wait(30 * SECOND)
            machine.fail(consumer, 1, reason="later")
        letters = machine.of(DeadLetter)
        assert [letter.entry.seq for letter in letters] == [1, 2]
        assert letters[0].causes[0] == Cause(1_050, "first")
        assert len(letters[0].causes) == 5
        assert machine.done(consumer) == {Outcome.DEAD: 2}
        assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, consumer, True)]
        assert machine.of(Notice)[0].kind is NoticeKind.GIVEN_UP
        assert machine.is_empty()

    def test_a_persistent_connection_never(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer()
        machine.push("a")
        self.pauses(machine, consumer, 40)
        machine.ack(consumer, 1)
        assert machine.is_empty()

    def test_dead_letters_are_limited(self) -> None:
        machine = Machine(Settings(retry_limit=0, limits=Limits(dead_letters=1)))
        consumer = machine.new_consumer()
        machine.push("a", "b")
        machine.fail(consumer, 1)
        assert machine.done(consumer) == {Outcome.DEAD: 1, Outcome.DISCONNECTED: 1}
        assert machine.is_empty()

    def test_a_consumer_that_is_gone_ends_its_proxy(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer()
        machine.push("a")
        machine.fail(consumer, 1, gone=True)
        assert machine.done(consumer) == {Outcome.DISCONNECTED: 1}
        assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, consumer, False)]
        with pytest.raises(ProxyNotFound):
            machine.ack(consumer, 1)


class TestReject:
    def reject(self, machine: Machine, consumer: int, *seqs: int) -> None:
        machine.do(c.Reject(machine.channel, consumer, seqs, "bad content"))

    def test_the_event_is_a_dead_letter_and_the_next_one_goes(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", "b")
        self.reject(machine, consumer, 1, 1, 9)
        [letter] = machine.of(DeadLetter)
        assert (letter.proxy, letter.entry.seq, letter.at) == (consumer, 1, 0)
        assert letter.causes == (Cause(0, "bad content"),)
        assert machine.done(consumer) == {Outcome.REJECTED: 1}
        assert machine.delivered(consumer) == [2]
        assert machine.effects.index(letter) < machine.effects.index(machine.of(Settled)[0])
        machine.ack(consumer, 2)
        assert machine.is_empty()

    def test_only_for_this_consumer(self) -> None:
        machine = Machine()
        one, other = machine.new_consumer(), machine.new_consumer()
        machine.push("a")
        self.reject(machine, one, 1)
        assert not machine.of(Settled)
        machine.ack(other, 1)
        assert machine.is_empty()

    def test_the_first_cause_is_kept(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer()
        machine.push("a")
        for number in range(MAX_CAUSES + 5):
            machine.fail(consumer, 1, reason=f"failure {number}")
            machine.wait(30 * SECOND)
        self.reject(machine, consumer, 1)
        causes = machine.of(DeadLetter)[0].causes
        assert len(causes) == MAX_CAUSES
        assert causes[0].reason == "failure 0"
        assert [cause.reason for cause in causes[-2:]] == ["failure 14", "bad content"]

    def test_what_is_not_in_flight(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        self.reject(machine, consumer, 1)
        machine.push("a", "b")
        self.reject(machine, consumer, 2)
        assert machine.effects == []


class TestRedrive:
    def redrive(self, machine: Machine, consumer: int, entry: Entry) -> None:
        machine.do(c.Redrive(machine.channel, consumer, named("a"), entry, 5, 1))

    def test_is_delivered_again_to_one_consumer(self) -> None:
        machine = Machine()
        consumer, other = machine.new_consumer(), machine.new_consumer()
        machine.push("a")
        [accepted] = machine.of(Accepted)
        machine.ack(other, 1)
        machine.do(c.Reject(machine.channel, consumer, [1], "bad content"))
        assert machine.is_empty()
        self.redrive(machine, consumer, accepted.entry)
        [again] = machine.of(Accepted)
        assert (again.seq, again.arrival, again.recipients) == (1, 5, [consumer])
        [deliver] = machine.of(Deliver)
        assert (deliver.proxy, deliver.again) == (consumer, frozenset({1}))
        assert machine.factory.core.octets == accepted.entry.octets
        with pytest.raises(InvalidUsage, match="waits for proxy"):
            self.redrive(machine, consumer, accepted.entry)
        machine.ack(consumer, 1)
        assert machine.is_empty()

    def test_beside_another_consumer_that_waits(self) -> None:
        machine = Machine()
        consumer, slow = machine.new_consumer(), machine.new_consumer()
        machine.push("a")
        [accepted] = machine.of(Accepted)
        machine.do(c.Reject(machine.channel, consumer, [1], "bad content"))
        self.redrive(machine, consumer, accepted.entry)
        assert machine.factory.core.octets == accepted.entry.octets
        machine.ack(consumer, 1)
        assert not machine.of(Settled)
        machine.ack(slow, 1)
        assert machine.is_empty()

    def test_a_persistent_one_is_written_down_again(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        consumer = machine.new_consumer()
        self.redrive(machine, consumer, Entry(NEVER, 7, 0, 0, PERSISTENT))
        assert machine.of(Accepted)[0].durable == [consumer]

    def test_to_nobody(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(connect=False)
        with pytest.raises(Disconnected):
            self.redrive(machine, consumer, Entry(NEVER, 7, 0, 0, 0))


def test_priorities_keep_their_order_after_a_failure() -> None:
    machine = Machine()
    consumer = machine.new_consumer(window=2)
    machine.push(named("a"), named("b", priority=5), named("c"))
    machine.fail(consumer, 1)
    machine.fail(consumer, 2)
    machine.push(named("d", priority=9))
    machine.do(m.Connect(machine.channel, consumer, window=9, again=True))
    assert machine.delivered(consumer) == [4, 2, 1, 3]
