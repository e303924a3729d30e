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
        left = self._filled(name, rate, now)
        if events > 0 and left < _SECOND:
            return _SECOND if not rate else max(1, -(-(_SECOND - left) // rate))
        self.take(name, rate, events, now)
        return 0

    def is_empty(self, name: str, rate: int, now: int) -> bool:
        """Return whether the next push would have to wait."""
        return self._filled(name, rate, now) < _SECOND

    def take(self, name: str, rate: int, events: int, now: int) -> None:
        """Take events from a bucket, whatever is left: they have come already."""
        self._left[name] = (self._filled(name, rate, now) - events * _SECOND, now)
        self._left.move_to_end(name)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)

    def _filled(self, name: str, rate: int, now: int) -> int:
        full = rate * _SECOND
        left, at = self._left.get(name, (full, now))
        left = min(full, left + (now - at) * rate)
        return left  # noqa: RET504 -- what it is has a name

    def __len__(self) -> int:
        return len(self._left)
