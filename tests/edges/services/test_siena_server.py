"""A SIENA server: who may say what, and when; links that would close a loop."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidUsage
from tidings.filters.dialects.siena import AttributeTest, Operator, SienaFilter
from tidings.services.siena import server
from tidings.services.siena.server import Close, Send, SienaServer
from tidings.services.siena.wire import (
    Advertise,
    Failed,
    Hello,
    Publish,
    Record,
    Refused,
    Role,
    Servers,
    Settle,
    Settled,
    Subscribe,
    Unsubscribe,
)


def where(value: int) -> SienaFilter:
    return (AttributeTest("n", Operator.EQUAL, value),)


class World:
    """A server, and what it has said to whom."""

    def __init__(self, **options: object) -> None:
        self.server = SienaServer("me", **options)  # type: ignore[arg-type]
        self.sent: list[tuple[int, Record]] = []
        self.closed: dict[int, str] = {}

    def join(self, key: int, role: Role, name: str = "") -> None:
        self.server.accepted(key)
        self.say(key, Hello(role, name))
        if name:
            self.say(key, Servers((name,)))

    def say(self, key: int, record: Record) -> list[tuple[int, Record]]:
        self.server.handle(key, record)
        return self.take()

    def take(self) -> list[tuple[int, Record]]:
        self.sent.clear()
        for effect in self.server.take_effects():
            if isinstance(effect, Close):
                self.closed[effect.neighbour] = effect.cause
            else:
                assert isinstance(effect, Send)
                self.sent += [(key, effect.record) for key in effect.to]
        return self.sent


def test_the_first_record_is_a_hello_and_no_other() -> None:
    world = World()
    world.server.accepted(1)
    [(_, failed)] = world.say(1, Subscribe.of(()))
    assert isinstance(failed, Failed)
    assert "Hello" in world.closed[1]
    world.join(2, Role.CLIENT)
    world.say(2, Hello(Role.CLIENT))
    assert "Hello" in world.closed[2]
    assert world.say(2, Settle(1)) == []


@pytest.mark.parametrize("record", [Servers(("x",)), Refused(1, ""), Hello(Role.CLIENT)])
def test_a_client_says_what_clients_say(record: Record) -> None:
    world = World()
    world.join(1, Role.CLIENT)
    world.say(1, record)
    assert 1 in world.closed


def test_nobody_is_our_master_unless_we_asked() -> None:
    world = World()
    world.join(1, Role.MASTER, "x")
    assert "client, a child or a peer" in world.closed[1]
    world.server.dialled(2, Role.PEER)
    world.say(2, Hello(Role.MASTER, "x"))
    assert "peer was expected" in world.closed[2]


def test_a_server_below_another_has_no_peers() -> None:
    with pytest.raises(InvalidUsage, match="one master, or peers"):
        SienaServer("me", links=[Role.MASTER, Role.PEER])
    world = World(links=[Role.MASTER])
    world.join(1, Role.PEER, "x")
    assert "has a master" in world.closed[1]
    world.join(2, Role.CHILD, "y")
    assert 2 not in world.closed


def test_a_link_that_closes_a_loop_is_refused_and_the_others_stay() -> None:
    world = World()
    world.join(1, Role.PEER, "left")
    world.say(1, Servers(("left", "far")))
    world.join(2, Role.PEER, "right")
    world.say(2, Servers(("right", "far")))
    assert "closes a loop" in world.closed[2]
    assert "far" in world.closed[2]
    world.join(3, Role.CHILD, "below")
    world.say(3, Servers(("below", "me")))
    assert "me reaches me" in world.closed[3]
    assert set(world.closed) == {2, 3}
    # When the first way has gone, the other one may come.
    world.server.closed(1)
    world.join(4, Role.PEER, "right")
    world.say(4, Servers(("right", "far")))
    assert 4 not in world.closed


def test_a_server_that_connects_again_replaces_its_dead_connection() -> None:
    world = World()
    world.join(1, Role.PEER, "other")
    world.say(1, Subscribe.of(where(1)))
    world.join(2, Role.PEER, "other")
    assert set(world.closed) == {1}
    world.join(3, Role.CLIENT)
    assert world.say(3, Publish({"n": 1})) == []
    world.say(2, Subscribe.of(where(1)))
    assert world.say(3, Publish({"n": 1})) == [(2, Publish({"n": 1}))]


@pytest.mark.parametrize(("other", "stays"), [("zoe", 1), ("ann", 2)])
def test_of_two_connections_that_cross_both_servers_keep_the_same(other: str, stays: int) -> None:
    world = World(links=[Role.PEER])
    world.server.dialled(1, Role.PEER)
    world.say(1, Hello(Role.PEER, other))
    world.join(2, Role.PEER, other)
    assert set(world.closed) == {3 - stays}


def test_filters_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(server.MOST_FILTERS, Role.CLIENT, 3)
    world = World()
    world.join(1, Role.CLIENT)
    for number in (0, 1, 2, 2, 1):
        world.say(1, Subscribe.of(where(number)))
    world.say(1, Unsubscribe.of(where(0)))
    world.say(1, Subscribe.of(where(3)))
    assert 1 not in world.closed
    world.say(1, Subscribe.of(where(4)))
    assert "at most 3 filters" in world.closed[1]


def test_settling_is_limited_and_ends_with_who_is_waited_for() -> None:
    world = World(links=[Role.PEER, Role.PEER])
    world.server.dialled(1, Role.PEER)
    world.say(1, Hello(Role.PEER, "up"))
    world.join(2, Role.CLIENT)
    [(to, asked)] = world.say(2, Settle(5))
    assert to == 1
    assert isinstance(asked, Settle)
    assert world.say(2, Settle(6, near=True)) == [(2, Settled(6, 1))]
    assert world.say(1, Settled(asked.token, 3)) == [(2, Settled(5, 4))]
    assert world.say(1, Settled(asked.token, 3)) == []
    world.say(2, Settle(7))
    world.server.closed(1)
    assert world.take() == [(2, Settled(7, 2))]
    world.server.dialled(3, Role.PEER)
    world.say(3, Hello(Role.PEER, "up"))
    for token in range(server.MOST_SETTLING + 1):
        world.say(2, Settle(token))
    assert "unanswered Settle" in world.closed[2]


def test_an_advertising_server_refuses_what_is_not_advertised() -> None:
    world = World(advertised=True)
    world.join(1, Role.CLIENT)
    world.join(2, Role.CLIENT)
    world.say(2, Subscribe.of(()))
    [(to, refused)] = world.say(1, Publish({"n": 1}, 9))
    assert to == 1
    assert isinstance(refused, Refused)
    assert refused.number == 9
    assert "advertise first" in refused.cause
    world.say(1, Advertise.of(where(1)))
    assert world.say(1, Publish({"n": 1}, 10)) == [(2, Publish({"n": 1}))]


def test_what_a_failing_neighbour_says_is_the_cause() -> None:
    world = World()
    world.join(1, Role.PEER, "other")
    assert world.say(1, Failed("out of order")) == []
    assert world.closed == {1: "out of order"}
