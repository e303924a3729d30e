"""The bench of persistence reports only what is on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tidings.bench import persist
from tidings.bench.figures import sample_event
from tidings.engine.store import Store, Writable
from tidings.errors import InvalidUsage
from tidings.events.codecs.json_codec import decode_event
from tidings.stores.payloads import event_octets_of
from tidings.stores.segments import Cursor


def _run(folder: Path) -> dict[str, dict[str, Any]]:
    report = persist.run(events=160, rounds=2, folder=folder)
    assert report["bench"] == "persist"
    return {row["name"]: row for row in report["results"]}


def test_every_figure_of_the_report_is_there(tmp_path: Path) -> None:
    rows = _run(tmp_path)
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
    targets = {name: row["target"] for name, row in rows.items() if row["target"]}
    assert targets == {"1 pusher / raw SQLite": ">= 0.7", "64 pushers / raw SQLite": ">= 0.5"}
    # Something else may have been synced meanwhile.
    assert 0.5 < rows["1 pusher: events in a sync"]["value"] <= 1
    assert rows["64 pushers: events in a sync"]["value"] > 1
    for name in ("1 pusher, a durable consumer", "64 pushers, a durable consumer"):
        assert rows[name]["value"] > 0
    assert list(tmp_path.iterdir()) == []


def test_a_record_that_is_not_written_ends_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Store.write

    def forgetful(self: Store, records: Sequence[Writable], *, sync: bool) -> list[Cursor]:
        places = right(self, records[:1] if len(records) > 5 else records, sync=sync)
        return places + places[-1:] * (len(records) - len(places))

    monkeypatch.setattr(Store, "write", forgetful)
    with pytest.raises(AssertionError, match="journal does not have every event once"):
        _run(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_raw_rows_hold_the_whole_event() -> None:
    assert decode_event(event_octets_of(persist.octets_of(sample_event(7), 3))) == sample_event(7)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="rounds must be at least 1"):
        persist.run(rounds=0)
