"""Queries: policies, preferences, and the way from a constraint to the offers that are returned.

::

    type ── its offers and its subtypes' ── search_card ── constraint ── match_card
         ── preference ── return_card ── the first how_many, and an iterator for the rest
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import merge
from itertools import islice
from math import isnan
from typing import Any, Final, NamedTuple

from tidings.errors import (
    DuplicatePropertyName,
    IllegalConstraint,
    IllegalPolicyName,
    IllegalPreference,
    InvalidConstraint,
    InvalidPolicyValue,
    PolicyTypeMismatch,
)
from tidings.events.anyvalue import Value
from tidings.events.fields import Composite, Plain, plain
from tidings.events.paths import Missing
from tidings.events.texts import shortened
from tidings.filters import tree as t
from tidings.filters.dialects import trader as language
from tidings.filters.limits import ConstraintLimits
from tidings.filters.parse import Kinds
from tidings.filters.rewrite import fold
from tidings.filters.shape import constant_of
from tidings.filters.to_python import Predicate, to_python
from tidings.filters.truth import OPERATORS, number
from tidings.trader.index import OffersOfType, ranges_of
from tidings.trader.model import (
    FollowOption,
    Offer,
    OfferFields,
    PropertyDef,
    TraderSettings,
    checked_property_name,
    refusal,
)

MOST_ULONG: Final = 2**32 - 1
_LONGEST_ID: Final = 1_024
LIMITS: Final = ConstraintLimits(octets=16_384, nodes=500)
"""Of constraints and preferences: they are read and asked while the service does nothing else."""


# Policies.


@dataclass(frozen=True, slots=True)
class Policies:
    """What a query asks for, within the trader's maxima.

    Attributes:
        says_rule: Whether the query itself says which links it follows.
    """

    search_card: int
    match_card: int
    return_card: int
    hop_count: int
    link_follow_rule: FollowOption
    exact_type_match: bool = False
    use_modifiable_properties: bool = True
    use_dynamic_properties: bool = True
    starting_trader: tuple[str, ...] = ()
    request_id: bytes = b""
    says_rule: bool = False


def policies_of(given: Mapping[str, Value], settings: TraderSettings) -> Policies:
    """Return a query's policies: its own up to the maxima, and defaults for the rest."""
    read = {name: _policy(name, value) for name, value in given.items()}

    def card(name: str) -> int:
        most: int = getattr(settings, f"max_{name}")
        asked: int = read.get(name, getattr(settings, f"def_{name}"))
        return min(asked, most)

    rule = read.get("link_follow_rule", settings.def_follow_policy)
    return Policies(
        search_card=card("search_card"),
        match_card=card("match_card"),
        return_card=card("return_card"),
        hop_count=card("hop_count"),
        link_follow_rule=min(rule, settings.max_follow_policy, key=lambda one: one.value),
        exact_type_match=read.get("exact_type_match", False),
        use_modifiable_properties=read.get("use_modifiable_properties", True),
        use_dynamic_properties=settings.supports_dynamic_properties
        and read.get("use_dynamic_properties", True),
        starting_trader=read.get("starting_trader", ()),
        request_id=read.get("request_id", b""),
        says_rule="link_follow_rule" in read,
    )


def _policy(name: str, value: Value) -> Any:  # noqa: ANN401 -- as the policy has it
    read = _POLICIES.get(name)
    if read is None:
        raise refusal(
            IllegalPolicyName,
            f"there is no policy {shortened(name)}; there are: {', '.join(_POLICIES)}",
            name=name,
        )
    try:
        return read(name, plain(value))
    except (PolicyTypeMismatch, InvalidPolicyValue) as error:
        error.members = {"the_policy": (name, value)}
        raise


def _ulong(name: str, value: Plain) -> int:
    if type(value) is not int or not 0 <= value <= MOST_ULONG:
        raise _mismatch(name, value, f"a whole number from 0 to {MOST_ULONG}")
    return value


def _boolean(name: str, value: Plain) -> bool:
    if type(value) is not bool:
        raise _mismatch(name, value, "TRUE or FALSE")
    return value


def _follow(name: str, value: Plain) -> FollowOption:
    words = {one.name.lower(): one for one in FollowOption}
    if not isinstance(value, str):
        raise _mismatch(name, value, f"one of {', '.join(words)}")
    found = words.get(value)
    if found is None:
        raise InvalidPolicyValue(
            f"policy {name}: {shortened(value)} is not one of {', '.join(words)}"
        )
    return found


def _octets(name: str, value: Plain) -> bytes:
    numbers = value if isinstance(value, tuple | bytes) else (None,)
    octets = [one for one in numbers if type(one) is int and 0 <= one < 256]
    if len(octets) != len(numbers):
        raise _mismatch(name, value, "a sequence of octets")
    if len(octets) > _LONGEST_ID:
        raise InvalidPolicyValue(f"policy {name} has at most {_LONGEST_ID} octets")
    return bytes(octets)


def _trader_name(name: str, value: Plain) -> tuple[str, ...]:
    found = value if isinstance(value, tuple) else () if value == b"" else (None,)
    names = tuple(one for one in found if isinstance(one, str))
    if len(names) != len(found):
        raise _mismatch(name, value, "a sequence of names of links")
    return names


def _mismatch(name: str, value: Plain, wanted: str) -> Exception:
    return PolicyTypeMismatch(f"policy {name} is {wanted}, not {shortened(value)}")


_POLICIES: Final[Mapping[str, Callable[[str, Plain], object]]] = {
    "exact_type_match": _boolean,
    "hop_count": _ulong,
    "link_follow_rule": _follow,
    "match_card": _ulong,
    "request_id": _octets,
    "return_card": _ulong,
    "search_card": _ulong,
    "starting_trader": _trader_name,
    "use_dynamic_properties": _boolean,
    # Checked, and changes nothing: there are no proxy offers.
    "use_proxy_offers": _boolean,
    "use_modifiable_properties": _boolean,
}


# Constraints and preferences.


def constraint_of(text: str) -> t.Node:
    """Return the tree of a constraint, or raise IllegalConstraint."""
    try:
        return fold(language.read(text, LIMITS))
    except InvalidConstraint as error:
        wrong = IllegalConstraint(error.problem, text, error.position, error.hint)
        wrong.members = {"constr": text}
        raise wrong from error


class Preference(NamedTuple):
    """Which offers come first.

    Attributes:
        order: Offers in another order; None to leave them as they are found.
        tree: What it reads of offers; TRUE for nothing.
    """

    order: Callable[[Sequence[Offer], int], list[Offer]] | None
    tree: t.Node = t.Boolean(True)


def preference_of(text: str) -> Preference:
    """Return what a preference says, or raise IllegalPreference."""
    found = text.split(None, 1)
    word, rest = found[0] if found else "first", found[1] if len(found) > 1 else ""
    start = len(text) - len(rest)
    if word in ("first", "random"):
        if rest:
            raise _bad_preference(f"nothing follows {word!r}", text, start)
        return Preference(_shuffled if word == "random" else None)
    if word not in ("max", "min", "with"):
        raise _bad_preference(
            f"{shortened(word)} is not a preference", text, 0, "max, min, with, random or first"
        )
    try:
        operand = language.read_expression(rest, LIMITS)
    except InvalidConstraint as error:
        raise _bad_preference(error.problem, text, start + error.position, error.hint) from error
    wanted, kind = (Kinds.BOOLEAN, "TRUE or FALSE") if word == "with" else (_COUNTS, "a number")
    if not rest or not operand.kinds & wanted:
        raise _bad_preference(f"{word!r} takes an expression that is {kind}", text, start)
    tree = fold(operand.node)
    if word == "with":
        return Preference(_with(to_python(tree)), tree)
    return Preference(_by_value(tree, falling=word == "max"), tree)


_COUNTS: Final = Kinds.COUNTS


def _bad_preference(problem: str, text: str, position: int, hint: str = "") -> IllegalPreference:
    error = IllegalPreference(problem, text, position, hint)
    error.members = {"pref": text}
    return error


def _shuffled(offers: Sequence[Offer], now: int) -> list[Offer]:
    """Shuffle; the time decides how, so that the core draws nothing."""
    return sorted(offers, key=lambda one: hash((now, one.number, "shuffled")))


def _with(predicate: Predicate) -> Callable[[Sequence[Offer], int], list[Offer]]:
    places = {True: 0, False: 1, None: 2}
    return lambda offers, _: sorted(offers, key=lambda one: places[predicate(one.fields)])


def _by_value(tree: t.Node, *, falling: bool) -> Callable[[Sequence[Offer], int], list[Offer]]:
    def ordered(offers: Sequence[Offer], _: int) -> list[Offer]:
        valued: list[tuple[Any, Offer]] = []
        others: list[Offer] = []
        for one in offers:
            value = number_of(tree, one.fields)
            if value is None:
                others.append(one)
            else:
                valued.append((value, one))
        # Both ways, offers of one value stay in the order in which they were found.
        valued.sort(key=lambda pair: pair[0], reverse=falling)
        return [*(one for _, one in valued), *others]

    return ordered


def number_of(tree: t.Node, fields: OfferFields) -> int | float | Decimal | None:
    """Return the number that an expression has for an offer; None if it has none."""
    value = value_of(tree, fields)
    found = None if value is None or isinstance(value, tuple | bytes) else number(value)
    return None if found is None or isnan(found) else found


def value_of(node: t.Node, fields: OfferFields) -> Plain | None:
    """Return the value of an expression of any kind; None for an error."""
    if isinstance(node, t.LITERALS):
        return constant_of(node)
    if isinstance(node, t.Component):
        found = fields[node.path]
        return None if isinstance(found, Missing | Composite) else found
    if isinstance(node, t.Comparison | t.Arithmetic | t.Contains):
        left = value_of(node.left, fields)
        right = None if left is None else value_of(node.right, fields)
        if left is None or right is None:
            return None
        return OPERATORS[type(node)](left, right)
    return to_python(node)(fields)


# Finding offers.


class Found(NamedTuple):
    """What a query has found.

    Attributes:
        offers: The offers, in the order of the preference.
        limits: The policies whose limits cut something off.
    """

    offers: list[Offer]
    limits: tuple[str, ...]


def find(
    places: Sequence[OffersOfType],
    offers: Mapping[int, Offer],
    tree: t.Node,
    preference: Preference,
    policies: Policies,
    now: int,
    evaluated: Mapping[int, Offer],
) -> Found:
    """Return the offers that match, of those of some service types.

    `evaluated` has those whose dynamic properties have values; no index knows these.
    """
    limits: list[str] = []
    last = last_searched(places, policies.search_card)
    if last is not None:
        limits.append("search_card")
    ranges, predicate = ranges_of(tree), to_python(tree)
    matching: list[Offer] = []
    candidates: list[Iterable[int]] = [place.candidates(ranges) for place in places]
    if evaluated:
        candidates.append(sorted(evaluated))
    before = None
    for at in candidates[0] if len(candidates) == 1 else merge(*candidates):
        if last is not None and at > last:
            break
        if at == before:
            continue
        before = at
        offer = evaluated.get(at) or offers[at]
        if predicate(offer.fields) is True:
            if len(matching) >= policies.match_card:
                limits.append("match_card")
                break
            matching.append(offer)
    if preference.order is not None:
        matching = preference.order(matching, now)
    if len(matching) > policies.return_card:
        limits.append("return_card")
        del matching[policies.return_card :]
    return Found(matching, tuple(limits))


def last_searched(places: Sequence[OffersOfType], most: int) -> int | None:
    """Return the number of the last offer that is searched; None if all are."""
    if sum(len(place.numbers) for place in places) <= most:
        return None
    if not most:
        return 0
    low, high = 0, max(place.numbers[-1] for place in places if place.numbers)
    while low < high:
        middle = (low + high) // 2
        if sum(bisect_right(place.numbers, middle) for place in places) < most:
            low = middle + 1
        else:
            high = middle
    return low


def after(places: Iterable[OffersOfType], number: int, most: int) -> list[int]:
    """Return the numbers of the first offers behind one."""
    rests = (islice(p.numbers, bisect_right(p.numbers, number), None) for p in places)
    return list(islice(merge(*rests), most))


def may_change(tree: t.Node, properties: Mapping[str, PropertyDef]) -> bool:
    """Whether something that an expression reads could change in an offer of a type."""
    names = {str(path.root) for path in t.paths_of(tree)}
    return any(name not in properties or not properties[name].mode.readonly for name in names)


def names_read(*trees: t.Node) -> set[str]:
    """Return the properties that expressions read."""
    return {str(path.root) for tree in trees for path in t.paths_of(tree)}


def checked_desired(names: Sequence[str]) -> frozenset[str]:
    """Return the properties to return, or raise an error if a name is wrong or there twice."""
    found: set[str] = set()
    for name in names:
        checked_property_name(name)
        if name in found:
            raise refusal(DuplicatePropertyName, f"property {name} is named twice", name=name)
        found.add(name)
    return frozenset(found)
