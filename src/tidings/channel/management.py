"""Commands of the core beside the flow of events: objects, properties, filters, offers.

A command that fails is answered with an error from the one tree, and has changed nothing.
`catalogue.py` has a row for each.
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


class Management:
    """A command beside the flow of events; its docstring says what it answers, if anything."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class OfProxy(Management):
    """A command for a proxy."""

    channel: int
    proxy: int


@dataclass(frozen=True, slots=True)
class OfPlace(Management):
    """A command for a channel, admin or proxy."""

    place: Place


@dataclass(frozen=True, slots=True)
class OfFilter(Management):
    """A command for a filter."""

    filter: int


class CreatedFilter(NamedTuple):
    """A filter that was created: its id, and those of its constraints in order."""

    id: int
    constraints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CreateChannel(Management):
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
class DestroyChannel(Management):
    """Destroy a channel and everything in it; events that wait there are lost."""

    channel: int


@dataclass(frozen=True, slots=True)
class NewAdmin(Management):
    """Create an admin; its proxies share its quality of service, event types and filters.

    Answer: its id.

    Attributes:
        side: Whom it serves.
        operator: How its filters are joined with those of its proxies.
    """

    channel: int
    side: Side
    operator: Operator = Operator.AND


@dataclass(frozen=True, slots=True)
class DestroyAdmin(Management):
    """Destroy an admin and its proxies; a default admin (id 0) begins anew."""

    channel: int
    side: Side
    admin: int


@dataclass(frozen=True, slots=True)
class ObtainProxy(Management):
    """Create a proxy, to which one client can connect, with its filter and types, all or nothing.

    Answer: its id.

    Attributes:
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
        fence: What its owner may see: one of these must match, whatever its filters say; none
            for all.
        most_owned: How many proxies its owner may have, this one included; None for any number.
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
    fence: Sequence[Constraint] = ()
    most_owned: int | None = None


@dataclass(frozen=True, slots=True)
class Confine(Management):
    """Change the fence of consumers' proxies: the grants of their owner have changed.

    Attributes:
        proxies: Their ids; others than consumers' are ignored.
        fence: What their owner may see: one of these must match; none for all.
    """

    channel: int
    proxies: Sequence[int]
    fence: Sequence[Constraint] = ()


@dataclass(frozen=True, slots=True)
class Connect(OfProxy):
    """Connect a client to a proxy.

    Attributes:
        reachable: Whether the client can be called at all; False for a nil reference.
        notices: Whether the client can be told of offers or subscriptions.
        window: How many events may be in flight to a push consumer.
        address: How to reach the client after a restart; opaque to the core.
        again: Whether this may replace an earlier connection, as after a cut: what was in
            flight is then delivered again.
    """

    reachable: bool = True
    notices: bool = True
    window: int = 1
    address: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Detach(OfProxy):
    """Detach a client whose connection is cut; its proxy stays, and events wait."""


@dataclass(frozen=True, slots=True)
class Disconnect(OfProxy):
    """Destroy a proxy; events that wait for it are lost.

    Attributes:
        given_up: Why its client is given up, for a notice; empty if it is not.
    """

    given_up: str = ""


@dataclass(frozen=True, slots=True)
class Suspend(OfProxy):
    """Stop delivery to a push consumer, or asking of a pull supplier; events wait."""


@dataclass(frozen=True, slots=True)
class Resume(OfProxy):
    """Resume delivery, or asking, after it was suspended."""


@dataclass(frozen=True, slots=True)
class Purge(OfProxy):
    """Drop all events that wait for a consumer; those in flight stay.

    Events that wait on the disk are dropped as they are read back. Like acknowledgements, this is
    on the disk with the next write, within a tenth of a second.

    Answer: how many are dropped.
    """


# Properties.


@dataclass(frozen=True, slots=True)
class SetQoS(OfPlace):
    """Set the quality of service properties named, all or nothing."""

    properties: QoSRequest


@dataclass(frozen=True, slots=True)
class ValidateQoS(OfPlace):
    """Check a quality of service without changing anything.

    Answer: the ranges of what else could be set beside these properties.
    """

    properties: QoSRequest


@dataclass(frozen=True, slots=True)
class ValidateEventQoS(OfProxy):
    """Check which quality of service an event's header may carry through a proxy.

    Answer: the ranges of what else it could carry.
    """

    properties: EventRequest


@dataclass(frozen=True, slots=True)
class SetAdminProperties(Management):
    """Set the admin properties named, all or nothing."""

    channel: int
    properties: AdminRequest


# Filters belong to the host; objects hold them.


@dataclass(frozen=True, slots=True)
class CreateFilter(Management):
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
class AddConstraints(OfFilter):
    """Add constraints to a filter, all or nothing.

    Answer: the ids of the new constraints, in order.

    Attributes:
        constraints: The new constraints.
    """

    constraints: Sequence[Constraint]


@dataclass(frozen=True, slots=True)
class ModifyConstraints(OfFilter):
    """Delete some constraints of a filter and replace others, all or nothing.

    Attributes:
        delete: Ids of constraints.
        replace: New constraints by id.
    """

    delete: Sequence[int] = ()
    replace: Mapping[int, Constraint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClearFilter(OfFilter):
    """Remove all constraints of a filter or mapping filter; then every event passes the filter."""


@dataclass(frozen=True, slots=True)
class DestroyFilter(OfFilter):
    """Destroy a filter or mapping filter; objects that hold it drop it."""


@dataclass(frozen=True, slots=True)
class CreateMapping(Management):
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
class AddMapped(OfFilter):
    """Add constraints with values to a mapping filter, all or nothing.

    Answer: the ids of the new constraints, in order.

    Attributes:
        mapped: The new constraints with their values.
    """

    mapped: Sequence[MappedConstraint]


@dataclass(frozen=True, slots=True)
class ModifyMapped(OfFilter):
    """Delete some constraints with values and replace others, all or nothing.

    Attributes:
        delete: Ids of constraints.
        replace: New constraints with values, by id.
    """

    delete: Sequence[int] = ()
    replace: Mapping[int, MappedConstraint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddFilter(OfPlace):
    """Attach a filter to an admin or proxy: an event passes if one attached filter matches.

    Answer: the id of the attachment there.

    Attributes:
        filter: The filter's id.
    """

    filter: int


@dataclass(frozen=True, slots=True)
class RemoveFilter(OfPlace):
    """Detach one filter from an admin or proxy."""

    attachment: int


@dataclass(frozen=True, slots=True)
class RemoveAllFilters(OfPlace):
    """Detach all filters from an admin or proxy; then every event passes."""


@dataclass(frozen=True, slots=True)
class SetMapping(OfPlace):
    """Give a consumer's admin or proxy a mapping filter for priorities or lifetimes, or none.

    Attributes:
        purpose: ``priority`` or ``lifetime``.
        filter: The mapping filter's id; null for none.
    """

    purpose: Purpose
    filter: int | None


# Offers and subscriptions.


@dataclass(frozen=True, slots=True)
class TypesChange(OfPlace):
    """A change of event types.

    Attributes:
        added: Event types from now on.
        removed: Event types no more.
    """

    added: Sequence[EventTypePattern] = ()
    removed: Sequence[EventTypePattern] = ()


@dataclass(frozen=True, slots=True)
class OfferChange(TypesChange):
    """Change the event types that a supplier's admin or proxy offers."""


@dataclass(frozen=True, slots=True)
class SubscriptionChange(TypesChange):
    """Change the event types that a consumer's admin or proxy asks for."""


@dataclass(frozen=True, slots=True)
class ObtainTypes(OfProxy):
    """List the event types offered (at a consumer's proxy) or wanted (at a supplier's).

    Answer: the event types.

    Attributes:
        mode: Whether the types of now are listed, and whether the client hears of changes.
    """

    mode: InfoMode = InfoMode.ALL_NOW_UPDATES_OFF
