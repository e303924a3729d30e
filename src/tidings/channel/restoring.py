"""Restores objects from plain data: channels, then their admins, then their proxies.

Waiting entries come afterwards, event by event (`Factory.load_pending`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tidings.channel.channel import Channel, Channels
from tidings.channel.filter_host import FilterHost, HostedFilter
from tidings.channel.holders import Admin, Holder
from tidings.channel.lifecycle import new_proxy
from tidings.channel.offers import TypeList
from tidings.channel.properties import AdminProperties
from tidings.channel.property_errors import Level
from tidings.channel.qos import QoS, fixed_above, inherited
from tidings.channel.rules import Rules
from tidings.channel.sharing import offer_key
from tidings.channel.snapshot import (
    State,
    constraint_from,
    mapped_from,
    patterns_from,
    value_from,
)
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.errors import StoreError, TidingsError
from tidings.filters.filter import Filter
from tidings.filters.mapping import MappingFilter
from tidings.filters.plan import Plan, PlanOptions


def restore(
    channels: Channels,
    filters: FilterHost,
    rules: Rules,
    states: Mapping[tuple[int, str, str], State],
    options: PlanOptions,
) -> list[str]:
    """Recreate all recorded objects, each in its last state; return what was skipped, and why.

    Objects whose parent has no record are skipped: a power cut may leave the end of a batch without
    its beginning, and damage can hit anything. StoreError means a newer version or an inconsistent
    state.
    """
    passed_over: list[str] = []
    # Ids are texts: the shorter one is the lower one.
    ordered = sorted(states.items(), key=lambda item: (len(item[0][2]), item[0]))
    for (_, kind, key), state in ordered:
        _check_version(kind, key, state)
    for kind, make in _MAKERS.items():
        for (channel, found, key), state in ordered:
            if found == kind:
                try:
                    _make(make, channels, filters, (channel, kind, key), state)
                except _NoParentError as error:
                    passed_over.append(f"the {kind} {key} {error}")
    filters.reserved = last_id(states, "filters")
    filters.last_id = max(filters.last_id, filters.reserved)
    _drop_orphans(filters)
    for made in channels.values():
        made.plan = Plan(options=options)
        _replan(made, rules)
    return passed_over


def last_id(states: Mapping[tuple[int, str, str], State], what: str) -> int:
    """Return the highest id that may have been given, or raise StoreError if it is invalid."""
    state = states.get((0, "factory", what), {"last": 0})
    last = state.get("last")
    if not isinstance(last, int):
        raise StoreError(f"the record of the last id of {what} has {last!r} where the id should be")
    return last


def _check_version(kind: str, key: str, state: State) -> None:
    version = state.get("version")
    if version != 1:
        raise StoreError(
            f"the {kind} {key} was written in form {version!r}; this version of Tidings reads 1"
        )


class _NoParentError(Exception):
    """An object's parent has no record."""


_Maker: TypeAlias = Callable[[Channels, FilterHost, int, State], None]


def _make(
    make: _Maker, channels: Channels, filters: FilterHost, which: tuple[int, str, str], state: State
) -> None:
    channel, kind, key = which
    try:
        make(channels, filters, channel, state)
    except _NoParentError:
        raise
    except (TidingsError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(f"the {kind} {key} cannot be made again: {error!r}") from error


def _restore_filter(channels: Channels, filters: FilterHost, channel: int, state: State) -> None:
    constraints = {id: constraint_from(text, t) for id, text, t in state["constraints"]}
    _host(filters, Filter.restored(state["number"], constraints, state["last"]), state)


def _restore_mapping(channels: Channels, filters: FilterHost, channel: int, state: State) -> None:
    mapped = {id: mapped_from(text, t, value) for id, text, t, value in state["mapped"]}
    default = value_from(state["default"])
    made = MappingFilter.restored(default, state["number"], mapped, state["last"])
    _host(filters, made, state)


def _host(filters: FilterHost, made: Filter | MappingFilter, state: State) -> None:
    hosted = HostedFilter(state["id"], made, state["owner"], private=state["private"])
    hosted.stored = True
    filters.filters[hosted.id] = hosted
    filters.last_id = max(filters.last_id, hosted.id)


def _restore_channel(channels: Channels, filters: FilterHost, id: int, state: State) -> None:
    made = Channel(
        id, state["origin"], channels, QoS(state["qos"]), AdminProperties(state["admin"])
    )
    made.name = state["name"]
    made.own = dict(state["own"])
    made.last_admin = {Side(side): last for side, last in state["last_admin"].items()}
    made.last_proxy = made.proxies_reserved = state["last_proxy"]
    channels[id] = made


def _restore_holder(channel: Channel, filters: FilterHost, holder: Holder, state: State) -> None:
    holder.own = dict(state["own"])
    pairs = [(attachment, id) for attachment, id in state["filters"] if id in filters.filters]
    holder.attached_filters = tuple(pairs)
    holder.last_attachment = state["last_attachment"]
    holder.types = TypeList(frozenset(patterns_from(state["types"])))
    holder.offered = frozenset(patterns_from(state["offered"]))
    for purpose in ("priority_filter", "lifetime_filter"):
        if state[purpose] in filters.filters:
            setattr(holder, purpose, state[purpose])
    for id in holder.filter_ids:
        filters.filters[id].holders[holder] = None
    if holder.offered:
        channel.offers.replace(offer_key(holder), holder.offered)


def _restore_admin(channels: Channels, filters: FilterHost, id: int, state: State) -> None:
    channel = _channel(channels, id)
    side, operator = Side(state["side"]), Operator(state["operator"])
    admin = Admin(channel, state["id"], side, operator, _qos_below(channels, channel.qos, state))
    channel.admins[side][admin.id] = admin
    channel.last_admin[side] = max(channel.last_admin[side], admin.id)
    _restore_holder(channel, filters, admin, state)


def _restore_proxy(channels: Channels, filters: FilterHost, id: int, state: State) -> None:
    channel = _channel(channels, id)
    admins = channel.admins[Side(state["side"])]
    admin = admins.get(state["admin"])
    if admin is None and not state["admin"]:  # a default admin can be recreated
        qos = inherited(channel.qos, Level.ADMIN)
        admin = admins[0] = Admin(channel, 0, Side(state["side"]), Operator.AND, qos)
    if admin is None:
        raise _NoParentError(f"of channel {id} has no admin in the journal")
    style, form = Style(state["style"]), Form(state["form"])
    proxy = new_proxy(admin, state["id"], style, form, _qos_below(channels, admin.qos, state))
    for name in ("name", "owner", "connected", "reachable", "notices", "updates", "window"):
        setattr(proxy, name, state[name])
    proxy.address, proxy.suspended = state["address"], state["suspended"]
    admin.proxies[proxy.id] = channel.proxies[proxy.id] = proxy
    channel.last_proxy = max(channel.last_proxy, proxy.id)
    if proxy.name:
        channel.names[proxy.name] = proxy.id
    _restore_holder(channel, filters, proxy, state)


def _qos_below(channels: Channels, parent: QoS, state: State) -> QoS:
    """Correct EventReliability: older versions left it below a channel as at its creation."""
    return QoS({**state["qos"], **fixed_above(parent)})


def _channel(channels: Channels, id: int) -> Channel:
    found = channels.get(id)
    if found is None:
        raise _NoParentError(f"belongs to channel {id}, which is not in the journal")
    return found


# In order of dependency.
_MAKERS: dict[str, _Maker] = {
    "filter": _restore_filter,
    "mapping": _restore_mapping,
    "channel": _restore_channel,
    "admin": _restore_admin,
    "proxy": _restore_proxy,
}


def _drop_orphans(filters: FilterHost) -> None:
    """End private filters whose holder was not restored."""
    for hosted in list(filters.filters.values()):
        if hosted.private and not hosted.holders:
            filters.remove(hosted)


def _replan(channel: Channel, rules: Rules) -> None:
    """Rebuild the rules from the objects, without proxies that were lost."""
    for admins in channel.admins.values():
        for admin in admins.values():
            rules.refresh(admin)
    for proxy in channel.proxies.values():
        rules.adjust(proxy)
        rules.refresh(proxy)
