from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.archive_worlds import FIRST_US, archive_journal
from tests.unit.stores.archive.archive_rows import (
    check_ledger,
    last_books_of,
    pending_of,
    rows_of,
)
from tests.unit.stores.archive.journal_model import PROXIES, JournalModel
from tests.unit.stores.archive.small_journal import (
    HOUR,
    ORIGIN,
    START,
    channel,
    checkpoint,
    dead,
    happened,
    outcome,
    plan,
    proxy,
    written,
)
from tidings.channel.effects import Outcome
from tidings.clock import ManualClock
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.journal import Journal
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor, segment_path


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, and real syncs would take most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(os, "fdatasync", lambda _: None)


def archived(tmp_path: Path, *records: Record) -> Path:
    written(tmp_path / "journal", records)
    archive_journal(tmp_path / "journal", tmp_path / "archive")
    return tmp_path / "archive"


@pytest.mark.parametrize("seed", range(12))
def test_books_count_what_is_pending_whatever_happens(tmp_path: Path, seed: int) -> None:
    """With restarts of the archiver and journals that are shortened before or meanwhile."""
    dice = random.Random(seed)
    model = JournalModel(tmp_path / "journal", dice)
    options = ArchiveOptions(seal_rows=dice.choice([5, 40]))
    late = seed % 3 == 0
    keeps_up = seed % 3 != 2

    archiver: Archiver | None = None

    def opened() -> Archiver:
        clock = ManualClock(FIRST_US)
        return Archiver(tmp_path / "journal", tmp_path / "a", options, clock)

    def sealed(end: Cursor) -> None:
        nonlocal archiver
        archiver = archiver or opened()
        archiver.advance(end, seal=True)

    for step in range(120):
        model.happen()
        begun = not late or step > 40
        if step % 30 == 29:
            model.retain(sealed if keeps_up and begun else None)
        if begun and dice.random() < 0.2:
            archiver = archiver or opened()
            archiver.advance(model.end, seal=dice.random() < 0.5)
            if dice.random() < 0.3:
                archiver.close()
                archiver = None
    archiver = archiver or opened()
    with archiver:
        archiver.advance(model.end, seal=True)
    model.close()
    check_ledger(tmp_path / "a")
    books = last_books_of(tmp_path / "a")
    found = {
        id: (book.pending, book.pending_sum)
        for id in PROXIES
        if (book := books.proxies.get(f"{ORIGIN.hex()}/{id}")) is not None and book.present
    }
    assert found.keys() == model.present
    for id, counted in found.items():
        seqs = [seq for seq, p in model.pending if p == id]
        assert counted == (len(seqs), sum(seqs))
    gaps = [seal.gap for seal in read_manifest(tmp_path / "a").seals if seal.gap]
    assert bool(gaps) <= (not keeps_up)
    rows = [row["seq"] for row in rows_of(tmp_path / "a", "events")]
    assert len(rows) == len(set(rows))
    if not late and not gaps:
        assert sorted(rows) == model.seqs
        pending = pending_of(tmp_path / "a")
        assert {id: pending[ORIGIN.hex(), id] for id in found} == {
            id: count for id, (count, _) in found.items()
        }


def test_a_carried_event_is_no_second_row(tmp_path: Path) -> None:
    folder = archived(
        tmp_path, channel(), happened(1, [3, 4]), outcome([1], 3), happened(1, [4], carried=True)
    )
    [row] = rows_of(folder, "events")
    assert (row["seq"], row["durable"], row["carried"]) == (1, [3, 4], False)
    assert last_books_of(folder).proxies[f"{ORIGIN.hex()}/4"].pending == 1


def test_a_carried_event_without_its_original_is_a_row_once(tmp_path: Path) -> None:
    again = happened(1, [4], carried=True)
    folder = archived(tmp_path, again, happened(7, [4]), again, outcome([1], 4), channel("late"))
    first, second = rows_of(folder, "events")
    assert (first["seq"], first["carried"]) == (1, True)
    assert (second["seq"], second["carried"]) == (7, False)
    assert {first["channel"], second["channel"]} == {"late"}  # its record came last
    book = last_books_of(folder).proxies[f"{ORIGIN.hex()}/4"]
    assert (book.pending, book.pending_sum) == (1, 7)
    assert last_books_of(folder).channels[ORIGIN.hex()].carried == {1}


def test_outcomes_of_events_that_are_not_there_are_counted(tmp_path: Path) -> None:
    # One above all events is of an event that was refused; its number is used again.
    records = [channel(), happened(5, [3]), outcome([6], 3), happened(6, [3]), outcome([4, 5], 3)]
    folder = archived(tmp_path, *records)
    assert [row["seq"] for row in rows_of(folder, "outcomes")] == [5]
    assert [seal.stray for seal in read_manifest(folder).seals] == [2]
    assert last_books_of(folder).proxies[f"{ORIGIN.hex()}/3"].pending_sum == 6


def test_a_redriven_event_is_an_outcome_and_pending_again(tmp_path: Path) -> None:
    letter = [dead(1, 3, "first"), outcome([1], 3, Outcome.DEAD)]
    folder = archived(tmp_path, channel(), happened(1, [3]), *letter, happened(1, [3]))
    assert len(rows_of(folder, "events")) == 1
    one, two = rows_of(folder, "outcomes")
    assert (one["outcome"], one["detail"], one["at_us"]) == ("dead-lettered", "first", START + 501)
    assert (two["outcome"], two["detail"], two["at_us"]) == ("redriven", None, None)
    assert last_books_of(folder).proxies[f"{ORIGIN.hex()}/3"].pending == 1


def test_a_letter_from_before_the_archive_is_a_row_once(tmp_path: Path) -> None:
    letter = [outcome([2], 3, Outcome.REJECTED), happened(2, [3])]
    records = [channel(), happened(5), *letter, *letter]
    folder = archived(tmp_path, *records)
    assert [(row["seq"], row["carried"]) for row in rows_of(folder, "events")] == [
        (5, False), (2, True),
    ]  # fmt: skip
    assert [row["outcome"] for row in rows_of(folder, "outcomes")] == ["rejected", "redriven"]
    assert last_books_of(folder).proxies[f"{ORIGIN.hex()}/3"].pending == 1


def test_withdrawn_ends_nothing(tmp_path: Path) -> None:
    folder = archived(tmp_path, channel(), happened(1, [3]), outcome([1], 3, Outcome.WITHDRAWN))
    assert [row["outcome"] for row in rows_of(folder, "outcomes")] == ["withdrawn"]
    assert last_books_of(folder).proxies[f"{ORIGIN.hex()}/3"].pending == 1


def test_objects_written_twice_are_one_row(tmp_path: Path) -> None:
    gone = proxy(3, present=False)
    records = [channel(), channel(), proxy(3), proxy(3), proxy(3, a=1), gone, gone, proxy(3, a=1)]
    folder = archived(tmp_path, *records, checkpoint(begins=False), channel())
    assert [(row["object"], row["present"]) for row in rows_of(folder, "objects")] == [
        ("channel", True), ("proxy", True), ("proxy", True), ("proxy", False), ("proxy", True),
    ]  # fmt: skip


def test_a_plan_that_is_written_again_is_one_row_unless_it_differs(tmp_path: Path) -> None:
    records = [channel(), plan(1, [3]), plan(2, [4]), plan(2, [3, 4], whole=True)]
    folder = archived(tmp_path, *records, plan(2, [4]), plan(2, [3], whole=True))
    rows = rows_of(folder, "plans")
    assert [(row["version"], row["whole"]) for row in rows] == [(1, False), (2, False), (2, True)]


def test_damaged_records_are_passed_over_and_counted(tmp_path: Path) -> None:
    bad = [
        happened(2, octets=b"no event"),
        happened(3, priority=40_000),
        happened(3, [2**31]),
        happened(3, views={2: (0, -32_768)}),
        happened(2**63, at=START),
        outcome([1], 2**31),
        plan(2**63, []),
        proxy(2**31),
        Record(Kind.OUTCOME, ORIGIN, 1, b"\x01"),
        Record(Kind.PLAN, ORIGIN, 1, plan(1, []).payload[:1] + b"\x81\xa6admins\x91\x01"),
        Record(77, ORIGIN, 1, b"of a later version"),
    ]
    end = written(tmp_path / "journal", [channel(), happened(1), *bad, happened(4)])
    path = segment_path(tmp_path / "journal", 1)
    octets = bytearray(path.read_bytes())
    octets[octets.index(b'"name":"e1"')] ^= 1
    path.write_bytes(octets)
    archive_journal(tmp_path / "journal", tmp_path / "archive", upto=end)
    assert [row["seq"] for row in rows_of(tmp_path / "archive", "events")] == [4]
    assert [seal.damaged for seal in read_manifest(tmp_path / "archive").seals] == [11]


def test_outcomes_of_a_damaged_event_are_strays(tmp_path: Path) -> None:
    """They must not be struck off: the books would be wrong for good."""
    records = [channel(), proxy(2), *(happened(seq, [2]) for seq in (1, 2, 3))]
    end = written(tmp_path / "journal", [*records, outcome([1, 2], 2)])
    path = segment_path(tmp_path / "journal", 1)
    octets = bytearray(path.read_bytes())
    octets[octets.index(b'"name":"e2"')] ^= 1
    path.write_bytes(octets)
    archive_journal(tmp_path / "journal", tmp_path / "archive", upto=end)
    [seal] = read_manifest(tmp_path / "archive").seals
    assert (seal.damaged, seal.stray) == (1, 1)
    [book] = last_books_of(tmp_path / "archive").proxies.values()
    assert (book.pending, book.pending_sum) == (1, 3)


def test_wherever_clocks_jump_rows_land_in_their_hour(tmp_path: Path) -> None:
    times = [START, START - 30 * HOUR, START + 9, 2**63 - 1, -(2**63), START + HOUR]
    records = [happened(n, at=time) for n, time in enumerate(times, 1)]
    folder = archived(tmp_path, channel(), *records, happened(7), plan(1, []))
    files = read_manifest(folder).select("events")
    assert sorted(file.rows for file in files) == [1, 1, 1, 1, 3]
    assert {file.path.split("/")[1] for file in files} >= {"date=0001-01-01", "date=9999-12-31"}
    assert len(rows_of(folder, "events")) == 7
    [row] = rows_of(folder, "plans")
    assert row["at_us"] == START + 7  # the latest before it, not the highest


def test_what_a_gap_says(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal")
    with Archiver(tmp_path / "journal", tmp_path / "a", clock=ManualClock(FIRST_US)) as archiver:
        journal.append([channel(), proxy(3), proxy(4), happened(1, [3, 4]), happened(2, [3])])
        journal.sync()
        before = archiver.advance(journal.end, seal=True).cursor
        journal.append([happened(3, [3])])
        upto = journal.roll()
        journal.append([happened(4, [3]), happened(2, [3], carried=True)])
        journal.append([happened(3, [3], carried=True), channel(), proxy(3)])
        journal.append([checkpoint(begins=False)])
        journal.sync()
        journal.drop_before(upto)
        archiver.advance(journal.end, seal=True)
    journal.close()
    seal = read_manifest(tmp_path / "a").seals[-1]
    assert seal.gap is not None
    assert seal.gap.since == before
    assert seal.gap.upto.segment == upto
    events = [(row["seq"], row["carried"]) for row in rows_of(tmp_path / "a", "events")]
    assert events == [(1, False), (2, False), (4, False), (3, True)]
    books = last_books_of(tmp_path / "a")
    three = books.proxies[f"{ORIGIN.hex()}/3"]
    assert (three.pending, three.pending_sum) == (3, 9)
    assert f"{ORIGIN.hex()}/4" not in books.proxies  # the complete copy does not have it
    last = rows_of(tmp_path / "a", "objects")[-1]
    assert (last["object"], last["id"], last["present"]) == ("proxy", 4, False)
