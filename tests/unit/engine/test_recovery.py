from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.engine.hosts import happened
from tidings.channel.effects import Cause, Outcome
from tidings.channel.entries import NEVER, PERSISTENT
from tidings.channel.settings import Limits
from tidings.engine.bodies import packed
from tidings.engine.recovery import CATALOG, ChannelState, Recovered, recover, uncollected
from tidings.events.codecs.json_codec import encode_event
from tidings.events.envelope import ProducerMark
from tidings.stores.journal import Journal
from tidings.stores.payloads import (
    StoredDeadLetter,
    StoredEvent,
    dead_gone_payload,
    dead_payload,
    dropped_payload,
    event_payload,
    marks_payload,
    outcome_payload,
    topology_payload,
)
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor, Entry

ORIGIN = bytes(range(16))
LIMITS = Limits()


def event(
    seq: int, *proxies: int, carried: bool = False, mark: ProducerMark | None = None
) -> Record:
    stored = StoredEvent(
        7,
        1,
        2,
        NEVER,
        None,
        PERSISTENT,
        None if mark is None else mark.producer,
        0 if mark is None else mark.number,
        (),
        proxies,
        {},
        carried,
        encode_event(happened(str(seq))),
    )
    return Record(Kind.EVENT, ORIGIN, seq, event_payload(stored))


def outcome(proxy: int, *seqs: int, what: Outcome = Outcome.DELIVERED) -> Record:
    return Record(Kind.OUTCOME, ORIGIN, seqs[0], outcome_payload(proxy, what, seqs, 5))


def reserved(upto: int) -> Record:
    return Record(Kind.RESERVED, ORIGIN, upto, b"")


def dead(seq: int, proxy: int, at: int, number: int = 0) -> Record:
    letter = StoredDeadLetter(proxy, at, (Cause(at, "no"),), NEVER, 0, 0, 0, 1, b"{}", number)
    return Record(Kind.DEAD, ORIGIN, seq, dead_payload(letter))


def topology(channel: int, kind: str, key: str, state: dict[str, object] | None) -> Record:
    return Record(Kind.TOPOLOGY, ORIGIN, 0, topology_payload(channel, kind, key, state))


def read(*records: Record) -> Recovered:
    found = Recovered(LIMITS)
    for at, record in enumerate(records):
        place = Cursor(1, 100 * (at + 1))
        found.visit(Entry(place, Cursor(1, 100 * (at + 2)), record))
    return found


def state(*records: Record) -> ChannelState:
    return read(*records).channels[ORIGIN]


def waiting(found: ChannelState) -> dict[int, tuple[int, ...]]:
    return {seq: pending[5] for seq, pending in found.pending.items()}


def test_an_event_waits_for_those_it_names_less_those_that_are_done() -> None:
    found = state(event(1, 5, 6), event(2, 5), event(3, 6), event(4), outcome(5, 1, 2))
    assert waiting(found) == {1: (6,), 3: (6,)}
    assert found.seq == 4


@pytest.mark.parametrize("what", [o for o in Outcome if o is not Outcome.WITHDRAWN])
def test_every_outcome_counts(what: Outcome) -> None:
    assert waiting(state(event(1, 5), outcome(5, 1, what=what))) == {}


def test_a_withdrawn_number_is_used_and_nothing_else() -> None:
    found = state(event(1, 5), outcome(5, 2, what=Outcome.WITHDRAWN))
    assert (found.seq, waiting(found)) == (2, {1: (5,)})


def test_an_event_that_was_carried_forward_is_at_its_new_place() -> None:
    found = state(event(1, 5, 6), outcome(5, 1), event(1, 6, carried=True))
    assert waiting(found) == {1: (6,)}
    assert found.pending[1][0] == packed(Cursor(1, 300))


def test_what_was_done_with_a_number_before_its_event_does_not_count() -> None:
    """The event of that number was refused, or its dead letter is delivered again."""
    assert waiting(state(outcome(5, 1), event(1, 5))) == {1: (5,)}
    assert waiting(state(outcome(5, 1), event(1, 5), event(1, 5, carried=True))) == {1: (5,)}
    assert waiting(state(event(1, 5, 6), outcome(5, 1), event(1, 5))) == {1: (6, 5)}


def test_the_last_word_on_reserved_numbers_counts() -> None:
    assert state(reserved(100), event(1, 5)).reserved == 100
    assert state(reserved(100), event(1, 5), reserved(1)).reserved == 1


def test_events_were_dropped_if_their_segments_are_gone() -> None:
    other = bytes(range(1, 17))
    found = read(
        Record(Kind.DROPPED, ORIGIN, 10, dropped_payload(3)),
        Record(Kind.DROPPED, ORIGIN, 30, dropped_payload(5)),
        Record(Kind.DROPPED, ORIGIN, 20, dropped_payload(4)),
        Record(Kind.DROPPED, other, 7, dropped_payload(4)),
        Record(Kind.DROPPED, ORIGIN, 99, b""),
    )
    assert found.unreadable == 1
    assert found.dropped_before(1) == {}
    assert found.dropped_before(3) == {ORIGIN: 10}
    assert found.dropped_before(4) == {ORIGIN: 20, other: 7}
    assert found.dropped_before(9) == {ORIGIN: 30, other: 7}


def test_marks_come_from_events_and_from_what_was_written_down() -> None:
    first, second = ProducerMark("p", 1), ProducerMark("p", 2)
    marks = state(event(1, 5, mark=first), event(2, 5, mark=second)).marks
    assert marks is not None
    assert [marks.seen(first), marks.seen(second)] == [1, 2]
    written = Record(Kind.MARK, ORIGIN, 0, marks_payload(marks.to_plain()))
    marks = state(written, event(3, mark=ProducerMark("p", 3))).marks
    assert marks is not None
    assert [marks.seen(ProducerMark("p", number)) for number in (1, 2, 3, 4)] == [1, 2, 3, None]


def test_the_last_state_of_an_object_counts_and_ids_are_not_given_again() -> None:
    origin: dict[str, object] = {"origin": ORIGIN.hex()}
    found = read(
        topology(3, "channel", "3", origin),
        topology(3, "proxy", "1", {"a": 1}),
        topology(3, "proxy", "1", {"a": 2}),
        topology(3, "proxy", "2", {"a": 1}),
        topology(3, "proxy", "2", None),
        topology(7, "admin", "1", None),
    )
    assert found.states == {(3, "channel", "3"): origin, (3, "proxy", "1"): {"a": 2}}
    assert found.last_channel == 7
    assert found.origins()[3] == ORIGIN


def test_a_channel_that_is_gone_leaves_nothing() -> None:
    origin: dict[str, object] = {"origin": ORIGIN.hex()}
    found = read(
        topology(3, "channel", "3", origin), event(1, 5), topology(3, "channel", "3", None)
    )
    assert found.channels == {}
    assert found.states == {}


def test_dead_letters_stay_until_they_are_gone() -> None:
    gone = Record(Kind.DEAD_GONE, ORIGIN, 1, dead_gone_payload(5, 1))
    found = state(dead(1, 5, 10), dead(1, 6, 11), gone, dead(2, 5, 12))
    assert list(found.dead) == [(6, 1), (5, 2)]


def test_unknown_kinds_are_passed_over_and_what_cannot_be_understood_is_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bad: Sequence[Record] = [
        Record(kind, ORIGIN, 9, b"\xff\x00nonsense")
        for kind in (Kind.EVENT, Kind.OUTCOME, Kind.TOPOLOGY, Kind.MARK, Kind.DEAD, Kind.DEAD_GONE)
    ]
    no_marks = Record(Kind.MARK, ORIGIN, 0, marks_payload([["", 1]]))
    found = read(Record(200, ORIGIN, 99, b"x"), *bad, no_marks, event(1, 5))
    assert found.unreadable == 7
    assert waiting(found.channels[ORIGIN]) == {1: (5,)}
    assert found.channels[ORIGIN].seq == 1
    assert sum("is passed over" in line for line in caplog.messages) == 7


def test_the_catalog_is_filled_from_the_journal_within_the_limit(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal") as journal:
        channel = topology(3, "channel", "3", {"origin": ORIGIN.hex()})
        letters = [dead(seq, 5, at) for seq, at in ((1, 30), (2, 10), (3, 20))]
        journal.append([channel, *letters])
    (tmp_path / CATALOG).write_bytes(b"no catalog at all")
    store, found = recover(tmp_path, Limits(dead_letters=2), 1 << 20)
    assert [row.seq for row in store.catalog.dead_letters()] == [3, 1]
    assert store.folder == tmp_path / "journal"
    assert found.unreadable == 0
    store.close()


def test_nothing_is_collected_meanwhile_unless_it_was_so_before() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="of the journal"), uncollected():
        raise ValueError("of the journal")
    assert gc.isenabled()
