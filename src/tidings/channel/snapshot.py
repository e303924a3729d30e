"""Objects as the journal has them: a Struct for each kind, whose fields its objects have too.

Each state has a version, to distinguish later forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, TypeAlias, TypeVar

from msgspec import Struct, field, to_builtins

from tidings.channel.channel import Channel
from tidings.channel.effects import TopologyChanged
from tidings.channel.holders import Admin, Holder, Proxy
from tidings.channel.offers import TypeList
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.filters.constraint import EventTypePattern

VERSION: Final = 1

State: TypeAlias = Mapping[str, Any]
ObjectKey: TypeAlias = tuple[int, str, str]
"""Channel, kind and key of an object, as in `TopologyChanged`."""
Values: TypeAlias = dict[str, int | bool]
Patterns: TypeAlias = list[list[str]]


class LastId(Struct):
    """Ids that may be in use: no new object gets one up to `last`."""

    last: int


class ChannelRecord(Struct):
    """A channel itself."""

    name: str
    origin: str
    qos: Values
    own: Values
    properties: Values = field(name="admin")
    last_admin: dict[Side, int]
    last_proxy: int


class HolderRecord(Struct):
    """What admins and proxies have in common."""

    side: Side
    id: int
    qos: Values
    own: Values
    attached_filters: list[list[int]] = field(name="filters")
    last_attachment: int
    types: Patterns
    offered: Patterns
    priority_filter: int | None
    lifetime_filter: int | None


class AdminRecord(HolderRecord):
    """An admin."""

    operator: Operator


class ProxyRecord(HolderRecord, omit_defaults=True):
    """A durable proxy; a constraint of its fence is its text and event types."""

    admin: int
    style: Style
    form: Form
    name: str
    owner: str
    connected: bool
    reachable: bool
    notices: bool
    updates: bool
    window: int
    address: str
    suspended: bool
    fence: list[list[Any]] = field(default_factory=list)


class HostedRecord(Struct):
    """Any filter; `number` is that of its version, `last` the last id of a constraint."""

    id: int
    owner: str
    private: bool
    number: int
    last: int


class FilterRecord(HostedRecord):
    """A filter; a constraint is its id, text and event types."""

    constraints: list[list[Any]]


class MappingRecord(HostedRecord):
    """A mapping filter; beside each constraint stands its value, as JSON."""

    default: str
    mapped: list[list[Any]]


def patterns_state(patterns: Iterable[EventTypePattern]) -> Patterns:
    """Return event types as plain data."""
    return [[pattern.domain, pattern.type] for pattern in patterns]


def patterns_from(plain: Patterns) -> tuple[EventTypePattern, ...]:
    """Read event types from plain data."""
    return tuple(EventTypePattern(*names) for names in plain)


def _types_state(types: TypeList | frozenset[EventTypePattern]) -> Patterns:
    return patterns_state(sorted(types.types if isinstance(types, TypeList) else types))


PLAIN: Final[Mapping[str, Callable[[Any], object]]] = {
    "admin": attrgetter("id"),
    "fence": lambda fence: [[one.text, patterns_state(one.event_types)] for one in fence],
    "attached_filters": lambda pairs: [list(pair) for pair in pairs],
    "offered": _types_state,
    "own": dict,
    "properties": dict,
    "qos": dict,
    "types": _types_state,
}
"""How the fields of objects that are not plain data are recorded."""

_R = TypeVar("_R", bound=Struct)


def _record(kind: type[_R], thing: object) -> _R:
    found = [(name, getattr(thing, name)) for name in kind.__struct_fields__]
    return kind(*[PLAIN[name](value) if name in PLAIN else value for name, value in found])


def key_of(thing: Channel | Holder) -> ObjectKey:
    """Return the key under which an object is recorded."""
    if isinstance(thing, Channel):
        return thing.id, "channel", str(thing.id)
    if isinstance(thing, Proxy):
        return thing.channel.id, "proxy", str(thing.id)
    return thing.channel.id, "admin", f"{thing.side.value}/{thing.id}"


def state_of(thing: Channel | Holder) -> State:
    """Return the state of an object as it is recorded."""
    if isinstance(thing, Channel):
        record = _record(ChannelRecord, thing)
        record.last_proxy = max(thing.last_proxy, thing.proxies_reserved)
        return recorded(record)
    return recorded(_record(AdminRecord if isinstance(thing, Admin) else ProxyRecord, thing))


def recorded(record: Struct) -> State:
    """Return a record as plain data, with its version."""
    return {"version": VERSION, **to_builtins(record)}


def erased(thing: Channel | Holder) -> TopologyChanged:
    """Return the effect that removes an object's record."""
    return TopologyChanged(*key_of(thing), None)
