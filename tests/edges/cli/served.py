"""The commands over a service in this process, which lives through all commands of a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from typer.testing import Result

from tests.edges.cli.running import tidings
from tests.promises.services import InProcessService
from tidings.cli.connection import Service
from tidings.client.client import Client

_T = TypeVar("_T")


class Served:
    """A service, and the loop that it and all commands share."""

    def __init__(self, folder: Path) -> None:
        self._service = InProcessService(folder)
        self._runner = asyncio.Runner()
        self.run_coroutine = self._runner.run
        self.asked: list[Service] = []

    @asynccontextmanager
    async def connected(self, service: Service) -> AsyncIterator[Client]:
        """Stands in for the way over the network."""
        self.asked.append(service)
        async with await self._service.client() as client:
            yield client

    def close(self) -> None:
        """Ends the service."""
        self._runner.run(self._service.close())
        self._runner.close()

    def tidings(self, *arguments: str, given: str | bytes | None = None) -> Result:
        """Runs a command."""
        return tidings(*arguments, given=given)

    def done(self, *arguments: str, given: str | bytes | None = None) -> str:
        """What a command writes that must succeed."""
        result = tidings(*arguments, given=given)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *arguments: str, given: str | bytes | None = None) -> str:
        """What a command says that must fail."""
        result = tidings(*arguments, given=given)
        assert result.exit_code == 2, result.output
        return result.stderr

    def run(self, scene: Callable[[Client], Coroutine[Any, Any, _T]]) -> _T:
        """Plays something with a client."""

        async def played() -> _T:
            async with self.connected(Service()) as client:
                return await scene(client)

        return self._runner.run(played())
