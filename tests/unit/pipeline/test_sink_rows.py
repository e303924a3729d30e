"""Rows as events: each form, what is null, and what is none."""

from __future__ import annotations

import pyarrow as pa

from tidings.errors import InvalidEvent
from tidings.events.structured import StructuredEvent
from tidings.pipeline.sink_rows import events_of

TEXT = '{"domain": "D", "type": "T", "data": {"a": 1}}'


def events(**columns: object) -> list[object]:
    return list(events_of(pa.RecordBatch.from_pydict(columns)))  # type: ignore[arg-type]


def test_whole_events() -> None:
    event = StructuredEvent("D", "T", "", {}, {"a": 1})
    assert events(event=[TEXT]) == [event]
    assert events(raw=[TEXT.encode()], event=["no matter"]) == [event]


def test_structs_and_maps_are_properties_and_null_is_not_there() -> None:
    maps = pa.map_(pa.string(), pa.int64())
    [first, second] = events(
        domain=["D", "D"],
        type=["T", "T"],
        data=[{"a": 1, "b": None, "c": "x"}, None],
        data_int=pa.array([[("z", 9)], []], maps),
        header=pa.array([[("Priority", 4)], None], maps),
    )
    assert first == StructuredEvent("D", "T", "", {"Priority": 4}, {"a": 1, "c": "x", "z": 9})
    assert second == StructuredEvent("D", "T", "", {}, {})


def test_an_error_stands_for_what_is_no_event() -> None:
    [good, bad, null] = events(event=[TEXT, "{", None])
    assert isinstance(good, StructuredEvent)
    assert isinstance(bad, InvalidEvent)
    assert "null" in str(null)
    [nameless] = events(domain=[None], type=["T"])
    assert isinstance(nameless, InvalidEvent)
