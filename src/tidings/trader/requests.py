"""What can be asked of the trader: requests of its core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, TypeAlias

from tidings.cores import Most, Question, Request
from tidings.events.anyvalue import Value
from tidings.trader.model import (
    FollowOption,
    LinkInfo,
    PropertyDef,
    ServiceType,
    TraderSettings,
)

TradingName: TypeAlias = Annotated[str, "name of the trader's"]
"""The name of a service type or link, or the id of an offer."""


# Service types.


@dataclass(frozen=True, slots=True)
class AddServiceType(Request):
    """Add a service type: what offers under it have, and which types it is derived from.

    Answer: `incarnation`, the number of this addition.

    Attributes:
        name: Its name: identifiers joined by `::`, or `IDL:office/Printer:1.0`.
        interface: The interface of the offered objects; a repository id, or a name. Empty only if
            its super types have none, either.
        properties: The properties that it declares, beside the inherited ones. One that a super
            type has, too, has the same type and an equal or stronger mode.
        super_types: The service types it is derived from.
    """

    name: str
    interface: str = ""
    properties: Sequence[PropertyDef] = ()
    super_types: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RemoveServiceType(Request):
    """Remove a service type that has no subtypes and no offers."""

    type: TradingName


@dataclass(frozen=True, slots=True)
class MaskServiceType(Request):
    """Mask a service type: nothing is exported under it; its offers and subtypes stay."""

    type: TradingName


@dataclass(frozen=True, slots=True)
class UnmaskServiceType(Request):
    """Let offers be exported under a masked service type again."""

    type: TradingName


@dataclass(frozen=True, slots=True)
class SeeServiceTypes(Question[tuple[ServiceType, ...]]):
    """See the service types as they were declared, in the order of their addition.

    Attributes:
        since: Only those with this incarnation or a later one; 0 for all.
    """

    since: int = 0


@dataclass(frozen=True, slots=True)
class SeeIncarnation(Question[int]):
    """See the number of the latest addition, also of a type that is gone."""


@dataclass(frozen=True, slots=True)
class SeeServiceType(Question[ServiceType]):
    """See one service type as it was declared."""

    type: TradingName


@dataclass(frozen=True, slots=True)
class SeeFullServiceType(Question[ServiceType]):
    """See one service type with all inherited properties and all super types."""

    type: TradingName


# Offers.


@dataclass(frozen=True, slots=True)
class OfferInfo:
    """An offer.

    Attributes:
        id: Its id: `Office::Printer/7`; empty for one of another trader.
        type: Its service type; for one of another trader that of the query.
        reference: The offered object.
        properties: Its properties, or those that a query asked for, in typed JSON.
        owner: The principal that exported it; empty for the service's owner.
        exported: When, microseconds since 1970.
        link: The link through which it was found; empty for one of this trader.
    """

    id: str
    type: str
    reference: str
    properties: Mapping[str, Value]
    owner: str = ""
    exported: int = 0
    link: str = ""


@dataclass(frozen=True, slots=True)
class ExportOffer(Request):
    """Export an offer: an object that provides a service, and what is to be known of it.

    Answer: `offer`, its id.

    Attributes:
        type: Its service type.
        reference: The object: `IOR:…`, `corbaloc:…` or another URI.
        properties: Values of exactly the declared types, in typed JSON; properties that the type
            does not declare may have any.
    """

    type: str
    reference: str
    properties: Mapping[str, Value] = field(default_factory=dict)
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ModifyOffer(Request):
    """Change properties of an offer, all or nothing.

    Attributes:
        delete: Properties that it loses.
        properties: Properties that it gets, or that get another value.
    """

    offer: TradingName
    delete: Sequence[str] = ()
    properties: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WithdrawOffer(Request):
    """Withdraw an offer."""

    offer: TradingName


@dataclass(frozen=True, slots=True)
class WithdrawMatchingOffers(Request):
    """Withdraw all offers of exactly one service type that match a constraint.

    Answer: `withdrawn`, their ids.

    Attributes:
        type: The service type; offers of its subtypes stay.
        constraint: In the trader's language: `cost > 20`; blank for all.
    """

    type: str
    constraint: str = ""


@dataclass(frozen=True, slots=True)
class ReplaceOffer(Request):
    """Export an offer in place of another one, of a changed service: one change of its type.

    Answer: `offer`, the id of the new one.

    Attributes:
        offer: The offer of the service as it was.
        type: The service type of the new offer, which exists already.
        reference: The object as it is now.
        properties: The properties of the new offer.
        withdraw: Whether the old offer is withdrawn.
    """

    offer: TradingName
    type: str
    reference: str
    properties: Mapping[str, Value] = field(default_factory=dict)
    withdraw: bool = True


class OfferAction(Enum):
    """What one step of `ChangeOffers` does."""

    EXPORT = 0
    MODIFY = 1
    REPLACE = 2
    WITHDRAW = 3


@dataclass(frozen=True, slots=True)
class OfferStep:
    """One change of several; the fields are those of the operation for it.

    Attributes:
        action: What is done.
        offer: The offer that is changed; empty for a new one.
        type: The service type of a new offer.
        reference: The object of a new offer.
        properties: Properties of a new offer, or those that change.
        delete: Properties that the offer loses.
        withdraw: Whether an offer that is replaced is withdrawn.
    """

    action: OfferAction
    offer: str = ""
    type: str = ""
    reference: str = ""
    properties: Mapping[str, Value] = field(default_factory=dict)
    delete: Sequence[str] = ()
    withdraw: bool = True

    def request(self, owner: str = "") -> Request:
        """The request for it alone."""
        match self.action:
            case OfferAction.EXPORT:
                return ExportOffer(self.type, self.reference, self.properties, owner)
            case OfferAction.MODIFY:
                return ModifyOffer(self.offer, self.delete, self.properties)
            case OfferAction.REPLACE:
                return ReplaceOffer(
                    self.offer, self.type, self.reference, self.properties, self.withdraw
                )
            case OfferAction.WITHDRAW:
                return WithdrawOffer(self.offer)


@dataclass(frozen=True, slots=True)
class ChangeOffers(Request):
    """Change several offers as one: all steps in order, or none; its notices are a transaction.

    Answer: `offers`, for each step the id of its offer, of a new one the new id.
    """

    steps: Sequence[OfferStep]
    owner: str = ""


@dataclass(frozen=True, slots=True)
class OfferState:
    """An offer with its full service type, as it was or is."""

    id: str
    type: ServiceType
    reference: str
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class OfferChange:
    """What happened to an offer; a new offer has no `before`, a withdrawn one no `after`.

    Attributes:
        deleted: The properties that it has lost, with their values.
        modified: The properties that it has got, or that have changed, with their new values.
    """

    before: OfferState | None
    after: OfferState | None
    deleted: Mapping[str, Value] = field(default_factory=dict)
    modified: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OffersChanged(Request):
    """Offers were changed by one operation; the trader tells the core that lists this."""

    changes: tuple[OfferChange, ...]


@dataclass(frozen=True, slots=True)
class SeeOffer(Question[OfferInfo]):
    """See one offer."""

    offer: TradingName


@dataclass(frozen=True, slots=True)
class SeeOffers(Question[tuple[OfferInfo, ...]]):
    """See all offers, in the order of their export.

    Attributes:
        after: The number at the end of the last offer's id that was seen before.
        most: At most so many.
    """

    after: int = 0
    most: Most = 100


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a query has found.

    Attributes:
        offers: The first offers, in the order of the preference.
        iterator: Where the rest comes from, page by page; null if there is none.
        left: How many that is.
        limits: The policies whose limits cut something off.
        notes: What was not done, in words: links that could not be followed, dynamic properties
            whose values are missing.
    """

    offers: tuple[OfferInfo, ...]
    iterator: int | None = None
    left: int = 0
    limits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryOffers(Question[QueryAnswer]):
    """Find offers of a service type and its subtypes by a constraint, the best first.

    Attributes:
        type: The service type.
        constraint: In the trader's language: `cost < 20 and 'duplex' in features`; blank for all.
        preference: Which come first: `max EXPRESSION`, `min EXPRESSION`, `with CONSTRAINT`,
            `random`, or `first` for the order of their export.
        policies: The standard's, by name, such as `return_card` or `exact_type_match`.
        desired: The properties to return; null for all.
        how_many: How many offers to answer at once; the rest comes from the iterator.
    """

    type: str
    constraint: str = ""
    preference: str = ""
    policies: Mapping[str, Value] = field(default_factory=dict)
    desired: Sequence[str] | None = None
    how_many: int = 100


@dataclass(frozen=True, slots=True)
class OfferPage:
    """Some of the offers that an iterator has.

    Attributes:
        offers: The offers.
        next: The place behind the last one, for the next page.
        left: How many there are behind it; 0 for none.
    """

    offers: tuple[OfferInfo, ...]
    next: int
    left: int


@dataclass(frozen=True, slots=True)
class SeeFoundOffers(Question[OfferPage]):
    """See a page of what a query has found, as the offers were then.

    An iterator ends five minutes after its last page, and with the service.

    Attributes:
        after: The place from which on; 0 for the first behind the query's own answer.
        most: At most so many.
    """

    iterator: int
    after: int = 0
    most: Most = 100


@dataclass(frozen=True, slots=True)
class EndIterator(Request):
    """End an iterator before its time."""

    iterator: int


# Links.


@dataclass(frozen=True, slots=True)
class AddLink(Request):
    """Add a link to another trader, which queries may follow.

    Attributes:
        name: Its name here.
        target: The reference of the other trader's Lookup object.
        default_rule: The rule that the other trader is told by queries that say none.
        limiting_rule: The most permissive rule by which it is followed.
    """

    name: str
    target: str
    default_rule: FollowOption = FollowOption.LOCAL_ONLY
    limiting_rule: FollowOption = FollowOption.IF_NO_LOCAL


@dataclass(frozen=True, slots=True)
class ModifyLink(Request):
    """Change the rules of a link."""

    link: TradingName
    default_rule: FollowOption
    limiting_rule: FollowOption


@dataclass(frozen=True, slots=True)
class RemoveLink(Request):
    """Remove a link."""

    link: TradingName


@dataclass(frozen=True, slots=True)
class SeeLinks(Question[tuple[LinkInfo, ...]]):
    """See all links, by name."""


@dataclass(frozen=True, slots=True)
class SeeLink(Question[LinkInfo]):
    """See one link."""

    link: TradingName


# Settings.


@dataclass(frozen=True, slots=True)
class SeeTraderSettings(Question[TraderSettings]):
    """See the trader's defaults and maxima."""


@dataclass(frozen=True, slots=True)
class SetTraderSettings(Request):
    """Change the trader's defaults and maxima; what is left out stays.

    Attributes:
        def_search_card: Offers that a query looks at, if it does not say.
        max_search_card: The most that a query can look at.
        def_match_card: Matching offers that are ordered, if a query does not say.
        max_match_card: The most that are ordered.
        def_return_card: Offers that are returned, if a query does not say.
        max_return_card: The most that are returned.
        max_list: The most offers of one answer, 1 to 1,000.
        def_hop_count: How many links in a row a query follows, if it does not say.
        max_hop_count: The most it can follow.
        def_follow_policy: Which links a query follows, if it does not say.
        max_follow_policy: The most permissive rule a query can ask for.
        max_link_follow_policy: The most permissive rule a link can have.
        supports_modifiable_properties: Whether offers can be changed.
        supports_dynamic_properties: Whether values of dynamic properties are asked for.
        link_seconds: How long a query waits for a linked trader, for each hop that is left; 1 to
            600.
        dynamic_seconds: How long a query waits for the value of a dynamic property, 1 to 600.
        request_id_stem: What ids of queries begin with, as hexadecimal digits, 64 at most; if
            empty, with a random number.
    """

    def_search_card: int | None = None
    max_search_card: int | None = None
    def_match_card: int | None = None
    max_match_card: int | None = None
    def_return_card: int | None = None
    max_return_card: int | None = None
    max_list: int | None = None
    def_hop_count: int | None = None
    max_hop_count: int | None = None
    def_follow_policy: FollowOption | None = None
    max_follow_policy: FollowOption | None = None
    max_link_follow_policy: FollowOption | None = None
    supports_modifiable_properties: bool | None = None
    supports_dynamic_properties: bool | None = None
    link_seconds: int | None = None
    dynamic_seconds: int | None = None
    request_id_stem: str | None = None
