"""The source: options, planning that reads every row once, and files as they were sealed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.real.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, Row, cars
from tidings.errors import (
    ArchiveDamaged,
    ArchiveNotFound,
    InvalidConstraint,
    InvalidEventType,
    InvalidUsage,
)
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern
from tidings.pipeline.archive import Archive
from tidings.pipeline.options import LATEST, SourceOptions, read_options
from tidings.pipeline.source import reading
from tidings.pipeline.source.reading import (
    SLICE_ROWS,
    ArchiveReader,
    Position,
    Slice,
    SlicesPartition,
    last_position,
)
from tidings.stores.archive.manifest import Manifest, Seal, SegmentFile
from tidings.stores.segments import Cursor


def test_all_options_are_read() -> None:
    found = read_options({
        "path": "/a", "CHANNEL": "one, two", "type": "A::B*", "columns": "seq,name",
        "since": "2026-11-15T00:00:00Z", "until": "1794700800000001", "filter": "$a > 1",
        "startingSeal": "latest", "maxFilesPerTrigger": "3", "maxRowsPerTrigger": "4",
        "onDamage": "fail",
    })  # fmt: skip
    assert found == SourceOptions(
        "/a", "events", ("seq", "name"), "$a > 1", LATEST, 3, 4, skip_damage=False,
        channels=("one", "two"), types=(EventTypePattern("A", "B*"),),
        since_us=1_794_700_800_000_000, until_us=1_794_700_800_000_001,
    )  # fmt: skip
    assert read_options({"path": "/a", "channel": '["a, b"]'}).channels == ("a, b",)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("path", "", "needs the path"),
        ("kind", "cars", "there are events, outcomes, plans, objects"),
        *(("channels", "x", "has no option 'channels'"), ("channel", "[1]", "must be texts")),
        *(("channel", "[", "is none"), ("since", "yesterday", "is no time")),
        ("startingSeal", "0", "a number from 1, earliest or latest"),
        ("maxRowsPerTrigger", "none", "a number from 1"),
        ("maxFilesPerTrigger", "0", "a number from 1"),
        ("onDamage", "weep", "skip or fail"),
    ],
)
def test_what_is_wrong_is_told(name: str, value: str, words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        read_options({"path": "/a", name: value})


def test_constraints_and_types_are_checked() -> None:
    with pytest.raises(InvalidConstraint):
        read_options({"path": "/a", "filter": "$a >"})
    with pytest.raises(InvalidEventType):
        read_options({"path": "/a", "type": "A::%NO"})
    with pytest.raises(InvalidUsage, match="for events"):
        read_options({"path": "/a", "kind": "plans", "filter": "$a > 1"})


# ---------------------------------------------------------------- planning


def manifest_of(seals: list[list[int]]) -> Manifest:
    """An archive whose seals have files with so many rows."""
    files = [
        SegmentFile(
            "events", f"events/date=2026-11-15/hour={hour:02d}/{seal:012d}.parquet", rows,
            100, 0, 0, 0, (("o", "c"),), (("D", "T"),), {}, {}, seal
        )
        for seal, hours in enumerate(seals, 1)
        for hour, rows in enumerate(hours)
    ]  # fmt: skip
    told = [Seal(at, 0, Cursor(1, 0), "", 0, None, 0, 0) for at in range(1, len(seals) + 1)]
    return Manifest(told, files, (), (), 0)


def rows_of(slices: list[Slice]) -> list[tuple[str, int]]:
    return [(one.path, row) for one in slices for row in range(one.first, one.end)]


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=3), max_size=6),
    st.none() | st.integers(1, 12),
    st.none() | st.integers(1, 3),
)
def test_batches_cover_everything_once(
    seals: list[list[int]], rows: int | None, files: int | None
) -> None:
    """Whatever the limits, and however often it begins again."""
    manifest = manifest_of(seals)
    options = SourceOptions("/a", most_rows=rows, most_files=files)
    end = last_position(manifest)
    at, read = Position(0), list[tuple[str, int]]()
    while at < end:
        next_ = reading.advanced(manifest, options, at, end)
        assert at < next_ <= end
        slices = reading.slices_between(manifest, options, at, next_)
        assert rows is None or len(rows_of(slices)) <= rows
        assert files is None or len(slices) <= files
        read += rows_of(slices)
        at = Position.from_plain(next_.to_plain())
        assert at == next_
    everything = reading.slices_between(manifest, SourceOptions("/a"), Position(0), end)
    assert read == rows_of(everything)
    assert len(read) == sum(map(sum, seals))


@given(st.lists(st.integers(1, 3 * SLICE_ROWS), max_size=6))
def test_tasks_are_neither_large_nor_many(counts: list[int]) -> None:
    tasks = reading.packed([Slice(f"f{at}", 100, 0, 0, n) for at, n in enumerate(counts)])
    sizes = [sum(one.end - one.first for one in task) for task in tasks]
    assert sum(sizes) == sum(counts)
    assert all(size <= SLICE_ROWS for size in sizes)
    assert all(a + b > SLICE_ROWS for a, b in pairwise(sizes))


def test_drops_between_positions_are_found_and_other_positions_refused() -> None:
    paths = [f"events/date=d/hour=01/{seal:012d}.parquet" for seal in (1, 2, 3)]
    dropped = [*paths, "plans/d/h/000000000002.parquet"]
    assert reading.dropped_between(dropped, "events", Position(1), Position(2)) == [paths[1]]
    with pytest.raises(InvalidUsage, match="no position in an archive"):
        Position.from_plain({"logOffset": 3})


# ---------------------------------------------------------------- reading


@pytest.fixture
def maker(tmp_path: Path) -> Iterator[ArchiveMaker]:
    made = ArchiveMaker(tmp_path / "archive")
    yield made
    made.close()


def planned(options: SourceOptions) -> list[Slice]:
    manifest = Archive(options.archive).manifest()
    return reading.slices_between(manifest, options, Position(0), last_position(manifest))


def seqs(options: SourceOptions, slices: list[Slice]) -> list[int]:
    batches = ArchiveReader(options, ["seq"]).read(SlicesPartition(tuple(slices)))
    return [int(str(seq)) for batch in batches for seq in batch.column("seq").to_pylist()]


def test_only_wanted_rows_are_read(maker: ArchiveMaker) -> None:
    def wanted(**options: str) -> list[int]:
        chosen = read_options({"path": str(maker.folder), **options})
        return seqs(chosen, planned(chosen))

    rain = StructuredEvent("Weather", "Rain")
    maker.seal([*cars(1, 5), *cars(6, 5, "other"), Row(11, rain), Row(12, rain, "other")])
    assert sorted(wanted()) == list(range(1, 13))
    assert wanted(channel="other") == [6, 7, 8, 9, 10, 12]
    assert wanted(type="Weather::*", channel="other") == [12]
    since, until = str(FIRST_US + 3 * SECOND), str(FIRST_US + 5 * SECOND)
    assert wanted(since=since, until=until) == [3, 4]
    options = SourceOptions(str(maker.folder))
    [whole] = planned(options)
    parts = [whole._replace(end=5), whole._replace(first=5)]
    assert [len(seqs(options, [part])) for part in parts] == [5, whole.end - 5]
    assert sorted(seqs(options, parts)) == list(range(1, 13))


def test_damage_is_told_or_left_out(maker: ArchiveMaker) -> None:
    [file] = maker.seal(cars(1, 5))
    options = SourceOptions(str(maker.folder))
    slices = planned(options)
    path = maker.folder / file.path
    octets = path.read_bytes()
    flipped = octets[:300] + bytes([octets[300] ^ 1]) + octets[301:]
    for spoiled, words in ((flipped, "checksum"), (octets[:-1], "octets")):
        path.write_bytes(spoiled)
        assert seqs(options, slices) == []
        with pytest.raises(ArchiveDamaged, match=words):
            seqs(replace(options, skip_damage=False), slices)


def test_a_file_that_is_gone_is_named(maker: ArchiveMaker) -> None:
    first, second = maker.seal(cars(1, 3)), maker.seal(cars(4, 3))
    options = SourceOptions(str(maker.folder))
    slices = planned(options)
    maker.drop(first)
    (maker.folder / second[0].path).unlink()
    with pytest.raises(ArchiveDamaged, match=f"{first[0].path} was dropped by the archive's ret"):
        seqs(options, slices[:1])
    with pytest.raises(ArchiveDamaged, match=f"{second[0].path} is missing"):
        seqs(options, slices[1:])


def test_the_manifest_is_read_again_when_it_has_grown(maker: ArchiveMaker, tmp_path: Path) -> None:
    files = Archive(maker.folder.as_uri())
    maker.seal(cars(1, 1))
    before = files.manifest()
    assert files.manifest() is before
    maker.seal(cars(2, 1))
    assert files.manifest().last_seal == 2
    with pytest.raises(ArchiveNotFound, match=r"no manifest\.jsonl"):
        Archive(str(tmp_path)).manifest()


def test_a_place_that_is_no_folder_is_refused() -> None:
    with pytest.raises(InvalidUsage, match="mount the s3a store"):
        Archive("s3a://bucket/archive")
