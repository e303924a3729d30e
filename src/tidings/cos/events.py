"""Conversion between events on the wire and as Tidings stores them.

Copies are avoided: decoded values already have the stored form, and events that pass through are
decoded without the generated structs and sent as the received octets where those are identical.

Three things differ in the stored form. Header properties whose type the standard fixes are plain
numbers; properties are looked up by name, so an event with a duplicate name is refused; and a bare
value is an event of type ``%ANY`` with that body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from tidings.channel.vocabulary import Form
from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
)
from tidings.cos.CosNotification_auto import StructuredEvent as WireEvent
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, Value, infer
from tidings.events.fields import ANY_EVENT_TYPE
from tidings.events.structured import STANDARD_HEADER, StructuredEvent
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM

if TYPE_CHECKING:
    from tidings.orb.cdr_reader import Reader

_ANY_DOMAIN, _ANY_TYPE = ANY_EVENT_TYPE

# Shared by all events without properties; events are never changed.
_NOTHING: Final[Mapping[str, Value]] = {}

MOST_OCTETS: Final = 2_000_000
"""Limit of a message with several events: old ORBs refuse messages of more than 2 MiB."""

NO_EVENT: Final = WireEvent(EventHeader(FixedEventHeader(EventType("", ""), ""), ()), (), None)
"""The placeholder in the answer to a pull when there is no event."""


def event_in(event: WireEvent) -> StructuredEvent:
    """Convert a structured event; raise InvalidEvent for unnamed or duplicate properties."""
    (((domain, type_), name), variable), filterable, body = event
    header = _header_in(variable) if variable else _NOTHING
    data: Mapping[str, Value] = dict(filterable) if filterable else _NOTHING
    for where, found, came in (
        ("variable_header", header, variable),
        ("filterable_data", data, filterable),
    ):
        if "" in found:
            raise InvalidEvent("names must be non-empty text, not ''", where)
        if len(found) != len(came):
            raise InvalidEvent("two properties have the same name", where)
    return StructuredEvent(domain, type_, name, header, data, body)


def events_in(batch: Iterable[WireEvent]) -> list[StructuredEvent]:
    """Convert structured events from the wire; like `event_in`, the error names the event."""
    made: list[StructuredEvent] = []
    try:
        # A loop, not a comprehension: its length shows which event is invalid.
        for event in batch:
            made.append(event_in(event))  # noqa: PERF401
    except InvalidEvent as error:
        raise error.inside(f"[{len(made)}]") from error
    return made


def any_in(value: Value) -> StructuredEvent:
    """Convert an any's value to an event; the channel unwraps an event inside it."""
    return StructuredEvent(_ANY_DOMAIN, _ANY_TYPE, "", _NOTHING, _NOTHING, value)


def event_out(event: StructuredEvent) -> WireEvent:
    """Convert a structured event for the wire."""
    header, data = event.header, event.data
    return WireEvent(
        EventHeader(
            FixedEventHeader(EventType(event.domain, event.type), event.name),
            tuple([_header_out(name, header[name]) for name in header]) if header else (),
        ),
        tuple([Property(*item) for item in data.items()]) if data else (),
        event.body,
    )


def any_out(event: StructuredEvent) -> Value:
    """Return the value for a consumer of anys: the body of ``%ANY``, or the structured event."""
    return event.body if event.type == _ANY_TYPE else event.as_any()


class ReadEvent(NamedTuple):
    """A decoded event, and the octets it was decoded from.

    `octets` is None where encoding the event again would differ in some code set; `offset` is their
    position modulo 8, which alignment depends on.
    """

    event: StructuredEvent
    octets: bytes | None
    offset: int
    minor: int
    little: bool


def read_event(reader: Reader) -> ReadEvent:
    """Decode a structured event directly; raise BAD_PARAM for duplicate property names."""
    reader.align(4)
    start, foreign = reader.at, reader.foreign[0]
    string, value_of = reader.string, reader.any
    domain, type_, name = string(), string(), string()
    in_header = reader.length(8)
    header = _NOTHING
    if in_header:
        header = _header_in([(string(), value_of()) for _ in range(in_header)])
    data: dict[str, Value] = {}
    in_data = reader.length(8)
    for _ in range(in_data):
        key = string()
        data[key] = value_of()
    if "" in data or "" in header:
        raise BAD_PARAM(why="a property of the event has no name")
    if len(header) != in_header or len(data) != in_data:
        raise BAD_PARAM(why="two properties of the event have the same name")
    event = StructuredEvent(domain, type_, name, header, data, value_of())
    return _read(event, reader, start, portable=foreign == reader.foreign[0])


class ReadBatch:
    """A received batch of structured events, decoded one by one on iteration."""

    def __init__(self, count: int, reader: Reader) -> None:
        self.count = count
        self.reader = reader

    def __iter__(self) -> Iterator[ReadEvent]:
        """Decode the events in order; raise MARSHAL or BAD_PARAM like `read_event`."""
        for _ in range(self.count):
            self.reader.spent[2] = 0  # the limit is per event
            yield read_event(self.reader)


def read_batch(reader: Reader) -> ReadBatch:
    """Find a batch of structured events; raise MARSHAL if its count exceeds the octets."""
    return ReadBatch(reader.count(24), reader)


def read_bare(reader: Reader) -> ReadEvent:
    """Decode an any as an event; the channel unwraps an event inside it."""
    reader.align(4)
    start, foreign = reader.at, reader.foreign[0]
    event = any_in(reader.any())
    return _read(event, reader, start, portable=foreign == reader.foreign[0])


def _read(event: StructuredEvent, reader: Reader, start: int, *, portable: bool) -> ReadEvent:
    octets = reader.buffer[start : reader.at] if portable else None
    return ReadEvent(event, octets, (start - reader.origin) & 7, reader.minor, reader.little)


def write_event(writer: Writer, event: StructuredEvent) -> None:
    """Encode a structured event directly; raise DATA_CONVERSION if text does not fit."""
    string, any_ = writer.string, writer.any
    string(event.domain)
    string(event.type)
    string(event.name)
    writer.length(len(event.header))
    for item in event.header.items():
        name, value = _header_out(*item)
        string(name)
        any_(value)
    writer.length(len(event.data))
    for name, value in event.data.items():
        string(name)
        any_(value)
    any_(event.body)


def write_bare(writer: Writer, event: StructuredEvent) -> None:
    """Encode an event as an any; raise like `write_event`."""
    writer.any(any_out(event))


WRITE: Final[dict[Form, Callable[[Writer, StructuredEvent], None]]] = {
    Form.ANY: write_bare,
    Form.STRUCTURED: write_event,
    Form.SEQUENCE: write_event,
}
"""Encoders by form."""


def _header_in(properties: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in properties:
        standard = STANDARD_HEADER.get(name)
        if standard is None:
            found[name] = value
        elif type(value) is int:
            # A plain number has another type in an any than in a header.
            inferred = infer(value)
            found[name] = value if inferred == standard else Any.trusted(inferred, value)
        elif isinstance(value, Any) and (value.type is standard or value.type == standard):
            found[name] = value.value
        else:
            found[name] = value
    return found


def _header_out(name: str, value: Value) -> Property:
    standard = STANDARD_HEADER.get(name)
    if standard is not None and type(value) is int:
        return Property(name, Any.trusted(standard, value))
    return Property(name, value)
