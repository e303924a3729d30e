"""Calls over a connection that the other side has opened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from tests.unit.orb.echo import INTERFACE, Echo, EchoServant
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Address, Bidirectional, Options, Orb, Targets, link
from tidings.orb.connection import Connection
from tidings.orb.contexts import MOST_POINTS


@asynccontextmanager
async def pair(
    accept: Bidirectional, host: str = "", **times: float
) -> AsyncIterator[tuple[Orb, Orb, Reference]]:
    """A server that opens no connections, a client that offers its own, and the client's object."""
    both = Options(**times, close_seconds=0.1)  # type: ignore[arg-type]  # all of them are times
    server_options = replace(both, accept_bidirectional=accept, targets=Targets(()))
    advertise = Address(host, 7) if host else None
    client_options = replace(both, offer_bidirectional=True, advertise=advertise)
    async with Orb(server_options) as server, Orb(client_options) as client:
        await server.listen()
        own = client.activate(EchoServant(), b"own")
        stub = client.stub(Echo, server.activate(EchoServant(), b"echo"))
        assert await stub.echo("offer") == "offer"
        yield server, client, own


@pytest.mark.parametrize(
    ("accept", "host"),
    [
        (Bidirectional.ALWAYS, ""),
        (Bidirectional.ALWAYS, "192.0.2.1"),
        (Bidirectional.SAME_HOST, "127.0.0.1"),
    ],
)
def test_an_offer_is_taken(accept: Bidirectional, host: str) -> None:
    async def run() -> None:
        async with pair(accept, host) as (server, _, own):
            back = server.stub(Echo, own)
            results = await asyncio.gather(*(back.echo(str(n)) for n in range(50)))
            assert results == [str(n) for n in range(50)]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("accept", "host"),
    [
        (Bidirectional.NEVER, "127.0.0.1"),
        (Bidirectional.SAME_HOST, "192.0.2.1"),
        (Bidirectional.SAME_HOST, ""),
    ],
)
def test_an_offer_is_not_taken(accept: Bidirectional, host: str) -> None:
    async def run() -> None:
        async with pair(accept, host) as (server, _, own):
            with pytest.raises(
                (corba.NO_PERMISSION, corba.TRANSIENT)
            ):  # it would open a connection
                await server.stub(Echo, own).echo("x")

    asyncio.run(run())


def test_a_slow_answer_does_not_end_an_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "SUSPECT_SECONDS", 0.02)

    async def run() -> None:
        async with pair(Bidirectional.ALWAYS) as (server, _, own):
            with pytest.raises(corba.TIMEOUT):
                await server.stub(Echo, own, 0.1).nap(300)
            assert await server.stub(Echo, own).echo("still there") == "still there"

    asyncio.run(run())


def test_a_connection_for_both_is_not_closed_when_it_is_idle() -> None:
    async def run() -> None:
        both = pair(Bidirectional.ALWAYS, idle_seconds=0.1, opened_idle_seconds=0.1)
        async with both as (server, _, own):
            await asyncio.sleep(0.4)
            assert await server.stub(Echo, own).echo("still there") == "still there"

    asyncio.run(run())


def test_a_connection_has_so_many_offers_and_no_more() -> None:
    async def run() -> None:
        options = Options(accept_bidirectional=Bidirectional.ALWAYS, close_seconds=0.1)
        async with Orb(options) as server:
            address = await server.listen()
            reader, writer = await asyncio.open_connection(*address)
            peer = Connection(opener=True)
            for number in range(5):
                peer.offer(tuple((f"host-{number}-{point}", 7) for point in range(50)))
                peer.call(b"nobody", "_non_existent")
            writer.write(peer.data_to_send())
            answers = 0
            while answers < 5:
                answers += len(peer.receive_data(await reader.read(4096)))
            assert len(server._links.pool._callbacks) == MOST_POINTS
            writer.close()

    asyncio.run(run())


def test_an_offer_ends_with_its_connection() -> None:
    async def run() -> None:
        async with pair(Bidirectional.ALWAYS) as (server, client, own):
            await client.close()
            await asyncio.sleep(0.02)
            with pytest.raises((corba.NO_PERMISSION, corba.TRANSIENT)):
                await server.stub(Echo, own).echo("x")

    asyncio.run(run())


def test_who_listens_nowhere_still_has_references_to_offer() -> None:
    async def run() -> None:
        offer = Options(offer_bidirectional=True)
        async with Orb(offer) as one, Orb(offer) as two:
            assert one.reference(b"k", INTERFACE) == one.reference(b"k", INTERFACE)
            assert one.reference(b"k", INTERFACE) != two.reference(b"k", INTERFACE)

    asyncio.run(run())
