"""Subscriptions that match all but a few events: `$x != literal`, and `or`s decided by one.

Testing each would cost most where most match. So they are one list, which is the answer, with the
literals apart: a value removes from the list those whose literal it equals. This holds for events
in which nothing before the `!=` can be an error; the kinds that it needs are the lane's guard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tidings.events.fields import EnumLabel, Fields, Plain
from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.index.entry import IndexEntry, take_out
from tidings.filters.index.equality import EqualityTable
from tidings.filters.shape import Constant, constant_of


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
    """Subscriptions that one `!=` on one field decides, if the guard holds."""

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
