from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable
from unittest import mock

import pytest

from tidings.engine.disk import DiskThread
from tidings.errors import DiskFull, Stopping


def test_results_and_errors_arrive_on_the_loop() -> None:
    async def scene() -> None:
        disk = DiskThread()
        thread = await disk.submit(threading.get_ident)
        assert thread != threading.get_ident()
        assert await disk.submit(threading.get_ident) == thread
        full = DiskFull("no room")

        def fail() -> None:
            raise full

        with pytest.raises(DiskFull) as caught:
            await disk.submit(fail)
        assert caught.value is full
        assert await disk.submit(lambda: 5) == 5
        disk.close()

    asyncio.run(scene())


@pytest.mark.parametrize("error", [StopIteration(3), SystemExit(2), KeyboardInterrupt()])
def test_whatever_a_job_raises_the_thread_goes_on(error: BaseException) -> None:
    async def scene() -> None:
        disk = DiskThread()

        def fail() -> None:
            raise error

        failed = disk.submit(fail)
        assert await disk.submit(lambda: 5) == 5
        assert failed.exception() is not None
        disk.close()

    asyncio.run(scene())


def test_jobs_are_done_one_by_one_in_the_order_submitted() -> None:
    async def scene() -> list[int]:
        disk, done, running = DiskThread(), list[int](), list[int]()

        def job(number: int) -> Callable[[], int]:
            def work() -> int:
                running.append(number)
                assert running == [number]
                done.append(number)
                running.remove(number)
                return number

            return work

        futures = [disk.submit(job(number)) for number in range(200)]
        assert disk.waiting == 200
        assert [await future for future in futures] == list(range(200))
        assert disk.waiting == 0
        disk.close()
        return done

    assert asyncio.run(scene()) == list(range(200))


def test_the_loop_goes_on_while_a_job_runs() -> None:
    async def scene() -> None:
        disk, go = DiskThread(), threading.Event()
        blocked = disk.submit(go.wait)
        behind = disk.submit(lambda: 1)
        for _ in range(20):
            await asyncio.sleep(0)
        assert (blocked.done(), behind.done(), disk.waiting) == (False, False, 2)
        go.set()
        assert (await blocked, await behind) == (True, 1)
        disk.close()

    asyncio.run(scene())


def test_one_wake_up_delivers_all_that_is_done() -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        disk = DiskThread()
        with mock.patch.object(
            loop, "call_soon_threadsafe", wraps=loop.call_soon_threadsafe
        ) as told:
            futures = [disk.submit(lambda: None) for _ in range(50)]
            # The loop does not turn while this thread waits for the other one.
            while not disk._jobs.empty() or len(disk._results) < 50:
                threading.Event().wait(0.001)
            await futures[-1]
            assert told.call_count == 1
            assert all(future.done() for future in futures)
            await disk.submit(lambda: None)
            assert told.call_count == 2
        disk.close()

    asyncio.run(scene())


def test_no_result_is_left_behind_however_often_the_loop_is_told() -> None:
    async def scene() -> None:
        disk = DiskThread()
        for _ in range(2_000):
            async with asyncio.timeout(5):
                await asyncio.gather(disk.submit(lambda: None), disk.submit(lambda: None))
        disk.close()

    asyncio.run(scene())


def test_close_finishes_what_is_queued_and_takes_nothing_more() -> None:
    async def scene() -> None:
        disk, done = DiskThread(), list[int]()
        futures = [disk.submit(lambda n=n: done.append(n)) for n in range(100)]  # type: ignore[misc]
        disk.close()
        assert done == list(range(100))
        assert all(future.done() for future in futures)
        assert disk.waiting == 0
        assert not disk._thread.is_alive()
        with pytest.raises(Stopping, match="takes no more jobs"):
            await disk.submit(lambda: None)
        disk.close()

    asyncio.run(scene())


def test_a_job_nobody_waits_for_is_done_all_the_same() -> None:
    async def scene() -> None:
        disk, go, done = DiskThread(), threading.Event(), list[int]()
        faults: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        first = disk.submit(go.wait)
        second = disk.submit(lambda: done.append(2))
        first.cancel()
        second.cancel()
        go.set()
        await disk.submit(lambda: done.append(3))
        assert done == [2, 3]
        assert faults == []
        disk.close()

    asyncio.run(scene())


def test_a_loop_that_is_gone_does_not_stop_the_jobs() -> None:
    go, done = threading.Event(), list[int]()

    async def scene() -> DiskThread:
        disk = DiskThread()
        nobody_waits = disk.submit(go.wait), disk.submit(lambda: done.append(1))
        assert not any(future.done() for future in nobody_waits)
        return disk

    disk = asyncio.run(scene())
    go.set()
    disk.close()
    assert done == [1]


def test_what_a_job_holds_is_let_go_when_it_is_done() -> None:
    class Held:
        pass

    async def scene() -> None:
        disk, held = DiskThread(), Held()
        gone = weakref.ref(held)
        await disk.submit(lambda held=held: None)  # type: ignore[misc]
        del held
        await asyncio.sleep(0)
        gc.collect()
        assert gone() is None
        disk.close()

    asyncio.run(scene())
