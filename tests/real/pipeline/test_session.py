"""The session: what is set, where Python comes from, and that nothing is left behind."""

from __future__ import annotations

import subprocess
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


JAVA_IS_KILLED = """
import os, signal
from pyspark import SparkContext
from tidings.errors import PipelineFailed
from tidings.pipeline.session.job import spark_job
from tidings.pipeline.session import SparkOptions, close_session, open_session

options = SparkOptions("local[1]", memory="512m")
try:
    with spark_job(options) as spark:
        os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
        SparkContext._gateway.proc.wait()
        spark.range(3).count()
except PipelineFailed as error:
    print("told:", error)
spark = open_session(options)
print("again:", spark.range(3).count())
os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
SparkContext._gateway.proc.wait()
close_session(spark)
print("closed")
"""


def test_java_that_is_killed_is_told_and_another_can_be_started() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", JAVA_IS_KILLED],
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    told, again, closed = ended.stdout.splitlines()
    assert told.startswith("told: Spark could not do it: the Java process of Spark's ended")
    assert again == "again: 3"
    assert (closed, ended.returncode) == ("closed", 0)
