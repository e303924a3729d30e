"""Waiting until the service is connected."""

from __future__ import annotations

import asyncio

from tidings.errors import TidingsError


class Gate:
    """Blocks callers while it is shut."""

    def __init__(self) -> None:
        self.is_open = False
        self._waiters: set[asyncio.Future[None]] = set()

    def __len__(self) -> int:
        """Number of waiting callers."""
        return len(self._waiters)

    async def wait(self, seconds: float) -> None:
        """Wait until the gate is open; raise `TimeoutError`, or the error given to `refuse`."""
        if self.is_open:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            async with asyncio.timeout(seconds):
                await waiter
        finally:
            self._waiters.discard(waiter)

    def open(self) -> None:
        """Let current and later callers through."""
        self.is_open = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def shut(self) -> None:
        """Block later callers."""
        self.is_open = False

    def refuse(self, error: TidingsError) -> None:
        """Raise an error in all waiting callers."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(error)
