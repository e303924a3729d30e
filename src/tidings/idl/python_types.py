"""The Python types of IDL types, as annotations."""

from __future__ import annotations

from typing import Final

from tidings.events.typecode import INTEGER_RANGES, Kind
from tidings.idl.model import (
    AliasDef,
    ArrayOf,
    Basic,
    FixedOf,
    InterfaceDef,
    SequenceOf,
    StructDef,
    TextOf,
    Type,
    UnionDef,
    unaliased,
)
from tidings.idl.names import Names

__all__ = ["annotation", "contains_itself", "is_plain"]

_BASIC: Final = {
    **dict.fromkeys(INTEGER_RANGES, "int"),
    Kind.FLOAT: "float",
    Kind.DOUBLE: "float",
    Kind.LONGDOUBLE: "bytes",
    Kind.BOOLEAN: "bool",
    Kind.CHAR: "str",
    Kind.WCHAR: "str",
    Kind.ANY: "_Value",
    Kind.TYPECODE: "_tc.TypeCode",
    Kind.OBJREF: "_Reference",
}


def annotation(type_: Type, names: Names) -> str:
    """The annotation of a place of a type."""
    if isinstance(type_, Basic):
        return _BASIC[type_.kind]
    if isinstance(type_, TextOf):
        return "str"
    if isinstance(type_, FixedOf):
        return "_Decimal"
    if isinstance(type_, SequenceOf | ArrayOf):
        if unaliased(type_.element) == Basic(Kind.OCTET):
            return "bytes"
        return f"_Sequence[{annotation(type_.element, names)}]"
    if isinstance(type_, InterfaceDef):
        return "_Reference"
    if isinstance(type_, UnionDef):
        return "_UnionValue"
    return names.of(type_)


def is_plain(type_: Type) -> bool:
    """Whether values are read and written by one call of the reader or writer."""
    found = unaliased(type_)
    if isinstance(found, SequenceOf):
        return not found.bound and unaliased(found.element) == Basic(Kind.OCTET)
    if isinstance(found, TextOf):
        return not found.bound
    return isinstance(found, Basic | FixedOf | InterfaceDef)


def contains_itself(type_: StructDef | UnionDef) -> bool:
    """Whether a struct or union stands somewhere inside itself."""
    seen: set[object] = set()
    waiting: list[Type] = _parts(type_)
    while waiting:
        one = waiting.pop()
        if one is type_:
            return True
        if isinstance(one, StructDef | UnionDef | AliasDef):
            if one in seen:
                continue
            seen.add(one)
        waiting += _parts(one)
    return False


def _parts(type_: Type) -> list[Type]:
    if isinstance(type_, StructDef):
        return [member.type for member in type_.members]
    if isinstance(type_, UnionDef):
        return [branch.type for branch in type_.branches]
    if isinstance(type_, AliasDef):
        return [type_.type]
    if isinstance(type_, SequenceOf | ArrayOf):
        return [type_.element]
    return []
