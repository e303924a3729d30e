from __future__ import annotations

import pickle
from enum import IntEnum

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.checking import conform
from tidings.events.structured import (
    STRUCTURED_EVENT,
    StructuredEvent,
    event_in_any,
    header_type,
    pack_header,
)
from tidings.events.typecode import TypeCode


class Level(IntEnum):
    HIGH = 3
    TOO_HIGH = 70_000


ALARM = event(
    "Telecom",
    "Alarm",
    "a-1",
    {"count": 7, "record": {"x": (1, 2)}, "short": Any(tc.SHORT, 1)},
    header={"Priority": 4, "Timeout": 10, "EventReliability": Any(tc.LONG, 1), "mine": 5},
    body=[1, "two"],
)


def test_events_are_equal_by_type_and_value() -> None:
    assert event("A", "B", data={"x": 1}) == event("A", "B", data={"x": 1})
    assert event("A", "B", data={"x": 1}) != event("A", "B", data={"x": 1.0})
    assert event("A", "B", data={"x": 1, "y": 2}) != event("A", "B", data={"y": 2, "x": 1})
    assert event("A", "B", header={"x": 1}) != event("A", "B", data={"x": 1})
    assert event("A", "B", body=1) != event("A", "B", body=True)
    assert event("A", "B") != "A"


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"Priority": 4}, {"Priority": 4}),
        ({"Priority": Any(tc.SHORT, 4)}, {"Priority": 4}),
        ({"Priority": Any(tc.LONG, 4)}, {"Priority": Any(tc.LONG, 4)}),
        ({"Priority": Any(tc.STRING, "x")}, {"Priority": "x"}),
        ({"Priority": Level.HIGH}, {"Priority": 3}),
        ({"Priority": True}, {"Priority": True}),
        ({"Timeout": 2**64 - 1}, {"Timeout": 2**64 - 1}),
        ({"mine": Any(tc.LONG, 4)}, {"mine": 4}),
        ({"mine": Any(tc.SHORT, 4)}, {"mine": Any(tc.SHORT, 4)}),
    ],
    ids=repr,
)
def test_header_properties_as_stored(given: dict[str, object], stored: dict[str, Value]) -> None:
    assert StructuredEvent(header=pack_header(given)) == StructuredEvent(header=stored)
    assert pack_header(pack_header(given)) == pack_header(given)


@pytest.mark.parametrize("priority", [2**15, -(2**15) - 1, Level.TOO_HIGH])
def test_a_priority_is_a_short(priority: int) -> None:
    with pytest.raises(InvalidEvent, match="no short") as caught:
        pack_header({"Priority": priority})
    assert caught.value.where == "header.Priority"


@pytest.mark.parametrize(
    ("name", "value", "type_"),
    [
        ("Priority", 4, tc.SHORT),
        ("Timeout", 4, tc.ULONGLONG),
        ("Priority", Any(tc.LONG, 4), tc.LONG),
        ("Priority", True, tc.BOOLEAN),
        ("mine", 4, tc.LONG),
    ],
)
def test_types_of_header_properties(name: str, value: Value, type_: TypeCode) -> None:
    assert header_type(name, value) == type_


def test_an_event_as_a_value_and_back() -> None:
    assert event_in_any(ALARM.as_any()) == ALARM


def test_an_event_as_a_checked_value_and_back() -> None:
    # In an any an unboxed integer is a long, in a header it may be a short: neither may leak.
    checked = Any(STRUCTURED_EVENT, ALARM.as_any().value)
    assert event_in_any(checked) == ALARM
    assert checked == ALARM.as_any()


def test_an_event_in_several_boxes() -> None:
    assert event_in_any(Any(tc.ANY, Any(tc.ANY, ALARM.as_any()))) == ALARM
    alias = tc.alias("IDL:E:1.0", "E", STRUCTURED_EVENT)
    assert event_in_any(Any.trusted(alias, ALARM.as_any().value)) == ALARM


@pytest.mark.parametrize("value", [5, "a", (1,), Any(tc.SHORT, 5), Any(tc.ANY, 5), None])
def test_what_is_no_event(value: Value) -> None:
    assert event_in_any(value) is None


def test_two_properties_with_one_name_are_refused() -> None:
    value = (((("A", "B"), ""), ()), (("x", 1), ("x", 2)), None)
    with pytest.raises(InvalidEvent, match="data: two properties have the name 'x'"):
        event_in_any(Any(STRUCTURED_EVENT, value))


@pytest.mark.parametrize("value", [5, (), (((("A", "B"), ""), ()), ((1,),), None)])
def test_another_shape_under_the_same_id(value: Value) -> None:
    false = tc.struct(STRUCTURED_EVENT.id, "StructuredEvent", [])
    with pytest.raises(InvalidEvent, match="another shape"):
        event_in_any(Any.trusted(false, value))


def test_the_value_has_the_standards_type() -> None:
    as_any = ALARM.as_any()
    assert conform(STRUCTURED_EVENT, as_any.value) == as_any.value
    assert as_any.type.id == "IDL:omg.org/CosNotification/StructuredEvent:1.0"


def test_events_travel_between_processes() -> None:
    assert pickle.loads(pickle.dumps(ALARM)) == ALARM
