from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import count
from typing import Any

import pytest

from tidings import event
from tidings.api.frames import PushedFrame, PushFrame, read_client_frame
from tidings.api.problems import problem_of
from tidings.channel.commands import Push
from tidings.client.transports import http_pushes
from tidings.client.transports.http_pushes import Pushes
from tidings.errors import (
    ChannelFull,
    ChannelNotFound,
    InvalidEvent,
    TidingsError,
    Unreachable,
)
from tidings.events.envelope import ProducerMark


class Scene:
    """Pushes whose frames are read by the test."""

    def __init__(self) -> None:
        self.frames: list[PushFrame] = []
        self.moved = 0
        self.pushes = Pushes(self._sent, count(1), lambda channel, proxy: proxy + self.moved)
        self.pushes.up()

    def _sent(self, data: bytes) -> None:
        frame = read_client_frame(data)
        assert isinstance(frame, PushFrame)
        self.frames.append(frame)

    def answer(self, frame: PushFrame, first: int = 1) -> None:
        results: list[Any] = list(range(first, first + len(frame.events)))
        self.pushes.pushed(PushedFrame(frame.id, results))

    def ask(self, *prices: object, **parts: Any) -> asyncio.Task[list[Any]]:
        items = [event("A", "b", "", {"p": p}) if isinstance(p, int) else p for p in prices]
        return asyncio.create_task(self.pushes.ask(Push(1, 2, items, **parts)))  # type: ignore[arg-type]


def run(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)


async def turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def test_pushes_of_one_turn_share_a_frame_and_have_their_own_answers() -> None:
    async def scene() -> None:
        s = Scene()
        asked = [s.ask(1), s.ask(2, 3), s.ask(4)]
        await turns()
        [frame] = s.frames
        assert [one["data"]["p"] for one in frame.events] == [1, 2, 3, 4]
        assert (frame.producer is not None, frame.number) == (True, 1)
        s.answer(frame, 10)
        assert await asyncio.gather(*asked) == [[10], [11, 12], [13]]
        assert len(s.pushes) == 0

    run(scene())


def test_marks_that_do_not_count_up_are_told_one_by_one() -> None:
    async def scene() -> None:
        s = Scene()
        marks = [ProducerMark("x", 4), ProducerMark("x", 9)]
        asked = s.ask(1, 2, marks=marks)
        await turns()
        assert s.frames[0].marks == [("x", 4), ("x", 9)]
        s.answer(s.frames[0])
        await asked

    run(scene())


def test_pushes_through_other_proxies_or_with_trails_have_their_own_frames() -> None:
    async def scene() -> None:
        s = Scene()
        asked = [s.ask(1), s.ask(2, trail=True), s.ask(3)]
        await turns()
        assert [(f.trail, len(f.events)) for f in s.frames] == [(False, 1), (True, 1), (False, 1)]
        for task in asked:
            task.cancel()

    run(scene())


def test_what_has_no_answer_goes_again_in_order_with_the_same_marks() -> None:
    async def scene() -> None:
        s = Scene()
        first = s.ask(1)
        await turns()
        second = s.ask(2)
        await turns()
        s.answer(s.frames[0])
        third = s.ask(3)
        await turns()
        s.pushes.down()
        fourth = s.ask(4)
        await turns()
        assert len(s.frames) == 3
        s.moved = 5  # the proxy was made again
        s.pushes.up()
        again = s.frames[3:]
        assert [f.events[0]["data"]["p"] for f in again] == [2, 3, 4]
        assert [(f.id, f.producer, f.number) for f in again[:2]] == [
            (f.id, f.producer, f.number) for f in s.frames[1:3]
        ]
        assert {f.proxy for f in again} == {7}
        for frame in again:
            s.answer(frame)
        assert list(await asyncio.gather(first, second, third, fourth)) == [[1]] * 4

    run(scene())


def test_what_nobody_waits_for_is_not_sent_again() -> None:
    async def scene() -> None:
        s = Scene()
        asked = s.ask(1)
        await turns()
        s.pushes.down()
        asked.cancel()
        await turns()
        s.pushes.up()
        assert len(s.frames) == 1
        assert len(s.pushes) == 0

    run(scene())


def test_what_is_no_event_is_an_error_in_its_place_and_is_not_sent() -> None:
    async def scene() -> None:
        s = Scene()
        asked = s.ask(1, None, 3, {"p": 1})
        alone = s.ask(None)
        await turns()
        [frame] = s.frames
        assert len(frame.events) == 2
        s.answer(frame)
        found = await asked
        assert (found[0], found[2]) == (1, 2)
        assert isinstance(found[1], InvalidEvent)
        assert "a dict is no event" in str(found[3])
        assert isinstance((await alone)[0], InvalidEvent)

    run(scene())


def test_errors_of_events_and_of_frames() -> None:
    async def scene() -> None:
        s = Scene()
        asked = s.ask(1, 2)
        await turns()
        full = {"error": problem_of(ChannelFull("full"))}
        s.pushes.pushed(PushedFrame(s.frames[0].id, [1, full]))
        found = await asked
        assert found[0] == 1
        assert isinstance(found[1], ChannelFull)
        refused = s.ask(3)
        await turns()
        assert s.pushes.refused(s.frames[1].id, ChannelNotFound("gone"))
        assert not s.pushes.refused(s.frames[1].id, ChannelNotFound("gone"))
        with pytest.raises(ChannelNotFound):
            await refused

    run(scene())


def test_large_pushes_go_in_several_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_pushes, "MOST_EVENTS", 2_000)

    async def scene() -> None:
        s = Scene()
        asked = s.ask(*range(2_500))
        await turns()
        assert [len(f.events) for f in s.frames] == [1_000, 1_000]  # no room for more
        for at in range(3):
            s.answer(s.frames[at], 1_000 * at + 1)
        assert await asked == list(range(1, 2_501))
        big = s.ask(*(event("A", "b", "", {"p": "x" * 300_000}) for _ in range(5)))
        await turns()
        assert [len(f.events) for f in s.frames[3:]] == [3, 2]
        big.cancel()

    run(scene())


def test_who_waits_for_too_long_is_told_what_is_known() -> None:
    async def scene() -> None:
        s = Scene()
        sent = s.ask(1)
        await turns()
        s.pushes.down()
        unsent = s.ask(2)
        await turns()
        now = asyncio.get_running_loop().time()
        s.pushes.expire(now, 1.0, now + 0.5, "away")
        assert not sent.done()
        s.pushes.expire(now, 1.0, now + 1.5, "away")
        with pytest.raises(Unreachable, match="unknown; publishing them again"):
            await sent
        with pytest.raises(Unreachable, match="nothing was sent"):
            await unsent

    run(scene())


def test_a_channel_that_is_gone_fails_its_pushes_only() -> None:
    async def scene() -> None:
        s = Scene()
        asked = s.ask(1)
        other = asyncio.create_task(s.pushes.ask(Push(9, 2, [event("A", "b")])))
        await turns()
        assert s.pushes.channels == {1, 9}
        s.pushes.fail(ChannelNotFound("gone"), 1)
        with pytest.raises(TidingsError, match="gone"):
            await asked
        assert s.pushes.channels == {9}
        s.answer(s.frames[1])
        assert await other == [1]

    run(scene())
