"""Probes: control events that note each step of their way, and come back."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, NamedTuple

import msgspec

from tidings.errors import InvalidEvent

MOST_PROBES: Final = 256
"""Probes that are remembered; the oldest goes first."""


class ProbeHop(NamedTuple):
    """One step of a probe.

    Attributes:
        gateway: Who has carried it.
        at: From this service …
        to: … to this one.
        time: When, by the gateway's clock, microseconds since 1970.
    """

    gateway: str
    at: str
    to: str
    time: int


class Probes:
    """The probes that one gateway has sent."""

    def __init__(self) -> None:
        self._ways: OrderedDict[str, tuple[ProbeHop, ...] | None] = OrderedDict()

    def begin(self, id: str) -> None:
        """Remember a probe."""
        self._ways[id] = None
        if len(self._ways) > MOST_PROBES:
            self._ways.popitem(last=False)

    def end(self, id: str, way: tuple[ProbeHop, ...]) -> None:
        """A probe has come back."""
        if id in self._ways:
            self._ways[id] = way

    def result(self, id: str) -> tuple[ProbeHop, ...] | None:
        """Return the way of a probe; None if it has not come back."""
        return self._ways.get(id)


def way_text(way: tuple[ProbeHop, ...]) -> str:
    """Return the way so far as JSON."""
    return msgspec.json.encode(way).decode()


def way_of(text: str) -> tuple[ProbeHop, ...]:
    """Read the way so far; InvalidEvent says what is wrong."""
    try:
        return msgspec.json.decode(text, type=tuple[ProbeHop, ...])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InvalidEvent(f"no way of a probe: {error}", "data.Body") from error
