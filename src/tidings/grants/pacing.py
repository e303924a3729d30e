"""How fast principals publish: a token bucket for each that has a limit.

A bucket holds the events of one second. A push may take more than is left, so that a batch larger
than the bucket is possible; the next one then waits until the debt is paid. The average holds.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

MOST_BUCKETS: Final = 10_000
"""As many as there are principals; beyond it the longest unused one is full again."""

_SECOND: Final = 1_000_000


class Pacing:
    """Token buckets by name; times are microseconds that only rise."""

    def __init__(self) -> None:
        # What is left, in millionths of an event, and when that was so.
        self._left: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def wait(self, name: str, rate: int, events: int, now: int) -> int:
        """Take events from a bucket; return 0, or after how many microseconds to try again."""
        full = rate * _SECOND
        left, at = self._left.pop(name, (full, now))
        left = min(full, left + (now - at) * rate)
        refused = events > 0 and left < _SECOND
        self._left[name] = (left if refused else left - events * _SECOND, now)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        if not refused:
            return 0
        return _SECOND if not rate else max(1, -(-(_SECOND - left) // rate))

    def __len__(self) -> int:
        return len(self._left)
