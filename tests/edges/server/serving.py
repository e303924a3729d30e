"""A service inside the test's own process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from tidings.server.layers import Given, Sources
from tidings.server.lifecycle import Service
from tidings.server.logs import Logs

TOKEN = "a-token-of-the-owner"


def sources(file: Path | None = None, **flags: object) -> Sources:
    """Settings for a test: a free port, nothing from outside; `http__port` is `http.port`."""
    given = {"http.port": Given(0, "--port")}
    given |= {name.replace("__", "."): Given(value, "test") for name, value in flags.items()}
    return Sources(file, None, given, {})


@asynccontextmanager
async def serving(place: Sources) -> AsyncIterator[tuple[Service, httpx2.AsyncClient]]:
    """A service that is ready, and somebody who asks it."""
    loaded = place.load()
    logs = Logs(loaded.settings.log.level, loaded.settings.log.format)
    logs.install()
    try:
        async with Service(place, loaded, logs) as service:
            service.ready()
            async with httpx2.AsyncClient(base_url=service.url) as client:
                yield service, client
    finally:
        logs.uninstall()
