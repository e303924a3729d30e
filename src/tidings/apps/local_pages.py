"""Pages of a demo for people on this machine: files, errors, and who may ask.

They have no logins. So only browsers on this machine reach them, from pages of their own.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from tidings.api.problems import misfit_of, problem_of
from tidings.errors import Forbidden, InvalidUsage, LimitExceeded, TidingsError, UnsupportedMedia
from tidings.web.console_files import FOLDER, ConsoleFiles

HOST: Final = "127.0.0.1"
_HOSTS: Final = frozenset({HOST, "localhost"})
MOST_OCTETS: Final = 16_384
# Seconds that open pages have to end.
_GRACE: Final = 1


def local_app(folder: Path) -> FastAPI:
    """Return an application with the pages of a folder, which only they may ask."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _add_files(app, folder)

    @app.get("/health/live")
    async def live() -> dict[str, bool]:
        return {"live": True}

    app.add_exception_handler(TidingsError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_misfit)
    app.add_middleware(Guard)
    return app


def _add_files(app: FastAPI, folder: Path) -> None:
    """Serve the pages, and what they share with the console: modules, styles, Preact."""
    pages, shared = ConsoleFiles(directory=folder), ConsoleFiles(directory=FOLDER)

    @app.get("/")
    async def index(request: Request) -> Response:
        return await pages.get("index.html", request)

    @app.get("/pages/{path:path}")
    async def page(path: str, request: Request) -> Response:
        return await pages.get(path, request)

    @app.get("/console/{path:path}")
    async def console_file(path: str, request: Request) -> Response:
        return await shared.get(path, request)


async def _on_error(request: Request, error: Exception) -> Response:
    return _problem(problem_of(error))


async def _on_misfit(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _problem(misfit_of(error.errors()))


def _problem(problem: dict[str, Any]) -> Response:
    return JSONResponse(problem, problem["status"])


class Guard:
    """Refuses requests that are not from this program's pages, or larger than these send.

    A page elsewhere cannot send JSON without being asked for its origin, and a name that leads
    here (DNS rebinding) is not a name of this machine.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a connection."""
        try:
            _check(scope["type"], scope.get("method", ""), Headers(scope=scope))
        except TidingsError as error:
            if scope["type"] == "websocket":
                await WebSocket(scope, receive, send).close()
            else:
                await _problem(problem_of(error))(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _check(kind: str, method: str, headers: Headers) -> None:
    host = headers.get("host", "")
    if host.partition(":")[0] not in _HOSTS:
        raise Forbidden("this program answers to 127.0.0.1 and localhost only")
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        raise Forbidden("only pages of this program may do this")
    if kind == "http" and method not in ("GET", "HEAD"):
        if headers.get("content-type") != "application/json":
            raise UnsupportedMedia("a body is application/json")
        length = headers.get("content-length", "")
        if not (length.isdecimal() and int(length) <= MOST_OCTETS):
            raise LimitExceeded(f"a body has a length, of at most {MOST_OCTETS:,} octets")


# Serving them.


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
async def served_app(app: FastAPI, listening: socket.socket) -> AsyncIterator[str]:
    """Serve an application while the context lasts; yield its address."""
    config = uvicorn.Config(
        app,
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
        yield f"http://{HOST}:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving
