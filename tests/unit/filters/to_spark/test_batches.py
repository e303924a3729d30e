from __future__ import annotations

import pyarrow as pa

from tests.pipeline.parity import event_rows
from tidings.events.build import event
from tidings.filters.constraint import EventTypePattern
from tidings.filters.to_spark.batches import reference_batches

EVENTS = [
    event("Telecom", "Alarm", data={"addr": {"street": "Main"}}),
    event("Telecom", "Alarm", data={"addr": {"street": "Side"}}),
    event("Traffic", "Speed", data={"addr": {"street": "Main"}}),
]


def kept(text: str, types: tuple[EventTypePattern, ...] = ()) -> list[int | None]:
    rows = event_rows(EVENTS)
    batches = reference_batches(text, types)(iter(rows.to_batches()))
    return list(pa.Table.from_batches(batches)["seq"].to_pylist())


def test_batches_keep_what_the_reference_matches() -> None:
    assert kept("$addr.street == 'Main'") == [0, 2]
    assert kept("$addr.street == 'Main'", (EventTypePattern("Telecom", "*"),)) == [0]
    assert kept("$missing == 1") == []


def test_the_arrival_is_the_time() -> None:
    assert kept("$curtime.time > 139192928000000000") == [0, 1, 2]
