"""Quality of service and admin properties: values, what may be set where, what a header may say."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.conformance.qos.qos_judge import SIMPLE, typed
from tidings.channel import properties
from tidings.channel.properties import AdminProperties
from tidings.channel.property_errors import (
    TIME_T,
    Level,
    Property,
    PropertyValues,
    judged,
    plain_value,
)
from tidings.channel.qos import QOS_PROPERTIES, DiscardPolicy, OrderPolicy, QoS, Reliability
from tidings.channel.qos_check import changed, header_values, is_plain, validate, validate_event
from tidings.clock import from_timebase
from tidings.errors import (
    InvalidEvent,
    PropertyError,
    PropertyErrorCode,
    UnsupportedAdmin,
    UnsupportedQoS,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.standard_header import STANDARD_NAMES, utc
from tidings.events.structured import UTC_T

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PERSISTENT = QoS({"ConnectionReliability": 1})
NO_STORE = {"EventReliability": (0, 0), "ConnectionReliability": (0, 0)}
MOMENT = (7, 1, 2, 60)

# Values.


def test_the_defaults() -> None:
    plain, qos = AdminProperties(), QoS()
    assert (plain.max_queue_length, plain.reject_new_events) == (0, True)
    assert (plain["MaxConsumers"], plain["MaxSuppliers"]) == (0, 0)
    assert qos.event_reliability is qos.connection_reliability is Reliability.BEST_EFFORT
    assert (qos.priority, qos.timeout, qos.pacing_interval) == (0, 0, 0)
    assert qos.start_time_supported is qos.stop_time_supported is True
    assert (qos.max_events_per_consumer, qos.maximum_batch_size) == (0, 1)
    assert (qos.order_policy, qos.discard_policy) == (OrderPolicy.ANY, DiscardPolicy.ANY)


def test_every_number_of_a_policy_has_a_name() -> None:
    for name, policy in (("OrderPolicy", OrderPolicy), ("DiscardPolicy", DiscardPolicy)):
        line = QOS_PROPERTIES[name]
        assert line.low is not None
        assert line.high is not None
        assert [p.value for p in policy] == list(range(line.low, line.high + 1))


@pytest.mark.parametrize("values", [QoS({"Priority": 4}), AdminProperties({"MaxConsumers": 2})])
def test_values_cannot_be_changed_and_reach_another_process(values: PropertyValues) -> None:
    with pytest.raises(TypeError):
        values[next(iter(values))] = 1  # type: ignore[index]
    assert not hasattr(values, "__dict__")
    again = pickle.loads(pickle.dumps(values))
    assert (type(again), again, repr(again)) == (type(values), values, repr(values))


def test_equal_values_have_one_hash_and_hold_their_own_properties_only() -> None:
    assert {QoS(), QoS({"Priority": 0}), QoS({"Priority": 1})} == {QoS(), QoS({"Priority": 1})}
    assert len(QoS()) == 11
    for name in ("StartTime", "MaxConsumers", "Nope"):
        with pytest.raises(ValueError, match=name):
            QoS({name: 1})


class Bell(IntEnum):
    LOUD = 9


@pytest.mark.parametrize(
    ("type_", "value", "plain"),
    [
        *((tc.SHORT, 5, 5), (tc.SHORT, Bell.LOUD, 9), (tc.SHORT, Reliability.PERSISTENT, 1)),
        *((tc.SHORT, 10**30, 10**30), (tc.SHORT, 5.0, None), (tc.SHORT, "5", None)),
        *((tc.SHORT, True, None), (tc.BOOLEAN, False, False), (tc.BOOLEAN, 0, None)),
        *((TIME_T, Any(tc.ULONGLONG, 5), 5), (tc.ULONGLONG, Any(TIME_T, 5), 5)),
        *((UTC_T, Any(UTC_T, MOMENT), 7), (UTC_T, MOMENT, None), (UTC_T, 7, None)),
        (UTC_T, Any(tc.alias("IDL:When:1.0", "When", UTC_T), MOMENT), 7),
    ],
)
def test_the_plain_value(type_: tc.TypeCode, value: object, plain: int | None) -> None:
    found = plain_value(type_, value)
    assert found == plain
    assert type(found) in (int, bool, type(None))


@pytest.mark.parametrize(
    "members", [[("time", tc.STRING)], [], [(m.name, tc.ANY) for m in UTC_T.members]]
)
def test_a_type_that_only_calls_itself_utct_is_none(members: list[tuple[str, tc.TypeCode]]) -> None:
    forged = tc.struct(UTC_T.id, UTC_T.name, members)
    assert forged.equivalent(UTC_T)
    assert plain_value(UTC_T, Any(forged, tuple("x" for _ in members))) is None


def test_durations_and_times_may_be_words() -> None:
    timeout, start = QOS_PROPERTIES["Timeout"], QOS_PROPERTIES["StartTime"]
    minute, year = timedelta(minutes=1), datetime(2027, 1, 1, tzinfo=UTC)
    for word, units in (("5s", 50_000_000), ("250ms", 2_500_000), (minute, 600_000_000)):
        assert judged(timeout, word, {}) == units
    for moment in ("2027-01-01T00:00:00Z", year):
        assert judged(start, moment, {}) == plain_value(UTC_T, utc(year))
    wrong: list[tuple[Property, object]] = [
        *((timeout, "5"), (timeout, Any(tc.STRING, "5s")), (QOS_PROPERTIES["Priority"], "5s")),
        (start, year.replace(tzinfo=None)),
    ]
    for line, value in wrong:
        assert isinstance(judged(line, value, {}), PropertyError)


# What may be set where.


def test_every_bad_property_is_listed_and_nothing_is_set() -> None:
    code = PropertyErrorCode
    asked = {"MaxConsumers": -1, "MaxSuppliers": 4, "RejectNewEvents": 1, "Priority": 1}
    with pytest.raises(UnsupportedAdmin) as refused:
        properties.changed(AdminProperties(), asked)
    assert refused.value.errors == (
        (code.BAD_VALUE, "MaxConsumers", 0, 2**31 - 1),
        (code.BAD_TYPE, "RejectNewEvents", None, None),
        (code.BAD_PROPERTY, "Priority", None, None),
    )
    wanted = {"Priority": 5, "Nope": 1, "Timeout": "x", "OrderPolicy": 4, "StartTime": 1}
    with pytest.raises(UnsupportedQoS) as caught:
        changed(QoS(), Level.CHANNEL, None, wanted)
    assert [(e.name, e.code) for e in caught.value.errors] == [
        *(("Nope", code.BAD_PROPERTY), ("Timeout", code.BAD_TYPE)),
        *(("OrderPolicy", code.BAD_VALUE), ("StartTime", code.UNSUPPORTED_PROPERTY)),
    ]
    with pytest.raises(UnsupportedQoS) as caught:  # without stable storage
        changed(QoS(), Level.CHANNEL, None, {"ConnectionReliability": 1}, NO_STORE)
    assert caught.value.errors == ((code.UNSUPPORTED_VALUE, "ConnectionReliability", 0, 0),)


def test_what_a_level_tells_is_what_may_be_set_there() -> None:
    assert QoS({"Priority": 4}).at(Level.CHANNEL) == {**QoS(), "Priority": 4}
    assert QoS().at(Level.PROXY).keys() == QoS().keys() - {"EventReliability"}
    assert QoS().at(Level.ADMIN) == QoS().at(Level.PROXY)


CONNECTION = "ConnectionReliability"


@pytest.mark.parametrize(
    ("qos", "level", "parent", "required", "expected"),
    [
        (QoS(), Level.CHANNEL, None, {}, {("EventReliability", 0, 0), (CONNECTION, 0, 1)}),
        (QoS(), Level.CHANNEL, None, {CONNECTION: 1}, {("EventReliability", 0, 1)}),
        (PERSISTENT, Level.CHANNEL, None, {"EventReliability": 1}, {(CONNECTION, 1, 1)}),
        (QoS(), Level.ADMIN, QoS(), {}, {(CONNECTION, 0, 0)}),
        (QoS(), Level.PROXY, PERSISTENT, {}, {(CONNECTION, 0, 1)}),
    ],
)
def test_ranges_follow_from_the_other_settings(
    qos: QoS, level: Level, parent: QoS | None, required: dict[str, int], expected: set[object]
) -> None:
    ranges = validate(qos, level, parent, required)
    assert {r for r in ranges if "Reliability" in r.name} == expected


NAMES = st.sampled_from([*QOS_PROPERTIES, "Nope"])
VALUES = st.one_of(
    st.integers(-2, 5),
    st.sampled_from([-32768, -32767, 32767, 32768, 2**31, 2**64 - 1, 2**64]),
    st.booleans(),
    st.builds(typed, st.sampled_from([*SIMPLE, "UtcT", "boolean", "any"]), st.just("1")),
    st.sampled_from(["x", None, 1.5]),
)
REQUESTS = st.lists(st.tuples(NAMES, VALUES), max_size=5)
LEVELS = st.sampled_from([Level.CHANNEL, Level.ADMIN, Level.PROXY])


@st.composite
def objects(draw: st.DrawFn) -> QoS:
    """What may apply somewhere: any legal values."""
    values: dict[str, int] = {}
    for name in draw(st.sets(st.sampled_from(list(QoS())))):
        line = QOS_PROPERTIES[name]
        values[name] = draw(st.integers(line.low, line.high))
    return QoS(values)


def attempt(qos: QoS, level: Level, parent: QoS, request: list[tuple[str, object]]) -> QoS | None:
    try:
        return changed(qos, level, parent, request)
    except UnsupportedQoS:
        return None


@given(objects(), LEVELS, objects(), REQUESTS)
def test_a_request_is_carried_out_whole_or_all_that_is_bad_is_listed_once(
    qos: QoS, level: Level, parent: QoS, request: list[tuple[str, object]]
) -> None:
    before = dict(qos), dict(parent)
    try:
        after = changed(qos, level, parent, request)
    except UnsupportedQoS as error:
        names = [e.name for e in error.errors]
        assert len(set(names)) == len(names)
        assert names == [n for n in dict(request) if n in names]
        rest = [(n, v) for n, v in request if n not in names]
        # Reliabilities lean on each other: without the one, the other may be refused.
        if "EventReliability" not in names and "ConnectionReliability" not in names:
            assert attempt(qos, level, parent, rest) is not None
    else:
        asked = {name for name, _ in request}
        assert all(after[name] == qos[name] for name in qos.keys() - asked)
        assert asked <= after.at(level).keys()
    assert (dict(qos), dict(parent)) == before


@given(objects(), LEVELS, objects(), REQUESTS)
def test_validating_agrees_with_changing(
    qos: QoS, level: Level, parent: QoS, request: list[tuple[str, object]]
) -> None:
    """Both ends of an offered range can be set in addition, and nothing beside them."""
    after = attempt(qos, level, parent, request)
    try:
        ranges = validate(qos, level, parent, request)
    except UnsupportedQoS:
        assert after is None
        return
    assert after is not None
    assert {r.name for r in ranges} == after.at(level).keys() - dict(request).keys()
    for name, low, high in ranges:
        assert low is not None
        assert high is not None
        for value in (low, high):
            more = attempt(qos, level, parent, [*request, (name, value)])
            assert more is not None
            assert more[name] == value
        below = low - 1 if low - 1 or name != "MaximumBatchSize" else -1
        for value in () if isinstance(QOS_PROPERTIES[name].low, bool) else (high + 1, below):
            assert attempt(qos, level, parent, [*request, (name, value)]) is None


# What an event's header may say.


def test_what_an_events_header_could_carry() -> None:
    assert validate_event(QoS(), {"Priority": 1}) == (
        *(("EventReliability", 0, 0), ("StartTime", None, None), ("StopTime", None, None)),
        ("Timeout", 0, 2**64 - 1),
    )
    proxy = QoS({"StartTimeSupported": False, "ConnectionReliability": 1})
    names = {r.name: r.high for r in validate_event(proxy, {})}
    assert "StartTime" not in names
    assert names["EventReliability"] == 1


def test_the_header_goes_before_the_proxy() -> None:
    header = {"EventReliability": 1, "mine": "x"}
    stop, second = NOON + timedelta(hours=1), timedelta(seconds=1)
    sent = event("D", "T", priority=7, timeout=second, start=NOON, stop=stop, header=header)
    found = header_values(sent.header, PERSISTENT).values
    assert (found["Priority"], found["Timeout"]) == (7, 10_000_000)
    assert found["EventReliability"] == Reliability.PERSISTENT
    assert from_timebase(found["StartTime"]) == NOON.timestamp() * 1_000_000
    assert found["StopTime"] - found["StartTime"] == 36_000_000_000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("Priority", Any(tc.LONG, 5)), ("Priority", "high"), ("Priority", -32768)),
        *(("Timeout", 1.5), ("Timeout", Any(tc.LONGLONG, 5)), ("EventReliability", 2)),
        *(("EventReliability", True), ("StartTime", 7), ("StopTime", "soon")),
    ],
)
def test_a_wrong_standard_property_of_a_header_is_refused(name: str, value: object) -> None:
    with pytest.raises(InvalidEvent) as caught:
        header_values({"source": 1, name: value}, QoS({"Priority": 3, "Timeout": 9}))
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


@pytest.mark.parametrize(
    ("header", "plain"),
    [
        ({}, True),
        ({"Priority": 3, "colour": "red", "Federation": "a/b/c/1/d"}, True),
        *(({"colour": "red", name: 5}, False) for name in sorted(STANDARD_NAMES - {"Priority"})),
        ({"Priority": "high"}, False),
        ({"Prioritty": 3}, False),
        ({"MaximumBatchSize": 3}, False),
        ({f"property {at}": at for at in range(17)}, False),
    ],
)
def test_headers_are_judged_once_only_if_nothing_but_a_priority_counts(
    header: dict[str, object], plain: bool
) -> None:
    assert is_plain(header) is plain


@given(objects(), REQUESTS)
def test_an_events_header_applies_or_is_warned_of_or_is_refused(
    proxy: QoS, request: list[tuple[str, object]]
) -> None:
    header = dict(request)
    wrong = {PropertyErrorCode.BAD_TYPE, PropertyErrorCode.BAD_VALUE}
    bad: dict[str, PropertyErrorCode] = {}
    try:
        validate_event(proxy, {n: v for n, v in header.items() if n in STANDARD_NAMES})
    except UnsupportedQoS as error:
        bad = {e.name: e.code for e in error.errors}
    if not wrong.isdisjoint(bad.values()):
        with pytest.raises(InvalidEvent) as refused:
            header_values(header, proxy)
        assert bad[refused.value.where.removeprefix("header.")] in wrong
        return
    values, warnings = header_values(header, proxy)
    assert values.keys() == header.keys() & STANDARD_NAMES - bad.keys()
    told = header.keys() & QOS_PROPERTIES.keys() - values.keys()
    assert len(warnings) == len(told)
    assert all(any(name in warning for warning in warnings) for name in told)
