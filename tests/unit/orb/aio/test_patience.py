"""Peers that take too long: how long they are waited for, and what they are told."""

from __future__ import annotations

import asyncio
import socket
import struct
from dataclasses import replace

import pytest

from tests.unit.orb import raw
from tests.unit.orb.aio.scenes import SHORT, STRING, scene, warnings
from tests.unit.orb.echo import Echo, EchoServant
from tests.unit.orb.raw import Peer, request
from tidings.orb.aio import Orb
from tidings.orb.limits import Limits


def test_a_message_that_does_not_end_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        async with scene(replace(SHORT, message_seconds=0.1)) as s:
            peer = await s.peer()
            peer.send(request("echo", STRING)[:-3])
            assert (await peer.receive())[0] == raw.ERROR
            assert await peer.ended()
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())
    assert len(warnings(caplog)) == 1


def test_a_message_that_trickles_in_is_not_waited_for() -> None:
    async def run() -> None:
        async with scene(replace(SHORT, message_seconds=0.2)) as s:
            peer = await s.peer()
            peer.send(request("big", struct.pack("<I", 1000) + bytes(20)))
            for _ in range(20):
                peer.send(b"G")
                await asyncio.sleep(0.05)
                if await _over(peer):
                    break
            else:
                raise AssertionError("still waiting")
            await peer.close()

    asyncio.run(run())


async def _over(peer: Peer) -> bool:
    try:
        async with asyncio.timeout(0.001):
            await peer.receive()
    except TimeoutError:
        return False
    except (asyncio.IncompleteReadError, ConnectionError):
        return True
    return True


def test_fragments_that_never_end_are_not_waited_for_whatever_else_comes() -> None:
    async def run() -> None:
        async with scene(replace(SHORT, message_seconds=0.2)) as s:
            peer = await s.peer()
            peer.send(request("big", bytes(8), more=True))
            for number in range(40):
                peer.send(request("note", struct.pack("<i", 1), id=4 + 2 * number, flags=0))
                await asyncio.sleep(0.02)
                if await _over(peer):
                    break
            else:
                raise AssertionError("still waiting")
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())


def test_who_connects_and_says_nothing_is_told_that_it_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> None:
        async with scene(replace(SHORT, message_seconds=0.1)) as s:
            peer = await s.peer()
            assert (await peer.receive())[0] == raw.CLOSE
            assert await peer.ended()
            await peer.close()
            await s.others_are_fine()

    asyncio.run(run())
    assert len(warnings(caplog)) == 1


def test_the_system_looks_whether_peers_are_still_there() -> None:
    async def run() -> None:
        async with Orb() as server, Orb() as client:
            await server.listen()
            await client.stub(Echo, server.activate(EchoServant(), b"echo")).echo("x")
            for orb in (server, client):
                (found,) = orb._links._all
                assert found._transport is not None
                opened = found._transport.get_extra_info("socket")
                assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)

    asyncio.run(run())


def test_who_does_not_read_is_not_served_on_and_then_cut(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> None:
        async with scene(replace(SHORT, write_seconds=0.2)) as s:
            peer = await s.peer()
            # More answers than any socket buffer takes.
            body = struct.pack("<I", 150_000) + bytes(150_000)
            for number in range(150):
                peer.send(request("big", body, id=2 * number))
            for _ in range(100):
                await s.others_are_fine()
                await asyncio.sleep(0.02)
                if warnings(caplog):
                    break
            await peer.close()

    asyncio.run(run())
    (line,) = warnings(caplog)
    assert "has read nothing for 0.2 s" in line


def test_output_has_an_end(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        options = replace(SHORT, max_output=1_000_000, limits=Limits())
        async with scene(options) as s:
            peer = await s.peer()
            asked = request("big", struct.pack("<I", 8_000_000) + bytes(8_000_000))
            peer.send(asked)
            for _ in range(200):
                await asyncio.sleep(0.02)
                if warnings(caplog):
                    break
            await s.others_are_fine()
            await peer.close()

    asyncio.run(run())
    (line,) = warnings(caplog)
    assert "it does not read" in line


def test_time_in_which_we_do_not_read_is_not_counted_against_the_peer() -> None:
    async def run() -> None:
        async with scene(replace(SHORT, message_seconds=0.2, max_requests=1)) as s:
            peer = await s.peer()
            asked = request("nap", struct.pack("<I", 400))
            last = request("echo", STRING, id=4)
            peer.send(asked + last[:-3])
            assert await peer.status() == (2, raw.NO_EXCEPTION)
            peer.send(last[-3:])
            assert await peer.status() == (4, raw.NO_EXCEPTION)
            await peer.close()

    asyncio.run(run())
