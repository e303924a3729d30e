"""Anys without their type, where it can be inferred from the value.

`events.anyvalue.unboxed` defines what an any becomes. It infers the type of the value to compare
it, which takes longer than reading the value; here the known type says what to check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidings.events.anyvalue import decimal_type, infer, interface_name
from tidings.events.boxes import Any, Value
from tidings.events.typecode import Kind, TypeCode

# Values of these types are of no other, whatever they are.
_CERTAIN: Final = frozenset({Kind.NULL, Kind.BOOLEAN, Kind.LONG, Kind.DOUBLE, Kind.TYPECODE})
# The type of a sequence of these is found in one step, however long it is.
_ALL_AT_ONCE: Final = frozenset({Kind.LONGLONG, Kind.ULONGLONG, Kind.ANY})


def unbox(type_: TypeCode, value: Value) -> Value:
    """The plain value if its type can be inferred from it, else the two in an `Any`."""
    try:
        plain = _unbox(type_, value)
    except _NotInferable:
        return Any.trusted(type_, value)
    # An any in an any would be taken for one alone.
    return Any.trusted(type_, value) if isinstance(plain, Any) else plain


class _NotInferable(Exception):
    """The type cannot be inferred from the value."""


def _unbox(type_: TypeCode, value: Value) -> Value:
    kind = type_.kind
    if kind in _CERTAIN:
        return value
    unboxer = _UNBOXERS.get(kind)
    if unboxer is None:
        raise _NotInferable
    return unboxer(type_, value)


def _text(type_: TypeCode, value: Value) -> Value:
    if type_.bound:
        raise _NotInferable
    return value


def _struct(type_: TypeCode, value: Value) -> Value:
    members = type_.members
    if type_.id or type_.name or not isinstance(value, tuple):
        raise _NotInferable
    plain = {m.name: _unbox(m.type, v) for m, v in zip(members, value, strict=True)}
    if len(plain) != len(members) or "" in plain:
        raise _NotInferable
    return plain


def _sequence(type_: TypeCode, value: Value) -> Value:
    content = type_.element_type
    if type_.bound:
        raise _NotInferable
    if content.kind is Kind.OCTET:
        return value
    if not isinstance(value, tuple):
        raise _NotInferable
    if content.kind in _ALL_AT_ONCE:
        return _if_inferred(type_, value)
    if not value:  # an empty one is a sequence of anys
        raise _NotInferable
    if content.kind in _CERTAIN:
        return value
    return tuple([_unbox(content, element) for element in value])


def _if_inferred(type_: TypeCode, value: Value) -> Value:
    if infer(value) != type_:
        raise _NotInferable
    return value


def _any(_type: TypeCode, value: Value) -> Value:
    if not isinstance(value, Any):
        raise _NotInferable
    return value


def _fixed(type_: TypeCode, value: Value) -> Value:
    if decimal_type(value) != type_:  # type: ignore[arg-type]  # a fixed is a Decimal
        raise _NotInferable
    return value


def _reference(type_: TypeCode, value: Value) -> Value:
    type_id = value.type_id  # type: ignore[union-attr]  # an object reference is a Reference
    if type_.id != type_id or type_.name != interface_name(type_id):
        raise _NotInferable
    return value


_UNBOXERS: Final[dict[Kind, Callable[[TypeCode, Value], Value]]] = {
    Kind.STRING: _text,
    Kind.LONGLONG: _if_inferred,
    Kind.ULONGLONG: _if_inferred,
    Kind.STRUCT: _struct,
    Kind.SEQUENCE: _sequence,
    Kind.ANY: _any,
    Kind.FIXED: _fixed,
    Kind.OBJREF: _reference,
}
