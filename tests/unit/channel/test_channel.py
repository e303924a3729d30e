from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.channel.machine import PERSISTENT_CHANNEL, Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.channel import RESERVED_AT_ONCE
from tidings.channel.effects import Accepted, Deliver, Reserved, Settled
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Form, Item, Place, Side, Style
from tidings.errors import (
    AdminNotFound,
    Disconnected,
    InvalidEvent,
    InvalidUsage,
    LimitExceeded,
    ProxyNotFound,
    TidingsError,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent


def test_events_are_numbered_without_gaps() -> None:
    machine = Machine()
    assert machine.push("a", "b") == [1, 2]
    assert machine.push("c") == [3]


def test_an_event_goes_to_every_consumer_as_one_entry() -> None:
    machine = Machine()
    one, other = machine.new_consumer(), machine.new_consumer()
    machine.push("a")
    [accepted] = machine.of(Accepted)
    assert sorted(accepted.recipients) == [one, other]
    assert accepted.entry is machine.of(Deliver)[0].entries[0]
    assert accepted.entry is machine.of(Deliver)[1].entries[0]
    assert (accepted.seq, accepted.event.name, accepted.arrival) == (1, "a", 0)


def test_accepted_comes_before_everything_that_rests_on_it() -> None:
    machine = Machine()
    machine.new_consumer(MaxEventsPerConsumer=1)
    machine.push("a", "b", "c", "d")
    seen = set()
    for effect in machine.effects:
        if isinstance(effect, Accepted):
            seen.add(effect.seq)
        elif isinstance(effect, Deliver):
            assert seen >= {entry.seq for entry in effect.entries}
        elif isinstance(effect, Settled):
            assert seen >= set(effect.seqs)


def test_an_event_for_nobody_is_accepted_and_leaves_nothing() -> None:
    machine = Machine()
    assert machine.push("a") == [1]
    assert machine.of(Accepted)[0].recipients == []
    assert machine.is_empty()


def test_only_connected_consumers_get_events() -> None:
    machine = Machine()
    later = machine.new_consumer(connect=False)
    machine.push("a")
    machine.do(m.Connect(machine.channel, later))
    assert machine.delivered(later) == []
    machine.push("b")
    assert machine.delivered(later) == [2]


def test_arrival_is_the_time_of_the_world() -> None:
    machine = Machine()
    machine.now = 7
    machine.do(c.ClockSet(1_000))
    machine.push("a")
    assert machine.of(Accepted)[0].arrival == 1_007


def test_settled_when_the_last_consumer_has_it() -> None:
    machine = Machine()
    one, other = machine.new_consumer(), machine.new_consumer()
    machine.push("a")
    machine.ack(one, 1)
    assert not machine.of(Settled)
    assert machine.factory.core.octets > 0
    machine.ack(other, 1)
    assert machine.of(Settled) == [Settled(machine.channel, [1])]
    assert machine.is_empty()


class TestRefused:
    def test_nobody_is_connected(self) -> None:
        machine = Machine()
        idle = machine.do(m.ObtainProxy(machine.channel, Side.SUPPLIER, Style.PUSH))
        with pytest.raises(Disconnected, match=f"proxy {idle}"):
            machine.do(c.Push(machine.channel, idle, [named("a")]))

    def test_a_consumers_proxy_takes_nothing_in(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        with pytest.raises(InvalidUsage):
            machine.do(c.Push(machine.channel, consumer, [named("a")]))

    def test_too_many_at_once(self) -> None:
        machine = Machine(Settings(limits=Limits(batch_events=2)))
        assert machine.push("a", "b") == [1, 2]
        with pytest.raises(LimitExceeded, match="at most 2 events, not 3"):
            machine.push("c", "d", "e")
        assert machine.push("f") == [3]

    def test_one_too_large_does_not_keep_the_others_out(self) -> None:
        machine = Machine(Settings(limits=Limits(event_octets=1_000)))
        [first, large, last] = machine.push("a", named("b", data={"text": "x" * 1_000}), "c")
        assert (first, last) == (1, 2)
        assert isinstance(large, LimitExceeded)

    def test_marks_must_be_as_many_as_events(self) -> None:
        machine = Machine()
        push = c.Push(machine.channel, machine.supplier, [named("a")], [])
        with pytest.raises(InvalidUsage, match="1 events came with 0 producer marks"):
            machine.do(push)

    def test_what_is_no_event(self) -> None:
        machine = Machine()
        wrong: Item = "text"  # type: ignore[assignment]
        push = c.Push(machine.channel, machine.supplier, [wrong, named("a")])
        [error, seq] = machine.do(push)
        assert isinstance(error, InvalidEvent)
        assert seq == 1

    def test_ids_that_name_nothing(self) -> None:
        machine = Machine()
        channel = machine.core_channel
        with pytest.raises(ProxyNotFound, match="no proxy 99"):
            channel.proxy(99)
        with pytest.raises(AdminNotFound, match="no consumer admin 9"):
            channel.admin(Side.CONSUMER, 9)


class TestMarks:
    def push(self, machine: Machine, name: str, number: int) -> object:
        marks = [ProducerMark("radar", number)]
        push = c.Push(machine.channel, machine.supplier, [named(name)], marks)
        return machine.do(push)[0]

    def test_the_same_mark_is_accepted_once(self) -> None:
        machine = Machine()
        machine.new_consumer()
        assert self.push(machine, "a", 1) == 1
        assert machine.of(Accepted)[0].mark == ProducerMark("radar", 1)
        assert self.push(machine, "a", 1) == 1
        assert not machine.effects
        assert self.push(machine, "b", 2) == 2

    def test_what_a_filter_stopped_is_answered_so_again(self) -> None:
        machine = Machine()
        filter_id = machine.filtered(Place(machine.channel, proxy=machine.supplier), "FALSE")
        assert self.push(machine, "a", 1) == 0
        machine.do(m.ClearFilter(filter_id))
        assert self.push(machine, "a", 1) == 0

    def test_what_was_refused_may_come_again(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 1})
        consumer = machine.new_consumer()
        assert self.push(machine, "a", 1) == 1
        assert isinstance(self.push(machine, "b", 2), LimitExceeded)
        machine.ack(consumer, 1)
        assert self.push(machine, "b", 2) == 2


@given(
    st.lists(st.sampled_from(["wanted", "unwanted", "stopped", "large", "invalid"]), max_size=6),
    st.integers(0, 4),
    st.integers(0, 3),
)
def test_a_whole_push_is_accepted_as_single_ones_would_be_or_changes_nothing(
    names: list[str], most: int, before: int
) -> None:
    items: dict[str, Item] = {"large": named("large", data={"x": "x" * 2_000}), "invalid": "no"}  # type: ignore[dict-item]
    answers = []
    for whole in (False, True):
        machine = Machine(Settings(limits=Limits(event_octets=1_500)))
        consumer = machine.new_consumer()
        machine.filtered(Place(machine.channel, proxy=consumer), "$event_name == 'wanted'")
        supplier = Place(machine.channel, proxy=machine.supplier)
        machine.filtered(supplier, "$event_name != 'stopped'")
        machine.push(*["wanted"] * before)
        machine.set_admin(MaxQueueLength=most)
        batch = [items.get(name, named(name)) for name in names]
        push = c.Push(machine.channel, machine.supplier, batch, whole=batch if whole else ())
        count = machine.core_channel.seq
        answers.append(machine.do_many(push)[0])
        if isinstance(answers[-1], TidingsError):
            assert machine.core_channel.seq == count
    single, together = answers
    refused = [one for one in single if isinstance(one, TidingsError)]
    assert type(together) is type(refused[0]) if refused else together == single


class TestForms:
    @pytest.mark.parametrize("form", Form)
    def test_every_form_gets_every_event(self, form: Form) -> None:
        machine = Machine()
        consumer = machine.new_consumer(form=form)
        assert machine.push(named("a"), Any(tc.SHORT, 4)) == [1, 2]
        assert machine.drained(consumer) == [1, 2]

    def test_a_bare_value_is_an_event_of_type_any(self) -> None:
        machine = Machine()
        machine.push(Any(tc.SHORT, 4))
        assert machine.of(Accepted)[0].event == StructuredEvent("", "%ANY", body=Any(tc.SHORT, 4))

    def test_an_event_in_an_any_is_that_event(self) -> None:
        machine = Machine()
        machine.push(named("a").as_any())
        assert machine.of(Accepted)[0].event == named("a")

    def test_wrapped_events_stay_wrapped_where_that_is_set(self) -> None:
        machine = Machine(Settings(unwrap=False))
        machine.push(named("a").as_any())
        assert machine.of(Accepted)[0].event.type == "%ANY"

    def test_filters_see_the_form_of_the_event(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(form=Form.ANY, window=9)
        machine.filtered(Place(machine.channel, proxy=consumer), "$ > 3")
        machine.push(Any(tc.SHORT, 2), Any(tc.SHORT, 4), named("a"))
        assert machine.delivered(consumer) == [2]


class TestSupplierFilters:
    def test_of_the_proxy(self) -> None:
        machine = Machine()
        other = machine.new_supplier()
        machine.filtered(Place(machine.channel, proxy=machine.supplier), "$rate > 50")
        slow, fast = named("a", data={"rate": 10}), named("b", data={"rate": 60})
        assert machine.push(slow, fast) == [0, 1]
        assert machine.do(c.Push(machine.channel, other, [slow])) == [2]

    def test_of_the_admin(self) -> None:
        machine = Machine()
        place = Place(machine.channel, Side.SUPPLIER, 0)
        machine.filtered(place, "$event_name == 'a'")
        assert machine.push("a", "b") == [1, 0]
        machine.do(m.RemoveAllFilters(place))
        assert machine.push("b") == [2]


class TestReserved:
    def test_numbers_without_a_record_are_reserved(self) -> None:
        machine = Machine(spills=True)
        machine.push("a")
        assert machine.effects[0] == Reserved(machine.channel, 1 + RESERVED_AT_ONCE, 1, 0)
        machine.push("b")
        assert not machine.of(Reserved)

    def test_before_the_reserve_is_used_up(self) -> None:
        machine = Machine(spills=True)
        machine.push("a")
        machine.core_channel.seq = RESERVED_AT_ONCE
        machine.push("b")
        assert not machine.of(Reserved)
        machine.push("c")
        seq = RESERVED_AT_ONCE + 2
        expected = Reserved(machine.channel, seq + RESERVED_AT_ONCE, seq, 0)
        assert machine.of(Reserved) == [expected]

    def test_persistent_events_leave_a_record_themselves(self) -> None:
        machine = Machine(spills=True, qos=PERSISTENT_CHANNEL)
        machine.push("a")
        assert not machine.of(Reserved)

    def test_without_a_disk_nothing_is_reserved(self) -> None:
        machine = Machine()
        machine.push("a")
        assert not machine.of(Reserved)


def test_persistent_events_name_who_is_served_after_a_crash() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL, spills=True)
    durable = machine.new_consumer()
    passing = machine.new_consumer(ConnectionReliability=0)
    machine.push("a", named("b", header={"EventReliability": 0}))
    first, second = machine.of(Accepted)
    assert sorted(first.recipients) == [durable, passing]
    assert first.durable == [durable]
    assert first.entry.octets == 0
    assert list(second.durable) == []
    assert second.entry.octets > 0


def test_hops_are_passed_on() -> None:
    machine = Machine()
    push = c.Push(machine.channel, machine.supplier, [named("a")], None, ("1" * 32,))
    machine.do(push)
    assert machine.of(Accepted)[0].hops == ("1" * 32,)
