"""Tree to text: IDL as it is written in a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tidings.events.typecode import KEYWORDS, Kind
from tidings.idl import tree as t
from tidings.idl.scan import LOWER_WORDS

_INDENT: Final = "  "
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\t": "\\t"}

LATER_WORDS: Final = frozenset(
    {
        *("component", "consumes", "emits", "eventtype", "factory", "finder", "getraises"),
        *("home", "import", "multiple", "primarykey", "provides", "publishes", "setraises"),
        *("supports", "typeid", "typeprefix", "uses"),
    }
)
"""Words that version 3 reserved for components. There are none here, so they may be names."""


def escaped(name: str) -> str:
    """A name as written in a file, so that every compiler reads it as a name."""
    lower = name.lower()
    return f"_{name}" if lower in LOWER_WORDS or lower in LATER_WORDS else name


def printed(specification: t.Specification) -> str:
    """The whole file; included files appear as directives only."""
    return "".join(f"{line}\n" for line in _body(specification.body, ""))


def _body(definitions: Iterable[t.Definition], indent: str) -> Iterable[str]:
    for definition in definitions:
        yield from _definition(definition, indent)


def _definition(node: t.Definition, indent: str) -> Iterable[str]:
    if isinstance(node, t.Module):
        yield from _braced(f"module {escaped(node.name)}", _body(node.body, _INDENT), indent)
    elif isinstance(node, t.Interface):
        bases = f" : {', '.join(map(_scoped, node.bases))}" if node.bases else ""
        head = f"interface {escaped(node.name)}{bases}"
        yield from _braced(head, _body(node.body, _INDENT), indent)
    elif isinstance(node, t.Include):
        yield f"#include {node.file}"
    elif isinstance(node, t.Pragma):
        yield _pragma(node)
    else:
        yield from (f"{indent}{line}" for line in f"{_line(node)};".split("\n"))


def _braced(head: str, body: Iterable[str], indent: str) -> Iterable[str]:
    yield f"{indent}{head} {{"
    # A directive begins its line wherever it stands.
    yield from (line if line.startswith("#") else f"{indent}{line}" for line in body)
    yield f"{indent}}};"


def _pragma(node: t.Pragma) -> str:
    name = "" if node.name is None else f" {_scoped(node.name)}"
    said = node.text if node.kind == "version" else f'"{node.text}"'
    return f"#pragma {node.kind}{name} {said}"


def _line(node: t.Definition) -> str:
    """A definition without its final semicolon."""
    if isinstance(node, t.Forward):
        return f"{node.kind} {escaped(node.name)}"
    if isinstance(node, t.Struct | t.Union | t.Enum):
        return _type(node)
    if isinstance(node, t.Exception_):
        return f"exception {escaped(node.name)} {_members(node.members)}"
    if isinstance(node, t.Typedef):
        return f"typedef {_type(node.type)} {_declarators(node.declarators)}"
    if isinstance(node, t.Const):
        value = printed_expression(node.value)
        return f"const {_type(node.type)} {escaped(node.name)} = {value}"
    if isinstance(node, t.Attribute):
        lead = "readonly attribute" if node.readonly else "attribute"
        return f"{lead} {_type(node.type)} {_declarators(node.names)}"
    assert isinstance(node, t.Operation)
    return _operation(node)


def _operation(node: t.Operation) -> str:
    result = "void" if node.result is None else _type(node.result)
    parameters = ", ".join(
        f"{one.direction} {_type(one.type)} {escaped(one.name)}" for one in node.parameters
    )
    raises = f" raises ({', '.join(map(_scoped, node.raises))})" if node.raises else ""
    lead = "oneway " if node.oneway else ""
    return f"{lead}{result} {escaped(node.name)}({parameters}){raises}"


def _declarators(nodes: Iterable[t.Declarator]) -> str:
    return ", ".join(map(_declarator, nodes))


def _declarator(node: t.Declarator) -> str:
    return escaped(node.name) + "".join(f"[{printed_expression(d)}]" for d in node.dimensions)


def _scoped(name: t.ScopedName) -> str:
    return ("::" if name.absolute else "") + "::".join(map(escaped, name.parts))


def _type(node: t.TypeSpec) -> str:
    if isinstance(node, t.ScopedName):
        return _scoped(node)
    if isinstance(node, t.BasicType):
        return "Object" if node.kind is Kind.OBJREF else KEYWORDS[node.kind]
    if isinstance(node, t.StringType):
        bound = "" if node.bound is None else f"<{_operand(node.bound)}>"
        return f"{'wstring' if node.wide else 'string'}{bound}"
    if isinstance(node, t.SequenceType):
        bound = "" if node.bound is None else f", {_operand(node.bound)}"
        return f"sequence<{_type(node.element)}{bound}>"
    if isinstance(node, t.FixedType):
        if node.digits is None or node.scale is None:
            return "fixed"
        return f"fixed<{_operand(node.digits)}, {_operand(node.scale)}>"
    if isinstance(node, t.Struct):
        return f"struct {escaped(node.name)} {_members(node.members)}"
    if isinstance(node, t.Union):
        cases = [_case(case) for case in node.cases]
        return f"union {escaped(node.name)} switch ({_type(node.switch)}) {_block(cases)}"
    return f"enum {escaped(node.name)} {{{', '.join(escaped(one.name) for one in node.labels)}}}"


def _members(nodes: Iterable[t.Member]) -> str:
    return _block([f"{_type(node.type)} {_declarators(node.declarators)};" for node in nodes])


def _case(node: t.Case) -> str:
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


def printed_expression(node: t.Expression) -> str:
    """An expression; each nested operation is in parentheses."""
    if isinstance(node, t.Named):
        return _scoped(node.name)
    if isinstance(node, t.Literal):
        return _literal(node)
    if isinstance(node, t.Unary):
        return f"{node.operator}{_operand(node.operand)}"
    return f"{_operand(node.left)} {node.operator} {_operand(node.right)}"


def _operand(node: t.Expression) -> str:
    text = printed_expression(node)
    return f"({text})" if isinstance(node, t.Unary | t.Binary) else text


def _literal(node: t.Literal) -> str:
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
