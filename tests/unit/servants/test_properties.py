from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.properties import ADMIN_PROPERTIES, AdminProperties
from tidings.channel.property_errors import PropertyRange
from tidings.channel.qos import QOS_PROPERTIES, Level, QoS
from tidings.channel.qos_check import changed
from tidings.cos import CosNotification_auto as notification
from tidings.cos.CosNotification_auto import NamedPropertyRange, Property
from tidings.errors import PropertyError, PropertyErrorCode
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.servants.properties import (
    properties_in,
    properties_out,
    property_errors,
    ranges_out,
)


def over_the_wire(properties: object) -> notification.PropertySeq:
    writer = Writer()
    notification.write_PropertySeq(writer, properties)  # type: ignore[arg-type]
    return notification.read_PropertySeq(Reader(writer.getvalue(), little=True))


def test_a_number_keeps_the_type_it_was_sent_with() -> None:
    sent = [
        Property("a", Any(tc.SHORT, 1)),
        Property("b", Any(tc.LONG, 1)),
        Property("c", Any(tc.ULONGLONG, 1)),
        Property("d", 2**63),
        Property("e", None),
    ]
    assert properties_in(over_the_wire(sent)) == {
        "a": Any(tc.SHORT, 1),
        "b": Any(tc.LONG, 1),
        "c": Any(tc.ULONGLONG, 1),
        "d": Any(tc.ULONGLONG, 2**63),
        "e": Any(tc.NULL, None),
    }


def test_of_two_values_for_one_name_the_last_counts() -> None:
    sent = [Property("a", 1), Property("b", True), Property("a", 2)]
    assert properties_in(sent) == {"a": Any(tc.LONG, 2), "b": Any(tc.BOOLEAN, True)}


def test_properties_are_told_in_the_types_of_the_standard() -> None:
    told = dict(properties_out(QoS(), QOS_PROPERTIES))
    assert told["Priority"] == Any(tc.SHORT, 0)
    assert told["Timeout"] == Any(tc.ULONGLONG, 0)
    assert told["StopTimeSupported"] == Any(tc.BOOLEAN, True)
    assert told["MaximumBatchSize"] == Any(tc.LONG, 1)
    told = dict(properties_out(AdminProperties(), ADMIN_PROPERTIES))
    assert told["MaxQueueLength"] == Any(tc.LONG, 0)
    assert told["RejectNewEvents"] == Any(tc.BOOLEAN, True)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "Priority": st.integers(-32767, 32767),
            "Timeout": st.integers(0, 2**64 - 1),
            "StartTimeSupported": st.booleans(),
            "MaxEventsPerConsumer": st.integers(0, 2**31 - 1),
            "OrderPolicy": st.integers(0, 3),
            "DiscardPolicy": st.integers(0, 4),
            "MaximumBatchSize": st.integers(1, 2**31 - 1),
            "PacingInterval": st.integers(0, 2**64 - 1),
        },
    )
)
def test_what_is_told_can_be_set_again(values: dict[str, int]) -> None:
    qos = QoS(values)
    told = over_the_wire(properties_out(qos.at(Level.CHANNEL), QOS_PROPERTIES))
    assert changed(QoS(), Level.CHANNEL, None, properties_in(told)) == qos


def test_ranges_are_told_in_the_types_of_their_properties() -> None:
    ranges = [PropertyRange("Priority", -3, 3), PropertyRange("StartTime", None, None)]
    assert ranges_out(ranges, QOS_PROPERTIES) == (
        NamedPropertyRange("Priority", (Any(tc.SHORT, -3), Any(tc.SHORT, 3))),  # type: ignore[arg-type]
        NamedPropertyRange("StartTime", (None, None)),  # type: ignore[arg-type]
    )


def test_each_reason_has_its_code() -> None:
    for code in PropertyErrorCode:
        (told,) = property_errors([PropertyError(code, "Priority")], QOS_PROPERTIES)
        assert told.code.name == code.name
        assert list(notification.QoSError_code).index(told.code) == code.value
