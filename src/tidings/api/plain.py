"""Values and events as a JSON parser would return them: what models hold, and can be compared."""

from __future__ import annotations

from typing import Any

from tidings.api.items import item_form
from tidings.channel.vocabulary import Item
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_values import value_to_plain


def plain_of(value: object) -> Any:  # noqa: ANN401 -- JSON
    """A value in typed JSON."""
    return parse_json(write_json(value_to_plain(value)))  # type: ignore[arg-type]


def plain_item(item: Item) -> Any:  # noqa: ANN401 -- JSON
    """An event in typed JSON, or ``{"any": value}``."""
    return parse_json(write_json(item_form(item)))
