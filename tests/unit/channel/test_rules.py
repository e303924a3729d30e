"""From objects to rules: the plan, what the flow of events must know, the union of types."""

from __future__ import annotations

import pytest

from tests.unit.channel.machine import SECOND, Machine, named
from tidings.channel.effects import Accepted, PlanChanged, TellSubscriptions
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    ClearFilter,
    Connect,
    CreateFilter,
    CreateMapping,
    DestroyAdmin,
    Disconnect,
    NewAdmin,
    ObtainProxy,
    RemoveAllFilters,
    SetMapping,
    SetQoS,
    SubscriptionChange,
)
from tidings.channel.offers import ALL_TYPES
from tidings.channel.qos import OrderPolicy
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Operator, Place, Side, Style
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import AdminRule, MappingRule, Plan, ProxyRule, Rule

SPEED, JAM = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
ONE, TWO = constraint("$a == 1", [SPEED]), constraint("$a == 2", [JAM])


def short(value: int) -> Any:
    return Any(tc.SHORT, value)


def test_the_plan_says_what_the_objects_say() -> None:
    machine = Machine()
    admin = machine.new_admin(Operator.OR)
    proxy = machine.new_consumer(admin=admin)
    above, below = Place(machine.channel, Side.CONSUMER, admin), Place(machine.channel, proxy=proxy)
    for place, asked in ((above, [ONE]), (below, [TWO, ONE])):
        filter_id, _ = machine.do(CreateFilter(asked))
        machine.do(AddFilter(place, filter_id))
    machine.do(SubscriptionChange(below, [SPEED, JAM]))
    mapped = MappedConstraint(ONE, short(3))
    mapping, _ = machine.do(CreateMapping(short(0), [mapped]))
    machine.do(SetMapping(above, "priority", mapping))
    plan = machine.core_channel.plan
    rule = MappingRule(short(0), (mapped,))
    assert plan.admins[Side.CONSUMER, admin] == AdminRule(
        Side.CONSUMER, admin, Operator.OR, Rule(((ONE,),), priority=rule)
    )
    assert plan.proxies[proxy] == ProxyRule(
        Side.CONSUMER, proxy, admin, Rule(((TWO, ONE),), (JAM, SPEED))
    )


def test_every_change_is_told_and_makes_the_same_plan_elsewhere() -> None:
    machine = Machine(Settings(empty_filter_passes=False))
    proxy = machine.new_consumer()
    place = Place(machine.channel, proxy=proxy)
    filter_id = machine.filtered(place, "$a == 1")
    machine.do(AddConstraints(filter_id, [TWO]))
    machine.do(Disconnect(machine.channel, proxy))
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
    place = Place(machine.channel, proxy=proxy)
    machine.filtered(place, "FALSE")
    assert proxy not in machine.core_channel.plan.proxies
    assert machine.core_channel.wants.of(proxy) == frozenset()
    machine.do(Connect(machine.channel, proxy))
    assert machine.core_channel.plan.proxies[proxy].rule.filters
    machine.push("one")
    assert machine.delivered(proxy) == []


def test_a_supplier_is_judged_only_where_there_are_filters() -> None:
    machine = Machine()
    proxy = machine.proxy(machine.supplier)
    assert not proxy.judged
    for place in (Place(machine.channel, Side.SUPPLIER, 0), Place(machine.channel, proxy=proxy.id)):
        machine.filtered(place, "$a == 1")
        assert proxy.judged
        assert machine.push("one", named("two", data={"a": 1}))[0] == 0
        machine.do(RemoveAllFilters(place))
        assert not proxy.judged
    later = machine.do(ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH))
    machine.filtered(Place(machine.channel, Side.SUPPLIER, 0), "FALSE")
    machine.do(Connect(machine.channel, later))
    assert machine.proxy(later).judged


@pytest.mark.parametrize(
    "qos",
    [
        {"Priority": 1},
        {"Timeout": SECOND},
        {"StartTimeSupported": False},
        {"StopTimeSupported": False},
    ],
    ids=str,
)
def test_who_may_see_an_event_otherwise_is_special(qos: dict[str, int]) -> None:
    machine = Machine()
    proxy = machine.proxy(machine.new_consumer())
    assert not proxy.special
    machine.do(SetQoS(proxy.place, qos))
    assert proxy.special


def test_a_mapping_of_the_proxy_goes_before_the_admins() -> None:
    machine = Machine()
    proxy = machine.proxy(machine.new_consumer())
    above = Place(machine.channel, Side.CONSUMER, 0)
    shared, _ = machine.do(CreateMapping(short(1)))
    own, _ = machine.do(CreateMapping(short(2)))
    machine.do(SetMapping(above, "priority", shared))
    assert proxy.special
    assert proxy.mapping == (MappingRule(short(1)), None)
    machine.do(SetMapping(proxy.place, "priority", own))
    assert proxy.mapping == (MappingRule(short(2)), None)
    mapped = MappedConstraint(ONE, short(9))
    machine.do(AddMapped(own, [mapped]))
    assert proxy.mapping == (MappingRule(short(2), (mapped,)), None)
    for place in (above, proxy.place):
        machine.do(SetMapping(place, "priority", None))
    assert proxy.mapping is None
    assert not proxy.special


def test_a_queue_follows_its_order_policy() -> None:
    machine = Machine()
    proxy = machine.new_consumer()
    machine.suspend(proxy)
    machine.push(named("a", priority=1), named("b", priority=2))
    assert machine.waiting(proxy) == [2, 1]
    machine.set_qos(proxy, OrderPolicy=OrderPolicy.FIFO.value)
    assert machine.waiting(proxy) == [1, 2]


# The union of wanted types.


def wanted(machine: Machine, proxy: int) -> set[EventTypePattern]:
    return set(machine.core_channel.wants.of(proxy))


def test_a_consumer_wants_what_its_filters_and_lists_name() -> None:
    machine = Machine()
    proxy = machine.new_consumer()
    place = Place(machine.channel, proxy=proxy)
    assert wanted(machine, proxy) == {ALL_TYPES}
    filter_id, _ = machine.do(CreateFilter([ONE]))
    machine.do(AddFilter(place, filter_id))
    assert wanted(machine, proxy) == {SPEED}
    machine.do(SubscriptionChange(Place(machine.channel, Side.CONSUMER, 0), [JAM]))
    assert wanted(machine, proxy) == {SPEED, JAM}
    machine.do(AddConstraints(filter_id, [constraint("$b == 1")]))
    assert wanted(machine, proxy) == {ALL_TYPES}
    machine.do(Disconnect(machine.channel, proxy))
    assert wanted(machine, proxy) == set()


@pytest.mark.parametrize("passes", [True, False])
def test_an_empty_filter_that_lets_all_pass_wants_all(passes: bool) -> None:
    machine = Machine(Settings(empty_filter_passes=passes))
    proxy = machine.new_consumer()
    place = Place(machine.channel, proxy=proxy)
    for asked in ([ONE], []):
        filter_id, _ = machine.do(CreateFilter(asked))
        machine.do(AddFilter(place, filter_id))
    assert wanted(machine, proxy) == ({ALL_TYPES} if passes else {SPEED})


@pytest.mark.parametrize("neutral", [True, False])
def test_an_empty_group_that_lets_all_pass_wants_all(neutral: bool) -> None:
    settings = Settings(empty_group_is_neutral=neutral, default_operator=Operator.OR)
    machine = Machine(settings)
    proxy = machine.new_consumer()
    filter_id, _ = machine.do(CreateFilter([ONE]))
    machine.do(AddFilter(Place(machine.channel, proxy=proxy), filter_id))
    assert wanted(machine, proxy) == ({SPEED} if neutral else {ALL_TYPES})


def test_suppliers_hear_of_every_change_of_the_union() -> None:
    machine = Machine()
    supplier = machine.do(ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH))
    machine.do(Connect(machine.channel, supplier))
    proxy = machine.new_consumer()
    filter_id, _ = machine.do(CreateFilter([ONE]))
    machine.do(AddFilter(Place(machine.channel, proxy=proxy), filter_id))
    told = TellSubscriptions(machine.channel, supplier, (SPEED,), (ALL_TYPES,))
    assert machine.of(TellSubscriptions) == [told]
    machine.do(AddConstraints(filter_id, [TWO]))
    [one] = machine.of(TellSubscriptions)
    assert (one.added, one.removed) == ((JAM,), ())
    machine.do(ClearFilter(filter_id))
    [one] = machine.of(TellSubscriptions)
    assert (one.added, one.removed) == ((ALL_TYPES,), (JAM, SPEED))
    machine.do(Disconnect(machine.channel, proxy))
    [one] = machine.of(TellSubscriptions)
    assert (one.added, one.removed) == ((), (ALL_TYPES,))


def test_a_new_admin_is_in_the_plan_and_a_destroyed_one_is_not() -> None:
    machine = Machine()
    admin = machine.do(NewAdmin(machine.channel, Side.SUPPLIER, Operator.OR))
    assert machine.core_channel.plan.admins[Side.SUPPLIER, admin].operator is Operator.OR
    machine.do(DestroyAdmin(machine.channel, Side.SUPPLIER, admin))
    assert (Side.SUPPLIER, admin) not in machine.core_channel.plan.admins


def test_an_event_service_proxy_survives_no_crash() -> None:
    machine = Machine(qos={"ConnectionReliability": 1, "EventReliability": 1})
    bare = machine.do(ObtainProxy(machine.channel, Side.CONSUMER, Style.PUSH, bare=True))
    machine.do(Connect(machine.channel, bare))
    proxy = machine.new_consumer()
    assert (machine.proxy(bare).durable, machine.proxy(proxy).durable) == (False, True)
    machine.push("one")
    [accepted] = machine.of(Accepted)
    assert (sorted(accepted.recipients), accepted.durable) == ([bare, proxy], [proxy])
