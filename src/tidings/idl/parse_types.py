"""The parts of the parser for types and for constant expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidings.events.typecode import Kind
from tidings.idl.token_stream import TokenStream
from tidings.idl.tree import (
    BasicType,
    Binary,
    Case,
    Declarator,
    Enum,
    Enumerator,
    Expression,
    FixedType,
    Literal,
    Member,
    Named,
    SequenceType,
    StringType,
    Struct,
    TypeSpec,
    Unary,
    Union,
)

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


def expression(stream: TokenStream) -> Expression:
    """A constant expression."""
    return _binary(stream, 0)


def _binary(stream: TokenStream, level: int) -> Expression:
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
        left = Binary(operator, left, _binary(stream, level + 1), place)
    stream.depth -= deepened
    return left


def _unary(stream: TokenStream) -> Expression:
    place = stream.place
    if stream.sees("-", "+", "~"):
        stream.enter()
        made = Unary(str(stream.take().value), _unary(stream), place)
        stream.leave()
        return made
    if stream.skip("("):
        stream.enter()
        inner = expression(stream)
        stream.leave()
        stream.expect(")")
        return inner
    if stream.sees("TRUE", "FALSE"):
        return Literal("boolean", stream.take().value == "TRUE", place)
    if stream.next.kind in _LITERALS:
        token = stream.take()
        value = token.value
        # Texts that stand behind each other are one text.
        while token.kind in ("string", "wstring") and stream.next.kind == token.kind:
            value = f"{value}{stream.take().value}"
        return Literal(token.kind, value, place)
    if stream.next.kind == "name" or stream.sees("::"):
        return Named(stream.scoped_name("a constant's name"), place)
    raise stream.wrong("expected a value: a literal or the name of a constant")


def type_spec(stream: TokenStream, where: str = "") -> TypeSpec:
    """A type; structs, unions and enums may be declared on the spot.

    Args:
        stream: The tokens.
        where: What the type is for, for messages.
    """
    stream.enter()
    made = _type_spec(stream, where)
    stream.leave()
    return made


def simple_type(stream: TokenStream, where: str) -> TypeSpec:
    """A type that is named, and not declared on the spot.

    Args:
        stream: The tokens.
        where: What the type is for, for messages.
    """
    if stream.sees("struct", "union", "enum"):
        raise stream.wrong(f"expected a type{where}", "declare it before, and write its name here")
    return type_spec(stream, where)


def _type_spec(stream: TokenStream, where: str) -> TypeSpec:
    token, place = stream.next, stream.place
    if token.kind == "name" or stream.sees("::"):
        return stream.scoped_name("a type")
    if token.kind == "word":
        word = str(token.value)
        if word in _BASIC:
            stream.take()
            return BasicType(_BASIC[word], place)
        if word in ("long", "unsigned"):
            return _integer_type(stream)
        if word in ("string", "wstring"):
            stream.take()
            return StringType(word == "wstring", _bound(stream), place)
        if word in _COMPOSED:
            return _COMPOSED[word](stream)
    raise stream.wrong(f"expected a type{where}")


def _integer_type(stream: TokenStream) -> BasicType:
    place = stream.place
    if stream.skip("unsigned"):
        if stream.skip("short"):
            return BasicType(Kind.USHORT, place)
        stream.expect("long", " or 'short' behind 'unsigned'")
        return BasicType(Kind.ULONGLONG if stream.skip("long") else Kind.ULONG, place)
    stream.expect("long")
    if stream.skip("long"):
        return BasicType(Kind.LONGLONG, place)
    return BasicType(Kind.LONGDOUBLE if stream.skip("double") else Kind.LONG, place)


def _bound(stream: TokenStream) -> Expression | None:
    if not stream.skip("<"):
        return None
    bound = _binary(stream, _SUM)  # a shift would swallow the closing sign
    stream.close_angle()
    return bound


_SUM: Final = _LEVELS.index(("+", "-"))


def _sequence(stream: TokenStream) -> SequenceType:
    place = stream.take().place
    stream.expect("<", " behind 'sequence'")
    element = simple_type(stream, " of the elements")
    bound = _binary(stream, _SUM) if stream.skip(",") else None
    stream.close_angle()
    return SequenceType(element, bound, place)


def _fixed(stream: TokenStream) -> FixedType:
    place = stream.take().place
    if not stream.skip("<"):
        return FixedType(place=place)
    digits = _binary(stream, _SUM)
    stream.expect(",", " between digits and scale")
    scale = _binary(stream, _SUM)
    stream.close_angle()
    return FixedType(digits, scale, place)


def _struct(stream: TokenStream) -> Struct:
    place = stream.take().place
    name = stream.name("the struct's name")
    return Struct(name, members(stream), place)


def members(stream: TokenStream) -> tuple[Member, ...]:
    """The members of a struct or exception, braces and all."""
    stream.expect("{")
    found: list[Member] = []
    while not stream.skip("}"):
        place = stream.place
        type_ = type_spec(stream, " of a member, or '}'")
        names = [array_declarator(stream)]
        while stream.skip(","):
            names.append(array_declarator(stream))
        stream.expect(";", " behind the member")
        found.append(Member(type_, tuple(names), place))
    return tuple(found)


def declarator(stream: TokenStream, what: str = "a name") -> Declarator:
    """A name, with its place."""
    place = stream.place
    return Declarator(stream.name(what), (), place)


def array_declarator(stream: TokenStream, what: str = "a member's name") -> Declarator:
    """A name, perhaps with the dimensions of an array."""
    place = stream.place
    name = stream.name(what)
    dimensions: list[Expression] = []
    while stream.skip("["):
        dimensions.append(expression(stream))
        stream.expect("]")
        if len(dimensions) > stream.limits.depth:
            raise stream.wrong("an array has too many dimensions")
    return Declarator(name, tuple(dimensions), place)


def _union(stream: TokenStream) -> Union:
    place = stream.take().place
    name = stream.name("the union's name")
    stream.expect("switch", " and the type that selects the branch")
    stream.expect("(")
    switch = type_spec(stream, " that selects the branch")
    stream.expect(")")
    stream.expect("{")
    cases: list[Case] = []
    while not stream.skip("}"):
        cases.append(_case(stream))
    return Union(name, switch, tuple(cases), place)


def _case(stream: TokenStream) -> Case:
    place = stream.place
    labels: list[Expression | None] = []
    while stream.sees("case", "default"):
        default = stream.take().value == "default"
        labels.append(None if default else expression(stream))
        stream.expect(":", " behind the label")
    if not labels:
        raise stream.wrong("expected 'case', 'default' or '}'")
    type_ = type_spec(stream, " of the branch")
    named = array_declarator(stream, "the branch's name")
    stream.expect(";", " behind the branch")
    return Case(tuple(labels), type_, named, place)


def _enum(stream: TokenStream) -> Enum:
    place = stream.take().place
    name = stream.name("the enum's name")
    stream.expect("{")
    labels: list[Enumerator] = []
    while True:
        at = stream.place
        labels.append(Enumerator(stream.name("a label"), at))
        if not stream.skip(","):
            break
        if stream.sees("}"):  # a comma behind the last one is often seen, and harmless
            break
    stream.expect("}", " or ','")
    return Enum(name, tuple(labels), place)


_COMPOSED: Final[dict[str, Callable[[TokenStream], TypeSpec]]] = {
    "sequence": _sequence,
    "fixed": _fixed,
    "struct": _struct,
    "union": _union,
    "enum": _enum,
}
