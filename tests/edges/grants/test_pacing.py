"""Token buckets: the average holds, whatever the sizes of pushes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.grants import pacing
from tidings.grants.pacing import Pacing

SECOND = 1_000_000
pushes = st.lists(st.tuples(st.integers(0, 3 * SECOND), st.integers(1, 40)), max_size=60)


@given(st.integers(1, 50), pushes)
def test_the_average_holds_and_waiting_helps(rate: int, given: list[tuple[int, int]]) -> None:
    made, now, accepted, largest = Pacing(), 0, 0, 0
    for pause, events in given:
        now += pause
        wait = made.wait("ann", rate, events, now)
        if wait:
            assert made.wait("ann", rate, 1, now + wait - 1)  # not before
            now += wait
            assert not made.wait("ann", rate, events, now)
        accepted, largest = accepted + events, max(largest, events)
        # One second's events at once, and one push beyond what is left.
        assert accepted <= rate * (1 + now / SECOND) + largest


def test_nobody_waits_for_others_and_a_limit_of_none_at_all_lets_nothing_pass() -> None:
    made = Pacing()
    assert not made.wait("ann", 1, 5, 0)
    assert made.wait("ann", 1, 1, SECOND) == 4 * SECOND
    assert not made.wait("bob", 1, 1, SECOND)
    assert made.wait("eve", 0, 1, 0)


def test_who_was_away_may_publish_one_seconds_events_at_once() -> None:
    made = Pacing()
    assert not made.wait("ann", 5, 1, 0)
    for _ in range(5):
        assert not made.wait("ann", 5, 1, 1_000 * SECOND)
    assert made.wait("ann", 5, 1, 1_000 * SECOND) == SECOND // 5


def test_buckets_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "MOST_BUCKETS", 3)
    made = Pacing()
    for number in range(20):
        made.wait(f"till-{number}", 1, 1, number)
        assert len(made) <= 3
