"""A clock for the simulated evening, which can be paused and sped up while others wait for it."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Pace:
    """Seconds of the evening; `speed` of them pass in one real second, none at speed 0."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._passed = 0.0
        self._since = self._time()
        self._changed = asyncio.Event()

    @staticmethod
    def _time() -> float:
        return asyncio.get_running_loop().time()

    @property
    def now(self) -> float:
        """Seconds of the evening that have passed."""
        return self._passed + (self._time() - self._since) * self.speed

    def set_speed(self, speed: float) -> None:
        """Go on at another speed from now on."""
        self._passed, self._since, self.speed = self.now, self._time(), speed
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, moment: float) -> None:
        """Wait until so many seconds of the evening have passed."""
        while (left := moment - self.now) > 0:
            wait = left / self.speed if self.speed else None
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._changed.wait()

    async def sleep(self, seconds: float) -> None:
        """Wait for seconds of the evening."""
        await self.until(self.now + seconds)
