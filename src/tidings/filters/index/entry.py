"""What the index keeps: constraints, and the places where they are."""

from __future__ import annotations

from typing import Any, Protocol

from tidings.filters.shape import Constant, Shape, shape_of
from tidings.filters.to_python import Predicate, to_python
from tidings.filters.tree import And, Node, Or


class Tested(Or, frozen=True):
    """An `or` that has led here already: from now on it is only tested."""


def _whole(conjuncts: tuple[Node, ...]) -> Node:
    parts = tuple(Or(c.operands) if type(c) is Tested else c for c in conjuncts)
    return parts[0] if len(parts) == 1 else And(parts)


def shape_and_constants(conjuncts: tuple[Node, ...]) -> tuple[Shape, list[Constant]]:
    """The shape that conjuncts have together, and their constants."""
    tree = _whole(conjuncts)
    constants: list[Constant] = []
    return Shape(shape_of(tree, constants), tree), constants


class Home(Protocol):
    """A container of entries."""

    def discard(self, entry: IndexEntry) -> None:
        """Remove an entry."""


class LaneOwner(Protocol):
    """An owner of lanes of entries."""

    def lane_emptied(self, lane: object) -> None:
        """Called by a lane that has no entry left."""


class Way:
    """One constraint of a subscription: the key that a match reports, and its entries."""

    __slots__ = ("conjuncts", "entries", "key", "places", "predicate")

    def __init__(self, key: object, conjuncts: tuple[Node, ...]) -> None:
        self.key = key
        self.conjuncts = conjuncts
        self.entries: list[IndexEntry] = []
        self.places = 0  # entries that are somewhere
        # Most subscriptions are never tested by themselves: compiled when one is.
        self.predicate: Predicate | None = None

    def compiled(self) -> Predicate:
        """The predicate of the whole constraint."""
        if self.predicate is None:
            self.predicate = to_python(_whole(self.conjuncts))
        return self.predicate

    def leave(self, entry: IndexEntry) -> None:
        """Remove an entry that others replace."""
        self.places -= 1
        entry.home = None
        if self.entries[-1] is entry:
            self.entries.pop()
        # Looking for each in the list would be slow where there are very many.
        elif len(self.entries) > 2 * self.places:
            self.entries = [one for one in self.entries if one.home is not None]


class IndexEntry:
    """One place where a constraint is kept.

    `conjuncts` are those that remain to be tested here. The predicate of the whole constraint does
    as well, since the others are TRUE wherever the entry is reached.
    """

    __slots__ = ("conjuncts", "home", "place", "way")

    place: int

    def __init__(self, way: Way, conjuncts: tuple[Node, ...]) -> None:
        self.home: Home | None = None
        self.way = way
        self.conjuncts = conjuncts
        way.entries.append(self)
        way.places += 1


def take_out(entry: IndexEntry, entries: list[IndexEntry], beside: list[Any] | None = None) -> None:
    """Remove an entry, and what is beside it; the last one moves into its place."""
    last = entries.pop()
    value = beside.pop() if beside is not None else None
    if last is not entry:
        entries[entry.place] = last
        last.place = entry.place
        if beside is not None:
            beside[entry.place] = value
