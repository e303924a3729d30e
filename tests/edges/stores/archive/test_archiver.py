"""The archiver: what it reads and seals, what it drops, and how it opens what a kill has left."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias
from unittest import mock

import pytest

from tests.archive_worlds import FIRST_US, archive_journal
from tests.edges.engine.test_lost_ends import published, segments_of
from tests.edges.stores.archive import small_journal as small
from tests.edges.stores.sample_journal import flip
from tidings.clock import ManualClock
from tidings.errors import ArchiveDamaged, InvalidUsage, StoreError
from tidings.stores import segments
from tidings.stores.archive.archive_end import archive_end, check_journal_reaches
from tidings.stores.archive.archiver import ArchiveOptions, Archiver
from tidings.stores.archive.journal_reader import ChannelName, JournalReader
from tidings.stores.archive.manifest import read_manifest
from tidings.stores.journal import Journal
from tidings.stores.segments import Cursor

OPTIONS = ArchiveOptions(seal_rows=4)
Archived: TypeAlias = tuple[Path, Path, Cursor]  # a journal, its archive, and where it ends


@pytest.fixture
def journal(tmp_path: Path) -> Archived:
    end = small.small_journal(tmp_path / "journal")
    archive_journal(tmp_path / "journal", tmp_path / "archive", OPTIONS)
    return tmp_path / "journal", tmp_path / "archive", end


def test_one_archiver_at_a_time_and_of_one_journal(journal: Archived, tmp_path: Path) -> None:
    folder, archive, end = journal
    with Archiver(folder, archive), pytest.raises(StoreError, match="open in another process"):
        Archiver(folder, archive)
    small.small_journal(tmp_path / "other")
    refused = pytest.raises(StoreError, match="give each journal an archive folder of its own")
    with Archiver(tmp_path / "other", archive) as archiver, refused:
        archiver.advance(end)
    with Archiver(tmp_path / "none", tmp_path / "a") as archiver:
        assert not archiver.advance(Cursor(1, 60), seal=True).seals


@pytest.mark.parametrize("option", ["seal_rows", "seal_octets", "seal_seconds", "keep_octets"])
def test_options_that_make_no_sense(option: str) -> None:
    with pytest.raises(InvalidUsage, match="at least"):
        ArchiveOptions(**{option: 0 if option in ("seal_rows", "seal_octets") else -1})


def test_nothing_is_read_further_than_told_and_age_seals(journal: Archived, tmp_path: Path) -> None:
    folder, clock = tmp_path / "a", ManualClock(FIRST_US)
    with Archiver(journal[0], folder, ArchiveOptions(), clock) as archiver:
        archiver.advance(Cursor(1, 700))
        clock.advance(31_000_000)
        assert len(archiver.advance(Cursor(1, 700)).seals) == 1
    for kind in ("objects", "outcomes"):
        assert all(row["position"] % 2**40 < 700 for row in small.rows_of(folder, kind))


def test_a_segment_that_vanishes_meanwhile(tmp_path: Path) -> None:
    small.written(tmp_path, [small.channel()])
    found = segments.find_segments(tmp_path)
    reader = JournalReader(tmp_path)
    with mock.patch.object(segments, "find_segments", side_effect=[FileNotFoundError, found]):
        assert reader.next_segment(0) == 1
    gone = mock.patch.object(segments, "find_segments", side_effect=FileNotFoundError)
    with gone, pytest.raises(StoreError, match="vanish"):
        reader.next_segment(0)


def test_a_name_is_found_behind_damage(tmp_path: Path) -> None:
    end = small.written(tmp_path, [small.happened(1), small.happened(2), small.channel()])
    [path] = tmp_path.glob("*.journal")
    flip(path, path.read_bytes().index(b'"name":"e1"') * 8)
    reader = JournalReader(tmp_path)
    reader.begin("")
    reader.upto = end
    assert reader.name_of(small.ORIGIN) == ChannelName(1, "test")


# What goes.

RECORDS = [
    small.channel(),
    *(small.happened(n, at=small.START + n * small.HOUR) for n in range(1, 9)),
    small.plan(1, [3]),
]


def test_what_is_too_old_goes_and_plans_stay(tmp_path: Path) -> None:
    """A clock that is set makes nothing old; a pause between two runs counts for a day at most."""
    day = 24 * small.HOUR
    end = small.written(tmp_path / "journal", RECORDS)
    options = ArchiveOptions(seal_rows=2, keep_microseconds=4 * day)
    wall, passing = ManualClock(small.START), ManualClock()

    def archive(upto: Cursor, pace: int) -> list[int]:
        def slowly(_: object) -> None:
            passing.advance(pace)
            wall.advance(1_000 * day)

        folders = tmp_path / "journal", tmp_path / "a"
        with Archiver(*folders, options, wall, on_seal=slowly, monotonic=passing.now) as archiver:
            archiver.advance(upto, seal=True)
        return [row["seq"] for row in small.rows_of(tmp_path / "a", "events")]

    assert archive(end, 2 * day) == [6, 7, 8]
    with Journal.open(tmp_path / "journal") as journal:
        journal.append([small.happened(9)])
        journal.sync()
        end = journal.synced
    wall.advance(1_000 * day)
    assert archive(end, 0) == [6, 7, 8, 9]
    assert (
        len(small.rows_of(tmp_path / "a", "plans"))
        == len(small.rows_of(tmp_path / "a", "objects"))
        == 1
    )


def test_of_an_archive_that_is_an_octet_too_long_one_file_goes(tmp_path: Path) -> None:
    small.written(tmp_path / "journal", RECORDS)
    archive_journal(tmp_path / "journal", tmp_path / "all", OPTIONS)
    total = sum(file.octets for file in read_manifest(tmp_path / "all").files)
    for keep, going in ((total, 0), (total - 1, 1)):
        options = ArchiveOptions(seal_rows=4, keep_octets=keep)
        archive_journal(tmp_path / "journal", tmp_path / str(keep), options)
        assert len(read_manifest(tmp_path / str(keep)).dropped) == going


def test_what_a_kill_has_left_of_dropped_files_goes(journal: Archived, tmp_path: Path) -> None:
    folder, archive = journal[0], tmp_path / "a"
    archive_journal(folder, archive, ArchiveOptions(seal_rows=4, keep_octets=0))
    manifest = read_manifest(archive)
    assert {one.kind for one in manifest.files} == {"plans", "objects"}
    assert len(list((archive / "books").iterdir())) == 2  # of the last two of many seals
    assert len(manifest.seals) > 2
    gone = archive / min(manifest.dropped)
    left = gone.with_name("000000000099.parquet")
    for path in (gone, left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"left by a kill")
    Archiver(folder, archive).close()
    assert not gone.exists()
    assert not left.exists()


# What is damaged.


def damage(path: Path) -> None:
    octets = bytearray(path.read_bytes())
    octets[len(octets) // 2] ^= 1
    path.write_bytes(octets)


@pytest.mark.parametrize("rows", [4, 12])
def test_damaged_books_are_made_again(tmp_path: Path, rows: int) -> None:
    """Also if there are no more seals than two."""
    folder, archive, options = tmp_path / "journal", tmp_path / "a", ArchiveOptions(seal_rows=rows)
    small.small_journal(folder)
    archive_journal(folder, archive, options)
    seals = read_manifest(archive).seals
    assert rows == 4 or len(seals) == 2
    damage(archive / seals[-1].books)
    end = small.written(folder, [small.happened(9, [3])])
    archive_journal(folder, archive, options, end)
    archive_journal(folder, tmp_path / "whole", options, end)
    assert small.all_rows(archive) == small.all_rows(tmp_path / "whole")
    small.check_ledger(archive)


def test_books_that_cannot_be_made_again(journal: Archived) -> None:
    folder, archive, _ = journal
    for seal in read_manifest(archive).seals[-2:]:
        damage(archive / seal.books)
    before = (archive / "manifest.jsonl").read_bytes()
    with pytest.raises(ArchiveDamaged, match=r"move the archive .* away to begin a new one"):
        Archiver(folder, archive)
    assert (archive / "manifest.jsonl").read_bytes() == before


def contents(archive: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in archive.rglob("*") if path.is_file()}


@pytest.mark.parametrize("end", [b"garbage\n", None], ids=["garbage", "lost line break"])
def test_rows_of_damaged_last_lines_come_again_and_their_files_are_left_alone(
    journal: Archived, end: bytes | None
) -> None:
    folder, archive, upto = journal
    expected = small.all_rows(archive)
    manifest = archive / "manifest.jsonl"
    octets = manifest.read_bytes()
    manifest.write_bytes(octets[:-1] + b"\x1a" if end is None else octets[:-9] + end)
    before = contents(archive)
    with Archiver(folder, archive, OPTIONS) as archiver:
        assert before.keys() == contents(archive).keys()
        archiver.advance(upto, seal=True)
    assert small.all_rows(archive) == expected
    assert read_manifest(archive).seals[-1].books not in {
        str(path.relative_to(archive)) for path in before
    }


def test_a_manifest_of_damaged_lines_only_is_refused_and_nothing_is_changed(
    journal: Archived,
) -> None:
    folder, archive, _ = journal
    manifest = archive / "manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes().replace(b'"sealed_us"', b'"sealed_xx"'))
    before = contents(archive)
    with pytest.raises(ArchiveDamaged, match=r"put manifest\.jsonl back .* nothing was changed"):
        Archiver(folder, archive)
    assert contents(archive) == before
    known = archive_end(archive)
    assert known is not None
    assert len(known.problems) == manifest.read_bytes().count(b"\n")


async def test_after_a_loss_no_number_is_used_twice_and_the_archive_knows_of_it(
    tmp_path: Path,
) -> None:
    data, archive = tmp_path / "data", tmp_path / "archive"
    used = await published(data)
    archive_journal(data / "journal", archive)
    segments_of(data)[-1].unlink()
    with pytest.raises(StoreError, match="an older copy of it was restored"):
        check_journal_reaches(data, data / "journal", archive)
    assert min(await published(data)) > max(used)
