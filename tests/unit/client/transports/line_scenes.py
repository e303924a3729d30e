"""Lines without a socket: what they send is read, and what comes is made, by the test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tidings import event
from tidings.api.delivered import write_delivered
from tidings.api.frames import EventsFrame, read_server_frame, write_events

__all__ = ["Sent", "events"]


class Sent:
    """Frames that a line has sent."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []

    def __call__(self, data: bytes) -> None:
        self.frames.append(msgspec.json.decode(data))

    def of(self, op: str) -> list[dict[str, Any]]:
        """Those of a kind."""
        return [frame for frame in self.frames if frame["op"] == op]


def events(*seqs: int, again: Sequence[int] = (), batch: bool = False) -> EventsFrame:
    """A frame with such events."""
    texts = [write_delivered(seq, 0, 0, None, event("A", "b", "", {"n": seq})) for seq in seqs]
    frame = read_server_frame(write_events(1, "0" * 32, ",".join(texts), again, batch=batch))
    assert isinstance(frame, EventsFrame)
    return frame
