"""The straight code that writes and reads values."""

from __future__ import annotations

from typing import Final

from tidings.events.typecode import KEYWORDS, Kind
from tidings.idl.model import (
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
from tidings.idl.python_types import is_plain

__all__ = ["INDENT", "least_octets", "read_expression", "write_lines"]

INDENT: Final = "    "

_METHODS: Final = {
    Kind.SHORT: "short",
    Kind.LONG: "long",
    Kind.USHORT: "ushort",
    Kind.ULONG: "ulong",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.BOOLEAN: "boolean",
    Kind.CHAR: "char",
    Kind.OCTET: "octet",
    Kind.ANY: "any",
    Kind.TYPECODE: "typecode",
    Kind.OBJREF: "reference",
    Kind.LONGLONG: "longlong",
    Kind.ULONGLONG: "ulonglong",
    Kind.LONGDOUBLE: "longdouble",
    Kind.WCHAR: "wchar",
}

# Numbers that are read and written in one step when they stand in a row.
_RUNS: Final = {
    Kind.SHORT: ("h", 2),
    Kind.USHORT: ("H", 2),
    Kind.LONG: ("i", 4),
    Kind.ULONG: ("I", 4),
    Kind.FLOAT: ("f", 4),
    Kind.LONGLONG: ("q", 8),
    Kind.ULONGLONG: ("Q", 8),
    Kind.DOUBLE: ("d", 8),
}
_SIZES: Final = {
    **dict.fromkeys((Kind.BOOLEAN, Kind.CHAR, Kind.OCTET, Kind.WCHAR), 1),
    **{kind: size for kind, (_, size) in _RUNS.items()},
    Kind.LONGDOUBLE: 16,
    Kind.OBJREF: 8,
    Kind.ANY: 4,
    Kind.TYPECODE: 4,
}


def least_octets(type_: Type, known: dict[StructDef, int] | None = None) -> int:
    """The fewest octets a value takes on the wire, padding aside.

    Args:
        type_: The type.
        known: What was found for structs before.
    """
    found = unaliased(type_)
    known = {} if known is None else known
    if isinstance(found, Basic):
        return _SIZES[found.kind]
    if isinstance(found, FixedOf):
        return (found.digits + 2) // 2
    if isinstance(found, InterfaceDef):
        return _SIZES[Kind.OBJREF]
    if isinstance(found, ArrayOf):
        return found.length * least_octets(found.element, known)
    if isinstance(found, StructDef):
        if found not in known:
            known[found] = sum(least_octets(member.type, known) for member in found.members)
        return known[found]
    if isinstance(found, UnionDef):
        return least_octets(found.switch)
    return 4  # an enum, or the count of a text or sequence


def read_expression(type_: Type, names: Names) -> str:
    """An expression that reads a value from the reader `r`."""
    if is_plain(type_):
        return f"r.{_method(type_)}"
    if isinstance(type_, TextOf):
        read = "r.wstring()" if type_.wide else "r.string()"
        return f"_g.read_at_most(r, {read}, {type_.bound}, {_described(type_, names)})"
    if isinstance(type_, SequenceOf):
        return _read_sequence(type_, names)
    if isinstance(type_, ArrayOf):
        return _read_array(type_, names)
    assert not isinstance(type_, Basic | FixedOf)
    return f"{names.of(type_, 'read_')}(r)"


def _method(type_: Type) -> str:
    found = unaliased(type_)
    if isinstance(found, FixedOf):
        return f"fixed({found.digits}, {found.scale})"
    return f"{_simple_method(found)}()"


def _simple_method(found: Type) -> str:
    if isinstance(found, Basic):
        return _METHODS[found.kind]
    if isinstance(found, TextOf):
        return "wstring" if found.wide else "string"
    return "octets" if isinstance(found, SequenceOf) else "reference"


def _run(type_: SequenceOf | ArrayOf) -> tuple[str, int, str] | None:
    """How `struct` calls the elements, their size, and how people call them."""
    element = unaliased(type_.element)
    if not isinstance(element, Basic) or element.kind not in _RUNS:
        return None
    return *_RUNS[element.kind], KEYWORDS[element.kind]


def _read_sequence(type_: SequenceOf, names: Names) -> str:
    what = _described(type_, names)
    if unaliased(type_.element) == Basic(Kind.OCTET):
        return f"_g.read_at_most(r, r.octets(), {type_.bound}, {what})"
    least = least_octets(type_.element)
    count = f"r.length({least})"
    if type_.bound:
        count = f"_g.read_count(r, {least}, {type_.bound}, {what})"
    return _read_elements(type_, count, names)


def _read_array(type_: ArrayOf, names: Names) -> str:
    if unaliased(type_.element) == Basic(Kind.OCTET):
        return f"r.take({type_.length})"
    count = str(type_.length)
    if not least_octets(type_.element):
        count = f"_g.empty_count(r, {type_.length})"
    return _read_elements(type_, count, names)


def _read_elements(type_: SequenceOf | ArrayOf, count: str, names: Names) -> str:
    run = _run(type_)
    if run is not None:
        return f'r.numbers("{run[0]}", {run[1]}, {count})'
    if unaliased(type_.element) == Basic(Kind.CHAR):
        return f"r.chars({count})"
    return f"tuple([{read_expression(type_.element, names)} for _ in range({count})])"


def write_lines(type_: Type, value: str, names: Names, level: int = 0) -> list[str]:
    """Statements that write the value of an expression to the writer `w`.

    Args:
        type_: The type.
        value: The expression.
        names: The names of definitions.
        level: How many loops stand around.
    """
    found = unaliased(type_)
    if isinstance(found, FixedOf):
        return [f"w.fixed({value}, {found.digits}, {found.scale})"]
    if is_plain(type_):
        return [f"w.{_simple_method(found)}({value})"]
    if isinstance(type_, TextOf):
        bounded = f"_g.at_most({value}, {type_.bound}, {_described(type_, names)})"
        return [f"w.{_simple_method(type_)}({bounded})"]
    if isinstance(type_, SequenceOf | ArrayOf):
        return _write_elements(type_, value, names, level)
    assert not isinstance(type_, Basic | FixedOf)
    return [f"{names.of(type_, 'write_')}(w, {value})"]


def _write_elements(type_: SequenceOf | ArrayOf, value: str, names: Names, level: int) -> list[str]:
    what = _described(type_, names)
    if unaliased(type_.element) == Basic(Kind.OCTET):
        if isinstance(type_, ArrayOf):
            return [f"w.octet_array({value}, {type_.length})"]
        return [f"w.octets(_g.at_most({value}, {type_.bound}, {what}))"]
    if isinstance(type_, ArrayOf):
        elements = f"_g.exactly({value}, {type_.length}, {what})"
    else:
        bound = f", {type_.bound}" if type_.bound else ""
        elements = f"_g.counted(w, {value}, {what}{bound})"
    run = _run(type_)
    if run is not None:
        return [f'w.numbers("{run[0]}", {run[1]}, {elements}, "{run[2]}")']
    one = f"x{level}"
    inner = write_lines(type_.element, one, names, level + 1)
    return [f"for {one} in {elements}:", *(f"{INDENT}{line}" for line in inner)]


def _described(type_: Type, names: Names) -> str:
    """A type in a message, as a literal."""
    return f'"{_words(type_, names)}"'


def _words(type_: Type, names: Names) -> str:
    if isinstance(type_, Basic):
        return "Object" if type_.kind is Kind.OBJREF else KEYWORDS[type_.kind]
    if isinstance(type_, TextOf):
        word = "wstring" if type_.wide else "string"
        return f"{word}<{type_.bound}>" if type_.bound else word
    if isinstance(type_, FixedOf):
        return f"fixed<{type_.digits},{type_.scale}>"
    if isinstance(type_, SequenceOf):
        bound = f", {type_.bound}" if type_.bound else ""
        return f"sequence<{_words(type_.element, names)}{bound}>"
    if isinstance(type_, ArrayOf):
        return f"{_words(type_.element, names)}[{type_.length}]"
    return type_.scoped
