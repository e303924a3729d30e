"""Time that was seen passing: what ages are counted in, so that setting a clock deletes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidings.clock import monotonic_microseconds

LONGEST_PAUSE: Final = 24 * 3600 * 1_000_000
"""A pause between two runs counts as the machine's clock says, but not for longer than this: nobody
saw whether the clock was set meanwhile. Microseconds."""


class ObservedTime:
    """Goes on from run to run; within a run it advances with a clock that nobody can set.

    Args:
        observed: What `now` said in the run before, when it was last written down.
        wall: The machine's time then, microseconds since 1970; 0 if there was no run before.
        now: Tells the machine's time.
        monotonic: Microseconds from some moment on, never set; the machine's if None.
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
        """How much time has passed since the first run began, in microseconds."""
        return self._base + self._monotonic()
