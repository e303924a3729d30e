"""What may be asked of the core beside the flow of events: objects, properties, filters, offers.

Each docstring says what the answer is. A command that cannot be carried out is answered with an
error from the one tree, and has changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tidings.channel.property_errors import Request
from tidings.channel.vocabulary import Form, InfoMode, Place, Side, Style
from tidings.events.anyvalue import Value
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import Operator


@dataclass(frozen=True, slots=True)
class CreateChannel:
    """Makes a channel. Answer: its id.

    Attributes:
        origin: A fresh random id, the first half of the ids of its events.
        qos: What differs from the defaults.
        admin: Admin properties that differ from the defaults.
        name: A name for people, unique among channels; empty for none.
    """

    origin: str
    qos: Request = field(default_factory=dict)
    admin: Request = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True, slots=True)
class DestroyChannel:
    """Ends a channel and everything in it. Answer: None."""

    channel: int


@dataclass(frozen=True, slots=True)
class NewAdmin:
    """Makes an admin. Answer: its id."""

    channel: int
    side: Side
    operator: Operator = Operator.AND


@dataclass(frozen=True, slots=True)
class DestroyAdmin:
    """Ends an admin and its proxies; a default admin begins anew. Answer: None."""

    channel: int
    side: Side
    admin: int


@dataclass(frozen=True, slots=True)
class ObtainProxy:
    """Makes a proxy. Answer: its id.

    Attributes:
        channel: Where.
        side: For a supplier or a consumer.
        style: Which of the two begins.
        form: In which form events go through it.
        admin: Under which admin.
        qos: What differs from the admin's quality of service.
        name: A name for people, unique in the channel; empty for none.
        owner: Who may use it, for the engine's access rules.
        bare: Event Service style: no id in lists, no quality of service, no filters.
    """

    channel: int
    side: Side
    style: Style
    form: Form = Form.STRUCTURED
    admin: int = 0
    qos: Request = field(default_factory=dict)
    name: str = ""
    owner: str = ""
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Connect:
    """Connects a client to a proxy. Answer: None.

    Attributes:
        channel: Which channel.
        proxy: Which proxy.
        reachable: Whether the client can be called at all; False for a nil reference.
        notices: Whether the client can be told of offers or subscriptions.
        window: How many events may be in flight to a push consumer.
        address: How to reach the client after a restart; opaque to the core.
        again: Whether this may replace an earlier connection, as after a cut: what was in
            flight is then delivered again.
    """

    channel: int
    proxy: int
    reachable: bool = True
    notices: bool = True
    window: int = 1
    address: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Detach:
    """The client's line is cut, but its proxy stays: events wait. Answer: None."""

    channel: int
    proxy: int


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Ends a proxy. Answer: None.

    Attributes:
        channel: Which channel.
        proxy: Which proxy.
        given_up: Why its client is given up, for a notice; empty if it is not.
    """

    channel: int
    proxy: int
    given_up: str = ""


@dataclass(frozen=True, slots=True)
class Suspend:
    """Stops delivery to a push consumer, or asking of a pull supplier. Answer: None."""

    channel: int
    proxy: int


@dataclass(frozen=True, slots=True)
class Resume:
    """Goes on after `Suspend`. Answer: None."""

    channel: int
    proxy: int


# Properties.


@dataclass(frozen=True, slots=True)
class SetQoS:
    """Sets quality of service, all or nothing. Answer: None."""

    place: Place
    properties: Request


@dataclass(frozen=True, slots=True)
class ValidateQoS:
    """Answer: the ranges of what else could be set beside these properties."""

    place: Place
    properties: Request


@dataclass(frozen=True, slots=True)
class ValidateEventQoS:
    """Answer: the ranges of what else an event's header could carry through the proxy."""

    channel: int
    proxy: int
    properties: Request


@dataclass(frozen=True, slots=True)
class SetAdminProperties:
    """Sets admin properties, all or nothing. Answer: None."""

    channel: int
    properties: Request


# Filters belong to the host; objects hold them.


@dataclass(frozen=True, slots=True)
class CreateFilter:
    """Makes a filter. Answer: its id, and those of its constraints (a tuple).

    Attributes:
        constraints: What it begins with.
        grammar: The constraint language; empty for ours.
        owner: Who may change it.
        private: It ends with the last object that holds it.
    """

    constraints: Sequence[Constraint] = ()
    grammar: str = ""
    owner: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True)
class AddConstraints:
    """Answer: the ids of the new constraints, in order."""

    filter: int
    constraints: Sequence[Constraint]


@dataclass(frozen=True, slots=True)
class ModifyConstraints:
    """Deletes some constraints, replaces others, all or nothing. Answer: None."""

    filter: int
    delete: Sequence[int] = ()
    replace: Mapping[int, Constraint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClearFilter:
    """Removes all constraints of a filter or mapping filter. Answer: None."""

    filter: int


@dataclass(frozen=True, slots=True)
class DestroyFilter:
    """Ends a filter or mapping filter; who holds it drops it. Answer: None."""

    filter: int


@dataclass(frozen=True, slots=True)
class CreateMapping:
    """Makes a mapping filter. Answer: its id, and those of its constraints (a tuple).

    Attributes:
        default: What an event gets that matches nothing; it fixes the type of all values.
        mapped: What it begins with.
        grammar: The constraint language; empty for ours.
        owner: Who may change it.
        private: It ends with the last object that holds it.
    """

    default: Value
    mapped: Sequence[MappedConstraint] = ()
    grammar: str = ""
    owner: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True)
class AddMapped:
    """Answer: the ids of the new constraints, in order."""

    filter: int
    mapped: Sequence[MappedConstraint]


@dataclass(frozen=True, slots=True)
class ModifyMapped:
    """Deletes some, replaces others, all or nothing. Answer: None."""

    filter: int
    delete: Sequence[int] = ()
    replace: Mapping[int, MappedConstraint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddFilter:
    """Attaches a filter to an admin or proxy. Answer: the id of the attachment there."""

    place: Place
    filter: int


@dataclass(frozen=True, slots=True)
class RemoveFilter:
    """Takes an attached filter off. Answer: None."""

    place: Place
    attachment: int


@dataclass(frozen=True, slots=True)
class RemoveAllFilters:
    """Takes all attached filters off. Answer: None."""

    place: Place


@dataclass(frozen=True, slots=True)
class SetMapping:
    """Gives a consumer admin or proxy a mapping filter. Answer: None.

    Attributes:
        place: The object.
        purpose: ``priority`` or ``lifetime``.
        filter: The mapping filter; None for none.
    """

    place: Place
    purpose: str
    filter: int | None


# Offers and subscriptions.


@dataclass(frozen=True, slots=True)
class OfferChange:
    """A supplier, or a supplier admin, offers event types. Answer: None."""

    place: Place
    added: Sequence[EventTypePattern] = ()
    removed: Sequence[EventTypePattern] = ()


@dataclass(frozen=True, slots=True)
class SubscriptionChange:
    """A consumer, or a consumer admin, asks for event types. Answer: None."""

    place: Place
    added: Sequence[EventTypePattern] = ()
    removed: Sequence[EventTypePattern] = ()


@dataclass(frozen=True, slots=True)
class ObtainTypes:
    """Answer: what is offered (asked at a consumer's proxy) or wanted (at a supplier's)."""

    channel: int
    proxy: int
    mode: InfoMode


Management: TypeAlias = (
    AddConstraints
    | AddFilter
    | AddMapped
    | ClearFilter
    | Connect
    | CreateChannel
    | CreateFilter
    | CreateMapping
    | DestroyAdmin
    | DestroyChannel
    | DestroyFilter
    | Detach
    | Disconnect
    | ModifyConstraints
    | ModifyMapped
    | NewAdmin
    | ObtainProxy
    | ObtainTypes
    | OfferChange
    | RemoveAllFilters
    | RemoveFilter
    | Resume
    | SetAdminProperties
    | SetMapping
    | SetQoS
    | SubscriptionChange
    | Suspend
    | ValidateEventQoS
    | ValidateQoS
)
