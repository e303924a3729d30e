from __future__ import annotations

from typing import Any

import pytest

from tests.unit.channel.machine import Machine, named
from tidings.channel.commands import Push
from tidings.channel.effects import Outcome
from tidings.channel.management import Disconnect
from tidings.channel.vocabulary import Form
from tidings.errors import ChannelFull, InvalidUsage

PACING: dict[str, Any] = {"PacingInterval": 1_000}  # 100 microseconds


def batching(machine: Machine, size: int, window: int = 1, **qos: Any) -> int:
    return machine.new_consumer(form=Form.SEQUENCE, window=window, MaximumBatchSize=size, **qos)


class TestPush:
    def test_what_is_there_goes_at_once(self) -> None:
        machine = Machine()
        consumer = batching(machine, 3)
        machine.push("a", "b")
        assert machine.batches(consumer) == [[1, 2]]

    def test_a_batch_is_never_larger_than_asked_for(self) -> None:
        machine = Machine()
        consumer = batching(machine, 2, window=99)
        machine.push("a", "b", "c", "d", "e")
        assert machine.batches(consumer) == [[1, 2], [3, 4], [5]]

    def test_the_parts_of_one_push_make_one_batch(self) -> None:
        machine = Machine()
        consumer = batching(machine, 3)
        items = [named(name) for name in "abcde"]
        for part, more in ((items[:1], True), (items[1:2], True), (items[2:], False)):
            assert machine.batches(consumer) == []
            machine.do(Push(machine.channel, machine.supplier, part, more=more))
        assert machine.batches(consumer) == [[1, 2, 3]]

    def test_who_comes_between_the_parts_of_a_whole_push_takes_no_room_of_it(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 3})
        machine.new_consumer()
        items = [named(name) for name in "abc"]
        push = Push(machine.channel, machine.supplier, items[:1])
        first = push._replace(whole=items, more=True)
        second = push._replace(items=items[1:2], promised=True, more=True)
        third = push._replace(items=items[2:], promised=True)
        answers = machine.do_many(first, push, second, push, third, push)
        accepted = [[type(one) is int for one in answer] for answer in answers]
        assert accepted == [[True], [False], [True], [False], [True], [False]]
        machine.set_admin(MaxQueueLength=4)
        assert machine.do_many(push)[0] == [4]

    def test_the_rest_of_a_whole_push_gives_its_room_back_when_its_proxy_is_gone(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 3})
        machine.new_consumer()
        items = [named(name) for name in "abc"]
        push = Push(machine.channel, machine.supplier, items[:1])
        machine.do(push._replace(whole=items, more=True))
        traced = machine.do_many(push._replace(trail=True))[0]
        assert [type(one) for one in traced] == [ChannelFull]
        machine.do(Disconnect(machine.channel, machine.supplier))
        machine.do_many(push._replace(items=items[1:], promised=True))
        assert machine.core_channel.room_for(9) == 2

    def test_nobody_waits_for_the_rest_of_a_push_that_is_refused(self) -> None:
        machine = Machine(admin={"MaxQueueLength": 2})
        consumer = batching(machine, 3)
        items = [named(name) for name in "abcd"]
        push = Push(machine.channel, machine.supplier, items[:1])
        too_many = push._replace(items=items[:2], whole=items, more=True)
        assert isinstance(machine.do_many(push, too_many)[1], ChannelFull)
        assert machine.batches(consumer) == [[1]]

    def test_a_batch_may_be_larger_than_the_window(self) -> None:
        machine = Machine()
        consumer = batching(machine, 3)
        machine.push("a", "b", "c", "d")
        assert machine.batches(consumer) == [[1, 2, 3]]
        machine.ack(consumer, 1, 2)
        assert machine.batches(consumer) == []
        machine.ack(consumer, 3)
        assert machine.batches(consumer) == [[4]]

    def test_a_full_batch_does_not_wait(self) -> None:
        machine = Machine()
        consumer = batching(machine, 2, 9, **PACING)
        machine.push("a")
        assert machine.batches(consumer) == []
        machine.push("b")
        assert machine.batches(consumer) == [[1, 2]]

    def test_pacing_counts_from_the_first_event(self) -> None:
        machine = Machine()
        consumer = batching(machine, 9, 9, **PACING)
        machine.push("a")
        machine.wait(60)
        machine.push("b")
        machine.wait(39)
        assert machine.batches(consumer) == []
        machine.wait(1)
        assert machine.batches(consumer) == [[1, 2]]

    def test_the_next_batch_waits_anew(self) -> None:
        machine = Machine()
        consumer = batching(machine, 9, 99, **PACING)
        machine.push("a")
        machine.wait(500)
        machine.push("b")
        assert machine.batches(consumer) == []
        machine.wait(99)
        assert machine.batches(consumer) == []
        machine.wait(1)
        assert machine.batches(consumer) == [[2]]

    def test_time_behind_a_batch_in_flight_counts(self) -> None:
        machine = Machine()
        consumer = batching(machine, 2, **PACING)
        machine.push("a", "b", "c")
        machine.wait(500)
        machine.ack(consumer, 1, 2)
        assert machine.batches(consumer) == [[3]]

    def test_what_has_expired_fills_no_batch(self) -> None:
        machine = Machine()
        consumer = batching(machine, 2, 9, **PACING)
        machine.push(named("a", header={"Timeout": 100}))
        machine.wait(20)
        machine.push("b")
        assert machine.batches(consumer) == []
        assert machine.done(consumer) == {Outcome.EXPIRED: 1}

    def test_pacing_begins_anew_when_all_has_expired(self) -> None:
        machine = Machine()
        consumer = batching(machine, 2, 9, **PACING)
        machine.push(named("a", header={"Timeout": 100}))
        machine.wait(150)
        machine.push("b")
        machine.wait(99)
        assert machine.batches(consumer) == []
        machine.wait(1)
        assert machine.batches(consumer) == [[2]]

    def test_a_new_size_counts_at_once(self) -> None:
        machine = Machine()
        consumer = batching(machine, 9, 9, **PACING)
        machine.push("a", "b")
        machine.set_qos(consumer, MaximumBatchSize=2)
        assert machine.batches(consumer) == [[1, 2]]

    def test_a_failed_batch_goes_again_as_one(self) -> None:
        machine = Machine()
        consumer = batching(machine, 3)
        machine.push("a", "b", "c", "d")
        machine.fail(consumer, 1, 2, 3)
        machine.wait(1_000_000)
        assert machine.batches(consumer) == [[1, 2, 3]]

    def test_structured_consumers_know_no_batches(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(MaximumBatchSize=5, **PACING)
        machine.push("a")
        assert machine.batches(consumer) == [[1]]


class TestPull:
    def test_what_is_there_up_to_so_many(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer(Form.SEQUENCE)
        machine.push("a", "b", "c")
        assert machine.pull(consumer, 2) == [1, 2]
        assert machine.pull(consumer, 2) == [3]
        assert machine.pull(consumer, 2, wait=0) == []

    def test_other_forms_get_one(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.push("a", "b")
        assert machine.pull(consumer, 2) == [1]

    @pytest.mark.parametrize("most", [0, -1])
    def test_none_is_no_number(self, most: int) -> None:
        machine = Machine()
        consumer = machine.pull_consumer(Form.SEQUENCE)
        with pytest.raises(InvalidUsage, match="at least one event"):
            machine.pull(consumer, most)

    def test_a_paced_pull_waits_for_more(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer(Form.SEQUENCE, **PACING)
        machine.pull(consumer, 3)
        machine.push("a")
        assert machine.pulled() is None
        machine.push("b")
        machine.wait(99)
        assert machine.pulled() is None
        machine.wait(1)
        assert machine.pulled() == [1, 2]

    def test_until_it_has_what_it_asked_for(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer(Form.SEQUENCE, **PACING)
        machine.pull(consumer, 2)
        machine.push("a")
        machine.push("b")
        assert machine.pulled() == [1, 2]

    def test_whoever_does_not_wait_gets_what_is_there(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer(Form.SEQUENCE, **PACING)
        machine.push("a")
        assert machine.pull(consumer, 3, wait=0) == [1]

    def test_the_end_of_waiting_comes_before_the_pace(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer(Form.SEQUENCE, **PACING)
        machine.pull(consumer, 3, wait=50)
        machine.push("a")
        machine.wait(50)
        assert machine.pulled() == [1]
