"""An ORB calls objects of another one."""

from __future__ import annotations

import asyncio
import gc
import socket
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from tests.unit.orb.echo import (
    ECHO,
    GET_NAME,
    GIVE,
    INTERFACE,
    MISSING,
    UNKNOWN,
    WIDE,
    Bad,
    Echo,
    EchoServant,
)
from tidings.errors import Unreachable
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Address, Options, Orb, Targets
from tidings.orb.corbaloc import Corbaname, NameComponent
from tidings.orb.exceptions import OMG, Completion
from tidings.orb.ior import make_reference, to_ior


@dataclass
class Pair:
    server: Orb
    client: Orb
    address: Address
    servant: EchoServant
    reference: Reference
    stub: Echo


@asynccontextmanager
async def pair(
    server_options: Options | None = None, client_options: Options | None = None
) -> AsyncIterator[Pair]:
    async with Orb(server_options) as server, Orb(client_options) as client:
        address = await server.listen()
        servant = EchoServant()
        reference = server.activate(servant, b"echo")
        stub = client.stub(Echo, reference)
        yield Pair(server, client, address, servant, reference, stub)


def played(scene: Callable[[Pair], Awaitable[None]], **options: Options | None) -> None:
    async def run() -> None:
        async with asyncio.timeout(20), pair(**options) as p:
            await scene(p)

    asyncio.run(run())


@pytest.mark.parametrize("minor", [0, 1, 2])
@pytest.mark.parametrize("little", [True, False])
def test_values_go_there_and_back_in_every_version(minor: int, little: bool) -> None:
    async def scene(p: Pair) -> None:
        assert await p.stub.echo("hé") == "hé"
        assert await p.stub.add(2, 40) == 42
        assert await p.stub.big(b"\0\1" * 60_000) == b"\0\1" * 60_000
        assert await p.client.call(p.reference, GET_NAME, ()) == "echo"
        assert await p.client.call(p.reference, GIVE, (p.reference,)) == p.reference
        with pytest.raises(Bad) as bad:
            await p.stub.fail(7)
        assert bad.value.number == 7

    played(scene, client_options=Options(minor=minor, little=little))


def test_texts_that_only_unicode_has_are_negotiated() -> None:
    async def scene(p: Pair) -> None:
        assert await p.stub.echo("中😀") == "中😀"
        assert await p.client.call(p.reference, WIDE, ("中😀",)) == "中😀"

    played(scene)


def test_giop_1_0_has_latin_1_only_and_nothing_wide() -> None:
    async def scene(p: Pair) -> None:
        with pytest.raises(corba.DATA_CONVERSION):
            await p.stub.echo("中")
        with pytest.raises(corba.SystemException):
            await p.client.call(p.reference, WIDE, ("x",))
        assert await p.stub.echo("é") == "é"

    played(scene, client_options=Options(minor=0))


def test_every_object_answers_the_pseudo_operations() -> None:
    async def scene(p: Pair) -> None:
        nameless = Reference("", p.reference.profiles)
        for id in ("IDL:tests/Echo:1.0", "IDL:tests/Base:1.0", "IDL:omg.org/CORBA/Object:1.0"):
            assert await p.client.is_a(nameless, id)
        assert not await p.client.is_a(nameless, "IDL:tests/Other:1.0")
        assert not await p.client.non_existent(p.reference)
        p.server.deactivate(b"echo")
        assert await p.client.non_existent(p.reference)

    played(scene)


def test_faults_of_servants_are_told_by_what_they_are() -> None:
    async def scene(p: Pair) -> None:
        with pytest.raises(corba.NO_PERMISSION) as refused:
            await p.stub.odd("system")
        assert (refused.value.minor, refused.value.completed) == (7, Completion.NO)
        with pytest.raises(corba.UNKNOWN) as unlisted:
            await p.stub.odd("unlisted")
        assert unlisted.value.minor == OMG | 1
        with pytest.raises(corba.UNKNOWN) as bug:
            await p.stub.odd("bug")
        assert (bug.value.minor, bug.value.completed) == (0, Completion.MAYBE)
        with pytest.raises(corba.BAD_OPERATION):
            await p.client.call(p.reference, UNKNOWN, ())
        with pytest.raises(corba.NO_IMPLEMENT):
            await p.client.call(p.reference, MISSING, ())
        assert await p.stub.echo("fine") == "fine"

    played(scene)


def test_a_slow_call_holds_no_other_up() -> None:
    async def scene(p: Pair) -> None:
        slow = asyncio.create_task(p.stub.nap(300))
        await asyncio.sleep(0.02)
        assert await p.stub.echo("quick") == "quick"
        assert not slow.done()
        assert await slow == 300

    played(scene)


def test_calls_start_in_the_order_they_came() -> None:
    async def scene(p: Pair) -> None:
        for number in range(200):
            await p.stub.note(number)
        # Plain, and it comes right behind coroutines that have yet to start.
        assert await p.stub.noted() == " ".join(map(str, range(200)))

    played(scene)


def test_many_calls_share_one_connection() -> None:
    async def scene(p: Pair) -> None:
        results = await asyncio.gather(*(p.stub.add(n, n) for n in range(300)))
        assert results == [2 * n for n in range(300)]
        naps = await asyncio.gather(*(p.stub.nap(20) for _ in range(50)))
        assert naps == [20] * 50

    played(scene, server_options=Options(max_requests=10), client_options=Options(max_calls=20))


def test_a_call_that_takes_too_long_is_cancelled() -> None:
    async def scene(p: Pair) -> None:
        stub = p.client.stub(Echo, p.reference, timeout=0.05)
        with pytest.raises(corba.TIMEOUT) as late:
            await stub.nap(60_000)
        assert late.value.completed is Completion.MAYBE
        assert await stub.echo("fine") == "fine"
        assert p.servant.cancelled == 1

    played(scene)


def test_a_caller_that_gives_up_cancels_its_call() -> None:
    async def scene(p: Pair) -> None:
        napping = asyncio.create_task(p.stub.nap(60_000))
        await asyncio.sleep(0.05)
        napping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await napping
        assert await p.stub.echo("fine") == "fine"
        assert p.servant.cancelled == 1

    played(scene)


def test_nobody_there() -> None:
    async def scene(p: Pair) -> None:
        nowhere = make_reference(INTERFACE.id, "127.0.0.1", 1, b"echo")
        with pytest.raises(corba.TRANSIENT) as refused:
            await p.client.stub(Echo, nowhere).echo("x")
        assert (refused.value.minor, refused.value.completed) == (OMG | 2, Completion.NO)
        assert "127.0.0.1:1" in str(refused.value)
        with pytest.raises(corba.INV_OBJREF):
            await p.client.stub(Echo, Reference()).echo("x")

    played(scene)


def test_other_addresses_are_tried_when_the_first_does_not_answer() -> None:
    async def scene(p: Pair) -> None:
        reference = make_reference(
            INTERFACE.id, "127.0.0.1", 1, b"echo", alternates=[("127.0.0.1", 2), p.address]
        )
        assert await p.client.stub(Echo, reference).echo("x") == "x"

    played(scene)


def test_a_lost_connection_is_opened_again() -> None:
    async def run() -> None:
        async with Orb() as client:
            async with Orb() as first:
                address = await first.listen()
                stub = client.stub(Echo, first.activate(EchoServant(), b"echo"))
                assert await stub.echo("one") == "one"
                napping = asyncio.create_task(stub.nap(20))
                await asyncio.sleep(0.005)
            # Closing waits for the call that was in progress.
            assert await napping == 20
            with pytest.raises(corba.TRANSIENT):
                await stub.echo("nobody")
            async with Orb() as second:
                await second.listen(*address)
                second.activate(EchoServant(), b"echo")
                assert await stub.echo("two") == "two"

    asyncio.run(run())


def test_closing_does_not_wait_for_ever() -> None:
    async def run() -> None:
        async with Orb() as client:
            async with Orb(Options(close_seconds=0.05)) as server:
                await server.listen()
                stub = client.stub(Echo, server.activate(EchoServant(), b"echo"))
                napping = asyncio.create_task(stub.nap(60_000))
                await asyncio.sleep(0.05)
            with pytest.raises((corba.TRANSIENT, corba.COMM_FAILURE)) as ended:
                await napping
            assert ended.value.completed is Completion.MAYBE

    asyncio.run(run())


def test_references_say_what_is_advertised() -> None:
    async def run() -> None:
        options = Options(advertise=Address("example.org", 0), alternates=(Address("::1", 5),))
        async with Orb(options) as orb:
            port = (await orb.listen()).port
            expected = make_reference(
                INTERFACE.id, "example.org", port, b"k", alternates=[("::1", 5)]
            )
            assert orb.reference(b"k", INTERFACE) == expected

    asyncio.run(run())


def test_an_orb_that_listens_nowhere_makes_no_references() -> None:
    async def run() -> None:
        async with Orb() as orb:
            with pytest.raises(corba.BAD_INV_ORDER, match="listen"):
                orb.reference(b"k", INTERFACE)

    asyncio.run(run())


def test_a_key_is_taken_once() -> None:
    async def scene(p: Pair) -> None:
        with pytest.raises(corba.BAD_PARAM, match="taken"):
            p.server.activate(EchoServant(), b"echo")

    played(scene)


def test_an_address_in_use_is_told() -> None:
    async def scene(p: Pair) -> None:
        with pytest.raises(Unreachable, match=f"{p.address.port}"):
            await p.client.listen(*p.address)

    played(scene)


def test_connections_may_be_forbidden() -> None:
    async def scene(p: Pair) -> None:
        with pytest.raises(corba.NO_PERMISSION, match=r"127\.0\.0\.1"):
            await p.stub.echo("x")

    played(scene, client_options=Options(targets=Targets(())))


def test_idle_connections_are_closed_and_opened_again() -> None:
    async def scene(p: Pair) -> None:
        for _ in range(3):
            assert await p.stub.echo("x") == "x"
            await asyncio.sleep(0.15)

    played(scene, server_options=Options(idle_seconds=0.05))
    played(scene, client_options=Options(opened_idle_seconds=0.05))


def test_urls_stand_for_objects() -> None:
    async def scene(p: Pair) -> None:
        urls = (
            f"corbaloc::127.0.0.1:{p.address.port}/echo",
            f"corbaloc:iiop:1.2@127.0.0.1:{p.address.port}/echo",
            to_ior(p.reference),
        )
        for url in urls:
            assert await p.client.stub(Echo, url).echo("x") == "x"
            found = await p.client.resolve(url)
            assert await p.client.call(found, ECHO, ("y",)) == "y"
        with pytest.raises(corba.BAD_PARAM, match="resolve"):
            p.client.stub(Echo, "corbaname::127.0.0.1:1#x")
        with pytest.raises(corba.NO_IMPLEMENT):
            await p.client.resolve("corbaname::127.0.0.1:1#x")

    played(scene)


def test_initial_references_have_urls_too() -> None:
    async def scene(p: Pair) -> None:
        p.client.initial_references["Echo"] = p.reference
        assert await p.client.stub(Echo, "corbaloc:rir:/Echo").echo("x") == "x"
        assert await p.client.resolve("corbaloc:rir:/Echo") == p.reference
        with pytest.raises(corba.BAD_PARAM, match="it has Echo"):
            await p.client.resolve("corbaloc:rir:/NameService")

    played(scene)


def test_names_are_looked_up_by_whoever_was_told_how() -> None:
    asked: list[Corbaname] = []

    async def look_up(orb: Orb, name: Corbaname) -> Reference:
        asked.append(name)
        return nobody

    nobody = make_reference(INTERFACE.id, "127.0.0.1", 1, b"x")

    async def run() -> None:
        async with Orb(names=look_up) as orb:
            orb.initial_references["NameService"] = nobody
            assert await orb.resolve("corbaname:rir:#a/b.c") == nobody

    asyncio.run(run())
    assert asked == [Corbaname(nobody, (NameComponent("a"), NameComponent("b", "c")))]


def test_no_socket_is_left_open_of_who_connects_while_the_orb_closes() -> None:
    async def run() -> None:
        for turns in range(6):
            orb = Orb()
            address = await orb.listen()
            with socket.create_connection(address):
                for _ in range(turns):
                    await asyncio.sleep(0)
                await orb.close()
            assert orb._links._sockets == set()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(run())
        gc.collect()
    assert [str(one.message) for one in told] == []
