"""The Python types of IDL types, as annotations."""

from __future__ import annotations

from typing import Final

from tidings.events.typecode import INTEGER_RANGES, Kind
from tidings.idl.model import (
    ArrayOf,
    Basic,
    FixedOf,
    InterfaceDef,
    SequenceOf,
    TextOf,
    Type,
    UnionDef,
    unaliased,
)
from tidings.idl.names import Names

_BASIC: Final = {
    **dict.fromkeys(INTEGER_RANGES, "int"),
    Kind.FLOAT: "float",
    Kind.DOUBLE: "float",
    Kind.LONGDOUBLE: "bytes",
    Kind.BOOLEAN: "bool",
    Kind.CHAR: "str",
    Kind.WCHAR: "str",
    Kind.ANY: "_g.Value",
    Kind.TYPECODE: "_g.TypeCode",
    Kind.OBJREF: "_g.Reference",
}


def annotation(type_: Type, names: Names) -> str:
    """The annotation of a place of a type."""
    if isinstance(type_, Basic):
        return _BASIC[type_.kind]
    if isinstance(type_, TextOf):
        return "str"
    if isinstance(type_, FixedOf):
        return "_g.Decimal"
    if isinstance(type_, SequenceOf | ArrayOf):
        if unaliased(type_.element) == Basic(Kind.OCTET):
            return "bytes"
        return f"_g.Sequence[{annotation(type_.element, names)}]"
    if isinstance(type_, InterfaceDef):
        return "_g.Reference"
    if isinstance(type_, UnionDef):
        return "_g.UnionValue"
    return names.of(type_)
