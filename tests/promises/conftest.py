"""Every test here talks to a service through a client, whatever the way there.

The service ends with the test, on the test's own loop.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from tests.promises.corba import IiopService
from tests.promises.left_out import leave_out
from tests.promises.services import HttpService, InProcessService, Service

_DOORS: dict[str, Callable[[Path | None], Service]] = {
    "in-process": InProcessService,
    "HTTP": HttpService,
    "IIOP": IiopService,
}


# What a door adds does not depend on where events are kept: one of them meets both.
@pytest.fixture(params=["in-process, memory", *(f"{door}, disk" for door in _DOORS)])
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
    """Leaves out what CORBA cannot express, over CORBA; what opens sockets counts as slow."""
    leave_out(config, items)
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and "in-process" not in item.name:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Ends the services of a coroutine function on its own loop."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return

    @wraps(test)
    async def scene(**given: Any) -> None:
        try:
            await test(**given)
        finally:
            for one in given.values():
                if isinstance(one, InProcessService | HttpService | IiopService):
                    await one.close()

    pyfuncitem.obj = scene
