"""Tree to simpler tree, without changing any answer: TRUE, FALSE and error stay what they are.

Note what is *not* done. `not ($x < 5)` is not `$x >= 5`: for NaN the first is TRUE and the second
FALSE. `$x and FALSE` is not FALSE: a missing `$x` is an error, which `not` around it would show.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tidings.filters import tree as t
from tidings.filters import truth
from tidings.filters.shape import constant_of


def normalise(tree: t.Node) -> t.Node:
    """Move negations to the leaves, and fold."""
    return fold(push_negation(tree))


def fold(tree: t.Node) -> t.Node:
    """Compute constant parts, and drop operands that cannot be reached."""
    return _fold(tree, boolean=True)


def _fold(node: t.Node, boolean: bool) -> t.Node:
    """Fold a node; if only its truth is used (`boolean`), `TRUE and x` may become x."""
    folding = _FOLDS.get(type(node))
    return node if folding is None else folding(node, boolean)


def _fold_logical(node: t.And | t.Or, boolean: bool) -> t.Node:
    deciding = type(node) is t.Or
    kept: list[t.Node] = []
    for operand in node.operands:
        folded = _fold(operand, boolean=True)
        if isinstance(folded, t.Boolean) and folded.value is not deciding:
            continue  # TRUE in an `and`, FALSE in an `or`: never decides anything
        if type(folded) is type(node):
            kept += folded.operands
        else:
            kept.append(folded)
        if isinstance(folded, t.Boolean):
            break  # what stands behind it is never reached
    if not kept:
        return t.Boolean(not deciding)
    if len(kept) > 1:
        return type(node)(tuple(kept))
    only = kept[0]
    if boolean or _is_boolean(only):
        return only
    return type(node)((only, t.Boolean(not deciding)))


def _fold_not(node: t.Not, boolean: bool) -> t.Node:
    operand = _fold(node.operand, boolean=True)
    if isinstance(operand, t.Boolean):
        return t.Boolean(not operand.value)
    if isinstance(operand, t.Not) and (boolean or _is_boolean(operand.operand)):
        return operand.operand
    return node if operand is node.operand else t.Not(operand)


def _fold_infix(node: t.Infix, boolean: bool) -> t.Node:
    left, right = _fold(node.left, boolean=False), _fold(node.right, boolean=False)
    if type(left) in t.LITERALS and type(right) in t.LITERALS:
        return _computed(type(node)(left, right), left, right)
    if left is node.left and right is node.right:
        return node
    return type(node)(left, right)


def _fold_in(node: t.In, boolean: bool) -> t.Node:
    return t.In(_fold(node.left, boolean=False), node.path)


_FOLDS: dict[type[t.Node], Callable[..., t.Node]] = {
    **dict.fromkeys(t.INFIXES, _fold_infix),
    t.And: _fold_logical,
    t.Or: _fold_logical,
    t.Not: _fold_not,
    t.In: _fold_in,
}


def _is_boolean(node: t.Node) -> bool:
    """Whether the node's value is a boolean whenever it has one."""
    return isinstance(
        node,
        t.Boolean | t.Comparison | t.Contains | t.In | t.Exist | t.Default | t.Not | t.And | t.Or,
    )


def _computed(node: t.Infix, left: t.Node, right: t.Node) -> t.Node:
    one, two = constant_of(left), constant_of(right)
    assert one is not None
    assert two is not None
    result = truth.OPERATORS[type(node)](one, two)
    if type(result) is bool:
        return t.Boolean(result)
    if type(result) is int:
        return t.Integer(result)
    # A result no literal can write, and an error, stay for the time of judgement.
    return t.Real(result) if type(result) is float and math.isfinite(result) else node


def push_negation(tree: t.Node) -> t.Node:
    """Move every `not` down as far as it can go."""
    return _push(tree, negated=False)


def _push(node: t.Node, negated: bool) -> t.Node:
    kind = type(node)
    if isinstance(node, t.Not):
        return _push(node.operand, not negated)
    if kind is t.And or kind is t.Or:
        operands: tuple[t.Node, ...] = node.operands  # type: ignore[attr-defined]
        pushed = tuple([_push(operand, negated) for operand in operands])
        return t.And(pushed) if (kind is t.And) is not negated else t.Or(pushed)
    if not negated:
        return node
    if isinstance(node, t.Equal):
        return t.NotEqual(node.left, node.right)
    if isinstance(node, t.NotEqual):
        return t.Equal(node.left, node.right)
    if isinstance(node, t.Boolean):
        return t.Boolean(not node.value)
    return t.Not(node)
