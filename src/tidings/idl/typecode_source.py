"""TypeCodes as Python expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tidings.events.typecode import KEYWORDS, Kind, TypeCode
from tidings.idl.source_lines import INDENT, filled

# What stands before a list is about as long again: a name and a repository id.
_SHORT: Final = 60
_CONSTANTS: Final = {kind: f"_tc.{kind.name}" for kind in KEYWORDS}


def _source(code: TypeCode, names: Mapping[TypeCode, str]) -> str:
    return names.get(code) or typecode_source(code, names)


def typecode_source(code: TypeCode, names: Mapping[TypeCode, str]) -> str:
    """An expression that makes the TypeCode.

    Args:
        code: The TypeCode.
        names: What TypeCodes inside it are called; its own name is not looked up.
    """
    kind = code.kind
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    named = f"{_text(code.id)}, {_text(code.name)}"
    if kind in (Kind.STRING, Kind.WSTRING):
        return f"_tc.{kind.name.lower()}({code.bound})" if code.bound else f"_tc.{kind.name}"
    if kind is Kind.FIXED:
        return f"_tc.fixed({code.digits}, {code.scale})"
    if kind is Kind.OBJREF:
        return f"_tc.objref({named})"
    if kind is Kind.RECURSIVE:
        return f"_tc.recursive({_text(code.id)})"
    if kind is Kind.ENUM:
        return f"_tc.enum({named}, {_listed(map(_text, code.labels))})"
    if kind in (Kind.SEQUENCE, Kind.ARRAY):
        size = f", {code.bound}" if code.bound else ""
        return f"_tc.{kind.name.lower()}({_source(code.element_type, names)}{size})"
    if kind is Kind.ALIAS:
        return f"_tc.alias({named}, {_source(code.element_type, names)})"
    if kind is Kind.UNION:
        assert code.discriminator is not None
        switch = _source(code.discriminator, names)
        branches = [
            f"({one.label!r}, {_text(one.name)}, {_source(one.type, names)})"
            for one in code.members
        ]
        return f"_tc.union({named}, {switch}, {_listed(branches)})"
    function = "struct" if kind is Kind.STRUCT else "exception"
    members = [f"({_text(one.name)}, {_source(one.type, names)})" for one in code.members]
    return f"_tc.{function}({named}, {_listed(members)})"


def _listed(parts: Iterable[str]) -> str:
    text = filled(parts)
    return f"[{text}]" if len(text) <= _SHORT else f"[\n{INDENT}{text}]"


def _text(text: str) -> str:
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else repr(text)
