"""Sending rows: again where a channel is full, never more than a few pushes without an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tidings.channel.commands import Push
from tidings.errors import ChannelFull, InvalidEvent, PipelineFailed, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.pipeline.sink_marks import Marked
from tidings.pipeline.sink_options import SinkOptions
from tidings.pipeline.sink_publishing import Published, RowSender

OPTIONS = SinkOptions("u", "c", at_once=2, patience=0.05)


def rows(count: int) -> list[Marked]:
    event = StructuredEvent("D", "T")
    return [(event, ProducerMark("p", number)) for number in range(count)]


class Channel:
    """Answers pushes as it is told."""

    def __init__(self, answer: Callable[[int, int], object]) -> None:
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
        found = [self._answer(mark.number, len(self.asked)) for mark in push.marks]
        refusals = [one for one in found if isinstance(one, TidingsError)]
        if len(refusals) == len(found) and isinstance(found[0], ChannelFull):
            raise found[0]
        return found


def sent(channel: Channel, given: list[Marked], options: SinkOptions = OPTIONS) -> Published:
    client: Any = SimpleNamespace(transport=channel)
    publisher: Any = SimpleNamespace(channel=1, proxy=2)

    async def send() -> Published:
        sender = RowSender(options, client, publisher)
        await sender.send(given)
        await sender.finish()
        return sender.published

    return asyncio.run(send())


def test_rows_go_in_order_and_few_pushes_wait() -> None:
    channel = Channel(lambda number, _: number + 1)
    done = sent(channel, rows(21))
    assert [number for push in channel.asked for number in push] == list(range(21))
    assert all(len(push) <= 2 for push in channel.asked)
    assert 1 < channel.most_open <= 4
    assert (done.accepted, done.stopped, done.refused) == (21, 0, 0)


def test_what_a_full_channel_refused_goes_again() -> None:
    channel = Channel(lambda number, time: ChannelFull("full") if time < 3 and number else 9)
    done = sent(channel, rows(2), OPTIONS._replace(patience=20))
    assert channel.asked == [[0, 1], [1], [1]]
    assert done.accepted == 2


def test_a_channel_that_stays_full_is_given_up() -> None:
    with pytest.raises(ChannelFull, match="publishing the same rows again later is safe"):
        sent(Channel(lambda *_: ChannelFull("full")), rows(2))


def test_rows_that_a_filter_stopped_are_counted() -> None:
    done = sent(Channel(lambda number, _: number % 2), rows(4))
    assert (done.accepted, done.stopped) == (2, 2)


def test_refused_rows_end_it_or_are_left_out() -> None:
    wrong: list[Marked] = [(InvalidEvent("no event"), ProducerMark("p", 9)), *rows(2)]
    channel = Channel(lambda number, _: InvalidEvent("not here") if number else 1)
    with pytest.raises(PipelineFailed, match="no event"):
        sent(channel, wrong)
    with pytest.raises(PipelineFailed, match="not here"):
        sent(channel, rows(2))
    done = sent(channel, wrong, OPTIONS._replace(skip_refused=True))
    assert (done.accepted, done.refused, done.reasons) == (1, 2, ["no event", "not here"])
