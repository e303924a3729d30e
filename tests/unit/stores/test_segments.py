from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.stores.sample_journal import CHANNEL, sample_records
from tidings.errors import JournalTooNew, StoreError
from tidings.stores import segments
from tidings.stores.records import Damage, Kind, Record, encode
from tidings.stores.segments import (
    DATA_START,
    Cursor,
    Entry,
    Segment,
    create_segment,
    drop_segments,
    find_segments,
    make_folder,
    open_for_append,
    read_entries,
    remove_unfinished,
    segment_path,
    segment_seed,
    set_aside,
    write_all,
)

ID = b"0123456789abcdef"


def written(folder: Path, number: int, records: list[Record]) -> Path:
    file = create_segment(folder, ID, number)
    seed = segment_seed(ID, number)
    write_all(file, b"".join(encode(record, seed) for record in records))
    os.close(file)
    return segment_path(folder, number)


def entries(folder: Path, start: Cursor, end: int | None = None) -> list[Entry | Damage]:
    return list(read_entries(folder, ID, start, end))


def test_segments_are_listed_by_number_and_nothing_else_is(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        written(tmp_path, number, [])
    (tmp_path / "notes.journal").write_bytes(b"")
    assert find_segments(tmp_path) == [Segment(n, ID, intact=True) for n in (1, 2, 10)]
    assert segment_path(tmp_path, 2).name == "000000000002.journal"


def test_entries_have_places_that_can_be_gone_on_from(tmp_path: Path) -> None:
    records = sample_records(20)
    written(tmp_path, 3, records)
    whole = [found for found in entries(tmp_path, Cursor(3, 0)) if isinstance(found, Entry)]
    assert [entry.record for entry in whole] == records
    assert whole[0].at == (3, DATA_START)
    for place, entry in enumerate(whole):
        assert entries(tmp_path, entry.at) == whole[place:]
        assert entries(tmp_path, entry.after) == whole[place + 1 :]
        assert entries(tmp_path, Cursor(3, 0), entry.at.offset) == whole[:place]


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_reading_is_the_same_in_any_chunks(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, 1, sample_records(20))
    octets = bytearray(path.read_bytes())
    octets[300] ^= 1
    path.write_bytes(octets + b"\xf1TJ\n")
    whole = entries(tmp_path, Cursor(1, 0))
    asked = []
    pread = os.pread

    def recorded(file: int, size: int, at: int) -> bytes:
        asked.append(size)
        return pread(file, size, at)

    monkeypatch.setattr(os, "pread", recorded)
    monkeypatch.setattr(segments, "CHUNK_OCTETS", chunk)
    assert entries(tmp_path, Cursor(1, 0)) == whole
    assert max(asked) <= chunk


def test_a_record_counts_only_in_its_own_segment(tmp_path: Path) -> None:
    octets = written(tmp_path, 1, sample_records(3)).read_bytes()[DATA_START:]
    path = written(tmp_path, 2, [])
    path.write_bytes(path.read_bytes() + octets)
    assert entries(tmp_path, Cursor(2, 0)) == [Damage(DATA_START, len(octets), torn=False)]


@pytest.mark.parametrize("at", [0, 20, DATA_START // 2 - 1, DATA_START // 2, DATA_START - 1])
def test_one_copy_of_the_header_is_enough(at: int, tmp_path: Path) -> None:
    path = written(tmp_path, 1, [])
    octets = bytearray(path.read_bytes())
    octets[at] ^= 4
    path.write_bytes(octets)
    assert find_segments(tmp_path) == [Segment(1, ID, intact=False)]


@pytest.mark.parametrize("size", [0, 1, DATA_START // 2 - 1])
def test_a_file_without_a_header_is_told(size: int, tmp_path: Path) -> None:
    path = written(tmp_path, 1, [])
    os.truncate(path, size)
    assert find_segments(tmp_path) == [Segment(1, None, intact=False)]


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    header = encode(Record(Kind.HEADER, ID, 1, (2).to_bytes(2, "big")))
    segment_path(tmp_path, 1).write_bytes(header * 2 + b"whatever comes then")
    with pytest.raises(JournalTooNew, match=r"format 2.*up to 1"):
        find_segments(tmp_path)


def test_segments_of_another_journal_or_number_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 1, [])
    path.rename(segment_path(tmp_path, 2))
    with pytest.raises(StoreError, match="segment 1 by its header"):
        find_segments(tmp_path)
    segment_path(tmp_path, 2).rename(path)
    os.close(create_segment(tmp_path, CHANNEL, 2))
    with pytest.raises(StoreError, match="2 journals"):
        find_segments(tmp_path)


def test_a_segment_is_made_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(OSError, match="Input"):
            create_segment(tmp_path, ID, 1)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "000000000001.unfinished").write_bytes(b"left by a crash")
    remove_unfinished(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What is synced from now on."""
    paths: list[Path] = []
    fsync = os.fsync

    def recorded(file: int) -> None:
        paths.append(Path(f"/proc/self/fd/{file}").readlink())
        fsync(file)

    monkeypatch.setattr(os, "fsync", recorded)
    return paths


def test_folders_are_made_from_above_and_each_is_synced_before_the_next(
    tmp_path: Path, synced: list[Path]
) -> None:
    folder = tmp_path / "a" / "b"
    make_folder(folder)
    assert synced == [tmp_path.parent, tmp_path, tmp_path / "a"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_whose_maker_was_killed_is_synced(tmp_path: Path, synced: list[Path]) -> None:
    (tmp_path / "a").mkdir()
    make_folder(tmp_path / "a" / "b")
    assert synced[0] == tmp_path
    synced.clear()
    make_folder(tmp_path / "a" / "b")
    assert synced == [tmp_path / "a"]


def test_a_folder_in_one_that_may_not_be_read_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(segments, "sync_folder", refused)
    make_folder(tmp_path)
    with pytest.raises(PermissionError):
        make_folder(tmp_path / "new")


def test_new_names_are_synced(tmp_path: Path, synced: list[Path]) -> None:
    os.close(create_segment(tmp_path, ID, 1))
    assert synced == [tmp_path / "000000000001.unfinished", tmp_path]
    synced.clear()
    drop_segments(tmp_path, [1])
    assert synced == [tmp_path]


def test_a_segment_goes_only_when_those_before_it_are_gone_for_sure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3, 4):
        os.close(create_segment(tmp_path, ID, number))
    left: list[list[int]] = []
    monkeypatch.setattr(
        "tidings.stores.segments.sync_folder",
        lambda folder, _: left.append(sorted(int(path.stem) for path in folder.iterdir())),
    )
    drop_segments(tmp_path, [3, 1, 2])
    assert left == [[2, 3, 4], [3, 4], [4]]


def test_a_write_the_system_takes_in_parts_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, 1, [])
    file = open_for_append(tmp_path, 1)
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, octets: write(file, octets[:7]))
    write_all(file, b"0123456789" * 10)
    os.close(file)
    assert path.read_bytes()[DATA_START:] == b"0123456789" * 10


def test_damage_is_copied_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, 1, sample_records(3))
    monkeypatch.setattr(segments, "CHUNK_OCTETS", 10)
    aside = set_aside(tmp_path, 1, 5, 95)
    assert aside is not None
    assert aside.parent == tmp_path / "damaged"
    assert aside.read_bytes() == path.read_bytes()[5:100]
    aside.write_bytes(b"kept")
    assert set_aside(tmp_path, 1, 5, 95) == aside
    assert aside.read_bytes() == b"kept"


def test_damage_that_cannot_be_copied_is_no_error(tmp_path: Path) -> None:
    written(tmp_path, 1, [])
    (tmp_path / "damaged").write_bytes(b"a file is in the way")
    assert set_aside(tmp_path, 1, 0, 10) is None
