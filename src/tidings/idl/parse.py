"""IDL text to tree, by recursive descent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from tidings.events.typecode import Kind
from tidings.idl import tree as t
from tidings.idl.faults import DEFAULT_LIMITS, IdlLimits, InvalidIdl, Place, Source
from tidings.idl.preprocess import Preprocessor
from tidings.idl.scan import Token
from tidings.idl.sources import Folders

_BASIC: Final = {
    "float": Kind.FLOAT,
    "double": Kind.DOUBLE,
    "short": Kind.SHORT,
    "char": Kind.CHAR,
    "wchar": Kind.WCHAR,
    "boolean": Kind.BOOLEAN,
    "octet": Kind.OCTET,
    "any": Kind.ANY,
    "Object": Kind.OBJREF,
}
_LITERALS: Final = frozenset({"integer", "real", "fixed", "char", "wchar", "string", "wstring"})

# From the loosest to the tightest.
_LEVELS: Final = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))

UNSUPPORTED: Final = {
    "abstract": "abstract interfaces and valuetypes",
    "custom": "valuetypes",
    "local": "local interfaces",
    "native": "native types",
    "valuetype": "valuetypes",
    "ValueBase": "valuetypes",
    "truncatable": "valuetypes",
    "context": "context clauses",
}
"""Words of things that are not supported, and what these are called."""

_T = TypeVar("_T")


class TokenStream:
    """Reads tokens one by one, always looking at the next."""

    def __init__(self, tokens: Iterator[Token], limits: IdlLimits) -> None:
        self._tokens = tokens
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
        if token.kind != "end":
            self.next = next(self._tokens)
        return token

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

    def scoped_name(self, what: str) -> t.ScopedName:
        """Take a name with its scopes."""
        place = self.place
        absolute = self.skip("::")
        parts = [self.name(what)]
        while self.skip("::"):
            parts.append(self.name("a name behind '::'"))
            if len(parts) > self.limits.depth:
                raise InvalidIdl(f"a name has at most {self.limits.depth} parts", place)
        return t.ScopedName(tuple(parts), absolute, place=place)

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


def expression(stream: TokenStream) -> t.Expression:
    """A constant expression."""
    return _binary(stream, 0)


def _binary(stream: TokenStream, level: int) -> t.Expression:
    if level == len(_LEVELS):
        return _unary(stream)
    left = _binary(stream, level + 1)
    deepened = 0
    while stream.sees(*_LEVELS[level]):
        place = stream.place
        # A long chain is a deep tree, leaning to the left.
        stream.enter()
        deepened += 1
        operator = str(stream.take().value)
        left = t.Binary(operator, left, _binary(stream, level + 1), place=place)
    stream.depth -= deepened
    return left


def _unary(stream: TokenStream) -> t.Expression:
    place = stream.place
    if stream.sees("-", "+", "~"):
        stream.enter()
        made = t.Unary(str(stream.take().value), _unary(stream), place=place)
        stream.leave()
        return made
    if stream.skip("("):
        stream.enter()
        inner = expression(stream)
        stream.leave()
        stream.expect(")")
        return inner
    if stream.sees("TRUE", "FALSE"):
        return t.Literal("boolean", stream.take().value == "TRUE", place=place)
    if stream.next.kind in _LITERALS:
        token = stream.take()
        value = token.value
        # Texts that stand behind each other are one text.
        while token.kind in ("string", "wstring") and stream.next.kind == token.kind:
            value = f"{value}{stream.take().value}"
        return t.Literal(token.kind, value, place=place)
    if stream.next.kind == "name" or stream.sees("::"):
        return t.Named(stream.scoped_name("a constant's name"), place=place)
    raise stream.wrong("expected a value: a literal or the name of a constant")


def type_spec(stream: TokenStream, where: str = "") -> t.TypeSpec:
    """A type; structs, unions and enums may be declared in place."""
    stream.enter()
    made = _type_spec(stream, where)
    stream.leave()
    return made


def simple_type(stream: TokenStream, where: str) -> t.TypeSpec:
    """A type that is named, not declared in place."""
    if stream.sees("struct", "union", "enum"):
        raise stream.wrong(f"expected a type{where}", "declare it before, and write its name here")
    return type_spec(stream, where)


def _type_spec(stream: TokenStream, where: str) -> t.TypeSpec:
    token, place = stream.next, stream.place
    if token.kind == "name" or stream.sees("::"):
        return stream.scoped_name("a type")
    if token.kind == "word":
        word = str(token.value)
        if word in _BASIC:
            stream.take()
            return t.BasicType(_BASIC[word], place=place)
        if word in ("long", "unsigned"):
            return _integer_type(stream)
        if word in ("string", "wstring"):
            stream.take()
            return t.StringType(word == "wstring", _bound(stream), place=place)
        if word in _COMPOSED:
            return _COMPOSED[word](stream)
        if word in _NAMED:
            stream.take()
            return _NAMED[word](stream, stream.name(f"the {word}'s name"), place)
    raise stream.wrong(f"expected a type{where}")


def _integer_type(stream: TokenStream) -> t.BasicType:
    place = stream.place
    if stream.skip("unsigned"):
        if stream.skip("short"):
            return t.BasicType(Kind.USHORT, place=place)
        stream.expect("long", " or 'short' behind 'unsigned'")
        return t.BasicType(Kind.ULONGLONG if stream.skip("long") else Kind.ULONG, place=place)
    stream.expect("long")
    if stream.skip("long"):
        return t.BasicType(Kind.LONGLONG, place=place)
    return t.BasicType(Kind.LONGDOUBLE if stream.skip("double") else Kind.LONG, place=place)


def _bound(stream: TokenStream) -> t.Expression | None:
    if not stream.skip("<"):
        return None
    bound = _binary(stream, _SUM)  # a shift would swallow the closing sign
    stream.close_angle()
    return bound


_SUM: Final = _LEVELS.index(("+", "-"))


def _sequence(stream: TokenStream) -> t.SequenceType:
    place = stream.take().place
    stream.expect("<", " behind 'sequence'")
    element = simple_type(stream, " of the elements")
    bound = _binary(stream, _SUM) if stream.skip(",") else None
    stream.close_angle()
    return t.SequenceType(element, bound, place=place)


def _fixed(stream: TokenStream) -> t.FixedType:
    place = stream.take().place
    if not stream.skip("<"):
        return t.FixedType(place=place)
    digits = _binary(stream, _SUM)
    stream.expect(",", " between digits and scale")
    scale = _binary(stream, _SUM)
    stream.close_angle()
    return t.FixedType(digits, scale, place=place)


def _struct(stream: TokenStream, name: str, place: Place) -> t.Struct:
    return t.Struct(name, members(stream), place=place)


def members(stream: TokenStream) -> tuple[t.Member, ...]:
    """The members of a struct or exception, braces included."""
    stream.expect("{")
    found: list[t.Member] = []
    while not stream.skip("}"):
        place = stream.place
        type_ = type_spec(stream, " of a member, or '}'")
        names = _listed(stream, lambda: array_declarator(stream))
        stream.expect(";", " behind the member")
        found.append(t.Member(type_, names, place=place))
    return tuple(found)


def _listed(stream: TokenStream, one: Callable[[], _T]) -> tuple[_T, ...]:
    """One or more of a kind, with commas between them."""
    found = [one()]
    while stream.skip(","):
        found.append(one())
    return tuple(found)


def declarator(stream: TokenStream, what: str = "a name") -> t.Declarator:
    """A name, with its place."""
    place = stream.place
    return t.Declarator(stream.name(what), place=place)


def array_declarator(stream: TokenStream, what: str = "a member's name") -> t.Declarator:
    """A name, perhaps with the dimensions of an array."""
    place = stream.place
    name = stream.name(what)
    dimensions: list[t.Expression] = []
    while stream.skip("["):
        dimensions.append(expression(stream))
        stream.expect("]")
        if len(dimensions) > stream.limits.depth:
            raise stream.wrong("an array has too many dimensions")
    return t.Declarator(name, tuple(dimensions), place=place)


def _union(stream: TokenStream, name: str, place: Place) -> t.Union:
    stream.expect("switch", " and the type that selects the branch")
    stream.expect("(")
    switch = type_spec(stream, " that selects the branch")
    stream.expect(")")
    stream.expect("{")
    cases: list[t.Case] = []
    while not stream.skip("}"):
        cases.append(_case(stream))
    return t.Union(name, switch, tuple(cases), place=place)


def _case(stream: TokenStream) -> t.Case:
    place = stream.place
    labels: list[t.Expression | None] = []
    while stream.sees("case", "default"):
        default = stream.take().value == "default"
        labels.append(None if default else expression(stream))
        stream.expect(":", " behind the label")
    if not labels:
        raise stream.wrong("expected 'case', 'default' or '}'")
    type_ = type_spec(stream, " of the branch")
    named = array_declarator(stream, "the branch's name")
    stream.expect(";", " behind the branch")
    return t.Case(tuple(labels), type_, named, place=place)


def _enum(stream: TokenStream) -> t.Enum:
    place = stream.take().place
    name = stream.name("the enum's name")
    stream.expect("{")
    labels = [declarator(stream, "a label")]
    while stream.skip(",") and not stream.sees("}"):  # a comma behind the last one is harmless
        labels.append(declarator(stream, "a label"))
    stream.expect("}", " or ','")
    return t.Enum(name, tuple(labels), place=place)


_COMPOSED: Final[dict[str, Callable[[TokenStream], t.TypeSpec]]] = {
    "sequence": _sequence,
    "fixed": _fixed,
    "enum": _enum,
}
_NAMED: Final[dict[str, Callable[[TokenStream, str, Place], t.Struct | t.Union]]] = {
    "struct": _struct,
    "union": _union,
}


_PRAGMA: Final = re.compile(
    r"""(?P<kind>prefix|version|ID)\s+
    (?:(?P<name>(?:::)?\w+(?:::\w+)*)\s+)?
    (?:"(?P<quoted>[^"]*)"|(?P<version>\d+\.\d+))\s*(?://.*|/\*.*\*/)?$""",
    re.VERBOSE | re.ASCII,
)
_PRAGMA_FORMS: Final = {
    "prefix": '#pragma prefix "omg.org"',
    "version": "#pragma version Name 1.2",
    "ID": '#pragma ID Name "IDL:demo/Name:1.0"',
}


def parse(source: Source, files: Folders, limits: IdlLimits = DEFAULT_LIMITS) -> t.Specification:
    """Parse a file and all it includes."""
    stream = TokenStream(Preprocessor(files, limits).tokens(source), limits)
    body: list[t.Definition] = []
    while stream.next.kind != "end":
        body.append(_definition(stream))
    return t.Specification(tuple(body))


def _definition(stream: TokenStream) -> t.Definition:
    token = stream.next
    if token.kind == "pragma":
        return _pragma(stream)
    if token.kind == "include":
        return _include(stream)
    if stream.sees("module"):
        return _with_semicolon(stream, _module(stream))
    if stream.sees("interface"):
        return _with_semicolon(stream, _interface(stream))
    return _declaration(stream, "expected a definition")


def _declaration(stream: TokenStream, expected: str) -> t.Definition:
    """A definition that modules and interfaces may have."""
    if stream.sees("struct", "union"):
        return _with_semicolon(stream, _struct_or_union(stream))
    if stream.sees("enum"):
        made = type_spec(stream)
        assert isinstance(made, t.Enum)
        return _with_semicolon(stream, made)
    if stream.sees("exception"):
        place = stream.take().place
        name = stream.name("the exception's name")
        return _with_semicolon(stream, t.Exception_(name, members(stream), place=place))
    if stream.sees("typedef"):
        return _with_semicolon(stream, _typedef(stream))
    if stream.sees("const"):
        return _with_semicolon(stream, _const(stream))
    raise stream.wrong(expected, "such as module, interface, struct, enum, typedef or const")


def _with_semicolon(stream: TokenStream, made: t.Definition) -> t.Definition:
    stream.expect(";", " behind the definition")
    return made


def _include(stream: TokenStream) -> t.Include:
    token = stream.take()
    stream.enter()
    body: list[t.Definition] = []
    while stream.next.kind != "included":
        body.append(_definition(stream))
    stream.take()
    stream.leave()
    return t.Include(str(token.value), tuple(body), place=token.place)


def _pragma(stream: TokenStream) -> t.Pragma:
    token = stream.take()
    text = str(token.value)
    kind = text.split(maxsplit=1)[0]
    found = _PRAGMA.match(text)
    if (
        found is None
        or (kind == "prefix") != (found["name"] is None)
        or ((kind == "version") != (found["version"] is not None))
    ):
        raise InvalidIdl(
            f"this is not a #pragma {kind}", token.place, f"write {_PRAGMA_FORMS[kind]}"
        )
    said = found["version"] if found["quoted"] is None else found["quoted"]
    if "\\" in said or not all("!" <= c <= "~" for c in said):
        raise InvalidIdl("a repository id has no blanks and no backslashes", token.place)
    named = found["name"]
    name = None if named is None else _written_name(named, token.place)
    return t.Pragma(kind, name, said, place=token.place)


def _written_name(text: str, place: Place) -> t.ScopedName:
    parts = text.removeprefix("::").split("::")
    plain = tuple(part.removeprefix("_") for part in parts)
    return t.ScopedName(plain, text.startswith("::"), place=place)


def _module(stream: TokenStream) -> t.Module:
    place = stream.take().place
    name = stream.name("the module's name")
    stream.expect("{")
    stream.enter()
    body: list[t.Definition] = []
    while not stream.skip("}"):
        if stream.next.kind == "end":
            raise stream.wrong(f"expected '}}' at the end of module {name}")
        body.append(_definition(stream))
    stream.leave()
    return t.Module(name, tuple(body), place=place)


def _struct_or_union(stream: TokenStream) -> t.Definition:
    place, kind = stream.place, str(stream.take().value)
    name = stream.name(f"the {kind}'s name")
    if stream.sees(";"):
        return t.Forward(kind, name, place=place)
    stream.enter()
    made = _NAMED[kind](stream, name, place)
    stream.leave()
    return made


def _interface(stream: TokenStream) -> t.Definition:
    place = stream.take().place
    name = stream.name("the interface's name")
    if stream.sees(";"):
        return t.Forward("interface", name, place=place)
    bases: tuple[t.ScopedName, ...] = ()
    if stream.skip(":"):
        bases = _listed(stream, lambda: stream.scoped_name("a base interface"))
    stream.expect("{")
    stream.enter()
    body: list[t.Definition] = []
    while not stream.skip("}"):
        body.append(_export(stream))
    stream.leave()
    return t.Interface(name, bases, tuple(body), place=place)


def _export(stream: TokenStream) -> t.Definition:
    """A definition inside an interface."""
    if stream.next.kind == "pragma":
        return _pragma(stream)
    if stream.sees("struct", "union", "enum", "exception", "typedef", "const"):
        return _declaration(stream, "")
    if stream.sees("readonly", "attribute"):
        return _with_semicolon(stream, _attribute(stream))
    if stream.sees("module", "interface"):
        raise stream.wrong("expected an operation, attribute or type, or '}' before the next one")
    return _with_semicolon(stream, _operation(stream))


def _attribute(stream: TokenStream) -> t.Attribute:
    place = stream.place
    readonly = stream.skip("readonly")
    stream.expect("attribute")
    type_ = simple_type(stream, " of the attribute")
    names = _listed(stream, lambda: declarator(stream, "the attribute's name"))
    if stream.sees("raises"):
        raise stream.wrong("attributes that raise exceptions are not supported")
    return t.Attribute(type_, names, readonly, place=place)


def _operation(stream: TokenStream) -> t.Operation:
    place = stream.place
    oneway = stream.skip("oneway")
    result = None if stream.skip("void") else simple_type(stream, " of the result, or '}'")
    place = place if oneway else stream.place
    name = stream.name("the operation's name")
    stream.expect("(", " and the parameters")
    parameters: tuple[t.Parameter, ...] = ()
    if not stream.skip(")"):
        parameters = _listed(stream, lambda: _parameter(stream))
        stream.expect(")", " or ','")
    raises: tuple[t.ScopedName, ...] = ()
    if stream.skip("raises"):
        stream.expect("(")
        raises = _listed(stream, lambda: stream.scoped_name("an exception"))
        stream.expect(")", " or ','")
    if stream.sees("context"):
        raise stream.wrong("expected ';'")
    return t.Operation(name, result, parameters, raises, oneway, place=place)


def _parameter(stream: TokenStream) -> t.Parameter:
    place = stream.place
    if not stream.sees("in", "out", "inout"):
        raise stream.wrong("expected 'in', 'out' or 'inout' before the parameter")
    direction = str(stream.take().value)
    type_ = simple_type(stream, " of the parameter")
    return t.Parameter(direction, type_, stream.name("the parameter's name"), place=place)


def _typedef(stream: TokenStream) -> t.Typedef:
    place = stream.take().place
    type_ = type_spec(stream, " to give a name to")
    names = _listed(stream, lambda: array_declarator(stream, "the new type's name"))
    return t.Typedef(type_, names, place=place)


def _const(stream: TokenStream) -> t.Const:
    stream.take()
    type_ = simple_type(stream, " of the constant")
    place = stream.place
    name = stream.name("the constant's name")
    stream.expect("=")
    return t.Const(type_, name, expression(stream), place=place)
