"""Events and their envelopes: how they are built, and what is none."""

from __future__ import annotations

import pickle
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from operator import ne

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.envelope import MAX_HOPS, Envelope, TraceContext
from tidings.events.structured import STRUCTURED_EVENT, StructuredEvent, event_in_any, pack_header


@pytest.mark.parametrize(
    ("arguments", "keywords", "where"),
    [
        *(((5, "B"), {}, "domain"), (("A", None), {}, "type"), (("A", "B", "\ud800"), {}, "name")),
        *((("A", "B", "", {"x": object()}), {}, "data.x"), (("A", "B", "", {"": 1}), {}, "data")),
        (("A", "B", "", {"a": [1, {"b": "\ud800"}]}), {}, "data.a[1].b"),
        (("A", "B"), {"header": {"x": {1}}}, "header.x"),
        (("A", "B"), {"body": [2**64]}, "body[0]"),
        (("A", "B"), {"priority": 40_000}, "header.Priority"),
        (("A", "B"), {"timeout": timedelta(seconds=-1)}, "header.Timeout"),
        (("A", "B"), {"timeout": timedelta.max}, "header.Timeout"),
        (("A", "B"), {"start": datetime(2026, 1, 1)}, "header.StartTime"),  # noqa: DTZ001 -- that is it
        (("A", "B"), {"stop": datetime(1582, 10, 14, tzinfo=UTC)}, "header.StopTime.time"),
    ],
)
def test_what_is_no_event(
    arguments: tuple[object, ...], keywords: dict[str, object], where: str
) -> None:
    with pytest.raises(InvalidEvent) as caught:
        event(*arguments, **keywords)  # type: ignore[arg-type]
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("part", "where"),
    [
        ({"timeout": 5}, "header.Timeout: must be a timedelta or a text, not 5"),
        ({"start": 5}, "header.StartTime: must be a datetime or a text, not 5"),
        ({"stop": "now"}, "header.StopTime: must be a time such as 2027-01-01T08:00:00Z"),
        ({"start": "2027-01-01T08:00:00"}, "header.StartTime: must be a time such as"),
        ({"timeout": "5x"}, "header.Timeout: must be a duration such as 250ms, 5s or 2h"),
        ({"header": {"Priority": "high"}}, "header.Priority: must be a short from -32767 to 32767"),
        ({"header": {"EventReliability": "Sure"}}, "header.EventReliability: must be BestEffort"),
        ({"data": 5}, "data: must be a mapping of names to values, not 5"),
        ({"header": ["Priority"]}, "header: must be a mapping of names to values"),
    ],
)
def test_parts_of_a_wrong_kind_are_named(part: dict[str, object], where: str) -> None:
    with pytest.raises(InvalidEvent, match=where):
        event("Traffic", "Speed", **part)  # type: ignore[arg-type]


class Level(IntEnum):
    HIGH = 3


def test_events_are_equal_by_type_and_value() -> None:
    assert event("A", "B", data={"x": 1}) == event("A", "B", data={"x": 1})
    assert not ne(event("A", "B", data={"x": 1}), event("A", "B", data={"x": 1}))
    assert event("A", "B", data={"x": 1}) != event("A", "B", data={"x": 1.0})
    assert event("A", "B", data={"x": 1, "y": 2}) != event("A", "B", data={"y": 2, "x": 1})
    assert event("A", "B", header={"x": 1}) != event("A", "B", data={"x": 1})
    assert event("A", "B", body=1) != event("A", "B", body=True)
    assert event("A", "B") != "A"


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        *(({"Priority": 4}, {"Priority": 4}), ({"Priority": Any(tc.SHORT, 4)}, {"Priority": 4})),
        ({"Priority": Any(tc.LONG, 4)}, {"Priority": Any(tc.LONG, 4)}),
        ({"Priority": Any(tc.STRING, "x")}, {"Priority": "x"}),
        *(({"Priority": Level.HIGH}, {"Priority": 3}), ({"Priority": True}, {"Priority": True})),
        ({"Timeout": 2**64 - 1}, {"Timeout": 2**64 - 1}),
        ({"mine": Any(tc.LONG, 4)}, {"mine": 4}),
        ({"mine": Any(tc.SHORT, 4)}, {"mine": Any(tc.SHORT, 4)}),
    ],
    ids=repr,
)
def test_header_properties_as_stored(given: dict[str, object], stored: dict[str, Value]) -> None:
    assert StructuredEvent(header=pack_header(given)) == StructuredEvent(header=stored)
    assert pack_header(pack_header(given)) == pack_header(given)


@pytest.mark.parametrize("value", [5, (), (((("A", "B"), ""), ()), ((1,),), None)])
def test_another_shape_under_the_same_id(value: Value) -> None:
    false = tc.struct(STRUCTURED_EVENT.id, "StructuredEvent", [])
    with pytest.raises(InvalidEvent, match="another shape"):
        event_in_any(Any.trusted(false, value))


def test_events_travel_between_processes() -> None:
    data = {"count": 7, "record": {"x": (1, 2)}, "short": Any(tc.SHORT, 1)}
    header = {"Priority": 4, "Timeout": 10, "EventReliability": Any(tc.LONG, 1), "mine": 5}
    alarm = event("Telecom", "Alarm", "a-1", data, header=header, body=[1, "two"])
    assert pickle.loads(pickle.dumps(alarm)) == alarm


ORIGIN = "0af7651916cd43dd8448eb211c80319c"
ENVELOPE = Envelope(event("A", "B"), ORIGIN, 1, 0)
TRACEPARENT = f"00-{ORIGIN}-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        *(({"origin": "x"}, "origin"), ({"origin": ORIGIN.upper()}, "origin")),
        *(({"hops": (ORIGIN, "x")}, "origin"), ({"hops": (ORIGIN,) * (MAX_HOPS + 1)}, "hops")),
        *(({"seq": 0}, "seq"), ({"seq": 2**63}, "seq"), ({"arrival": 2**63}, "arrival")),
        *(({"arrival": -(2**63) - 1}, "arrival"), ({"plan": -1}, "plan")),
        ({"plan": 2**63}, "plan"),
    ],
)
def test_what_is_no_envelope(changes: dict[str, object], where: str) -> None:
    with pytest.raises(InvalidEvent) as caught:
        replace(ENVELOPE, **changes)  # type: ignore[arg-type]
    assert caught.value.where == where


@pytest.mark.parametrize("state", ["\t", "é", "\n", "a" * 8193])
def test_a_tracestate_is_printable(state: str) -> None:
    with pytest.raises(InvalidEvent, match="tracestate"):
        TraceContext(TRACEPARENT, state)
