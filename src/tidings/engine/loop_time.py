"""The time of the event loop: the core's next wake-up, and how often the loop was blocked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from tidings.clock import monotonic_microseconds

# Event loops refuse very long waits; a timer that is set further away wakes up in between.
LONGEST: Final = 3_600_000_000
# Nothing may hold up the loop for longer, in microseconds.
LIMIT: Final = 5_000
# While the engine is idle, the probe interval is this many times longer.
_IDLE: Final = 20


class Timer:
    """One wake-up for the whole core, set to `at`; on the loop's thread.

    `due` is called once for each time set, when that time has come, and never earlier.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, now: Callable[[], int], due: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._now = now
        self._due = due
        self.at: int | None = None
        self._handle: asyncio.TimerHandle | None = None
        self._wakes = 0

    def set(self, at: int | None) -> None:
        """Replace the time, None for no wake-up; a past time is due in the loop's next turn."""
        self.at = at
        if self._handle is not None:
            # Waking up too early costs a look; arming again for each later time costs more.
            if at is not None and at >= self._wakes:
                return
            self._handle.cancel()
            self._handle = None
        if at is not None:
            self._arm(at)

    def _arm(self, at: int) -> None:
        now = self._now()
        self._wakes = min(at, now + LONGEST)
        self._handle = self._loop.call_later((self._wakes - now) / 1_000_000, self._fire)

    def _fire(self) -> None:
        self._handle = None
        at = self.at
        if at is None:
            return
        if self._now() < at:
            self._arm(at)
            return
        self.at = None
        self._due()


class Watchdog:
    """Detects blocks of the loop: the engine's exactly, others' by a probe.

    The engine calls `entered` and `left` around each batch. Other blocks show in a probe that comes
    late: every `limit` while batches flow, so that no block of twice the limit is missed; less
    often otherwise. All times are in microseconds; `longest` has the part of others' blocks that
    was seen.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limit: int = LIMIT,
        monotonic: Callable[[], int] = monotonic_microseconds,
    ) -> None:
        self.limit = limit
        self.blocks = 0
        self.longest = 0
        self._loop = loop
        self._monotonic = monotonic
        self._since = 0
        self._active = False
        self._counted = 0
        self._expected = 0
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start probing; a second call is ignored."""
        if self._handle is None:
            self._schedule(self.limit)

    def stop(self) -> None:
        """Stop probing; the counts stay."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def entered(self) -> None:
        """Begin a batch."""
        self._since = self._monotonic()

    def left(self) -> int:
        """End a batch; return how long it took, in microseconds."""
        now = self._monotonic()
        took = now - self._since
        if not self._active:
            self._activate()
        if took > self.limit:
            self._count(took)
            # The probe is late by this too: one block is counted once.
            self._counted += max(0, now - max(self._since, self._expected))
        return took

    def _count(self, took: int) -> None:
        self.blocks += 1
        self.longest = max(self.longest, took)

    def _activate(self) -> None:
        self._active = True
        if self._handle is not None and self._expected - self._monotonic() > self.limit:
            self._handle.cancel()
            self._schedule(self.limit)

    def _schedule(self, wait: int) -> None:
        self._counted = 0
        self._expected = self._monotonic() + wait
        self._handle = self._loop.call_later(wait / 1_000_000, self._probe)

    def _probe(self) -> None:
        late = self._monotonic() - self._expected - self._counted
        if late > self.limit:
            self._count(late)
        wait = self.limit if self._active else self.limit * _IDLE
        self._active = False
        self._schedule(wait)
