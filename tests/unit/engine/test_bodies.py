from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.unit.engine.recorded_answers import ORIGIN, message
from tidings.engine.bodies import OVERHEAD_OCTETS, Bodies, Message
from tidings.errors import InvalidEvent
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.stores.segments import Cursor


def test_a_message_knows_its_id_and_its_envelope() -> None:
    event, mark = StructuredEvent(name="x"), ProducerMark("p", 3)
    found = Message(event, ORIGIN, 5, 6, 7, 8, mark, 9)
    assert found.id == (ORIGIN, 5)
    assert found.envelope == Envelope(event, ORIGIN, 5, 6, 7, mark)
    assert (found.priority, found.octets) == (8, 9)


def test_the_envelope_is_only_made_when_asked_for() -> None:
    wrong = Message(StructuredEvent(), "no origin", 1, 2)
    with pytest.raises(InvalidEvent):
        _ = wrong.envelope


def test_messages_are_told_apart_and_cannot_be_changed() -> None:
    one, other = message(1), message(1)
    assert one != other
    assert len({one, other}) == 2
    with pytest.raises(AttributeError):
        one.seq = 2  # type: ignore[misc]


def test_content_stays_in_memory_until_forgotten() -> None:
    bodies, kept = Bodies(cache_octets=0), message(1, octets=40)
    bodies.keep(3, 1, kept)
    assert bodies.get(3, 1) is kept
    assert bodies.place(3, 1) is None
    assert (bodies.octets, bodies.cached_octets, len(bodies)) == (40, 0, 1)
    assert bodies.get(4, 1) is None
    assert bodies.get(3, 2) is None
    bodies.forget(3, [1, 2])
    assert bodies.get(3, 1) is None
    assert (bodies.octets, len(bodies)) == (0, 0)


def test_content_on_disk_has_its_place_and_is_cached() -> None:
    bodies, kept = Bodies(), message(1, octets=40)
    bodies.keep_on_disk(3, 1, kept, Cursor(2**30, 2**40 - 1))
    assert bodies.get(3, 1) is kept
    assert bodies.place(3, 1) == Cursor(2**30, 2**40 - 1)
    assert (bodies.octets, bodies.cached_octets) == (0, 40 + OVERHEAD_OCTETS)
    bodies.moved(3, 1, Cursor(5, 6))
    assert bodies.place(3, 1) == Cursor(5, 6)
    assert bodies.get(3, 1) is kept
    bodies.forget(3, [1])
    assert (bodies.get(3, 1), bodies.place(3, 1)) == (None, None)
    assert (bodies.cached_octets, len(bodies)) == (0, 0)


def test_what_was_used_longest_ago_leaves_the_cache_first() -> None:
    bodies = Bodies(cache_octets=3 * (100 + OVERHEAD_OCTETS))
    for seq in (1, 2, 3):
        bodies.keep_on_disk(1, seq, message(seq), Cursor(1, seq))
    assert bodies.get(1, 1) is not None
    bodies.keep_on_disk(2, 4, message(4), Cursor(1, 4))
    assert bodies.get(1, 2) is None
    assert bodies.place(1, 2) == Cursor(1, 2)
    assert None not in (bodies.get(1, 1), bodies.get(1, 3), bodies.get(2, 4))
    again = message(2)
    bodies.cache(1, 2, again)
    assert bodies.get(1, 2) is again
    assert bodies.get(1, 1) is None


def test_events_without_content_cannot_fill_the_memory() -> None:
    bodies = Bodies(cache_octets=10 * OVERHEAD_OCTETS)
    for seq in range(100):
        bodies.keep_on_disk(1, seq, message(seq, octets=0), Cursor(1, seq))
    assert sum(bodies.get(1, seq) is not None for seq in range(100)) == 10


def test_content_larger_than_the_cache_throws_nothing_out() -> None:
    bodies = Bodies(cache_octets=1_000)
    bodies.keep_on_disk(1, 1, message(1), Cursor(1, 1))
    bodies.keep_on_disk(1, 2, message(2, octets=5_000), Cursor(1, 2))
    assert bodies.get(1, 1) is not None
    assert bodies.get(1, 2) is None
    assert bodies.place(1, 2) == Cursor(1, 2)


def test_what_comes_too_late_is_ignored() -> None:
    bodies = Bodies()
    bodies.keep_on_disk(1, 1, message(1), Cursor(1, 1))
    bodies.forget(1, [1])
    bodies.cache(1, 1, message(1))
    bodies.moved(1, 1, Cursor(1, 1))
    bodies.moved(9, 9, Cursor(1, 1))
    bodies.forget(9, [9])
    bodies.drop_channel(9)
    assert (bodies.get(1, 1), bodies.place(1, 1), bodies.cached_octets) == (None, None, 0)
    bodies.keep(1, 2, message(2))
    bodies.moved(1, 2, Cursor(1, 1))
    assert bodies.place(1, 2) is None


def test_an_event_that_is_kept_again_is_counted_once() -> None:
    bodies = Bodies()
    bodies.keep(1, 1, message(1, octets=10))
    bodies.keep(1, 1, message(1, octets=30))
    assert bodies.octets == 30
    bodies.keep_on_disk(1, 1, message(1), Cursor(1, 1))
    assert bodies.octets == 0
    bodies.keep(1, 1, message(1))
    assert bodies.place(1, 1) == Cursor(1, 1)
    assert bodies.cached_octets == 100 + OVERHEAD_OCTETS
    bodies.forget(1, [1])
    assert (bodies.octets, bodies.cached_octets, len(bodies)) == (0, 0, 0)


def test_a_channel_is_dropped_whole_and_alone() -> None:
    bodies = Bodies()
    for channel in (1, 2):
        bodies.keep(channel, 1, message(1))
        bodies.keep_on_disk(channel, 2, message(2), Cursor(1, 1))
    bodies.drop_channel(1)
    assert len(bodies) == 2
    assert (bodies.octets, bodies.cached_octets) == (100, 100 + OVERHEAD_OCTETS)
    assert bodies.get(1, 1) is bodies.get(1, 2) is None
    assert bodies.get(2, 1) is not None


CHANNELS, SEQS, SIZES = st.integers(1, 2), st.integers(1, 6), st.integers(0, 1_600)


class BodiesAgainstAModel(RuleBasedStateMachine):
    """What is held and where, and what is counted, against plain dicts."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies = Bodies(cache_octets=1_500)
        self.memory: dict[tuple[int, int], Message] = {}
        self.disk: dict[tuple[int, int], tuple[Message, Cursor]] = {}

    @rule(channel=CHANNELS, seq=SEQS, octets=SIZES)
    def keep(self, channel: int, seq: int, octets: int) -> None:
        kept = message(seq, octets)
        self.bodies.keep(channel, seq, kept)
        if (channel, seq) in self.disk:
            self.disk[channel, seq] = kept, self.disk[channel, seq][1]
        else:
            self.memory[channel, seq] = kept

    @rule(channel=CHANNELS, seq=SEQS, octets=SIZES, at=st.integers(0, 2**40 - 1))
    def keep_on_disk(self, channel: int, seq: int, octets: int, at: int) -> None:
        kept = message(seq, octets)
        self.bodies.keep_on_disk(channel, seq, kept, Cursor(channel, at))
        self.memory.pop((channel, seq), None)
        self.disk[channel, seq] = kept, Cursor(channel, at)

    @rule(channel=CHANNELS, seqs=st.lists(SEQS))
    def forget(self, channel: int, seqs: list[int]) -> None:
        self.bodies.forget(channel, seqs)
        for seq in seqs:
            self.memory.pop((channel, seq), None)
            self.disk.pop((channel, seq), None)

    @rule(channel=CHANNELS)
    def drop(self, channel: int) -> None:
        self.bodies.drop_channel(channel)
        self.memory = {key: found for key, found in self.memory.items() if key[0] != channel}
        self.disk = {key: found for key, found in self.disk.items() if key[0] != channel}

    @invariant()
    def agrees(self) -> None:
        bodies, cached = self.bodies, 0
        for key in [(channel, seq) for channel in (1, 2) for seq in range(1, 7)]:
            found = bodies.get(*key)
            if key in self.disk:
                kept, cursor = self.disk[key]
                assert bodies.place(*key) == cursor
                assert found in (None, kept)
                cached += 0 if found is None else kept.octets + OVERHEAD_OCTETS
            else:
                assert found is self.memory.get(key)
                assert bodies.place(*key) is None
        assert bodies.cached_octets == cached <= 1_500
        assert bodies.octets == sum(kept.octets for kept in self.memory.values())
        assert len(bodies) == len(self.memory) + len(self.disk)


TestBodiesAgainstAModel = BodiesAgainstAModel.TestCase
