"""Proxies without a name that nobody uses any more end by themselves.

A program that vanished cannot end what it made, and nobody else knows of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tidings.channel.management import Disconnect
from tidings.errors import NotFound, TidingsError

if TYPE_CHECKING:
    from tidings.engine.host import Host

log = logging.getLogger(__name__)

# How many are ended before others get their turn on the loop.
_AT_ONCE: Final = 100


class Lifetimes:
    """Ends proxies some seconds after their last use.

    Only proxies passed to `begin` are watched; all other calls ignore the rest.
    """

    def __init__(self, host: Host, seconds: float) -> None:
        self._host = host
        self._seconds = seconds
        # By deadline: all stay equally long, so who was used last stands last.
        self._deadlines: dict[tuple[int, int], float] = {}
        self._held: Counter[tuple[int, int]] = Counter()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._deadlines) + len(self._held)

    def begin(self, channel: int, proxy: int) -> None:
        """Watches a proxy from now on."""
        key = (channel, proxy)
        if key not in self._held:
            self._restart(key)

    def touch(self, channel: int, proxy: int) -> None:
        """The proxy was used just now."""
        key = (channel, proxy)
        if key in self._deadlines:
            del self._deadlines[key]
            self._restart(key)

    def hold(self, channel: int, proxy: int) -> bool:
        """The proxy is in use until `release`; whether it is watched at all."""
        key = (channel, proxy)
        if self._deadlines.pop(key, None) is None and key not in self._held:
            return False
        self._held[key] += 1
        return True

    def release(self, channel: int, proxy: int) -> None:
        """One use that `hold` began is over."""
        key = (channel, proxy)
        if key not in self._held:
            return
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]
            self._restart(key)

    def forget(self, channel: int, proxy: int) -> None:
        """The proxy has ended, or shall stay."""
        self._deadlines.pop((channel, proxy), None)
        self._held.pop((channel, proxy), None)

    def close(self) -> None:
        """Ends nothing any more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _restart(self, key: tuple[int, int]) -> None:
        self._deadlines[key] = self._host.loop.time() + self._seconds
        if self._timer is None and not self._closed:
            self._timer = self._host.loop.call_later(self._seconds, self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        now = self._host.loop.time()
        for key, deadline in list(islice(self._deadlines.items(), _AT_ONCE)):
            if deadline > now:
                break
            del self._deadlines[key]
            self._end(*key)
        if self._deadlines:
            wait = next(iter(self._deadlines.values())) - now
            self._timer = self._host.loop.call_later(max(0.0, wait), self._sweep)

    def _end(self, channel: int, proxy: int) -> None:
        log.info("channel %d, proxy %d: it has no name and nobody uses it, so it ends",
                 channel, proxy)  # fmt: skip
        self._host.ask(Disconnect(channel, proxy)).add_done_callback(self._heard)

    @staticmethod
    def _heard(future: asyncio.Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, TidingsError) and not isinstance(error, NotFound):
            log.warning("an unused proxy could not be ended: %s", error)
