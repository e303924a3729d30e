"""Auction alert as a web application: its pages, and what they ask for.

It has no logins: whoever reaches it may sell and buy under any name. So only browsers on this
machine reach it, from pages of its own.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final, Self

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from tidings.api.problems import misfit_of, problem_of
from tidings.apps.auction_alert.buyers import Buyers
from tidings.apps.auction_alert.desk import Desk
from tidings.apps.auction_alert.evening import Evening
from tidings.apps.auction_alert.market import Market
from tidings.apps.auction_alert.scene import CATEGORIES
from tidings.apps.auction_alert.sellers import Announcement, Sellers
from tidings.apps.auction_alert.wish import Wish, preview
from tidings.client.client import Client
from tidings.errors import Forbidden, LimitExceeded, TidingsError, UnsupportedMedia
from tidings.web.console_files import FOLDER, ConsoleFiles

_PAGES: Final = Path(__file__).with_name("pages")
_HOSTS: Final = frozenset({"127.0.0.1", "localhost"})
MOST_OCTETS: Final = 16_384
_MOST_OFFERS: Final = 60


class Auction:
    """The program behind the pages; use it in an `async with`."""

    def __init__(self, client: Client, desk: Desk) -> None:
        self.buyers = Buyers(client)
        self.sellers = Sellers(client)
        self.evening = Evening(client)
        self.market = Market(client, desk, lambda: self.sellers.proxies | self.evening.houses)
        self._stack = AsyncExitStack()

    @classmethod
    async def of(cls, client: Client) -> Self:
        """Return the auction of a service, whose channel is created if it is missing."""
        return cls(client, await Desk.opened(client))

    def board(self) -> dict[str, Any]:
        """Return what all pages show."""
        offers = self.market.open()
        return {
            "trouble": self.market.trouble,
            "offers": [one.shown for one in offers[:_MOST_OFFERS]],
            "open": len(offers),
            "advertised": self.market.advertised,
            "waiting": self.market.waiting,
            "categories": CATEGORIES,
            "evening": asdict(self.evening.state()),
        }

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.market)
        self._stack.push_async_callback(self.evening.close)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()


class Steering(BaseModel):
    """What a page wants of the evening; what is None stays as it is."""

    model_config = ConfigDict(extra="forbid")

    speed: Annotated[int, Field(ge=1, le=100)] | None = None
    paused: bool | None = None
    begin: bool = False


def build_app(auction: Auction, console: str) -> FastAPI:
    """The application; `console` is the address of the service's console, which pages link to."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _add_files(app)

    @app.get("/health/live")
    async def live() -> dict[str, bool]:
        return {"live": True}

    @app.get("/api/board")
    async def board() -> dict[str, Any]:
        return {**auction.board(), "console": console}

    @app.post("/api/check")
    async def check(wish: Wish) -> dict[str, object]:
        return preview(wish, auction.market)

    @app.post("/api/offers", status_code=201)
    async def announce(given: Announcement) -> dict[str, int]:
        return {"seq": (await auction.sellers.announce(given)).seq}

    @app.put("/api/evening")
    async def steer(given: Steering) -> dict[str, Any]:
        auction.evening.steer(given.speed, given.paused)
        if given.begin:
            auction.evening.begin()
        return asdict(auction.evening.state())

    @app.websocket("/api/alerts")
    async def alerts(socket: WebSocket) -> None:
        await auction.buyers.serve(socket)

    app.add_exception_handler(TidingsError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_misfit)
    app.add_middleware(Guard)
    return app


def _add_files(app: FastAPI) -> None:
    """Serve the pages, and what they share with the console: modules, styles, Preact."""
    pages, shared = ConsoleFiles(directory=_PAGES), ConsoleFiles(directory=FOLDER)

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
