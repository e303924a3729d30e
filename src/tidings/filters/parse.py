"""Constraint text to tree.

Precedence climbing, so that a parenthesis costs two stack frames and an operator one. The parser
tracks the kinds each operand can have as far as literals show, and so finds the errors that are
visible from literals alone (`5 + 'al'`, `'a' and 'b'`, `count == 7`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tidings.errors import InvalidConstraint
from tidings.events.paths import Discriminator, Path
from tidings.filters import tree as t
from tidings.filters.limits import DEFAULT_LIMITS, ConstraintLimits
from tidings.filters.scan import Token, scan

Scanner: TypeAlias = Callable[[str, ConstraintLimits], list[Token]]
"""Makes the tokens of a text; the last is of the kind `end`."""


class Kinds:
    """Sets of kinds, as bits."""

    NUMBER, BOOLEAN, CHAR, STRING, ENUM, OTHER = (1 << bit for bit in range(6))
    ALL = (1 << 6) - 1
    COUNTS = NUMBER | BOOLEAN | CHAR


_KIND_WORDS = {
    Kinds.NUMBER: "a number",
    Kinds.BOOLEAN: "a boolean",
    Kinds.CHAR | Kinds.STRING: "a string",
    Kinds.STRING: "a string",
    Kinds.ENUM: "an enum label",
}

_LITERALS: dict[str, tuple[Callable[..., t.Node], int]] = {
    "boolean": (t.Boolean, Kinds.BOOLEAN),
    "name": (t.Label, Kinds.ENUM),
    "integer": (t.Integer, Kinds.NUMBER),
    "real": (t.Real, Kinds.NUMBER),
}

_OR, _AND, _COMPARE, _IN, _CONTAINS, _SUM, _PRODUCT = range(7)
_LEVELS = {
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(t.COMPARISONS, _COMPARE),
    "in": _IN,
    "~": _CONTAINS,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "%": _PRODUCT,
}


@dataclass(slots=True)
class Operand:
    """A piece of the tree while it is built."""

    node: t.Node
    kinds: int
    depth: int
    start: int
    constant: bool


def parse(text: str, limits: ConstraintLimits = DEFAULT_LIMITS) -> t.Node:
    """The tree of a constraint; blank text is TRUE."""
    return parse_operand(text, limits).node


def parse_operand(
    text: str, limits: ConstraintLimits = DEFAULT_LIMITS, scanner: Scanner = scan
) -> Operand:
    """The tree of a constraint with what is known of its result.

    `scanner` makes the tokens: languages with the same grammar differ in them alone.
    """
    return _Parser(text, limits, scanner).whole()


class _Parser:
    def __init__(self, text: str, limits: ConstraintLimits, scanner: Scanner) -> None:
        self.text = text
        self.limits = limits
        self._check_text()
        self.tokens = scanner(text, limits)
        self.index = 0
        self.nesting = 0
        self.waiting = 0
        self.nodes = 0

    def _check_text(self) -> None:
        try:
            size = len(self.text.encode())
        except UnicodeEncodeError as error:
            raise self._wrong("a lone surrogate is not text", error.start) from error
        if size > self.limits.octets:
            raise self._wrong(
                f"the constraint has {size} octets, more than {self.limits.octets}", 0
            )

    def whole(self) -> Operand:
        if self.tokens[0].kind == "end":
            return Operand(t.Boolean(True), Kinds.BOOLEAN, 1, 0, constant=True)
        result = self.expression(_OR)
        token = self.tokens[self.index]
        if token.kind != "end":
            raise self._unexpected(token)
        return result

    def expression(self, least: int) -> Operand:
        """Parse everything from here that binds at least as tightly as `least`."""
        left = self.prefix()
        while True:
            token = self.tokens[self.index]
            level = _level(token)
            if level < least:
                return left
            self.index += 1
            if level == _IN:
                left = self._in(left)
                continue
            # What waits for its right side will stand above it in the tree.
            self.waiting += 1
            if self.waiting >= self.limits.depth:
                raise self._too_deep(token.start)
            operands = [left, self.expression(level + 1)]
            while level <= _AND and _level(self.tokens[self.index]) == level:
                self.index += 1
                operands.append(self.expression(level + 1))
            self.waiting -= 1
            left = self._joined(operands, str(token.value), level, token)

    def _joined(self, operands: list[Operand], operator: str, level: int, token: Token) -> Operand:
        if level <= _AND:
            return self._logical(operands, operator)
        left, right = operands
        if level == _COMPARE:
            self._refuse_chain()
            self._check_comparable(left, right, token)
            made: t.Node = t.COMPARISONS[operator](left.node, right.node)
            kinds = Kinds.BOOLEAN
        elif level == _CONTAINS:
            self._need(left, Kinds.STRING, "~ looks for a string in a string")
            self._need(right, Kinds.STRING, "~ looks for a string in a string")
            made, kinds = t.Contains(left.node, right.node), Kinds.BOOLEAN
        else:
            self._need(left, Kinds.COUNTS, f"{operator} takes numbers")
            self._need(right, Kinds.COUNTS, f"{operator} takes numbers")
            made, kinds = t.ARITHMETIC[operator](left.node, right.node), Kinds.NUMBER
        return self._made(made, kinds, operands)

    def _logical(self, operands: list[Operand], operator: str) -> Operand:
        for operand in operands:
            self._need(operand, Kinds.BOOLEAN, f"{operator!r} takes booleans")
        nodes = tuple(operand.node for operand in operands)
        return self._made(
            t.And(nodes) if operator == "and" else t.Or(nodes), Kinds.BOOLEAN, operands
        )

    def _in(self, left: Operand) -> Operand:
        path = self._component("'in' takes a component on its right: 'a' in $tags")
        if left.kinds == Kinds.OTHER:
            raise self._wrong("'in' takes a simple value on its left", left.start)
        made = self._made(t.In(left.node, path), Kinds.BOOLEAN, [left])
        made.constant = False
        behind = self.tokens[self.index]
        if _level(behind) >= _IN:
            raise self._wrong(
                f"{behind.value!r} cannot follow 'in $…'", behind.start, "put 'in' in parentheses"
            )
        return made

    def _refuse_chain(self) -> None:
        token = self.tokens[self.index]
        if token.kind == "symbol" and token.value in t.COMPARISONS:
            raise self._wrong(
                "comparisons do not chain", token.start, "join them with 'and': 1 < $a and $a < 5"
            )

    def _check_comparable(self, left: Operand, right: Operand, token: Token) -> None:
        if Kinds.ALL in (left.kinds, right.kinds):
            return
        one, two = left.kinds, right.kinds
        text = Kinds.CHAR | Kinds.STRING
        if (one & Kinds.COUNTS and two & Kinds.COUNTS) or (one & text and two & text):
            return
        if one & two & Kinds.ENUM:
            return
        problem = f"{_word(one)} cannot be compared with {_word(two)}"
        raise self._wrong(problem, token.start, self._label_hint(left) or self._label_hint(right))

    def prefix(self) -> Operand:
        """Parse an operand, with the `not` before it if there is one."""
        first = token = self.tokens[self.index]
        negated = first.kind == "word" and first.value == "not"
        if negated:
            self.index += 1
            token = self.tokens[self.index]
        self.index += 1
        if token.kind == "symbol" and token.value == "(":
            self._open(token)
            operand = self.expression(_OR)
            self._close(token)
        else:
            operand = self.primary(token)
        if not negated:
            return operand
        self._need(operand, Kinds.BOOLEAN, "'not' takes a boolean")
        return self._made(t.Not(operand.node), Kinds.BOOLEAN, [operand], first.start)

    def primary(self, token: Token) -> Operand:
        """Parse a literal, a component, `exist` or `default`."""
        if token.kind == "symbol" and token.value in ("+", "-"):
            return self._signed(token)
        if token.kind == "word" and token.value == "exist":
            path = self._component("'exist' takes a component: exist $name")
            return self._leaf(t.Exist(path), Kinds.BOOLEAN, token, constant=False)
        if token.kind == "word" and token.value == "default":
            return self._default(token)
        if token.kind == "component" and isinstance(token.value, Path):
            return self._leaf(t.Component(token.value), Kinds.ALL, token, constant=False)
        return self._literal(token)

    def _literal(self, token: Token) -> Operand:
        value = token.value
        if token.kind == "text" and isinstance(value, str):
            kinds = Kinds.CHAR | Kinds.STRING if len(value) == 1 else Kinds.STRING
            return self._leaf(t.Text(value), kinds, token)
        if token.kind not in _LITERALS:
            raise self._unexpected(token)
        make, kinds = _LITERALS[token.kind]
        return self._leaf(make(value), kinds, token)

    def _open(self, opening: Token) -> None:
        self.nesting += 1
        if self.nesting > self.limits.depth:
            raise self._too_deep(opening.start)

    def _close(self, opening: Token) -> None:
        closing = self.tokens[self.index]
        if closing.kind != "symbol" or closing.value != ")":
            if closing.kind == "end":
                raise self._wrong("this parenthesis is never closed", opening.start)
            raise self._unexpected(closing)
        self.index += 1
        self.nesting -= 1

    def _signed(self, sign: Token) -> Operand:
        token = self.tokens[self.index]
        negative = sign.value == "-"
        if token.kind not in ("integer", "real"):
            raise self._wrong(
                f"{sign.value!r} before an expression is not part of the language",
                sign.start,
                "write -1 * (…)" if negative else "leave it out",
            )
        self.index += 1
        assert isinstance(token.value, int | float)
        if negative and token.kind == "integer" and token.value > 2**63:
            raise self._wrong("the integer is smaller than -9223372036854775808", sign.start)
        make, kinds = _LITERALS[token.kind]
        return self._leaf(make(-token.value if negative else token.value), kinds, sign)

    def _default(self, word: Token) -> Operand:
        start = self.tokens[self.index].start
        path = self._component("'default' takes a union's discriminator: default $u._d")
        if not path.steps or not isinstance(path.steps[-1], Discriminator):
            raise self._wrong(
                "'default' takes a component that ends in ._d", start, f"default {path}._d"
            )
        return self._leaf(t.Default(path), Kinds.BOOLEAN, word, constant=False)

    def _component(self, problem: str) -> Path:
        token = self.tokens[self.index]
        if not isinstance(token.value, Path):
            hint = f"write ${token.value}" if token.kind == "name" else ""
            raise self._wrong(problem, token.start, hint)
        self.index += 1
        return token.value

    def _leaf(self, node: t.Node, kinds: int, token: Token, constant: bool = True) -> Operand:
        return self._made(node, kinds, [], token.start, constant)

    def _made(
        self,
        node: t.Node,
        kinds: int,
        parts: list[Operand],
        start: int | None = None,
        constant: bool = True,
    ) -> Operand:
        start = parts[0].start if start is None else start
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            raise self._wrong(f"the constraint has more than {self.limits.nodes} parts", start)
        depth = 1 + max((part.depth for part in parts), default=0)
        if depth > self.limits.depth:
            raise self._too_deep(start)
        constant = constant and all(part.constant for part in parts)
        return Operand(node, kinds, depth, start, constant)

    def _need(self, operand: Operand, kinds: int, rule: str) -> None:
        if not operand.kinds & kinds:
            raise self._wrong(
                f"{rule}, and this is {_word(operand.kinds)}",
                operand.start,
                self._label_hint(operand),
            )

    def _label_hint(self, operand: Operand) -> str:
        node = operand.node
        return f"a field is written ${node.value}" if isinstance(node, t.Label) else ""

    def _too_deep(self, position: int) -> InvalidConstraint:
        return self._wrong(
            f"the constraint nests deeper than {self.limits.depth}",
            position,
            "chains of 'and' and 'or' need no parentheses",
        )

    def _unexpected(self, token: Token) -> InvalidConstraint:
        if token.kind == "end":
            return self._wrong("the constraint ends too early", token.start)
        shown = self.text[token.start : token.end]
        hint = ""
        if token.kind == "word" and token.value == "not":
            hint = "write 'not (not …)'"
        elif token.kind == "name" and shown.upper() in ("LIKE", "IS", "BETWEEN"):
            hint = "this is not SQL: 'text' ~ $field, exist $field, 1 <= $a and $a <= 5"
        return self._wrong(f"{shown!r} cannot stand here", token.start, hint)

    def _wrong(self, problem: str, position: int, hint: str = "") -> InvalidConstraint:
        return InvalidConstraint(problem, self.text, position, hint)


def _level(token: Token) -> int:
    """How tightly an operator binds; -1 for other tokens."""
    return _LEVELS.get(str(token.value), -1) if token.kind in ("word", "symbol") else -1


def _word(kinds: int) -> str:
    return _KIND_WORDS.get(kinds, "a value")
