"""The pace of a replay; what becomes of events is tested with Spark and a service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tidings.pipeline.replay import _Pace
from tidings.pipeline.replay_rows import Past, chunk_of

SECOND = 1_000_000


def past(seq: int, due_us: int) -> Past:
    return Past("a" * 32, seq, due_us, b"{}")


def old_up_to(number: int) -> Callable[[Past], bool]:
    return lambda one: one.seq <= number


def parts(speed: float | None, chunk: list[Past], old: int = 0) -> list[list[int]]:
    pace = _Pace(speed, old_up_to(old))
    return [[one.seq for one in part] for part in pace.parts(chunk)]


def test_without_pauses_all_goes_together() -> None:
    chunk = [past(1, 0), past(2, 9 * SECOND)]
    assert parts(None, chunk) == [[1, 2]]


def test_what_is_due_at_once_goes_together() -> None:
    chunk = [past(1, 0), past(2, 4_000), past(3, 6_000), past(4, SECOND)]
    assert parts(1.0, chunk) == [[1, 2], [3], [4]]
    assert parts(1_000.0, chunk) == [[1, 2, 3, 4]]
    assert parts(1.0, []) == []


def test_what_was_sent_before_is_not_waited_for() -> None:
    chunk = [past(1, 0), past(2, 60 * SECOND), past(3, 60 * SECOND), past(4, 61 * SECOND)]
    assert parts(1.0, chunk, old=2) == [[1, 2], [3], [4]]


def test_events_are_due_with_their_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal now
        slept.append(round(seconds, 6))
        now += seconds

    monkeypatch.setattr("tidings.pipeline.replay.time.perf_counter", lambda: now)
    monkeypatch.setattr("tidings.pipeline.replay.asyncio.sleep", sleep)

    async def play() -> _Pace:
        nonlocal now
        pace = _Pace(2.0, old_up_to(1))
        await pace.wait([past(1, 0)])
        await pace.wait([past(2, 50 * SECOND)])
        await pace.wait([past(3, 53 * SECOND)])
        now += 7.0  # the channel was slow
        await pace.wait([past(4, 57 * SECOND)])
        await pace.wait([past(5, 70 * SECOND)])
        return pace

    pace = asyncio.run(play())
    assert slept == [1.5, 1.5]
    assert pace.behind == pytest.approx(5.0)


def test_rows_come_a_few_at_a_time() -> None:
    rows = iter([past(seq, 0) for seq in range(5)])
    assert [len(chunk_of(rows, 2)) for _ in range(4)] == [2, 2, 1, 0]
