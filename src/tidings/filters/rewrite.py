"""Tree to simpler tree, without changing any answer: TRUE, FALSE and error stay what they are.

Note what is *not* done. `not ($x < 5)` is not `$x >= 5`: for NaN the first is TRUE and the second
FALSE. `$x and FALSE` is not FALSE: a missing `$x` is an error, which `not` around it would show.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tidings.filters import truth
from tidings.filters.shape import constant_of
from tidings.filters.tree import (
    ARITHMETIC,
    COMPARISONS,
    LITERALS,
    And,
    Arithmetic,
    Boolean,
    Comparison,
    Contains,
    Default,
    Equal,
    Exist,
    In,
    Integer,
    Node,
    Not,
    NotEqual,
    Or,
    Real,
)


def normalise(tree: Node) -> Node:
    """Move negations to the leaves, and fold."""
    return fold(push_negation(tree))


def fold(tree: Node) -> Node:
    """Compute constant parts, and drop operands that cannot be reached."""
    return _fold(tree, boolean=True)


def _fold(node: Node, boolean: bool) -> Node:
    """Fold a node; if only its truth is used (`boolean`), `TRUE and x` may become x."""
    folding = _FOLDS.get(type(node))
    return node if folding is None else folding(node, boolean)


def _fold_logical(node: And | Or, boolean: bool) -> Node:
    deciding = type(node) is Or
    kept: list[Node] = []
    for operand in node.operands:
        folded = _fold(operand, boolean=True)
        if isinstance(folded, Boolean) and folded.value is not deciding:
            continue  # TRUE in an `and`, FALSE in an `or`: never decides anything
        if type(folded) is type(node):
            kept += folded.operands
        else:
            kept.append(folded)
        if isinstance(folded, Boolean):
            break  # what stands behind it is never reached
    if not kept:
        return Boolean(not deciding)
    if len(kept) > 1:
        return type(node)(tuple(kept))
    only = kept[0]
    if boolean or _is_boolean(only):
        return only
    return type(node)((only, Boolean(not deciding)))


def _fold_not(node: Not, boolean: bool) -> Node:
    operand = _fold(node.operand, boolean=True)
    if isinstance(operand, Boolean):
        return Boolean(not operand.value)
    if isinstance(operand, Not) and (boolean or _is_boolean(operand.operand)):
        return operand.operand
    return node if operand is node.operand else Not(operand)


def _fold_infix(node: Comparison | Contains | Arithmetic, boolean: bool) -> Node:
    left, right = _fold(node.left, boolean=False), _fold(node.right, boolean=False)
    if type(left) in LITERALS and type(right) in LITERALS:
        return _computed(type(node)(left, right), left, right)
    if left is node.left and right is node.right:
        return node
    return type(node)(left, right)


def _fold_in(node: In, boolean: bool) -> Node:
    return In(_fold(node.left, boolean=False), node.path)


_FOLDS: dict[type[Node], Callable[..., Node]] = {
    **dict.fromkeys((*COMPARISONS.values(), *ARITHMETIC.values(), Contains), _fold_infix),
    And: _fold_logical,
    Or: _fold_logical,
    Not: _fold_not,
    In: _fold_in,
}


def _is_boolean(node: Node) -> bool:
    """Whether the node's value is a boolean whenever it has one."""
    return isinstance(node, Boolean | Comparison | Contains | In | Exist | Default | Not | And | Or)


def _computed(node: Comparison | Contains | Arithmetic, left: Node, right: Node) -> Node:
    one, two = constant_of(left), constant_of(right)
    assert one is not None
    assert two is not None
    if isinstance(node, Arithmetic):
        result = truth.ARITHMETIC[type(node)](one, two)
        if type(result) is int:
            return Integer(result)
        # A result no literal can write, and an error, stay for the time of judgement.
        return Real(result) if type(result) is float and math.isfinite(result) else node
    if isinstance(node, Contains):
        answer = truth.contains(one, two)
    else:
        answer = truth.COMPARE[type(node)](one, two)
    return node if answer is None else Boolean(answer)


def push_negation(tree: Node) -> Node:
    """Move every `not` down as far as it can go."""
    return _push(tree, negated=False)


def _push(node: Node, negated: bool) -> Node:
    kind = type(node)
    if isinstance(node, Not):
        return _push(node.operand, not negated)
    if kind is And or kind is Or:
        operands: tuple[Node, ...] = node.operands  # type: ignore[attr-defined]
        pushed = tuple([_push(operand, negated) for operand in operands])
        return And(pushed) if (kind is And) is not negated else Or(pushed)
    if not negated:
        return node
    if isinstance(node, Equal):
        return NotEqual(node.left, node.right)
    if isinstance(node, NotEqual):
        return Equal(node.left, node.right)
    if isinstance(node, Boolean):
        return Boolean(not node.value)
    return Not(node)
