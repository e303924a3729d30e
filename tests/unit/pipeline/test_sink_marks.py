"""Marks: the same row has the same one, and a channel that knows them takes each row once."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.errors import InvalidUsage
from tidings.pipeline.sink_marks import BLOCK, Attempt, Marked, key_columns, marked_rows
from tidings.pipeline.sink_options import SinkOptions

ONE = Attempt("mine", 3, 5)


Columns = dict[str, list[Any]]


def batches(*tables: Columns) -> list[pa.RecordBatch]:
    return [pa.RecordBatch.from_pydict(table) for table in tables]


def events(numbers: list[int]) -> Columns:
    texts = [f'{{"domain":"D","type":"T","name":"n{number}"}}' for number in numbers]
    return {"event": list(texts), "id": list(numbers)}


def flat(marked: list[list[Marked]]) -> list[tuple[str, str, int]]:
    return [(e.name, m.producer, m.number) for part in marked for e, m in part]  # type: ignore[union-attr]


def test_a_key_marks_by_blocks_and_keeps_the_order() -> None:
    rows = events([BLOCK, 1, BLOCK - 1])
    assert flat(list(marked_rows(batches(rows), ("id",), ONE))) == [
        (f"n{BLOCK}", "mine#1", BLOCK),
        ("n1", "mine#0", 1),
        (f"n{BLOCK - 1}", "mine#0", BLOCK - 1),
    ]


def test_two_columns_are_a_producer_and_its_number() -> None:
    rows: Columns = {**events([7, 8]), "origin": ["a", "b" * 300]}
    [first, second] = flat(list(marked_rows(batches(rows), ("origin", "id"), ONE)))
    assert first == ("n7", "mine/a#0", 7)
    assert len(second[1]) < 100


def test_archived_events_have_a_key_of_their_own() -> None:
    options = SinkOptions("u", "c")
    assert key_columns(options, ["raw", "origin", "seq"]) == ("origin", "seq")
    assert key_columns(options, ["raw", "seq"]) == ()
    assert key_columns(options._replace(key=("id",)), ["raw", "origin", "seq"]) == ("id",)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (events([1, 2, 1]), "two rows have the key id = 1"),
        ({"event": ["{}"], "id": [-1]}, "whole number from 0"),
        ({"event": ["{}"], "id": [None]}, "whole number from 0"),
        ({"event": ["{}"], "id": [1.5]}, "whole number from 0"),
    ],
)
def test_a_key_that_is_none_is_refused(rows: Columns, words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        list(marked_rows(batches(rows), ("id",), ONE))


def test_marks_of_columns_are_as_they_are_and_rise() -> None:
    rows: Columns = {**events([1, 2]), "producer": ["p", "p"], "number": [4, 9]}
    assert flat(list(marked_rows(batches(rows), (), ONE))) == [("n1", "p", 4), ("n2", "p", 9)]
    with pytest.raises(InvalidUsage, match="numbers must rise"):
        list(marked_rows(batches({**rows, "number": [4, 4]}), (), ONE))
    with pytest.raises(InvalidUsage, match="null"):
        list(marked_rows(batches({**rows, "number": [4, None]}), (), ONE))


@given(st.lists(st.integers(0, 20)), st.randoms(use_true_random=False))
def test_other_rows_are_marked_alike_in_any_order(
    numbers: list[int], chance: random.Random
) -> None:
    again = list(numbers)
    chance.shuffle(again)
    cut = chance.randint(0, len(again))
    once = list(marked_rows(batches(events(numbers)), (), ONE))
    twice = list(marked_rows(batches(events(again[:cut]), events(again[cut:])), (), ONE))
    assert flat(once) == flat(twice)
    marks = [(producer, number) for _, producer, number in flat(once)]
    assert marks == [("mine/3", (5 << 36) + at) for at in range(len(numbers))]


def test_nothing_has_no_marks() -> None:
    assert list(marked_rows([], (), ONE)) == []


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_no_row_with_a_key_is_taken_for_another(seed: int, senders: int) -> None:
    """Several tasks, keys with gaps, in any order: none is refused as seen before."""
    chance = random.Random(seed)
    limits = Limits()
    channel = ProducerMarks(limits)
    keys = chance.sample(range(4 * BLOCK), 3 * BLOCK)
    tasks = [keys[at::senders] for at in range(senders)]
    seq = 0
    for attempt in range(2):
        for task in tasks:
            for part in marked_rows(batches(events(task)), ("id",), ONE):
                for _, mark in part:
                    assert (channel.seen(mark) is None) is (attempt == 0)
                    seq += attempt == 0
                    channel.record(mark, seq)
    assert seq == len(keys)
