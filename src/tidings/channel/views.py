"""What clients and doors may see of channels, admins, proxies and filters: frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar

from tidings.channel.effects import Cause
from tidings.channel.offers import overlap
from tidings.channel.property_errors import Level
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.events.anyvalue import Value
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.filter import Filter
from tidings.filters.mapping import MappedConstraint

if TYPE_CHECKING:  # clients have the views without the core
    from tidings.channel.channel import Channel
    from tidings.channel.consumer import Consumer
    from tidings.channel.filter_host import HostedFilter
    from tidings.channel.holders import Admin, Holder, Proxy

QoSValues: TypeAlias = Annotated[Mapping[str, int], "qos"]
AdminValues: TypeAlias = Annotated[Mapping[str, int], "admin properties"]
_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """How the service is.

    Attributes:
        version: The version of Tidings.
        ready: Whether it takes work; if not, the disk refuses.
        channels: How many channels there are that the caller may know of.
        losses: What damage has cost; empty if it has cost nothing.
        warnings: What its settings leave open; only for those who may inspect the service.
    """

    version: str
    ready: bool = True
    channels: int = 0
    losses: str = ""
    warnings: tuple[str, ...] = ()


class SettingSource(Enum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """A setting of the service as it applies.

    Attributes:
        name: Its whole name, such as `http.port`.
        value: Its value as one could write it; `***` for a secret.
        source: Where it comes from.
        origin: The file and line, the variable or the option; empty for a default.
        allowed: Which values it may have, such as `a time`.
        text: What it is.
        live: Whether a reload applies a change; otherwise a restart does.
    """

    name: str
    value: str
    source: SettingSource
    origin: str
    allowed: str
    text: str
    live: bool


@dataclass(frozen=True, slots=True)
class ChannelInfo:
    """A channel as it is now.

    Attributes:
        id: Unique at the service.
        name: For people; empty for none.
        origin: The first half of the ids of its events.
        qos: What applies to it.
        admin: Its admin properties.
        supplier_admins: Ids.
        consumer_admins: Ids.
        suppliers: How many proxies for suppliers it has.
        consumers: How many proxies for consumers it has.
        accepted: How many events it has accepted since it was made; without BestEffort events of
            which a crash left no trace.
        waiting: How many events wait for somebody.
        plan: Version of its rules.
        seq: The number of its latest event; after a crash higher than `accepted`, because numbers
            of BestEffort events are reserved and not used twice.
    """

    id: int
    name: str
    origin: str
    qos: QoSValues
    admin: AdminValues
    supplier_admins: tuple[int, ...]
    consumer_admins: tuple[int, ...]
    suppliers: int
    consumers: int
    accepted: int
    waiting: int
    plan: int
    seq: int = 0


@dataclass(frozen=True, slots=True)
class AdminInfo:
    """An admin as it is now.

    Attributes:
        channel: Its channel.
        side: Whom it serves.
        id: Unique in the channel and side.
        operator: How its filters are joined with those of its proxies.
        qos: What applies to it.
        filters: Attachment id to filter id.
        types: Event types it asks for or offers; for a consumer's, empty means all.
        proxies: Ids of its proxies, without Event Service ones.
        priority_filter: Its mapping filter for priorities.
        lifetime_filter: Its mapping filter for lifetimes.
    """

    channel: int
    side: Side
    id: int
    operator: Operator
    qos: QoSValues
    filters: Mapping[int, int]
    types: tuple[EventTypePattern, ...]
    proxies: tuple[int, ...]
    priority_filter: int | None
    lifetime_filter: int | None


@dataclass(frozen=True, slots=True)
class ProxyInfo:
    """A proxy as it is now.

    Attributes:
        channel: Its channel.
        id: Unique in the channel.
        side: Whom it serves.
        style: Who begins.
        form: In which form events go through it.
        admin: Its admin's id.
        name: For people; empty for none.
        owner: Who may use it.
        qos: What applies to it.
        filters: Attachment id to filter id.
        types: Event types it asks for or offers; for a consumer's, empty means all.
        connected: Whether it has a client.
        attached: Whether that can be reached at the moment.
        suspended: Whether it asked for a pause.
        waiting: How many events wait for it.
        spilled: How many of them on the disk.
        in_flight: How many are handed over and not answered.
        failures: How many deliveries failed in a row.
        counts: What became of its copies of events, by outcome.
        priority_filter: Its mapping filter for priorities.
        lifetime_filter: Its mapping filter for lifetimes.
    """

    channel: int
    id: int
    side: Side
    style: Style
    form: Form
    admin: int
    name: str
    owner: str
    qos: QoSValues
    filters: Mapping[int, int]
    types: tuple[EventTypePattern, ...]
    connected: bool
    attached: bool
    suspended: bool
    waiting: int
    spilled: int
    in_flight: int
    failures: int
    counts: Mapping[str, int]
    priority_filter: int | None
    lifetime_filter: int | None


@dataclass(frozen=True, slots=True)
class FilterInfo:
    """A filter as it is now.

    Attributes:
        id: Unique at the service.
        version: Rises with every change.
        constraints: By id.
        holders: How many admins and proxies hold it.
        owner: Who may change it.
        private: It ends with the last object that holds it.
    """

    id: int
    version: int
    constraints: Mapping[int, Constraint]
    holders: int
    owner: str
    private: bool = False


@dataclass(frozen=True, slots=True)
class MappingInfo:
    """A mapping filter as it is now.

    Attributes:
        id: Unique at the service.
        version: Rises with every change.
        default: What an event gets that matches nothing; typed JSON.
        mapped: Constraints with their values, by id.
        holders: How many admins and proxies hold it.
        owner: Who may change it.
    """

    id: int
    version: int
    default: Value
    mapped: Mapping[int, MappedConstraint]
    holders: int
    owner: str


@dataclass(frozen=True, slots=True)
class Advertisement:
    """What is offered in a channel and what is wanted, and by whom.

    Attributes:
        offered: All event types suppliers say they will send.
        wanted: All event types consumers ask for.
        offers: For each offering object (``proxy 3``, ``admin 0``), its types.
        wants: For each consumer's proxy, its types.
    """

    offered: tuple[EventTypePattern, ...]
    wanted: tuple[EventTypePattern, ...]
    offers: Mapping[str, tuple[EventTypePattern, ...]]
    wants: Mapping[int, tuple[EventTypePattern, ...]]

    def offered_by(self, pattern: EventTypePattern) -> list[str]:
        """Who offers a type that may mean the same events as this one."""
        return [who for who, types in self.offers.items() if _any_overlap(types, pattern)]

    def wanted_by(self, pattern: EventTypePattern) -> list[int]:
        """Whose consumers ask for a type that may mean the same events as this one."""
        return [proxy for proxy, types in self.wants.items() if _any_overlap(types, pattern)]


def _any_overlap(types: tuple[EventTypePattern, ...], pattern: EventTypePattern) -> bool:
    return any(overlap(one, pattern) for one in types)


@dataclass(frozen=True, slots=True)
class DeadLetterInfo:
    """An event that could not be delivered to a consumer.

    Attributes:
        id: Names it when it is delivered again or dropped.
        channel: Its channel.
        proxy: Whose consumer it was for.
        seq: The event's number.
        arrival: When it was accepted, microseconds since 1970.
        at: When it was given up.
        causes: Why, the first cause first.
        event: The event, unchanged.
    """

    id: int
    channel: int
    proxy: int
    seq: int
    arrival: int
    at: int
    causes: tuple[Cause, ...]
    event: StructuredEvent


def _view(kind: type[_V], thing: object, **given: object) -> _V:
    """Return a view whose fields are given, or attributes of the object with the same names."""
    names: tuple[str, ...] = getattr(kind, "__match_args__")  # noqa: B009 -- not known to mypy
    return kind(*[given[one] if one in given else getattr(thing, one) for one in names])


def view_channel(channel: Channel) -> ChannelInfo:
    """A channel as it is now."""
    suppliers = sum(len(admin.proxies) for admin in channel.admins[Side.SUPPLIER].values())
    return _view(
        ChannelInfo,
        channel,
        qos=channel.qos.at(Level.CHANNEL),
        admin=dict(channel.properties),
        supplier_admins=tuple(sorted(channel.admins[Side.SUPPLIER])),
        consumer_admins=tuple(sorted(channel.admins[Side.CONSUMER])),
        suppliers=suppliers,
        consumers=len(channel.proxies) - suppliers,
        plan=channel.plan.version,
    )


def _view_holder(kind: type[_V], holder: Holder, level: Level, **given: object) -> _V:
    types = holder.types.types if holder.side is Side.CONSUMER else holder.offered
    given["channel"] = holder.channel.id
    given["qos"] = holder.qos.at(level)
    given["filters"] = dict(holder.attached_filters)
    given["types"] = tuple(sorted(types))
    return _view(kind, holder, **given)


def view_admin(admin: Admin) -> AdminInfo:
    """An admin as it is now."""
    proxies = tuple(proxy.id for proxy in admin.proxies.values() if not proxy.bare)
    return _view_holder(AdminInfo, admin, Level.ADMIN, proxies=proxies)


def view_proxy(proxy: Proxy) -> ProxyInfo:
    """A proxy as it is now."""
    consumer: Consumer | None = getattr(proxy, "consumer", None)
    counts = {} if consumer is None else consumer.counts
    return _view_holder(
        ProxyInfo,
        proxy,
        Level.PROXY,
        admin=proxy.admin.id,
        waiting=0 if consumer is None else consumer.waiting,
        spilled=0 if consumer is None else consumer.spilled,
        in_flight=0 if consumer is None else len(consumer.flight),
        failures=0 if consumer is None else consumer.failures,
        counts={outcome.name.lower(): count for outcome, count in counts.items()},
    )


def view_filter(hosted: HostedFilter) -> FilterInfo | MappingInfo:
    """A filter as it is now."""
    made, number, holders = hosted.filter, hosted.filter.version.number, len(hosted.holders)
    if isinstance(made, Filter):
        constraints = made.version.constraints
        return FilterInfo(hosted.id, number, constraints, holders, hosted.owner, hosted.private)
    mapped = made.version.mapped
    return MappingInfo(hosted.id, number, made.default, mapped, holders, hosted.owner)


def advertisement(channel: Channel) -> Advertisement:
    """What is offered in a channel and what is wanted, and by whom."""
    offers = channel.offers.owners().items()
    wants = channel.wants.owners().items()
    return Advertisement(
        channel.offers.types(),
        channel.wants.types(),
        {f"{kind} {id}": tuple(sorted(types)) for (kind, id), types in offers},
        {proxy: tuple(sorted(types)) for proxy, types in wants},
    )
