"""A way between client and service that can be cut at any moment."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self

__all__ = ["CuttingProxy"]


class CuttingProxy:
    """Passes connections on to a port of this machine, and cuts them when told to.

    Args:
        target_port: Where to.

    Attributes:
        port: Where to connect to instead.
        target_port: Where new connections lead.
        refusing: Whether new connections are cut at once.
        muting: Whether what comes from the service is lost.
        deafening: Whether what goes to the service is lost.
        passed: How many octets came from the service.
    """

    def __init__(self, target_port: int) -> None:
        self.target_port = target_port
        self.port = 0
        self.refusing = self.muting = self.deafening = False
        self._moving = asyncio.Event()
        self._moving.set()
        self.passed = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> Self:
        """Begins to listen; where it did before, if it was closed."""
        self.refusing = False
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def cut(self) -> None:
        """Cuts all connections at once, in both directions; what is on its way is lost."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def hold(self) -> None:
        """Holds all octets back, in both directions, until `release`: a peer that is very slow."""
        self._moving.clear()

    def release(self) -> None:
        """Passes on what was held back, and what comes."""
        self._moving.set()

    async def close(self) -> None:
        """Cuts everything, and listens no more."""
        self.refusing = True
        if self._server is not None:
            self._server.close()
        while self._tasks:  # those that were about to connect are cut once they are
            self.cut()
            await asyncio.wait(self._tasks, timeout=0.01)

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            if not self.refusing:
                await self._pass_on(reader, writer)
        finally:
            writer.transport.abort()
            self._writers.discard(writer)
            self._tasks.discard(task)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self.target_port)
            self._writers.add(back)
            try:
                directions = [
                    asyncio.ensure_future(self._copy(reader, back, counted=False)),
                    asyncio.ensure_future(self._copy(there, writer, counted=True)),
                ]
                try:
                    await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for direction in directions:
                        direction.cancel()
                    await asyncio.gather(*directions, return_exceptions=True)
            finally:
                back.transport.abort()
                self._writers.discard(back)

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counted: bool
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._moving.wait()
                if counted:
                    self.passed += len(data)
                if self.muting if counted else self.deafening:
                    continue
                writer.write(data)
                await writer.drain()
