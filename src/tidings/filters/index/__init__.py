"""The match index: which of very many subscriptions does an event match?

The cost of an event follows its matches, not the subscriptions. The answer is the reference's
(`to_python`) for every event.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar, cast

from tidings.errors import InvalidUsage, NotFound
from tidings.events.fields import Fields
from tidings.filters.constraint import Constraint
from tidings.filters.index.access import needs_deduplication
from tidings.filters.index.bucket import RootBucket
from tidings.filters.index.conjuncts import conjuncts_of
from tidings.filters.index.entry import IndexEntry, Way
from tidings.filters.index.event_types import EventTypes, Patterns
from tidings.filters.tree import Node

K = TypeVar("K", bound=Hashable)

_SHRINK = 8


class MatchIndex(Generic[K]):
    """Subscriptions by what they ask for. Add and remove at any time between two matches."""

    def __init__(self) -> None:
        self._ways: dict[K, list[Way]] = {}
        # Subscriptions that one event can reach in two ways are kept apart, and only their
        # matches are freed of duplicates.
        self._once = RootBucket()
        self._often = RootBucket()
        self._in_often: set[K] = set()
        self._event_types = EventTypes()
        self._types_of: dict[K, list[Patterns]] = {}
        self._most = 0

    def __len__(self) -> int:
        return len(self._ways)

    def __contains__(self, key: object) -> bool:
        return key in self._ways

    def add(self, key: K, constraints: Iterable[Constraint]) -> None:
        """Add a subscription: it matches when one of its constraints does.

        Without any constraint it matches every event, as a filter without constraints does.
        """
        self._refuse_known(key)
        asked = list(constraints)
        # A filter without constraints lets everything pass: nothing is left to test.
        ways: list[tuple[Node, ...]] = [] if asked else [()]
        for constraint in asked:
            conjuncts = conjuncts_of(constraint.tree)
            if conjuncts is None:
                continue
            of_type = self._event_types.conjunct(constraint.event_types)
            if of_type is not None:
                conjuncts = (of_type, *conjuncts)
                self._event_types.use(constraint.event_types)
                self._types_of.setdefault(key, []).append(constraint.event_types)
            ways.append(conjuncts)
        self._place(key, ways)

    def add_tree(self, key: K, tree: Node) -> None:
        """Add a subscription with one constraint, on events of all types."""
        self._refuse_known(key)
        conjuncts = conjuncts_of(tree)
        self._place(key, [] if conjuncts is None else [conjuncts])

    def _refuse_known(self, key: K) -> None:
        if key in self._ways:
            raise InvalidUsage(f"{key!r} is in the index already; remove it first")

    def _place(self, key: K, constraints: list[tuple[Node, ...]]) -> None:
        often = len(constraints) > 1 or any(map(needs_deduplication, constraints))
        root = self._often if often else self._once
        if often:
            self._in_often.add(key)
        ways = self._ways[key] = [Way(key, conjuncts) for conjuncts in constraints]
        self._most = max(self._most, len(self._ways))
        for way in ways:
            root.add(IndexEntry(way, way.conjuncts))

    def remove(self, key: K) -> None:
        """Remove a subscription."""
        ways = self._ways.pop(key, None)
        if ways is None:
            raise NotFound(f"{key!r} is not in the index")
        for way in ways:
            for entry in way.entries:
                if entry.home is not None:
                    entry.home.discard(entry)
        self._in_often.discard(key)
        for patterns in self._types_of.pop(key, ()):
            self._event_types.forget(patterns)
        if len(self._ways) * _SHRINK < self._most:
            # A dictionary keeps its size when it loses keys; a new one gives the memory back.
            self._ways, self._most = dict(self._ways), len(self._ways)

    def match(self, fields: Fields) -> list[K]:
        """The keys of all subscriptions that the event matches, each once, in no order."""
        self._event_types.show(fields)
        found: list[object] = []
        self._once.match(fields, found)
        if self._in_often:
            repeated: list[object] = []
            self._often.match(fields, repeated)
            found += dict.fromkeys(repeated)
        return cast("list[K]", found)
