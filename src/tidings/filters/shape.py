"""The shape of a tree: the tree without its constants.

Constraints are many, their shapes few: code is generated once per shape and shared by all trees
that have it, each with its own constants.
"""

from __future__ import annotations

from collections.abc import Callable

from tidings.events.fields import EnumLabel
from tidings.events.paths import DefaultActive, Path
from tidings.filters import tree as t
from tidings.filters.truth import EXACT, literal

Constant = int | float | str | bool
_Paths = list[Path] | None


class Shape:
    """A tree that equals every other tree of its shape: a cache key that can be compiled."""

    __slots__ = ("text", "tree")

    def __init__(self, text: str, tree: t.Node) -> None:
        self.text = text
        self.tree = tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def shape_of(node: t.Node, constants: list[Constant], paths: list[Path] | None = None) -> str:
    """The shape of a tree; its constants are appended to `constants`, in order.

    If `paths` is given, the paths too are taken out and appended there: trees that ask the same of
    different fields then have one shape.
    """
    return _SHAPES[type(node)](node, constants, paths)


def _place(path: Path, paths: list[Path] | None) -> str:
    if paths is None:
        return path
    paths.append(path)
    return "p"


def default_path(node: t.Default) -> Path:
    """The path whose value is the answer of `default`."""
    return Path(node.path.root, (*node.path.steps[:-1], DefaultActive()))


def constant_of(node: t.Node) -> Constant | None:
    """The plain value of a literal; None for any other node."""
    if isinstance(node, t.Text):
        return literal(node.value)
    if isinstance(node, t.Integer | t.Real | t.Boolean):
        return node.value
    return EnumLabel(node.value) if isinstance(node, t.Label) else None


def _integer(node: t.Integer, constants: list[Constant], paths: _Paths) -> str:
    constants.append(node.value)
    # Beyond the exact range an integer and a double compare in another way.
    return "i" if -EXACT <= node.value <= EXACT else "I"


def _text(node: t.Text, constants: list[Constant], paths: _Paths) -> str:
    constants.append(literal(node.value))
    return "c" if len(node.value) == 1 else "s"


def _literal(node: t.Real | t.Boolean | t.Label, constants: list[Constant], paths: _Paths) -> str:
    constants.append(EnumLabel(node.value) if type(node) is t.Label else node.value)
    return _LETTERS[type(node)]


_LETTERS: dict[type[t.Node], str] = {t.Real: "r", t.Boolean: "b", t.Label: "l"}


def _component(node: t.Component, constants: list[Constant], paths: _Paths) -> str:
    return _place(node.path, paths)


def _exist(node: t.Exist, constants: list[Constant], paths: _Paths) -> str:
    return f"(? {_place(node.path, paths)})"


def _default(node: t.Default, constants: list[Constant], paths: _Paths) -> str:
    return f"(default {_place(default_path(node), paths)})"


def _not(node: t.Not, constants: list[Constant], paths: _Paths) -> str:
    return f"(not {shape_of(node.operand, constants, paths)})"


def _many(node: t.And | t.Or, constants: list[Constant], paths: _Paths) -> str:
    word = "and" if type(node) is t.And else "or"
    return f"({word} {' '.join([shape_of(n, constants, paths) for n in node.operands])})"


def _in(node: t.In, constants: list[Constant], paths: _Paths) -> str:
    left = shape_of(node.left, constants, paths)
    return f"(in {left} {_place(node.path, paths)})"


def _infix(node: t.Infix, constants: list[Constant], paths: _Paths) -> str:
    left = shape_of(node.left, constants, paths)
    return f"({node.symbol} {left} {shape_of(node.right, constants, paths)})"


_SHAPES: dict[type[t.Node], Callable[..., str]] = {
    **dict.fromkeys(t.INFIXES, _infix),
    **dict.fromkeys(_LETTERS, _literal),
    t.Integer: _integer,
    t.Text: _text,
    t.Component: _component,
    t.Exist: _exist,
    t.Default: _default,
    t.Not: _not,
    t.And: _many,
    t.Or: _many,
    t.In: _in,
}
