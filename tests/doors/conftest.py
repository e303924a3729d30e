"""Every test here talks to a service through a client, whatever the way there.

Tests are coroutine functions; they run on a loop of their own, and the service ends with them.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doors.corba import IiopService
from tests.doors.left_out import leave_out
from tests.doors.services import HttpService, InProcessService, Service

_DOORS: dict[str, Callable[[Path | None], Service]] = {
    "in-process": InProcessService,
    "HTTP": HttpService,
    "IIOP": IiopService,
}


@pytest.fixture(params=[f"{door}, {where}" for door in _DOORS for where in ("memory", "disk")])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Service:
    """A service to talk to."""
    return _made(request.param, tmp_path)


@pytest.fixture(params=[f"{door}, disk" for door in _DOORS])
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Service:
    """A service that can be started again."""
    return _made(request.param, tmp_path)


def _made(kind: str, folder: Path) -> Service:
    door, where = kind.split(", ")
    return _DOORS[door](folder / "data" if where == "disk" else None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what CORBA cannot express, over CORBA."""
    leave_out(config, items)


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
                if isinstance(one, InProcessService | HttpService | IiopService):
                    await one.close()

    asyncio.run(scene())
    return True
