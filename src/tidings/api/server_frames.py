"""Frames that the service sends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec

from tidings.api.delivered import DeliveredEvent
from tidings.api.frame_parts import Frame, Id, Problem
from tidings.errors import InvalidEventType
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import EventTypePattern, event_type


class OkFrame(Frame, frozen=True, tag="ok"):
    """What was asked is done."""

    id: Id


class ErrorFrame(Frame, frozen=True, tag="error"):
    """What was asked is not done; `id` is None if the frame had none."""

    id: Id | None
    problem: Problem


class PushedFrame(Frame, frozen=True, tag="pushed"):
    """What became of the events of a `PushFrame`.

    Attributes:
        id: Of the `PushFrame`.
        results: For each its number (0: a filter stopped it), ``{"error": problem}``, or
            ``{"seq": number, "trail": trail}`` if trails were asked for.
    """

    id: Id
    results: list[int | dict[str, Any]]


class ConnectedFrame(Frame, frozen=True, tag="connected"):
    """The subscription made for a socket of its own."""

    line: Id
    channel: Id
    proxy: Id
    name: str


class _Delivered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seq: int
    arrival: int
    priority: int
    event: dict[str, Any]
    producer: str | None = None
    number: int | None = None


class EventsFrame(Frame, frozen=True, tag="events"):
    """Events for a consumer, in order.

    Attributes:
        line: Whose.
        origin: Id of the channel: with its number, the id of each event.
        events: The events, as parsed JSON; `messages` reads them.
        again: Numbers of those that may have been handed over before.
        batch: Whether they are one batch: the proxy's form is sequence.
        replayed: Whether they are from the past: no answer is awaited.
        lost: First and last numbers of runs of past events that are lost by damage.
    """

    line: Id
    origin: str
    events: list[_Delivered]
    again: list[int] = msgspec.field(default_factory=list)
    batch: bool = False
    replayed: bool = False
    lost: list[tuple[int, int]] = msgspec.field(default_factory=list)

    def messages(self) -> list[DeliveredEvent]:
        """The events."""
        origin = self.origin
        return [
            DeliveredEvent(
                event_from_plain(one.event),
                origin,
                one.seq,
                one.arrival,
                one.priority,
                None
                if one.producer is None or one.number is None
                else ProducerMark.trusted(one.producer, one.number),
            )
            for one in self.events
        ]


class TypesFrame(Frame, frozen=True, tag="types"):
    """Event types that are newly offered or wanted, and those that are no more.

    Attributes:
        line: To whom that is told.
        added: ``Domain::Type``, or both by name where that text would be read otherwise.
        removed: Likewise.
    """

    line: Id
    added: list[str | dict[str, str]]
    removed: list[str | dict[str, str]]

    @classmethod
    def of(
        cls, line: int, added: Iterable[EventTypePattern], removed: Iterable[EventTypePattern]
    ) -> TypesFrame:
        """The frame that tells of patterns."""
        return cls(line, [_type_form(one) for one in added], [_type_form(one) for one in removed])

    def patterns(self) -> tuple[list[EventTypePattern], list[EventTypePattern]]:
        """The patterns that were added, and those that were removed."""
        return [_pattern(one) for one in self.added], [_pattern(one) for one in self.removed]


def _type_form(pattern: EventTypePattern) -> str | dict[str, str]:
    text = f"{pattern.domain}::{pattern.type}"
    if ":" not in pattern.domain:  # as most are
        return text
    return {"domain": pattern.domain, "type": pattern.type}


def _pattern(given: str | dict[str, str]) -> EventTypePattern:
    if isinstance(given, str):
        return event_type(given)
    if given.keys() != {"domain", "type"}:
        raise InvalidEventType("an event type is a text, or an object of domain and type")
    return EventTypePattern(**given)


class PollFrame(Frame, frozen=True, tag="poll"):
    """Asks a pull supplier for events, at most `most`; answered by `PolledFrame`."""

    line: Id
    poll: Id
    most: Id


class GoneFrame(Frame, frozen=True, tag="gone"):
    """The proxy has ended, or another client has taken the line over."""

    line: Id
    problem: Problem


ServerFrame: TypeAlias = (
    OkFrame
    | ErrorFrame
    | PushedFrame
    | ConnectedFrame
    | EventsFrame
    | TypesFrame
    | PollFrame
    | GoneFrame
)
