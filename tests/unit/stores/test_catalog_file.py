from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.unit.stores.sample_payloads import JOURNAL, LETTER, waiting
from tidings.errors import BadInput, DiskFull, StoreError
from tidings.stores.catalog import Catalog
from tidings.stores.catalog_file import Unusable, delete_file, make_file, reopen, translating


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A catalog with something in it, closed."""
    path = tmp_path / "catalog.sqlite"
    with Catalog.open(path, JOURNAL) as catalog:
        catalog.spill(1, 2, [waiting(seq, seq, seq) for seq in range(2_000)])
        catalog.add_dead(1, 9, LETTER)
    return path


def copied(path: Path, folder: Path) -> Path:
    """What a crash of the process leaves."""
    folder.mkdir()
    for found in path.parent.glob(f"{path.name}*"):
        shutil.copy(found, folder / found.name)
    return folder / path.name


def test_a_closed_one_is_one_file_and_opens(closed: Path) -> None:
    assert [path.name for path in closed.parent.iterdir()] == [closed.name]
    reopen(closed, JOURNAL).close()


def test_one_that_was_not_closed_is_unusable(closed: Path, tmp_path: Path) -> None:
    connection = reopen(closed, JOURNAL)
    # Before anything is changed, and afterwards: a crash may come at any time.
    early = copied(closed, tmp_path / "early")
    with sqlite3.connect(early) as file:
        assert file.execute("SELECT closed FROM about").fetchall() == [(0,)]
    file.close()
    connection.execute("DELETE FROM spilled")
    late = copied(closed, tmp_path / "late")
    connection.close()
    for path in (early, late, closed):
        with pytest.raises(Unusable, match="not closed"):
            reopen(path, JOURNAL)


def test_the_marks_are_synced_and_the_rest_is_not(closed: Path) -> None:
    connection = reopen(closed, JOURNAL)
    assert connection.execute("PRAGMA synchronous").fetchall() == [(0,)]
    assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    # The mark is in the file itself, not only in what a later checkpoint would bring there.
    assert not Path(f"{closed}-wal").stat().st_size
    connection.close()


def test_one_of_another_journal_or_version_is_unusable(closed: Path) -> None:
    with pytest.raises(Unusable, match="another journal"):
        reopen(closed, bytes(16))
    file = sqlite3.connect(closed)
    file.execute("PRAGMA user_version = 99")
    file.close()
    with pytest.raises(Unusable, match="version 99, not 1"):
        reopen(closed, JOURNAL)


@pytest.mark.parametrize("what", ["cut", "zeros", "empty", "no tables"])
def test_a_damaged_one_is_unusable(closed: Path, what: str) -> None:
    octets = closed.read_bytes()
    middle = len(octets) // 2
    if what == "cut":
        closed.write_bytes(octets[:middle])
    elif what == "zeros":
        closed.write_bytes(octets[: middle - 5_000] + bytes(5_000) + octets[middle:])
    elif what == "empty":
        closed.write_bytes(b"")
    else:
        file = sqlite3.connect(closed)
        file.execute("DROP TABLE about")
        file.close()
    with pytest.raises(Unusable):
        reopen(closed, JOURNAL)
    delete_file(closed)
    make_file(closed, JOURNAL).close()


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    with Catalog.open(tmp_path / "catalog.sqlite", JOURNAL) as catalog:
        catalog.add_dead(1, 9, LETTER)
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"catalog.sqlite": 0o600, "catalog.sqlite-wal": 0o600}


def test_a_batch_with_a_failed_part_is_not_kept_though_its_caller_goes_on() -> None:
    with Catalog.open(None, JOURNAL) as catalog:

        def careless() -> None:
            with catalog.batch():
                catalog.add_dead(1, 9, LETTER)
                with contextlib.suppress(BadInput):
                    catalog.spill(1, 2, [waiting(1), waiting(2**63)])

        with pytest.raises(StoreError, match="a part of a batch"):
            careless()
        assert catalog.count_dead() == catalog.spilled(1, 2) == 0
        with catalog.batch():
            catalog.add_dead(1, 9, LETTER)
        assert catalog.count_dead() == 1


def test_one_that_another_has_open_is_left_alone(closed: Path) -> None:
    with Catalog.open(closed, JOURNAL) as catalog:
        with pytest.raises(StoreError, match="locked"):
            Catalog.open(closed, JOURNAL)
        assert catalog.spilled(1, 2) == 2_000
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
        assert len(list(catalog.spilled_of(1, 2))) == catalog.spilled(1, 2) == 2_000
        catalog._connection.execute(f"PRAGMA max_page_count = {10 * pages}")
        catalog.spill(1, 3, [waiting(seq) for seq in range(100)])
        assert catalog.spilled(1, 3) == 100


def test_errors_are_turned_into_ours() -> None:
    with pytest.raises(BadInput, match="64 bits"), translating():
        raise OverflowError
    with pytest.raises(StoreError, match="no such thing"), translating():
        raise sqlite3.OperationalError("no such thing")


def test_a_dead_letter_that_cannot_be_read_is_an_error_of_the_store() -> None:
    with Catalog.open(None, JOURNAL) as catalog:
        catalog.add_dead(1, 9, LETTER)
        catalog._connection.execute("UPDATE dead_letters SET causes = '['")
        with pytest.raises(StoreError, match="damaged"):
            catalog.dead_letters()
