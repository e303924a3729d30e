"""A CORBA client of a proxy, as the engine reaches it: what all kinds of clients have in common.

What a client is told of event types goes another way than events, in order as well: a client that
hangs there still gets its events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Final, Protocol

from tidings.channel.vocabulary import Side
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.mapping import types_out
from tidings.engine.endpoints import QuietEndpoint, Types
from tidings.errors import TidingsError
from tidings.events.reference import Reference
from tidings.orb.exceptions import BAD_OPERATION, NO_IMPLEMENT, OBJECT_NOT_EXIST
from tidings.servants.calls import Calls
from tidings.servants.client_kinds import ClientKind

_log: Final = logging.getLogger(__name__)

# A client that says one of these does not want to hear of event types.
_DEAF: Final = (BAD_OPERATION, NO_IMPLEMENT, OBJECT_NOT_EXIST)


class Seat(Protocol):
    """The proxy a client is connected to, as its endpoint sees it."""

    @property
    def suspended(self) -> bool:
        """Whether the client gets no events for now."""
        ...

    @property
    def origin(self) -> str:
        """The origin of the proxy's channel."""
        ...

    def deaf(self) -> None:
        """The client cannot be told of event types: it shall not be any more."""
        ...


class ClientEndpoint(QuietEndpoint):
    """A client that begins itself: a push supplier or a pull consumer.

    Args:
        calls: Carries the calls out.
        kind: What the client is.
        client: Its reference.
        seat: The proxy.
    """

    def __init__(self, calls: Calls, kind: ClientKind, client: Reference, seat: Seat) -> None:
        self.client = client
        self.kind = kind
        self.missed = 0
        """How often in a row it could not be asked whether it exists, and was not heard of."""
        self.missed_at = 0.0
        """When that was the last time, in the time of the loop."""
        self._calls = calls
        self._seat = seat
        self._loop = asyncio.get_running_loop()
        self.heard_at = self._loop.time()
        """When it has answered last, in the time of the loop."""
        self._closed = False
        self._finishing = False
        self._task: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._goodbye: asyncio.Task[None] | None = None
        self._added: dict[EventType, None] = {}
        self._removed: dict[EventType, None] = {}

    @property
    def busy(self) -> bool:
        """Whether a call to the client is under way."""
        return self.carries or self._telling is not None

    @property
    def carries(self) -> bool:
        """Whether a call that hands events over, or asks for them, is under way."""
        return self._task is not None

    def finish(self) -> None:
        """Begins no further calls; those that are running may end, and are answered."""
        self._finishing = True

    def go_on(self) -> None:
        """The connection is suspended no more."""

    def offers(self, added: Types, removed: Types) -> None:
        """Tells a consumer of event types, later."""
        if self.kind.side is Side.CONSUMER:
            self._changed(added, removed)

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tells a supplier of event types, later."""
        if self.kind.side is Side.SUPPLIER:
            self._changed(added, removed)

    def _changed(self, added: Types, removed: Types) -> None:
        """Notes a change; what comes and goes before the client is told was never there."""
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
        """Tells the client once that its proxy is gone, after the call that is running."""
        if not self._closed:
            self._goodbye = self._calls.start(self._say_goodbye(self._under_way()))
        self.close()

    def _under_way(self) -> asyncio.Future[None] | None:
        """The end of the call with events that is running; None if there is none."""
        return self._task

    async def _say_goodbye(self, running: asyncio.Future[None] | None) -> None:
        if running is not None:
            await asyncio.wait([running])
        try:
            await self._calls.tell(self.client, self.kind.goodbye)
        except TidingsError as error:
            _log.debug("a client was not told that it is disconnected: %s", error)

    def close(self, error: Exception | None = None) -> None:
        """Calls the client no more; a call that is running may end, and is not answered."""
        self._closed = True

    def cancel(self) -> None:
        """Ends the calls that are running."""
        for task in (self._task, self._telling):
            if task is not None:
                task.cancel()


def _merge(
    types: Iterable[EventType], here: dict[EventType, None], there: dict[EventType, None]
) -> None:
    """Notes types that change one way, and forgets those that were to change the other way."""
    for one in types:
        if one in there:
            del there[one]
        else:
            here[one] = None
