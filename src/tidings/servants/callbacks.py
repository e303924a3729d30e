"""Filter callbacks, kept in memory only: clients can check with get_callbacks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from tidings.channel.effects import FilterTypesChanged
from tidings.cos.CosNotifyComm_auto import NotifySubscribe
from tidings.cos.mapping import types_out
from tidings.errors import CallbackNotFound, LimitExceeded
from tidings.events.reference import Reference
from tidings.filters.constraint import EventTypePattern
from tidings.filters.filter import EventTypes
from tidings.orb.aio.orb import Orb
from tidings.orb.exceptions import OBJECT_NOT_EXIST, CorbaError

MAX_CALLBACKS: Final = 1_000

_log = logging.getLogger(__name__)


class FilterCallbacks:
    """The callbacks of all filters."""

    def __init__(self, orb: Orb, exists: Callable[[int], bool]) -> None:
        self._orb = orb
        self._exists = exists
        self._last = 0
        self._by_filter: dict[int, dict[int, _Callback]] = {}

    def of(self, filter: int) -> tuple[int, ...]:
        """Return the ids of a filter's callbacks."""
        return tuple(self._by_filter.get(filter, ()))

    def attach(self, filter: int, client: Reference) -> int:
        """Register a client for a filter's event type changes; return the callback's id."""
        for gone in [id for id in self._by_filter if not self._exists(id)]:
            del self._by_filter[gone]
        attached = self._by_filter.setdefault(filter, {})
        if len(attached) >= MAX_CALLBACKS:
            raise LimitExceeded(f"a filter has at most {MAX_CALLBACKS} callbacks; detach some")
        self._last = id = self._last + 1
        stub = self._orb.stub(NotifySubscribe, client)
        attached[id] = _Callback(stub, lambda: attached.pop(id, None))
        return id

    def detach(self, filter: int, callback: int) -> None:
        """Remove a callback."""
        if self._by_filter.get(filter, {}).pop(callback, None) is None:
            raise CallbackNotFound(f"the filter has no callback {callback}")

    def tell(self, change: FilterTypesChanged) -> None:
        """Report a change to all callbacks of its filter."""
        for callback in list(self._by_filter.get(change.filter, {}).values()):
            callback.tell(change.added, change.removed)


class _Callback:
    """A callback, called with one change set at a time and in order.

    Changes that arrive during a call are merged into the next one, so a slow client's backlog never
    exceeds the filter's event types. `drop` detaches a client that no longer exists.
    """

    def __init__(self, client: NotifySubscribe, drop: Callable[[], object]) -> None:
        self._client = client
        self._drop = drop
        self._added: set[EventTypePattern] = set()
        self._removed: set[EventTypePattern] = set()
        # The event loop holds only a weak reference to the task.
        self._task: asyncio.Task[None] | None = None

    def tell(self, added: EventTypes, removed: EventTypes) -> None:
        """Queue a change for the client."""
        # A type added and removed again before it was reported cancels out.
        fresh, gone = added - self._removed, removed - self._added
        self._added -= removed
        self._removed -= added
        self._added |= fresh
        self._removed |= gone
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._tell_all())

    async def _tell_all(self) -> None:
        try:
            while self._added or self._removed:
                await self._tell_once()
        finally:
            self._task = None

    async def _tell_once(self) -> None:
        added, removed = sorted(self._added), sorted(self._removed)
        self._added.clear()
        self._removed.clear()
        try:
            await self._client.subscription_change(types_out(added), types_out(removed))
        except OBJECT_NOT_EXIST:
            self._drop()
        except CorbaError as error:
            _log.info("a callback of a filter was not told of a change: %s", error)
