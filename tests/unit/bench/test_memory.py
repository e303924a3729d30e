"""The bench of memory counts what proxies take."""

from __future__ import annotations

from typing import Any

import pytest

from tidings.bench import memory
from tidings.errors import InvalidUsage


def test_both_kinds_are_measured() -> None:
    report = memory.run(proxies=300)
    assert report["bench"] == "memory"
    rows: dict[str, dict[str, Any]] = {row["name"]: row for row in report["results"]}
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
        assert row["unit"] == "octets/proxy"
    assert list(rows) == [
        "300 idle proxies without filters",
        "300 idle proxies with a filter each",
    ]
    assert all(row["value"] > 0 for row in rows.values())


def test_consumers_that_are_not_connected_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        def __init__(self, *arguments: object) -> None: ...

        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *error: object) -> None: ...

        def submit(self, *arguments: object) -> Pool:
            return self

        def result(self) -> memory.Grown:
            return memory.Grown(1_000, 3)

    monkeypatch.setattr(memory, "ProcessPoolExecutor", Pool)
    with pytest.raises(AssertionError, match="not all consumers are connected"):
        memory.run(proxies=10)


def test_what_is_taken_shows() -> None:
    before = memory.resident_octets()
    block = bytes(range(256)) * (4 * 64 * 1024)
    assert memory.resident_octets() - before > len(block) // 2


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="proxies must be at least 1"):
        memory.run(proxies=0)
