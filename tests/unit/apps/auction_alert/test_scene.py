from __future__ import annotations

import pytest

from tidings.apps.auction_alert.scene import (
    BIDDERS,
    DOMAIN,
    HOUSES,
    Habit,
    Scene,
    closing,
    wants,
)
from tidings.clock import to_timebase
from tidings.events.fields import fields_of
from tidings.events.structured import UTC_T
from tidings.filters.check import check
from tidings.filters.to_python import to_python

BEGINS = 1_794_700_000_000_000
SEEDS = range(5)


def scene(seed: int) -> Scene:
    return Scene(seed, BEGINS)


def test_the_same_seed_gives_the_same_offers_and_another_others() -> None:
    for house in HOUSES:
        assert scene(1).offers(house) == scene(1).offers(house)
        assert scene(1).offers(house) != scene(2).offers(house)
    assert len({scene(seed).killed_after for seed in range(20)}) > 10


def test_an_offer_is_what_the_scenario_says() -> None:
    for house in HOUSES:
        offers = scene(1).offers(house)
        assert {one.type for one in offers} == set(house.categories)
        for one in offers:
            assert (one.domain, one.name) == (DOMAIN, "offer")
            assert list(one.data) == ["item", "category", "start_price", "closes", "seller"]
            assert (one.data["category"], one.data["seller"]) == (one.type, house.name)
            assert isinstance(one.data["start_price"], float)
            closes, stop = one.data["closes"], one.header["StopTime"]
            assert closes == stop
            assert stop.type == UTC_T  # type: ignore[union-attr]
            assert stop.value[0] == to_timebase(closing(one))  # type: ignore[union-attr,index]


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_gets_something_and_nobody_everything(seed: int) -> None:
    offers = [one for house in HOUSES for one in scene(seed).offers(house)]
    assert len(offers) == scene(seed).total
    for bidder in BIDDERS:
        assert 5 < sum(wants(bidder, one) for one in offers) < scene(seed).total * 3 // 4
    assert any("Priority" in one.header for one in offers)


@pytest.mark.parametrize("seed", SEEDS)
def test_only_who_is_away_wants_what_closes_soon(seed: int) -> None:
    made = scene(seed)
    soon = [
        one
        for house in HOUSES
        for one in made.offers(house)
        if closing(one) <= made.last_call_closed
    ]
    assert soon
    for one in soon:
        assert closing(one) > BEGINS
        assert [bidder.habit for bidder in BIDDERS if wants(bidder, one)] == [Habit.AWAY]
    assert all(
        closing(one) > BEGINS + 3_600_000_000
        for house in HOUSES
        for one in made.offers(house)
        if one not in soon
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_kill_is_in_the_middle(seed: int) -> None:
    made = scene(seed)
    assert 0 < made.killed_after < made.before_kill * len(HOUSES) < made.total


def test_there_is_a_bidder_of_every_habit_and_priorities_where_they_belong() -> None:
    assert {bidder.habit for bidder in BIDDERS} == set(Habit)
    for bidder in BIDDERS:
        assert bool(bidder.priorities) is (bidder.habit is Habit.BY_PRIORITY)


def test_priorities_are_those_of_the_best_constraint_that_matches() -> None:
    (bidder,) = [one for one in BIDDERS if one.priorities]
    offers = [fields_of(one) for house in HOUSES for one in scene(1).offers(house)]
    given = [bidder.priority(fields) for fields in offers]
    assert set(given) == {0, *(one.value for one in bidder.priorities)}
    for fields, priority in zip(offers, given, strict=True):
        matching = [m.value for m in bidder.priorities if m.constraint.matches(fields)]
        assert priority == max(matching, default=0)  # type: ignore[type-var]
    assert {BIDDERS[0].priority(fields) for fields in offers} == {0}


def test_the_constraints_are_good_examples() -> None:
    for bidder in BIDDERS:
        for asked in bidder.wanted:
            assert check(asked.text).cautions == ()
            assert asked.event_types


def test_the_acceptance_constraint_is_there() -> None:
    ada = BIDDERS[0].wanted[0]
    assert ada.text == "$category == 'books' and $start_price < 20"
    books = [one for house in HOUSES for one in scene(1).offers(house)]
    expected = [one for one in books if one.type == "books" and one.data["start_price"] < 20]  # type: ignore[operator]
    assert [one for one in books if to_python(ada.tree)(fields_of(one))] == expected
    assert [one for one in books if wants(BIDDERS[0], one)] == expected
