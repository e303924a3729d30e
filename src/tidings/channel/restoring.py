"""Back from plain data: the factory restores its channels, these their admins, these their proxies.

Entries that waited come afterwards, event by event (`Factory.load_pending`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidings.channel.channel import Channel
from tidings.channel.core import Core
from tidings.channel.filter_host import FilterHost, HostedFilter
from tidings.channel.holders import Admin, Holder, Proxy
from tidings.channel.offers import TypeList
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import QoS
from tidings.channel.rules import Rules
from tidings.channel.sharing import offer_key
from tidings.channel.snapshot import State, constraint_from, mapped_from, patterns_from
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.errors import StoreError
from tidings.events.codecs.json_reading import value_from_plain
from tidings.filters.filter import Filter
from tidings.filters.mapping import MappingFilter
from tidings.filters.plan import Plan, PlanOptions

__all__ = ["restore"]


def restore(
    core: Core,
    filters: FilterHost,
    rules: Rules,
    states: Mapping[tuple[int, str, str], State],
    options: PlanOptions,
) -> None:
    """Makes all objects again that were written down; the last state of each counts.

    Args:
        core: What the channels share.
        filters: The host's filters, none yet.
        rules: What judges events.
        states: By channel, kind and key.
        options: How rules are read.

    Raises:
        StoreError: A state was written by a newer version, or does not hold together.
    """
    ordered = sorted(states.items())
    for (_, kind, key), state in ordered:
        _check_version(kind, key, state)
        if kind in ("filter", "mapping"):
            _restore_filter(filters, kind, state)
    for kind in ("channel", "admin", "proxy"):
        for (channel, found, key), state in ordered:
            if found == kind:
                _RESTORE[kind](core, filters, rules, channel, key, state)
    _drop_orphans(filters)
    for made in core.channels.values():
        made.plan = Plan(options=options)
        _replan(made, rules)


def _check_version(kind: str, key: str, state: State) -> None:
    version = state.get("version")
    if version != 1:
        raise StoreError(
            f"the {kind} {key} was written in form {version!r}; this version of Tidings reads 1"
        )


def _restore_filter(filters: FilterHost, kind: str, state: State) -> None:
    if kind == "filter":
        constraints = {id: constraint_from(text, t) for id, text, t in state["constraints"]}
        made: Any = Filter.restored(state["number"], constraints, state["last"])
    else:
        mapped = {id: mapped_from(text, t, value) for id, text, t, value in state["mapped"]}
        default = value_from_plain(state["default"])
        made = MappingFilter.restored(default, state["number"], mapped, state["last"])
    hosted = HostedFilter(state["id"], made, state["owner"], private=state["private"])
    hosted.stored = True
    filters.filters[hosted.id] = hosted
    filters.last_id = max(filters.last_id, hosted.id)


def _restore_channel(
    core: Core, filters: FilterHost, rules: Rules, id: int, key: str, state: State
) -> None:
    made = Channel(id, state["origin"], core, QoS(state["qos"]), AdminProperties(state["admin"]))
    made.name = state["name"]
    made.own = dict(state["own"])
    made.last_admin = {Side(side): last for side, last in state["last_admin"].items()}
    made.last_proxy = made.proxies_reserved = state["last_proxy"]
    core.channels[id] = made


def _restore_holder(filters: FilterHost, holder: Holder, state: State) -> None:
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
        holder.channel.offers.replace(offer_key(holder), holder.offered)


def _restore_admin(
    core: Core, filters: FilterHost, rules: Rules, id: int, key: str, state: State
) -> None:
    channel = _channel(core, id, f"the admin {key}")
    side, operator = Side(state["side"]), Operator(state["operator"])
    admin = Admin(channel, state["id"], side, operator, QoS(state["qos"]))
    channel.admins[side][admin.id] = admin
    channel.last_admin[side] = max(channel.last_admin[side], admin.id)
    _restore_holder(filters, admin, state)


def _restore_proxy(
    core: Core, filters: FilterHost, rules: Rules, id: int, key: str, state: State
) -> None:
    channel = _channel(core, id, f"the proxy {key}")
    admin = channel.admins[Side(state["side"])].get(state["admin"])
    if admin is None:
        raise StoreError(f"the proxy {key} of channel {id} has no admin in the journal")
    style, form = Style(state["style"]), Form(state["form"])
    proxy = Proxy(admin, state["id"], style, form, QoS(state["qos"]))
    for name in ("name", "owner", "connected", "reachable", "notices", "updates", "window"):
        setattr(proxy, name, state[name])
    proxy.address, proxy.suspended = state["address"], state["suspended"]
    admin.proxies[proxy.id] = channel.proxies[proxy.id] = proxy
    channel.last_proxy = max(channel.last_proxy, proxy.id)
    if proxy.name:
        channel.names[proxy.name] = proxy.id
    _restore_holder(filters, proxy, state)


def _channel(core: Core, id: int, what: str) -> Channel:
    found = core.channels.get(id)
    if found is None:
        raise StoreError(f"{what} belongs to channel {id}, which is not in the journal")
    return found


_RESTORE = {"channel": _restore_channel, "admin": _restore_admin, "proxy": _restore_proxy}


def _drop_orphans(filters: FilterHost) -> None:
    """Private filters whose holder did not survive end with it."""
    for hosted in list(filters.filters.values()):
        if hosted.private and not hosted.holders:
            filters.remove(hosted)


def _replan(channel: Channel, rules: Rules) -> None:
    """The rules as they follow from the objects; proxies that were lost judge no more."""
    for admins in channel.admins.values():
        for admin in admins.values():
            rules.refresh(admin)
    for proxy in channel.proxies.values():
        rules.adjust(proxy)
        rules.refresh(proxy)
