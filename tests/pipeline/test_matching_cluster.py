"""Matching on a cluster whose executors have the shipped package only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipeline.matching_worlds import drawn_world
from tidings.pipeline.matching import MatchLimits, explain_match, match
from tidings.pipeline.plan_book import PlanBook

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


def test_the_executors_of_a_cluster_match_too(cluster_spark: SparkSession) -> None:
    world = drawn_world([101, 105])
    book = PlanBook.from_rows(world.lines)
    limits = MatchLimits(needles=1)
    lanes = {lane for one in explain_match(book, limits=limits) for lane in one.lanes}
    assert {"needle", "reference"} <= lanes
    rows = match(cluster_spark.createDataFrame(world.table()), book, limits=limits).collect()
    found = {(r.origin, r.seq, r.proxy, r.priority, r.deadline_us) for r in rows}
    assert found == world.answers
