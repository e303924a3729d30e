"""Marks of producers, among others against a model that remembers every number."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.producers import ProducerMarks
from tidings.errors import InvalidUsage
from tidings.events.envelope import ProducerMark


def mark(number: int, producer: str = "p") -> ProducerMark:
    return ProducerMark(producer, number)


def recorded(*numbers: int, producers: int = 10, runs: int = 10) -> ProducerMarks:
    """Marks of one producer, with the sequence numbers 1, 2, 3 …"""
    marks = ProducerMarks(producers, runs)
    for seq, number in enumerate(numbers, 1):
        marks.record(mark(number), seq)
    return marks


def runs_of(marks: ProducerMarks) -> object:
    [[_, _, runs]] = marks.to_plain()
    return runs


def test_the_same_mark_gets_the_first_answer() -> None:
    marks = recorded(7)
    assert marks.seen(mark(7)) == 1
    marks.record(mark(7), 5)
    assert marks.seen(mark(7)) == 1
    assert marks.seen(mark(8)) is None
    assert marks.seen(mark(6)) is None
    assert marks.seen(mark(7, "q")) is None


def test_a_producer_that_is_alone_is_one_run() -> None:
    marks = recorded(*range(5_000))
    assert runs_of(marks) == [[0, 1, 5_000]]
    assert marks.seen(mark(0)) == 1
    assert marks.seen(mark(4_999)) == 5_000


def test_numbers_out_of_order_join_their_neighbours() -> None:
    marks = ProducerMarks(1, 10)
    for number in (10, 13, 11, 12, 9):
        marks.record(mark(number), number + 100)
    assert runs_of(marks) == [[9, 109, 5]]


def test_neighbours_with_other_sequence_numbers_stay_apart() -> None:
    marks = recorded(1, 3, 2)
    assert runs_of(marks) == [[1, 1, 1], [2, 3, 1], [3, 2, 1]]
    assert [marks.seen(mark(number)) for number in (1, 2, 3)] == [1, 3, 2]


def test_events_that_a_filter_stopped_are_a_run_of_their_own() -> None:
    marks = ProducerMarks(1, 10)
    for number, seq in enumerate([4, 5, 0, 0, 6]):
        marks.record(mark(number), seq)
    assert [marks.seen(mark(number)) for number in range(6)] == [4, 5, 0, 0, 6, None]
    assert runs_of(marks) == [[0, 4, 2], [2, 0, 2], [4, 6, 1]]


def test_the_lowest_numbers_are_forgotten_and_all_below_counts_as_accepted() -> None:
    marks = recorded(10, 20, 30, runs=2)
    assert [marks.seen(mark(number)) for number in (5, 10, 11, 20, 30)] == [0, 0, None, 2, 3]
    marks.record(mark(5), 99)
    assert marks.seen(mark(5)) == 0
    assert runs_of(marks) == [[20, 2, 1], [30, 3, 1]]


def test_one_run_is_enough_to_know_the_newest() -> None:
    marks = recorded(1, 2, 7, 8, runs=1)
    assert runs_of(marks) == [[7, 3, 2]]
    assert [marks.seen(mark(number)) for number in (2, 3, 7, 9)] == [0, None, 3, None]
    marks.record(mark(4), 5)
    assert marks.seen(mark(4)) == 0


def test_the_producer_unused_for_longest_is_forgotten() -> None:
    marks = ProducerMarks(2, 4)
    marks.record(mark(1, "a"), 1)
    marks.record(mark(1, "b"), 2)
    marks.record(mark(2, "a"), 3)
    marks.record(mark(1, "c"), 4)
    assert len(marks) == 2
    assert marks.seen(mark(1, "b")) is None
    assert marks.seen(mark(1, "a")) == 1
    marks.record(mark(1, "d"), 5)
    assert marks.highest("a") == 2
    assert marks.highest("c") is None


def test_the_largest_numbers_have_a_place() -> None:
    largest = 2**63 - 1
    marks = ProducerMarks(1, 10)
    marks.record(mark(0), largest)
    marks.record(mark(largest - 2), 1)
    marks.record(mark(largest), 3)
    marks.record(mark(largest - 1), 2)
    plain = [["p", -1, [[0, largest, 1], [largest - 2, 1, 3]]]]
    assert marks.to_plain() == plain
    assert ProducerMarks.from_plain(plain, 1, 10).seen(mark(largest)) == 3


@pytest.mark.parametrize(("producers", "runs"), [(0, 1), (1, 0)])
def test_limits_below_one_are_refused(producers: int, runs: int) -> None:
    with pytest.raises(InvalidUsage, match="at least 1 producer and 1 run"):
        ProducerMarks(producers, runs)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({}, "a list is needed"),
        ([5], "producer 0 .*a list is needed"),
        ([["p", -1]], "a list of 3 is needed"),
        ([[7, -1, [[1, 1, 1]]]], "a name that stands once"),
        ([["p", -1, [[1, 1, 1]]], ["p", -1, [[1, 1, 1]]]], "producer 1 .*a name that stands once"),
        ([["", -1, [[1, 1, 1]]]], "1 to 256 characters"),
        ([["p", -2, [[1, 1, 1]]]], "no highest forgotten number"),
        ([["p", True, [[2, 1, 1]]]], "no highest forgotten number"),
        ([["p", -1, []]], "at least one run"),
        ([["p", -1, "abc"]], "a list is needed"),
        ([["p", -1, [[1, 1]]]], "a list of 3 is needed"),
        ([["p", 1, [[1, 1, 1]]]], "no run .* above 1"),
        ([["p", -1, [[1, 1, 2], [2, 9, 1]]]], "no run .* above 2"),
        ([["p", -1, [[1, 1, 0]]]], "no run"),
        ([["p", -1, [[1, -1, 1]]]], "no run"),
        ([["p", -1, [[1, 1.0, 1]]]], "no run"),
        ([["p", -1, [[True, 1, 1]]]], "no run"),
        ([["p", -1, [["1", 1, 1]]]], "no run"),
        ([["p", -1, [[1, 1, True]]]], "no run"),
        ([["p", -1, [[2**63 - 1, 1, 2]]]], "no run"),
        ([["p", -1, [[1, 2**63 - 1, 2]]]], "no run"),
    ],
)
def test_data_of_another_form_is_refused(data: object, problem: str) -> None:
    with pytest.raises(InvalidUsage, match=problem):
        ProducerMarks.from_plain(data, 5, 5)


def test_data_beyond_the_limits_is_forgotten() -> None:
    marks = recorded(1, 3, 5)
    marks.record(mark(1, "q"), 9)
    fewer = ProducerMarks.from_plain(marks.to_plain(), 1, 5)
    assert (len(fewer), fewer.seen(mark(1, "q"))) == (1, 9)
    shorter = ProducerMarks.from_plain(recorded(1, 3, 5).to_plain(), 5, 2)
    assert shorter.to_plain() == [["p", 1, [[3, 2, 1], [5, 3, 1]]]]


@dataclass
class Remembered:
    """What the model knows of one producer."""

    seqs: dict[int, int] = field(default_factory=dict)
    forgotten: int = -1

    def runs(self) -> list[list[int]]:
        found: list[list[int]] = []
        for number in sorted(self.seqs):
            seq = self.seqs[number]
            if found:
                start, first, count = found[-1]
                follows = seq == first + count if first else not seq
                if number == start + count and follows:
                    found[-1][2] += 1
                    continue
            found.append([number, seq, 1])
        return found

    def forget(self, runs: int) -> None:
        for start, _, count in self.runs()[:-runs]:
            self.forgotten = start + count - 1
            for number in range(start, start + count):
                del self.seqs[number]


@dataclass
class Model:
    """Every number in a dictionary; the producer used last comes last."""

    producers: int
    runs: int
    known: dict[str, Remembered] = field(default_factory=dict)

    def seen(self, one: ProducerMark) -> int | None:
        if one.producer not in self.known:
            return None
        numbers = self.known[one.producer]
        answer = 0 if one.number <= numbers.forgotten else numbers.seqs.get(one.number)
        if one.number <= max(numbers.seqs):
            self.known[one.producer] = self.known.pop(one.producer)
        return answer

    def record(self, one: ProducerMark, seq: int) -> None:
        numbers = self.known.pop(one.producer, None) or Remembered()
        self.known[one.producer] = numbers
        if one.number > numbers.forgotten:
            numbers.seqs.setdefault(one.number, seq)
            numbers.forget(self.runs)
        if len(self.known) > self.producers:
            del self.known[next(iter(self.known))]

    def plain(self) -> list[list[object]]:
        return [[name, one.forgotten, one.runs()] for name, one in self.known.items()]


@dataclass
class Step:
    """What is done next; the number is told from the highest one of the producer."""

    producer: str
    ahead: int
    stopped: bool
    restart: bool


# Mostly the next number; sometimes a gap, one that comes late, or one that came before.
AHEAD = st.one_of(st.just(1), st.just(1), st.integers(-6, 0), st.integers(1, 4))
STEPS = st.builds(
    Step,
    st.sampled_from("aaab") | st.sampled_from("abcd"),
    AHEAD,
    st.integers(0, 5).map(lambda drawn: not drawn),
    st.integers(0, 9).map(lambda drawn: not drawn),
)


@given(st.integers(1, 3), st.integers(1, 4), st.lists(STEPS, max_size=60))
def test_it_answers_as_one_that_remembers_everything(
    producers: int, runs: int, steps: list[Step]
) -> None:
    marks, model = ProducerMarks(producers, runs), Model(producers, runs)
    next_seq = 1
    for step in steps:
        if step.restart:
            marks = ProducerMarks.from_plain(marks.to_plain(), producers, runs)
        highest = marks.highest(step.producer)
        number = max(0, (5 if highest is None else highest) + step.ahead)
        one = mark(number, step.producer)
        answer = marks.seen(one)
        assert answer == model.seen(one)
        if answer is None:
            seq = 0 if step.stopped else next_seq
            next_seq += bool(seq)
            marks.record(one, seq)
            model.record(one, seq)
        assert marks.to_plain() == model.plain()
    for producer in "abcd":
        for number in range((marks.highest(producer) or 0) + 3):
            one = mark(number, producer)
            assert marks.seen(one) == model.seen(one)
    assert len(marks) == len(model.known)
