"""On a real standalone cluster the package arrives only by being shipped."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.archives import ArchiveMaker, cars
from tests.pipeline.clusters import Cluster
from tests.pipeline.services import Service, service

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
    def seen(_: int) -> tuple[int, str, str, str]:
        import msgspec

        import tidings

        time.sleep(0.5)  # long enough that both executors get something
        return os.getppid(), sys.executable, tidings.__file__, msgspec.__file__

    found = cluster_spark.sparkContext.parallelize(range(8), 8).map(seen).collect()
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
