"""Events over IIOP, and errors for features that CORBA lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any as Whatever
from typing import Final

from tidings.audit import SeeChanges
from tidings.channel import commands as c
from tidings.channel import questions as q
from tidings.channel.catalogue import OPERATIONS
from tidings.channel.effects import Message
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Form, Item
from tidings.cos.events import WRITE, any_in, any_out, event_in, event_out, events_in
from tidings.errors import InvalidEvent, NotOverCorba
from tidings.events.envelope import Envelope
from tidings.events.fields import ANY_EVENT_TYPE, is_any
from tidings.events.structured import StructuredEvent
from tidings.grants.requests import ACCESS_REQUESTS
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.exceptions import SystemException

UNKNOWN: Final = -1
"""Stands for a number that CORBA does not report, such as an event's sequence number."""


def beyond(what: str, instead: str = "") -> NotOverCorba:
    """Build the error for a feature, in the plural, that CORBA lacks, with an alternative."""
    door = instead or "connect to the service over HTTP, or embed it"
    return NotOverCorba(f"{what} cannot be had over CORBA: {door}")


def unsupported(request: type) -> NotOverCorba:
    """Build the error for a request that the standard has no operation for."""
    words = _WORDS.get(request, (f"{OPERATIONS[request].name} requests",))
    return beyond(*words)


_WORDS: Final[Mapping[type, tuple[str, ...]]] = {
    SeeChanges: ("the audit trail",),
    **dict.fromkeys(ACCESS_REQUESTS, ("principals and grants",)),
    c.Ack: ("acknowledgements of single events",),
    c.DryRun: ("dry runs",),
    c.Failed: ("retries of single events",),
    c.Reject: ("rejections of single events",),
    q.CheckConstraint: ("checks of constraints",),
    q.CountDeadLetters: ("dead letters",),
    q.CountMatching: ("counts of past events",),
    q.DropDeadLetter: ("dead letters",),
    q.DropDeadLetters: ("dead letters",),
    q.ExplainConstraint: ("explanations of constraints",),
    q.RedriveDeadLetter: ("dead letters",),
    q.RedriveDeadLetters: ("dead letters",),
    q.SeeAdvertisement: ("lists of who offers and wants what", "use on_wanted and on_offers"),
    q.SeeDeadLetters: ("dead letters",),
    q.SeeFilters: ("a list of all filters",),
    q.SeeFate: ("fates of events",),
    q.SeeHighestNumber: ("producers with a name", "leave the name out"),
    q.SeeProperties: ("properties of past events",),
    q.SeeRules: ("the rules of a service",),
    q.SeeSettings: ("the settings of a service",),
    q.SeeStatus: ("the status of a service",),
}
"""Descriptions of requests that CORBA lacks, and alternatives."""


class CorbaMessage(Message, eq=False, gc=False):
    """An event received over CORBA, which transmits only its content."""

    @property
    def envelope(self) -> Envelope:
        """Always raises `NotOverCorba`."""
        raise beyond("numbers and origins of events")


class Events:
    """Conversion of events to and from their forms on the wire."""

    def outgoing(self, item: Item, form: Form) -> StructuredEvent:
        """Convert a program's event; raise `InvalidEvent` if it is not one."""
        event = entered(item, unwrap=False)
        if form is Form.ANY and event.type == ANY_EVENT_TYPE[1] and not is_any(event):
            return any_in(event.as_any())  # wrapped, or only its body would be sent
        return event

    def incoming(self, given: StructuredEvent) -> CorbaMessage:
        """Convert an event for the program."""
        event = entered(given, unwrap=True)
        found = event.header.get("Priority")
        priority = found if isinstance(found, int) else 0
        return CorbaMessage(event, "", UNKNOWN, UNKNOWN, priority=priority)

    def written(self, event: StructuredEvent, form: Form) -> object:
        """Convert a single event to its wire form."""
        return any_out(event) if form is Form.ANY else event_out(event)

    def read(self, form: Form, value: Whatever) -> list[CorbaMessage]:  # noqa: ANN401 -- by form
        """Read an any, a structured event, or a sequence of structured events."""
        found: Iterable[StructuredEvent]
        if form is Form.SEQUENCE:
            found = events_in(value)
        elif form is Form.ANY:
            found = (any_in(value),)
        else:
            found = (event_in(value),)
        return [self.incoming(event) for event in found]


def check_octets(event: StructuredEvent, octets: int, most: int) -> None:
    """Raise `InvalidEvent` if a message with the event is too long."""
    if octets > most:
        words = f"{event.domain}::{event.type} {event.name!r}"
        raise InvalidEvent(
            f"the event {words:.200} makes a message of {octets:,} octets; over CORBA {most:,} "
            "are taken: send it in parts, or over HTTP"
        )


def measured(event: StructuredEvent, form: Form, most: int) -> int:
    """Return an event's size in bytes, except for some padding; refuse it if too long."""
    writer = Writer(codesets=OURS)
    try:
        WRITE[form](writer, event)
    except SystemException as error:
        raise InvalidEvent(f"the event cannot be written: {error}") from error
    check_octets(event, writer.at, most)
    return writer.at
