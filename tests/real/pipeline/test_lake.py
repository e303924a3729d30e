"""The lake on Spark: typed tables and how they grow, compaction, damage, checks, one writer."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.archive_worlds import make_world
from tests.real.pipeline.lake_archives import DAY, NOON, SmallArchive, speed
from tidings import event
from tidings.errors import ArchiveNotFound, DiskFull, InvalidUsage, PipelineFailed
from tidings.events.structured import StructuredEvent
from tidings.pipeline.expectations import Expectation
from tidings.pipeline.lake import LakeOptions, LakeResult, compact, lake_tables, read_lake, run_lake
from tidings.pipeline.lake import loading as lake_loading
from tidings.pipeline.lake.log import LOCK, LakeTree

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


class Lake:
    """An archive and its lake."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.archive = SmallArchive(folder / "archive")
        self.folder = folder / "lake {1}"

    def run(self, **options: object) -> LakeResult:
        given = LakeOptions(str(self.archive.folder), str(self.folder), **options)  # type: ignore[arg-type]
        return run_lake(self.spark, given)

    def rows(self, table: str, *columns: str) -> list[tuple[object, ...]]:
        """A table as the log has it, in the order of seqs."""
        df = read_lake(self.spark, str(self.folder), table).select("seq", *columns)
        rows = sorted((tuple(row) for row in df.collect()), key=lambda row: int(row[0]))
        return [row[1:] for row in rows]

    def seqs(self, table: str) -> Counter[int]:
        """What a plain reader of the folder sees."""
        path = str(self.folder / table).replace("{", "\\{").replace("}", "\\}")
        return Counter(row.seq for row in self.spark.read.parquet(path).select("seq").collect())

    def listed(self) -> dict[str, int]:
        files = LakeTree(self.folder).files("")
        return {name: octets for name, octets in files.items() if name != LOCK}


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, tmp_path)


ODD = [
    event("", "T", "odd", {"a b": 1, "A B": 2, "name": "z", "date": 3, "x.y": True, "`": "q"}),
    event("_D.x", "", data={"big": 2**63, "c": Decimal("1.5"), "e": [], "m": [1, "x"]}),
    event("_D.x", "", data={"e": ["q"], "it's": None}, header={"Priority": 4}),
    StructuredEvent("", "%ANY", body={"deep": (1, 2)}),
]


SPEEDS = "types/Traffic/Speed"


def test_typed_tables_lose_nothing_whatever_the_names_and_kinds(lake: Lake) -> None:
    lake.archive.seal(ODD)
    result = lake.run()
    assert (result.batches, result.events, result.outcomes, result.conflicts) == (1, 4, 4, ())
    odd = ["a_x20_b__2", "A_x20_B", "data_name", "data_date", "x_x2e_y", "_x60_"]
    assert lake.rows("types/_/T", *odd) == [(1, 2, "z", 3, True, "q")]
    ((big, c, e, m, none), (_, _, q, _, four)) = lake.rows(
        "types/%5FD.x/_", "big__json", "c__json", "e", "m__json", "header_Priority"
    )
    assert (big, e, q, none, four) == ("9223372036854775808", [], ["q"], None, 4)
    assert json.loads(str(c)) == {"$type": "fixed<2,1>", "value": "1.5"}
    assert json.loads(str(m)) == [1, "x"]
    ((body,),) = lake.rows("types/_/%25ANY", "body__json")
    assert json.loads(str(body)) == {"deep": [1, 2]}


def test_typed_tables_grow_and_are_compacted(lake: Lake) -> None:
    lake.archive.seal([speed(i, zone=i) for i in range(3)], producer="p")
    lake.archive.seal([speed(9, zone="west", tags=["a"], rate=7)], at=NOON + DAY)
    first = lake.run()
    assert (first.batches, first.events, first.outcomes, first.upto_seal) == (1, 4, 4, 2)
    assert [(one.name, one.column, one.rows) for one in first.conflicts] == [
        ("zone", "zone__string", 1)
    ]
    columns = ("name", "number", "arrival", "rate", "zone", "zone__string", "tags", "date")
    assert lake.rows(SPEEDS, *columns)[2:] == [
        ("car-2", 3, _noon(15, 2), 50.5, 2, None, None, _day(15)),
        ("car-9", None, _noon(16, 0), 7.0, None, "west", ["a"], _day(16)),
    ]
    before = lake.listed()
    again = lake.run()
    assert (again.batches, again.events) == (0, 0)
    assert lake.listed() == before

    lake.archive.seal([speed(10, rate=2**60, fresh=True), speed(11, zone=1.5)])
    second = lake.run()
    assert sorted(one.column for one in second.conflicts) == ["rate__int", "zone__double"]
    grown = ("rate", "rate__int", "zone", "zone__double", "fresh")
    rows = lake.rows(SPEEDS, *grown)
    assert rows[-2:] == [(None, 2**60, None, None, True), (50.5, None, None, 1.5, None)]
    assert lake.seqs("events") == Counter(range(1, 7))

    done = compact(lake.spark, str(lake.folder))
    assert (done.files_before, done.files_after, done.batches) == (9, 6, 1)
    assert lake.rows(SPEEDS, *grown) == rows
    assert lake.seqs("events") == lake.seqs("outcomes") == Counter(range(1, 7))
    assert compact(lake.spark, str(lake.folder)).batches == 0
    assert lake.run().batches == 0


def _noon(day: int, milliseconds: int) -> datetime:
    """As Spark hands out a time, without a zone: the session's is UTC."""
    return datetime(2026, 11, day, 12, 0, 0, milliseconds * 1000)  # noqa: DTZ001


def _day(day: int) -> date:
    return date(2026, 11, day)


def test_damaged_segments_are_left_out_until_they_are_repaired(lake: Lake) -> None:
    good = lake.archive.seal([speed(1)])
    flipped, gone = lake.archive.seal([speed(2), speed(3)])
    (cut, _) = lake.archive.seal([speed(4)])
    paths = {name: lake.archive.folder / name for name in (flipped, gone, cut)}
    octets = {name: path.read_bytes() for name, path in paths.items()}
    middle = len(octets[flipped]) // 2
    changed = bytearray(octets[flipped])
    changed[middle] ^= 1
    paths[flipped].write_bytes(changed)
    paths[gone].unlink()
    paths[cut].write_bytes(octets[cut][:-20])

    result = lake.run()
    assert set(result.damaged) == {flipped, gone, cut}
    assert "checksum" in result.damaged[flipped]
    assert "missing" in result.damaged[gone]
    assert lake.seqs("events") == Counter([1])
    assert lake.seqs("outcomes") == Counter([1, 4])
    assert good
    assert lake.run(retry_damaged=True).batches == 0

    paths[flipped].write_bytes(octets[flipped])
    paths[gone].write_bytes(octets[gone])
    repaired = lake.run(retry_damaged=True)
    assert (repaired.events, repaired.outcomes) == (2, 2)
    assert set(repaired.damaged) == {cut}
    assert lake.seqs("events") == Counter([1, 2, 3])
    assert lake.seqs("outcomes") == Counter([1, 2, 3, 4])
    assert lake.run(retry_damaged=True).batches == 0


def test_rows_that_fail_a_check_are_kept_aside_with_the_reason(lake: Lake) -> None:
    from pyspark.sql import functions as F

    lake.archive.seal([speed(1), speed(2, rate=-1.0), speed(3)])
    positive = Expectation(
        "rate", lambda: F.col("data_double").getItem("rate") >= 0, reason="below zero"
    )
    result = lake.run(expectations=[positive])
    assert (result.events, result.quarantined, result.failed_checks) == (2, 1, {"rate": 1})
    assert lake.rows("quarantine", "seq", "failed", "reason") == [(2, ["rate"], "rate: below zero")]
    assert lake.seqs("events") == lake.seqs("types/Traffic/Speed") == Counter([1, 3])


def test_what_is_too_many_or_gone_is_told(lake: Lake) -> None:
    lake.archive.drop(lake.archive.seal([speed(1)]))
    lake.archive.seal([speed(2, extra=1, more="x"), speed(3), event("A", "Rare")])
    result = lake.run(max_types=1, max_columns=2)
    assert result.types_left_out == {"A::Rare": 1}
    assert result.properties_left_out == ("Traffic::Speed data.rate (double)",)
    assert result.gaps == (
        "seal 1: retention of the archive removed 2 files before the lake took them",
    )
    assert lake_tables(lake.spark, str(lake.folder)) == {
        "events": 3,
        "outcomes": 3,
        "types/Traffic/Speed": 2,
    }
    with pytest.raises(PipelineFailed, match="has no table 'types/A/Rare'; its tables: events"):
        read_lake(lake.spark, str(lake.folder), "types/A/Rare")


def test_no_room_and_wrong_rows_leave_the_lake_unharmed(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.archive.seal([speed(1)])
    lake.run()
    lake.archive.seal([speed(2)], timeless_outcomes=True)
    before = lake.listed()
    with monkeypatch.context() as patched:
        patched.setattr(lake_loading, "failing", _full)
        with pytest.raises(DiskFull):
            lake.run()
    assert lake.listed() == before
    with monkeypatch.context() as patched:
        patched.setattr(LakeTree, "rows", lambda *_: 7)
        with pytest.raises(PipelineFailed, match="was written with 7 rows, and there should be 1"):
            lake.run()
    assert lake.listed() == before
    assert lake.run().batches == 1
    assert lake.rows("outcomes", "seq", "date") == [(1, _day(15)), (2, _day(15))]


def _full(what: str) -> None:
    raise DiskFull(what)


def test_a_world_of_every_kind_is_in_the_lake(spark: SparkSession, tmp_path: Path) -> None:
    world = asyncio.run(make_world(tmp_path, 60))
    options = LakeOptions(str(world.archive), str(tmp_path / "lake"), max_rows_per_batch=60)
    result = run_lake(spark, options)
    assert result.batches > 1
    events = read_lake(spark, options.lake, "events").select("origin", "seq").collect()
    assert Counter((row.origin, row.seq) for row in events) == Counter(
        (one.origin, one.seq) for one in world.firsts
    )
    typed = sum(n for table, n in result.rows_by_table.items() if table.startswith("types/"))
    assert typed == len(world.firsts)


def test_a_continuous_run_follows_the_archive_until_it_is_stopped(lake: Lake) -> None:
    (lake.archive.folder / "manifest.jsonl").unlink()
    stop, told = threading.Event(), list[str]()

    def progress(text: str, _part: float) -> None:
        told.append(text)
        if len(told) == 1:
            lake.archive.seal([speed(2)])
        else:
            stop.set()

    options = LakeOptions(str(lake.archive.folder), str(lake.folder), once=False, every=0.02)
    threading.Timer(0.1, lambda: lake.archive.seal([speed(1)])).start()
    result = run_lake(lake.spark, options, progress, stop=stop)
    assert (result.batches, result.events) == (2, 2)
    assert "s after arrival" in told[1]
    assert result.latency_us is not None
    assert lake.seqs("events") == Counter([1, 2])


def test_what_cannot_be_done_is_said(lake: Lake, tmp_path: Path) -> None:
    nowhere = LakeOptions(str(tmp_path / "nowhere"), str(lake.folder))
    with pytest.raises(ArchiveNotFound):
        run_lake(lake.spark, nowhere)
    with LakeTree(lake.folder).locked():
        with pytest.raises(PipelineFailed, match="one writer at a time"):
            lake.run()
        with pytest.raises(PipelineFailed, match="one writer at a time"):
            compact(lake.spark, str(lake.folder))


def test_a_lake_is_a_folder(lake: Lake) -> None:
    with pytest.raises(InvalidUsage, match="mount the s3a store"):
        run_lake(lake.spark, LakeOptions(str(lake.archive.folder), "s3a://bucket/lake"))
