"""What goes over IIOP in other shapes than a program has it: events, properties, constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any as Whatever
from typing import Final

from tidings.channel.property_errors import Property as Line
from tidings.channel.property_errors import PropertyRange, Request, from_words
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Form, Item
from tidings.cos.CosNotification_auto import (
    EventType,
    NamedPropertyRange,
    Property,
    PropertyError,
)
from tidings.cos.CosNotifyFilter_auto import ConstraintExp, ConstraintInfo, MappingConstraintInfo
from tidings.cos.events import any_in, any_out, event_in, event_out, events_in
from tidings.errors import NotOverCorba, PropertyErrorCode
from tidings.errors import PropertyError as Fault
from tidings.events.anyvalue import Any, Value, infer, pack
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.fields import ANY_EVENT_TYPE, is_any
from tidings.events.structured import StructuredEvent
from tidings.events.typecode import Kind
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint

UNKNOWN: Final = -1
"""Stands for a number that CORBA does not tell, such as that of an event."""


def beyond(what: str, instead: str = "") -> NotOverCorba:
    """The error that tells what CORBA has no words for.

    Args:
        what: What was asked for, in the plural.
        instead: What to do there; which doors have it, if nothing can be done.
    """
    door = instead or "connect to the service over HTTP, or embed it"
    return NotOverCorba(f"{what} cannot be had over CORBA: {door}")


@dataclass(frozen=True, slots=True, eq=False)
class CorbaMessage:
    """An event as it came over CORBA, which tells nothing but its content.

    Attributes:
        event: The content.
        seq: Its number in the channel: unknown.
    """

    event: StructuredEvent
    seq: int = UNKNOWN

    @property
    def origin(self) -> str:
        """Id of the channel: not told."""
        return ""

    @property
    def arrival(self) -> int:
        """When it was accepted: not told."""
        return UNKNOWN

    @property
    def priority(self) -> int:
        """As its header has it; larger is more urgent."""
        found = self.event.header.get("Priority")
        return found if isinstance(found, int) else 0

    @property
    def mark(self) -> ProducerMark | None:
        """The producer's mark: not told."""
        return None

    @property
    def envelope(self) -> Envelope:
        """Not told.

        Raises:
            NotOverCorba: Always.
        """
        raise beyond("numbers and origins of events")


class Events:
    """Events in the forms in which they go through proxies."""

    def outgoing(self, item: Item, form: Form) -> StructuredEvent:
        """What a program sends.

        Raises:
            InvalidEvent: It is no event.
        """
        event = entered(item, unwrap=False)
        if form is Form.ANY and event.type == ANY_EVENT_TYPE[1] and not is_any(event):
            return any_in(event.as_any())  # in an any of its own, or only its body would go
        return event

    def incoming(self, event: StructuredEvent) -> CorbaMessage:
        """What a program gets."""
        return CorbaMessage(entered(event, unwrap=True))

    def written(self, event: StructuredEvent, form: Form) -> object:
        """A single event for the wire."""
        return any_out(event) if form is Form.ANY else event_out(event)

    def read(self, form: Form, value: Whatever) -> list[CorbaMessage]:  # noqa: ANN401 -- by form
        """What came over the wire: an any, a structured event, or a sequence of these."""
        found: Iterable[StructuredEvent]
        if form is Form.SEQUENCE:
            found = events_in(value)
        elif form is Form.ANY:
            found = (any_in(value),)
        else:
            found = (event_in(value),)
        return [self.incoming(event) for event in found]


# Properties.


def properties_out(asked: Request, table: Mapping[str, Line]) -> Sequence[Property]:
    """Properties to be set; a plain number is taken for one of the property's type."""
    pairs = asked.items() if isinstance(asked, Mapping) else asked
    return tuple(Property(name, _typed(table.get(name), value)) for name, value in pairs)


def _typed(line: Line | None, value: object) -> Value:
    if line is not None:
        value = from_words(line.type, value)
    if isinstance(value, Any):
        return value
    plain: object = value
    if isinstance(value, int):
        plain = value if isinstance(value, bool) else int(value)
    elif isinstance(value, float | str | bytes):
        return pack(value)
    if line is not None and isinstance(plain, int):
        type_ = line.type.unaliased
        if (type_.kind is Kind.BOOLEAN) == isinstance(plain, bool) and type_.kind in _NUMBERS:
            low, high = _NUMBERS[type_.kind]
            if low <= plain <= high:
                return Any(type_, plain)
    return pack(plain)


_NUMBERS: Final = {
    Kind.BOOLEAN: (0, 1),
    Kind.SHORT: (-(2**15), 2**15 - 1),
    Kind.LONG: (-(2**31), 2**31 - 1),
    Kind.ULONGLONG: (0, 2**64 - 1),
}


def properties_in(found: Iterable[Property]) -> dict[str, int]:
    """The properties that apply at an object."""
    plain = {name: _plain(value) for name, value in found}
    return {name: value for name, value in plain.items() if value is not None}


def ranges_in(found: Iterable[NamedPropertyRange]) -> tuple[PropertyRange, ...]:
    """The properties that could be set, and to what."""
    return tuple(
        PropertyRange(one.name, _plain(one.range.low_val), _plain(one.range.high_val))
        for one in found
    )


def faults_in(found: Iterable[PropertyError]) -> list[Fault]:
    """Properties that cannot be set so, and what could be."""
    return [
        Fault(
            PropertyErrorCode[one.code.name],
            one.name,
            _plain(one.available_range.low_val),
            _plain(one.available_range.high_val),
        )
        for one in found
    ]


def _plain(value: Value) -> int | None:
    plain = value.value if isinstance(value, Any) else value
    return plain if isinstance(plain, int) else None


# Event types and constraints.


def types_out(patterns: Iterable[EventTypePattern]) -> Sequence[EventType]:
    """Event types for the wire."""
    return tuple(EventType(one.domain, one.type) for one in patterns)


def types_in(found: Iterable[EventType]) -> tuple[EventTypePattern, ...]:
    """Event types from the wire."""
    return tuple(EventTypePattern(one.domain_name, one.type_name) for one in found)


def constraint_out(made: Constraint) -> ConstraintExp:
    """A constraint for the wire."""
    return ConstraintExp(types_out(made.event_types), made.text)


def constraint_in(found: ConstraintExp) -> Constraint:
    """A constraint from the wire."""
    return constraint(found.constraint_expr, types_in(found.event_types))


def constraints_in(found: Iterable[ConstraintInfo]) -> dict[int, Constraint]:
    """The constraints of a filter by their ids."""
    return {one.constraint_id: constraint_in(one.constraint_expression) for one in found}


def mapped_in(found: Iterable[MappingConstraintInfo]) -> dict[int, MappedConstraint]:
    """The constraints of a mapping filter by their ids."""
    return {
        one.constraint_id: MappedConstraint(
            constraint_in(one.constraint_expression), _boxed(one.value)
        )
        for one in found
    }


def _boxed(value: Value) -> Any:
    return value if isinstance(value, Any) else Any(infer(value), value)
