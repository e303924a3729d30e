"""Requests in progress: the order they start in, and how they end."""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import Callable

import pytest

from tests.unit.orb import raw
from tests.unit.orb.echo import INTERFACE, Echo, EchoServant
from tests.unit.orb.raw import Peer, message, request
from tidings.orb import exceptions as corba
from tidings.orb.aio import Bidirectional, Options, Orb, link
from tidings.orb.exceptions import Completion
from tidings.orb.ior import make_reference
from tidings.orb.poa import Found


class Slow(EchoServant):
    """Notes when something starts and when it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.story: list[str] = []
        self.go_on = asyncio.Event()

    def echo(self, text: str) -> str:
        self.story.append(f"echo {text}")
        return text

    async def note(self, number: int) -> None:
        self.story.append(f"note {number}")
        await self.go_on.wait()
        self.story.append(f"noted {number}")

    async def add(self, one: int, two: int) -> int:
        self.story.append(f"add {one}")
        await self.go_on.wait()
        raise asyncio.CancelledError  # its own doing


def text(word: str) -> bytes:
    return raw.string(word)


def test_plain_methods_do_not_overtake_coroutines_that_came_before() -> None:
    async def run() -> None:
        async with Orb() as orb:
            address = await orb.listen()
            servant = Slow()
            orb.activate(servant, b"echo")
            peer = await Peer.connect(*address)
            one = request("note", struct.pack("<i", 1), flags=0)
            two = request("echo", text("a"), id=4)
            three = request("note", struct.pack("<i", 2), id=6, flags=0)
            four = request("echo", text("b"), id=8)
            peer.send(one + two + three + four)
            assert await peer.status() == (4, raw.NO_EXCEPTION)
            assert await peer.status() == (8, raw.NO_EXCEPTION)
            assert servant.story == ["note 1", "echo a", "note 2", "echo b"]
            servant.go_on.set()
            await peer.close()

    asyncio.run(run())


def test_a_oneway_goes_on_when_its_connection_is_gone_and_a_call_does_not() -> None:
    async def run() -> None:
        async with Orb() as orb:
            address = await orb.listen()
            servant = Slow()
            orb.activate(servant, b"echo")
            peer = await Peer.connect(*address)
            peer.send(request("note", struct.pack("<i", 1), flags=0))
            peer.send(request("nap", struct.pack("<I", 60_000), id=4))
            await _until(lambda: servant.naps == 1)
            await peer.close()
            await _until(lambda: servant.cancelled == 1)
            servant.go_on.set()
            await _until(lambda: "noted 1" in servant.story)

    asyncio.run(run())


def test_a_call_that_is_cancelled_before_it_starts_never_does() -> None:
    async def run() -> None:
        async with Orb() as orb:
            address = await orb.listen()
            servant = EchoServant()
            orb.activate(servant, b"echo")
            peer = await Peer.connect(*address)
            asked = request("nap", struct.pack("<I", 60_000))
            cancelled = message(raw.CANCEL, struct.pack("<I", 2))
            peer.send(asked + cancelled + request("echo", text("x"), id=4))
            assert await peer.status() == (4, raw.NO_EXCEPTION)
            assert (servant.naps, servant.cancelled) == (0, 0)
            await peer.close()

    asyncio.run(run())


def test_a_servant_that_cancels_itself_is_told_as_such() -> None:
    async def run() -> None:
        async with Orb() as server, Orb() as client:
            await server.listen()
            servant = Slow()
            servant.go_on.set()
            stub = client.stub(Echo, server.activate(servant, b"echo"))
            with pytest.raises(corba.TRANSIENT) as cancelled:
                await stub.add(1, 2)
            assert cancelled.value.completed is Completion.MAYBE

    asyncio.run(run())


def test_a_fault_while_an_object_is_looked_up_is_told_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def find(key: bytes) -> Found:
        raise ZeroDivisionError("a bug")

    async def run() -> None:
        async with Orb(find=find) as server, Orb() as client:
            await server.listen()
            stub = client.stub(Echo, server.reference(b"x", INTERFACE))
            with pytest.raises(corba.UNKNOWN) as told:
                await stub.echo("x")
            assert told.value.completed is Completion.NO

    asyncio.run(run())
    (record,) = [r for r in caplog.records if r.levelno >= logging.ERROR]
    assert "operation 'echo' of object b'x'" in record.getMessage()


def test_nothing_more_is_read_while_too_much_is_in_progress() -> None:
    async def run() -> None:
        async with Orb(Options(max_requests=3)) as orb:
            address = await orb.listen()
            servant = Slow()
            orb.activate(servant, b"echo")
            peer = await Peer.connect(*address)
            for number in range(10):
                peer.send(request("note", struct.pack("<i", number), flags=0))
                await asyncio.sleep(0.01)
            assert len(servant.story) < 10
            servant.go_on.set()
            await _until(lambda: "noted 9" in servant.story)
            await peer.close()

    asyncio.run(run())


def test_what_comes_while_the_orb_closes_is_turned_away() -> None:
    async def run() -> None:
        orb = Orb(Options(close_seconds=5))
        address = await orb.listen()
        servant = EchoServant()
        orb.activate(servant, b"echo")
        peer = await Peer.connect(*address)
        peer.send(request("nap", struct.pack("<I", 100)))
        await _until(lambda: servant.naps == 1)
        closing = asyncio.create_task(orb.close())
        await asyncio.sleep(0.01)
        peer.send(request("echo", text("x"), id=4))
        assert await peer.exception() == ("TRANSIENT", corba.OMG | 1, 1)
        assert await peer.status() == (2, raw.NO_EXCEPTION)
        assert (await peer.receive())[0] == raw.CLOSE
        assert await peer.ended()
        await closing
        await peer.close()

    asyncio.run(run())


def test_a_crowd_is_turned_away_while_the_peer_owes_us_an_answer() -> None:
    async def run() -> None:
        options = Options(max_requests=2, accept_bidirectional=Bidirectional.ALWAYS)
        async with Orb(options) as orb:
            address = await orb.listen()
            servant = Slow()
            orb.activate(servant, b"echo")
            peer = await Peer.connect(*address)
            points = struct.pack("<B3xII", 1, 1, 3) + b"me\0" + struct.pack("<xH", 7)
            peer.send(request("echo", text("x"), contexts=((5, points),)))
            assert await peer.status() == (2, raw.NO_EXCEPTION)
            back = orb.stub(Echo, make_reference(INTERFACE.id, "me", 7, b"back"))
            asking = asyncio.create_task(back.echo("?"))
            kind, _, body = await peer.receive()
            asked = struct.unpack_from("<I", body)[0]
            assert (kind, asked % 2) == (raw.REQUEST, 1)
            for number in range(3):
                peer.send(request("nap", struct.pack("<I", 50), id=10 + 2 * number))
            assert await peer.exception() == ("TRANSIENT", corba.OMG | 1, 1)
            head = raw.padded(struct.pack("<III", asked, 0, 0), 8)
            peer.send(message(raw.REPLY, head + text("!")))
            assert await asking == "!"
            assert {await peer.status(), await peer.status()} == {(10, 0), (12, 0)}
            await peer.close()

    asyncio.run(run())


def test_a_crowd_that_stays_is_no_reason_to_miss_what_the_peer_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "CROWDED_SECONDS", 0.1)

    async def run() -> None:
        async with Orb(Options(max_requests=2, message_seconds=0.1)) as orb:
            address = await orb.listen()
            servant = EchoServant()
            orb.activate(servant, b"echo")
            peer = await Peer.connect(*address)
            for id in (10, 12):
                peer.send(request("nap", struct.pack("<I", 60_000), id=id))
                await _until(lambda: servant.naps > 0)
            await _until(lambda: servant.naps == 2)
            peer.send(request("echo", text("x"), id=14))
            assert await peer.exception() == ("TRANSIENT", corba.OMG | 1, 1)
            peer.send(message(raw.CANCEL, struct.pack("<I", 10)))
            await _until(lambda: servant.cancelled == 1)
            peer.send(request("echo", text("x"), id=16))
            assert await peer.status() == (16, raw.NO_EXCEPTION)
            peer.send(request("nap", struct.pack("<I", 60_000), id=18))
            await _until(lambda: servant.naps == 3)
            await peer.close()
            await _until(lambda: servant.cancelled == 3)

    asyncio.run(run())


async def _until(look: Callable[[], bool]) -> None:
    for _ in range(2000):
        if look():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")
