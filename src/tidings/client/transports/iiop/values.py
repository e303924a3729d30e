"""Events as they go over IIOP, and what CORBA has no words for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any as Whatever
from typing import Final

from tidings.audit import SeeChanges
from tidings.channel import commands as c
from tidings.channel import questions as q
from tidings.channel.catalogue import OPERATIONS
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Form, Item
from tidings.cos.events import any_in, any_out, event_in, event_out, events_in
from tidings.errors import NotOverCorba
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.fields import ANY_EVENT_TYPE, is_any
from tidings.events.structured import StructuredEvent

UNKNOWN: Final = -1
"""Stands for a number that CORBA does not tell, such as that of an event."""


def beyond(what: str, instead: str = "") -> NotOverCorba:
    """The error that tells what CORBA has no words for.

    Args:
        what: What was asked for, in the plural.
        instead: What to do there; which doors have it, if nothing can be done.
    """
    door = instead or "connect to the service over HTTP, or embed it"
    return NotOverCorba(f"{what} cannot be had over CORBA: {door}")


def unsupported(request: type) -> NotOverCorba:
    """The error for a request that no operation of the standard carries out."""
    words = _WORDS.get(request, (f"{OPERATIONS[request].name} requests",))
    return beyond(*words)


_WORDS: Final[Mapping[type, tuple[str, ...]]] = {
    SeeChanges: ("the audit trail",),
    c.Ack: ("acknowledgements of single events",),
    c.DryRun: ("dry runs",),
    c.Failed: ("retries of single events",),
    c.Reject: ("rejections of single events",),
    q.DropDeadLetter: ("dead letters",),
    q.RedriveDeadLetter: ("dead letters",),
    q.RedriveDeadLetters: ("dead letters",),
    q.SeeAdvertisement: ("lists of who offers and wants what", "use on_wanted and on_offers"),
    q.SeeDeadLetters: ("dead letters",),
    q.SeeFilters: ("a list of all filters",),
    q.SeeHighestNumber: ("producers with a name", "leave the name out"),
    q.SeeRules: ("the rules of a service",),
}
"""What requests are about that CORBA has no words for, and what to do instead."""


@dataclass(frozen=True, slots=True, eq=False)
class CorbaMessage:
    """An event as it came over CORBA, which tells nothing but its content.

    Attributes:
        event: The content.
        seq: Its number in the channel: unknown.
    """

    event: StructuredEvent
    seq: int = UNKNOWN

    @property
    def origin(self) -> str:
        """Id of the channel: not told."""
        return ""

    @property
    def arrival(self) -> int:
        """When it was accepted: not told."""
        return UNKNOWN

    @property
    def priority(self) -> int:
        """As its header has it; larger is more urgent."""
        found = self.event.header.get("Priority")
        return found if isinstance(found, int) else 0

    @property
    def mark(self) -> ProducerMark | None:
        """The producer's mark: not told."""
        return None

    @property
    def envelope(self) -> Envelope:
        """Not told.

        Raises:
            NotOverCorba: Always.
        """
        raise beyond("numbers and origins of events")


class Events:
    """Events in the forms in which they go through proxies."""

    def outgoing(self, item: Item, form: Form) -> StructuredEvent:
        """What a program sends.

        Raises:
            InvalidEvent: It is no event.
        """
        event = entered(item, unwrap=False)
        if form is Form.ANY and event.type == ANY_EVENT_TYPE[1] and not is_any(event):
            return any_in(event.as_any())  # in an any of its own, or only its body would go
        return event

    def incoming(self, event: StructuredEvent) -> CorbaMessage:
        """What a program gets."""
        return CorbaMessage(entered(event, unwrap=True))

    def written(self, event: StructuredEvent, form: Form) -> object:
        """A single event for the wire."""
        return any_out(event) if form is Form.ANY else event_out(event)

    def read(self, form: Form, value: Whatever) -> list[CorbaMessage]:  # noqa: ANN401 -- by form
        """What came over the wire: an any, a structured event, or a sequence of these."""
        found: Iterable[StructuredEvent]
        if form is Form.SEQUENCE:
            found = events_in(value)
        elif form is Form.ANY:
            found = (any_in(value),)
        else:
            found = (event_in(value),)
        return [self.incoming(event) for event in found]
