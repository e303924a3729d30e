"""The parts of `tidings bench pipeline` in which events flow: the source, the way to the lake."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidings.bench.harness import (
    PATIENCE,
    Figures,
    Progress,
    ServerProcess,
    demand,
    sample_event,
)
from tidings.bench.pipeline_workloads import NAMES
from tidings.client.connecting import connect
from tidings.pipeline.lake import LakeOptions, lake_tables, read_lake, run_lake
from tidings.stores.archive.manifest import Seal, SegmentFile, seal_line
from tidings.stores.segments import Cursor

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RATE: Final = 5_000
_STEP: Final = 0.05
_SECOND: Final = 1_000_000


def stream_seconds(
    spark: SparkSession, folder: Path, paths: Sequence[str], events: int
) -> tuple[float, float]:
    """How long events take to nowhere, by the source `tidings` and by Spark's for Parquet."""
    archive = folder / "streamed"
    if not archive.exists():
        _as_archive(archive, folder, paths, events)
    schema = spark.read.parquet(*paths[:1]).schema
    ours = spark.readStream.format("tidings").option("maxFilesPerTrigger", "1")
    parquet = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    files = parquet.option("recursiveFileLookup", "true").parquet(str(archive / "events"))
    return (
        _streamed(ours.load(str(archive)), folder / "checkpoint-ours"),
        _streamed(files, folder / "checkpoint-parquet"),
    )


def _as_archive(archive: Path, folder: Path, paths: Sequence[str], events: int) -> None:
    """The first files with so many events, and a manifest of one seal for each."""
    import pyarrow.parquet as pq

    lines, rows = [], 0
    for number, path in enumerate(map(Path, paths), 1):
        inside = path.relative_to(folder)
        (archive / inside).parent.mkdir(parents=True, exist_ok=True)
        os.link(path, archive / inside)
        octets = path.read_bytes()
        count: int = pq.read_metadata(path).num_rows
        file = SegmentFile(
            "events", str(inside), count, len(octets), zlib.crc32(octets), 0, 0, None, None, NAMES,
            {},
            number,
        )  # fmt: skip
        lines.append(seal_line(Seal(number, 0, Cursor(1, number), "", 0, None, 0, 0), [file]))
        rows += count
        if rows >= events:
            break
    (archive / "manifest.jsonl").write_bytes(b"".join(lines))


def _streamed(rows: DataFrame, checkpoint: Path) -> float:
    shutil.rmtree(checkpoint, ignore_errors=True)
    begun = time.perf_counter()
    stream = (
        rows.writeStream.format("noop")
        .trigger(availableNow=True)
        .option("checkpointLocation", str(checkpoint))
        .start()
    )
    stream.awaitTermination()
    seconds = time.perf_counter() - begun
    fault = stream.exception()
    demand(fault is None, f"a stream has failed: {fault}")
    return seconds


class _ArchivedService(ServerProcess):
    """The service, with an archive that is sealed every second."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        settings = folder / "tidings.toml"
        settings.write_text('[archive]\nseal_after = "1s"\n', encoding="utf-8")
        self.archive = folder / "archive"
        command = ["tidings", "serve", "--port", "0", "--settings", str(settings)]
        command += ["--data", str(folder / "data"), "--archive", str(self.archive), "--port-file"]
        super().__init__(command, folder / "service.json")


def measure_lake_latency(
    spark: SparkSession, folder: Path, seconds: int, figures: Figures, progress: Progress
) -> None:
    """Publish at a steady rate, and see when events can be read from the lake."""
    progress(f"{RATE:,} events/s for {seconds} s, through service and archive into the lake")
    lake = folder / "lake"
    stop = threading.Event()
    with _ArchivedService(folder / "service") as service:
        options = LakeOptions(str(service.archive), str(lake), once=False, every=0.1)
        filling = threading.Thread(target=run_lake, args=(spark, options), kwargs={"stop": stop})
        filling.start()
        try:
            published = asyncio.run(_published(service.url, seconds))
            until = time.monotonic() + PATIENCE
            while _lake_rows(spark, lake) < published and time.monotonic() < until:
                time.sleep(0.2)
        finally:
            stop.set()
            filling.join()
    rows = read_lake(spark, str(lake), "events")
    found = rows.count()
    demand(found == published, f"the lake has {found} of {published} events")
    demand(rows.select("seq").distinct().count() == published, "an event is in the lake twice")
    for share, latency in zip((0.5, 0.95), _latencies(rows, lake), strict=True):
        name = f"publish to lake at {RATE} events/s, p{share * 100:.0f}"
        figures.figure(name, latency / _SECOND, "s")


async def _published(url: str, seconds: int) -> int:
    """Publishes at a steady rate; how many events."""
    step = round(RATE * _STEP)
    made = 0
    async with await connect(url) as client:
        await client.create_channel("flow", persistent=True)
        async with await client.publisher("flow") as publisher:
            begun = time.perf_counter()
            while made < RATE * seconds:
                events = [sample_event(at) for at in range(made, made + step)]
                await publisher.publish_many(events)
                made += step
                await asyncio.sleep(max(0.0, begun + made / RATE - time.perf_counter()))
    return made


def _lake_rows(spark: SparkSession, lake: Path) -> int:
    return lake_tables(spark, str(lake)).get("events", 0)


def _latencies(rows: DataFrame, lake: Path) -> list[int]:
    """From arrival until the commit of the batch, in microseconds: median and 95 % of events."""
    from pyspark.sql import functions as f

    # A commit is the renaming of its intent: that changes when the file was last changed.
    commits = [path for path in (lake / "_log").glob("*.json") if path.stem.isdigit()]
    visible = [f.struct(f.lit(int(p.stem)), f.lit(p.stat().st_ctime_ns // 1_000)) for p in commits]
    at = f.map_from_entries(f.array(*visible))
    batch = f.regexp_extract(f.input_file_name(), r"part-0*(\d+)-", 1).cast("int")
    # Two steps: the name of a row's file is not known inside an aggregation.
    latencies = rows.select((f.element_at(at, batch) - f.col("arrival_us")).alias("us"))
    [found] = latencies.agg(f.percentile_approx("us", [0.5, 0.95])).collect()[0]
    return list(found)
