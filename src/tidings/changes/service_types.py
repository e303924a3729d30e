"""What changed between two service types, or two descriptions of an offer.

Whoever imports is the old client: an offer of the type after must do for whoever asked for the type
before. So what the trader accepts of a subtype is compatible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from tidings.changes.model import ServiceTypeDescription
from tidings.events.anyvalue import Value, same
from tidings.events.codecs.json_text import write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.events.typetext import describe
from tidings.idl.diff import Comparison, Difference, Notes, compare_interfaces
from tidings.idl.rules import Rule, table
from tidings.trader.model import PropertyDef, ServiceType

RULES: Final[Mapping[str, Rule]] = table("""
type-name no Queries for the name before do not find it.
type-name-kept yes The type before is among its super types: queries for that find it.
super-type-added yes More queries find it, and none fewer.
super-type-removed no Queries for that super type do not find it any more.
property-added yes Old importers do not ask for it, and take what they know.
mandatory-property-added yes Importers can rely on more; whoever exports must give it from now on.
property-removed no Constraints that name it match no offer that has it not.
property-type no Constraints and importers take the value for another.
property-stronger yes Importers can rely on more; whoever exports must keep to it.
property-weaker no Importers have relied on what may be otherwise now.
interface-too-long no The interfaces differ, and are too long to be compared while a notice waits.
interface-unknown no The interface is another one, and nobody knows in what it differs.
type-masked yes The offers stay; nothing new can be exported.
type-unmasked yes Offers can be exported again.
value-added yes Importers see more.
value-removed yes The offer has the value no more: whoever needs it is told.
value-changed yes The offer has another value: whoever needs it is told.
""")
"""The rules about service types and the properties of offers, by name."""


MOST_COMPARED: Final = 8_000
"""Characters of two interfaces that are compared in some 5 ms."""
_SHOWN: Final = 80
"""Characters of a value in a text."""


def compare_types(
    before: ServiceType, after: ServiceType, before_idl: str = "", after_idl: str = ""
) -> Comparison:
    """Compare full descriptions of two service types; the texts are those of their interfaces."""
    notes = Notes(RULES)
    where = f"service type {before.name}"
    if before.name != after.name:
        kept = before.name in after.super_types
        text = f"the service type is {after.name}, and was {before.name}"
        notes.add(where, "type name changed", "type-name-kept" if kept else "type-name", text)
    _super_types(notes, where, before, after)
    _properties(notes, before.properties, after.properties)
    if before.masked != after.masked:
        word = "masked" if after.masked else "unmasked"
        notes.add(where, f"type {word}", f"type-{word}", f"{where} is {word} now")
    interface = _interface(notes, before.interface, after.interface, before_idl, after_idl)
    found = notes.comparison()
    return Comparison(
        found.compatible and interface.compatible, found.differences + interface.differences
    )


def compare_descriptions(
    before: ServiceTypeDescription, after: ServiceTypeDescription
) -> tuple[Difference, ...]:
    """Compare the descriptions of service types that notices have.

    This runs where nothing may take long: interfaces of more than `MOST_COMPARED` characters are
    told to differ, and not in what.
    """
    old, new = (
        ServiceType(one.name, one.interface_id, one.properties, one.base_types)
        for one in (before, after)
    )
    texts = (before.interface_idl, after.interface_idl)
    if all(texts) and sum(map(len, texts)) > MOST_COMPARED and texts[0] != texts[1]:
        found = compare_types(old, replace(new, interface=old.interface)).differences
        text = (
            f"the interface is {new.interface}, and was {old.interface}: with all they need they "
            "are too long to be compared here; compare_interfaces tells what has changed"
        )
        more = Notes(RULES)
        more.add("interface", "interface changed", "interface-too-long", text)
        return found + more.comparison().differences
    return compare_types(old, new, *texts).differences


def compare_values(before: Mapping[str, Value], after: Mapping[str, Value]) -> Comparison:
    """Compare the properties of an offer."""
    notes = Notes(RULES)
    for name in dict.fromkeys((*before, *after)):
        where = f"property {name}"
        if name not in after:
            text = f"{where} was {_shown(before[name])}, and is gone"
            notes.add(where, "value removed", "value-removed", text)
        elif name not in before:
            notes.add(where, "value added", "value-added", f"{where} is {_shown(after[name])}")
        elif not same(before[name], after[name]):
            text = f"{where} is {_shown(after[name])}, and was {_shown(before[name])}"
            notes.add(where, "value changed", "value-changed", text)
    return notes.comparison()


def _shown(value: Value) -> str:
    text = write_json(value_to_plain(value)).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _super_types(notes: Notes, where: str, before: ServiceType, after: ServiceType) -> None:
    for name in before.super_types:
        if name not in after.super_types and name != after.name:
            text = f"{after.name} is not derived from {name} any more"
            notes.add(where, "super type removed", "super-type-removed", text)
    for name in after.super_types:
        if name not in before.super_types and name != before.name:
            text = f"{after.name} is derived from {name}"
            notes.add(where, "super type added", "super-type-added", text)


def _properties(notes: Notes, before: Iterable[PropertyDef], after: Iterable[PropertyDef]) -> None:
    old, new = ({one.name: one for one in side} for side in (before, after))
    for name, one in old.items():
        where = f"property {name}"
        other = new.get(name)
        if other is None:
            notes.add(where, "property removed", "property-removed", f"{where} was removed")
            continue
        if not one.value_type.equivalent(other.value_type):
            types = f"{describe(other.value_type)}, and was {describe(one.value_type)}"
            notes.add(where, "type changed", "property-type", f"the type of {where} is {types}")
        if one.mode is not other.mode:
            rule = "property-weaker" if one.mode & ~other.mode else "property-stronger"
            text = f"{where} is {_mode(other)}, and was {_mode(one)}"
            notes.add(where, "mode changed", rule, text)
    for name, one in new.items():
        if name not in old:
            lead = "mandatory-" if one.mode.mandatory else ""
            text = f"{_mode(one)} property {describe(one.value_type)} {name} was added"
            notes.add(f"property {name}", "property added", f"{lead}property-added", text)


def _mode(one: PropertyDef) -> str:
    return one.mode.name.lower().replace("_", " and ")


def _interface(
    notes: Notes, before: str, after: str, before_idl: str, after_idl: str
) -> Comparison:
    """Compare the interfaces; where their texts are not known, only whether they are the same."""
    if before_idl and before_idl == after_idl and before == after:
        return Comparison()
    if before_idl and after_idl:
        return compare_interfaces(before_idl, after_idl, before, after)
    if before != after:
        text = f"the interface is {after or 'unknown'}, and was {before or 'unknown'}"
        notes.add("interface", "interface changed", "interface-unknown", text)
    return Comparison()
