"""The page about the source and the sink: its examples run, its tables are complete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.real.docs.pages import blocks, page
from tests.real.pipeline.archives import ArchiveMaker, cars
from tests.real.pipeline.services import service
from tidings.pipeline.options import READ, WRITE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

NAME = "docs/pipeline-source.md"


def test_the_tables_have_every_option() -> None:
    text = page(NAME)
    for name in (*READ, *WRITE):
        assert f"| `{name}`" in text or f", `{name}` |" in text, name


def test_the_examples_run(spark: SparkSession, tmp_path: Path) -> None:
    maker = ArchiveMaker(tmp_path / "archive")
    for seal in range(3):
        maker.seal(cars(100 * seal + 1, 100))
    maker.close()
    with service(tmp_path / "service") as running:
        running.channel("jams")
        names: dict[str, Any] = {
            "archive": str(maker.folder),
            "url": running.url,
            "folder": str(tmp_path),
        }
        for block in blocks(page(NAME)):
            if block.language == "python":
                exec(compile(block.text, f"{NAME}:{block.line}", "exec"), names)
        assert names["spark"].sparkContext is spark.sparkContext
        assert sorted(running.names("jams")) == [f"jam-{at}" for at in range(10)]
