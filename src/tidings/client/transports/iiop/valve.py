"""Suspending a connection, for the program and for a full stream."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from tidings.errors import ConnectionAlreadyActive, ConnectionAlreadyInactive, TidingsError

_log: Final = logging.getLogger(__name__)


class Valve:
    """Suspends and resumes the service for the program and for a full stream."""

    def __init__(
        self, pause: Callable[[], Awaitable[None]], go_on: Callable[[], Awaitable[None]]
    ) -> None:
        self._pause = pause
        self._go_on = go_on
        self._turn = asyncio.Lock()
        self._full = False
        self._asked = False

    async def suspend(self) -> None:
        """Suspend for the program; raise `ConnectionAlreadyInactive` if it has already."""
        async with self._turn:
            if self._asked:
                raise ConnectionAlreadyInactive("the subscription is suspended already")
            if not self._full:
                await self._pause()
            self._asked = True

    async def resume(self) -> None:
        """Resume for the program; raise `ConnectionAlreadyActive` if it has not suspended."""
        async with self._turn:
            if not self._asked:
                raise ConnectionAlreadyActive("the subscription is not suspended")
            if not self._full:
                await self._go_on()
            self._asked = False

    async def fill(self, full: Callable[[], bool]) -> None:
        """Suspend if the stream is full; ignore errors, as the connection may have ended."""
        async with self._turn:
            if full() and not self._full:
                self._full = True
                if not self._asked:
                    await _tried(self._pause())

    async def begin_anew(self) -> None:
        """Suspend a recreated proxy if the old one was suspended."""
        async with self._turn:
            if self._full or self._asked:
                await _tried(self._pause())

    async def drain(self, empty: Callable[[], bool]) -> None:
        """Resume if the stream has room again."""
        async with self._turn:
            if self._full and empty():
                self._full = False
                if not self._asked:
                    await _tried(self._go_on())


async def _tried(work: Awaitable[None]) -> None:
    try:
        await work
    except TidingsError as error:
        _log.info("the service does not pause, or go on, as asked: %s", error)
