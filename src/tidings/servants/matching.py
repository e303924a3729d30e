"""Fields of events to match; UnsupportedFilterableData if the event is invalid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidings.channel.translation import entered
from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
    StructuredEvent,
)
from tidings.cos.CosNotifyFilter_auto import UnsupportedFilterableData
from tidings.cos.events import any_in, event_in
from tidings.engine.host import Host
from tidings.errors import BadInput
from tidings.events import structured
from tidings.events.anyvalue import Value
from tidings.events.fields import Fields, fields_for

_TYPED: Final = EventHeader(FixedEventHeader(EventType("", "%TYPED"), ""), ())


def any_fields(value: Value, host: Host) -> Fields:
    """Return the fields of an any's value, or of the event in it."""
    return _fields(any_in(value), host)


def structured_fields(event: StructuredEvent, host: Host) -> Fields:
    """Return the fields of a structured event."""
    try:
        made = event_in(event)
    except BadInput as error:
        raise UnsupportedFilterableData from error
    return _fields(made, host)


def typed_fields(properties: Sequence[Property], host: Host) -> Fields:
    """Return the fields of a typed event: its operation and parameter values."""
    return structured_fields(StructuredEvent(_TYPED, properties, None), host)


def _fields(event: structured.StructuredEvent, host: Host) -> Fields:
    """Return the fields, treating the event as the host's channels would now."""
    try:
        kept = entered(event, unwrap=True)
    except BadInput as error:
        raise UnsupportedFilterableData from error
    return fields_for(kept, host.time())
