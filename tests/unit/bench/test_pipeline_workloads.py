"""The data set of the pipeline's bench is an archive's, and its raw events say what columns say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.pipeline.parity import event_rows
from tidings.bench.pipeline_workloads import ORIGIN, plans, write_events
from tidings.events.codecs.json_codec import decode_event
from tidings.pipeline.plan_book import PlanBook
from tidings.stores.archive.schema import events_schema


def test_columns_and_raw_events_agree(tmp_path: Path) -> None:
    (path,) = write_events(tmp_path, 400, seed=3)
    assert path.relative_to(tmp_path).parts[0] == "events"
    table = pq.read_table(path, partitioning=None)
    assert table.schema.equals(events_schema())
    rows: list[dict[str, Any]] = table.to_pylist(maps_as_pydicts="strict")
    events = [decode_event(row["raw"]) for row in rows]
    expected = event_rows(events).to_pylist(maps_as_pydicts="strict")
    for name in [name for name in events_schema().names if name.startswith(("data_", "header_"))]:
        assert [row[name] for row in rows] == [row[name] for row in expected], name
    whole = sum(len(one.data) - ("urgent" in one.data) == 6 for one in events)
    assert 360 < whole < 395  # one in twenty lacks a field


def test_the_same_seed_gives_the_same_events(tmp_path: Path) -> None:
    one, two, three = (
        pq.read_table(write_events(tmp_path / name, 50, seed)[0], partitioning=None)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert one == two
    assert one != three


@pytest.mark.parametrize("kind", ["equality", "W2", "W3"])
def test_plans_have_as_many_consumers_as_asked_for(kind: str) -> None:
    book = PlanBook.from_rows(plans(kind, 25, 4))  # type: ignore[arg-type]
    assert not book.problems
    assert sorted(unit.proxy for unit in book.units) == list(range(1, 26))
    assert {unit.origin for unit in book.units} == {ORIGIN}
