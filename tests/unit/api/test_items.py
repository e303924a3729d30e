"""Events and bare values as JSON, and back."""

from __future__ import annotations

import pytest

from tidings import event
from tidings.api.items import item_form, item_from_plain
from tidings.channel.vocabulary import Item
from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.codecs.json_text import parse_json, write_json


@pytest.mark.parametrize(
    "item",
    [
        event("a", "b", "c", {"x": [1, 2]}, body="text"),
        Any(tc.STRING, "text"),
        Any(tc.LONG, 7),
        Any(tc.SHORT, 7),
        Any(tc.NULL, None),
        Any(tc.sequence(tc.DOUBLE), [1.5, 2.5]),
    ],
)
def test_an_item_comes_back(item: Item) -> None:
    assert item_from_plain(parse_json(write_json(item_form(item)))) == item


def test_a_bare_value_needs_no_type_where_that_can_be_told() -> None:
    assert item_from_plain({"any": 7}) == Any(tc.LONG, 7)
    assert item_from_plain({"any": "x"}) == Any(tc.STRING, "x")


def test_what_is_no_item_says_where() -> None:
    with pytest.raises(InvalidEvent) as caught:
        item_from_plain({"any": {"$type": "long", "value": "x"}})
    assert caught.value.where.startswith("any")
    deep: object = 1
    for _ in range(80):
        deep = [deep]
    with pytest.raises(InvalidEvent):
        item_from_plain({"any": deep})
    with pytest.raises(InvalidEvent):
        item_from_plain({"any": 1, "domain": "x"})
