"""The fines of the control room and those that Spark derives from the archive are the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tidings.apps.traffic_monitoring.show import TrafficShow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


def test_spark_derives_the_same_fines_from_all_that_the_monitors_have_heard(
    tmp_path: Path, spark: SparkSession
) -> None:
    show = TrafficShow(tmp_path)
    assert show.play()
    assert len(show.fines) == 3
    assert show.derive(spark)
