from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple, cast
from unittest import mock

import pytest

from tests.unit.engine.recorded_answers import RecordedAnswers, delivery, message, turns
from tidings.client import past as past_module
from tidings.client.past import Past, Replay, microseconds, wish_of
from tidings.client.transport import Message, Transport
from tidings.engine.endpoints import BufferEndpoint
from tidings.errors import ChannelNotFound, CursorNotFound, Disconnected, InvalidUsage, Stopping


class Page(NamedTuple):
    messages: Sequence[Message]
    next: int
    end: bool
    last: int
    lost: Sequence[tuple[int, int]] = ()


class Pages:
    """A transport with a past, in pages.

    Attributes:
        asked: What the pages were asked for with.
        free: Nothing is answered while this is not set.
    """

    def __init__(self, *pages: Sequence[int] | Exception) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.free = asyncio.Event()
        self.free.set()
        self._pages = list(pages)

    async def history(self, *asked: object) -> Page:
        self.asked.append(asked)
        await self.free.wait()
        page = self._pages.pop(0)
        if isinstance(page, Exception):
            raise page
        after = max(page, default=0)
        return Page([message(seq) for seq in page], after, not self._pages, 99)

    def past(self, **settings: Any) -> Past:
        return Past(cast("Transport", self), 1, (None, None), **settings)


def replayed(
    *pages: Sequence[int] | Exception,
) -> tuple[Replay, BufferEndpoint, RecordedAnswers, Pages]:
    live, answers, transport = BufferEndpoint(), RecordedAnswers(), Pages(*pages)
    live.attach(answers)
    return Replay(live, transport.past(since=7)), live, answers, transport


def play(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, 5))


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (None, None),
        (5, 5),
        (-5, 0),
        (datetime(1970, 1, 1, 0, 0, 1, 3, tzinfo=UTC), 1_000_003),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=1))), 3_600_000_000),
        (datetime(1960, 1, 1, tzinfo=UTC), 0),
    ],
)
def test_a_moment_is_microseconds(since: Any, expected: int | None) -> None:
    assert microseconds(since) == expected


@pytest.mark.parametrize("since", [True, 1.5, "now", datetime(2026, 1, 1)])  # noqa: DTZ001
def test_what_is_no_moment_is_refused(since: Any) -> None:
    with pytest.raises(InvalidUsage):
        microseconds(since)


def test_one_constraint_is_asked_of_the_service_and_several_here() -> None:
    assert wish_of(None) == wish_of([]) == (None, None)
    assert wish_of("$price > 1") == ("$price > 1", None)
    text, wants = wish_of(["$event_name == '1'", "$nothing > 1", "$event_name == '2'"])
    assert text is None
    assert wants is not None
    assert [seq for seq in range(5) if wants(message(seq))] == [1, 2]


def test_pages_go_on_where_the_last_one_ended() -> None:
    async def scene() -> None:
        transport = Pages([1, 2], [], [5])
        past = transport.past(after=0, since=3)
        found = []
        while not past.end:
            found.append([one.seq for one in await past.page(10)])
        assert found == [[1, 2], [], [5]]
        assert transport.asked == [(1, after, 3, 10, None) for after in (0, 2, 0)]

    play(scene())


def test_the_past_comes_first_and_what_both_have_comes_once() -> None:
    async def scene() -> None:
        replay, live, answers, _ = replayed([1, 2], [], [3, 5])
        live.deliver(delivery(3, 4, 5, 6))
        assert len(replay) == 4
        assert replay.get_nowait() is None  # nothing overtakes the past
        assert [(await replay.get()).seq for _ in range(5)] == [1, 2, 3, 5, 4]
        last = replay.get_nowait()
        assert last is not None
        assert last.seq == 6
        assert replay.get_nowait() is None
        assert [seq for seq in range(1, 8) if replay.replayed(seq)] == [1, 2, 3, 5]
        await turns()
        assert answers.said == [("ack", [3, 5])]  # of what was not handed out

    play(scene())


def test_what_was_replayed_is_not_told_to_the_service() -> None:
    async def scene() -> None:
        replay, live, answers, _ = replayed([1, 2, 3])
        live.deliver(delivery(4, 5, 6, again=[4]))
        found = [await replay.get() for _ in range(6)]
        assert [replay.redelivered(one.seq) for one in found] == [False] * 3 + [True, False, False]
        replay.ack(found[0])
        replay.reject(found[1], "no")
        replay.ack_many(found[2:4])
        await turns()
        assert answers.said == [("ack", [4])]
        replay.ack(found[4])
        replay.reject(found[5], "no")
        assert answers.said[1:] == [("ack", [5]), ("reject", [6], "no")]

    play(scene())


def test_what_failed_comes_again_after_a_pause_before_the_rest() -> None:
    async def scene() -> None:
        replay, live, answers, _ = replayed([1, 2])
        live.deliver(delivery(3))
        with mock.patch.object(past_module, "_PAUSE", 0.02):
            first = await replay.get()
            replay.fail(first, "later")
            assert replay.get_nowait() is None
            before = asyncio.get_running_loop().time()
            assert [(await replay.get()).seq for _ in range(3)] == [1, 2, 3]
            assert asyncio.get_running_loop().time() >= before + 0.01
        replay.fail(message(3), "later")
        assert answers.said == [("failed", [3], "later", False)]

    play(scene())


def test_batches() -> None:
    async def scene() -> None:
        replay, live, _, _ = replayed([1, 2, 3])
        live.deliver(delivery(2, 3))
        assert [one.seq for one in await replay.batch(2)] == [1, 2]
        assert [one.seq for one in await replay.batch(2)] == [3]
        waiting = asyncio.create_task(cast("Coroutine[Any, Any, Any]", replay.batch(2)))
        await turns()
        assert not waiting.done()
        live.deliver(delivery(4))
        assert [one.seq for one in await waiting] == [4]

    play(scene())


def test_two_readers_share_the_past() -> None:
    async def scene() -> None:
        replay, live, _, transport = replayed([1, 2], [3])
        found = await asyncio.gather(*(replay.get() for _ in range(3)))
        assert sorted(one.seq for one in found) == [1, 2, 3]
        assert len(transport.asked) == 2
        live.deliver(delivery(4))
        assert (await replay.get()).seq == 4

    play(scene())


def test_who_loses_patience_loses_nothing() -> None:
    async def scene() -> None:
        replay, _, _, transport = replayed([1, 2])
        transport.free.clear()
        waiting = asyncio.create_task(cast("Coroutine[Any, Any, Any]", replay.get()))
        await turns()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        transport.free.set()
        assert [(await replay.get()).seq for _ in range(2)] == [1, 2]
        assert len(transport.asked) == 1  # the page was on its way all the time

    play(scene())


def test_stopping_ends_the_past() -> None:
    async def scene() -> None:
        replay, live, _, transport = replayed([1, 2], [3])
        assert (await replay.get()).seq == 1
        replay.stop()
        live.close()
        with pytest.raises(Disconnected):
            await replay.get()
        assert len(transport.asked) == 1
        replay, live, _, transport = replayed([1])
        transport.free.clear()
        waiting = asyncio.create_task(cast("Coroutine[Any, Any, Any]", replay.get()))
        await turns()
        replay.stop()
        live.close()
        transport.free.set()
        with pytest.raises(Disconnected):
            await waiting

    play(scene())


@pytest.mark.parametrize("error", [ChannelNotFound("gone"), Stopping("closed")], ids=repr)
def test_a_service_that_is_gone_ends_it(error: Exception) -> None:
    async def scene() -> None:
        replay, _, _, _ = replayed([1], error)
        assert (await replay.get()).seq == 1
        with pytest.raises(Disconnected, match="the past cannot be read on"):
            await replay.get()

    play(scene())


def test_a_past_that_is_not_kept_any_more_is_told() -> None:
    async def scene() -> None:
        replay, _, _, _ = replayed([1], CursorNotFound("not kept"), [5])
        assert (await replay.get()).seq == 1
        with pytest.raises(CursorNotFound, match="not kept"):
            await replay.get()

    play(scene())


def test_numbers_take_little_room() -> None:
    numbers = past_module._Numbers()
    for number in range(0, 100_000, 3):
        numbers.add(number)
    assert [n for n in range(-5, 1_050) if n in numbers] == list(range(0, 1_050, 3))
    assert len(numbers._bits) < 100
