"""Which filters select everything that others select, so that few stand for many.

`covers` is sound: TRUE means that the wide constraint matches every event that the narrow one
matches. It is not complete. The narrow one is taken apart into cases, each with facts about fields;
the wide one is then judged by what the facts allow: TRUE, FALSE, error, or several of these. ::

    narrow ─ cases ─> facts of each ─ judged by them ─> can the wide one be anything but TRUE?

`Placement` keeps the filters to place for a changing set of wanted ones: it drops those that others
cover, and where too many are left it places one wider filter for all of them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.constraint import Constraint, EventTypePattern, constraint, wildcard_match
from tidings.filters.dialects.writing import NAME, FieldTest, field_test
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import normalise
from tidings.filters.truth import EXACT

MOST_CASES: Final = 64
"""Cases of one constraint; beyond them an alternative is one fact, not taken apart."""
MOST_EACH: Final = 64
"""Filters placed for one event name before they become one."""
MOST_PLACED: Final = 1_024
"""Filters placed in all, before they become one."""

_TRUE, _FALSE, _ERROR = 1, 2, 4
_UNKNOWN: Final = _TRUE | _FALSE | _ERROR


def covers(wide: Constraint, narrow: Constraint) -> bool:
    """Whether the wide constraint certainly matches every event that the narrow one matches."""
    return _types_covered(wide.event_types, narrow.event_types) and all(
        _judged(_normal(wide), facts) == _TRUE for facts in _facts_of(narrow)
    )


def _types_covered(
    wide: tuple[EventTypePattern, ...], narrow: tuple[EventTypePattern, ...]
) -> bool:
    return not wide or (
        bool(narrow) and all(any(_fits(big, small) for big in wide) for small in narrow)
    )


def _fits(wide: EventTypePattern, narrow: EventTypePattern) -> bool:
    # A `*` of the narrow pattern is a character that only a `*` of the wide one takes.
    domain = wide.any_domain or (
        not narrow.any_domain and wildcard_match(wide.domain, narrow.domain)
    )
    return domain and (
        wide.any_type or (not narrow.any_type and wildcard_match(wide.type, narrow.type))
    )


@lru_cache(8_192)
def _normal(one: Constraint) -> t.Node:
    return normalise(one.tree)


# What is known of a field. Literals of one class compare with a field in one way: integers and
# booleans, reals (an integer or a fixed then becomes a double), texts, characters (a text, or a
# number), labels. What one class says holds for another with care only.

_INTEGERS, _REALS, _TEXTS, _CHARACTERS, _LABELS = "integers", "reals", "texts", "chars", "labels"
_TELLING: Final = {
    _INTEGERS: (_INTEGERS, _REALS),
    _REALS: (_REALS, _INTEGERS),
    _TEXTS: (_TEXTS,),
    _CHARACTERS: (_CHARACTERS, _TEXTS),
    _LABELS: (_LABELS,),
}
"""For a literal of a class, the classes whose facts tell something of the comparison."""

_NEGATED: Final[dict[type[t.Infix], type[t.Infix]]] = {
    t.Equal: t.NotEqual, t.NotEqual: t.Equal, t.Less: t.GreaterEqual, t.GreaterEqual: t.Less,
    t.Greater: t.LessEqual, t.LessEqual: t.Greater,
}  # fmt: skip
_HOLDS: Final[dict[type[t.Infix], tuple[int, ...]]] = {
    t.Equal: (0,), t.NotEqual: (-1, 1), t.Less: (-1,), t.LessEqual: (-1, 0), t.Greater: (1,),
    t.GreaterEqual: (0, 1),
}  # fmt: skip
"""Where the left side must be for a comparison to hold: below, at, above the right one."""

_Value: TypeAlias = Any  # a number or a text; those that meet are of one class


def _class_of(literal: t.Node) -> tuple[str, _Value] | None:
    if isinstance(literal, t.Integer | t.Boolean | t.Real):
        if abs(literal.value) >= EXACT:  # here the order depends on the field's type
            return None
        return _REALS if isinstance(literal, t.Real) else _INTEGERS, literal.value
    if isinstance(literal, t.Text):
        return _CHARACTERS if len(literal.value) == 1 else _TEXTS, literal.value
    return (_LABELS, literal.value) if isinstance(literal, t.Label) else None


class _Range:
    """What is known of a field from comparisons with literals of one class."""

    __slots__ = ("excluded", "high", "high_open", "low", "low_open", "nan")

    def __init__(self, nan: bool) -> None:
        self.low: _Value | None = None
        self.high: _Value | None = None
        self.low_open = self.high_open = False
        self.excluded: set[_Value] = set()
        self.nan = nan  # whether it may be no number at all

    def learn(self, operator: type[t.Infix], value: _Value, holds: bool) -> None:
        """Take in that a comparison holds, or that it does not."""
        if holds is not (operator is t.NotEqual):
            self.nan = False
        operator = operator if holds else _NEGATED[operator]
        if operator is t.NotEqual:
            self.excluded.add(value)
            return
        is_open = operator in (t.Greater, t.Less)
        if operator in (t.Equal, t.Greater, t.GreaterEqual):
            bound = (value, is_open)
            if self.low is None or bound > (self.low, self.low_open):
                self.low, self.low_open = bound
        if operator in (t.Equal, t.Less, t.LessEqual):
            bound = (value, is_open)
            if self.high is None or (value, not is_open) < (self.high, not self.high_open):
                self.high, self.high_open = bound

    @property
    def only(self) -> _Value | None:
        """The one value that the field can have; None if there are more, or none."""
        closed = not (self.low_open or self.high_open or self.nan)
        return self.low if closed and self.low == self.high else None

    @property
    def empty(self) -> bool:
        """Whether no value is left."""
        if self.nan or self.low is None or self.high is None:
            return False
        at = self.low_open or self.high_open or self.low in self.excluded
        return bool(self.low > self.high or (self.low == self.high and at))

    def judge(self, operator: type[t.Infix], value: _Value, alike: bool) -> int:
        """What a comparison can be; `alike` if its literal is of the class of the facts."""
        below = self.low is None or self.low < value
        above = self.high is None or self.high > value
        if alike:
            at = value not in self.excluded
            at = at and (below or (self.low == value and not self.low_open))
            at = at and (above or (self.high == value and not self.high_open))
        else:  # rounding may have moved the field to the other side of a bound, or onto it
            below = below or self.low == value
            above = above or self.high == value
            at = below and above
        found = 0
        for place, possible in ((-1, below), (0, at), (1, above)):
            if possible:
                found |= _TRUE if place in _HOLDS[operator] else _FALSE
        if self.nan:
            found |= _TRUE if operator is t.NotEqual else _FALSE
        return found


class _Facts:
    """What is known of the events of one case.

    Attributes:
        known: Nodes whose truth is known.
        possible: Whether there can be such events.
    """

    def __init__(self, learnt: Iterable[tuple[t.Node, bool]]) -> None:
        self.known: dict[t.Node, bool] = {}
        self.possible = True
        self.ranges: dict[tuple[Path, str], _Range] = {}
        self._there: dict[Path, bool] = {}
        self._contained: dict[tuple[Path, bool], set[str]] = defaultdict(set)
        for node, holds in learnt:
            self._learn(node, holds)
        if any(one.empty for one in self.ranges.values()):
            self.possible = False

    def _learn(self, node: t.Node, holds: bool) -> None:
        if self.known.setdefault(node, holds) is not holds:
            self.possible = False
        if isinstance(node, t.Not):
            self._learn(node.operand, not holds)
        elif isinstance(node, t.And | t.Or):
            if isinstance(node, t.And) is holds:
                for operand in node.operands:
                    self._learn(operand, holds)
        elif isinstance(node, t.LITERALS):
            if not isinstance(node, t.Boolean) or node.value is not holds:
                self.possible = False
        elif isinstance(node, t.Exist):
            self._be_there(node.path, holds)
        elif (found := field_test(node)) is not None:
            self._be_there(found.path, there=True)
            self._learn_test(found, isinstance(node, t.Component), holds)

    def _be_there(self, path: Path, there: bool) -> None:
        if self._there.setdefault(path, there) is not there:
            self.possible = False

    def _learn_test(self, found: FieldTest, alone: bool, holds: bool) -> None:
        path, operator, literal = found
        if operator is t.Contains:
            assert isinstance(literal, t.Text)
            self._contained[path, holds].add(literal.value)
            self._range(path, _TEXTS)
            return
        if alone:  # a boolean, the one or the other
            literal, holds = t.Boolean(holds), True
        if (at := _class_of(literal)) is not None:
            self._range(path, at[0]).learn(operator, at[1], holds)

    def _range(self, path: Path, class_: str) -> _Range:
        if (path, class_) not in self.ranges:
            self.ranges[path, class_] = _Range(nan=class_ not in (_TEXTS, _LABELS))
        return self.ranges[path, class_]

    def exists(self, path: Path) -> int:
        """What `exist` can be."""
        there = self._there.get(path)
        return _TRUE | _FALSE if there is None else _TRUE if there else _FALSE

    def judge(self, found: FieldTest) -> int:
        """What the test of a field can be."""
        path, operator, literal = found
        if operator is t.Contains:
            assert isinstance(literal, t.Text)
            return self._judge_contains(path, literal.value)
        at = _class_of(literal)
        if at is None:
            return _UNKNOWN
        class_, value = at
        answer = _UNKNOWN
        for telling in _TELLING[class_]:
            known = self.ranges.get((path, telling))
            if known is not None:
                alike = telling in (class_, _TEXTS)
                answer &= known.judge(operator, value, alike)
        if class_ == _LABELS and operator not in (t.Equal, t.NotEqual):
            return _ERROR
        return answer

    def _judge_contains(self, path: Path, text: str) -> int:
        known = self.ranges.get((path, _TEXTS))
        if known is None:
            return _UNKNOWN
        if known.only is not None:
            return _TRUE if text in known.only else _FALSE
        if not text or any(text in one for one in self._contained[path, True]):
            return _TRUE
        return (
            _FALSE if any(one in text for one in self._contained[path, False]) else _TRUE | _FALSE
        )


# Cases.

_Case: TypeAlias = tuple[tuple[t.Node, bool], ...]


@lru_cache(8_192)
def _facts_of(one: Constraint) -> tuple[_Facts, ...]:
    """The facts of each case in which a constraint matches; together they are all cases."""
    return tuple(facts for case in _cases(_normal(one), True) if (facts := _Facts(case)).possible)


def _cases(node: t.Node, holds: bool) -> list[_Case]:
    whole: list[_Case] = [((node, holds),)]
    if isinstance(node, t.Not):
        return _cases(node.operand, not holds)
    if not isinstance(node, t.And | t.Or):
        return whole
    if isinstance(node, t.And) is holds:
        rows = whole
        for operand in node.operands:
            options = _cases(operand, holds)
            if len(rows) * len(options) <= MOST_CASES:
                rows = [(*row, *one) for row in rows for one in options]
        return rows
    # The operands before the one that decides did not, and were no errors.
    found = [
        (*whole[0], *((before, not holds) for before in node.operands[:at]), *case)
        for at, operand in enumerate(node.operands[:MOST_CASES])
        for case in _cases(operand, holds)
    ]
    return found if len(node.operands) <= MOST_CASES >= len(found) else whole


def _judged(node: t.Node, facts: _Facts) -> int:
    """What a node can be where facts hold: TRUE, FALSE, an error, or several of these."""
    known = facts.known.get(node)
    if known is not None:
        return _TRUE if known else _FALSE
    if isinstance(node, t.Not):
        inner = _judged(node.operand, facts)
        turned = (_TRUE if inner & _FALSE else 0) | (_FALSE if inner & _TRUE else 0)
        return turned | inner & _ERROR
    if isinstance(node, t.And | t.Or):
        going_on = _TRUE if isinstance(node, t.And) else _FALSE
        answer = 0
        for operand in node.operands:
            one = _judged(operand, facts)
            answer |= one & ~going_on
            if not one & going_on:
                return answer
        return answer | going_on
    if isinstance(node, t.LITERALS):
        return (_TRUE if node.value else _FALSE) if isinstance(node, t.Boolean) else _ERROR
    if isinstance(node, t.Exist):
        return facts.exists(node.path)
    found = None if isinstance(node, t.Component) else field_test(node)
    return _UNKNOWN if found is None else facts.judge(found)


# Few for many.


def hull(filters: Collection[Constraint]) -> Constraint:
    """Return one constraint that covers all of these: what all ask for, and common bounds."""
    types: tuple[EventTypePattern, ...] = ()
    if all(one.event_types for one in filters):
        types = tuple(dict.fromkeys(pattern for one in filters for pattern in one.event_types))
    cases = [facts for one in filters for facts in _facts_of(one)]
    if not cases:
        return constraint("FALSE")
    found = constraint()
    for node in _common(cases):
        part = constraint(print_tree(node))
        if not covers(part, found) and all(covers(part, one) for one in filters):
            found = constraint(f"{found.text} and {part.text}" if found.text else part.text)
    return constraint(found.text, types)


def _common(cases: list[_Facts]) -> Iterator[t.Node]:
    """What may hold in all cases, simple tests only."""
    first, *others = cases
    for node, holds in first.known.items():
        if (
            holds
            and not isinstance(node, t.And | t.Or)
            and all(one.known.get(node) is True for one in others)
        ):
            yield node
    for path in dict.fromkeys(path for path, _ in first.ranges):
        ranges = [
            [
                one.ranges[path, class_]
                for class_ in (_INTEGERS, _REALS)
                if (path, class_) in one.ranges
            ]
            for one in cases
        ]
        lows = [[one.low for one in some if one.low is not None] for some in ranges]
        highs = [[one.high for one in some if one.high is not None] for some in ranges]
        if all(lows):
            yield t.GreaterEqual(t.Component(path), _literal(min(map(max, lows))))
        if all(highs):
            yield t.LessEqual(t.Component(path), _literal(max(map(min, highs))))


def _literal(value: _Value) -> t.Node:
    return t.Real(value) if isinstance(value, float) else t.Integer(int(value))


def _event_name(one: Constraint) -> str | None:
    """The one event name that a constraint asks for; None if it asks for several, or all."""
    names: set[str | None] = set()
    for facts in _facts_of(one):
        known = (facts.ranges.get((NAME, class_)) for class_ in (_TEXTS, _CHARACTERS))
        names.add(next((found.only for found in known if found is not None), None))
    return names.pop() if len(names) == 1 else None


class _Joined:
    """Filters that one stands for when they are too many.

    Attributes:
        filters: They.
        one: What stands for all; None while they are few.
    """

    def __init__(self, most: int) -> None:
        self.filters: dict[Constraint, None] = {}
        self.one: Constraint | None = None
        self._most = most
        self._new: dict[Constraint, None] = {}  # since that was found
        self._gone = 0

    def add(self, one: Constraint) -> None:
        self.filters[one] = self._new[one] = None

    def remove(self, one: Constraint) -> None:
        del self.filters[one]
        self._new.pop(one, None)
        self._gone += 1

    def settle(self) -> bool:
        """Find what stands for all; return whether it has changed.

        What has stood for more than there are now is narrowed once half of them are gone.
        """
        before = self.one
        if len(self.filters) <= self._most:
            self.one = None
        elif before is None or self._gone > len(self.filters):
            self.one = hull(self.filters)
            self._gone = 0
        elif more := [one for one in self._new if not covers(before, one)]:
            self.one = hull((before, *more))
        self._new.clear()
        return self.one != before


class Placement:
    """The filters to place for a set of wanted ones that changes."""

    def __init__(self, most_each: int = MOST_EACH, most: int = MOST_PLACED) -> None:
        self._most_each = most_each
        self._wanted: set[Constraint] = set()
        self._groups: dict[str | None, _Joined] = {}  # by event name, those that none covers
        self._under: dict[Constraint, Constraint] = {}  # the covered ones, each with its top
        self._covered: dict[Constraint, set[Constraint]] = {}  # … by their tops
        # What each group gives to all; several may give the same.
        self._given: dict[str | None, tuple[Constraint, ...]] = {}
        self._all = _Joined(most)
        self._times: Counter[Constraint] = Counter()
        self._sorted: list[Constraint] = []
        # Of the change under way: groups, and filters that others may stand for now.
        self._touched: dict[str | None, None] = {}
        self._moved: set[Constraint] = set()

    @property
    def placed(self) -> tuple[Constraint, ...]:
        """The filters to place; together they select every event that a wanted one selects."""
        return tuple(self._sorted) if self._all.one is None else (self._all.one,)

    def change(self, added: Iterable[Constraint], gone: Iterable[Constraint]) -> set[Constraint]:
        """Take in what is wanted now, and no longer; return for which `covering` may change."""
        gone = self._wanted.intersection(gone)
        added = set(added) - self._wanted
        self._wanted -= gone
        self._wanted |= added
        self._moved, self._touched = set(), {}
        again: set[Constraint] = set()
        for one in sorted(gone, key=lambda one: one not in self._under):  # the covered ones first
            again |= self._remove(one)
        for one in sorted(added | again, key=_order):
            self._add(one)
        for name in self._touched:
            self._settle(name)
        if self._all.settle():
            self._moved |= self._wanted
        return self._moved & self._wanted

    def covering(self, one: Constraint) -> Constraint:
        """Return the filter that is placed for a wanted one: itself, or one that covers it."""
        if self._all.one is not None:
            return self._all.one
        top = self._under.get(one, one)
        group = self._groups.get(_event_name(top))
        return top if group is None or group.one is None else group.one

    def _remove(self, one: Constraint) -> set[Constraint]:
        """Drop a filter; return those that it has covered."""
        top = self._under.pop(one, None)
        if top is not None:
            self._covered[top].remove(one)
            if not self._covered[top]:
                del self._covered[top]
            return set()
        self._take_out(_event_name(one), one)
        again = self._covered.pop(one, set())
        for lower in again:
            del self._under[lower]
        return again

    def _add(self, one: Constraint) -> None:
        name = _event_name(one)
        beside = self._tops(name)
        self._moved.add(one)
        if len(beside) <= self._most_each:  # a larger group is one filter in any case
            for top in (*beside, *(self._tops(None) if name is not None else ())):
                if covers(top, one):
                    self._put_under(top, {one})
                    return
            for group in [name] if name is not None else list(self._groups):
                self._cover(group, one)
        self._groups.setdefault(name, _Joined(self._most_each)).add(one)
        self._touched[name] = None

    def _tops(self, name: str | None) -> Collection[Constraint]:
        group = self._groups.get(name)
        return () if group is None else group.filters

    def _put_under(self, top: Constraint, lower: set[Constraint]) -> None:
        self._covered.setdefault(top, set()).update(lower)
        self._under.update(dict.fromkeys(lower, top))
        self._moved |= lower

    def _cover(self, name: str | None, one: Constraint) -> None:
        """Take away what a new filter covers."""
        for top in [top for top in self._tops(name) if covers(one, top)]:
            self._take_out(name, top)
            self._put_under(one, {top, *self._covered.pop(top, ())})

    def _take_out(self, name: str | None, top: Constraint) -> None:
        self._groups[name].remove(top)
        self._touched[name] = None

    def _settle(self, name: str | None) -> None:
        """Find what stands for a group now."""
        group = self._groups[name]
        if group.settle():
            for top in group.filters:
                self._moved |= {top, *self._covered.get(top, ())}
        elif group.one is not None:
            return
        given = tuple(group.filters) if group.one is None else (group.one,)
        for one in self._given.pop(name, ()):
            self._times[one] -= 1
            if not self._times[one]:
                del self._times[one]
                self._sorted.pop(bisect_left(self._sorted, _order(one), key=_order))
                self._all.remove(one)
        for one in given:
            self._times[one] += 1
            if self._times[one] == 1:
                insort(self._sorted, one, key=_order)
                self._all.add(one)
        if given:
            self._given[name] = given
        else:
            del self._groups[name]


def _order(one: Constraint) -> tuple[str, tuple[EventTypePattern, ...]]:
    return one.text, one.event_types
