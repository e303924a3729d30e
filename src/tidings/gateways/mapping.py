"""Mapping rules: how events are changed between a service and the federation; compiled once.

Rules are tried in order, and the first whose `when` matches applies; without one an event passes
as it is. Control events are never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, TypeAlias

import msgspec

from tidings.errors import BadInput, InvalidEvent, InvalidUsage
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import encode_event
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent, pack_data, pack_header
from tidings.federation.reading import read
from tidings.filters.constraint import constraint

MOST_RULES: Final = 256

Change: TypeAlias = Callable[[StructuredEvent], StructuredEvent | None]
"""Returns what an event becomes; None if it does not pass. InvalidEvent: it cannot be mapped."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule.

    Attributes:
        when: A constraint; empty for every event.
        drop: Whether the event ends here.
        domain: The new domain, a template: `{domain}`, `{type}`, `{name}`, `{data.speed}`.
        type: The new type, likewise.
        name: The new name (the FES subject), likewise.
        rename: New names of data properties by their old ones.
        keep: The data properties that stay (by their old names), in this order; empty for all.
        set: Data properties that are added or replaced, with their values.
        header: Header properties that are added or replaced, such as `Priority`.
        plugin: `package.module:function` that takes the event and returns another one, or None.
    """

    when: str = ""
    drop: bool = False
    domain: str | None = None
    type: str | None = None
    name: str | None = None
    rename: Mapping[str, str] = {}
    keep: tuple[str, ...] = ()
    set: Mapping[str, Any] = {}
    header: Mapping[str, Any] = {}
    plugin: str = ""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"into": "in"}):
    """The rules of one side.

    Attributes:
        into: From the service into the federation; `in` in configurations.
        out: From the federation to the service.
    """

    into: tuple[Rule, ...] = ()
    out: tuple[Rule, ...] = ()


class Mapped:
    """The compiled rules of one side.

    Attributes:
        inward: From the service into the federation.
        outward: From the federation to the service.
        changes_in: Whether there are rules for the first.
        changes_out: … and for the second.
    """

    def __init__(self, given: Mapping[str, object], where: str) -> None:
        try:
            rules = read(Rules, dict(given))
        except InvalidUsage as error:
            raise InvalidUsage(f"{where}: mapping: {error}") from error
        self.changes_in, self.changes_out = bool(rules.into), bool(rules.out)
        self.inward = _compiled(rules.into, f"{where}: mapping.in")
        self.outward = _compiled(rules.out, f"{where}: mapping.out")


def _same(event: StructuredEvent) -> StructuredEvent:
    return event


def _compiled(rules: Sequence[Rule], where: str) -> Change:
    if not rules:
        return _same
    if len(rules) > MOST_RULES:
        raise InvalidUsage(f"{where}: at most {MOST_RULES} rules, not {len(rules)}")
    tried = [_one(rule, f"{where}[{at}]") for at, rule in enumerate(rules)]

    def change(event: StructuredEvent) -> StructuredEvent | None:
        fields = StructuredFields(event)
        for test, act in tried:
            if test is None or test(fields) is True:
                return act(event)
        return event

    return change


def _one(rule: Rule, where: str) -> tuple[Callable[[Any], Any] | None, Change]:
    try:
        test = constraint(rule.when).predicate if rule.when.strip() else None
        data = pack_data(rule.set)
        header = pack_header(rule.header)
    except BadInput as error:
        raise InvalidUsage(f"{where}: {error}") from error
    if rule.drop:
        return test, lambda _: None
    texts = {
        part: _template(text, f"{where}.{part}")
        for part in ("domain", "type", "name")
        if (text := getattr(rule, part)) is not None
    }
    plugin = _plugin(rule.plugin, where) if rule.plugin else None
    properties = _properties(rule, data)

    def act(event: StructuredEvent) -> StructuredEvent | None:
        changed: dict[str, Any] = {part: text(event) for part, text in texts.items()}
        if properties is not None:
            changed["data"] = properties(event.data)
        if header:
            changed["header"] = {**event.header, **header}
        made = msgspec.structs.replace(event, octets=0, **changed) if changed else event
        return made if plugin is None else plugin(made)

    return test, act


def _properties(
    rule: Rule, added: Mapping[str, Value]
) -> Callable[[Mapping[str, Value]], dict[str, Value]] | None:
    if not (rule.rename or rule.keep or added):
        return None
    names, keep = dict(rule.rename), tuple(rule.keep)

    def properties(data: Mapping[str, Value]) -> dict[str, Value]:
        kept = [name for name in keep if name in data] if keep else data
        return {**{names.get(name, name): data[name] for name in kept}, **added}

    return properties


def _template(text: str, where: str) -> Callable[[StructuredEvent], str]:
    """Compile `speed of {name}` to a function."""
    pieces = text.replace("}", "{").split("{")
    if len(pieces) % 2 == 0:
        raise InvalidUsage(f"{where}: {text!r:.60}: a brace is not closed")
    reads = [
        _reader(piece, where) if at % 2 else (lambda _, piece=piece: piece)
        for at, piece in enumerate(pieces)
    ]
    return lambda event: "".join(read(event) for read in reads)


def _reader(field: str, where: str) -> Callable[[StructuredEvent], str]:
    if field in ("domain", "type", "name"):
        return lambda event: str(getattr(event, field))
    part, _, name = field.partition(".")
    if part not in ("data", "header") or not name:
        raise InvalidUsage(
            f"{where}: {{{field}}} is none of {{domain}}, {{type}}, {{name}}, {{data.NAME}}, "
            "{header.NAME}"
        )

    def read(event: StructuredEvent) -> str:
        properties: Mapping[str, Value] = getattr(event, part)
        value = properties.get(name)
        if not isinstance(value, str | int | float):
            raise InvalidEvent("a text or a number is needed to map the event", field)
        return str(value)

    return read


def _plugin(place: str, where: str) -> Change:
    module, _, name = place.partition(":")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # whatever its module does when it is loaded
        raise InvalidUsage(f"{where}.plugin: {place!r:.80} cannot be loaded: {error!r}") from error

    def change(event: StructuredEvent) -> StructuredEvent | None:
        try:
            made = found(event)
        except Exception as error:
            raise InvalidEvent(f"the plug-in {place} failed: {error!r}") from error
        if made is None:
            return None
        if not isinstance(made, StructuredEvent):
            raise InvalidEvent(f"the plug-in {place} returned {type(made).__name__}, not an event")
        if made is not event:
            try:
                encode_event(made)
            except Exception as error:
                raise InvalidEvent(
                    f"the plug-in {place} returned a wrong event: {error}"
                ) from error
        return made

    return change
