"""A notice comes back from its event, however the event has travelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.change_strategies import notices
from tests.laws.strategies import events, stored_values
from tidings.changes.model import Notice
from tidings.changes.notice_event import FILTERABLE, event_of, notice_of
from tidings.errors import BadInput, InvalidEvent
from tidings.events.anyvalue import Value, same
from tidings.events.codecs import json_codec
from tidings.events.structured import StructuredEvent, event_in_any


@given(notices())
def test_a_notice_comes_back_from_its_event(notice: Notice) -> None:
    event = event_of(notice)
    for travelled in (
        event,
        json_codec.decode_event(json_codec.encode_event(event)),
        event_in_any(event.as_any()),
    ):
        assert travelled is not None
        assert event_of(notice_of(travelled)) == event


@given(notices())
def test_filters_see_the_service_before_the_change(notice: Notice) -> None:
    event, service = event_of(notice), notice.before or notice.after
    assert service is not None
    assert (event.domain, event.type) == ("ServiceChange", notice.kind.name)
    assert event.name == event.data["service_type"] == service.type.name
    assert event.data["object_ref"] == service.reference
    assert event.data.get("compatible") == notice.compatible
    for name, value in service.properties.items():
        assert name in FILTERABLE or same(event.data[name], value)


@given(notices(), st.data())
def test_an_event_that_is_no_notice_is_refused_as_such(notice: Notice, data: st.DataObject) -> None:
    body = event_of(notice).body
    assert isinstance(body, dict)
    broken: Value = {
        name: data.draw(stored_values) if data.draw(st.integers(0, 5)) == 0 else value
        for name, value in body.items()
    }
    if data.draw(st.integers(0, 5)) == 0:
        broken = data.draw(stored_values)
    try:
        notice_of(StructuredEvent("ServiceChange", notice.kind.name, "", {}, {}, broken))
    except BadInput as error:
        assert str(error)  # noqa: PT017 -- either answer is right; another error is not


@given(events.filter(lambda event: event.domain != "ServiceChange"))
def test_events_of_other_domains_are_no_notices(event: StructuredEvent) -> None:
    with pytest.raises(InvalidEvent, match="no notice"):
        notice_of(event)
