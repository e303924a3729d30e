from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.engine.hosts import happened
from tidings.channel.effects import Cause
from tidings.channel.entries import NEVER, PERSISTENT, Entry
from tidings.channel.settings import Limits
from tidings.engine.bodies import packed
from tidings.engine.recovery import recover
from tidings.engine.store import Store
from tidings.errors import StoreError
from tidings.events.codecs.json_codec import encode_event
from tidings.stores.payloads import StoredDeadLetter, StoredEvent, event_payload
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

ORIGIN = bytes(range(16))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made, _ = recover(tmp_path, Limits(), 1 << 20)
    yield made
    made.close()


def event_record(seq: int, octets: bytes | None = None) -> Record:
    content = encode_event(happened(str(seq))) if octets is None else octets
    stored = StoredEvent(
        7, 1, 2, NEVER, None, PERSISTENT, None, 0, (), (3,), {}, carried=False, octets=content
    )
    return Record(Kind.EVENT, ORIGIN, seq, event_payload(stored))


def test_syncs_and_events_are_counted(store: Store) -> None:
    store.write([event_record(1), Record(Kind.RESERVED, ORIGIN, 5, b"")], sync=True)
    store.write([event_record(2)], sync=False)
    assert (store.syncs, store.synced_events) == (1, 1)


def test_a_record_may_be_made_on_the_disk_thread(store: Store) -> None:
    places = store.write([event_record(1), lambda: event_record(2)], sync=True)
    assert [one and one.seq for one in store.fetch(list(map(packed, places)))] == [1, 2]


def test_when_making_a_record_fails_nothing_is_written(store: Store) -> None:
    def failing() -> Record:
        raise StoreError("planted")

    end = store.journal.end
    with pytest.raises(StoreError, match="planted"):
        store.write([event_record(1), failing], sync=True)
    assert store.journal.end == end


def test_what_cannot_be_read_is_none_and_the_others_are_there(store: Store) -> None:
    records = [event_record(1), event_record(2, b"{no event"), event_record(3)]
    places = [packed(place) for place in store.write(records, sync=True)]
    found = store.fetch([*places, packed(Cursor(99, 64))])
    assert [None if one is None else one.seq for one in found] == [1, None, 3, None]
    assert found[0] is not None
    assert found[0].event == happened("1")
    assert found[0].octets > 0
    assert store.fetch([]) == []


def test_entries_come_back_with_the_places_of_their_events(store: Store) -> None:
    entries = [Entry(NEVER, seq, 10 - seq, 0, PERSISTENT) for seq in (1, 2, 3)]
    store.spill(1, 2, entries, {1: 100, 2: 200, 3: 300})
    assert store.refill(1, 2, "fifo", 2) == (entries[:2], [100, 200], 1)
    store.unspill(1, 2, [3])
    assert store.refill(1, 2, "fifo", 2) == ([], [], 0)


def test_the_oldest_dead_letters_go(store: Store) -> None:
    for seq in (1, 2, 3):
        causes = (Cause(seq, "no"),)
        letter = StoredDeadLetter(3, seq, causes, NEVER, 0, 0, 0, 1, b"{}")
        assert store.bury(1, seq, letter, 2) == seq
    assert [row.seq for row in store.catalog.dead_letters()] == [2, 3]
