"""Reports of changed event types to clients, and the callbacks of filters that ask for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tidings.channel.effects import FilterTypesChanged
from tidings.channel.filter_host import HostedFilter
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import NotifySubscribe
from tidings.cos.mapping import types_out
from tidings.engine.access import Caller, FilterId, Object
from tidings.engine.endpoints import Types
from tidings.errors import CallbackNotFound, LimitExceeded
from tidings.events.reference import Reference
from tidings.grants.core import AccessChanged
from tidings.grants.model import Verb
from tidings.orb.aio.orb import Orb
from tidings.orb.exceptions import OBJECT_NOT_EXIST, CorbaError

MAX_CALLBACKS: Final = 1_000

_log: Final = logging.getLogger(__name__)


class TypeChanges:
    """The changes to report to one client, one call at a time and in order.

    Changes that arrive during a call are merged into the next one, so a slow client's backlog never
    exceeds the event types that there are.
    """

    def __init__(
        self,
        tell: Callable[[Sequence[EventType], Sequence[EventType]], Awaitable[None]],
        start: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._tell = tell
        self._start = start
        self._added: dict[EventType, None] = {}
        self._removed: dict[EventType, None] = {}
        # The event loop holds only a weak reference to the task.
        self.task: asyncio.Task[None] | None = None

    def add(self, added: Types, removed: Types) -> None:
        """Queue a change; a type added and removed again before it is reported cancels out."""
        _merge(types_out(added), self._added, self._removed)
        _merge(types_out(removed), self._removed, self._added)
        if self.task is None:
            self.task = self._start(self._run())

    async def _run(self) -> None:
        try:
            while self._added or self._removed:
                added, removed = tuple(self._added), tuple(self._removed)
                self.clear()
                await self._tell(added, removed)
        finally:
            self.task = None

    def clear(self) -> None:
        """Forget what was not reported."""
        self._added.clear()
        self._removed.clear()


def _merge(
    types: Iterable[EventType], here: dict[EventType, None], there: dict[EventType, None]
) -> None:
    """Add types to one set of changes and remove them from the opposite set."""
    for one in types:
        if one in there:
            del there[one]
        else:
            here[one] = None


class _Callback(NamedTuple):
    """What tells one client, and who has asked for that."""

    changes: TypeChanges
    who: Caller


class FilterCallbacks:
    """The callbacks of all filters, kept in memory only: clients can check with get_callbacks."""

    def __init__(self, orb: Orb, exists: Callable[[int], bool]) -> None:
        self._orb = orb
        self._exists = exists
        self._last = 0
        self._by_filter: dict[int, dict[int, _Callback]] = {}

    def of(self, filter: int) -> tuple[int, ...]:
        """Return the ids of a filter's callbacks."""
        return tuple(self._by_filter.get(filter, ()))

    def attach(self, filter: int, client: Reference, who: Caller) -> int:
        """Register a client for a filter's event type changes; return the callback's id."""
        for gone in [id for id in self._by_filter if not self._exists(id)]:
            del self._by_filter[gone]
        attached = self._by_filter.setdefault(filter, {})
        if len(attached) >= MAX_CALLBACKS:
            raise LimitExceeded(f"a filter has at most {MAX_CALLBACKS} callbacks; detach some")
        self._last = id = self._last + 1
        stub = self._orb.stub(NotifySubscribe, client)

        async def tell(added: Sequence[EventType], removed: Sequence[EventType]) -> None:
            try:
                await stub.subscription_change(added, removed)
            except OBJECT_NOT_EXIST:
                attached.pop(id, None)
            except CorbaError as error:
                _log.info("a callback of a filter was not told of a change: %s", error)

        changes = TypeChanges(tell, asyncio.get_running_loop().create_task)
        attached[id] = _Callback(changes, who)
        return id

    def detach(self, filter: int, callback: int) -> None:
        """Remove a callback."""
        if self._by_filter.get(filter, {}).pop(callback, None) is None:
            raise CallbackNotFound(f"the filter has no callback {callback}")

    def tell(self, change: FilterTypesChanged) -> None:
        """Report a change to all callbacks of its filter."""
        for one in list(self._by_filter.get(change.filter, {}).values()):
            one.changes.add(sorted(change.added), sorted(change.removed))

    def end_forbidden(
        self,
        changed: AccessChanged,
        may_still: Callable[[Caller, Verb, Object, str], bool],
        filters: Mapping[int, HostedFilter],
    ) -> None:
        """Forget the callbacks of those who may not change their filters any more."""
        for id, attached in self._by_filter.items():
            found = filters.get(id)
            for callback, (_, who) in list(attached.items()):
                owner = "" if found is None else found.owner
                if changed.concerns(who.name, who.credential) and not may_still(
                    who, Verb.MANAGE, FilterId(id), owner
                ):
                    del attached[callback]
