"""Commands of the core beside the flow of events: objects, properties, filters, offers.

Each docstring says what the command does, in one paragraph, and what the answer is. A command
that fails is answered with an error from the one tree, and has changed nothing.
`catalogue.py` has a row for each: its right, its HTTP request, how it may be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple, TypeAlias

from tidings.channel.property_errors import Request
from tidings.channel.vocabulary import Form, InfoMode, Place, Side, Style
from tidings.events.anyvalue import Value
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import Operator

# Properties of the three levels that have names of their own.
QoSRequest: TypeAlias = Annotated[Request, "qos"]
EventRequest: TypeAlias = Annotated[Request, "event qos"]
AdminRequest: TypeAlias = Annotated[Request, "admin properties"]
Purpose: TypeAlias = Annotated[str, "purpose"]
"""What a mapping filter is for: ``priority`` or ``lifetime``."""


class CreatedFilter(NamedTuple):
    """A filter that was created: its id, and those of its constraints in order."""

    id: int
    constraints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CreateChannel:
    """Create a channel; its name, if it has one, must be free.

    Answer: its id.

    Attributes:
        origin: A fresh random id, the first half of the ids of its events.
        qos: Properties that differ from the defaults.
        admin: Admin properties that differ from the defaults.
        name: For people; unique among channels. Empty for none.
    """

    origin: str
    qos: QoSRequest = field(default_factory=dict)
    admin: AdminRequest = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True, slots=True)
class DestroyChannel:
    """Destroy a channel and everything in it; events that wait there are lost.

    Answer: None.
    """

    channel: int


@dataclass(frozen=True, slots=True)
class NewAdmin:
    """Create an admin; its proxies share its quality of service, event types and filters.

    Answer: its id.

    Attributes:
        channel: Its channel.
        side: Whom it serves.
        operator: How its filters are joined with those of its proxies.
    """

    channel: int
    side: Side
    operator: Operator = Operator.AND


@dataclass(frozen=True, slots=True)
class DestroyAdmin:
    """Destroy an admin and its proxies; a default admin (id 0) begins anew.

    Answer: None.
    """

    channel: int
    side: Side
    admin: int


@dataclass(frozen=True, slots=True)
class ObtainProxy:
    """Create a proxy, to which one client can connect, with its filter and types, all or nothing.

    Answer: its id.

    Attributes:
        channel: Its channel.
        side: For a supplier or a consumer.
        style: Which of the two begins.
        form: In which form events go through it.
        admin: Under which admin; 0 is the default one.
        qos: Properties that differ from the admin's.
        name: For people; unique in the channel. Empty for none.
        owner: Who may use it, for the engine's access rules.
        bare: Event Service style: not in lists of ids, no qos, no filters.
        constraints: A private filter of which one constraint must match; none for no filter.
        types: Event types it asks for or offers; for a consumer's, none means all.
        keep: For a consumer's: events wait from now on, before anybody has connected.
    """

    channel: int
    side: Side = Side.CONSUMER
    style: Style = Style.PUSH
    form: Form = Form.STRUCTURED
    admin: int = 0
    qos: QoSRequest = field(default_factory=dict)
    name: str = ""
    owner: str = ""
    bare: bool = False
    constraints: Sequence[Constraint] = ()
    types: Sequence[EventTypePattern] = ()
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Connect:
    """Connect a client to a proxy.

    Answer: None.

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
    """Detach a client whose connection is cut; its proxy stays, and events wait.

    Answer: None.
    """

    channel: int
    proxy: int


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Destroy a proxy; events that wait for it are lost.

    Answer: None.

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
    """Stop delivery to a push consumer, or asking of a pull supplier; events wait.

    Answer: None.
    """

    channel: int
    proxy: int


@dataclass(frozen=True, slots=True)
class Resume:
    """Resume delivery, or asking, after it was suspended.

    Answer: None.
    """

    channel: int
    proxy: int


@dataclass(frozen=True, slots=True)
class Purge:
    """Drop all events that wait for a consumer; those in flight stay.

    Events that wait on the disk are dropped as they are read back. Like acknowledgements, this is
    on the disk with the next write, within a tenth of a second.

    Answer: how many are dropped.
    """

    channel: int
    proxy: int


# Properties.


@dataclass(frozen=True, slots=True)
class SetQoS:
    """Set the quality of service properties named, all or nothing.

    Answer: None.
    """

    place: Place
    properties: QoSRequest


@dataclass(frozen=True, slots=True)
class ValidateQoS:
    """Check a quality of service without changing anything.

    Answer: the ranges of what else could be set beside these properties.
    """

    place: Place
    properties: QoSRequest


@dataclass(frozen=True, slots=True)
class ValidateEventQoS:
    """Check which quality of service an event's header may carry through a proxy.

    Answer: the ranges of what else it could carry.
    """

    channel: int
    proxy: int
    properties: EventRequest


@dataclass(frozen=True, slots=True)
class SetAdminProperties:
    """Set the admin properties named, all or nothing.

    Answer: None.
    """

    channel: int
    properties: AdminRequest


# Filters belong to the host; objects hold them.


@dataclass(frozen=True, slots=True)
class CreateFilter:
    """Create a filter: an event passes if it matches one of its constraints, or if it has none.

    Answer: its id, and those of its constraints (`CreatedFilter`).

    Attributes:
        constraints: What it begins with; none lets every event pass.
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
    """Add constraints to a filter, all or nothing.

    Answer: the ids of the new constraints, in order.

    Attributes:
        filter: Its id.
        constraints: The new constraints.
    """

    filter: int
    constraints: Sequence[Constraint]


@dataclass(frozen=True, slots=True)
class ModifyConstraints:
    """Delete some constraints of a filter and replace others, all or nothing.

    Answer: None.

    Attributes:
        filter: Its id.
        delete: Ids of constraints.
        replace: New constraints by id.
    """

    filter: int
    delete: Sequence[int] = ()
    replace: Mapping[int, Constraint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClearFilter:
    """Remove all constraints of a filter or mapping filter; then every event passes the filter.

    Answer: None.
    """

    filter: int


@dataclass(frozen=True, slots=True)
class DestroyFilter:
    """Destroy a filter or mapping filter; objects that hold it drop it.

    Answer: None.
    """

    filter: int


@dataclass(frozen=True, slots=True)
class CreateMapping:
    """Create a mapping filter: an event gets the value of the first constraint it matches.

    Answer: its id, and those of its constraints (`CreatedFilter`).

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
    """Add constraints with values to a mapping filter, all or nothing.

    Answer: the ids of the new constraints, in order.

    Attributes:
        filter: Its id.
        mapped: The new constraints with their values.
    """

    filter: int
    mapped: Sequence[MappedConstraint]


@dataclass(frozen=True, slots=True)
class ModifyMapped:
    """Delete some constraints with values and replace others, all or nothing.

    Answer: None.

    Attributes:
        filter: Its id.
        delete: Ids of constraints.
        replace: New constraints with values, by id.
    """

    filter: int
    delete: Sequence[int] = ()
    replace: Mapping[int, MappedConstraint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddFilter:
    """Attach a filter to an admin or proxy: an event passes if one attached filter matches.

    Answer: the id of the attachment there.

    Attributes:
        place: The object.
        filter: The filter's id.
    """

    place: Place
    filter: int


@dataclass(frozen=True, slots=True)
class RemoveFilter:
    """Detach one filter from an admin or proxy.

    Answer: None.
    """

    place: Place
    attachment: int


@dataclass(frozen=True, slots=True)
class RemoveAllFilters:
    """Detach all filters from an admin or proxy; then every event passes.

    Answer: None.
    """

    place: Place


@dataclass(frozen=True, slots=True)
class SetMapping:
    """Give a consumer's admin or proxy a mapping filter for priorities or lifetimes, or none.

    Answer: None.

    Attributes:
        place: The object.
        purpose: ``priority`` or ``lifetime``.
        filter: The mapping filter's id; null for none.
    """

    place: Place
    purpose: Purpose
    filter: int | None


# Offers and subscriptions.


@dataclass(frozen=True, slots=True)
class OfferChange:
    """Change the event types that a supplier's admin or proxy offers.

    Answer: None.

    Attributes:
        place: The object.
        added: Event types from now on.
        removed: Event types no more.
    """

    place: Place
    added: Sequence[EventTypePattern] = ()
    removed: Sequence[EventTypePattern] = ()


@dataclass(frozen=True, slots=True)
class SubscriptionChange:
    """Change the event types that a consumer's admin or proxy asks for.

    Answer: None.

    Attributes:
        place: The object.
        added: Event types from now on.
        removed: Event types no more.
    """

    place: Place
    added: Sequence[EventTypePattern] = ()
    removed: Sequence[EventTypePattern] = ()


@dataclass(frozen=True, slots=True)
class ObtainTypes:
    """List the event types offered (at a consumer's proxy) or wanted (at a supplier's).

    Answer: the event types.

    Attributes:
        channel: Which channel.
        proxy: Which proxy.
        mode: Whether the types of now are listed, and whether the client hears of changes.
    """

    channel: int
    proxy: int
    mode: InfoMode = InfoMode.ALL_NOW_UPDATES_OFF


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
    | Purge
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
