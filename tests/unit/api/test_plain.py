from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.property.strategies import events, stored_values
from tidings.api.items import item_from_plain
from tidings.api.plain import plain_item, plain_of
from tidings.errors import TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value, same
from tidings.events.codecs.json_reading import value_from_plain
from tidings.events.structured import StructuredEvent


@given(stored_values)
def test_values_are_what_a_parser_returns(value: Value) -> None:
    plain = plain_of(value)
    assert repr(json.loads(json.dumps(plain))) == repr(plain)
    assert same(value_from_plain(plain), value)


@given(events)
def test_events_are_what_a_parser_returns(event: StructuredEvent) -> None:
    plain = plain_item(event)
    assert repr(json.loads(json.dumps(plain))) == repr(plain)
    assert item_from_plain(plain) == event


def test_a_bare_value_is_named_so() -> None:
    assert plain_item(Any(tc.SHORT, 3)) == {"any": {"$type": "short", "value": 3}}


def test_what_is_no_value_is_refused() -> None:
    with pytest.raises((TidingsError, TypeError)):
        plain_of(object())
