"""The constraint tree: one frozen class per operator, and nothing that decides.

Trees are equal if they are built alike: `1`, `1.0` and `TRUE` are three different leaves. `and` and
`or` take any number of operands, so that a long chain is not a deep tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from tidings.events.paths import Path


class Node(msgspec.Struct, frozen=True):
    """A node of a constraint tree."""


class Integer(Node, frozen=True):
    """An integer literal."""

    value: int


class Real(Node, frozen=True):
    """A literal with a point or an exponent."""

    value: float


class Text(Node, frozen=True):
    """A string literal; one of length 1 also acts as a character."""

    value: str


class Boolean(Node, frozen=True):
    """TRUE or FALSE."""

    value: bool


class Label(Node, frozen=True):
    """A bare identifier: the label of an enum."""

    value: str


class Component(Node, frozen=True):
    """`$…`: a place in the event."""

    path: Path


class Exist(Node, frozen=True):
    """`exist $…`: whether the place is there."""

    path: Path


class Default(Node, frozen=True):
    """`default $u._d`: whether a union's default branch is active."""

    path: Path


class Not(Node, frozen=True):
    """`not x`."""

    operand: Node


class And(Node, frozen=True):
    """`x and y and …`, at least two operands."""

    operands: tuple[Node, ...]


class Or(Node, frozen=True):
    """`x or y or …`, at least two operands."""

    operands: tuple[Node, ...]


class In(Node, frozen=True):
    """`x in $…`: whether an element of the sequence equals x."""

    symbol: ClassVar[str] = "in"
    left: Node
    path: Path


class Infix(Node, frozen=True):
    """Two operands, and an operator between them."""

    symbol: ClassVar[str] = ""
    left: Node
    right: Node


class Contains(Infix, frozen=True):
    """`x ~ y`: whether text y contains text x."""

    symbol = "~"


class Comparison(Infix, frozen=True):
    """Two values compared."""


class Equal(Comparison, frozen=True):
    """`x == y`."""

    symbol = "=="


class NotEqual(Comparison, frozen=True):
    """`x != y`."""

    symbol = "!="


class Less(Comparison, frozen=True):
    """`x < y`."""

    symbol = "<"


class LessEqual(Comparison, frozen=True):
    """`x <= y`."""

    symbol = "<="


class Greater(Comparison, frozen=True):
    """`x > y`."""

    symbol = ">"


class GreaterEqual(Comparison, frozen=True):
    """`x >= y`."""

    symbol = ">="


class Arithmetic(Infix, frozen=True):
    """Two numbers combined."""


class Add(Arithmetic, frozen=True):
    """`x + y`."""

    symbol = "+"


class Subtract(Arithmetic, frozen=True):
    """`x - y`."""

    symbol = "-"


class Multiply(Arithmetic, frozen=True):
    """`x * y`."""

    symbol = "*"


class Divide(Arithmetic, frozen=True):
    """`x / y`; between integers it cuts off towards zero."""

    symbol = "/"


class Remainder(Arithmetic, frozen=True):
    """`x % y`; it has the sign of x."""

    symbol = "%"


COMPARISONS: dict[str, type[Comparison]] = {
    cls.symbol: cls for cls in (Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual)
}
ARITHMETIC: dict[str, type[Arithmetic]] = {
    cls.symbol: cls for cls in (Add, Subtract, Multiply, Divide, Remainder)
}
LITERALS = (Integer, Real, Text, Boolean, Label)

INFIXES: tuple[type[Infix], ...] = (Contains, *COMPARISONS.values(), *ARITHMETIC.values())

ALL_NODES: tuple[type[Node], ...] = (
    *LITERALS,
    Component,
    Exist,
    Default,
    Not,
    And,
    Or,
    In,
    *INFIXES,
)


def children(node: Node) -> tuple[Node, ...]:
    """The operands of a node, in order; none for a leaf."""
    if isinstance(node, And | Or):
        return node.operands
    if isinstance(node, Infix):
        return node.left, node.right
    if isinstance(node, Not):
        return (node.operand,)
    if isinstance(node, In):
        return (node.left,)
    return ()


def walk_tree(node: Node) -> Iterator[Node]:
    """The node and everything below it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(children(current)))


def paths_of(node: Node) -> set[Path]:
    """The places of the event that a tree reads."""
    return {
        part.path for part in walk_tree(node) if isinstance(part, Component | Exist | Default | In)
    }
