"""Failures of Spark in our words."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from tidings.errors import DiskFull, PipelineFailed
from tidings.pipeline.lake_failures import failing, failure_of

JAVA = """An error occurred while calling o57.parquet.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.sql.X
Caused by: java.io.IOException: {}
"""


@pytest.mark.parametrize("reason", ["No space left on device", "Disk quota exceeded"])
def test_no_room_is_told_apart(reason: str) -> None:
    error = failure_of(RuntimeError(JAVA.format(reason)), "the table events")
    assert isinstance(error, DiskFull)
    assert str(error) == "the table events: no room on the disk; the lake is unharmed"


def test_the_line_that_says_what_is_wrong_is_kept() -> None:
    error = failure_of(RuntimeError(JAVA.format("Broken pipe")), "the table events")
    assert isinstance(error, PipelineFailed)
    assert str(error) == "the table events: org.apache.spark.SparkException: Job aborted."
    assert str(failure_of(RuntimeError(""), "it")) == "it: no reason"


def test_only_failures_of_spark_are_turned() -> None:
    with pytest.raises(PipelineFailed, match="it: broken"), failing("it"):
        raise PySparkException("broken")
    with pytest.raises(KeyError), failing("it"):
        raise KeyError("other")
