"""The host's filters: who holds them, when they end, what is written down of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.channel.machine import Machine, named
from tidings.channel import commands as c
from tidings.channel.effects import PlanChanged, TopologyChanged
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    ClearFilter,
    Connect,
    CreateChannel,
    CreateFilter,
    CreateMapping,
    DestroyAdmin,
    DestroyChannel,
    DestroyFilter,
    Disconnect,
    ModifyConstraints,
    ModifyMapped,
    ObtainProxy,
    RemoveAllFilters,
    RemoveFilter,
    SetMapping,
    SetQoS,
)
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.channel.vocabulary import Place, Side, Style
from tidings.errors import (
    ConstraintNotFound,
    FilterNotFound,
    InvalidGrammar,
    InvalidMappingValue,
    InvalidUsage,
    TidingsError,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import constraint
from tidings.filters.mapping import MappedConstraint

ONE, TWO = constraint("$a == 1"), constraint("$a == 2")
DURABLE = {"ConnectionReliability": 1}


def short(value: int) -> Any:
    return Any(tc.SHORT, value)


def new_filter(machine: Machine, *, private: bool) -> int:
    made: int = machine.do(CreateFilter([ONE], private=private))[0]
    return made


def stored(machine: Machine) -> list[tuple[str, bool]]:
    """The records of filters of the latest command: kind, and whether there is a state."""
    kinds = ("filter", "mapping")
    return [(e.kind, e.state is not None) for e in machine.of(TopologyChanged) if e.kind in kinds]


def proxy_ends(machine: Machine, place: Place, attachment: int) -> None:
    assert place.proxy is not None
    machine.do(Disconnect(machine.channel, place.proxy))


def filter_is_removed(machine: Machine, place: Place, attachment: int) -> None:
    machine.do(RemoveFilter(place, attachment))


def all_are_removed(machine: Machine, place: Place, attachment: int) -> None:
    machine.do(RemoveAllFilters(place))


def admin_ends(machine: Machine, place: Place, attachment: int) -> None:
    machine.do(DestroyAdmin(machine.channel, Side.CONSUMER, 0))


def channel_ends(machine: Machine, place: Place, attachment: int) -> None:
    machine.do(DestroyChannel(machine.channel))


ENDS = [proxy_ends, filter_is_removed, all_are_removed, admin_ends, channel_ends]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("private", [True, False])
def test_a_private_filter_ends_with_its_last_holder(
    end: Callable[[Machine, Place, int], None], private: bool
) -> None:
    machine = Machine()
    place = Place(machine.channel, proxy=machine.new_consumer())
    filter_id = new_filter(machine, private=private)
    attachment = machine.do(AddFilter(place, filter_id))
    end(machine, place, attachment)
    assert (filter_id in machine.factory.filters.filters) is not private
    if not private:
        assert machine.factory.filters.find(filter_id).holders == {}


@pytest.mark.parametrize("end", [admin_ends, channel_ends, all_are_removed])
def test_a_private_filter_of_an_admin_ends_likewise(
    end: Callable[[Machine, Place, int], None],
) -> None:
    machine = Machine()
    place = Place(machine.channel, Side.CONSUMER, 0)
    filter_id = new_filter(machine, private=True)
    mapping, _ = machine.do(CreateMapping(short(1), private=True))
    machine.do(SetMapping(place, "priority", mapping))
    end(machine, place, machine.do(AddFilter(place, filter_id)))
    assert filter_id not in machine.factory.filters.filters
    assert (mapping in machine.factory.filters.filters) is (end is all_are_removed)


def test_a_filter_held_twice_stays_until_both_let_go() -> None:
    machine = Machine()
    first, second = (Place(machine.channel, proxy=machine.new_consumer()) for _ in range(2))
    filter_id = new_filter(machine, private=True)
    held = [machine.do(AddFilter(place, filter_id)) for place in (first, first, second)]
    assert held == [1, 2, 1]
    assert len(machine.factory.filters.find(filter_id).holders) == 2
    machine.do(RemoveFilter(first, 1))
    assert len(machine.factory.filters.find(filter_id).holders) == 2
    machine.do(RemoveFilter(first, 2))
    assert len(machine.factory.filters.find(filter_id).holders) == 1
    machine.do(RemoveFilter(second, 1))
    assert filter_id not in machine.factory.filters.filters


def test_a_mapping_filter_is_held_by_purpose() -> None:
    machine = Machine()
    place = Place(machine.channel, proxy=machine.new_consumer())
    old, new = (machine.do(CreateMapping(short(n), private=True))[0] for n in (1, 2))
    machine.do(SetMapping(place, "priority", old))
    machine.do(SetMapping(place, "priority", old))
    assert old in machine.factory.filters.filters
    machine.do(SetMapping(place, "priority", new))
    assert old not in machine.factory.filters.filters
    machine.do(SetMapping(place, "priority", None))
    assert new not in machine.factory.filters.filters


def test_what_is_written_down_of_a_filter() -> None:
    machine = Machine(qos=DURABLE)
    shared = new_filter(machine, private=False)
    assert stored(machine) == [("filter", True)]
    private = new_filter(machine, private=True)
    assert stored(machine) == []
    lost = Place(machine.channel, proxy=machine.new_consumer(ConnectionReliability=0))
    machine.do(AddFilter(lost, private))
    machine.do(AddConstraints(private, [TWO]))
    assert stored(machine) == []
    machine.do(SetQoS(lost, DURABLE))
    assert stored(machine) == [("filter", True)]
    for command in (AddConstraints(private, [TWO]), ClearFilter(shared)):
        machine.do(command)
        assert stored(machine) == [("filter", True)]
    machine.do(RemoveAllFilters(lost))
    assert stored(machine) == [("filter", False)]
    machine.do(DestroyFilter(shared))
    assert stored(machine) == [("filter", False)]


def test_a_private_filter_of_an_admin_is_written_down() -> None:
    machine = Machine()
    mapping, _ = machine.do(CreateMapping(short(1), private=True))
    assert stored(machine) == []
    machine.do(SetMapping(Place(machine.channel, Side.CONSUMER, 0), "priority", mapping))
    assert stored(machine) == [("mapping", True)]


def test_ids_are_reserved_in_blocks_where_there_is_a_disk() -> None:
    machine = Machine(spills=True)
    records = []
    for _ in range(1_003):
        new_filter(machine, private=True)
        records += [e for e in machine.of(TopologyChanged) if e.kind == "factory"]
    assert [(e.key, e.state) for e in records] == [
        ("filters", {"version": 1, "last": 1_001}),
        ("filters", {"version": 1, "last": 2_002}),
    ]


def test_a_change_reaches_all_channels_before_it_is_answered() -> None:
    machine = Machine()
    filter_id = new_filter(machine, private=False)
    consumers = []
    for number in range(2):
        channel = machine.do(CreateChannel(f"{number}" * 32))
        proxies = []
        for side in Side:
            proxy = machine.do(ObtainProxy(channel, side, Style.PUSH))
            machine.do(Connect(channel, proxy, window=99))
            proxies.append(proxy)
        machine.do(AddFilter(Place(channel, proxy=proxies[1]), filter_id))
        consumers.append((channel, *proxies))

    def recipients(a: int) -> list[int]:
        found = []
        for channel, supplier, consumer in consumers:
            machine.do(c.Push(channel, supplier, [named("x", data={"a": a})]))
            found.append(len(machine.delivered(consumer)))
        return found

    assert (recipients(1), recipients(2)) == ([1, 1], [0, 0])
    machine.do(ModifyConstraints(filter_id, (), {1: TWO}))
    assert len(machine.of(PlanChanged)) == 2
    assert (recipients(1), recipients(2)) == ([0, 0], [1, 1])
    machine.do(ClearFilter(filter_id))
    assert (recipients(1), recipients(2)) == ([1, 1], [1, 1])
    machine.do(AddConstraints(filter_id, [constraint("FALSE")]))
    assert recipients(1) == [0, 0]
    machine.do(DestroyFilter(filter_id))
    assert recipients(1) == [1, 1]


def test_a_destroyed_filter_is_dropped_by_who_holds_it() -> None:
    machine = Machine()
    place = Place(machine.channel, proxy=machine.new_consumer())
    proxy = machine.proxy(place.proxy or 0)
    filter_id, kept = new_filter(machine, private=False), new_filter(machine, private=False)
    mapping, _ = machine.do(CreateMapping(short(3)))
    for one in (filter_id, kept, filter_id):
        machine.do(AddFilter(place, one))
    machine.do(SetMapping(place, "priority", mapping))
    machine.do(DestroyFilter(filter_id))
    assert proxy.attached_filters == ((2, kept),)
    machine.do(DestroyFilter(mapping))
    assert (proxy.priority_filter, proxy.mapping) == (None, None)


def test_a_bad_change_changes_nothing() -> None:
    machine = Machine()
    place = Place(machine.channel, proxy=machine.new_consumer())
    filter_id = new_filter(machine, private=False)
    mapping, _ = machine.do(CreateMapping(short(1), [MappedConstraint(ONE, short(2))]))
    machine.do(AddFilter(place, filter_id))
    before, plan = machine.view(), machine.core_channel.plan
    wrong: list[tuple[c.Command, type[TidingsError]]] = [
        (ModifyConstraints(filter_id, [1], {1: TWO}), ConstraintNotFound),
        (ModifyConstraints(filter_id, [9]), ConstraintNotFound),
        (ModifyMapped(mapping, [9]), ConstraintNotFound),
        (AddMapped(mapping, [MappedConstraint(ONE, Any(tc.LONGLONG, 2))]), InvalidMappingValue),
        (AddConstraints(99, [TWO]), FilterNotFound),
        (AddConstraints(mapping, [TWO]), InvalidUsage),
        (AddMapped(filter_id, []), InvalidUsage),
        (AddFilter(place, mapping), InvalidUsage),
        (AddFilter(place, 99), FilterNotFound),
        (RemoveFilter(place, 9), FilterNotFound),
        (SetMapping(place, "priority", filter_id), InvalidUsage),
        (SetMapping(place, "lifetime", mapping), InvalidUsage),
        (SetMapping(place, "colour", mapping), InvalidUsage),
        (SetMapping(Place(machine.channel, Side.SUPPLIER, 0), "priority", mapping), InvalidUsage),
        (CreateFilter(grammar="SQL"), InvalidGrammar),
        (CreateMapping(short(1), grammar="SQL"), InvalidGrammar),
        (CreateMapping(short(1), [MappedConstraint(ONE, True)]), InvalidMappingValue),
        (DestroyFilter(99), FilterNotFound),
        (ClearFilter(99), FilterNotFound),
    ]
    for command, error in wrong:
        [answer] = machine.do_many(command)
        assert type(answer) is error, command
        assert machine.effects == []
    assert machine.view() == before
    assert machine.core_channel.plan is plan


def test_an_event_service_proxy_holds_no_filters() -> None:
    machine = Machine()
    proxy = machine.do(ObtainProxy(machine.channel, Side.CONSUMER, Style.PUSH, bare=True))
    place = Place(machine.channel, proxy=proxy)
    with pytest.raises(InvalidUsage, match="has no filters"):
        machine.do(AddFilter(place, new_filter(machine, private=False)))
    mapping, _ = machine.do(CreateMapping(short(1)))
    with pytest.raises(InvalidUsage, match="has no filters"):
        machine.do(SetMapping(place, "priority", mapping))


class TestUnheld:
    """Filters that nobody holds end when they were not used for some time."""

    DAY = DEFAULT_SETTINGS.unused_filter_lifetime

    def test_they_end_after_their_last_use(self) -> None:
        machine = Machine()
        unused, used = (new_filter(machine, private=private) for private in (False, True))
        machine.wait(self.DAY - 1)
        machine.do(AddConstraints(used, [TWO]))
        assert unused in machine.factory.filters.filters
        machine.wait(1)
        assert (unused, used) == (1, 2)
        assert list(machine.factory.filters.filters) == [used]
        machine.factory.filters.use(used, machine.now)
        machine.wait(self.DAY - 1)
        assert list(machine.factory.filters.filters) == [used]
        machine.wait(1)
        assert not machine.factory.filters.filters
        assert machine.factory.filters.unheld.collected == 2
        assert machine.factory.wake_at == DEFAULT_SETTINGS.unused_proxy_lifetime

    def test_what_is_held_stays_and_counts_from_when_it_is_let_go(self) -> None:
        machine = Machine()
        kept = new_filter(machine, private=False)
        place = Place(machine.channel, proxy=machine.new_consumer())
        for _ in range(1_000):  # one alarm for all, however many come and go
            attachment = machine.do(AddFilter(place, kept))
            machine.do(RemoveFilter(place, attachment))
        assert len(machine.factory.core._alarms) == 2  # the other one is for unused proxies
        attachment = machine.do(AddFilter(place, kept))
        machine.wait(3 * self.DAY)
        machine.do(RemoveFilter(place, attachment))
        machine.wait(self.DAY - 1)
        assert kept in machine.factory.filters.filters
        machine.wait(1)
        assert kept not in machine.factory.filters.filters

    def test_many_end_in_turns(self) -> None:
        machine = Machine(spills=True)
        for _ in range(1_200):
            new_filter(machine, private=False)
        machine.now += self.DAY
        ended = 0
        for most in (500, 500, 200):
            machine.do(c.Tick())
            assert len(stored(machine)) == most
            ended += most
        assert machine.factory.filters.unheld.collected == ended == 1_200
