"""The core's next wake-up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

# Event loops refuse very long waits; a timer that is set further away wakes up in between.
LONGEST: Final = 3_600_000_000


class Timer:
    """One wake-up for the whole core, set to `at`; on the loop's thread.

    `due` is called once for each time set, when that time has come, and never earlier.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, now: Callable[[], int], due: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._now = now
        self._due = due
        self.at: int | None = None
        self._handle: asyncio.TimerHandle | None = None
        self._wakes = 0

    def set(self, at: int | None) -> None:
        """Replace the time, None for no wake-up; a past time is due in the loop's next turn."""
        self.at = at
        if self._handle is not None:
            # Waking up too early costs a look; arming again for each later time costs more.
            if at is not None and at >= self._wakes:
                return
            self._handle.cancel()
            self._handle = None
        if at is not None:
            self._arm(at)

    def _arm(self, at: int) -> None:
        now = self._now()
        self._wakes = min(at, now + LONGEST)
        self._handle = self._loop.call_later((self._wakes - now) / 1_000_000, self._fire)

    def _fire(self) -> None:
        self._handle = None
        at = self.at
        if at is None:
            return
        if self._now() < at:
            self._arm(at)
            return
        self.at = None
        self._due()
