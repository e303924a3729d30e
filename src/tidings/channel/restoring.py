"""Restores objects from plain data: channels, then their admins, then their proxies.

Waiting entries come afterwards, event by event (`Factory.load_pending`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct, convert

from tidings.channel.channel import Channel, Channels
from tidings.channel.filter_host import FilterHost, HostedFilter
from tidings.channel.holders import Admin, Holder
from tidings.channel.lifecycle import new_proxy
from tidings.channel.offers import TypeList
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import QoS, fixed_above
from tidings.channel.rules import Rules, offer_key
from tidings.channel.snapshot import (
    PLAIN,
    VERSION,
    AdminRecord,
    ChannelRecord,
    FilterRecord,
    HolderRecord,
    HostedRecord,
    LastId,
    MappingRecord,
    ObjectKey,
    Patterns,
    ProxyRecord,
    State,
    patterns_from,
)
from tidings.errors import StoreError, TidingsError
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_text import parse_json
from tidings.events.codecs.json_values import value_from_plain
from tidings.filters.constraint import Constraint, accepted_constraint
from tidings.filters.filter import Filter
from tidings.filters.mapping import MappedConstraint, MappingFilter
from tidings.filters.plan import Plan, PlanOptions

# Errors of a state that cannot be read.
_UNFIT: Final = (TidingsError, AttributeError, LookupError, TypeError, ValueError)
# Fields that are set one by one; objects have the others as they are recorded.
_SET_APART: Final = PLAIN.keys() | {"lifetime_filter", "priority_filter"}


def restore(
    channels: Channels,
    filters: FilterHost,
    rules: Rules,
    states: Mapping[ObjectKey, State],
    options: PlanOptions,
) -> list[str]:
    """Recreate all recorded objects, each in its last state; return what was skipped, and why.

    Objects whose parent has no record are skipped: a power cut may leave the end of a batch without
    its beginning, and damage can hit anything. StoreError means a newer version or an inconsistent
    state.
    """
    # Ids are texts: the shorter one is the lower one.
    ordered = sorted(states.items(), key=lambda item: (len(item[0][2]), item[0]))
    for (_, kind, key), state in ordered:
        if state.get("version") != VERSION:
            raise StoreError(
                f"the {kind} {key} was written in form {state.get('version')!r}; this version of "
                f"Tidings reads {VERSION}"
            )
    passed_over = _Restoring(channels, filters).restore(ordered)
    filters.reserved = last_id(states, "filters")
    filters.last_id = max(filters.last_id, filters.reserved)
    for hosted in list(filters.filters.values()):
        if hosted.private and not hosted.holders:  # its holder was not restored
            filters.remove(hosted)
    for made in channels.values():
        made.plan = Plan(options=options)
        for admins in made.admins.values():
            for admin in admins.values():
                rules.refresh(admin)
        for proxy in made.proxies.values():
            rules.adjust(proxy)
            rules.refresh(proxy)
    return passed_over


def last_id(states: Mapping[ObjectKey, State], what: str) -> int:
    """Return the highest id that may have been given, or raise StoreError if it is invalid."""
    try:
        return convert(states.get((0, "factory", what), {"last": 0}), LastId).last
    except ValueError as error:
        raise StoreError(f"the record of the last id of {what} is invalid: {error}") from error


class _NoParentError(Exception):
    """An object's parent has no record."""


class _Restoring:
    """Makes objects from their records."""

    def __init__(self, channels: Channels, filters: FilterHost) -> None:
        self._channels = channels
        self._filters = filters
        # In order of dependency.
        self._makers: dict[str, tuple[type[Struct], Callable[[int, Any], None]]] = {
            "filter": (FilterRecord, self._filter),
            "mapping": (MappingRecord, self._mapping),
            "channel": (ChannelRecord, self._channel),
            "admin": (AdminRecord, self._admin),
            "proxy": (ProxyRecord, self._proxy),
        }

    def restore(self, ordered: list[tuple[ObjectKey, State]]) -> list[str]:
        passed_over: list[str] = []
        for kind, (record, make) in self._makers.items():
            for (channel, found, key), state in ordered:
                if found != kind:
                    continue
                try:
                    make(channel, convert(state, record))
                except _NoParentError as error:
                    passed_over.append(f"the {kind} {key} {error}")
                except _UNFIT as error:
                    raise StoreError(f"the {kind} {key} cannot be made again: {error!r}") from error
        return passed_over

    def _filter(self, channel: int, record: FilterRecord) -> None:
        constraints = {id: _constraint(text, types) for id, text, types in record.constraints}
        self._host(Filter.restored(record.number, constraints, record.last), record)

    def _mapping(self, channel: int, record: MappingRecord) -> None:
        mapped = {
            id: MappedConstraint(_constraint(text, types), _value(value))
            for id, text, types, value in record.mapped
        }
        default = _value(record.default)
        self._host(MappingFilter.restored(default, record.number, mapped, record.last), record)

    def _host(self, made: Filter | MappingFilter, record: HostedRecord) -> None:
        hosted = HostedFilter(record.id, made, record.owner, private=record.private)
        hosted.stored = True
        self._filters.filters[hosted.id] = hosted
        self._filters.last_id = max(self._filters.last_id, hosted.id)

    def _channel(self, id: int, record: ChannelRecord) -> None:
        qos, properties = QoS(record.qos), AdminProperties(record.properties)
        made = self._channels[id] = Channel(id, record.origin, self._channels, qos, properties)
        made.name, made.own = record.name, record.own
        made.last_admin |= record.last_admin
        made.last_proxy = made.proxies_reserved = record.last_proxy

    def _admin(self, id: int, record: AdminRecord) -> None:
        channel, side = self._parent(id), record.side
        qos = _qos_below(channel.qos, record)
        admin = Admin(channel, record.id, side, qos)
        channel.admins[side][admin.id] = admin
        channel.last_admin[side] = max(channel.last_admin[side], admin.id)
        self._restore_holder(channel, admin, record)

    def _proxy(self, id: int, record: ProxyRecord) -> None:
        channel = self._parent(id)
        admins = channel.admins[record.side]
        admin = admins.get(record.admin)
        if admin is None and not record.admin:  # a default admin can be recreated
            admin = admins[0] = Admin(channel, 0, record.side, channel.qos)
        if admin is None:
            raise _NoParentError(f"of channel {id} has no admin in the journal")
        qos = _qos_below(admin.qos, record)
        proxy = new_proxy(admin, record.id, record.style, record.form, qos)
        admin.proxies[proxy.id] = channel.proxies[proxy.id] = proxy
        channel.last_proxy = max(channel.last_proxy, proxy.id)
        self._restore_holder(channel, proxy, record)
        proxy.fence = tuple(_constraint(text, types) for text, types in record.fence)
        self._channels.own(proxy)
        if proxy.name:
            channel.names[proxy.name] = proxy.id

    def _parent(self, id: int) -> Channel:
        found = self._channels.get(id)
        if found is None:
            raise _NoParentError(f"belongs to channel {id}, which is not in the journal")
        return found

    def _restore_holder(self, channel: Channel, holder: Holder, record: HolderRecord) -> None:
        for name in record.__struct_fields__:
            if name not in _SET_APART:
                setattr(holder, name, getattr(record, name))
        holder.own = record.own
        known = self._filters.filters
        pairs = [(attachment, id) for attachment, id in record.attached_filters if id in known]
        holder.attached_filters = tuple(pairs)
        holder.types = TypeList(frozenset(patterns_from(record.types)))
        holder.offered = frozenset(patterns_from(record.offered))
        if record.priority_filter in known:
            holder.priority_filter = record.priority_filter
        if record.lifetime_filter in known:
            holder.lifetime_filter = record.lifetime_filter
        for id in holder.filter_ids:
            known[id].holders[holder] = None
        if holder.offered:
            channel.offers.replace(offer_key(holder), holder.offered)


def _constraint(text: str, types: Patterns) -> Constraint:
    return accepted_constraint(text, patterns_from(types))


def _value(text: str) -> Value:
    return value_from_plain(parse_json(text))


def _qos_below(parent: QoS, record: HolderRecord) -> QoS:
    """Correct EventReliability: older versions left it below a channel as at its creation."""
    return QoS({**record.qos, **fixed_above(parent)})
