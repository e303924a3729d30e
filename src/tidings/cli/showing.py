"""Text forms of events and objects, for tables and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tidings.events.codecs.json_codec import event_form
from tidings.events.codecs.json_text import write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.events.structured import StructuredEvent
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.channel.effects import Message
    from tidings.channel.views import ChannelInfo, ProxyInfo
    from tidings.events.anyvalue import Value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment_text(microseconds: int) -> str:
    """Format a time in UTC, to the millisecond."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def title(event: StructuredEvent) -> str:
    """Return `Domain::Type`, and the name if there is one."""
    return f"{event.domain}::{event.type} {event.name}".rstrip()


def fields_text(event: StructuredEvent) -> str:
    """Format an event's fields as on the command line."""
    return values_text(event.data)


def values_text(values: Mapping[str, Value]) -> str:
    """Format named values as on the command line."""
    return " ".join(f"{name}={_value_text(value)}" for name, value in values.items())


def _value_text(value: Any) -> str:  # noqa: ANN401 -- whatever an event carries
    plain = value_to_plain(value)
    if isinstance(plain, str) and plain and plain.isprintable() and " " not in plain:
        return plain
    return write_json(plain).decode()


def event_line(message: Message, redelivered: bool = False) -> str:
    """Format an event as one line: number, time, type, name, fields."""
    event = message.event
    again = "again" if redelivered else ""
    parts = (f"{message.seq:>6}", moment_text(message.arrival), title(event), fields_text(event))
    return "  ".join(filter(None, (*parts, again)))


def message_data(message: Message) -> dict[str, object]:
    """Return an event with its metadata as in the API."""
    data: dict[str, object] = {
        "seq": message.seq,
        "arrival": message.arrival,
        "priority": message.priority,
    }
    if message.mark is not None:
        data |= {"producer": message.mark.producer, "number": message.mark.number}
    return data | {"event": event_form(message.event)}


def named(info: ChannelInfo | ProxyInfo) -> str:
    """Return an object's name, or its id if it has none."""
    return info.name or str(info.id)


def state(proxy: ProxyInfo) -> str:
    """Return a proxy's state in one word."""
    if proxy.suspended:
        return "suspended"
    if not proxy.connected:
        return "never connected"
    return "connected" if proxy.attached else "away"


def as_data(info: object) -> dict[str, Any]:
    """Return a channel, filter, proxy, dead letter or trail as in the API."""
    from tidings.api.operations import view_json

    found: dict[str, Any] = view_json(info)
    return found


def qos_text(qos: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return properties with their values as text."""
    from tidings.api.properties import properties_out

    return [(name, str(value)) for name, value in properties_out(qos).items()]


def show_object(data: object, rows: Sequence[tuple[str, str]]) -> None:
    """Print an object: its properties as a table, or its data as JSON."""
    if render.is_json():
        render.as_json(data)
    else:
        render.table(("property", "value"), rows)
