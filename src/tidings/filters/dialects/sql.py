"""The common part of languages that look like SQL's WHERE: scanning, and text to a small tree.

JMS selectors and CloudEvents SQL differ in a few tokens and in precedence; what the engines of one
language read in two ways is refused, with the parentheses that make it plain.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TypeAlias

from tidings.errors import InvalidConstraint
from tidings.filters.limits import DEFAULT_LIMITS


class Name(NamedTuple):
    """A field."""

    name: str
    at: int


class Constant(NamedTuple):
    """A literal."""

    value: str | float | bool
    at: int


class Compared(NamedTuple):
    """Two values compared, by a symbol of ours (`==`)."""

    symbol: str
    left: Value
    right: Value
    at: int


class Computed(NamedTuple):
    """Two numbers combined."""

    symbol: str
    left: Value
    right: Value
    at: int


class Like(NamedTuple):
    """A text and a pattern: pieces of text, with None for `%` and an empty text for `_`."""

    value: Value
    pattern: tuple[str | None, ...]
    at: int


class Among(NamedTuple):
    """A value that is one of some constants."""

    value: Value
    constants: tuple[Constant, ...]
    at: int


class There(NamedTuple):
    """A field that is there."""

    value: Name
    at: int


class Negated(NamedTuple):
    """`NOT x`."""

    operand: Value
    at: int


class Joined(NamedTuple):
    """Operands joined by `AND`, `OR` or `XOR`."""

    word: str
    operands: tuple[Value, ...]
    at: int


Value: TypeAlias = "Name | Constant | Compared | Computed | Like | Among | There | Negated | Joined"


class Grammar(NamedTuple):
    """How a language differs from the other.

    Attributes:
        language: Its name.
        words: Its keywords.
        token: The regular expression of a token, with groups `real`, `integer`, `text`, `name`
            and `symbol`.
        functions: Whether a name before a parenthesis is a function.
        ranked: Whether `AND` binds tighter than `OR`; else they need parentheses.
    """

    language: str
    words: frozenset[str]
    token: re.Pattern[str]
    functions: bool
    ranked: bool


class Token(NamedTuple):
    """A token; keywords are in capitals, and of the kind `word`."""

    kind: str
    text: str
    at: int


SYMBOLS: Final = {"=": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Parser:
    """Reads one text."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        self.text = text
        self._grammar = grammar
        if len(text.encode(errors="replace")) > DEFAULT_LIMITS.octets:
            raise self.error(f"a {grammar.language} has at most {DEFAULT_LIMITS.octets} octets", 0)
        self._tokens = self._scan()
        self._at = 0
        self._depth = 0

    def whole(self) -> Value | None:
        """Read the whole text; None if it is blank."""
        if self._token.kind == "end":
            return None
        found = self._or()
        if self._token.kind != "end":
            raise self._unexpected()
        return found

    def error(self, problem: str, at: int, hint: str = "") -> InvalidConstraint:
        """Return what is wrong at a place of the text."""
        return InvalidConstraint(problem, self.text, at, hint)

    def _scan(self) -> list[Token]:
        tokens, at, end = [], 0, len(self.text.rstrip())
        while at < end:
            found = self._grammar.token.match(self.text, at)
            if found is None or found.lastgroup is None:
                blanks = re.compile(r"\s*").match(self.text, at)
                start = blanks.end() if blanks else at
                raise self.error(f"{self.text[start]!r} begins nothing that can stand here", start)
            kind, word, start = (
                found.lastgroup,
                found[found.lastgroup],
                found.start(found.lastgroup),
            )
            if kind == "name" and word.upper() in self._grammar.words:
                kind, word = "word", word.upper()
            tokens.append(Token(kind, word, start))
            at = found.end()
        return [*tokens, Token("end", "", end)]

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> Token | None:
        token = self._token
        if token.kind not in ("word", "symbol") or token.text not in texts:
            return None
        self._at += 1
        return token

    def _need(self, text: str) -> None:
        if self._take(text) is None:
            raise self._unexpected(f"here {text} is missing")

    def _unexpected(self, hint: str = "") -> InvalidConstraint:
        token = self._token
        if token.kind == "end":
            return self.error(f"the {self._grammar.language} ends too early", token.at, hint)
        return self.error(f"{token.text!r} cannot stand here", token.at, hint)

    def _or(self) -> Value:
        self._depth += 1
        if self._depth > DEFAULT_LIMITS.depth // 2:
            raise self.error("parentheses nest too deep", self._token.at)
        found = self._many(("OR", "XOR"), self._and) if self._grammar.ranked else self._unranked()
        self._depth -= 1
        return found

    def _and(self) -> Value:
        return self._many(("AND",), self._not)

    def _unranked(self) -> Value:
        found = self._many(("AND", "OR", "XOR"), self._not)
        if self._token.kind == "word" and self._token.text in ("AND", "OR", "XOR"):
            raise self.error(
                f"{self._token.text} after another one binds differently in different engines",
                self._token.at,
                "put one of them in parentheses",
            )
        return found

    def _many(self, words: tuple[str, ...], operand: object) -> Value:
        assert callable(operand)
        operands = [operand()]
        first = self._token
        while self._token.text == first.text and (token := self._take(*words)) is not None:
            if token.text == "XOR" and len(operands) > 1:
                raise self.error("XOR takes two operands", token.at, "put one pair in parentheses")
            operands.append(operand())
        return operands[0] if len(operands) == 1 else Joined(first.text, tuple(operands), first.at)

    def _not(self) -> Value:
        token = self._take("NOT")
        if token is None:
            return self._predicate()
        plain = self._token.text in ("(", "EXISTS", "NOT")
        operand = self._not()
        if not plain and not isinstance(operand, Name | Constant):
            raise self.error(
                "what NOT applies to differs between engines", token.at, "write NOT (…)"
            )
        return Negated(operand, token.at)

    def _predicate(self) -> Value:
        token = self._take("EXISTS")
        if token is not None:
            return There(self._name(), token.at)
        left = self._sum()
        token = self._take(*SYMBOLS)
        if token is not None:
            return Compared(SYMBOLS[token.text], left, self._sum(), token.at)
        token = self._take("IS")
        if token is not None:
            negated = self._take("NOT")
            self._need("NULL")
            if not isinstance(left, Name):
                raise self.error("IS takes a property on its left", token.at)
            there = There(left, token.at)
            return there if negated else Negated(there, token.at)
        negated = self._take("NOT")
        found = self._about(left)
        if found is not None:
            return Negated(found, negated.at) if negated else found
        if negated:
            raise self._unexpected("after NOT stands LIKE, IN or BETWEEN")
        return left

    def _about(self, left: Value) -> Value | None:
        token = self._take("LIKE", "IN", "BETWEEN")
        if token is None:
            return None
        if token.text == "BETWEEN":
            low = self._sum()
            self._need("AND")
            high = self._sum()
            both = Compared(">=", left, low, token.at), Compared("<=", left, high, token.at)
            return Joined("AND", both, token.at)
        if token.text == "LIKE":
            return Like(left, self._pattern(), token.at)
        self._need("(")
        constants = [self._element()]
        while self._take(","):
            constants.append(self._element())
        self._need(")")
        return Among(left, tuple(constants), token.at)

    def _element(self) -> Constant:
        at = self._token.at
        found = self._primary()
        if not isinstance(found, Constant):
            raise self.error("here stand literals only", at)
        return found

    def _pattern(self) -> tuple[str | None, ...]:
        token = self._token
        pattern = self._constant(raw=True).value
        escape = "" if self._grammar.ranked else "\\"
        if self._take("ESCAPE"):
            escape = str(self._constant().value)
            if len(escape) != 1:
                raise self.error("an escape is one character", self._tokens[self._at - 1].at)
        if not isinstance(pattern, str):
            raise self.error("a pattern is a text", token.at)
        pieces: list[str | None] = []
        text, at = "", 0
        while at < len(pattern):
            one, behind = pattern[at], pattern[at + 1 : at + 2]
            if one == escape and behind in ("%", "_", escape) and behind:
                text += behind
                at += 1
            elif one in "%_":
                pieces += [text] if text else []
                pieces.append(None if one == "%" else "")
                text = ""
            else:
                text += one
            at += 1
        return (*pieces, text) if text else tuple(pieces)

    def _sum(self) -> Value:
        found = self._product()
        while (token := self._take("+", "-")) is not None:
            found = Computed(token.text, found, self._product(), token.at)
        return found

    def _product(self) -> Value:
        found = self._primary()
        while (token := self._take("*", "/", "%")) is not None:
            found = Computed(token.text, found, self._primary(), token.at)
        return found

    def _primary(self) -> Value:
        token = self._token
        if self._take("("):
            found = self._or()
            self._need(")")
            return found
        sign = self._take("-", "+")
        if sign is not None:
            operand = self._primary()
            if isinstance(operand, Constant) and type(operand.value) in (int, float):
                return Constant(-operand.value if sign.text == "-" else operand.value, sign.at)  # type: ignore[operator]
            if sign.text == "+":
                return operand
            return Computed("-", Constant(0, sign.at), operand, sign.at)
        return self._name() if token.kind == "name" else self._constant()

    def _name(self) -> Name:
        token = self._token
        if token.kind != "name":
            raise self._unexpected()
        self._at += 1
        if self._grammar.functions and self._token.text == "(":
            raise self.error(
                f"the function {token.text.upper()} has no counterpart in our language", token.at
            )
        return Name(token.text, token.at)

    def _constant(self, raw: bool = False) -> Constant:
        kind, text, at = self._token
        self._at += 1
        if kind == "text":
            quote = text[0]
            inner = text[1:-1].replace(quote * 2, quote)
            if not self._grammar.ranked:
                inner = inner.replace("\\" + quote, quote)
                if "\\" in inner and not raw:
                    raise self.error("engines read a backslash in different ways", at)
            return Constant(inner, at)
        if kind == "word" and text in ("TRUE", "FALSE"):
            return Constant(text == "TRUE", at)
        if kind == "integer":
            return Constant(int(text), at)
        if kind == "real":
            return Constant(float(text), at)
        self._at -= 1
        raise self._unexpected()
