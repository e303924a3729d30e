"""Long work in turns: others get the loop before they have waited for long.

However many have long work to do, one of them has a turn in each round of the loop, the one that
waited longest: whoever has little to do waits for one turn and not for all of theirs.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from weakref import WeakKeyDictionary

from tidings.clock import monotonic_microseconds

# How long one turn may hold up the loop, in microseconds; well below what counts as a block.
_TURN: Final = 1_500
# Who was not back for so long has waited, and others had the loop; in microseconds.
_PAUSE: Final = 100


class _Row:
    """Those who have used their turn up, in the order in which they get the next."""

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
        """Whether others have waited long enough; where much is done, asked before `give`."""
        self._asked = now = monotonic_microseconds()
        return now - self._since > _TURN

    def go_on(self) -> None:
        """Begins a new turn if it was waited since `over` was asked: waiting is no work."""
        now = monotonic_microseconds()
        if now - self._asked > _PAUSE:
            self._since = now

    async def give(self) -> None:
        """Lets others go on if they have waited long enough."""
        if self.over:
            await self.wait()

    async def wait(self) -> None:
        """Waits for the next turn: who has long work before it begins, else all begin at once."""
        loop = asyncio.get_running_loop()
        row = _rows.get(loop)
        if row is None:
            row = _rows[loop] = _Row(loop)
        await row.join()
        self._since = monotonic_microseconds()
