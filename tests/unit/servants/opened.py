"""The whole service on an ORB, as the server opens it, and an ORB of clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from tidings.channel.management import CreateChannel
from tidings.cos.CosNaming_auto import NameComponent, NamingContextExt
from tidings.cos.names import look_up
from tidings.engine.host import Host
from tidings.names import new_origin
from tidings.orb.aio import Address, Options, Orb
from tidings.orb.stubs import Stub
from tidings.servants.calls import ClientOptions
from tidings.servants.opening import Opened, open_service

AnyStub = TypeVar("AnyStub", bound=Stub)

PROPERTIES = {"http.port": "8080", "httpport": "8080", "name": "factory"}


def name(*ids: str) -> tuple[NameComponent, ...]:
    """A name whose components have no kinds."""
    return tuple(NameComponent(id, "") for id in ids)


@dataclass
class Whole:
    """The service and a client of it; its default channel has the id 1 and the name `default`."""

    opened: Opened
    client: Orb
    address: Address

    @property
    def root(self) -> NamingContextExt:
        """The naming service, as a client begins with it."""
        return self.plain(NamingContextExt, "NameService")

    def plain(self, cls: type[AnyStub], key: str) -> AnyStub:
        """An object by its plain key."""
        return self.client.stub(cls, f"corbaloc::{self.address}/{key}")


@asynccontextmanager
async def whole(*, open_well_known: bool = False, port: int = 0) -> AsyncIterator[Whole]:
    """The service, while the context lasts."""
    host = await Host.open(None)
    opened = open_service(
        host,
        Options(),
        b"a secret of the tests",
        lambda: PROPERTIES,
        clients=ClientOptions(),
        open_well_known=open_well_known,
    )
    try:
        address = await opened.service.orb.listen("127.0.0.1", port)
        opened.publish(await host.ask(CreateChannel(new_origin(), name="default")))
        async with Orb(names=look_up) as client:
            yield Whole(opened, client, address)
    finally:
        await opened.close()
        await host.close(0.0)


def play(part: Callable[[Whole], Awaitable[None]]) -> None:
    """Runs a test with a service; one that hangs fails."""

    async def bounded() -> None:
        async with asyncio.timeout(15), whole() as made:
            await part(made)

    asyncio.run(bounded())
