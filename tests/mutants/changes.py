"""Small changes to source text that a test should notice: the mutants that are drawn at random."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

__all__ = ["Change", "changes_of"]

_COMPARED: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_CALCULATED: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
# What these are called with is for people, and tests do not compare it.
_TOLD: Final = frozenset({"debug", "info", "warning", "error", "exception", "log"})


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        line: Where it stands, from 1.
        start: The first character that is replaced, in the whole text.
        end: The first one behind.
        new: What stands there instead.
        kind: What sort of change it is.
    """

    line: int
    start: int
    end: int
    new: str
    kind: str

    def applied(self, source: str) -> str:
        """The text with the change."""
        return source[: self.start] + self.new + source[self.end :]


def changes_of(source: str) -> list[Change]:
    """All changes that can be made inside the functions of a module."""
    text = _Text(source)
    found = [
        change
        for function in _functions(ast.parse(source))
        for statement in function.body
        for node in _meant(statement)
        for change in _changed(node, text)
    ]
    return list(dict.fromkeys(found))


class _Text:
    """A source text, with the places of its nodes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0, *accumulate(len(line) for line in self._lines)]

    def at(self, line: int, column: int) -> int:
        """A character's place; the column counts octets, as the parser does."""
        octets = self._lines[line - 1].encode()[:column]
        return self._starts[line - 1] + len(octets.decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.at(node.lineno, node.col_offset)
        return start, self.at(node.end_lineno, node.end_col_offset)

    def replaced(self, node: ast.expr | ast.stmt, new: str, kind: str) -> Change:
        return Change(node.lineno, *self.span(node), new, kind)

    def between(
        self, left: ast.expr, right: ast.expr, operator: tuple[str, str], kind: str
    ) -> Iterator[Change]:
        """The change of an operator that stands between two operands."""
        old, new = operator
        start, end = self.span(left)[1], self.span(right)[0]
        if self.source[start:end].count(old) == 1:
            place = start + self.source[start:end].index(old)
            yield Change(left.lineno, place, place + len(old), new, kind)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _meant(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, without nested functions, annotations and texts for people."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Raise):
        return
    if isinstance(node, ast.Call) and _is_told(node):
        return
    yield node
    left_out = node.annotation if isinstance(node, ast.AnnAssign | ast.arg) else None
    for child in ast.iter_child_nodes(node):
        if child is not left_out and not isinstance(child, ast.JoinedStr):
            yield from _meant(child)


def _is_told(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _TOLD


def _changed(node: ast.AST, text: _Text) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            yield from text.between(left, right, _COMPARED[type(operator)], "comparison")
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _CALCULATED:
            yield from text.between(left, right, _CALCULATED[type(operator)], "arithmetic")
        case ast.BoolOp(op=ast.And(), values=[left, right]):
            yield from text.between(left, right, ("and", "or"), "logic")
        case ast.BoolOp(op=ast.Or(), values=[left, right]):
            yield from text.between(left, right, ("or", "and"), "logic")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            start, end = text.span(operand)
            yield text.replaced(node, text.source[start:end], "negation")
        case ast.Constant(value=bool() as value):
            yield text.replaced(node, str(not value), "constant")
        case ast.Constant(value=int() as value):
            yield text.replaced(node, str(value + 1), "constant")
        case _:
            yield from _changed_statement(node, text)


def _changed_statement(node: ast.AST, text: _Text) -> Iterator[Change]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if not isinstance(test, ast.Constant | ast.Compare | ast.NamedExpr):
                start, end = text.span(test)
                yield text.replaced(test, f"not ({text.source[start:end]})", "condition")
        case ast.Expr(value=ast.Call() as call) if not _is_told(call):
            yield text.replaced(node, "pass", "statement left out")
        case ast.Expr(value=ast.Await()) | ast.AugAssign() | ast.Delete():
            yield text.replaced(node, "pass", "statement left out")
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield text.replaced(value, "None", "answer left out")
        case ast.Break():
            yield text.replaced(node, "continue", "loop")
        case ast.Continue():
            yield text.replaced(node, "break", "loop")
