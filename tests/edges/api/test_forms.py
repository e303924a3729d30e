"""Forms, in which questions and answers go over the wire: their edges, and their parts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.edges.api import view_strategies as views
from tests.edges.api.view_strategies import qos
from tests.laws.strategies import anys, events, stored_values
from tidings import errors
from tidings.api.forms import Asked, EventType, form_of
from tidings.api.items import item_from_plain, plain_item, plain_of, type_form
from tidings.api.operations import PullForm, pull, read_body, request_of
from tidings.api.properties import properties_in, properties_out
from tidings.channel import management as m
from tidings.channel.catalogue import OPERATIONS
from tidings.channel.property_errors import Level
from tidings.channel.qos import QOS_PROPERTIES, QoS
from tidings.channel.qos_check import changed
from tidings.events.anyvalue import Value, same
from tidings.events.codecs.json_values import value_from_plain
from tidings.events.structured import StructuredEvent
from tidings.federation import requests as f
from tidings.filters.constraint import EventTypePattern


def _command(kind: type, body: object, **rest: object) -> Any:
    row = OPERATIONS[kind]
    return request_of(row, rest, read_body(row, body))


def test_a_new_channel_is_persistent_unless_it_is_said_otherwise() -> None:
    both = {"EventReliability": 1, "ConnectionReliability": 1}
    assert _command(m.CreateChannel, {}, origin="x").qos == both
    volatile = _command(m.CreateChannel, {"persistent": False}, origin="x")
    assert volatile.qos == dict.fromkeys(both, 0)
    asked = {"qos": {"EventReliability": "BestEffort", "Colour": "red"}}
    found = _command(m.CreateChannel, asked, origin="x")
    assert found.qos == {**both, "EventReliability": 0, "Colour": "red"}


def test_a_nested_object_that_is_left_out_has_its_defaults() -> None:
    side = {"adapter": "a", "service": "roads", "kind": "memory"}
    made = _command(f.CreateGateway, {"name": "tower", "sides": [side]})
    assert made.sides == (f.SideConfig("a", "roads", "memory"),)


def test_the_place_of_a_fault_is_known() -> None:
    with pytest.raises(errors.InvalidConstraint) as caught:
        _command(m.CreateFilter, {"constraints": ["TRUE", {"text": "$a ==\n and"}]})
    assert (caught.value.line, caught.value.text) == (2, "$a ==\n and")
    with pytest.raises(errors.InvalidEventType):
        _command(m.CreateFilter, {"constraints": [{"types": ["a::%NONE"]}]})
    short = {"$type": "short", "value": 70000}
    with pytest.raises(errors.InvalidEvent) as value:
        _command(m.AddMapped, {"mapped": [{"value": 1}, {"value": short}]}, filter=1)
    assert value.value.where.startswith("mapped[1].value")
    with pytest.raises(errors.InvalidEvent) as default:
        _command(m.CreateMapping, {"default": {"$type": "shirt", "value": 1}})
    assert default.value.where == "default.$type"
    with pytest.raises(errors.InvalidUsage, match="mode: Input should be"):
        _command(m.ObtainTypes, {"mode": "all"}, channel=1, proxy=2)


_EVENT_TYPE: TypeAdapter[EventType] = TypeAdapter(EventType)


@given(views.patterns)
def test_patterns_come_back_as_they_were(pattern: EventTypePattern) -> None:
    read = _EVENT_TYPE.validate_python(json.loads(json.dumps(type_form(pattern))))
    assert form_of(EventTypePattern).inward(read) == pattern


def test_a_list_that_is_too_long_is_not_looked_through() -> None:
    class Question(Asked):
        numbers: list[int]

    with pytest.raises(errors.LimitExceeded, match="'numbers' holds 1001 items"):
        Question.model_validate({"numbers": ["no number"] * 1001})


def test_what_is_no_item_says_where() -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        item_from_plain({"any": {"$type": "long", "value": "x"}})
    assert caught.value.where.startswith("any")
    deep: object = 1
    for _ in range(80):
        deep = [deep]
    for wrong in ({"any": deep}, {"any": 1, "domain": "x"}):
        with pytest.raises(errors.InvalidEvent):
            item_from_plain(wrong)


def test_a_typed_value_that_is_none_is_named() -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        properties_in({"Priority": {"$type": "shirt", "value": 3}})
    assert caught.value.where.startswith("Priority")


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


def _sent(properties: dict[str, Any]) -> dict[str, object]:
    return properties_in(json.loads(json.dumps(properties_out(properties))))


@given(qos | views.admin_properties)
def test_properties_come_back_as_they_were(properties: dict[str, int]) -> None:
    found = _sent(properties)
    assert found == properties
    assert [type(value) for value in found.values()] == [type(v) for v in properties.values()]


def _judged(properties: dict[str, Any]) -> list[tuple[str, errors.PropertyErrorCode]] | QoS:
    try:
        return changed(QoS(), Level.CHANNEL, None, properties)
    except errors.UnsupportedQoS as error:
        return [(one.name, one.code) for one in error.errors]


@given(
    st.dictionaries(
        st.sampled_from([*QOS_PROPERTIES, "Colour"]),
        st.one_of(anys, st.integers(), st.floats(), st.builds(object), st.just("\ud800")),
    )
)
def test_a_program_is_judged_alike_here_and_there(properties: dict[str, Any]) -> None:
    assert _judged(_sent(properties)) == _judged(properties)


_times = st.integers(0, 366 * 86_400_000_000)


@given(st.integers(1, 1_000), _times, _times)
def test_times_come_back_to_the_microsecond(most: int, wait: int, lease: int) -> None:
    found = PullForm.model_validate_json(json.dumps(pull(1, 2, most, wait, lease).body))
    assert (found.most, found.lease_microseconds) == (most, lease)
    assert found.wait_at_most(366 * 86_400) == wait


def test_nobody_waits_longer_than_the_service_lets() -> None:
    assert PullForm(wait=None).wait_at_most(60) == 60_000_000
    assert PullForm(wait=90).wait_at_most(60) == 60_000_000
    assert PullForm(wait=0.5).wait_at_most(60) == 500_000
    assert PullForm().wait_at_most(60) == 0
    assert PullForm().lease_microseconds == 30_000_000
