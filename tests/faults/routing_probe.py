"""The check that catches the faults of `routing_faults.py`.

``python -m tests.faults.routing_probe <package folder>`` runs it on the package in a folder; it
prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import tidings
from tests.unit.channel.machine import Machine, named
from tidings.channel import management as m
from tidings.channel.commands import DryRun
from tidings.channel.effects import PlanChanged, TellOffers, TopologyChanged
from tidings.channel.factory import Factory
from tidings.channel.offers import ALL_TYPES
from tidings.channel.settings import Inheritance, Limits, Settings
from tidings.channel.vocabulary import InfoMode, Operator, Place, Side
from tidings.errors import InvalidUsage, StoreError, TooManyObjects, UnsupportedQoS
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.plan import Plan

CAUGHT = "caught:"
SPEED, JAM = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
ONE = constraint("$a == 1", [SPEED])
ASKED = {None: None, True: "$a == 1", False: "$a == 2"}
DURABLE = {"ConnectionReliability": 1}

States = dict[tuple[int, str, str], Mapping[str, object]]


def states_of(machine: Machine) -> States:
    """The last state of every object."""
    states: States = {}
    for effect in machine.everything:
        if isinstance(effect, TopologyChanged):
            states.pop(effect[:3], None)
            if effect.state is not None:
                states[effect[:3]] = effect.state
    return states


def restored(states: States) -> Factory:
    """A new factory with these objects."""
    factory = Factory(spills=True)
    factory.restore(states)
    return factory


def gets(machine: Machine, consumer: int) -> bool | None:
    """Whether a consumer gets an event; None if the dry run says otherwise."""
    item = named("x", data={"a": 1})
    said = consumer in machine.do(DryRun(machine.channel, item)).recipients
    machine.push(item)
    got = bool(machine.delivered(consumer))
    machine.ack(consumer, *machine.delivered(consumer))
    return got if said is got else None


def table() -> Iterator[str]:
    """Table 6.3, with and without lists."""
    for operator, neutral, shared, own in product(Operator, (True, False), ASKED, ASKED):
        machine = Machine(Settings(empty_group_is_neutral=neutral, default_operator=operator))
        consumer = machine.new_consumer()
        above, below = (
            Place(machine.channel, Side.CONSUMER, 0),
            Place(machine.channel, proxy=consumer),
        )
        for place, said in ((above, shared), (below, own)):
            text = ASKED[said]
            if text is not None:
                machine.filtered(place, text)
        told = [one for one in (shared, own) if one is not None]
        expected = all(told) if operator is Operator.AND else any(told) or not told
        if operator is Operator.OR and len(told) == 1 and not neutral:
            expected = True
        if gets(machine, consumer) is not expected:
            yield f"table 6.3: {operator} {shared} {own} {neutral}"
        for place in (above, below):
            machine.do(m.SubscriptionChange(place, [JAM]))
            if gets(machine, consumer) is not False:
                yield f"a list at {place}"
            machine.do(m.SubscriptionChange(place, (), [JAM]))


def empty_filters() -> Iterator[str]:
    """Filters without constraints, and consumers that go."""
    for passes in (True, False):
        machine = Machine(Settings(empty_filter_passes=passes))
        consumer = machine.new_consumer()
        place = Place(machine.channel, proxy=consumer)
        machine.do(m.AddFilter(place, machine.do(m.CreateFilter())[0]))
        if gets(machine, consumer) is not passes:
            yield "an empty filter"
    machine = Machine()
    consumer = machine.new_consumer()
    gets(machine, consumer)
    machine.do(m.Disconnect(machine.channel, consumer))
    machine.push("late")
    if machine.core_channel.live:
        yield "an event waits for nobody"


def plans() -> Iterator[str]:
    """The plan is what its changes make, and has only connected proxies."""
    machine = Machine()
    consumer = machine.new_consumer(connect=False)
    machine.filtered(Place(machine.channel, proxy=consumer), "$a == 2")
    if consumer in machine.core_channel.plan.proxies:
        yield "an unconnected proxy in the plan"
    if machine.do(DryRun(machine.channel, named("x"))).steps[-1].reason != "not connected":
        yield "an unconnected proxy in the trail"
    machine.do(m.Connect(machine.channel, consumer))
    machine.filtered(Place(machine.channel, Side.SUPPLIER, 0), "$a == 1")
    if machine.push("x") != [0]:
        yield "an event past the supplier admin's filters"
    plan = Plan()
    for effect in machine.everything:
        if isinstance(effect, PlanChanged):
            if effect.change.version != plan.version + 1:
                yield "a version was not told"
            plan = plan.apply(effect.change)
    if plan != machine.core_channel.plan:
        yield "another plan elsewhere"


def sharing() -> Iterator[str]:
    """Who hears what."""
    machine = Machine()
    consumer, supplier = machine.new_consumer(), Place(machine.channel, proxy=machine.supplier)
    machine.do(m.OfferChange(supplier, [SPEED]))
    if [effect.proxy for effect in machine.of(TellOffers)] != [consumer]:
        yield "an offer is not heard"
    machine.do(m.ObtainTypes(machine.channel, consumer, InfoMode.NONE_NOW_UPDATES_OFF))
    machine.do(m.OfferChange(supplier, [JAM]))
    if machine.of(TellOffers):
        yield "an offer is heard though updates are off"
    place = Place(machine.channel, proxy=consumer)
    for constraints in ([ONE], []):
        machine.do(m.AddFilter(place, machine.do(m.CreateFilter(constraints))[0]))
    if machine.core_channel.wants.types() != (ALL_TYPES,):
        yield "what an empty filter wants"
    machine.do(m.Disconnect(machine.channel, consumer))
    if machine.core_channel.wants.types():
        yield "a type is wanted by nobody"
    machine.do(m.OfferChange(Place(machine.channel, Side.SUPPLIER, 0), [ALL_TYPES]))
    machine.do(m.DestroyAdmin(machine.channel, Side.CONSUMER, 0))
    if ALL_TYPES not in machine.core_channel.offers.types():
        yield "another admin's offers are gone"


def filters() -> Iterator[str]:
    """How long filters live, and what is written down of them."""
    machine = Machine(qos=DURABLE, spills=True)
    place = Place(machine.channel, proxy=machine.new_consumer())
    id = machine.do(m.CreateFilter([ONE], private=True))[0]
    first, second = (machine.do(m.AddFilter(place, id)) for _ in range(2))
    if (0, "filter", str(id)) not in states_of(machine):
        yield "no record of a filter"
    machine.do(m.RemoveFilter(place, first))
    if id not in machine.factory.filters.filters:
        yield "a filter ended though it is held"
    machine.do(m.RemoveFilter(place, second))
    if id in machine.factory.filters.filters:
        yield "a filter lives though nobody holds it"


def bounds() -> Iterator[str]:
    """What ends by itself, and what there is no room for."""
    settings = Settings(
        unused_filter_lifetime=100, unused_proxy_lifetime=200, limits=Limits(filters=2)
    )
    small = Machine(settings)
    ids = [small.do(m.CreateFilter([ONE]))[0] for _ in range(2)]
    small.wait(60)
    small.do(m.ClearFilter(ids[0]))
    for command, error in (
        (m.CreateFilter([ONE]), TooManyObjects),
        (m.CreateChannel("7" * 32, name="25"), InvalidUsage),
    ):
        [answer], _ = small.factory.handle_many([command], small.now)
        if not isinstance(answer, error):
            yield f"{command} was not refused"
    small.wait(40)
    if list(small.factory.filters.filters) != ids[:1]:
        yield "filters that nobody uses stay, or those that somebody uses end"
    small.wait(100)
    if small.core_channel.proxies:
        yield "a supplier that gave no reference, and does not come, is kept"


def restarts() -> Iterator[str]:
    """What comes back."""
    machine = Machine(qos=DURABLE, spills=True)
    for _ in range(11):
        machine.new_admin()
    place = Place(machine.channel, Side.CONSUMER, 0)
    private = machine.do(m.CreateFilter([ONE], private=True))[0]
    mapping = machine.do(m.CreateMapping(Any(tc.SHORT, 1)))[0]
    machine.do(m.AddFilter(place, private))
    machine.do(m.SetMapping(place, "priority", mapping))
    machine.do(m.OfferChange(Place(machine.channel, Side.SUPPLIER, 0), [SPEED]))
    states = states_of(machine)
    again = restored(states)
    channel = again.channel(machine.channel)
    admin = channel.admins[Side.CONSUMER][0]
    if list(channel.admins[Side.CONSUMER]) != list(range(12)):
        yield "the order of admins"
    if admin.priority_filter != mapping or len(again.filters.filters) != 2:
        yield "the filters of an admin"
    if channel.offers.types() != (SPEED,):
        yield "the offers of an admin"
    if again.recovered({machine.channel: 9}, 0)[-1] != PlanChanged(1, channel.plan.whole()):
        yield "the rules are not told"
    if channel.plan.version != 10:
        yield "the version of the rules"
    if again.handle(m.CreateFilter(), 0)[0][0] <= 1_000:
        yield "an id of a filter is given again"
    key = (machine.channel, "admin", "consumer/0")
    lost = {**states, key: {**states[key], "filters": []}}
    if private in restored(lost).filters.filters:
        yield "a private filter without a holder"
    try:
        restored({**states, key: {**states[key], "version": 2}})
    except StoreError:
        return
    yield "a newer version"


def settings() -> Iterator[str]:
    """What settings refuse, allow and follow."""
    machine = Machine(admin={"MaxQueueLength": 1})
    machine.suspend(machine.new_consumer())
    machine.push("x")
    if machine.do(DryRun(machine.channel, named("x"))).accepted:
        yield "a full channel in the trail"
    for cls, name in ((Limits, "producers"), (Settings, "any_order")):
        try:
            cls(**{name: type(getattr(cls(), name))(0)})
        except InvalidUsage:
            continue
        yield f"nonsense in {name}"
    machine = Machine(Settings(inheritance=Inheritance.FOLLOWED), qos=DURABLE)
    consumer = machine.new_consumer(Priority=2, ConnectionReliability=1)
    machine.do(m.SetQoS(Place(machine.channel), {"Priority": 5, "Timeout": 9}))
    qos = machine.proxy(consumer).qos
    if (qos.priority, qos.timeout) != (2, 9):
        yield "what a proxy follows"
    below = Place(machine.channel, proxy=consumer)
    for place, wrong in (
        (Place(machine.channel), "ConnectionReliability"),
        (below, "EventReliability"),
    ):
        try:
            machine.do(m.SetQoS(place, {wrong: int(place is below)}))
        except UnsupportedQoS:
            continue
        yield f"{wrong} was set at {place}"


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    for check in (table, empty_filters, plans, sharing, filters, bounds, restarts, settings):
        try:
            found = next(check(), None)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
            found = repr(error)
        if found is not None:
            sys.stdout.write(f"{CAUGHT} {found}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
