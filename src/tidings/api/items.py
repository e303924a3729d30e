"""What a supplier pushes, as JSON: an event in typed JSON, or ``{"any": value}``."""

from __future__ import annotations

from tidings.channel.vocabulary import Item
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import MAX_DEPTH, Any, infer, nesting
from tidings.events.codecs.json_codec import event_form, event_from_plain
from tidings.events.codecs.json_values import (
    boxed_from_plain,
    is_typed,
    value_from_plain,
    value_to_plain,
)
from tidings.events.structured import StructuredEvent


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


def _any(plain: object) -> Any:
    value = boxed_from_plain(plain) if is_typed(plain) else value_from_plain(plain)  # type: ignore[arg-type]
    if nesting(value) > MAX_DEPTH:
        raise InvalidEvent(f"values nest deeper than {MAX_DEPTH}")
    return value if isinstance(value, Any) else Any(infer(value), value)
