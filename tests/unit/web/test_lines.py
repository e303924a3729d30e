"""A line: what the engine says becomes frames, in order and not too much of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.unit.engine.hosts import run, turns
from tests.unit.engine.recorded_answers import ORIGIN, RecordedAnswers, delivery, message
from tidings.api.frames import PolledFrame
from tidings.channel.vocabulary import Form
from tidings.engine.reach import Delivery
from tidings.errors import Disconnected, InvalidEvent, TidingsError, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern
from tidings.web.encoded import Encoded
from tidings.web.lines import Line
from tidings.web.sending import EventsOut, SocketWriter


class Writer(SocketWriter):
    """Keeps what it is given, as long as its own limits let it."""

    def __init__(self, most: int = 10_000_000) -> None:
        self.stalls: list[str] = []
        super().__init__(self._send_nothing, most, 60.0, self.stalls.append)

    async def _send_nothing(self, message: Any) -> None:
        raise AssertionError(message)

    def frames(self) -> list[Any]:
        """What was to be written; nothing waits afterwards."""
        found = [one.close() if isinstance(one, EventsOut) else one for one in self._queue]
        self._queue.clear()
        self._waiting = 0
        self._feed()
        return [json.loads(one) for one in found]


class Owner:
    """A socket with one line."""

    def __init__(self, most: int = 10_000_000, most_held: int = 10_000_000) -> None:
        self.kept = Writer(most)
        self.writer: SocketWriter = self.kept
        self.encoded = Encoded()
        self.most_held = most_held
        self.forgotten: list[bool] = []
        self.answers = RecordedAnswers()
        self.line = Line(self, 5, 1, 7, ORIGIN)
        self.line.attach(self.answers)

    def forget(self, line: Line, *, ended: bool) -> None:
        assert line is self.line
        self.forgotten.append(ended)

    def frames(self) -> list[Any]:
        return self.kept.frames()


def _seqs(frame: Any) -> list[int]:
    assert (frame["op"], frame["line"], frame["origin"]) == ("events", 5, ORIGIN)
    return [one["seq"] for one in frame["events"]]


def test_deliveries_of_one_turn_are_one_frame() -> None:
    async def work() -> None:
        owner = Owner()
        owner.line.ready()
        owner.line.deliver(delivery(1))
        owner.line.deliver(delivery(2, 3, again=[3]))
        (frame,) = owner.frames()
        assert _seqs(frame) == [1, 2, 3]
        assert frame["again"] == [3]
        owner.line.deliver(delivery(4))
        assert _seqs(owner.frames()[0]) == [4]

    run(work())


def test_batches_stay_batches() -> None:
    async def work() -> None:
        owner = Owner()
        owner.line.ready()
        owner.line.deliver(delivery(1, 2, form=Form.SEQUENCE))
        owner.line.deliver(delivery(3, form=Form.SEQUENCE, again=[3]))
        first, second = owner.frames()
        assert (_seqs(first), first["batch"]) == ([1, 2], True)
        assert (_seqs(second), second["again"]) == ([3], [3])

    run(work())


def test_nothing_comes_before_the_line_is_ready() -> None:
    async def work() -> None:
        owner = Owner()
        owner.line.deliver(delivery(1))
        owner.line.offers([EventTypePattern("a", "b")], [])
        assert owner.frames() == []
        owner.line.ready()
        events, types = owner.frames()
        assert _seqs(events) == [1]
        assert types == {"op": "types", "line": 5, "added": ["a::b"], "removed": []}

    run(work())


def test_what_was_replayed_does_not_come_again() -> None:
    async def work() -> None:
        owner = Owner()
        owner.line.deliver(delivery(4, 5))
        owner.line.replay([message(3), message(4)])
        owner.line.ready({4, 6})
        past, live = owner.frames()
        assert (_seqs(past), past["replayed"]) == ([3, 4], True)
        assert _seqs(live) == [5]
        owner.line.deliver(delivery(6))
        owner.line.deliver(delivery(7))
        assert [_seqs(frame) for frame in owner.frames()] == [[7]]
        assert owner.answers.said == [("ack", [4]), ("ack", [6])]

    run(work())


def test_events_wait_while_the_peer_reads_slowly() -> None:
    async def work() -> None:
        large = [
            message(seq).__class__(StructuredEvent(name="x" * 100_000), ORIGIN, seq, 1, octets=1)
            for seq in range(1, 41)
        ]
        owner = Owner(most=1_000_000)
        owner.line.ready()
        owner.line.deliver(Delivery(1, 7, large[:30], frozenset({2, 29})))
        owner.line.deliver(Delivery(1, 7, large[30:]))
        seen: list[int] = []
        again: list[int] = []
        rounds = 0
        while frames := owner.frames():
            rounds += 1
            assert sum(len(frame["events"]) for frame in frames) < 10
            for frame in frames:
                seen += _seqs(frame)
                again += frame.get("again", [])
        assert seen == list(range(1, 41))
        assert again == [2, 29]
        assert rounds > 5
        assert not owner.kept.stalls

    run(work())


def test_a_window_that_lets_too_much_in_is_a_stall() -> None:
    async def work() -> None:
        owner = Owner(most=4_000, most_held=3_000)
        owner.line.ready()
        for seq in range(1, 100):
            owner.line.deliver(delivery(seq))
        assert len(owner.kept.stalls) == 1
        assert "window" in owner.kept.stalls[0]

    run(work())


def test_the_end_is_told_once_unless_the_client_asked_for_it() -> None:
    async def work() -> None:
        owner = Owner()
        owner.line.ready()
        owner.line.disconnected()
        owner.line.close(Disconnected("again"))
        (gone,) = owner.frames()
        assert (gone["op"], gone["problem"]["code"]) == ("gone", "disconnected")
        assert owner.forgotten == [True]
        owner.line.ack([1])
        owner.line.fail([1], "x")
        owner.line.reject([1], "x")
        assert owner.answers.said == []
        for error, told in ((Disconnected("taken over"), 1), (None, 0)):
            owner = Owner()
            owner.line.ready()
            owner.line.close(error)
            assert len(owner.frames()) == told
            assert owner.forgotten == [False]
        owner = Owner()
        owner.line.ready()
        owner.line.release()
        owner.line.close(Disconnected("its own"))
        assert owner.frames() == []

    run(work())


def test_what_the_client_says_is_passed_on() -> None:
    async def work() -> None:
        owner = Owner()
        owner.line.ready()
        owner.line.ack([1, 2])
        owner.line.fail([3], "later")
        owner.line.reject([4], "never")
        assert owner.answers.said[:2] == [("ack", [1, 2]), ("failed", [3], "later", False)]
        assert owner.answers.said[2][:2] == ("reject", [4])

    run(work())


def test_polls_are_answered_by_their_number() -> None:
    async def work() -> None:
        owner = Owner()
        line = owner.line
        line.ready()
        first = asyncio.ensure_future(line.try_pull(3))
        second = asyncio.ensure_future(line.try_pull(1))
        await turns()
        polls = owner.frames()
        assert [(one["poll"], one["most"]) for one in polls] == [(1, 3), (2, 1)]
        line.polled(PolledFrame(5, 2, [], "broken"), [])
        line.polled(PolledFrame(5, 1), [StructuredEvent("a", "b")])
        line.polled(PolledFrame(5, 1), [StructuredEvent("too", "late")])
        line.polled(PolledFrame(5, 99), [])
        assert await first == [StructuredEvent("a", "b")]
        with pytest.raises(TidingsError, match="broken"):
            await second

    run(work())


def test_a_poll_fails_for_what_is_no_event_for_a_supplier_that_is_gone_and_for_a_cut() -> None:
    async def work() -> None:
        owner = Owner()
        line = owner.line
        line.ready()
        polls = [asyncio.ensure_future(line.try_pull(1)) for _ in range(3)]
        await turns()
        with pytest.raises(InvalidEvent):
            line.polled(PolledFrame(5, 1), [InvalidEvent("none")])
        line.polled(PolledFrame(5, 2, gone=True), [])
        line.close()
        for poll, error in zip(polls, (InvalidEvent, Disconnected, Unreachable), strict=True):
            with pytest.raises(error):
                await poll

    run(work())
