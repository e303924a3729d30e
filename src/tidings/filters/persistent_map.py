"""An immutable mapping whose changed copies are cheap, however large it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

# A power of two, as all numbers of chunks are: a mask of the hash then names the chunk.
_FEWEST_CHUNKS: Final = 8


class PersistentMap(Mapping[K, V]):
    """An immutable mapping, kept in dictionaries by the hash of the key.

    A change copies the list of chunks and the chunks it touches. There are about as many chunks as
    keys in each, so that one key costs the square root of the size. The order of the keys means
    nothing.
    """

    __slots__ = ("_chunks", "_mask", "_size")

    def __init__(self) -> None:
        self._chunks: list[dict[K, V]] = [{} for _ in range(_FEWEST_CHUNKS)]
        self._mask = _FEWEST_CHUNKS - 1
        self._size = 0

    def changed(self, updates: Mapping[K, V | None]) -> PersistentMap[K, V]:
        """The mapping with some keys set, and those removed whose value is None."""
        chunks, mask, size = self._chunks.copy(), self._mask, self._size
        own: set[int] = set()
        for key, value in updates.items():
            place = hash(key) & mask
            if place not in own:
                own.add(place)
                chunks[place] = chunks[place].copy()
            chunk = chunks[place]
            size -= len(chunk)
            if value is None:
                chunk.pop(key, None)
            else:
                chunk[key] = value
            size += len(chunk)
        return self._made(chunks, size)

    @classmethod
    def _made(cls, chunks: list[dict[K, V]], size: int) -> PersistentMap[K, V]:
        count = _fitting_count(len(chunks), size)
        made = cls.__new__(cls)
        made._chunks = chunks if count == len(chunks) else _spread(chunks, count)
        made._mask = count - 1
        made._size = size
        return made

    def __getitem__(self, key: K) -> V:
        return self._chunks[hash(key) & self._mask][key]

    @overload
    def get(self, key: K, /) -> V | None: ...

    @overload
    def get(self, key: K, /, default: V | D) -> V | D: ...

    def get(self, key: K, /, default: object = None) -> object:
        """The value of a key, or the default."""
        return self._chunks[hash(key) & self._mask].get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self._chunks[hash(key) & self._mask]

    def __iter__(self) -> Iterator[K]:
        return chain.from_iterable(self._chunks)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"


def _fitting_count(count: int, size: int) -> int:
    """How many chunks there should be; it seldom changes."""
    while size > count * count:
        count *= 2
    while count > _FEWEST_CHUNKS and size * 16 < count * count:
        count //= 2
    return count


def _spread(chunks: list[dict[K, V]], count: int) -> list[dict[K, V]]:
    spread: list[dict[K, V]] = [{} for _ in range(count)]
    mask = count - 1
    for chunk in chunks:
        for key, value in chunk.items():
            spread[hash(key) & mask][key] = value
    return spread
