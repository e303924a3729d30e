"""How long the journal's oldest part that is not in the archive has been there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Final

from tidings.stores.segments import Cursor

# More moments than this are thinned out: an archive may be behind for days.
_MOST: Final = 512


class Lag:
    """Remembers when the journal was how long, for the part that is not archived.

    Args:
        now: The time in seconds, from any moment on.

    Attributes:
        reached: Up to where the archive has the journal; None as long as nothing is known.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.reached: Cursor | None = None
        self._now = now
        self._ends: deque[tuple[Cursor, float]] = deque()

    def told(self, end: Cursor) -> None:
        """The journal is durable up to there now."""
        if self.reached is not None and end <= self.reached:
            return
        if len(self._ends) >= _MOST:
            self._ends = deque(islice(self._ends, 0, None, 2))
        self._ends.append((end, self._now()))

    def archived(self, place: Cursor) -> None:
        """The archive has everything up to there."""
        self.reached = place
        while self._ends and self._ends[0][0] <= place:
            self._ends.popleft()

    def seconds(self) -> float:
        """How old the oldest part is that is not archived; 0 if there is none."""
        return self._now() - self._ends[0][1] if self._ends else 0.0
