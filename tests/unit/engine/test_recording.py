from __future__ import annotations

import pytest

from tests.unit.engine.hosts import happened
from tidings.channel.effects import (
    Accepted,
    Cause,
    DeadLetter,
    Done,
    Outcome,
    Reserved,
    TopologyChanged,
)
from tidings.channel.entries import NEVER, PERSISTENT, Entry
from tidings.engine.bodies import Message
from tidings.engine.recording import HOST_ORIGIN, Recorder
from tidings.engine.store import message_of
from tidings.events.envelope import ProducerMark
from tidings.stores.payloads import (
    stored_dead,
    stored_event,
    stored_numbers,
    stored_outcome,
    stored_topology,
)
from tidings.stores.records import Kind

ORIGIN = "0123456789abcdef" * 2


@pytest.fixture
def recorder() -> Recorder:
    made = Recorder()
    state = {"origin": ORIGIN}
    made.topology(TopologyChanged(3, "channel", "3", state))
    return made


def accepted(entry: Entry, views: dict[int, Entry]) -> Accepted:
    mark = ProducerMark("gauge", 12)
    content = happened("a", x=1)
    return Accepted(3, 5, content, 77, 9, mark, (ORIGIN,), entry, 99, [1, 2], [2], views)


def test_an_event_comes_back_as_it_was(recorder: Recorder) -> None:
    recorder.offset = 1_000
    entry = Entry(50, 5, 4, 0, PERSISTENT)
    record = recorder.event(accepted(entry, {2: Entry(NEVER, 5, 6, 0, PERSISTENT)}))
    assert (record.kind, record.channel.hex(), record.seq) == (Kind.EVENT, ORIGIN, 5)
    stored = stored_event(record.payload)
    assert (stored.arrival, stored.plan, stored.priority, stored.flags) == (77, 9, 4, PERSISTENT)
    assert stored.expiry == 1_050
    assert stored.views == {2: (NEVER, 6)}
    assert (stored.start, stored.durable, stored.hops) == (99, (2,), (ORIGIN,))
    assert not stored.carried
    message = message_of(record)
    assert message.event == happened("a", x=1)
    assert message.id == (ORIGIN, 5)
    assert message.mark == ProducerMark("gauge", 12)


def test_what_never_expires_never_does_whatever_the_clock_says(recorder: Recorder) -> None:
    recorder.offset = -5
    record = recorder.event(accepted(Entry(NEVER, 5, 0, 0, PERSISTENT), {}))
    assert stored_event(record.payload).expiry == NEVER


def test_an_outcome_names_the_copies_and_the_time(recorder: Recorder) -> None:
    recorder.offset = 1_000
    record = recorder.outcome(Done(3, 2, Outcome.EXPIRED, 9, [4, 5, 9]), 77)
    assert (record.kind, record.seq) == (Kind.OUTCOME, 4)
    proxy, outcome, seqs, at = stored_outcome(record.payload)
    assert (proxy, outcome, list(seqs), at) == (2, Outcome.EXPIRED, [4, 5, 9], 1_077)


def test_objects_of_a_channel_and_of_the_host(recorder: Recorder) -> None:
    gone = recorder.topology(TopologyChanged(3, "channel", "3", None))
    assert gone.channel.hex() == ORIGIN
    assert stored_topology(gone.payload) == (3, "channel", "3", None)
    filter = recorder.topology(TopologyChanged(0, "filter", "1", {"id": 1}))
    assert filter.channel == HOST_ORIGIN


def test_reserved_numbers(recorder: Recorder) -> None:
    record = recorder.reserved(Reserved(3, 100, 7, 2))
    assert (record.kind, record.channel.hex(), record.seq) == (Kind.RESERVED, ORIGIN, 100)
    assert stored_numbers(record.payload) == (7, 2)


def test_a_dead_letter_keeps_its_causes_and_its_event(recorder: Recorder) -> None:
    recorder.offset = 10
    causes = (Cause(1, "first"), Cause(2, "second"))
    message = Message(happened("a"), ORIGIN, 5, 77, 9)
    effect = DeadLetter(3, 2, Entry(20, 5, 4, 0, PERSISTENT), 88, causes)
    letter = recorder.dead_letter(effect, message)
    record = recorder.dead(3, 5, letter)
    assert (record.kind, record.seq) == (Kind.DEAD, 5)
    assert stored_dead(record.payload) == letter
    assert (letter.causes, letter.at, letter.expiry) == (causes, 88, 30)
    assert (letter.arrival, letter.plan, letter.priority) == (77, 9, 4)
