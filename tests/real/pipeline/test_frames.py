"""Frames of every kind, from a folder named by its path or its URL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.real.pipeline.archives import FIRST_US, ORIGIN, SECOND, ArchiveMaker, cars
from tidings.errors import ArchiveDamaged, ArchiveNotFound
from tidings.pipeline.archive import Archive, Selection
from tidings.pipeline.frames import events_frame, kind_frame, plan_changes
from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.manifest import SegmentFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture
def maker(tmp_path: Path) -> Iterator[ArchiveMaker]:
    made = ArchiveMaker(tmp_path / "an [odd] {name}")
    yield made
    made.close()


@pytest.fixture(params=["path", "URL"])
def archive(maker: ArchiveMaker, request: pytest.FixtureRequest) -> str:
    return str(maker.folder) if request.param == "path" else maker.folder.as_uri()


def filled(maker: ArchiveMaker) -> list[SegmentFile]:
    return maker.seal(
        cars(1, 4),
        outcomes=[
            (FIRST_US, (ORIGIN, "traffic", 7, seq, "delivered", at, None, seq))
            for seq, at in ((1, FIRST_US), (2, None), (3, FIRST_US + 9 * SECOND))
        ],
        plans=[
            (FIRST_US, (ORIGIN, "traffic", version, version == 1, "{}", FIRST_US, 10 - version))
            for version in (1, 2)
        ],
        objects=[(FIRST_US, (ORIGIN, "traffic", "proxy", 7, True, None, FIRST_US, 1))],
    )


def test_every_kind_is_read(spark: SparkSession, maker: ArchiveMaker, archive: str) -> None:
    filled(maker)
    chosen = Selection(archive)
    frame = events_frame(spark, chosen)
    assert sorted(row.seq for row in frame.df.collect()) == [1, 2, 3, 4]
    assert (frame.problems, frame.occurring.others, len(frame.files)) == ((), set(), 1)
    assert kind_frame(spark, chosen, "outcomes").df.count() == 3
    assert kind_frame(spark, chosen, "objects").df.first().id == 7  # type: ignore[union-attr]
    assert plan_changes(spark, chosen) == [
        PlanRow(ORIGIN, "traffic", 2, False, "{}", FIRST_US, 8),
        PlanRow(ORIGIN, "traffic", 1, True, "{}", FIRST_US, 9),
    ]
    assert Archive(archive).manifest().last_seal == 1


def test_an_outcome_without_a_time_is_of_any_time_of_its_file(
    spark: SparkSession, maker: ArchiveMaker
) -> None:
    filled(maker)
    late = Selection(str(maker.folder), since_us=FIRST_US + 1, channels=(ORIGIN,))
    found = kind_frame(spark, late, "outcomes").df.select("seq").collect()
    assert sorted(row.seq for row in found) == []
    some = Selection(str(maker.folder), until_us=FIRST_US + 1)
    assert sorted(row.seq for row in kind_frame(spark, some, "outcomes").df.collect()) == [1, 2]


def test_nothing_has_the_columns_too(spark: SparkSession, maker: ArchiveMaker) -> None:
    filled(maker)
    empty = events_frame(spark, Selection(str(maker.folder), after_seal=1))
    assert empty.df.collect() == []
    assert empty.df.columns == events_frame(spark, Selection(str(maker.folder))).df.columns


def test_damage_is_told_and_plans_must_be_whole(
    spark: SparkSession, maker: ArchiveMaker, archive: str
) -> None:
    damaged = {file.kind: file.path for file in filled(maker)}
    maker.seal(cars(11, 2))
    for kind in ("events", "plans"):
        path = maker.folder / damaged[kind]
        path.write_bytes(path.read_bytes()[:-5])
    (maker.folder / damaged["objects"]).unlink()
    frame = events_frame(spark, Selection(archive))
    assert sorted(row.seq for row in frame.df.collect()) == [11, 12]
    [problem] = frame.problems
    assert damaged["events"] in problem
    assert "missing" in kind_frame(spark, Selection(archive), "objects").problems[0]
    with pytest.raises(ArchiveDamaged, match=damaged["plans"]):
        plan_changes(spark, Selection(archive))


def test_no_archive_is_told(spark: SparkSession, tmp_path: Path, archive: str) -> None:
    with pytest.raises(ArchiveNotFound, match="no archive"):
        events_frame(spark, Selection(archive + "-elsewhere"))
