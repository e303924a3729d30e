"""Objects as plain data for journal records, and back.

Each kind of state has a version, to distinguish later ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidings.channel.channel import Channel
from tidings.channel.holders import Admin, Holder, Proxy
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_values import value_from_plain, value_to_plain
from tidings.filters.constraint import Constraint, EventTypePattern, accepted_constraint
from tidings.filters.mapping import MappedConstraint

VERSION: Final = 1

State = Mapping[str, Any]


def channel_state(channel: Channel) -> State:
    """Return the recorded state of a channel itself."""
    return {
        "version": VERSION,
        "name": channel.name,
        "origin": channel.origin,
        "qos": dict(channel.qos),
        "own": dict(channel.own),
        "admin": dict(channel.properties),
        "last_admin": {side.value: last for side, last in channel.last_admin.items()},
        "last_proxy": max(channel.last_proxy, channel.proxies_reserved),
    }


def _holder_state(holder: Holder) -> dict[str, Any]:
    return {
        "version": VERSION,
        "qos": dict(holder.qos),
        "own": dict(holder.own),
        "filters": [list(pair) for pair in holder.attached_filters],
        "last_attachment": holder.last_attachment,
        "types": _patterns(sorted(holder.types.types)),
        "offered": _patterns(sorted(holder.offered)),
        "priority_filter": holder.priority_filter,
        "lifetime_filter": holder.lifetime_filter,
    }


def admin_state(admin: Admin) -> State:
    """Return the recorded state of an admin."""
    return {
        **_holder_state(admin),
        "side": admin.side.value,
        "id": admin.id,
        "operator": admin.operator.value,
    }


def proxy_state(proxy: Proxy) -> State:
    """Return the recorded state of a proxy."""
    return {
        **_holder_state(proxy),
        "side": proxy.side.value,
        "id": proxy.id,
        "admin": proxy.admin.id,
        "style": proxy.style.value,
        "form": proxy.form.value,
        "name": proxy.name,
        "owner": proxy.owner,
        "connected": proxy.connected,
        "reachable": proxy.reachable,
        "notices": proxy.notices,
        "updates": proxy.updates,
        "window": proxy.window,
        "address": proxy.address,
        "suspended": proxy.suspended,
    }


def last_id_state(last: int) -> State:
    """Return the record of used ids: no new object gets one up to `last`."""
    return {"version": VERSION, "last": last}


def value_state(value: Value) -> str:
    """Return a mapping filter's value as text."""
    # As text: the plain form may hold ready JSON, which is not plain data.
    return write_json(value_to_plain(value)).decode()


def value_from(text: str) -> Value:
    """Read a mapping filter's value from its text."""
    return value_from_plain(parse_json(text))


def constraint_state(one: Constraint) -> list[Any]:
    """Return the recorded state of a constraint."""
    return [one.text, _patterns(one.event_types)]


def _patterns(patterns: Sequence[EventTypePattern]) -> list[list[str]]:
    return [[pattern.domain, pattern.type] for pattern in patterns]


def patterns_from(plain: Sequence[Sequence[str]]) -> tuple[EventTypePattern, ...]:
    """Read event types from plain data."""
    return tuple(EventTypePattern(domain, type_) for domain, type_ in plain)


def constraint_from(text: str, types: Sequence[Sequence[str]]) -> Constraint:
    """Read a constraint from plain data."""
    return accepted_constraint(text, patterns_from(types))


def mapped_from(text: str, types: Sequence[Sequence[str]], value: str) -> MappedConstraint:
    """Read a constraint with its value from plain data."""
    return MappedConstraint(constraint_from(text, types), value_from(value))
