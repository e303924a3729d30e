"""Records and the segment files that hold them: every octet is accounted for, damage is named."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.stores.sample_journal import CHANNEL, flip, sample_records
from tidings.errors import BadInput, StoreError
from tidings.stores import segments
from tidings.stores.files import write_all
from tidings.stores.records import MAGIC, Damage, Kind, Record, Scanner, encode, first_record, scan
from tidings.stores.segments import DATA_START, Cursor, Entry

ID = b"0123456789abcdef"
RECORDS = st.builds(
    Record, kind=st.integers(0, 255), channel=st.binary(min_size=16, max_size=16),
    seq=st.integers(0, 2**64 - 1), payload=st.binary(max_size=200),
)  # fmt: skip
# One table for both directions; the octets are the format, written down. The CRCs are those of
# a plain bit-by-bit CRC-32 (polynomial EDB88320), not of this encoder.
TABLE = [
    (Record(Kind.EVENT, CHANNEL, 1, b"hello"),
     "f1544a0a 90ac5bfd 0101 00000005 3610a686" + f"{1:016x} {CHANNEL.hex()} 68656c6c6f"),
    (Record(255, b"\xff" * 16, 2**64 - 1, b""),
     "f1544a0a eed890f6 01ff 00000000 00000000" + "f" * 48),
]  # fmt: skip


@pytest.mark.parametrize(("record", "octets"), TABLE)
def test_the_format_is_as_written_down(record: Record, octets: str) -> None:
    assert encode(record).hex() == octets.replace(" ", "")
    assert list(scan(bytes.fromhex(octets))) == [record]


def in_pieces(octets: bytes, seed: int, piece: int) -> list[Record | Damage]:
    scanner = Scanner(seed)
    found = []
    for at in range(0, len(octets), piece):
        found += [item for _, item in scanner.feed(octets[at : at + piece])]
    return found + [item for _, item in scanner.finish()]


def test_a_record_behind_junk_is_found_wherever_the_pieces_end() -> None:
    [record] = sample_records(1)
    for piece in range(1, 200):
        assert record in in_pieces(b"junk" * 30 + encode(record), 0, piece)


@given(st.lists(st.one_of(RECORDS.map(encode), st.binary(), st.just(MAGIC))), st.integers(1, 99))
def test_any_octets_are_taken_and_accounted_for(parts: list[bytes], piece: int) -> None:
    octets = b"".join(parts)
    found = list(scan(octets))
    assert in_pieces(octets, 0, piece) == found
    at = 0
    for item in found:
        if isinstance(item, Damage):
            assert item.offset == at
            assert item.length > 0
            at += item.length
        else:
            assert octets[at:].startswith(encode(item))
            at += item.octets
    assert at == len(octets)
    for one, two in pairwise(found):
        assert isinstance(one, Record) or isinstance(two, Record) or two.torn


@pytest.mark.parametrize("junk", [b"x", b"junk" * 30, bytes(4096), MAGIC * 20, b"\xf1TX"])
def test_junk_behind_is_damage(junk: bytes) -> None:
    records = sample_records(5)
    octets = b"".join(encode(record) for record in records)
    damage = Damage(len(octets), len(junk), torn=False)
    assert list(scan(octets + junk)) == [*records, damage]
    assert list(scan(octets + junk + octets)) == [*records, damage, *records]


def test_every_flipped_bit_costs_the_record_it_is_in_and_no_other() -> None:
    records = sample_records(4, largest=20)
    parts = [encode(record) for record in records]
    octets = b"".join(parts)
    starts = [sum(map(len, parts[:n])) for n in range(len(parts))]
    for bit in range(len(octets) * 8):
        spoilt = bytearray(octets)
        spoilt[bit // 8] ^= 1 << bit % 8
        hit = max(n for n, start in enumerate(starts) if start <= bit // 8)
        damage = Damage(starts[hit], len(parts[hit]), torn=False)
        expected = [*records[:hit], damage, *records[hit + 1 :]]
        assert list(scan(bytes(spoilt))) == expected, bit


def test_what_does_not_fit_is_refused() -> None:
    for wrong in ((256, CHANNEL, 1), (-1, CHANNEL, 1), (1, CHANNEL, 2**64), (1, b"short", 1)):
        with pytest.raises(BadInput):
            encode(Record(*wrong, b""))


@given(RECORDS, st.binary(max_size=20), st.data())
def test_the_first_record_is_the_one_scanning_finds(
    record: Record, behind: bytes, data: st.DataObject
) -> None:
    octets = encode(record, 7)
    assert first_record(octets + behind, 7) == record
    assert first_record(octets, 8) is None
    assert first_record(octets[: data.draw(st.integers(0, len(octets) - 1))], 7) is None
    flipped = bytearray(octets)
    bit = data.draw(st.integers(0, len(octets) * 8 - 1))
    flipped[bit // 8] ^= 1 << bit % 8
    assert first_record(bytes(flipped), 7) is None


def written(folder: Path, number: int, records: list[Record]) -> Path:
    file = segments.create_segment(folder, ID, number)
    seed = segments.segment_seed(ID, number)
    write_all(file, b"".join(encode(record, seed) for record in records))
    os.close(file)
    return segments.segment_path(folder, number)


def entries(folder: Path, start: Cursor, end: int | None = None) -> list[Entry | Damage]:
    return list(segments.read_entries(folder, ID, start, end))


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


def test_a_record_counts_only_in_its_own_segment(tmp_path: Path) -> None:
    octets = written(tmp_path, 1, sample_records(3)).read_bytes()[DATA_START:]
    path = written(tmp_path, 2, [])
    path.write_bytes(path.read_bytes() + octets)
    assert entries(tmp_path, Cursor(2, 0)) == [Damage(DATA_START, len(octets), torn=False)]


def test_one_of_the_two_headers_is_enough(tmp_path: Path) -> None:
    path = written(tmp_path, 1, [])
    for octet in (0, DATA_START // 2):
        flip(path, octet * 8)
        assert [found.journal_id for found in segments.find_segments(tmp_path)] == [ID]
        flip(path, octet * 8)


def test_segments_of_another_journal_or_number_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 1, [])
    path.rename(segments.segment_path(tmp_path, 2))
    with pytest.raises(StoreError, match="segment 1 by its header"):
        segments.find_segments(tmp_path)
    segments.segment_path(tmp_path, 2).rename(path)
    os.close(segments.create_segment(tmp_path, CHANNEL, 2))
    with pytest.raises(StoreError, match="2 journals"):
        segments.find_segments(tmp_path)


def test_a_segment_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    broken = mock.patch.object(os, "fsync", side_effect=OSError(5, "Input/output error"))
    with broken, pytest.raises(OSError, match="Input"):
        segments.create_segment(tmp_path, ID, 1)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "000000000001.unfinished").write_bytes(b"left by a crash")
    segments.remove_unfinished(tmp_path)
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


def test_new_names_are_synced(tmp_path: Path, synced: list[Path]) -> None:
    os.close(segments.create_segment(tmp_path, ID, 1))
    assert synced == [tmp_path / "000000000001.unfinished", tmp_path]
    synced.clear()
    segments.drop_segments(tmp_path, [1])
    assert synced == [tmp_path]


def test_a_write_the_system_takes_in_parts_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, 1, [])
    file = segments.open_for_append(tmp_path, 1)
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, octets: write(file, octets[:7]))
    write_all(file, b"0123456789" * 10)
    os.close(file)
    assert path.read_bytes()[DATA_START:] == b"0123456789" * 10


def test_damage_is_copied_aside_once_and_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, synced: list[Path]
) -> None:
    path = written(tmp_path, 1, sample_records(3))
    monkeypatch.setattr(segments, "CHUNK_OCTETS", 10)
    (tmp_path / "damaged").write_bytes(b"a file is in the way, which is no error")
    assert segments.set_aside(tmp_path, 1, 5, 95) is None
    (tmp_path / "damaged").unlink()
    synced.clear()
    aside = segments.set_aside(tmp_path, 1, 5, 95)
    assert aside is not None
    assert synced == [aside.with_suffix(".unfinished"), tmp_path / "damaged"]
    assert aside.read_bytes() == path.read_bytes()[5:100]
    aside.write_bytes(b"kept")
    assert segments.set_aside(tmp_path, 1, 5, 95) == aside
    assert aside.read_bytes() == b"kept"


def test_what_a_damaged_stretch_held_is_told_and_whether_that_is_all(tmp_path: Path) -> None:
    records = sample_records(3)
    written(tmp_path, 1, records)
    files = segments.SegmentFiles(tmp_path)
    assert segments.lost_in(files, ID, 1, 0, DATA_START) == ((), True)  # a header holds nothing
    found, all_known = segments.lost_in(
        files, ID, 1, DATA_START, sum(one.octets for one in records)
    )
    assert ([one.seq for one in found], all_known) == ([1, 2, 3], True)
    files.close()
