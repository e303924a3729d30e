from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from unittest import mock

import pytest

from tests.unit.stores.sample_payloads import EVENT
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


def indexed(records: Iterable[Record], *, complete: bool = False) -> SegmentIndex:
    """An index of records that stand every 100 octets, ten to a block."""
    index = SegmentIndex()
    for at, record in enumerate(records):
        place = DATA_START + WIDTH * at
        index.add(Entry(Cursor(1, place), Cursor(1, place + WIDTH), record))
        index.upto = place + WIDTH
    index.complete = complete
    return index


@pytest.fixture(autouse=True)
def small_blocks() -> Iterable[None]:
    with mock.patch.object(event_index, "BLOCK_OCTETS", 10 * WIDTH):
        yield


def at(records: int) -> int:
    """Where the record behind so many others begins."""
    return DATA_START + WIDTH * records


def test_blocks_without_such_events_are_passed_over() -> None:
    index = indexed([event(OURS if 20 <= n < 30 else THEIRS, n + 1, 1_000 * n) for n in range(45)])
    start = DATA_START
    assert index.stretch(start, OURS, 0, None) == Stretch(at(20), at(30), 0)
    assert index.stretch(start, OURS, 29, None) == Stretch(at(20), at(30), 0)
    assert index.stretch(start, OURS, 30, None) == Stretch(at(45), None, 30)
    assert index.stretch(at(25), OURS, 0, None) == Stretch(at(25), at(30), 0)
    assert index.stretch(at(30), OURS, 0, None) == Stretch(at(45), None, 0)
    assert index.stretch(start, THEIRS, 40, None) == Stretch(at(40), at(45), 40)
    assert index.stretch(start, bytes(16), 0, None) == Stretch(at(45), None, 0)


def test_what_is_too_old_is_passed_over_and_told() -> None:
    index = indexed([event(OURS, n + 1, 1_000 * n) for n in range(30)])
    assert index.stretch(DATA_START, OURS, 0, 15_000) == Stretch(at(10), at(20), 10)
    assert index.stretch(DATA_START, OURS, 0, 19_000) == Stretch(at(10), at(20), 10)
    assert index.stretch(DATA_START, OURS, 0, 19_001) == Stretch(at(20), at(30), 20)
    assert index.stretch(DATA_START, OURS, 0, 90_000) == Stretch(at(30), None, 30)


def test_a_clock_that_was_set_back_hides_nothing() -> None:
    index = indexed([event(OURS, n + 1, abs(15 - n)) for n in range(30)])
    assert index.stretch(DATA_START, OURS, 0, 15) == Stretch(DATA_START, at(10), 0)
    assert index.stretch(at(10), OURS, 10, 14) == Stretch(at(20), at(30), 20)


def test_a_complete_segment_is_passed_over_as_a_whole() -> None:
    index = indexed([event(OURS, n + 1, n) for n in range(30)], complete=True)
    with mock.patch.object(index, "_blocks", None):
        assert index.stretch(DATA_START, OURS, 30, None) == Stretch(at(30), None, 30)
        assert index.stretch(DATA_START, THEIRS, 0, None) == Stretch(at(30), None, 0)
    assert index.stretch(DATA_START, OURS, 29, None) == Stretch(at(20), at(30), 20)


def test_of_too_many_channels_nothing_is_said() -> None:
    with mock.patch.object(event_index, "_CHANNELS_OF_A_BLOCK", 4):
        records = [event(bytes([n % 5] * 16), n + 1, n) for n in range(10)]
        index = indexed([*records, *[event(OURS, n, n) for n in range(11, 15)]], complete=True)
    assert index.stretch(DATA_START, OURS, 0, None) == Stretch(DATA_START, at(10), 0)
    assert index.stretch(at(10), OURS, 0, None) == Stretch(at(10), at(14), 0)
    assert index.stretch(DATA_START, THEIRS, 0, None) == Stretch(at(14), None, 0)
    with mock.patch.object(event_index, "_CHANNELS_OF_A_SEGMENT", 1):
        index = indexed([event(OURS, 1, 1), event(THEIRS, 1, 1)], complete=True)
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


def test_damage_is_passed_over(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        records = [event(OURS, n, n) for n in (1, 2, 3)]
        places = journal.append(records)
        journal.sync()
        [path] = tmp_path.glob("*.journal")
        octets = bytearray(path.read_bytes())
        octets[places[1].offset + 60] ^= 1
        path.write_bytes(octets)
        found = durable_entries(journal, Cursor(1, DATA_START))
        assert [entry.record.seq for entry in found] == [1, 3]
