"""A web door to test with: a host in memory, the application over it, and a client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI

from tests.patience import PATIENCE
from tidings.engine.host import Host
from tidings.web.app import build_app
from tidings.web.options import WebOptions
from tidings.web.state import WebState

PROBLEM = "application/problem+json"


class WebDoor:
    """A host, its web door, and a client of that."""

    def __init__(self, host: Host, app: FastAPI, client: httpx2.AsyncClient) -> None:
        self.host = host
        self.app = app
        self.client = client

    @property
    def state(self) -> WebState:
        state: WebState = self.app.state.web
        return state

    async def ask(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """The answer to a request, which must have this status, parsed."""
        given = {} if body is None else {"json": body}
        response = await self.client.request(method, path, **given)
        assert response.status_code == status, (method, path, response.text)
        if status >= 400:
            check_problem(response, status)
        return response.json() if response.content else None

    async def refused(self, method: str, path: str, body: Any, status: int, code: str) -> Any:
        """The problem a request is answered with."""
        problem = await self.ask(method, path, body, status)
        assert problem["code"] == code, problem
        return problem


def check_problem(response: httpx2.Response, status: int) -> None:
    """An error answer is a problem document that says what it must."""
    assert response.headers["content-type"] == PROBLEM
    problem = response.json()
    assert problem["status"] == response.status_code == status
    assert problem["type"] == f"urn:tidings:error:{problem['code']}"
    assert problem["title"]
    assert problem["detail"]


@asynccontextmanager
async def web_door(
    options: WebOptions | None = None, folder: Path | None = None, **given: Any
) -> AsyncIterator[WebDoor]:
    """A web door over a host, in memory unless there is a folder."""
    host = await Host.open(folder)
    app = build_app(host, options or WebOptions())
    transport = httpx2.ASGITransport(app=app)
    base: Any = {"base_url": "http://localhost:8080", "timeout": PATIENCE, **given}
    try:
        async with httpx2.AsyncClient(transport=transport, **base) as client:
            yield WebDoor(host, app, client)
    finally:
        app.state.web.close()
        await host.close(0.05)
