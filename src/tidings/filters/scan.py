"""Constraint text to tokens.

After `$` the scanner is in component mode until the component ends: `$.3.0` is two steps, not a
float. A component is therefore one token, with its path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tidings.errors import InvalidConstraint
from tidings.events import paths
from tidings.filters.limits import ConstraintLimits
from tidings.filters.truth import HIGHEST

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f]+)
    | (?P<real>(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
    | (?P<integer>[0-9]+)
    | (?P<name>\\?[A-Za-z_][A-Za-z0-9_]*)
    | (?P<component>\$)
    | (?P<text>')
    | (?P<symbol>==|!=|<=|>=|[<>~+\-*/%()])""",
    re.VERBOSE | re.ASCII,
)
_NAME = re.compile(r"\\?([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
_SIGNED = re.compile(r"[+-]?[0-9]+", re.ASCII)
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\([\\'])")

_LAST_STEPS: dict[str, paths.PathStep] = {
    "_length": paths.Length(),
    "_d": paths.Discriminator(),
    "_type_id": paths.TypeId(),
    "_repos_id": paths.ReposId(),
}
_WORDS = {"and", "or", "not", "in", "exist", "default"}
_BOOLEANS = {"TRUE": True, "true": True, "FALSE": False, "false": False}
# What people type from other languages, and what it is called here.
_HINTS = {
    "=": "equality is written ==",
    "&": "write 'and'",
    "|": "write 'or'",
    "!": "write 'not (…)', or != for unequal",
    '"': "strings are written in single quotes: 'text'",
    "`": "strings are written in single quotes: 'text'",
    "[": "[n] belongs directly behind a component: $tags[0]",
    ".": "a member belongs directly behind a component: $addr.street",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text."""

    kind: str  # word, symbol, integer, real, text, boolean, name, component, end
    value: object
    start: int
    end: int


def scan(text: str, limits: ConstraintLimits) -> list[Token]:
    """All tokens of a constraint; the last is of the kind `end`."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _stray(text, at)
        kind, end = str(found.lastgroup), found.end()
        if kind == "component":
            token = _Component(text, at, limits).token()
        elif kind == "text":
            token = _string(text, at)
        else:
            token = _simple(text, kind, found.group(), at, end)
        at = token.end
        if kind != "space":
            tokens.append(token)
    tokens.append(Token("end", "", len(text), len(text)))
    return tokens


def _stray(text: str, at: int) -> InvalidConstraint:
    character = text[at]
    shown = repr(character) if character.isprintable() else f"U+{ord(character):04X}"
    return InvalidConstraint(f"{shown} has no meaning here", text, at, _HINTS.get(character, ""))


def _simple(text: str, kind: str, piece: str, start: int, end: int) -> Token:
    if kind == "integer":
        # Longer digits are out of range whatever they say, and slow to convert.
        digits = piece.lstrip("0") or "0"
        if len(digits) > 20 or int(digits) > HIGHEST:
            raise InvalidConstraint(
                "the integer is larger than 18446744073709551615",
                text,
                start,
                "write it with a point or an exponent to compare as a real",
            )
        return Token("integer", int(digits), start, end)
    if kind == "real":
        value = float(piece)
        if value == float("inf"):
            raise InvalidConstraint("the number is too large for a real", text, start)
        return Token("real", value, start, end)
    if kind == "name":
        if piece.startswith("\\"):
            return Token("name", piece[1:], start, end)
        if piece in _BOOLEANS:
            return Token("boolean", _BOOLEANS[piece], start, end)
        if piece.lower() in _WORDS:
            return Token("word", piece.lower(), start, end)
    return Token(kind, piece, start, end)


def _string(text: str, start: int) -> Token:
    found = _TEXT.match(text, start)
    if found is None:
        raise InvalidConstraint(
            "the string does not end", text, start, "close it with a single quote"
        )
    return Token("text", _ESCAPE.sub(r"\1", found.group(1)), start, found.end())


class _Component:
    """Component mode: from `$` to the end of the path."""

    def __init__(self, text: str, start: int, limits: ConstraintLimits) -> None:
        self.text = text
        self.start = start
        self.at = start + 1
        self.limits = limits

    def token(self) -> Token:
        root = self._match(_NAME)
        if root in _LAST_STEPS:
            path = paths.Path(None, (_LAST_STEPS[root],))
            self._nothing_behind(root)
        else:
            path = paths.Path(root, self._steps())
        return Token("component", path, self.start, self.at)

    def _steps(self) -> list[paths.PathStep]:
        steps: list[paths.PathStep] = []
        while True:
            step = self._step()
            if step is None:
                return steps
            steps.append(step)
            if len(steps) > self.limits.steps:
                raise self._wrong(f"the component has more than {self.limits.steps} steps")

    def _step(self) -> paths.PathStep | None:
        if self._skip(".("):
            return self._branch()
        if self._skip("."):
            return self._member()
        if self._skip("["):
            index = self._number("the element's number, counted from 0")
            self._close("]")
            return paths.Element(index)
        if self._skip("("):
            name = self._match(_NAME)
            if name is None:
                raise self._wrong("expected a name in $…(name)")
            self._close(")")
            return paths.Pair(name)
        return None

    def _member(self) -> paths.PathStep:
        name = self._match(_NAME)
        if name is None:
            if not _DIGITS.match(self.text, self.at):
                raise self._wrong("expected a member's name or number behind the dot")
            return paths.Position(self._number("a member's number"))
        if name in _LAST_STEPS:
            self._nothing_behind(name)
            return _LAST_STEPS[name]
        return paths.Name(name)

    def _nothing_behind(self, name: str) -> None:
        if self.text[self.at : self.at + 1] in (".", "[", "("):
            raise self._wrong(f"nothing may follow {name}")

    def _branch(self) -> paths.Branch:
        if self._skip(")"):
            return paths.Branch("default")
        branch = self._label()
        self._close(")")
        return branch

    def _label(self) -> paths.Branch:
        if self.text.startswith("'", self.at):
            token = _string(self.text, self.at)
            if len(str(token.value)) != 1:
                raise self._wrong("a union label in quotes is one character")
            self.at = token.end
            return paths.Branch("str", str(token.value))
        if _SIGNED.match(self.text, self.at):
            negative = self.text[self.at] == "-"
            self.at += self.text[self.at] in "+-"
            number = self._number("a label")
            return paths.Branch("int", -number if negative else number)
        plain_name = not self.text.startswith("\\", self.at)
        name = self._match(_NAME)
        if name is None:
            raise self._wrong("expected a union label: a number, 'c', TRUE, FALSE or a name")
        if plain_name and name in _BOOLEANS:
            return paths.Branch("bool", _BOOLEANS[name])
        return paths.Branch("enum", name)

    def _number(self, what: str) -> int:
        found = _DIGITS.match(self.text, self.at)
        if found is None:
            raise self._wrong(f"expected {what}")
        if len(found.group()) > 20:
            raise self._wrong("the number is too large")
        self.at = found.end()
        return int(found.group())

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group(1)

    def _skip(self, symbol: str) -> bool:
        if not self.text.startswith(symbol, self.at):
            return False
        self.at += len(symbol)
        return True

    def _close(self, symbol: str) -> None:
        if not self._skip(symbol):
            raise self._wrong(f"expected {symbol!r}")

    def _wrong(self, problem: str) -> InvalidConstraint:
        return InvalidConstraint(
            problem,
            self.text,
            self.at,
            "components look like $name, $.member.0, $tags[1], $props(key), $u.(label)",
        )
