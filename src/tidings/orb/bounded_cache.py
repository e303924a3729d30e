"""A table that keeps what was made lately, up to a count."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """What was made for which key; the oldest goes when there are too many.

    Args:
        most: How many are kept. How large each may be is decided by whoever keeps it.
    """

    __slots__ = ("_made", "get", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self._made: dict[K, V] = {}
        self.get = self._made.get

    def keep(self, key: K, value: V) -> None:
        """Keeps a value for a key."""
        if len(self._made) >= self.most:
            del self._made[next(iter(self._made))]
        self._made[key] = value

    def __len__(self) -> int:
        return len(self._made)
