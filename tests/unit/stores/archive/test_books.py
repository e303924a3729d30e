from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

from tidings.errors import ArchiveDamaged
from tidings.stores.archive.books import (
    Books,
    ChannelBook,
    ProxyBook,
    books_octets,
    position_of,
    proxy_key,
    read_books,
)
from tidings.stores.archive.manifest import Seal
from tidings.stores.segments import Cursor

BOOKS = Books(
    3,
    "ab",
    Cursor(1, 88),
    {"f" * 32: ChannelBook(1, "a", gaps=[(2, 3)], carried={5}, rules={"proxy/1": "x"})},
    {proxy_key("f" * 32, 7): ProxyBook(pending=2, pending_sum=9, holes=[(0, 4)], extra={1, 2})},
    5,
    {"k": "why"},
)


def sealed(folder: Path, octets: bytes) -> Seal:
    (folder / "books").write_bytes(octets)
    return Seal(3, 0, Cursor(1, 88), "books", crc32(octets), None, 0, 0)


def test_books_there_and_back(tmp_path: Path) -> None:
    assert read_books(tmp_path, sealed(tmp_path, books_octets(BOOKS))) == BOOKS


@pytest.mark.parametrize(
    ("octets", "says"),
    [
        (b"{}", "cannot be understood"),
        (books_octets(BOOKS).replace(b'"format":1', b'"format":2'), "has the format 2"),
    ],
)
def test_what_is_no_books(tmp_path: Path, octets: bytes, says: str) -> None:
    with pytest.raises(ArchiveDamaged, match=says):
        read_books(tmp_path, sealed(tmp_path, octets))


def test_damaged_and_missing_books(tmp_path: Path) -> None:
    seal = sealed(tmp_path, books_octets(BOOKS))
    (tmp_path / "books").write_bytes(books_octets(BOOKS)[:-1])
    with pytest.raises(ArchiveDamaged, match="checksum"):
        read_books(tmp_path, seal)
    (tmp_path / "books").unlink()
    with pytest.raises(ArchiveDamaged, match="cannot be read"):
        read_books(tmp_path, seal)


def test_which_events_are_covered() -> None:
    book = ChannelBook(1, "a", first=3, last=9, gaps=[(5, 6)])
    assert [seq for seq in range(12) if book.covers(seq)] == [3, 4, 7, 8, 9]
    assert not ChannelBook(1, "a").covers(0)


def test_pending_is_never_less_than_none() -> None:
    book = ProxyBook()
    book.add(4)
    book.take(4)
    book.take(5)
    assert (book.pending, book.pending_sum) == (0, 0)


def test_positions_are_in_the_order_of_places() -> None:
    assert position_of(Cursor(1, 2**39)) < position_of(Cursor(2, 0)) == 2**41


def test_outcomes_that_come_twice_leave_nothing_pending() -> None:
    book = ProxyBook()
    for seq in (1, 2, 3):
        book.add(seq)
    for seq in (1, 1, 2, 3):  # the first outcome's record was damaged after it was archived
        book.take(seq)
    assert (book.pending, book.pending_sum) == (0, 0)
