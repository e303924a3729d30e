from __future__ import annotations

import os
import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.stores.sample_journal import CHANNEL, filled, flip, records_in, sample_records
from tidings.errors import (
    BadInput,
    CursorNotFound,
    JournalTooNew,
    LimitExceeded,
    StoreError,
)
from tidings.stores import journal as journal_module
from tidings.stores.chain import LINK_OCTETS
from tidings.stores.journal import Journal
from tidings.stores.records import MAX_PAYLOAD, Kind, Record, encode
from tidings.stores.segments import DATA_START, Cursor, DamageReport


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out the waiting for the disk, where hundreds of journals are opened.

    That syncs happen, and where, is tested in test_journal_disk.py and test_segments.py.
    """
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(os, "fdatasync", lambda _: None)


def test_what_is_appended_is_read_here_and_after_reopening(tmp_path: Path) -> None:
    records = sample_records(50)
    with Journal.open(tmp_path) as journal:
        places = journal.append(records)
        assert [entry.at for entry in journal.read()] == places
        assert [entry.record for entry in journal.read(places[20])] == records[20:]
        identity = journal.id
    seen: list[Record] = []
    with Journal.open(tmp_path, visit=lambda entry: seen.append(entry.record)) as journal:
        assert seen == records_in(journal) == records
        assert journal.id == identity
        assert journal.damage == []
        assert journal.append([]) == []
        assert journal.append(records[:1]) == [Cursor(1, places[-1].offset + records[-1].octets)]


@settings(max_examples=25)
@given(st.lists(st.lists(st.binary(max_size=80), max_size=4), max_size=8), st.integers(100, 600))
def test_batches_come_back_in_order(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[bytes]], size: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    written: list[Record] = []
    places: list[Cursor] = []
    with Journal.open(folder, segment_octets=size) as journal:
        for batch in batches:
            records = [Record(1, CHANNEL, len(written) + n, p) for n, p in enumerate(batch)]
            places += journal.append(records)
            written += records
    with Journal.open(folder) as journal:
        found = list(journal.read())
        assert [entry.record for entry in found] == written
        assert [entry.at for entry in found] == places == sorted(places)


def test_a_batch_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal.open(tmp_path) as journal:
        sizes = []
        write = os.write

        def recorded(file: int, octets: bytes) -> int:
            sizes.append(len(octets))
            return write(file, octets)

        monkeypatch.setattr(os, "write", recorded)
        records = sample_records(64)
        journal.append(records)
        assert sizes == [sum(record.octets for record in records)]


def test_segments_roll_by_size_and_old_ones_are_dropped(tmp_path: Path) -> None:
    records = sample_records(40, largest=100)
    filled(tmp_path, records, segment_octets=1_000)
    assert all(path.stat().st_size <= 1_000 for path in tmp_path.glob("*.journal"))
    with Journal.open(tmp_path, segment_octets=1_000) as journal:
        numbers = journal.segments
        assert len(numbers) > 3
        entries = list(journal.read())
        assert journal.drop_before(3) == [1, 2]
        assert journal.segments == numbers[2:]
        kept = [entry for entry in entries if entry.at.segment >= 3]
        assert list(journal.read()) == kept
        with pytest.raises(CursorNotFound, match="no segment 1; it has 3"):
            journal.read(entries[0].at)
        assert journal.drop_before(10**6) == numbers[2:-1]
        assert journal.roll() == numbers[-1] + 1
    with Journal.open(tmp_path) as journal:
        assert journal.segments == [numbers[-1], numbers[-1] + 1]
        assert journal.damage == []


def test_it_knows_how_far_it_is_durable(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        assert journal.synced == journal.end
        journal.append(sample_records(3))
        assert journal.synced == Cursor(1, DATA_START) != journal.end
        journal.sync()
        assert journal.synced == journal.end
        journal.append(sample_records(3))
        journal.roll()
        assert journal.synced == journal.end == Cursor(2, DATA_START + LINK_OCTETS)


def test_a_batch_larger_than_a_segment_stays_together(tmp_path: Path) -> None:
    with Journal.open(tmp_path, segment_octets=200) as journal:
        assert {place.segment for place in journal.append(sample_records(30))} == {1}
        assert {place.segment for place in journal.append(sample_records(30))} == {2}


def test_reading_ends_at_what_was_there_when_it_began(tmp_path: Path) -> None:
    records = sample_records(10)
    with Journal.open(tmp_path, segment_octets=300) as journal:
        journal.append(records[:5])
        reading = journal.read()
        journal.append(records[5:])
        assert [entry.record for entry in reading] == records[:5]


@pytest.mark.parametrize("taken", [0, 1])
def test_a_segment_dropped_while_it_is_read_is_told(taken: int, tmp_path: Path) -> None:
    with Journal.open(tmp_path, segment_octets=300) as journal:
        for record in sample_records(20):
            journal.append([record])
        reading = journal.read()
        for _ in range(taken):
            next(reading)
        journal.drop_before(journal.end.segment)
        with pytest.raises(CursorNotFound, match="was dropped"):
            list(reading)


@pytest.mark.usefixtures("unsynced")
def test_the_journal_cut_at_every_octet(tmp_path: Path) -> None:
    records = sample_records(8, largest=12)
    [path] = filled(tmp_path / "whole", records)
    octets = path.read_bytes()
    ends = [DATA_START]
    for record in records:
        ends.append(ends[-1] + record.octets)
    more = Record(1, CHANNEL, 99, b"more")
    folder = tmp_path / "cut"
    for cut in range(DATA_START, len(octets) + 1):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / path.name).write_bytes(octets[:cut])
        whole = sum(end <= cut for end in ends) - 1
        with Journal.open(folder) as journal:
            assert records_in(journal) == records[:whole]
            left = cut - ends[whole]
            torn = [DamageReport(1, ends[whole], left, "torn")] if left else []
            assert journal.damage == torn
            journal.append([more])
        with Journal.open(folder) as journal:
            assert records_in(journal) == [*records[:whole], more]
            assert journal.damage == []


@pytest.mark.parametrize("size", [0, 10, DATA_START // 2, DATA_START - 1])
def test_a_last_segment_cut_within_its_header_is_followed_by_another(
    size: int, tmp_path: Path
) -> None:
    first, last = filled(tmp_path, sample_records(10), segment_octets=400)[:2]
    for path in tmp_path.glob("*.journal"):
        if path > last:
            path.unlink()
    os.truncate(last, size)
    with Journal.open(tmp_path) as journal:
        kept = records_in(journal)
        journal.append(sample_records(2))
        assert journal.end.segment == 3
        assert {report.segment for report in journal.damage} == {2}
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == kept + sample_records(2)
    assert first.exists()


@pytest.mark.usefixtures("unsynced")
def test_300_flipped_bits_are_found_reported_and_set_aside(tmp_path: Path) -> None:
    records = sample_records(40)
    files = filled(tmp_path / "whole", records, segment_octets=1_000)
    with Journal.open(tmp_path / "whole") as journal:
        places = [(entry.at, entry.after) for entry in journal.read()]
    rng = Random(7)
    folder = tmp_path / "flipped"
    for _ in range(300):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(tmp_path / "whole", folder)
        victim = folder / rng.choice(files).name
        bit = rng.randrange(victim.stat().st_size * 8)
        flip(victim, bit)
        spot = Cursor(int(victim.stem), bit // 8)
        hit = [n for n, (at, after) in enumerate(places) if at <= spot < after]
        with Journal.open(folder) as journal:
            assert records_in(journal) == [r for n, r in enumerate(records) if n not in hit]
            [report] = journal.damage
        assert report.segment == spot.segment
        assert report.offset <= spot.offset < report.offset + report.length
        own = DATA_START if spot.offset < DATA_START else LINK_OCTETS
        assert report.length == (records[hit[0]].octets if hit else own)
        assert report.aside is not None
        octets = victim.read_bytes()[report.offset : report.offset + report.length]
        assert report.aside.read_bytes() == octets


def test_a_damaged_end_stays_where_it_is_and_is_written_behind(tmp_path: Path) -> None:
    records = sample_records(10)
    [path] = filled(tmp_path, records)
    size = path.stat().st_size
    flip(path, (size - records[-1].octets) * 8)
    with Journal.open(tmp_path) as journal:
        [report] = journal.damage
        assert report.what == "damaged"
        # A cursor that was handed out is never used for another record.
        assert journal.append(records[:2])[0].offset == size
    with Journal.open(tmp_path) as journal:
        assert records_in(journal) == [*records[:-1], *records[:2]]
        assert journal.damage == [report]


def test_damage_that_comes_while_the_journal_is_open_is_reported_once(tmp_path: Path) -> None:
    records = sample_records(10)
    with Journal.open(tmp_path) as journal:
        places = journal.append(records)
        [path] = tmp_path.glob("*.journal")
        flip(path, places[4].offset * 8)
        for _ in range(2):
            assert records_in(journal) == records[:4] + records[5:]
            list(journal.read(Cursor(1, places[4].offset + 3)))
        [report] = journal.damage
        assert (report.offset, report.length) == (places[4].offset, records[4].octets)


def test_a_missing_segment_is_reported(tmp_path: Path) -> None:
    filled(tmp_path, sample_records(40), segment_octets=600)[1].unlink()
    with Journal.open(tmp_path) as journal:
        assert journal.damage == [DamageReport(2, 0, 0, "missing")]


def test_no_more_than_so_many_stretches_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_ASIDE", 3)
    with Journal.open(tmp_path) as journal:
        places = journal.append(sample_records(20))
    [path] = tmp_path.glob("*.journal")
    for place in places[::2]:
        flip(path, place.offset * 8)
    with Journal.open(tmp_path) as journal:
        assert [report.aside is not None for report in journal.damage] == [True] * 3 + [False] * 7


def test_a_journal_of_rubbish_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    rubbish = Random(5).randbytes(5_000)
    (tmp_path / "000000000001.journal").write_bytes(rubbish)
    with pytest.raises(StoreError, match=r"put 000000000001\.journal back from a copy, or move it"):
        Journal.open(tmp_path)
    [path] = tmp_path.iterdir()
    assert path.read_bytes() == rubbish


def test_a_newer_journal_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = filled(tmp_path, sample_records(3))[0]
    header = encode(Record(Kind.HEADER, bytes(16), 2, (9).to_bytes(2, "big")))
    (tmp_path / "000000000002.journal").write_bytes(header * 2)
    path.write_bytes(path.read_bytes()[:-1])  # a torn end would be cut
    (tmp_path / "000000000003.unfinished").write_bytes(b"theirs")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(JournalTooNew, match="format 9"):
        Journal.open(tmp_path)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_wrong_record_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        end = journal.end
        good = sample_records(1)
        with pytest.raises(LimitExceeded):
            journal.append([*good, Record(1, CHANNEL, 1, bytes(MAX_PAYLOAD + 1))])
        with pytest.raises(BadInput):
            journal.append([*good, Record(1, b"", 1, b"")])
        assert journal.end == end
        journal.append(good)
        assert records_in(journal) == good


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path)
    journal.close()
    journal.close()
    for use in (journal.sync, journal.roll, journal.read, lambda: journal.append([])):
        with pytest.raises(StoreError, match="is closed"):
            use()


def test_a_folder_that_is_a_file_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="cannot be used"):
        Journal.open(tmp_path / "file")
