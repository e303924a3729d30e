"""Connections to others: how many there are, and who shares them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from tests.unit.orb.echo import ECHO, INTERFACE, Echo, EchoServant
from tidings.orb import exceptions as corba
from tidings.orb.aio import Bidirectional, Options, Orb
from tidings.orb.codesets import ISO_8859_1, UTF_16, CodeSetComponent
from tidings.orb.components import code_sets_component
from tidings.orb.ior import make_reference, profile_of

LATIN = code_sets_component(CodeSetComponent(ISO_8859_1, (), UTF_16, ()))


def test_calls_that_start_together_share_one_connection() -> None:
    async def run() -> None:
        async with Orb() as server, Orb() as client:
            await server.listen()
            stub = client.stub(Echo, server.activate(EchoServant(), b"echo"))
            await asyncio.gather(*(stub.echo("x") for _ in range(20)))
            assert client.connections == 1

    asyncio.run(run())


def test_who_gives_up_does_not_end_the_connection_for_others() -> None:
    async def run() -> None:
        async with Orb() as server, Orb() as client:
            await server.listen()
            stub = client.stub(Echo, server.activate(EchoServant(), b"echo"))
            impatient = asyncio.create_task(stub.echo("never mind"))
            patient = asyncio.create_task(stub.echo("x"))
            await asyncio.sleep(0)
            impatient.cancel()
            assert await patient == "x"
            with pytest.raises(asyncio.CancelledError):
                await impatient
            assert client.connections == 1

    asyncio.run(run())


def test_other_code_sets_take_another_connection() -> None:
    async def run() -> None:
        async with Orb() as server, Orb() as client:
            host, port = await server.listen()
            ours = server.activate(EchoServant(), b"echo")
            latin = make_reference(INTERFACE.id, host, port, b"echo", [LATIN])
            url = f"corbaloc:iiop:1.2@{host}:{port}/echo"
            assert await client.stub(Echo, ours).echo("中") == "中"
            assert await client.stub(Echo, url).echo("中") == "中"
            assert client.connections == 1
            assert await client.stub(Echo, latin).echo("é") == "é"
            assert client.connections == 2
            with pytest.raises(corba.DATA_CONVERSION):
                await client.stub(Echo, latin).echo("中")

    asyncio.run(run())


def test_an_address_that_does_not_answer_is_not_waited_for_too_long() -> None:
    async def run() -> None:
        # An address of a net that is for documentation only: packets get lost.
        nobody = make_reference(INTERFACE.id, "192.0.2.1", 9, b"echo")
        async with Orb(Options(connect_seconds=0.1)) as client:
            with pytest.raises(corba.TRANSIENT, match=r"192\.0\.2\.1:9"):
                await client.call(nobody, ECHO, ("x",))

    asyncio.run(run())


def test_closing_ends_the_wait_for_a_connection() -> None:
    async def run() -> None:
        nobody = make_reference(INTERFACE.id, "192.0.2.1", 9, b"echo")
        client = Orb()
        waiting = asyncio.create_task(client.call(nobody, ECHO, ("x",)))
        await asyncio.sleep(0.01)
        await client.close()
        with pytest.raises((corba.BAD_INV_ORDER, corba.TRANSIENT)):
            await waiting

    asyncio.run(run())


def test_a_name_nobody_knows_is_told() -> None:
    async def run() -> None:
        nobody = make_reference(INTERFACE.id, "nobody.invalid", 9, b"echo")
        async with Orb() as client:
            with pytest.raises(corba.TRANSIENT, match=r"nobody\.invalid:9: "):
                await client.call(nobody, ECHO, ("x",))

    asyncio.run(run())


async def _servers(stack: AsyncExitStack, client: Orb, count: int) -> list[Echo]:
    """Objects that each take a connection of their own."""
    found = []
    for _ in range(count):
        server = await stack.enter_async_context(Orb())
        await server.listen()
        found.append(client.stub(Echo, server.activate(EchoServant(), b"echo")))
    return found


def _open(client: Orb) -> set[int]:
    return {address.port for address in client._links.pool._opened}


def _port(stub: Echo) -> int:
    profile = profile_of(stub._reference)
    assert profile is not None
    return profile.port


def test_for_one_connection_more_the_one_that_is_idle_for_longest_goes() -> None:
    async def run() -> None:
        async with AsyncExitStack() as stack, Orb(Options(max_opened=2)) as client:
            first, second, third = await _servers(stack, client, 3)
            for stub in (first, second, first, third):
                assert await stub.echo("x") == "x"
                await asyncio.sleep(0.001)  # the clock goes on
            assert _open(client) == {_port(first), _port(third)}
            assert await second.echo("x") == "x"
            assert _open(client) == {_port(second), _port(third)}

    asyncio.run(run())


def test_a_connection_with_work_stays_and_who_finds_only_such_is_refused() -> None:
    async def run() -> None:
        async with AsyncExitStack() as stack, Orb(Options(max_opened=2)) as client:
            first, second, third = await _servers(stack, client, 3)
            await first.echo("x")
            waiting = [asyncio.create_task(first.nap(60_000))]
            await second.echo("x")
            await third.echo("x")  # though the first has been silent for longer
            assert _open(client) == {_port(first), _port(third)}
            waiting.append(asyncio.create_task(third.nap(60_000)))
            await asyncio.sleep(0)
            with pytest.raises(corba.NO_RESOURCES, match="max_opened"):
                await second.echo("x")
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            assert await second.echo("x") == "x"

    asyncio.run(run())


def test_a_connection_over_which_we_are_called_stays() -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_a_connection_that_is_gone_is_told_to_who_opened_it_and_not_at_the_end() -> None:
    async def run() -> None:
        told: list[str] = []
        async with Orb() as client:
            client.tell_losses(lambda: told.append("client"))
            for times in (1, 2):
                async with Orb() as server:
                    server.tell_losses(lambda: told.append("server"))
                    await server.listen()
                    stub = client.stub(Echo, server.activate(EchoServant(), b"echo"))
                    await stub.echo("x")
                async with asyncio.timeout(5):
                    while len(told) < times:  # noqa: ASYNC110 -- what the ORB tells
                        await asyncio.sleep(0.001)
            async with Orb() as server:
                await server.listen()
                await client.stub(Echo, server.activate(EchoServant(), b"echo")).echo("x")
                await client.close()
        assert told == ["client", "client"]

    asyncio.run(run())
