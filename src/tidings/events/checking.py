"""Does a value fit a type? The stored form of it, or an error that says where it does not."""

from __future__ import annotations

import struct as octets
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, InvalidOperation

from tidings.errors import InvalidEvent
from tidings.events.anyvalue import (
    MAX_DEPTH,
    Any,
    Reference,
    UnionValue,
    Value,
    pack,
)
from tidings.events.texts import checked_text, exact_text, place_name, shortened
from tidings.events.typecode import INTEGER_RANGES, Kind, Label, TypeCode
from tidings.events.typetext import describe


def conform(type_: TypeCode, value: object, where: str = "", depth: int = 0) -> Value:
    """The value in the form in which the type stores it.

    Args:
        type_: The type.
        value: What shall be of that type.
        where: Its place in the event, for messages.
        depth: How many containers and boxes it stands in.

    Raises:
        InvalidEvent: The value does not fit; the message names the place and the type.
    """
    type_ = type_.unaliased
    if depth >= MAX_DEPTH and type_.kind in _CONTAINERS:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}", where)
    check = _CHECKS.get(type_.kind)
    if check is None:
        raise InvalidEvent(f"a {describe(type_)} is not complete enough to hold a value", where)
    return check(type_, value, where, depth)


_CONTAINERS = frozenset({Kind.STRUCT, Kind.EXCEPT, Kind.UNION, Kind.SEQUENCE, Kind.ARRAY})


def _misfit(type_: TypeCode, value: object, where: str) -> InvalidEvent:
    return InvalidEvent(f"{shortened(value)} is no {describe(type_)}", where)


def _nothing(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if value is not None:
        raise _misfit(type_, value, where)
    return None


def _integer(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    low, high = INTEGER_RANGES[type_.kind]
    if not isinstance(value, int) or isinstance(value, bool):
        raise _misfit(type_, value, where)
    if not low <= value <= high:
        raise InvalidEvent(
            f"{shortened(value)} is no {describe(type_)}, which holds {low} to {high}", where
        )
    return int(value)


def _double(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _misfit(type_, value, where)
    try:
        return float(value)
    except OverflowError as error:
        raise _misfit(type_, value, where) from error


def _float(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    double = _double(type_, value, where, depth)
    try:
        # Stored as what the wire carries, so that a round trip changes nothing.
        (single,) = octets.unpack("<f", octets.pack("<f", double))
    except OverflowError as error:
        raise InvalidEvent(
            f"{shortened(value)} is too large for a float; use a double", where
        ) from error
    return float(single)


def _boolean(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, bool):
        raise _misfit(type_, value, where)
    return value


def _char(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, str) or len(value) != 1:
        raise _misfit(type_, value, where)
    if type_.kind is Kind.CHAR and ord(value) > 255:
        raise InvalidEvent(f"{value!r} does not fit into one octet; use a wchar", where)
    return checked_text(exact_text(value), where)


def _text(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, str):
        raise _misfit(type_, value, where)
    if type_.bound and len(value) > type_.bound:
        raise InvalidEvent(
            f"{len(value)} characters are more than a {describe(type_)} holds", where
        )
    return checked_text(exact_text(value), where)


def _any(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    return pack(value, where, depth)


def _typecode(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, TypeCode):
        raise _misfit(type_, value, where)
    return value


def _enum(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, str) or not type_.has_label(label := exact_text(value)):
        labels = shortened(", ".join(type_.labels), 120)
        raise InvalidEvent(f"{shortened(value)} is no label of {describe(type_)}: {labels}", where)
    return label


def _struct(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    names = [member.name for member in type_.members]
    if isinstance(value, Mapping):
        if set(value) != set(names) or len(set(names)) != len(names):
            wanted, given = shortened(", ".join(names), 120), ", ".join(map(str, value))
            raise InvalidEvent(
                f"{describe(type_)} has the members {wanted}, not {shortened(given, 60)}", where
            )
        value = [value[name] for name in names]
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise _misfit(type_, value, where)
    if len(value) != len(names):
        raise InvalidEvent(f"{describe(type_)} has {len(names)} members, not {len(value)}", where)
    found: list[Value] = []
    for i, item in enumerate(value):
        found.append(_inside(names[i] or str(i), where, type_.member_type(i), item, depth + 1))
    return tuple(found)


def _inside(name: str, where: str, type_: TypeCode, value: object, depth: int) -> Value:
    try:
        return conform(type_, value, "", depth)
    except InvalidEvent as error:
        place = f"{where}.{place_name(name)}" if where else place_name(name)
        raise error.inside(place) from error.__cause__


def _union(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, UnionValue) or type_.discriminator is None:
        raise InvalidEvent(f"{shortened(value)} is no {describe(type_)}; use UnionValue", where)
    label = _inside("_d", where, type_.discriminator, value.discriminator, depth + 1)
    assert isinstance(label, Label)
    branch = type_.branch_index(label)
    if branch < 0:
        return UnionValue(label, _nothing(type_, value.value, where, depth))
    inner = _inside(f"({label})", where, type_.member_type(branch), value.value, depth + 1)
    return UnionValue(label, inner)


def _elements(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    content = type_.element_type.unaliased
    if isinstance(value, bytes | bytearray) and content.kind is not Kind.OCTET:
        raise _misfit(type_, value, where)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _misfit(type_, value, where)
    if type_.kind is Kind.ARRAY and len(value) != type_.bound:
        raise InvalidEvent(f"{describe(type_)} has not {len(value)} elements", where)
    if type_.kind is Kind.SEQUENCE and type_.bound and len(value) > type_.bound:
        raise InvalidEvent(f"{len(value)} elements are more than {describe(type_)} holds", where)
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    items: list[Value] = []
    try:
        # A loop, and not a comprehension: where it stops is where the fault is.
        for item in value:
            items.append(conform(content, item, "", depth + 1))  # noqa: PERF401
    except InvalidEvent as error:
        raise error.inside(f"{where}[{len(items)}]") from error.__cause__
    return bytes(items) if content.kind is Kind.OCTET else tuple(items)  # type: ignore[arg-type]


def _reference(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, Reference):
        raise _misfit(type_, value, where)
    return value


def _fixed(type_: TypeCode, value: object, where: str, depth: int) -> Value:
    if not isinstance(value, Decimal | int) or isinstance(value, bool):
        raise _misfit(type_, value, where)
    # A context of our own: the caller's may trap, round or limit in other ways.
    context = Context(prec=type_.digits, traps=[InvalidOperation])
    try:
        exact = Decimal(value).quantize(Decimal((0, (1,), -type_.scale)), context=context)
    except InvalidOperation as error:
        raise InvalidEvent(
            f"{shortened(value)} has too many digits for {describe(type_)}", where
        ) from error
    if exact != value:
        raise InvalidEvent(f"{shortened(value)} has too many decimals for {describe(type_)}", where)
    return exact


_Check = Callable[[TypeCode, object, str, int], Value]

_CHECKS: dict[Kind, _Check] = {
    **dict.fromkeys(INTEGER_RANGES, _integer),
    Kind.NULL: _nothing,
    Kind.VOID: _nothing,
    Kind.FLOAT: _float,
    Kind.DOUBLE: _double,
    Kind.LONGDOUBLE: _double,
    Kind.BOOLEAN: _boolean,
    Kind.CHAR: _char,
    Kind.WCHAR: _char,
    Kind.STRING: _text,
    Kind.WSTRING: _text,
    Kind.ANY: _any,
    Kind.TYPECODE: _typecode,
    Kind.ENUM: _enum,
    Kind.STRUCT: _struct,
    Kind.EXCEPT: _struct,
    Kind.UNION: _union,
    Kind.SEQUENCE: _elements,
    Kind.ARRAY: _elements,
    Kind.OBJREF: _reference,
    Kind.FIXED: _fixed,
}


Any.check_with(lambda type_, value: conform(type_, value, depth=1))
