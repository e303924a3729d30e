"""The data source: what a frame and a stream over an archive hold, and what damage does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.real.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, Row, cars
from tidings.events.structured import StructuredEvent
from tidings.pipeline.archive import Selection
from tidings.pipeline.frames import events_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture
def maker(tmp_path: Path) -> Iterator[ArchiveMaker]:
    made = ArchiveMaker(tmp_path / "archive")
    yield made
    made.close()


def read(spark: SparkSession, maker: ArchiveMaker, **options: str) -> DataFrame:
    return spark.read.format("tidings").options(**options).load(str(maker.folder))


def seqs(frame: DataFrame) -> list[int]:
    return sorted(row.seq for row in frame.select("seq").collect())


def test_a_frame_is_what_spark_reads_itself(spark: SparkSession, maker: ArchiveMaker) -> None:
    maker.seal(cars(1, 30))
    maker.seal(cars(31, 30, "other"))
    ours = read(spark, maker)
    native = events_frame(spark, Selection(str(maker.folder))).df
    assert ours.schema.simpleString() == native.schema.simpleString()
    plain = [sorted(map(str, frame.collect())) for frame in (ours, native)]
    assert plain[0] == plain[1]
    assert len(plain[0]) == 60


def test_rows_are_pruned_exactly(spark: SparkSession, maker: ArchiveMaker) -> None:
    odd = StructuredEvent("Weather", "Rain", "", {}, {"rate": 1})
    maker.seal([*cars(1, 10), *cars(11, 10, "other"), Row(21, odd), Row(22, odd, "other")])
    assert seqs(read(spark, maker, channel="other")) == [*range(11, 21), 22]
    assert seqs(read(spark, maker, type="Weather::R*")) == [21, 22]
    assert seqs(read(spark, maker, channel="other", type="Weather::Rain, No::Such")) == [22]
    since, until = str(FIRST_US + 5 * SECOND), str(FIRST_US + 8 * SECOND)
    assert seqs(read(spark, maker, since=since, until=until)) == [5, 6, 7]
    assert seqs(read(spark, maker, channel='["nobody, here"]')) == []
    chosen = Selection(
        str(maker.folder),
        channels=("other",),
        types=("W*::R*",),
        since_us=FIRST_US + 22 * SECOND,
        until_us=FIRST_US + 23 * SECOND,
    )
    assert seqs(events_frame(spark, chosen).df) == [22]


def test_a_constraint_judges_rows(spark: SparkSession, maker: ArchiveMaker) -> None:
    maker.seal(cars(1, 200))
    frame = read(spark, maker, filter="$rate > 97 and $road == 'A8'", columns="seq,name")
    assert frame.columns == ["seq", "name"]
    assert [tuple(row) for row in frame.collect()] == [(98, "car-98")]


def test_a_constraint_that_is_none_is_shown_with_its_place(
    spark: SparkSession, maker: ArchiveMaker
) -> None:
    maker.seal(cars(1, 1))
    with pytest.raises(Exception, match=r"\$rate > and\n +\^") as told:
        read(spark, maker, filter="$rate > and").collect()
    assert "line 1, column 9" in str(told.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"colour": "red"}, "no option 'colour'"),
        ({"kind": "cars"}, "no kind of segments"),
        ({"columns": "seq,speed"}, "have no column 'speed'"),
        ({"kind": "plans", "type": "A::B"}, "type and filter are for events"),
    ],
)
def test_wrong_options_are_named(
    spark: SparkSession, maker: ArchiveMaker, options: dict[str, str], words: str
) -> None:
    with pytest.raises(Exception, match=words):
        read(spark, maker, **options).collect()


def test_damaged_files_are_left_out(spark: SparkSession, maker: ArchiveMaker) -> None:
    [short] = maker.seal(cars(1, 10))
    maker.seal(cars(11, 10))
    [flipped] = maker.seal(cars(21, 10))
    (maker.folder / short.path).write_bytes((maker.folder / short.path).read_bytes()[:-40])
    octets = bytearray((maker.folder / flipped.path).read_bytes())
    octets[len(octets) // 3] ^= 1
    (maker.folder / flipped.path).write_bytes(octets)
    assert seqs(read(spark, maker)) == list(range(11, 21))
    with pytest.raises(Exception, match="damaged"):
        read(spark, maker, onDamage="fail").collect()
    frame = events_frame(spark, Selection(str(maker.folder)))
    assert len(frame.problems) == 1
    assert short.path in frame.problems[0]


def test_what_retention_took_meanwhile_is_named(spark: SparkSession, maker: ArchiveMaker) -> None:
    files = maker.seal(cars(1, 10))
    maker.seal(cars(11, 10))
    frame = read(spark, maker)
    frame.rdd.getNumPartitions()  # planned
    maker.drop(files)
    with pytest.raises(Exception, match=f"{files[0].path} was dropped by the archive's retention"):
        frame.collect()
    assert seqs(read(spark, maker)) == list(range(11, 21))


class Batches:
    """What a stream gave, batch by batch."""

    def __init__(self) -> None:
        self.seqs: list[list[int]] = []

    def __call__(self, frame: Any, _: int) -> None:
        self.seqs.append(seqs(frame))


@pytest.fixture
def stream(
    spark: SparkSession, maker: ArchiveMaker, tmp_path: Path
) -> Callable[..., list[list[int]]]:
    """Runs a stream up to what is there; the batches."""

    def run(**options: str) -> list[list[int]]:
        got = Batches()
        source = spark.readStream.format("tidings").options(**options).load(str(maker.folder))
        query = (
            source.writeStream.foreachBatch(got)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        try:
            assert query.awaitTermination(50)
        finally:
            query.stop()
        return [batch for batch in got.seqs if batch]

    return run


def test_a_stream_goes_on_where_it_was(
    maker: ArchiveMaker, stream: Callable[..., list[list[int]]]
) -> None:
    maker.seal(cars(1, 10))
    assert stream() == [list(range(1, 11))]
    maker.seal(cars(11, 10))
    maker.seal(cars(21, 10, "other"))
    assert stream() == [list(range(11, 31))]
    assert stream() == []


def test_limits_split_a_seal(maker: ArchiveMaker, stream: Callable[..., list[list[int]]]) -> None:
    maker.seal(cars(1, 25))
    maker.seal(cars(26, 5))
    assert [len(batch) for batch in stream(maxRowsPerTrigger="10")] == [10, 10, 10]
    maker.seal(cars(31, 3))
    maker.seal(cars(34, 3))
    assert stream(maxFilesPerTrigger="1") == [[31, 32, 33], [34, 35, 36]]


def test_a_stream_can_begin_later(
    maker: ArchiveMaker, stream: Callable[..., list[list[int]]]
) -> None:
    maker.seal(cars(1, 5))
    maker.seal(cars(6, 5))
    assert stream(startingSeal="2") == [[6, 7, 8, 9, 10]]


def test_a_stream_takes_no_time_that_moves(
    stream: Callable[..., list[list[int]]], maker: ArchiveMaker
) -> None:
    maker.seal(cars(1, 5))
    with pytest.raises(Exception, match="another moment after a restart"):
        stream(since="2h")
