"""A configuration as TOML.

It is written in an order that keeps diffs small. Reading compiles constraints, computes quality of
service as a channel would and checks the types of mapped values; it lists every error with its
place in the file.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tidings.api.items import plain_of, type_form, type_from_form
from tidings.api.properties import enumerations, properties_in, properties_out
from tidings.channel import properties, qos_check
from tidings.channel.properties import ADMIN_PROPERTIES, AdminProperties
from tidings.channel.property_errors import TIME_T, Level, from_words
from tidings.channel.qos import QOS_PROPERTIES, QoS, reliabilities
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.client.configuration.gateways import gateway_table, read_gateway
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    PURPOSES,
    AdminPart,
    ChannelPart,
    Configuration,
    Holder,
    MappingPart,
    ProxyPart,
    Spot,
)
from tidings.client.configuration.trading import TraderPart, read_trader, trader_tables
from tidings.errors import BadInput, TidingsError, UnsupportedProperties
from tidings.events.anyvalue import Value, infer
from tidings.events.codecs.json_types import near_miss
from tidings.events.codecs.json_values import TYPE, value_from_plain
from tidings.events.typecode import SHORT
from tidings.events.typetext import describe
from tidings.federation.requests import GatewayConfig
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint, MappingFilter
from tidings.names import checked_name

VERSION: Final = 1
"""Version of the file format; other versions are refused."""

NULL: Final[Mapping[str, object]] = {TYPE: "null"}
"""Represents null, which TOML lacks."""

ADMIN_TABLES: Final = {Side.SUPPLIER: "supplier-admins", Side.CONSUMER: "consumer-admins"}
PROXY_TABLES: Final = {Side.SUPPLIER: "suppliers", Side.CONSUMER: "subscriptions"}

_HEAD: Final = "# A service of Tidings, as `tidings export` writes it and `tidings apply` makes it."
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
# Omitted values are these, or the parent's; a channel's reliabilities are always written.
STANDARD: Final = {name: QoS()[name] for name in QoS() if name not in reliabilities()}
STANDARD_LIMITS: Final = dict(AdminProperties())


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
    spots: dict[str, list[Spot]] = {}
    for spot in configuration.holders:
        spots.setdefault(spot.channel, []).append(spot)
    for name, channel in configuration.channels.items():
        qos, limits = _changed(channel.qos, STANDARD), _changed(channel.limits, STANDARD_LIMITS)
        content = {"qos": qos} if qos else {}
        content |= {"admin-properties": limits} if limits else {}
        lines += _table(("channels", name), content)
        for spot in spots.get(name, ()):
            lines += _holder_table(configuration, spot)
    for name, gateway in configuration.gateways.items():
        lines += _table(("gateways", name), gateway_table(gateway))
    for place, content in trader_tables(configuration.trader):
        lines += _table(("trader", *place), _without_null_in(content))
    return "\n".join(lines) + "\n"


def _without_null_in(content: Mapping[str, object]) -> dict[str, object]:
    return {name: _without_null(value) for name, value in content.items()}


def _holder_table(configuration: Configuration, spot: Spot) -> Iterable[str]:
    content = _holder(configuration.holders[spot], configuration.above(spot).qos)
    if spot.admin == DEFAULT_ADMIN and not content:
        return ()
    assert spot.side is not None
    table = (PROXY_TABLES if spot.proxy else ADMIN_TABLES)[spot.side]
    return _table(("channels", spot.channel, table, spot.proxy or spot.admin), content)


def _holder(holder: Holder, parent: Mapping[str, int]) -> dict[str, object]:
    """Write an admin or proxy; its usual values are left out."""
    usual: dict[str, object] = {"operator": "and", "admin": DEFAULT_ADMIN, "style": "push",
                                "form": "structured"}  # fmt: skip
    content: dict[str, object] = {}
    if isinstance(holder, AdminPart):
        content["operator"] = holder.operator.name.lower()
    else:
        content |= {"admin": holder.admin, "style": holder.style.value}
        content["form"] = holder.form.name.lower()
    content["types"] = [type_form(one) for one in holder.types]
    if holder.constraints is not None:
        content["constraints"] = _constraints(holder.constraints)
    content["filters"] = list(holder.filters)
    content |= {purpose: getattr(holder, purpose) for purpose in PURPOSES}
    content["qos"] = _changed(holder.qos, parent)
    return {
        name: value
        for name, value in content.items()
        if name == "constraints" or (value and value != usual.get(name))
    }


def _changed(values: Mapping[str, int], usual: Mapping[str, int]) -> dict[str, object]:
    return properties_out({n: v for n, v in values.items() if usual.get(n) != v})


def _constraints(constraints: Sequence[Constraint]) -> list[object]:
    """Write constraints without event types as their text alone."""
    return [_constraint_table(one) if one.event_types else one.text for one in constraints]


def _constraint_table(one: Constraint) -> dict[str, object]:
    types = [type_form(pattern) for pattern in one.event_types]
    return {"text": one.text, **({"types": types} if types else {})}


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
    if isinstance(value, list | tuple):
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


def property_hint(name: str, value: object) -> str:
    """Suggest a similar name or the allowed values; empty if there is nothing to suggest."""
    known = {one.lower(): one for one in (*QOS_PROPERTIES, *ADMIN_PROPERTIES)}
    if known.get(name.lower()) != name:
        near = difflib.get_close_matches(name.lower(), known, 1)
        return f"did you mean {known[near[0]]}?" if near else ""
    words = enumerations().get(name, {})
    is_text = isinstance(value, str)
    if is_text and name in QOS_PROPERTIES and QOS_PROPERTIES[name].type is TIME_T:
        return "" if from_words(TIME_T, value) != value else "write a duration such as 5s or 2h"
    return f"write {' or '.join(words)}" if is_text and words else ""


_T = TypeVar("_T")

_VALUE_TYPES: Final = {"priority": SHORT, "lifetime": TIME_T}
_CONSTRAINT: Final = ["text", "types"]
_HOLDER_KEYS: Final = ["types", "constraints", "filters", "priority", "lifetime", "qos"]


def read_configuration(text: str) -> Configuration:
    """Parse a configuration; raise `BadInput` listing every error with its place in the file."""
    try:
        plain = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"this is no TOML: {error}") from error
    reading = _Reading()
    found = reading.everything(plain)
    if reading.faults:
        raise BadInput("\n".join(reading.faults))
    return found


@dataclass(slots=True)
class _Reading:
    """One parse; it collects errors and continues."""

    faults: list[str] = field(default_factory=list)
    filters: dict[str, tuple[Constraint, ...]] = field(default_factory=dict)
    mappings: dict[str, MappingPart] = field(default_factory=dict)
    holders: dict[Spot, Holder] = field(default_factory=dict)
    used: set[tuple[str, str]] = field(default_factory=set)

    def everything(self, plain: dict[str, Any]) -> Configuration:
        self._known(plain, "", ["version", "filters", "mappings", "channels", "gateways", "trader"])
        version = plain.get("version")
        if type(version) is not int or version != VERSION:
            found = "none" if version is None else f"{version!r:.60}"
            self._fault("version", f"this reads version = {VERSION}, and the file has {found}")
        for label, place, content in self._tables(plain, "", "filters"):
            self._known(content, place, ["constraints"])
            self.filters[label] = self._constraints(content, place) or ()
        for label, place, content in self._tables(plain, "", "mappings"):
            self.mappings[label] = self._mapping(content, place)
        channels = {
            name: self._channel(name, place, content)
            for name, place, content in self._tables(plain, "", "channels")
        }
        for kind, known in (("filters", self.filters), ("mappings", self.mappings)):
            for label in known:
                if (kind, label) not in self.used:
                    self._fault(_below(kind, label), "nothing in the file uses it")
        gateways: dict[str, GatewayConfig] = {}
        for name, place, content in self._tables(plain, "", "gateways"):
            try:
                gateways[name] = read_gateway(name, content)
            except BadInput as error:
                self.faults += [f"{place}.{line}" for line in str(error).split("\n")]
        trader = self._trader(plain["trader"]) if "trader" in plain else None
        return Configuration(channels, self.holders, self.filters, self.mappings, gateways, trader)

    def _trader(self, given: object) -> TraderPart | None:
        if not isinstance(given, dict):
            self._fault("trader", "must be a table of tables")
            return None
        try:
            return read_trader(given, _with_null)
        except BadInput as error:
            self.faults += [f"trader.{line}" for line in str(error).split("\n")]
        return None

    # Parts.

    def _channel(self, name: str, place: str, content: dict[str, Any]) -> ChannelPart:
        tables = [*ADMIN_TABLES.values(), *PROXY_TABLES.values()]
        self._known(content, place, ["qos", "admin-properties", *tables])
        self._name(name, place)
        qos = self._qos(content, place, Level.CHANNEL, QoS(reliabilities()), None)
        asked = self._properties(content, place, "admin-properties")
        limits = AdminProperties()
        with self._noted(_below(place, "admin-properties")):
            limits = properties.changed(limits, asked)
        admins: dict[Side, dict[str, AdminPart]] = {}
        for side, table in ADMIN_TABLES.items():
            admins[side] = {DEFAULT_ADMIN: AdminPart(qos=dict(qos))}
            for label, inside, part in self._tables(content, place, table):
                admins[side][label] = self._admin(part, inside, side, qos)
            self.holders |= {Spot(name, side, label): one for label, one in admins[side].items()}
        for side, table in PROXY_TABLES.items():
            for proxy, inside, part in self._tables(content, place, table):
                made = self._proxy(proxy, part, inside, side, admins[side])
                self.holders[Spot(name, side, proxy=proxy)] = made
        return ChannelPart(dict(qos), dict(limits))

    def _admin(self, content: dict[str, Any], place: str, side: Side, channel: QoS) -> AdminPart:
        self._known(content, place, ["operator", *_HOLDER_KEYS])
        operators = {one.name.lower(): one for one in Operator}
        qos = self._qos(content, place, Level.ADMIN, channel, channel)
        return AdminPart(
            qos=dict(qos),
            operator=self._word(content, place, "operator", operators, Operator.AND),
            **self._held(content, place, side),
        )

    def _proxy(
        self,
        name: str,
        content: dict[str, Any],
        place: str,
        side: Side,
        admins: Mapping[str, AdminPart],
    ) -> ProxyPart:
        self._known(content, place, ["admin", "style", "form", *_HOLDER_KEYS])
        self._name(name, place)
        styles = {one.value: one for one in Style}
        forms = {one.name.lower(): one for one in Form}
        labels = {label: label for label in admins}
        label = self._word(content, place, "admin", labels, DEFAULT_ADMIN)
        parent = QoS(admins[label].qos)
        qos = self._qos(content, place, Level.PROXY, parent, parent)
        return ProxyPart(
            qos=dict(qos),
            style=self._word(content, place, "style", styles, Style.PUSH),
            form=self._word(content, place, "form", forms, Form.STRUCTURED),
            admin=label,
            **self._held(content, place, side),
        )

    def _held(self, content: dict[str, Any], place: str, side: Side) -> dict[str, Any]:
        held: dict[str, Any] = {"constraints": self._constraints(content, place)}
        held["types"] = tuple(sorted(set(self._types(content, place))))
        labels = self._texts(content, place, "filters")
        for at, label in enumerate(labels):
            self._refer("filters", self.filters, label, f"{_below(place, 'filters')}[{at}]")
        held["filters"] = tuple(dict.fromkeys(labels))
        for purpose in PURPOSES:
            label = content.get(purpose, "")
            inside = _below(place, purpose)
            if purpose in content:
                if side is Side.SUPPLIER:
                    self._fault(inside, "mapping filters are for the consumers' side")
                self._refer("mappings", self.mappings, label, inside)
                self._check_type(purpose, label, inside)
            held[purpose] = label
        return held

    def _check_type(self, purpose: str, label: object, place: str) -> None:
        part = self.mappings.get(label) if isinstance(label, str) else None
        wanted = _VALUE_TYPES[purpose]
        if part is not None and not infer(part.default).equivalent(wanted):
            name = describe(wanted.unaliased)
            written = f'{{ "$type" = "{name}", value = … }}'
            told = f"a {purpose} is of the type {name}, and [mappings.{label}] has other values"
            self._fault(place, f"{told}; write each as {written}")

    def _mapping(self, content: dict[str, Any], place: str) -> MappingPart:
        self._known(content, place, ["default", "mapped"])
        mapped: list[MappedConstraint] = []
        default = self._value(content, place, "default")
        given = self._list(content, place, "mapped")
        for at, one in enumerate(given):
            inside = f"{_below(place, 'mapped')}[{at}]"
            if not isinstance(one, dict):
                self._fault(inside, "write { text = …, value = … }")
                continue
            self._known(one, inside, [*_CONSTRAINT, "value"])
            value = self._value(one, inside, "value")
            made = self._constraint({n: v for n, v in one.items() if n in _CONSTRAINT}, inside)
            if made is None:
                continue
            with self._noted(inside):
                MappingFilter(default).add([MappedConstraint(made, value)])
                mapped.append(MappedConstraint(made, value))
        return MappingPart(default, tuple(mapped))

    def _value(self, content: dict[str, Any], place: str, key: str) -> Value:
        if key not in content:
            self._fault(place, f"must have a {key}")
            return None
        with self._noted(_below(place, key)):
            return value_from_plain(_with_null(content[key]))
        return None

    def _qos(
        self, content: dict[str, Any], place: str, level: Level, start: QoS, parent: QoS | None
    ) -> QoS:
        asked = self._properties(content, place, "qos")
        try:
            return qos_check.changed(start, level, parent, asked)
        except UnsupportedProperties as error:
            for bad in error.errors:
                hint = property_hint(bad.name, asked.get(bad.name))
                self._fault(_below(place, "qos"), f"{bad}; {hint}" if hint else str(bad))
            return start

    def _properties(self, content: dict[str, Any], place: str, key: str) -> dict[str, object]:
        given = content.get(key, {})
        if not isinstance(given, dict):
            self._fault(_below(place, key), "must be a table of properties")
            return {}
        with self._noted(_below(place, key)):
            return properties_in(given)
        return {}

    def _constraints(self, content: dict[str, Any], place: str) -> tuple[Constraint, ...] | None:
        if "constraints" not in content:
            return None
        given = self._list(content, place, "constraints")
        made = [
            self._constraint(one, f"{_below(place, 'constraints')}[{at}]")
            for at, one in enumerate(given)
        ]
        return tuple(one for one in made if one is not None)

    def _constraint(self, given: object, place: str) -> Constraint | None:
        if isinstance(given, dict):
            self._known(given, place, _CONSTRAINT)
            text, types = given.get("text", ""), self._types(given, place)
        else:
            text, types = given, ()
        if not isinstance(text, str):
            self._fault(place, "a constraint is a text, or { text = …, types = […] }")
            return None
        with self._noted(place):
            return constraint(text, types)
        return None

    def _types(self, content: dict[str, Any], place: str) -> tuple[EventTypePattern, ...]:
        found: list[EventTypePattern] = []
        for at, given in enumerate(self._list(content, place, "types")):
            inside = f"{_below(place, 'types')}[{at}]"
            with self._noted(inside):
                if isinstance(given, str) or (
                    isinstance(given, dict) and given.keys() == {"domain", "type"}
                ):
                    found.append(type_from_form(given))
                else:
                    self._fault(inside, "write Domain::Type, or { domain = …, type = … }")
        return tuple(found)

    # Helpers.

    def _fault(self, place: str, problem: str) -> None:
        self.faults.append(f"{place}: {problem}" if place else problem)

    @contextmanager
    def _noted(self, place: str) -> Iterator[None]:
        try:
            yield
        except TidingsError as error:
            self._fault(place, str(error))

    def _known(self, content: dict[str, Any], place: str, known: list[str]) -> None:
        for name in content:
            if name not in known:
                self._fault(_below(place, name), f"unknown; {near_miss(name, known)}")

    def _name(self, name: str, place: str) -> None:
        if not name:
            self._fault(place, "must have a name")
        with self._noted(place):
            checked_name(name)

    def _tables(
        self, content: dict[str, Any], place: str, key: str
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        inside = _below(place, key)
        given = content.get(key, {})
        if not isinstance(given, dict):
            self._fault(inside, "must be a table of tables")
            return
        for name, part in given.items():
            if isinstance(part, dict):
                yield name, _below(inside, name), part
            else:
                self._fault(_below(inside, name), "must be a table")

    def _list(self, content: dict[str, Any], place: str, key: str) -> list[object]:
        given = content.get(key, [])
        if isinstance(given, list):
            return given
        self._fault(_below(place, key), "must be a list")
        return []

    def _texts(self, content: dict[str, Any], place: str, key: str) -> list[str]:
        given = self._list(content, place, key)
        for at, one in enumerate(given):
            if not isinstance(one, str):
                self._fault(f"{_below(place, key)}[{at}]", "must be a text")
        return [one for one in given if isinstance(one, str)]

    def _word(
        self, content: dict[str, Any], place: str, key: str, known: Mapping[str, _T], default: _T
    ) -> _T:
        given = content.get(key)
        if given is None:
            return default
        if not isinstance(given, str) or given not in known:
            self._fault(
                _below(place, key), f"{given!r:.60} is none; {near_miss(str(given), list(known))}"
            )
            return default
        return known[given]

    def _refer(self, kind: str, known: Mapping[str, object], label: object, place: str) -> None:
        if isinstance(label, str) and label in known:
            self.used.add((kind, label))
        else:
            there = near_miss(str(label), list(known)) if known else f"it has no [{kind}.…] at all"
            self._fault(place, f"the file has no [{kind}.{label}]; {there}")


def _below(place: str, name: str) -> str:
    shown = name if name.replace("-", "").replace("_", "").isalnum() else f'"{name}"'
    return f"{place}.{shown}" if place else shown


def _with_null(plain: object) -> object:
    if isinstance(plain, dict):
        if plain == NULL:
            return None
        return {name: _with_null(inner) for name, inner in plain.items()}
    if isinstance(plain, list):
        return [_with_null(inner) for inner in plain]
    return plain
