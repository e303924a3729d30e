from __future__ import annotations

from pathlib import Path

import pytest

from tests.archive_worlds import archive_journal
from tests.unit.stores.archive.archive_rows import all_rows, check_ledger
from tests.unit.stores.archive.small_journal import happened, small_journal, written
from tidings.errors import ArchiveDamaged
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.segments import Cursor

OPTIONS = ArchiveOptions(seal_rows=4)


@pytest.fixture
def journal(tmp_path: Path) -> tuple[Path, Path, Cursor]:
    end = small_journal(tmp_path / "journal")
    archive_journal(tmp_path / "journal", tmp_path / "archive", OPTIONS)
    return tmp_path / "journal", tmp_path / "archive", end


def damage(path: Path) -> None:
    octets = bytearray(path.read_bytes())
    octets[len(octets) // 2] ^= 1
    path.write_bytes(octets)


def test_damaged_books_are_made_again(journal: tuple[Path, Path, Cursor], tmp_path: Path) -> None:
    folder, archive, _ = journal
    damage(archive / read_manifest(archive).seals[-1].books)
    end = written(folder, [happened(9, [3])])
    archive_journal(folder, archive, OPTIONS, end)
    archive_journal(folder, tmp_path / "whole", OPTIONS, end)
    assert all_rows(archive) == all_rows(tmp_path / "whole")
    check_ledger(archive)


def test_books_that_cannot_be_made_again(journal: tuple[Path, Path, Cursor]) -> None:
    folder, archive, _ = journal
    for seal in read_manifest(archive).seals[-2:]:
        damage(archive / seal.books)
    before = (archive / "manifest.jsonl").read_bytes()
    with pytest.raises(ArchiveDamaged, match=r"move the archive .* away to begin a new one"):
        Archiver(folder, archive)
    assert (archive / "manifest.jsonl").read_bytes() == before


def test_the_latest_two_books_are_kept(journal: tuple[Path, Path, Cursor]) -> None:
    _, archive, _ = journal
    seals = read_manifest(archive).seals
    assert len(seals) > 2
    assert {f"books/{path.name}" for path in (archive / "books").iterdir()} == {
        seal.books for seal in seals[-2:]
    }


def test_a_bad_last_line_is_cut_off_and_its_rows_come_again(
    journal: tuple[Path, Path, Cursor], tmp_path: Path
) -> None:
    folder, archive, end = journal
    expected = all_rows(archive)
    lines = (archive / "manifest.jsonl").read_bytes().splitlines(keepends=True)
    (archive / "manifest.jsonl").write_bytes(b"".join(lines[:-1]) + lines[-1][:-9] + b"garbage\n")
    archive_journal(folder, archive, OPTIONS, end)
    assert all_rows(archive) == expected
    assert read_manifest(archive).problems == ()


def test_files_of_a_bad_line_in_the_middle_are_left_alone(
    journal: tuple[Path, Path, Cursor],
) -> None:
    folder, archive, end = journal
    files = sorted(archive.rglob("*.parquet"))
    lines = (archive / "manifest.jsonl").read_bytes().splitlines(keepends=True)
    (archive / "manifest.jsonl").write_bytes(b"".join([lines[0], b"garbage\n", *lines[2:]]))
    archive_journal(folder, archive, OPTIONS, end)
    assert sorted(archive.rglob("*.parquet")) == files
    assert len(read_manifest(archive).problems) == 1


def test_what_is_not_ours_is_left_alone(journal: tuple[Path, Path, Cursor]) -> None:
    folder, archive, end = journal
    mine = archive / "events" / "notes.txt"
    mine.write_text("mine")
    (archive / "events" / "000000000099.parquet.unfinished").write_text("left")
    (archive / "events" / "000000000099.parquet").write_text("left")
    archive_journal(folder, archive, OPTIONS, end)
    assert mine.exists()
    assert not list((archive / "events").glob("000000000099*"))
