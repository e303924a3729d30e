"""Services to talk to through a client: one class for each way there."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeVar

from tidings import event
from tidings.channel.settings import Settings
from tidings.channel.views import ProxyInfo
from tidings.client.client import Client
from tidings.client.connection import Connection
from tidings.client.subscription import Subscription
from tidings.engine.access import OWNER, Principal
from tidings.engine.host import Host
from tidings.events.structured import StructuredEvent
from tidings.server.embedded import local_client

__all__ = ["SETTINGS", "InProcessService", "Service", "bid", "eventually", "known", "seen", "seqs"]

_T = TypeVar("_T")

# What fails is tried again, and suppliers are asked, within a few milliseconds.
SETTINGS = Settings(retry_first=1_000, retry_longest=4_000, poll_interval=1_000, retry_limit=3)


class Service(Protocol):
    """A service that can be stopped, killed and started again."""

    async def client(self, principal: Principal = OWNER) -> Client:
        """A new client; the service is started if it does not run."""
        ...

    async def restart(self, *, kill: bool = False) -> None:
        """Stops the service, in good order or not, and starts it again; clients are gone."""
        ...

    async def close(self) -> None:
        """Ends everything."""
        ...


class InProcessService:
    """Clients in the process of the service.

    Args:
        folder: Where its data is; None keeps everything in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._host: Host | None = None
        self._killed: list[Host] = []

    async def client(self, principal: Principal = OWNER) -> Client:
        """A new client."""
        if self._host is None:
            self._host = await Host.open(self._folder, settings=SETTINGS)
        return local_client(self._host, principal)

    async def restart(self, *, kill: bool = False) -> None:
        """Starts again from what is on the disk: all of it, or as it lies there this moment."""
        assert self._folder is not None, "what is in memory only cannot be started again"
        if self._host is not None and kill:
            self._killed.append(self._host)
            copied = self._folder.with_name(f"{self._folder.name}-{len(self._killed)}")
            self._folder = Path(shutil.copytree(self._folder, copied))
        elif self._host is not None:
            await self._host.close(0.0)
        self._host = None

    async def close(self) -> None:
        """Ends everything, the killed ones last."""
        for host in [self._host, *self._killed]:
            if host is not None:
                await host.close(0.0)


def bid(price: int, **data: object) -> StructuredEvent:
    """An event of the type most scenes use."""
    return event("Auction", "bid", "", {"price": price, **data})


async def eventually(condition: Callable[[], object], seconds: float = 5.0) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.001)


async def seen(
    look: Callable[[], Awaitable[_T]], right: Callable[[_T], object], seconds: float = 5.0
) -> _T:
    """What is seen at the service, as soon as it is as it should be."""
    async with asyncio.timeout(seconds):
        while not right(found := await look()):  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.001)
    return found


async def known(connection: Connection, right: Callable[[ProxyInfo], object]) -> ProxyInfo:
    """A connection as the service sees it, as soon as it is as it should be."""
    return await seen(connection.info, right)


async def seqs(subscription: Subscription, count: int) -> list[int]:
    """The numbers of the next events; raises if fewer come."""
    found: list[int] = []
    while len(found) < count:
        delivery = await subscription.next(5.0)
        assert delivery is not None, f"{found}, and then no more"
        found.append(delivery.seq)
    return found
