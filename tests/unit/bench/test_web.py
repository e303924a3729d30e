"""The bench of the web door reports only what came, once and in order."""

from __future__ import annotations

from typing import Any

import pytest

from tidings.bench import web
from tidings.bench.web import Pair, percentile
from tidings.errors import InvalidUsage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def _run() -> dict[str, dict[str, Any]]:
    report = web.run(events=40, rounds=1, consumers=25, subscriptions=(1, 12))
    assert report["bench"] == "web"
    return {row["name"]: row for row in report["results"]}


def test_every_figure_of_the_report_is_there() -> None:
    rows = _run()
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
        assert row["value"] > 0 or "memory" in row["name"]
    targets = {name: row["target"] for name, row in rows.items() if row["target"]}
    assert targets == {
        "1 filtered subscription, of the floor": ">= 0.3",
        "12 filtered subscriptions, of 1": ">= 0.6",
    }
    assert rows["12 filtered subscriptions, p99 of one event"]["unit"] == "ms"
    assert rows["fan-out to 25 WebSocket consumers"]["unit"] == "deliveries/s"


def test_an_event_out_of_order_ends_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Pair._delivered

    def muddled(self: Pair, frame: bytes) -> None:
        right(self, frame)
        self.came.sort(key=lambda number: -number)

    monkeypatch.setattr(Pair, "_delivered", muddled)
    with pytest.raises(AssertionError, match="missing, twice or out of order"):
        _run()


def test_percentiles() -> None:
    values = [float(one) for one in range(100)]
    assert percentile(values, 0.5) == 50
    assert percentile(values, 0.99) == 99
    assert percentile([7.0], 0.99) == 7


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="consumers must be at least 1"):
        web.run(consumers=0)
