"""The rules of a unit as clauses: mutually exclusive alternatives.

A clause is a set of literals that must all hold. At most one clause of a unit holds for an event,
so a lookup of clauses finds each consumer once and needs no deduplication. This works because the
language evaluates from left to right: `a or b` is TRUE when a is TRUE, or when a is FALSE (not an
error) and b is TRUE, which exclude each other.

Between constraints another rule applies: an error makes a constraint false, and the next one is
evaluated. There the alternative is `not a` for any reason: a literal that does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.index.conjuncts import conjuncts_of
from tidings.filters.plan import Operator
from tidings.filters.tree import (
    And,
    Boolean,
    Component,
    Equal,
    Integer,
    Node,
    Not,
    NotEqual,
    Or,
    Text,
    walk_tree,
)
from tidings.filters.truth import EXACT
from tidings.pipeline.matching.book import Unit

Types: TypeAlias = tuple[EventTypePattern, ...]
# Beyond this, a unit needs too many rows, and its constraints are kept whole.
_MOST: Final = 24
# Beyond this, a whole expression is unlikely to share its shape with many others.
LARGEST_TREE: Final = 60
_Trees: TypeAlias = tuple[Node, ...]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Literal:
    """A condition that a constraint is true, or that it is not."""

    tree: Node | None  # None if only the event's type matters
    types: Types = ()  # event types it applies to; empty for all
    holds: bool = True  # whether it must be true; otherwise it must be false or an error


Clause: TypeAlias = tuple[Literal, ...]
_Clauses: TypeAlias = list[Clause]


class _TooMany(Exception):
    """There are too many alternatives."""


def clauses_of(unit: Unit) -> list[Clause] | None:
    """Return the alternatives of a unit: empty if nothing passes, None if there are too many."""
    try:
        found = _joined(unit)
        if unit.rule.fence:
            found = _product(_group([unit.rule.fence], empty_passes=False), found)
        for types in (unit.admin.rule.types, unit.rule.rule.types):
            found = [(*_of_types(types), *clause) for clause in found]
    except _TooMany:
        return None
    return [made for clause in found if (made := _simplified(clause)) is not None]


def _of_types(types: Types) -> Clause:
    if not types or any(pattern.any_domain and pattern.any_type for pattern in types):
        return ()
    return (Literal(None, tuple(sorted(set(types)))),)


def _joined(unit: Unit) -> _Clauses:
    """Combine the filters of admin and proxy, as in the table in `filters/plan.py`."""
    shared, own, options = unit.admin.rule.filters, unit.rule.rule.filters, unit.options
    either = unit.admin.operator is Operator.OR
    if not shared or not own:
        if (not shared and not own) or (either and not options.empty_group_is_neutral):
            return [()]
        return _group(shared or own, options.empty_filter_passes)
    first = _group(shared, options.empty_filter_passes)
    second = _group(own, options.empty_filter_passes)
    if not either:
        return _product(first, second)
    refused = _refused(shared, options.empty_filter_passes)
    return first if refused is None else [*first, *_product([refused], second)]


def _group(filters: Sequence[Sequence[Constraint]], empty_passes: bool) -> _Clauses:
    found: _Clauses = []
    before: Clause = ()
    for constraints in filters:
        if not constraints and empty_passes:
            return [()]
        for constraint in constraints:
            found = _checked([*found, *_product([before], _of_constraint(constraint))])
            before = (*before, *_not(constraint))
    return found


def _refused(filters: Sequence[Sequence[Constraint]], empty_passes: bool) -> Clause | None:
    """Return the clause for which none of the constraints is true; None if that is impossible."""
    if empty_passes and not all(filters):
        return None
    return tuple(part for constraints in filters for one in constraints for part in _not(one))


def _not(constraint: Constraint) -> Clause:
    conjuncts = conjuncts_of(constraint.tree)
    if conjuncts is None:
        return ()
    types = _of_types(constraint.event_types)
    tree = _whole(conjuncts) if conjuncts else None
    return (Literal(tree, types[0].types if types else (), holds=False),)


def _whole(conjuncts: Sequence[Node]) -> Node:
    if not conjuncts:
        return Boolean(True)
    return conjuncts[0] if len(conjuncts) == 1 else And(tuple(conjuncts))


def _of_constraint(constraint: Constraint) -> _Clauses:
    conjuncts = conjuncts_of(constraint.tree)
    if conjuncts is None:
        return []
    types = _of_types(constraint.event_types)
    tree = _whole(conjuncts)
    try:
        trees = _alternatives(tree, True)
    except _TooMany:
        trees = [(tree,)]
    return [(*types, *(Literal(tree) for tree in one)) for one in trees]


def _alternatives(node: Node, truth: bool) -> list[_Trees]:
    """Return when a node is TRUE, or FALSE without error: alternative sets of trees, all TRUE."""
    if isinstance(node, Boolean):
        return [()] if node.value is truth else []
    if isinstance(node, Not):
        inner = node.operand
        if isinstance(inner, And | Or | Not | Boolean):
            return _alternatives(inner, not truth)
        return [(node,)] if truth else [(inner,)]
    if isinstance(node, And | Or):
        if isinstance(node, And) is truth:
            return _all(node.operands, truth)
        return _first(node.operands, truth)
    if truth:
        return [(node,)]
    if isinstance(node, Equal):
        return [(NotEqual(node.left, node.right),)]
    if isinstance(node, NotEqual):
        return [(Equal(node.left, node.right),)]
    return [(Not(node),)]


def _all(nodes: Iterable[Node], truth: bool) -> list[_Trees]:
    found: list[_Trees] = [()]
    for node in nodes:
        found = _checked([(*one, *two) for one in found for two in _alternatives(node, truth)])
    return found


def _first(nodes: Iterable[Node], truth: bool) -> list[_Trees]:
    """One of the nodes decides; those before it evaluate to the opposite, without an error."""
    found: list[_Trees] = []
    before: list[_Trees] = [()]
    for node in nodes:
        deciding = _alternatives(node, truth)
        found = _checked([*found, *((*one, *two) for one in before for two in deciding)])
        other = _alternatives(node, not truth)
        before = _checked([(*one, *two) for one in before for two in other])
    return found


def _checked(found: list[_T]) -> list[_T]:
    if len(found) > _MOST:
        raise _TooMany
    return found


def _product(first: _Clauses, second: _Clauses) -> _Clauses:
    return _checked([(*one, *two) for one in first for two in second])


def _simplified(clause: Clause) -> Clause | None:
    """Remove literals implied by others; None if the clause can never hold."""
    literals = list(dict.fromkeys(clause))
    equals: dict[Node, Node] = {}
    for literal in literals:
        tree = literal.tree
        if tree is None and not literal.types:
            return None  # requires a constraint that is always true to be untrue
        if literal.holds and isinstance(tree, Equal) and isinstance(tree.left, Component):
            known = equals.setdefault(tree.left, tree.right)
            if _differ(known, tree.right):
                return None
    return tuple(one for one in literals if not _follows(one, equals))


def _follows(literal: Literal, equals: dict[Node, Node]) -> bool:
    """Whether a literal holds because a field equals another value than it asks for."""
    tree = literal.tree
    if tree is None:
        return False
    if literal.holds:
        return isinstance(tree, NotEqual) and _is_other(tree.left, tree.right, equals)
    return _cannot_be(tree, equals)


def _cannot_be(tree: Node, equals: dict[Node, Node]) -> bool:
    if isinstance(tree, And):
        return any(_cannot_be(part, equals) for part in tree.operands)
    if isinstance(tree, Or):
        return all(_cannot_be(part, equals) for part in tree.operands)
    return isinstance(tree, Equal) and _is_other(tree.left, tree.right, equals)


def _is_other(field: Node, value: Node, equals: dict[Node, Node]) -> bool:
    known = equals.get(field)
    return known is not None and _differ(known, value)


def _differ(one: Node, two: Node) -> bool:
    """Whether no field can equal both, and comparing a value of one with the other is no error."""
    if isinstance(one, Text) and isinstance(two, Text):
        return len(one.value) != 1 and len(two.value) != 1 and one.value != two.value
    if isinstance(one, Integer) and isinstance(two, Integer):
        small = -EXACT < one.value < EXACT and -EXACT < two.value < EXACT
        return small and one.value != two.value
    return False


def size_of(tree: Node) -> int:
    """Count the nodes of a tree."""
    return sum(1 for _ in walk_tree(tree))
