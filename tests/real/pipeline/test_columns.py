"""Numbers are found whichever way their producer sent them; so does the query of the docs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.real.docs.pages import blocks, page
from tests.real.pipeline.archives import ArchiveMaker, Row
from tidings.events.build import event
from tidings.pipeline.derive import Batch, load_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

RATES = {"whole": 130, "real": 130.5, "slow": 119.5, "slower": 119, "text": "130", "none": None}


def test_the_query_of_the_docs_finds_integers_and_reals(
    spark: SparkSession, tmp_path: Path
) -> None:
    maker = ArchiveMaker(tmp_path / "archive")
    maker.seal(
        Row(seq, event("Traffic", "Speed", name, {} if rate is None else {"rate": rate}), "traffic")
        for seq, (name, rate) in enumerate(RATES.items(), 1)
    )
    maker.close()
    [first, *_] = [
        one for one in blocks(page("docs/pipeline-queries.md")) if one.language == "python"
    ]
    (tmp_path / "alerts.py").write_text(first.text)
    [query] = load_queries(tmp_path / "alerts.py")
    batch = Batch(spark, str(maker.folder), ("traffic",), 0, 1)
    found = [json.loads(row["event"]) for row in query.make(batch).collect()]
    rates = {one["name"]: one["data"]["rate"] for one in found}
    assert rates == {"whole": 130.0, "real": 130.5}
