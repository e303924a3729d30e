"""Values in typed JSON, by their types.

A plain value has the type that inference gives it. Everything else is written with its type,
``{"$type": T, "value": V}``; inside, members and elements go by their types and say them no
more, and a place of the type any begins again.

==================  ====================================================================
type                V
==================  ====================================================================
null, void          null
integers, octet     number
float, double, …    number, or ``"NaN"``, ``"Infinity"``, ``"-Infinity"``
fixed               text: ``"57.50"``
boolean             boolean
char, string, …     text
enum                text: the label
octets              text in base64, for sequences and arrays of octet; a list is read too
sequence, array     list
struct, exception   object; list where names of members are empty or stand twice
union               ``{"_d": label, "value": V}``
any                 plain, or typed again
object reference    ``{"type_id": text, "profiles": [[tag, base64], …]}``
TypeCode            T
==================  ====================================================================
"""

from __future__ import annotations

import binascii
import math
from collections.abc import Callable

from tidings.events.anyvalue import Any, Reference, UnionValue, Value, infer
from tidings.events.checking import conform
from tidings.events.codecs.json_types import type_form
from tidings.events.typecode import Kind, TypeCode

TYPE = "$type"
"""The name that marks a value written with its type."""

_SELF_EVIDENT = frozenset({str, int, bool, type(None)})
_NUMBERS = frozenset({int, float, bool})


def value_to_plain(value: Value) -> object:
    """A stored value, ready to be written."""
    kind = type(value)
    if kind in _SELF_EVIDENT:
        return value
    if kind is float and math.isfinite(value):  # type: ignore[arg-type]
        return value
    if isinstance(value, tuple):
        if _SELF_EVIDENT.issuperset(map(type, value)):
            return value
        if _NUMBERS.issuperset(map(type, value)) and all(map(math.isfinite, value)):  # type: ignore[arg-type]
            return value
        return [value_to_plain(v) for v in value]
    if isinstance(value, dict) and TYPE not in value:
        return {name: value_to_plain(v) for name, v in value.items()}
    if isinstance(value, Any):
        type_, inner = value.type, value.value
    else:
        type_ = infer(value)
        inner = conform(type_, value)
    return {TYPE: type_form(type_), "value": _typed_to_plain(type_, inner)}


def _typed_to_plain(type_: TypeCode, value: Value) -> object:
    type_ = type_.unaliased
    write = _WRITERS.get(type_.kind)
    return value if write is None else write(type_, value)


def _write_real(type_: TypeCode, value: Value) -> object:
    assert isinstance(value, float)
    return value if math.isfinite(value) else real_name(value)


def real_name(value: float) -> str:
    """A number that JSON cannot spell, as a text."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _write_elements(type_: TypeCode, value: Value) -> object:
    if isinstance(value, bytes):
        return _base64(value)
    content = type_.element_type.unaliased
    if content.kind not in _WRITERS:
        return value
    return [_typed_to_plain(content, v) for v in value]  # type: ignore[union-attr]


def _write_struct(type_: TypeCode, value: Value) -> object:
    items = [
        _typed_to_plain(type_.member_type(i), v)
        for i, v in enumerate(value)  # type: ignore[arg-type]
    ]
    names = object_names(type_)
    return items if names is None else dict(zip(names, items, strict=True))


def object_names(type_: TypeCode) -> list[str] | None:
    """The members' names, if they can be the names of a JSON object."""
    names = [member.name for member in type_.members]
    return names if all(names) and len(set(names)) == len(names) else None


def _write_union(type_: TypeCode, value: Value) -> object:
    assert isinstance(value, UnionValue)
    branch = type_.branch_index(value.discriminator)
    inner = None if branch < 0 else _typed_to_plain(type_.member_type(branch), value.value)
    return {"_d": value.discriminator, "value": inner}


def _write_reference(type_: TypeCode, value: Value) -> object:
    assert isinstance(value, Reference)
    profiles = [[tag, _base64(octets)] for tag, octets in value.profiles]
    return {"type_id": value.type_id, "profiles": profiles}


def _base64(octets: bytes) -> str:
    return binascii.b2a_base64(octets, newline=False).decode()


_WRITERS: dict[Kind, Callable[[TypeCode, Value], object]] = {
    Kind.FLOAT: _write_real,
    Kind.DOUBLE: _write_real,
    Kind.LONGDOUBLE: _write_real,
    Kind.FIXED: lambda type_, value: format(value, "f"),
    Kind.ANY: lambda type_, value: value_to_plain(value),
    Kind.TYPECODE: lambda type_, value: type_form(value),  # type: ignore[arg-type]
    Kind.STRUCT: _write_struct,
    Kind.EXCEPT: _write_struct,
    Kind.UNION: _write_union,
    Kind.SEQUENCE: _write_elements,
    Kind.ARRAY: _write_elements,
    Kind.OBJREF: _write_reference,
}
