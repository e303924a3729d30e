"""What is behind the objects that a service calls: streams, functions, sources.

Over CORBA an event is done with when the call that brought it returns. A function is called
within that call, so an error of its brings the event again. A stream keeps events that are done
with already; when as many wait there as its window holds, it has the service pause.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidings.channel.vocabulary import Form
from tidings.client.transport import Source, TypesChanged
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
    """What a pull was answered with."""

    messages: Sequence[CorbaMessage]
    again: frozenset[int] = frozenset()


class Line:
    """A client of a proxy: a push supplier, if it is nothing more.

    Args:
        on_types: Told of changes in what others offer or want; a plain function.
    """

    def __init__(self, on_types: TypesChanged | None = None) -> None:
        self._on_types = on_types
        self.error: Exception | None = None
        """Why nothing more comes over it; None while something may."""

    async def take(self, value: object) -> None:
        """Takes nothing: nobody sends events to a supplier."""
        raise GoneClient

    async def give(self, most: int) -> Sequence[object]:
        """Has nothing."""
        raise GoneClient

    async def pull(self, most: int, wait: int | None) -> Pulled:
        """Nobody pulls here.

        Raises:
            InvalidUsage: Always.
        """
        raise InvalidUsage("events cannot be pulled here: make a puller with Client.puller")

    def changed(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        """Tells the program, in a later turn of the loop."""
        if self._on_types is not None and self.error is None:
            loop = asyncio.get_running_loop()
            loop.call_soon(self._on_types, types_in(added), types_in(removed))

    def moved(self, proxy: FarProxy) -> None:
        """The proxy was made again."""

    async def connected_again(self) -> None:
        """The proxy that was made again has its client."""

    def ended(self) -> None:
        """The proxy is gone."""
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Nothing more comes; who waits gets the error, `Disconnected` if None."""
        if self.error is None:
            self.error = error or Disconnected("the connection has ended: its proxy is gone")


class HandlerLine(Line):
    """A push consumer: a function that is called with each event, or each batch.

    Args:
        handler: The function, plain or a coroutine function.
        form: In which form events come.
        events: Reads them.
    """

    def __init__(self, handler: Callable[..., object], form: Form, events: Events) -> None:
        super().__init__()
        self._handler = handler
        self._form = form
        self._events = events

    async def take(self, value: object) -> None:
        """Calls the function.

        Raises:
            GoneClient: The function wants no more.
            UNKNOWN: It raised; the event is to come again.
        """
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
    """A push consumer whose events are taken from it.

    Args:
        form: In which form events come.
        window: How many may be here before the service is asked to pause.
        valve: Has the service pause.
        events: Reads events.
        start: Has something done beside what is done now.
        on_types: Told of changes in what is offered.
    """

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
        """How many events wait to be taken."""
        return len(self._waiting)

    async def take(self, value: object) -> None:
        """Keeps events until they are taken; has the service pause if too many are here."""
        if self.error is not None:
            raise GoneClient
        self._waiting.extend(self._events.read(self._form, value))
        self._filled.set()
        if self._is_full():
            await self.valve.fill(self._is_full)
            self._drain()

    async def connected_again(self) -> None:
        """Pauses as before."""
        await self.valve.begin_anew()

    def _is_full(self) -> bool:
        return len(self._waiting) >= self._window

    def _is_empty(self) -> bool:
        return len(self._waiting) <= self._window // 2

    def _drain(self) -> None:
        """Goes on with the service in a task, if there is room again."""
        if not self._draining and self._is_empty() and self.error is None:
            self._draining = True
            self._start(self._go_on())

    async def _go_on(self) -> None:
        self._draining = False
        await self.valve.drain(self._is_empty)

    async def get(self) -> CorbaMessage:
        """The next event; waits for it. Raises `Disconnected` when the stream has ended."""
        await self._some()
        return self._taken(1)[0]

    def get_nowait(self) -> CorbaMessage | None:
        """The next event; None if none is here."""
        if self._waiting:
            return self._taken(1)[0]
        if self.error is not None:
            raise self.error
        return None

    async def batch(self, most: int) -> Sequence[CorbaMessage]:
        """The next events, at most so many; waits for the first."""
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
        """Events are done with when they come."""
        raise beyond("acknowledgements of single events", _INSTEAD)

    def ack_many(self, messages: Sequence[object]) -> None:
        """Asking for more says nothing of what was handed out before: it is done with."""

    def fail(self, message: object, reason: str) -> None:
        """Events do not come again once they are here."""
        raise beyond("retries of single events", _INSTEAD)

    def reject(self, message: object, reason: str) -> None:
        """There are no dead letters."""
        raise beyond("rejections of single events")

    def redelivered(self, seq: int) -> bool:
        """Whether an event may have come before: not told."""
        return False

    def close(self, error: Exception | None = None) -> None:
        """Who waits or takes gets the error; what waited is dropped."""
        super().close(error)
        self._waiting.clear()
        self._filled.set()


_INSTEAD: Final = "use Client.handle, whose function is called until it returns without an error"


class SourceLine(Line):
    """A pull supplier: a function that is asked for events.

    Args:
        source: The function.
        form: In which form events go.
        events: Writes them.
        most: Octets of an answer that the service takes.
    """

    def __init__(self, source: Source, form: Form, events: Events, most: int) -> None:
        super().__init__()
        self._source = source
        self._form = form
        self._events = events
        self._most = most
        self._left: deque[Any] = deque()

    async def give(self, most: int) -> Sequence[object]:
        """Asks the function; what it gives beyond `most` is given the next time.

        Raises:
            GoneClient: The function has nothing more, for ever.
            UNKNOWN: It raised.
        """
        if self.error is not None:
            raise GoneClient
        try:
            if not self._left:
                found = self._source(most)
                if isinstance(found, Awaitable):
                    found = await found
                if isinstance(found, Sequence):
                    self._left.extend(found)
                elif found is not None:
                    self._left.append(found)
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
        """The next events that fit one answer; what is none is left out, not what is beside it.

        Raises:
            InvalidEvent: There is nothing else.
        """
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
