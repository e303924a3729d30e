"""When grants and credentials expire, so that what they have opened ends then."""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterator
from typing import Final

# Ends of what was revoked meanwhile are dropped when they are so many, and most.
_SPARE: Final = 1_000


class Endings:
    """Times at which something ends, the first at hand; `live` has what was not revoked."""

    def __init__(self, live: Container[int]) -> None:
        self._live = live
        self._heap: list[tuple[int, int]] = []
        self._enough = _SPARE

    @property
    def first(self) -> int | None:
        """When the next one ends; None for never."""
        return self._heap[0][0] if self._heap else None

    def add(self, at: int | None, id: int) -> None:
        """Note that something ends then; None for never."""
        if at is None:
            return
        heapq.heappush(self._heap, (at, id))
        if len(self._heap) > self._enough:
            self._heap = [one for one in self._heap if one[1] in self._live]
            heapq.heapify(self._heap)
            self._enough = 2 * len(self._heap) + _SPARE

    def due(self, now: int) -> Iterator[int]:
        """Iterate over what has ended since; each once."""
        while self._heap and self._heap[0][0] <= now:
            _, id = heapq.heappop(self._heap)
            if id in self._live:
                yield id
