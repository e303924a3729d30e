"""Host time: a clock that cannot be set, and its distance from the machine's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidings.clock import Clock, monotonic_microseconds

# A slewed clock is at most 500 ppm off: it needs a quarter of an hour for this much.
THRESHOLD: Final = 500_000


class SteadyClock:
    """A clock that starts at wall time and then advances with a monotonic one, in microseconds.

    It times all waits, so that setting the machine's clock delays nothing. Host time plus `offset`
    is wall time, as far as known.
    """

    def __init__(self, wall: Clock, monotonic: Callable[[], int] = monotonic_microseconds) -> None:
        self._wall = wall
        self._monotonic = monotonic
        self._base = wall.now() - monotonic()
        self.offset = 0

    def now(self) -> int:
        """Return host time in microseconds."""
        return self._base + self._monotonic()

    def check(self) -> int | None:
        """Compare with the wall clock; return the offset if it changed by more than `THRESHOLD`.

        Smaller differences are ignored until they add up.
        """
        found = self._wall.now() - self.now()
        if abs(found - self.offset) <= THRESHOLD:
            return None
        self.offset = found
        return found
