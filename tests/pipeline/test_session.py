"""The session: what is set, where Python comes from, and that nothing is left behind."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tidings.pipeline.session import SparkOptions, is_local, open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("master", "local"),
    [
        ("local", True),
        ("local[*]", True),
        ("local[2,3]", True),
        ("local-cluster[2,1,1024]", False),
        ("spark://here:7077", False),
        ("yarn", False),
    ],
)
def test_only_threads_of_the_driver_are_local(master: str, local: bool) -> None:
    assert is_local(master) is local


def test_executors_run_the_interpreter_of_the_driver(spark: SparkSession) -> None:
    told = spark.sparkContext.parallelize([0], 1).map(lambda _: sys.executable).collect()
    assert told == [sys.executable]


def test_times_are_utc(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_a_second_opening_joins_the_session(spark: SparkSession) -> None:
    again = open_session(SparkOptions("local[2]", memory="1g"))
    assert again.sparkContext is spark.sparkContext


def test_the_data_source_is_registered(spark: SparkSession) -> None:
    with pytest.raises(Exception, match="needs the path of an archive"):
        spark.read.format("tidings").load().collect()
