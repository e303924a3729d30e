"""The channel's bench measures what it says, and reports nothing when events go astray."""

from __future__ import annotations

from typing import Any

import pytest

from tidings.bench import channel
from tidings.bench.figures import sample_events
from tidings.engine.endpoints import BufferEndpoint, Delivery
from tidings.errors import InvalidUsage


def _run() -> dict[str, dict[str, Any]]:
    report = channel.run(events=250, consumers=20, fan_out=3, rounds=2)
    assert report["bench"] == "channel"
    return {row["name"]: row for row in report["results"]}


def test_every_figure_of_the_report_is_there() -> None:
    rows = _run()
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
    targets = {name: row["target"] for name, row in rows.items() if row["target"]}
    assert targets == {
        "batches of 100, 1 consumer / floor": ">= 0.015",
        "batches of 100, 20 consumers / 1 consumer": ">= 0.6",
        "fan-out to 3 / floor": ">= 0.035",
    }
    for name in (
        *("building an event", "awaited one by one, 1 consumer", "batches of 100, 2 consumers"),
        *("batches of 100, 1 consumer, FIFO order", "fan-out to 3: floor"),
    ):
        assert rows[name]["value"] > 0
    assert rows["longest block of the loop"]["unit"] == "ms"
    name = "batches of 100, 1 consumer"
    ratio = rows[name]["value"] / rows[f"{name}: floor"]["value"]
    assert rows[f"{name} / floor"]["value"] == pytest.approx(ratio, abs=1e-4)


def _tampered(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    right = BufferEndpoint.deliver

    def wrong(self: BufferEndpoint, batch: Delivery) -> None:
        right(self, batch._replace(messages=change(list(batch.messages))))

    monkeypatch.setattr(BufferEndpoint, "deliver", wrong)


def test_an_event_that_comes_twice_ends_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    _tampered(monkeypatch, lambda messages: [*messages, messages[0]])
    with pytest.raises(AssertionError, match="every event once"):
        _run()


def test_events_out_of_order_end_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    _tampered(monkeypatch, lambda messages: messages[::-1])
    with pytest.raises(AssertionError, match="out of order"):
        _run()


def test_the_floor_dispatches_too() -> None:
    events, _ = sample_events(0, 250)
    found = channel.floor(events, 5, fan_out=False)
    assert found.got == [events, [], [], [], []]
    everyone = channel.floor(events, 5, fan_out=True)
    assert everyone.got == [events] * 5
    assert min(found.seconds, everyone.seconds) > 0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="fan_out must be at least 1"):
        channel.run(fan_out=0)
