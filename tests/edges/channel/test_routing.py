"""Rules, the plan, and the types that are offered and wanted; the router's law is in tests/laws."""

from __future__ import annotations

from fnmatch import translate
from itertools import product
from re import fullmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.channel.machine import SECOND, Machine, named
from tidings.channel import management as m
from tidings.channel.commands import ClockSet
from tidings.channel.effects import PlanChanged, TellOffers
from tidings.channel.offers import (
    ALL_TYPES,
    TypeChange,
    TypeList,
    TypeRegistry,
    offered,
    overlap,
    wanted_by,
)
from tidings.channel.routing import NOTHING, constraints_of
from tidings.channel.settings import Settings
from tidings.channel.views import Advertisement
from tidings.channel.vocabulary import InfoMode, Place, Side, Style
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.plan import Plan, PlanOptions, Rule

SPEED, JAM = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
TRAFFIC, WEATHER = EventTypePattern("Traffic", "*"), EventTypePattern("Weather", "*")
NONE = frozenset[EventTypePattern]()
ONE, TWO = constraint("$a == 1", [SPEED]), constraint("$a == 2", [JAM])
STRICT, OPEN = PlanOptions(empty_filter_passes=False), PlanOptions()


@pytest.mark.parametrize(
    ("rule", "options", "asked"),
    [
        *((Rule(), OPEN, None), (Rule(types=(SPEED,)), OPEN, None)),
        *((Rule(((ONE,), (TWO,))), OPEN, [ONE, TWO]), (Rule(((ONE,), ())), OPEN, ())),
        *((Rule(((ONE,), ())), STRICT, [ONE]), (Rule(((),)), OPEN, ())),
        (Rule(((),)), STRICT, (NOTHING,)),
    ],
)
def test_what_a_group_of_filters_asks_for(rule: Rule, options: PlanOptions, asked: object) -> None:
    assert constraints_of(rule, options) == asked


def test_a_fence_that_nobody_is_behind_leaves_no_trace() -> None:
    machine = Machine()
    channel = machine.factory.channel(machine.channel)
    version, proxies = channel.plan.version, [machine.new_consumer() for _ in range(3)]
    for fence in ((ONE,), (ONE, TWO), ()):
        made = channel.plan.version
        machine.do(m.Confine(machine.channel, [*proxies, 99], fence))
        assert channel.plan.version == made + 1  # one for all of them
        assert len(channel.router._index) == bool(fence)
        machine.do(m.Confine(machine.channel, proxies, fence))
        assert channel.plan.version == made + 1
    machine.do(m.Confine(machine.channel, proxies, (ONE,)))
    for proxy in proxies:
        machine.do(m.Disconnect(machine.channel, proxy))
    assert not len(channel.router._index)
    assert not channel.router._fences
    assert version < channel.plan.version


def test_every_change_is_told_and_makes_the_same_plan_elsewhere() -> None:
    machine = Machine(Settings(empty_filter_passes=False))
    proxy = machine.new_consumer()
    filter_id = machine.filtered(Place(machine.channel, proxy=proxy), "$a == 1")
    machine.do(m.AddConstraints(filter_id, [TWO]))
    machine.do(m.Disconnect(machine.channel, proxy))
    plan, versions = Plan(), []
    for effect in machine.everything:
        if isinstance(effect, PlanChanged):
            plan = plan.apply(effect.change)
            versions.append(plan.version)
    assert versions == list(range(1, len(versions) + 1))
    assert plan == machine.core_channel.plan
    assert not plan.options.empty_filter_passes


def test_who_is_not_connected_stands_in_no_plan() -> None:
    machine = Machine()
    proxy = machine.new_consumer(connect=False)
    machine.filtered(Place(machine.channel, proxy=proxy), "FALSE")
    assert proxy not in machine.core_channel.plan.proxies
    assert proxy not in machine.core_channel.wants.owners()
    machine.do(m.Connect(machine.channel, proxy))
    assert machine.core_channel.plan.proxies[proxy].rule.filters
    machine.push("one")
    assert machine.delivered(proxy) == []


def test_a_supplier_is_judged_only_where_there_are_filters() -> None:
    machine = Machine()
    proxy = machine.core_channel.supplier(machine.supplier)
    above = Place(machine.channel, Side.SUPPLIER, 0)
    assert not proxy.judged
    for place in (above, Place(machine.channel, proxy=proxy.id)):
        machine.filtered(place, "$a == 1")
        assert proxy.judged
        assert machine.push("one", named("two", data={"a": 1}))[0] == 0
        machine.do(m.RemoveAllFilters(place))
        assert not proxy.judged
    later = machine.do(m.ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH))
    machine.filtered(above, "FALSE")
    machine.do(m.Connect(machine.channel, later))
    assert machine.core_channel.supplier(later).judged


def test_filters_see_the_time_of_the_wall() -> None:
    machine = Machine()
    machine.do(ClockSet(1_000 * SECOND))
    since_1970 = 122_192_928_000_000_000  # in the units and from the day that CORBA has
    wall = f"$curtime.time == {since_1970 + 10_000 * SECOND}"
    machine.filtered(Place(machine.channel, proxy=machine.supplier), wall)
    assert machine.push("one") == [1]


# Types that are offered and wanted.


def test_a_consumer_wants_what_its_filters_and_lists_name() -> None:
    machine = Machine()
    proxy, wanted = machine.new_consumer(), machine.core_channel.wants.owners()
    assert wanted[proxy] == {ALL_TYPES}
    filter_id, _ = machine.do(m.CreateFilter([ONE]))
    machine.do(m.AddFilter(Place(machine.channel, proxy=proxy), filter_id))
    assert wanted[proxy] == {SPEED}
    machine.do(m.SubscriptionChange(Place(machine.channel, Side.CONSUMER, 0), [JAM]))
    assert wanted[proxy] == {SPEED, JAM}
    machine.do(m.AddConstraints(filter_id, [constraint("$b == 1")]))
    assert wanted[proxy] == {ALL_TYPES}
    machine.do(m.Disconnect(machine.channel, proxy))
    assert proxy not in wanted


@pytest.mark.parametrize("passes", [True, False])
def test_an_empty_filter_that_lets_all_pass_wants_all(passes: bool) -> None:
    machine = Machine(Settings(empty_filter_passes=passes))
    proxy = machine.new_consumer()
    for asked in ([ONE], []):
        filter_id, _ = machine.do(m.CreateFilter(asked))
        machine.do(m.AddFilter(Place(machine.channel, proxy=proxy), filter_id))
    assert machine.core_channel.wants.owners()[proxy] == ({ALL_TYPES} if passes else {SPEED})


@pytest.mark.parametrize("mode", list(InfoMode))
def test_what_is_offered_can_be_asked_and_heard(mode: InfoMode) -> None:
    machine = Machine()
    proxy, supplier = machine.new_consumer(), Place(machine.channel, proxy=machine.supplier)
    machine.do(m.OfferChange(supplier, [SPEED]))
    types = machine.do(m.ObtainTypes(machine.channel, proxy, mode))
    assert types == ((SPEED,) if mode.name.startswith("ALL_NOW") else ())
    machine.do(m.OfferChange(supplier, [JAM]))
    assert bool(machine.of(TellOffers)) is mode.name.endswith("_ON")


def test_only_the_first_and_the_last_owner_of_a_type_change_the_union() -> None:
    registry = TypeRegistry[int]()
    assert registry.replace(1, [SPEED, JAM]) == TypeChange((JAM, SPEED), ())
    assert registry.replace(2, [SPEED]) == TypeChange()
    assert registry.replace(1, [TRAFFIC]) == TypeChange((TRAFFIC,), (JAM,))
    assert registry.types() == (TRAFFIC, SPEED)
    assert registry.withdraw(2) == TypeChange((), (SPEED,))
    assert registry.types() == (TRAFFIC,)
    assert registry.owners() == {1: {TRAFFIC}}


ALL_FORMS = [
    EventTypePattern(domain, type_)
    for domain, type_ in product(["", "*", "**"], ["", "*", "**", "%ALL"])
    if not (domain == "**" and type_ == "%ALL")
]


@pytest.mark.parametrize("form", ALL_FORMS, ids=str)
def test_all_types_have_one_form(form: EventTypePattern) -> None:
    registry = TypeRegistry[int]()
    registry.replace(1, [form])
    assert registry.types() == (ALL_TYPES,)
    assert registry.owners()[1] == {ALL_TYPES}
    assert not registry.replace(2, [ALL_TYPES])
    assert TypeList(frozenset({SPEED, form})) == TypeList()
    assert wanted_by(frozenset({form, SPEED}), TypeList(), NONE, TypeList()) == {ALL_TYPES}
    assert offered(frozenset({ALL_TYPES}), [SPEED], [form]) == {SPEED}


TYPE_SETS = st.frozensets(
    st.sampled_from([SPEED, JAM, TRAFFIC, EventTypePattern("", "Speed"), *ALL_FORMS[:3]])
)


@given(st.lists(st.tuples(st.integers(0, 3), TYPE_SETS), max_size=12))
def test_the_changes_add_up_to_the_union(
    steps: list[tuple[int, frozenset[EventTypePattern]]],
) -> None:
    registry = TypeRegistry[int]()
    told = set[EventTypePattern]()
    for owner, types in steps:
        change = registry.replace(owner, types)
        assert told.isdisjoint(change.added)
        assert told.issuperset(change.removed)
        told = (told | set(change.added)) - set(change.removed)
        assert list(change.added) == sorted(change.added)
        assert list(change.removed) == sorted(change.removed)
        assert registry.types() == tuple(sorted(told))
        assert told == NONE.union(*registry.owners().values())


def test_patterns_that_repeat_do_not_make_it_slow() -> None:
    one = EventTypePattern("x*" + "a*" * 500 + "b", "T")
    assert not overlap(one, EventTypePattern("xa*" + "b*" * 500 + "a", "T"))


SHORT_TEXTS = ["".join(letters) for size in range(9) for letters in product("ab", repeat=size)]


@given(st.text("ab*", min_size=1, max_size=4), st.text("ab*", min_size=1, max_size=4))
def test_patterns_overlap_when_some_text_fits_both(one: str, two: str) -> None:
    expected = any(
        fullmatch(translate(one), text) and fullmatch(translate(two), text) for text in SHORT_TEXTS
    )
    assert overlap(EventTypePattern("D", one), EventTypePattern("D", two)) == expected
    assert overlap(EventTypePattern(one, "T"), EventTypePattern(two, "T")) == expected


PATTERNS = st.builds(EventTypePattern, st.text("ab*", max_size=6), st.text("ab*", max_size=6))


@given(PATTERNS, PATTERNS, st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_what_both_match_overlaps_and_the_order_does_not_matter(
    one: EventTypePattern, two: EventTypePattern, domain: str, type_: str
) -> None:
    assert overlap(one, two) == overlap(two, one)
    assert overlap(one, one)
    if one.matches(domain, type_) and two.matches(domain, type_):
        assert overlap(one, two)


def test_what_is_removed_and_added_at_once_is_in() -> None:
    assert TypeList(frozenset({SPEED, JAM})).changed([SPEED], [SPEED, JAM]).types == {SPEED}
    assert offered(frozenset({SPEED}), [SPEED], [SPEED]) == {SPEED}


def test_a_proxy_wants_what_its_filters_and_lists_name_and_else_all() -> None:
    no_list, speed = TypeList(), frozenset({SPEED})
    assert wanted_by(NONE, no_list, NONE, no_list) == {ALL_TYPES}
    assert wanted_by(speed, no_list, NONE, no_list) == {SPEED}
    assert wanted_by(NONE, TypeList(speed), NONE, no_list) == {SPEED}
    assert wanted_by(NONE, no_list, speed, no_list) == {SPEED}
    assert wanted_by(NONE, no_list, NONE, TypeList(speed)) == {SPEED}
    admin = TypeList(frozenset({TRAFFIC}))
    assert wanted_by(speed, TypeList(frozenset({JAM})), NONE, admin) == {SPEED, JAM, TRAFFIC}


def test_who_offers_and_who_wants_a_type() -> None:
    offers = {"proxy 1": (SPEED,), "admin 0": (JAM, WEATHER)}
    found = Advertisement((), (), offers, {5: (ALL_TYPES,), 6: (JAM,)})
    assert found.offered_by(SPEED) == ["proxy 1"]
    assert found.offered_by(EventTypePattern("Weather", "Rain")) == ["admin 0"]
    assert found.offered_by(TRAFFIC) == ["proxy 1", "admin 0"]
    assert found.wanted_by(SPEED) == [5]
    assert found.wanted_by(EventTypePattern("*", "J*")) == [5, 6]
