"""What can be asked of service change notification: requests of its core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, TypeAlias

from tidings.changes.model import ChangeKind, Notice, ServiceDescription
from tidings.cores import Most, Question, Request
from tidings.events.anyvalue import Value
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint
from tidings.filters.mapping import MappedConstraint

PartyName: TypeAlias = Annotated[str, "name of a party"]
"""The id of a subscriber or evolver, of a subscriber's proxy, or of a filter there."""


class ProxyType(Enum):
    """How a subscriber gets its notices."""

    PUSH_STRUCTURED = 0
    PULL_STRUCTURED = 1
    PUSH_STRUCTURED_SEQUENCE = 2
    PULL_STRUCTURED_SEQUENCE = 3
    PUSH_XML = 4
    PULL_XML = 5

    @property
    def pulls(self) -> bool:
        """Whether the subscriber asks for its notices."""
        return bool(self.value & 1)

    @property
    def is_sequence(self) -> bool:
        """Whether notices come in batches."""
        return self in (ProxyType.PUSH_STRUCTURED_SEQUENCE, ProxyType.PULL_STRUCTURED_SEQUENCE)


# Filters.


class FilterEvents(Enum):
    """Of which kinds of changes a filter lets notices through."""

    CHANGE_SERVICE_EVENT = 0
    INSTANTIATION_SERVICE_EVENT = 1
    CHANGE_AND_INSTATIATION_SERVICE_EVENT = 2

    @property
    def kinds(self) -> frozenset[ChangeKind]:
        """The kinds of changes."""
        new = frozenset({ChangeKind.INSTANTIATION_SERVICE})
        if self is FilterEvents.INSTANTIATION_SERVICE_EVENT:
            return new
        changed = frozenset(ChangeKind) - new
        return changed if self is FilterEvents.CHANGE_SERVICE_EVENT else changed | new


@dataclass(frozen=True, slots=True)
class TraderFilter:
    """Services of one type.

    Attributes:
        type: The service type; a subtype is another one.
        constraint: Over the properties of the service: `$Speed > 20`; blank for all.
    """

    type: str
    constraint: str = ""


@dataclass(frozen=True, slots=True)
class FilterContent:
    """Which notices a filter lets through: of these kinds, about one of these services.

    Attributes:
        events: The kinds of changes.
        services: Services by type and properties; the notice is about one of these,
        references: or about one of these objects. With neither, about any service.
    """

    events: FilterEvents = FilterEvents.CHANGE_AND_INSTATIATION_SERVICE_EVENT
    services: tuple[TraderFilter, ...] = ()
    references: tuple[str, ...] = ()


# Subscribers.


@dataclass(frozen=True, slots=True)
class ProxySubscriberInfo:
    """A proxy of a subscriber.

    Attributes:
        id: Its id: `PS01`.
        type: How it hands notices out.
        subscription: The name of its subscription to the channel `service-changes`.
        connected: Whether its subscriber is connected; otherwise notices wait.
        address: Where the subscriber is called, if it is; empty if it is not.
        qos: What was set here, or at the subscriber when the proxy was made.
        filters: Its filters by id.
        problem: Why it gets no notices; empty if it does.
    """

    id: str
    type: ProxyType
    subscription: str
    connected: bool = False
    address: str = ""
    qos: Mapping[str, Value] = field(default_factory=dict)
    filters: Mapping[str, FilterContent] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SubscriberInfo:
    """A registered subscriber.

    Attributes:
        id: Its id.
        principals: Who may use it: who registered it, and who has told its password; none if it
            was the service's owner.
        has_password: Whether it has a password.
        qos: What its next proxies begin with.
        filters: Its filters by id; a notice passes one of these, and one of the proxy's.
        proxies: Its proxies.
    """

    id: str
    principals: tuple[str, ...] = ()
    has_password: bool = False
    qos: Mapping[str, Value] = field(default_factory=dict)
    filters: Mapping[str, FilterContent] = field(default_factory=dict)
    proxies: tuple[ProxySubscriberInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class RegisterSubscriber(Question[None]):
    """Register a subscriber; who registers it may use it.

    Attributes:
        subscriber: Its id: 1 to 64 letters, digits and . _ @ + -
        password: Whoever tells it may use the subscriber, too; null for nobody else.
    """

    subscriber: PartyName
    password: str | None = None
    digest: str = ""
    principal: str = ""


@dataclass(frozen=True, slots=True)
class UnregisterSubscriber(Question[None]):
    """End a subscriber with its proxies; notices that wait there are lost.

    Attributes:
        password: Its password; null if the caller may use the subscriber.
    """

    subscriber: PartyName
    password: str | None = None


@dataclass(frozen=True, slots=True)
class GetAdminSubscriber(Question[SubscriberInfo]):
    """Show a subscriber to who knows its password, who may use it from then on.

    Attributes:
        password: Its password; null if the caller may use the subscriber.
    """

    subscriber: PartyName
    password: str | None = None
    principal: str = ""


@dataclass(frozen=True, slots=True)
class SeeSubscribers(Question[tuple[SubscriberInfo, ...]]):
    """See all subscribers, by id.

    Attributes:
        after_name: The id of the last one seen before; empty for the first.
        most: At most so many.
    """

    after_name: str = ""
    most: Most = 100


@dataclass(frozen=True, slots=True)
class SeeSubscriber(Question[SubscriberInfo]):
    """See one subscriber, with its proxies, quality of service and filters."""

    subscriber: PartyName


@dataclass(frozen=True, slots=True)
class CreateProxySubscriber(Request):
    """Create a proxy of a subscriber, which has at most one of each type; notices wait from now on.

    Answer: `proxy`, its id.

    Attributes:
        type: How it hands notices out.
    """

    subscriber: PartyName
    type: ProxyType


@dataclass(frozen=True, slots=True)
class DestroyProxySubscriber(Request):
    """End a proxy of a subscriber; notices that wait there are lost."""

    subscriber: PartyName
    proxy_id: PartyName


@dataclass(frozen=True, slots=True)
class DestroyAllProxySubscribers(Request):
    """End all proxies of a subscriber."""

    subscriber: PartyName


@dataclass(frozen=True, slots=True)
class SeeProxySubscriber(Question[ProxySubscriberInfo]):
    """See one proxy of a subscriber."""

    subscriber: PartyName
    proxy_id: PartyName


@dataclass(frozen=True, slots=True)
class ConnectProxySubscriber(Request):
    """Connect a subscriber to its proxy: from now on notices are handed out.

    Attributes:
        address: Where the subscriber is called back; empty if it comes to the service itself.
    """

    subscriber: PartyName
    proxy_id: PartyName
    address: str = ""


@dataclass(frozen=True, slots=True)
class DisconnectProxySubscriber(Request):
    """Disconnect a subscriber from its proxy; notices wait until it connects again."""

    subscriber: PartyName
    proxy_id: PartyName


@dataclass(frozen=True, slots=True)
class PullNotices(Question[tuple[Notice, ...]]):
    """Take notices that wait at a proxy of a pull type; what is answered does not wait any more.

    Attributes:
        most: At most so many; a structured or XML proxy hands out one at a time.
        wait: How long to wait for notices, in milliseconds; 0 for not at all.
    """

    subscriber: PartyName
    proxy_id: PartyName
    most: Most = 100
    wait: int = 0


@dataclass(frozen=True, slots=True)
class SetSubscriberQoS(Request):
    """Set properties of a proxy, or what the next proxies of a subscriber begin with.

    Attributes:
        properties: `OrderPolicy`, `DiscardPolicy`, `MaxQueueLength`, `MaximumBatchSize`,
            `PacingInterval`, `PriorityOverride`; docs/changes.md has their values.
        proxy_id: The proxy; empty for the subscriber itself.
    """

    subscriber: PartyName
    properties: Mapping[str, Value]
    proxy_id: str = ""


@dataclass(frozen=True, slots=True)
class AddSubscriberFilter(Request):
    """Add a filter to a proxy or subscriber: a notice passes if one of the filters there matches.

    Answer: `filter`, its id there.

    Attributes:
        filter: Which notices it lets through.
        proxy_id: The proxy; empty for the subscriber itself.
    """

    subscriber: PartyName
    filter: FilterContent
    proxy_id: str = ""


@dataclass(frozen=True, slots=True)
class RemoveSubscriberFilter(Request):
    """Remove a filter of a proxy or subscriber.

    Attributes:
        filter_id: Its id there.
        proxy_id: The proxy; empty for the subscriber itself.
    """

    subscriber: PartyName
    filter_id: PartyName
    proxy_id: str = ""


@dataclass(frozen=True, slots=True)
class RemoveSubscriberFilters(Request):
    """Remove all filters of a proxy or subscriber; then all notices pass.

    Attributes:
        proxy_id: The proxy; empty for the subscriber itself.
    """

    subscriber: PartyName
    proxy_id: str = ""


# Evolvers.


@dataclass(frozen=True, slots=True)
class EvolverInfo:
    """A registered service evolver.

    Attributes:
        id: Its id.
        address: Where its people are, such as a company's web site.
        principal: Who registered it, and may announce changes; empty for the service's owner.
        has_password: Whether it has a password.
    """

    id: str
    address: str = ""
    principal: str = ""
    has_password: bool = False


@dataclass(frozen=True, slots=True)
class RegisterEvolver(Question[None]):
    """Register a service evolver: only such may announce changes.

    Attributes:
        evolver: Its id: 1 to 64 letters, digits and . _ @ + -
        password: Whoever tells it may announce changes, too; null for nobody else.
        address: Where its people are, such as a company's web site.
    """

    evolver: PartyName
    password: str | None = None
    address: str = ""
    digest: str = ""
    principal: str = ""


@dataclass(frozen=True, slots=True)
class UnregisterEvolver(Question[None]):
    """End the registration of a service evolver; its notices stay.

    Attributes:
        password: Its password; null if the caller registered it.
    """

    evolver: PartyName
    password: str | None = None


@dataclass(frozen=True, slots=True)
class SeeEvolvers(Question[tuple[EvolverInfo, ...]]):
    """See all service evolvers, by id."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """A change that will take place; times are microseconds since 1970.

    Attributes:
        kind: What will happen.
        before: The service as it is; of a new one null.
        after: The service as it will be; of one that is removed null.
        deleted: The properties that it will lose, with their values.
        modified: The properties that will change or be new, with their new values.
        reason: Why the service changes or goes.
        objective: What a new service is for.
        effective: When the change takes place.
        additional: Anything else, such as a company and its web site.
        priority: From 1 to 10, the most important; null for the service's default.
        expiry: Until when the notice is worth delivering; null for the service's default.
        start: When it may be delivered first.
        offer: The id of the offer, where the trader has one.
    """

    kind: ChangeKind
    before: ServiceDescription | None = None
    after: ServiceDescription | None = None
    deleted: Mapping[str, Value] = field(default_factory=dict)
    modified: Mapping[str, Value] = field(default_factory=dict)
    reason: str = ""
    objective: str = ""
    effective: int | None = None
    additional: str = ""
    priority: int | None = None
    expiry: int | None = None
    start: int | None = None
    offer: str = ""


@dataclass(frozen=True, slots=True)
class AnnounceChanges(Question[tuple[str, ...]]):
    """Announce changes in advance, all or none; several are one transaction of notices.

    Answer: `notices`, their ids.

    Attributes:
        changes: The changes, in order.
        password: The evolver's password; null if the caller registered it.
    """

    evolver: PartyName
    changes: Sequence[Announcement]
    password: str | None = None


# Settings and state.


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """What the operator decides; 0 stands for no limit.

    Attributes:
        max_subscribers: Registered subscribers.
        max_connected_subscribers: Subscribers with a connected proxy.
        max_events_per_proxy: Notices that wait at one proxy; beyond, its DiscardPolicy decides.
        max_queue_length: Notices that wait in the channel; beyond, discarding begins.
        order_policy: The OrderPolicy of new proxies: 1 FIFO, 2 priority, 3 expiry.
        discard_policy: Their DiscardPolicy and the channel's: 1 FIFO, 2 priority, 3 expiry,
            4 LIFO, which drops what is new.
        highest_priority: The highest priority of a notice, up to 10.
        default_priority: The priority of detected changes, and of announcements without one.
        default_lifetime: How long they are worth delivering, in microseconds.
        coalesce_after: So many notices of one offer wait to be published before further changes
            of its properties become one notice.
        detect: Whether the trader's changes become notices.
    """

    max_subscribers: int = 0
    max_connected_subscribers: int = 0
    max_events_per_proxy: int = 0
    max_queue_length: int = 0
    order_policy: int = 1
    discard_policy: int = 4
    highest_priority: int = 10
    default_priority: int = 5
    default_lifetime: int = 7 * 24 * 3_600_000_000
    coalesce_after: int = 10
    detect: bool = True


@dataclass(frozen=True, slots=True)
class SeeChangeSettings(Question[ChangeSettings]):
    """See the settings of service change notification."""


@dataclass(frozen=True, slots=True)
class SetChangeSettings(Request):
    """Change settings of service change notification; what is left out stays.

    Attributes:
        max_subscribers: Registered subscribers; 0 for no limit, as in the next three.
        max_connected_subscribers: Subscribers with a connected proxy.
        max_events_per_proxy: Notices that wait at one proxy; beyond, its DiscardPolicy decides.
        max_queue_length: Notices that wait in the channel; beyond, discarding begins.
        order_policy: The OrderPolicy of new proxies: 1 FIFO, 2 priority, 3 expiry.
        discard_policy: Their DiscardPolicy and the channel's: 1 FIFO, 2 priority, 3 expiry,
            4 LIFO, which drops what is new.
        highest_priority: The highest priority of a notice, up to 10.
        default_priority: The priority of detected changes, and of announcements without one.
        default_lifetime: How long they are worth delivering, in microseconds.
        coalesce_after: So many notices of one offer wait to be published before further changes
            of its properties become one notice.
        detect: Whether the trader's changes become notices.
    """

    max_subscribers: int | None = None
    max_connected_subscribers: int | None = None
    max_events_per_proxy: int | None = None
    max_queue_length: int | None = None
    order_policy: int | None = None
    discard_policy: int | None = None
    highest_priority: int | None = None
    default_priority: int | None = None
    default_lifetime: int | None = None
    coalesce_after: int | None = None
    detect: bool | None = None


@dataclass(frozen=True, slots=True)
class ChangeStatus:
    """The state of service change notification; counts are since the service started.

    Attributes:
        subscribers: Registered subscribers.
        connected: Those with a connected proxy.
        evolvers: Registered evolvers.
        last: The number of the latest notice.
        pending: Notices that are not in the channel yet.
        coalesced: Changes that went into the notice of another change.
        lost: Notices that were given up: too many were pending, or the channel refused them.
        problem: Why pending notices wait; empty if nothing holds them up.
    """

    subscribers: int
    connected: int
    evolvers: int
    last: int
    pending: int
    coalesced: int = 0
    lost: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SeeChangeStatus(Question[ChangeStatus]):
    """See how service change notification is."""


# What the core asks of others, and they of it.


@dataclass(frozen=True, slots=True)
class PutChannel(Request):
    """Have a channel of a name; the channels make it if it is missing.

    Attributes:
        origin: A fresh random id for a new one.
        max_queue_length: Its admin property; beyond, events are discarded, and none refused.
        discard_policy: Which of them.
    """

    channel: str
    origin: str
    max_queue_length: int
    discard_policy: int


@dataclass(frozen=True, slots=True)
class PutSubscription(Request):
    """Have a named subscription be like this; the channels make it if it is missing.

    Attributes:
        channel: The name of the channel.
        name: The name of the subscription.
        pulls: Whether its client asks for events.
        is_sequence: Whether it gets them in batches.
        qos: Its quality of service under the standard's names.
        constraints: Of which one must match; none for all events.
        priorities: Which priority events get here; of several that match the highest.
        owner: The principal that may use it.
    """

    channel: str
    name: str
    pulls: bool
    is_sequence: bool
    qos: Mapping[str, int]
    constraints: tuple[Constraint, ...] = ()
    priorities: tuple[MappedConstraint, ...] = ()
    owner: str = ""


@dataclass(frozen=True, slots=True)
class EndSubscription(Request):
    """Have no subscription of a name; events that wait there are lost."""

    channel: str
    name: str


@dataclass(frozen=True, slots=True)
class SubscriptionPut(Request):
    """Tell the core what became of a subscription; `problem` is empty if it is as it should be."""

    name: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SubscriberDisconnected:
    """An effect: whoever is called for a subscription is not called any more."""

    channel: str
    subscription: str


@dataclass(frozen=True, slots=True)
class PublishNotices:
    """An effect: publish events in a channel, each with its number; then `NoticesPublished`."""

    channel: str
    events: tuple[tuple[int, StructuredEvent], ...]


@dataclass(frozen=True, slots=True)
class NoticesPublished(Request):
    """Notices up to a number are in the channel.

    Attributes:
        refused: How many of them the channel has refused for good.
    """

    upto: int
    refused: int = 0


@dataclass(frozen=True, slots=True)
class NoticesDelayed(Request):
    """Notices could not be published now.

    Attributes:
        problem: Why.
        channel_missing: Whether their channel is gone.
    """

    problem: str
    channel_missing: bool = False
