from __future__ import annotations

import asyncio

import pytest

from tests.unit.client.transports.line_scenes import Sent, events
from tidings import event_type
from tidings.channel.management import Connect
from tidings.client.transports import http_lines
from tidings.client.transports.http_lines import Line, StreamLine, told_reason
from tidings.errors import Disconnected, InvalidUsage


def stream(*, again: bool = False) -> tuple[StreamLine, Sent]:
    sent = Sent()
    return StreamLine(Connect(1, 5, window=8, again=again), 1, sent), sent


def taken(line: StreamLine) -> list[int]:
    found = []
    while (message := line.get_nowait()) is not None:
        found.append(message.seq)
    return found


def test_acknowledgements_of_one_turn_go_in_one_frame() -> None:
    async def scene() -> None:
        line, sent = stream()
        line.deliver(events(1, 2, 3))
        first, second, third = await line.batch(9)
        line.ack(first)
        line.ack_many([second, third])
        assert sent.frames == []
        await asyncio.sleep(0)
        assert sent.frames == [{"op": "ack", "line": 1, "seqs": [1, 2, 3]}]
        line.ack_many([])
        await asyncio.sleep(0)
        assert len(sent.frames) == 1

    asyncio.run(scene())


def test_who_waits_gets_the_next_event_and_a_cancelled_one_loses_none() -> None:
    async def scene() -> None:
        line, _ = stream()
        waiting = [asyncio.create_task(line.get()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        line.deliver(events(1))
        assert (await waiting[1]).seq == 1
        assert line.get_nowait() is None

    asyncio.run(scene())


def test_what_overtakes_events_that_were_given_back_goes_back_behind_them() -> None:
    async def scene() -> None:
        line, sent = stream()
        line.deliver(events(1, 2))
        first = await line.get()
        line.fail(first, "not now")
        line.deliver(events(3))  # was on its way already
        assert len(line) == 0
        assert [frame["seqs"] for frame in sent.of("fail")] == [[1, 2], [3]]
        line.deliver(events(1, 2, 3, again=[1, 2, 3]))
        assert taken(line) == [1, 2, 3]
        assert line.redelivered(1)

    asyncio.run(scene())


def test_what_never_comes_again_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_lines, "_INSISTING", 0.0)

    async def scene() -> None:
        line, _ = stream()
        line.deliver(events(1))
        line.fail(await line.get(), "not now")
        await asyncio.sleep(0.001)
        line.deliver(events(2))
        assert taken(line) == [2]

    asyncio.run(scene())


def test_after_a_cut_nothing_is_sent_until_the_line_is_back() -> None:
    async def scene() -> None:
        line, sent = stream()
        line.deliver(events(1, 2, 3))
        first, second = await line.batch(2)
        line.ack(first)
        line.cut()
        assert len(line) == 0
        await asyncio.sleep(0)
        assert sent.frames == []
        line.deliver(events(1, 2, 3, again=[1, 2, 3]))
        assert sent.frames == [{"op": "ack", "line": 1, "seqs": [1]}]
        assert taken(line) == [3]
        assert not line.redelivered(3)
        line.reject(second, "no")
        assert sent.of("reject") == [{"op": "reject", "line": 1, "seqs": [2], "reason": "no"}]

    asyncio.run(scene())


def test_marks_of_the_service_are_kept_for_what_others_had() -> None:
    async def scene() -> None:
        line, _ = stream(again=True)
        line.deliver(events(1, 2, again=[1]))
        assert (line.redelivered(1), line.redelivered(2)) == (True, False)
        line.cut()
        line.deliver(events(1, 2, again=[1, 2]))
        assert (line.redelivered(1), line.redelivered(2)) == (True, False)

    asyncio.run(scene())


def test_the_end_tells_who_waits_and_lets_acknowledgements_out() -> None:
    async def scene() -> None:
        line, sent = stream()
        line.deliver(events(1))
        line.ack(await line.get())
        waiting = asyncio.create_task(line.get())
        await asyncio.sleep(0)
        line.deliver(events(2))
        await waiting
        line.ack_many([await waiting])
        line.end(Disconnected("over"))
        line.end(Disconnected("again"))
        for taking in (line.get(), line.batch(3)):
            with pytest.raises(Disconnected, match="over"):
                await taking
        with pytest.raises(Disconnected):
            line.get_nowait()
        assert [frame["seqs"] for frame in sent.of("ack")] == [[1], [2]]
        line.deliver(events(3))
        assert len(line) == 0

    asyncio.run(scene())


def test_changes_of_types_are_told_in_a_later_turn() -> None:
    async def scene() -> None:
        told: list[tuple[object, object]] = []
        line = Line(Connect(1, 5), 1, Sent(), lambda *what: told.append(what))
        assert line.notices
        assert not Line(Connect(1, 5), 1, Sent()).notices
        line.types([event_type("A::a")], [])
        assert told == []
        await asyncio.sleep(0)
        assert told == [([event_type("A::a")], [])]

    asyncio.run(scene())


def test_changes_are_told_to_functions() -> None:
    with pytest.raises(InvalidUsage, match="told to a function, not to 5"):
        Line(Connect(1, 5), 1, Sent(), 5)  # type: ignore[arg-type]


def test_reasons_can_be_sent_whatever_they_are() -> None:
    assert told_reason("no \udcff") == "no \\udcff"
    assert told_reason(5) == "5"
    assert len(told_reason("x" * 5_000)) == 1_000
