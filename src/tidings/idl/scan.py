"""IDL text to tokens, one file at a time.

A directive (a line that begins with `#`) is one token with its whole text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, NamedTuple

from tidings.idl.faults import IdlLimits, InvalidIdl, Place, Source

WORDS: Final = frozenset(
    {
        *("abstract", "any", "attribute", "boolean", "case", "char", "const", "context"),
        *("custom", "default", "double", "enum", "exception", "FALSE", "fixed", "float"),
        *("in", "inout", "interface", "local", "long", "module", "native", "Object"),
        *("octet", "oneway", "out", "private", "public", "raises", "readonly", "sequence"),
        *("short", "string", "struct", "switch", "TRUE", "truncatable", "typedef"),
        *("unsigned", "union", "ValueBase", "valuetype", "void", "wchar", "wstring"),
    }
)
"""Words that cannot be names."""

LOWER_WORDS: Final = {word.lower(): word for word in WORDS}

_BLANK = re.compile(r"[ \t\r\n\f\v]+|//[^\n]*")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"#((?:[^\n\\]|\\\r?\n|\\.)*)")
_NEXT_DIRECTIVE = re.compile(r"^[ \t]*#", re.MULTILINE)
_TOKEN = re.compile(
    r"""(?P<fixed>(?:[0-9]+\.?[0-9]*|\.[0-9]+)[dD](?![A-Za-z0-9_]))
    | (?P<real>(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
    | (?P<integer>0[xX][0-9A-Fa-f]+|[0-9]+)
    | (?P<char>L?'(?:[^'\\\n]|\\[^\n])*')
    | (?P<string>L?"(?:[^"\\\n]|\\[^\n])*")
    | (?P<name>_?[A-Za-z][A-Za-z0-9_]*)
    | (?P<symbol>::|<<|>>|[{}()\[\]<>;:,=+\-*/%|^&~])""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(
    r"""\\(?:([ntvbrfa\\?'"])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|(.?))""",
    re.DOTALL,
)
_CONTROLS = dict(zip("ntvbrfa\\?'\"", "\n\t\v\b\r\f\a\\?'\"", strict=True))


class Token(NamedTuple):
    """A piece of the text.

    The kinds are word, name, symbol, integer, real, fixed, char, wchar, string, wstring,
    directive, and end.
    """

    kind: str
    value: str | int | float | Decimal
    place: Place

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the file"
        return f"#{self.value}" if self.kind == "directive" else f"{str(self.value)[:40]!r}"


class Scanner:
    """Reads one file."""

    def __init__(self, source: Source, limits: IdlLimits) -> None:
        self.source = source
        self.limits = limits
        self.at = 0

    def token(self) -> Token:
        """The next token; at the end, always one of the kind `end`."""
        self._skip_blanks()
        text, start = self.source.text, self.at
        place = Place(self.source, start)
        if start >= len(text):
            return Token("end", "", place)
        if text[start] == "#" and not text[text.rfind("\n", 0, start) + 1 : start].strip():
            return self._directive(place)
        found = _TOKEN.match(text, start)
        if found is None:
            raise self._stray(text[start], place)
        self.at = found.end()
        return self._made(str(found.lastgroup), found.group(), place)

    def next_directive(self) -> Token:
        """The next directive, whatever precedes it; or the end."""
        found = _NEXT_DIRECTIVE.search(self.source.text, self.at)
        self.at = len(self.source.text) if found is None else found.end() - 1
        return self.token()

    def _skip_blanks(self) -> None:
        text = self.source.text
        while True:
            found = _BLANK.match(text, self.at)
            if found is None and text.startswith("/*", self.at):
                found = _COMMENT.match(text, self.at)
                if found is None:
                    place = Place(self.source, self.at)
                    raise InvalidIdl("the comment does not end", place, "close it with */")
            if found is None:
                return
            self.at = found.end()

    def _directive(self, place: Place) -> Token:
        found = _DIRECTIVE.match(self.source.text, self.at)
        assert found is not None
        self.at = found.end()
        return Token("directive", re.sub(r"\\\r?\n", " ", found.group(1)).strip(), place)

    def _made(self, kind: str, piece: str, place: Place) -> Token:
        if kind == "name":
            return self._name(piece, place)
        if kind == "integer":
            return Token(kind, _integer(piece, place), place)
        if kind == "real":
            value = float(piece)
            if value == float("inf"):
                raise InvalidIdl("the number is too large for a double", place)
            return Token(kind, value, place)
        if kind == "fixed":
            digits = piece[:-1]
            if sum(c != "." for c in digits) > 31:
                raise InvalidIdl("a fixed number has at most 31 digits", place)
            return Token(kind, Decimal(digits), place)
        if kind in ("char", "string"):
            return _quoted(kind, piece, place)
        return Token(kind, piece, place)

    def _name(self, piece: str, place: Place) -> Token:
        if len(piece) > self.limits.name_length:
            raise InvalidIdl(f"a name has at most {self.limits.name_length} characters", place)
        if piece in WORDS:
            return Token("word", piece, place)
        if piece.startswith("_"):
            return Token("name", piece[1:], place)
        word = LOWER_WORDS.get(piece.lower())
        if word is not None:
            raise InvalidIdl(
                f"{piece!r} differs from the reserved word {word!r} only in case",
                place,
                f"write {word} if that is meant, or _{piece} for a name",
            )
        return Token("name", piece, place)

    def _stray(self, character: str, place: Place) -> InvalidIdl:
        if character in "'\"":
            return InvalidIdl(
                "the text in quotes does not end on its line", place, f"close it with {character}"
            )
        if character == "#":
            return InvalidIdl("a directive begins its line", place, "put it on a line of its own")
        shown = repr(character) if character.isprintable() else f"U+{ord(character):04X}"
        return InvalidIdl(f"{shown} has no meaning in IDL", place)


def _integer(piece: str, place: Place) -> int:
    octal = len(piece) > 1 and piece[0] == "0" and piece[1] not in "xX"
    if octal and not set(piece) <= set("01234567"):
        raise InvalidIdl(
            f"{piece} begins with 0 and so is octal, but has a digit above 7",
            place,
            f"write {piece.lstrip('0') or '0'} for the decimal number",
        )
    if len(piece) > 40:
        raise InvalidIdl("the number has too many digits; no type holds it", place)
    return int(piece, 8 if octal else 0)


def _quoted(kind: str, piece: str, place: Place) -> Token:
    wide = piece.startswith("L")
    inner = piece[2:-1] if wide else piece[1:-1]

    def plain(found: re.Match[str]) -> str:
        control, octal, short, long, other = found.groups()
        if control is not None:
            return _CONTROLS[control]
        if other is not None:
            raise InvalidIdl(
                f"\\{other} is not an escape", place, r"there are \n \t \\ \' \" \ooo \xhh \uhhhh"
            )
        code = int(octal, 8) if octal is not None else int(short or long, 16)
        if long is not None and not wide:
            raise InvalidIdl(r"\u stands only in wide text", place, "write an L before the quotes")
        if code == 0 and kind == "string":
            raise InvalidIdl("a string cannot hold the character 0", place)
        if 0xD800 <= code <= 0xDFFF or (not wide and code > 255):
            raise InvalidIdl(f"{found.group()} is not a character", place)
        return chr(code)

    text = _ESCAPE.sub(plain, inner)
    if kind == "char" and len(text) != 1:
        raise InvalidIdl(
            f"a character literal holds one character, not {len(text)}",
            place,
            "texts stand in double quotes",
        )
    if not wide and any(c > "ÿ" for c in text):
        raise InvalidIdl(
            "this holds characters beyond Latin-1", place, "write an L before the quotes"
        )
    return Token(f"w{kind}" if wide else kind, text, place)
