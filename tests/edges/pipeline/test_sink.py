"""The sink: options, rows as events, marks that let a channel take each row once, and sending."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.commands import Push
from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.errors import ChannelFull, InvalidEvent, InvalidUsage, PipelineFailed, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.pipeline.options import SinkOptions, check_columns, write_options
from tidings.pipeline.sink.marks import BLOCK, Attempt, Marked, events_of, key_columns, marked_rows
from tidings.pipeline.sink.publishing import Published, RowSender

NEEDED = {"url": "http://here", "channel": "c"}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        *(("url", "", 'needs .option."url"'), ("channel", "", 'needs .option."channel"')),
        *(("chanel", "x", "no option 'chanel'"), ("key", "a,b,c", "one column or two")),
        *(("batchSize", "0", "from 1 to 10000"), ("onRefused", "weep", "skip or fail")),
        *(("patience", "-1", "number of seconds"), ("patience", "nan", "number of seconds")),
    ],
)
def test_what_is_wrong_is_told(name: str, value: str, words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        write_options({**NEEDED, name: value})


def test_columns_must_make_an_event() -> None:
    options = write_options({**NEEDED, "key": "id"})
    for columns in (["raw", "id"], ["event", "id"], ["domain", "type", "id"]):
        check_columns(options, columns)
    with pytest.raises(InvalidUsage, match="a row to publish has"):
        check_columns(options, ["domain", "id"])
    with pytest.raises(InvalidUsage, match="the key names 'id'"):
        check_columns(options, ["raw"])


# ---------------------------------------------------------------- rows as events

Columns = dict[str, list[Any]]


def test_null_is_no_property_and_an_error_stands_for_what_is_no_event() -> None:
    def events(columns: Columns) -> list[object]:
        return list(events_of(pa.RecordBatch.from_pydict(columns)))

    text = '{"domain": "D", "type": "T", "data": {"a": 1}}'
    [good, bad, null] = events({"event": [text, "{", None]})
    assert isinstance(good, StructuredEvent)
    assert isinstance(bad, InvalidEvent)
    assert "null" in str(null)
    [nameless] = events({"domain": [None], "type": ["T"]})
    assert isinstance(nameless, InvalidEvent)
    row: Columns = {"domain": ["D"], "type": ["T"], "data": [{"a": 1, "b": None}]}
    assert events(row) == [good]


# ---------------------------------------------------------------- marks

Mark = tuple[str, str, int]


def rows_of(numbers: list[int]) -> Columns:
    texts = [f'{{"domain":"D","type":"T","name":"n{number}"}}' for number in numbers]
    return {"event": list(texts), "id": list(numbers)}


def marked(key: tuple[str, ...], *tables: Columns) -> list[Marked]:
    batches = [pa.RecordBatch.from_pydict(table) for table in tables]
    return [one for part in marked_rows(batches, key, Attempt("mine", 3, 5)) for one in part]


def marks(key: tuple[str, ...], *tables: Columns) -> list[Mark]:
    found = marked(key, *tables)
    return [(getattr(event, "name", ""), mark.producer, mark.number) for event, mark in found]


def test_a_key_is_a_producer_and_a_number() -> None:
    assert marks(("id",), rows_of([7, BLOCK])) == [("n7", "mine#0", 7), ("n512", "mine#1", 512)]
    rows: Columns = {**rows_of([7, 8]), "origin": ["a", "b" * 300]}
    [first, second] = marks(("origin", "id"), rows)
    assert first == ("n7", "mine/a#0", 7)
    assert len(second[1]) < 100
    options = SinkOptions("u", "c")  # archived events have a key of their own
    assert key_columns(options, ["raw", "origin", "seq"]) == ("origin", "seq")
    assert key_columns(options, ["raw", "seq"]) == ()
    assert key_columns(options._replace(key=("id",)), ["raw", "origin", "seq"]) == ("id",)


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([1, 2, 1], "two rows have the key id = 1"),
        *(([wrong], "whole number from 0") for wrong in (-1, None, 1.5)),
    ],
)
def test_a_key_that_is_none_is_refused(ids: list[Any], words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        marked(("id",), rows_of(ids))


def test_marks_of_columns_are_as_they_are_and_rise() -> None:
    rows: Columns = {**rows_of([1, 2]), "producer": ["p", "p"], "number": [4, 9]}
    assert marks((), rows) == [("n1", "p", 4), ("n2", "p", 9)]
    for numbers, words in (([4, 4], "numbers must rise"), ([4, None], "null")):
        with pytest.raises(InvalidUsage, match=words):
            marked((), {**rows, "number": numbers})


@given(st.lists(st.integers(0, 20)), st.randoms(use_true_random=False))
def test_other_rows_are_marked_alike_in_any_order(
    numbers: list[int], chance: random.Random
) -> None:
    again = list(numbers)
    chance.shuffle(again)
    cut = chance.randint(0, len(again))
    once = marks((), rows_of(numbers))
    assert once == marks((), rows_of(again[:cut]), rows_of(again[cut:]))
    assert [mark[1:] for mark in once] == [("mine/3", (5 << 36) + n) for n in range(len(numbers))]
    assert marked(()) == []


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_no_row_with_a_key_is_taken_for_another(seed: int, senders: int) -> None:
    """Several tasks, keys with gaps, in any order: none is refused as seen before."""
    limits = Limits()
    channel = ProducerMarks(limits)
    assert limits.producer_runs >= BLOCK
    keys = random.Random(seed).sample(range(4 * BLOCK), 3 * BLOCK)
    seq = 0
    for attempt in range(2):
        for at in range(senders):
            for _, mark in marked(("id",), rows_of(keys[at::senders])):
                assert (channel.seen(mark) is None) is (attempt == 0)
                seq += attempt == 0
                channel.record(mark, seq)
    assert seq == len(keys)


# ---------------------------------------------------------------- sending

OPTIONS = SinkOptions("u", "c", at_once=2, patience=0.05)


def sendable(count: int) -> list[Marked]:
    return [(StructuredEvent("D", "T"), ProducerMark("p", number)) for number in range(count)]


class Channel:
    """Answers pushes as it is told."""

    def __init__(self, answer: Callable[[int], object]) -> None:
        self._answer = answer
        self.asked: list[list[int]] = []
        self.open = self.most_open = 0

    async def ask(self, push: Push) -> list[object]:
        assert push.marks is not None
        self.asked.append([mark.number for mark in push.marks])
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(0)
        self.open -= 1
        found = [self._answer(mark.number) for mark in push.marks]
        if isinstance(found[0], ChannelFull) and all(
            isinstance(one, TidingsError) for one in found
        ):
            raise found[0]
        return found


async def sent(channel: Channel, given: list[Marked], options: SinkOptions = OPTIONS) -> Published:
    client: Any = SimpleNamespace(transport=channel)
    publisher: Any = SimpleNamespace(channel=1, proxy=2)
    sender = RowSender(options, client, publisher)
    await sender.send(given)
    await sender.finish()
    return sender.published


async def test_rows_go_in_order_and_few_pushes_wait() -> None:
    channel = Channel(lambda number: number + 1)
    done = await sent(channel, sendable(21))
    assert [number for push in channel.asked for number in push] == list(range(21))
    assert all(len(push) <= 2 for push in channel.asked)
    assert 1 < channel.most_open <= 4
    assert (done.accepted, done.stopped, done.refused) == (21, 0, 0)
    done = await sent(Channel(lambda number: number % 2), sendable(4))  # a filter stops some
    assert (done.accepted, done.stopped) == (2, 2)


async def test_a_channel_that_stays_full_is_given_up() -> None:
    with pytest.raises(ChannelFull, match="publishing the same rows again later is safe"):
        await sent(Channel(lambda _: ChannelFull("full")), sendable(2))


async def test_refused_rows_end_it_or_are_left_out() -> None:
    wrong: list[Marked] = [(InvalidEvent("no event"), ProducerMark("p", 9)), *sendable(2)]
    channel = Channel(lambda number: InvalidEvent("not here") if number else 1)
    for rows, words in ((wrong, "no event"), (sendable(2), "not here")):
        with pytest.raises(PipelineFailed, match=words):
            await sent(channel, rows)
    done = await sent(channel, wrong, OPTIONS._replace(skip_refused=True))
    assert (done.accepted, done.refused, done.reasons) == (1, 2, ["no event", "not here"])
