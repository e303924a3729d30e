"""The reference in Arrow batches gives what `Plan.judge` and mapping filters give."""

from __future__ import annotations

import pyarrow as pa

from tests.pipeline.matching_worlds import Answer, MatchWorld, drawn_world
from tidings.pipeline.matching_reference import MATCHED, judge_batches
from tidings.pipeline.plan_book import PlanBook


def batch_of(world: MatchWorld, *, odd: bool) -> pa.RecordBatch:
    names = ["origin", "seq", "plan", "arrival_us", "raw", "priority", "expiry_us", "position"]
    table = world.table().select(names)
    table = table.append_column("odd", pa.array([odd] * len(table)))
    return table.combine_chunks().to_batches()[0]


def answers(batches: list[pa.RecordBatch]) -> list[Answer]:
    rows = [row for batch in batches for row in batch.to_pylist()]
    return [(r["origin"], r["seq"], r["proxy"], r["priority"], r["deadline_us"]) for r in rows]


def test_all_units_are_judged_at_the_version_an_event_carries() -> None:
    world = drawn_world(range(300, 312))
    units = PlanBook.from_rows(world.lines).units
    judge = judge_batches(units, (), {})
    (made,) = judge(iter([batch_of(world, odd=False)]))
    assert made.schema == MATCHED
    found = answers([made])
    assert len(found) == len(set(found))
    assert set(found) == world.answers
    assert len(found) > 150


def test_units_for_odd_events_are_asked_of_odd_events_only() -> None:
    world = drawn_world(range(300, 304))
    units = PlanBook.from_rows(world.lines).units
    judge = judge_batches(units[::2], units[1::2], {})
    (both,) = judge(iter([batch_of(world, odd=True)]))
    assert set(answers([both])) == world.answers
    (half,) = judge(iter([batch_of(world, odd=False)]))
    assert 0 < len(half) < len(both)
