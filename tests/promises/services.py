"""Services to talk to through a client: one class for each way there."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import uvicorn

from tests.patience import PATIENCE
from tidings import connect, event
from tidings.channel.settings import Settings
from tidings.channel.views import ProxyInfo
from tidings.client.client import Client
from tidings.client.connection import Connection
from tidings.client.subscription import Subscription
from tidings.engine.access import OWNER, Caller
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.events.structured import StructuredEvent
from tidings.server.cores import service_cores
from tidings.server.embedded import local_client
from tidings.web.app import build_app
from tidings.web.options import WebOptions

__all__ = [
    "SETTINGS",
    "HttpService",
    "InProcessService",
    "Service",
    "because",
    "bid",
    "eventually",
    "known",
    "seen",
    "seqs",
    "shown",
]

_T = TypeVar("_T")

# Turns of the loop in which what is on its way over the loopback arrives, and is dealt with.
_TURNS = 50

# What fails is tried again, and suppliers are asked, within a few milliseconds.
SETTINGS = Settings(retry_first=1_000, retry_longest=4_000, poll_interval=1_000, retry_limit=3)


class Service(Protocol):
    """A service that can be stopped, killed and started again.

    Attributes:
        tells_state: Whether it shows what waits, is under way and was delivered; CORBA does not.
        tells_reasons: Whether errors say why; CORBA's system exceptions carry no text.
    """

    tells_state: bool
    tells_reasons: bool

    async def client(self, principal: Caller = OWNER) -> Client:
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

    tells_state = tells_reasons = True

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._host: Host | None = None
        self._killed: list[Host] = []

    async def client(self, principal: Caller = OWNER) -> Client:
        """A new client."""
        if self._host is None:
            self._host = await Host.open(self._folder, settings=SETTINGS, cores=service_cores())
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


class _WebDoor:
    """A server on the loopback through which one principal's clients come.

    The web door takes whoever reaches the loopback for the owner, and knows nobody else yet; so
    each principal has a server of its own.

    Args:
        host: The service behind it.
        principal: Whom its clients are taken for.
        port: Where it listens; 0 for any free one.
        options: Its settings.
    """

    def __init__(self, host: Host, principal: Caller, port: int, options: WebOptions) -> None:
        app = build_app(host, options)
        if principal is not OWNER:
            door = LocalDoor(host, principal)
            app.state.web.door = lambda _: door
        self._listener = _listener(port)
        self.port: int = self._listener.getsockname()[1]
        config = uvicorn.Config(app, log_config=None, access_log=False, ws="websockets-sansio")
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)

    async def start(self) -> None:
        """Begins to listen; `uvicorn.Server.serve` would also look after signals, and wait."""
        await self._server.startup([self._listener])

    async def stop(self, *, kill: bool) -> None:
        """Listens no more, and lets go of all clients, with a word to them or without."""
        if kill:
            for listener in self._server.servers:
                listener.close()
            for connection in list(self._server.server_state.connections):
                connection.transport.abort()
        # Those that clients are about to end must be gone: uvicorn cannot close them once more.
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        await self._server.shutdown([self._listener])


def _listener(port: int) -> socket.socket:
    """A socket that listens; connections to it send small answers at once.

    The loop sees to that (TCP_NODELAY) only where the protocol is named: without it, each answer
    waits 40 ms for the client to confirm the one before.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("127.0.0.1", port))
    made.listen()
    return made


class HttpService:
    """Clients over HTTP and WebSockets, to a real server on the loopback.

    Args:
        folder: Where its data is; None keeps everything in memory.

    Attributes:
        options: Settings of the web door, from its next start on.
    """

    tells_state = tells_reasons = True

    def __init__(self, folder: Path | None) -> None:
        self.options = WebOptions()
        self._folder = folder
        self._host: Host | None = None
        self._doors: dict[Caller, _WebDoor] = {}
        self._ports: dict[Caller, int] = {}
        self._killed: list[Host] = []
        self._clients: list[Client] = []

    async def client(
        self, principal: Caller = OWNER, *, port: int | None = None, **settings: Any
    ) -> Client:
        """A new client.

        Args:
            principal: Who it is.
            port: Where it finds the service; at the service's own port if None.
            **settings: What else `connect` takes.
        """
        own = await self.start(principal)
        made = await connect(f"http://127.0.0.1:{port or own}", **settings)
        self._clients.append(made)
        return made

    async def start(self, principal: Caller = OWNER) -> int:
        """Starts the service if it does not run, where it was before; its port."""
        if self._host is None:
            self._host = await Host.open(self._folder, settings=SETTINGS, cores=service_cores())
        if principal not in self._doors:
            door = _WebDoor(self._host, principal, self._ports.get(principal, 0), self.options)
            self._doors[principal] = door
            self._ports[principal] = door.port
            await door.start()
        return self._ports[principal]

    async def stop(self, *, kill: bool = False) -> None:
        """Ends the service; its clients stay, and look for it."""
        host, self._host = self._host, None
        if host is not None and kill:
            self._killed.append(host)
            if self._folder is not None:
                copied = self._folder.with_name(f"{self._folder.name}-{len(self._killed)}")
                self._folder = Path(shutil.copytree(self._folder, copied))
        doors, self._doors = self._doors, {}
        for door in doors.values():
            await door.stop(kill=kill)
        if host is not None and not kill:
            await host.close(0.0)

    async def restart(self, *, kill: bool = False) -> None:
        """Starts again from what is on the disk; the clients of before do not find it."""
        assert self._folder is not None, "what is in memory only cannot be started again"
        await self.stop(kill=kill)
        self._ports.clear()

    async def close(self) -> None:
        """Ends everything, the killed ones last."""
        for client in self._clients:
            await client.close()
        await self.stop()
        for host in self._killed:
            await host.close(0.0)


def bid(price: int, **data: object) -> StructuredEvent:
    """An event of the type most scenes use."""
    return event("Auction", "bid", "", {"price": price, **data})


async def eventually(condition: Callable[[], object]) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.001)


async def seen(look: Callable[[], Awaitable[_T]], right: Callable[[_T], object]) -> _T:
    """What is seen at the service, as soon as it is as it should be."""
    async with asyncio.timeout(PATIENCE):
        while not right(found := await look()):  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.001)
    return found


async def known(connection: Connection, right: Callable[[ProxyInfo], object]) -> ProxyInfo:
    """A connection as the service sees it, as soon as it is as it should be."""
    return await seen(connection.info, right)


async def shown(service: Service, connection: Connection, **expected: object) -> None:
    """Waits until a connection is seen at the service as it should be, if that can be seen.

    Args:
        service: The service.
        connection: A connection of a client to it.
        **expected: Fields of its `ProxyInfo`; `delivered` is the count of that name.
    """

    def right(info: ProxyInfo) -> bool:
        fields = {"delivered": info.counts.get("delivered", 0)}
        return all(fields.get(n, getattr(info, n, None)) == v for n, v in expected.items())

    if service.tells_state:
        await known(connection, right)


def because(service: Service, pattern: str) -> str | None:
    """What the message of an error should match; CORBA has no words for reasons."""
    return pattern if service.tells_reasons else None


async def seqs(subscription: Subscription, count: int) -> list[int]:
    """The numbers of the next events; raises if fewer come."""
    found: list[int] = []
    while len(found) < count:
        delivery = await subscription.next(PATIENCE)
        assert delivery is not None, f"{found}, and then no more"
        found.append(delivery.seq)
    return found
