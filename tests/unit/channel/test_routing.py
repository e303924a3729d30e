"""The router finds who gets an event, and forgets who is gone; its law is in tests/property."""

from __future__ import annotations

from itertools import product

import pytest

from tests.unit.channel.machine import Machine, named
from tidings.channel.management import (
    AddFilter,
    CreateFilter,
    DestroyAdmin,
    Disconnect,
    RemoveAllFilters,
    SubscriptionChange,
)
from tidings.channel.routing import NOTHING, Router, constraints_of
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Operator, Place, Side
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.plan import PlanOptions, Rule

ASKED = {"none": None, "passes": "$a == 1", "stops": "$a == 2"}
SPEED, JAM = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
ONE, TWO = constraint("$a == 1"), constraint("$a == 2")
STRICT, OPEN = PlanOptions(empty_filter_passes=False), PlanOptions()


def expected(operator: Operator, admin: str, proxy: str, neutral: bool) -> bool:
    """Table 6.3."""
    said = [one == "passes" for one in (admin, proxy) if one != "none"]
    if operator is Operator.AND:
        return all(said)
    if len(said) == 1 and not neutral:
        return True
    return any(said) or not said


@pytest.mark.parametrize("neutral", [True, False])
@pytest.mark.parametrize(("admin", "proxy"), list(product(ASKED, repeat=2)))
@pytest.mark.parametrize("operator", list(Operator))
def test_table_6_3(operator: Operator, admin: str, proxy: str, neutral: bool) -> None:
    machine = Machine(Settings(empty_group_is_neutral=neutral))
    id = machine.new_admin(operator)
    consumer = machine.new_consumer(admin=id)
    for place, asked in (
        (Place(machine.channel, Side.CONSUMER, id), ASKED[admin]),
        (Place(machine.channel, proxy=consumer), ASKED[proxy]),
    ):
        if asked is not None:
            machine.filtered(place, asked)
    machine.push(named("one", data={"a": 1}))
    passes = expected(operator, admin, proxy, neutral)
    assert machine.delivered(consumer) == ([1] if passes else [])


@pytest.mark.parametrize(("admin", "proxy"), list(product([None, SPEED, JAM], repeat=2)))
@pytest.mark.parametrize("operator", list(Operator))
def test_lists_of_admin_and_proxy_both_apply(
    operator: Operator, admin: EventTypePattern | None, proxy: EventTypePattern | None
) -> None:
    machine = Machine()
    id = machine.new_admin(operator)
    consumer = machine.new_consumer(admin=id)
    above, below = Place(machine.channel, Side.CONSUMER, id), Place(machine.channel, proxy=consumer)
    for place, asked in ((above, admin), (below, proxy)):
        machine.do(SubscriptionChange(place, [] if asked is None else [asked]))
    machine.push("one")
    assert machine.delivered(consumer) == ([] if JAM in (admin, proxy) else [1])


def test_under_or_a_matching_admin_does_not_go_past_lists() -> None:
    machine = Machine()
    id = machine.new_admin(Operator.OR)
    listed, free = machine.new_consumer(admin=id), machine.new_consumer(admin=id)
    machine.filtered(Place(machine.channel, Side.CONSUMER, id), "TRUE")
    for consumer in (listed, free):
        machine.filtered(Place(machine.channel, proxy=consumer), "FALSE")
    machine.do(SubscriptionChange(Place(machine.channel, proxy=listed), [JAM]))
    machine.push("one")
    assert (machine.delivered(listed), machine.delivered(free)) == ([], [1])


def test_who_asks_for_everything_and_matches_twice_gets_it_once() -> None:
    machine = Machine()
    id = machine.new_admin(Operator.OR)
    consumer = machine.new_consumer(admin=id, window=9)
    for place in (
        Place(machine.channel, Side.CONSUMER, id),
        Place(machine.channel, proxy=consumer),
    ):
        for text in ("TRUE", "$a == 1"):
            machine.filtered(place, text)
    machine.push(named("one", data={"a": 1}))
    assert machine.delivered(consumer) == [1]


def test_only_connected_consumers_are_found() -> None:
    machine = Machine()
    waiting = machine.new_consumer(connect=False)
    machine.filtered(Place(machine.channel, proxy=waiting), "TRUE")
    assert machine.core_channel.router.match(fields_of(named("one"), 0)) == []
    gone = machine.new_consumer()
    machine.do(Disconnect(machine.channel, gone))
    assert machine.core_channel.router.match(fields_of(named("one"), 0)) == []


def test_a_router_from_which_all_is_removed_is_as_a_new_one() -> None:
    machine = Machine(Settings(empty_group_is_neutral=False))
    for operator in Operator:
        id = machine.new_admin(operator)
        place = Place(machine.channel, Side.CONSUMER, id)
        for text in (None, "$a == 1"):
            consumer = machine.new_consumer(admin=id)
            if text:
                machine.filtered(Place(machine.channel, proxy=consumer), text)
            machine.do(SubscriptionChange(Place(machine.channel, proxy=consumer), [SPEED]))
        machine.filtered(place, "$a == 2")
        machine.do(SubscriptionChange(place, [SPEED]))
        machine.do(DestroyAdmin(machine.channel, Side.CONSUMER, id))
    machine.do(DestroyAdmin(machine.channel, Side.CONSUMER, 0))
    router = machine.core_channel.router
    [admin] = machine.core_channel.admins[Side.CONSUMER].values()
    assert router.match(fields_of(named("one"), 0)) == []
    left = {name: value for name, value in vars(router).items() if name != "_index"}
    new = {**vars(Router()), "_admins": {admin: None}, "_always": []}
    assert left == {name: value for name, value in new.items() if name != "_index"}
    assert len(router._index) == 0


def test_filters_taken_off_ask_for_nothing_any_more() -> None:
    machine = Machine()
    consumer = machine.new_consumer(window=9)
    place = Place(machine.channel, proxy=consumer)
    machine.filtered(place, "FALSE")
    machine.push("one")
    assert machine.delivered(consumer) == []
    machine.do(RemoveAllFilters(place))
    machine.push("two")
    assert machine.delivered(consumer) == [2]


def test_two_filters_of_one_object_are_joined_by_or() -> None:
    machine = Machine()
    consumer = machine.new_consumer(window=9)
    place = Place(machine.channel, proxy=consumer)
    for text in ("$a == 1", "$a == 2"):
        filter_id, _ = machine.do(CreateFilter([constraint(text)]))
        machine.do(AddFilter(place, filter_id))
    machine.push(*(event("T", "S", data={"a": number}) for number in (1, 2, 3)))
    assert machine.delivered(consumer) == [1, 2]


@pytest.mark.parametrize(
    ("rule", "options", "asked"),
    [
        (Rule(), OPEN, None),
        (Rule(types=(SPEED,)), OPEN, None),
        (Rule(((ONE,), (TWO,))), OPEN, [ONE, TWO]),
        (Rule(((ONE,), ())), OPEN, ()),
        (Rule(((ONE,), ())), STRICT, [ONE]),
        (Rule(((),)), OPEN, ()),
        (Rule(((),)), STRICT, (NOTHING,)),
    ],
)
def test_what_a_group_of_filters_asks_for(rule: Rule, options: PlanOptions, asked: object) -> None:
    assert constraints_of(rule, options) == asked
