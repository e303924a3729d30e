"""Channels, admins, proxies and filters: made, changed, ended; what is refused changes nothing."""

from __future__ import annotations

from typing import Any as AnyValue

import pytest

from tests.edges.channel.machine import ORIGIN, Machine, named
from tidings import errors
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.effects import Deliver, DisconnectPeer, TopologyChanged
from tidings.channel.property_errors import TIME_T
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.channel.vocabulary import InfoMode, Operator, Place, Side, Style
from tidings.channel.wellformed import check_command
from tidings.errors import InvalidUsage, ProxyNotFound, TidingsError, UnsupportedQoS
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import constraint
from tidings.filters.mapping import MappedConstraint

NOWHERE = 99
SUPPLIER, CONSUMER, IDLE, PULLER = 1, 2, 3, 4
PROXY, NO_PROXY = Place(1, proxy=CONSUMER), Place(1, proxy=NOWHERE)
MAPPED = MappedConstraint(constraint("TRUE"), Any(tc.LONG, 1))
ONE, TWO, TRUE = constraint("$a == 1"), constraint("$a == 2"), constraint("TRUE")
DURABLE = {"ConnectionReliability": 1}

# Filter 1 is held by CONSUMER, filter 2 is a mapping filter.
REFUSED: dict[type[TidingsError], list[c.Command]] = {
    UnsupportedQoS: [
        m.CreateChannel(ORIGIN, {"Priority": 99_999}),
        m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, qos={"Timeout": -1}),
        m.SetQoS(PROXY, {"Priority": 3, "Timeout": -1}),
        *(m.SetQoS(Place(1), {"EventReliability": 1}), m.ValidateQoS(PROXY, {"Nonsense": 1})),
    ],
    errors.UnsupportedAdmin: [
        m.CreateChannel(ORIGIN, {}, {"MaxConsumers": -1}),
        m.SetAdminProperties(1, {"MaxConsumers": 5, "Nonsense": 1}),
    ],
    errors.NameTaken: [m.CreateChannel(ORIGIN, name="roads")],
    errors.ChannelNotFound: [
        *(m.DestroyChannel(NOWHERE), m.NewAdmin(NOWHERE, Side.CONSUMER), c.Revoke(NOWHERE, [1])),
        *(m.ObtainProxy(NOWHERE, Side.CONSUMER, Style.PUSH), m.SetAdminProperties(NOWHERE, {})),
        *(c.Push(NOWHERE, SUPPLIER, [named("a")]), c.Ack(NOWHERE, CONSUMER, [1])),
    ],
    errors.AdminNotFound: [
        m.DestroyAdmin(1, Side.CONSUMER, NOWHERE),
        m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, admin=NOWHERE),
        m.SetQoS(Place(1, Side.CONSUMER, NOWHERE), {}),
    ],
    ProxyNotFound: [
        *(m.Connect(1, NOWHERE), m.Detach(1, NOWHERE), m.Disconnect(1, NOWHERE)),
        *(m.SetQoS(NO_PROXY, {}), m.ValidateEventQoS(1, NOWHERE, {}), c.Idle(1, NOWHERE)),
        *(m.RemoveAllFilters(NO_PROXY), m.SubscriptionChange(NO_PROXY)),
        m.ObtainTypes(1, NOWHERE, InfoMode.ALL_NOW_UPDATES_OFF),
        *(c.Push(1, NOWHERE, [named("a")]), c.CancelPull(1, NOWHERE, 1)),
        *(c.Failed(1, NOWHERE, [1], "why"), c.Reject(1, NOWHERE, [1], "why")),
        *(c.DryRun(1, named("a"), NOWHERE), c.Refilled(1, NOWHERE, [], 0)),
    ],
    TidingsError: [m.Connect(1, CONSUMER), m.Suspend(1, IDLE), m.Resume(1, CONSUMER)],
    errors.InvalidGrammar: [m.CreateFilter(grammar="SQL")],
    errors.FilterNotFound: [
        *(m.AddConstraints(NOWHERE, []), m.ClearFilter(NOWHERE), m.DestroyFilter(NOWHERE)),
        *(m.AddFilter(PROXY, NOWHERE), m.RemoveFilter(PROXY, NOWHERE)),
    ],
    errors.ConstraintNotFound: [
        *(m.ModifyConstraints(1, [NOWHERE]), m.ModifyConstraints(1, [1], {NOWHERE: TRUE})),
        m.ModifyMapped(2, [NOWHERE]),
    ],
    errors.InvalidMappingValue: [m.AddMapped(2, [MAPPED])],
    InvalidUsage: [
        *(m.CreateChannel(ORIGIN, name="25"), m.Connect(1, IDLE, reachable=False)),
        *(m.Connect(1, IDLE, window=0), m.Suspend(1, PULLER), m.AddConstraints(2, [TRUE])),
        *(m.AddMapped(1, []), m.AddFilter(PROXY, 2), m.AddFilter(Place(1), 1)),
        *(m.SetMapping(PROXY, "priority", 1), m.SetMapping(PROXY, "lifetime", 2)),
        m.SetMapping(PROXY, "colour", 2),
        m.SetMapping(Place(1, proxy=SUPPLIER), "priority", 2),
        *(m.OfferChange(PROXY, []), m.SubscriptionChange(Place(1, Side.SUPPLIER, 0), [])),
        *(c.Push(1, SUPPLIER, [named("a")], []), c.Polled(1, CONSUMER), c.Ack(1, SUPPLIER, [1])),
        *(c.Pull(1, CONSUMER, 1), c.Pull(1, PULLER, 1, 0), c.Pull(1, SUPPLIER, 1)),
    ],
}


@pytest.mark.parametrize("error", REFUSED)
def test_a_refused_command_has_changed_nothing(error: type[TidingsError]) -> None:
    machine = Machine()
    machine.do(m.CreateChannel("1" * 32, name="roads"))
    assert machine.new_consumer() == CONSUMER
    assert machine.new_consumer(connect=False) == IDLE
    assert machine.pull_consumer() == PULLER
    machine.filtered(PROXY, "$event_name != 'none'")
    machine.do(m.CreateMapping(Any(tc.SHORT, 0)))
    machine.push("a", "b")
    before = machine.view()
    for command in REFUSED[error]:
        [answer], effects = machine.factory.handle_many([command], 5)
        assert isinstance(answer, error), command
        assert (effects, machine.view()) == ([], before), command
    assert machine.push("c") == [3], "no number was used"


# Each a well-formed command, and a part with what it must not be.
WRONG: list[tuple[AnyValue, str, str]] = [
    (m.CreateChannel(ORIGIN, name=5), "name", "a text, not 5"),  # type: ignore[arg-type]
    (m.CreateChannel(ORIGIN, qos=5), "qos", "a mapping of"),  # type: ignore[arg-type]
    (m.NewAdmin(1, Side.CONSUMER, "AND"), "operator", "Operator.AND"),  # type: ignore[arg-type]
    (m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, 1), "form", "Form.ANY"),  # type: ignore[arg-type]
    (m.Connect(1, 1, window=1.5), "window", "a whole number"),  # type: ignore[arg-type]
    (m.Connect(1, 1, window=True), "window", "a whole number"),
    (m.Connect(1, 1, window=2**63), "window", "at most 64 bits"),
    (m.Connect(1, 1, again=1), "again", "True or False"),  # type: ignore[arg-type]
    (m.SetQoS(1, {}), "place", "a Place"),  # type: ignore[arg-type]
    (m.SetQoS(Place(1, proxy="x"), {}), "proxy", "or None, not 'x'"),  # type: ignore[arg-type]
    (m.SetQoS(Place(1, "x", 0), {}), "side", "Side.SUPPLIER"),  # type: ignore[arg-type]
    (m.CreateFilter(["$a == 1"]), "constraints", "a list of"),  # type: ignore[list-item]
    (m.CreateFilter(5), "constraints", "a list of Constraint"),  # type: ignore[arg-type]
    (m.ModifyConstraints(1, (), {1: "x"}), "replace", "to Con"),  # type: ignore[dict-item]
    (m.ModifyConstraints(1, ["x"]), "delete", "a list of int"),  # type: ignore[list-item]
    (m.OfferChange(Place(1), ["A::b"]), "added", "a list of Event"),  # type: ignore[list-item]
    (m.ObtainTypes(1, 1, 0), "mode", "InfoMode."),  # type: ignore[arg-type]
]


def test_what_is_no_command_is_refused() -> None:
    machine = Machine()
    before = machine.view()
    for command, part, right in WRONG:
        for ask in (check_command, machine.do):
            with pytest.raises(InvalidUsage) as caught:
                ask(command)
            assert str(caught.value).startswith(f"{part} of "), command
            assert right in str(caught.value), command
    assert machine.view() == before


def test_nonsense_of_one_does_not_reach_the_others() -> None:
    machine = Machine()
    nonsense = c.DryRun(machine.channel, named("one"), proxy=[])  # type: ignore[arg-type]
    push = c.Push(machine.channel, machine.supplier, [named("one")])
    first, error, last = machine.do_many(push, nonsense, push)
    assert (first, last) == ([1], [2])
    assert type(error) is TidingsError
    assert "DryRun could not be carried out: TypeError" in str(error)


def test_a_fault_at_one_consumer_leaves_the_others_their_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Machine()
    first, second = machine.new_consumer(), machine.new_consumer()

    pump = ConsumerProxy.pump

    def faulty(proxy: ConsumerProxy, now: int) -> None:
        if proxy.id == first:
            raise ZeroDivisionError("planted")
        pump(proxy, now)

    with monkeypatch.context() as patch:
        patch.setattr(ConsumerProxy, "pump", faulty)
        with pytest.raises(ZeroDivisionError):
            machine.push("one")
    machine.do(c.Tick())
    assert [deliver.proxy for deliver in machine.of(Deliver)] == [second]


# Admins and proxies.


@pytest.mark.parametrize(
    ("side", "style"), [(Side.CONSUMER, Style.PULL), (Side.SUPPLIER, Style.PUSH)]
)
def test_connecting_without_a_reference_where_none_is_needed(side: Side, style: Style) -> None:
    machine = Machine()
    proxy = machine.do(m.ObtainProxy(machine.channel, side, style))
    machine.do(m.Detach(machine.channel, proxy))
    assert machine.effects == []
    machine.do(m.Connect(machine.channel, proxy, reachable=False))
    machine.do(m.Disconnect(machine.channel, proxy))
    assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, proxy, False)]


@pytest.mark.parametrize("side", Side)
def test_a_default_admin_begins_anew(side: Side) -> None:
    machine = Machine()
    place = Place(machine.channel, side, 0)
    machine.filtered(place, "FALSE")
    machine.do(m.SetQoS(place, {"Priority": 3}))
    machine.do(m.DestroyAdmin(machine.channel, side, 0))
    fresh = machine.core_channel.admin(side, 0)
    assert (fresh.attached_filters, fresh.qos.priority) == ((), 0)
    assert fresh.operator is Operator.AND
    states = [x.state for x in machine.of(TopologyChanged) if x.key == f"{side.value}/0"]
    assert states[0] is None
    assert states[-1] is not None


# Filters: who holds them, when they end, what is written down of them.


def new_filter(machine: Machine, *, private: bool) -> int:
    made: int = machine.do(m.CreateFilter([ONE], private=private))[0]
    return made


@pytest.mark.parametrize(
    "end",
    [
        *(m.Disconnect(1, CONSUMER), m.RemoveFilter(PROXY, 1), m.RemoveAllFilters(PROXY)),
        *(m.DestroyAdmin(1, Side.CONSUMER, 0), m.DestroyChannel(1)),
    ],
    ids=lambda end: type(end).__name__,
)
@pytest.mark.parametrize("private", [True, False])
def test_a_private_filter_ends_with_its_last_holder(end: m.Management, private: bool) -> None:
    machine = Machine()
    assert machine.new_consumer() == CONSUMER
    filter_id = new_filter(machine, private=private)
    assert machine.do(m.AddFilter(PROXY, filter_id)) == 1
    machine.do(end)
    assert (filter_id in machine.factory.filters.filters) is not private
    if not private:
        assert machine.factory.filters.find(filter_id).holders == {}


def test_a_filter_held_twice_stays_until_both_let_go() -> None:
    machine = Machine()
    first, second = (Place(machine.channel, proxy=machine.new_consumer()) for _ in range(2))
    filter_id = new_filter(machine, private=True)
    held = [machine.do(m.AddFilter(place, filter_id)) for place in (first, first, second)]
    assert held == [1, 2, 1]
    for place, attachment, holders in ((first, 1, 2), (first, 2, 1)):
        assert len(machine.factory.filters.find(filter_id).holders) == 2
        machine.do(m.RemoveFilter(place, attachment))
        assert len(machine.factory.filters.find(filter_id).holders) == holders
    machine.do(m.RemoveFilter(second, 1))
    assert filter_id not in machine.factory.filters.filters


def test_what_is_written_down_of_a_filter() -> None:
    machine = Machine(qos=DURABLE)

    def stored() -> list[bool]:
        """Of the records of filters of the latest command, whether there is a state."""
        return [e.state is not None for e in machine.of(TopologyChanged) if e.kind == "filter"]

    shared = new_filter(machine, private=False)
    assert stored() == [True]
    private = new_filter(machine, private=True)
    assert stored() == []
    lost = Place(machine.channel, proxy=machine.new_consumer(ConnectionReliability=0))
    machine.do(m.AddFilter(lost, private))
    more = m.AddConstraints(private, [TWO])
    steps: list[tuple[m.Management, list[bool]]] = [
        *((more, []), (m.SetQoS(lost, DURABLE), [True]), (more, [True])),
        *((m.ClearFilter(shared), [True]), (m.RemoveAllFilters(lost), [False])),
        (m.DestroyFilter(shared), [False]),
    ]
    for command, records in steps:
        machine.do(command)
        assert stored() == records, command


def test_a_destroyed_filter_is_dropped_by_who_holds_it() -> None:
    machine = Machine()
    place = Place(machine.channel, proxy=machine.new_consumer())
    proxy = machine.consumer(place.proxy or 0)
    filter_id, kept = new_filter(machine, private=False), new_filter(machine, private=False)
    for one in (filter_id, kept, filter_id):
        machine.do(m.AddFilter(place, one))
    machine.do(m.DestroyFilter(filter_id))
    assert proxy.attached_filters == ((2, kept),)
    for purpose, type_ in (("priority", tc.SHORT), ("lifetime", TIME_T)):
        mapping, _ = machine.do(m.CreateMapping(Any(type_, 3)))
        machine.do(m.SetMapping(place, purpose, mapping))
        assert mapping in (proxy.priority_filter, proxy.lifetime_filter)
        machine.do(m.DestroyFilter(mapping))
        assert (proxy.priority_filter, proxy.lifetime_filter, proxy.mapping) == (None, None, None)


def test_filters_that_nobody_holds_end_some_time_after_their_last_use() -> None:
    machine = Machine()
    filters, day = machine.factory.filters, DEFAULT_SETTINGS.unused_filter_lifetime
    unused, used = (new_filter(machine, private=private) for private in (False, True))
    machine.wait(day - 1)
    machine.do(m.AddConstraints(used, [TWO]))
    assert unused in filters.filters
    machine.wait(1)
    assert (unused, used) == (1, 2)
    assert list(filters.filters) == [used]
    filters.use(used, machine.now)
    machine.wait(day - 1)
    assert list(filters.filters) == [used]
    machine.wait(1)
    assert not filters.filters
    assert filters.unheld.collected == 2
    assert machine.factory.wake_at == DEFAULT_SETTINGS.unused_proxy_lifetime
