from __future__ import annotations

import pickle
from enum import IntEnum

import pytest

from tidings.channel.properties import AdminProperties
from tidings.channel.property_errors import PropertyValues, plain_value
from tidings.channel.qos import QOS_PROPERTIES, TIME_T, QoS, Reliability
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.structured import UTC_T

MOMENT = (7, 1, 2, 60)


class Bell(IntEnum):
    LOUD = 9


@pytest.mark.parametrize("kind", [QoS, AdminProperties])
def test_values_cannot_be_changed(kind: type[PropertyValues]) -> None:
    values = kind()
    name = next(iter(values))
    with pytest.raises(TypeError):
        values[name] = 1  # type: ignore[index]
    with pytest.raises(AttributeError, match="cannot be changed"):
        values._values = {}
    with pytest.raises(AttributeError, match="cannot be changed"):
        values.colour = 1
    assert not hasattr(values, "__dict__")


def test_values_are_a_copy_of_what_they_were_made_from() -> None:
    given = {"Priority": 4}
    qos = QoS(given)
    given["Priority"] = 5
    assert qos.priority == 4


@pytest.mark.parametrize("values", [QoS({"Priority": 4}), AdminProperties({"MaxConsumers": 2})])
def test_values_survive_the_way_to_another_process(values: PropertyValues) -> None:
    again = pickle.loads(pickle.dumps(values))
    assert type(again) is type(values)
    assert again == values
    assert repr(again) == repr(values)


def test_equal_values_have_one_hash() -> None:
    assert {QoS(), QoS({"Priority": 0}), QoS({"Priority": 1})} == {QoS(), QoS({"Priority": 1})}
    assert len(QoS()) == 11


@pytest.mark.parametrize("name", ["StartTime", "MaxConsumers", "Nope"])
def test_an_object_holds_its_own_properties_only(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        QoS({name: 1})


@pytest.mark.parametrize(
    ("type_", "value", "plain"),
    [
        (tc.SHORT, 5, 5),
        (tc.SHORT, Bell.LOUD, 9),
        (tc.SHORT, Reliability.PERSISTENT, 1),
        (tc.SHORT, 10**30, 10**30),
        (tc.SHORT, 5.0, None),
        (tc.SHORT, "5", None),
        (tc.SHORT, True, None),
        (tc.BOOLEAN, False, False),
        (tc.BOOLEAN, 0, None),
        (TIME_T, Any(tc.ULONGLONG, 5), 5),
        (tc.ULONGLONG, Any(TIME_T, 5), 5),
        (UTC_T, Any(UTC_T, MOMENT), 7),
        (UTC_T, Any(tc.alias("IDL:When:1.0", "When", UTC_T), MOMENT), 7),
        (UTC_T, MOMENT, None),
        (UTC_T, 7, None),
    ],
)
def test_the_plain_value(type_: tc.TypeCode, value: object, plain: int | None) -> None:
    found = plain_value(type_, value)
    assert found == plain
    assert type(found) in (int, bool, type(None))


@pytest.mark.parametrize(
    "members",
    [[("time", tc.STRING)], [], [(m.name, tc.ANY) for m in UTC_T.members]],
)
def test_a_type_that_only_calls_itself_utct_is_none(members: list[tuple[str, tc.TypeCode]]) -> None:
    forged = tc.struct(UTC_T.id, UTC_T.name, members)
    assert forged.equivalent(UTC_T)
    assert plain_value(UTC_T, Any(forged, tuple("x" for _ in members))) is None


def test_a_range_is_narrowed_and_never_widened() -> None:
    line = QOS_PROPERTIES["OrderPolicy"]
    assert line.supported({}) == ("OrderPolicy", 0, 3)
    assert line.supported({"OrderPolicy": (1, 2)}) == ("OrderPolicy", 1, 2)
    assert line.supported({"OrderPolicy": (-5, 9)}) == ("OrderPolicy", 0, 3)
    assert QOS_PROPERTIES["StartTime"].supported({"StartTime": (1, 2)}) == ("StartTime", None, None)
