"""A server and its peers: how requests end, and what peers who break the rules are told."""

from __future__ import annotations

import asyncio
import logging
import struct
from dataclasses import replace

import pytest

from tests.edges.orb import raw
from tests.edges.orb.aio.scenes import SHORT, STRING, pair, scene, warnings
from tests.edges.orb.echo import INTERFACE, Echo, EchoServant
from tests.edges.orb.raw import Peer, message, request
from tidings.orb import exceptions as corba
from tidings.orb.aio import Bidirectional, Options, Orb
from tidings.orb.exceptions import Completion
from tidings.orb.ior import make_reference
from tidings.orb.limits import MessageLimits
from tidings.orb.poa import Found

NAP = request("nap", struct.pack("<I", 60_000))


async def test_a_servant_that_cancels_itself_is_told_as_such() -> None:
    class Cancelling(EchoServant):
        async def add(self, one: int, two: int) -> int:
            raise asyncio.CancelledError  # its own doing

    async with pair(servant=Cancelling()) as s:
        with pytest.raises(corba.TRANSIENT) as cancelled:
            await s.stub.add(1, 2)
        assert cancelled.value.completed is Completion.MAYBE


async def test_a_fault_while_an_object_is_looked_up_is_told_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def find(key: bytes) -> Found:
        raise ZeroDivisionError("a bug")

    async with Orb(find=find) as server, Orb() as client:
        await server.listen()
        stub = client.stub(Echo, server.reference(b"x", INTERFACE))
        with pytest.raises(corba.UNKNOWN) as told:
            await stub.echo("x")
        assert told.value.completed is Completion.NO
    (record,) = [r for r in caplog.records if r.levelno >= logging.ERROR]
    assert "operation 'echo' of object b'x'" in record.getMessage()


async def test_a_crowd_is_turned_away_while_the_peer_owes_us_an_answer() -> None:
    options = Options(max_requests=2, accept_bidirectional=Bidirectional.ALWAYS)
    async with pair(options) as s:
        peer = await s.peer()
        points = struct.pack("<B3xII", 1, 1, 3) + b"me\0" + struct.pack("<xH", 7)
        peer.send(request("echo", raw.string("x"), contexts=((5, points),)))
        assert await peer.status() == (2, raw.NO_EXCEPTION)
        back = s.server.stub(Echo, make_reference(INTERFACE.id, "me", 7, b"back"))
        asking = asyncio.create_task(back.echo("?"))
        kind, _, body = await peer.receive()
        asked = struct.unpack_from("<I", body)[0]
        assert (kind, asked % 2) == (raw.REQUEST, 1)
        for number in range(3):
            peer.send(request("nap", struct.pack("<I", 50), id=10 + 2 * number))
        assert await peer.exception() == ("TRANSIENT", corba.OMG | 1, 1)
        head = raw.padded(struct.pack("<III", asked, 0, 0), 8)
        peer.send(message(raw.REPLY, head + raw.string("!")))
        assert await asking == "!"
        assert {await peer.status(), await peer.status()} == {(10, 0), (12, 0)}


@pytest.mark.parametrize(("limit", "options"), [
    ("max_connections", replace(SHORT, max_connections=2)),
    ("max_connections_per_host", replace(SHORT, max_connections_per_host=2)),
])  # fmt: skip
async def test_a_busy_connection_does_not_give_way(
    limit: str, options: Options, caplog: pytest.LogCaptureFixture
) -> None:
    async with scene(options) as s:
        busy = await s.peer()
        busy.send(NAP + request("echo", STRING, id=4))
        assert await busy.status() == (4, raw.NO_EXCEPTION)
        silent = await s.peer()
        again = await s.peer()  # the silent one gives way
        assert (await silent.receive())[0] == raw.CLOSE
        again.send(NAP + request("echo", STRING, id=4))
        assert await again.status() == (4, raw.NO_EXCEPTION)
        for _ in range(3):
            refused = await s.peer()
            assert (await refused.receive())[0] == raw.CLOSE
            assert await refused.ended()
    (line,) = (text for text in warnings(caplog) if "refused" in text)
    assert limit in line


async def test_a_request_id_in_use_ends_the_connection() -> None:
    async with scene() as s:
        peer = await s.peer()
        peer.send(NAP + NAP)
        assert (await peer.receive())[0] == raw.ERROR
        assert await peer.ended()


async def test_a_oneway_may_ask_to_be_told_of_its_arrival() -> None:
    async with scene() as s:
        peer = await s.peer()
        number = struct.pack("<i", 5)
        peer.send(request("note", number, flags=0) + request("note", number, id=4, flags=1))
        assert await peer.status() == (4, raw.NO_EXCEPTION)
        peer.send(request("note", number, id=6, flags=3))
        assert await peer.status() == (6, raw.NO_EXCEPTION)
        assert s.servant.seen == [5, 5, 5]
        peer.send(request("echo", STRING, id=8, flags=0) + request("echo", STRING, id=10))
        assert await peer.status() == (10, raw.NO_EXCEPTION)


async def _over(peer: Peer) -> bool:
    try:
        async with asyncio.timeout(0.001):
            await peer.receive()
    except TimeoutError:
        return False
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    return True


async def test_fragments_that_never_end_are_not_waited_for_whatever_else_comes() -> None:
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


async def test_who_connects_and_says_nothing_is_told_that_it_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with scene(replace(SHORT, message_seconds=0.1)) as s:
        peer = await s.peer()
        assert (await peer.receive())[0] == raw.CLOSE
        assert await peer.ended()
    assert len(warnings(caplog)) == 1


async def test_output_has_an_end(caplog: pytest.LogCaptureFixture) -> None:
    options = replace(SHORT, max_output=1_000_000, limits=MessageLimits())
    async with scene(options) as s:
        peer = await s.peer()
        peer.send(request("big", struct.pack("<I", 8_000_000) + bytes(8_000_000)))
        for _ in range(200):
            await asyncio.sleep(0.02)
            if warnings(caplog):
                break
        await s.others_are_fine()
    (line,) = warnings(caplog)
    assert "it does not read" in line


async def test_time_in_which_we_do_not_read_is_not_counted_against_the_peer() -> None:
    async with scene(replace(SHORT, message_seconds=0.2, max_requests=1)) as s:
        peer = await s.peer()
        last = request("echo", STRING, id=4)
        peer.send(request("nap", struct.pack("<I", 400)) + last[:-3])
        assert await peer.status() == (2, raw.NO_EXCEPTION)
        peer.send(last[-3:])
        assert await peer.status() == (4, raw.NO_EXCEPTION)
