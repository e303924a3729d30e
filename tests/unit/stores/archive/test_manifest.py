from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.filters.constraint import EventTypePattern
from tidings.stores.archive.manifest import (
    Gap,
    Seal,
    SegmentFile,
    drop_line,
    parse_manifest,
    read_manifest,
    seal_line,
)
from tidings.stores.segments import Cursor

ORIGIN = "0af7651916cd43dd8448eb211c80319c"


def file(seal: int, kind: str = "events", **more: object) -> SegmentFile:
    made = SegmentFile(
        kind, f"{kind}/{seal:012d}.parquet", 2, 100, 7, seal * 10, seal * 10 + 9,
        ((ORIGIN, "roads"),), (("Traffic", "Speed"),), {"data_other": ("fee",)}, {ORIGIN: (2, 9)},
        seal,
    )  # fmt: skip
    return made._replace(**more)  # type: ignore[arg-type]


def seal(number: int, gap: Gap | None = None) -> Seal:
    return Seal(number, number * 1_000, Cursor(1, number * 99), f"books/{number}", 5, gap, 1, 2)


def line(number: int, *files: SegmentFile) -> bytes:
    return seal_line(seal(number), files or [file(number)])


def test_lines_there_and_back() -> None:
    gap = Gap(Cursor(1, 2), Cursor(3, 4))
    unlisted = file(2, channels=None, types=None, names=None)
    octets = line(1) + seal_line(seal(2, gap), [unlisted, file(2, "plans")])
    found = parse_manifest(octets + drop_line([file(1).path], 5))
    assert found.seals == (seal(1), seal(2, gap))
    assert found.files == (unlisted, file(2, "plans"))
    assert found.dropped == {file(1).path}
    assert (found.problems, found.last_seal) == ((), 2)
    assert parse_manifest(b"").last_seal == 0


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_any_changed_octet_costs_one_line_only(at: int, flip: int) -> None:
    lines = [line(number) for number in (1, 2, 3)]
    octets = bytearray(b"".join(lines))
    at %= len(octets)
    octets[at] ^= flip
    found = parse_manifest(bytes(octets))
    assert {1, 2, 3} - {one.number for one in found.seals} <= {1, 2, 3}
    assert len(found.seals) >= 1  # a line break that is lost costs the line behind, too
    hit = 1 + sum(at >= sum(map(len, lines[:n])) for n in (1, 2))
    assert hit not in {one.number for one in found.seals}
    assert bool(found.problems) == (3 in {one.number for one in found.seals})


@given(st.integers(0, 10_000))
def test_a_torn_last_line_does_not_count(cut: int) -> None:
    first, second = line(1), line(2)
    found = parse_manifest(first + second[: cut % len(second)])
    assert (found.last_seal, found.end, found.problems) == (1, len(first), ())


def test_a_bad_line_in_the_middle_is_told() -> None:
    found = parse_manifest(line(1) + b"garbage\n" + line(3))
    assert [one.number for one in found.seals] == [1, 3]
    assert found.problems == (
        "line 2 of manifest.jsonl is damaged; the files it names are not known",
    )


@pytest.mark.parametrize("change", [(b'"format":1', b'"format":3'), (b'"seal":1', b'"seal":"one"')])
def test_a_newer_form_is_refused(change: tuple[bytes, bytes]) -> None:
    from zlib import crc32

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


def test_files_that_may_hold_rows() -> None:
    other = file(2, channels=(("f" * 32, "rails"),), types=(("Telecom", "Alarm"),))
    unknown = file(3, channels=None, types=None)
    found = parse_manifest(line(1) + line(2, other, file(2, "outcomes")) + line(3, unknown))
    assert found.select("events") == [file(1), other, unknown]
    assert found.select("outcomes") == [file(2, "outcomes")]
    assert found.select("events", channels=["rails"]) == [other, unknown]
    assert found.select("events", channels={ORIGIN}) == [file(1), unknown]
    assert found.select("events", channels=[]) == [file(1), other, unknown]
    pattern = [EventTypePattern("Tele*", "*")]
    assert found.select("events", types=iter(pattern)) == [other, unknown]
    assert found.select("events", since_us=19, until_us=30) == [file(1), other]
    assert found.select("events", since_us=20, until_us=20) == []
    assert found.select("events", since_us=20, until_us=21) == [other]
    assert found.select("events", after_seal=1, upto_seal=2) == [other]
