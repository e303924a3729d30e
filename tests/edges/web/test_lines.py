"""Lines of a socket: what the engine says becomes frames, in order, bounded, and for a time."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, cast

import pytest

from tests.edges.engine.hosts import new_channel, obtained, turns, until
from tests.edges.engine.recorded_answers import ORIGIN, RecordedAnswers, delivery, message
from tidings.api.frames import PolledFrame
from tidings.engine.endpoints import EventBatch
from tidings.engine.host import Host
from tidings.errors import Disconnected, InvalidEvent, TidingsError, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.web.lifetimes import Lifetimes
from tidings.web.sockets import EventsOut, Line, Socket, SocketWriter
from tidings.web.state import Encoded


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
        self.line = Line(cast(Socket, self), 5, 1, 7, ORIGIN)
        self.line.attach(self.answers)

    def forget(self, line: Line, *, ended: bool) -> None:
        assert line is self.line
        self.forgotten.append(ended)

    def frames(self) -> list[Any]:
        return self.kept.frames()


def _seqs(frame: Any) -> list[int]:
    assert (frame["op"], frame["line"], frame["origin"]) == ("events", 5, ORIGIN)
    return [one["seq"] for one in frame["events"]]


async def test_deliveries_of_one_turn_are_one_frame() -> None:
    owner = Owner()
    owner.line.ready()
    owner.line.deliver(delivery(1))
    owner.line.deliver(delivery(2, 3, again=[3]))
    (frame,) = owner.frames()
    assert _seqs(frame) == [1, 2, 3]
    assert frame["again"] == [3]
    owner.line.deliver(delivery(4))
    assert _seqs(owner.frames()[0]) == [4]


async def test_events_wait_while_the_peer_reads_slowly() -> None:
    large = [
        message(seq).__class__(StructuredEvent(name="x" * 100_000), ORIGIN, seq, 1, octets=1)
        for seq in range(1, 41)
    ]
    owner = Owner(most=1_000_000)
    owner.line.ready()
    owner.line.deliver(EventBatch(1, 7, large[:30], frozenset({2, 29})))
    owner.line.deliver(EventBatch(1, 7, large[30:]))
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


async def test_a_window_that_lets_too_much_in_is_a_stall() -> None:
    owner = Owner(most=4_000, most_held=3_000)
    owner.line.ready()
    for seq in range(1, 100):
        owner.line.deliver(delivery(seq))
    assert len(owner.kept.stalls) == 1
    assert "window" in owner.kept.stalls[0]


async def test_the_end_is_told_once_unless_the_client_asked_for_it() -> None:
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


async def test_polls_are_answered_by_their_number() -> None:
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


async def test_a_poll_fails_for_what_is_no_event_for_a_supplier_that_is_gone_and_for_a_cut() -> (
    None
):
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


class Peer:
    """The other side: reads only while it is told to."""

    def __init__(self) -> None:
        self.reads = asyncio.Event()
        self.reads.set()
        self.got: list[Any] = []
        self.fails: type[Exception] | None = None

    async def send(self, message: Any) -> None:
        await self.reads.wait()
        if self.fails is not None:
            raise self.fails
        self.got.append(message.get("text", message))


def _writer(peer: Peer, most: int = 1_000, patience: float = 5.0) -> tuple[SocketWriter, list[str]]:
    stalled: list[str] = []
    return SocketWriter(peer.send, most, patience, stalled.append), stalled


async def test_too_much_that_waits_is_a_stall_and_ends_it() -> None:
    peer = Peer()
    writer, stalled = _writer(peer, most=100)
    peer.reads.clear()
    running = asyncio.ensure_future(writer.run())
    writer.put("x" * 500)  # one alone may be long
    assert not stalled
    await turns()
    writer.put("y" * 50)
    assert not stalled
    writer.put("z")
    assert len(stalled) == 1
    assert "100" in stalled[0]
    writer.put("nothing more")
    peer.reads.set()
    await turns()
    assert peer.got == ["x" * 500]
    running.cancel()


async def test_nothing_read_for_a_while_is_a_stall() -> None:
    peer = Peer()
    writer, stalled = _writer(peer, patience=0.04)
    running = asyncio.ensure_future(writer.run())
    for _ in range(3):  # who reads slowly, but reads, is not cut off
        writer.put("a")
        await asyncio.sleep(0.03)
    assert not stalled
    peer.reads.clear()
    writer.put("b")
    await until(lambda: stalled)
    assert "0.04 s" in stalled[0]
    running.cancel()


async def test_who_waits_for_room_is_told_when_there_is_some_or_at_the_end() -> None:
    peer = Peer()
    writer, _ = _writer(peer, most=100)
    await writer.room()
    peer.reads.clear()
    running = asyncio.ensure_future(writer.run())
    writer.put("x" * 30)
    assert writer.full
    waits = asyncio.ensure_future(writer.room())
    await turns()
    assert not waits.done()
    peer.reads.set()
    await until(waits.done)
    peer.reads.clear()
    writer.put("x" * 30)
    told: list[int] = []
    writer.when_room(lambda: told.append(1))
    writer.drop()
    assert told == [1]
    running.cancel()


async def test_the_socket_is_closed_behind_what_waits() -> None:
    for idle in (True, False):
        peer = Peer()
        writer, _ = _writer(peer)
        running = asyncio.ensure_future(writer.run())
        if idle:
            await turns()
        writer.put("last words")
        writer.finish(1008, "bad")
        writer.put("too late")
        await until(running.done)
        close = {"type": "websocket.close", "code": 1008, "reason": "bad"}
        assert peer.got == ["last words", close]


def test_what_there_is_no_room_for_is_not_kept() -> None:
    texts = Encoded(most=3_000)
    messages = [message(seq) for seq in range(10)]
    for one in messages:
        assert json.loads(texts[one])["seq"] == one.seq
    assert 0 < len(texts) < 10
    assert list(texts) == messages[-len(texts) :]  # the oldest go
    small = Encoded(most=10)
    assert json.loads(small[message(1)])["seq"] == 1
    assert not small


async def _proxies(count: int) -> tuple[Host, list[int]]:
    host = await Host.open()
    channel = await new_channel(host)
    assert channel == 1
    return host, [await obtained(host, channel) for _ in range(count)]


def _there(host: Host) -> list[int]:
    return list(host.factory.channel(1).proxies)


async def test_what_is_in_use_does_not_end_before_the_last_one_lets_go() -> None:
    host, (first,) = await _proxies(1)
    lifetimes = Lifetimes(host, 0.005)
    lifetimes.begin(1, first)
    assert lifetimes.hold(1, first)
    assert lifetimes.hold(1, first)
    assert not lifetimes.hold(1, 99)
    lifetimes.begin(1, first)
    lifetimes.touch(1, first)
    lifetimes.release(1, first)
    lifetimes.release(1, 99)
    await asyncio.sleep(0.02)
    assert _there(host) == [first]
    assert len(lifetimes) == 1
    lifetimes.release(1, first)
    await until(lambda: not _there(host))
    await host.close()


async def test_what_is_forgotten_stays() -> None:
    host, (first, second) = await _proxies(2)
    lifetimes = Lifetimes(host, 0.005)
    for proxy in (first, second):
        lifetimes.begin(1, proxy)
    assert lifetimes.hold(1, second)
    for proxy in (first, second):
        lifetimes.forget(1, proxy)
    lifetimes.release(1, second)
    await asyncio.sleep(0.02)
    assert _there(host) == [first, second]
    await host.close()


async def test_one_that_has_ended_already_is_no_trouble_and_one_that_cannot_be_ended_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    host, (first,) = await _proxies(1)
    lifetimes = Lifetimes(host, 0.001)
    with caplog.at_level(logging.WARNING):
        lifetimes.begin(1, 99)
        await until(lambda: not len(lifetimes))
        await turns()
        assert not caplog.records
        lifetimes.begin(1, first)
        await host.drain(0)
        await until(lambda: not len(lifetimes))
        await turns()
        await host.close()
    assert "could not be ended" in caplog.text
