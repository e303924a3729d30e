"""Which addresses of a reference answer, and why others do not."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack

import pytest

from tests.unit.orb.echo import INTERFACE, EchoServant
from tests.unit.orb.raw import Peer
from tidings.events.reference import Reference
from tidings.orb.aio import Address, Options, Orb
from tidings.orb.aio.checking import check_reference
from tidings.orb.exceptions import INV_OBJREF
from tidings.orb.ior import make_reference

SHORT = Options(call_seconds=0.2, connect_seconds=0.2, close_seconds=0.1)


def test_every_address_is_asked() -> None:
    async def run() -> None:
        async with Orb() as orb:
            good = await orb.listen()
            orb.activate(EchoServant(), b"echo")
            async with odd_servers() as (silent, rude):
                reference = make_reference(
                    "", "127.0.0.1", 1, b"echo", alternates=[good, silent, rude]
                )
                refused, answered, unheard, hung_up = await check_reference(reference, SHORT)
            assert (refused.found, refused.said) == (False, "Connection refused")
            assert (answered.found, answered.said) == (True, "has the object")
            assert (unheard.found, unheard.address) == (False, silent)
            assert unheard.said == "accepts connections, no answer in 0.2 s"
            assert not hung_up.found
            assert hung_up.said.startswith("accepts connections, no answer: ")

    asyncio.run(run())


def test_an_object_may_be_unknown_or_elsewhere() -> None:
    async def run() -> None:
        elsewhere = make_reference(INTERFACE.id, "127.0.0.1", 1, b"new")
        async with Orb(find=lambda key: elsewhere if key == b"old" else None) as orb:
            await orb.listen()
            (unknown,) = await check_reference(orb.reference(b"x", INTERFACE), SHORT)
            assert (unknown.found, unknown.said) == (False, "answers, and has no such object")
            (moved,) = await check_reference(orb.reference(b"old", INTERFACE), SHORT)
            assert (moved.found, moved.forward) == (True, elsewhere)

    asyncio.run(run())


def test_a_reference_to_nothing_cannot_be_asked() -> None:
    with pytest.raises(INV_OBJREF):
        asyncio.run(check_reference(Reference()))


class odd_servers:  # noqa: N801, RUF100 - used like a function
    """Two servers: one says nothing, and one hangs up."""

    async def __aenter__(self) -> tuple[Address, Address]:
        self._over = asyncio.Event()
        self._servers = [
            await asyncio.start_server(self._silent, "127.0.0.1", 0),
            await asyncio.start_server(self._rude, "127.0.0.1", 0),
        ]
        silent, rude = [Address(*s.sockets[0].getsockname()[:2]) for s in self._servers]
        return silent, rude

    async def __aexit__(self, *raised: object) -> None:
        self._over.set()
        for server in self._servers:
            server.close()
        await asyncio.sleep(0.01)

    async def _silent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._over.wait()
        await Peer(reader, writer).close()

    async def _rude(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        await Peer(reader, writer).close()


def test_an_address_that_takes_no_connection_in_time_is_not_said_to() -> None:
    # Nobody accepts there, and as many wait already as the system lets wait.
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        host, port = full.getsockname()
        reference = make_reference("", host, port, b"echo")
        [found] = asyncio.run(check_reference(reference, SHORT))
    assert (found.found, found.said) == (False, "takes no connection in 0.2 s")
