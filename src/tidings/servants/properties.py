"""Quality of service and admin properties: as clients write them, and as we tell them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tidings import errors
from tidings.channel.property_errors import Property as Line
from tidings.channel.property_errors import PropertyRange as Range
from tidings.cos.CosNotification_auto import (
    NamedPropertyRange,
    Property,
    PropertyError,
    PropertyRange,
    QoSError_code,
)
from tidings.events.anyvalue import Any, Value, infer
from tidings.events.typecode import Kind

# Values that are not told, as where the reason is not the value: two anys of the kind null.
_NO_RANGE: Final = PropertyRange(None, None)


def boxed(value: Value) -> Any:
    """A value from an any together with its type, of which the property's type is one."""
    return value if isinstance(value, Any) else Any.trusted(infer(value), value)


def properties_in(properties: Iterable[Property]) -> dict[str, Any]:
    """Properties from a client; of two with one name the last counts.

    The values keep their types: a long must not pass for a short.
    """
    return {name: boxed(value) for name, value in properties}


def properties_out(values: Mapping[str, int], table: Mapping[str, Line]) -> Sequence[Property]:
    """The properties that apply at an object.

    Args:
        values: Their values.
        table: Their types.
    """
    return tuple(Property(name, _value(table[name], value)) for name, value in values.items())


def ranges_out(ranges: Iterable[Range], table: Mapping[str, Line]) -> Sequence[NamedPropertyRange]:
    """The properties that could be set, and to what."""
    return tuple(NamedPropertyRange(one.name, _range(one, table)) for one in ranges)


def property_errors(
    errors: Iterable[errors.PropertyError], table: Mapping[str, Line]
) -> Sequence[PropertyError]:
    """Properties that cannot be set so, and what could be."""
    return tuple(
        PropertyError(QoSError_code[error.code.name], error.name, _range(error, table))
        for error in errors
    )


def _range(one: errors.PropertyError | Range, table: Mapping[str, Line]) -> PropertyRange:
    if one.low is None or one.high is None:
        return _NO_RANGE
    line = table[one.name]
    return PropertyRange(_value(line, one.low), _value(line, one.high))


def _value(line: Line, value: int) -> Any:
    """A value as C++ clients write it: without the names of aliases."""
    type_ = line.type.unaliased
    return Any(type_, bool(value) if type_.kind is Kind.BOOLEAN else value)
