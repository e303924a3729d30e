from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.clock import ManualClock, SystemClock
from tidings.engine.steady import THRESHOLD, SteadyClock

START = 1_700_000_000_000_000


class _Machine:
    """A wall clock that can be set, and a monotonic one that cannot."""

    def __init__(self) -> None:
        self.wall = ManualClock(START)
        self.uptime = ManualClock(77)
        self.steady = SteadyClock(self.wall, self.uptime.now)

    def passes(self, microseconds: int) -> None:
        self.wall.advance(microseconds)
        self.uptime.advance(microseconds)


def test_it_starts_at_the_time_of_the_wall_clock_and_follows_the_other() -> None:
    machine = _Machine()
    assert (machine.steady.now(), machine.steady.offset) == (START, 0)
    machine.passes(1_000)
    assert machine.steady.now() == START + 1_000
    assert machine.steady.check() is None


@pytest.mark.parametrize("jump", [THRESHOLD + 1, -THRESHOLD - 1, 3_600_000_000, -(10**15)])
def test_setting_the_wall_clock_moves_the_offset_and_nothing_else(jump: int) -> None:
    machine = _Machine()
    machine.passes(5)
    machine.wall.advance(jump)
    assert machine.steady.now() == START + 5
    assert machine.steady.offset == 0
    assert machine.steady.check() == jump
    assert machine.steady.offset == jump
    assert machine.steady.now() == START + 5
    assert machine.steady.check() is None


def test_there_and_back() -> None:
    machine = _Machine()
    machine.wall.advance(2_000_000)
    assert machine.steady.check() == 2_000_000
    machine.wall.advance(-2_000_000)
    assert machine.steady.check() == 0


@pytest.mark.parametrize("drift", [THRESHOLD, -THRESHOLD])
def test_small_differences_wait_until_they_add_up(drift: int) -> None:
    machine = _Machine()
    machine.wall.advance(drift)
    assert machine.steady.check() is None
    assert machine.steady.offset == 0
    machine.wall.advance(1 if drift > 0 else -1)
    assert machine.steady.check() == machine.steady.offset == drift + (1 if drift > 0 else -1)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(-(10**7), 10**7))))
def test_host_time_never_goes_back_and_the_offset_leads_to_wall_time(
    moves: list[tuple[int, int]],
) -> None:
    machine, before = _Machine(), START
    for passed, jump in moves:
        machine.passes(passed)
        machine.wall.advance(jump)
        machine.steady.check()
        now = machine.steady.now()
        assert now == before + passed
        assert abs(now + machine.steady.offset - machine.wall.now()) <= THRESHOLD
        before = now


def test_on_the_clocks_of_this_machine() -> None:
    steady = SteadyClock(SystemClock())
    first = steady.now()
    assert abs(first - SystemClock().now()) < 60_000_000
    assert steady.now() >= first
