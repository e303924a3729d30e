"""Long work in turns, so that others get the loop soon.

However many tasks have long work to do, one of them has a turn in each round of the loop, the one
that waited longest: a short task waits for one turn and not for all of theirs.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from weakref import WeakKeyDictionary

from tidings.clock import monotonic_microseconds

# How long one turn may hold up the loop, in microseconds; well below what counts as a block.
_TURN: Final = 1_500
# A task away for so long has waited, and others had the loop; in microseconds.
_PAUSE: Final = 100


class _Row:
    """Tasks that have used up their turn, in the order of their next."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[asyncio.Future[None]] = deque()

    def join(self) -> asyncio.Future[None]:
        future = self._loop.create_future()
        self._waiting.append(future)
        if len(self._waiting) == 1:
            self._loop.call_soon(self._next)
        return future

    def _next(self) -> None:
        first = self._waiting.popleft()
        if not first.done():
            first.set_result(None)
        if self._waiting:
            self._loop.call_soon(self._next)


_rows: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Row]] = WeakKeyDictionary()


class Turns:
    """The turns of one piece of long work."""

    __slots__ = ("_asked", "_since")

    def __init__(self) -> None:
        self._since = self._asked = monotonic_microseconds()

    @property
    def over(self) -> bool:
        """Return whether the turn is used up; in hot loops, check this before `give`."""
        self._asked = now = monotonic_microseconds()
        return now - self._since > _TURN

    def go_on(self) -> None:
        """Begin a new turn if the task has waited since `over`: waiting is not work."""
        now = monotonic_microseconds()
        if now - self._asked > _PAUSE:
            self._since = now

    async def give(self) -> None:
        """Yield to others if the turn is used up."""
        if self.over:
            await self.wait()

    async def wait(self) -> None:
        """Wait for the next turn before long work, so that not all tasks begin at once."""
        loop = asyncio.get_running_loop()
        row = _rows.get(loop)
        if row is None:
            row = _rows[loop] = _Row(loop)
        await row.join()
        self._since = monotonic_microseconds()
