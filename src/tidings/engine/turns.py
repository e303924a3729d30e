"""Long work in turns: others get the loop before they have waited for long."""

from __future__ import annotations

import asyncio
from typing import Final

from tidings.clock import monotonic_microseconds

__all__ = ["Turns"]

# How long one turn may hold up the loop, in microseconds; well below what counts as a block.
_TURN: Final = 1_500


class Turns:
    """Gives others a turn on the loop before they have waited for long."""

    __slots__ = ("_since",)

    def __init__(self) -> None:
        self._since = monotonic_microseconds()

    async def give(self) -> None:
        """Lets others go on if they have waited long enough."""
        if monotonic_microseconds() - self._since > _TURN:
            await asyncio.sleep(0)
            self._since = monotonic_microseconds()
