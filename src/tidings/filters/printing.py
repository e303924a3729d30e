"""Tree to text: `parse(print_tree(t)) == t`."""

from __future__ import annotations

from tidings.events.paths import KEYWORDS
from tidings.filters import tree as t

# How tightly each form binds, loosest first (spec: section 2).
_OR, _AND, _COMPARE, _IN, _CONTAINS, _SUM, _PRODUCT, _NOT, _PRIMARY = range(9)


def print_tree(node: t.Node) -> str:
    """The text of a tree, with no more parentheses than it needs."""
    return _print(node)[0]


def _print(node: t.Node) -> tuple[str, int]:
    if isinstance(node, t.Or | t.And):
        level, word = (_OR, " or ") if isinstance(node, t.Or) else (_AND, " and ")
        return word.join(_operand(n, level + 1) for n in node.operands), level
    if isinstance(node, t.Comparison):
        return _infix(node, _IN, _IN), _COMPARE
    if isinstance(node, t.Contains):
        return _infix(node, _SUM, _SUM), _CONTAINS
    if isinstance(node, t.Add | t.Subtract):
        return _infix(node, _SUM, _PRODUCT), _SUM
    if isinstance(node, t.Arithmetic):
        return _infix(node, _PRODUCT, _NOT), _PRODUCT
    if isinstance(node, t.In):
        return f"{_operand(node.left, _CONTAINS)} in {node.path}", _IN
    if isinstance(node, t.Not):
        return f"not {_operand(node.operand, _PRIMARY)}", _NOT
    return _leaf(node), _PRIMARY


def _infix(node: t.Infix, left: int, right: int) -> str:
    return f"{_operand(node.left, left)} {node.symbol} {_operand(node.right, right)}"


def _operand(node: t.Node, least: int) -> str:
    text, level = _print(node)
    return text if level >= least else f"({text})"


def _leaf(node: t.Node) -> str:
    if isinstance(node, t.Component):
        return str(node.path)
    if isinstance(node, t.Exist):
        return f"exist {node.path}"
    if isinstance(node, t.Default):
        return f"default {node.path}"
    if isinstance(node, t.Boolean):
        return "TRUE" if node.value else "FALSE"
    if isinstance(node, t.Text):
        escaped = node.value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if isinstance(node, t.Label):
        return f"\\{node.value}" if node.value.lower() in KEYWORDS else node.value
    if isinstance(node, t.Integer | t.Real):
        return repr(node.value)
    raise TypeError(f"{type(node).__name__} is not a node of the constraint language")
