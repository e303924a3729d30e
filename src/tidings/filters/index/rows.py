"""Subscriptions with no access left: tested one by one, or as rows of constants.

While few have the same shape, each is tested by its own predicate. When they become more, they are
rows of one lane, and a generated comprehension tests them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tidings.events.fields import EnumLabel, Fields, Plain
from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.index.entry import IndexEntry, LaneOwner, shape_and_constants, take_out
from tidings.filters.index.rowcode import has_row_code, row_code
from tidings.filters.index.tables import EqualityTable
from tidings.filters.shape import Constant, Shape, constant_of
from tidings.filters.to_python import Predicate

# Up to so many rows of a shape are tested one by one: looking at kinds first costs more.
_FEW = 6


class RowLane:
    """Rows of one shape."""

    __slots__ = ("code", "entries", "rows")

    def __init__(self, shape: Shape) -> None:
        self.code = row_code(shape)
        self.rows: list[tuple[object, ...]] = []
        self.entries: list[IndexEntry] = []

    def add(self, entry: IndexEntry, constants: list[Constant]) -> None:
        """Add an entry."""
        entry.place = len(self.entries)
        self.rows.append((entry.way.key, *constants))
        self.entries.append(entry)

    def match(self, fields: Fields, out: list[object]) -> None:
        """Add the keys whose tests pass."""
        passing = self.code.run(self.rows, fields)
        if passing is None:
            passing = [entry.way.key for entry in self.entries if entry.way.compiled()(fields)]
        out += passing


def _is_number(value: Plain) -> bool:
    return type(value) in (int, float, bool)


def _is_text(value: Plain) -> bool:
    return type(value) is str


def _is_label(value: Plain) -> bool:
    return type(value) is EnumLabel


def _is_boolean(value: Plain) -> bool:
    return type(value) is bool


def _all_numbers(value: Plain) -> bool:
    return isinstance(value, tuple) and all(map(_is_number, value))


def _all_texts(value: Plain) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


Need = tuple[Path, Callable[[Plain], bool]]
Guard = frozenset[Need]


class Decisive(NamedTuple):
    """A `!=` that makes everything TRUE when it is, and what must hold for that."""

    path: Path
    literal: Constant
    guard: Guard


def decisive(conjuncts: tuple[t.Node, ...]) -> Decisive | None:
    """The `!=` that decides, if one does."""
    if len(conjuncts) != 1:
        return None
    (conjunct,) = conjuncts
    operands = conjunct.operands if isinstance(conjunct, t.Or) else (conjunct,)
    guard: set[Need] = set()
    for operand in operands:
        needs = _needs(operand)
        if needs is None:
            return None
        guard |= needs
        if isinstance(operand, t.NotEqual) and isinstance(operand.left, t.Component):
            literal = constant_of(operand.right)
            assert literal is not None
            return Decisive(operand.left.path, literal, frozenset(guard))
    return None


def _needs(node: t.Node) -> set[Need] | None:
    """Kinds of fields with which a node cannot be an error; None if unknown."""
    if isinstance(node, t.Exist):
        return set()
    if isinstance(node, t.Component):
        return {(node.path, _is_boolean)}
    if isinstance(node, t.Not):
        return _needs(node.operand)
    if isinstance(node, t.And | t.Or):
        found: set[Need] = set()
        for operand in node.operands:
            needs = _needs(operand)
            if needs is None:
                return None
            found |= needs
        return found
    return _needs_of_operator(node)


def _needs_of_operator(node: t.Node) -> set[Need] | None:
    if isinstance(node, t.In):
        literal = constant_of(node.left)
        if literal is None or isinstance(node.left, t.Label):
            return None
        return {(node.path, _all_texts if isinstance(node.left, t.Text) else _all_numbers)}
    if isinstance(node, t.Contains):
        if isinstance(node.left, t.Text) and isinstance(node.right, t.Component):
            return {(node.right.path, _is_text)}
        return None
    if not isinstance(node, t.Comparison) or not isinstance(node.left, t.Component):
        return None
    if constant_of(node.right) is None:
        return None
    if isinstance(node.right, t.Label):
        return {(node.left.path, _is_label)} if isinstance(node, t.Equal | t.NotEqual) else None
    return {(node.left.path, _is_text if isinstance(node.right, t.Text) else _is_number)}


class UnequalLane:
    """Subscriptions that match all but a few events: a `!=` on one field decides.

    Testing each would cost most where most match. So they are one list, which is the answer, with
    the literals apart: a value removes from the list those whose literal it equals. This holds for
    events in which nothing before the `!=` can be an error; the kinds it needs are the guard.
    """

    __slots__ = ("entries", "equal", "guard", "keys", "path")

    def __init__(self, path: Path, guard: Guard) -> None:
        self.path = path
        self.guard = guard
        self.keys: list[object] = []
        self.entries: list[IndexEntry] = []
        # Dictionaries as ordered sets: very many may have the same literal.
        self.equal: EqualityTable[dict[IndexEntry, None]] = EqualityTable()

    def add(self, entry: IndexEntry, literal: Constant) -> None:
        """Add an entry."""
        entry.place = len(self.keys)
        self.keys.append(entry.way.key)
        self.entries.append(entry)
        for table, key in self.equal.slots(literal):
            table.setdefault(key, {})[entry] = None

    def discard(self, entry: IndexEntry, literal: Constant) -> None:
        """Remove an entry."""
        take_out(entry, self.entries, self.keys)
        for table, slot in self.equal.slots(literal):
            del table[slot][entry]
            if not table[slot]:
                del table[slot]

    def match(self, fields: Fields, out: list[object]) -> None:
        """Add the keys of all whose literal the value does not equal, and of others that pass."""
        if not all(holds(fields[path]) for path, holds in self.guard):
            out += [e.way.key for e in self.entries if e.way.compiled()(fields)]
            return
        equal = [entry for entries in self.equal.find(fields[self.path]) for entry in entries]
        failing = {e.place for e in equal if not e.way.compiled()(fields)}
        if failing:
            out += [key for place, key in enumerate(self.keys) if place not in failing]
        else:
            out += self.keys


class RowSet:
    """Subscriptions of many shapes."""

    __slots__ = ("entries", "few", "lanes", "loose", "owner", "unequal")

    def __init__(self, owner: LaneOwner) -> None:
        self.owner = owner
        self.lanes: dict[Shape, RowLane] = {}
        self.unequal: dict[tuple[Path, Guard], UnequalLane] = {}
        # Entries of shapes with few, where they could become rows; and all that are tested one by
        # one, as they are tested.
        self.few: dict[Shape, list[IndexEntry]] = {}
        self.loose: list[tuple[Predicate, object]] = []
        self.entries: list[IndexEntry] = []

    def match(self, fields: Fields, out: list[object]) -> None:
        """Add the keys whose tests pass."""
        if self.loose:
            out += [key for predicate, key in self.loose if predicate(fields)]
        for lane in self.lanes.values():
            lane.match(fields, out)
        for unequal in self.unequal.values():
            unequal.match(fields, out)

    def add(self, entry: IndexEntry) -> None:
        """Add an entry."""
        entry.home = self
        found = decisive(entry.conjuncts)
        if found is not None:
            name = (found.path, found.guard)
            if name not in self.unequal:
                self.unequal[name] = UnequalLane(*name)
            self.unequal[name].add(entry, found.literal)
            return
        shape, constants = shape_and_constants(entry.conjuncts)
        lane = self.lanes.get(shape)
        if lane is not None:
            lane.add(entry, constants)
            return
        entry.place = len(self.loose)
        self.loose.append((entry.way.compiled(), entry.way.key))
        self.entries.append(entry)
        if not has_row_code(shape):
            return
        same = self.few.setdefault(shape, [])
        same.append(entry)
        if len(same) > _FEW:
            self._gather(shape)

    def _gather(self, shape: Shape) -> None:
        """Make a lane of a shape that has become frequent."""
        lane = self.lanes[shape] = RowLane(shape)
        for entry in self.few.pop(shape):
            take_out(entry, self.entries, self.loose)
            lane.add(entry, shape_and_constants(entry.conjuncts)[1])

    def discard(self, entry: IndexEntry) -> None:
        """Remove an entry."""
        found = decisive(entry.conjuncts)
        if found is not None:
            name = (found.path, found.guard)
            self.unequal[name].discard(entry, found.literal)
            if not self.unequal[name].entries:
                del self.unequal[name]
        else:
            self._discard_by_shape(entry)
        if not self.lanes and not self.loose and not self.unequal:
            self.owner.lane_emptied(self)

    def _discard_by_shape(self, entry: IndexEntry) -> None:
        shape, _ = shape_and_constants(entry.conjuncts)
        lane = self.lanes.get(shape)
        if lane is not None:
            take_out(entry, lane.entries, lane.rows)
            if not lane.entries:
                del self.lanes[shape]
            return
        same = self.few.get(shape)
        if same is not None:
            same.remove(entry)
            if not same:
                del self.few[shape]
        take_out(entry, self.entries, self.loose)
