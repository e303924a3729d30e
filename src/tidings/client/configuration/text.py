"""Writing a configuration as TOML, in an order that keeps diffs small."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tidings.api.plain import plain_of
from tidings.api.properties import properties_out
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import QoS, reliabilities
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    PURPOSES,
    AdminPart,
    ChannelPart,
    Configuration,
    Holder,
    ProxyPart,
)
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_values import TYPE
from tidings.filters.constraint import Constraint, EventTypePattern

VERSION: Final = 1
"""Version of the file format; other versions are refused."""

NULL: Final[Mapping[str, object]] = {TYPE: "null"}
"""Represents null, which TOML lacks."""

ADMIN_TABLES: Final = {Side.SUPPLIER: "supplier-admins", Side.CONSUMER: "consumer-admins"}
PROXY_TABLES: Final = {Side.SUPPLIER: "suppliers", Side.CONSUMER: "subscriptions"}

_HEAD: Final = "# A service of Tidings, as `tidings export` writes it and `tidings apply` makes it."
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
# Omitted values are these, or the parent's; a channel's reliabilities are always written.
_STANDARD: Final = {name: QoS()[name] for name in QoS() if name not in reliabilities()}
_STANDARD_LIMITS: Final = dict(AdminProperties())


def written(configuration: Configuration) -> str:
    """Write a configuration; equal ones have equal texts."""
    lines = [_HEAD, f"version = {VERSION}"]
    for label, constraints in configuration.filters.items():
        lines += _table(("filters", label), {"constraints": _constraints(constraints)})
    for label, mapping in configuration.mappings.items():
        entries = [
            {**_constraint_table(one.constraint), "value": _value(one.value)}
            for one in mapping.mapped
        ]
        content = {"default": _value(mapping.default), "mapped": entries}
        lines += _table(("mappings", label), content)
    for name, channel in configuration.channels.items():
        lines += _channel(name, channel)
    return "\n".join(lines) + "\n"


def _channel(name: str, channel: ChannelPart) -> Iterator[str]:
    place = ("channels", name)
    content: dict[str, object] = {
        "qos": _changed(channel.qos, _STANDARD),
        "admin-properties": _changed(channel.limits, _STANDARD_LIMITS),
    }
    yield from _table(place, {key: value for key, value in content.items() if value})
    for side, table in ADMIN_TABLES.items():
        for label, admin in channel.admins[side].items():
            content = _admin(admin, channel)
            if content or label != DEFAULT_ADMIN:
                yield from _table((*place, table, label), content)
    for side, table in PROXY_TABLES.items():
        for proxy_name, proxy in channel.proxies[side].items():
            parent = channel.admins[side][proxy.admin]
            yield from _table((*place, table, proxy_name), _proxy(proxy, parent))


def _admin(admin: AdminPart, channel: ChannelPart) -> dict[str, object]:
    content: dict[str, object] = {}
    if admin.operator is not Operator.AND:
        content["operator"] = admin.operator.name.lower()
    return content | _holder(admin, channel.qos)


def _proxy(proxy: ProxyPart, parent: AdminPart) -> dict[str, object]:
    content: dict[str, object] = {}
    if proxy.admin != DEFAULT_ADMIN:
        content["admin"] = proxy.admin
    if proxy.style is not Style.PUSH:
        content["style"] = proxy.style.value
    if proxy.form is not Form.STRUCTURED:
        content["form"] = proxy.form.name.lower()
    return content | _holder(proxy, parent.qos)


def _holder(holder: Holder, parent: Mapping[str, int]) -> dict[str, object]:
    content: dict[str, object] = {}
    if holder.types:
        content["types"] = [_pattern(one) for one in holder.types]
    if holder.constraints is not None:
        content["constraints"] = _constraints(holder.constraints)
    if holder.filters:
        content["filters"] = list(holder.filters)
    for purpose in PURPOSES:
        label = getattr(holder, purpose)
        if label:
            content[purpose] = label
    qos = _changed(holder.qos, parent)
    return content | ({"qos": qos} if qos else {})


def _changed(values: Mapping[str, int], usual: Mapping[str, int]) -> dict[str, object]:
    return properties_out({n: v for n, v in values.items() if usual.get(n) != v})


def _constraints(constraints: Sequence[Constraint]) -> list[object]:
    """Write constraints without event types as their text alone."""
    return [_constraint_table(one) if one.event_types else one.text for one in constraints]


def _constraint_table(one: Constraint) -> dict[str, object]:
    types = [_pattern(pattern) for pattern in one.event_types]
    return {"text": one.text, **({"types": types} if types else {})}


def _pattern(pattern: EventTypePattern) -> object:
    """Return a text, or a table for a rare domain that would be split in the wrong place."""
    if "::" in pattern.domain or pattern.domain.endswith(":"):
        return {"domain": pattern.domain, "type": pattern.type}
    return f"{pattern.domain}::{pattern.type}"


def _value(value: Value) -> object:
    return _without_null(plain_of(value))


def _without_null(plain: object) -> object:
    if plain is None:
        return dict(NULL)
    if isinstance(plain, dict):
        return {name: _without_null(inner) for name, inner in plain.items()}
    if isinstance(plain, list | tuple):
        return [_without_null(inner) for inner in plain]
    return plain


# TOML.


def _table(place: Sequence[str], content: Mapping[str, object]) -> Iterator[str]:
    """Write a table with its heading; nested tables get their own headings."""
    yield ""
    yield f"[{'.'.join(map(_key, place))}]"
    for name, value in content.items():
        if not isinstance(value, dict):
            yield from _member(name, value)
        elif name == "default":  # a typed value, not a table of the file
            yield f"{name} = {_inline(value)}"
    for name, value in content.items():
        if isinstance(value, dict) and name != "default":
            yield from _table((*place, name), value)


def _member(name: str, value: object) -> Iterator[str]:
    """Write lists of constraints one per line, so that a change is a one-line diff."""
    if name in {"constraints", "mapped"} and isinstance(value, list) and value:
        yield f"{name} = ["
        yield from (f"  {_inline(one)}," for one in value)
        yield "]"
    else:
        yield f"{_key(name)} = {_inline(value)}"


def _inline(value: object) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        if not value:
            return "{}"
        return f"{{ {', '.join(f'{_key(n)} = {_inline(v)}' for n, v in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return repr(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """Quote a text; JSON's escapes are TOML's except for one character."""
    escaped = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    if escaped != f'"{text}"' and "'" not in text and text.isprintable():
        return f"'{text}'"
    return escaped
