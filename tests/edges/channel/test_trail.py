"""The trail of a dry run: every decision with its reason, and nothing is changed."""

from __future__ import annotations

from tests.edges.channel.machine import SECOND, Machine, moment, named
from tidings.channel.commands import ClockSet, DryRun, Push
from tidings.channel.management import ObtainProxy
from tidings.channel.trail import Step, Traced, Trail
from tidings.channel.vocabulary import Item, Side, Style
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent


def trail(machine: Machine, item: Item | str = "one", proxy: int | None = None) -> Trail:
    """What would become of an event; nothing is changed by asking."""
    before = machine.view()
    event = named(item) if isinstance(item, str) else item
    found = machine.do(DryRun(machine.channel, event, proxy))
    assert machine.effects == []
    assert machine.view() == before
    assert isinstance(found, Trail)
    return found


def test_the_header_shows_what_applies_and_what_does_not_or_ends_the_trail() -> None:
    machine = Machine()
    sent = named("x", priority=4, timeout="5s", start=moment(SECOND), header={"Priorty": 9})
    step, *others = trail(machine, sent).steps
    said = "applied: Priority, StartTime, Timeout; header.Priorty has no effect; "
    said += "did you mean Priority?"
    assert step == Step("header", None, True, said, 4, 5 * SECOND, SECOND)
    assert [other.stage for other in others] == ["channel"]
    found = trail(machine, StructuredEvent("D", "T", header={"Priority": "high"}), machine.supplier)
    assert (found.accepted, found.steps[-1].stage) == (False, "header")
    assert "header.Priority: must be a short" in found.steps[-1].reason


def test_who_is_not_connected_gets_nothing() -> None:
    machine = Machine()
    consumer = machine.new_consumer(connect=False)
    found = trail(machine)
    assert (found.accepted, found.recipients) == (True, ())
    assert found.steps[-1] == Step("consumer", consumer, False, "not connected")
    supplier = machine.do(ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH))
    found = trail(machine, "one", supplier)
    assert not found.accepted
    assert found.steps == (Step("supplier", supplier, False, "not connected"),)


def test_a_consumer_is_said_to_lose_what_has_expired_or_is_too_much() -> None:
    machine = Machine()
    machine.do(ClockSet(1_000 * SECOND))
    machine.new_consumer(suspended=True, MaxEventsPerConsumer=1, DiscardPolicy=4)
    reason = trail(machine, named("one", stop=moment(999 * SECOND))).steps[-1].reason
    assert reason.endswith("; it has expired")
    reason = trail(machine, named("one", timeout="1s")).steps[-1].reason
    assert not reason.endswith("expired")
    assert "policy" not in reason
    machine.push("one")
    reason = trail(machine).steps[-1].reason
    assert reason.endswith("; 1 events wait, one goes by LIFO policy")


def test_a_full_channel_refuses() -> None:
    machine = Machine(admin={"MaxQueueLength": 1})
    machine.new_consumer(suspended=True)
    machine.push("one")
    found = trail(machine)
    assert (found.accepted, found.recipients) == (False, ())
    assert found.steps == (Step("channel", None, False, "MaxQueueLength is reached"),)
    machine.set_admin(RejectNewEvents=False)
    assert trail(machine).accepted


def test_what_was_sent_before_is_not_decided_again() -> None:
    machine = Machine()
    marks = [ProducerMark("p", 1)]
    push = Push(machine.channel, machine.supplier, [named("one")], marks, trail=True)
    [first], [again] = machine.do(push), machine.do(push)
    assert (first, again) == (1, 1)
    assert (isinstance(first, Traced), isinstance(again, Traced)) == (True, False)
