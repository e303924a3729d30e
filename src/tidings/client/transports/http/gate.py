"""Where those wait who need the service, until it is there."""

from __future__ import annotations

import asyncio

from tidings.errors import TidingsError


class Gate:
    """Lets through whoever comes while it is open; the others wait.

    Attributes:
        is_open: Whether it is.
    """

    def __init__(self) -> None:
        self.is_open = False
        self._waiters: set[asyncio.Future[None]] = set()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiters)

    async def wait(self, seconds: float) -> None:
        """Waits until it is open.

        Raises:
            TimeoutError: It was not in that time.
            TidingsError: What `refuse` was given.
        """
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
        """Lets all through, and whoever comes later."""
        self.is_open = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def shut(self) -> None:
        """Whoever comes from now on waits."""
        self.is_open = False

    def refuse(self, error: TidingsError) -> None:
        """Tells those who wait that they do so in vain."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(error)
