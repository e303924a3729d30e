"""The sink: rows become events of a real service, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.real.pipeline.archives import ArchiveMaker, cars
from tests.real.pipeline.services import Service, service

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def channel(running: Service, request: pytest.FixtureRequest) -> str:
    return running.channel(request.node.name)


@pytest.fixture(scope="module")
def refusing(running: Service) -> str:
    return running.channel("refusing")


def to(frame: DataFrame, running: Service, channel: str, **options: str) -> DataFrameWriter:
    return (
        frame.write.format("tidings")
        .mode("append")
        .options(url=running.url, channel=channel, **options)
    )


def numbered(spark: SparkSession, count: int) -> DataFrame:
    return spark.range(count).selectExpr(
        "id",
        "'Traffic' as domain",
        "'Speed' as type",
        "concat('car-', id) as name",
        "struct(id as rate, id % 3 = 0 as heavy, concat('A', id) as road) as data",
        "map('Priority', cast(id % 5 as int)) as header",
    )


def test_columns_become_events(spark: SparkSession, running: Service, channel: str) -> None:
    to(numbered(spark, 50).drop("id").repartition(3), running, channel).save()
    events = [message.event for message in running.events(channel)]
    assert {event.name for event in events} == {f"car-{at}" for at in range(50)}
    [seventh] = [event for event in events if event.name == "car-7"]
    assert dict(seventh.data) == {"rate": 7, "heavy": False, "road": "A7"}
    assert dict(seventh.header) == {"Priority": 2}
    assert (seventh.domain, seventh.type) == ("Traffic", "Speed")


def test_text_and_raw_become_events(spark: SparkSession, running: Service, channel: str) -> None:
    text = '{"domain": "D", "type": "T", "name": "n", "data": {"zones": [1, 2]}}'
    to(spark.createDataFrame([(text,)], "event string"), running, channel).save()
    to(spark.createDataFrame([(text.encode(),)], "raw binary"), running, channel).save()
    assert [list(m.event.data["zones"]) for m in running.events(channel)] == [[1, 2]] * 2  # type: ignore[arg-type]


def test_a_write_without_a_key_publishes_again(
    spark: SparkSession, running: Service, channel: str
) -> None:
    frame = numbered(spark, 10).drop("id")
    for _ in range(2):
        to(frame, running, channel, producer="mine").save()
    assert Counter(running.names(channel)) == {f"car-{at}": 2 for at in range(10)}


def test_rows_with_a_key_are_published_once_by_any_write(
    spark: SparkSession, running: Service, channel: str
) -> None:
    frame = numbered(spark, 2_000)
    for parts in (1, 3, 2):
        rows = frame.where(f"id % {parts} = 0").repartition(parts)
        to(rows, running, channel, key="id", producer="mine").save()
    assert Counter(running.names(channel)) == {f"car-{at}": 1 for at in range(2_000)}


def test_rows_keep_their_order_and_marks(
    spark: SparkSession, running: Service, channel: str
) -> None:
    rows = numbered(spark, 30).withColumnsRenamed({"id": "number"}).coalesce(1)
    marked = rows.selectExpr("*", "'p' as producer").orderBy("number").coalesce(1)
    for _ in range(2):
        to(marked, running, channel).save()
    assert running.names(channel) == [f"car-{at}" for at in range(30)]
    marks = [message.mark for message in running.events(channel)]
    assert [(mark.producer, mark.number) for mark in marks if mark] == [
        ("p", at) for at in range(30)
    ]


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ("1 as x", {}, "a row to publish has a column raw"),
        ("'{}' as event", {"key": "id"}, "the key names 'id'"),
        ("'{}' as event", {"colour": "red"}, "no option 'colour'"),
        ("'{}' as event", {}, "a row was refused .* needs a domain"),
        ("'{}' as event, 1 as id", {"key": "id"}, "two rows have the key"),
        ("'{}' as event, -1 as id", {"key": "id"}, "whole number from 0"),
    ],
)
def test_what_cannot_be_published_is_told(
    spark: SparkSession,
    running: Service,
    refusing: str,
    columns: str,
    options: dict[str, str],
    words: str,
) -> None:
    frame = spark.range(2).coalesce(1).selectExpr(*columns.split(", "))
    with pytest.raises(Exception, match=words):
        to(frame, running, refusing, **options).save()
    assert running.events(refusing) == []


def test_a_channel_that_is_not_there_is_named(spark: SparkSession, running: Service) -> None:
    with pytest.raises(Exception, match="nowhere"):
        to(numbered(spark, 1).drop("id"), running, "nowhere").save()


def test_refused_rows_can_be_left_out(spark: SparkSession, running: Service, channel: str) -> None:
    texts = [('{"domain": "D", "type": "T", "name": "good"}',), ('{"type": 5}',), (None,)]
    rows = spark.createDataFrame(texts, "event string")
    to(rows, running, channel, onRefused="skip").save()
    assert running.names(channel) == ["good"]


def test_a_stream_is_published_once(
    spark: SparkSession, running: Service, channel: str, tmp_path: Path
) -> None:
    maker = ArchiveMaker(tmp_path / "archive")
    for seal in range(3):
        maker.seal(cars(100 * seal + 1, 100))
    maker.close()
    for key in (True, False):
        for checkpoint in ("one", "one", "two"):
            rows = spark.readStream.format("tidings").load(str(maker.folder))
            rows = rows if key else rows.select("raw")
            query = (
                rows.writeStream.format("tidings")
                .options(url=running.url, channel=channel, producer="mine", batchSize="7")
                .option("checkpointLocation", str(tmp_path / f"{checkpoint}-{key}"))
                .trigger(availableNow=True)
                .start()
            )
            assert query.awaitTermination(100)
    # With a key a new checkpoint sends nothing twice; without, it is another stream.
    assert Counter(running.names(channel)) == {f"car-{seq}": 3 for seq in range(1, 301)}
