from __future__ import annotations

from pathlib import Path

import pytest

from tests.archive_worlds import archive_journal
from tests.unit.stores.archive.small_journal import HOUR, small_journal
from tidings.errors import ArchiveDamaged
from tidings.stores.archive.files import check_file, hour_folder, hour_of, set_aside, write_file
from tidings.stores.archive.manifest import SegmentFile, read_manifest


@pytest.fixture
def archive(tmp_path: Path) -> tuple[Path, SegmentFile]:
    small_journal(tmp_path / "journal")
    archive_journal(tmp_path / "journal", tmp_path / "archive")
    return tmp_path / "archive", read_manifest(tmp_path / "archive").select("events")[0]


def test_what_is_wrong_with_a_file_is_told(archive: tuple[Path, SegmentFile]) -> None:
    folder, file = archive
    path = folder / file.path
    good = path.read_bytes()
    assert check_file(folder, file) is None
    assert check_file(folder, file, deep=True) is None
    path.write_bytes(good[:-1])
    assert "octets, and" in str(check_file(folder, file))
    path.write_bytes(good[:-1] + b"x")
    assert "no Parquet file" in str(check_file(folder, file))
    path.write_bytes(b"x" + good[1:])
    assert "no Parquet file" in str(check_file(folder, file))
    middle = len(good) // 2
    path.write_bytes(good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :])
    assert check_file(folder, file) is None
    assert "checksum" in str(check_file(folder, file, deep=True))
    path.unlink()
    assert check_file(folder, file) == f"{file.path} is missing"
    path.mkdir()
    assert "cannot be read" in str(check_file(folder, file))


def test_a_file_is_set_aside(archive: tuple[Path, SegmentFile]) -> None:
    folder, file = archive
    octets = (folder / file.path).read_bytes()
    aside = set_aside(folder, file)
    assert aside.parent == folder / "damaged"
    assert aside.read_bytes() == octets
    assert check_file(folder, file) == f"{file.path} is missing"
    with pytest.raises(ArchiveDamaged, match="cannot be moved"):
        set_aside(folder, file)


def test_hours() -> None:
    assert hour_folder(hour_of(0)) == "date=1970-01-01/hour=00"
    assert hour_folder(hour_of(-1)) == "date=1969-12-31/hour=23"
    assert hour_folder(hour_of(17 * HOUR)) == "date=1970-01-01/hour=17"
    assert hour_folder(hour_of(2**63 - 1)) == "date=9999-12-31/hour=23"
    assert hour_folder(hour_of(-(2**63))) == "date=0001-01-01/hour=00"


def test_files_are_for_their_owner_only(archive: tuple[Path, SegmentFile], tmp_path: Path) -> None:
    folder, file = archive
    for path in (folder / file.path, folder / "manifest.jsonl"):
        assert path.stat().st_mode & 0o077 == 0
    known: set[Path] = set()
    write_file(tmp_path / "a" / "b", b"x", known)
    assert known == {tmp_path / "a"}
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
