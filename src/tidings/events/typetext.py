"""TypeCodes as short text: `short`, `sequence<string<8>>`, `long[3]`, `fixed<5,2>`.

Named types (structs, unions, enums …) need more than a line: `describe` names them for messages,
and the JSON codec writes them as objects.
"""

from __future__ import annotations

import re

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.typecode import KEYWORDS, MAX_TYPE_DEPTH, PRIMITIVES, Kind, TypeCode

_TOKEN = re.compile(r"\s*([A-Za-z]+|[0-9]+|[<>,\[\]]|\S)")
# The longest name of a type that nests as deep as types may has half of that.
_MAX_TEXT = 4_096
_WORDS = {word: kind for kind, word in KEYWORDS.items()}


def describe(type_: TypeCode) -> str:
    """The name of a type, for messages."""
    text = type_text(type_)
    if text is not None:
        return text
    if type_.kind is Kind.SEQUENCE:
        return f"sequence<{describe(type_.element_type)}>"
    if type_.kind is Kind.ARRAY:
        return f"{describe(type_.element_type)}[{type_.bound}]"
    kind = type_.kind.name.lower()
    return f"{kind} {type_.name or type_.id}".rstrip()


def type_text(type_: TypeCode) -> str | None:
    """The text form of a type, or None if it needs more than a line."""
    kind = type_.kind
    if kind in KEYWORDS:
        return KEYWORDS[kind]
    if kind in (Kind.STRING, Kind.WSTRING):
        return kind.name.lower() + (f"<{type_.bound}>" if type_.bound else "")
    if kind is Kind.FIXED:
        return f"fixed<{type_.digits},{type_.scale}>"
    if kind in (Kind.SEQUENCE, Kind.ARRAY):
        inner = type_text(type_.element_type)
        if inner is None:
            return None
        if kind is Kind.ARRAY:
            # `long[2][3]` is two arrays of three: the outer length is written first.
            at = inner.find("[", inner.rfind(">") + 1)
            at = len(inner) if at < 0 else at
            return f"{inner[:at]}[{type_.bound}]{inner[at:]}"
        return f"sequence<{inner},{type_.bound}>" if type_.bound else f"sequence<{inner}>"
    return None


def read_type(text: str) -> TypeCode:
    """The type that a text names."""
    reader = _Reader(text, _TOKEN.findall(text) if len(text) <= _MAX_TEXT else [])
    type_ = reader.type(0)
    if reader.tokens:
        raise reader.wrong()
    return type_


class _Reader:
    def __init__(self, text: str, tokens: list[str]) -> None:
        self.text = text
        self.tokens = tokens[::-1]

    def wrong(self) -> InvalidTypeCode:
        return InvalidTypeCode(
            f"{self.text[:60]!r} names no type; write for example 'short', 'unsigned long', "
            "'string<8>', 'sequence<double>', 'long[3]' or 'fixed<5,2>'"
        )

    def next(self) -> str:
        if not self.tokens:
            raise self.wrong()
        return self.tokens.pop()

    def expect(self, token: str) -> None:
        if self.next() != token:
            raise self.wrong()

    def number(self) -> int:
        token = self.next()
        if not (token.isascii() and token.isdecimal()) or len(token) > 10:
            raise self.wrong()
        return int(token)

    def accept(self, token: str) -> bool:
        if self.tokens and self.tokens[-1] == token:
            self.tokens.pop()
            return True
        return False

    def type(self, depth: int) -> TypeCode:
        if depth > MAX_TYPE_DEPTH:
            raise InvalidTypeCode(f"types nest deeper than {MAX_TYPE_DEPTH}")
        base = self.base(depth)
        lengths = []
        while self.accept("["):
            lengths.append(self.number())
            self.expect("]")
        if len(lengths) > MAX_TYPE_DEPTH:
            raise InvalidTypeCode(f"types nest deeper than {MAX_TYPE_DEPTH}")
        for length in reversed(lengths):
            base = tc.array(base, length)
        return base

    def base(self, depth: int) -> TypeCode:
        word = self.next()
        if word == "sequence":
            self.expect("<")
            content = self.type(depth + 1)
            bound = self.number() if self.accept(",") else 0
            self.expect(">")
            return tc.sequence(content, bound)
        if word in ("string", "wstring"):
            bound = 0
            if self.accept("<"):
                bound = self.number()
                self.expect(">")
            return tc.string(bound) if word == "string" else tc.wstring(bound)
        if word == "fixed":
            self.expect("<")
            digits = self.number()
            self.expect(",")
            scale = self.number()
            self.expect(">")
            return tc.fixed(digits, scale)
        return self.primitive(word)

    def primitive(self, word: str) -> TypeCode:
        words = word
        while self.tokens and f"{words} {self.tokens[-1]}" in _LONGER:
            words = f"{words} {self.tokens.pop()}"
        if words not in _WORDS:
            raise self.wrong()
        return PRIMITIVES[_WORDS[words]]


# Every beginning of a type's name that has more than one word: "unsigned long", "long long" …
_LONGER = {
    " ".join(word.split()[:count]) for word in _WORDS for count in range(2, word.count(" ") + 2)
}
