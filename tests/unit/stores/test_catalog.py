from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stores.sample_payloads import JOURNAL, LETTER, waiting
from tidings.channel.entries import NEVER, Entry
from tidings.errors import BadInput, StoreError
from tidings.stores.catalog import Catalog

ORDERS = {
    "fifo": lambda entry: entry.seq,
    "priority": lambda entry: (-entry.priority, entry.seq),
    "deadline": lambda entry: (entry.expiry, entry.seq),
}
ENTRIES = st.lists(
    st.builds(
        Entry,
        expiry=st.integers(0, 9) | st.just(NEVER),
        seq=st.integers(0, 30),
        priority=st.integers(-3, 3),
        octets=st.integers(0, 2**40),
        flags=st.integers(0, 3),
    ),
    max_size=20,
    unique_by=lambda entry: entry.seq,
)


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    with Catalog.open(None, JOURNAL) as made:
        yield made


def kept(catalog: Catalog, channel: int = 1, proxy: int = 2) -> list[int]:
    found = [entry.seq for entry in catalog.spilled_of(channel, proxy)]
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


def test_large_numbers_of_entries_keep_their_order() -> None:
    rng = Random(4)
    entries = [waiting(seq, rng.randrange(500), rng.randrange(50)) for seq in range(5_000)]
    for order, key in ORDERS.items():
        with Catalog.open(None, JOURNAL) as catalog:
            catalog.spill(1, 2, entries)
            assert kept(catalog) == list(range(5_000))
            found: list[Entry] = []
            while found != sorted(entries, key=key):
                part, left = catalog.refill(1, 2, order, 1_700)
                found += part
                assert part
                assert left == 5_000 - len(found)


def test_an_order_nobody_knows_is_refused(catalog: Catalog) -> None:
    with pytest.raises(BadInput, match="'lifo'; there are fifo, priority, deadline"):
        catalog.refill(1, 2, "lifo", 5)


def test_what_is_not_wanted_any_more_is_forgotten(catalog: Catalog) -> None:
    catalog.spill(1, 2, [waiting(seq) for seq in range(6)])
    catalog.spill(1, 3, [waiting(2)])
    catalog.unspill(1, 2, [2, 4, 77])
    assert kept(catalog) == [0, 1, 3, 5]
    catalog.unspill(1, 2, range(2))
    assert kept(catalog) == [3, 5]
    catalog.unspill(1, 2, None)
    assert kept(catalog) == []
    assert kept(catalog, 1, 3) == [2]


def test_expired_entries_leave_the_soonest_first(catalog: Catalog) -> None:
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


def test_who_waits_for_events(catalog: Catalog) -> None:
    catalog.spill(1, 2, [waiting(1), waiting(2)])
    catalog.spill(1, 3, [waiting(2), waiting(9)])
    catalog.spill(2, 2, [waiting(1), waiting(3)])
    assert catalog.proxies_waiting_for(1, [3, 2, 1]) == {1: [2], 2: [2, 3]}
    assert catalog.proxies_waiting_for(2, range(100_000)) == {1: [2], 3: [2]}
    assert catalog.proxies_waiting_for(1, []) == {}


def test_entries_may_change_while_they_are_looked_through(catalog: Catalog) -> None:
    catalog.spill(1, 2, [waiting(seq) for seq in range(3_000)])
    seen = []
    for entry in catalog.spilled_of(1, 2):
        seen.append(entry.seq)
        if entry.seq == 500:
            catalog.unspill(1, 2, range(2_000))
    assert seen == sorted(set(seen))
    assert set(seen) >= set(range(2_000, 3_000))


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


def test_a_batch_is_whole_or_not_at_all(catalog: Catalog) -> None:
    catalog.spill(1, 2, [waiting(1)])

    def failing() -> None:
        with catalog.batch():
            catalog.refill(1, 2, "fifo", 1)
            with catalog.batch():
                catalog.spill(1, 3, [waiting(1)])
            catalog.add_dead(1, 9, LETTER)
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert kept(catalog) == [1]
    assert kept(catalog, 1, 3) == []
    assert catalog.count_dead() == 0
    with catalog.batch():
        catalog.spill(1, 3, [waiting(1)])
    assert kept(catalog, 1, 3) == [1]


def test_numbers_beyond_64_bits_change_nothing(catalog: Catalog) -> None:
    with pytest.raises(BadInput, match="64 bits"):
        catalog.spill(1, 2, [waiting(1), waiting(2**63)])
    assert kept(catalog) == []


def test_a_catalog_that_was_closed_is_used_again(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with Catalog.open(path, JOURNAL) as catalog:
        assert catalog.fresh
        catalog.spill(1, 2, [waiting(1), waiting(2)])
        catalog.add_dead(1, 9, LETTER)
    catalog.close()
    with pytest.raises(StoreError, match="closed"):
        catalog.count_dead()
    for _ in range(2):
        with Catalog.open(path, JOURNAL) as catalog:
            assert not catalog.fresh
            assert kept(catalog) == [1, 2]
            assert [row.letter for row in catalog.dead_letters()] == [LETTER._replace(number=1)]
    with Catalog.open(path, JOURNAL) as catalog:
        catalog.clear()
        assert kept(catalog) == []
        assert catalog.count_dead() == 0


def test_a_catalog_that_cannot_be_used_is_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(b"no catalog at all" * 1_000)
    with Catalog.open(path, JOURNAL) as catalog:
        assert catalog.fresh
        catalog.spill(1, 2, [waiting(1)])
        assert kept(catalog) == [1]
    assert "made anew" in caplog.text
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_catalog_with_a_failed_batch_is_not_used_again(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with Catalog.open(path, JOURNAL) as catalog, pytest.raises(BadInput):
        catalog.spill(1, 2, [waiting(2**63)])

    def failing() -> None:
        with Catalog.open(path, JOURNAL) as catalog:
            assert catalog.fresh
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    with Catalog.open(path, JOURNAL) as catalog:
        assert catalog.fresh
    with Catalog.open(path, JOURNAL) as catalog:
        assert not catalog.fresh
