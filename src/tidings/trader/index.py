"""The offers of one service type, and the index of their properties.

For each property there is a table of its numbers and one of its texts: a value to the offers that
have it, and the values in order. A conjunct such as `cost < 20` is a slice of them. The offers that
an index finds include all that match; the constraint itself is asked of each of them afterwards. ::

    a and b and c ──> what each says of a property ──> the one with fewest offers ──> their numbers

Comparisons are those of `filters/truth.py`: integers meet reals as doubles, booleans and characters
count as numbers, and a text of one character in a constraint is a character, too. So numbers are
kept as doubles, which never changes their order, and a character is kept as its number: only texts
of one character compare with it, and they look there, too. NaN equals nothing and has no order; it
is in neither table.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Final, Generic, NamedTuple, TypeVar

from tidings.events.fields import Plain
from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.dialects.writing import field_test
from tidings.filters.shape import constant_of
from tidings.filters.truth import number
from tidings.trader.model import Offer

_K = TypeVar("_K", float, str)


class _Values(Generic[_K]):
    """The values of a property, of one kind, and the numbers of the offers that have them."""

    __slots__ = ("offers", "order", "size")

    def __init__(self) -> None:
        self.offers: dict[_K, list[int]] = {}
        self.order: list[_K] = []
        self.size = 0

    def add(self, key: _K, number: int) -> None:
        found = self.offers.get(key)
        if found is None:
            self.offers[key] = [number]
            insort(self.order, key)
        else:
            insort(found, number)
        self.size += 1

    def drop(self, key: _K, number: int) -> None:
        found = self.offers[key]
        del found[bisect_left(found, number)]
        if not found:
            del self.offers[key]
            del self.order[bisect_left(self.order, key)]
        self.size -= 1

    def _slice(self, low: _K, high: _K | None) -> tuple[int, int]:
        start = bisect_left(self.order, low)
        return start, len(self.order) if high is None else bisect_right(self.order, high)

    def count(self, low: _K, high: _K | None) -> float:
        """Return about how many offers have a value in a range."""
        if low == high:
            return len(self.offers.get(low, ()))
        start, end = self._slice(low, high)
        return max(0, end - start) * self.size / max(1, len(self.order))

    def within(self, low: _K, high: _K | None) -> Iterator[list[int]]:
        """Return the numbers of the offers that have a value in a range, by value."""
        if low == high:
            return iter([self.offers.get(low, [])])
        start, end = self._slice(low, high)
        return map(self.offers.__getitem__, self.order[start:end])


class _Numbers(NamedTuple):
    low: float = -math.inf
    high: float = math.inf


class _Texts(NamedTuple):
    """A range of texts; the high end may be open."""

    low: str = ""
    high: str | None = None


class _Range(NamedTuple):
    """Which values of a property can match; None for no number, no text."""

    numbers: _Numbers | None
    texts: _Texts | None

    def narrowed(self, other: _Range) -> _Range:
        numbers, texts = None, None
        if self.numbers is not None and other.numbers is not None:
            numbers = _Numbers(
                max(self.numbers.low, other.numbers.low), min(self.numbers.high, other.numbers.high)
            )
        if self.texts is not None and other.texts is not None:
            ends = [one for one in (self.texts.high, other.texts.high) if one is not None]
            texts = _Texts(max(self.texts.low, other.texts.low), min(ends) if ends else None)
        return _Range(numbers, texts)


class _Property:
    """The index of one property."""

    __slots__ = ("numbers", "texts")

    def __init__(self) -> None:
        self.numbers: _Values[float] = _Values()
        self.texts: _Values[str] = _Values()

    def count(self, wanted: _Range) -> float:
        found = 0.0
        if wanted.numbers is not None:
            found += self.numbers.count(*wanted.numbers)
        if wanted.texts is not None:
            found += self.texts.count(*wanted.texts)
        return found

    def offers(self, wanted: _Range) -> list[int]:
        """Return the numbers of the offers, in order."""
        parts: list[list[int]] = []
        if wanted.numbers is not None:
            parts += self.numbers.within(*wanted.numbers)
        if wanted.texts is not None:
            parts += self.texts.within(*wanted.texts)
        if len(parts) == 1:
            return parts[0]
        return sorted({number for part in parts for number in part})


def _keys(value: Plain) -> tuple[float | None, str | None]:
    """Return under which number and text a value is found; None for neither."""
    if isinstance(value, tuple | bytes):
        return None, None
    found = number(value)
    key = None if found is None else float(found)
    if key is not None and math.isnan(key):
        key = None
    return key, value if type(value) is str else None


def ranges_of(tree: t.Node) -> dict[Path, _Range]:
    """Return what the conjuncts of a constraint say of single properties."""
    found: dict[Path, _Range] = {}
    for node in conjuncts(tree):
        said = _range_of(node)
        if said is not None:
            path, wanted = said
            found[path] = found[path].narrowed(wanted) if path in found else wanted
    return found


def conjuncts(tree: t.Node) -> Iterator[t.Node]:
    """Return what must all be true."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, t.And):
            waiting += node.operands
        else:
            yield node


def _range_of(node: t.Node) -> tuple[Path, _Range] | None:
    test = field_test(node)
    if test is None:
        return None
    value, bounds = constant_of(test.literal), _BOUNDS.get(test.operator)
    if bounds is None or value is None:
        return None
    below, above = bounds
    count, numbers, texts = number(value), None, None
    if count is not None:
        key = float(count)
        numbers = _Numbers(-math.inf if below else key, math.inf if above else key)
    if isinstance(value, str):
        texts = _Texts("" if below else str(value), None if above else str(value))
    return test.path, _Range(numbers, texts)


# Whether what is below the literal can match, and what is above.
_BOUNDS: Final[dict[type[t.Infix], tuple[bool, bool]]] = {
    t.Equal: (False, False),
    t.Less: (True, False),
    t.LessEqual: (True, False),
    t.Greater: (False, True),
    t.GreaterEqual: (False, True),
}


class OffersOfType:
    """The offers of exactly one service type.

    Attributes:
        numbers: Their numbers, in order.
        dynamic: The numbers of those that have a dynamic property, by its name.
    """

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.dynamic: dict[str, set[int]] = {}
        self._properties: dict[Path, _Property] = {}

    def add(self, offer: Offer) -> None:
        """Take in an offer."""
        insort(self.numbers, offer.number)
        for name in offer.dynamic:
            self.dynamic.setdefault(name, set()).add(offer.number)
        for path, value in offer.fields.items():
            self._index(path, value, offer.number)

    def drop(self, offer: Offer) -> None:
        """Forget an offer."""
        del self.numbers[bisect_left(self.numbers, offer.number)]
        for name in offer.dynamic:
            self.dynamic[name].discard(offer.number)
            if not self.dynamic[name]:
                del self.dynamic[name]
        for path, value in offer.fields.items():
            self._forget(path, value, offer.number)

    def _index(self, path: Path, value: Plain, number: int) -> None:
        count, text = _keys(value)
        if count is None and text is None:
            return
        index = self._properties.get(path)
        if index is None:
            index = self._properties[path] = _Property()
        if count is not None:
            index.numbers.add(count, number)
        if text is not None:
            index.texts.add(text, number)

    def _forget(self, path: Path, value: Plain, number: int) -> None:
        count, text = _keys(value)
        index = self._properties.get(path)
        if index is None:
            return
        if count is not None:
            index.numbers.drop(count, number)
        if text is not None:
            index.texts.drop(text, number)
        if not (index.numbers.size or index.texts.size):
            del self._properties[path]

    def candidates(self, ranges: dict[Path, _Range]) -> list[int]:
        """Return the numbers of offers among which are all that match, in order.

        The conjunct that leaves fewest is taken.
        """
        best, fewest = None, float(len(self.numbers))
        for path, wanted in ranges.items():
            index = self._properties.get(path)
            if index is None:
                return []  # no offer has a value that could match
            count = index.count(wanted)
            if count < fewest:
                best, fewest = (index, wanted), count
        return self.numbers if best is None else best[0].offers(best[1])
