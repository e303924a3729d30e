from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.engine.manual_loop import ManualLoop, manual_loop
from tidings.clock import monotonic_microseconds
from tidings.engine.timers import LONGEST, Timer


def _timer(slack: int = 0) -> tuple[ManualLoop, list[int], Timer]:
    loop, fired = manual_loop(slack), list[int]()
    return loop, fired, Timer(loop, loop.monotonic, lambda: fired.append(loop.now))


def test_it_fires_once_when_due() -> None:
    loop, fired, timer = _timer()
    timer.set(500)
    assert timer.at == 500
    loop.run_until(499)
    assert fired == []
    loop.run_until(10_000)
    assert fired == [500]
    assert timer.at is None
    assert loop.waiting == []


def test_a_time_that_has_passed_is_due_in_the_next_turn_not_inside_set() -> None:
    loop, fired, timer = _timer()
    loop.now = 100
    timer.set(50)
    assert fired == []
    loop.run_until(100)
    assert fired == [100]


def test_the_last_time_set_counts_earlier_or_later() -> None:
    loop, fired, timer = _timer()
    timer.set(500)
    timer.set(200)
    timer.set(300)
    loop.run_until(1_000)
    assert fired == [300]


def test_later_times_do_not_arm_again_and_earlier_ones_leave_nothing() -> None:
    loop, _, timer = _timer()
    timer.set(500)
    timer.set(600)
    assert loop.waiting == [500]
    timer.set(100)
    assert loop.waiting == [100]


def test_none_ends_it() -> None:
    loop, fired, timer = _timer()
    timer.set(None)
    timer.set(500)
    timer.set(None)
    assert timer.at is None
    assert loop.waiting == []
    loop.run_until(1_000)
    assert fired == []


def test_far_times_are_reached_in_steps() -> None:
    loop, fired, timer = _timer()
    far = 3 * LONGEST + 5
    timer.set(far)
    assert loop.waiting == [LONGEST]
    loop.run_until(far - 1)
    assert fired == []
    loop.run_until(far)
    assert fired == [far]
    timer.set(2**63 - 1)
    assert loop.waiting == [far + LONGEST]


def test_a_loop_that_wakes_up_early_does_not_make_it_fire_early() -> None:
    loop, fired, timer = _timer(slack=3)
    timer.set(500)
    loop.run_until(1_000)
    assert len(fired) == 1
    assert 500 <= fired[0] < 510


def test_it_can_be_set_from_its_own_callback() -> None:
    loop, fired = manual_loop(), list[int]()

    def due() -> None:
        fired.append(loop.now)
        if loop.now < 300:
            timer.set(loop.now + 100)

    timer = Timer(loop, loop.monotonic, due)
    timer.set(100)
    loop.run_until(1_000)
    assert fired == [100, 200, 300]


@given(st.lists(st.tuples(st.integers(0, 50), st.none() | st.integers(0, 100)), max_size=20))
def test_it_fires_exactly_when_the_time_that_stands_has_come(
    steps: list[tuple[int, int | None]],
) -> None:
    loop, fired, timer = _timer()
    expected, standing = list[int](), None
    for wait, at in steps:
        timer.set(at)
        standing = None if at is None else max(at, loop.now)
        end = loop.now + wait
        if standing is not None and standing <= end:
            expected.append(standing)
            standing = None
        loop.run_until(end)
        assert fired == expected
        assert timer.at == standing


def test_on_a_real_loop() -> None:
    async def scene() -> int:
        due = asyncio.Event()
        timer = Timer(asyncio.get_running_loop(), monotonic_microseconds, due.set)
        at = monotonic_microseconds() + 2_000
        timer.set(at + 1_000_000)
        timer.set(at)
        await due.wait()
        return monotonic_microseconds() - at

    assert asyncio.run(scene()) >= 0
