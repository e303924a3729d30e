"""A web door behind a real server on a port of its own, and WebSocket clients of it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from websockets.asyncio.client import ClientConnection, connect

from tests.edges.engine.hosts import soon
from tests.edges.web.doors import WebDoor
from tests.patience import PATIENCE
from tidings.channel.settings import Settings
from tidings.channel.views import ProxyInfo
from tidings.cores import Core
from tidings.engine.host import Host
from tidings.engine.viewing import Viewing
from tidings.web.app import build_app
from tidings.web.options import WebOptions

EVENT = {"domain": "Auction", "type": "books", "data": {"price": 12.5}}
SWIFT = Settings(retry_first=1_000, poll_interval=1_000)
PERSISTENT = {"EventReliability": "Persistent", "ConnectionReliability": "Persistent"}


def priced(price: int) -> dict[str, Any]:
    """An event that can be told from others."""
    return {"domain": "Auction", "type": "books", "data": {"price": price}}


class Wire:
    """A WebSocket client that speaks in frames."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, **frame: Any) -> None:
        """Sends a frame."""
        await self.connection.send(json.dumps(frame))

    async def receive(self, op: str = "") -> Any:
        """The next frame, which must be of this kind."""
        frame = json.loads(await soon(self.connection.recv()))
        assert op in ("", frame["op"]), frame
        return frame

    async def ask(self, **frame: Any) -> Any:
        """The answer to a frame; others that come before it must be notices."""
        await self.send(**frame)
        while True:
            found = await self.receive()
            if found.get("id") == frame["id"]:
                return found
            assert found["op"] == "types", found

    async def connect(self, line: int, channel: int, proxy: int, **more: Any) -> None:
        """Connects a line without notices."""
        given = {"notices": False, **more}
        found = await self.ask(
            op="connect", id=line, line=line, channel=channel, proxy=proxy, **given
        )
        assert found == {"op": "ok", "id": line}

    async def events(self, count: int) -> list[Any]:
        """The next events, of all lines; only frames of events may come."""
        found: list[Any] = []
        while len(found) < count:
            found += (await self.receive("events"))["events"]
        assert len(found) == count
        return found

    async def closed(self) -> tuple[int, str]:
        """Waits for the end; the code and the reason of the other side."""
        await soon(self.connection.wait_closed())
        return self.connection.close_code or 0, self.connection.close_reason or ""

    async def cut(self) -> None:
        """Cuts the connection without a word."""
        self.connection.transport.abort()
        await soon(self.connection.wait_closed())


class ServedDoor(WebDoor):
    """A web door that is reached through a port."""

    port: int

    @asynccontextmanager
    async def wire(self, path: str = "/v1/ws", **given: Any) -> AsyncIterator[Wire]:
        """A WebSocket to it."""
        more = {"max_size": None, "compression": None, "ping_interval": None, **given}
        async with connect(f"ws://127.0.0.1:{self.port}{path}", **more) as connection:
            yield Wire(connection)

    async def channel(self, name: str = "auctions", **qos: Any) -> int:
        """A new channel's id."""
        made = await self.ask("POST", "/v1/channels", {"name": name, "qos": qos}, 201)
        return int(made["id"])

    async def proxy(self, channel: int, **given: Any) -> int:
        """A new proxy's id."""
        made = await self.ask("POST", f"/v1/channels/{channel}/proxies", given, 201)
        return int(made["id"])

    def seen(self, channel: int, proxy: int) -> ProxyInfo:
        """A proxy as it is now."""
        return Viewing(self.host).proxy(channel, proxy)

    async def publish(self, channel: int, *prices: int) -> list[int]:
        """Sends events in one request; their numbers."""
        batch = [priced(price) for price in prices]
        found = await self.ask("POST", f"/v1/channels/{channel}/events", batch)
        return [one["seq"] for one in found["results"]]


@asynccontextmanager
async def served(
    options: WebOptions | None = None,
    folder: Path | None = None,
    settings: Settings = SWIFT,
    cores: Iterable[Core] = (),
    host: Host | None = None,
) -> AsyncIterator[ServedDoor]:
    """A web door behind a server; of a new host in memory unless there is a folder, or a host."""
    if host is None:
        host = await Host.open(folder, settings=settings, cores=cores)
    app = build_app(host, options or WebOptions())
    # Only where the protocol is named, the loop lets small answers go at once (TCP_NODELAY).
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    config = uvicorn.Config(app, log_config=None, ws_per_message_deflate=False, loop="asyncio",
                            lifespan="off")  # fmt: skip
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    running = asyncio.ensure_future(server._serve([listener]))
    port = listener.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    try:
        async with httpx2.AsyncClient(base_url=base, timeout=PATIENCE) as client:
            while not server.started:  # noqa: ASYNC110 -- it tells nobody
                await asyncio.sleep(0.001)
            door = ServedDoor(host, app, client)
            door.port = port
            yield door
    finally:
        app.state.web.close()
        server.should_exit = server.force_exit = True
        await running
        await host.close()
        listener.close()
