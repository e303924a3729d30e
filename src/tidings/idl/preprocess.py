"""Files and what they include, as one stream of tokens.

Directives are obeyed here. Two remain in the stream for the parser: `include`, with `included`
at the end of that file, and pragmas about repository ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from tidings.idl.faults import IdlLimits, InvalidIdl, Place, Source
from tidings.idl.scan import Scanner, Token
from tidings.idl.sources import Folders

_PIECE = re.compile(r"\s*(&&|\|\||[()!]|[0-9]+|[A-Za-z_]\w*)", re.ASCII)
_DEEPEST = 32


def holds(condition: str, defined: Mapping[str, str], place: Place) -> bool:
    """Whether the condition of an `#if` is true."""
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
                raise self._wrong("defined names no macro")
            if within:
                self._close()
            return name in self.defined
        if piece.isdigit():
            return bool(piece.strip("0"))
        if _is_name(piece):
            value = self.defined.get(piece, "") or "0"  # a name without a value counts as 0
            if not (value.isascii() and value.isdigit()):
                raise self._wrong(f"{piece} is {value!r:.60}, not a number")
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


_WORD = re.compile(r"([A-Za-z]*)\s*(.*)", re.DOTALL)
_NAME = re.compile(r"([A-Za-z_]\w*)", re.ASCII)
_INCLUDE = re.compile(r'(?:"([^"\n]+)"|<([^>\n]+)>)')
_GUARD = re.compile(r"\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*#[ \t]*ifndef[ \t]+(\w+)", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/|//.*", re.DOTALL)
_ID_PRAGMAS = frozenset({"prefix", "version", "ID"})


class _Branch(msgspec.Struct):
    """An open `#if`: whether its text is read now, and whether that of some branch was."""

    outer: bool
    taking: bool
    taken: bool
    place: Place
    at_else: bool = False


class Preprocessor:
    """Reads a file and all it includes."""

    def __init__(self, files: Folders, limits: IdlLimits) -> None:
        self._files = files
        self._limits = limits
        self._defined: dict[str, str] = {}
        self._once: set[Source] = set()
        self._open: list[Source] = []
        self._count = 0
        self._tokens = 0

    def tokens(self, source: Source) -> Iterator[Token]:
        """All tokens; the last is of the kind `end`."""
        self._enter(source, Place(source, 0))
        yield from self._file(source)
        yield Token("end", "", Place(source, len(source.text)))

    def _enter(self, source: Source, place: Place) -> None:
        self._count += 1
        if self._count > self._limits.files:
            raise InvalidIdl(f"more than {self._limits.files} files are read", place)
        if len(source.text) > self._limits.octets:
            raise InvalidIdl(f"a file has at most {self._limits.octets} octets", place)
        if len(self._open) >= self._limits.include_depth:
            raise InvalidIdl(
                f"files include each other more than {self._limits.include_depth} deep", place
            )

    def _file(self, source: Source) -> Iterator[Token]:
        self._open.append(source)
        scanner = Scanner(source, self._limits)
        branches: list[_Branch] = []
        while True:
            taking = not branches or branches[-1].taking
            token = scanner.token() if taking else scanner.next_directive()
            if token.kind == "end":
                break
            if token.kind != "directive":
                if taking:
                    yield self._counted(token)
                continue
            word, rest = _directive(token)
            if word in _CONDITIONALS:
                self._branch(word, rest, branches, token.place)
            elif taking:
                yield from self._obey(word, rest, token)
        if branches:
            raise InvalidIdl("this condition does not end", branches[-1].place, "write #endif")
        self._open.pop()

    def _counted(self, token: Token) -> Token:
        self._tokens += 1
        if self._tokens > self._limits.tokens:
            raise InvalidIdl(f"more than {self._limits.tokens} words and signs", token.place)
        if token.kind == "name" and self._defined.get(str(token.value)):
            raise InvalidIdl(
                f"{token.value} is a macro with a value, and these are not put in here",
                token.place,
                "declare a const instead",
            )
        return token

    def _branch(self, word: str, rest: str, branches: list[_Branch], place: Place) -> None:
        if word in ("if", "ifdef", "ifndef"):
            outer = not branches or branches[-1].taking
            if len(branches) >= self._limits.depth:
                raise InvalidIdl(f"conditions nest deeper than {self._limits.depth}", place)
            taking = outer and self._holds(word, rest, place)
            branches.append(_Branch(outer, taking, taking, place))
            return
        if not branches:
            raise InvalidIdl(f"#{word} without an #if before it", place)
        branch = branches[-1]
        if word == "endif":
            branches.pop()
            return
        if branch.at_else:
            raise InvalidIdl(f"#{word} after #else", place, "write #endif")
        branch.at_else = word == "else"
        now = branch.outer and not branch.taken
        branch.taking = now and (word == "else" or self._holds("if", rest, place))
        branch.taken = branch.taken or branch.taking

    def _holds(self, word: str, rest: str, place: Place) -> bool:
        if word == "if":
            return holds(rest, self._defined, place)
        defined = _name(rest, word, place) in self._defined
        return defined == (word == "ifdef")

    def _obey(self, word: str, rest: str, token: Token) -> Iterator[Token]:
        place = token.place
        if word == "include":
            yield from self._include(rest, place)
        elif word == "define":
            name = _name(rest, word, place)
            if rest[len(name) :].startswith("("):
                raise InvalidIdl("macros with arguments are not supported", place)
            self._defined[name] = rest[len(name) :].strip()
        elif word == "undef":
            self._defined.pop(_name(rest, word, place), None)
        elif word == "pragma":
            kind = rest.split(None, 1)[0] if rest.split() else ""
            if kind == "once":
                self._once.add(place.source)
            elif kind in _ID_PRAGMAS:
                yield Token("pragma", rest, place)
        elif word == "error":
            raise InvalidIdl(f"#error {rest}", place)
        elif word not in ("", "line", "warning", "ident"):
            raise InvalidIdl(
                f"#{word} is not a directive",
                place,
                "there are #include, #define, #undef, #if, #ifdef, #ifndef, #else, #endif, #pragma",
            )

    def _include(self, rest: str, place: Place) -> Iterator[Token]:
        found = _INCLUDE.match(rest)
        if found is None:
            raise InvalidIdl("#include names no file", place, 'write "File.idl" or <File.idl>')
        name, angled = found.group(1) or found.group(2), found.group(2) is not None
        source = self._files.find(name, angled, place.source)
        if source is None:
            raise InvalidIdl(f"the file {name} is not found", place, "name its folder with -I")
        yield Token("include", f"<{name}>" if angled else f'"{name}"', place)
        if source not in self._once:
            self._check_cycle(source, place)
            self._enter(source, place)
            yield from self._file(source)
        yield Token("included", name, place)

    def _is_guarded(self, source: Source) -> bool:
        guard = _GUARD.match(source.text)
        return guard is not None and guard.group(1) in self._defined

    def _check_cycle(self, source: Source, place: Place) -> None:
        if source in self._open and not self._is_guarded(source):
            chain = [one.name for one in self._open[self._open.index(source) :]]
            raise InvalidIdl(
                f"files include each other in a circle: {' -> '.join([*chain, source.name])}",
                place,
                "put #ifndef NAME, #define NAME and #endif around each file",
            )


_CONDITIONALS = frozenset({"if", "ifdef", "ifndef", "elif", "else", "endif"})


def _directive(token: Token) -> tuple[str, str]:
    found = _WORD.match(str(token.value))
    assert found is not None
    word, rest = found.groups()
    return word, rest if word == "pragma" else _COMMENT.sub(" ", rest).strip()


def _name(rest: str, word: str, place: Place) -> str:
    found = _NAME.match(rest)
    if found is None:
        raise InvalidIdl(f"#{word} names no macro", place, f"write #{word} NAME")
    return found.group(1)
