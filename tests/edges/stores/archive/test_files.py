"""The files of an archive: the manifest that names them, the books, and what may be wrong."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.archive_worlds import archive_journal
from tests.edges.stores.archive.small_journal import small_journal
from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.stores.archive.books import Books, books_octets, read_books
from tidings.stores.archive.manifest import (
    Seal,
    SegmentFile,
    check_file,
    parse_manifest,
    read_manifest,
    seal_line,
)
from tidings.stores.files import write_file
from tidings.stores.segments import Cursor

ORIGIN = "0af7651916cd43dd8448eb211c80319c"


def line(number: int) -> bytes:
    """A line of a manifest."""
    file = SegmentFile(
        "events", f"events/{number:012d}.parquet", 2, 100, 7, number * 10, number * 10 + 9,
        ((ORIGIN, "roads"),), (("Traffic", "Speed"),), {"data_other": ("fee",)}, {ORIGIN: (2, 9)},
        number,
    )  # fmt: skip
    cursor = Cursor(1, number * 99)
    return seal_line(Seal(number, number, cursor, f"books/{number}", 5, None, 1, 2), [file])


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_any_changed_octet_costs_one_line_only(at: int, flip: int) -> None:
    lines = [line(number) for number in (1, 2, 3)]
    octets = bytearray(b"".join(lines))
    at %= len(octets)
    octets[at] ^= flip
    found = parse_manifest(bytes(octets))
    numbers = {one.number for one in found.seals}
    assert numbers  # a line break that is lost costs the line behind, too
    assert numbers < {1, 2, 3}
    assert 1 + sum(at >= sum(map(len, lines[:n])) for n in (1, 2)) not in numbers
    assert found.problems
    assert found.end_damaged == (3 not in numbers)


@given(st.integers(0, 10_000))
def test_a_torn_last_line_does_not_count(cut: int) -> None:
    first, second = line(1), line(2)
    found = parse_manifest(first + second[: cut % len(second)])
    assert (found.last_seal, found.end, found.problems) == (1, len(first), ())


@pytest.mark.parametrize("change", [(b'"format":1', b'"format":3'), (b'"seal":1', b'"seal":"one"')])
def test_a_newer_form_is_refused(change: tuple[bytes, bytes]) -> None:
    body = line(1).rpartition(b',"crc32":')[0].replace(*change) + b"}"
    newer = b'%b,"crc32":%d}\n' % (body[:-1], crc32(body))
    with pytest.raises(ArchiveDamaged, match="use the version that wrote it; nothing was changed"):
        parse_manifest(newer)


def test_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveNotFound, match=r"has no manifest\.jsonl"):
        read_manifest(tmp_path)
    with pytest.raises(ArchiveNotFound):
        read_manifest(tmp_path / "none")
    (tmp_path / "manifest.jsonl").mkdir()
    with pytest.raises(ArchiveDamaged, match="cannot be read"):
        read_manifest(tmp_path)


def test_books_that_are_damaged_missing_or_none(tmp_path: Path) -> None:
    good = books_octets(Books(3, "ab", Cursor(1, 88), {}, {}))
    path = tmp_path / "books"

    def says(octets: bytes, words: str, check: int | None = None) -> None:
        path.write_bytes(octets)
        check = crc32(octets) if check is None else check
        with pytest.raises(ArchiveDamaged, match=words):
            read_books(tmp_path, Seal(3, 0, Cursor(1, 88), "books", check, None, 0, 0))

    says(b"{}", "cannot be understood")
    says(good.replace(b'"format":1', b'"format":2'), "has the format 2")
    says(good[:-1], "checksum", crc32(good))
    path = tmp_path / "elsewhere"
    (tmp_path / "books").unlink()
    says(b"", "cannot be read")


def test_what_is_wrong_with_a_file_is_told(tmp_path: Path) -> None:
    small_journal(tmp_path / "journal")
    folder = tmp_path / "archive"
    archive_journal(tmp_path / "journal", folder)
    file = read_manifest(folder).select("events")[0]
    path = folder / file.path
    good = path.read_bytes()
    middle = len(good) // 2
    flipped = good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :]
    assert check_file(folder, file, deep=True) is None
    for octets, words in (
        (good[:-1], "octets, and"), (good[:-1] + b"x", "no Parq"), (b"x" + good[1:], "no Parq")
    ):  # fmt: skip
        path.write_bytes(octets)
        assert words in str(check_file(folder, file))
    path.write_bytes(flipped)
    assert check_file(folder, file) is None
    assert "checksum" in str(check_file(folder, file, deep=True))
    path.unlink()
    assert check_file(folder, file) == f"{file.path} is missing"
    path.mkdir()
    assert "cannot be read" in str(check_file(folder, file))


def test_a_new_file_and_its_name_are_synced(tmp_path: Path) -> None:
    with mock.patch.object(os, "fsync") as synced:
        write_file(tmp_path / "file", b"octets")
    assert synced.call_count == 2
