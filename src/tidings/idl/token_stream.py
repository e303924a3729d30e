"""A stream of tokens, as the parser reads it."""

from __future__ import annotations

from collections.abc import Iterator

from tidings.idl.faults import InvalidIdl, Place
from tidings.idl.limits import Limits
from tidings.idl.scan import Token
from tidings.idl.tree import ScopedName
from tidings.idl.words import UNSUPPORTED


class TokenStream:
    """Reads tokens one by one, always looking at the next."""

    def __init__(self, tokens: Iterator[Token], limits: Limits) -> None:
        self._tokens = tokens
        self._again: list[Token] = []
        self.limits = limits
        self.depth = 0
        self.next = next(tokens)

    @property
    def place(self) -> Place:
        """Where the next token is."""
        return self.next.place

    def take(self) -> Token:
        """Take the next token."""
        token = self.next
        if self._again:
            self.next = self._again.pop()
        elif token.kind != "end":
            self.next = next(self._tokens)
        return token

    def put_back(self, token: Token) -> None:
        """Make a token that was taken the next one again."""
        self._again.append(self.next)
        self.next = token

    def sees(self, *values: str) -> bool:
        """Whether one of these words or symbols is next."""
        return self.next.kind in ("word", "symbol") and self.next.value in values

    def skip(self, value: str) -> bool:
        """Take a word or symbol if it is next."""
        if not self.sees(value):
            return False
        self.take()
        return True

    def expect(self, value: str, why: str = "") -> Token:
        """Take a word or symbol that must be next."""
        if not self.sees(value):
            raise self.wrong(f"expected {value!r}{why}")
        return self.take()

    def close_angle(self) -> None:
        """Take a `>`, which may be the first half of `>>`."""
        if self.sees(">>"):
            place = self.next.place
            self.next = Token("symbol", ">", place._replace(offset=place.offset + 1))
            return
        self.expect(">", " at the end of the type")

    def name(self, what: str) -> str:
        """Take a name; `what` names it in the error."""
        if self.next.kind == "word":
            raise self.wrong(
                f"expected {what}, and {self.next.value!r} is a reserved word",
                f"write _{self.next.value} for a name",
            )
        if self.next.kind != "name":
            raise self.wrong(f"expected {what}")
        return str(self.take().value)

    def scoped_name(self, what: str) -> ScopedName:
        """Take a name with its scopes."""
        place = self.place
        absolute = self.skip("::")
        parts = [self.name(what)]
        while self.skip("::"):
            parts.append(self.name("a name behind '::'"))
            if len(parts) > self.limits.depth:
                raise InvalidIdl(f"a name has at most {self.limits.depth} parts", place)
        return ScopedName(tuple(parts), absolute, place=place)

    def enter(self) -> None:
        """Go one level deeper; `leave` goes back."""
        self.depth += 1
        if self.depth > self.limits.depth:
            raise InvalidIdl(f"this nests deeper than {self.limits.depth}", self.place)

    def leave(self) -> None:
        """Go one level back."""
        self.depth -= 1

    def wrong(self, problem: str, hint: str = "") -> InvalidIdl:
        """An error at the next token, which it names."""
        token = self.next
        if token.kind == "word" and token.value in UNSUPPORTED:
            return InvalidIdl(f"{UNSUPPORTED[str(token.value)]} are not supported", token.place)
        if token.kind in ("include", "included", "pragma"):
            problem = f"{problem}: a directive of this kind stands between definitions"
            return InvalidIdl(problem, token.place, hint)
        return InvalidIdl(f"{problem}, not {token}", token.place, hint)
