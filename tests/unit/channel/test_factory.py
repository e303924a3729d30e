from __future__ import annotations

import pytest

from tests.unit.channel.machine import ORIGIN, Machine, named
from tidings.channel import commands as c
from tidings.channel import factory, pumping
from tidings.channel import management as m
from tidings.channel.effects import Accepted, Deliver, PlanChanged, TopologyChanged
from tidings.channel.holders import Proxy
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import InfoMode, Place, Side, Style
from tidings.errors import (
    AdminNotFound,
    ChannelNotFound,
    ConstraintNotFound,
    Disconnected,
    FilterNotFound,
    InvalidEventType,
    InvalidGrammar,
    InvalidMappingValue,
    InvalidUsage,
    NameTaken,
    ProxyNotFound,
    TidingsError,
    UnsupportedAdmin,
    UnsupportedQoS,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint

NOWHERE = 99
SUPPLIER, CONSUMER, IDLE, PULLER = 1, 2, 3, 4
PROXY = Place(1, proxy=CONSUMER)
MAPPED = MappedConstraint(constraint("TRUE"), Any(tc.LONG, 1))

# Filter 1 is held by CONSUMER, filter 2 is a mapping filter.
REFUSED: list[tuple[c.Command, type[TidingsError]]] = [
    (m.CreateChannel(ORIGIN, {"Priority": 99_999}), UnsupportedQoS),
    (m.CreateChannel(ORIGIN, {}, {"MaxConsumers": -1}), UnsupportedAdmin),
    (m.CreateChannel(ORIGIN, name="roads"), NameTaken),
    (m.CreateChannel(ORIGIN, name="25"), InvalidUsage),
    (m.DestroyChannel(NOWHERE), ChannelNotFound),
    (m.NewAdmin(NOWHERE, Side.CONSUMER), ChannelNotFound),
    (m.DestroyAdmin(1, Side.CONSUMER, NOWHERE), AdminNotFound),
    (m.ObtainProxy(NOWHERE, Side.CONSUMER, Style.PUSH), ChannelNotFound),
    (m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, admin=NOWHERE), AdminNotFound),
    (m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, qos={"Timeout": -1}), UnsupportedQoS),
    (m.Connect(1, NOWHERE), ProxyNotFound),
    (m.Connect(1, CONSUMER), TidingsError),
    (m.Connect(1, IDLE, reachable=False), InvalidUsage),
    (m.Connect(1, IDLE, window=0), InvalidUsage),
    (m.Detach(1, NOWHERE), ProxyNotFound),
    (m.Disconnect(1, NOWHERE), ProxyNotFound),
    (m.Suspend(1, IDLE), TidingsError),
    (m.Suspend(1, PULLER), InvalidUsage),
    (m.Resume(1, CONSUMER), TidingsError),
    (m.SetQoS(PROXY, {"Priority": 3, "Timeout": -1}), UnsupportedQoS),
    (m.SetQoS(Place(1), {"EventReliability": 1}), UnsupportedQoS),
    (m.SetQoS(Place(1, proxy=NOWHERE), {}), ProxyNotFound),
    (m.SetQoS(Place(1, Side.CONSUMER, NOWHERE), {}), AdminNotFound),
    (m.ValidateQoS(PROXY, {"Nonsense": 1}), UnsupportedQoS),
    (m.ValidateEventQoS(1, NOWHERE, {}), ProxyNotFound),
    (m.SetAdminProperties(1, {"MaxConsumers": 5, "Nonsense": 1}), UnsupportedAdmin),
    (m.SetAdminProperties(NOWHERE, {}), ChannelNotFound),
    (m.CreateFilter(grammar="SQL"), InvalidGrammar),
    (m.AddConstraints(NOWHERE, []), FilterNotFound),
    (m.AddConstraints(2, [constraint("TRUE")]), InvalidUsage),
    (m.ModifyConstraints(1, [NOWHERE]), ConstraintNotFound),
    (m.ModifyConstraints(1, [1], {NOWHERE: constraint("TRUE")}), ConstraintNotFound),
    (m.ClearFilter(NOWHERE), FilterNotFound),
    (m.DestroyFilter(NOWHERE), FilterNotFound),
    (m.AddMapped(1, []), InvalidUsage),
    (m.AddMapped(2, [MAPPED]), InvalidMappingValue),
    (m.ModifyMapped(2, [NOWHERE]), ConstraintNotFound),
    (m.AddFilter(PROXY, NOWHERE), FilterNotFound),
    (m.AddFilter(PROXY, 2), InvalidUsage),
    (m.AddFilter(Place(1), 1), InvalidUsage),
    (m.RemoveFilter(PROXY, NOWHERE), FilterNotFound),
    (m.RemoveAllFilters(Place(1, proxy=NOWHERE)), ProxyNotFound),
    (m.SetMapping(PROXY, "priority", 1), InvalidUsage),
    (m.SetMapping(PROXY, "lifetime", 2), InvalidUsage),
    (m.SetMapping(PROXY, "colour", 2), InvalidUsage),
    (m.SetMapping(Place(1, proxy=SUPPLIER), "priority", 2), InvalidUsage),
    (m.OfferChange(PROXY, []), InvalidUsage),
    (m.SubscriptionChange(Place(1, Side.SUPPLIER, 0), []), InvalidUsage),
    (m.SubscriptionChange(Place(1, proxy=NOWHERE)), ProxyNotFound),
    (m.ObtainTypes(1, NOWHERE, InfoMode.ALL_NOW_UPDATES_OFF), ProxyNotFound),
    (c.Push(NOWHERE, SUPPLIER, [named("a")]), ChannelNotFound),
    (c.Push(1, NOWHERE, [named("a")]), ProxyNotFound),
    (c.Push(1, SUPPLIER, [named("a")], []), InvalidUsage),
    (c.Pull(1, CONSUMER, 1), InvalidUsage),
    (c.Pull(1, PULLER, 1, 0), InvalidUsage),
    (c.Pull(1, SUPPLIER, 1), InvalidUsage),
    (c.CancelPull(1, NOWHERE, 1), ProxyNotFound),
    (c.Ack(NOWHERE, CONSUMER, [1]), ChannelNotFound),
    (c.Ack(1, SUPPLIER, [1]), InvalidUsage),
    (c.Failed(1, NOWHERE, [1], "why"), ProxyNotFound),
    (c.Reject(1, NOWHERE, [1], "why"), ProxyNotFound),
    (c.Polled(1, CONSUMER), InvalidUsage),
    (c.DryRun(1, named("a"), NOWHERE), ProxyNotFound),
    (c.Refilled(1, NOWHERE, [], 0), ProxyNotFound),
    (c.Revoke(NOWHERE, [1]), ChannelNotFound),
    (c.Idle(1, NOWHERE), ProxyNotFound),
]


def settled_machine() -> Machine:
    machine = Machine()
    machine.do(m.CreateChannel("1" * 32, name="roads"))
    assert machine.new_consumer() == CONSUMER
    assert machine.new_consumer(connect=False) == IDLE
    assert machine.pull_consumer() == PULLER
    machine.filtered(PROXY, "$event_name != 'none'")
    machine.do(m.CreateMapping(Any(tc.SHORT, 0)))
    machine.push("a", "b")
    return machine


@pytest.mark.parametrize(
    ("command", "error"),
    REFUSED,
    ids=[f"{type(x).__name__}-{i}" for i, (x, _) in enumerate(REFUSED)],
)
def test_a_refused_command_has_changed_nothing(
    command: c.Command, error: type[TidingsError]
) -> None:
    machine = settled_machine()
    before = machine.view()
    answers, effects = machine.factory.handle_many([command], 5)
    assert isinstance(answers[0], error)
    assert effects == []
    assert machine.view() == before
    assert machine.push("c") == [3], "no number was used"


def test_an_error_does_not_keep_the_other_commands_back() -> None:
    machine = settled_machine()
    push = c.Push(machine.channel, machine.supplier, [named("c")])
    first, error, last = machine.do_many(push, m.Detach(1, NOWHERE), push)
    assert (first, last) == ([3], [4])
    assert isinstance(error, ProxyNotFound)


def test_a_batch_of_pushes_is_one_delivery() -> None:
    machine = Machine()
    machine.new_consumer(window=9)
    push = c.Push(machine.channel, machine.supplier, [named("c")])
    machine.do_many(push, push, push)
    assert [type(effect) for effect in machine.effects] == [Accepted] * 3 + [Deliver]


def test_handle_raises_what_was_wrong() -> None:
    machine = Machine()
    with pytest.raises(ChannelNotFound, match="no channel 99"):
        machine.factory.handle(m.DestroyChannel(99), 0)
    with pytest.raises(ChannelNotFound):
        machine.factory.channel(99)


def test_a_new_channel_has_its_default_admins() -> None:
    machine = Machine()
    second = machine.do(m.CreateChannel("1" * 32, name="roads"))
    assert second == machine.channel + 1
    kinds = [(x.kind, x.key) for x in machine.of(TopologyChanged) if x.channel]
    assert kinds == [("channel", "2"), ("admin", "supplier/0"), ("admin", "consumer/0")]
    assert {change.channel for change in machine.of(PlanChanged)} == {second}
    assert set(machine.factory.channels) == {1, 2}


def test_channels_know_nothing_of_each_other() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    second = machine.do(m.CreateChannel("1" * 32))
    supplier = machine.do(m.ObtainProxy(second, Side.SUPPLIER, Style.PUSH))
    with pytest.raises(Disconnected):
        machine.do(c.Push(second, supplier, [named("a")]))
    machine.do(m.Connect(second, supplier))
    assert machine.do(c.Push(second, supplier, [named("a")])) == [1]
    assert machine.delivered(consumer) == []


def test_names_with_a_wildcard_inside_can_be_refused() -> None:
    machine = Machine(Settings(partial_wildcards=False))
    consumer = machine.new_consumer()
    place = Place(machine.channel, proxy=consumer)
    with pytest.raises(InvalidEventType):
        machine.do(m.SubscriptionChange(place, [EventTypePattern("Traffic", "Sp*d")]))


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
    whole = pumping.pump

    def faulty(proxy: Proxy, now: int) -> None:
        if proxy.id == first:
            raise ZeroDivisionError("planted")
        whole(proxy, now)

    with monkeypatch.context() as patch:
        patch.setattr(factory, "pump", faulty)
        with pytest.raises(ZeroDivisionError):
            machine.push("one")
    machine.do(c.Tick())
    assert [e.proxy for e in machine.effects if isinstance(e, Deliver)] == [second]
