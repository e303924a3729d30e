from __future__ import annotations

from dataclasses import replace

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.codecs.cloudevents_mapping import (
    FOREIGN_DOMAIN,
    MEDIA_TYPE,
    from_cloudevent,
    to_cloudevent,
)
from tidings.events.codecs.cloudevents_model import Attribute, CloudEvent, Json
from tidings.events.envelope import Envelope, ProducerMark, TraceContext
from tidings.events.fields import fields_of
from tidings.events.paths import Path
from tidings.events.structured import StructuredEvent

ORIGIN = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{ORIGIN}-b7ad6b7169203331-01"
SPEED = event("Traffic", "Speed", "car-7", {"rate": 57.5})
# 15 November 2026, noon, and a microsecond.
FULL = Envelope(
    SPEED,
    ORIGIN,
    42,
    1_794_744_000_000_001,
    7,
    ProducerMark("cam 3", 9),
    (ORIGIN, "f" * 32),
    TraceContext(TRACEPARENT, "a=1"),
)
ATTRIBUTES: dict[str, Attribute] = {
    "specversion": "1.0",
    "id": "42",
    "source": f"urn:tidings:{ORIGIN}",
    "type": "Speed",
    "subject": "car-7",
    "time": "2026-11-15T12:00:00.000001Z",
    "datacontenttype": MEDIA_TYPE,
    "domain": "Traffic",
    "plan": "7",
    "producer": "cam 3",
    "number": "9",
    "hops": f"{ORIGIN},{'f' * 32}",
    "traceparent": TRACEPARENT,
    "tracestate": "a=1",
}
DATA = {"domain": "Traffic", "type": "Speed", "name": "car-7", "data": {"rate": 57.5}}


def test_an_envelope_and_its_cloudevent() -> None:
    made = to_cloudevent(FULL)
    assert made == CloudEvent(ATTRIBUTES, Json(DATA))
    assert from_cloudevent(made) == FULL


def test_the_least_envelope() -> None:
    least = Envelope(event("", ""), ORIGIN, 1, 0)
    made = to_cloudevent(least)
    assert made.attributes == {
        "specversion": "1.0",
        "id": "1",
        "source": f"urn:tidings:{ORIGIN}",
        "type": "tidings.event",
        "time": "1970-01-01T00:00:00.000000Z",
        "datacontenttype": MEDIA_TYPE,
    }
    assert from_cloudevent(made) == least


@pytest.mark.parametrize("text", ["a\nb", "\ufffe", "x" * 257, "tidings.event", "é 😀"])
def test_texts_that_attributes_can_or_cannot_carry(text: str) -> None:
    envelope = replace(FULL, event=event(text, text, text))
    assert from_cloudevent(to_cloudevent(envelope)) == envelope


@pytest.mark.parametrize(
    ("arrival", "attribute", "text"),
    [
        (-62_135_596_800_000_000, "time", "0001-01-01T00:00:00.000000Z"),
        (253_402_300_799_999_999, "time", "9999-12-31T23:59:59.999999Z"),
        (253_402_300_800_000_000, "arrival", "253402300800000000"),
        (-62_135_596_800_000_001, "arrival", "-62135596800000001"),
        (-(2**63), "arrival", str(-(2**63))),
    ],
)
def test_all_times_of_arrival(arrival: int, attribute: str, text: str) -> None:
    envelope = replace(FULL, arrival=arrival)
    made = to_cloudevent(envelope)
    assert made.attributes[attribute] == text
    assert from_cloudevent(made) == envelope


def test_time_may_be_spelled_in_another_way_and_others_may_add_attributes() -> None:
    for time in ("2026-11-15T12:00:00.000001+00:00", "2026-11-15t17:30:00.000001+05:30"):
        attributes = {**ATTRIBUTES, "time": time, "partitionkey": "x"}
        assert from_cloudevent(CloudEvent(attributes, Json(DATA))) == FULL


@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ({"id": "042"}, "id", "by the data it would be '42'"),
        ({"id": "4_2"}, "id", "decimal digits"),
        ({"id": "9" * 20}, "id", "decimal digits"),
        ({"id": "0"}, "seq", "not between 1"),
        ({"source": "urn:tidings:x"}, "origin", "32 hexadecimal"),
        ({"type": "Other"}, "type", "the attribute is 'Other'; by the data it would be 'Speed'"),
        ({"subject": None}, "subject", "the attribute is None"),
        ({"domain": "Other"}, "domain", "'Traffic'"),
        ({"plan": "seven"}, "plan", "decimal digits"),
        ({"plan": "0"}, "plan", "None"),
        ({"producer": None}, "producer", "1 to 256"),
        ({"number": None}, "number", "decimal digits"),
        ({"hops": "x"}, "origin", "hexadecimal"),
        ({"traceparent": None}, "traceparent", "no traceparent"),
        ({"time": None}, "time", "must be the time of arrival"),
        ({"time": "2016-12-31T23:59:60Z"}, "time", "no moment"),
        ({"arrival": "5"}, "arrival", "would be None"),
    ],
)
def test_what_is_ours_and_broken(
    changes: dict[str, Attribute | None], where: str, says: str
) -> None:
    changed: dict[str, Attribute | None] = {**ATTRIBUTES, **changes}
    attributes = {name: value for name, value in changed.items() if value is not None}
    with pytest.raises(InvalidEvent, match=says) as caught:
        from_cloudevent(CloudEvent(attributes, Json(DATA)))
    assert caught.value.where == where


@pytest.mark.parametrize("data", [None, "text", b"octets", Json(5), Json({**DATA, "x": 1})])
def test_ours_has_an_event_as_data(data: Json | str | bytes | None) -> None:
    with pytest.raises(InvalidEvent, match="data"):
        from_cloudevent(CloudEvent(ATTRIBUTES, data))


FOREIGN: dict[str, Attribute] = {
    "specversion": "1.0",
    "id": "A-1",
    "source": "/sensors",
    "type": "com.example.reading",
    "subject": "room 5",
    "retries": 3,
    "sampled": True,
}


@pytest.mark.parametrize(
    ("data", "fields", "body"),
    [
        (None, {}, None),
        (Json({"t": 21.5, "tags": ["a"]}), {"t": 21.5, "tags": ("a",)}, None),
        (Json({"$type": "long", "value": 5}), {"$type": "long", "value": 5}, None),
        (Json({"a": {"$type": 1}}), {"a": {"$type": 1}}, None),
        (Json({}), {}, None),
        (Json(None), {}, None),
        (Json([1, {"a": 2}]), {}, (1, {"a": 2})),
        (Json("text"), {}, "text"),
        (Json(5), {}, 5),
        (Json(False), {}, False),
        (b"\x00", {}, b"\x00"),
        (b"", {}, b""),
    ],
)
def test_foreign_events(data: Json | bytes | None, fields: object, body: object) -> None:
    given = CloudEvent(FOREIGN, data)
    made = from_cloudevent(given)
    assert isinstance(made, StructuredEvent)
    assert (made.domain, made.type, made.name) == (FOREIGN_DOMAIN, "com.example.reading", "A-1")
    assert (made.data, made.body) == (fields, body)
    assert to_cloudevent(made) == given


def test_filters_see_foreign_events_naturally() -> None:
    fields = fields_of(from_cloudevent(CloudEvent(FOREIGN, Json({"t": 21.5}))))
    assert fields.event_type == ("CloudEvents", "com.example.reading")
    expected = {"source": "/sensors", "subject": "room 5", "retries": 3, "sampled": True, "t": 21.5}
    assert {name: fields[Path(name)] for name in expected} == expected


def test_text_with_a_media_type() -> None:
    given = CloudEvent({**FOREIGN, "datacontenttype": "text/plain"}, "text")
    made = from_cloudevent(given)
    assert isinstance(made, StructuredEvent)
    assert made.body == "text"
    assert to_cloudevent(made) == given


@pytest.mark.parametrize(
    "changes", [{"source": "urn:tidings:x"}, {"datacontenttype": MEDIA_TYPE}], ids=repr
)
def test_half_of_our_marks_is_foreign(changes: dict[str, Attribute]) -> None:
    given = CloudEvent({**FOREIGN, **changes}, Json({"a": 1}))
    made = from_cloudevent(given)
    assert isinstance(made, StructuredEvent)
    assert made.domain == FOREIGN_DOMAIN
    assert to_cloudevent(made) == given


@pytest.mark.parametrize(
    ("data", "where", "says"),
    [
        ({"a": [2**64]}, "data.a[0]", "outside the integers"),
        ({"a": {"": 1}}, "data.a", "non-empty"),
    ],
)
def test_data_that_no_event_can_be(data: object, where: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        from_cloudevent(CloudEvent(FOREIGN, Json(data)))
    assert caught.value.where == where


SOURCE = {"source": "/s"}


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (SPEED, "only an event that came as a CloudEvent has a source"),
        (event(FOREIGN_DOMAIN, "t", "1"), "only an event that came"),
        (event(FOREIGN_DOMAIN, "", "1", header=SOURCE), "type: must be a text that is not empty"),
        (event(FOREIGN_DOMAIN, "t", "", header=SOURCE), "id: must be"),
        (event(FOREIGN_DOMAIN, "t", "1", header={**SOURCE, "x": 1.5}), "x: an attribute is"),
        (
            event(FOREIGN_DOMAIN, "t", "1", {"a": b"x"}, header=SOURCE),
            "data.a: b'x' cannot be said",
        ),
        (
            event(FOREIGN_DOMAIN, "t", "1", {"a": [float("nan")]}, header=SOURCE),
            r"data.a\[0\]: nan",
        ),
        (event(FOREIGN_DOMAIN, "t", "1", {"a": 1}, header=SOURCE, body=1), "either members"),
        (event(FOREIGN_DOMAIN, "t", "1", header=SOURCE, body=Any(tc.SHORT, 1)), "body: Any"),
        (
            event(FOREIGN_DOMAIN, "t", "1", header={**SOURCE, "datacontenttype": "a/b"}, body=5),
            "a text or octets",
        ),
    ],
)
def test_events_that_are_no_cloudevents(one: StructuredEvent, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says):
        to_cloudevent(one)
