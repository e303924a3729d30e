from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tidings.channel.property_errors import PropertyRange
from tidings.channel.qos import Level, QoS, Reliability
from tidings.channel.qos_check import (
    EventQoS,
    changed,
    effective,
    header_values,
    validate,
    validate_event,
)
from tidings.clock import from_timebase
from tidings.errors import InvalidEvent, PropertyErrorCode, UnsupportedQoS
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.structured import event_in_any

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PERSISTENT = QoS({"ConnectionReliability": 1})
NO_STORE = {"EventReliability": (0, 0), "ConnectionReliability": (0, 0)}


def test_a_change_gives_another_value_and_leaves_the_old_one() -> None:
    before = QoS({"Priority": 1})
    after = changed(before, Level.PROXY, QoS(), {"Priority": 2, "Timeout": 3})
    assert (before.priority, after.priority, after.timeout) == (1, 2, 3)


def test_every_bad_property_is_listed_and_nothing_is_set() -> None:
    asked = {"Priority": 5, "Nope": 1, "Timeout": "x", "OrderPolicy": 4, "StartTime": 1}
    with pytest.raises(UnsupportedQoS) as caught:
        changed(QoS(), Level.CHANNEL, None, asked)
    assert [(e.name, e.code.name) for e in caught.value.errors] == [
        ("Nope", "BAD_PROPERTY"),
        ("Timeout", "BAD_TYPE"),
        ("OrderPolicy", "BAD_VALUE"),
        ("StartTime", "UNSUPPORTED_PROPERTY"),
    ]


def test_without_stable_storage_persistent_is_not_supported() -> None:
    with pytest.raises(UnsupportedQoS) as caught:
        changed(QoS(), Level.CHANNEL, None, {"ConnectionReliability": 1}, NO_STORE)
    assert caught.value.errors == (
        (PropertyErrorCode.UNSUPPORTED_VALUE, "ConnectionReliability", 0, 0),
    )


def test_an_event_has_no_qos_to_change() -> None:
    with pytest.raises(ValueError, match="validate_event"):
        changed(QoS(), Level.EVENT, None, {})
    with pytest.raises(ValueError, match="validate_event"):
        validate(QoS(), Level.EVENT, None, {})


def test_what_else_could_be_set_leaves_out_what_is_required() -> None:
    ranges = validate(QoS(), Level.PROXY, PERSISTENT, {"Priority": 1, "Timeout": 2})
    assert [r.name for r in ranges] == [
        "ConnectionReliability",
        "StartTimeSupported",
        "StopTimeSupported",
        "MaxEventsPerConsumer",
        "OrderPolicy",
        "DiscardPolicy",
        "MaximumBatchSize",
        "PacingInterval",
    ]
    assert PropertyRange("OrderPolicy", 0, 3) in ranges


@pytest.mark.parametrize(
    ("level", "parent", "required", "expected"),
    [
        (Level.CHANNEL, None, {}, {("EventReliability", 0, 0), ("ConnectionReliability", 0, 1)}),
        (Level.CHANNEL, None, {"ConnectionReliability": 1}, {("EventReliability", 0, 1)}),
        (Level.ADMIN, QoS(), {}, {("ConnectionReliability", 0, 0)}),
        (Level.PROXY, PERSISTENT, {}, {("ConnectionReliability", 0, 1)}),
    ],
)
def test_ranges_follow_from_the_other_settings(
    level: Level, parent: QoS | None, required: dict[str, int], expected: set[PropertyRange]
) -> None:
    ranges = validate(QoS(), level, parent, required)
    assert {r for r in ranges if "Reliability" in r.name} == expected


def test_persistent_events_keep_their_connections_persistent() -> None:
    ranges = validate(PERSISTENT, Level.CHANNEL, None, {"EventReliability": 1})
    assert PropertyRange("ConnectionReliability", 1, 1) in ranges


def test_validating_raises_as_setting_does() -> None:
    with pytest.raises(UnsupportedQoS, match="Priority"):
        validate(QoS(), Level.ADMIN, QoS(), {"Priority": "x"})


def test_what_an_events_header_could_carry() -> None:
    ranges = validate_event(QoS(), {"Priority": 1})
    assert ranges == (
        ("EventReliability", 0, 0),
        ("StartTime", None, None),
        ("StopTime", None, None),
        ("Timeout", 0, 2**64 - 1),
    )
    proxy = QoS({"StartTimeSupported": False, "ConnectionReliability": 1})
    names = {r.name: r.high for r in validate_event(proxy, {})}
    assert "StartTime" not in names
    assert names["EventReliability"] == 1


def test_a_property_nobody_can_set_now_is_not_offered() -> None:
    persistent = QoS({"ConnectionReliability": 1, "EventReliability": 1})
    ranges = validate(persistent, Level.CHANNEL, None, {}, {"ConnectionReliability": (0, 0)})
    assert "ConnectionReliability" not in {r.name for r in ranges}


def test_an_empty_header_inherits() -> None:
    proxy = QoS({"Priority": 3, "Timeout": 9, "EventReliability": 1})
    assert effective({}, proxy) == EventQoS(3, 9, Reliability.PERSISTENT)


def test_the_header_goes_before_the_proxy() -> None:
    sent = event(
        "D",
        "T",
        priority=7,
        timeout=timedelta(seconds=1),
        start=NOON,
        stop=NOON + timedelta(hours=1),
        header={"EventReliability": 1, "mine": "x"},
    )
    found = effective(sent.header, PERSISTENT)
    assert (found.priority, found.timeout) == (7, 10_000_000)
    assert found.reliability is Reliability.PERSISTENT
    assert found.start is not None
    assert found.stop is not None
    assert from_timebase(found.start) == NOON.timestamp() * 1_000_000
    assert found.stop - found.start == 36_000_000_000


def test_a_timeout_of_zero_in_the_header_is_a_long_life() -> None:
    assert effective({"Timeout": 0}, QoS({"Timeout": 9})).timeout == 0


@pytest.mark.parametrize(
    "header",
    [
        {"Priority": Any(tc.LONG, 5)},
        {"Priority": "high"},
        {"Priority": -32768},
        {"Timeout": 1.5},
        {"Timeout": Any(tc.LONGLONG, 5)},
        {"EventReliability": 2},
        {"EventReliability": True},
        {"StartTime": 7},
        {"StopTime": "soon"},
    ],
)
def test_a_wrong_standard_property_of_a_header_is_refused(header: dict[str, object]) -> None:
    [(name, value)] = header.items()
    with pytest.raises(InvalidEvent) as caught:
        header_values({"source": 1, **header}, QoS({"Priority": 3, "Timeout": 9}))
    assert caught.value.where == f"header.{name}"
    assert str(caught.value).endswith(f"not {value!r}")


@pytest.mark.parametrize(
    ("header", "warning"),
    [
        ({"Priorty": 4}, "header.Priorty has no effect; did you mean Priority?"),
        ({"priority": 4}, "header.priority has no effect; did you mean Priority?"),
        ({"start_time": 4}, "header.start_time has no effect; did you mean StartTime?"),
        ({"OrderPolicy": 1}, "header.OrderPolicy has no effect: it is set at a channel"),
        ({"EventReliability": 1}, "header.EventReliability: this value is not possible given"),
        ({"time": 4, "source": "x", "start": 5, "stop": 6, "prior": 1}, ""),
    ],
)
def test_what_has_no_effect_is_said(header: dict[str, object], warning: str) -> None:
    found = header_values({"Timeout": 5, **header}, QoS())
    assert found.values == {"Timeout": 5}
    assert "".join(found.warnings).startswith(warning)
    assert len(found.warnings) == bool(warning)


def test_of_a_large_header_the_first_names_are_looked_at() -> None:
    own = {f"Priorit{at}": at for at in range(10_000)}
    assert len(header_values(own, QoS()).warnings) < 20


def test_times_that_are_not_supported_are_ignored() -> None:
    header = event("D", "T", start=NOON, stop=NOON).header
    no_start = effective(header, QoS({"StartTimeSupported": False}))
    no_stop = effective(header, QoS({"StopTimeSupported": False}))
    assert (no_start.start, no_stop.stop) == (None, None)
    assert None not in (no_start.stop, no_stop.start)


def test_an_event_from_an_any_says_the_same() -> None:
    sent = event("D", "T", priority=7, start=NOON, timeout=timedelta(1))
    back = event_in_any(sent.as_any())
    assert back is not None
    assert effective(back.header, QoS()) == effective(sent.header, QoS())


def test_without_stable_storage_a_persistent_header_is_ignored() -> None:
    found = effective({"EventReliability": 1}, PERSISTENT, NO_STORE)
    assert found.reliability is Reliability.BEST_EFFORT
