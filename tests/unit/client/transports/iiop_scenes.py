"""A CORBA service on the loopback, and clients of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tidings import connect
from tidings.channel.settings import Settings
from tidings.client.client import Client
from tidings.engine.host import Host
from tidings.orb.aio import Address, Options
from tidings.servants.calls import ClientOptions
from tidings.servants.opening import Opened, open_service

__all__ = ["Scene", "run", "served", "until"]

QUICK = Settings(retry_first=1_000, retry_longest=4_000, poll_interval=1_000, retry_limit=3)


@dataclass
class Scene:
    """A service, and one client of it."""

    host: Host
    opened: Opened
    address: Address
    client: Client


@asynccontextmanager
async def served() -> AsyncIterator[Scene]:
    """A service in memory with a client, while the context lasts."""
    host = await Host.open(None, settings=QUICK)
    options, clients = Options(close_seconds=0.2), ClientOptions(notice_seconds=1.0)
    opened = open_service(host, options, b"a secret of the tests", dict, clients=clients)
    address = await opened.service.orb.listen()
    opened.publish(None)
    client = await connect(f"iiop://{address}")
    try:
        yield Scene(host, opened, address, client)
    finally:
        await client.close()
        await host.close(0.0)
        await opened.close()


def run(scene: Callable[[Scene], Awaitable[None]]) -> None:
    """Plays a scene; one that hangs fails."""

    async def bounded() -> None:
        async with asyncio.timeout(15), served() as made:
            await scene(made)

    asyncio.run(bounded())


async def until(condition: Callable[[], object]) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.001)
