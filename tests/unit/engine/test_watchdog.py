from __future__ import annotations

import asyncio
import time

from tests.unit.engine.manual_loop import ManualLoop, manual_loop
from tidings.engine.watchdog import Watchdog


def _watched() -> tuple[ManualLoop, Watchdog]:
    loop = manual_loop()
    watch = Watchdog(loop, limit=5_000, monotonic=loop.monotonic)
    watch.start()
    return loop, watch


def _batch(loop: ManualLoop, watch: Watchdog, took: int) -> None:
    watch.entered()
    loop.block(took)
    watch.left()


def test_a_loop_that_is_free_shows_no_blocks() -> None:
    loop, watch = _watched()
    for at in range(1_000, 500_000, 1_000):
        loop.run_until(at)
        _batch(loop, watch, 100)
    loop.run_until(2_000_000)
    assert (watch.blocks, watch.longest) == (0, 0)


def test_batches_are_measured_exactly() -> None:
    loop, watch = _watched()
    _batch(loop, watch, 5_000)
    assert watch.blocks == 0
    _batch(loop, watch, 5_001)
    assert (watch.blocks, watch.longest) == (1, 5_001)
    _batch(loop, watch, 40_000)
    _batch(loop, watch, 7_000)
    assert (watch.blocks, watch.longest) == (3, 40_000)


def test_a_long_batch_is_not_counted_again_by_the_probe() -> None:
    loop, watch = _watched()
    loop.run_until(3_000)
    _batch(loop, watch, 50_000)
    loop.run_until(1_000_000)
    assert (watch.blocks, watch.longest) == (1, 50_000)


def test_a_block_by_others_behind_a_long_batch_is_counted() -> None:
    loop, watch = _watched()
    _batch(loop, watch, 6_000)
    loop.block(12_000)
    loop.run_until(1_000_000)
    assert (watch.blocks, watch.longest) == (2, 12_000)


def test_while_batches_flow_no_block_of_twice_the_limit_goes_unseen() -> None:
    for phase in range(0, 10_000, 500):
        loop, watch = _watched()
        # Out of the idle rhythm: the first batch brings the close one back.
        loop.run_until(300_000 + phase)
        _batch(loop, watch, 10)
        loop.run_until(loop.now + phase)
        _batch(loop, watch, 10)
        loop.block(10_001)
        loop.run_until(loop.now + 200_000)
        assert watch.blocks == 1, phase
        assert 5_000 < watch.longest <= 10_001


def test_an_idle_engine_is_probed_more_seldom() -> None:
    loop, _ = _watched()
    loop.run_until(1_010_000)
    assert loop.waiting[0] - loop.now > 10_000


def test_start_twice_and_stop() -> None:
    loop, watch = _watched()
    watch.start()
    assert len(loop.waiting) == 1
    watch.stop()
    watch.stop()
    assert loop.waiting == []
    loop.block(100_000)
    _batch(loop, watch, 10)
    assert (loop.waiting, watch.blocks) == ([], 0)


def test_on_a_real_loop() -> None:
    async def scene() -> Watchdog:
        watch = Watchdog(asyncio.get_running_loop())
        watch.start()
        await asyncio.sleep(0)
        time.sleep(0.03)  # noqa: ASYNC251 -- this is the block
        await asyncio.sleep(0.01)
        watch.stop()
        return watch

    watch = asyncio.run(scene())
    assert watch.blocks >= 1
    assert watch.longest >= 20_000
