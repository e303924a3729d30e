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
from typing import Any, Final

from tidings.channel.effects import Message
from tidings.channel.functions import Source, SourceReader
from tidings.channel.vocabulary import Form, Side, Style
from tidings.client.transport import PulledEvents, TypesChanged
from tidings.client.transports.iiop.objects import FarProxy, Objects
from tidings.client.transports.iiop.values import Events, beyond, measured
from tidings.cos.CosEventComm_auto import Disconnected as GoneClient
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.events import MOST_OCTETS
from tidings.cos.mapping import types_in
from tidings.errors import (
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    Disconnected,
    InvalidEvent,
    InvalidUsage,
    TidingsError,
)
from tidings.events.structured import StructuredEvent
from tidings.inbox import Inbox
from tidings.orb.exceptions import UNKNOWN, Completion

_log: Final = logging.getLogger(__name__)


class Valve:
    """Suspends and resumes the service for the program and for a full stream."""

    def __init__(
        self, pause: Callable[[], Awaitable[None]], go_on: Callable[[], Awaitable[None]]
    ) -> None:
        self._pause = pause
        self._go_on = go_on
        self._turn = asyncio.Lock()
        self._full = False
        self._asked = False

    async def suspend(self) -> None:
        """Suspend for the program; raise `ConnectionAlreadyInactive` if it has already."""
        async with self._turn:
            if self._asked:
                raise ConnectionAlreadyInactive("the subscription is suspended already")
            if not self._full:
                await self._pause()
            self._asked = True

    async def resume(self) -> None:
        """Resume for the program; raise `ConnectionAlreadyActive` if it has not suspended."""
        async with self._turn:
            if not self._asked:
                raise ConnectionAlreadyActive("the subscription is not suspended")
            if not self._full:
                await self._go_on()
            self._asked = False

    async def fill(self, full: Callable[[], bool]) -> None:
        """Suspend if the stream is full; ignore errors, as the connection may have ended."""
        async with self._turn:
            if full() and not self._full:
                self._full = True
                if not self._asked:
                    await _tried(self._pause())

    async def begin_anew(self) -> None:
        """Suspend a recreated proxy if the old one was suspended."""
        async with self._turn:
            if self._full or self._asked:
                await _tried(self._pause())

    async def drain(self, empty: Callable[[], bool]) -> None:
        """Resume if the stream has room again."""
        async with self._turn:
            if self._full and empty():
                self._full = False
                if not self._asked:
                    await _tried(self._go_on())


async def _tried(work: Awaitable[None]) -> None:
    try:
        await work
    except TidingsError as error:
        _log.info("the service does not pause, or go on, as asked: %s", error)


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

    async def pull(self, most: int, wait: int | None) -> PulledEvents:
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


class CorbaStream(Line, Inbox):
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
        Inbox.__init__(self)
        super().__init__(on_types)
        self._form = form
        self._window = window
        self.valve = valve
        self._events = events
        self._start = start
        self._draining = False

    async def take(self, value: object) -> None:
        """Queue events; suspend the connection if the window is full."""
        if self.error is not None:
            raise GoneClient
        self._put(self._events.read(self._form, value))
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

    async def get(self) -> Message:
        """Wait for the next event; raise `Disconnected` when the stream has ended."""
        [message] = await self.batch(1)
        return message

    def get_nowait(self) -> Message | None:
        """Return the next event if one waits."""
        message = super().get_nowait()
        if message is not None:
            self._drain()
        return message

    async def batch(self, most: int) -> Sequence[Message]:
        """Wait for events and return up to `most`."""
        messages = await super().batch(most)
        self._drain()
        return messages

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

    def close(self, error: Exception | None = None) -> None:
        """Drop unread events and raise the error in all readers."""
        super().close(error)
        assert self.error is not None
        self._end(self.error)


_INSTEAD: Final = "use Client.handle, whose function is called until it returns without an error"


class SourceLine(Line):
    """A pull supplier: a function that is asked for events; `most` limits an answer's bytes."""

    def __init__(self, source: Source, form: Form, events: Events, most: int) -> None:
        super().__init__()
        self._source = SourceReader(source)
        self._form = form
        self._events = events
        self._most = most

    async def give(self, most: int) -> Sequence[object]:
        """Ask the function; events beyond `most` are kept for the next call."""
        if self.error is not None:
            raise GoneClient
        try:
            out, fault = self._fitting(await self._source.read(most))
            while fault is not None and not out:
                if not self._source.has_more:
                    raise fault
                out, fault = self._fitting(await self._source.read(most))
        except Disconnected:
            raise GoneClient from None
        except Exception as error:
            _log.info("a source raised; it is asked again", exc_info=error)
            raise UNKNOWN(0, Completion.MAYBE, type(error).__name__) from error
        form = Form.ANY if self._form is Form.ANY else Form.STRUCTURED
        return [self._events.written(event, form) for event in out]

    def _fitting(self, given: Sequence[Any]) -> tuple[list[StructuredEvent], InvalidEvent | None]:
        """Return valid events that fit one answer, and an error of others; put back the rest."""
        found: list[StructuredEvent] = []
        octets = 0
        fault: InvalidEvent | None = None
        for at, one in enumerate(given):
            try:
                event = self._events.outgoing(one, self._form)
                octets += measured(event, self._form, self._most)
            except InvalidEvent as error:
                _log.info("a source gave what is no event: %s", error)
                fault = error
            else:
                if found and octets > MOST_OCTETS:
                    self._source.put_back(given[at:])
                    break
                found.append(event)
        return found, fault


# Effectively no timeout: a waiting call ends with events, or with the proxy.
_FOR_EVER: Final = 10.0 * 365 * 24 * 3600


class PullLine(Line):
    """A pull consumer.

    When the program stops waiting, the call at the service goes on; the next pull gets its events.
    """

    def __init__(
        self, objects: Objects, proxy: FarProxy, events: Events, on_types: TypesChanged | None
    ) -> None:
        super().__init__(on_types)
        self._objects = objects
        self._far, (side, style, self._form) = proxy
        if (side, style) != (Side.CONSUMER, Style.PULL):
            raise InvalidUsage(f"{self._far.words} serves no pull consumer")
        self._events = events
        self._kept: deque[Message] = deque()
        self._waiting: asyncio.Task[None] | None = None
        self._looking: set[asyncio.Task[None]] = set()
        self._fault: TidingsError | None = None

    def moved(self, proxy: FarProxy) -> None:
        """Pull from the recreated proxy."""
        self._far = proxy.far

    async def pull(self, most: int, wait: int | None) -> PulledEvents:
        """Pull events; `wait` is in microseconds, 0 for not at all, None without limit."""
        if not self._kept:
            if wait == 0:
                await self._look(most)
            else:
                await self._wait(most, None if wait is None else wait / 1_000_000)
        if not self._kept:
            self._raise()
        take = self._kept.popleft
        count = min(most, len(self._kept)) if self._form is Form.SEQUENCE else 1
        return PulledEvents([take() for _ in range(min(count, len(self._kept)))])

    async def _look(self, most: int) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch("try_pull", most))
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)
        await asyncio.wait([task])

    async def _wait(self, most: int, seconds: float | None) -> None:
        loop = asyncio.get_running_loop()
        until = None if seconds is None else loop.time() + seconds
        while not self._kept and self.error is None and self._fault is None:
            if self._waiting is None:
                self._waiting = loop.create_task(self._fetch("pull", most))
            left = None if until is None else until - loop.time()
            await asyncio.wait([self._waiting], timeout=left)
            if until is not None and loop.time() >= until:
                return

    async def _fetch(self, how: str, most: int) -> None:
        sequence = self._form is Form.SEQUENCE
        operation, arguments = how + _SUFFIXES[self._form], (most,) if sequence else ()
        try:
            found = await self._objects.call(
                self._far, operation, *arguments, timeout=_FOR_EVER if how == "pull" else None
            )
            if how == "try_pull":
                found, has_event = found
                if not has_event:
                    return
            self._kept.extend(self._events.read(self._form, found))
        except TidingsError as error:
            self._fault = error
        finally:
            if how == "pull":
                self._waiting = None

    def _raise(self) -> None:
        """Raise the pending error once; that of an ended proxy every time."""
        fault, self._fault = self._fault, None
        if self.error is not None:
            raise self.error
        if fault is not None:
            raise fault

    def close(self, error: Exception | None = None) -> None:
        """Cancel waiting calls."""
        super().close(error)
        self._kept.clear()
        for task in (self._waiting, *self._looking):
            if task is not None:
                task.cancel()


_SUFFIXES: Final = {
    Form.ANY: "",
    Form.STRUCTURED: "_structured_event",
    Form.SEQUENCE: "_structured_events",
}
