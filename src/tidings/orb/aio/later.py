"""Results that come later, without a task."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

T = TypeVar("T")

Told = Callable[[T | None, BaseException | None], None]


class Later(Generic[T]):
    """What a plain method of a servant returns when its result is not there yet.

    The waiting function runs at the moment the result comes, not in the next turn of the event
    loop. It can be awaited, too.
    """

    # Most of these are never set: making them would take longer than all else.
    _has_ended = False
    _value: T | None = None
    _error: BaseException | None = None
    _told: Told[T] | None = None
    _ended: asyncio.Future[None] | None = None

    def done(self) -> bool:
        """Whether the result is there."""
        return self._has_ended

    def set_result(self, value: T) -> None:
        """Give the result."""
        self._end(value, None)

    def set_exception(self, error: BaseException) -> None:
        """Fail with an error."""
        self._end(None, error)

    def cancel(self) -> None:
        """Call nobody back; whoever awaits it is cancelled."""
        if not self._has_ended:
            self._told = None
            self._end(None, asyncio.CancelledError())

    def _end(self, value: T | None, error: BaseException | None) -> None:
        self._has_ended = True
        self._value = value
        self._error = error
        if self._told is not None:
            self._told(value, error)
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def then(self, told: Told[T]) -> None:
        """Call a function when it ends, at once if it has ended."""
        self._told = told
        if self._has_ended:
            told(self._value, self._error)

    def ended(self) -> asyncio.Future[None]:
        """A future that is done when the result or the error is there."""
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
            if self._has_ended:
                self._ended.set_result(None)
        return self._ended

    def __await__(self) -> Generator[object, None, T]:
        if not self._has_ended:
            yield from self.ended()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value] # it has ended without an error
