"""The limits of frames leave room for what they are to hold."""

from __future__ import annotations

from tidings.api.frame_parts import MAX_FRAME_EVENTS, MAX_WINDOW, Frame
from tidings.api.frames import MAX_FRAME_OCTETS, AckFrame, write_frame
from tidings.events.codecs.json_codec import MAX_EVENT_OCTETS


def test_the_largest_event_fits_into_a_frame() -> None:
    assert MAX_FRAME_OCTETS > MAX_EVENT_OCTETS + 1_000_000


def test_a_whole_window_can_be_acknowledged_at_once() -> None:
    largest = AckFrame(2**63 - 1, [2**63 - 1] * MAX_WINDOW)
    assert isinstance(largest, Frame)
    assert len(write_frame(largest)) < MAX_FRAME_OCTETS
    assert MAX_FRAME_EVENTS <= MAX_WINDOW
