"""Pull consumers that lose no event when a caller stops waiting."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from tidings.channel.vocabulary import Form, Side, Style
from tidings.client.transport import TypesChanged
from tidings.client.transports.iiop.lines import Line, Pulled
from tidings.client.transports.iiop.objects import FarProxy, Objects
from tidings.client.transports.iiop.values import CorbaMessage, Events
from tidings.errors import InvalidUsage, TidingsError

# Effectively no timeout: a waiting call ends with events, or with the proxy.
_FOR_EVER: Final = 10.0 * 365 * 24 * 3600

_MICROSECONDS: Final = 1_000_000


class PullLine(Line):
    """A pull consumer.

    When the program stops waiting, the call at the service goes on; the next pull gets its events.
    """

    def __init__(
        self, objects: Objects, proxy: FarProxy, events: Events, on_types: TypesChanged | None
    ) -> None:
        super().__init__(on_types)
        self._objects = objects
        self._far, (side, style, self._form) = proxy
        if (side, style) != (Side.CONSUMER, Style.PULL):
            raise InvalidUsage(f"{self._far.words} serves no pull consumer")
        self._events = events
        self._kept: deque[CorbaMessage] = deque()
        self._waiting: asyncio.Task[None] | None = None
        self._looking: set[asyncio.Task[None]] = set()
        self._fault: TidingsError | None = None

    def moved(self, proxy: FarProxy) -> None:
        """Pull from the recreated proxy."""
        self._far = proxy.far

    async def pull(self, most: int, wait: int | None) -> Pulled:
        """Pull events; `wait` is in microseconds, 0 for not at all, None without limit."""
        if not self._kept:
            if wait == 0:
                await self._look(most)
            else:
                await self._wait(most, None if wait is None else wait / _MICROSECONDS)
        if not self._kept:
            self._raise()
        take = self._kept.popleft
        count = min(most, len(self._kept)) if self._form is Form.SEQUENCE else 1
        return Pulled([take() for _ in range(min(count, len(self._kept)))])

    async def _look(self, most: int) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch("try_pull", most))
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)
        await asyncio.wait([task])

    async def _wait(self, most: int, seconds: float | None) -> None:
        loop = asyncio.get_running_loop()
        until = None if seconds is None else loop.time() + seconds
        while not self._kept and self.error is None and self._fault is None:
            if self._waiting is None:
                self._waiting = loop.create_task(self._fetch("pull", most))
            left = None if until is None else until - loop.time()
            await asyncio.wait([self._waiting], timeout=left)
            if until is not None and loop.time() >= until:
                return

    async def _fetch(self, how: str, most: int) -> None:
        sequence = self._form is Form.SEQUENCE
        operation, arguments = how + _SUFFIXES[self._form], (most,) if sequence else ()
        try:
            found = await self._objects.call(
                self._far, operation, *arguments, timeout=_FOR_EVER if how == "pull" else None
            )
            if how == "try_pull":
                found, has_event = found
                if not has_event:
                    return
            self._kept.extend(self._events.read(self._form, found))
        except TidingsError as error:
            self._fault = error
        finally:
            if how == "pull":
                self._waiting = None

    def _raise(self) -> None:
        """Raise the pending error once; that of an ended proxy every time."""
        fault, self._fault = self._fault, None
        if self.error is not None:
            raise self.error
        if fault is not None:
            raise fault

    def close(self, error: Exception | None = None) -> None:
        """Cancel waiting calls."""
        super().close(error)
        self._kept.clear()
        for task in (self._waiting, *self._looking):
            if task is not None:
                task.cancel()


_SUFFIXES: Final = {
    Form.ANY: "",
    Form.STRUCTURED: "_structured_event",
    Form.SEQUENCE: "_structured_events",
}
