"""Reading and writing TypeCodes.

An *indirection* names an earlier TypeCode by its place: one around it (recursion), or any that is
complete (a repeat). Places count through all the encapsulations of one outermost TypeCode, so all
of it is read from one buffer. Only a type that contains itself is written with an indirection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.typecode import Kind, Label, Member, TypeCode
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.cdr_input import Input
from tidings.orb.cdr_output import Output
from tidings.orb.cdr_plans import LABELS, METHODS
from tidings.orb.exceptions import BAD_PARAM, NO_IMPLEMENT, OMG

_INDIRECTION: Final = 0xFFFFFFFF
# Octets of the longest TypeCode that is remembered.
_LARGEST_KEPT: Final = 2048
_PLAIN: Final = {int(kind): type_ for kind, type_ in tc.PRIMITIVES.items()}
_NAMED: Final = (Kind.STRUCT, Kind.EXCEPT, Kind.UNION, Kind.ENUM, Kind.OBJREF, Kind.ALIAS)
_UNSUPPORTED: Final = {
    13: "Principal",
    29: "value",
    30: "value box",
    31: "native",
    32: "abstract interface",
    33: "local interface",
    34: "component",
    35: "home",
    36: "event",
}


class _Known(NamedTuple):
    """A complete TypeCode, its nodes when indirections are replaced, and those on the wire."""

    type: TypeCode
    size: int
    written: int = 1


class _Open(NamedTuple):
    """A TypeCode that is being read: its place, and its repository id."""

    at: int
    id: str


# The octets of a complete TypeCode say everything about it, so equal ones are read once. The
# labels of unions are characters, so the versions and code sets are part of the key.
_Key = tuple[int, int, int, int | None, bytes]
_READ: Final = BoundedCache[_Key, _Known](512)


def read_typecode(reader: Input) -> TypeCode:
    """Read a TypeCode."""
    kind = reader.ulong()
    plain = _PLAIN.get(kind)
    if plain is not None:
        return plain
    start = reader.at
    if kind not in _ENCAPSULATED:
        reader.at = start - 4
        return _Scope(reader).read(reader, 1)
    octets = reader.octets()
    key = (kind, min(reader.minor, 2), reader.codesets.char, reader.codesets.wchar, octets)
    known = _READ.get(key)
    if known is None:
        reader.at = start - 4
        scope = _Scope(reader)
        made = scope.read(reader, 1)
        known = _Known(made, scope.size, scope.written)
        if len(octets) <= _LARGEST_KEPT:
            _READ.keep(key, known)
    else:
        _charge(reader, known.written)
    limits = reader.limits
    if known.size > limits.typecode_size or known.type.depth > limits.typecode_depth:
        raise reader.bad(
            f"a TypeCode of {known.size} nodes, {known.type.depth} deep, "
            f"is beyond the limits of {limits.typecode_size} and {limits.typecode_depth}"
        )
    return known.type


def _charge(reader: Input, count: int) -> None:
    spent = reader.spent[0] = reader.spent[0] + count
    if spent > reader.limits.typecodes:
        raise reader.bad(f"more than {reader.limits.typecodes} TypeCodes in one message")


class _Scope:
    """One outermost TypeCode while it is read."""

    def __init__(self, reader: Input) -> None:
        self.limits = reader.limits
        self.size = 0
        self.written = 0
        self.known: dict[int, _Known] = {}
        self.by_id: dict[str, _Known] = {}
        self.open: list[_Open] = []

    def read(self, reader: Input, depth: int) -> TypeCode:
        kind = reader.ulong()
        at = reader.at - 4
        if kind == _INDIRECTION:
            return self.indirection(reader)
        before = self.size
        self.grow(reader, 1)
        self.written += 1
        _charge(reader, 1)
        made = _PLAIN.get(kind)
        if made is None:
            if depth > self.limits.typecode_depth:
                raise reader.bad(f"TypeCodes nest deeper than {self.limits.typecode_depth}")
            try:
                made = self.parameters(kind, reader, at, depth)
            except InvalidTypeCode as error:
                raise reader.bad(f"a TypeCode describes no type: {error}") from error
        known = _Known(made, self.size - before)
        self.known[at] = known
        if made.id:
            self.by_id[made.id] = known
        return made

    def grow(self, reader: Input, count: int) -> None:
        self.size += count
        if self.size > self.limits.typecode_size:
            raise reader.bad(f"a TypeCode of more than {self.limits.typecode_size} nodes")

    def parameters(self, kind: int, reader: Input, at: int, depth: int) -> TypeCode:
        if kind == Kind.STRING:
            return tc.string(reader.ulong())
        if kind == Kind.WSTRING:
            return tc.wstring(reader.ulong())
        if kind == Kind.FIXED:
            return tc.fixed(reader.ushort(), reader.short())
        read = _ENCAPSULATED.get(kind)
        if read is not None:
            return read(self, reader.encapsulation(), at, depth + 1)
        if kind in _UNSUPPORTED:
            raise NO_IMPLEMENT(why=f"types of the kind {_UNSUPPORTED[kind]} are not supported")
        raise reader.bad(f"{kind} is not a kind of a TypeCode")

    # ------------------------------------------------------------ indirections

    def indirection(self, reader: Input) -> TypeCode:
        offset = reader.long()
        target = reader.at - 4 + offset
        self.grow(reader, 1)
        for place, outer in enumerate(self.open):
            if outer.at == target:
                return self.recursion(reader, place, outer.id)
        known = self.known.get(target)
        if known is None:
            raise reader.bad(f"an indirection of {offset} does not point to an earlier TypeCode")
        self.grow(reader, known.size)
        return self.closed(reader, known.type)

    def recursion(self, reader: Input, place: int, id: str) -> TypeCode:
        if not id or any(inner.id == id for inner in self.open[place + 1 :]):
            raise reader.bad(f"the type that contains itself has no id of its own: {id!r}")
        return tc.recursive(id)

    def closed(self, reader: Input, repeated: TypeCode) -> TypeCode:
        """A repeated type; one from inside a recursive type may be outside of it now."""
        for id in repeated.open_ids.difference(outer.id for outer in self.open):
            whole = self.by_id.get(id)
            if whole is None:
                raise reader.bad(f"an indirection leads into a type {id!r} that is not complete")
            self.grow(reader, whole.size)
            repeated = _filled(repeated, whole.type)
        return repeated

    # ------------------------------------------------------------ kinds with parameters

    def objref(self, reader: Input, _at: int, _depth: int) -> TypeCode:
        return tc.objref(reader.latin(), reader.name())

    def struct(self, reader: Input, at: int, depth: int) -> TypeCode:
        return tc.struct(*self.named_members(reader, at, depth))

    def exception(self, reader: Input, at: int, depth: int) -> TypeCode:
        return tc.exception(*self.named_members(reader, at, depth))

    def named_members(
        self, reader: Input, at: int, depth: int
    ) -> tuple[str, str, list[tuple[str, TypeCode]]]:
        id, name = reader.latin(), reader.name()
        self.open.append(_Open(at, id))
        count = reader.length(8)
        members = [(reader.name(), self.read(reader, depth)) for _ in range(count)]
        self.open.pop()
        return id, name, members

    def union(self, reader: Input, at: int, depth: int) -> TypeCode:
        id, name = reader.latin(), reader.name()
        self.open.append(_Open(at, id))
        switch = self.read(reader, depth)
        default = reader.long()
        count = reader.length(8)
        if not -1 <= default < count:
            raise reader.bad(f"branch {default} of {count} cannot be the default of a union")
        branches: list[tuple[Label | None, str, TypeCode]] = []
        for place in range(count):
            label = _read_label(reader, switch.unaliased, place == default)
            branches.append((label, reader.name(), self.read(reader, depth)))
        self.open.pop()
        return tc.union(id, name, switch, branches)

    def enum(self, reader: Input, _at: int, _depth: int) -> TypeCode:
        id, name = reader.latin(), reader.name()
        labels = [reader.name() for _ in range(reader.length(4))]
        if len(labels) > 1 and not any(labels):
            # A compact TypeCode: its values are told by their place.
            labels = [f"_{place}" for place in range(len(labels))]
        return tc.enum(id, name, labels)

    def sequence(self, reader: Input, _at: int, depth: int) -> TypeCode:
        return tc.sequence(self.read(reader, depth), reader.ulong())

    def array(self, reader: Input, _at: int, depth: int) -> TypeCode:
        return tc.array(self.read(reader, depth), reader.ulong())

    def alias(self, reader: Input, _at: int, depth: int) -> TypeCode:
        return tc.alias(reader.latin(), reader.name(), self.read(reader, depth))


_ENCAPSULATED: Final[dict[int, Callable[[_Scope, Input, int, int], TypeCode]]] = {
    Kind.OBJREF: _Scope.objref,
    Kind.STRUCT: _Scope.struct,
    Kind.UNION: _Scope.union,
    Kind.ENUM: _Scope.enum,
    Kind.SEQUENCE: _Scope.sequence,
    Kind.ARRAY: _Scope.array,
    Kind.ALIAS: _Scope.alias,
    Kind.EXCEPT: _Scope.exception,
}


def _read_label(reader: Input, switch: TypeCode, is_default: bool) -> Label | None:
    """A label of a branch; that of the default branch means nothing."""
    if switch.kind is not Kind.ENUM:
        if switch.kind not in LABELS:
            raise reader.bad(f"a {switch.type_name} cannot select a branch of a union")
        label: Label = getattr(reader, METHODS[switch.kind])()
        return None if is_default else label
    place = reader.ulong()
    if is_default:
        return None
    if place >= len(switch.labels):
        raise reader.bad(f"{place} is not a value of an enum with {len(switch.labels)} labels")
    return switch.labels[place]


def _filled(inner: TypeCode, whole: TypeCode) -> TypeCode:
    """`inner` with `whole` in the places that name it."""
    if whole.id not in inner.open_ids:
        return inner
    if inner.kind is Kind.RECURSIVE:
        return whole
    members = tuple(Member(m.name, _filled(m.type, whole), m.label) for m in inner.members)
    content = None if inner.content is None else _filled(inner.content, whole)
    return replace(inner, members=members, content=content)


# ---------------------------------------------------------------- writing

# A TypeCode in octets, from its kind on. Where they stand does not matter.
_WrittenKey = tuple[TypeCode, bool, int, int, int | None]
_WRITTEN: Final = BoundedCache[_WrittenKey, bytes](512)


def write_typecode(writer: Output, type_: TypeCode) -> None:
    """Write a TypeCode."""
    if not isinstance(type_, TypeCode):
        raise BAD_PARAM(why=f"{type_!r} is not a TypeCode")
    writer.align(4)
    codesets = writer.codesets
    key = (type_, writer.little, min(writer.minor, 2), codesets.char, codesets.wchar)
    octets = _WRITTEN.get(key)
    if octets is not None:
        writer.buffer += octets
        return
    start = len(writer.buffer)
    _write(writer, type_, [])
    if len(writer.buffer) - start <= _LARGEST_KEPT:
        _WRITTEN.keep(key, bytes(writer.buffer[start:]))


def _write(writer: Output, type_: TypeCode, outer: list[tuple[str, int]]) -> None:
    kind = type_.kind
    if kind is Kind.RECURSIVE:
        _indirect(writer, type_.id, outer)
        return
    writer.ulong(kind)
    if kind in (Kind.STRING, Kind.WSTRING):
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
            label = LABELS[switch.kind] if member.label is None else member.label
            getattr(writer, METHODS[switch.kind])(label)
        writer.name(member.name)
        _write(writer, member.type, outer)
