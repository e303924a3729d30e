from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event, utc
from tidings.events.standard_header import with_standard_types
from tidings.events.structured import UTC_T, StructuredEvent

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
UNITS = 1_794_744_000 * 10**7 + 122_192_928_000_000_000


def test_the_smallest_event() -> None:
    assert event("A", "B") == StructuredEvent("A", "B", "", {}, {}, None)


def test_an_event_with_everything() -> None:
    made = event(
        "Traffic",
        "Speed",
        "car-7",
        {"rate": 57.5, "zones": [3, 17]},
        header={"mine": 1},
        body={"free": None},
        priority=4,
        timeout=timedelta(seconds=1.5),
        start=NOON,
        stop=NOON + timedelta(days=1),
    )
    assert made.header["Priority"] == 4
    assert made.header["Timeout"] == 15_000_000
    assert made.header["StartTime"] == Any(UTC_T, (UNITS, 0, 0, 0))
    assert list(made.header) == ["mine", "Priority", "Timeout", "StartTime", "StopTime"]
    assert made.data == {"rate": 57.5, "zones": (3, 17)}
    assert made.body == {"free": None}


def test_standard_properties_as_texts_have_the_types_of_the_standard() -> None:
    texts = {
        "Timeout": "1500ms",
        "StartTime": "2026-11-15T12:00:00Z",
        "StopTime": "2026-11-15T14:00:00+02:00",
        "EventReliability": "Persistent",
    }
    typed = {
        "Timeout": 15_000_000,
        "StartTime": Any(UTC_T, (UNITS, 0, 0, 0)),
        "StopTime": Any(UTC_T, (UNITS, 0, 0, 0)),
        "EventReliability": 1,
    }
    assert event("A", "B", header=texts).header == typed
    assert event("A", "B", timeout="1500ms", start=texts["StartTime"]).header == {
        name: typed[name] for name in ("Timeout", "StartTime")
    }
    plain = StructuredEvent("A", "B", "", {**texts, "mine": "5s"})
    assert with_standard_types(plain).header == {**typed, "mine": "5s"}


def test_a_keyword_goes_before_the_header() -> None:
    assert event("A", "B", header={"Priority": 1}, priority=2).header == {"Priority": 2}


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=30))])
def test_moments_in_any_zone(zone: timezone) -> None:
    assert utc(NOON.astimezone(zone)) == Any(UTC_T, (UNITS, 0, 0, 0))


def test_moments_are_exact() -> None:
    later = utc(NOON + timedelta(microseconds=1))
    assert later == Any(UTC_T, (UNITS + 10, 0, 0, 0))


@pytest.mark.parametrize(
    ("arguments", "keywords", "where"),
    [
        ((5, "B"), {}, "domain"),
        (("A", None), {}, "type"),
        (("A", "B", "\ud800"), {}, "name"),
        (("A", "B", "", {"x": object()}), {}, "data.x"),
        (("A", "B", "", {"": 1}), {}, "data"),
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


def test_types_of_header_and_data_can_be_said() -> None:
    made = event("A", "B", data={"x": Any(tc.SHORT, 1)}, header={"y": Any(tc.CHAR, "c")})
    assert made.data["x"] == Any(tc.SHORT, 1)
    assert made.header["y"] == Any(tc.CHAR, "c")


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
