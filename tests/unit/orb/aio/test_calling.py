"""Servers of every kind: what a caller is told, and when a call is made again."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.unit.orb import raw
from tests.unit.orb.echo import ECHO, INTERFACE, Echo
from tests.unit.orb.raw import Peer, message
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Address, Options, Orb, link
from tidings.orb.exceptions import OMG, Completion
from tidings.orb.ior import make_reference

Behaviour = Callable[[Peer, int], Awaitable[None]]


@dataclass
class Odd:
    """A server that does what a function says, with the number of the connection."""

    address: Address
    stub: Echo
    connections: list[Peer] = field(default_factory=list)


@asynccontextmanager
async def odd_server(behave: Behaviour, options: Options | None = None) -> AsyncIterator[Odd]:
    connections: list[Peer] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        connections.append(peer)
        try:
            await behave(peer, len(connections))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            await peer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        address = Address(*server.sockets[0].getsockname()[:2])
        async with Orb(options) as orb:
            reference = make_reference(INTERFACE.id, *address, b"echo")
            yield Odd(address, orb.stub(Echo, reference), connections)
    finally:
        server.close()


def played(
    behave: Behaviour, scene: Callable[[Odd], Awaitable[None]], options: Options | None = None
) -> None:
    async def run() -> None:
        async with asyncio.timeout(20), odd_server(behave, options) as odd:
            await scene(odd)

    asyncio.run(run())


async def asked(peer: Peer) -> tuple[int, bytes]:
    """The request id of the next Request, and its body."""
    kind, _, body = await peer.receive()
    assert kind == raw.REQUEST
    return struct.unpack_from("<I", body)[0], body


def reply(id: int, status: int, body: bytes = b"") -> bytes:
    head = struct.pack("<III", id, status, 0)
    return message(raw.REPLY, raw.padded(head, 8) + body if body else head)


def system_exception(name: str, minor: int, completed: int) -> bytes:
    text = raw.padded(raw.string(f"IDL:omg.org/CORBA/{name}:1.0"), 4, 0)
    return text + struct.pack("<II", minor, completed)


HI = raw.string("hi")


def test_a_call_is_made_again_when_the_server_closes_before_it_looks_at_it() -> None:
    async def behave(peer: Peer, number: int) -> None:
        id, _ = await asked(peer)
        if number == 1:
            peer.send(message(raw.CLOSE))
        else:
            peer.send(reply(id, raw.NO_EXCEPTION, HI))
            await peer.ended()

    async def scene(odd: Odd) -> None:
        assert await odd.stub.echo("x") == "hi"
        assert len(odd.connections) == 2

    played(behave, scene)


def test_a_server_that_always_closes_is_not_asked_for_ever() -> None:
    async def behave(peer: Peer, number: int) -> None:
        await asked(peer)
        peer.send(message(raw.CLOSE))

    async def scene(odd: Odd) -> None:
        with pytest.raises(corba.COMM_FAILURE) as lost:
            await odd.stub.echo("x")
        assert lost.value.completed is Completion.NO
        assert len(odd.connections) < 10

    played(behave, scene)


def test_a_connection_that_breaks_leaves_open_whether_the_call_was_done() -> None:
    async def behave(peer: Peer, number: int) -> None:
        await asked(peer)

    async def scene(odd: Odd) -> None:
        with pytest.raises(corba.COMM_FAILURE) as lost:
            await odd.stub.echo("x")
        assert lost.value.completed is Completion.MAYBE
        assert len(odd.connections) == 1

    played(behave, scene)


def test_a_question_that_changes_nothing_is_asked_again_over_a_new_connection() -> None:
    async def behave(peer: Peer, number: int) -> None:
        id, _ = await asked(peer)
        if number > 1:
            peer.send(reply(id, raw.NO_EXCEPTION, b"\1"))
            await peer.ended()

    async def scene(odd: Odd) -> None:
        orb = odd.stub._orb
        assert isinstance(orb, Orb)
        assert await orb.non_existent(odd.stub._reference)
        assert len(odd.connections) == 2

    played(behave, scene)


@pytest.mark.parametrize("completed", [0, 1, 2])
def test_what_was_not_done_for_the_moment_is_asked_once_more(completed: int) -> None:
    async def behave(peer: Peer, number: int) -> None:
        id, _ = await asked(peer)
        peer.send(reply(id, raw.SYSTEM_EXCEPTION, system_exception("TRANSIENT", 9, completed)))
        id, _ = await asked(peer)
        peer.send(reply(id, raw.NO_EXCEPTION, HI))
        await peer.ended()

    async def scene(odd: Odd) -> None:
        if completed == Completion.NO:
            assert await odd.stub.echo("x") == "hi"
            return
        with pytest.raises(corba.TRANSIENT) as busy:
            await odd.stub.echo("x")
        assert (busy.value.minor, busy.value.completed) == (9, completed)

    played(behave, scene)


def test_a_server_may_want_objects_named_by_their_reference() -> None:
    async def behave(peer: Peer, number: int) -> None:
        kinds = []
        for wanted in (2, None):
            id, body = await asked(peer)
            kinds.append(struct.unpack_from("<H", body, 8)[0])
            if wanted is not None:
                peer.send(reply(id, 5, struct.pack("<H", wanted)))
        assert kinds == [0, 2]
        peer.send(reply(id, raw.NO_EXCEPTION, HI))
        await peer.ended()

    async def scene(odd: Odd) -> None:
        assert await odd.stub.echo("x") == "hi"

    played(behave, scene)


def test_a_server_that_is_never_content_with_the_name_is_given_up() -> None:
    async def behave(peer: Peer, number: int) -> None:
        while True:
            id, _ = await asked(peer)
            peer.send(reply(id, 5, struct.pack("<H", 1)))

    async def scene(odd: Odd) -> None:
        with pytest.raises(corba.INV_OBJREF, match="named in way 1"):
            await odd.stub.echo("x")

    played(behave, scene)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        message(raw.ERROR),
        message(raw.ERROR, minor=0),
        raw.request("echo", HI),
        message(raw.LOCATE_REQUEST, struct.pack("<IHxxI", 2, 0, 1) + b"x"),
        b"GIOP\x01\x02\x01\x01" + struct.pack("<I", 2**31),
        message(raw.REPLY, b"\1"),
    ],
)
def test_an_answer_that_is_none_ends_the_connection(
    answer: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def behave(peer: Peer, number: int) -> None:
        await asked(peer)
        peer.send(answer)
        await peer.ended()

    async def scene(odd: Odd) -> None:
        with pytest.raises(corba.COMM_FAILURE) as lost:
            await odd.stub.echo("x")
        assert lost.value.completed is Completion.MAYBE

    played(behave, scene)
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (raw.NO_EXCEPTION, struct.pack("<I", 99) + b"x", corba.MARSHAL),
        (raw.USER_EXCEPTION, raw.string("IDL:tests/Nobody:1.0"), corba.UNKNOWN),
        (raw.USER_EXCEPTION, b"\1", corba.MARSHAL),
        (raw.SYSTEM_EXCEPTION, system_exception("NO_SUCH", 0, 1), corba.UNKNOWN),
        (raw.SYSTEM_EXCEPTION, system_exception("BAD_PARAM", 0, 77), corba.MARSHAL),
        (raw.LOCATION_FORWARD, b"\1", corba.MARSHAL),
        (raw.LOCATION_FORWARD, struct.pack("<IB3xI", 1, 0, 0), corba.INV_OBJREF),
    ],
)
def test_an_answer_that_cannot_be_read_harms_no_other(
    status: int, body: bytes, expected: type[Exception]
) -> None:
    async def behave(peer: Peer, number: int) -> None:
        id, _ = await asked(peer)
        peer.send(reply(id, status, body))
        id, _ = await asked(peer)
        peer.send(reply(id + 100, raw.NO_EXCEPTION, HI))  # nobody asked that
        peer.send(reply(id, raw.NO_EXCEPTION, HI))
        await peer.ended()

    async def scene(odd: Odd) -> None:
        with pytest.raises(expected):
            await odd.stub.echo("x")
        assert await odd.stub.echo("x") == "hi"
        assert len(odd.connections) == 1

    played(behave, scene)


def test_arguments_that_do_not_fit_are_refused_before_anything_is_sent() -> None:
    async def behave(peer: Peer, number: int) -> None:
        id, body = await asked(peer)
        assert struct.pack("<I", 0x05010001) in body or struct.pack(">I", 0x05010001) in body
        peer.send(reply(id, raw.NO_EXCEPTION, HI))
        await peer.ended()

    async def scene(odd: Odd) -> None:
        with pytest.raises(corba.BAD_PARAM):
            await odd.stub._call(ECHO, (7,))
        # The code sets are still to be agreed on, so they are named now.
        assert await odd.stub.echo("x") == "hi"

    played(behave, scene)


def test_a_server_that_does_not_read_holds_up_its_callers_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def behave(peer: Peer, number: int) -> None:
        await asyncio.sleep(1.5)

    async def scene(odd: Odd) -> None:
        big = b"x" * 4_000_000
        calls = [asyncio.create_task(odd.stub.big(big)) for _ in range(5)]
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(each) for each in done} == {corba.COMM_FAILURE}

    played(behave, scene, Options(write_seconds=0.2))
    assert any("has read nothing" in record.getMessage() for record in caplog.records)


def test_a_call_that_could_not_even_be_sent_was_not_done() -> None:
    async def behave(peer: Peer, number: int) -> None:
        await asyncio.sleep(1)

    async def scene(odd: Odd) -> None:
        orb = odd.stub._orb
        assert isinstance(orb, Orb)
        first = asyncio.create_task(odd.stub.big(b"x" * 20_000_000))
        await asyncio.sleep(0.05)
        with pytest.raises(corba.TIMEOUT) as late:
            await orb.call(odd.stub._reference, ECHO, ("x",), timeout=0.05)
        assert late.value.completed is Completion.NO
        first.cancel()

    played(behave, scene)


def test_a_connection_that_went_dumb_is_used_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "SUSPECT_SECONDS", 0.05)

    async def behave(peer: Peer, number: int) -> None:
        id, _ = await asked(peer)
        if number > 1:
            peer.send(reply(id, raw.NO_EXCEPTION, HI))
        await peer.ended()

    async def scene(odd: Odd) -> None:
        orb = odd.stub._orb
        assert isinstance(orb, Orb)
        with pytest.raises(corba.TIMEOUT):
            await orb.call(odd.stub._reference, ECHO, ("x",), timeout=0.1)
        assert await odd.stub.echo("x") == "hi"
        assert len(odd.connections) == 2
        await asyncio.sleep(0.1)
        assert orb.connections == 1

    played(behave, scene, Options(message_seconds=0.1))


def test_a_closed_orb_calls_nobody() -> None:
    async def run() -> None:
        async with Orb() as orb:
            pass
        nobody = make_reference("", "127.0.0.1", 1, b"x")
        with pytest.raises(corba.BAD_INV_ORDER) as closed:
            await orb.call(nobody, ECHO, ("x",))
        assert closed.value.minor == OMG | 4

    asyncio.run(run())


def test_a_reference_without_an_address_cannot_be_called() -> None:
    async def run() -> None:
        async with Orb() as orb:
            with pytest.raises(corba.IMP_LIMIT):
                await orb.call(Reference("", [(77, b"x")]), ECHO, ("x",))
            with pytest.raises(corba.INV_OBJREF):
                await orb.call(Reference("", [(0, b"x")]), ECHO, ("x",))

    asyncio.run(run())
