"""Retrying while a service is unreachable: exponential back-off with jitter, within limits."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from tidings.errors import InvalidUsage, Stopping
from tidings.names import new_origin

PATIENCE: Final = 30.0
"""Default time to retry while the service is unreachable, in seconds."""

ONE_TRY: Final = 1.0
"""Minimum time for the first try, in seconds."""

CLOSED: Final = "the client is closed: make another one"

_FIRST: Final = 0.02
_LONGEST: Final = 2.0

_chance: Final = random.Random(new_origin())


def pauses() -> Iterator[float]:
    """Yield seconds to wait: doubling up to two seconds, each shortened by up to half.

    The jitter spreads the reconnects of clients that lost the service together.
    """
    pause = _FIRST
    while True:
        yield _chance.uniform(pause / 2, pause)
        pause = min(2 * pause, _LONGEST)


def checked_patience(seconds: float) -> float:
    """Return the patience, refusing anything but a non-negative number."""
    try:
        right = seconds >= 0
    except TypeError:
        right = False
    if not right:
        raise InvalidUsage(f"patience is a number of seconds from 0 on, not {seconds!r:.60}")
    return seconds


class Patience:
    """How long calls retry while the service is unreachable, counted from the first failure."""

    def __init__(self, seconds: float) -> None:
        self.seconds = checked_patience(seconds)
        self._ended = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether the client is being closed."""
        return self._ended.is_set()

    def end(self) -> None:
        """Stop all retries: the client is being closed."""
        self._ended.set()

    def tries(self) -> Tries:
        """Start the retries of one call."""
        return Tries(self)

    async def pause(self, seconds: float) -> None:
        """Wait; raise `Stopping` as soon as the client is closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        if self.ended:
            raise Stopping(CLOSED)


class Tries:
    """The retries of one call; made by `Patience.tries`."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._pauses = pauses()
        self._until: float | None = None

    async def again(self, *, spent: bool = False) -> bool:
        """Back off before the next try; return False if the time is up, or was `spent` in one."""
        now = asyncio.get_running_loop().time()
        if self._until is None:
            self._until = now if spent else now + self._patience.seconds
        pause = next(self._pauses)
        if now + pause >= self._until:
            return False
        await self._patience.pause(pause)
        return True
