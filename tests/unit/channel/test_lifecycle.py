from __future__ import annotations

import pytest

from tests.unit.channel.machine import PERSISTENT_CHANNEL, Machine
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import (
    Deliver,
    DisconnectPeer,
    Outcome,
    Poll,
    PullEnded,
    Settled,
    TopologyChanged,
)
from tidings.channel.settings import Counted, Settings
from tidings.channel.vocabulary import Operator, Place, Side, Style
from tidings.errors import (
    AdminLimitExceeded,
    AdminNotFound,
    AlreadyConnected,
    ChannelNotFound,
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    InvalidUsage,
    NameTaken,
    NotConnected,
    ProxyNotFound,
)
from tidings.filters.constraint import EventTypePattern

SPEED = EventTypePattern("Traffic", "Speed")


class TestConnect:
    @pytest.mark.parametrize("side", Side)
    @pytest.mark.parametrize("style", Style)
    def test_twice(self, side: Side, style: Style) -> None:
        machine = Machine()
        proxy = machine.do(m.ObtainProxy(machine.channel, side, style))
        machine.do(m.Connect(machine.channel, proxy))
        with pytest.raises(AlreadyConnected):
            machine.do(m.Connect(machine.channel, proxy))

    @pytest.mark.parametrize(
        ("side", "style"), [(Side.CONSUMER, Style.PUSH), (Side.SUPPLIER, Style.PULL)]
    )
    def test_without_a_reference_where_one_is_needed(self, side: Side, style: Style) -> None:
        machine = Machine()
        proxy = machine.do(m.ObtainProxy(machine.channel, side, style))
        with pytest.raises(InvalidUsage, match="must be reachable"):
            machine.do(m.Connect(machine.channel, proxy, reachable=False))
        assert not machine.proxy(proxy).connected

    @pytest.mark.parametrize(
        ("side", "style"), [(Side.CONSUMER, Style.PULL), (Side.SUPPLIER, Style.PUSH)]
    )
    def test_without_a_reference_where_none_is_needed(self, side: Side, style: Style) -> None:
        machine = Machine()
        proxy = machine.do(m.ObtainProxy(machine.channel, side, style))
        machine.do(m.Connect(machine.channel, proxy, reachable=False))
        machine.do(m.Disconnect(machine.channel, proxy))
        assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, proxy, False)]

    def test_nil_clients_can_be_refused(self) -> None:
        machine = Machine.__new__(Machine)
        with pytest.raises(InvalidUsage):
            machine.__init__(Settings(nil_clients=False))  # type: ignore[misc]

    def test_a_window_holds_an_event(self) -> None:
        machine = Machine()
        with pytest.raises(InvalidUsage, match="at least one event, not 0"):
            machine.new_consumer(window=0)


class TestDisconnect:
    def test_the_proxy_is_gone_and_its_queue_dropped(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", "b")
        machine.do(m.Disconnect(machine.channel, consumer))
        assert machine.done(consumer) == {Outcome.DISCONNECTED: 2}
        assert machine.of(Settled) == [Settled(machine.channel, [1, 2])]
        assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, consumer, True)]
        assert machine.is_empty()
        with pytest.raises(ProxyNotFound):
            machine.do(m.Disconnect(machine.channel, consumer))
        machine.push("c")
        assert not machine.of(Deliver)

    def test_the_client_is_not_told_where_that_is_set(self) -> None:
        machine = Machine(Settings(call_back_on_disconnect=False))
        consumer = machine.new_consumer()
        machine.do(m.Disconnect(machine.channel, consumer))
        assert machine.of(DisconnectPeer) == [DisconnectPeer(machine.channel, consumer, False)]

    def test_nobody_is_told_of_a_proxy_without_a_client(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(connect=False)
        machine.do(m.Disconnect(machine.channel, consumer))
        assert not machine.of(DisconnectPeer)

    def test_offers_and_wishes_are_withdrawn(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        place = Place(machine.channel, proxy=consumer)
        machine.do(m.SubscriptionChange(place, [SPEED]))
        machine.do(m.OfferChange(Place(machine.channel, proxy=machine.supplier), [SPEED]))
        machine.do(m.Disconnect(machine.channel, machine.supplier))
        machine.do(m.Disconnect(machine.channel, consumer))
        assert machine.core_channel.offers.types() == ()
        assert machine.core_channel.wants.types() == ()

    def test_the_name_is_free_again_but_not_the_id(self) -> None:
        machine = Machine()
        obtain = m.ObtainProxy(machine.channel, Side.CONSUMER, Style.PUSH, name="lane")
        first = machine.do(obtain)
        with pytest.raises(NameTaken, match="'lane'"):
            machine.do(obtain)
        machine.do(m.Disconnect(machine.channel, first))
        assert machine.do(obtain) > first


class TestSuspend:
    def test_what_waits_is_delivered_in_order_afterwards(self) -> None:
        machine = Machine()
        quick, paused = machine.new_consumer(window=9), machine.new_consumer(window=9)
        machine.suspend(paused)
        machine.push("a", "b")
        assert machine.delivered(quick) == [1, 2]
        assert machine.delivered(paused) == []
        machine.resume(paused)
        assert machine.delivered(paused) == [1, 2]

    def test_twice(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        with pytest.raises(ConnectionAlreadyActive):
            machine.resume(consumer)
        machine.suspend(consumer)
        with pytest.raises(ConnectionAlreadyInactive):
            machine.suspend(consumer)

    def test_without_a_client(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(connect=False)
        with pytest.raises(NotConnected):
            machine.suspend(consumer)
        with pytest.raises(NotConnected):
            machine.resume(consumer)

    def test_where_the_client_begins(self) -> None:
        machine = Machine()
        for proxy in (machine.supplier, machine.pull_consumer()):
            with pytest.raises(InvalidUsage, match="cannot be suspended"):
                machine.suspend(proxy)
            with pytest.raises(InvalidUsage, match="cannot be suspended"):
                machine.resume(proxy)

    def test_what_is_in_flight_can_be_acknowledged(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a", "b")
        machine.suspend(consumer)
        machine.ack(consumer, 1)
        assert machine.done(consumer) == {Outcome.DELIVERED: 1}
        assert machine.delivered(consumer) == []


class TestDetach:
    def test_what_was_in_flight_is_delivered_again_in_order(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(window=2)
        machine.push("a", "b", "c")
        machine.do(m.Detach(machine.channel, consumer))
        machine.push("d")
        assert machine.delivered(consumer) == []
        machine.ack(consumer, 1)
        assert machine.done(consumer) == {}
        machine.do(m.Connect(machine.channel, consumer, window=9, again=True))
        [deliver] = machine.of(Deliver)
        assert machine.delivered(consumer) == [1, 2, 3, 4]
        assert deliver.again == {1, 2}

    def test_a_new_connection_replaces_the_old_one_at_once(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a")
        machine.do(m.Connect(machine.channel, consumer, again=True))
        assert machine.delivered(consumer) == [1]
        assert machine.of(Deliver)[0].again == {1}

    def test_a_new_connection_begins_without_a_pause(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a")
        machine.fail(consumer, 1)
        machine.do(m.Connect(machine.channel, consumer, again=True))
        assert machine.delivered(consumer) == [1]
        assert machine.proxy(consumer).delivery is not None

    def test_a_waiting_pull_ends_with_its_line(self) -> None:
        machine = Machine()
        consumer = machine.pull_consumer()
        machine.pull(consumer, token=5)
        machine.do(m.Detach(machine.channel, consumer))
        assert [ended.token for ended in machine.of(PullEnded)] == [5]
        machine.push("a")
        assert machine.pull(consumer, token=6) == [1]

    def test_a_pull_supplier_is_asked_again(self) -> None:
        machine = Machine()
        supplier = machine.new_supplier(Style.PULL)
        assert len(machine.of(Poll)) == 1
        machine.do(m.Connect(machine.channel, supplier, again=True))
        assert len(machine.of(Poll)) == 1

    def test_of_a_proxy_without_a_client(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer(connect=False)
        machine.do(m.Detach(machine.channel, consumer))
        assert machine.effects == []


class TestDestroyAdmin:
    def test_its_proxies_go_and_their_clients_are_told(self) -> None:
        machine = Machine()
        admin = machine.new_admin()
        mine = [machine.new_consumer(admin=admin) for _ in range(2)]
        other = machine.new_consumer()
        machine.push("a")
        machine.do(m.DestroyAdmin(machine.channel, Side.CONSUMER, admin))
        assert [peer.proxy for peer in machine.of(DisconnectPeer)] == mine
        with pytest.raises(AdminNotFound):
            machine.do(m.DestroyAdmin(machine.channel, Side.CONSUMER, admin))
        machine.ack(other, 1)
        assert machine.is_empty()
        machine.push("b")
        assert machine.delivered(other) == [2]

    def test_an_id_is_not_given_twice(self) -> None:
        machine = Machine()
        first = machine.new_admin()
        machine.do(m.DestroyAdmin(machine.channel, Side.CONSUMER, first))
        assert machine.new_admin() == first + 1

    @pytest.mark.parametrize("side", Side)
    def test_a_default_admin_begins_anew(self, side: Side) -> None:
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

    def test_a_private_filter_ends_with_its_holder(self) -> None:
        machine = Machine()
        admin = machine.new_admin()
        filter_id, _ = machine.do(m.CreateFilter(private=True))
        machine.do(m.AddFilter(Place(machine.channel, Side.CONSUMER, admin), filter_id))
        machine.do(m.DestroyAdmin(machine.channel, Side.CONSUMER, admin))
        assert filter_id not in machine.factory.filters.filters


class TestDestroyChannel:
    def test_every_client_is_told_once(self) -> None:
        machine = Machine()
        consumer, puller = machine.new_consumer(), machine.pull_consumer()
        machine.pull(puller, token=3)
        machine.do(m.DestroyChannel(machine.channel))
        assert [(x.proxy, x.tell) for x in machine.of(DisconnectPeer)] == [
            (machine.supplier, False),
            (consumer, True),
            (puller, True),
        ]
        assert [ended.token for ended in machine.of(PullEnded)] == [3]
        with pytest.raises(ChannelNotFound):
            machine.push("a")

    def test_nothing_is_left_of_it(self) -> None:
        machine = Machine(qos=PERSISTENT_CHANNEL)
        machine.new_consumer()
        machine.push("a", "b")
        machine.do(m.DestroyChannel(machine.channel))
        assert machine.is_empty()
        states: dict[tuple[int, str, str], object] = {}
        for effect in machine.everything:
            if isinstance(effect, TopologyChanged) and effect.channel == machine.channel:
                states[effect[:3]] = effect.state
        assert set(states.values()) == {None}

    def test_a_tick_that_was_due_finds_nothing(self) -> None:
        machine = Machine()
        consumer = machine.new_consumer()
        machine.push("a")
        machine.fail(consumer, 1)
        machine.do(m.DestroyChannel(machine.channel))
        assert machine.wait(60_000_000) == []

    def test_the_id_is_not_given_again(self) -> None:
        machine = Machine()
        machine.do(m.DestroyChannel(machine.channel))
        assert machine.do(m.CreateChannel("1" * 32)) == machine.channel + 1


class TestLimits:
    def test_on_proxies_obtained(self) -> None:
        machine = Machine(admin={"MaxConsumers": 1, "MaxSuppliers": 1})
        consumer = machine.new_consumer(connect=False)
        with pytest.raises(AdminLimitExceeded, match="MaxConsumers"):
            machine.new_consumer()
        with pytest.raises(AdminLimitExceeded, match="MaxSuppliers"):
            machine.new_supplier()
        machine.do(m.Disconnect(machine.channel, consumer))
        machine.new_consumer()

    def test_on_clients_connected(self) -> None:
        machine = Machine(Settings(counted=Counted.CONNECTED), admin={"MaxConsumers": 1})
        idle, consumer = machine.new_consumer(connect=False), machine.new_consumer()
        with pytest.raises(AdminLimitExceeded):
            machine.do(m.Connect(machine.channel, idle))
        machine.do(m.Connect(machine.channel, consumer, again=True))
        machine.do(m.Disconnect(machine.channel, consumer))
        machine.do(m.Connect(machine.channel, idle))

    def test_a_lower_limit_keeps_who_is_there(self) -> None:
        machine = Machine()
        consumers = [machine.new_consumer() for _ in range(2)]
        machine.set_admin(MaxConsumers=1)
        machine.push("a")
        assert [machine.delivered(x) for x in consumers] == [[1], [1]]


def test_a_proxy_under_an_unknown_admin() -> None:
    machine = Machine()
    with pytest.raises(AdminNotFound):
        machine.new_consumer(admin=9)


def test_only_connections_that_survive_are_written_down() -> None:
    machine = Machine(qos=PERSISTENT_CHANNEL)
    durable = machine.new_consumer()
    machine.new_consumer(ConnectionReliability=0)
    kept = {x.key for x in machine.everything if isinstance(x, TopologyChanged)}
    assert {key for key in kept if key == str(durable)}
    assert str(durable + 1) not in kept
    machine.suspend(durable)
    [changed] = machine.of(TopologyChanged)
    assert changed.state is not None
    assert changed.state["suspended"] is True


def test_a_tick_for_nobody_does_nothing() -> None:
    machine = Machine()
    machine.do(c.Tick())
    assert machine.effects == []
