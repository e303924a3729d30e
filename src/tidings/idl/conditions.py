"""The conditions of `#if`: numbers, `defined`, `!`, `&&`, `||` and parentheses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tidings.idl.faults import InvalidIdl, Place

_PIECE = re.compile(r"\s*(&&|\|\||[()!]|[0-9]+|[A-Za-z_]\w*)", re.ASCII)
_DEEPEST = 32


def holds(condition: str, defined: Mapping[str, str], place: Place) -> bool:
    """Whether the condition of an `#if` is true.

    Args:
        condition: Its text.
        defined: The macros with their values.
        place: Where it stands.

    Raises:
        InvalidIdl: It is none that is understood here.
    """
    return _Condition(condition, defined, place).value()


class _Condition:
    def __init__(self, text: str, defined: Mapping[str, str], place: Place) -> None:
        self.place = place
        self.defined = defined
        self.pieces: list[str] = []
        at, text = 0, text.strip()
        while at < len(text):
            found = _PIECE.match(text, at)
            if found is None:
                raise self._wrong(f"{text[at:].lstrip()[:1]!r} has no meaning in a condition")
            self.pieces.append(found.group(1))
            at = found.end()
        self.pieces.reverse()

    def value(self) -> bool:
        answer = self._either(0)
        if self.pieces:
            raise self._wrong(f"{self.pieces[-1]!r} follows the condition")
        return answer

    def _either(self, depth: int) -> bool:
        answer = self._both(depth)
        while self._skip("||"):
            answer = self._both(depth) or answer
        return answer

    def _both(self, depth: int) -> bool:
        answer = self._one(depth)
        while self._skip("&&"):
            answer = self._one(depth) and answer
        return answer

    def _one(self, depth: int) -> bool:
        if depth > _DEEPEST:
            raise self._wrong("the condition nests too deep")
        if self._skip("!"):
            return not self._one(depth + 1)
        if self._skip("("):
            answer = self._either(depth + 1)
            self._close()
            return answer
        piece = self.pieces.pop() if self.pieces else ""
        if piece == "defined":
            within = self._skip("(")
            name = self.pieces.pop() if self.pieces else ""
            if not _is_name(name):
                raise self._wrong("defined names nothing")
            if within:
                self._close()
            return name in self.defined
        if piece.isdigit():
            return bool(piece.strip("0"))
        if _is_name(piece):
            value = self.defined.get(piece, "") or "0"  # a name without a value counts as 0
            if not (value.isascii() and value.isdigit()):
                raise self._wrong(f"{piece} is {value!r:.60}, and no number")
            return bool(value.strip("0"))
        raise self._wrong(f"expected a condition, not {piece or 'the end'!r}")

    def _skip(self, piece: str) -> bool:
        if not self.pieces or self.pieces[-1] != piece:
            return False
        self.pieces.pop()
        return True

    def _close(self) -> None:
        if not self._skip(")"):
            raise self._wrong("a parenthesis is not closed")

    def _wrong(self, problem: str) -> InvalidIdl:
        return InvalidIdl(problem, self.place, "such as: #if defined(NAME) && !defined(OTHER)")


def _is_name(piece: str) -> bool:
    return piece[:1].isalpha() or piece[:1] == "_"
