from __future__ import annotations

import asyncio

import pytest

from tests.unit.engine.hosts import run
from tidings.engine import turns
from tidings.engine.turns import Turns


def test_a_turn_is_not_given_all_the_time() -> None:
    async def work() -> None:
        passed = 0

        def count() -> None:
            nonlocal passed
            passed += 1
            asyncio.get_running_loop().call_soon(count)

        count()
        given = Turns()
        for _ in range(10):
            await given.give()
        assert passed <= 3

    run(work())


def test_of_all_who_have_long_work_one_has_a_turn_in_each_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "_TURN", -1)

    async def work() -> None:
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

    run(work())
