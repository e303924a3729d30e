"""Why a constraint did or did not match: the tree with a value at every node.

This evaluator walks the tree and is not fast; it shares only the operator table with the compiled
back end, so that each is a check of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from tidings.events.fields import Fields, Plain
from tidings.events.paths import MISSING, Path
from tidings.filters import tree as t
from tidings.filters import truth
from tidings.filters.constraint import Constraint
from tidings.filters.printing import print_tree
from tidings.filters.shape import constant_of, default_path


@dataclass(frozen=True, slots=True)
class Explained:
    """A node with its result.

    Attributes:
        node: The node.
        value: Its value; None if it had an error or was not reached.
        error: What went wrong at this very node; empty if nothing did.
        reached: False for an operand that `and` or `or` skipped.
        parts: The operands.
    """

    node: t.Node
    value: Plain | None
    error: str = ""
    reached: bool = True
    parts: tuple[Explained, ...] = ()

    @property
    def matches(self) -> bool:
        """Whether a constraint with this root matches."""
        return self.value is True

    @property
    def failed(self) -> bool:
        """Whether this node, or something it depends on, had an error."""
        return self.reached and self.value is None

    @property
    def text(self) -> str:
        """The node as text."""
        return print_tree(self.node)

    def first_error(self) -> Explained | None:
        """The node whose error decided the constraint."""
        if not self.failed:
            return None
        for part in self.parts:
            found = part.first_error()
            if found is not None:
                return found
        return self

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Explained]]:
        """This node and everything below it, each with its depth."""
        yield depth, self
        for part in self.parts:
            yield from part.walk(depth + 1)


def explain(asked: t.Node | Constraint, fields: Fields) -> Explained:
    """The tree of a whole constraint with a value at every node."""
    root = _evaluate(asked.tree if isinstance(asked, Constraint) else asked, fields)
    if not root.failed and type(root.value) is not bool:
        kind = truth.kind_name(root.value)  # type: ignore[arg-type]
        error = f"the result is {truth.with_article(kind)}, not a boolean"
        return Explained(root.node, None, error, parts=root.parts)
    return root


def _evaluate(node: t.Node, fields: Fields) -> Explained:
    if isinstance(node, t.LITERALS):
        return Explained(node, constant_of(node))
    if isinstance(node, t.Component):
        return _found(node, node.path, fields)
    if isinstance(node, t.Exist):
        return Explained(node, fields[node.path] is not MISSING)
    if isinstance(node, t.Default):
        return _found(node, default_path(node), fields)
    if isinstance(node, t.And | t.Or):
        return _logical(node, fields)
    if isinstance(node, t.Not):
        return _not(node, fields)
    return _operator(node, fields)


def _found(node: t.Node, path: Path, fields: Fields) -> Explained:
    value = fields[path]
    if value is MISSING:
        return Explained(node, None, "missing")
    return Explained(node, value)


def _logical(node: t.And | t.Or, fields: Fields) -> Explained:
    deciding = isinstance(node, t.Or)
    parts: list[Explained] = []
    value: bool | None = not deciding
    error = ""
    for operand in node.operands:
        if value is not (not deciding):
            parts.append(Explained(operand, None, reached=False))
            continue
        part = _evaluate(operand, fields)
        parts.append(part)
        if part.failed:
            value = None
        elif type(part.value) is bool:
            value = part.value
        else:
            value, error = None, _not_boolean(part)
    return Explained(node, value, error, parts=tuple(parts))


def _not(node: t.Not, fields: Fields) -> Explained:
    part = _evaluate(node.operand, fields)
    if part.failed:
        return Explained(node, None, parts=(part,))
    if type(part.value) is not bool:
        return Explained(node, None, _not_boolean(part), parts=(part,))
    return Explained(node, not part.value, parts=(part,))


def _not_boolean(part: Explained) -> str:
    kind = truth.kind_name(part.value)  # type: ignore[arg-type]
    return f"{part.text} is {truth.with_article(kind)}, not a boolean"


def _operator(node: t.Node, fields: Fields) -> Explained:
    assert isinstance(node, t.In | t.Infix)
    right = t.Component(node.path) if isinstance(node, t.In) else node.right
    parts = (_evaluate(node.left, fields), _evaluate(right, fields))
    if any(part.failed for part in parts):
        return Explained(node, None, parts=parts)
    one, two = (part.value for part in parts)
    value = truth.OPERATORS[type(node)](one, two)  # type: ignore[arg-type]
    return Explained(node, value, _misfit(node, parts) if value is None else "", parts=parts)


def _misfit(node: t.In | t.Infix, parts: tuple[Explained, ...]) -> str:
    """Why an operator has no result for its operands."""
    if isinstance(node, t.Arithmetic):
        numbers = [truth.number(part.value) for part in parts]  # type: ignore[arg-type]
        if None not in numbers:
            if node.symbol in "/%" and numbers[1] == 0:
                return "division by zero"
            if any(isinstance(one, Decimal) for one in numbers):
                return "the quotient has too many digits"
            return "the result is outside the integers, -2**63 to 2**64-1"
    left, right = (truth.kind_name(part.value) for part in parts)  # type: ignore[arg-type]
    return f"{node.symbol} cannot take {truth.with_article(left)} and {truth.with_article(right)}"
