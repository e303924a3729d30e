"""An event loop whose time moves only when told to; it knows call_later and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any


class ManualLoop(asyncio.AbstractEventLoop):
    """Time in microseconds, starting at 0.

    Attributes:
        now: The time, which `block` moves without a turn of the loop.
        slack: By so much each callback comes early, as with a coarse clock.
    """

    def __init__(self, slack: int = 0) -> None:
        self.now = 0
        self.slack = slack
        self._handles: list[asyncio.TimerHandle] = []

    def monotonic(self) -> int:
        """The time, for what is handed a clock."""
        return self.now

    def get_debug(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._handles.remove(handle)

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        when = self.now + round(delay * 1_000_000)
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._handles.append(handle)
        return handle

    @property
    def waiting(self) -> list[float]:
        """When the callbacks are due."""
        return sorted(handle.when() for handle in self._handles)

    def run_until(self, end: int) -> None:
        """Calls what is due until then, each at its time or as soon as possible."""
        for _ in range(10_000):
            due = min(self._handles, key=asyncio.TimerHandle.when, default=None)
            if due is None or due.when() - self.slack > end:
                self.now = max(self.now, end)
                return
            self._handles.remove(due)
            self.now = max(self.now, int(due.when()) - self.slack)
            # What comes early does so once: the clock moves on while it is looked at.
            due._run()
            self.now += 1 if self.slack else 0
        raise AssertionError("the loop never rests")

    def block(self, microseconds: int) -> None:
        """Something holds up the loop."""
        self.now += microseconds


def manual_loop(slack: int = 0) -> ManualLoop:
    """A loop at time 0; what it does not know it does not need."""
    return ManualLoop(slack)  # type: ignore[abstract]
