"""The trail of a dry run: every decision with its reason, and nothing is changed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.unit.channel.machine import SECOND, Machine, moment, named
from tidings.channel.commands import ClockSet, DryRun, Push
from tidings.channel.effects import Accepted
from tidings.channel.management import (
    CreateMapping,
    ObtainProxy,
    SetMapping,
    SetQoS,
    SubscriptionChange,
)
from tidings.channel.settings import Limits, Settings
from tidings.channel.trail import Step, Traced, Trail
from tidings.channel.vocabulary import Item, Place, Side, Style
from tidings.errors import ChannelNotFound, InvalidUsage, LimitExceeded, ProxyNotFound
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern

JAM = EventTypePattern("Traffic", "Jam")


def trail(machine: Machine, item: Item | str = "one", proxy: int | None = None) -> Trail:
    """What would become of an event; nothing is changed by asking."""
    before = machine.view()
    event = named(item) if isinstance(item, str) else item
    found = machine.do(DryRun(machine.channel, event, proxy))
    assert machine.effects == []
    assert machine.view() == before
    assert isinstance(found, Trail)
    return found


def test_an_event_that_everybody_gets() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    reason = "no filters: neither the admin nor the proxy has filters"
    assert trail(machine, "one", machine.supplier) == Trail(
        machine.core_channel.plan.version,
        0,
        True,
        (consumer,),
        (
            Step("supplier", machine.supplier, True, reason),
            Step("channel", None, True, "there is room"),
            Step("consumer", consumer, True, reason, 0, None, None),
        ),
    )


def test_the_header_shows_what_applies_and_what_does_not() -> None:
    machine = Machine()
    sent = named("x", priority=4, timeout="5s", start=moment(SECOND), header={"Priorty": 9})
    step, *others = trail(machine, sent).steps
    assert step == Step(
        "header",
        None,
        True,
        "applied: Priority, StartTime, Timeout; header.Priorty has no effect; "
        "did you mean Priority?",
        4,
        5 * SECOND,
        SECOND,
    )
    assert [other.stage for other in others] == ["channel"]


def test_a_header_that_is_refused_ends_the_trail() -> None:
    machine = Machine()
    found = trail(machine, StructuredEvent("D", "T", header={"Priority": "high"}), machine.supplier)
    assert not found.accepted
    assert found.steps[-1].stage == "header"
    assert "header.Priority: must be a short" in found.steps[-1].reason


def test_without_a_proxy_no_suppliers_filters_are_asked() -> None:
    machine = Machine()
    machine.filtered(Place(machine.channel, Side.SUPPLIER, 0), "FALSE")
    assert [step.stage for step in trail(machine).steps] == ["channel"]
    found = trail(machine, "one", machine.supplier)
    assert not found.accepted
    [step] = found.steps
    assert (step.stage, step.passed) == ("supplier", False)
    assert "none of the admin's 1 constraints matches" in step.reason


def test_who_is_not_connected_gets_nothing() -> None:
    machine = Machine()
    consumer = machine.new_consumer(connect=False)
    found = trail(machine)
    assert (found.accepted, found.recipients) == (True, ())
    assert found.steps[-1] == Step("consumer", consumer, False, "not connected")
    supplier = machine.do(ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH))
    found = trail(machine, "one", supplier)
    assert (found.accepted, found.steps) == (
        False,
        (Step("supplier", supplier, False, "not connected"),),
    )


def test_every_consumer_has_a_reason() -> None:
    machine = Machine()
    passes, stops, listed = (machine.new_consumer() for _ in range(3))
    machine.filtered(Place(machine.channel, proxy=passes), "$a == 1")
    machine.filtered(Place(machine.channel, proxy=stops), "$a == 2")
    machine.do(SubscriptionChange(Place(machine.channel, proxy=listed), [JAM]))
    found = trail(machine, named("one", data={"a": 1}))
    reasons = {step.proxy: step.reason for step in found.steps if step.stage == "consumer"}
    assert found.recipients == (passes,)
    assert reasons == {
        passes: "proxy filters: '$a == 1' of the proxy matches",
        stops: "proxy filters: none of the proxy's 1 constraints matches",
        listed: "proxy list: 'Traffic::Speed' fits none of the proxy's 1 event types",
    }


@pytest.mark.parametrize("through", [True, False])
def test_priority_expiry_and_start_are_as_the_consumer_would_see_them(through: bool) -> None:
    machine = Machine(qos={"Timeout": 600_000_000})
    machine.do(ClockSet(1_000 * SECOND))
    machine.now = 5 * SECOND
    plain, mapped, own = machine.new_consumer(), machine.new_consumer(), machine.new_consumer()
    mapping, _ = machine.do(CreateMapping(Any(tc.SHORT, 7)))
    machine.do(SetMapping(Place(machine.channel, proxy=mapped), "priority", mapping))
    machine.do(SetQoS(Place(machine.channel, proxy=own), {"Priority": 3}))
    start = moment(1_010 * SECOND)
    item = named("one", start=start)
    supplier = machine.supplier if through else None
    found = trail(machine, item, supplier)
    assert found.now == 1_005 * SECOND
    seen = {s.proxy: (s.priority, s.expiry, s.start) for s in found.steps if s.stage == "consumer"}
    times = (1_065 * SECOND, 1_010 * SECOND)
    assert seen == {plain: (0, *times), mapped: (7, *times), own: (3, *times)}
    machine.push(item)
    [accepted] = machine.of(Accepted)
    entries = {id: accepted.views.get(id, accepted.entry) for id in accepted.recipients}
    real = {id: (entry.priority, entry.expiry + 1_000 * SECOND) for id, entry in entries.items()}
    assert real == {id: view[:2] for id, view in seen.items()}
    assert accepted.start == times[1]


def test_an_event_that_has_expired_is_said_to_have() -> None:
    machine = Machine()
    machine.do(ClockSet(1_000 * SECOND))
    machine.new_consumer()
    found = trail(machine, named("one", stop=moment(999 * SECOND)))
    assert found.steps[-1].reason.endswith("; it has expired")
    found = trail(machine, named("one", timeout=timedelta(seconds=1)))
    assert not found.steps[-1].reason.endswith("expired")


def test_a_consumer_that_has_enough_is_said_to_lose_one() -> None:
    machine = Machine()
    consumer = machine.new_consumer(MaxEventsPerConsumer=1, DiscardPolicy=4)
    machine.suspend(consumer)
    assert "policy" not in trail(machine).steps[-1].reason
    machine.push("one")
    reason = trail(machine).steps[-1].reason
    assert reason.endswith("; 1 events wait, one goes by LIFO policy")


def test_a_full_channel_refuses() -> None:
    machine = Machine(admin={"MaxQueueLength": 1})
    consumer = machine.new_consumer()
    machine.suspend(consumer)
    machine.push("one")
    found = trail(machine)
    assert (found.accepted, found.recipients) == (False, ())
    assert found.steps == (Step("channel", None, False, "MaxQueueLength is reached"),)
    machine.set_admin(RejectNewEvents=False)
    assert trail(machine).accepted


def test_too_large_an_event_is_refused() -> None:
    machine = Machine(Settings(limits=Limits(event_octets=2_000)))
    assert trail(machine).accepted
    found = trail(machine, named("x" * 2_000))
    assert found.steps == (Step("channel", None, False, "too large"),)


def test_bare_values_have_a_trail_too() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    machine.filtered(Place(machine.channel, proxy=consumer), "$ > 3")
    assert trail(machine, Any(tc.SHORT, 4)).recipients == (consumer,)
    assert trail(machine, Any(tc.SHORT, 3)).recipients == ()


def test_unknown_places_are_refused() -> None:
    machine = Machine()
    for command, error in (
        (DryRun(9, named("one")), ChannelNotFound),
        (DryRun(machine.channel, named("one"), 99), ProxyNotFound),
        (DryRun(machine.channel, named("one"), machine.new_consumer()), InvalidUsage),
    ):
        with pytest.raises(error):
            machine.do(command)


def test_a_real_event_can_come_with_its_trail() -> None:
    machine = Machine()
    wants, other = machine.new_consumer(), machine.new_consumer()
    machine.filtered(Place(machine.channel, proxy=other), "FALSE")
    dry = trail(machine, "one", machine.supplier)
    [answer] = machine.do(Push(machine.channel, machine.supplier, [named("one")], trail=True))
    assert answer == 1
    assert isinstance(answer, Traced)
    assert answer.trail == dry
    assert answer.trail.recipients == (wants,)
    assert [e.recipients for e in machine.effects if isinstance(e, Accepted)] == [[wants]]


def test_what_was_sent_before_is_not_decided_again() -> None:
    machine = Machine()
    marks = [ProducerMark("p", 1)]
    push = Push(machine.channel, machine.supplier, [named("one")], marks, trail=True)
    [first] = machine.do(push)
    [again] = machine.do(push)
    assert (first, again) == (1, 1)
    assert isinstance(first, Traced)
    assert not isinstance(again, Traced)


def test_each_event_of_a_traced_push_has_its_own_answer() -> None:
    machine = Machine(Settings(limits=Limits(event_octets=2_000)))
    large = named("x" * 5_000)
    events = [named("one"), large, named("two")]
    first, refused, last = machine.do(Push(machine.channel, machine.supplier, events, trail=True))
    assert (first, last) == (1, 2)
    assert isinstance(refused, LimitExceeded)
