from __future__ import annotations

import sys
import tracemalloc
from typing import Any
from unittest import mock

import pytest

from tidings.channel.entries import ABSOLUTE, NEVER, PERSISTENT, Entry
from tidings.channel.lines import DeadlineLine, FifoLine, PriorityLine
from tidings.channel.qos import DiscardPolicy, OrderPolicy
from tidings.channel.queues import Queue

FIFO, PRIORITY, DEADLINE = OrderPolicy.FIFO, OrderPolicy.PRIORITY, OrderPolicy.DEADLINE
ORDERS = [FIFO, PRIORITY, DEADLINE]
POLICIES = [policy for policy in DiscardPolicy if policy is not DiscardPolicy.ANY]
each_order = pytest.mark.parametrize("order", ORDERS)
each_policy = pytest.mark.parametrize("policy", POLICIES)

A = Entry(NEVER, 1, 0, 10, 0)
B = Entry(50, 2, 5, 20, 0)
C = Entry(30, 3, -5, 30, 0)
D = Entry(50, 4, 0, 40, PERSISTENT)
E = Entry(NEVER, 5, 5, 50, 0)
ALL = [A, B, C, D, E]
DELIVERED = {FIFO: [A, B, C, D, E], PRIORITY: [B, E, A, D, C], DEADLINE: [C, B, D, A, E]}


def filled(order: OrderPolicy, entries: list[Entry]) -> Queue:
    queue = Queue(order)
    for entry in entries:
        queue.push(entry)
    return queue


def taken(queue: Queue, most: int = 99, now: int = 0) -> list[Entry]:
    expired: list[Entry] = []
    found = queue.take(most, now, expired)
    assert expired == []
    return found


def test_the_order_any_is_refused() -> None:
    with pytest.raises(ValueError, match="any_order"):
        Queue(OrderPolicy.ANY)
    queue = filled(FIFO, ALL)
    with pytest.raises(ValueError, match="any_order"):
        queue.reorder(OrderPolicy.ANY)
    assert (queue.order, queue.entries()) == (FIFO, ALL)


@each_order
def test_entries_are_delivered_in_order(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    assert queue.order is order
    assert queue.entries() == DELIVERED[order]
    assert taken(queue, 2) == DELIVERED[order][:2]
    assert taken(queue) == DELIVERED[order][2:]
    assert taken(queue) == []


@each_order
def test_length_and_octets_follow_what_waits(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    assert (len(queue), queue.octets) == (5, 150)
    queue.remove([A.seq])
    assert (len(queue), queue.octets) == (4, 140)
    queue.put_back([A])
    queue.expire(30)
    assert (len(queue), queue.octets) == (4, 120)
    queue.discard(DiscardPolicy.LIFO)
    assert (len(queue), queue.octets) == (3, 70)
    queue.take_last(3)
    assert (len(queue), queue.octets) == (0, 0)


@each_order
def test_what_is_put_back_comes_before_its_equals(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    first = taken(queue, 3)
    queue.push(Entry(NEVER, 6, 5, 1, 0))
    queue.put_back(first)
    assert [entry for entry in queue.entries() if entry.seq < 6] == DELIVERED[order]
    assert queue.next_expiry() == 30


def test_in_fifo_order_what_is_put_back_comes_first_as_given() -> None:
    queue = filled(FIFO, [A, B])
    queue.put_back([E, C])
    assert queue.entries() == [E, C, A, B]


@each_order
def test_expired_entries_are_not_delivered(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    expired = [E]
    first = queue.take(1, 30, expired)
    assert first == [entry for entry in DELIVERED[order] if entry != C][:1]
    assert expired == [E, C]
    rest = queue.take(9, 50, expired)
    assert expired == [E, C, *(entry for entry in (B, D) if entry not in first)]
    assert {*first, *rest, *expired} == set(ALL)


@each_order
def test_an_entry_expires_at_its_time_and_not_before(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    assert queue.expire(29) == []
    assert queue.expire(30) == [C]
    assert queue.expire(NEVER - 1) == [B, D]
    assert queue.expire(NEVER - 1) == []
    assert queue.entries() == [entry for entry in DELIVERED[order] if entry.expiry == NEVER]


@each_order
def test_the_next_expiry_is_that_of_the_soonest(order: OrderPolicy) -> None:
    queue = Queue(order)
    assert queue.next_expiry() is None
    for entry, nearest in [(A, None), (B, 50), (C, 30), (D, 30)]:
        queue.push(entry)
        assert queue.next_expiry() == nearest
    queue.remove([C.seq])
    assert queue.next_expiry() == 50
    queue.remove([B.seq, D.seq])
    assert queue.next_expiry() is None


VICTIMS = {
    DiscardPolicy.FIFO: [A, B, C, D, E],
    DiscardPolicy.LIFO: [E, D, C, B, A],
    DiscardPolicy.PRIORITY: [C, A, D, B, E],
    DiscardPolicy.DEADLINE: [C, B, D, A, E],
}


@each_order
@each_policy
def test_the_policy_decides_what_is_discarded(order: OrderPolicy, policy: DiscardPolicy) -> None:
    queue = filled(order, ALL)
    assert [queue.discard(policy) for _ in ALL] == VICTIMS[policy]


@each_order
@each_policy
def test_a_policy_sees_what_came_and_went_since(order: OrderPolicy, policy: DiscardPolicy) -> None:
    queue = filled(order, [A, B, C])
    first = queue.discard(policy)
    queue.push(D)
    queue.push(E)
    gone = {first, *queue.remove([B.seq])}
    expected = [entry for entry in VICTIMS[policy] if entry not in gone]
    assert [queue.discard(policy) for _ in expected] == expected


@each_order
def test_policies_may_change_from_one_discard_to_the_next(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    victims = [queue.discard(DiscardPolicy(number)) for number in (2, 4, 3, 1)]
    assert victims == [C, E, B, A]
    assert queue.entries() == [D]


@each_order
def test_the_policy_any_is_refused(order: OrderPolicy) -> None:
    with pytest.raises(ValueError, match="any_discard"):
        filled(order, ALL).discard(DiscardPolicy.ANY)


@each_order
@each_policy
def test_of_nothing_nothing_is_discarded(order: OrderPolicy, policy: DiscardPolicy) -> None:
    queue = filled(order, ALL)
    taken(queue)
    with pytest.raises(IndexError, match="nothing to discard"):
        queue.discard(policy)


@each_order
def test_entries_are_removed_by_their_numbers(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    assert queue.remove([4, 2, 77]) == [entry for entry in DELIVERED[order] if entry in (B, D)]
    assert queue.entries() == [entry for entry in DELIVERED[order] if entry not in (B, D)]
    assert queue.remove([]) == []


@each_order
def test_the_last_are_taken_in_delivery_order(order: OrderPolicy) -> None:
    queue = filled(order, ALL)
    assert queue.take_last(2) == DELIVERED[order][3:]
    assert queue.take_last(9) == DELIVERED[order][:3]
    assert queue.take_last(1) == []
    assert queue.next_expiry() is None


@each_order
def test_of_two_entries_one_is_before_the_other(order: OrderPolicy) -> None:
    queue = Queue(order)
    places = list(enumerate(DELIVERED[order]))
    for here, one in places:
        for there, other in places:
            assert queue.is_before(one, other) == (here < there)


@each_order
@pytest.mark.parametrize("new", ORDERS)
def test_the_order_may_change(order: OrderPolicy, new: OrderPolicy) -> None:
    queue = filled(order, ALL)
    queue.discard(DiscardPolicy.LIFO)
    queue.reorder(new)
    assert queue.order is new
    assert queue.entries() == [entry for entry in DELIVERED[new] if entry != E]
    assert (len(queue), queue.octets, queue.next_expiry()) == (4, 100, 30)
    assert queue.discard(DiscardPolicy.PRIORITY) == C


def test_the_same_order_again_changes_nothing() -> None:
    queue = filled(FIFO, [B, A])
    queue.reorder(FIFO)
    assert queue.entries() == [B, A]


@each_order
def test_when_the_clock_is_set_absolute_expiries_move(order: OrderPolicy) -> None:
    entries = [
        Entry(NEVER, 1, 0, 10, ABSOLUTE),
        Entry(50, 2, 0, 10, ABSOLUTE | PERSISTENT),
        Entry(40, 3, 0, 10, PERSISTENT),
    ]
    queue = filled(order, entries)
    queue.discard(DiscardPolicy.LIFO)
    queue.push(entries[2])
    queue.shift_absolute(-20)
    moved = entries[1]._replace(expiry=30)
    assert sorted(queue.entries()) == [moved, entries[2], entries[0]]
    assert (len(queue), queue.octets, queue.next_expiry()) == (3, 30, 30)
    assert queue.expire(30) == [moved]
    assert entries[1].expiry == 50


@each_order
def test_what_expires_does_not_come_to_last_for_ever(order: OrderPolicy) -> None:
    queue = filled(order, [Entry(NEVER - 5, 1, 0, 10, ABSOLUTE)])
    queue.shift_absolute(100)
    assert queue.next_expiry() == NEVER - 1


@each_order
def test_an_empty_queue_is_as_small_as_a_new_one(order: OrderPolicy) -> None:
    queue = Queue(order)
    for seq in range(2000):
        queue.push(Entry(seq + 1, seq, seq % 90, 1, 0))
    for policy in POLICIES:
        queue.discard(policy)
    taken(queue, 2000)
    assert (queue._by_arrival, queue._by_priority, queue._indexed) == (None, None, False)
    assert not queue._by_expiry


@pytest.mark.parametrize(
    ("order", "priorities", "expiring"),
    [(FIFO, 1, 0), (PRIORITY, 1, 0), (PRIORITY, 10, 0), (DEADLINE, 1, 1)],
)
def test_a_waiting_entry_takes_at_most_sixteen_octets(
    order: OrderPolicy, priorities: int, expiring: int
) -> None:
    count = 20_000
    entries = [
        Entry(seq * 7919 % count if expiring else NEVER, seq, seq % priorities, 100, 0)
        for seq in range(count)
    ]
    tracemalloc.start()
    try:
        queue = filled(order, entries)
        queue.take(10, -1, [])
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used / count <= 16
    assert sys.getsizeof(queue) < 200


@each_order
def test_many_priorities_are_kept_apart(order: OrderPolicy) -> None:
    count = 65_000
    entries = [Entry(NEVER, seq, seq * 7919 % count, 1, 0) for seq in range(count)]
    queue = filled(order, entries)
    assert queue.discard(DiscardPolicy.PRIORITY).priority == 0
    last = queue.take_last(1000)
    found = taken(queue, count)
    assert len(found) + len(last) == count - 1
    if order is PRIORITY:
        assert [entry.priority for entry in found + last] == list(range(count - 1, 0, -1))


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
@each_policy
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
