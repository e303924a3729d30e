"""What the service's frames hold: event types, and events as messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.api.frames import read_server_frame, write_frame
from tidings.api.server_frames import EventsFrame, TypesFrame
from tidings.errors import InvalidEvent, InvalidEventType
from tidings.filters.constraint import EventTypePattern

_names = st.text(alphabet="ab:*", max_size=4)


@given(st.lists(st.builds(EventTypePattern, _names, _names), max_size=3))
def test_event_types_come_back_whatever_colons_they_have(
    patterns: list[EventTypePattern],
) -> None:
    frame = read_server_frame(write_frame(TypesFrame.of(3, patterns, patterns)))
    assert isinstance(frame, TypesFrame)
    assert frame.patterns() == (patterns, patterns)


def test_what_is_no_event_type_is_refused() -> None:
    for bad in ({"domain": "a"}, "a::%x"):
        with pytest.raises(InvalidEventType):
            TypesFrame(1, [bad], []).patterns()


def test_what_is_no_event_is_refused() -> None:
    text = (
        '{"op":"events","line":1,"origin":"x","events":[{"seq":1,"arrival":2,"priority":0,'
        '"event":{"domain":7}}]}'
    )
    frame = read_server_frame(text)
    assert isinstance(frame, EventsFrame)
    with pytest.raises(InvalidEvent):
        frame.messages()
