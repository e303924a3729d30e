"""Reading slices: exact rows, and files that are not as they were sealed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, Row, cars
from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.events.structured import StructuredEvent
from tidings.pipeline.source_options import SourceOptions, read_options
from tidings.pipeline.source_planning import Position, Slice, last_position, slices_between
from tidings.pipeline.source_reading import ArchiveFiles, SliceReader


@pytest.fixture
def maker(tmp_path: Path) -> Iterator[ArchiveMaker]:
    made = ArchiveMaker(tmp_path / "archive")
    yield made
    made.close()


def planned(maker: ArchiveMaker, options: SourceOptions) -> list[Slice]:
    manifest = ArchiveFiles(options.path).manifest()
    return slices_between(manifest, options, Position(0), last_position(manifest))


def seqs(maker: ArchiveMaker, **options: str) -> list[int]:
    chosen = read_options({"path": str(maker.folder), **options})
    batches = SliceReader(chosen, ["seq"]).read(planned(maker, chosen))
    return [seq for batch in batches for seq in batch.column("seq").to_pylist()]  # type: ignore[misc]


def test_only_wanted_rows_are_read(maker: ArchiveMaker) -> None:
    rain = StructuredEvent("Weather", "Rain")
    maker.seal([*cars(1, 5), *cars(6, 5, "other"), Row(11, rain), Row(12, rain, "other")])
    assert sorted(seqs(maker)) == list(range(1, 13))
    assert seqs(maker, channel="other") == [6, 7, 8, 9, 10, 12]
    assert seqs(maker, type="Weather::*", channel="other") == [12]
    since, until = str(FIRST_US + 3 * SECOND), str(FIRST_US + 5 * SECOND)
    assert seqs(maker, since=since, until=until) == [3, 4]


def test_a_slice_is_some_rows_of_a_file(maker: ArchiveMaker) -> None:
    maker.seal(cars(1, 10))
    options = SourceOptions(str(maker.folder))
    [whole] = planned(maker, options)
    [batch] = SliceReader(options, ["name"]).read([whole._replace(first=3, end=5)])
    assert batch.to_pydict() == {"name": ["car-4", "car-5"]}


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied"])
def test_damage_is_left_out_and_told_or_ends_it(
    maker: ArchiveMaker, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    [file] = maker.seal(cars(1, 10))
    maker.seal(cars(11, 10))
    path = maker.folder / file.path
    octets = path.read_bytes()
    middle = len(octets) // 2
    flipped = octets[:middle] + bytes([octets[middle] ^ 4]) + octets[middle + 1 :]
    path.write_bytes({"cut": octets[:-9], "flipped": flipped, "emptied": b""}[damage])
    with caplog.at_level(logging.WARNING):
        assert seqs(maker) == list(range(11, 21))
    assert f"{file.path} is damaged" in caplog.text
    with pytest.raises(ArchiveDamaged, match=file.path):
        seqs(maker, onDamage="fail")


def test_a_file_that_is_gone_is_named(maker: ArchiveMaker) -> None:
    first, second = maker.seal(cars(1, 3)), maker.seal(cars(4, 3))
    options = SourceOptions(str(maker.folder))
    slices = planned(maker, options)
    maker.drop(first)
    (maker.folder / second[0].path).unlink()
    reader = SliceReader(options, ["seq"])
    with pytest.raises(ArchiveDamaged, match=f"{first[0].path} was dropped by the archive's ret"):
        list(reader.read(slices[:1]))
    with pytest.raises(ArchiveDamaged, match=f"{second[0].path} is missing"):
        list(reader.read(slices[1:]))


def test_the_manifest_is_read_again_when_it_has_grown(maker: ArchiveMaker) -> None:
    files = ArchiveFiles(maker.folder.as_uri())
    maker.seal(cars(1, 1))
    before = files.manifest()
    assert files.manifest() is before
    maker.seal(cars(2, 1))
    assert files.manifest().last_seal == 2


def test_no_archive_is_told(tmp_path: Path) -> None:
    with pytest.raises(ArchiveNotFound, match=r"no manifest\.jsonl"):
        ArchiveFiles(str(tmp_path)).manifest()
