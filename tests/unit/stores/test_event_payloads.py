from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.unit.stores.sample_payloads import EVENT, EVENTS
from tidings.errors import BadInput, StoreError
from tidings.stores import payloads
from tidings.stores.event_payloads import (
    StoredEvent,
    arrival_of,
    event_octets_of,
    event_payload,
    stored_event,
)

# The format, written down.
WRITTEN = (
    "01 07 01 00060a24181e4000 0000000000000007 fffffffd 7fffffffffffffff"
    "0000000000000005 0000000000000009 0004 0001 00000002 00000001 00000007"
    "67617465 abababababababababababababababab 00000001 00000002"
    "00000002 0000000000000006 00000004 7b2261223a317d"
)


def test_the_format_is_as_written_down() -> None:
    assert event_payload(EVENT).hex() == WRITTEN.replace(" ", "")
    assert stored_event(bytes.fromhex(WRITTEN)) == EVENT


@given(EVENTS)
def test_events_come_back(event: StoredEvent) -> None:
    payload = event_payload(event)
    assert stored_event(payload) == event
    assert event_octets_of(payload) == event.octets
    assert arrival_of(payload) == event.arrival


def test_what_is_no_event_has_arrived_in_1970() -> None:
    assert arrival_of(b"") == arrival_of(bytes(10)) == 0


def test_an_event_with_many_recipients_comes_back() -> None:
    event = EVENT._replace(durable=tuple(range(20_000)), views={})
    payload = event_payload(event)
    assert stored_event(payload) == event
    assert len(payload) < 4 * 20_000 + 200


@pytest.mark.parametrize(
    "change",
    [
        {"durable": (-1,)},
        {"durable": (2**32,)},
        {"priority": 2**31},
        {"expiry": 2**63},
        {"flags": 256},
        {"plan": -1},
        {"producer": "\ud800"},
        {"producer": "x" * 70_000},
        {"hops": ("AB" * 16,)},
        {"hops": ("ab" * 15,)},
        {"hops": ("no hexadecimal digits",)},
        {"views": {1: (2**63, 0)}},
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="an event does not fit a journal record"):
        event_payload(EVENT._replace(**change))


def test_a_producer_that_is_no_text_is_refused() -> None:
    payload = bytearray(event_payload(EVENT))
    payload[payload.index(b"gate")] = 0xFF
    with pytest.raises(StoreError, match=r"an event.*utf-8"):
        stored_event(bytes(payload))


def test_the_quick_way_to_the_event_refuses_what_it_cannot_read() -> None:
    payload = event_payload(EVENT._replace(octets=b"x" * 200))
    for end in (0, 1, 60, 66, 150):
        with pytest.raises(StoreError, match="an event"):
            event_octets_of(payload[:end])
    with pytest.raises(StoreError, match="format 9"):
        event_octets_of(b"\x09" + payload[1:])


def test_everybody_finds_them_among_the_other_payloads() -> None:
    assert payloads.event_payload is event_payload
    assert payloads.stored_event is stored_event
    assert payloads.event_octets_of is event_octets_of
    assert payloads.StoredEvent is StoredEvent
