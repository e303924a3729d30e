"""A constraint as a list of conjuncts that must all be TRUE.

At the top of a constraint the order of `and` does not matter for TRUE: an error or a FALSE anywhere
makes it not TRUE. So an index may test them in any order. This does not hold below an `or`, whose
operands stay together.
"""

from __future__ import annotations

from tidings.filters.rewrite import normalise
from tidings.filters.tree import (
    LITERALS,
    And,
    Boolean,
    Comparison,
    Component,
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Node,
    Not,
    NotEqual,
    Or,
)

_MIRRORED: dict[type[Comparison], type[Comparison]] = {
    Equal: Equal,
    NotEqual: NotEqual,
    Less: Greater,
    LessEqual: GreaterEqual,
    Greater: Less,
    GreaterEqual: LessEqual,
}


def conjuncts_of(tree: Node) -> tuple[Node, ...] | None:
    """What must be TRUE for the tree to be TRUE; None if it never can."""
    simple = normalise(tree)
    parts = simple.operands if isinstance(simple, And) else (simple,)
    found = []
    for part in parts:
        if isinstance(part, Boolean):
            if not part.value:
                return None
            continue
        found.append(_component_first(part))
    return tuple(found)


def _component_first(node: Node) -> Node:
    """`5 < $x` as `$x > 5`, so that every comparison with a literal has one form."""
    if isinstance(node, Comparison):
        if type(node.left) in LITERALS and isinstance(node.right, Component):
            return _MIRRORED[type(node)](node.right, node.left)
        return node
    if isinstance(node, Not):
        return Not(_component_first(node.operand))
    if isinstance(node, Or):
        return Or(tuple(_component_first(operand) for operand in node.operands))
    if isinstance(node, And):
        return And(tuple(_component_first(operand) for operand in node.operands))
    return node
