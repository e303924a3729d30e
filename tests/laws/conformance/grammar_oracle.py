"""A second reading of the constraint language: lark reads the grammar, this file the literals.

A tree here is nested tuples, such as `("==", ("component", "$a"), ("integer", 1))`.
"""

from __future__ import annotations

import re
from typing import TypeAlias, cast

from lark import Lark, Token
from lark import Tree as LarkTree
from lark.exceptions import UnexpectedInput

from tests.laws.conformance.case_tables import FOLDER
from tidings.filters.tree import Component, Default, Exist, In, Node, Not, children

Sexp: TypeAlias = tuple[object, ...]

GRAMMAR = Lark((FOLDER / "etcl.lark").read_text(encoding="utf-8"), parser="lalr", lexer="basic")

_ALL = frozenset({"number", "boolean", "char", "string", "enum", "other"})
_COUNTS = frozenset({"number", "boolean", "char"})
_TEXTS = frozenset({"char", "string"})
_BOOLEAN = frozenset({"boolean"})


class Clash(Exception):
    """Grammatical, but a literal is out of range or fits no operator."""


def read(text: str) -> Sexp | None:
    """The tree of a constraint; None if the grammar does not have it.

    Raises:
        Clash: The grammar has it, but a literal does not fit.
    """
    try:
        tree = GRAMMAR.parse(text)
    except UnexpectedInput:
        return None
    if not tree.children:
        return ("boolean", True)
    return _read(cast("LarkTree[Token]", tree.children[0]))[0]


_Read: TypeAlias = tuple[Sexp, frozenset[str]]


def _read(tree: LarkTree[Token]) -> _Read:
    rule, parts = str(tree.data), tree.children
    if rule in ("disjunction", "conjunction"):
        return _chain("or" if rule == "disjunction" else "and", parts[::2])
    if rule in ("comparison", "containment", "sum", "product"):
        left, symbol, right = parts
        return _infix(rule, str(symbol), _read(_tree(left)), _read(_tree(right)))
    if rule == "membership":
        left, _, place = parts
        return ("in", _read(_tree(left))[0], _path(_tree(place).children[0])), _BOOLEAN
    if rule == "negated":
        operand, kinds = _read(_tree(parts[1]))
        _need(kinds, _BOOLEAN)
        return ("not", operand), _BOOLEAN
    return _leaf(rule, parts)


def _tree(part: Token | LarkTree[Token]) -> LarkTree[Token]:
    assert isinstance(part, LarkTree)
    return part


def _need(kinds: frozenset[str], wanted: frozenset[str]) -> None:
    if not kinds & wanted:
        raise Clash


def _chain(word: str, parts: list[Token | LarkTree[Token]]) -> _Read:
    operands = [_read(_tree(part)) for part in parts]
    for _, kinds in operands:
        _need(kinds, _BOOLEAN)
    return (word, *(operand for operand, _ in operands)), _BOOLEAN


def _infix(rule: str, symbol: str, left: _Read, right: _Read) -> _Read:
    made = (symbol, left[0], right[0])
    if rule == "comparison":
        one, two = left[1], right[1]
        fitting = any(one & kinds and two & kinds for kinds in (_COUNTS, _TEXTS, {"enum"}))
        if not fitting and _ALL not in (one, two):
            raise Clash
        return made, _BOOLEAN
    wanted = frozenset({"string"}) if rule == "containment" else _COUNTS
    _need(left[1], wanted)
    _need(right[1], wanted)
    return made, _BOOLEAN if rule == "containment" else frozenset({"number"})


def _leaf(rule: str, parts: list[Token | LarkTree[Token]]) -> _Read:
    text = str(parts[-1])
    if rule == "component":
        return ("component", _path(parts[0])), _ALL
    if rule == "exist":
        return ("exist", _path(_tree(parts[1]).children[0])), _BOOLEAN
    if rule == "default":
        return ("default", _path(parts[1])), _BOOLEAN
    if rule == "text":
        value = re.sub(r"\\([\\'])", r"\1", text[1:-1])
        return ("text", value), _TEXTS if len(value) == 1 else frozenset({"string"})
    if rule == "boolean":
        return ("boolean", text.lower() == "true"), _BOOLEAN
    if rule == "label":
        return ("label", text.removeprefix("\\")), frozenset({"enum"})
    sign = -1 if len(parts) == 2 and parts[0] == "-" else 1
    number = sign * (_integer(text) if rule == "integer" else float(text))
    if not -(2**63) <= number < 2**64 and (rule == "integer" or abs(number) == float("inf")):
        raise Clash
    return (rule, number), frozenset({"number"})


def _integer(digits: str) -> int:
    if len(digits.lstrip("0")) > 20 or int(digits.lstrip("0") or "0") >= 2**64:
        raise Clash
    return int(digits.lstrip("0") or "0")


def _path(part: object) -> str:
    """A component in one spelling: no needless backslash, zero or sign."""
    text = str(part)
    if any(len(digits) > 20 for digits in re.findall(r"(?<![A-Za-z0-9_'])[0-9]+", text)):
        raise Clash
    text = re.sub(r"^\$\\?(_length|_d|_type_id|_repos_id)$", r"$.\1", text)
    pieces = re.split(r"('(?:[^'\\]|\\.)')", text)
    pieces[::2] = [_plain_piece(piece) for piece in pieces[::2]]
    return "".join(pieces)


def _plain_piece(piece: str) -> str:
    piece = piece.replace("\\", "").replace("(+", "(").replace("(true)", "(TRUE)")
    piece = piece.replace("(false)", "(FALSE)")
    return re.sub(r"(?<![A-Za-z0-9_])0+(?=[0-9])", "", piece).replace("(-0)", "(0)")


def as_tuples(node: Node) -> Sexp:
    """A tree of the parser in the form of this file."""
    if isinstance(node, Component | Exist | Default):
        return (type(node).__name__.lower(), _path(node.path))
    inner = tuple(as_tuples(part) for part in children(node))
    if isinstance(node, In):
        return ("in", *inner, _path(node.path))
    if isinstance(node, Not):
        return ("not", *inner)
    if inner:
        return (getattr(node, "symbol", type(node).__name__.lower()), *inner)
    return (type(node).__name__.lower(), getattr(node, "value", None))
