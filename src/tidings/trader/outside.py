"""What a query needs of others: values of dynamic properties, and offers of linked traders.

The trader says what it needs, and is asked again with what became of it::

    query ──> Needed ──> who waits for the others ──> ContinueQuery ──> the answer, or Needed again

The first time it needs the values and the links that are followed anyway, the second time those
that are followed since nothing was found here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, NamedTuple

from tidings.cores import Question
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value
from tidings.events.typetext import describe
from tidings.filters import tree as t
from tidings.filters.to_python import to_python
from tidings.trader.index import OffersOfType, conjuncts
from tidings.trader.model import (
    FollowOption,
    LinkInfo,
    Offer,
    TraderSettings,
    fields_of,
    is_dynamic,
    type_of,
)
from tidings.trader.queries import Policies, names_read
from tidings.trader.requests import QueryAnswer, QueryOffers

MOST_EVALUATED: Final = 100
"""Values that one query asks for."""
MOST_FOLLOWED: Final = 100
"""Links that one query follows."""
MOST_LINKED: Final = 10_000
"""Offers that one query takes from other traders, all together."""
_MOST_NOTES: Final = 20
_MOST_WAITS: Final = 10

OCTETS: Final = tc.OCTETS
FOLLOW: Final = tc.enum(
    "IDL:omg.org/CosTrading/FollowOption:1.0",
    "FollowOption",
    [one.name.lower() for one in FollowOption],
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A value to ask for.

    Attributes:
        offer: The number of the offer.
        name: The name of the property.
        property: The property: whom to ask, for what type, with what.
    """

    offer: int
    name: str
    property: AnyValue


@dataclass(frozen=True, slots=True)
class Follow:
    """A link to follow.

    Attributes:
        link: Its name.
        target: The reference of the other trader's Lookup object.
        query: What to ask it.
        seconds: How long to wait.
        most: How many offers to take.
    """

    link: str
    target: str
    query: QueryOffers
    seconds: int
    most: int


@dataclass(frozen=True, slots=True)
class Needed:
    """What a query needs of others.

    Attributes:
        query: The query to continue with.
        evaluations: The values to ask for.
        seconds: How long to wait for each.
        links: The links to follow.
    """

    query: QueryOffers
    evaluations: tuple[Evaluation, ...]
    seconds: int
    links: tuple[Follow, ...]


class LinkedOffer(NamedTuple):
    """An offer of another trader."""

    reference: str
    properties: Mapping[str, Value]


class Answered(NamedTuple):
    """What came of following a link.

    Attributes:
        offers: The offers of the other trader.
        limits: The policies whose limits cut something off there.
        note: What went wrong, in words; empty for nothing.
    """

    offers: Sequence[LinkedOffer] = ()
    limits: Sequence[str] = ()
    note: str = ""


class Failed(NamedTuple):
    """Why a value is missing, in words."""

    why: str


@dataclass(frozen=True, slots=True)
class Known:
    """What others have answered.

    Attributes:
        evaluated: Whether values were asked for.
        values: By the offer's number and the property's name.
        answers: By the link's name.
    """

    evaluated: bool = False
    values: Mapping[tuple[int, str], Value | Failed] = field(default_factory=dict)
    answers: Mapping[str, Answered] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContinueQuery(Question[QueryAnswer]):
    """Continue a query with what others have answered; the answer may be `Needed` again."""

    query: QueryOffers
    known: Known


# Dynamic properties.


class Wanted(NamedTuple):
    """The values that a query would need, and how many more than it may ask for."""

    evaluations: tuple[Evaluation, ...] = ()
    left_out: int = 0


def wanted(
    places: Sequence[OffersOfType],
    offers: Mapping[int, Offer],
    tree: t.Node,
    preference: t.Node,
    last: int | None,
) -> Wanted:
    """Return the values that decide; not those of offers that do not match whatever they are.

    `last` is the number of the last offer that is searched; None if all are.
    """
    names = names_read(tree, preference)
    dynamic = {name for place in places for name in place.dynamic} & names
    if not dynamic:
        return Wanted()
    settled = [one for one in conjuncts(tree) if not names_read(one) & dynamic]
    may_match = [to_python(one) for one in settled]
    found: list[Evaluation] = []
    left_out = 0
    numbers = {n for place in places for name in dynamic for n in place.dynamic.get(name, ())}
    for number in sorted(numbers):
        if last is not None and number > last:
            break
        offer = offers[number]
        if not all(one(offer.fields) is True for one in may_match):
            continue
        mine = list(_evaluations(offer, dynamic))
        if len(found) + len(mine) > MOST_EVALUATED:
            left_out += 1
        else:
            found += mine
    return Wanted(tuple(found), left_out)


def _evaluations(offer: Offer, names: set[str]) -> Iterator[Evaluation]:
    for name in offer.dynamic:
        value = offer.properties[name]
        if name in names and isinstance(value, AnyValue):
            yield Evaluation(offer.number, name, value)


class Evaluated(NamedTuple):
    """Offers with the values that were asked for, by their numbers, and what went wrong."""

    offers: Mapping[int, Offer]
    notes: tuple[str, ...]


def evaluated(offers: Mapping[int, Offer], values: Mapping[Any, Value | Failed]) -> Evaluated:
    """Put values in the place of dynamic properties, where these are still there."""
    found: dict[int, Offer] = {}
    problems: list[str] = []
    for (number, name), value in values.items():
        offer = found.get(number) or offers.get(number)
        if offer is None or not is_dynamic(offer.properties.get(name)):
            continue  # changed meanwhile
        problem = value.why if isinstance(value, Failed) else _misfit(offer.properties[name], value)
        if problem:
            problems.append(f"property {name} of {offer.id} counts as missing: {problem}")
            continue
        assert not isinstance(value, Failed)
        properties = {**offer.properties, name: value}
        found[number] = replace(offer, properties=properties, fields=fields_of(properties))
    return Evaluated(found, tuple(_shortened(problems)))


def _misfit(asked: Value, given: Value) -> str:
    """Return why a value cannot be that of a dynamic property; empty if it can."""
    kind, found = type_of(asked), type_of(given)
    if found is None or is_dynamic(given):
        return "the answer is a dynamic property"
    if kind is not None and not kind.equivalent(found):
        return f"the answer is of the type {describe(found)}, not {describe(kind)}"
    return ""


def _shortened(problems: Sequence[str]) -> Iterator[str]:
    yield from islice(problems, _MOST_NOTES)
    if len(problems) > _MOST_NOTES:
        yield f"{len(problems) - _MOST_NOTES} more values count as missing"


# Links.


class Links(NamedTuple):
    """Which links a query follows.

    Attributes:
        follow: Those that it follows.
        kept_back: Whether there are others, if it could make one hop more.
        notes: What was not done.
    """

    follow: tuple[Follow, ...]
    kept_back: bool = False
    notes: tuple[str, ...] = ()


def links_of(
    asked: QueryOffers,
    policies: Policies,
    links: Iterable[LinkInfo],
    settings: TraderSettings,
    *,
    is_found: bool | None,
) -> Links:
    """Return the links to follow; `is_found` is None if it is not known yet."""
    chosen = []
    for link in links:
        rule = _least(policies.link_follow_rule, link.limiting_rule)
        if rule is FollowOption.ALWAYS or (rule is FollowOption.IF_NO_LOCAL and is_found is False):
            chosen.append((link, rule))
    if not policies.hop_count:
        return Links((), kept_back=bool(chosen))
    most = min(policies.return_card, MOST_LINKED // max(1, len(chosen)))
    follow = []
    for link, rule in chosen[:MOST_FOLLOWED]:
        default = _least(link.default_rule, settings.max_follow_policy)
        passed_on = rule if policies.says_rule else default
        made = _follow(asked, policies, link, settings, policies.hop_count - 1, passed_on)
        follow.append(replace(made, most=most))
    notes = tuple(
        f"link {link.name} was not followed: a query follows {MOST_FOLLOWED} links"
        for link, _ in chosen[MOST_FOLLOWED : MOST_FOLLOWED + _MOST_NOTES]
    )
    return Links(tuple(follow), notes=notes)


def starting(
    asked: QueryOffers, policies: Policies, link: LinkInfo, settings: TraderSettings
) -> Follow:
    """Return the link to the trader where a query shall start."""
    rule = policies.link_follow_rule
    made = _follow(asked, policies, link, settings, policies.hop_count, rule)
    return replace(made, most=min(made.most, MOST_LINKED))


def _follow(
    asked: QueryOffers,
    policies: Policies,
    link: LinkInfo,
    settings: TraderSettings,
    hops: int,
    rule: FollowOption,
) -> Follow:
    passed: dict[str, Value] = {
        **asked.policies,
        "hop_count": AnyValue(tc.ULONG, hops),
        "link_follow_rule": AnyValue(FOLLOW, rule.name.lower()),
    }
    rest = policies.starting_trader[1:]
    passed.pop("starting_trader", None)
    if rest:
        passed["starting_trader"] = rest
    # Who waits for the next trader must be waited for a little longer.
    waits = min(1 + hops + len(rest), _MOST_WAITS)
    query = replace(asked, policies=passed, desired=None)
    return Follow(
        link.name, link.target, query, settings.link_seconds * waits, policies.return_card
    )


def _least(one: FollowOption, two: FollowOption) -> FollowOption:
    return one if one.value < two.value else two


def linked_offers(type_: str, answers: Mapping[str, Answered]) -> list[Offer]:
    """Return the offers of other traders; their numbers are below 0."""
    found: list[Offer] = []
    for link, answer in answers.items():
        for reference, properties in answer.offers:
            fields = fields_of(properties)
            number = -len(found) - 1
            found.append(Offer(number, type_, reference, properties, fields=fields, link=link))
    return found
