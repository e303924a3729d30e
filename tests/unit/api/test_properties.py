from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.property.strategies import anys
from tests.unit.api.view_strategies import admin_properties, qos
from tidings.api.properties import (
    AdminProperties,
    EventProperties,
    QoSProperties,
    enumerations,
    properties_in,
    properties_out,
)
from tidings.channel.property_errors import Level
from tidings.channel.qos import QOS_PROPERTIES, DiscardPolicy, OrderPolicy, QoS, Reliability
from tidings.channel.qos_check import changed
from tidings.errors import InvalidEvent, PropertyErrorCode, UnsupportedQoS
from tidings.events import typecode as tc
from tidings.events.boxes import Any as Box


def _sent(properties: dict[str, Any]) -> dict[str, object]:
    return properties_in(json.loads(json.dumps(properties_out(properties))))


@given(qos | admin_properties)
def test_properties_come_back_as_they_were(properties: dict[str, int]) -> None:
    found = _sent(properties)
    assert found == properties
    assert [type(value) for value in found.values()] == [type(v) for v in properties.values()]


def test_enumerations_go_by_the_names_of_the_standard() -> None:
    given = {
        "EventReliability": 0,
        "ConnectionReliability": Reliability.PERSISTENT,
        "OrderPolicy": OrderPolicy.PRIORITY,
        "DiscardPolicy": DiscardPolicy.LIFO,
        "Priority": 1,
    }
    assert properties_out(given) == {
        "EventReliability": "BestEffort",
        "ConnectionReliability": "Persistent",
        "OrderPolicy": "PriorityOrder",
        "DiscardPolicy": "LifoOrder",
        "Priority": 1,
    }


def test_every_number_of_an_enumeration_has_a_name() -> None:
    for name, words in enumerations().items():
        line = QOS_PROPERTIES[name]
        assert line.low is not None
        assert line.high is not None
        assert sorted(words.values()) == list(range(line.low, line.high + 1))
    assert list(enumerations()["OrderPolicy"]) == [
        "AnyOrder",
        "FifoOrder",
        "PriorityOrder",
        "DeadlineOrder",
    ]


def test_numbers_are_taken_for_enumerations_too() -> None:
    assert properties_in({"OrderPolicy": 2, "DiscardPolicy": "FifoOrder"}) == {
        "OrderPolicy": 2,
        "DiscardPolicy": 1,
    }


def _judged(properties: dict[str, Any]) -> list[tuple[str, PropertyErrorCode]] | QoS:
    try:
        return changed(QoS(), Level.CHANNEL, None, properties)
    except UnsupportedQoS as error:
        return [(one.name, one.code) for one in error.errors]


WRONG: dict[str, object] = {
    "Priority": True,
    "OrderPolicy": True,
    "DiscardPolicy": "FastestOrder",
    "Timeout": 1.5,
    "MaxEventsPerConsumer": [1],
    "PacingInterval": {"a": 1},
    "StartTimeSupported": 1,
    "EventReliability": None,
    "Colour": "Persistent",
}


def test_what_is_no_value_is_left_to_the_core() -> None:
    assert properties_in(WRONG) == WRONG
    bad = PropertyErrorCode.BAD_TYPE
    assert _judged(properties_in(WRONG)) == [
        *((name, bad) for name in list(WRONG)[:-1]),
        ("Colour", PropertyErrorCode.BAD_PROPERTY),
    ]


@given(
    st.dictionaries(
        st.sampled_from([*QOS_PROPERTIES, "Colour"]),
        st.one_of(anys, st.integers(), st.floats(), st.builds(object), st.just("\ud800")),
    )
)
def test_a_program_is_judged_alike_here_and_there(properties: dict[str, Any]) -> None:
    assert _judged(_sent(properties)) == _judged(properties)


def test_a_type_that_was_written_counts() -> None:
    assert properties_out({"Priority": Box(tc.LONG, 3)}) == {
        "Priority": {"$type": "long", "value": 3}
    }
    assert _judged(_sent({"Priority": Box(tc.LONG, 3)})) == [
        ("Priority", PropertyErrorCode.BAD_TYPE)
    ]
    assert _judged(_sent({"Priority": Box(tc.SHORT, 3)})) == QoS({"Priority": 3})


def test_a_typed_value_that_is_none_is_named() -> None:
    with pytest.raises(InvalidEvent) as caught:
        properties_in({"Priority": {"$type": "shirt", "value": 3}})
    assert caught.value.where.startswith("Priority")


def test_pairs_are_taken_too() -> None:
    assert properties_out([("Priority", 1), ("Priority", 2)]) == {"Priority": 2}


def test_the_schemas_list_what_may_be_set() -> None:
    schema = TypeAdapter(QoSProperties).json_schema()
    assert set(schema["properties"]) == {
        name for name, line in QOS_PROPERTIES.items() if line.levels != {Level.EVENT}
    }
    assert schema["properties"]["EventReliability"]["anyOf"][0]["enum"] == [
        "BestEffort",
        "Persistent",
    ]
    assert schema["properties"]["Priority"]["minimum"] == -32767
    assert "maximum" not in schema["properties"]["Timeout"]
    assert schema["properties"]["MaximumBatchSize"]["minimum"] == 0  # read as 1
    event = TypeAdapter(EventProperties).json_schema()["properties"]
    assert event["StartTime"]["type"] == "object"
    admin = TypeAdapter(AdminProperties).json_schema()["properties"]
    assert admin["RejectNewEvents"] == {"type": "boolean"}
