"""What the benches share says what it must."""

from __future__ import annotations

import gc

import pytest

from tidings.bench.figures import (
    Figures,
    demand,
    least_one,
    sample_event,
    sample_events,
    undisturbed,
)
from tidings.errors import InvalidUsage


def test_a_row_says_whether_its_target_was_met() -> None:
    figures = Figures()
    figures.figure("a", 1.23456, "s")
    figures.at_least("b", 0.5, "times", 0.5)
    figures.at_least("c", 0.4, "times", 0.5)
    figures.at_most("d", 15.0, "s", 15)
    figures.at_most("e", 15.1, "s", 15)
    assert figures.rows[0] == {
        "name": "a",
        "value": 1.2346,
        "unit": "s",
        "target": None,
        "ok": True,
    }
    assert [(row["target"], row["ok"]) for row in figures.rows[1:]] == [
        (">= 0.5", True),
        (">= 0.5", False),
        ("<= 15", True),
        ("<= 15", False),
    ]
    figures.fail_all()
    assert not any(row["ok"] for row in figures.rows)


def test_wrong_answers_end_a_bench() -> None:
    demand(True, "all is well")
    with pytest.raises(AssertionError, match=r"nothing is reported.*one is missing"):
        demand(False, "one is missing")


def test_numbers_are_at_least_one() -> None:
    least_one(events=1, rounds=5)
    with pytest.raises(InvalidUsage, match="rounds must be at least 1, not 0"):
        least_one(events=1, rounds=0)


def test_sample_events_differ_and_have_five_fields() -> None:
    events, microseconds = sample_events(10, 20, area=3)
    assert microseconds > 0
    assert len({event.name for event in events}) == 20
    assert all(len(event.data) == 5 and event.data["area"] == 3 for event in events)
    assert {event.header["Priority"] for event in events} == {0, 1, 2, 3, 4}
    assert events[0] == sample_event(10, area=3)


def test_undisturbed_ends() -> None:
    before = gc.get_freeze_count()
    with undisturbed():
        assert gc.get_freeze_count() > before
    assert gc.get_freeze_count() == 0
