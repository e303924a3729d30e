"""An ORB that serves, one that calls it all the time, and a peer that misbehaves."""

from __future__ import annotations

import logging
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from tests.unit.orb.echo import Echo, EchoServant
from tests.unit.orb.raw import Peer
from tidings.orb.aio import Address, Options, Orb
from tidings.orb.limits import Limits

SHORT = Options(limits=Limits(message_size=200_000, unfinished=4))
STRING = struct.pack("<I", 3) + b"hi\0"


@dataclass
class Scene:
    orb: Orb
    address: Address
    servant: EchoServant
    bystander: Echo

    async def peer(self) -> Peer:
        return await Peer.connect(*self.address)

    async def others_are_fine(self) -> None:
        assert await self.bystander.echo("still here") == "still here"


@asynccontextmanager
async def scene(options: Options = SHORT) -> AsyncIterator[Scene]:
    async with Orb(options) as server, Orb() as client:
        address = await server.listen()
        servant = EchoServant()
        stub = client.stub(Echo, server.activate(servant, b"echo"))
        await stub.echo("first")
        yield Scene(server, address, servant, stub)
        await stub.echo("last")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
