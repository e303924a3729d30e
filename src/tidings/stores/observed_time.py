"""Observed time: measures ages so that setting the clock deletes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidings.clock import monotonic_microseconds

LONGEST_PAUSE: Final = 24 * 3600 * 1_000_000
"""Most microseconds that a pause between runs counts: the clock may have been set meanwhile."""


class ObservedTime:
    """Time that continues from run to run; within a run it follows a monotonic clock.

    `observed` and `wall` are the values last recorded by the previous run, in microseconds.
    """

    def __init__(
        self,
        observed: int,
        wall: int,
        now: Callable[[], int],
        monotonic: Callable[[], int] | None = None,
    ) -> None:
        pause = now() - wall if wall else 0
        self._monotonic = monotonic or monotonic_microseconds
        self._base = observed + min(max(pause, 0), LONGEST_PAUSE) - self._monotonic()

    def now(self) -> int:
        """Return the microseconds since the first run began."""
        return self._base + self._monotonic()
