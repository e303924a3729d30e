"""The trader answers as a plain loop over all offers does, whatever happened before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings

from tests.laws.filter_reference import Failure, _number, _value, answer
from tests.laws.filter_strategies import sources
from tidings.cores import Keep
from tidings.errors import InvalidConstraint, TidingsError, UnknownOfferId
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.fields import COMPOSITE, Char, Fields, Plain
from tidings.events.paths import MISSING, Path
from tidings.filters import tree as t
from tidings.filters.dialects import trader as language
from tidings.trader import requests as r
from tidings.trader.core import Trader
from tidings.trader.model import FollowOption, PropertyDef, PropertyMode

NAMES: Final = ("cost", "in", "default", "TRUE", "x")
REFERENCE: Final = "corbaloc::192.0.2.9:2809/printer"
# Each value of a property with what constraints see of it.
VALUES: Final[list[tuple[Any, Plain]]] = [
    *((one, one) for one in (0, 1, 2, 97, 2**53, 2**53 + 1, -3, 1.0, 1.5, -0.0, 2.0**53)),
    *((one, one) for one in (math.nan, math.inf, -math.inf, True, False)),
    *((one, one) for one in ("", "a", "b", "ab", "Ω", "\U0001f514")),
    *((AnyValue(tc.CHAR, one), Char(one)) for one in "ab"),
    (AnyValue(tc.ULONGLONG, 2**64 - 1), 2**64 - 1),
    (AnyValue(tc.fixed(3, 1), Decimal("1.5")), Decimal("1.5")),
    (AnyValue(tc.enum("IDL:E:1.0", "E", ["a", "b"]), "a"), COMPOSITE),
    (("a", "ab"), ("a", "ab")),
    ((1, 2), (1, 2)),
    ({"a": 1}, COMPOSITE),
    (None, COMPOSITE),
]
LITERALS: Final = (
    *(t.Integer(one) for one in (0, 1, 2, 97, 2**53, 2**53 + 1, -3)),
    *(t.Real(one) for one in (1.0, 1.5, 2.0**53)),
    *(t.Text(one) for one in ("", "a", "b", "ab", "Ω")),
    *(t.Boolean(one) for one in (True, False)),
)
_OFTEN: Final = 4
# Each type with its super types.
TYPES: Final = {
    "Top": (),
    "Left": ("Top",),
    "Right": ("Top",),
    "Low": ("Left", "Right"),
    "Alone": (),
}


class Seen(Fields):
    """An offer's properties, as the language sees them."""

    def resolve(self, path: Path) -> Plain:
        return MISSING


class TreeMaker:
    """Constraints that an index can use a part of, and that often match."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def tree(self, depth: int = 2) -> t.Node:
        rng = self.rng
        chance = rng.random()
        if depth and chance < 0.15:
            field, ends = t.Component(Path(rng.choice(NAMES))), rng.choices(LITERALS[:_OFTEN], k=2)
            low, high = rng.choice((t.Greater, t.GreaterEqual)), rng.choice((t.Less, t.LessEqual))
            return t.And((low(field, ends[0]), high(field, ends[1])))
        if depth and chance < 0.45:
            return t.And(tuple(self.tree(depth - 1) for _ in range(rng.randint(2, 3))))
        if depth and chance < 0.6:
            return t.Or(tuple(self.tree(depth - 1) for _ in range(2)))
        if depth and chance < 0.68:
            return t.Not(self.tree(depth - 1))
        return self.test()

    def test(self) -> t.Node:
        rng, path = self.rng, Path(self.rng.choice(NAMES))
        chance = rng.random()
        if chance < 0.05:
            return t.Component(path)
        if chance < 0.1:
            return t.Exist(path)
        if chance < 0.15:
            return t.In(rng.choice(LITERALS), path)
        if chance < 0.2:
            return t.Contains(t.Text("a"), t.Component(path))
        kind: Any = rng.choice([t.Equal, t.Equal, *t.COMPARISONS.values()])
        left: t.Node = t.Component(path)
        if chance < 0.27:
            left = rng.choice(list(t.ARITHMETIC.values()))(left, rng.choice(LITERALS))
        sides = (left, rng.choice(LITERALS))
        made: t.Node = kind(*sides) if rng.random() < 0.8 else kind(*sides[::-1])
        return made


def written(tree: t.Node) -> str | None:
    """The text of a tree; None if the parser sees from its literals that it is wrong."""
    text = language.write(tree)
    try:
        assert language.read(text) == tree, text
    except InvalidConstraint:
        return None
    return text


class World:
    """A trader, what it has kept, and the offers as a plain list."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.trader = Trader()
        self.kept: dict[str, Any] = {}
        self.told: dict[str, r.OfferState] = {}
        self.offers: list[tuple[str, str, Seen]] = []
        self.now = 0
        for name, above in TYPES.items():
            self.ask(r.AddServiceType(name, "", (), above))

    def ask(self, command: Any) -> Any:
        """Runs a command; its answer, or its error is raised."""
        [found], effects = self.trader.handle_many([command], self.now)
        for effect in effects:
            if isinstance(effect, r.OffersChanged):
                for change in effect.changes:
                    self.tell(change)
                continue
            assert isinstance(effect, Keep)
            if effect.state is None:
                self.kept.pop(effect.key)
            else:
                self.kept[effect.key] = effect.state
        if isinstance(found, TidingsError):
            raise found
        return found

    def tell(self, change: r.OfferChange) -> None:
        """Takes in what the trader tells of a change."""
        before, after = change.before, change.after
        if before is not None:
            known = self.told.pop(before.id)
            assert repr(known.properties) == repr(before.properties)
        if after is not None:
            self.told[after.id] = after
        if before is not None and after is not None and before.id == after.id:
            left = {k: v for k, v in before.properties.items() if k not in change.deleted}
            assert repr(after.properties) == repr(left | dict(change.modified))
            assert all(repr(before.properties[k]) == repr(v) for k, v in change.deleted.items())

    def properties(self) -> tuple[dict[str, Any], dict[Path, Plain]]:
        rng = self.rng
        # Few values are drawn often, so that constraints meet them.
        some = [VALUES, VALUES[:_OFTEN]]
        drawn = {name: rng.choice(rng.choice(some)) for name in NAMES if rng.random() < 0.7}
        return (
            {name: one[0] for name, one in drawn.items()},
            {Path(name): one[1] for name, one in drawn.items()},
        )

    def step(self) -> None:
        """Changes something."""
        rng = self.rng
        chance = rng.random()
        if chance < 0.7 or not self.offers:
            given_, seen = self.properties()
            type_ = rng.choice(list(TYPES))
            id = self.ask(r.ExportOffer(type_, REFERENCE, given_))
            self.offers.append((id, type_, Seen(seen)))
            return
        at = rng.randrange(len(self.offers))
        id, type_, before = self.offers[at]
        if chance < 0.85:
            given_, seen = self.properties()
            gone = [p for p in before if p not in seen and rng.random() < 0.5]
            self.ask(r.ModifyOffer(id, [str(p.root) for p in gone], given_))
            left = {path: value for path, value in before.items() if path not in gone}
            self.offers[at] = (id, type_, Seen({**left, **seen}))
        elif chance < 0.9:
            self.ask(r.WithdrawOffer(id))
            del self.offers[at]
        else:
            self.transaction(at)

    def transaction(self, at: int) -> None:
        """Replaces an offer and exports another one, or does neither since a third step fails."""
        (old, seen), (other, more) = self.properties(), self.properties()
        steps = [
            r.OfferStep(r.OfferAction.REPLACE, self.offers[at][0], "Low", REFERENCE, old),
            r.OfferStep(r.OfferAction.EXPORT, "", "Alone", REFERENCE, other),
        ]
        wrong = [r.OfferStep(r.OfferAction.WITHDRAW, one[0]) for one in self.offers]
        with pytest.raises(UnknownOfferId, match=f"step {len(wrong) + 2} of"):
            self.ask(r.ChangeOffers([steps[1], *wrong, steps[0]]))
        first, second = self.ask(r.ChangeOffers(steps))
        del self.offers[at]
        self.offers += [(first, "Low", Seen(seen)), (second, "Alone", Seen(more))]

    def query(self) -> r.QueryOffers:
        rng = self.rng
        text = None
        while text is None:
            text = written(TreeMaker(rng).tree())
        policies: dict[str, Any] = {"exact_type_match": rng.random() < 0.3}
        for name in ("search_card", "match_card", "return_card"):
            if rng.random() < 0.3:
                policies[name] = rng.randrange(12)
        words = (
            "",
            "first",
            "max cost",
            "min x + 1",
            "max cost / x",
            "with cost > 1",
            "with exist x",
        )
        return r.QueryOffers(rng.choice(list(TYPES)), text, rng.choice(words), policies)

    def expected(self, asked: r.QueryOffers) -> tuple[list[str], set[str]]:
        """What a plain loop finds, and the policies that cut something off."""
        policies: Any = asked.policies
        types = {asked.type} if policies["exact_type_match"] else set(_below(asked.type))
        found = [one for one in self.offers if one[1] in types]
        limits = set()

        def cut(name: str) -> None:
            if len(found) > policies.get(name, 10_000):
                limits.add(name)
                del found[policies[name] :]

        cut("search_card")
        tree = language.read(asked.constraint)
        found = [one for one in found if answer(tree, one[2]) is True]
        cut("match_card")
        found = _ordered(asked.preference, found)
        cut("return_card")
        return [one[0] for one in found], limits


def _below(name: str) -> Iterator[str]:
    yield name
    for other, above in TYPES.items():
        if name in above:
            yield from _below(other)


def _ordered(preference: str, found: list[tuple[str, str, Seen]]) -> list[tuple[str, str, Seen]]:
    word, _, rest = preference.partition(" ")
    if not rest:
        return found
    tree = language.read_expression(rest).node
    if word == "with":
        return sorted(found, key=lambda one: (True, False, None).index(answer(tree, one[2])))

    def place(one: tuple[str, str, Seen]) -> tuple[bool, Any]:
        try:
            value = _number(_value(tree, one[2]))
        except Failure:
            return True, 0
        if math.isnan(value):
            return True, 0
        return False, -value if word == "max" else value

    return sorted(found, key=place)


def _ids(found: r.QueryAnswer) -> list[str]:
    return [one.id for one in found.offers]


@settings(max_examples=150)
@given(sources())
def test_an_indexed_query_answers_as_a_full_scan(rng: Random) -> None:
    world = World(rng)
    for _ in range(rng.randint(1, 40)):
        world.step()
    for _ in range(6):
        asked = world.query()
        found, (ids, limits) = world.ask(asked), world.expected(asked)
        assert (_ids(found), set(found.limits)) == (ids, limits), asked


@settings(max_examples=40)
@given(sources())
def test_what_a_trader_tells_adds_up_to_its_offers(rng: Random) -> None:
    world = World(rng)
    for _ in range(rng.randint(1, 40)):
        world.step()
    offers = world.ask(r.SeeOffers(0, 1_000))
    seen = [r.OfferState(one.id, world.ask(r.SeeFullServiceType(one.type)), one.reference,
                         one.properties) for one in offers]  # fmt: skip
    assert sorted(map(repr, world.told.values())) == sorted(map(repr, seen))


@settings(max_examples=100)
@given(sources())
def test_a_constraint_is_read_as_it_was_written(rng: Random) -> None:
    tree = TreeMaker(rng).tree(3)
    text = written(tree)
    if text is not None:
        assert "$" not in text
        assert language.write(language.read(text)) == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("", "TRUE"),
        ("cost<20and'duplex'in features", "cost < 20 and 'duplex' in features"),
        ("not exist default", "not exist \\default"),
        ("\\in == 1 or (exist \\in)", "\\in == 1 or exist \\in"),
        ("5 < cost AND true", "5 < cost and TRUE"),
        ("max + min > first", "max + min > first"),
    ],
)
def test_other_ways_to_write_it(text: str, same: str) -> None:
    assert language.write(language.read(text)) == same


@settings(max_examples=40)
@given(sources())
def test_a_trader_that_is_restored_is_as_it_was(rng: Random) -> None:
    world = World(rng)
    for _ in range(rng.randint(1, 25)):
        world.step()
    if rng.random() < 0.5:
        world.ask(r.AddLink("campus", REFERENCE, FollowOption.LOCAL_ONLY, FollowOption.ALWAYS))
        world.ask(r.SetTraderSettings(max_list=7, def_search_card=9))
    if rng.random() < 0.5:
        properties = (PropertyDef("cost", tc.sequence(tc.SHORT), PropertyMode.READONLY),)
        world.ask(r.AddServiceType("New", "IDL:x:1.0", properties, ("Low",)))
        world.ask(r.MaskServiceType("Alone"))
        world.ask(r.RemoveServiceType("New"))
    if rng.random() < 0.5 and world.offers:
        world.ask(r.WithdrawOffer(world.offers[-1][0]))
        del world.offers[-1]
    asked = [
        *(world.query() for _ in range(3)), r.SeeOffers(), r.SeeServiceTypes(), r.SeeLinks(),
        r.SeeTraderSettings(), r.AddServiceType("Later"), r.ExportOffer("Later", REFERENCE),
    ]  # fmt: skip
    again = [Trader(), Trader()]
    written_down = msgspec.msgpack.encode([world.kept, dict(world.trader.snapshot())])
    for one, states in zip(again, msgspec.msgpack.decode(written_down), strict=True):
        assert not one.restore(states)
    before = world.trader.handle_many(asked, 5)
    for one in again:
        assert repr(one.handle_many(asked, 5)) == repr(before)


@settings(max_examples=30)
@given(sources())
def test_nothing_is_left_of_offers_that_are_gone(rng: Random) -> None:
    world = World(rng)
    for _ in range(20):
        world.step()
    for id, _, _ in world.offers:
        world.ask(r.WithdrawOffer(id))
    assert not world.trader._by_type
    assert not world.trader._offers
    assert not [key for key in world.kept if key.startswith("offer")]
