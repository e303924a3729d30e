"""The subscriber agent as a web application: its pages, and what they ask for.

It has no logins: whoever reaches it may read and announce under any name. So only browsers on this
machine reach it, from pages of its own.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from starlette.websockets import WebSocket

from tidings.apps.local_pages import local_app, served_app
from tidings.apps.subscriber_agent import announcing, subscriptions
from tidings.apps.subscriber_agent.announcing import Draft, Registration
from tidings.apps.subscriber_agent.inbox import Inbox
from tidings.apps.subscriber_agent.services import see_services
from tidings.apps.subscriber_agent.subscriptions import Wish
from tidings.changes.documents import require_lxml
from tidings.client.client import Client

_PAGES: Final = Path(__file__).with_name("pages")
PORT: Final = 8092


def build_app(client: Client, console: str) -> FastAPI:
    """The application; `console` is the address of the service's console, which pages link to."""
    require_lxml()
    app, inbox = local_app(_PAGES), Inbox(client)

    @app.get("/api/services")
    async def services() -> dict[str, Any]:
        return {**await see_services(client), "console": console}

    @app.get("/api/subscribers/{subscriber}")
    async def see(subscriber: str) -> dict[str, Any]:
        wish = await subscriptions.see_wish(client, subscriber)
        return {"wish": None if wish is None else wish.model_dump()}

    @app.put("/api/subscribers/{subscriber}")
    async def pick(subscriber: str, wish: Wish) -> None:
        await subscriptions.subscribe(client, subscriber, wish)

    @app.delete("/api/subscribers/{subscriber}")
    async def leave(subscriber: str) -> None:
        await subscriptions.unsubscribe(client, subscriber)

    @app.websocket("/api/notices")
    async def notices(socket: WebSocket) -> None:
        await inbox.serve(socket)

    @app.get("/api/evolvers")
    async def evolvers() -> dict[str, Any]:
        return {"evolvers": await announcing.see_evolvers(client)}

    @app.post("/api/evolvers", status_code=201)
    async def register(given: Registration) -> None:
        await announcing.register(client, given)

    @app.post("/api/audience")
    async def audience(draft: Draft) -> dict[str, Any]:
        return {"audience": await announcing.see_audience(client, draft)}

    @app.post("/api/announcements", status_code=201)
    async def announce(draft: Draft) -> dict[str, str]:
        return {"notice": await announcing.announce(client, draft)}

    return app


@asynccontextmanager
async def served(client: Client, console: str, listening: socket.socket) -> AsyncIterator[str]:
    """Serve the pages while the context lasts; yield their address."""
    async with served_app(build_app(client, console), listening) as url:
        yield url
