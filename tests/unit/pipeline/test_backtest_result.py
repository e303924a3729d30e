"""What a backtest answers."""

from __future__ import annotations

import msgspec

from tidings.pipeline.backtest_result import BacktestResult, HourCount


def result(events: int, matched: int) -> BacktestResult:
    hours = (HourCount(0, "Traffic", "Speed", events, matched),)
    return BacktestResult("$a > 1", (), 1, None, None, events, matched, 0, 1, hours, (), "native")


def test_the_share_is_of_all_events() -> None:
    assert result(8, 2).share == 0.25
    assert result(0, 0).share == 0.0


def test_a_result_is_ready_for_json() -> None:
    plain = msgspec.json.decode(msgspec.json.encode(result(8, 2)))
    assert plain["hours"][0]["matched"] == 2
