"""Events on their way: accepted once, handed over, failed, rejected, pulled, polled, in time."""

from __future__ import annotations

from typing import Any as AnyValue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, moment, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.consumer import MAX_CAUSES
from tidings.channel.effects import (
    Cause,
    DeadLetter,
    Deliver,
    DisconnectPeer,
    Done,
    Message,
    Notice,
    NoticeKind,
    Outcome,
    Poll,
    Pulled,
    Settled,
)
from tidings.channel.entries import NEVER, Entry
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Form, Item, Place, Style
from tidings.errors import Disconnected, DiskFull, InvalidUsage, ProxyNotFound, TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any

PACING: dict[str, AnyValue] = {"PacingInterval": 1_000}  # 100 microseconds
UNITS = 10 * SECOND  # of 100 ns

# What is accepted.


def test_each_event_of_a_push_goes_to_those_it_matches() -> None:
    machine = Machine()
    wanted = ("a", "ab", "b")
    consumers = [machine.pull_consumer(Form.SEQUENCE, MaximumBatchSize=8) for _ in wanted]
    for consumer, names in zip(consumers, wanted, strict=True):
        asked = " or ".join(f"$event_name == '{name}'" for name in names)
        machine.filtered(Place(machine.channel, proxy=consumer), asked)
    pushed = "aabcbaab"
    machine.push(*pushed)
    for consumer, names in zip(consumers, wanted, strict=True):
        seqs = [seq for seq, name in enumerate(pushed, 1) if name in names]
        assert machine.pull(consumer, 8) == seqs


@given(
    st.lists(st.sampled_from(["wanted", "unwanted", "stopped", "large", "invalid"]), max_size=6),
    st.integers(0, 4),
    st.integers(0, 3),
)
def test_a_whole_push_is_accepted_as_single_ones_would_be_or_changes_nothing(
    names: list[str], most: int, before: int
) -> None:
    items: dict[str, Item] = {"large": named("large", data={"x": "x" * 2_000}), "invalid": "no"}  # type: ignore[dict-item]
    answers = []
    for whole in (False, True):
        machine = Machine(Settings(limits=Limits(event_octets=1_500)))
        consumer = machine.new_consumer()
        machine.filtered(Place(machine.channel, proxy=consumer), "$event_name == 'wanted'")
        supplier = Place(machine.channel, proxy=machine.supplier)
        machine.filtered(supplier, "$event_name != 'stopped'")
        machine.push(*["wanted"] * before)
        machine.set_admin(MaxQueueLength=most)
        batch = [items.get(name, named(name)) for name in names]
        push = c.Push(machine.channel, machine.supplier, batch, whole=batch if whole else ())
        count = machine.core_channel.seq
        answers.append(machine.do_many(push)[0])
        if isinstance(answers[-1], TidingsError):
            assert machine.core_channel.seq == count
    single, together = answers
    refused = [one for one in single if isinstance(one, TidingsError)]
    assert type(together) is type(refused[0]) if refused else together == single


def test_who_comes_between_the_parts_of_a_whole_push_takes_no_room_of_it() -> None:
    machine = Machine(admin={"MaxQueueLength": 3})
    machine.new_consumer()
    items = [named(name) for name in "abc"]
    push = c.Push(machine.channel, machine.supplier, items[:1])
    first = push._replace(whole=items, more=True)
    second = push._replace(items=items[1:2], promised=True, more=True)
    third = push._replace(items=items[2:], promised=True)
    answers = machine.do_many(first, push, second, push, third, push)
    accepted = [[type(one) is int for one in answer] for answer in answers]
    assert accepted == [[True], [False], [True], [False], [True], [False]]
    machine.set_admin(MaxQueueLength=4)
    assert machine.do_many(push)[0] == [4]


def test_filters_see_the_form_of_the_event() -> None:
    machine = Machine()
    consumer = machine.new_consumer(form=Form.ANY, window=9)
    machine.filtered(Place(machine.channel, proxy=consumer), "$ > 3")
    machine.push(Any(tc.SHORT, 2), Any(tc.SHORT, 4), named("a"))
    assert machine.delivered(consumer) == [2]


def test_persistent_events_name_who_is_served_after_a_crash() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL, spills=True)
    durable = machine.new_consumer()
    passing = machine.new_consumer(ConnectionReliability=0)
    machine.push("a", named("b", header={"EventReliability": 0}))
    first, second = machine.of(Message)
    accepted = first.acceptance
    assert accepted is not None
    assert sorted(proxy.id for proxy in accepted.recipients) == [durable, passing]
    assert (accepted.durable, second.acceptance) == ([durable], None)
    assert (first.octets, second.octets > 0) == (0, True)


@pytest.mark.parametrize("qos", [{}, PERSISTENT_CHANNEL])
def test_events_that_could_not_be_written_were_never_accepted(qos: dict[str, int]) -> None:
    machine = Machine(qos=qos)
    consumers = machine.new_consumer(), machine.new_consumer()
    machine.push("a", "b")
    machine.do(c.Revoke(machine.channel, [1], ()))
    assert [machine.delivered(one) for one in consumers] == [[2], [2]]
    machine.do(c.Revoke(machine.channel, [2], ()))
    assert machine.is_empty()


# What is handed over.


def test_so_many_are_in_flight_and_no_more_and_come_again_in_order() -> None:
    machine = Machine()
    consumer = machine.new_consumer(window=2)
    machine.push("a", "b", "c", "d")
    assert machine.delivered(consumer) == [1, 2]
    machine.ack(consumer, 1)
    assert machine.delivered(consumer) == [3]
    machine.do(m.Detach(machine.channel, consumer))
    machine.push("e")
    assert machine.delivered(consumer) == []
    machine.ack(consumer, 2)
    assert machine.done(consumer) == {}
    machine.do(m.Connect(machine.channel, consumer, window=9, again=True))
    [deliver] = machine.of(Deliver)
    assert machine.delivered(consumer) == [2, 3, 4, 5]
    assert deliver.again == {2, 3}


def test_the_pause_between_attempts_doubles_up_to_a_limit_and_a_success_ends_the_row() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    consumer = machine.new_consumer()
    machine.push("a", "b")
    for pause in (1, 2, 4, 8, 16, 30, 30, 30):
        machine.fail(consumer, 1)
        assert machine.factory.wake_at == machine.now + pause * SECOND
        machine.wait(pause * SECOND)
        assert machine.delivered(consumer) == [1]
        assert machine.of(Deliver)[0].again == {1}
    machine.ack(consumer, 1)
    machine.fail(consumer, 2)
    assert machine.factory.wake_at == machine.now + SECOND


def test_what_fails_together_is_one_failure_and_unknown_numbers_are_none() -> None:
    machine = Machine()
    consumer = machine.new_consumer(window=9)
    machine.push(*"abcdefghi")
    for proxy, seq in ((consumer, 77), (machine.new_consumer(), 1)):
        machine.fail(proxy, seq)
        assert machine.effects == []
    for seq in range(1, 10):
        machine.fail(consumer, seq)
    assert machine.proxy(consumer).connected
    machine.wait(SECOND)
    assert machine.delivered(consumer) == list(range(1, 10))


def test_what_is_rejected_is_a_dead_letter_with_its_causes_and_the_next_one_goes() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    consumer = machine.new_consumer()

    def reject(*seqs: int) -> None:
        machine.do(c.Reject(machine.channel, consumer, seqs, "bad content"))

    reject(1)
    machine.push("a", "b")
    reject(2)
    assert machine.effects == []
    reject(1, 1, 9)
    [letter] = machine.of(DeadLetter)
    assert (letter.proxy, letter.entry.seq, letter.at) == (consumer, 1, 0)
    assert letter.causes == (Cause(0, "bad content"),)
    assert machine.done(consumer) == {Outcome.REJECTED: 1}
    assert machine.delivered(consumer) == [2]
    assert machine.effects.index(letter) < machine.effects.index(machine.of(Settled)[0])
    for number in range(MAX_CAUSES + 5):
        machine.fail(consumer, 2, reason=f"failure {number}")
        machine.wait(30 * SECOND)
    reject(2)
    causes = [cause.reason for cause in machine.of(DeadLetter)[0].causes]
    assert len(causes) == MAX_CAUSES
    assert (causes[0], causes[-2:]) == ("failure 0", ["failure 14", "bad content"])
    assert machine.is_empty()


def test_a_dead_letter_is_delivered_again_to_one_consumer_and_once() -> None:
    machine = Machine()
    consumer, other = machine.new_consumer(), machine.new_consumer()

    def redrive(consumer: int, entry: Entry) -> None:
        machine.do(c.Redrive(machine.channel, consumer, named("a"), entry, 5, 1))

    machine.push("a")
    entry = machine.of(Deliver)[0].entries[0]
    machine.ack(other, 1)
    machine.do(c.Reject(machine.channel, consumer, [1], "bad content"))
    assert machine.is_empty()
    redrive(consumer, entry)
    [again] = machine.of(Message)
    assert (again.seq, again.arrival) == (1, 5)
    [deliver] = machine.of(Deliver)
    assert (deliver.proxy, deliver.again) == (consumer, frozenset({1}))
    assert machine.factory.core.octets == entry.octets
    with pytest.raises(InvalidUsage, match="waits for proxy"):
        redrive(consumer, entry)
    machine.ack(consumer, 1)
    assert machine.is_empty()
    with pytest.raises(Disconnected):
        redrive(machine.new_consumer(connect=False), Entry(NEVER, 7, 0, 0, 0))


# Batches, pulls and polls.


def test_the_parts_of_one_push_make_one_batch() -> None:
    machine = Machine()
    consumer = machine.new_consumer(form=Form.SEQUENCE, MaximumBatchSize=3)
    items = [named(name) for name in "abcde"]
    for part, more in ((items[:1], True), (items[1:2], True), (items[2:], False)):
        assert machine.batches(consumer) == []
        machine.do(c.Push(machine.channel, machine.supplier, part, more=more))
    assert machine.batches(consumer) == [[1, 2, 3]]


def test_what_has_expired_fills_no_batch() -> None:
    machine = Machine()
    consumer = machine.new_consumer(form=Form.SEQUENCE, window=9, MaximumBatchSize=2, **PACING)
    machine.push(named("a", header={"Timeout": 100}))
    machine.wait(20)
    machine.push("b")
    assert machine.batches(consumer) == []
    assert machine.done(consumer) == {Outcome.EXPIRED: 1}


def test_a_paced_pull_waits_for_more_and_for_no_longer_than_it_says() -> None:
    machine = Machine()
    consumer = machine.pull_consumer(Form.SEQUENCE, **PACING)
    machine.pull(consumer, 3)
    machine.push("a")
    assert machine.pulled() is None
    machine.push("b")
    machine.wait(99)
    assert machine.pulled() is None
    machine.wait(1)
    assert machine.pulled() == [1, 2]
    machine.pull(consumer, 3, wait=50)
    machine.push("c")
    machine.wait(50)
    assert machine.pulled() == [3]


def test_an_event_goes_to_one_pull_the_oldest_first_and_comes_again_when_its_lease_ends() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    machine.pull(consumer, token=1)
    machine.pull(consumer, token=2)
    machine.push("a")
    assert (machine.pulled(1), machine.pulled(2)) == ([1], None)
    machine.push("b", "c", "d")
    assert machine.pulled(2) == [2]
    assert machine.waiting(consumer) == [3, 4]
    assert machine.pull(consumer, 5, lease=30 * SECOND) == [3, 4]
    assert not machine.of(Done)
    machine.ack(consumer, 3)
    assert machine.done(consumer) == {Outcome.DELIVERED: 1}
    machine.wait(31 * SECOND)
    assert machine.pull(consumer, 5, lease=SECOND) == [4]
    assert machine.of(Pulled)[0].again == {4}


def test_whoever_does_not_wait_is_answered_though_the_disk_had_nothing() -> None:
    machine = Machine(spills=True, qos=PERSISTENT_CHANNEL)
    consumer = machine.pull_consumer()
    machine.push(named("a", header={"Timeout": 10}))
    machine.do(c.Idle(machine.channel, consumer))
    machine.now = 5
    machine.pull(consumer, wait=0)
    machine.refill(consumer)
    machine.wait(0)
    assert machine.pulled() == []
    assert machine.is_empty()


def polled(machine: Machine, supplier: int, *names: str, reason: str = "") -> None:
    items = [named(name) for name in names]
    machine.do(c.Polled(machine.channel, supplier, items, reason))


def test_a_full_channel_asks_for_no_more_than_it_takes() -> None:
    machine = Machine(qos={"MaximumBatchSize": 5}, admin={"MaxQueueLength": 3})
    consumer = machine.new_consumer()
    supplier = machine.new_supplier(Style.PULL, Form.SEQUENCE)
    assert machine.of(Poll)[0].most == 3
    polled(machine, supplier, "a")
    assert machine.of(Poll)[0].most == 2
    polled(machine, supplier, "b", "c")
    assert not machine.of(Poll)
    machine.wait(SECOND)
    assert not machine.of(Poll)
    machine.ack(consumer, 1)
    machine.wait(SECOND)
    assert machine.of(Poll)[0].most == 1


def test_a_supplier_that_fails_is_given_up_and_an_answer_nobody_asked_for_is_nothing() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    for _ in range(5):
        polled(machine, supplier, reason="no answer")
        gone, kinds = machine.of(DisconnectPeer), [one.kind for one in machine.of(Notice)]
        machine.wait(30 * SECOND)
    assert gone == [DisconnectPeer(machine.channel, supplier, True)]
    assert kinds == [NoticeKind.GIVEN_UP]
    polled(machine, machine.supplier, "a")
    assert machine.effects == []
    for proxy, error in ((supplier, ProxyNotFound), (machine.new_consumer(), InvalidUsage)):
        with pytest.raises(error):
            polled(machine, proxy, "a")


# Times: Timeout, StartTime, StopTime, and a clock that is set.


def test_what_was_in_flight_to_a_consumer_cut_off_expires() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    machine.push(named("a", header={"Timeout": UNITS}))
    machine.do(m.Detach(machine.channel, consumer))
    machine.wait(11 * SECOND)
    assert machine.done(consumer) == {Outcome.EXPIRED: 1}


def test_the_header_goes_before_the_consumers_proxy_and_the_earlier_end_counts() -> None:
    machine = Machine()
    consumer = machine.new_consumer(Timeout=UNITS, Priority=4)
    machine.push(named("a", header={"Timeout": 2 * UNITS, "Priority": 0}))
    assert machine.of(Deliver)[0].entries[0].priority == 0
    machine.push(
        named("b", stop=moment(SECOND), header={"Timeout": 2 * UNITS}),
        named("c", stop=moment(2 * SECOND), header={"Timeout": UNITS}),
    )
    _, *waiting = machine.core_channel.consumer(consumer).ensure_consumer().all_entries()
    assert [entry.expiry for entry in waiting] == [SECOND, SECOND]


def test_what_ends_before_it_starts_is_refused() -> None:
    machine = Machine()
    start = moment(2 * SECOND)
    late = named("a", start=start, stop=moment(SECOND))
    short = named("b", start=start, header={"Timeout": UNITS})
    good = named("c", start=start, header={"Timeout": 3 * UNITS})
    answers = machine.push(late, short, good)
    told = "is over 1 s after it came, before its StartTime, 2 s after it came: nobody"
    assert f"header: its StopTime {told}" in str(answers[0])
    assert f"header: its Timeout {told}" in str(answers[1])
    assert answers[2] == 1


def test_a_clock_that_is_set_moves_the_times_of_what_waits_or_is_in_flight() -> None:
    machine = Machine()
    consumer, other = machine.new_consumer(), machine.new_consumer()
    machine.push(named("a", stop=moment(9 * SECOND)))
    machine.push(named("b", start=moment(5 * SECOND), stop=moment(9 * SECOND)))
    machine.do(c.ClockSet(-10 * SECOND))
    machine.wait(16 * SECOND)
    machine.do(m.Connect(machine.channel, consumer, window=9, again=True))
    assert machine.delivered(consumer) == [1, 2]
    machine.do(c.ClockSet(0))
    machine.do(m.Connect(machine.channel, other, window=9, again=True))
    assert machine.done(other) == {Outcome.EXPIRED: 2}


def test_persistent_events_are_refused_while_the_disk_is_full() -> None:
    machine = Machine(spills=True, qos=PERSISTENT_CHANNEL)
    machine.do(c.RefusePersistent("the journal is too long"))
    [answer] = machine.push("one")
    assert isinstance(answer, DiskFull)
    assert str(answer) == "the journal is too long"
    machine.do(c.RefusePersistent(""))
    assert machine.push("one") == [1]
