"""A tree as IDL text, which parses to the same tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tidings.events.typecode import KEYWORDS, Kind
from tidings.idl.tree import (
    Attribute,
    BasicType,
    Binary,
    Case,
    Const,
    Declarator,
    Definition,
    Enum,
    Exception_,
    Expression,
    FixedType,
    Forward,
    Include,
    Interface,
    Literal,
    Member,
    Module,
    Named,
    Operation,
    Pragma,
    ScopedName,
    SequenceType,
    Specification,
    StringType,
    Struct,
    Typedef,
    TypeSpec,
    Unary,
    Union,
)
from tidings.idl.words import escaped

_INDENT: Final = "  "
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\t": "\\t"}


def printed(specification: Specification) -> str:
    """The whole file; included files appear as directives only."""
    return "".join(f"{line}\n" for line in _body(specification.body, ""))


def _body(definitions: Iterable[Definition], indent: str) -> Iterable[str]:
    for definition in definitions:
        yield from _definition(definition, indent)


def _definition(node: Definition, indent: str) -> Iterable[str]:
    if isinstance(node, Module):
        yield from _braced(f"module {escaped(node.name)}", _body(node.body, _INDENT), indent)
    elif isinstance(node, Interface):
        bases = f" : {', '.join(map(_scoped, node.bases))}" if node.bases else ""
        head = f"interface {escaped(node.name)}{bases}"
        yield from _braced(head, _body(node.body, _INDENT), indent)
    elif isinstance(node, Include):
        yield f"#include {node.file}"
    elif isinstance(node, Pragma):
        yield _pragma(node)
    else:
        yield from (f"{indent}{line}" for line in f"{_line(node)};".split("\n"))


def _braced(head: str, body: Iterable[str], indent: str) -> Iterable[str]:
    yield f"{indent}{head} {{"
    # A directive begins its line wherever it stands.
    yield from (line if line.startswith("#") else f"{indent}{line}" for line in body)
    yield f"{indent}}};"


def _pragma(node: Pragma) -> str:
    name = "" if node.name is None else f" {_scoped(node.name)}"
    said = node.text if node.kind == "version" else f'"{node.text}"'
    return f"#pragma {node.kind}{name} {said}"


def _line(node: Definition) -> str:
    """A definition without its final semicolon."""
    if isinstance(node, Forward):
        return f"{node.kind} {escaped(node.name)}"
    if isinstance(node, Struct | Union | Enum):
        return _type(node)
    if isinstance(node, Exception_):
        return f"exception {escaped(node.name)} {_members(node.members)}"
    if isinstance(node, Typedef):
        return f"typedef {_type(node.type)} {_declarators(node.declarators)}"
    if isinstance(node, Const):
        value = printed_expression(node.value)
        return f"const {_type(node.type)} {escaped(node.name)} = {value}"
    if isinstance(node, Attribute):
        lead = "readonly attribute" if node.readonly else "attribute"
        return f"{lead} {_type(node.type)} {_declarators(node.names)}"
    assert isinstance(node, Operation)
    return _operation(node)


def _operation(node: Operation) -> str:
    result = "void" if node.result is None else _type(node.result)
    parameters = ", ".join(
        f"{one.direction} {_type(one.type)} {escaped(one.name)}" for one in node.parameters
    )
    raises = f" raises ({', '.join(map(_scoped, node.raises))})" if node.raises else ""
    lead = "oneway " if node.oneway else ""
    return f"{lead}{result} {escaped(node.name)}({parameters}){raises}"


def _declarators(nodes: Iterable[Declarator]) -> str:
    return ", ".join(map(_declarator, nodes))


def _declarator(node: Declarator) -> str:
    return escaped(node.name) + "".join(f"[{printed_expression(d)}]" for d in node.dimensions)


def _scoped(name: ScopedName) -> str:
    return ("::" if name.absolute else "") + "::".join(map(escaped, name.parts))


def _type(node: TypeSpec) -> str:
    if isinstance(node, ScopedName):
        return _scoped(node)
    if isinstance(node, BasicType):
        return "Object" if node.kind is Kind.OBJREF else KEYWORDS[node.kind]
    if isinstance(node, StringType):
        bound = "" if node.bound is None else f"<{_operand(node.bound)}>"
        return f"{'wstring' if node.wide else 'string'}{bound}"
    if isinstance(node, SequenceType):
        bound = "" if node.bound is None else f", {_operand(node.bound)}"
        return f"sequence<{_type(node.element)}{bound}>"
    if isinstance(node, FixedType):
        if node.digits is None or node.scale is None:
            return "fixed"
        return f"fixed<{_operand(node.digits)}, {_operand(node.scale)}>"
    if isinstance(node, Struct):
        return f"struct {escaped(node.name)} {_members(node.members)}"
    if isinstance(node, Union):
        cases = [_case(case) for case in node.cases]
        return f"union {escaped(node.name)} switch ({_type(node.switch)}) {_block(cases)}"
    return f"enum {escaped(node.name)} {{{', '.join(escaped(one.name) for one in node.labels)}}}"


def _members(nodes: Iterable[Member]) -> str:
    return _block([f"{_type(node.type)} {_declarators(node.declarators)};" for node in nodes])


def _case(node: Case) -> str:
    labels = [
        "default:" if label is None else f"case {printed_expression(label)}:"
        for label in node.labels
    ]
    return f"{' '.join(labels)} {_type(node.type)} {_declarator(node.declarator)};"


def _block(lines: list[str]) -> str:
    if not lines:
        return "{}"
    inner = "\n".join(f"{_INDENT}{line}" for whole in lines for line in whole.split("\n"))
    return f"{{\n{inner}\n}}"


def printed_expression(node: Expression) -> str:
    """An expression; each nested operation is in parentheses."""
    if isinstance(node, Named):
        return _scoped(node.name)
    if isinstance(node, Literal):
        return _literal(node)
    if isinstance(node, Unary):
        return f"{node.operator}{_operand(node.operand)}"
    return f"{_operand(node.left)} {node.operator} {_operand(node.right)}"


def _operand(node: Expression) -> str:
    text = printed_expression(node)
    return f"({text})" if isinstance(node, Unary | Binary) else text


def _literal(node: Literal) -> str:
    if node.kind == "boolean":
        return "TRUE" if node.value else "FALSE"
    if node.kind == "fixed":
        return f"{node.value:f}d"
    if node.kind == "real":
        text = repr(node.value)
        return text if "." in text or "e" in text else f"{text}.0"
    if node.kind == "integer":
        return str(node.value)
    lead = "L" if node.kind.startswith("w") else ""
    quote = '"' if node.kind.endswith("string") else "'"
    return f"{lead}{quote}{''.join(map(_character, str(node.value)))}{quote}"


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    # Three digits always, so that a digit behind it is not taken for one of them.
    return character if character >= " " and character != "\x7f" else f"\\{ord(character):03o}"
