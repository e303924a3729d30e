"""Bounds to keys: which one-sided ranges contain a value?

Per operator and class of literal there is one sorted list of bounds, with the keys beside it: a
match is a bisection and a slice. Bounds of different classes are apart because a value compares
with them in different ways (see `truth.py`). Where more remains to be tested, rows of constants are
beside the bounds, and only those in the slice are tested.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import attrgetter
from typing import Any as Anything
from typing import NamedTuple

from tidings.events.fields import Char, EnumLabel, Fields, Plain
from tidings.events.paths import Path
from tidings.filters.index.entry import IndexEntry, LaneOwner, shape_and_constants
from tidings.filters.index.rowcode import has_row_code, row_code
from tidings.filters.shape import Shape, constant_of
from tidings.filters.tree import Comparison, Greater, GreaterEqual, Less, LessEqual, Node, Not, Or
from tidings.filters.truth import EXACT, OneChar, number

ORDERINGS: dict[type[Comparison], tuple[bool, bool]] = {
    # (bounds below the value match, a bound equal to the value matches)
    Greater: (True, False),
    GreaterEqual: (True, True),
    Less: (False, False),
    LessEqual: (False, True),
}

_PLACE = attrgetter("place")
# Up to so many rows are tested one by one: looking at kinds first costs more.
_FEW = 4


class LaneName(NamedTuple):
    """What the subscriptions of a lane have in common."""

    operator: type[Comparison]
    negated: bool
    kind: type  # of the bounds: int, float, str or OneChar
    tested: bool  # whether more is left to test
    rest: Shape | None  # of that, if all have the same


def lane_name(conjunct: Node, rest: tuple[Node, ...]) -> LaneName:
    """The lane of subscriptions with a comparison, or `not` of one, and more to test."""
    comparison = conjunct.operand if isinstance(conjunct, Not) else conjunct
    assert isinstance(comparison, Comparison)
    # Of `or`s there are too many shapes for a lane each.
    shape = None
    if rest and not any(isinstance(node, Or) for node in rest):
        shape = shape_and_constants(rest)[0]
    return LaneName(
        type(comparison),
        conjunct is not comparison,
        type(bound_of(conjunct)),
        bool(rest),
        shape if shape is not None and has_row_code(shape) else None,
    )


def bound_of(conjunct: Node) -> int | float | str | None:
    """The literal that bounds `field operator literal`, or `not` of it.

    None if the literal has no place in an order.
    """
    comparison = conjunct.operand if isinstance(conjunct, Not) else conjunct
    assert isinstance(comparison, Comparison)
    constant = constant_of(comparison.right)
    if type(constant) is bool:
        return int(constant)
    return None if type(constant) is EnumLabel else constant


class OrderedLane:
    """Subscriptions by `field operator bound`, the first of their conjuncts."""

    __slots__ = (
        "below",
        "bisect",
        "bounds",
        "entries",
        "keys",
        "kind",
        "name",
        "owner",
        "path",
        "serial",
        "tested",
    )

    def __init__(self, name: LaneName, path: Path, owner: LaneOwner) -> None:
        below, equal = ORDERINGS[name.operator]
        # not (value < bound) is value >= bound, but for NaN, where it is TRUE.
        self.below = below is not name.negated
        # Bounds equal to the value are in the slice if they match, else outside.
        equal = equal is not name.negated
        self.bisect = bisect_right if self.below is equal else bisect_left
        self.kind = name.kind
        self.tested = name.tested
        self.name = name
        self.path = path
        self.owner = owner
        # Doubles side by side: a bisection then touches little memory.
        self.bounds: Anything = array("d") if name.kind is float else []
        # Keys; where more is left to test: rows of the key and the constants of that, or pairs
        # of a predicate and the key.
        self.keys: list[Anything] = []
        self.entries: list[IndexEntry] = []
        self.serial = 0

    def add(self, entry: IndexEntry) -> None:
        """Add an entry, behind those with the same bound."""
        bound, *rest = entry.conjuncts
        at = bisect_right(self.bounds, bound_of(bound))
        self.serial += 1
        entry.home, entry.place = self, self.serial
        self.bounds.insert(at, bound_of(bound))
        self.keys.insert(at, self._tested_key(entry, tuple(rest)))
        self.entries.insert(at, entry)

    def _tested_key(self, entry: IndexEntry, rest: tuple[Node, ...]) -> object:
        if not self.tested:
            return entry.way.key
        if self.name.rest is None:
            return entry.way.compiled(), entry.way.key
        return (entry.way.key, *shape_and_constants(rest)[1])

    def discard(self, entry: IndexEntry) -> None:
        """Remove an entry."""
        bound = bound_of(entry.conjuncts[0])
        # Entries with one bound stand in the order of their places.
        start, end = bisect_left(self.bounds, bound), bisect_right(self.bounds, bound)
        at = bisect_left(self.entries, entry.place, start, end, key=_PLACE)
        del self.bounds[at], self.keys[at], self.entries[at]
        if not self.entries:
            self.owner.lane_emptied(self)

    def match(self, value: Plain, fields: Fields, out: list[object]) -> None:
        """Add the keys whose range contains the value and whose other tests pass."""
        # A value of the bounds' own class, and not NaN, is looked up as it is.
        if type(value) is self.kind and value == value:  # noqa: PLR0124 -- NaN is not itself
            at = self.bisect(self.bounds, value)
            if not self.tested:
                out += self.keys[:at] if self.below else self.keys[at:]
                return
            within = slice(at) if self.below else slice(at, None)
        else:
            within = self._within(value)
        keys = self.keys[within]
        if self.tested and keys:
            keys = self._passing(keys, within, fields)
        out += keys

    def _passing(self, keys: list[Anything], within: slice, fields: Fields) -> list[object]:
        if self.name.rest is None:
            return [key for test, key in keys if test(fields)]
        passing = row_code(self.name.rest).run(keys, fields) if len(keys) > _FEW else None
        if passing is None:
            entries = self.entries[within]
            return [entry.way.key for entry in entries if entry.way.compiled()(fields)]
        return passing

    def _within(self, value: Plain) -> slice:
        """The places of the bounds that the value satisfies."""
        asked, convert = self._comparable(value)
        if asked is None:
            return slice(0)
        if type(asked) is float and math.isnan(asked):
            return slice(None) if self.name.negated else slice(0)
        at = self.bisect(self.bounds, asked, key=convert)
        return slice(at) if self.below else slice(at, None)

    def _comparable(self, value: Plain) -> tuple[Anything, Callable[[Anything], Anything] | None]:
        """What to search among the bounds, and how to convert the bounds for it.

        None if the value does not compare with bounds of this class.
        """
        kind = type(value)
        bounds = self.kind
        if bounds is str:
            return (value, None) if kind is str else (None, None)
        if bounds is OneChar and (kind is str or kind is Char):
            return value, None
        asked = number(value)
        if asked is None:
            return None, None
        if bounds is OneChar:
            return asked, ord
        if bounds is float:
            return float(asked), None
        # Integers against a large double are compared as doubles.
        large = type(asked) is float and math.isfinite(asked) and not -EXACT < asked < EXACT
        return asked, float if large else None
