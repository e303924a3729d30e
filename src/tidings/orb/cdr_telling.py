"""Anys without their type, where it can be told from the value.

`events.anyvalue.unboxed` says what an any becomes. It builds the type of the value to compare
it, which takes longer than to read the value; here the type that is known says what to look at.
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


def told(type_: TypeCode, value: Value) -> Value:
    """The plain value if its type can be told from it again, else the two in an `Any`."""
    try:
        plain = _told(type_, value)
    except _Untold:
        return Any.trusted(type_, value)
    # An any in an any would be taken for one alone.
    return Any.trusted(type_, value) if isinstance(plain, Any) else plain


class _Untold(Exception):
    """The type cannot be told from the value."""


def _told(type_: TypeCode, value: Value) -> Value:
    kind = type_.kind
    if kind in _CERTAIN:
        return value
    tell = _TELLS.get(kind)
    if tell is None:
        raise _Untold
    return tell(type_, value)


def _text(type_: TypeCode, value: Value) -> Value:
    if type_.bound:
        raise _Untold
    return value


def _struct(type_: TypeCode, value: Value) -> Value:
    members = type_.members
    if type_.id or type_.name or not isinstance(value, tuple):
        raise _Untold
    plain = {m.name: _told(m.type, v) for m, v in zip(members, value, strict=True)}
    if len(plain) != len(members) or "" in plain:
        raise _Untold
    return plain


def _sequence(type_: TypeCode, value: Value) -> Value:
    content = type_.element_type
    if type_.bound:
        raise _Untold
    if content.kind is Kind.OCTET:
        return value
    if not isinstance(value, tuple):
        raise _Untold
    if content.kind in _ALL_AT_ONCE:
        return _if_inferred(type_, value)
    if not value:  # an empty one is a sequence of anys
        raise _Untold
    if content.kind in _CERTAIN:
        return value
    return tuple([_told(content, element) for element in value])


def _if_inferred(type_: TypeCode, value: Value) -> Value:
    if infer(value) != type_:
        raise _Untold
    return value


def _any(_type: TypeCode, value: Value) -> Value:
    if not isinstance(value, Any):
        raise _Untold
    return value


def _fixed(type_: TypeCode, value: Value) -> Value:
    if decimal_type(value) != type_:  # type: ignore[arg-type]  # a fixed is a Decimal
        raise _Untold
    return value


def _reference(type_: TypeCode, value: Value) -> Value:
    type_id = value.type_id  # type: ignore[union-attr]  # an object reference is a Reference
    if type_.id != type_id or type_.name != interface_name(type_id):
        raise _Untold
    return value


_TELLS: Final[dict[Kind, Callable[[TypeCode, Value], Value]]] = {
    Kind.STRING: _text,
    Kind.LONGLONG: _if_inferred,
    Kind.ULONGLONG: _if_inferred,
    Kind.STRUCT: _struct,
    Kind.SEQUENCE: _sequence,
    Kind.ANY: _any,
    Kind.FIXED: _fixed,
    Kind.OBJREF: _reference,
}
