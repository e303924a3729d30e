from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tidings.channel.entries import NEVER, Entry
from tidings.channel.lines import DeadlineLine, FifoLine, Line, PriorityLine

LINES: list[Callable[[], Line]] = [FifoLine, PriorityLine, DeadlineLine]
each_line = pytest.mark.parametrize("new_line", LINES)


def entry(seq: int, priority: int = 0, expiry: int = NEVER) -> Entry:
    return Entry(expiry, seq, priority, 1, 0)


def filled(new_line: Callable[[], Line], entries: list[Entry]) -> Line:
    line = new_line()
    for each in entries:
        line.push(each)
    return line


MIXED = [entry(seq, seq * 7 % 3, [NEVER, 50, 20, 80][seq % 4]) for seq in range(100)]
IN_ORDER: dict[object, list[Entry]] = {
    FifoLine: MIXED,
    PriorityLine: sorted(MIXED, key=lambda one: -one.priority),
    DeadlineLine: sorted(MIXED),
}


@each_line
def test_a_line_keeps_its_order(new_line: Callable[[], Line]) -> None:
    assert filled(new_line, MIXED).entries() == IN_ORDER[new_line]


@each_line
@pytest.mark.parametrize("most", [-1, 0, 1, 40, 100, 101])
def test_a_line_gives_from_both_ends(new_line: Callable[[], Line], most: int) -> None:
    cut, expected = max(0, min(most, 100)), IN_ORDER[new_line]
    line = filled(new_line, MIXED)
    assert line.take(most) == expected[:cut]
    assert line.entries() == expected[cut:]
    line = filled(new_line, MIXED)
    assert line.take_last(most) == expected[100 - cut :]
    assert line.entries() == expected[: 100 - cut]


@each_line
def test_what_was_taken_is_put_back_where_it_was(new_line: Callable[[], Line]) -> None:
    line = filled(new_line, MIXED)
    line.put_back(line.take(30))
    assert line.entries() == IN_ORDER[new_line]


@each_line
def test_entries_are_removed_anywhere(new_line: Callable[[], Line]) -> None:
    line = filled(new_line, MIXED)
    out = random.Random(5).sample(MIXED, 70)
    for each in out:
        line.remove(each)
    left = [each for each in IN_ORDER[new_line] if each not in out]
    assert line.entries() == left
    assert line.take_last(9) == left[-9:]
    assert line.take(5) == left[:5]
    assert line.take(50) == left[5:-9]
    assert line.take(1) == line.take_last(1) == line.entries() == []


@each_line
def test_a_removed_entry_may_come_again(new_line: Callable[[], Line]) -> None:
    line = filled(new_line, MIXED[:20])
    for each in (MIXED[8], MIXED[11]):
        line.remove(each)
    line.push(MIXED[11])
    line.put_back([MIXED[8]])
    found = line.entries()
    assert sorted(found) == sorted(MIXED[:20])
    assert line.take(20) == found
    assert line.take(1) == []


def test_in_fifo_order_what_comes_again_is_last_and_what_is_put_back_first() -> None:
    line = filled(FifoLine, MIXED[:5])
    line.remove(MIXED[2])
    line.push(MIXED[2])
    assert line.entries() == [*MIXED[:2], *MIXED[3:5], MIXED[2]]
    line.remove(MIXED[3])
    line.put_back([MIXED[3]])
    assert line.entries() == [MIXED[3], *MIXED[:2], MIXED[4], MIXED[2]]


def test_the_ends_of_a_fifo_line_are_entries_that_wait() -> None:
    line = FifoLine()
    for each in MIXED[:6]:
        line.push(each)
    for at in (1, 4, 0, 5):
        line.remove(MIXED[at])
    assert (line.first(), line.last()) == (MIXED[2], MIXED[3])


def test_a_line_does_not_hold_many_removed_entries() -> None:
    line = FifoLine()
    for seq in range(1000):
        line.push(entry(seq))
    for each in line.entries()[1:-1]:
        line.remove(each)
    assert len(line._entries) < 100


def test_the_first_of_the_lowest_is_the_first_of_the_least_urgent() -> None:
    line = PriorityLine()
    for seq, priority in enumerate([5, -3, 0, -3, 5]):
        line.push(entry(seq, priority))
    assert line.first_of_lowest() == entry(1, -3)


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


def test_levels_that_are_empty_are_passed_over() -> None:
    line = PriorityLine()
    for number, priority in enumerate([1, 2, 3, 4]):
        line.push(entry(number, priority))
    line.remove(entry(3, 4))
    line.remove(entry(0, 1))
    assert line.first_of_lowest() == entry(1, 2)
    assert line.take(1) == [entry(2, 3)]
    line.push(entry(9, 4))
    assert line.take_last(1) == [entry(1, 2)]
    assert line.take(9) == [entry(9, 4)]
    assert line.entries() == []
