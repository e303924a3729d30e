"""One thread for all disk work, so that the event loop never waits for the disk."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, TypeAlias, TypeVar

from tidings.errors import Stopping

_T = TypeVar("_T")

Done: TypeAlias = Callable[[Any, BaseException | None], None]
"""Called with a job's result or error."""


_Job: TypeAlias = tuple[Callable[[], Any], Done]
_Result: TypeAlias = tuple[Done, Any, BaseException | None]

_END: Final = None


class DiskThread:
    """Runs jobs off the loop, one after the other, in the order submitted.

    Everything but the jobs happens on the loop, so the queue's lock is the only one needed.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop | None = None, name: str = "tidings-disk"
    ) -> None:
        self._loop = loop or asyncio.get_running_loop()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._results: deque[_Result] = deque()
        self._told = False
        self._closed = False
        self.waiting = 0
        # A daemon: a program that ends without close() is not held up by a thread that waits.
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], _T]) -> asyncio.Future[_T]:
        """Queue a job, or raise Stopping; the future gets its result or error.

        Cancelling the future does not stop the job: later jobs may depend on it.
        """
        future: asyncio.Future[_T] = self._loop.create_future()
        self.call(job, partial(_settle, future))
        return future

    def call(self, job: Callable[[], Any], done: Done) -> None:
        """Queue a job, or raise Stopping; call `done` on the loop, a turn earlier than a future."""
        if self._closed:
            raise Stopping("the disk thread is closed: it takes no more jobs")
        self.waiting += 1
        self._jobs.put((job, done))

    def close(self) -> None:
        """Finish the queued jobs, deliver their results and end the thread.

        Blocks until the last job is done. To keep the loop free, await that one first.
        """
        if not self._closed:
            self._closed = True
            self._jobs.put(_END)
        self._thread.join()
        self._deliver()

    def _work(self) -> None:
        take, results = self._jobs.get, self._results
        while (job := take()) is not _END:
            results.append(_performed(*job))
            # What a job holds must not stay in memory while the thread waits for the next.
            del job
            if not self._told:
                self._told = True
                self._tell()

    def _tell(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:
            # The loop is closed: no caller waits for results. The jobs are still done.
            self._told = False

    def _deliver(self) -> None:
        # Before the first look into the deque: a job that adds a result after the last look
        # then finds the flag down, and tells the loop again.
        self._told = False
        results = self._results
        while results:
            done, value, error = results.popleft()
            self.waiting -= 1
            try:
                done(value, error)
            except Exception as fault:  # noqa: BLE001 -- the other callbacks must run, too
                context = {"message": "a disk job was done in vain", "exception": fault}
                self._loop.call_exception_handler(context)


def _settle(future: asyncio.Future[Any], value: object, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


def _performed(work: Callable[[], Any], done: Done) -> _Result:
    try:
        return done, work(), None
    except StopIteration as error:
        # A future does not take this one.
        return done, None, RuntimeError(f"a disk job raised {error!r}")
    except BaseException as error:  # noqa: BLE001 -- passed to the job's caller
        return done, None, error
