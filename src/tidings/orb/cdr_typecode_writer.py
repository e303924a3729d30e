"""Writing TypeCodes. Only a type that contains itself is written with an indirection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidings.events.typecode import Kind, Label, TypeCode
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.cdr_output import Output
from tidings.orb.exceptions import BAD_PARAM, OMG

_INDIRECTION: Final = 0xFFFFFFFF
_TEXTS: Final = (Kind.STRING, Kind.WSTRING)
_NAMED: Final = (Kind.STRUCT, Kind.EXCEPT, Kind.UNION, Kind.ENUM, Kind.OBJREF, Kind.ALIAS)

# A TypeCode in octets, from its kind on. Where they stand does not matter.
_Key = tuple[TypeCode, bool, int, int, int | None]
_CACHE: Final = BoundedCache[_Key, bytes](512)
_LARGEST_KEPT: Final = 2048


def write_typecode(writer: Output, type_: TypeCode) -> None:
    """Write a TypeCode."""
    if not isinstance(type_, TypeCode):
        raise BAD_PARAM(why=f"{type_!r} is not a TypeCode")
    writer.align(4)
    codesets = writer.codesets
    key = (type_, writer.little, min(writer.minor, 2), codesets.char, codesets.wchar)
    octets = _CACHE.get(key)
    if octets is not None:
        writer.buffer += octets
        return
    start = len(writer.buffer)
    _write(writer, type_, [])
    if len(writer.buffer) - start <= _LARGEST_KEPT:
        _CACHE.keep(key, bytes(writer.buffer[start:]))


def _write(writer: Output, type_: TypeCode, outer: list[tuple[str, int]]) -> None:
    kind = type_.kind
    if kind is Kind.RECURSIVE:
        _indirect(writer, type_.id, outer)
        return
    writer.ulong(kind)
    if kind in _TEXTS:
        writer.ulong(type_.bound)
    elif kind is Kind.FIXED:
        writer.ushort(type_.digits)
        writer.short(type_.scale)
    elif kind in _NAMED or type_.content is not None:
        outer.append((type_.id, len(writer.buffer) - 4))
        begun = writer.begin_encapsulation()
        _parameters(writer, type_, outer)
        writer.end_encapsulation(begun)
        outer.pop()


def _indirect(writer: Output, id: str, outer: list[tuple[str, int]]) -> None:
    for outer_id, at in reversed(outer):
        if outer_id == id:
            writer.ulong(_INDIRECTION)
            writer.long(at - len(writer.buffer))
            return
    raise BAD_PARAM(OMG | 13, why=f"{id!r} stands for an outer type that is not there")


def _parameters(writer: Output, type_: TypeCode, outer: list[tuple[str, int]]) -> None:
    kind = type_.kind
    if kind in _NAMED:
        writer.latin(type_.id)
        writer.name(type_.name)
    if kind is Kind.ENUM:
        writer.ulong(len(type_.labels))
        for label in type_.labels:
            writer.name(label)
    elif kind is Kind.UNION:
        _branches(writer, type_, outer)
    elif kind in (Kind.STRUCT, Kind.EXCEPT):
        writer.ulong(len(type_.members))
        for member in type_.members:
            writer.name(member.name)
            _write(writer, member.type, outer)
    elif type_.content is not None:
        _write(writer, type_.content, outer)
        if kind is not Kind.ALIAS:
            writer.ulong(type_.bound)


def _branches(writer: Output, type_: TypeCode, outer: list[tuple[str, int]]) -> None:
    discriminator = type_.discriminator
    if discriminator is None:
        raise BAD_PARAM(OMG | 13, why=f"union {type_.name or type_.id!r} has no discriminator")
    _write(writer, discriminator, outer)
    writer.long(type_.default_index)
    writer.ulong(len(type_.members))
    switch = discriminator.unaliased
    places = {label: place for place, label in enumerate(switch.labels)}
    for member in type_.members:
        if switch.kind is Kind.ENUM:
            writer.ulong(0 if member.label is None else places[str(member.label)])
        else:
            _label(writer, switch.kind, member.label)
        writer.name(member.name)
        _write(writer, member.type, outer)


_LABELS: Final[dict[Kind, tuple[Callable[[Output, Any], None], Label]]] = {
    Kind.SHORT: (Output.short, 0),
    Kind.LONG: (Output.long, 0),
    Kind.USHORT: (Output.ushort, 0),
    Kind.ULONG: (Output.ulong, 0),
    Kind.LONGLONG: (Output.longlong, 0),
    Kind.ULONGLONG: (Output.ulonglong, 0),
    Kind.BOOLEAN: (Output.boolean, False),
    Kind.CHAR: (Output.char, "\0"),
    Kind.WCHAR: (Output.wchar, "\0"),
}


def _label(writer: Output, kind: Kind, label: Label | None) -> None:
    """Write a label; that of the default branch is a zero, which means nothing."""
    write, zero = _LABELS[kind]
    write(writer, zero if label is None else label)
