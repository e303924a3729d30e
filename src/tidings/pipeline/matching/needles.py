"""Search very many substrings at once, in whole Arrow batches of texts.

The bytes of all texts of a batch are contiguous. The first few bytes at every offset are combined
into one number, and a table lookup over all offsets finds where a substring could begin; only there
the bytes are compared. UTF-8 allows this: no character begins inside another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Octets: TypeAlias = npt.NDArray[np.uint8]
    Numbers: TypeAlias = npt.NDArray[np.int64]
    Texts: TypeAlias = pa.Array[Any]
    Found: TypeAlias = pa.Array[Any]

# Bytes combined; four fit into the integers that numpy processes fastest.
_GRAM: Final = 4
_HASH_BITS: Final = 16
_MULTIPLIER: Final = 2_654_435_761


def needle_finder(needles: Sequence[str]) -> Callable[[Texts], Found]:
    """Return a function from a batch of texts to lists of the indexes of the needles found."""
    made: list[_Finder] = []

    # Spark inspects these annotations, and recognizes Arrow arrays by this name only.
    def find(texts: pa.Array) -> pa.Array:  # type: ignore[type-arg]
        if not made:
            made.append(_Finder(list(needles)))
        return made[0].find(texts)

    return find


class _Finder:
    def __init__(self, needles: list[str]) -> None:
        import numpy as np

        octets = [needle.encode() for needle in needles]
        self._count = len(octets)
        self._lengths = np.array([len(one) for one in octets])
        self._longest = int(self._lengths.max())
        self._octets = np.zeros((len(octets), self._longest), np.uint8)
        for at, one in enumerate(octets):
            self._octets[at, : len(one)] = np.frombuffer(one, np.uint8)
        sizes = [min(len(one), _GRAM) for one in octets]
        self._by_gram = [
            _Grams(octets, [at for at, each in enumerate(sizes) if each == size], size)
            for size in sorted(set(sizes))
        ]

    def find(self, texts: Texts) -> Found:
        import numpy as np

        rows = len(texts)
        if not rows:
            return pa.array([], pa.list_(pa.int32()))
        wide = texts.cast(pa.large_string())
        _, of_offsets, of_data = wide.buffers()
        assert of_offsets is not None
        every: Numbers = np.frombuffer(memoryview(of_offsets), np.int64)
        offsets = every[wide.offset : wide.offset + rows + 1]
        octets = np.zeros(int(offsets[-1] - offsets[0]) + self._longest, np.uint8)
        if of_data is not None:
            data: Octets = np.frombuffer(memoryview(of_data), np.uint8)
            octets[: len(octets) - self._longest] = data[offsets[0] : offsets[-1]]
        ends = offsets - offsets[0]
        found = [self._hits(grams, octets, ends) for grams in self._by_gram]
        pairs = np.unique(np.concatenate(found))
        counts = np.bincount(pairs // self._count, minlength=rows)
        starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        numbers = (pairs % self._count).astype(np.int32)
        made: Found = pa.ListArray.from_arrays(pa.array(starts), pa.array(numbers))  # type: ignore[call-overload]
        return made

    def _hits(self, grams: _Grams, octets: Octets, ends: Numbers) -> Numbers:
        """Return text and needle of every hit, packed into one number."""
        import numpy as np

        places, needles = grams.candidates(octets, len(octets) - self._longest)
        rows = np.searchsorted(ends, places, "right") - 1
        good = places + self._lengths[needles] <= ends[rows + 1]
        places, needles, rows = places[good], needles[good], rows[good]
        for at in range(grams.size, self._longest):
            inside = self._lengths[needles] > at
            if not inside.any():
                break
            good = ~inside | (octets[places + at] == self._octets[needles, at])
            places, needles, rows = places[good], needles[good], rows[good]
        pairs: Numbers = rows * self._count + needles
        return pairs


class _Grams:
    """The needles that are found by their first `size` bytes."""

    def __init__(self, octets: list[bytes], numbers: list[int], size: int) -> None:
        import numpy as np

        self.size = size
        codes = np.array([int.from_bytes(octets[at][:size], "little") for at in numbers], np.uint32)
        order = np.argsort(codes, kind="stable")
        self._codes, self._firsts, self._counts = np.unique(
            codes[order], return_index=True, return_counts=True
        )
        self._numbers = np.array(numbers)[order]
        self._table = np.zeros(1 << _HASH_BITS, bool)
        self._table[_hashed(self._codes)] = True

    def candidates(self, octets: Octets, places: int) -> tuple[Numbers, Numbers]:
        """Return the offsets where a needle could begin, and which needle."""
        import numpy as np

        codes = octets[:places].astype(np.uint32)
        for shift in range(1, self.size):
            codes |= octets[shift : shift + places].astype(np.uint32) << np.uint32(8 * shift)
        found = np.nonzero(self._table[_hashed(codes)])[0]
        wanted = codes[found]
        at = np.minimum(np.searchsorted(self._codes, wanted), len(self._codes) - 1)
        same = self._codes[at] == wanted
        found, at = found[same], at[same]
        counts = self._counts[at]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(found, counts), self._numbers[np.repeat(self._firsts[at], counts) + within]


def _hashed(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    import numpy as np

    return (codes * np.uint32(_MULTIPLIER)) >> np.uint32(32 - _HASH_BITS)
