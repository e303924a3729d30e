"""An ORB that serves, one that calls it, and a peer that misbehaves."""

from __future__ import annotations

import logging
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.edges.orb.echo import Echo, EchoServant
from tests.edges.orb.raw import Peer
from tidings.events.reference import Reference
from tidings.orb.aio import Address, Options, Orb
from tidings.orb.limits import MessageLimits

SHORT = Options(limits=MessageLimits(message_size=200_000, unfinished=4))
STRING = struct.pack("<I", 3) + b"hi\0"


@dataclass
class Scene:
    server: Orb
    client: Orb
    address: Address
    servant: EchoServant
    reference: Reference
    stub: Echo
    peers: list[Peer] = field(default_factory=list)

    async def peer(self) -> Peer:
        """A socket to the server; all are closed at the end."""
        self.peers.append(await Peer.connect(*self.address))
        return self.peers[-1]

    async def close_peers(self) -> None:
        while self.peers:
            await self.peers.pop().close()

    async def others_are_fine(self) -> None:
        assert await self.stub.echo("still here") == "still here"


@asynccontextmanager
async def pair(
    server: Options | None = None,
    client: Options | None = None,
    *,
    servant: EchoServant | None = None,
) -> AsyncIterator[Scene]:
    servant = servant or EchoServant()
    async with Orb(server) as serving, Orb(client) as calling:
        address = await serving.listen()
        reference = serving.activate(servant, b"echo")
        stub = calling.stub(Echo, reference)
        scene = Scene(serving, calling, address, servant, reference, stub)
        yield scene
        await scene.close_peers()


@asynccontextmanager
async def scene(options: Options = SHORT) -> AsyncIterator[Scene]:
    """A pair, and the caller is a bystander who is well served before and after."""
    async with pair(options) as s:
        await s.others_are_fine()
        yield s
        await s.close_peers()
        await s.others_are_fine()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
