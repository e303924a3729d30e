"""A service inside a program: host and client in one process, no server needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tidings.client.client import Client
from tidings.client.sync import SyncClient
from tidings.client.transports.inproc import InProcess
from tidings.engine.access import OWNER, Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import InvalidUsage
from tidings.federation.gateway import GatewayTimes
from tidings.federation.requests import CreateGateway
from tidings.gateways.runner import Gateways
from tidings.server.cores import service_cores


async def embedded(
    folder: str | Path | None = None,
    *,
    principal: Caller = OWNER,
    **settings: Any,  # noqa: ANN401 -- those of Host.open
) -> Client:
    """Starts a service in this process and connects to it; closing the client stops it.

    Args:
        folder: Where its data is, made if it is missing; None keeps everything in memory.
        principal: Who asks.
        **settings: What else `Host.open` takes.

    Raises:
        InvalidUsage: The folder is an empty name.
        JournalInUse: Another process uses the folder.
        JournalTooNew: A newer version has written it; nothing was changed.
        StoreError: The folder cannot be used.
    """
    if folder == "":
        raise InvalidUsage("the folder has no name; leave it out to keep everything in memory")
    place = None if folder is None else Path(folder)
    host = await Host.open(place, cores=service_cores(), **settings)
    return Client(InProcess(LocalDoor(host, principal, owned=True)))


def local_client(host: Host, principal: Caller = OWNER) -> Client:
    """One more client of a host in this process; closing it lets the host run on.

    Args:
        host: A host on this loop.
        principal: Who asks.
    """
    return Client(InProcess(LocalDoor(host, principal)))


def client_for(host: Host, principal: str) -> Client:
    """The same for a principal by its name; empty for the owner."""
    return local_client(host, Caller(principal) if principal else OWNER)


@asynccontextmanager
async def embedded_gateway(
    given: CreateGateway, *, times: GatewayTimes | None = None
) -> AsyncIterator[Client]:
    """Run a gateway inside a program, while the context lasts; yield a client that sees it.

    What waits for a service that is away is kept in memory.

    Args:
        given: How it is set up.
        times: How fast it notices what changes.

    Raises:
        InvalidUsage: A side could not run: there is no such adapter, or a parameter is wrong.
    """
    host = await Host.open(None, cores=service_cores())
    gateways = Gateways(host.tell, host.on_effect, partial(client_for, host), times=times)
    gateways.start()
    client = local_client(host)
    try:
        await client.transport.ask(given)
        yield client
    finally:
        await gateways.stop()
        await client.close()
        await host.close()


def embedded_sync(folder: str | Path | None = None, **settings: Any) -> SyncClient:  # noqa: ANN401
    """The same for plain threads."""
    return SyncClient(lambda: embedded(folder, **settings))
