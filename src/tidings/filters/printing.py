"""Tree to text: `parse(print_tree(t)) == t`."""

from __future__ import annotations

from tidings.events.paths import KEYWORDS
from tidings.filters.tree import (
    Add,
    And,
    Arithmetic,
    Boolean,
    Comparison,
    Component,
    Contains,
    Default,
    Exist,
    In,
    Integer,
    Label,
    Node,
    Not,
    Or,
    Real,
    Subtract,
    Text,
)

# How tightly each form binds, loosest first (spec: section 2).
_OR, _AND, _COMPARE, _IN, _CONTAINS, _SUM, _PRODUCT, _NOT, _PRIMARY = range(9)


def print_tree(node: Node) -> str:
    """The text of a tree, with no more parentheses than it needs."""
    return _print(node)[0]


def _print(node: Node) -> tuple[str, int]:
    if isinstance(node, Or | And):
        level, word = (_OR, " or ") if isinstance(node, Or) else (_AND, " and ")
        return word.join(_operand(n, level + 1) for n in node.operands), level
    if isinstance(node, Comparison):
        return _infix(node, _IN, _IN), _COMPARE
    if isinstance(node, Contains):
        return _infix(node, _SUM, _SUM), _CONTAINS
    if isinstance(node, Add | Subtract):
        return _infix(node, _SUM, _PRODUCT), _SUM
    if isinstance(node, Arithmetic):
        return _infix(node, _PRODUCT, _NOT), _PRODUCT
    if isinstance(node, In):
        return f"{_operand(node.left, _CONTAINS)} in {node.path}", _IN
    if isinstance(node, Not):
        return f"not {_operand(node.operand, _PRIMARY)}", _NOT
    return _leaf(node), _PRIMARY


def _infix(node: Comparison | Contains | Arithmetic, left: int, right: int) -> str:
    return f"{_operand(node.left, left)} {node.symbol} {_operand(node.right, right)}"


def _operand(node: Node, least: int) -> str:
    text, level = _print(node)
    return text if level >= least else f"({text})"


def _leaf(node: Node) -> str:
    if isinstance(node, Component):
        return str(node.path)
    if isinstance(node, Exist):
        return f"exist {node.path}"
    if isinstance(node, Default):
        return f"default {node.path}"
    if isinstance(node, Boolean):
        return "TRUE" if node.value else "FALSE"
    if isinstance(node, Text):
        escaped = node.value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if isinstance(node, Label):
        return f"\\{node.value}" if node.value.lower() in KEYWORDS else node.value
    if isinstance(node, Integer | Real):
        return repr(node.value)
    raise TypeError(f"{type(node).__name__} is no node of the constraint language")
