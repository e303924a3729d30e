"""A way between client and service that fails in every way a network can."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from tests.promises.cutting import CuttingProxy

__all__ = ["BadWay", "Direction"]


class Direction:
    """What is done to the octets that go one way.

    Attributes:
        left: After so many more octets the connection is closed, in order, behind them; None
            for never. It counts for one connection.
        swallowing: Whether octets are taken in, and lost.
        swallowed: How many were.
        now: What connections that are made now wait for before anything is passed on.
    """

    def __init__(self) -> None:
        self.left: int | None = None
        self.swallowing = False
        self.swallowed = 0
        self.now = asyncio.Event()
        self.now.set()
        self._shut: list[asyncio.Event] = []

    def stall(self) -> None:
        """Passes nothing on any more over the connections there are; they stay open."""
        self.now.clear()
        self._shut.append(self.now)
        self.now = asyncio.Event()
        self.now.set()

    def cut(self) -> None:
        """What is passed on later is passed on well; what is held up goes nowhere."""
        self.swallowing = False
        for gate in self._shut:
            gate.set()
        self._shut.clear()

    async def passed(self, data: bytes, gate: asyncio.Event) -> bytes:
        """What goes on of some octets, as soon as it can."""
        await gate.wait()
        if self.swallowing:
            self.swallowed += len(data)
            return b""
        return data if self.left is None else data[: self.left]


class BadWay(CuttingProxy):
    """Beside cutting: half a frame, octets that are lost, and silence.

    Attributes:
        up: From the client to the service.
        down: From the service to the client.
    """

    def __init__(self, target_port: int) -> None:
        super().__init__(target_port)
        self.up = Direction()
        self.down = Direction()

    def cut(self) -> None:
        """Cuts all connections; those to come are good."""
        super().cut()
        self.up.cut()
        self.down.cut()

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counted: bool
    ) -> None:
        direction = self.down if counted else self.up
        gate = direction.now
        with suppress(OSError):
            while data := await reader.read(65_536):
                if counted:
                    self.passed += len(data)
                writer.write(await direction.passed(data, gate))
                await writer.drain()
                if direction.left is not None:
                    direction.left -= min(len(data), direction.left)
                    if not direction.left:
                        direction.left = None
                        writer.close()
                        await writer.wait_closed()
                        return
