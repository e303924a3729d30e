"""The trader in a configuration: its tables, and the steps that make it as a file says.

Offers have no names: one is the same if its service type and reference are. Those that principals
have exported are theirs, and in no file.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from tidings.api.items import plain_of
from tidings.client.transport import Transport
from tidings.errors import BadInput, Forbidden, NotOverCorba, TidingsError
from tidings.events.anyvalue import Value, same
from tidings.events.codecs.json_types import near_miss, type_from_plain, type_to_plain
from tidings.events.codecs.json_values import value_from_plain
from tidings.trader import requests as r
from tidings.trader.core import MOST_IN_LIST
from tidings.trader.model import (
    FollowOption,
    LinkInfo,
    PropertyDef,
    PropertyMode,
    ServiceType,
    TraderSettings,
)

_W = TypeVar("_W", FollowOption, PropertyMode)
_Change: TypeAlias = tuple[str, str, tuple[str, ...], list[Any]]
"""What is done with what (`create`, `link campus`), in detail, and the requests that do it."""


@dataclass(frozen=True, slots=True)
class OfferPart:
    """An offer of the service's owner."""

    type: str
    reference: str
    properties: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"offer of {self.type} at {self.reference:.60}"


@dataclass(frozen=True, slots=True)
class TraderPart:
    """The trader: settings, service types in the order of their addition, links, offers."""

    settings: TraderSettings = field(default_factory=TraderSettings)
    types: Mapping[str, ServiceType] = field(default_factory=dict)
    links: Mapping[str, LinkInfo] = field(default_factory=dict)
    offers: tuple[OfferPart, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundTrader:
    """A service's trader, and the ids of the offers in it, in their order."""

    part: TraderPart | None = None
    ids: tuple[str, ...] = ()


async def find_trader(transport: Transport) -> FoundTrader:
    """Read the trader; nothing for those who may not see it, or through CORBA."""
    try:
        settings = await transport.request(r.SeeTraderSettings())
        types = await transport.request(r.SeeServiceTypes())
        links = await transport.request(r.SeeLinks())
        offers = [one async for one in _offers(transport)]
    except (Forbidden, NotOverCorba):
        return FoundTrader()
    part = TraderPart(
        settings,
        {one.name: replace(one, incarnation=0) for one in types},
        {one.name: one for one in links},
        tuple(OfferPart(one.type, one.reference, dict(one.properties)) for one in offers),
    )
    return FoundTrader(part, tuple(one.id for one in offers))


async def _offers(transport: Transport) -> AsyncIterator[r.OfferInfo]:
    last = 0
    while page := await transport.request(r.SeeOffers(last, MOST_IN_LIST)):
        for one in page:
            if not one.owner:
                yield one
        last = int(page[-1].id.rpartition("/")[2])


# Tables.


def trader_tables(part: TraderPart | None) -> Iterator[tuple[tuple[str, ...], dict[str, object]]]:
    """Return the tables of a trader with their places; usual values are left out."""
    if part is None:
        return
    if settings := _told(part.settings, TraderSettings()):
        yield ("settings",), settings
    for made in part.types.values():
        yield ("types", made.name), _type_table(made)
    for link in part.links.values():
        plain = {"target": link.target, **_told(link, LinkInfo("", link.target))}
        yield ("links", link.name), {key: one for key, one in plain.items() if key != "name"}
    for at, offer in enumerate(part.offers, 1):
        content: dict[str, object] = {"type": offer.type, "reference": offer.reference}
        # As a list: a table would be one of the file, with a heading.
        content["properties"] = [
            {"name": name, "value": plain_of(value)} for name, value in offer.properties.items()
        ]
        yield ("offers", f"offer-{at}"), content


def _type_table(made: ServiceType) -> dict[str, object]:
    properties = [
        {"name": one.name, "type": type_to_plain(one.value_type), "mode": one.mode.name.lower()}
        for one in made.properties
    ]
    content = {
        "interface": made.interface, "super_types": list(made.super_types),
        "masked": made.masked, "properties": properties,
    }  # fmt: skip
    return {name: value for name, value in content.items() if value}


def _told(value: Any, usual: Any) -> dict[str, object]:  # noqa: ANN401 -- settings, or a link
    found = {one.name: getattr(value, one.name) for one in fields(value)}
    return {
        name: one.name.lower() if isinstance(one, FollowOption) else one
        for name, one in found.items()
        if one != getattr(usual, name)
    }


def read_trader(tables: Mapping[str, Any], without_null: Callable[[Any], Any]) -> TraderPart:
    """Read the tables of a trader.

    Raises:
        BadInput: Lists what is wrong, a line for each, with the place below the table.
    """
    reading = _Reading(without_null)
    part = reading.everything(tables)
    if reading.faults:
        raise BadInput("\n".join(reading.faults))
    return part


_RULES: Final = {one.name.lower(): one for one in FollowOption}
_MODES: Final = {one.name.lower(): one for one in PropertyMode}


@dataclass(frozen=True)
class _TypeTable:
    interface: str = ""
    super_types: tuple[str, ...] = ()
    masked: bool = False


@dataclass(frozen=True)
class _OfferTable:
    type: str
    reference: str


class _Reading:
    def __init__(self, without_null: Callable[[Any], Any]) -> None:
        self.faults: list[str] = []
        self._without_null = without_null

    def everything(self, tables: Mapping[str, Any]) -> TraderPart:
        self._check_known(tables, "", ("settings", "types", "links", "offers"))
        parts: dict[str, dict[str, Any]] = {"types": {}, "links": {}, "offers": {}}
        makers = {"types": self._type, "links": self._link, "offers": self._offer}
        for kind, found in parts.items():
            for name, table in self._tables(tables, kind):
                try:
                    found[name] = makers[kind](name, table)
                except KeyError as error:
                    self.faults.append(f"{kind}.{name}: must have {error}")
                except _WRONG as error:
                    self.faults.append(f"{kind}.{name}: {error}")
        settings = TraderSettings()
        try:
            settings = self._made(TraderSettings, tables.get("settings", {}))
        except _WRONG as error:
            self.faults.append(f"settings: {error}")
        offers = tuple(parts["offers"].values())
        return TraderPart(settings, parts["types"], parts["links"], offers)

    def _tables(self, tables: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Any]]:
        given = tables.get(kind, {})
        if not isinstance(given, dict):
            self.faults.append(f"{kind}: must be a table of tables")
            return
        for name, table in given.items():
            if isinstance(table, dict):
                yield name, table
            else:
                self.faults.append(f"{kind}.{name}: must be a table")

    def _check_known(self, table: Mapping[str, Any], place: str, known: tuple[str, ...]) -> None:
        for name in table:
            if name not in known:
                self.faults.append(f"{place}{name}: unknown; {near_miss(name, list(known))}")

    def _made(self, kind: type[Any], table: Any, **fixed: Any) -> Any:  # noqa: ANN401
        names = [one.name for one in fields(kind) if one.name not in fixed]
        for name in table:
            if name not in names:
                raise BadInput(f"{name} is unknown; {near_miss(name, names)}")
        rules = {
            name: _word_of(_RULES, one, name).value for name, one in table.items() if _is_rule(name)
        }
        return msgspec.convert({**table, **rules, **fixed}, kind)

    def _type(self, name: str, table: Mapping[str, Any]) -> ServiceType:
        given = table.get("properties", [])
        properties = tuple(
            PropertyDef(
                one["name"],
                type_from_plain(one["type"]),
                _word_of(_MODES, one.get("mode", "normal"), "mode"),
            )
            for one in given
        )
        rest = {key: one for key, one in table.items() if key != "properties"}
        made: _TypeTable = self._made(_TypeTable, rest)
        return ServiceType(name, made.interface, properties, made.super_types, made.masked)

    def _link(self, name: str, table: Mapping[str, Any]) -> LinkInfo:
        made: LinkInfo = self._made(LinkInfo, table, name=name)
        return made

    def _offer(self, name: str, table: Mapping[str, Any]) -> OfferPart:
        properties = {
            one["name"]: value_from_plain(self._without_null(one["value"]))
            for one in table.get("properties", [])
        }
        rest = {key: one for key, one in table.items() if key != "properties"}
        made: _OfferTable = self._made(_OfferTable, rest)
        return OfferPart(made.type, made.reference, properties)


_WRONG: Final = (TidingsError, msgspec.ValidationError, TypeError, AttributeError)


def _word_of(known: Mapping[str, _W], word: object, name: str) -> _W:
    found = known.get(word) if isinstance(word, str) else None
    if found is None:
        raise BadInput(f"{name}: {word!r:.60} is none; {near_miss(str(word), list(known))}")
    return found


def _is_rule(name: str) -> bool:
    return name.endswith(("_rule", "_policy"))


# Steps.


def trader_changes(
    wanted: TraderPart, found: FoundTrader, conflicts: list[str]
) -> Iterator[_Change]:
    """Return what makes a service's trader as a file says; what cannot be goes to `conflicts`."""
    there = found.part or TraderPart()
    changed = _changed_settings(wanted.settings, there.settings)
    # Wider limits come first, narrower ones last: links and changes must be within them.
    early = (
        wanted.settings.max_link_follow_policy.value > (there.settings.max_link_follow_policy.value)
        or wanted.settings.supports_modifiable_properties
    )
    if early:
        yield from changed
    offers = list(_changed_offers(wanted, found))
    needed = {name for kind, name, *_ in offers if kind == "create"}
    yield from _changed_types(wanted, there, conflicts, needed)
    yield from ((verb, what, details, asked) for verb, _, what, details, asked in offers)
    for name, made in wanted.types.items():
        before = there.types.get(name)
        was_masked = before is not None and before.masked and name not in needed
        if made.masked and not was_masked:
            yield "change", f"service type {name}", ("masked",), [r.MaskServiceType(name)]
    yield from _changed_links(wanted, there)
    if not early:
        yield from changed


def _changed_settings(wanted: TraderSettings, there: TraderSettings) -> list[_Change]:
    changed = {
        one.name: getattr(wanted, one.name)
        for one in fields(wanted)
        if getattr(wanted, one.name) != getattr(there, one.name)
    }
    details = tuple(f"{name}: {_word(value)}" for name, value in changed.items())
    asked = [r.SetTraderSettings(**changed)]
    return [("change", "trader settings", details, asked)] if changed else []


def _word(value: object) -> str:
    return value.name.lower() if isinstance(value, FollowOption) else str(value)


def _changed_types(
    wanted: TraderPart, there: TraderPart, conflicts: list[str], needed: set[str]
) -> Iterator[_Change]:
    for made in _after_super_types(wanted.types):
        name, before = made.name, there.types.get(made.name)
        if before is None:
            add = r.AddServiceType(name, made.interface, made.properties, made.super_types)
            yield "create", f"service type {name}", (), [add]
            continue
        conflicts += [
            f"service type {name}: its {one} differ and cannot change; remove it first, with its "
            "offers and subtypes"
            for one in ("interface", "properties", "super_types")
            if getattr(made, one) != getattr(before, one)
        ]
        if before.masked and (not made.masked or name in needed):
            yield "change", f"service type {name}", ("unmasked",), [r.UnmaskServiceType(name)]


def _after_super_types(types: Mapping[str, ServiceType]) -> Iterator[ServiceType]:
    """Return service types in the order of the file, but each after those it is derived from."""
    done: set[str] = set()

    def visit(made: ServiceType) -> Iterator[ServiceType]:
        if made.name in done:
            return
        done.add(made.name)
        for above in made.super_types:
            if above in types:
                yield from visit(types[above])
        yield made

    for made in types.values():
        yield from visit(made)


class _Pairs(NamedTuple):
    """Offers of a file with those of a service, what is missing there, and what is surplus."""

    pairs: list[tuple[OfferPart, str, OfferPart]]
    missing: list[OfferPart]
    surplus: list[str]


def _pairs(wanted: TraderPart, found: FoundTrader) -> _Pairs:
    """Pair offers by type and reference, those with the same properties first."""
    there = found.part.offers if found.part is not None else ()
    left: dict[tuple[str, str], list[tuple[str, OfferPart]]] = {}
    for id, one in zip(found.ids, there, strict=True):
        left.setdefault((one.type, one.reference), []).append((id, one))
    pairs: list[tuple[OfferPart, str, OfferPart]] = []
    others: list[OfferPart] = []
    for offer in wanted.offers:
        alike = left.get((offer.type, offer.reference), [])
        at = next((at for at, (_, one) in enumerate(alike) if not _changes(one, offer)), None)
        if at is None:
            others.append(offer)
        else:
            pairs.append((offer, *alike.pop(at)))
    missing = []
    for offer in others:
        if alike := left.get((offer.type, offer.reference), []):
            pairs.append((offer, *alike.pop(0)))
        else:
            missing.append(offer)
    return _Pairs(pairs, missing, [id for alike in left.values() for id, _ in alike])


def _changes(there: OfferPart, wanted: OfferPart) -> dict[str, Value | None]:
    """Return the properties that differ, None for one that goes."""
    changed: dict[str, Value | None] = {
        name: value
        for name, value in wanted.properties.items()
        if name not in there.properties or not same(there.properties[name], value)
    }
    return changed | {name: None for name in there.properties if name not in wanted.properties}


def _changed_offers(
    wanted: TraderPart, found: FoundTrader
) -> Iterator[tuple[str, str, str, tuple[str, ...], list[Any]]]:
    found_pairs = _pairs(wanted, found)
    for offer, id, before in found_pairs.pairs:
        changes = _changes(before, offer)
        gone = tuple(name for name in changes if name not in offer.properties)
        if changes:
            changed = {name: offer.properties[name] for name in changes if name not in gone}
            details = tuple(f"{name}: {'goes' if name in gone else 'changes'}" for name in changes)
            yield "change", offer.type, f"offer {id}", details, [r.ModifyOffer(id, gone, changed)]
    for offer in found_pairs.missing:
        export = r.ExportOffer(offer.type, offer.reference, offer.properties)
        yield "create", offer.type, str(offer), (), [export]


def _changed_links(wanted: TraderPart, there: TraderPart) -> Iterator[_Change]:
    for name, link in wanted.links.items():
        before = there.links.get(name)
        rules = (link.default_rule, link.limiting_rule)
        add = r.AddLink(name, link.target, *rules)
        if before is None:
            yield "create", f"link {name}", (), [add]
        elif before.target != link.target:
            yield "change", f"link {name}", ("target",), [r.RemoveLink(name), add]
        elif before != link:
            yield "change", f"link {name}", ("rules",), [r.ModifyLink(name, *rules)]


def trader_surplus(wanted: TraderPart, found: FoundTrader) -> Iterator[_Change]:
    """Return what deletes what the file does not have: offers, links, subtypes before types."""
    there = found.part or TraderPart()
    for id in _pairs(wanted, found).surplus:
        yield "delete", f"offer {id}", (), [r.WithdrawOffer(id)]
    for name in there.links:
        if name not in wanted.links:
            yield "delete", f"link {name}", (), [r.RemoveLink(name)]
    for made in reversed(list(_after_super_types(there.types))):
        if made.name not in wanted.types:
            yield "delete", f"service type {made.name}", (), [r.RemoveServiceType(made.name)]
