"""The constraint tree: one frozen class per operator, and nothing that decides.

Trees are equal if they are built alike: `1`, `1.0` and `TRUE` are three different leaves. `and` and
`or` take any number of operands, so that a long chain is not a deep tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tidings.events.paths import Path


class Node:
    """A node of a constraint tree."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Integer(Node):
    """An integer literal."""

    value: int


@dataclass(frozen=True, slots=True)
class Real(Node):
    """A literal with a point or an exponent."""

    value: float


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string literal; one of length 1 also acts as a character."""

    value: str


@dataclass(frozen=True, slots=True)
class Boolean(Node):
    """TRUE or FALSE."""

    value: bool


@dataclass(frozen=True, slots=True)
class Label(Node):
    """A bare identifier: the label of an enum."""

    value: str


@dataclass(frozen=True, slots=True)
class Component(Node):
    """`$…`: a place in the event."""

    path: Path


@dataclass(frozen=True, slots=True)
class Exist(Node):
    """`exist $…`: whether the place is there."""

    path: Path


@dataclass(frozen=True, slots=True)
class Default(Node):
    """`default $u._d`: whether a union's default branch is active."""

    path: Path


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`not x`."""

    operand: Node


@dataclass(frozen=True, slots=True)
class And(Node):
    """`x and y and …`, at least two operands."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """`x or y or …`, at least two operands."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class In(Node):
    """`x in $…`: whether an element of the sequence equals x."""

    left: Node
    path: Path


@dataclass(frozen=True, slots=True)
class Contains(Node):
    """`x ~ y`: whether text y contains text x."""

    symbol: ClassVar[str] = "~"
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """Two values compared."""

    symbol: ClassVar[str] = ""
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Equal(Comparison):
    """`x == y`."""

    symbol = "=="


@dataclass(frozen=True, slots=True)
class NotEqual(Comparison):
    """`x != y`."""

    symbol = "!="


@dataclass(frozen=True, slots=True)
class Less(Comparison):
    """`x < y`."""

    symbol = "<"


@dataclass(frozen=True, slots=True)
class LessEqual(Comparison):
    """`x <= y`."""

    symbol = "<="


@dataclass(frozen=True, slots=True)
class Greater(Comparison):
    """`x > y`."""

    symbol = ">"


@dataclass(frozen=True, slots=True)
class GreaterEqual(Comparison):
    """`x >= y`."""

    symbol = ">="


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """Two numbers combined."""

    symbol: ClassVar[str] = ""
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Add(Arithmetic):
    """`x + y`."""

    symbol = "+"


@dataclass(frozen=True, slots=True)
class Subtract(Arithmetic):
    """`x - y`."""

    symbol = "-"


@dataclass(frozen=True, slots=True)
class Multiply(Arithmetic):
    """`x * y`."""

    symbol = "*"


@dataclass(frozen=True, slots=True)
class Divide(Arithmetic):
    """`x / y`; between integers it cuts off towards zero."""

    symbol = "/"


@dataclass(frozen=True, slots=True)
class Remainder(Arithmetic):
    """`x % y`; it has the sign of x."""

    symbol = "%"


COMPARISONS: dict[str, type[Comparison]] = {
    cls.symbol: cls for cls in (Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual)
}
ARITHMETIC: dict[str, type[Arithmetic]] = {
    cls.symbol: cls for cls in (Add, Subtract, Multiply, Divide, Remainder)
}
LITERALS = (Integer, Real, Text, Boolean, Label)

ALL_NODES: tuple[type[Node], ...] = (
    *LITERALS,
    Component,
    Exist,
    Default,
    Not,
    And,
    Or,
    In,
    Contains,
    *COMPARISONS.values(),
    *ARITHMETIC.values(),
)


def children(node: Node) -> tuple[Node, ...]:
    """The operands of a node, in order; none for a leaf."""
    if isinstance(node, And | Or):
        return node.operands
    if isinstance(node, Comparison | Arithmetic | Contains):
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
