"""Retrying while the service is unreachable."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from tidings.client.transports.backoff import pauses
from tidings.errors import Stopping, TidingsError
from tidings.orb.exceptions import BAD_INV_ORDER, COMM_FAILURE, TRANSIENT, Completion

CLOSED: Final = "the client is closed: make another one"


def is_away(error: object) -> bool:
    """Tell whether an error means that the service is unreachable for now."""
    return isinstance(error, TidingsError) and isinstance(error.__cause__, COMM_FAILURE | TRANSIENT)


def not_done(error: object) -> bool:
    """Tell whether an error means that the service is unreachable and did nothing."""
    if not isinstance(error, TidingsError):
        return False
    cause = error.__cause__
    return isinstance(cause, COMM_FAILURE | TRANSIENT) and cause.completed is Completion.NO


class Patience:
    """How long calls retry while the service is unreachable, counted from the first failure."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ended = asyncio.Event()

    def tries(self) -> Tries:
        """Start the retries of one call."""
        return Tries(self)

    def end(self) -> None:
        """Stop all retries: the client is being closed."""
        self._ended.set()

    @property
    def seconds(self) -> float:
        """How long to retry."""
        return self._seconds

    def check_end(self, error: TidingsError) -> None:
        """Raise `Stopping` instead of an error caused by closing the client."""
        closed = is_away(error) or isinstance(error.__cause__, BAD_INV_ORDER)
        if closed and self._ended.is_set():
            raise Stopping(CLOSED) from error

    async def pause(self, seconds: float) -> None:
        """Wait; raise `Stopping` as soon as the client is closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        if self._ended.is_set():
            raise Stopping(CLOSED)


class Tries:
    """The retries of one call; made by `Patience.tries`."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._pauses = pauses()
        self._until: float | None = None

    async def again(self) -> bool:
        """Back off before the next try; return False if the time is up."""
        now = asyncio.get_running_loop().time()
        if self._until is None:
            self._until = now + self._patience.seconds
        pause = next(self._pauses)
        if now + pause >= self._until:
            return False
        await self._patience.pause(pause)
        return True
