"""A cache bounded by the number of its entries."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A cache that drops the oldest of too many; the user bounds the size of each."""

    __slots__ = ("_made", "get", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self._made: dict[K, V] = {}
        self.get = self._made.get

    def keep(self, key: K, value: V) -> None:
        """Store a value under a key."""
        if len(self._made) >= self.most:
            del self._made[next(iter(self._made))]
        self._made[key] = value

    def __len__(self) -> int:
        return len(self._made)
