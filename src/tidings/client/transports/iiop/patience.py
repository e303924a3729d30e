"""Waiting for a service that is away."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from tidings.client.transports.backoff import pauses
from tidings.errors import Stopping, TidingsError
from tidings.orb.exceptions import BAD_INV_ORDER, COMM_FAILURE, TRANSIENT, Completion

CLOSED: Final = "the client is closed: make another one"


def is_away(error: object) -> bool:
    """Whether an error says that the service is not there, for the time being."""
    return isinstance(error, TidingsError) and isinstance(error.__cause__, COMM_FAILURE | TRANSIENT)


def not_done(error: object) -> bool:
    """Whether an error says that the service is away, and that nothing was done."""
    if not isinstance(error, TidingsError):
        return False
    cause = error.__cause__
    return isinstance(cause, COMM_FAILURE | TRANSIENT) and cause.completed is Completion.NO


class Patience:
    """How long whoever asks waits for a service that is away.

    Args:
        seconds: From the first failure on; one try is always made.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ended = asyncio.Event()

    def tries(self) -> Tries:
        """The tries of one who asks."""
        return Tries(self)

    def end(self) -> None:
        """Nobody waits any more: the client is being closed."""
        self._ended.set()

    @property
    def seconds(self) -> float:
        """How long there is."""
        return self._seconds

    def check_end(self, error: TidingsError) -> None:
        """Says what an error means once the client is being closed.

        Raises:
            Stopping: It came of that, or nobody waits for the service any more.
        """
        closed = is_away(error) or isinstance(error.__cause__, BAD_INV_ORDER)
        if closed and self._ended.is_set():
            raise Stopping(CLOSED) from error

    async def pause(self, seconds: float) -> None:
        """Waits; not beyond the end.

        Raises:
            Stopping: The client was closed.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        if self._ended.is_set():
            raise Stopping(CLOSED)


class Tries:
    """The tries of one who asks; made by `Patience.tries`."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._pauses = pauses()
        self._until: float | None = None

    async def again(self) -> bool:
        """Waits before the next try, after one that failed; False if there is none.

        Raises:
            Stopping: The client was closed meanwhile.
        """
        now = asyncio.get_running_loop().time()
        if self._until is None:
            self._until = now + self._patience.seconds
        pause = next(self._pauses)
        if now + pause >= self._until:
            return False
        await self._patience.pause(pause)
        return True
