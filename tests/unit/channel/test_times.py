"""Times of events: Timeout, StartTime, StopTime, mapping filters, and a clock that is set."""

from __future__ import annotations

from tests.unit.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, moment, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Accepted, Outcome
from tidings.channel.qos import TIME_T
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Place, Side
from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import constraint
from tidings.filters.mapping import MappedConstraint

UNITS = 10 * SECOND  # of 100 ns


class TestTimeout:
    def test_an_event_expires_before_it_is_delivered(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", named("b", header={"Timeout": UNITS}), "c")
        machine.now = SECOND
        machine.ack(consumer, 1)
        assert machine.done(consumer) == {Outcome.DELIVERED: 1, Outcome.EXPIRED: 1}
        assert machine.delivered(consumer) == [3]

    def test_the_moment_before_it_does_not(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", named("b", header={"Timeout": UNITS}))
        machine.now = SECOND - 1
        machine.ack(consumer, 1)
        assert machine.delivered(consumer) == [2]

    def test_what_nobody_takes_is_swept_away(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.suspend(consumer)
        machine.push(named("a", header={"Timeout": UNITS}), "b")
        machine.wait(11 * SECOND)
        assert machine.done(consumer) == {Outcome.EXPIRED: 1}
        assert machine.waiting(consumer) == [2]

    def test_also_what_was_in_flight_to_a_consumer_cut_off(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push(named("a", header={"Timeout": UNITS}))
        machine.do(m.Detach(machine.channel, consumer))
        machine.wait(11 * SECOND)
        assert machine.done(consumer) == {Outcome.EXPIRED: 1}

    def test_of_the_suppliers_proxy_unless_the_header_has_one(self) -> None:
        machine = Machine()
        machine.new_consumer()
        machine.set_qos(machine.supplier, Timeout=UNITS)
        machine.push("a", named("b", header={"Timeout": 2 * UNITS}))
        assert [x.entry.expiry for x in machine.of(Accepted)] == [SECOND, 2 * SECOND]

    def test_of_the_consumers_proxy_for_its_own_copy(self) -> None:
        machine = Machine()
        other, consumer = machine.new_consumer(), machine.new_consumer(Timeout=UNITS, Priority=4)
        machine.push("a")
        [accepted] = machine.of(Accepted)
        assert set(accepted.views) == {consumer}
        assert accepted.views[consumer].expiry == SECOND
        assert accepted.views[consumer].priority == 4
        machine.now = SECOND
        machine.do(m.Connect(machine.channel, consumer, again=True))
        assert machine.done(consumer) == {Outcome.EXPIRED: 1}
        machine.do(m.Connect(machine.channel, other, again=True))
        assert machine.delivered(other) == [1]

    def test_the_header_goes_before_the_consumers_proxy(self) -> None:
        machine = Machine()
        machine.new_consumer(Timeout=UNITS, Priority=4)
        machine.push(named("a", header={"Timeout": 2 * UNITS, "Priority": 0}))
        assert not machine.of(Accepted)[0].views

    def test_a_header_out_of_range_is_refused_and_leaves_nothing_behind(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        before = machine.view()
        [refused] = machine.push(named("a", header={"Priority": -32768}))
        assert isinstance(refused, InvalidEvent)
        assert machine.view() == before
        assert machine.push("b") == [1]
        assert machine.delivered(consumer) == [1]


class TestStopTime:
    def test_the_earlier_of_both_counts(self) -> None:
        machine = Machine()
        machine.new_consumer()
        machine.push(
            named("a", stop=moment(SECOND), header={"Timeout": 2 * UNITS}),
            named("b", stop=moment(2 * SECOND), header={"Timeout": UNITS}),
        )
        assert [x.entry.expiry for x in machine.of(Accepted)] == [SECOND, SECOND]

    def test_in_the_past(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.now = 5
        machine.push(named("a", stop=moment(5)))
        assert machine.done(consumer) == {Outcome.EXPIRED: 1}
        assert machine.is_empty()

    def test_where_it_is_not_supported(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(StopTimeSupported=False)
        machine.now = 5
        machine.push(named("a", stop=moment(5)))
        assert machine.delivered(consumer) == [1]


class TestStartTime:
    def test_not_before(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=9)
        machine.push(named("a", start=moment(SECOND)), "b")
        assert machine.delivered(consumer) == [2]
        machine.wait(SECOND - 1)
        assert machine.delivered(consumer) == []
        machine.wait(1)
        assert machine.delivered(consumer) == [1]

    def test_joins_the_queue_in_its_order(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", "b", named("c", start=moment(SECOND), priority=9))
        machine.wait(SECOND)
        machine.ack(consumer, 1)
        assert machine.delivered(consumer) == [3]

    def test_later_than_its_end_is_never(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push(named("a", start=moment(2 * SECOND), stop=moment(SECOND)))
        machine.wait(3 * SECOND)
        assert machine.done(consumer) == {Outcome.EXPIRED: 1}
        assert machine.is_empty()

    def test_where_it_is_not_supported(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(StartTimeSupported=False)
        machine.push(named("a", start=moment(SECOND)))
        assert machine.delivered(consumer) == [1]

    def test_for_a_pull(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.push(named("a", start=moment(SECOND)))
        assert machine.pull(consumer, wait=0) == []
        machine.pull(consumer)
        machine.wait(SECOND)
        assert machine.pulled() == [1]


class TestClockSet:
    def test_the_end_of_an_event_moves_with_the_clock(self) -> None:
        for change, over in ((SECOND, True), (-SECOND, False)):
            machine = Machine()
            consumer = machine.new_consumer()
            machine.push("a", named("b", stop=moment(2 * SECOND)))
            machine.do(c.ClockSet(change))
            machine.now = SECOND if over else 2 * SECOND
            machine.ack(consumer, 1)
            assert machine.delivered(consumer) == ([] if over else [2])

    def test_a_timeout_does_not(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", named("b", header={"Timeout": 2 * UNITS}))
        machine.do(c.ClockSet(3_600 * SECOND))
        machine.now = 2 * SECOND - 1
        machine.ack(consumer, 1)
        assert machine.delivered(consumer) == [2]

    def test_a_start_moves(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push(named("a", start=moment(3 * SECOND)))
        machine.do(c.ClockSet(-SECOND))
        machine.wait(4 * SECOND - 1)
        assert machine.delivered(consumer) == []
        machine.do(c.ClockSet(SECOND))
        machine.wait(0)
        assert machine.delivered(consumer) == [1]

    def test_also_of_what_waits_for_its_start_or_is_in_flight(self) -> None:
        machine = Machine()
        consumer, other = machine.new_consumer(), machine.new_consumer()
        machine.push(named("a", stop=moment(9 * SECOND)))
        machine.push(named("b", start=moment(5 * SECOND), stop=moment(9 * SECOND)))
        machine.do(c.ClockSet(-10 * SECOND))
        machine.wait(16 * SECOND)
        machine.do(m.Connect(machine.channel, consumer, window=9, again=True))
        assert machine.delivered(consumer) == [1, 2]
        machine.do(c.ClockSet(0))
        machine.do(m.Connect(machine.channel, other, window=9, again=True))
        assert machine.done(other) == {Outcome.EXPIRED: 2}


class TestMapping:
    def mapped(self, machine: Machine, default: Any, *pairs: tuple[str, Any]) -> int:
        made = [MappedConstraint(constraint(text), value) for text, value in pairs]
        filter_id: int = machine.do(m.CreateMapping(default, made))[0]
        return filter_id

    def test_of_priorities(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        mapping = self.mapped(
            machine, Any(tc.SHORT, -1), ("$event_name == 'urgent'", Any(tc.SHORT, 9))
        )
        place = Place(machine.channel, proxy=consumer)
        machine.do(m.SetMapping(place, "priority", mapping))
        machine.push("a", named("b", priority=3), "c", "urgent")
        assert machine.drained(consumer) == [4, 2, 1, 3]
        machine.do(m.SetMapping(place, "priority", None))
        machine.push("d", "e", "urgent")
        assert machine.drained(consumer) == [5, 6, 7]

    def test_of_lifetimes_at_the_admin(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        mapping = self.mapped(machine, Any(TIME_T, 0), ("$event_name == 'brief'", Any(TIME_T, 10)))
        admin = Place(machine.channel, Side.CONSUMER, 0)
        machine.do(m.SetMapping(admin, "lifetime", mapping))
        machine.push("a", "brief", "c")
        machine.now = 1
        machine.ack(consumer, 1)
        assert machine.delivered(consumer) == [3]

    def test_the_proxys_goes_before_the_admins(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        low = self.mapped(machine, Any(tc.SHORT, 0), ("TRUE", Any(tc.SHORT, -5)))
        high = self.mapped(machine, Any(tc.SHORT, 0), ("TRUE", Any(tc.SHORT, 5)))
        machine.do(m.SetMapping(Place(machine.channel, Side.CONSUMER, 0), "priority", low))
        machine.do(m.SetMapping(Place(machine.channel, proxy=consumer), "priority", high))
        machine.push("a")
        assert machine.of(Accepted)[0].views[consumer].priority == 5

    def test_a_default_for_events_without_their_own(self) -> None:
        for settings, expected in ((Settings(), 3), (Settings(mapping_default_always=True), 7)):
            machine = Machine(settings)
            consumer = machine.new_consumer()
            mapping = self.mapped(machine, Any(tc.SHORT, 7))
            machine.do(m.SetMapping(Place(machine.channel, proxy=consumer), "priority", mapping))
            machine.push("a", named("b", priority=3))
            without, own = machine.of(Accepted)
            assert without.views[consumer].priority == 7
            assert own.views.get(consumer, own.entry).priority == expected


def test_deadlines_come_first_in_their_order() -> None:
    machine = Machine()
    consumer = machine.new_consumer(OrderPolicy=3)
    times = [(9, "late"), (1, "soon"), (5, "then")]
    machine.push("first", *(named(name, header={"Timeout": t * UNITS}) for t, name in times))
    assert machine.drained(consumer) == [3, 4, 2, 1]


def test_after_recovery_expired_events_are_swept_away_though_nobody_is_there() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    consumer = machine.new_consumer()
    machine.push(named("a", header={"Timeout": UNITS}))
    [accepted] = machine.of(Accepted)
    machine.ack(consumer, 1)
    machine.do(m.Detach(machine.channel, consumer))
    served = machine.factory.load_pending(machine.channel, accepted.entry, None, [consumer], 0)
    assert served == 1
    machine.factory.recovered({}, 0)
    machine.wait(11 * SECOND)
    assert machine.done(consumer) == {Outcome.EXPIRED: 1}
