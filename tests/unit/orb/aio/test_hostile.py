"""Peers that break the rules: the right answer for them, and nobody else notices."""

from __future__ import annotations

import asyncio
import struct
from dataclasses import replace

import pytest

from tests.unit.orb import raw
from tests.unit.orb.aio.scenes import SHORT, STRING, scene, warnings
from tests.unit.orb.raw import message, request
from tidings.orb.aio import Options, link
from tidings.orb.cdr_reader import Reader
from tidings.orb.exceptions import IMP_LIMIT
from tidings.orb.limits import Limits

OMG = 0x4F4D0000


BAD_FRAMES = {
    "garbage": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "another major version": b"GIOP\x02\x00\x01\x00" + bytes(4),
    "a newer minor version": b"GIOP\x01\x09\x01\x00" + bytes(4),
    "an unknown kind": message(8),
    "a fragment of nothing": message(raw.FRAGMENT, struct.pack("<I", 77) + b"x"),
    "a fragment in GIOP 1.0": message(raw.FRAGMENT, b"", minor=0),
    "too large": b"GIOP\x01\x02\x01\x00" + struct.pack("<I", 0xFFFFFFF0),
    "a request without a header": message(raw.REQUEST, b"\1\2\3"),
    "a reply nobody asked for": message(raw.REPLY, struct.pack("<III", 2, 0, 0)),
    "a key beyond the end": message(raw.REQUEST, struct.pack("<IB3xHxxI", 2, 3, 0, 2**31)),
}


@pytest.mark.parametrize("what", BAD_FRAMES)
def test_what_is_no_message_gets_a_message_error_and_the_end(
    what: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            peer.send(BAD_FRAMES[what])
            kind, minor, body = await peer.receive()
            assert (kind, minor, body) == (raw.ERROR, 2, b"")
            assert await peer.ended()
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())
    assert len(warnings(caplog)) == 1
    assert "127.0.0.1" in warnings(caplog)[0]


def test_a_message_that_is_cut_off_ends_with_its_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            peer.send(request("echo", STRING)[:-3])
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())
    assert warnings(caplog) == []


def test_bad_arguments_are_refused_and_the_connection_goes_on() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            peer.send(request("echo", struct.pack("<I", 900) + b"hi\0"))
            assert await peer.exception() == ("MARSHAL", 0, 1)
            peer.send(request("echo", b"", id=4))
            assert await peer.exception() == ("MARSHAL", 0, 1)
            peer.send(request("echo", STRING, key=b"nobody", id=6))
            assert await peer.exception() == ("OBJECT_NOT_EXIST", OMG | 1, 1)
            peer.send(request("nothing", id=8))
            assert await peer.exception() == ("BAD_OPERATION", OMG | 2, 1)
            peer.send(request("wide", struct.pack("<I", 2) + b"\0x", id=10))
            assert await peer.exception() == ("BAD_PARAM", OMG | 23, 1)
            peer.send(request("echo", STRING, id=12))
            assert await peer.status() == (12, raw.NO_EXCEPTION)
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())


def test_code_sets_nobody_speaks_are_refused_and_the_connection_goes_on() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            wanted = struct.pack("<B3xII", 1, 0x12345678, 0x00010109)
            peer.send(request("echo", STRING, contexts=((1, wanted),)))
            assert await peer.exception() == ("CODESET_INCOMPATIBLE", OMG | 2, 1)
            peer.send(request("echo", STRING, contexts=((1, b"\1"),), id=4))
            assert (await peer.exception())[0] == "MARSHAL"
            peer.send(request("echo", STRING, id=6))
            assert await peer.status() == (6, raw.NO_EXCEPTION)
            await peer.close()

    asyncio.run(run())


@pytest.mark.parametrize("minor", [0, 1])
def test_old_versions_are_answered_in_their_version(minor: int) -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            peer.send(raw.old_request("_get_name", minor=minor))
            kind, answered, body = await peer.receive()
            assert (kind, answered) == (raw.REPLY, minor)
            assert body == struct.pack("<III", 0, 2, 0) + raw.string("echo")
            await peer.close()

    asyncio.run(run())


def test_more_unfinished_messages_than_allowed_end_the_connection() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            for id in range(2, 20, 2):
                peer.send(request("big", bytes(8), id=id, more=True))
            assert (await peer.receive())[0] == raw.ERROR
            assert await peer.ended()
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())


def test_fragments_that_grow_too_large_end_the_connection() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            peer.send(request("big", bytes(8), more=True))
            piece = struct.pack("<I", 2) + bytes(60_000)
            for _ in range(4):
                peer.send(message(raw.FRAGMENT, piece, flags=3))
            assert (await peer.receive())[0] == raw.ERROR
            assert await peer.ended()
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())


@pytest.mark.parametrize(("limit", "options"), [
    ("max_connections", replace(SHORT, max_connections=2)),
    ("max_connections_per_host", replace(SHORT, max_connections_per_host=2)),
])  # fmt: skip
def test_a_busy_connection_does_not_give_way(
    limit: str, options: Options, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with scene(options) as s:
            busy = await s.peer()
            busy.send(request("nap", struct.pack("<I", 60_000)))
            busy.send(request("echo", STRING, id=4))
            assert await busy.status() == (4, raw.NO_EXCEPTION)
            silent = await s.peer()
            again = await s.peer()  # the silent one gives way
            assert (await silent.receive())[0] == raw.CLOSE
            again.send(request("nap", struct.pack("<I", 60_000)))
            again.send(request("echo", STRING, id=4))
            assert await again.status() == (4, raw.NO_EXCEPTION)
            for _ in range(3):
                refused = await s.peer()
                assert (await refused.receive())[0] == raw.CLOSE
                assert await refused.ended()
                await refused.close()
            for peer in (busy, silent, again):
                await peer.close()

    asyncio.run(run())
    (line,) = (text for text in warnings(caplog) if "refused" in text)
    assert limit in line


def test_a_peer_that_has_called_nothing_gives_way_first() -> None:
    async def run() -> None:
        async with scene(replace(SHORT, max_unauthenticated=2)) as s:
            known = await s.peer()
            known.send(request("echo", STRING))
            assert await known.status() == (2, raw.NO_EXCEPTION)
            stranger = await s.peer()
            stranger.send(request("echo", STRING, key=b"no such object"))
            assert (await stranger.status())[1] != raw.NO_EXCEPTION
            second = await s.peer()
            third = await s.peer()
            assert (await stranger.receive())[0] == raw.CLOSE  # the oldest of those
            known.send(request("echo", STRING))
            assert await known.status() == (2, raw.NO_EXCEPTION)
            await s.others_are_fine()
            for peer in (known, stranger, second, third):
                await peer.close()

    asyncio.run(run())


def test_a_cancelled_request_is_not_answered() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            peer.send(request("nap", struct.pack("<I", 60_000)))
            peer.send(request("echo", STRING, id=4))
            assert await peer.status() == (4, raw.NO_EXCEPTION)
            peer.send(message(raw.CANCEL, struct.pack("<I", 2)))
            peer.send(message(raw.CANCEL, struct.pack("<I", 99)))
            peer.send(request("echo", STRING, id=6))
            assert await peer.status() == (6, raw.NO_EXCEPTION)
            await asyncio.sleep(0.01)
            assert s.servant.cancelled == 1
            await peer.close()

    asyncio.run(run())


def test_a_request_id_in_use_ends_the_connection() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            peer.send(request("nap", struct.pack("<I", 60_000)))
            peer.send(request("nap", struct.pack("<I", 60_000)))
            assert (await peer.receive())[0] == raw.ERROR
            assert await peer.ended()
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())


def test_where_an_object_is_can_be_asked() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            for id, key, status in ((2, b"echo", 1), (4, b"nobody", 0)):
                asked = struct.pack("<IHxxI", id, 0, len(key)) + key
                peer.send(message(raw.LOCATE_REQUEST, asked))
                kind, minor, body = await peer.receive()
                assert (kind, minor) == (raw.LOCATE_REPLY, 2)
                assert body == struct.pack("<II", id, status)
            await peer.close()

    asyncio.run(run())


def test_a_oneway_may_ask_to_be_told_of_its_arrival() -> None:
    async def run() -> None:
        async with scene() as s:
            peer = await s.peer()
            number = struct.pack("<i", 5)
            peer.send(request("note", number, flags=0))
            peer.send(request("note", number, id=4, flags=1))
            assert await peer.status() == (4, raw.NO_EXCEPTION)
            peer.send(request("note", number, id=6, flags=3))
            assert await peer.status() == (6, raw.NO_EXCEPTION)
            assert s.servant.seen == [5, 5, 5]
            peer.send(request("echo", STRING, id=8, flags=0))
            peer.send(request("echo", STRING, id=10))
            assert await peer.status() == (10, raw.NO_EXCEPTION)
            await peer.close()

    asyncio.run(run())


def test_many_messages_that_come_at_once_are_dealt_with_in_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "_TURN_SECONDS", 0.0)

    async def run() -> None:
        async with scene() as s:
            loop, turns = asyncio.get_running_loop(), 0

            def turn() -> None:
                nonlocal turns
                turns += 1
                loop.call_soon(turn)

            peer = await s.peer()
            begun = message(raw.REQUEST, struct.pack("<I", 900) + bytes(8), flags=3)
            piece = message(raw.FRAGMENT, struct.pack("<I", 900) + b"x", flags=3)
            calls = [request("echo", STRING, id=id) for id in range(2, 402, 2)]
            peer.send(begun + piece * 3_000 + b"".join(calls))
            turn()
            for id in range(2, 402, 2):
                kind, _, body = await peer.receive()
                assert (kind, body[:4]) == (raw.REPLY, struct.pack("<I", id))
            assert turns > 3_000 / (2 * link._STEPS)
            await s.others_are_fine()
            await peer.close()

    asyncio.run(run())


def test_a_sequence_of_very_many_elements_is_refused_before_one_is_read() -> None:
    reader = Reader(
        struct.pack("<I", 1_001) + bytes(16_016), little=True, limits=Limits(elements=1_000)
    )
    with pytest.raises(IMP_LIMIT, match="more than the 1000 elements"):
        reader.length(8)
    assert reader.at == 4
