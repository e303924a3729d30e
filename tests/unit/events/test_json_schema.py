from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given

from tests.property.strategies import events
from tests.unit.events.mini_schema import complaints
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.codecs.json_codec import event_to_plain
from tidings.events.json_schema import json_schema_of
from tidings.events.schema import Catalogue, Limits
from tidings.events.structured import StructuredEvent

SAMPLES: list[object] = [
    *(1, 2**40, 2**63, 1.5, math.nan, "a", True, None, b"ab", [], [1], [1, "a"], [math.inf, 1.0]),
    *({"a": 1}, {"$type": 1}, Decimal("1.5"), Any(tc.SHORT, 1), Any(tc.ANY, 1), tc.LONG),
    *(Any(tc.sequence(tc.ANY), [1, 2]), Any(tc.sequence(tc.SHORT), [1]), [{"a": 1}, {"a": 2}]),
    *(Any(tc.struct("", "", [("", tc.LONG)]), (1,)), Any(tc.string(3), "a")),
]


def schema_of(*seen: StructuredEvent, limits: Limits | None = None) -> dict[str, object]:
    catalogue = Catalogue(limits)
    for one in seen:
        catalogue.observe(one)
    return json_schema_of(catalogue.find(seen[0].domain, seen[0].type))


@pytest.mark.parametrize("value", SAMPLES, ids=repr)
def test_an_observed_event_is_valid(value: object) -> None:
    for one in (event("A", "B", data={"x": value}), event("A", "B", header={"x": value})):
        assert complaints(schema_of(one), event_to_plain(one)) == []


def test_all_observed_events_are_valid_together() -> None:
    seen = [event("A", "B", data={"x": value}) for value in SAMPLES]
    for limits in (None, Limits(types=3)):
        schema = schema_of(*seen, limits=limits)
        assert [complaints(schema, event_to_plain(one)) for one in seen] == [[]] * len(seen)


@pytest.mark.parametrize(
    "priority",
    [4, Any(tc.LONG, 4), Any(tc.USHORT, 4), True, Any(tc.STRING, "high"), Any(tc.ANY, 4)],
    ids=repr,
)
def test_standard_header_properties(priority: object) -> None:
    one = event("A", "B", header={"Priority": priority})
    assert complaints(schema_of(one), event_to_plain(one)) == []


@given(events)
def test_every_observed_event_is_valid(one: StructuredEvent) -> None:
    assert complaints(schema_of(one), event_to_plain(one)) == []


def test_other_events_are_not() -> None:
    schema = schema_of(event("A", "B", data={"x": 1, "y": "a"}), event("A", "B", data={"x": 2}))
    for wrong in (
        event("A", "C", data={"x": 1}),
        event("A", "B", data={"y": "a"}),
        event("A", "B", data={"x": "1"}),
        event("A", "B", data={"x": 1, "y": 2}),
        event("A", "B"),
    ):
        assert complaints(schema, event_to_plain(wrong))
    assert complaints(schema, event_to_plain(event("A", "B", data={"x": 1, "new": 2}))) == []


def test_the_schema_reads_well() -> None:
    one = event("Traffic", "Speed", "car-7", {"rate": 57.5, "zones": [3]}, priority=4)
    schema = schema_of(one)
    assert schema["title"] == "Traffic/Speed"
    assert schema["required"] == ["domain", "type", "header", "data"]
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert properties["header"]["properties"] == {"Priority": {"type": "integer"}}
    assert properties["data"]["required"] == ["rate", "zones"]
