"""Frames that clients send."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from tidings.api.frame_parts import MAX_WINDOW, Events, Frame, Id, Reason, Seqs
from tidings.events.envelope import ProducerMark


class ConnectFrame(Frame, frozen=True, tag="connect"):
    """Connects a proxy to a line of this socket. Answer: `OkFrame` or `ErrorFrame`.

    Attributes:
        id: Named again in the answer.
        line: The client's own number for the connection.
        channel: Which channel.
        proxy: Which proxy, of any kind.
        window: How many events may be in flight to a push consumer.
        again: Whether this may replace an earlier connection, as after a cut.
        notices: Whether the client wants to hear of offers or subscriptions.
    """

    id: Id
    line: Id
    channel: Id
    proxy: Id
    window: Annotated[int, Meta(ge=1, le=MAX_WINDOW)] = 256
    again: bool = False
    notices: bool = True


class PushFrame(Frame, frozen=True, tag="push"):
    """Events from a supplier. Answer: `PushedFrame`, or `ErrorFrame` if none was looked at.

    Attributes:
        id: Named again in the answer.
        channel: Where to.
        proxy: Through which proxy.
        events: The events, as parsed JSON.
        producer: Who sends them, if all have marks that count up.
        number: The mark of the first.
        marks: Or the mark of each: producer and number.
        trail: Whether the answers say how each was judged.
    """

    id: Id
    channel: Id
    proxy: Id
    events: Events
    producer: str | None = None
    number: Id | None = None
    marks: list[tuple[str, Id]] | None = None
    trail: bool = False

    def __post_init__(self) -> None:
        if (self.producer is None) != (self.number is None):
            raise ValueError("`producer` and `number` go together")
        if self.marks is not None:
            if self.producer is not None:
                raise ValueError("either `producer` and `number`, or `marks`")
            if len(self.marks) != len(self.events):
                raise ValueError(
                    f"{len(self.marks)} `marks` for {len(self.events)} `events`; each needs one"
                )

    def producer_marks(self) -> list[ProducerMark] | None:
        """The mark of each event; None if they have none."""
        if self.number is not None and self.producer is not None:
            first = ProducerMark(self.producer, self.number)
            if len(self.events) == 1:
                return [first]
            last = self.number + len(self.events) - 1
            ProducerMark(self.producer, max(last, 0))
            trusted, producer = ProducerMark.trusted, self.producer
            return [trusted(producer, number) for number in range(self.number, last + 1)]
        if self.marks is not None:
            return [ProducerMark(producer, number) for producer, number in self.marks]
        return None


class AckFrame(Frame, frozen=True, tag="ack"):
    """The consumer has taken these events; no answer."""

    line: Id
    seqs: Seqs


class FailFrame(Frame, frozen=True, tag="fail"):
    """The consumer could not take these events: they are to come again; no answer."""

    line: Id
    seqs: Seqs
    reason: Reason = ""


class RejectFrame(Frame, frozen=True, tag="reject"):
    """The consumer will never take these events: they become dead letters; no answer."""

    line: Id
    seqs: Seqs
    reason: Reason = ""


class PolledFrame(Frame, frozen=True, tag="polled"):
    """What a pull supplier had when it was asked; no answer.

    Attributes:
        line: Its line.
        poll: The number of the `PollFrame`.
        events: The events, as parsed JSON.
        reason: Why asking failed; empty if it did not.
        gone: The supplier does not exist any more: its proxy ends.
    """

    line: Id
    poll: Id
    events: Events = msgspec.field(default_factory=list)
    reason: Reason = ""
    gone: bool = False


class ReleaseFrame(Frame, frozen=True, tag="release"):
    """Cuts a line; with `end` the proxy ends, too. Answer: `OkFrame` or `ErrorFrame`."""

    id: Id
    line: Id
    end: bool = False


ClientFrame: TypeAlias = (
    ConnectFrame | PushFrame | AckFrame | FailFrame | RejectFrame | PolledFrame | ReleaseFrame
)
