"""CORBA forms: the conversion of each field type, shared by client and servants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any as Whatever
from typing import Final, NamedTuple, get_args, get_origin

from tidings import errors
from tidings.channel.management import AdminRequest, EventRequest, QoSRequest
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.property_errors import Property as Line
from tidings.channel.property_errors import PropertyRange as Range
from tidings.channel.property_errors import Request, from_words
from tidings.channel.qos import QOS_PROPERTIES
from tidings.channel.vocabulary import Form, InfoMode, Operator
from tidings.cos import CosNotification_auto as wire
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.errors import PropertyErrorCode
from tidings.events.anyvalue import Any, Value, infer, pack
from tidings.events.typecode import Kind
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint

# Placeholder where the error is not about the value's range.
_NO_RANGE: Final = wire.PropertyRange(None, None)


def boxed(value: Value) -> Any:
    """Wrap a value from an any with its type."""
    return value if isinstance(value, Any) else Any.trusted(infer(value), value)


def request_in(properties: Iterable[wire.Property]) -> dict[str, Any]:
    """Convert requested properties with their types; the last of duplicates wins."""
    return {name: boxed(value) for name, value in properties}


def request_out(asked: Request, table: Mapping[str, Line]) -> Sequence[wire.Property]:
    """Convert requested properties; a plain number gets the property's type."""
    pairs = asked.items() if isinstance(asked, Mapping) else asked
    return tuple(wire.Property(name, _typed(table.get(name), value)) for name, value in pairs)


def _typed(line: Line | None, value: object) -> Value:
    if line is not None:
        value = from_words(line.type, value)
        if isinstance(value, int):
            with suppress(errors.InvalidEvent):  # else sent with its own type, and refused
                return Any(line.type.unaliased, value)
    return value if isinstance(value, Any) else pack(value)


def properties_in(found: Iterable[wire.Property]) -> dict[str, int]:
    """Convert an object's effective properties."""
    plain = {name: _plain(value) for name, value in found}
    return {name: value for name, value in plain.items() if value is not None}


def properties_out(values: Mapping[str, int], table: Mapping[str, Line]) -> Sequence[wire.Property]:
    """Convert an object's effective properties, with types from the table."""
    return tuple(wire.Property(name, _value(table[name], value)) for name, value in values.items())


def range_in(found: wire.NamedPropertyRange) -> Range:
    """Convert a settable property and its range."""
    return Range(found.name, _plain(found.range.low_val), _plain(found.range.high_val))


def range_out(one: Range) -> wire.NamedPropertyRange:
    """Convert a settable QoS property and its range."""
    return wire.NamedPropertyRange(one.name, _range(one, QOS_PROPERTIES))


def property_errors_in(found: Iterable[wire.PropertyError]) -> list[errors.PropertyError]:
    """Convert property errors."""
    return [
        errors.PropertyError(
            PropertyErrorCode[one.code.name],
            one.name,
            _plain(one.available_range.low_val),
            _plain(one.available_range.high_val),
        )
        for one in found
    ]


def property_errors_out(
    found: Iterable[errors.PropertyError], table: Mapping[str, Line]
) -> Sequence[wire.PropertyError]:
    """Convert property errors."""
    return tuple(
        wire.PropertyError(wire.QoSError_code[error.code.name], error.name, _range(error, table))
        for error in found
    )


def _range(one: errors.PropertyError | Range, table: Mapping[str, Line]) -> wire.PropertyRange:
    if one.low is None or one.high is None:
        return _NO_RANGE
    line = table[one.name]
    return wire.PropertyRange(_value(line, one.low), _value(line, one.high))


def _value(line: Line, value: int) -> Any:
    """Return a value as C++ clients write it: without alias names."""
    type_ = line.type.unaliased
    return Any(type_, bool(value) if type_.kind is Kind.BOOLEAN else value)


def _plain(value: Value) -> int | None:
    plain = value.value if isinstance(value, Any) else value
    return plain if isinstance(plain, int) else None


def pattern_in(found: wire.EventType) -> EventTypePattern:
    """Convert an event type; raise InvalidEventType if it is invalid."""
    return EventTypePattern(found.domain_name, found.type_name)


def types_in(found: Iterable[wire.EventType]) -> tuple[EventTypePattern, ...]:
    """Convert event types; raise InvalidEventType if one is invalid."""
    return tuple(map(pattern_in, found))


def types_out(patterns: Iterable[EventTypePattern]) -> Sequence[wire.EventType]:
    """Convert event types; "all types" becomes `%ALL` in the domain without a name."""
    return tuple(wire.EventType(one.domain, one.type) for one in patterns)


def constraint_in(found: filters.ConstraintExp) -> Constraint:
    """Convert a constraint; raise BadInput if it or an event type is invalid."""
    return constraint(found.constraint_expr, types_in(found.event_types))


def constraint_out(made: Constraint) -> filters.ConstraintExp:
    """Convert a constraint, with the event types as they were given."""
    return filters.ConstraintExp(types_out(made.event_types), made.text)


def constraints_in(found: Iterable[filters.ConstraintInfo]) -> dict[int, Constraint]:
    """Convert a filter's constraints to a mapping by id."""
    return {one.constraint_id: constraint_in(one.constraint_expression) for one in found}


def constraints_out(made: Mapping[int, Constraint]) -> Sequence[filters.ConstraintInfo]:
    """Convert a filter's constraints by id."""
    return tuple(filters.ConstraintInfo(constraint_out(one), id) for id, one in made.items())


def _pair_in(found: filters.MappingConstraintPair) -> MappedConstraint:
    return MappedConstraint(constraint_in(found.constraint_expression), boxed(found.result_to_set))


def _pair_out(made: MappedConstraint) -> filters.MappingConstraintPair:
    return filters.MappingConstraintPair(constraint_out(made.constraint), made.value)


def mapped_in(found: Iterable[filters.MappingConstraintInfo]) -> dict[int, MappedConstraint]:
    """Convert a mapping filter's constraints to a mapping by id."""
    return {
        one.constraint_id: MappedConstraint(
            constraint_in(one.constraint_expression), boxed(one.value)
        )
        for one in found
    }


def mapped_out(made: Mapping[int, MappedConstraint]) -> Sequence[filters.MappingConstraintInfo]:
    """Convert a mapping filter's constraints and values by id."""
    return tuple(
        filters.MappingConstraintInfo(constraint_out(one.constraint), id, one.value)
        for id, one in made.items()
    )


class CorbaForm(NamedTuple):
    """The conversions of a type: `inward` from IDL to the core, `outward` back."""

    inward: Callable[[Whatever], Whatever] = lambda found: found
    outward: Callable[[Whatever], Whatever] = lambda value: value


_AS_IT_IS: Final = CorbaForm()
_QOS: Final = CorbaForm(request_in, partial(request_out, table=QOS_PROPERTIES))
_FORMS: Final[Mapping[Whatever, CorbaForm]] = {
    AdminRequest: CorbaForm(request_in, partial(request_out, table=ADMIN_PROPERTIES)),
    Constraint: CorbaForm(constraint_in, constraint_out),
    EventRequest: _QOS,
    EventTypePattern: CorbaForm(pattern_in, lambda one: wire.EventType(one.domain, one.type)),
    Form: CorbaForm(
        lambda found: Form[found.name[: -len("_EVENT")]], list(admin.ClientType).__getitem__
    ),
    InfoMode: CorbaForm(
        lambda found: InfoMode[found.name], lambda mode: admin.ObtainInfoMode[mode.name]
    ),
    MappedConstraint: CorbaForm(_pair_in, _pair_out),
    Mapping[int, Constraint]: CorbaForm(constraints_in, constraints_out),
    Mapping[int, MappedConstraint]: CorbaForm(mapped_in, mapped_out),
    Operator: CorbaForm(
        lambda found: Operator(found.value), lambda one: admin.InterFilterGroupOperator(one.value)
    ),
    QoSRequest: _QOS,
    Range: CorbaForm(range_in, range_out),
}


@cache
def form_of(hint: Whatever) -> CorbaForm:  # noqa: ANN401 -- a type
    """Return the form of a type; the default form changes nothing."""
    known = _FORMS.get(hint)
    if known is not None:
        return known
    if get_origin(hint) in (Sequence, list, tuple):
        part = form_of(get_args(hint)[0])
        return CorbaForm(
            lambda found: tuple(map(part.inward, found)),
            lambda values: tuple(map(part.outward, values)),
        )
    return _AS_IT_IS
