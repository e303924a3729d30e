"""Servers of every kind: what a caller is told, and when a call is made again."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass

import pytest

from tests.edges.orb import raw
from tests.edges.orb.aio.scenes import Scene, pair
from tests.edges.orb.echo import ECHO, INTERFACE, Echo, EchoServant
from tests.edges.orb.raw import Peer, message
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Address, Bidirectional, Options, Orb
from tidings.orb.aio.checking import check_reference
from tidings.orb.aio.repeated import CallAgain
from tidings.orb.codesets import ISO_8859_1, UTF_16, CodeSetComponent
from tidings.orb.exceptions import Completion
from tidings.orb.ior import code_sets_component, make_reference
from tidings.orb.poa import Found

Behaviour = Callable[[Peer], Awaitable[None]]


@dataclass
class Odd:
    """A server that does on each connection what a function says."""

    address: Address
    orb: Orb
    stub: Echo
    connections: list[Peer]


@asynccontextmanager
async def odd_server(behave: Behaviour, options: Options | None = None) -> AsyncIterator[Odd]:
    connections: list[Peer] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        connections.append(peer)
        try:
            await behave(peer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            await peer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        address = Address(*server.sockets[0].getsockname()[:2])
        async with Orb(options) as orb:
            reference = make_reference(INTERFACE.id, *address, b"echo")
            yield Odd(address, orb, orb.stub(Echo, reference), connections)
    finally:
        server.close()


async def asked(peer: Peer) -> int:
    """The request id of the next Request."""
    kind, _, body = await peer.receive()
    if kind == raw.CLOSE:
        raise ConnectionResetError("the client has done what it wanted")
    assert kind == raw.REQUEST
    return struct.unpack_from("<I", body)[0]  # type: ignore[no-any-return]


def reply(id: int, status: int, body: bytes) -> bytes:
    return message(raw.REPLY, raw.padded(struct.pack("<III", id, status, 0), 8) + body)


def system_exception(name: str, completed: int) -> bytes:
    text = raw.padded(raw.string(f"IDL:omg.org/CORBA/{name}:1.0"), 4, 0)
    return text + struct.pack("<II", 0, completed)


async def test_a_server_that_never_answers_is_not_asked_for_ever() -> None:
    async def close(peer: Peer) -> None:
        await asked(peer)
        peer.send(message(raw.CLOSE))

    async def want_another_name(peer: Peer) -> None:
        while True:
            peer.send(reply(await asked(peer), 5, struct.pack("<H", 1)))

    async with odd_server(close) as odd:
        with pytest.raises(corba.COMM_FAILURE) as lost:
            await odd.stub.echo("x")
        assert lost.value.completed is Completion.NO
        assert len(odd.connections) < 10
    async with odd_server(want_another_name) as odd:
        with pytest.raises(corba.INV_OBJREF, match="named in way 1"):
            await odd.stub.echo("x")


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (raw.NO_EXCEPTION, struct.pack("<I", 99) + b"x", corba.MARSHAL),
        (raw.USER_EXCEPTION, raw.string("IDL:tests/Nobody:1.0"), corba.UNKNOWN),
        (raw.USER_EXCEPTION, b"\1", corba.MARSHAL),
        (raw.SYSTEM_EXCEPTION, system_exception("NO_SUCH", 1), corba.UNKNOWN),
        (raw.SYSTEM_EXCEPTION, system_exception("BAD_PARAM", 77), corba.MARSHAL),
        (raw.LOCATION_FORWARD, b"\1", corba.MARSHAL),
        (raw.LOCATION_FORWARD, struct.pack("<IB3xI", 1, 0, 0), corba.INV_OBJREF),
    ],
)
async def test_an_answer_that_cannot_be_read_harms_no_other(
    status: int, body: bytes, expected: type[Exception]
) -> None:
    async def behave(peer: Peer) -> None:
        peer.send(reply(await asked(peer), status, body))
        id = await asked(peer)
        for told in (id + 100, id):  # and nobody asked the first
            peer.send(reply(told, raw.NO_EXCEPTION, raw.string("hi")))
        await peer.ended()

    async with odd_server(behave) as odd:
        with pytest.raises(expected):
            await odd.stub.echo("x")
        assert await odd.stub.echo("x") == "hi"
        assert len(odd.connections) == 1


async def test_a_server_that_does_not_read_holds_up_its_callers_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    over = asyncio.Event()

    async def behave(peer: Peer) -> None:
        await over.wait()

    async with odd_server(behave, Options(write_seconds=0.2)) as odd:
        calls = [asyncio.create_task(odd.stub.big(b"x" * 4_000_000)) for _ in range(5)]
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(each) for each in done} == {corba.COMM_FAILURE}
        over.set()
    assert any("has read nothing" in record.getMessage() for record in caplog.records)
    over.clear()
    async with odd_server(behave) as odd:
        first = asyncio.create_task(odd.stub.big(b"x" * 20_000_000))
        await asyncio.sleep(0.05)
        with pytest.raises(corba.TIMEOUT) as late:
            await odd.orb.call(odd.stub._reference, ECHO, ("x",), timeout=0.05)
        assert late.value.completed is Completion.NO  # it could not even be sent
        first.cancel()
        over.set()


async def test_an_object_that_cannot_be_reached_is_not_called() -> None:
    nobody = make_reference(INTERFACE.id, "nobody.invalid", 9, b"echo")
    async with Orb() as orb:
        with pytest.raises(corba.IMP_LIMIT):
            await orb.call(Reference("", [(77, b"x")]), ECHO, ("x",))
        with pytest.raises(corba.INV_OBJREF):
            await orb.call(Reference("", [(0, b"x")]), ECHO, ("x",))
        with pytest.raises(corba.TRANSIENT, match=r"nobody\.invalid:9: "):
            await orb.call(nobody, ECHO, ("x",))


async def test_a_long_forward_is_followed_and_not_remembered() -> None:
    asked: list[bytes] = []

    def find(key: bytes) -> Found:
        asked.append(key)
        return Reference(moved.type_id, (*moved.profiles, (77, bytes(3_000))))

    async with Orb() as target, Orb(find=find) as forwarder, Orb() as client:
        await target.listen()
        await forwarder.listen()
        moved = target.activate(EchoServant(), b"echo")
        stub = client.stub(Echo, forwarder.reference(b"old", INTERFACE))
        for _ in range(2):
            assert await stub.echo("one") == "one"
        assert asked == [b"old", b"old"]


async def test_a_forward_to_nowhere_falls_back_and_one_in_a_circle_ends() -> None:
    async with Orb(find=lambda key: places.pop(0)) as server, Orb() as client:
        await server.listen()
        here = server.reference(b"old", INTERFACE)
        stub = client.stub(Echo, here)
        places: list[Found] = [make_reference(INTERFACE.id, "127.0.0.1", 1, b"x"), EchoServant()]
        assert await stub.echo("one") == "one"
        places = [here] * 20
        with pytest.raises(corba.TRANSIENT, match="forwarded more than 10 times"):
            await stub.echo("x")


Outcome = tuple[object, Exception | None]


class Hanging(EchoServant):
    """Never answers `slow`."""

    async def echo(self, text: str) -> str:  # type: ignore[override] # a coroutine
        if text == "slow":
            await asyncio.sleep(60)
        return text


class Caller:
    """Calls again and again, and waits for the outcome each time."""

    def __init__(self, orb: Orb, reference: Reference, seconds: float | None = 5) -> None:
        self.outcomes: asyncio.Queue[Outcome] = asyncio.Queue()
        self.repeated = orb.repeated(
            reference, ECHO, lambda *outcome: self.outcomes.put_nowait(outcome), seconds=seconds
        )

    async def call(self, text: str) -> Outcome:
        assert self.repeated.begin((text,))
        assert self.repeated.under_way
        outcome = await self.outcomes.get()
        assert not self.repeated.under_way
        return outcome


@asynccontextmanager
async def hanging(client_options: Options | None = None) -> AsyncIterator[Scene]:
    async with pair(None, client_options, servant=Hanging()) as s:
        await s.stub.echo("quick")  # the connection is there now
        yield s


async def test_a_repeated_call_needs_a_connection_and_an_answer() -> None:
    async with hanging() as s, Orb() as stranger:
        with pytest.raises(corba.BAD_PARAM, match="'echo' is a oneway"):  # nobody tells its end
            s.client.repeated(s.reference, ECHO.replace(oneway=True), print)
        for reference in (s.reference, Reference("", ())):
            assert not Caller(stranger, reference).repeated.begin(("quick",))


async def test_on_a_connection_where_nothing_was_agreed_none_is_begun() -> None:
    async with hanging() as s, Orb() as other:
        # References without code sets agree on nothing.
        plain = make_reference(INTERFACE.id, *s.address, b"echo", minor=0)
        await other.stub(Echo, plain).echo("quick")
        assert not Caller(other, s.reference).repeated.begin(("quick",))
        await other.stub(Echo, s.reference).echo("quick")
        assert await Caller(other, s.reference).call("äöü") == ("äöü", None)


async def test_each_call_has_the_whole_time() -> None:
    async with hanging() as s:
        caller, loop = Caller(s.client, s.reference, 0.3), asyncio.get_running_loop()
        assert await caller.call("quick") == ("quick", None)
        await asyncio.sleep(0.2)
        began = loop.time()
        _, error = await caller.call("slow")
        assert isinstance(error, corba.TIMEOUT)
        assert loop.time() - began >= 0.29


async def test_a_lost_connection_is_told_and_the_next_call_finds_another() -> None:
    async with hanging() as s:
        caller = Caller(s.client, s.reference)
        waiting = asyncio.create_task(caller.call("slow"))
        await asyncio.sleep(0.05)
        for link in list(s.client._links._sockets):
            link.abort()
        _, error = await waiting
        assert isinstance(error, corba.COMM_FAILURE)
        assert not caller.repeated.begin(("quick",))
        await s.stub.echo("quick")
        assert await caller.call("quick") == ("quick", None)


async def test_a_server_that_closes_in_good_order_has_done_nothing() -> None:
    async with hanging() as s:
        waiting = asyncio.create_task(Caller(s.client, s.reference).call("slow"))
        await asyncio.sleep(0.05)
        await s.server.close()
        _, error = await waiting
        assert isinstance(error, corba.SystemException | CallAgain)


async def test_a_connection_with_all_it_may_have_takes_no_more() -> None:
    async with hanging(Options(max_calls=1)) as s:
        one, two = Caller(s.client, s.reference), Caller(s.client, s.reference)
        assert one.repeated.begin(("slow",))
        assert not two.repeated.begin(("quick",))
        one.repeated.cancel()
        assert await two.call("quick") == ("quick", None)


async def test_other_code_sets_take_another_connection() -> None:
    known = code_sets_component(CodeSetComponent(ISO_8859_1, (), UTF_16, ()))
    async with pair() as s:
        latin = s.client.stub(Echo, make_reference(INTERFACE.id, *s.address, b"echo", [known]))
        url = "corbaloc:iiop:1.2@{}:{}/echo".format(*s.address)
        assert await s.stub.echo("中") == "中"
        assert await s.client.stub(Echo, url).echo("中") == "中"
        assert s.client.connections == 1
        assert await latin.echo("é") == "é"
        assert s.client.connections == 2
        with pytest.raises(corba.DATA_CONVERSION):
            await latin.echo("中")


async def test_for_one_connection_more_the_one_that_is_idle_for_longest_goes() -> None:
    async with AsyncExitStack() as stack, Orb(Options(max_opened=2)) as client:
        stubs: list[Echo] = []
        ports: list[int] = []
        for _ in range(3):
            server = await stack.enter_async_context(Orb())
            ports.append((await server.listen()).port)
            stubs.append(client.stub(Echo, server.activate(EchoServant(), b"echo")))
        opened = client._links.pool._opened
        for number in (0, 1, 0, 2):
            assert await stubs[number].echo("x") == "x"
            await asyncio.sleep(0.001)  # the clock goes on
        assert {address.port for address in opened} == {ports[0], ports[2]}
        assert await stubs[1].echo("x") == "x"
        assert {address.port for address in opened} == {ports[1], ports[2]}


async def test_a_connection_over_which_we_are_called_stays() -> None:
    ours = Options(max_opened=1, offer_bidirectional=True)
    theirs = Options(accept_bidirectional=Bidirectional.ALWAYS)
    async with Orb() as other, Orb(theirs) as server, Orb(ours) as client:
        for orb in (other, server):
            await orb.listen()
        called = server.stub(Echo, client.activate(EchoServant(), b"mine"))
        await client.stub(Echo, server.activate(EchoServant(), b"echo")).echo("x")
        second = client.stub(Echo, other.activate(EchoServant(), b"echo"))
        with pytest.raises(corba.NO_RESOURCES):
            await second.echo("x")
        assert await called.echo("x") == "x"


HASTY = Options(call_seconds=0.2, connect_seconds=0.2, close_seconds=0.1)


async def test_every_address_is_asked() -> None:
    over = asyncio.Event()

    async def say_nothing(peer: Peer) -> None:
        await over.wait()

    async def hang_up(peer: Peer) -> None:
        await peer.ended()

    async with pair() as s, odd_server(say_nothing) as silent, odd_server(hang_up) as rude:
        others = [s.address, silent.address, rude.address]
        reference = make_reference("", "127.0.0.1", 1, b"echo", alternates=others)
        refused, answered, unheard, hung_up = await check_reference(reference, HASTY)
        over.set()
    assert (refused.found, refused.said) == (False, "Connection refused")
    assert (answered.found, answered.said) == (True, "has the object")
    assert (unheard.found, unheard.address) == (False, silent.address)
    assert unheard.said == "accepts connections, no answer in 0.2 s"
    assert not hung_up.found
    assert hung_up.said.startswith("accepts connections, no answer: ")
    with pytest.raises(corba.INV_OBJREF):
        await check_reference(Reference())


async def test_an_address_that_takes_no_connection_in_time_is_not_said_to() -> None:
    # Nobody accepts there, and as many wait already as the system lets wait.
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        host, port = full.getsockname()
        reference = make_reference("", host, port, b"echo")
        [found] = await check_reference(reference, HASTY)
    assert (found.found, found.said) == (False, "takes no connection in 0.2 s")
