from __future__ import annotations

from typing import Any

import pytest

from tidings import event
from tidings.channel.entries import NEVER
from tidings.events.codecs.arrow_codec import BARE
from tidings.events.structured import StructuredEvent
from tidings.stores.archive import columns
from tidings.stores.archive.columns import EventColumns, RowColumns
from tidings.stores.payloads import StoredEvent

STORED = StoredEvent(
    arrival=7, plan=1, priority=2, expiry=NEVER, start=None, flags=1, producer=None, number=0,
    hops=("a" * 32,), durable=(3,), views={3: (NEVER, 5), 4: (9, 6)}, carried=False, octets=b"{}",
)  # fmt: skip


def add(made: EventColumns, seq: int, given: StructuredEvent, channel: str = "c") -> None:
    made.add_event("f" * 32, channel, seq, STORED, given, seq * 10, partial=False)


def test_an_event_as_a_row() -> None:
    made = EventColumns()
    add(made, 1, event("D", "T", "n", {"a": 1, "big": 2**63}, header={"h": "x"}))
    table, times = made.sorted()
    [row] = table.to_pylist(maps_as_pydicts="strict")
    assert times.to_pylist() == [7]
    assert (row["expiry_us"], row["producer"], row["number"]) == (None, None, None)
    assert (row["hops"], row["durable"]) == (["a" * 32], [3])
    assert row["views"] == [
        {"proxy": 3, "expiry_us": None, "priority": 5},
        {"proxy": 4, "expiry_us": 9, "priority": 6},
    ]
    assert (row["data_int"], row["header_string"]) == ({"a": 1}, {"h": "x"})
    assert row["data_other"] == ["big"]
    assert made.names["data_other"] == {"big"}


def test_a_bare_value_has_no_properties() -> None:
    made = EventColumns()
    add(made, 1, event("", "%ANY", body=5))
    [row] = made.sorted()[0].to_pylist()
    assert (row["type"], row["data_int"], made.names) == ("%ANY", [], {BARE: set()})


def test_rows_are_turned_over_and_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_CHUNK_ROWS", 2)
    made = EventColumns()
    for seq, channel in ((3, "b"), (2, "b"), (9, "a"), (1, "b"), (8, "a")):
        add(made, seq, event("D", "T", str(seq), {"n": seq}), channel)
    for _ in range(2):  # a seal that fails is tried again
        table, times = made.sorted()
        assert table["seq"].to_pylist() == [8, 9, 1, 2, 3]
        cells: list[Any] = table["data_int"].to_pylist()
        assert cells == [[("n", seq)] for seq in (8, 9, 1, 2, 3)]
        assert len(times) == made.rows == 5


def test_plans_are_in_the_order_of_the_journal() -> None:
    made = RowColumns("plans")
    for version, position in ((2, 8), (1, 9), (3, 1)):
        made.add(0, ("f" * 32, "z", version, True, "{}", 0, position))
    assert made.sorted()[0]["version"].to_pylist() == [3, 2, 1]
