"""Host time: a clock that nobody can set, and how far the machine's clock is from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidings.clock import Clock, monotonic_microseconds

# A clock that is slewed runs at most 500 ppm wrong: it needs a quarter of an hour for this much.
THRESHOLD: Final = 500_000


class SteadyClock:
    """Starts at the wall clock's time and then advances with a monotonic one.

    Waiting times are counted by it, so that setting the machine's clock makes nothing late.

    Args:
        wall: The clock of the machine.
        monotonic: Microseconds from some moment on, never set.

    Attributes:
        offset: Host time plus this is wall time, as far as is known.
    """

    def __init__(self, wall: Clock, monotonic: Callable[[], int] = monotonic_microseconds) -> None:
        self._wall = wall
        self._monotonic = monotonic
        self._base = wall.now() - monotonic()
        self.offset = 0

    def now(self) -> int:
        """Host time in microseconds."""
        return self._base + self._monotonic()

    def check(self) -> int | None:
        """Compares with the wall clock.

        Returns:
            The new offset if it differs from the known one by more than `THRESHOLD`; smaller
            differences are ignored until they add up.
        """
        found = self._wall.now() - self.now()
        if abs(found - self.offset) <= THRESHOLD:
            return None
        self.offset = found
        return found
