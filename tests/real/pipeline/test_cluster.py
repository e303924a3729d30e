"""On a real standalone cluster the package arrives only by being shipped."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.real.pipeline.archives import ArchiveMaker, cars
from tests.real.pipeline.clusters import Cluster
from tests.real.pipeline.lake_archives import SmallArchive, speed
from tests.real.pipeline.matching_worlds import drawn_world
from tests.real.pipeline.services import Service, service
from tidings.pipeline.lake import LakeOptions, compact, read_lake, run_lake
from tidings.pipeline.matching import MatchLimits, explain_match, match
from tidings.pipeline.matching.book import PlanBook

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    maker = ArchiveMaker(tmp_path_factory.mktemp("archive") / "archive")
    for seal in range(4):
        maker.seal(cars(50 * seal + 1, 50))
    maker.close()
    return maker.folder


def test_two_executors_have_only_what_was_shipped(
    cluster_spark: SparkSession, cluster: Cluster
) -> None:
    # A function inside another one travels as it is: executors do not have this module.
    def seen(_: Iterable[int]) -> Iterator[tuple[int, str, str, str]]:
        import msgspec

        import tidings

        yield os.getppid(), sys.executable, tidings.__file__, msgspec.__file__

    # Both parts run at once, so each on an executor of its own.
    parts = cluster_spark.sparkContext.parallelize(range(2), 2).barrier()
    found = parts.mapPartitions(seen).collect()
    assert len({process for process, *_ in found}) == 2
    work = str(cluster.folder / "work")
    for _, interpreter, package, dependency in found:
        assert interpreter == cluster.python
        assert package.startswith(work)
        assert dependency.startswith(work)


def test_the_source_works_there(cluster_spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    rows = cluster_spark.read.format("tidings").option("filter", "$rate >= 98").load(str(archive))
    assert sorted(row.seq for row in rows.collect()) == [98, 99, 198, 199]
    stream = cluster_spark.readStream.format("tidings").option("maxFilesPerTrigger", "2")
    query = (
        stream.load(str(archive))
        .select("seq")
        .writeStream.format("parquet")
        .option("path", str(tmp_path / "out"))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(200)
    assert cluster_spark.read.parquet(str(tmp_path / "out")).count() == 200


def test_the_sink_works_there(cluster_spark: SparkSession, running: Service, archive: Path) -> None:
    channel = running.channel("from-the-cluster")
    rows = cluster_spark.read.format("tidings").load(str(archive)).repartition(4)
    for _ in range(2):
        rows.write.format("tidings").mode("append").options(
            url=running.url, channel=channel, producer="replay"
        ).save()
    assert Counter(running.names(channel)) == {f"car-{seq}": 1 for seq in range(1, 201)}


def test_the_executors_of_a_cluster_match_too(cluster_spark: SparkSession) -> None:
    world = drawn_world([116, 118])
    book = PlanBook.from_rows(world.lines)
    limits = MatchLimits(needles=1)
    lanes = {lane for one in explain_match(book, limits=limits) for lane in one.lanes}
    assert {"needle", "reference"} <= lanes
    rows = match(cluster_spark.createDataFrame(world.table()), book, limits=limits).collect()
    found = {(r.origin, r.seq, r.proxy) for r in rows}
    assert found == world.answers


def test_executors_fill_and_compact_a_lake(cluster_spark: SparkSession, tmp_path: Path) -> None:
    archive = SmallArchive(tmp_path / "archive")
    (damaged, _) = archive.seal([speed(1)])
    archive.seal([speed(2, zone=1), speed(3, zone="west")])
    path = archive.folder / damaged
    octets = bytearray(path.read_bytes())
    octets[len(octets) // 2] ^= 1
    path.write_bytes(octets)

    options = LakeOptions(str(archive.folder), str(tmp_path / "lake"), max_rows_per_batch=1)
    result = run_lake(cluster_spark, options)
    assert set(result.damaged) == {damaged}
    assert (result.batches, result.events, result.outcomes) == (2, 2, 3)
    assert compact(cluster_spark, options.lake).batches == 1
    rows = read_lake(cluster_spark, options.lake, "types/Traffic/Speed").collect()
    assert Counter((row.seq, row.zone, row.zone__string) for row in rows) == Counter(
        [(2, 1, None), (3, None, "west")]
    )
