"""The driver is killed in the middle of a batch: every event is there once.

Kills at every single change of the lake's files are in tests/edges/pipeline/test_lake_log.py.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from tests.real.faults.fault import PROJECT
from tests.real.pipeline.lake_archives import NOON, SmallArchive, speed
from tidings import event
from tidings.pipeline.lake import LakeOptions, compact, run_lake
from tidings.pipeline.lake.log import LakeLog, LakeTree

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

SEALS, EVENTS = 4, 3
KILLED = -9
PATIENCE = 250


def rows_seen(lake: Path, table: str) -> Counter[int]:
    """What a plain reader sees, whatever the log says."""
    files = (lake / table).rglob("*.parquet")
    seqs: list[Any] = [pq.read_table(file)["seq"].to_pylist() for file in files]
    return Counter(seq for some in seqs for seq in some)


def killed_while_staging(archive: Path, lake: Path) -> None:
    """Kills a driver from outside once it has begun to write its second batch."""
    command = [sys.executable, "-m", "tests.real.pipeline.lake_driver", str(archive), str(lake)]
    until = time.monotonic() + PATIENCE
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=PROJECT, stdout=quiet, stderr=quiet) as driver:
        while driver.poll() is None and time.monotonic() < until:
            if any(lake.glob("events/*/*.parquet")) and any(lake.glob("_staging/*/events")):
                break
            time.sleep(0.01)
        driver.kill()
    assert driver.returncode == KILLED


def test_a_killed_driver_leaves_every_event_once(spark: SparkSession, tmp_path: Path) -> None:
    archive, lake = SmallArchive(tmp_path / "archive"), tmp_path / "lake"
    for seal in range(SEALS):
        events = [speed(seal, zone=seal, **{f"new{seal}": True}) for _ in range(EVENTS - 1)]
        archive.seal([*events, event("A", "B", data={"k": seal})], at=NOON + seal)
    killed_while_staging(archive.folder, lake)
    seen = rows_seen(lake, "events")
    assert set(seen.values()) == {1}
    run_lake(spark, LakeOptions(str(archive.folder), str(lake), max_rows_per_batch=1))
    assert seen <= rows_seen(lake, "events"), "what was there is gone"
    compact(spark, str(lake))
    every = Counter(range(1, SEALS * EVENTS + 1))
    assert rows_seen(lake, "events") == rows_seen(lake, "outcomes") == every
    assert rows_seen(lake, "types/Traffic/Speed") + rows_seen(lake, "types/A/B") == every
    state = LakeLog(LakeTree(lake)).state()
    assert (state.upto_seal, len(state.files)) == (SEALS, 4)
    assert {str(file.relative_to(lake)) for file in lake.rglob("*.parquet")} == set(state.files)
    assert LakeLog(LakeTree(lake)).recover() == []
