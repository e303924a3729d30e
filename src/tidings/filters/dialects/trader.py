"""The constraint language of the trading service, read into our tree and written from it.

The grammar is that of our own constraints. Properties are bare identifiers (`cost < 20 and 'duplex'
in features`), there are no steps, no enum labels and no `default`; as in ours, what an offer lacks
makes the whole constraint FALSE, unless it is skipped or asked for with `exist`.
"""

from __future__ import annotations

import re
from typing import Final, cast

from tidings.errors import InvalidConstraint
from tidings.events.paths import Path
from tidings.filters import tree as t
from tidings.filters.limits import DEFAULT_LIMITS, ConstraintLimits
from tidings.filters.parse import Kinds, Operand, parse_operand
from tidings.filters.printing import print_tree
from tidings.filters.scan import Token, scan

# Our own messages speak of components, which are marked.
_MARKED: Final = re.compile(r"\$(?=\w)")


def read(text: str, limits: ConstraintLimits = DEFAULT_LIMITS) -> t.Node:
    """Read a constraint; blank text is TRUE.

    Raises:
        InvalidConstraint: The text is not a constraint of the language.
    """
    found = read_expression(text, limits)
    if found.constant and not found.kinds & Kinds.BOOLEAN:
        raise InvalidConstraint(
            "the constraint is a constant that is neither TRUE nor FALSE", text, found.start
        )
    return found.node


def read_expression(text: str, limits: ConstraintLimits = DEFAULT_LIMITS) -> Operand:
    """Read an expression of any kind, as preferences have it.

    Raises:
        InvalidConstraint: The text is not an expression of the language.
    """
    try:
        return parse_operand(text, limits, _tokens)
    except InvalidConstraint as error:
        raise InvalidConstraint(
            _unmarked(error.problem), error.text, error.position, _unmarked(error.hint)
        ) from error.__cause__


def write(tree: t.Node) -> str:
    """Write a tree in the language: `read(write(tree)) == tree`.

    Raises:
        InvalidConstraint: The language has no words for a part of it.
    """
    return print_tree(_bare(tree))


def _tokens(text: str, limits: ConstraintLimits) -> list[Token]:
    return [_token(one, text) for one in scan(text, limits)]


def _token(token: Token, text: str) -> Token:
    if token.kind == "component":
        raise InvalidConstraint(
            "properties are written without $", text, token.start, "write the property's name alone"
        )
    if token.kind == "name":
        return Token("component", Path(str(token.value)), token.start, token.end)
    if token.kind == "word" and token.value == "default":  # a word of ours, a name here
        return Token("component", Path(text[token.start : token.end]), token.start, token.end)
    return token


def _unmarked(message: str) -> str:
    return _MARKED.sub("", message).replace("component", "property")


def _bare(node: t.Node) -> t.Node:
    """Return a tree that prints without marks."""
    if isinstance(node, t.Component):
        return t.Label(_name(node.path))
    if isinstance(node, t.Exist):
        return t.Exist(_bare_path(node.path))
    if isinstance(node, t.In):
        return t.In(_bare(node.left), _bare_path(node.path))
    if isinstance(node, t.Not):
        return t.Not(_bare(node.operand))
    if isinstance(node, t.And | t.Or):
        return type(node)(tuple(map(_bare, node.operands)))
    if isinstance(node, t.Infix):
        return type(node)(_bare(node.left), _bare(node.right))
    if isinstance(node, t.Label | t.Default):
        raise _wordless(print_tree(node))
    return node


def _name(path: Path) -> str:
    if path.root is None or path.steps:
        raise _wordless(path)
    return path.root


def _bare_path(path: Path) -> Path:
    """Return what prints as the property's name alone, with a backslash if that is a keyword."""
    return cast("Path", str(Path(_name(path)))[1:])


def _wordless(text: str) -> InvalidConstraint:
    return InvalidConstraint("the language of traders has properties only, not this", text)
