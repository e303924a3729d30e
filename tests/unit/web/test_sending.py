"""The way out of a socket: in order, joined, bounded."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.unit.engine.hosts import run, turns, until
from tidings.web.sending import EventsOut, SocketWriter

ORIGIN = "0" * 32


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


def test_frames_go_in_order_and_events_are_joined_until_they_go() -> None:
    async def work() -> None:
        peer = Peer()
        writer, _ = _writer(peer)
        running = asyncio.ensure_future(writer.run())
        writer.put("a")
        events = EventsOut(3, ORIGIN, ['{"seq":1}'], [1], 9)
        writer.put(events)
        events.add(['{"seq":2}'], [], 9)
        writer.grew(9)
        writer.put("b")
        await until(lambda: len(peer.got) == 3)
        assert (peer.got[0], peer.got[2]) == ("a", "b")
        frame = json.loads(peer.got[1])
        assert (frame["line"], frame["events"]) == (3, [{"seq": 1}, {"seq": 2}])
        assert frame["again"] == [1]
        assert not events.open
        assert not writer.full
        await turns()
        writer.put("c")
        await until(lambda: peer.got[-1] == "c")
        running.cancel()

    run(work())


def test_too_much_that_waits_is_a_stall_and_ends_it() -> None:
    async def work() -> None:
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

    run(work())


def test_nothing_read_for_a_while_is_a_stall() -> None:
    async def work() -> None:
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

    run(work())


def test_who_waits_for_room_is_told_when_there_is_some_or_at_the_end() -> None:
    async def work() -> None:
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

    run(work())


def test_the_socket_is_closed_behind_what_waits() -> None:
    async def work() -> None:
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

    run(work())


def test_a_peer_that_is_gone_ends_it_quietly() -> None:
    async def work() -> None:
        peer = Peer()
        peer.fails = OSError
        writer, stalled = _writer(peer)
        running = asyncio.ensure_future(writer.run())
        writer.put("a")
        await until(running.done)
        running.result()
        writer.put("b")
        assert not stalled

    run(work())
