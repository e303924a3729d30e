"""The bench of recovery: what it prepares is what a service writes, and the right events come."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tidings.bench import recover
from tidings.bench.figures import sample_event
from tidings.bench.memory import resident_octets
from tidings.errors import InvalidUsage


def test_every_figure_of_the_report_is_there(tmp_path: Path) -> None:
    report = recover.run(events=300, proxies=(7, 2), folder=tmp_path)
    assert report["bench"] == "recover"
    rows: dict[str, dict[str, Any]] = {row["name"]: row for row in report["results"]}
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
    for consumers in (7, 2):
        name = f"300 events, {consumers} consumers"
        assert rows[f"{name}: all have their first event"]["target"] == "<= 15"
        assert rows[f"{name}: most memory"]["target"] == "<= 1000"
        opening = rows[f"{name}: opening"]["value"]
        assert 0 < opening <= rows[f"{name}: all have their first event"]["value"]
    assert list(tmp_path.iterdir()) == []


def test_the_prepared_journal_is_one_a_service_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(recover.check_sample(tmp_path / "right"))
    monkeypatch.setattr(recover, "PERSISTENT", 0)
    with pytest.raises(AssertionError, match="not what a service writes"):
        asyncio.run(recover.check_sample(tmp_path / "wrong"))


def test_the_oldest_of_the_most_urgent_comes_first(tmp_path: Path) -> None:
    prepared = recover.Prepared(tmp_path, 40, (11, 12, 13), bytes(16), 1)
    expected = recover.first_expected(prepared)
    for consumer, seq in enumerate(expected):
        assert (seq - 1) % 3 == consumer
        assert sample_event(seq - 1).header["Priority"] == 4


def test_another_first_event_ends_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recover, "first_expected", lambda prepared: [2, 1])
    with pytest.raises(AssertionError, match="not the one that comes first"):
        recover.run(events=20, proxies=(2,), folder=tmp_path)


def test_the_peak_is_that_of_this_process() -> None:
    block = b"x" * (64 * 1024 * 1024)
    now = resident_octets()
    del block
    # The system counts a few pages of each thread later.
    assert recover.peak_octets() + 4_000_000 >= now > 64 * 1024 * 1024


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="events must be at least 1"):
        recover.run(events=0)
    with pytest.raises(InvalidUsage, match="proxies must be at least 1"):
        recover.run(proxies=())
