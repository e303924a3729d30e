from __future__ import annotations

from collections.abc import Iterator

import pytest

from tidings.channel.effects import Cause, Outcome
from tidings.channel.entries import NEVER, PERSISTENT, Entry
from tidings.engine.ledger import Ledger, Letter
from tidings.stores.catalog import Catalog
from tidings.stores.payloads import (
    StoredDeadLetter,
    StoredEvent,
    dead_payload,
    event_payload,
    outcome_payload,
    stored_dead,
    stored_event,
    topology_payload,
)
from tidings.stores.records import Kind, Record

ORIGIN, OTHER = bytes(range(16)), bytes(16)
LETTER = StoredDeadLetter(5, 1, (Cause(1, "no"),), NEVER, 0, PERSISTENT, 1, 1, b"{}")


def record(seq: int = 1, *durable: int, views: dict[int, tuple[int, int]] | None = None) -> Record:
    """An old event."""
    stored = StoredEvent(
        9, 1, 0, NEVER, None, PERSISTENT, None, 0, (), durable or (5, 6), views or {}, False, b"{}"
    )
    return Record(Kind.EVENT, ORIGIN, seq, event_payload(stored))


def outcome(proxy: int, *seqs: int, what: Outcome = Outcome.DELIVERED) -> Record:
    """The record that a consumer is done with events."""
    return Record(Kind.OUTCOME, ORIGIN, seqs[0], outcome_payload(proxy, what, seqs, 5))


def entries(*seqs: int, flags: int = PERSISTENT) -> list[Entry]:
    """What waits."""
    return [Entry(NEVER, seq, 0, 0, flags) for seq in seqs]


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    with Catalog.open(None, OTHER) as made:
        yield made


@pytest.fixture
def taken() -> set[Letter]:
    return set()


@pytest.fixture
def ledger(catalog: Catalog, taken: set[Letter]) -> Ledger:
    return Ledger({ORIGIN: 1}, catalog, taken)


def left(ledger: Ledger, seq: int = 1, *durable: int) -> tuple[int, ...]:
    """For whom an event is needed."""
    found = ledger.wanted(record(seq, *durable))
    return () if found is None else stored_event(found.payload).durable


def test_who_waits_is_carried_with_how_they_see_it(ledger: Ledger) -> None:
    assert ledger.is_empty
    ledger.saw(1, 6, entries(1, 2))
    ledger.saw(1, 7, entries(1))
    assert not ledger.is_empty
    ledger.all_seen([])
    found = ledger.wanted(record(1, 5, 6, views={5: (1, 1), 6: (2, 2)}))
    assert found is not None
    stored = stored_event(found.payload)
    assert (stored.durable, stored.views, stored.carried) == ((6,), {6: (2, 2)}, True)
    assert (found.kind, found.channel, found.seq) == (Kind.EVENT, ORIGIN, 1)
    assert ledger.wanted(record(3)) is None
    assert ledger.wanted(record(1)._replace(channel=OTHER)) is None


def test_only_persistent_entries_count(ledger: Ledger) -> None:
    ledger.saw(1, 5, entries(1, flags=0))
    assert ledger.is_empty


def test_what_was_done_with_while_others_were_asked_is_not_needed(ledger: Ledger) -> None:
    ledger.wrote([outcome(5, 1)])
    ledger.saw(1, 5, entries(1, 2))  # seen before, told after
    ledger.all_seen([])
    assert left(ledger) == ()
    assert left(ledger, 2) == (5,)
    ledger.wrote([outcome(5, 2)])
    assert left(ledger, 2) == ()
    ledger.saw(1, 5, entries(1))  # delivered again, and swapped out
    assert left(ledger) == (5,)


def test_what_the_journal_does_not_know_to_be_done_is_needed(ledger: Ledger) -> None:
    ledger.all_seen([outcome(5, 1), outcome(6, 1, what=Outcome.WITHDRAWN)])
    assert left(ledger) == (5,)
    ledger.wrote([outcome(5, 1)])
    assert left(ledger) == ()


def test_what_waits_on_the_disk_is_needed(ledger: Ledger, catalog: Catalog) -> None:
    ledger.all_seen([])
    assert left(ledger) == ()
    catalog.spill(1, 6, entries(1, 700))
    ledger.begin_step()
    assert left(ledger) == (6,)
    assert left(ledger, 700) == (6,)
    rows, _ = catalog.refill(1, 6, "fifo", 10)
    ledger.begin_step()
    assert left(ledger) == ()
    ledger.saw(1, 6, rows)
    assert left(ledger) == (6,)


def test_places_are_renewed(ledger: Ledger) -> None:
    ledger.places[1, 7] = 99
    places = {7: 1, 8: 2}
    ledger.renew(1, places)
    assert places == {7: 99, 8: 2}


def test_objects_that_were_written_down_are_known(ledger: Ledger) -> None:
    payload = topology_payload(1, "proxy", "5", None)
    ledger.wrote([Record(Kind.TOPOLOGY, ORIGIN, 0, payload), record()])
    assert ledger.changed == {(1, "proxy", "5")}


def test_dead_letters_are_needed_until_they_are_gone(
    ledger: Ledger, catalog: Catalog, taken: set[Letter]
) -> None:
    old = Record(Kind.DEAD, ORIGIN, 1, dead_payload(LETTER))
    assert ledger.wanted(old) is None
    taken.add((1, 5, 1))
    assert ledger.wanted(old) == old
    taken.clear()
    later = LETTER._replace(causes=(Cause(1, "no"), Cause(2, "again")))
    number = catalog.add_dead(1, 1, later)
    found = ledger.wanted(old)
    assert found is not None
    assert stored_dead(found.payload) == later._replace(number=number)


def test_what_cannot_be_understood_is_not_needed(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    ledger.saw(1, 5, entries(1))
    for kind in (Kind.EVENT, Kind.DEAD):
        assert ledger.wanted(Record(kind, ORIGIN, 1, b"\x01")) is None
    assert ledger.wanted(Record(Kind.PLAN, ORIGIN, 1, b"")) is None
    assert len(caplog.records) == 2
