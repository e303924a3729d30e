"""Bounds to keys: which one-sided ranges contain a value?

Per operator and class of literal one sorted list of bounds, with the keys beside it: a match
is a bisection and a slice. Bounds of different classes are apart because a value compares
with them in different ways (see `truth.py`).
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import attrgetter
from typing import Any as Anything

from tidings.events.fields import Char, EnumLabel, Fields, Plain
from tidings.filters.index.entry import Entry, LaneOwner
from tidings.filters.shape import constant_of
from tidings.filters.to_python import Predicate
from tidings.filters.tree import Comparison, Greater, GreaterEqual, Less, LessEqual, Node, Not
from tidings.filters.truth import EXACT, OneChar, number

__all__ = ["ORDERINGS", "OrderedLane", "bound_of"]

ORDERINGS: dict[type[Comparison], tuple[bool, bool]] = {
    # (bounds below the value match, a bound equal to the value matches)
    Greater: (True, False),
    GreaterEqual: (True, True),
    Less: (False, False),
    LessEqual: (False, True),
}

_PLACE = attrgetter("place")


def bound_of(conjunct: Node) -> int | float | str | None:
    """The literal that `field operator literal`, or `not` of it, is bounded by.

    None where the literal has no place in an order.
    """
    comparison = conjunct.operand if isinstance(conjunct, Not) else conjunct
    assert isinstance(comparison, Comparison)
    constant = constant_of(comparison.right)
    if type(constant) is bool:
        return int(constant)
    return None if type(constant) is EnumLabel else constant


class OrderedLane:
    """Subscriptions by `field operator bound`, the first of their conjuncts.

    Args:
        operator: The comparison.
        negated: Whether it stands under `not`.
        kind: The class of the bounds: int, float, str or OneChar.
        tested: Whether more conjuncts are left to test; else the bound alone decides.
        owner: Told when the last entry has gone.
    """

    __slots__ = (
        "below",
        "bounds",
        "entries",
        "equal",
        "keys",
        "kind",
        "nan",
        "owner",
        "serial",
        "tested",
    )

    def __init__(
        self,
        operator: type[Comparison],
        negated: bool,
        kind: type,
        tested: bool,
        owner: LaneOwner,
    ) -> None:
        below, equal = ORDERINGS[operator]
        # not (value < bound) is value >= bound, but for NaN, where it is TRUE.
        self.below, self.equal = (not below, not equal) if negated else (below, equal)
        self.nan = negated
        self.kind = kind
        self.tested = tested
        self.owner = owner
        # Doubles side by side: a bisection then touches little memory.
        self.bounds: Anything = array("d") if kind is float else []
        # Keys, or pairs of the predicate of what is left and the key.
        self.keys: list[Anything] = []
        self.entries: list[Entry] = []
        self.serial = 0

    def add(self, entry: Entry) -> None:
        """Takes an entry in, behind those with the same bound."""
        bound = bound_of(entry.conjuncts[0])
        at = bisect_right(self.bounds, bound)
        self.serial += 1
        entry.home, entry.place = self, self.serial
        self.bounds.insert(at, bound)
        self.keys.insert(at, _tested(entry) if self.tested else entry.way.key)
        self.entries.insert(at, entry)

    def discard(self, entry: Entry) -> None:
        """Takes an entry out."""
        bound = bound_of(entry.conjuncts[0])
        # Entries with one bound stand in the order of their places.
        start, end = bisect_left(self.bounds, bound), bisect_right(self.bounds, bound)
        at = bisect_left(self.entries, entry.place, start, end, key=_PLACE)
        del self.bounds[at], self.keys[at], self.entries[at]
        if not self.entries:
            self.owner.lane_emptied(self)

    def match(self, value: Plain, fields: Fields, out: list[object]) -> None:
        """Adds the keys whose range contains the value and whose other tests pass."""
        keys = self._within(value)
        out += [key for test, key in keys if test(fields)] if self.tested else keys

    def _within(self, value: Plain) -> list[Anything]:
        """What stands beside the bounds that the value satisfies."""
        asked: Anything = value
        convert = None
        # A value of the bounds' own class is compared as it is.
        if type(value) is not self.kind:
            asked, convert = self._comparable(value)
            if asked is None:
                return []
        if type(asked) is float and math.isnan(asked):
            return self.keys if self.nan else []
        # Bounds equal to the value are in the slice if they match, else outside.
        side = bisect_right if self.below is self.equal else bisect_left
        at = side(self.bounds, asked, key=convert)
        return self.keys[:at] if self.below else self.keys[at:]

    def _comparable(self, value: Plain) -> tuple[Anything, Callable[[Anything], Anything] | None]:
        """What to look for among the bounds, and how to see the bounds while looking.

        None if the value does not compare with bounds of this class.
        """
        kind = type(value)
        if self.kind is str:
            return (value, None) if kind is str else (None, None)
        if self.kind is OneChar and (kind is str or kind is Char):
            return value, None
        asked = number(value) if kind is not OneChar else None
        if asked is None:
            return None, None
        if self.kind is OneChar:
            return asked, ord
        if self.kind is float:
            return float(asked), None
        # Integers against a large double are compared as doubles.
        large = type(asked) is float and math.isfinite(asked) and not -EXACT < asked < EXACT
        return asked, float if large else None


def _tested(entry: Entry) -> tuple[Predicate, object]:
    return entry.way.compiled(), entry.way.key
