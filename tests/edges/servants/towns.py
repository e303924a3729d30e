"""A service whose grants decide, as its CORBA clients meet it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.edges.servants.scenes import SECRET, UNKNOWN_OBJECT, AnyStub, refused
from tidings.channel import management as m
from tidings.cos.names import look_up
from tidings.engine.access import ObjectKey
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.grants import requests as g
from tidings.grants.model import CredentialKind, Verb
from tidings.names import new_origin
from tidings.orb.aio import Bidirectional, Options, Orb, Targets
from tidings.orb.exceptions import NO_PERMISSION, OBJECT_NOT_EXIST, Completion
from tidings.orb.stubs import Stub
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import Opened, open_service
from tidings.server.cores import service_cores

ROADS, RAILS = 1, 2
_CLIENTS = ClientOptions(call_seconds=1.0, notice_seconds=1.0, check_seconds=1.0)
_LASTING = {"EventReliability": 1, "ConnectionReliability": 1}


@dataclass
class Town:
    """A service whose grants decide, its owner's door, and the ORB of clients."""

    host: Host
    opened: Opened
    client: Orb
    port: int

    @property
    def owner(self) -> LocalDoor:
        """The owner, inside the process."""
        return LocalDoor(self.host)

    async def grant(self, *verbs: Verb, to: str = "ann", channels: tuple[str, ...] = ()) -> int:
        """Grants something."""
        number: int = await self.owner.ask(g.CreateGrant(to, verbs, channels))
        return number

    async def issued(self, cls: type[AnyStub], channel: int | None = None, **of: Any) -> AnyStub:
        """A reference of Ann's, as she uses it."""
        made = await self.owner.request(g.CreateReference("ann", channel, **of))
        return self.client.stub(cls, made.reference)

    def forged(self, cls: type[AnyStub], kind: str, ids: tuple[int, ...], grant: int) -> AnyStub:
        """What a reference would be if the service had made it."""
        key = ObjectKey(kind, ids, grant)
        return self.client.stub(cls, self.opened.service.reference(key, cls.INTERFACE))

    def plain(self, cls: type[AnyStub], key: str) -> AnyStub:
        """An object by its plain key."""
        return self.client.stub(cls, f"corbaloc::127.0.0.1:{self.port}/{key}")

    def stub(self, cls: type[AnyStub], reference: Any) -> AnyStub:
        """An object."""
        return self.client.stub(cls, reference)


@asynccontextmanager
async def opened(
    host: Host,
    *,
    open_loopback: bool = False,
    client: Orb | None = None,
    port: int = 0,
    networks: tuple[str, ...] = ("loopback", "peer"),
    bidirectional: Bidirectional = Bidirectional.NEVER,
) -> AsyncIterator[Town]:
    """The CORBA door of a host, and a client."""
    options = Options(
        close_seconds=0.2, targets=Targets(networks), accept_bidirectional=bidirectional
    )
    made = open_service(host, options, SECRET, dict, clients=_CLIENTS, open_loopback=open_loopback)
    try:
        port = (await made.service.orb.listen("127.0.0.1", port)).port
        made.publish(None)
        await made.reconnect()
        async with Orb(Options(close_seconds=0.2), names=look_up) as own:
            yield Town(host, made, client or own, port)
    finally:
        await made.close()


@asynccontextmanager
async def town(
    folder: Path | None = None, *, enforced: bool = True, **of_the_door: Any
) -> AsyncIterator[Town]:
    """Such a service, with two channels and Ann; what is on disk is there again."""
    host = await Host.open(folder, cores=service_cores())
    try:
        if not host.channels:
            for channel in ("roads", "rails"):
                await host.ask(m.CreateChannel(new_origin(), _LASTING, name=channel))
            await host.ask(g.CreatePrincipal("ann"))
            if enforced:
                await enforce(host)
        async with opened(host, **of_the_door) as made:
            yield made
    finally:
        await host.close(0.0)


async def enforce(host: Host) -> None:
    """From now on grants decide."""
    for command in (
        g.CreatePrincipal("root"),
        g.CreateGrant("root", (Verb.ADMINISTER,)),
        g.AddCredential("root", CredentialKind.TOKEN, "x"),
    ):
        await host.ask(command)


async def gone(work: Awaitable[object]) -> None:
    """The object is as one that does not exist: exception, minor code and completion."""
    told = await refused(work, OBJECT_NOT_EXIST)
    assert (told.minor, told.completed) == (UNKNOWN_OBJECT, Completion.NO)


async def forbidden(work: Awaitable[object]) -> None:
    """The caller may not."""
    told = await refused(work, NO_PERMISSION)
    assert (told.minor, told.completed) == (0, Completion.NO)


async def is_gone(one: Stub) -> bool:
    """Whether there is no such object, as the service says."""
    assert isinstance(one._orb, Orb)
    return await one._orb.non_existent(one._reference)
