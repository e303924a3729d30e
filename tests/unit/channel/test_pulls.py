from __future__ import annotations

import pytest

from tests.unit.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Done, Outcome, Pulled, PullEnded, Refill
from tidings.channel.settings import DEFAULT_SETTINGS, Limits, Settings
from tidings.channel.vocabulary import Style
from tidings.errors import Disconnected, InvalidUsage


def test_try_pull() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    assert machine.pull(consumer, wait=0) == []
    machine.push("a")
    assert machine.pull(consumer, wait=0) == [1]
    assert machine.done(consumer) == {}
    machine.do(c.Ack(machine.channel, consumer, [1]))  # as the engine does on handing it over
    assert machine.done(consumer) == {Outcome.DELIVERED: 1}
    assert machine.is_empty()


def test_a_pull_waits_for_the_next_event() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    assert machine.pull(consumer, token=7) is None
    machine.wait(3_600 * SECOND)
    machine.push("a")
    assert machine.of(Pulled)[0].token == 7
    assert machine.pulled(7) == [1]


def test_an_event_goes_to_one_pull_the_oldest_first() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    machine.pull(consumer, token=1)
    machine.pull(consumer, token=2)
    machine.push("a")
    assert (machine.pulled(1), machine.pulled(2)) == ([1], None)
    machine.push("b", "c")
    assert machine.pulled(2) == [2]
    assert machine.waiting(consumer) == [3]


def test_consumers_do_not_share_events() -> None:
    machine = Machine()
    one, other = machine.pull_consumer(), machine.pull_consumer()
    machine.push("a")
    assert machine.pull(one) == [1]
    assert machine.pull(other) == [1]


def test_waiting_ends_without_an_event() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    machine.pull(consumer, wait=SECOND)
    machine.wait(SECOND - 1)
    assert machine.pulled() is None
    machine.wait(1)
    assert machine.pulled() == []
    machine.push("a")
    assert not machine.of(Pulled)


def test_whoever_waits_no_more_gets_nothing() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    machine.pull(consumer, token=4)
    machine.do(c.CancelPull(machine.channel, consumer, 4))
    machine.do(c.CancelPull(machine.channel, consumer, 99))
    machine.push("a")
    assert not machine.of(Pulled)
    assert machine.waiting(consumer) == [1]


def test_waiting_ends_with_the_proxy() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    machine.pull(consumer, token=4)
    machine.do(m.Disconnect(machine.channel, consumer))
    [ended] = machine.of(PullEnded)
    assert ended.token == 4
    assert isinstance(ended.error, Disconnected)


def test_without_a_connection() -> None:
    machine = Machine()
    idle = machine.new_consumer(Style.PULL, connect=False)
    with pytest.raises(Disconnected):
        machine.pull(idle)


def test_from_a_proxy_that_pushes() -> None:
    machine = Machine()
    with pytest.raises(InvalidUsage, match="pushes to its consumer"):
        machine.pull(machine.new_consumer())


def test_priorities_count() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    machine.push(named("a"), named("b", priority=3))
    assert machine.pull(consumer) == [2]


class TestLease:
    def test_is_acknowledged(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.push("a", "b")
        assert machine.pull(consumer, 5, lease=30 * SECOND) == [1, 2]
        assert not machine.of(Done)
        machine.ack(consumer, 1)
        assert machine.done(consumer) == {Outcome.DELIVERED: 1}
        machine.wait(31 * SECOND)
        assert machine.pull(consumer, 5, lease=SECOND) == [2]
        assert machine.of(Pulled)[0].again == {2}

    def test_ends_and_the_events_come_again_in_order(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.push("a", "b", "c")
        machine.pull(consumer, 1, lease=2 * SECOND)
        machine.pull(consumer, 1, lease=1 * SECOND)
        machine.wait(2 * SECOND)
        assert machine.waiting(consumer) == [1, 2, 3]

    def test_a_waiting_pull_gets_what_comes_back(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.push("a")
        machine.pull(consumer, lease=SECOND, token=1)
        machine.pull(consumer, lease=SECOND, token=2)
        machine.wait(SECOND)
        assert machine.pulled(2) == [1]

    def test_a_late_acknowledgement_is_ignored(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.push("a")
        machine.pull(consumer, lease=SECOND)
        machine.wait(SECOND)
        machine.ack(consumer, 1)
        assert not machine.effects

    def test_what_is_handed_back_can_be_pulled_again(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.push("a")
        machine.pull(consumer, lease=SECOND)
        machine.fail(consumer, 1)
        assert machine.pull(consumer, lease=SECOND) == [1]


def test_a_consumer_cut_off_pulls_on() -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    machine.do(m.Detach(machine.channel, consumer))
    assert machine.pull(consumer) is None
    machine.push("a")
    assert machine.pulled() == [1]


def test_whoever_does_not_wait_gets_what_is_on_the_disk() -> None:
    limits = Limits(entries_per_consumer=4)
    machine = Machine(Settings(limits=limits), spills=True, qos=PERSISTENT_CHANNEL)
    consumer = machine.pull_consumer()
    machine.push("a")
    machine.do(c.Idle(machine.channel, consumer))
    assert machine.pull(consumer, wait=0) is None
    assert machine.of(Refill)
    assert machine.factory.wake_at == DEFAULT_SETTINGS.unused_proxy_lifetime
    machine.refill(consumer)
    assert machine.pulled() == [1]


def test_whoever_does_not_wait_is_answered_though_the_disk_had_nothing() -> None:
    machine = Machine(spills=True, qos=PERSISTENT_CHANNEL)
    consumer = machine.pull_consumer()
    machine.push(named("a", header={"Timeout": 10}))
    machine.do(c.Idle(machine.channel, consumer))
    machine.now = 5
    machine.pull(consumer, wait=0)
    machine.refill(consumer)
    machine.wait(0)
    assert machine.pulled() == []
    assert machine.is_empty()


@pytest.mark.parametrize("most", [0, -1, 1.5, None, "2"])
def test_a_pull_asks_for_at_least_one(most: int) -> None:
    machine = Machine()
    consumer = machine.pull_consumer()
    with pytest.raises(InvalidUsage, match="at least one event, not for"):
        machine.pull(consumer, most)
