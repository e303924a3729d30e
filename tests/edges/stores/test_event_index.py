"""The index of a segment's events: what need not be read, and that only what is durable is."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from tests.edges.stores.sample_payloads import EVENT
from tidings.stores import event_index
from tidings.stores.event_index import SegmentIndex, Stretch, durable_entries
from tidings.stores.journal import Journal
from tidings.stores.payloads import event_payload
from tidings.stores.records import Kind, Record
from tidings.stores.segments import DATA_START, Cursor, Entry

OURS, THEIRS = bytes(range(16)), bytes(range(1, 17))
WIDTH = 100


def event(origin: bytes, seq: int, arrival: int) -> Record:
    return Record(Kind.EVENT, origin, seq, event_payload(EVENT._replace(arrival=arrival)))


def at(records: int) -> int:
    """Where the record behind so many others begins."""
    return DATA_START + WIDTH * records


def indexed(*records: Record, complete: bool = True) -> SegmentIndex:
    """An index of records that stand every 100 octets, ten to a block."""
    index = SegmentIndex()
    for n, record in enumerate(records):
        index.add(Entry(Cursor(1, at(n)), Cursor(1, at(n + 1)), record))
    index.upto, index.complete = at(len(records)), complete
    return index


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_index, "BLOCK_OCTETS", 10 * WIDTH)


def test_what_is_too_old_is_passed_over_and_told() -> None:
    index = indexed(*(event(OURS, n + 1, 1_000 * n) for n in range(30)), complete=False)
    assert index.stretch(DATA_START, OURS, 0, 15_000) == Stretch(at(10), at(20), 10)
    assert index.stretch(DATA_START, OURS, 0, 19_000) == Stretch(at(10), at(20), 10)
    assert index.stretch(DATA_START, OURS, 0, 19_001) == Stretch(at(20), at(30), 20)
    assert index.stretch(DATA_START, OURS, 0, 90_000) == Stretch(at(30), None, 30)


def test_of_too_many_channels_nothing_is_said() -> None:
    with mock.patch.object(event_index, "_CHANNELS_OF_A_BLOCK", 4):
        records = [event(bytes([n % 5] * 16), n + 1, n) for n in range(10)]
        index = indexed(*records, *(event(OURS, n, n) for n in range(11, 15)))
    assert index.stretch(DATA_START, OURS, 0, None) == Stretch(DATA_START, at(10), 0)
    assert index.stretch(at(10), OURS, 0, None) == Stretch(at(10), at(14), 0)
    assert index.stretch(DATA_START, THEIRS, 0, None) == Stretch(at(14), None, 0)
    with mock.patch.object(event_index, "_CHANNELS_OF_A_SEGMENT", 1):
        index = indexed(event(OURS, 1, 1), event(THEIRS, 1, 1))
    assert index.stretch(DATA_START, bytes(16), 0, None) == Stretch(at(2), None, 0)


def test_only_durable_records_of_one_segment_are_read(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        first = [event(OURS, n, n) for n in (1, 2, 3)]
        places = journal.append(first)
        journal.roll()
        journal.append(first)
        journal.sync()
        end = journal.end
        journal.append([event(OURS, 4, 4)])
        for segment in (1, 2):
            start = Cursor(segment, DATA_START)
            found = [entry.record for entry in durable_entries(journal, start)]
            assert [record for record in found if record.kind != Kind.LINK] == first
        start, stop = Cursor(1, DATA_START), places[2].offset
        assert [e.record for e in durable_entries(journal, start, stop)] == first[:2]
        assert list(durable_entries(journal, end)) == []
        assert len(list(durable_entries(journal, end, journal.end.offset))) == 0
        with pytest.raises(FileNotFoundError):
            list(durable_entries(journal, Cursor(9, DATA_START)))
