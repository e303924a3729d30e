"""The kinds of types, and what follows from a kind alone."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeAlias

Label: TypeAlias = int | bool | str
"""A case label of a union: a number, a boolean, a character or an enum label."""


class Kind(IntEnum):
    """The kinds of CORBA types, numbered as on the wire."""

    NULL = 0
    VOID = 1
    SHORT = 2
    LONG = 3
    USHORT = 4
    ULONG = 5
    FLOAT = 6
    DOUBLE = 7
    BOOLEAN = 8
    CHAR = 9
    OCTET = 10
    ANY = 11
    TYPECODE = 12
    OBJREF = 14
    STRUCT = 15
    UNION = 16
    ENUM = 17
    STRING = 18
    SEQUENCE = 19
    ARRAY = 20
    ALIAS = 21
    EXCEPT = 22
    LONGLONG = 23
    ULONGLONG = 24
    LONGDOUBLE = 25
    WCHAR = 26
    WSTRING = 27
    FIXED = 28
    RECURSIVE = 0xFFFFFFFF


INTEGER_RANGES: Final = {
    Kind.SHORT: (-(2**15), 2**15 - 1),
    Kind.LONG: (-(2**31), 2**31 - 1),
    Kind.USHORT: (0, 2**16 - 1),
    Kind.ULONG: (0, 2**32 - 1),
    Kind.OCTET: (0, 2**8 - 1),
    Kind.LONGLONG: (-(2**63), 2**63 - 1),
    Kind.ULONGLONG: (0, 2**64 - 1),
}

# The IDL words of the kinds that need no more than a word.
KEYWORDS: Final = {
    Kind.NULL: "null",
    Kind.VOID: "void",
    Kind.SHORT: "short",
    Kind.LONG: "long",
    Kind.USHORT: "unsigned short",
    Kind.ULONG: "unsigned long",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.BOOLEAN: "boolean",
    Kind.CHAR: "char",
    Kind.OCTET: "octet",
    Kind.ANY: "any",
    Kind.TYPECODE: "TypeCode",
    Kind.LONGLONG: "long long",
    Kind.ULONGLONG: "unsigned long long",
    Kind.LONGDOUBLE: "long double",
    Kind.WCHAR: "wchar",
}

# What a type without a name of its own is called.
UNNAMED: Final = {
    Kind.STRING: "string",
    Kind.WSTRING: "wstring",
    Kind.SEQUENCE: "sequence",
    Kind.ARRAY: "array",
    Kind.STRUCT: "struct",
    Kind.UNION: "union",
    Kind.ENUM: "enum",
    Kind.EXCEPT: "exception",
    Kind.OBJREF: "Object",
    Kind.FIXED: "fixed",
    Kind.ALIAS: "typedef",
    Kind.RECURSIVE: "recursive",
    **KEYWORDS,
}

# What can select a branch of a union.
DISCRIMINATORS: Final = {*INTEGER_RANGES, Kind.BOOLEAN, Kind.CHAR, Kind.WCHAR, Kind.ENUM} - {
    Kind.OCTET
}
