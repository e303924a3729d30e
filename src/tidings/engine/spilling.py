"""Spills entries that do not fit into memory to disk, and refills them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final

from tidings.channel import effects as e
from tidings.channel.channel import Channels
from tidings.channel.commands import Refilled
from tidings.channel.entries import Entry
from tidings.engine.storage import Storage
from tidings.engine.store import Store
from tidings.errors import Stopping, StoreError

log = logging.getLogger(__name__)

# Until a refill that failed is tried again, in seconds.
_PAUSE: Final = 1.0


class Spilling:
    """Carries out `Spill`, `Refill` and `Unspill`, in order.

    `at_once` runs a command before all that waits.
    """

    def __init__(
        self, storage: Storage, channels: Channels, at_once: Callable[[Refilled], None]
    ) -> None:
        self._storage = storage
        self._channels = channels
        self._at_once = at_once
        # Entries of consumers that are on their way to the disk: no count there has them yet.
        self._under_way: Counter[tuple[int, int]] = Counter()

    def spill(self, effect: e.Spill, places: dict[int, int]) -> None:
        """Spill entries; `places` has those that were still being written."""
        store = self._storage.journal
        self._under_way[effect.channel, effect.proxy] += len(effect.entries)
        job = partial(_spill, store, effect, places)
        self._storage.submit(job).add_done_callback(partial(self._spilled, effect, places))

    def _spilled(
        self,
        effect: e.Spill,
        places: dict[int, int],
        result: asyncio.Future[tuple[Exception | None, int]],
    ) -> None:
        """Hand refused entries back to the core at once; the journal has their events anyway."""
        key = (effect.channel, effect.proxy)
        self._under_way[key] -= len(effect.entries)
        if not self._under_way[key]:
            del self._under_way[key]
        error, left = result.result()
        if error is None:
            return
        log.error("entries cannot be put on the disk: %s", error)
        entries = [entry for entry in effect.entries if entry.seq in places]
        for entry in entries:
            self._storage.bodies.keep_place(effect.channel, entry.seq, places[entry.seq])
        self._tell(effect, entries, left, asked=False)

    def _tell(
        self, effect: e.Spill | e.Refill, entries: list[Entry], left: int, *, asked: bool
    ) -> None:
        """Tell the core what came back, and how many entries are on disk or on their way there.

        At once, so that another consumer that settles such an event does not make it forgotten.
        """
        key = (effect.channel, effect.proxy)
        left += self._under_way.get(key, 0)
        self._at_once(Refilled(*key, entries, left, asked))

    def refill(self, effect: e.Refill) -> None:
        """Refill entries, and tell the core."""
        store = self._storage.journal
        job = partial(store.refill, effect.channel, effect.proxy, effect.order, effect.most)
        self._storage.submit(job).add_done_callback(partial(self._refilled, effect))

    def _refilled(
        self, effect: e.Refill, result: asyncio.Future[tuple[list[Entry], list[int], int]]
    ) -> None:
        if result.exception() is not None:
            log.error("entries cannot be got from the disk: %s", result.exception())
            loop = asyncio.get_running_loop()
            loop.call_later(_PAUSE, self._try_again, effect)
            return
        entries, places, left = result.result()
        channel = self._channels.get(effect.channel)
        if channel is None or effect.proxy not in channel.proxies:
            return
        for entry, place in zip(entries, places, strict=True):
            self._storage.bodies.keep_place(effect.channel, entry.seq, place)
        self._tell(effect, entries, left, asked=True)

    def _try_again(self, effect: e.Refill) -> None:
        with contextlib.suppress(Stopping):
            self.refill(effect)

    def unspill(self, effect: e.Unspill) -> None:
        """Drop entries."""
        store = self._storage.journal
        job = partial(store.unspill, effect.channel, effect.proxy, effect.seqs)
        self._storage.submit(job).add_done_callback(_report)


def _spill(store: Store, effect: e.Spill, places: dict[int, int]) -> tuple[Exception | None, int]:
    """On the disk thread: return the error, if any, and how many entries are there then."""
    try:
        store.spill(effect.channel, effect.proxy, list(effect.entries), places)
    except StoreError as error:
        return error, store.catalog.spilled(effect.channel, effect.proxy)
    return None, 0


def _report(result: asyncio.Future[None]) -> None:
    if result.exception() is not None:
        log.error("entries cannot be removed from the catalog: %s", result.exception())
