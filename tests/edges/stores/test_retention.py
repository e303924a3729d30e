"""Which segments of a journal go, and that what is needed of them is carried forward first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.stores.sample_journal import CHANNEL, records_in, sample_records
from tidings.clock import ManualClock
from tidings.errors import BadInput, DiskFull, StoreError
from tidings.stores.journal import Journal
from tidings.stores.observed_time import LONGEST_PAUSE
from tidings.stores.records import Kind, Record
from tidings.stores.retention import Carrier, Moved, Retention, SegmentInfo, droppable, held_from

DAY = 24 * 3600 * 1_000_000
CHECKPOINT = [Record(Kind.CHECKPOINT, CHANNEL, 0, octets) for octets in (b"begin", b"end")]


def infos(*rows: tuple[int, int, int]) -> list[SegmentInfo]:
    """Segments 1, 2, 3 …, of so many octets, so old in days, so much of them needed."""
    return [
        SegmentInfo(number, octets, days * DAY, needed)
        for number, (octets, days, needed) in enumerate(rows, 1)
    ]


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
    half_needed = infos((10, 99, 5), (10, 99, 5), (10, 99, 5))
    assert droppable(half_needed, Retention(10, 50 * DAY)) == [1, 2]


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


def test_a_clock_that_is_set_makes_no_segment_old(tmp_path: Path) -> None:
    clock = ManualClock(1_700_000_000_000_000)
    for _ in range(2):
        with Journal.open(tmp_path, clock=clock) as journal:
            journal.append(sample_records(1))
            journal.roll()
            clock.advance(10**15)
            assert max(journal.ages().values()) <= LONGEST_PAUSE + 10**9
        clock.advance(10**15)


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
    last = {one.seq: one.kind for one in records if one.kind in (Kind.EVENT, Kind.OUTCOME)}
    return {seq for seq, kind in last.items() if kind == Kind.EVENT}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Waiting]:
    """Five segments; of their 200 events every seventh waits."""
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
    found = records_in(journal)
    assert before == waits == recovered(found)
    assert journal.segments[0] == upto
    assert [record for record in found if record.kind == Kind.CHECKPOINT] == CHECKPOINT
    assert step.moved == []
    for kind, channel, seq, place in moved:
        record = next(journal.read(place)).record
        assert (record.kind, record.channel, record.seq) == (kind, channel, seq)
        assert record.payload.startswith(b"carried ")
    assert {move.seq for move in moved} <= waits
    assert carrying.step() == (True, [])  # again is no error
    with pytest.raises(BadInput, match=f"segment {journal.segments[-1]} is written to"):
        carrier(engine, journal.segments[-1] + 1)


def test_whatever_fails_meanwhile_is_tried_again_and_nothing_is_lost(engine: Waiting) -> None:
    journal, carrying = engine.journal, carrier(engine)
    whole, drop = list(journal.read()), journal.drop_before
    unsynced: list[int] = []

    def broken(_: object = None) -> Iterator[object]:
        yield from whole[:9]
        raise StoreError("cannot be read")

    def dropping(upto: int) -> list[int]:
        unsynced.append(journal._end - journal._synced)
        if len(unsynced) == 1:
            raise StoreError("refused")
        return drop(upto)

    with mock.patch.object(journal, "read", broken), pytest.raises(StoreError, match="be read"):
        carrying.step(20)
    full = mock.patch.object(journal, "append", side_effect=DiskFull("full"))
    with full, pytest.raises(DiskFull):
        carrying.step(20)
    while carrying._unread is not None:
        carrying.step(100)
    with mock.patch.object(journal, "drop_before", dropping):
        with pytest.raises(StoreError, match="refused"):
            carrying.step()
        assert carrying.step().done
    assert unsynced == [0, 0]
    found = records_in(journal)
    assert [record for record in found if record.kind == Kind.CHECKPOINT] == CHECKPOINT
    assert recovered(found) == engine.waits
