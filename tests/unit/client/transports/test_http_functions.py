from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.client.transports.line_scenes import Sent, events
from tidings import event
from tidings.channel.management import Connect
from tidings.client.transport import Message
from tidings.client.transports.http_functions import HandlerLine, SupplierLine
from tidings.errors import Disconnected, InvalidUsage


async def turns(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def handling(handler: Any) -> tuple[HandlerLine, Sent, list[bool]]:
    sent, left = Sent(), []
    line = HandlerLine(Connect(1, 5, window=8), 1, sent, handler, lambda: left.append(True))
    return line, sent, left


def acked(sent: Sent) -> list[int]:
    return [seq for frame in sent.of("ack") for seq in frame["seqs"]]


def test_a_function_is_called_with_each_event_in_order() -> None:
    async def scene() -> None:
        calls: list[int] = []
        line, sent, _ = handling(lambda message: calls.append(message.seq))
        line.deliver(events(1, 2))
        assert calls == []
        await turns()
        assert (calls, acked(sent)) == ([1, 2], [1, 2])

    asyncio.run(scene())


def test_a_batch_is_one_call() -> None:
    async def scene() -> None:
        calls: list[list[int]] = []
        line, sent, _ = handling(lambda handed: calls.append([m.seq for m in handed]))
        line.deliver(events(1, 2, batch=True))
        await turns()
        assert (calls, acked(sent)) == ([[1, 2]], [1, 2])

    asyncio.run(scene())


def test_what_raises_comes_again_with_all_behind_it() -> None:
    async def scene() -> None:
        calls: list[int] = []

        async def handler(message: Message) -> None:
            calls.append(message.seq)
            if calls == [1, 2]:
                raise ValueError("a bad day")

        line, sent, _ = handling(handler)
        line.deliver(events(1, 2, 3))
        await turns()
        assert (calls, acked(sent)) == ([1, 2], [1])
        [failed] = sent.of("fail")
        assert (failed["seqs"], failed["reason"]) == ([2, 3], "ValueError: a bad day")
        line.deliver(events(2, 3, again=[2, 3]))
        await turns()
        assert calls == [1, 2, 2, 3]

    asyncio.run(scene())


def test_disconnected_ends_the_connection() -> None:
    async def scene() -> None:
        def handler(message: Message) -> None:
            raise Disconnected("enough")

        line, sent, left = handling(handler)
        line.deliver(events(1, 2))
        await turns()
        assert (left, sent.frames) == ([True], [])

    asyncio.run(scene())


def test_a_call_that_runs_during_a_cut_is_answered_behind_it() -> None:
    async def scene() -> None:
        may_return = asyncio.Event()
        calls: list[int] = []

        async def handler(message: Message) -> None:
            calls.append(message.seq)
            await may_return.wait()

        line, sent, _ = handling(handler)
        line.deliver(events(1, 2))
        await turns()
        line.cut()
        line.deliver(events(1, 2, again=[1, 2]))
        may_return.set()
        await turns()
        assert (calls, acked(sent)) == ([1, 2], [1, 2])

    asyncio.run(scene())


def test_what_a_handler_waited_for_may_be_cancelled() -> None:
    async def scene() -> None:
        async def handler(message: Message) -> None:
            raise asyncio.CancelledError

        line, sent, _ = handling(handler)
        line.deliver(events(1))
        await turns()
        assert [frame["seqs"] for frame in sent.of("fail")] == [[1]]

    asyncio.run(scene())


def test_after_the_end_nothing_is_called_or_answered() -> None:
    async def scene() -> None:
        calls: list[int] = []
        line, sent, _ = handling(lambda message: calls.append(message.seq))
        line.deliver(events(1))
        line.end(Disconnected("over"))
        line.deliver(events(2))
        await turns()
        assert (calls, sent.frames) == ([], [])

    asyncio.run(scene())


def supplying(source: Any) -> tuple[SupplierLine, Sent]:
    sent = Sent()
    line = SupplierLine(Connect(1, 5), 1, sent, None, source)
    line.live = True
    return line, sent


def test_a_source_is_asked_and_what_is_too_much_is_kept() -> None:
    async def scene() -> None:
        stock = [[event("A", "a"), event("A", "b"), event("A", "c")], event("A", "d"), None]

        async def source(most: int) -> object:
            return stock.pop(0)

        line, sent = supplying(source)
        for poll in range(1, 5):
            line.poll(poll, 2)
            await turns()
        assert [frame["poll"] for frame in sent.frames] == [1, 2, 3, 4]
        assert [[one["type"] for one in frame.get("events", ())] for frame in sent.frames] == [
            ["a", "b"],
            ["c"],
            ["d"],
            [],
        ]

    asyncio.run(scene())


@pytest.mark.parametrize(("error", "gone"), [(ValueError("no"), False), (Disconnected("x"), True)])
def test_errors_of_a_source_are_told(error: Exception, gone: bool) -> None:
    async def scene() -> None:
        def source(most: int) -> None:
            raise error

        line, sent = supplying(source)
        line.poll(1, 1)
        await turns()
        [frame] = sent.frames
        assert (frame.get("gone", False), frame["reason"]) == (
            gone,
            f"{type(error).__name__}: {error}",
        )

    asyncio.run(scene())


def test_what_the_service_may_not_have_got_is_handed_over_again() -> None:
    async def scene() -> None:
        stock = [event("A", "a"), event("A", "b")]
        line, sent = supplying(lambda most: stock.pop(0) if stock else None)
        line.poll(1, 1)
        await turns()
        line.cut()
        line.live = True
        for poll in (1, 2, 3):
            line.poll(poll, 1)
            await turns()
        told = [[one["type"] for one in frame.get("events", ())] for frame in sent.frames]
        assert told == [["a"], ["a"], ["b"], []]

    asyncio.run(scene())


def test_functions_are_asked_for() -> None:
    with pytest.raises(InvalidUsage):
        handling(5)
    with pytest.raises(InvalidUsage):
        supplying("source")
