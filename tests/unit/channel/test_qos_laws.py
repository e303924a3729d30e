"""Laws of the quality of service, over generated objects and requests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.qos.qos_judge import SIMPLE, typed
from tidings.channel.property_errors import PropertyRange
from tidings.channel.qos import QOS_PROPERTIES, Level, QoS, inherited
from tidings.channel.qos_check import changed, header_values, validate, validate_event
from tidings.errors import InvalidEvent, PropertyErrorCode, UnsupportedQoS
from tidings.events.standard_header import STANDARD_NAMES

WRONG = {PropertyErrorCode.BAD_TYPE, PropertyErrorCode.BAD_VALUE}

OBJECTS = [Level.CHANNEL, Level.ADMIN, Level.PROXY]
NAMES = st.sampled_from([*QOS_PROPERTIES, "Nope"])
VALUES = st.one_of(
    st.integers(-2, 5),
    st.sampled_from([-32768, -32767, 32767, 32768, 2**31, 2**64 - 1, 2**64]),
    st.booleans(),
    st.builds(typed, st.sampled_from([*SIMPLE, "UtcT", "boolean", "any"]), st.just("1")),
    st.sampled_from(["x", None, 1.5]),
)
REQUESTS = st.lists(st.tuples(NAMES, VALUES), max_size=5)


@st.composite
def objects(draw: st.DrawFn) -> QoS:
    """What may apply somewhere: any legal values."""
    values: dict[str, int] = {}
    for name in draw(st.sets(st.sampled_from(list(QoS())))):
        line = QOS_PROPERTIES[name]
        values[name] = draw(st.integers(line.low, line.high))
    return QoS(values)


LEVELS = st.sampled_from(OBJECTS)


def attempt(qos: QoS, level: Level, parent: QoS, request: list[tuple[str, object]]) -> QoS | None:
    try:
        return changed(qos, level, parent, request)
    except UnsupportedQoS:
        return None


@given(objects(), LEVELS, objects(), REQUESTS)
def test_a_request_is_carried_out_whole_or_not_at_all(
    qos: QoS, level: Level, parent: QoS, request: list[tuple[str, object]]
) -> None:
    before = dict(qos), dict(parent)
    after = attempt(qos, level, parent, request)
    assert (dict(qos), dict(parent)) == before
    if after is not None:
        asked = {name for name, _ in request}
        assert all(after[name] == qos[name] for name in qos.keys() - asked)
        assert asked <= after.at(level).keys()


@given(objects(), LEVELS, objects(), REQUESTS)
def test_the_bad_ones_are_all_listed_once_and_the_rest_is_good(
    qos: QoS, level: Level, parent: QoS, request: list[tuple[str, object]]
) -> None:
    try:
        changed(qos, level, parent, request)
    except UnsupportedQoS as error:
        names = [e.name for e in error.errors]
        assert len(set(names)) == len(names)
        assert names == [n for n in dict(request) if n in names]
        rest = [(n, v) for n, v in request if n not in names]
        # Reliabilities lean on each other: without the one, the other may be refused.
        if "EventReliability" not in names and "ConnectionReliability" not in names:
            assert attempt(qos, level, parent, rest) is not None


@given(objects(), LEVELS, objects(), REQUESTS)
def test_validating_agrees_with_changing(
    qos: QoS, level: Level, parent: QoS, request: list[tuple[str, object]]
) -> None:
    after = attempt(qos, level, parent, request)
    try:
        ranges = validate(qos, level, parent, request)
    except UnsupportedQoS:
        assert after is None
        return
    assert after is not None
    others = after.at(level).keys() - dict(request).keys()
    assert {r.name for r in ranges} == others
    for offered in ranges:
        check_offer(offered, qos, level, parent, request)


def check_offer(
    offered: PropertyRange,
    qos: QoS,
    level: Level,
    parent: QoS,
    request: list[tuple[str, object]],
) -> None:
    """Both ends of an offered range can be set in addition, and nothing beside them."""
    name, low, high = offered
    assert low is not None
    assert high is not None
    boolean = isinstance(QOS_PROPERTIES[name].low, bool)
    for value in (low, high):
        after = attempt(qos, level, parent, [*request, (name, value)])
        assert after is not None
        assert after[name] == value
    beside = [] if boolean else [high + 1, low - 1 if low - 1 or name != "MaximumBatchSize" else -1]
    for value in beside:
        assert attempt(qos, level, parent, [*request, (name, value)]) is None


@given(objects(), objects(), REQUESTS)
def test_a_child_keeps_what_it_got_whatever_becomes_of_its_parent(
    channel: QoS, other: QoS, request: list[tuple[str, object]]
) -> None:
    admin = inherited(channel, Level.ADMIN)
    before = dict(admin)
    later = attempt(channel, Level.CHANNEL, other, request) or channel
    assert admin == before == channel
    assert inherited(later, Level.ADMIN) == later


@given(objects(), REQUESTS)
def test_an_events_header_applies_or_is_warned_of_or_is_refused(
    proxy: QoS, request: list[tuple[str, object]]
) -> None:
    header = dict(request)
    bad: dict[str, PropertyErrorCode] = {}
    try:
        validate_event(proxy, {n: v for n, v in header.items() if n in STANDARD_NAMES})
    except UnsupportedQoS as error:
        bad = {e.name: e.code for e in error.errors}
    if not WRONG.isdisjoint(bad.values()):
        with pytest.raises(InvalidEvent) as refused:
            header_values(header, proxy)
        assert bad[refused.value.where.removeprefix("header.")] in WRONG
        return
    values, warnings = header_values(header, proxy)
    assert values.keys() == header.keys() & STANDARD_NAMES - bad.keys()
    told = header.keys() & QOS_PROPERTIES.keys() - values.keys()
    assert len(warnings) == len(told)
    assert all(any(name in warning for warning in warnings) for name in told)
