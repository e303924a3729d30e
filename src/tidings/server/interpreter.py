"""The interpreter, told to hold up the loop as little as it can.

A thread beside the loop gives way after half a millisecond instead of five. And full collections,
which look at everything that lives and stop all threads meanwhile, take a hundredth of the time at
most and are made while there is little else to do; under load there is one in ten seconds at most.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Final, Self

# How long a thread keeps the interpreter if another one wants it, in seconds.
_SWITCH: Final = 0.0005
# How many collections of the second generation come before a full one: never by themselves.
_NEVER: Final = 1_000_000_000
# How many of them make a full one worth while; as in the interpreter.
_WORTH_IT: Final = 10
# How often it is looked, and the least time between two full collections under load, in seconds.
_LOOK: Final = 1.0
_BUSY_WAIT: Final = 10.0
# The part of the time in which a process may run and still counts as idle, and that collections
# may take.
_IDLE: Final = 0.2
_MOST_PART: Final = 0.01


class Collector:
    """Decides when to make a full garbage collection.

    `clock` says how many seconds passed, `used` how many of them this process ran.
    """

    def __init__(
        self,
        clock: Callable[[], float] = perf_counter,
        used: Callable[[], float] = process_time,
        collect: Callable[[], object] = gc.collect,
    ) -> None:
        self._clock = clock
        self._used = used
        self._collect = collect
        self._looked = (clock(), used())
        self._last, self._took = self._looked[0], 0.0

    def look(self, since: int) -> None:
        """Collect if it is worthwhile, and nobody waits or it was put off long enough.

        `since` counts the collections of the second generation since the last full one.
        """
        now, used = self._clock(), self._used()
        (then, used_then), self._looked = self._looked, (now, used)
        is_idle = used - used_then <= _IDLE * (now - then)
        wait = max(self._took / _MOST_PART, 0.0 if is_idle else _BUSY_WAIT)
        if since >= _WORTH_IT and now >= self._last + wait:
            self._collect()
            self._last, self._took = now, self._clock() - now


class Interpreter:
    """Its settings while a service runs; a context manager, which puts them back.

    What is there when it begins stays, and is never looked at again.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._before = (sys.getswitchinterval(), gc.get_threshold())
        self._collector = Collector()
        self._handle: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        sys.setswitchinterval(_SWITCH)
        gc.set_threshold(*gc.get_threshold()[:2], _NEVER)
        gc.collect()
        gc.freeze()
        self._look()
        return self

    def __exit__(self, *error: object) -> None:
        assert self._handle is not None
        self._handle.cancel()
        switch, thresholds = self._before
        sys.setswitchinterval(switch)
        gc.set_threshold(*thresholds)

    def _look(self) -> None:
        self._collector.look(gc.get_count()[2])
        self._handle = self._loop.call_later(_LOOK, self._look)
