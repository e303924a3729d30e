"""Callbacks of filters: who is told when a filter asks for other event types.

They are kept with the filter, in memory: after a restart of the service they are attached no
more, as a client can find out with get_callbacks.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Final

from tidings.cos.CosNotifyComm_auto import NotifySubscribe
from tidings.errors import CallbackNotFound, LimitExceeded
from tidings.events.reference import Reference
from tidings.filters.constraint import EventTypePattern
from tidings.filters.filter import EventTypes, Filter
from tidings.orb.aio.orb import Orb
from tidings.orb.exceptions import OBJECT_NOT_EXIST, CorbaError
from tidings.servants.types import types_out

MAX_CALLBACKS: Final = 1_000

_log = logging.getLogger(__name__)


class FilterCallback:
    """A callback: called with what has changed, one call at a time and in order.

    Changes that come while a call is under way are told together in the next one; so however
    slow the client is, no more waits for it than the filter's event types.

    Args:
        orb: Carries the calls out.
        client: A CosNotifyComm::NotifySubscribe.
        filter: Where to attach it.

    Attributes:
        id: Names it at the filter.

    Raises:
        LimitExceeded: The filter has as many callbacks as it may.
    """

    def __init__(self, orb: Orb, client: Reference, filter: Filter) -> None:
        if len(filter.callbacks()) >= MAX_CALLBACKS:
            raise LimitExceeded(f"a filter has at most {MAX_CALLBACKS} callbacks; detach some")
        self._client = orb.stub(NotifySubscribe, client)
        self._filter = filter
        self._added: set[EventTypePattern] = set()
        self._removed: set[EventTypePattern] = set()
        # Only the event loop and this object know the task: without this it could vanish.
        self._task: asyncio.Task[None] | None = None
        self.id = filter.attach_callback(self)

    def __call__(self, added: EventTypes, removed: EventTypes) -> None:
        """The filter asks for other event types; its client is told later."""
        # What came and went again before it was told was never there.
        fresh, gone = added - self._removed, removed - self._added
        self._added -= removed
        self._removed -= added
        self._added |= fresh
        self._removed |= gone
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._tell())

    async def _tell(self) -> None:
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
            with suppress(CallbackNotFound):  # the client itself may have been faster
                self._filter.detach_callback(self.id)
        except CorbaError as error:
            _log.info("a callback of a filter was not told of a change: %s", error)
