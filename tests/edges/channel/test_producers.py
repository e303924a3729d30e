"""Marks of producers, among others against a model that remembers every number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.producers import UNKNOWN_SEQ, ProducerMarks
from tidings.channel.settings import Limits
from tidings.errors import InvalidUsage, NumberTooOld
from tidings.events.envelope import ProducerMark


def mark(number: int, producer: str = "p") -> ProducerMark:
    return ProducerMark(producer, number)


def limits(producers: int = 10, runs: int = 10, in_all: int = 1_000) -> Limits:
    return Limits(producers=producers, producer_runs=runs, producer_runs_in_all=in_all)


def recorded(*numbers: int, runs: int = 10) -> ProducerMarks:
    """Marks of one producer, with the sequence numbers 1, 2, 3 …"""
    marks = ProducerMarks(limits(runs=runs))
    for seq, number in enumerate(numbers, 1):
        marks.record(mark(number), seq)
    return marks


def answer(marks: ProducerMarks, number: int, producer: str = "p") -> int | str | None:
    """The answer to a number; "refused" if it cannot be judged."""
    try:
        return marks.seen(mark(number, producer))
    except NumberTooOld:
        return "refused"


def runs_of(marks: ProducerMarks) -> object:
    [[_, _, runs]] = marks.to_plain()
    return runs


def test_the_same_mark_gets_the_first_answer_and_neighbours_are_one_run() -> None:
    marks = recorded(7)
    marks.record(mark(7), 5)
    assert [answer(marks, number) for number in (6, 7, 8)] == [None, 1, None]
    assert answer(marks, 7, "q") is None
    marks = ProducerMarks(limits())
    for number in (10, 13, 11, 12, 9):
        marks.record(mark(number), number + 100)
    assert runs_of(marks) == [[9, 109, 5]]
    marks = ProducerMarks(limits())
    for number, seq in enumerate([4, 5, 0, 0, 6]):  # 0: a filter has stopped it
        marks.record(mark(number), seq)
    assert [answer(marks, number) for number in range(6)] == [4, 5, 0, 0, 6, None]
    assert runs_of(marks) == [[0, 4, 2], [2, 0, 2], [4, 6, 1]]


def test_alternating_producers_are_one_run_of_numbers_each() -> None:
    """Each event is its own run of sequence numbers; of old ones the numbers are still known."""
    marks = ProducerMarks(limits(runs=4))
    for number in range(1_000):
        marks.record(mark(number, "a"), 2 * number + 1)
        marks.record(mark(number, "b"), 2 * number + 2)
    assert runs_of(ProducerMarks.from_plain(marks.to_plain()[:1], limits())) == [
        [0, UNKNOWN_SEQ, 996],
        *([number, 2 * number + 1, 1] for number in range(996, 1_000)),
    ]
    assert [answer(marks, number, "b") for number in (0, 995, 996, 1_000)] == [-1, -1, 1_994, None]


def test_a_number_with_too_many_gaps_above_it_is_refused() -> None:
    marks = recorded(10, 20, 30, 40, 50, runs=2)
    found = [answer(marks, number) for number in (5, 10, 11, 20, 30, 40, 50)]
    assert found == ["refused", "refused", None, -1, -1, 4, 5]
    marks.record(mark(5), 99)
    assert answer(marks, 5) == "refused"
    marks.record(mark(25), 6)  # late, and within the window
    assert [answer(marks, number) for number in (20, 25, 30)] == ["refused", -1, -1]
    with pytest.raises(NumberTooOld, match=r"number 5 of producer 'p'.*limits.producer_runs, 2"):
        marks.seen(mark(5))


def test_what_is_taken_back_is_new_again() -> None:
    marks = recorded(1, 3, 5, 7, runs=1)
    assert [answer(marks, number) for number in (1, 3, 5, 7)] == ["refused", "refused", -1, 4]
    for number in (7, 5, 5, 1):
        marks.forget(mark(number))
    marks = ProducerMarks.from_plain(marks.to_plain(), limits(runs=1))
    assert [answer(marks, number) for number in (3, 5, 7)] == ["refused", None, None]
    marks.record(mark(4), 9)
    assert (answer(marks, 4), marks.highest("p")) == (9, 4)


def test_the_producer_unused_for_longest_is_forgotten() -> None:
    marks = ProducerMarks(limits(producers=2))
    for seq, (number, producer) in enumerate([(1, "a"), (1, "b"), (2, "a"), (1, "c")], 1):
        marks.record(mark(number, producer), seq)
    assert (len(marks), answer(marks, 1, "b"), answer(marks, 1, "a")) == (2, None, 1)
    marks.record(mark(1, "d"), 5)
    assert (marks.highest("a"), marks.highest("c")) == (2, None)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        *(({}, "another form"), ([5], "another form"), ([["p", -1]], "another form")),
        ([[7, -1, [[1, 1, 1]]]], "another form"),
        ([["p", -1, [[1, 1, 1]]], ["p", -1, [[1, 1, 1]]]], "producer 'p' are there twice"),
        ([["", -1, [[1, 1, 1]]]], "1 to 256 characters"),
        ([["p", -2, [[1, 1, 1]]]], "not a highest forgotten number"),
        *(([["p", True, [[2, 1, 1]]]], "another form"), ([["p", -1, "abc"]], "another form")),
        *(([["p", -1, []]], "at least one run"), ([["p", -1, [[1, 1]]]], "another form")),
        ([["p", 1, [[1, 1, 1]]]], "not a run .* above 1"),
        ([["p", -1, [[1, 1, 2], [2, 9, 1]]]], "not a run .* above 2"),
        *(([["p", -1, [[1, 1, 0]]]], "not a run"), ([["p", -1, [[1, -2, 1]]]], "not a run")),
        *(([["p", -1, [[1, 1.5, 1]]]], "another form"), ([["p", -1, [[True, 1, 1]]]], "another")),
        *(([["p", -1, [["1", 1, 1]]]], "another form"), ([["p", -1, [[1, 1, True]]]], "another")),
        ([["p", -1, [[2**63 - 1, 1, 2]]]], "not a run"),
        ([["p", -1, [[1, 2**63 - 1, 2]]]], "not a run"),
    ],
)
def test_data_of_another_form_is_refused(data: object, problem: str) -> None:
    with pytest.raises(InvalidUsage, match=problem):
        ProducerMarks.from_plain(data, limits())


def test_data_beyond_the_limits_is_forgotten() -> None:
    marks = recorded(1, 3, 5, 7)
    marks.record(mark(1, "q"), 9)
    fewer = ProducerMarks.from_plain(marks.to_plain(), limits(producers=1))
    assert (len(fewer), answer(fewer, 1, "q")) == (1, 9)
    shorter = ProducerMarks.from_plain(recorded(1, 3, 5, 7).to_plain(), limits(runs=1))
    assert shorter.to_plain() == [["p", 3, [[5, UNKNOWN_SEQ, 1], [7, 4, 1]]]]
    in_all = ProducerMarks.from_plain(recorded(1, 3, 5, 7).to_plain(), limits(in_all=2))
    assert in_all.to_plain() == [["p", 1, [[3, -1, 1], [5, -1, 1], [7, 4, 1]]]]
    apart = ProducerMarks(limits())
    for number in range(4):
        apart.record(mark(number), 2 * number + 1)
    joined = ProducerMarks.from_plain(apart.to_plain(), limits(in_all=2))
    assert joined.to_plain() == [["p", -1, [[0, -1, 2], [2, 5, 1], [3, 7, 1]]]]


@dataclass
class Step:
    """What is done next; the number is told from the highest one of the producer."""

    producer: str
    ahead: int
    stopped: bool
    revoked: bool
    restart: bool


# Mostly the next number; sometimes a gap, one that comes late, or one that came before.
AHEAD = st.one_of(st.just(1), st.just(1), st.integers(-9, 0), st.integers(1, 4))
STEPS = st.builds(
    Step,
    st.sampled_from("aaab") | st.sampled_from("abcd"),
    AHEAD,
    *(st.integers(0, 9).map(lambda drawn: not drawn) for _ in range(3)),
)


def gaps_above(number: int, accepted: set[int]) -> int:
    """How many runs of accepted numbers lie above a number."""
    return sum(one > number and one - 1 not in accepted for one in accepted)


@given(st.integers(1, 4), st.integers(1, 12) | st.just(1_000), st.lists(STEPS, max_size=60))
def test_nothing_is_accepted_twice_or_dropped_unsent(
    runs: int, in_all: int, steps: list[Step]
) -> None:
    """Against one that remembers every number: what it cannot judge is refused, no more."""
    bounds = limits(runs=runs, in_all=in_all)
    marks, next_seq = ProducerMarks(bounds), 1
    known: dict[str, dict[int, int]] = {producer: {} for producer in "abcd"}
    exact = in_all == 1_000 and not any(step.revoked for step in steps)
    for step in steps:
        if step.restart:
            marks = ProducerMarks.from_plain(marks.to_plain(), bounds)
        accepted = known[step.producer]
        number = max(0, max(accepted, default=5) + step.ahead)
        found = answer(marks, number, step.producer)
        if found == "refused":
            assert not exact or gaps_above(number, set(accepted)) >= runs
            continue
        if found is not None:
            assert found in (accepted[number], UNKNOWN_SEQ)
            continue
        assert number not in accepted
        seq = 0 if step.stopped else next_seq
        next_seq += bool(seq)
        marks.record(mark(number, step.producer), seq)
        if step.revoked:
            marks.forget(mark(number, step.producer))
            continue
        accepted[number] = seq
        assert not exact or number < max(accepted) or answer(marks, number, step.producer) == seq
    plain: list[Any] = marks.to_plain()
    sizes = Counter({name: len(found) for name, _, found in plain})
    assert max(sizes.values(), default=0) <= 2 * runs + 1
    assert sizes.total() - len(sizes) <= in_all
