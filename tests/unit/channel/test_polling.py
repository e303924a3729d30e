from __future__ import annotations

import pytest

from tests.unit.channel.machine import PERSISTENT_CHANNEL, SECOND, Machine, named
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Accepted, DisconnectPeer, Notice, NoticeKind, Poll
from tidings.channel.vocabulary import Form, Place, Style
from tidings.errors import InvalidUsage, ProxyNotFound


def polled(machine: Machine, supplier: int, *names: str, reason: str = "") -> None:
    items = [named(name) for name in names]
    machine.do(c.Polled(machine.channel, supplier, items, reason))


def test_a_supplier_is_asked_when_it_connects() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    assert machine.of(Poll) == [Poll(machine.channel, supplier, 1)]


def test_whoever_had_something_is_asked_again_at_once() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    polled(machine, supplier, "a", "b")
    assert [accepted.event.name for accepted in machine.of(Accepted)] == ["a", "b"]
    assert len(machine.of(Poll)) == 1


def test_whoever_had_nothing_is_asked_later() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    polled(machine, supplier)
    assert not machine.of(Poll)
    machine.wait(SECOND - 1)
    assert not machine.of(Poll)
    machine.wait(1)
    assert len(machine.of(Poll)) == 1
    machine.wait(60 * SECOND)
    assert not machine.of(Poll), "one question at a time"


def test_a_sequence_supplier_is_asked_for_a_batch() -> None:
    machine = Machine(qos={"MaximumBatchSize": 7})
    machine.new_supplier(Style.PULL, Form.SEQUENCE)
    assert machine.of(Poll)[0].most == 7


def test_a_suspended_supplier_is_not_asked() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    machine.suspend(supplier)
    polled(machine, supplier, "a")
    assert len(machine.of(Accepted)) == 1
    assert not machine.of(Poll)
    assert not machine.wait(60 * SECOND)
    machine.resume(supplier)
    assert len(machine.of(Poll)) == 1


def test_resuming_does_not_ask_twice() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    machine.suspend(supplier)
    machine.resume(supplier)
    assert not machine.of(Poll)


def test_a_full_channel_asks_for_no_more_than_it_takes() -> None:
    machine = Machine(qos={"MaximumBatchSize": 5}, admin={"MaxQueueLength": 3})
    consumer = machine.new_consumer()
    supplier = machine.new_supplier(Style.PULL, Form.SEQUENCE)
    assert machine.of(Poll)[0].most == 3
    polled(machine, supplier, "a")
    assert machine.of(Poll)[0].most == 2
    polled(machine, supplier, "b", "c")
    assert not machine.of(Poll)
    machine.wait(SECOND)
    assert not machine.of(Poll)
    machine.ack(consumer, 1)
    machine.wait(SECOND)
    assert machine.of(Poll)[0].most == 1


class TestFailures:
    def test_pauses_double(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        supplier = machine.new_supplier(Style.PULL)
        pauses = []
        for _ in range(7):
            polled(machine, supplier, reason="no answer")
            before = machine.now
            while not machine.of(Poll):
                machine.wait(SECOND)
            pauses.append((machine.now - before) // SECOND)
        assert pauses == [1, 2, 4, 8, 16, 30, 30]

    def test_one_notice_for_a_row_of_failures(self) -> None:
        machine = Machine()
        supplier = machine.new_supplier(Style.PULL)
        polled(machine, supplier, reason="no answer")
        assert [notice.kind for notice in machine.of(Notice)] == [NoticeKind.FAILING]
        machine.wait(SECOND)
        polled(machine, supplier, reason="no answer")
        assert not machine.of(Notice)
        machine.wait(30 * SECOND)
        polled(machine, supplier, "a")
        polled(machine, supplier, reason="no answer")
        assert len(machine.of(Notice)) == 1

    def test_a_best_effort_connection_is_given_up(self) -> None:
        machine = Machine()
        supplier = machine.new_supplier(Style.PULL)
        for _ in range(5):
            polled(machine, supplier, reason="no answer")
            gone = machine.of(DisconnectPeer)
            kinds = [notice.kind for notice in machine.of(Notice)]
            machine.wait(30 * SECOND)
        assert gone == [DisconnectPeer(machine.channel, supplier, True)]
        assert kinds == [NoticeKind.GIVEN_UP]
        with pytest.raises(ProxyNotFound):
            polled(machine, supplier)

    def test_a_supplier_that_is_gone(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        supplier = machine.new_supplier(Style.PULL)
        machine.do(c.Polled(machine.channel, supplier, gone=True))
        assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, supplier, False)]


def test_its_events_pass_its_filters() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    machine.filtered(Place(machine.channel, proxy=supplier), "$event_name == 'b'")
    polled(machine, supplier, "a", "b")
    assert [accepted.event.name for accepted in machine.of(Accepted)] == ["b"]


def test_a_supplier_cut_off_is_not_asked() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    machine.do(m.Detach(machine.channel, supplier))
    assert not machine.wait(60 * SECOND)


def test_an_answer_nobody_asked_for() -> None:
    machine = Machine()
    polled(machine, machine.supplier, "a")
    assert machine.effects == []
    with pytest.raises(InvalidUsage):
        polled(machine, machine.new_consumer(), "a")


def test_whoever_has_only_what_is_no_event_is_not_asked_at_once() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    machine.do(c.Polled(machine.channel, supplier, [5]))  # type: ignore[list-item]
    assert not machine.of(Poll)
    [notice] = machine.of(Notice)
    assert notice.kind is NoticeKind.FAILING
    assert "a int is no event" in notice.detail
    machine.wait(SECOND)
    assert len(machine.of(Poll)) == 1


def test_one_good_event_is_enough() -> None:
    machine = Machine()
    supplier = machine.new_supplier(Style.PULL)
    machine.do(c.Polled(machine.channel, supplier, [5, named("a")]))  # type: ignore[list-item]
    assert len(machine.of(Accepted)) == len(machine.of(Poll)) == 1
