"""The trader of a service; a core of its own.

Providers export offers under service types, importers query them. Everything but the iterators is
kept: each type, offer and link is an object of the journal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from tidings.cores import Handled, Keep, State, answer_each
from tidings.errors import (
    BadInput,
    DefaultFollowTooPermissive,
    DuplicateLinkName,
    DuplicatePropertyName,
    IllegalTrading,
    InvalidEvent,
    InvalidLookupRef,
    InvalidObjectRef,
    InvalidPolicyValue,
    InvalidUsage,
    LimitExceeded,
    LimitingFollowTooPermissive,
    MandatoryProperty,
    MissingMandatoryProperty,
    NoMatchingOffers,
    NotFound,
    PropertyTypeMismatch,
    ReadonlyDynamicProperty,
    ReadonlyProperty,
    StoreError,
    TidingsError,
    TooManyObjects,
    TradingNotImplemented,
    UnknownLinkName,
    UnknownOfferId,
    UnknownPropertyName,
    UnknownServiceType,
    WrongState,
)
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value, pack
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_types import type_from_plain, type_to_plain
from tidings.events.codecs.json_values import value_from_plain, value_to_plain
from tidings.events.texts import shortened
from tidings.events.typecode import Kind
from tidings.events.typetext import describe
from tidings.filters import tree as t
from tidings.filters.to_python import to_python
from tidings.names import new_secret
from tidings.trader import requests as r
from tidings.trader.index import OffersOfType, ranges_of
from tidings.trader.model import (
    LinkInfo,
    Offer,
    PropertyDef,
    PropertyMode,
    ServiceType,
    TraderSettings,
    checked_link_name,
    checked_property_name,
    checked_reference,
    fields_of,
    is_dynamic,
    offer_number,
    refusal,
    type_of,
)
from tidings.trader.outside import (
    MOST_EVALUATED,
    OCTETS,
    ContinueQuery,
    Evaluation,
    Known,
    Links,
    Needed,
    evaluated,
    linked_offers,
    links_of,
    starting,
    wanted,
)
from tidings.trader.queries import (
    MOST_ULONG,
    Policies,
    Preference,
    after,
    checked_desired,
    constraint_of,
    find,
    last_searched,
    may_change,
    names_read,
    policies_of,
    preference_of,
)
from tidings.trader.types import MOST_PROPERTIES, TypeRepository

NAME: Final = "trader"
"""The name of the core, in the journal too."""
MOST_OFFERS: Final = 1_000_000
MOST_LINKS: Final = 1_000
MOST_ITERATORS: Final = 1_000
MOST_IN_LIST: Final = 1_000
"""Offers of one answer; the most that `max_list` can be."""
MAX_OFFER: Final = 16_384
"""Octets of an offer's properties, as JSON."""
IDLE: Final = 300_000_000
"""How long an iterator waits for its next page, in microseconds."""

MOST_SEEN: Final = 10_000
"""Ids of queries that are remembered."""

_BOUNDS: Final = {
    "max_list": (1, MOST_IN_LIST), "link_seconds": (1, 600), "dynamic_seconds": (1, 600),
}  # fmt: skip
_STEM: Final = re.compile(r"([0-9a-f]{2}){0,32}", re.ASCII)
_STEM_OCTETS: Final = 16
_ASKED_BEFORE: Final = "this trader has been asked the same query before, by its request_id"
_VERSION: Final = 1
_COUNTERS: Final = "counters"
_SETTINGS: Final = "settings"

_T = TypeVar("_T")


@dataclass(slots=True)
class _Iterator:
    """The rest of what a query has found, as it was then."""

    offers: list[Offer]
    desired: frozenset[str] | None
    until: int


class _Plan(NamedTuple):
    """A query as it was understood; `start` is the link where it shall start, None for here."""

    policies: Policies
    places: list[OffersOfType]
    tree: t.Node
    preference: Preference
    desired: frozenset[str] | None
    start: LinkInfo | None


class _Here(NamedTuple):
    """What was found among this trader's own offers, or the values that are wanted for that."""

    wanted: tuple[Evaluation, ...] = ()
    found: Sequence[Offer] = ()
    limits: Sequence[str] = ()
    notes: Sequence[str] = ()


class Trader:
    """Service types, offers, links, and the iterators of queries."""

    name: Final = NAME

    def __init__(self) -> None:
        self._types = TypeRepository()
        self._offers: dict[int, Offer] = {}
        self._by_type: dict[str, OffersOfType] = {}
        self._links: dict[str, LinkInfo] = {}
        self._settings = TraderSettings()
        self._iterators: dict[int, _Iterator] = {}
        self._last_offer = 0
        self._last_iterator = 0
        self._last_query = 0
        self._query_ids: dict[bytes, None] = {}
        self._stem = new_secret(_STEM_OCTETS)
        self._effects: list[Keep | r.OffersChanged] = []
        self._undo: list[tuple[int, Offer | None]] | None = None
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            r.AddServiceType: self._add_type,
            r.RemoveServiceType: self._remove_type,
            r.MaskServiceType: lambda asked, _: self._mask(asked.type, masked=True),
            r.UnmaskServiceType: lambda asked, _: self._mask(asked.type, masked=False),
            r.SeeServiceTypes: lambda asked, _: self._types.since(asked.since),
            r.SeeIncarnation: lambda *_: self._types.incarnation,
            r.SeeServiceType: lambda asked, _: self._types.declared(asked.type),
            r.SeeFullServiceType: lambda asked, _: self._types.full(asked.type),
            r.ExportOffer: self._export,
            r.ModifyOffer: self._modify,
            r.ReplaceOffer: self._replace,
            r.WithdrawOffer: self._withdraw_one,
            r.WithdrawMatchingOffers: self._withdraw_matching,
            r.ChangeOffers: self._change_offers,
            r.SeeOffer: lambda asked, _: _info(self._find(asked.offer)),
            r.SeeOffers: self._see_offers,
            r.QueryOffers: self._query,
            ContinueQuery: self._continue,
            r.SeeFoundOffers: self._see_found,
            r.EndIterator: self._end_iterator,
            r.AddLink: self._add_link,
            r.ModifyLink: self._modify_link,
            r.RemoveLink: self._remove_link,
            r.SeeLinks: lambda *_: tuple(self._links[name] for name in sorted(self._links)),
            r.SeeLink: lambda asked, _: self._find_link(asked.link),
            r.SeeTraderSettings: lambda *_: self._settings,
            r.SetTraderSettings: self._set,
        }
        self.requests = tuple(self._handlers)

    @property
    def wake_at(self) -> int | None:
        """When the first iterator ends; they are in the order of their last use."""
        return next((one.until for one in self._iterators.values()), None)

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands, and end iterators that nobody has used for long."""
        while (until := self.wake_at) is not None and until <= now:
            del self._iterators[next(iter(self._iterators))]
        answers = answer_each(self._handlers, commands, now)
        effects, self._effects = self._effects, []
        return answers, list(effects)

    def owner_of(self, id: str) -> str:
        """Return the principal that exported an offer; empty for the service's owner."""
        return self._find(id).owner

    # Service types.

    def _add_type(self, asked: r.AddServiceType, _: int) -> int:
        made = self._types.add(asked.name, asked.interface, asked.properties, asked.super_types)
        self._keep_type(made)
        return made.incarnation

    def _remove_type(self, asked: r.RemoveServiceType, _: int) -> None:
        offers = self._by_type.get(self._types.declared(asked.type).name)
        if offers is not None and len(self._types.with_subtypes(asked.type)) == 1:
            raise WrongState(
                f"service type {asked.type} has {len(offers.numbers)} offers: withdraw them first, "
                "or mask the type"
            )
        gone = self._types.remove(asked.type)
        self._effects.append(Keep(NAME, f"type {gone.name}", None))
        if gone.incarnation == self._types.incarnation:
            self._keep_counters()

    def _mask(self, name: str, *, masked: bool) -> None:
        self._keep_type(self._types.mask(name, masked=masked))

    # Offers.

    def _export(self, asked: r.ExportOffer, now: int) -> str:
        offer = self._exported(asked, now)
        self._tell(r.OfferChange(None, self._seen(offer)))
        return offer.id

    def _exported(self, asked: r.ExportOffer, now: int) -> Offer:
        checked_reference(asked.reference)
        declared = self._types.declared(asked.type)
        if declared.masked:
            raise refusal(
                UnknownServiceType,
                f"service type {asked.type} is masked: nothing can be exported under it",
                type=asked.type,
            )
        properties = self._checked_values(asked.type, asked.properties)
        for name, one in self._types.properties(asked.type).items():
            if one.mode.mandatory and name not in asked.properties:
                raise refusal(
                    MissingMandatoryProperty,
                    f"every offer of {asked.type} has the property {name}",
                    type=asked.type,
                    name=name,
                )
        if len(self._offers) >= MOST_OFFERS:
            raise TooManyObjects(f"the trader has {MOST_OFFERS} offers already")
        offer = Offer(
            self._last_offer + 1,
            asked.type,
            asked.reference,
            properties,
            asked.owner,
            now,
            fields_of(properties),
        )
        self._keep_offer(offer)
        self._put(offer)
        return offer

    def _modify(self, asked: r.ModifyOffer, _: int) -> None:
        offer = self._find(asked.offer)
        if not self._settings.supports_modifiable_properties:
            raise TradingNotImplemented(
                "offers cannot be changed here: the trader's supports_modifiable_properties is off"
            )
        _refuse_twins(asked)
        declared = self._types.properties(offer.type)
        for name in asked.delete:
            checked_property_name(name)
            if name not in offer.properties:
                raise refusal(
                    UnknownPropertyName, f"offer {offer.id} has no property {name}", name=name
                )
            if name in declared and declared[name].mode.mandatory:
                raise refusal(
                    MandatoryProperty,
                    f"every offer of {offer.type} has the property {name}: change its value",
                    type=offer.type,
                    name=name,
                )
        for name in (*asked.delete, *asked.properties):
            if name in offer.properties and name in declared and declared[name].mode.readonly:
                raise refusal(
                    ReadonlyProperty,
                    f"property {name} of {offer.type} stays as it was exported",
                    type=offer.type,
                    name=name,
                )
        kept = {name: one for name, one in offer.properties.items() if name not in asked.delete}
        properties = kept | self._checked_values(offer.type, asked.properties)
        if len(properties) > MOST_PROPERTIES:
            raise _too_many_properties()
        changed = replace(offer, properties=properties, fields=fields_of(properties))
        self._keep_offer(changed)
        self._put(changed)
        deleted = {name: offer.properties[name] for name in asked.delete}
        modified = {name: properties[name] for name in asked.properties}
        self._tell(r.OfferChange(self._seen(offer), self._seen(changed), deleted, modified))

    def _replace(self, asked: r.ReplaceOffer, now: int) -> str:
        old = self._find(asked.offer)
        export = r.ExportOffer(asked.type, asked.reference, asked.properties, old.owner)
        new = self._exported(export, now)
        if asked.withdraw:
            self._withdraw(old)
        self._tell(r.OfferChange(self._seen(old), self._seen(new)))
        return new.id

    def _withdraw_one(self, asked: r.WithdrawOffer, _: int) -> None:
        offer = self._find(asked.offer)
        self._withdraw(offer)
        self._tell(r.OfferChange(self._seen(offer), None))

    def _withdraw(self, offer: Offer) -> None:
        self._drop(offer)
        self._effects.append(Keep(NAME, _offer_key(offer), None))
        if offer.number == self._last_offer:
            self._keep_counters()

    def _withdraw_matching(self, asked: r.WithdrawMatchingOffers, _: int) -> tuple[str, ...]:
        place = self._by_type.get(self._types.declared(asked.type).name)
        tree = constraint_of(asked.constraint)
        predicate = to_python(tree)
        found = [] if place is None else map(self._offers.get, place.candidates(ranges_of(tree)))
        matching = [one for one in found if one is not None and predicate(one.fields) is True]
        if not matching:
            raise refusal(
                NoMatchingOffers,
                f"no offer of {asked.type} matches {shortened(asked.constraint)}",
                constr=asked.constraint,
            )
        for offer in matching:
            self._withdraw(offer)
        self._tell(*(r.OfferChange(self._seen(offer), None) for offer in matching))
        return tuple(offer.id for offer in matching)

    def _change_offers(self, asked: r.ChangeOffers, now: int) -> tuple[str, ...]:
        if not 1 <= len(asked.steps) <= MOST_IN_LIST:
            raise InvalidUsage(
                f"1 to {MOST_IN_LIST} offers are changed at once, not {len(asked.steps)}"
            )
        last, start, self._undo = self._last_offer, len(self._effects), []
        try:
            ids = [self._step(asked, at, now) for at in range(len(asked.steps))]
        except Exception:
            undo, self._undo = self._undo, None
            for number, before in reversed(undo):
                if number in self._offers:
                    self._drop(self._offers[number])
                if before is not None:
                    self._put(before)
            self._last_offer = last
            del self._effects[start:]
            raise
        finally:
            self._undo = None
        made, self._effects[start:] = self._effects[start:], []
        self._effects += [one for one in made if isinstance(one, Keep)]
        told = [one for one in made if isinstance(one, r.OffersChanged)]
        self._tell(*(change for one in told for change in one.changes))
        return tuple(ids)

    def _step(self, asked: r.ChangeOffers, at: int, now: int) -> str:
        step = asked.steps[at]
        request = step.request(asked.owner)
        try:
            made = self._handlers[type(request)](request, now)
        except InvalidEvent as error:
            raise error.inside(f"steps[{at}]") from error.__cause__
        except TidingsError as error:
            error.args = (f"step {at + 1} of {len(asked.steps)}: {error}",)
            raise
        return made if isinstance(made, str) else step.offer

    def _tell(self, *changes: r.OfferChange) -> None:
        self._effects.append(r.OffersChanged(changes))

    def _seen(self, offer: Offer) -> r.OfferState:
        return r.OfferState(
            offer.id, self._types.full(offer.type), offer.reference, offer.properties
        )

    def _see_offers(self, asked: r.SeeOffers, _: int) -> tuple[r.OfferInfo, ...]:
        found = after(self._by_type.values(), asked.after, min(asked.most, MOST_IN_LIST))
        return tuple(_info(self._offers[number]) for number in found)

    def _find(self, id: str) -> Offer:
        type_, number = offer_number(id)
        found = self._offers.get(number)
        if found is None or found.type != type_:
            raise refusal(UnknownOfferId, f"there is no offer {shortened(id)}", id=id)
        return found

    def _put(self, offer: Offer) -> None:
        before = self._offers.get(offer.number)
        if before is not None:
            self._drop(before)
        elif self._undo is not None:
            self._undo.append((offer.number, None))
        self._offers[offer.number] = offer
        self._by_type.setdefault(offer.type, OffersOfType()).add(offer)
        self._last_offer = max(self._last_offer, offer.number)

    def _drop(self, offer: Offer) -> None:
        if self._undo is not None:
            self._undo.append((offer.number, offer))
        del self._offers[offer.number]
        offers = self._by_type[offer.type]
        offers.drop(offer)
        if not offers.numbers:
            del self._by_type[offer.type]

    def _checked_values(self, type_: str, given: Mapping[str, Value]) -> dict[str, Value]:
        """Return values in the stored form, each as its service type declares it."""
        if len(given) > MOST_PROPERTIES:
            raise _too_many_properties()
        declared, values = self._types.properties(type_), _packed(given)
        for name, value in values.items():
            checked_property_name(name)
            if name in declared:
                values[name] = _checked_value(type_, declared[name], value)
        return values

    # Queries.

    def _query(self, asked: r.QueryOffers, now: int) -> r.QueryAnswer | Needed:
        plan = self._plan(asked)
        id = plan.policies.request_id
        if id in self._query_ids:
            return r.QueryAnswer((), limits=("request_id",), notes=(_ASKED_BEFORE,))
        if id:
            self._remember(id)
        return self._answer(asked, plan, Known(), now)

    def _continue(self, asked: ContinueQuery, now: int) -> r.QueryAnswer | Needed:
        return self._answer(asked.query, self._plan(asked.query), asked.known, now)

    def _plan(self, asked: r.QueryOffers) -> _Plan:
        """Understand a query, or raise what is wrong with it."""
        given = _packed(asked.policies)
        policies = policies_of(given, self._settings)
        names = [self._types.declared(asked.type).name]
        if not policies.exact_type_match:
            names = self._types.with_subtypes(asked.type)
        tree, preference = constraint_of(asked.constraint), preference_of(asked.preference)
        desired = None if asked.desired is None else checked_desired(asked.desired)
        if asked.how_many < 0:
            raise InvalidUsage(f"how_many is 0 or more, not {asked.how_many}")
        if not policies.use_modifiable_properties:
            names = [one for one in names if not may_change(tree, self._types.properties(one))]
        start = None
        if policies.starting_trader:
            start = self._links.get(policies.starting_trader[0])
            if start is None:
                raise refusal(
                    InvalidPolicyValue,
                    f"policy starting_trader: there is no link "
                    f"{shortened(policies.starting_trader[0])}",
                    the_policy=("starting_trader", given["starting_trader"]),
                )
        places = [self._by_type[name] for name in names if name in self._by_type]
        return _Plan(policies, places, tree, preference, desired, start)

    def _answer(
        self, asked: r.QueryOffers, plan: _Plan, known: Known, now: int
    ) -> r.QueryAnswer | Needed:
        here = self._found_here(plan, known, now) if plan.start is None else _Here()
        links = self._followed(asked, plan, here)
        if links.follow and not plan.policies.request_id:
            asked = self._with_id(asked)
            links = self._followed(asked, plan, here)
        waiting = tuple(one for one in links.follow if one.link not in known.answers)
        if here.wanted or waiting:
            return Needed(asked, here.wanted, self._settings.dynamic_seconds, waiting)
        limits = [*here.limits, *("hop_count" for _ in range(links.kept_back))]
        found, notes = list(here.found), [*here.notes, *links.notes]
        for link, one in known.answers.items():
            limits += one.limits
            if one.note:
                notes.append(f"link {link}: {one.note}")
        linked = linked_offers(asked.type, known.answers)
        if linked:
            found += linked
            if plan.preference.order is not None:
                found = plan.preference.order(found, now)
            if len(found) > plan.policies.return_card:
                limits.append("return_card")
                del found[plan.policies.return_card :]
        first = min(asked.how_many, self._settings.max_list)
        rest = found[first:]
        return r.QueryAnswer(
            tuple(_info(one, plan.desired) for one in found[:first]),
            self._iterate(rest, plan.desired, now) if rest else None,
            len(rest),
            tuple(dict.fromkeys(limits)),
            tuple(notes),
        )

    def _found_here(self, plan: _Plan, known: Known, now: int) -> _Here:
        """Return what is found among this trader's own offers, or what that needs."""
        policies, tree, places = plan.policies, plan.tree, plan.places
        read, notes = plan.preference.tree, list[str]()
        if not policies.use_dynamic_properties:
            notes += _not_evaluated(places, names_read(tree, read))
        elif any(place.dynamic for place in places):
            last = last_searched(places, policies.search_card)
            asked, left_out = wanted(places, self._offers, tree, read, last)
            if asked and not known.evaluated:
                return _Here(asked)
            if left_out:
                notes.append(
                    f"dynamic properties of {left_out} offers count as missing: a query asks for "
                    f"{MOST_EVALUATED} values"
                )
        offers, failed = evaluated(self._offers, known.values)
        found, limits = find(places, self._offers, tree, plan.preference, policies, now, offers)
        return _Here((), found, limits, (*notes, *failed))

    def _followed(self, asked: r.QueryOffers, plan: _Plan, here: _Here) -> Links:
        if plan.start is not None:
            return Links((starting(asked, plan.policies, plan.start, self._settings),))
        is_found = None if here.wanted else bool(here.found)
        links = [self._links[name] for name in sorted(self._links)]
        return links_of(asked, plan.policies, links, self._settings, is_found=is_found)

    def _with_id(self, asked: r.QueryOffers) -> r.QueryOffers:
        """Return a query with an id, by which traders know it again."""
        self._last_query += 1
        stem = bytes.fromhex(self._settings.request_id_stem) or self._stem
        id = stem + self._last_query.to_bytes(8, "big")
        self._remember(id)
        return replace(asked, policies={**asked.policies, "request_id": AnyValue(OCTETS, id)})

    def _remember(self, id: bytes) -> None:
        self._query_ids[id] = None
        if len(self._query_ids) > MOST_SEEN:
            del self._query_ids[next(iter(self._query_ids))]

    def _iterate(self, rest: list[Offer], desired: frozenset[str] | None, now: int) -> int:
        if len(self._iterators) >= MOST_ITERATORS:
            del self._iterators[next(iter(self._iterators))]
        self._last_iterator += 1
        self._iterators[self._last_iterator] = _Iterator(rest, desired, now + IDLE)
        return self._last_iterator

    def _see_found(self, asked: r.SeeFoundOffers, now: int) -> r.OfferPage:
        found = self._iterators.pop(asked.iterator, None)
        if found is None:
            raise _no_iterator(asked.iterator)
        found.until = now + IDLE
        self._iterators[asked.iterator] = found
        start = max(0, asked.after)
        end = min(start + max(0, min(asked.most, self._settings.max_list)), len(found.offers))
        page = tuple(_info(one, found.desired) for one in found.offers[start:end])
        return r.OfferPage(page, start + len(page), max(0, len(found.offers) - end))

    def _end_iterator(self, asked: r.EndIterator, _: int) -> None:
        if self._iterators.pop(asked.iterator, None) is None:
            raise _no_iterator(asked.iterator)

    # Links.

    def _add_link(self, asked: r.AddLink, _: int) -> None:
        if checked_link_name(asked.name) in self._links:
            raise refusal(
                DuplicateLinkName, f"there is a link {asked.name} already", name=asked.name
            )
        if len(self._links) >= MOST_LINKS:
            raise TooManyObjects(f"the trader has {MOST_LINKS} links already")
        try:
            checked_reference(asked.target)
        except InvalidObjectRef as error:
            raise refusal(InvalidLookupRef, f"target: {error}", target=asked.target) from error
        self._put_link(LinkInfo(asked.name, asked.target, asked.default_rule, asked.limiting_rule))

    def _modify_link(self, asked: r.ModifyLink, _: int) -> None:
        found = self._find_link(asked.link)
        self._put_link(
            replace(found, default_rule=asked.default_rule, limiting_rule=asked.limiting_rule)
        )

    def _remove_link(self, asked: r.RemoveLink, _: int) -> None:
        del self._links[self._find_link(asked.link).name]
        self._effects.append(Keep(NAME, f"link {asked.link}", None))

    def _find_link(self, name: str) -> LinkInfo:
        found = self._links.get(checked_link_name(name))
        if found is None:
            raise refusal(UnknownLinkName, f"there is no link {name}", name=name)
        return found

    def _put_link(self, link: LinkInfo) -> None:
        usual, limit = link.default_rule.name.lower(), link.limiting_rule.name.lower()
        most = self._settings.max_link_follow_policy
        if link.default_rule.value > link.limiting_rule.value:
            raise refusal(
                DefaultFollowTooPermissive,
                f"link {link.name} is followed {usual} by default, and {limit} at most",
                def_pass_on_follow_rule=link.default_rule,
                limiting_follow_rule=link.limiting_rule,
            )
        if link.limiting_rule.value > most.value:
            raise refusal(
                LimitingFollowTooPermissive,
                f"link {link.name} may be followed {limit}, and the trader allows "
                f"{most.name.lower()} at most (max_link_follow_policy)",
                limiting_follow_rule=link.limiting_rule,
                max_link_follow_policy=most,
            )
        self._links[link.name] = link
        self._effects.append(Keep(NAME, f"link {link.name}", _state(link)))

    # Settings.

    def _set(self, asked: r.SetTraderSettings, _: int) -> None:
        given = {one.name: getattr(asked, one.name) for one in fields(TraderSettings)}
        given = {name: value for name, value in given.items() if value is not None}
        for name, value in given.items():
            least, most = _BOUNDS.get(name, (0, MOST_ULONG))
            if type(value) is int and not least <= value <= most:
                raise InvalidUsage(f"{name} is a number from {least} to {most}, not {value}")
        if _STEM.fullmatch(given.get("request_id_stem", "")) is None:
            raise InvalidUsage("request_id_stem is up to 64 hexadecimal digits, two for each octet")
        self._settings = replace(self._settings, **given)
        self._effects.append(Keep(NAME, _SETTINGS, _state(self._settings)))

    # The journal.

    def _keep_type(self, made: ServiceType) -> None:
        self._effects.append(Keep(NAME, f"type {made.name}", _type_state(made)))

    def _keep_offer(self, offer: Offer) -> None:
        self._effects.append(Keep(NAME, _offer_key(offer), _offer_state(offer)))

    def _keep_counters(self) -> None:
        self._effects.append(Keep(NAME, _COUNTERS, self._counters()))

    def _counters(self) -> State:
        return {
            "version": _VERSION, "offer": self._last_offer, "incarnation": self._types.incarnation,
        }  # fmt: skip

    def snapshot(self) -> Iterator[tuple[str, State]]:
        """Everything but iterators; each object as it is when it is reached."""
        yield _COUNTERS, self._counters()
        yield _SETTINGS, _state(self._settings)
        for made in list(self._types):
            yield f"type {made.name}", _type_state(made)
        for link in list(self._links.values()):
            yield f"link {link.name}", _state(link)
        for number in list(self._offers):
            offer = self._offers.get(number)
            if offer is not None:
                yield _offer_key(offer), _offer_state(offer)

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take everything back; an offer without its service type is passed over."""
        for key, state in states.items():
            if state.get("version") != _VERSION:
                raise StoreError(
                    f"the trader's {key} was written in form {state.get('version')!r}; "
                    f"this version of Tidings reads {_VERSION}"
                )
        try:
            return self._restore(states)
        except (msgspec.ValidationError, KeyError, TypeError, ValueError, BadInput) as error:
            raise StoreError(f"what the trader has kept cannot be understood: {error}") from error

    def _restore(self, states: Mapping[str, State]) -> list[str]:
        found: dict[str, list[State]] = {"type": [], "link": [], "offer": []}
        for key, state in states.items():
            found.get(key.partition(" ")[0], []).append(state)
        for made in sorted(map(_type_of_state, found["type"]), key=lambda one: one.incarnation):
            self._types.put(made)
        for state in found["link"]:
            link = msgspec.convert(_without_version(state), LinkInfo)
            self._links[link.name] = link
        passed_over: list[str] = []
        for offer in sorted(map(_offer_of, found["offer"]), key=lambda one: one.number):
            try:
                self._types.declared(offer.type)
            except (NotFound, IllegalTrading):
                passed_over.append(f"offer {offer.id}: its service type is not there")
            else:
                self._put(offer)
        if _SETTINGS in states:
            self._settings = msgspec.convert(_without_version(states[_SETTINGS]), TraderSettings)
        counters = states.get(_COUNTERS, {})
        self._last_offer = max(self._last_offer, counters.get("offer", 0))
        last = counters.get("incarnation", 0)
        self._types.incarnation = max(self._types.incarnation, last)
        return passed_over


# Rules.


def _checked_value(type_: str, declared: PropertyDef, value: Value) -> Value:
    name = declared.name
    if value == () and declared.value_type.unaliased.kind is Kind.SEQUENCE:
        return AnyValue(declared.value_type, ())  # an empty list does not say of what
    if is_dynamic(value) and declared.mode.readonly:
        raise refusal(
            ReadonlyDynamicProperty,
            f"property {name} of {type_} stays as it was exported: it cannot be dynamic",
            type=type_,
            name=name,
        )
    found = type_of(value)
    if found is None or not declared.value_type.equivalent(found):
        wanted = describe(declared.value_type)
        shown = "a dynamic property without a type" if found is None else describe(found)
        raise refusal(
            PropertyTypeMismatch,
            f"property {name} of {type_} is of the type {wanted}, not {shown}: write "
            f'{{"$type": "{wanted}", "value": …}}',
            type=type_,
            prop=(name, value),
        )
    return value


def _too_many_properties() -> LimitExceeded:
    return LimitExceeded(f"an offer has at most {MOST_PROPERTIES} properties")


def _packed(given: Mapping[str, Value]) -> dict[str, Value]:
    """Return values in the stored form: programs in this process can hand in any."""
    return {name: pack(value, name) for name, value in given.items()}


def _refuse_twins(asked: r.ModifyOffer) -> None:
    seen: set[str] = set()
    for name in (*asked.delete, *asked.properties):
        if name in seen:
            raise refusal(DuplicatePropertyName, f"property {name} is named twice", name=name)
        seen.add(name)


def _not_evaluated(places: Sequence[OffersOfType], names: set[str]) -> Iterator[str]:
    """Say which properties the query would have to evaluate."""
    for name in sorted(names):
        count = sum(len(place.dynamic.get(name, ())) for place in places)
        if count:
            offers = "1 offer" if count == 1 else f"{count} offers"
            yield f"property {name} is dynamic in {offers}, and counts as missing there"


def _no_iterator(id: int) -> NotFound:
    return NotFound(f"there is no iterator {id}: it has ended, or nobody has used it for long")


# What is shown and kept.


def _info(offer: Offer, desired: frozenset[str] | None = None) -> r.OfferInfo:
    properties = offer.properties
    if desired is not None:
        properties = {name: value for name, value in properties.items() if name in desired}
    return r.OfferInfo(
        offer.id, offer.type, offer.reference, properties, offer.owner, offer.exported, offer.link
    )


def _offer_key(offer: Offer) -> str:
    return f"offer {offer.number}"


def _state(value: LinkInfo | TraderSettings) -> State:
    return {"version": _VERSION, **msgspec.to_builtins(value)}


def _without_version(state: State) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name != "version"}


def _offer_state(offer: Offer) -> State:
    octets = write_json({name: value_to_plain(one) for name, one in offer.properties.items()})
    if len(octets) > MAX_OFFER:
        raise LimitExceeded(f"the properties take {len(octets)} octets, more than {MAX_OFFER}")
    return {
        "version": _VERSION,
        "number": offer.number,
        "type": offer.type,
        "reference": offer.reference,
        "properties": parse_json(octets),
        "owner": offer.owner,
        "exported": offer.exported,
    }


def _offer_of(state: State) -> Offer:
    plain: Mapping[str, object] = state["properties"]
    properties = {name: value_from_plain(value) for name, value in plain.items()}
    return Offer(
        state["number"], state["type"], state["reference"], properties, state["owner"],
        state["exported"], fields_of(properties),
    )  # fmt: skip


def _type_state(made: ServiceType) -> State:
    properties = [
        (one.name, type_to_plain(one.value_type), int(one.mode)) for one in made.properties
    ]
    return {
        "version": _VERSION,
        "name": made.name,
        "interface": made.interface,
        "properties": properties,
        "super_types": list(made.super_types),
        "masked": made.masked,
        "incarnation": made.incarnation,
    }


def _type_of_state(state: State) -> ServiceType:
    properties = tuple(
        PropertyDef(name, type_from_plain(type_), PropertyMode(mode))
        for name, type_, mode in state["properties"]
    )
    return ServiceType(
        state["name"], state["interface"], properties, tuple(state["super_types"]),
        state["masked"], state["incarnation"],
    )  # fmt: skip
