"""Every test here talks to a service through a client, whatever the way there.

Tests are coroutine functions; they run on a loop of their own, and the service ends with them.
"""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any

import pytest

from tests.doors.services import HttpService, InProcessService, Service


@pytest.fixture(params=["in-process, memory", "in-process, disk", "HTTP, memory", "HTTP, disk"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Service:
    """A service to talk to."""
    return _made(request.param, tmp_path)


@pytest.fixture(params=["in-process, disk", "HTTP, disk"])
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Service:
    """A service that can be started again."""
    return _made(request.param, tmp_path)


def _made(kind: str, folder: Path) -> Service:
    data = folder / "data" if kind.endswith("disk") else None
    return HttpService(data) if kind.startswith("HTTP") else InProcessService(data)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a coroutine function, and ends its service."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    names = inspect.signature(test).parameters
    given: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in names}

    async def scene() -> None:
        try:
            await test(**given)
        finally:
            for one in given.values():
                if isinstance(one, InProcessService | HttpService):
                    await one.close()

    asyncio.run(scene())
    return True
