from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from tidings.client.transports.http_redelivery import Redelivery


def messages(*seqs: int) -> list[SimpleNamespace]:
    return [SimpleNamespace(seq=seq) for seq in seqs]


def handed(known: Redelivery, seqs: list[int], again: list[int]) -> list[int]:
    return [message.seq for message in known.arrived(messages(*seqs), again).messages]


def test_without_a_cut_everything_is_handed_out_as_it_comes() -> None:
    known = Redelivery(4, sole=True)
    found = known.arrived(messages(1, 2), [2])
    assert [m.seq for m in found.messages] == [1, 2]
    assert (list(found.marked), list(found.acked), list(found.rejected)) == ([2], [], [])


def test_what_was_acknowledged_is_acknowledged_again() -> None:
    known = Redelivery(4, sole=True)
    known.arrived(messages(1, 2, 3), [])
    known.acked([1])
    known.cut([3], [])
    known.acked([2])  # after the cut: the program had it
    found = known.arrived(messages(1, 2, 3), [1, 2, 3])
    assert [m.seq for m in found.messages] == [3]
    assert (list(found.acked), list(found.marked)) == ([1, 2], [])


def test_what_was_rejected_is_rejected_again_and_only_once() -> None:
    known = Redelivery(4, sole=True)
    known.arrived(messages(1, 2), [])
    known.rejected(1, "no")
    known.cut([], [])
    known.rejected(2, "nor this")
    found = known.arrived(messages(1, 2), [1, 2])
    assert list(found.messages) == []
    assert list(found.rejected) == [(1, "no"), (2, "nor this")]
    redriven = known.arrived(messages(1), [1])  # somebody has had it delivered again
    assert [m.seq for m in redriven.messages] == [1]
    assert list(redriven.marked) == [1]


def test_what_is_to_come_again_is_handed_out_again_and_marked() -> None:
    known = Redelivery(4, sole=True)
    known.arrived(messages(1, 2), [])
    known.failed(1, [2])
    known.cut([], [])
    found = known.arrived(messages(1, 2), [1, 2])
    assert [m.seq for m in found.messages] == [1, 2]
    assert list(found.marked) == [1]


def test_of_a_proxy_that_others_had_only_what_was_surely_not_seen_is_unmarked() -> None:
    known = Redelivery(4, sole=False)
    known.arrived(messages(1, 2), [1])
    known.cut([1, 2], [1])
    assert list(known.arrived(messages(1, 2, 3), [1, 2, 3]).marked) == [1, 3]


def test_what_is_remembered_is_bounded() -> None:
    known = Redelivery(4, sole=True)
    for seq in range(1, 100_001):
        known.arrived(messages(seq), [])
        if seq % 3:
            known.acked([seq])
        else:
            known.rejected(seq, "no")
    assert len(known._done) + len(known._rejected) + len(known._seen) < 50_000


WINDOW, COUNT = 5, 25


class World:
    """A service with a window, a program that answers when it likes, and the wire between."""

    def __init__(self) -> None:
        self.waiting = deque(range(1, COUNT + 1))
        self.flight: list[int] = []
        self.ever: set[int] = set()  # delivered before, as the service sees it
        self.events: deque[tuple[list[int], list[int]]] = deque()
        self.acks: deque[list[int]] = deque()
        self.known = Redelivery(WINDOW, sole=True)
        self.buffer: list[int] = []
        self.out: list[int] = []
        self.seen: list[int] = []

    def deliver(self) -> None:
        room = WINDOW - len(self.flight)
        fresh = [self.waiting.popleft() for _ in range(min(room, len(self.waiting)))]
        if fresh:
            self.flight += fresh
            self.events.append((fresh, [seq for seq in fresh if seq in self.ever]))
            self.ever.update(fresh)

    def arrive(self) -> None:
        if self.events:
            seqs, again = self.events.popleft()
            found = self.known.arrived(messages(*seqs), again)
            assert list(found.marked) == []  # nothing comes to the program twice
            self.buffer += [message.seq for message in found.messages]
            self.acks.append(list(found.acked))

    def take(self) -> None:
        if self.buffer:
            self.seen.append(self.buffer.pop(0))
            self.out.append(self.seen[-1])

    def ack(self) -> None:
        self.known.acked(self.out)
        self.acks.append(self.out)
        self.out = []

    def heard(self) -> None:
        if self.acks:
            gone = self.acks.popleft()
            self.flight = [seq for seq in self.flight if seq not in gone]

    def cut(self) -> None:
        self.known.cut(self.buffer, [])
        self.buffer.clear()
        self.acks.clear()
        self.events.clear()
        self.waiting.extendleft(sorted(self.flight, reverse=True))
        self.flight.clear()


STEPS = (World.arrive, World.take, World.ack, World.heard, World.cut)


@given(st.lists(st.sampled_from(STEPS), max_size=120))
def test_each_event_is_handed_out_once_whatever_is_cut(
    steps: list[Callable[[World], None]],
) -> None:
    world = World()
    for step in steps:
        world.deliver()
        step(world)
    while world.waiting or world.flight:
        world.deliver()
        for step in STEPS[:-1]:
            step(world)
    assert world.seen == list(range(1, COUNT + 1))
