"""The catalog: spilled entries, dead letters, and a file that is used again only if it is sound."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.stores.sample_payloads import JOURNAL, LETTER, LETTERS, waiting
from tidings.channel.effects import Cause
from tidings.channel.entries import NEVER, Entry
from tidings.errors import BadInput, DiskFull, StoreError
from tidings.stores.catalog import (
    MOST_CAUSES,
    Catalog,
    Unusable,
    delete_file,
    make_file,
    reopen,
    translating,
)
from tidings.stores.payloads import StoredDeadLetter

ORDERS = {
    "fifo": lambda entry: entry.seq,
    "priority": lambda entry: (-entry.priority, entry.seq),
    "deadline": lambda entry: (entry.expiry, entry.seq),
}
ENTRY = st.builds(
    Entry, expiry=st.integers(0, 9) | st.just(NEVER), seq=st.integers(0, 30),
    priority=st.integers(-3, 3), octets=st.integers(0, 2**40), flags=st.integers(0, 3),
)  # fmt: skip
ENTRIES = st.lists(ENTRY, max_size=20, unique_by=lambda entry: entry.seq)


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    with Catalog.open(None, JOURNAL) as made:
        yield made


def kept(catalog: Catalog, channel: int = 1, proxy: int = 2) -> list[int]:
    query = (
        "SELECT seq FROM spilled JOIN consumers USING (consumer) "
        "WHERE consumers.channel = ? AND proxy = ? ORDER BY seq"
    )
    found = [seq for [seq] in catalog._rows(query, (channel, proxy))]
    assert len(found) == catalog.spilled(channel, proxy)
    return found


@given(ENTRIES, ENTRIES, st.sampled_from(sorted(ORDERS)), st.integers(0, 25))
def test_the_best_come_first_and_once(
    first: list[Entry], second: list[Entry], order: str, count: int
) -> None:
    with Catalog.open(None, JOURNAL) as catalog:
        catalog.spill(1, 2, first)
        catalog.spill(1, 2, second)
        for other in ((2, 2), (1, 3)):  # of other channels and consumers
            catalog.spill(*other, [waiting(5, expiry=0, priority=9)])
        left = sorted({entry.seq: entry for entry in first + second}.values(), key=ORDERS[order])
        for most in (count, 3, 99):
            assert catalog.refill(1, 2, order, most) == (left[:most], len(left[most:]))
            left = left[most:]
            assert kept(catalog) == sorted(entry.seq for entry in left)
        assert kept(catalog, 2, 2) == kept(catalog, 1, 3) == [5]


def test_expired_entries_leave_the_soonest_first(catalog: Catalog) -> None:
    with pytest.raises(BadInput, match="'lifo'; there are fifo, priority, deadline"):
        catalog.refill(1, 2, "lifo", 5)
    catalog.spill(1, 2, [waiting(1, 30), waiting(2, 10), waiting(3, 20), waiting(4)])
    catalog.spill(1, 3, [waiting(1, 31)])
    catalog.spill(2, 2, [waiting(1, 5)])
    assert catalog.expire(4) == []
    assert catalog.expire(30, most=2) == [(1, 2, [2, 3])]
    assert catalog.expire(30) == [(1, 2, [1]), (2, 2, [1])]
    assert kept(catalog) == [4]
    assert kept(catalog, 1, 3) == [1]
    assert catalog.expire(NEVER) == [(1, 3, [1])]
    assert kept(catalog) == [4]


def test_what_was_forgotten_is_not_seen_and_goes_bit_by_bit(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    count = "SELECT count(*) FROM spilled"
    with Catalog.open(path, JOURNAL) as catalog:
        catalog.spill(1, 2, [waiting(seq, seq) for seq in range(5_000)])
        catalog.unspill(1, 2, None)
        assert catalog._rows(count) == [(4_000,)]  # the rest would take too long
        assert kept(catalog) == []
        assert catalog.refill(1, 2, "deadline", 9) == ([], 0)
        assert catalog.proxies_waiting_for(1, range(5_000)) == {}
        catalog.unspill(1, 2, None)
    with Catalog.open(path, JOURNAL) as catalog:
        catalog.spill(1, 2, [waiting(seq) for seq in range(4_500, 4_700)])
        assert kept(catalog) == list(range(4_500, 4_700))
        assert catalog.proxies_waiting_for(1, [4_600, 4_800]) == {4_600: [2]}
        assert catalog._rows(count) == [(4_000,)]  # as much was swept as came
        for _ in range(4):
            assert catalog.expire(9_999) == []
        assert catalog._rows(count) == [(200,)]
        assert catalog._rows("SELECT * FROM forgotten") == []


@given(LETTERS)
def test_dead_letters_come_back(letter: StoredDeadLetter) -> None:
    with Catalog.open(None, JOURNAL) as catalog:
        id = catalog.add_dead(1, 9, letter)
        row = catalog.dead_letter(id)
        assert row is not None
        assert row == (id, 1, 9, letter._replace(number=id))
        assert id == letter.number or not letter.number
        assert catalog.dead_letters() == [row]
        assert catalog.find_dead(1, letter.proxy, 9) == row
        assert catalog.take_dead(id) == row
        assert catalog.take_dead(id) is None
        assert catalog.find_dead(1, letter.proxy, 9) is None


def test_of_the_causes_of_a_death_the_first_stays_none_comes_twice_and_not_too_many(
    catalog: Catalog,
) -> None:
    for _ in range(2):
        catalog.add_dead(1, 9, LETTER)
    assert [row.letter._replace(number=0) for row in catalog.dead_letters()] == [LETTER]
    later = [Cause(at, "again") for at in range(100, 150)]
    for cause in later:
        catalog.add_dead(1, 9, LETTER._replace(causes=(cause,)))
    [row] = catalog.dead_letters()
    assert row.letter.causes == (LETTER.causes[0], *later[1 - MOST_CAUSES :])
    catalog._connection.execute("UPDATE dead_letters SET causes = '['")
    with pytest.raises(StoreError, match="damaged"):
        catalog.dead_letters()


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A catalog with something in it, closed."""
    path = tmp_path / "catalog.sqlite"
    with Catalog.open(path, JOURNAL) as catalog:
        assert catalog.fresh
        catalog.spill(1, 2, [waiting(seq, seq, seq) for seq in range(2_000)])
        catalog.add_dead(1, 9, LETTER)
    return path


def test_a_catalog_that_was_closed_is_used_again(closed: Path) -> None:
    crashed = closed.with_name("crashed")
    for _ in range(2):
        with Catalog.open(closed, JOURNAL) as catalog:
            assert not catalog.fresh
            assert not closed.with_name(f"{closed.name}-wal").stat().st_size  # the mark is in it
            assert kept(catalog) == list(range(2_000))
            assert [row.letter for row in catalog.dead_letters()] == [LETTER._replace(number=1)]
            shutil.copy(closed, crashed)
    catalog.close()
    with pytest.raises(StoreError, match="closed"):
        catalog.count_dead()
    for path, journal in ((crashed, JOURNAL), (closed, bytes(16))):  # unclosed; of another journal
        with Catalog.open(path, journal) as catalog:
            assert catalog.fresh
    with Catalog.open(closed, bytes(16)) as catalog:
        catalog.spill(1, 2, [waiting(1)])
        catalog.add_dead(1, 9, LETTER)
        catalog.clear()
        assert (kept(catalog), catalog.count_dead()) == ([], 0)


@pytest.mark.parametrize("what", ["cut", "zeros", "empty", "no tables"])
def test_a_damaged_one_is_unusable(closed: Path, what: str) -> None:
    octets = closed.read_bytes()
    middle = len(octets) // 2
    if what == "no tables":
        with contextlib.closing(sqlite3.connect(closed)) as file:
            file.execute("DROP TABLE about")
    else:
        zeros = octets[: middle - 5_000] + bytes(5_000) + octets[middle:]
        closed.write_bytes({"cut": octets[:middle], "zeros": zeros, "empty": b""}[what])
    with pytest.raises(Unusable):
        reopen(closed, JOURNAL)
    delete_file(closed)
    make_file(closed, JOURNAL).close()


def test_a_batch_with_a_failed_part_is_not_kept_though_its_caller_goes_on(catalog: Catalog) -> None:
    def careless() -> None:
        with catalog.batch():
            catalog.add_dead(1, 9, LETTER)
            with contextlib.suppress(BadInput):
                catalog.spill(1, 2, [waiting(1), waiting(2**63)])

    with pytest.raises(StoreError, match="a part of a batch"):
        careless()
    with contextlib.suppress(KeyError), catalog.batch():
        catalog.spill(1, 2, [waiting(1)])
        raise KeyError
    assert catalog.count_dead() == catalog.spilled(1, 2) == 0
    with catalog.batch():
        catalog.add_dead(1, 9, LETTER)
    assert catalog.count_dead() == 1


def test_a_path_that_can_hold_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be made"):
        Catalog.open(tmp_path / "missing" / "catalog.sqlite", JOURNAL)
    with pytest.raises(StoreError, match="unable to open"):
        Catalog.open(tmp_path, JOURNAL)
    with pytest.raises(StoreError, match="cannot be deleted"):
        delete_file(tmp_path)


def test_a_full_disk_is_told_and_nothing_is_changed(closed: Path) -> None:
    with Catalog.open(closed, JOURNAL) as catalog:
        [[pages]] = catalog._connection.execute("PRAGMA page_count")
        catalog._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(DiskFull):
            catalog.spill(1, 3, [waiting(seq) for seq in range(20_000)])
        assert catalog.spilled(1, 3) == 0
        assert len(kept(catalog)) == 2_000
        catalog._connection.execute(f"PRAGMA max_page_count = {10 * pages}")
        catalog.spill(1, 3, [waiting(seq) for seq in range(100)])
        assert catalog.spilled(1, 3) == 100


def test_errors_are_turned_into_ours() -> None:
    with pytest.raises(BadInput, match="64 bits"), translating():
        raise OverflowError
    with pytest.raises(StoreError, match="no such thing"), translating():
        raise sqlite3.OperationalError("no such thing")
