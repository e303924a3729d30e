"""The lake on a real standalone cluster."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.lake_archives import SmallArchive, speed
from tidings.pipeline.lake import LakeOptions, read_lake, run_lake
from tidings.pipeline.lake_compaction import compact

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


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
