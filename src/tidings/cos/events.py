"""Events as they are on the wire, and as they flow through Tidings.

Nothing is copied that need not be: what was read from the wire is in the stored form already.
Three things differ. Stored, the header properties whose type the standard fixes are plain
numbers; properties are found by their names, so that of two with one name the first is kept; and
a bare value is an event of the type ``%ANY`` whose body it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
)
from tidings.cos.CosNotification_auto import StructuredEvent as WireEvent
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, Value, infer
from tidings.events.fields import ANY_EVENT_TYPE, is_any
from tidings.events.structured import STANDARD_HEADER, StructuredEvent

__all__ = ["NO_EVENT", "any_in", "any_out", "event_in", "event_out", "events_in", "events_out"]

_ANY_DOMAIN, _ANY_TYPE = ANY_EVENT_TYPE

# Shared by all events without properties; events are never changed.
_NOTHING: Final[Mapping[str, Value]] = {}

NO_EVENT: Final = WireEvent(EventHeader(FixedEventHeader(EventType("", ""), ""), ()), (), None)
"""What stands in the answer to who asked for an event when there is none."""


def event_in(event: WireEvent) -> StructuredEvent:
    """A structured event that was read from the wire.

    Raises:
        InvalidEvent: A property has no name.
    """
    ((event_type, name), header), data, body = event
    return StructuredEvent(
        event_type[0],
        event_type[1],
        name,
        _header_in(header) if header else _NOTHING,
        _data_in(data) if data else _NOTHING,
        body,
    )


def events_in(batch: Iterable[WireEvent]) -> list[StructuredEvent]:
    """Structured events that were read from the wire.

    Raises:
        InvalidEvent: A property has no name; the message says of which event.
    """
    made: list[StructuredEvent] = []
    try:
        # A loop, and not a comprehension: where it stops is where the fault is.
        for event in batch:
            made.append(event_in(event))  # noqa: PERF401
    except InvalidEvent as error:
        raise error.inside(f"[{len(made)}]") from error
    return made


def any_in(value: Value) -> StructuredEvent:
    """A value that was read from an any, as an event; the channel opens what is wrapped in it."""
    return StructuredEvent(_ANY_DOMAIN, _ANY_TYPE, "", _NOTHING, _NOTHING, value)


def event_out(event: StructuredEvent) -> WireEvent:
    """A structured event for the wire."""
    header, data = event.header, event.data
    return WireEvent(
        EventHeader(
            FixedEventHeader(EventType(event.domain, event.type), event.name),
            tuple([_header_out(name, header[name]) for name in header]) if header else (),
        ),
        tuple([Property(*item) for item in data.items()]) if data else (),
        event.body,
    )


def events_out(events: Iterable[StructuredEvent]) -> Sequence[WireEvent]:
    """Structured events for the wire."""
    return tuple([event_out(event) for event in events])


def any_out(event: StructuredEvent) -> Value:
    """What an any carries to a consumer of anys: the bare value, or the structured event."""
    return event.body if is_any(event) else event.as_any()


def _data_in(properties: Iterable[Property]) -> dict[str, Value]:
    properties = tuple(properties)
    found: dict[str, Value] = dict(properties)
    if len(found) != len(properties):
        found = {}
        for name, value in properties:
            found.setdefault(name, value)
    if "" in found:
        raise InvalidEvent("names must be non-empty text, not ''", "filterable_data")
    return found


def _header_in(properties: Iterable[Property]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in properties:
        if name in found:
            continue
        standard = STANDARD_HEADER.get(name)
        if standard is None:
            found[name] = value
        elif type(value) is int:
            # In an any a plain number has another type than in a header.
            inferred = infer(value)
            found[name] = value if inferred == standard else Any.trusted(inferred, value)
        elif isinstance(value, Any) and value.type == standard:
            found[name] = value.value
        else:
            found[name] = value
    if "" in found:
        raise InvalidEvent("names must be non-empty text, not ''", "variable_header")
    return found


def _header_out(name: str, value: Value) -> Property:
    standard = STANDARD_HEADER.get(name)
    if standard is not None and type(value) is int:
        return Property(name, Any.trusted(standard, value))
    return Property(name, value)
