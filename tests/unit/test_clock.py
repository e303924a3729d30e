from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.clock import (
    ManualClock,
    SystemClock,
    from_timebase,
    monotonic_microseconds,
    to_timebase,
)


def test_the_system_clock_tells_microseconds_since_1970() -> None:
    shown = datetime.fromtimestamp(SystemClock().now() / 1e6, UTC)
    assert abs(shown - datetime.now(UTC)) < timedelta(minutes=1)  # noqa: TID251 -- compared with it


def test_the_monotonic_clock_counts_microseconds() -> None:
    before, wall = monotonic_microseconds(), SystemClock().now()
    time.sleep(0.01)
    passed = monotonic_microseconds() - before
    assert 10_000 <= passed < 5_000_000
    assert abs(SystemClock().now() - wall - passed) < 1_000_000


def test_a_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock(5)
    assert (clock.now(), clock.now()) == (5, 5)
    clock.advance(10)
    clock.advance(-1)
    assert clock.now() == 14


@pytest.mark.parametrize(
    ("microseconds", "units"),
    [
        (0, 122_192_928_000_000_000),
        (-12_219_292_800_000_000, 0),  # 15 October 1582
        (1, 122_192_928_000_000_010),
    ],
)
def test_timebase(microseconds: int, units: int) -> None:
    assert to_timebase(microseconds) == units
    assert from_timebase(units) == microseconds


def test_the_epoch_of_timebase_is_the_first_gregorian_day() -> None:
    first = datetime(1582, 10, 15, tzinfo=UTC)
    assert (first - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) == from_timebase(
        0
    )


def test_timebase_rounds_down() -> None:
    assert from_timebase(to_timebase(7) + 9) == 7
    assert from_timebase(to_timebase(-7) + 9) == -7


@given(st.integers())
def test_timebase_there_and_back(microseconds: int) -> None:
    assert from_timebase(to_timebase(microseconds)) == microseconds
