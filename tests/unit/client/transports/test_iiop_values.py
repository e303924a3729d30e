"""Shapes of values over IIOP: what goes out comes back, and numbers get their types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings import Any, constraint, event
from tidings.channel.qos import QOS_PROPERTIES, OrderPolicy
from tidings.channel.vocabulary import Form
from tidings.client.transports.iiop_values import (
    CorbaMessage,
    Events,
    constraint_in,
    constraint_out,
    properties_in,
    properties_out,
    types_in,
    types_out,
)
from tidings.cos.CosNotification_auto import Property
from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.filters.constraint import EventTypePattern


@pytest.mark.parametrize("form", [Form.ANY, Form.STRUCTURED])
@given(
    price=st.integers(-(2**31), 2**31 - 1),
    type_=st.sampled_from(["bid", "%ANY"]),
    name=st.text("abc", max_size=5),
)
def test_an_event_comes_back_as_it_went(form: Form, price: int, type_: str, name: str) -> None:
    events = Events()
    sent = event("Auction", type_, name, {"price": price}, priority=4)
    [found] = events.read(form, events.written(events.outgoing(sent, form), form))
    assert found.event == sent
    assert found.priority == 4


def test_what_is_no_event_is_told_before_it_leaves() -> None:
    with pytest.raises(InvalidEvent, match="a dict is no event"):
        Events().outgoing({"price": 1}, Form.ANY)  # type: ignore[arg-type]


def test_an_event_without_a_priority_has_none() -> None:
    assert CorbaMessage(event("Auction", "bid")).priority == 0


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Priority", 3, Any(tc.SHORT, 3)),
        ("OrderPolicy", OrderPolicy.FIFO, Any(tc.SHORT, 1)),
        ("MaximumBatchSize", 7, Any(tc.LONG, 7)),
        ("Timeout", 7, Any(tc.ULONGLONG, 7)),
        ("StartTimeSupported", True, Any(tc.BOOLEAN, True)),
        # What is no value of the property goes as what it is: the service says what is wrong.
        ("StartTimeSupported", 1, 1),
        ("Priority", True, True),
        ("Priority", 10**9, 10**9),
        ("Priority", "high", "high"),
        ("Timeout", -1, -1),
        ("Urgency", 1, 1),
        ("Priority", Any(tc.LONG, 3), Any(tc.LONG, 3)),
    ],
)
def test_a_plain_number_has_the_type_of_its_property(
    name: str, value: object, expected: object
) -> None:
    for asked in ({name: value}, [(name, value)]):
        assert properties_out(asked, QOS_PROPERTIES) == (Property(name, expected),)  # type: ignore[arg-type]


def test_properties_are_told_as_plain_numbers() -> None:
    told = (Property("Priority", Any(tc.SHORT, 3)), Property("On", True), Property("Odd", "x"))
    assert properties_in(told) == {"Priority": 3, "On": True}


def test_types_and_constraints_come_back_as_they_went() -> None:
    patterns = (EventTypePattern("Auction", "*"), EventTypePattern("", "%ALL"))
    assert types_in(types_out(patterns)) == patterns
    made = constraint("$price > 1", patterns[:1])
    assert constraint_in(constraint_out(made)) == made
