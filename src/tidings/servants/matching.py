"""Events that clients ask filters about directly, as filters see them."""

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
from tidings.events.boxes import Value
from tidings.events.fields import Fields, fields_for

_TYPED: Final = EventHeader(FixedEventHeader(EventType("", "%TYPED"), ""), ())


def any_fields(value: Value, host: Host) -> Fields:
    """The fields of a value from an any; of the event that it holds, if it holds one.

    Raises:
        UnsupportedFilterableData: It can be no event.
    """
    return _fields(any_in(value), host)


def structured_fields(event: StructuredEvent, host: Host) -> Fields:
    """The fields of a structured event.

    Raises:
        UnsupportedFilterableData: It is outside the rules.
    """
    try:
        made = event_in(event)
    except BadInput as error:
        raise UnsupportedFilterableData from error
    return _fields(made, host)


def typed_fields(properties: Sequence[Property], host: Host) -> Fields:
    """The fields of a typed event: its operation and the values of its parameters.

    Raises:
        UnsupportedFilterableData: A property is outside the rules.
    """
    return structured_fields(StructuredEvent(_TYPED, properties, None), host)


def _fields(event: structured.StructuredEvent, host: Host) -> Fields:
    """Opened and judged as the channels of the host would do it at this moment."""
    try:
        kept = entered(event, unwrap=True)
    except BadInput as error:
        raise UnsupportedFilterableData from error
    return fields_for(kept, host.time())
