"""Events as JSON: what suppliers push, typed or as ``{"any": value}``, and what consumers get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.channel.effects import Message
from tidings.channel.vocabulary import Item
from tidings.errors import InvalidEvent, InvalidEventType
from tidings.events.anyvalue import MAX_DEPTH, infer, nesting
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.codecs.json_codec import encode_event, event_form, event_from_plain
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_values import (
    boxed_from_plain,
    is_typed,
    value_from_plain,
    value_to_plain,
)
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern, event_type


def item_form(item: Item) -> dict[str, object]:
    """An event or bare value, ready to be written as a part of something larger."""
    if isinstance(item, StructuredEvent):
        return event_form(item)
    return {"any": value_to_plain(item)}


def item_from_plain(plain: object) -> Item:
    """Make an event or bare value of parsed JSON; an error says what would be right."""
    if isinstance(plain, dict) and len(plain) == 1 and "any" in plain:
        try:
            return _any(plain["any"])
        except InvalidEvent as error:
            raise error.inside("any") from error.__cause__
    return event_from_plain(plain)


def _any(plain: object) -> AnyValue:
    value = boxed_from_plain(plain) if is_typed(plain) else value_from_plain(plain)  # type: ignore[arg-type]
    if nesting(value) > MAX_DEPTH:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}")
    return value if isinstance(value, AnyValue) else AnyValue(infer(value), value)


def plain_of(value: object) -> Any:  # noqa: ANN401 -- JSON
    """A value in typed JSON."""
    return parse_json(write_json(value_to_plain(value)))  # type: ignore[arg-type]


def plain_item(item: Item) -> Any:  # noqa: ANN401 -- JSON
    """An event in typed JSON, or ``{"any": value}``."""
    return parse_json(write_json(item_form(item)))


def type_form(pattern: EventTypePattern) -> str | dict[str, str]:
    """``Domain::Type``, or an object of both where that text would be read otherwise."""
    text = f"{pattern.domain}::{pattern.type}"
    try:
        same = event_type(text) == pattern
    except InvalidEventType:
        same = False
    return text if same else {"domain": pattern.domain, "type": pattern.type}


def type_from_form(given: str | Mapping[str, str]) -> EventTypePattern:
    """The event-type pattern that was sent."""
    if isinstance(given, str):
        return event_type(given)
    if given.keys() != {"domain", "type"}:
        raise InvalidEventType("an event type is a text, or an object of domain and type")
    return EventTypePattern(**given)


def write_delivered(message: Message) -> str:
    """An event as JSON: seq, arrival, priority, producer and number if it has them, event.

    What the event is in typed JSON is not made again if somebody has made it before.
    """
    mark, json = message.mark, message.json
    marked = ""
    if mark is not None:
        producer = msgspec.json.encode(mark.producer).decode()
        marked = f'"producer":{producer},"number":{mark.number},'
    return (
        f'{{"seq":{message.seq},"arrival":{message.arrival},"priority":{message.priority},'
        f'{marked}"event":{(encode_event(message.event) if json is None else json).decode()}}}'
    )
