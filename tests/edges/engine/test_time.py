"""Time: timers, the watchdog, a clock that is set, turns of long work, how far the archive lags."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.clock import ManualClock
from tidings.engine import turns
from tidings.engine.archiving import Lag
from tidings.engine.loop_time import Timer, Watchdog
from tidings.engine.steady import THRESHOLD, SteadyClock
from tidings.engine.turns import Turns
from tidings.stores.segments import Cursor

START = 1_700_000_000_000_000


class ManualLoop(asyncio.AbstractEventLoop):
    """Knows call_later and nothing else; its time, in microseconds, moves only when told to."""

    def __init__(self) -> None:
        self.now = 0
        self.handles: list[asyncio.TimerHandle] = []

    def monotonic(self) -> int:
        return self.now

    def get_debug(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self.handles.remove(handle)

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        when = self.now + round(delay * 1_000_000)
        self.handles.append(asyncio.TimerHandle(when, callback, args, self, context))
        return self.handles[-1]

    def run_until(self, end: int) -> None:
        """Calls what is due until then, each at its time or as soon as possible."""
        for _ in range(10_000):
            due = min(self.handles, key=asyncio.TimerHandle.when, default=None)
            if due is None or due.when() > end:
                self.now = max(self.now, end)
                return
            self.handles.remove(due)
            self.now = max(self.now, int(due.when()))
            due._run()
        raise AssertionError("the loop never rests")


def _timer() -> tuple[ManualLoop, list[int], Timer]:
    loop, fired = ManualLoop(), list[int]()  # type: ignore[abstract]
    return loop, fired, Timer(loop, loop.monotonic, lambda: fired.append(loop.now))


def test_the_last_time_set_counts_earlier_or_later() -> None:
    loop, fired, timer = _timer()
    for at in (500, 200, 300):
        timer.set(at)
    loop.run_until(1_000)
    assert fired == [300]


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
        assert (fired, timer.at) == (expected, standing)


def _watched() -> tuple[ManualLoop, Watchdog]:
    loop = ManualLoop()  # type: ignore[abstract]
    watch = Watchdog(loop, limit=5_000, monotonic=loop.monotonic)
    watch.start()
    return loop, watch


def _batch(loop: ManualLoop, watch: Watchdog, took: int) -> None:
    watch.entered()
    loop.now += took
    watch.left()


def test_a_long_batch_is_not_counted_again_by_the_probe() -> None:
    loop, watch = _watched()
    loop.run_until(3_000)
    _batch(loop, watch, 50_000)
    loop.run_until(1_000_000)
    assert (watch.blocks, watch.longest) == (1, 50_000)


def test_while_batches_flow_no_block_of_twice_the_limit_goes_unseen() -> None:
    for phase in range(0, 10_000, 500):
        loop, watch = _watched()
        # Out of the idle rhythm: the first batch brings the close one back.
        loop.run_until(300_000 + phase)
        _batch(loop, watch, 10)
        loop.run_until(loop.now + phase)
        _batch(loop, watch, 10)
        loop.now += 10_001
        loop.run_until(loop.now + 200_000)
        assert watch.blocks == 1, phase
        assert 5_000 < watch.longest <= 10_001


def test_start_twice_and_stop() -> None:
    loop, watch = _watched()
    watch.start()
    assert len(loop.handles) == 1
    for _ in range(2):
        watch.stop()
    assert loop.handles == []
    loop.now += 100_000
    _batch(loop, watch, 10)
    assert (loop.handles, watch.blocks) == ([], 0)


class _Machine:
    """A wall clock that can be set, and a monotonic one that cannot."""

    def __init__(self) -> None:
        self.wall = ManualClock(START)
        self.uptime = ManualClock(77)
        self.steady = SteadyClock(self.wall, self.uptime.now)

    def passes(self, microseconds: int) -> None:
        self.wall.advance(microseconds)
        self.uptime.advance(microseconds)


@pytest.mark.parametrize("jump", [THRESHOLD + 1, -THRESHOLD - 1, 3_600_000_000, -(10**15)])
def test_setting_the_wall_clock_moves_the_offset_and_nothing_else(jump: int) -> None:
    machine = _Machine()
    machine.passes(5)
    machine.wall.advance(jump)
    assert (machine.steady.now(), machine.steady.offset) == (START + 5, 0)
    assert machine.steady.check() == jump
    assert (machine.steady.now(), machine.steady.offset) == (START + 5, jump)
    assert machine.steady.check() is None


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


async def test_of_all_who_have_long_work_one_has_a_turn_in_each_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "_TURN", -1)
    rounds = 0
    had: list[tuple[int, int]] = []
    loop = asyncio.get_running_loop()

    def count() -> None:
        nonlocal rounds
        rounds += 1
        loop.call_soon(count)

    async def long(number: int) -> None:
        given = Turns()
        for _ in range(5):
            await given.give()
            had.append((rounds, number))

    count()
    async with asyncio.TaskGroup() as group:
        for number in range(4):
            group.create_task(long(number))
        gone = group.create_task(long(9))
        await asyncio.sleep(0)
        gone.cancel()
    assert len({at for at, _ in had}) == len(had) == 20
    assert [number for _, number in had] == [0, 1, 2, 3] * 5


def test_waiting_is_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock(0)
    monkeypatch.setattr(turns, "monotonic_microseconds", clock.now)
    mine = Turns()
    clock.advance(1_000)
    assert not mine.over
    mine.go_on()  # at once: others had no turn
    clock.advance(1_000)
    assert mine.over
    clock.advance(500)
    mine.go_on()
    clock.advance(1_000)
    assert not mine.over
    clock.advance(600)
    assert mine.over


def test_of_what_the_archive_lacks_the_oldest_part_counts() -> None:
    clock = ManualClock(0)
    lag = Lag(lambda: float(clock.now()))
    assert lag.seconds() == 0.0
    lag.told(Cursor(1, 100))
    clock.advance(5)
    lag.told(Cursor(1, 200))
    clock.advance(2)
    assert lag.seconds() == 7.0
    lag.archived(Cursor(1, 100))
    assert (lag.seconds(), lag.reached) == (2.0, Cursor(1, 100))
    lag.archived(Cursor(1, 150))
    assert lag.seconds() == 2.0
    lag.archived(Cursor(2, 0))
    assert lag.seconds() == 0.0
    lag.told(Cursor(1, 900))  # it has that already
    assert lag.seconds() == 0.0


@given(st.integers(1, 3_000), st.integers(0, 3_000))
def test_however_long_it_stands_still_the_first_moment_is_known(count: int, archived: int) -> None:
    clock = ManualClock(0)
    lag = Lag(lambda: float(clock.now()))
    for number in range(1, count + 1):
        clock.advance(1)
        lag.told(Cursor(1, number))
    assert lag.seconds() == count - 1
    clock.advance(1)
    lag.archived(Cursor(1, archived))
    assert (lag.seconds() > 0) == (archived < count)
    assert lag.seconds() <= count
