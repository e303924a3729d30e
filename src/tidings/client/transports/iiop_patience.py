"""Waiting for a service that is away, and what may be asked of it a second time."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from tidings.client.transports.backoff import pauses
from tidings.errors import (
    AlreadyConnected,
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    FilterNotFound,
    NotFound,
    Stopping,
    TidingsError,
)
from tidings.orb.exceptions import BAD_INV_ORDER, COMM_FAILURE, TRANSIENT, Completion

CLOSED: Final = "the client is closed: make another one"

# Operations that change nothing, or nothing more when they come a second time. A pull is one of
# them: what was handed over as the line broke is gone, whether or not it is asked again.
_REPEATABLE: Final = (
    "_",
    "connect_",
    "destroy",
    "disconnect_",
    "get_",
    "obtain_offered_types",
    "obtain_subscription_types",
    "offer_change",
    "pull",
    "remove_",
    "resume_connection",
    "set_",
    "subscription_change",
    "suspend_connection",
    "try_pull",
    "validate_",
)
# What a call that is made again says when the first one was carried out.
_DONE_BEFORE: Final[tuple[tuple[str, type[TidingsError]], ...]] = (
    ("connect_", AlreadyConnected),
    ("destroy", NotFound),
    ("disconnect_", NotFound),
    ("remove_filter", FilterNotFound),
    ("resume_connection", ConnectionAlreadyActive),
    ("suspend_connection", ConnectionAlreadyInactive),
)


def is_repeatable(operation: str) -> bool:
    """Whether a call may be made again when nobody knows whether it was carried out."""
    return operation.startswith(_REPEATABLE)


def done_before(operation: str, error: TidingsError) -> bool:
    """Whether the error to a call that is made again says that the first one was carried out."""
    return any(
        operation.startswith(name) and isinstance(error, kind) for name, kind in _DONE_BEFORE
    )


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
