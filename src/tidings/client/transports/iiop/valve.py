"""Pauses: those a program asks for, and those a stream needs that is full."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from tidings.errors import ConnectionAlreadyActive, ConnectionAlreadyInactive, TidingsError

_log: Final = logging.getLogger(__name__)


class Valve:
    """Has a service pause and go on: on behalf of the program, and of a stream that is full.

    Args:
        pause: Asks the service to pause.
        go_on: Asks it to go on.
    """

    def __init__(
        self, pause: Callable[[], Awaitable[None]], go_on: Callable[[], Awaitable[None]]
    ) -> None:
        self._pause = pause
        self._go_on = go_on
        self._turn = asyncio.Lock()
        self._full = False
        self._asked = False

    async def suspend(self) -> None:
        """The program wants a pause.

        Raises:
            ConnectionAlreadyInactive: It has one.
        """
        async with self._turn:
            if self._asked:
                raise ConnectionAlreadyInactive("the subscription is suspended already")
            if not self._full:
                await self._pause()
            self._asked = True

    async def resume(self) -> None:
        """The program wants no pause any more.

        Raises:
            ConnectionAlreadyActive: It has none.
        """
        async with self._turn:
            if not self._asked:
                raise ConnectionAlreadyActive("the subscription is not suspended")
            if not self._full:
                await self._go_on()
            self._asked = False

    async def fill(self, full: Callable[[], bool]) -> None:
        """Pauses if something is full; the service may have ended the connection meanwhile."""
        async with self._turn:
            if full() and not self._full:
                self._full = True
                if not self._asked:
                    await _tried(self._pause())

    async def begin_anew(self) -> None:
        """Pauses as before, on a proxy that was made again and knows of no pause."""
        async with self._turn:
            if self._full or self._asked:
                await _tried(self._pause())

    async def drain(self, empty: Callable[[], bool]) -> None:
        """Goes on if something is no longer full."""
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
