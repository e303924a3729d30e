"""Streams, handlers and sources behind the objects that a service calls.

Over CORBA an event is acknowledged when the call that delivers it returns. A handler runs within
that call, so its error causes a redelivery. A stream holds events that are already acknowledged
(at-most-once); when it holds a full window, it suspends the connection.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidings.channel.functions import Source, events_from
from tidings.channel.vocabulary import Form
from tidings.client.transport import TypesChanged
from tidings.client.transports.iiop.objects import FarProxy
from tidings.client.transports.iiop.sizes import measured
from tidings.client.transports.iiop.values import CorbaMessage, Events, beyond
from tidings.client.transports.iiop.valve import Valve
from tidings.cos.CosEventComm_auto import Disconnected as GoneClient
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.events import MOST_OCTETS
from tidings.cos.mapping import types_in
from tidings.errors import (
    Disconnected,
    InvalidEvent,
    InvalidUsage,
)
from tidings.events.structured import StructuredEvent
from tidings.orb.exceptions import UNKNOWN, Completion

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pulled:
    """The answer to a pull."""

    messages: Sequence[CorbaMessage]
    again: frozenset[int] = frozenset()


class Line:
    """A proxy's client; by itself, a push supplier."""

    def __init__(self, on_types: TypesChanged | None = None) -> None:
        self._on_types = on_types
        self.error: Exception | None = None
        """Why the line has ended; None while it has not."""

    async def take(self, value: object) -> None:
        """Refuse events: a supplier receives none."""
        raise GoneClient

    async def give(self, most: int) -> Sequence[object]:
        """Refuse: only a source supplies events."""
        raise GoneClient

    async def pull(self, most: int, wait: int | None) -> Pulled:
        """Refuse with `InvalidUsage`: only a puller can pull."""
        raise InvalidUsage("events cannot be pulled here: make a puller with Client.puller")

    def changed(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        """Call the program's function in a later turn of the event loop."""
        if self._on_types is not None and self.error is None:
            loop = asyncio.get_running_loop()
            loop.call_soon(self._on_types, types_in(added), types_in(removed))

    def moved(self, proxy: FarProxy) -> None:
        """Use the proxy that replaces the old one."""

    async def connected_again(self) -> None:
        """Restore the state of a recreated proxy after connecting it."""

    def ended(self) -> None:
        """Handle the end of the proxy."""
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """End the line; waiting callers get the error, `Disconnected` by default."""
        if self.error is None:
            self.error = error or Disconnected("the connection has ended: its proxy is gone")


class HandlerLine(Line):
    """A push consumer whose handler is called with each event or batch."""

    def __init__(self, handler: Callable[..., object], form: Form, events: Events) -> None:
        super().__init__()
        self._handler = handler
        self._form = form
        self._events = events

    async def take(self, value: object) -> None:
        """Call the handler; if it raises anything but `Disconnected`, the service redelivers."""
        if self.error is not None:
            raise GoneClient
        messages = self._events.read(self._form, value)
        try:
            answer = self._handler(messages if self._form is Form.SEQUENCE else messages[0])
            if isinstance(answer, Awaitable):
                await answer
        except Disconnected:
            raise GoneClient from None
        except Exception as error:
            _log.info("a handler raised, so the event comes again", exc_info=error)
            raise UNKNOWN(0, Completion.MAYBE, type(error).__name__) from error


class CorbaStream(Line):
    """A push consumer's events, which wait until read; a full window suspends the connection."""

    def __init__(
        self,
        form: Form,
        window: int,
        valve: Valve,
        events: Events,
        start: Callable[[Coroutine[Any, Any, None]], object],
        on_types: TypesChanged | None,
    ) -> None:
        super().__init__(on_types)
        self._form = form
        self._window = window
        self.valve = valve
        self._events = events
        self._start = start
        self._waiting: deque[CorbaMessage] = deque()
        self._filled = asyncio.Event()
        self._draining = False

    def __len__(self) -> int:
        """Number of events waiting."""
        return len(self._waiting)

    async def take(self, value: object) -> None:
        """Queue events; suspend the connection if the window is full."""
        if self.error is not None:
            raise GoneClient
        self._waiting.extend(self._events.read(self._form, value))
        self._filled.set()
        if self._is_full():
            await self.valve.fill(self._is_full)
            self._drain()

    async def connected_again(self) -> None:
        """Suspend the recreated proxy if the old one was suspended."""
        await self.valve.begin_anew()

    def _is_full(self) -> bool:
        return len(self._waiting) >= self._window

    def _is_empty(self) -> bool:
        return len(self._waiting) <= self._window // 2

    def _drain(self) -> None:
        if not self._draining and self._is_empty() and self.error is None:
            self._draining = True
            self._start(self._go_on())

    async def _go_on(self) -> None:
        self._draining = False
        await self.valve.drain(self._is_empty)

    async def get(self) -> CorbaMessage:
        """Wait for the next event; raise `Disconnected` when the stream has ended."""
        await self._some()
        return self._taken(1)[0]

    def get_nowait(self) -> CorbaMessage | None:
        """Return the next event if one waits."""
        if self._waiting:
            return self._taken(1)[0]
        if self.error is not None:
            raise self.error
        return None

    async def batch(self, most: int) -> Sequence[CorbaMessage]:
        """Wait for events and return up to `most`."""
        await self._some()
        return self._taken(most)

    async def _some(self) -> None:
        while not self._waiting:
            if self.error is not None:
                raise self.error
            self._filled.clear()
            await self._filled.wait()

    def _taken(self, most: int) -> list[CorbaMessage]:
        take = self._waiting.popleft
        found = [take() for _ in range(min(most, len(self._waiting)))]
        self._drain()
        return found

    def ack(self, message: object) -> None:
        """Refuse: events are acknowledged on arrival."""
        raise beyond("acknowledgements of single events", _INSTEAD)

    def ack_many(self, messages: Sequence[object]) -> None:
        """Do nothing: events are acknowledged on arrival."""

    def fail(self, message: object, reason: str) -> None:
        """Refuse: events cannot be redelivered after arrival."""
        raise beyond("retries of single events", _INSTEAD)

    def reject(self, message: object, reason: str) -> None:
        """Refuse: there are no dead letters."""
        raise beyond("rejections of single events")

    def redelivered(self, seq: int) -> bool:
        """Return False: CORBA does not report redeliveries."""
        return False

    def close(self, error: Exception | None = None) -> None:
        """Drop unread events and raise the error in all readers."""
        super().close(error)
        self._waiting.clear()
        self._filled.set()


_INSTEAD: Final = "use Client.handle, whose function is called until it returns without an error"


class SourceLine(Line):
    """A pull supplier: a function that is asked for events; `most` limits an answer's bytes."""

    def __init__(self, source: Source, form: Form, events: Events, most: int) -> None:
        super().__init__()
        self._source = source
        self._form = form
        self._events = events
        self._most = most
        self._left: deque[Any] = deque()

    async def give(self, most: int) -> Sequence[object]:
        """Ask the function; events beyond `most` are kept for the next call."""
        if self.error is not None:
            raise GoneClient
        try:
            if not self._left:
                self._left.extend(await events_from(self._source, most))
            out = self._next(most)
        except Disconnected:
            raise GoneClient from None
        except Exception as error:
            _log.info("a source raised; it is asked again", exc_info=error)
            raise UNKNOWN(0, Completion.MAYBE, type(error).__name__) from error
        if self._form is Form.ANY:
            return [self._events.written(event, Form.ANY) for event in out]
        return [self._events.written(event, Form.STRUCTURED) for event in out]

    def _next(self, most: int) -> list[StructuredEvent]:
        """Return the next valid events that fit one answer; raise if only invalid ones are left."""
        found: list[StructuredEvent] = []
        octets = 0
        fault: InvalidEvent | None = None
        while self._left and len(found) < most:
            try:
                event = self._events.outgoing(self._left[0], self._form)
                octets += measured(event, self._form, self._most)
            except InvalidEvent as error:
                _log.info("a source gave what is no event: %s", error)
                fault = error
            else:
                if found and octets > MOST_OCTETS:
                    break
                found.append(event)
            self._left.popleft()
        if fault is not None and not found:
            raise fault
        return found
