"""Queues and their lines: what the law of queues in tests/laws does not say."""

from __future__ import annotations

import random
from typing import Any
from unittest import mock

import pytest

from tidings.channel.entries import NEVER, Entry
from tidings.channel.lines import DeadlineLine, FifoLine, PriorityLine
from tidings.channel.qos import DiscardPolicy, OrderPolicy
from tidings.channel.queues import Queue
from tidings.channel.sorted_runs import SortedRun

ORDERS = [order for order in OrderPolicy if order is not OrderPolicy.ANY]
POLICIES = [policy for policy in DiscardPolicy if policy is not DiscardPolicy.ANY]
each_order = pytest.mark.parametrize("order", ORDERS)


def entry(seq: int, priority: int = 0) -> Entry:
    return Entry(NEVER, seq, priority, 1, 0)


@each_order
def test_the_order_any_and_the_policy_any_are_refused(order: OrderPolicy) -> None:
    with pytest.raises(ValueError, match="any_order"):
        Queue(OrderPolicy.ANY)
    queue = Queue(order)
    queue.push(entry(1))
    with pytest.raises(ValueError, match="any_order"):
        queue.reorder(OrderPolicy.ANY)
    with pytest.raises(ValueError, match="any_discard"):
        queue.discard(DiscardPolicy.ANY)
    assert (queue.order, queue.entries()) == (order, [entry(1)])


class CountedEntry(Entry):
    """Counts how often entries are compared or looked up."""

    __slots__ = ()
    uses = 0

    def __lt__(self, other: tuple[object, ...]) -> bool:
        CountedEntry.uses += 1
        return tuple.__lt__(self, other)

    def __hash__(self) -> int:
        CountedEntry.uses += 1
        return tuple.__hash__(self)


def counted_walks(line: type[FifoLine | PriorityLine | DeadlineLine]) -> Any:
    """Counts how often somebody goes through a whole line."""
    return mock.patch.object(line, "entries", autospec=True, side_effect=line.entries)


@each_order
@pytest.mark.parametrize("policy", POLICIES)
def test_steps_do_not_go_through_the_whole_queue(order: OrderPolicy, policy: DiscardPolicy) -> None:
    count, steps = 4000, 300
    queue = Queue(order)
    for seq in range(count):
        queue.push(CountedEntry(1000 + seq * 7919 % count, seq, seq * 31 % 97, 1, 0))
    queue.discard(policy)  # makes the index
    queue.next_expiry()
    CountedEntry.uses = 0
    with (
        counted_walks(FifoLine) as fifo,
        counted_walks(PriorityLine) as priority,
        counted_walks(DeadlineLine) as deadline,
    ):
        for seq in range(count, count + steps):
            queue.push(CountedEntry(1000 + seq * 7919 % count, seq, seq * 31 % 97, 1, 0))
            queue.discard(policy)
            queue.take_last(1)
            queue.put_back(queue.take(2, 1000 + seq - count, []))
    assert CountedEntry.uses < 150 * steps
    # What was marked is swept out of a line now and then.
    assert fifo.call_count + priority.call_count + deadline.call_count < steps / 10


@each_order
def test_many_priorities_are_kept_apart(order: OrderPolicy) -> None:
    count = 65_000
    queue = Queue(order)
    for seq in range(count):
        queue.push(entry(seq, seq * 7919 % count))
    assert queue.discard(DiscardPolicy.PRIORITY).priority == 0
    last = queue.take_last(1000)
    found = queue.take(count, 0, []) + last
    assert len(found) == count - 1
    if order is OrderPolicy.PRIORITY:
        assert [one.priority for one in found] == list(range(count - 1, 0, -1))


def test_in_fifo_order_what_comes_again_is_last_and_what_is_put_back_first() -> None:
    line, entries = FifoLine(), [entry(seq) for seq in range(5)]
    for one in entries:
        line.push(one)
    line.remove(entries[2])
    line.push(entries[2])
    assert [one.seq for one in line.entries()] == [0, 1, 3, 4, 2]
    line.remove(entries[3])
    line.put_back([entries[3]])
    assert [one.seq for one in line.entries()] == [3, 0, 1, 4, 2]


def test_of_many_levels_a_few_stay_when_they_are_empty() -> None:
    line = PriorityLine()
    for priority in range(50):
        line.push(entry(priority, priority))
    assert [one.priority for one in line.take(50)] == list(range(49, -1, -1))
    assert len(line._levels) == 6
    line.push(entry(60, 60))
    assert list(line._levels) == list(line._priorities) == [60]
    assert line.first_of_lowest() == entry(60, 60)
    assert line.take_last(5) == [entry(60, 60)]
    with pytest.raises(IndexError):
        line.first_of_lowest()


@pytest.mark.parametrize("rank", [-1, 0, 1, 1023, 1024, 1500, 3000])
def test_a_sorted_run_gives_all_below_a_rank(rank: int) -> None:
    run = SortedRun(random.Random(1).sample(range(3000), 3000))
    assert run.take_below(rank) == list(range(rank))
    assert list(run) == list(range(max(0, rank), 3000))
    assert SortedRun([3, 1, 2]).take(2) == [1, 2]
