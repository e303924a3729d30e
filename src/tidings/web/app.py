"""The web door as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache

from fastapi import APIRouter, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute

from tidings.engine.host import Host
from tidings.web import (
    console_files,
    health,
    live,
    metrics,
    openapi,
    outline,
    rates,
    replay,
    summary,
    tail,
    websocket,
)
from tidings.web.faults import LastResort, add_handlers
from tidings.web.options import WebOptions
from tidings.web.paths import PathParts
from tidings.web.rates import Rates
from tidings.web.routes import events, jobs, logins, operations, overview, pulling
from tidings.web.security import Guard
from tidings.web.state import WebState

_DEFAULTS = WebOptions()

# What is asked for most often comes first: routes are tried in order.
_V1 = (
    *(events, pulling, websocket, tail, replay, operations),
    *(overview, summary, outline, rates, logins, jobs, live),
)


def build_app(host: Host, options: WebOptions = _DEFAULTS) -> FastAPI:
    """The web door of a host, which the caller closes; routes share `app.state.web`."""
    app = FastAPI(
        title="Tidings",
        routes=list(_routes()),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.web = WebState(host, options)
    openapi.describe(app)
    add_handlers(app)
    # The last one added is the first to see a request.
    app.add_middleware(Guard, options=options, host=host)
    if options.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=options.allowed_origins,
            allow_methods=("DELETE", "GET", "PATCH", "POST", "PUT"),
            allow_headers=("Authorization", "Content-Type", "Last-Event-ID",
                           "Tidings-Producer", "Tidings-Number"),
            expose_headers=("Location", "Retry-After"),
        )  # fmt: skip
    app.add_middleware(PathParts)
    app.add_middleware(LastResort)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """All routes, which know no host; FastAPI takes a tenth of a second to make them.

    It would do so when the first request comes, if they had not been asked whether they match.
    """
    every = APIRouter()
    for module in _V1:
        router: APIRouter = module.router
        every.include_router(router, prefix="/v1")
    others = (health.router, metrics.router, jobs.linked, console_files.router, openapi.router)
    for router in others:
        every.include_router(router)
    scope = {"type": "http", "method": "GET", "path": "/-", "headers": []}
    for route in every.routes:
        route.matches(dict(scope))
    return tuple(every.routes)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    state: WebState = app.state.web
    watch = asyncio.create_task(state.part(Rates).watch())
    try:
        yield
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
        state.close()
