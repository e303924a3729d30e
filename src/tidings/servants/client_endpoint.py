"""A proxy's CORBA client as the engine reaches it: the base of all client kinds.

Event type changes are sent in order, but separately from events: a client that hangs in one of
those calls still receives events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Final, Protocol

from tidings.channel.vocabulary import Side
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.mapping import types_out
from tidings.engine.endpoints import Endpoint, Types
from tidings.errors import TidingsError
from tidings.events.reference import Reference
from tidings.orb.exceptions import BAD_OPERATION, NO_IMPLEMENT, OBJECT_NOT_EXIST
from tidings.servants.calls import Calls
from tidings.servants.client_kinds import ClientKind

_log: Final = logging.getLogger(__name__)

# A client that answers one of these does not support event type changes.
_DEAF: Final = (BAD_OPERATION, NO_IMPLEMENT, OBJECT_NOT_EXIST)


class Seat(Protocol):
    """The proxy a client is connected to, as its endpoint sees it."""

    @property
    def suspended(self) -> bool:
        """Return whether the connection is suspended."""
        ...

    @property
    def origin(self) -> str:
        """Return the origin of the proxy's channel."""
        ...

    def deaf(self) -> None:
        """Stop reporting event types to a client that does not support it."""
        ...


class ClientEndpoint(Endpoint):
    """A client that initiates transfers itself: a push supplier or a pull consumer."""

    def __init__(self, calls: Calls, kind: ClientKind, client: Reference, seat: Seat) -> None:
        self.client = client
        self.kind = kind
        self.missed = 0
        """Consecutive failed probes without a sign of life from the client."""
        self.missed_at = 0.0
        """Loop time of the last failed probe."""
        self._calls = calls
        self._seat = seat
        self._loop = asyncio.get_running_loop()
        self.heard_at = self._loop.time()
        """Loop time of the client's last answer."""
        self._closed = False
        self._finishing = False
        self._task: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._goodbye: asyncio.Task[None] | None = None
        self._added: dict[EventType, None] = {}
        self._removed: dict[EventType, None] = {}

    @property
    def busy(self) -> bool:
        """Return whether a call to the client is running."""
        return self.carries or self._telling is not None

    @property
    def carries(self) -> bool:
        """Return whether a call that transfers events is running."""
        return self._task is not None

    def finish(self) -> None:
        """Start no further calls; running ones may end and still count."""
        self._finishing = True

    def go_on(self) -> None:
        """Continue after the connection was resumed."""

    def offers(self, added: Types, removed: Types) -> None:
        """Queue changed offers for a consumer."""
        if self.kind.side is Side.CONSUMER:
            self._changed(added, removed)

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Queue changed subscriptions for a supplier."""
        if self.kind.side is Side.SUPPLIER:
            self._changed(added, removed)

    def _changed(self, added: Types, removed: Types) -> None:
        """Queue a change; a type added and removed again before it is reported cancels out."""
        if self._closed or self.kind.notice is None:
            return
        _merge(types_out(added), self._added, self._removed)
        _merge(types_out(removed), self._removed, self._added)
        if self._telling is None:
            self._telling = self._calls.start(self._tell_changes())

    async def _tell_changes(self) -> None:
        assert self.kind.notice is not None
        try:
            while (self._added or self._removed) and not (self._closed or self._finishing):
                arguments = (tuple(self._added), tuple(self._removed))
                self._added, self._removed = {}, {}
                try:
                    await self._calls.tell(self.client, self.kind.notice, arguments)
                    self.heard_at = self._loop.time()
                except _DEAF:
                    self._added, self._removed = {}, {}
                    self._seat.deaf()
                except TidingsError as error:
                    _log.info("a client was not told of changed event types: %s", error)
        finally:
            self._telling = None

    def disconnected(self) -> None:
        """Tell the client once, after the running call, that its proxy is gone."""
        if not self._closed:
            self._goodbye = self._calls.start(self._say_goodbye(self._under_way()))
        self.close()

    def _under_way(self) -> asyncio.Future[None] | None:
        """Return a future for the end of the running event call, if any."""
        return self._task

    async def _say_goodbye(self, running: asyncio.Future[None] | None) -> None:
        if running is not None:
            await asyncio.wait([running])
        try:
            await self._calls.tell(self.client, self.kind.goodbye)
        except TidingsError as error:
            _log.debug("a client was not told that it is disconnected: %s", error)

    def close(self, error: Exception | None = None) -> None:
        """Stop calling the client; a running call may end, but its result is ignored."""
        self._closed = True

    def cancel(self) -> None:
        """Cancel the running calls."""
        for task in (self._task, self._telling):
            if task is not None:
                task.cancel()


def _merge(
    types: Iterable[EventType], here: dict[EventType, None], there: dict[EventType, None]
) -> None:
    """Add types to one set of changes and remove them from the opposite set."""
    for one in types:
        if one in there:
            del there[one]
        else:
            here[one] = None
