"""Auction alert as a web application: its pages, and what they ask for.

It has no logins: whoever reaches it may sell and buy under any name. So only browsers on this
machine reach it, from pages of its own.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final, Self

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from starlette.websockets import WebSocket

from tidings.apps.auction_alert.buyers import Buyers
from tidings.apps.auction_alert.desk import Desk
from tidings.apps.auction_alert.evening import Evening
from tidings.apps.auction_alert.market import Market
from tidings.apps.auction_alert.scene import CATEGORIES
from tidings.apps.auction_alert.sellers import Announcement, Sellers
from tidings.apps.auction_alert.wish import Wish, preview
from tidings.apps.local_pages import local_app, served_app
from tidings.client.client import Client

_PAGES: Final = Path(__file__).with_name("pages")
_MOST_OFFERS: Final = 60
PORT: Final = 8090


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
    app = local_app(_PAGES)

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

    return app


@asynccontextmanager
async def served(
    client: Client, console: str, listening: socket.socket
) -> AsyncIterator[tuple[str, Auction]]:
    """Serve the pages while the context lasts; yield their address, and the auction."""
    async with (
        await Auction.of(client) as auction,
        served_app(build_app(auction, console), listening) as url,
    ):
        yield url, auction
