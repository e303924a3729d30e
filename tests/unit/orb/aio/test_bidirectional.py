"""Calls over a connection that the other side has opened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.unit.orb.echo import INTERFACE, Echo, EchoServant
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Address, Bidirectional, Options, Orb


@asynccontextmanager
async def pair(accept: Bidirectional, host: str = "") -> AsyncIterator[tuple[Orb, Orb, Reference]]:
    """A server that opens no connections, a client that offers its own, and the client's object."""
    server_options = Options(accept_bidirectional=accept, may_connect=lambda host, port: False)
    client_options = Options(offer_bidirectional=True, advertise=Address(host, 7) if host else None)
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
        (Bidirectional.ALWAYS, "example.org"),
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
        (Bidirectional.SAME_HOST, "example.org"),
        (Bidirectional.SAME_HOST, ""),
    ],
)
def test_an_offer_is_not_taken(accept: Bidirectional, host: str) -> None:
    async def run() -> None:
        async with pair(accept, host) as (server, _, own):
            with pytest.raises(corba.NO_PERMISSION):  # it would open a connection
                await server.stub(Echo, own).echo("x")

    asyncio.run(run())


def test_an_offer_ends_with_its_connection() -> None:
    async def run() -> None:
        async with pair(Bidirectional.ALWAYS) as (server, client, own):
            await client.close()
            await asyncio.sleep(0.02)
            with pytest.raises(corba.NO_PERMISSION):
                await server.stub(Echo, own).echo("x")

    asyncio.run(run())


def test_who_listens_nowhere_still_has_references_to_offer() -> None:
    async def run() -> None:
        offer = Options(offer_bidirectional=True)
        async with Orb(offer) as one, Orb(offer) as two:
            assert one.reference(b"k", INTERFACE) == one.reference(b"k", INTERFACE)
            assert one.reference(b"k", INTERFACE) != two.reference(b"k", INTERFACE)

    asyncio.run(run())
