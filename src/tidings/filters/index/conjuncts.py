"""A constraint as a list of conjuncts that must all be TRUE.

At the top of a constraint the order of `and` does not matter for TRUE: an error or a FALSE anywhere
makes it not TRUE. So an index may test them in any order. This does not hold below an `or`, whose
operands stay together.
"""

from __future__ import annotations

from tidings.filters import tree as t
from tidings.filters.rewrite import normalise

_MIRRORED: dict[type[t.Comparison], type[t.Comparison]] = {
    t.Equal: t.Equal,
    t.NotEqual: t.NotEqual,
    t.Less: t.Greater,
    t.LessEqual: t.GreaterEqual,
    t.Greater: t.Less,
    t.GreaterEqual: t.LessEqual,
}


def conjuncts_of(tree: t.Node) -> tuple[t.Node, ...] | None:
    """What must be TRUE for the tree to be TRUE; None if it never can."""
    simple = normalise(tree)
    parts = simple.operands if isinstance(simple, t.And) else (simple,)
    found = []
    for part in parts:
        if isinstance(part, t.Boolean):
            if not part.value:
                return None
            continue
        found.append(_component_first(part))
    return tuple(found)


def _component_first(node: t.Node) -> t.Node:
    """`5 < $x` as `$x > 5`, so that every comparison with a literal has one form."""
    if isinstance(node, t.Comparison):
        if type(node.left) in t.LITERALS and isinstance(node.right, t.Component):
            return _MIRRORED[type(node)](node.right, node.left)
        return node
    if isinstance(node, t.Not):
        return t.Not(_component_first(node.operand))
    if isinstance(node, t.Or):
        return t.Or(tuple(_component_first(operand) for operand in node.operands))
    if isinstance(node, t.And):
        return t.And(tuple(_component_first(operand) for operand in node.operands))
    return node
