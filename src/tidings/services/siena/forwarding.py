"""What a server has asked of one neighbour: only filters that no other filter covers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from tidings.filters.dialects.siena import Operator, SienaFilter, SienaValue
from tidings.services.siena.relations import covers

_Equality: TypeAlias = tuple[str, SienaValue | None]
"""A test for equality: name and value, 1 and 1.0 being one."""


class Changes(NamedTuple):
    """What the neighbour must be told since the last time.

    Attributes:
        begun: Filters that it does not have yet; said first, so that there is no gap.
        ended: Filters that it has and that others cover, or that nobody wants any more.
    """

    begun: list[SienaFilter]
    ended: list[SienaFilter]


class Forwarding:
    """A set of filters; those that others cover are hidden, until these leave."""

    def __init__(self) -> None:
        self._roots: dict[SienaFilter, set[SienaFilter]] = {}
        self._hidden: dict[SienaFilter, SienaFilter] = {}
        # Roots by each of their tests for equality; and by one of these, None if there is none.
        self._by_value: dict[_Equality, dict[SienaFilter, None]] = {}
        self._by_anchor: dict[_Equality | None, dict[SienaFilter, None]] = {}
        self._anchors: dict[SienaFilter, _Equality | None] = {}
        self._begun: dict[SienaFilter, None] = {}
        self._ended: dict[SienaFilter, None] = {}

    def __contains__(self, one: object) -> bool:
        return one in self._roots or one in self._hidden

    def __iter__(self) -> Iterator[SienaFilter]:
        yield from self._roots
        yield from self._hidden

    def add(self, one: SienaFilter) -> None:
        """Add a filter; nothing happens if it is there."""
        if one not in self:
            self._place(one)

    def discard(self, one: SienaFilter) -> None:
        """Remove a filter, and uncover what it hid; nothing happens if it is not there."""
        root = self._hidden.pop(one, None)
        if root is not None:
            self._roots[root].discard(one)
        elif one in self._roots:
            for hidden in self._uproot(one):
                del self._hidden[hidden]
                self._place(hidden)

    def take_changes(self) -> Changes:
        """Return what the neighbour must be told, and regard it as told."""
        changes = Changes(list(self._begun), list(self._ended))
        self._begun, self._ended = {}, {}
        return changes

    def _place(self, one: SienaFilter) -> None:
        root = next((root for root in self._wider(one) if covers(root, one)), None)
        if root is not None:
            self._hide(one, root)
            return
        covered = [root for root in self._narrower(one) if covers(one, root)]
        self._root(one)
        for root in covered:
            for hidden in (root, *self._uproot(root)):
                self._hide(hidden, one)

    def _hide(self, one: SienaFilter, root: SienaFilter) -> None:
        self._hidden[one] = root
        self._roots[root].add(one)

    def _wider(self, one: SienaFilter) -> Iterator[SienaFilter]:
        """The roots that may cover a filter: it has every test for equality that they have."""
        for anchor in (None, *_values(one)):
            yield from self._by_anchor.get(anchor, ())

    def _narrower(self, one: SienaFilter) -> Iterable[SienaFilter]:
        """The roots that a filter may cover: they have every test for equality that it has."""
        rarest = self._rarest(one)
        return self._roots if rarest is None else self._by_value.get(rarest, ())

    def _rarest(self, one: SienaFilter) -> _Equality | None:
        """The test for equality that the fewest roots have."""
        return min(_values(one), key=lambda test: len(self._by_value.get(test, ())), default=None)

    def _root(self, one: SienaFilter) -> None:
        self._roots[one] = set()
        anchor = self._anchors[one] = self._rarest(one)
        self._by_anchor.setdefault(anchor, {})[one] = None
        for value in _values(one):
            self._by_value.setdefault(value, {})[one] = None
        if one in self._ended:
            del self._ended[one]
        else:
            self._begun[one] = None

    def _uproot(self, one: SienaFilter) -> set[SienaFilter]:
        hidden = self._roots.pop(one)
        _leave(self._by_anchor, self._anchors.pop(one), one)
        for value in _values(one):
            _leave(self._by_value, value, one)
        if one in self._begun:
            del self._begun[one]
        else:
            self._ended[one] = None
        return hidden


K = TypeVar("K")


def _leave(groups: dict[K, dict[SienaFilter, None]], key: K, one: SienaFilter) -> None:
    del groups[key][one]
    if not groups[key]:
        del groups[key]


def _values(one: SienaFilter) -> list[_Equality]:
    equal = ((test.name, test.value) for test in one if test.operator is Operator.EQUAL)
    return list(dict.fromkeys(equal))
