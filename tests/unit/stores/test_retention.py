from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stores.sample_journal import CHANNEL, records_in
from tidings.errors import BadInput, DiskFull, StoreError
from tidings.stores import retention as retention_module
from tidings.stores.journal import Journal
from tidings.stores.records import Kind, Record
from tidings.stores.retention import (
    Carrier,
    Moved,
    Retention,
    SegmentInfo,
    droppable,
    held_from,
)
from tidings.stores.segments import Entry

DAY = 24 * 3600 * 1_000_000
CHECKPOINT = [Record(Kind.CHECKPOINT, CHANNEL, 0, octets) for octets in (b"begin", b"end")]


def infos(*rows: tuple[int, int, int]) -> list[SegmentInfo]:
    """Segments 1, 2, 3 …, of so many octets, so old in days, so much of them needed."""
    return [
        SegmentInfo(number, octets, days * DAY, needed)
        for number, (octets, days, needed) in enumerate(rows, 1)
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([(999, 99, 0)], []),  # the one that is written to stays
        ([(30, 1, 0), (30, 1, 0), (40, 0, 0)], []),  # just as long as allowed
        ([(30, 1, 0), (30, 1, 0), (41, 0, 0)], [1]),
        ([(10, 1, 0), (80, 1, 0), (80, 1, 0), (80, 0, 0)], [1, 2, 3]),
        ([(10, 8, 0), (10, 7, 0), (10, 0, 0)], [1]),  # exactly seven days old stays
        ([(10, 1, 0), (10, 9, 0), (10, 0, 0)], []),  # a young one in front keeps the old one
        ([(60, 1, 0), (10, 9, 0), (10, 6, 0), (31, 0, 0)], [1, 2]),  # length first, then age
        ([(60, 1, 31), (60, 0, 0)], []),  # carrying would not pay
        ([(60, 1, 30), (60, 0, 0)], [1]),
        ([(90, 1, 90), (95, 1, 5), (60, 0, 0)], []),
        ([(90, 1, 80), (95, 1, 5), (90, 1, 90), (99, 0, 0)], [1, 2]),  # pays together
    ],
)
def test_which_segments_can_go(rows: list[tuple[int, int, int]], expected: list[int]) -> None:
    kept = Retention(keep_octets=100, keep_microseconds=7 * DAY)
    assert droppable(infos(*rows), kept) == expected


@pytest.mark.parametrize(
    ("first", "most", "held"),
    [(0, 100, 1), (1, 100, 1), (2, 100, 2), (4, 100, 4), (9, 100, 4), (1, 99, 2), (1, 60, 3),
     (3, 60, 3), (4, 60, 4), (1, 5, 4)],
)  # fmt: skip
def test_what_stays_for_who_still_has_to_read(first: int, most: int, held: int) -> None:
    segments = infos((20, 9, 0), (30, 9, 0), (40, 9, 0), (10, 0, 0))
    assert held_from(segments, first, most) == held


def test_what_is_held_stays_whatever_its_age_and_length() -> None:
    segments = infos((60, 9, 0), (60, 9, 0), (60, 9, 0), (10, 0, 0))
    for keep in (Retention(1, None), Retention(1_000, DAY)):
        assert droppable(segments, keep) == [1, 2, 3]
        assert droppable(segments, keep, 3) == [1, 2]
        assert droppable(segments, keep, 1) == []


def test_a_journal_may_be_kept_whatever_its_age() -> None:
    assert droppable(infos((10, 9_999, 0), (10, 0, 0)), Retention(100, None)) == []
    assert Retention() == Retention(keep_octets=2**30, keep_microseconds=7 * DAY)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 12)), max_size=8),
    st.integers(0, 200),
    st.none() | st.integers(0, 9),
)
def test_no_more_go_than_must(rows: list[tuple[int, int]], octets: int, days: int | None) -> None:
    segments = infos(*((size, age, 0) for size, age in rows))
    gone = droppable(segments, Retention(octets, None if days is None else days * DAY))
    assert gone == [segment.number for segment in segments[: len(gone)]]
    assert len(gone) < max(1, len(segments))
    left = segments[len(gone) :]
    assert len(left) <= 1 or (
        sum(segment.octets for segment in left) <= octets
        and (days is None or left[0].age <= days * DAY)
    )
    if gone:
        last = segments[len(gone) - 1]
        too_long = last.octets + sum(segment.octets for segment in left) > octets
        assert too_long or (days is not None and last.age > days * DAY)


class Waiting:
    """A little engine: events that wait until an outcome says otherwise."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.waits: set[int] = set()
        self.seq = 0

    def push(self, count: int) -> None:
        seqs = range(self.seq + 1, self.seq + count + 1)
        self.journal.append([Record(Kind.EVENT, CHANNEL, seq, b"event " * 5) for seq in seqs])
        self.journal.sync()
        self.seq += count
        self.waits.update(seqs)

    def done(self, seqs: Sequence[int]) -> None:
        self.journal.append([Record(Kind.OUTCOME, CHANNEL, seq, b"") for seq in seqs])
        self.waits.difference_update(seqs)

    def wanted(self, record: Record) -> Record | None:
        if record.kind == Kind.EVENT and record.seq in self.waits:
            return record._replace(payload=b"carried " + record.payload.removeprefix(b"carried "))
        return None


def recovered(records: Sequence[Record]) -> set[int]:
    """The events that wait, by the records alone."""
    waits: set[int] = set()
    for record in records:
        if record.kind == Kind.EVENT:
            waits.add(record.seq)
        elif record.kind == Kind.OUTCOME:
            waits.discard(record.seq)
    return waits


def of_folder(folder: Path, copy: Path) -> list[Record]:
    """What recovery finds after a crash now; a killed process loses no write."""
    shutil.copytree(folder, copy)
    with Journal.open(copy) as journal:
        assert journal.damage == []
        found = records_in(journal)
    shutil.rmtree(copy)
    return found


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Waiting]:
    """Five segments; of their 200 events every seventh waits."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(os, "fdatasync", lambda _: None)
    with Journal.open(tmp_path / "journal", segment_octets=3_800) as journal:
        made = Waiting(journal)
        for _ in range(20):
            made.push(10)
            made.done([seq for seq in sorted(made.waits) if seq % 7])
        journal.sync()
        yield made


def carrier(engine: Waiting, upto: int | None = None) -> Carrier:
    last = engine.journal.segments[-1]
    return Carrier(engine.journal, upto or last, engine.wanted, lambda: CHECKPOINT)


def test_what_waits_is_carried_and_the_old_segments_go(engine: Waiting) -> None:
    journal = engine.journal
    assert len(journal.segments) >= 5
    upto = journal.segments[-1]
    carrying = carrier(engine)
    before, waits = recovered(records_in(journal)), set(engine.waits)
    moved: list[Moved] = []
    while not (step := carrying.step(30)).done:
        moved += step.moved
        assert journal.segments[0] == 1
    assert before == waits == recovered(records_in(journal))
    assert journal.segments[0] == upto
    assert [
        record for record in records_in(journal) if record.kind == Kind.CHECKPOINT
    ] == CHECKPOINT
    assert step.moved == []
    for kind, channel, seq, place in moved:
        record = next(journal.read(place)).record
        assert (record.kind, record.channel, record.seq) == (kind, channel, seq)
        assert record.payload.startswith(b"carried ")
    assert {move.seq for move in moved} <= waits
    assert carrying.step() == (True, [])  # again is no error


@pytest.mark.parametrize("seed", range(4))
def test_a_crash_at_any_step_loses_nothing(engine: Waiting, tmp_path: Path, seed: int) -> None:
    """With pushes and outcomes between the steps."""
    rng = Random(seed)
    carrying = carrier(engine)
    done = False
    while not done:
        done = carrying.step(rng.choice([1, 7, 40])).done
        found = of_folder(engine.journal.folder, tmp_path / "copy")
        assert recovered(found) == engine.waits
        assert not done or CHECKPOINT[1] in found
        if rng.random() < 0.5:
            engine.push(rng.randrange(1, 4))
        if rng.random() < 0.5:
            engine.done(rng.sample(sorted(engine.waits), 2))
    assert recovered(of_folder(engine.journal.folder, tmp_path / "copy")) == engine.waits


def test_a_crash_inside_the_last_step_loses_nothing(engine: Waiting, tmp_path: Path) -> None:
    """At its sync, and between any two removals; the sync comes first."""
    journal = engine.journal
    crashes: list[str] = []
    checkpointed: list[bool] = []
    carrying = carrier(engine)
    while carrying._unread is not None:
        carrying.step(50)

    def crash(name: str, really: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            with (
                mock.patch.object(Path, "unlink", unlink),
                mock.patch.object(os, "fdatasync", return_value=None),
            ):
                found = of_folder(journal.folder, tmp_path / "copy")
            assert recovered(found) == engine.waits
            checkpointed.append(CHECKPOINT[1] in found)
            crashes.append(name)
            return really(*args, **options)

        return call

    unlink = Path.unlink
    journal.append([Record(Kind.EVENT, CHANNEL, 7, b"")])  # so that there is something to sync
    with (
        mock.patch.object(Path, "unlink", crash("unlink", unlink)),
        mock.patch.object(os, "fdatasync", crash("sync", lambda _: None)),
    ):
        assert carrying.step().done
    assert crashes == ["sync", "sync", *["unlink"] * (len(crashes) - 2)]  # journal and head
    assert len(crashes) >= 6
    assert all(checkpointed)


def test_steps_are_short_and_not_synced(engine: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def wanted(record: Record) -> Record | None:
        asked.append(record.seq)
        return None

    carrying = Carrier(engine.journal, 3, wanted, lambda: CHECKPOINT)
    with mock.patch.object(Journal, "sync", side_effect=AssertionError):
        assert carrying.step(9) == (False, [])
        assert len(asked) == 9
        monkeypatch.setattr(retention_module, "STEP_OCTETS", 200)
        carrying.step(500)
    assert 9 < len(asked) < 20


def test_the_segments_behind_are_not_read(engine: Waiting) -> None:
    numbers: dict[Record, int] = {}
    for entry in engine.journal.read():
        numbers.setdefault(entry.record, entry.at.segment)
    asked: list[Record] = []

    def wanted(record: Record) -> Record | None:
        asked.append(record)
        return None

    carrying = Carrier(engine.journal, 3, wanted, list)
    while not carrying.step(100).done:
        pass
    assert asked == [record for record, number in numbers.items() if number < 3]
    assert engine.journal.segments[0] == 3


def test_the_segment_that_is_written_to_cannot_go(engine: Waiting) -> None:
    last = engine.journal.segments[-1]
    with pytest.raises(BadInput, match=f"segment {last} is written to"):
        carrier(engine, last + 1)


def test_after_a_full_disk_a_step_is_done_again_as_things_are_then(engine: Waiting) -> None:
    carrying = carrier(engine)
    with (
        mock.patch.object(engine.journal, "append", side_effect=DiskFull("full")),
        pytest.raises(DiskFull),
    ):
        carrying.step(100)
    gone = min(engine.waits)
    engine.done([gone])
    moved: list[Moved] = []
    while not (step := carrying.step(100)).done:
        moved += step.moved
    assert gone not in {move.seq for move in moved}
    assert recovered(records_in(engine.journal)) == engine.waits


def test_after_a_failed_read_the_rest_is_still_carried(engine: Waiting) -> None:
    read = engine.journal.read

    def failing(start: object = None) -> Iterator[Entry]:
        for number, entry in enumerate(read()):
            if number == 5:
                raise StoreError("segment 1 cannot be read")
            yield entry

    with mock.patch.object(engine.journal, "read", failing):
        carrying = carrier(engine)
        with pytest.raises(StoreError, match="cannot be read"):
            carrying.step(100)
    while not carrying.step(100).done:
        pass
    assert recovered(records_in(engine.journal)) == engine.waits


def test_a_failed_removal_is_tried_again_without_another_checkpoint(engine: Waiting) -> None:
    carrying = carrier(engine)
    while carrying._unread is not None:
        carrying.step(100)
    with (
        mock.patch.object(engine.journal, "drop_before", side_effect=StoreError("refused")),
        pytest.raises(StoreError, match="refused"),
    ):
        carrying.step()
    assert carrying.step().done
    found = records_in(engine.journal)
    assert [record for record in found if record.kind == Kind.CHECKPOINT] == CHECKPOINT
    assert recovered(found) == engine.waits
