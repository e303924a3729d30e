"""IDL text to tree, by recursive descent."""

from __future__ import annotations

import re
from typing import Final

from tidings.idl.faults import InvalidIdl, Place, Source
from tidings.idl.limits import DEFAULT_LIMITS, Limits
from tidings.idl.parse_types import (
    array_declarator,
    declarator,
    expression,
    members,
    simple_type,
    type_spec,
)
from tidings.idl.preprocess import Preprocessor
from tidings.idl.sources import Files, Texts
from tidings.idl.token_stream import TokenStream
from tidings.idl.tree import (
    Attribute,
    Const,
    Declarator,
    Definition,
    Enum,
    Exception_,
    Forward,
    Include,
    Interface,
    Module,
    Operation,
    Parameter,
    Pragma,
    ScopedName,
    Specification,
    Struct,
    Typedef,
    TypeSpec,
    Union,
)

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


def parse(source: Source, files: Files, limits: Limits = DEFAULT_LIMITS) -> Specification:
    """The tree of a file and all it includes.

    Raises:
        InvalidIdl: With file, line, column, caret and, where there is one, a hint.
    """
    stream = TokenStream(Preprocessor(files, limits).tokens(source), limits)
    body: list[Definition] = []
    while stream.next.kind != "end":
        body.append(_definition(stream))
    return Specification(tuple(body))


def parse_text(text: str, name: str = "text.idl", limits: Limits = DEFAULT_LIMITS) -> Specification:
    """The tree of a text that includes nothing.

    Raises:
        InvalidIdl: As `parse` does.
    """
    return parse(Source(name, text), Texts(), limits)


def _definition(stream: TokenStream) -> Definition:
    token = stream.next
    if token.kind == "pragma":
        return _pragma(stream)
    if token.kind == "include":
        return _include(stream)
    if stream.sees("module"):
        return _ended(stream, _module(stream))
    if stream.sees("interface"):
        return _ended(stream, _interface(stream))
    return _declaration(stream, "expected a definition")


def _declaration(stream: TokenStream, expected: str) -> Definition:
    """What may stand in modules and interfaces alike."""
    if stream.sees("struct", "union"):
        return _ended(stream, _struct_or_union(stream))
    if stream.sees("enum"):
        made = type_spec(stream)
        assert isinstance(made, Enum)
        return _ended(stream, made)
    if stream.sees("exception"):
        place = stream.take().place
        name = stream.name("the exception's name")
        return _ended(stream, Exception_(name, members(stream), place))
    if stream.sees("typedef"):
        return _ended(stream, _typedef(stream))
    if stream.sees("const"):
        return _ended(stream, _const(stream))
    raise stream.wrong(expected, "such as module, interface, struct, enum, typedef or const")


def _ended(stream: TokenStream, made: Definition) -> Definition:
    stream.expect(";", " behind the definition")
    return made


def _include(stream: TokenStream) -> Include:
    token = stream.take()
    stream.enter()
    body: list[Definition] = []
    while stream.next.kind != "included":
        body.append(_definition(stream))
    stream.take()
    stream.leave()
    return Include(str(token.value), tuple(body), token.place)


def _pragma(stream: TokenStream) -> Pragma:
    token = stream.take()
    text = str(token.value)
    kind = text.split(maxsplit=1)[0]
    found = _PRAGMA.match(text)
    if (
        found is None
        or (kind == "prefix") != (found["name"] is None)
        or ((kind == "version") != (found["version"] is not None))
    ):
        raise InvalidIdl(f"this is no #pragma {kind}", token.place, f"write {_PRAGMA_FORMS[kind]}")
    said = found["version"] if found["quoted"] is None else found["quoted"]
    if "\\" in said or not all("!" <= c <= "~" for c in said):
        raise InvalidIdl("a repository id has no blanks and no backslashes", token.place)
    named = found["name"]
    name = None if named is None else _written_name(named, token.place)
    return Pragma(kind, name, said, token.place)


def _written_name(text: str, place: Place) -> ScopedName:
    parts = text.removeprefix("::").split("::")
    plain = tuple(part.removeprefix("_") for part in parts)
    return ScopedName(plain, text.startswith("::"), place)


def _module(stream: TokenStream) -> Module:
    place = stream.take().place
    name = stream.name("the module's name")
    stream.expect("{")
    stream.enter()
    body: list[Definition] = []
    while not stream.skip("}"):
        if stream.next.kind == "end":
            raise stream.wrong(f"expected '}}' at the end of module {name}")
        body.append(_definition(stream))
    stream.leave()
    return Module(name, tuple(body), place)


def _struct_or_union(stream: TokenStream) -> Definition:
    place, kind = stream.place, str(stream.next.value)
    made = _forward_or(stream)
    if isinstance(made, str):
        return Forward(kind, made, place)
    assert isinstance(made, Struct | Union)
    return made


def _forward_or(stream: TokenStream) -> TypeSpec | str:
    """A struct or union, or the name of one that is only announced."""
    word = stream.take()
    name = stream.next
    if name.kind == "name":
        stream.take()
        if stream.sees(";"):
            return str(name.value)
        stream.put_back(name)
    stream.put_back(word)
    return type_spec(stream)


def _interface(stream: TokenStream) -> Definition:
    place = stream.take().place
    name = stream.name("the interface's name")
    if stream.sees(";"):
        return Forward("interface", name, place)
    bases: list[ScopedName] = []
    if stream.skip(":"):
        bases.append(stream.scoped_name("a base interface"))
        while stream.skip(","):
            bases.append(stream.scoped_name("a base interface"))
    stream.expect("{")
    stream.enter()
    body: list[Definition] = []
    while not stream.skip("}"):
        body.append(_export(stream))
    stream.leave()
    return Interface(name, tuple(bases), tuple(body), place)


def _export(stream: TokenStream) -> Definition:
    """What may stand in an interface."""
    if stream.next.kind == "pragma":
        return _pragma(stream)
    if stream.sees("struct", "union", "enum", "exception", "typedef", "const"):
        return _declaration(stream, "")
    if stream.sees("readonly", "attribute"):
        return _ended(stream, _attribute(stream))
    if stream.sees("module", "interface"):
        raise stream.wrong("expected an operation, attribute or type, or '}' before the next one")
    return _ended(stream, _operation(stream))


def _attribute(stream: TokenStream) -> Attribute:
    place = stream.place
    readonly = stream.skip("readonly")
    stream.expect("attribute")
    type_ = simple_type(stream, " of the attribute")
    names: list[Declarator] = [declarator(stream, "the attribute's name")]
    while stream.skip(","):
        names.append(declarator(stream, "the attribute's name"))
    if stream.sees("raises"):
        raise stream.wrong("attributes that raise exceptions are not supported")
    return Attribute(type_, tuple(names), readonly, place)


def _operation(stream: TokenStream) -> Operation:
    place = stream.place
    oneway = stream.skip("oneway")
    result = None if stream.skip("void") else simple_type(stream, " of the result, or '}'")
    place = place if oneway else stream.place
    name = stream.name("the operation's name")
    stream.expect("(", " and the parameters")
    parameters: list[Parameter] = []
    if not stream.skip(")"):
        parameters.append(_parameter(stream))
        while stream.skip(","):
            parameters.append(_parameter(stream))
        stream.expect(")", " or ','")
    raises: list[ScopedName] = []
    if stream.skip("raises"):
        stream.expect("(")
        raises.append(stream.scoped_name("an exception"))
        while stream.skip(","):
            raises.append(stream.scoped_name("an exception"))
        stream.expect(")", " or ','")
    if stream.sees("context"):
        raise stream.wrong("expected ';'")
    return Operation(name, result, tuple(parameters), tuple(raises), oneway, place)


def _parameter(stream: TokenStream) -> Parameter:
    place = stream.place
    if not stream.sees("in", "out", "inout"):
        raise stream.wrong("expected 'in', 'out' or 'inout' before the parameter")
    direction = str(stream.take().value)
    type_ = simple_type(stream, " of the parameter")
    return Parameter(direction, type_, stream.name("the parameter's name"), place)


def _typedef(stream: TokenStream) -> Typedef:
    place = stream.take().place
    type_ = type_spec(stream, " to give a name to")
    names = [array_declarator(stream, "the new type's name")]
    while stream.skip(","):
        names.append(array_declarator(stream, "the new type's name"))
    return Typedef(type_, tuple(names), place)


def _const(stream: TokenStream) -> Const:
    stream.take()
    type_ = simple_type(stream, " of the constant")
    place = stream.place
    name = stream.name("the constant's name")
    stream.expect("=")
    return Const(type_, name, expression(stream), place)
