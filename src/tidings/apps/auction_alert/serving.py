"""Serve the pages of auction alert on a port of this machine."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import uvicorn

from tidings.apps.auction_alert.web import MOST_OCTETS, Auction, build_app
from tidings.client.client import Client
from tidings.errors import InvalidUsage

HOST: Final = "127.0.0.1"
PORT: Final = 8090

# Seconds that open pages have to end.
_GRACE: Final = 1


class _Server(uvicorn.Server):
    """Serves in a loop that others share, and leaves signals to whoever runs the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listener(port: int, *, otherwise_any: bool = False) -> socket.socket:
    """Return a socket on a port; 0 for a free one, which also may stand for one that is taken."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        if otherwise_any and port:
            return listener(0)
        reason = os.strerror(error.errno or 0)
        raise InvalidUsage(f"port {port} cannot be used: {reason}; --port names another") from error
    return found


@asynccontextmanager
async def served(
    client: Client, console: str, listening: socket.socket
) -> AsyncIterator[tuple[str, Auction]]:
    """Serve the pages while the context lasts; yield their address, and the auction."""
    url = f"http://{HOST}:{listening.getsockname()[1]}"
    async with await Auction.of(client) as auction:
        config = uvicorn.Config(
            build_app(auction, console),
            http="h11",
            ws="websockets-sansio",
            ws_max_size=MOST_OCTETS,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=200,
            timeout_graceful_shutdown=_GRACE,
        )
        server = _Server(config)
        serving = asyncio.create_task(server.serve([listening]))
        try:
            while not (server.started or serving.done()):  # noqa: ASYNC110 -- it tells nobody
                await asyncio.sleep(0.01)
            yield url, auction
        finally:
            server.should_exit = True
            await serving
