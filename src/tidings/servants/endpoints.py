"""CORBA clients of proxies, as the engine reaches them.

A client is called by one task at a time, so that it gets its events in order. What it is told of
event types goes another way, in order as well: a client that hangs there still gets its events.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from tidings.channel.vocabulary import Form, Item, Side
from tidings.cos.CosEventComm_auto import Disconnected as ClientDisconnected
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotification_auto import StructuredEvent as WireEvent
from tidings.cos.events import any_in, event_in
from tidings.engine.bodies import Message
from tidings.engine.reach import Delivery, QuietEndpoint, Types
from tidings.errors import Disconnected, InvalidEvent, TidingsError
from tidings.events.reference import Reference
from tidings.orb.aio.repeated import CallAgain
from tidings.orb.exceptions import (
    BAD_OPERATION,
    NO_IMPLEMENT,
    OBJECT_NOT_EXIST,
    SystemException,
)
from tidings.servants.calls import Calls
from tidings.servants.client_kinds import ClientKind
from tidings.servants.shared_events import UnwritableError
from tidings.servants.types import types_out

__all__ = [
    "ClientEndpoint",
    "PullSupplierEndpoint",
    "PushConsumerEndpoint",
    "Seat",
    "endpoint_for",
]

_log: Final = logging.getLogger(__name__)

# A client that says one of these is no more.
_GONE: Final = (ClientDisconnected, OBJECT_NOT_EXIST)
# A client that says one of these does not want to hear of event types.
_DEAF: Final = (BAD_OPERATION, NO_IMPLEMENT, OBJECT_NOT_EXIST)

# How soon it is noticed that a connection was resumed by another way than CORBA.
_LOOK_AGAIN: Final = 0.2


class Seat(Protocol):
    """The proxy a client is connected to, as its endpoint sees it."""

    @property
    def suspended(self) -> bool:
        """Whether the client gets no events for now."""
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
        self._task: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._goodbye: asyncio.Task[None] | None = None
        self._added: dict[EventType, None] = {}
        self._removed: dict[EventType, None] = {}

    @property
    def busy(self) -> bool:
        """Whether a call to the client is under way."""
        return self._task is not None or self._telling is not None

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
            while (self._added or self._removed) and not self._closed:
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


class PushConsumerEndpoint(ClientEndpoint):
    """A push consumer: called with its events one after the other, or batch after batch.

    An event is done with when the call returns. When a call fails, it and everything behind it
    fails, so that it all comes again in order. What cannot be written for this client at all is
    not tried again.
    """

    def __init__(self, calls: Calls, kind: ClientKind, client: Reference, seat: Seat) -> None:
        super().__init__(calls, kind, client, seat)
        assert kind.transfer is not None
        self._push = calls.events.operation(kind.transfer, kind.form)
        self._again = calls.repeated(client, self._push, kind.form, self._called)
        self._handed: list[Message] = []
        self._queue: deque[list[Message]] = deque()
        self._taken: list[int] = []
        self._address = (0, 0)
        self._timer: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a call to the client is under way."""
        return self._again.under_way or super().busy

    def _under_way(self) -> asyncio.Future[None] | None:
        if not self._again.under_way:
            return self._task
        self._ended = self._loop.create_future()
        return self._ended

    def cancel(self) -> None:
        """Ends the calls that are running."""
        super().cancel()
        self._again.cancel()

    def deliver(self, batch: Delivery) -> None:
        """Queues the events for the calls."""
        if self._closed:
            return
        self._address = batch[:2]
        if self.kind.form is Form.SEQUENCE:
            self._queue.append(batch.messages)
        else:
            self._queue.extend([message] for message in batch.messages)
        self._begin()

    def go_on(self) -> None:
        """Goes on with what was handed over before the connection was suspended."""
        self._begin()

    def _begin(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is None and not self._again.under_way:
            self._call()

    def _call(self) -> None:
        """Makes the next call: at once if a connection is there, or else in a task."""
        while self._queue and not self._is_held():
            messages = self._queue[0]
            try:
                begun = self._again.begin(messages)
            except UnwritableError as error:
                self._queue.popleft()
                self._refuse(messages, error)
                continue
            if begun:
                self._handed = self._queue.popleft()
            else:
                self._task = self._calls.start(self._run())
            return

    def _is_held(self) -> bool:
        """Whether the connection is suspended; then it is looked at again."""
        if self._seat.suspended:
            self._timer = self._loop.call_later(_LOOK_AGAIN, self._begin)
            return True
        return False

    def _called(self, _result: object, error: Exception | None) -> None:
        """A call without a task has ended."""
        messages, self._handed = self._handed, []
        if isinstance(error, CallAgain) and not self._closed:
            self._queue.appendleft(messages)
            self._task = self._calls.start(self._run())
        else:
            self._outcome(messages, error)
        if self._ended is not None:
            self._ended.set_result(None)
        elif self._task is None:
            self._call()

    async def _run(self) -> None:
        try:
            while self._queue and not self._is_held():
                await self._hand_over(self._queue.popleft())
        finally:
            self._task = None

    async def _hand_over(self, messages: list[Message]) -> None:
        try:
            await self._calls.transfer(self.client, self._push, (messages,))
        except (UnwritableError, TidingsError) as error:
            self._outcome(messages, error)
        else:
            self._outcome(messages, None)

    def _outcome(self, messages: list[Message], error: Exception | None) -> None:
        """What comes of a call."""
        if error is None:
            self.heard_at = self._loop.time()
            self._taken += [message.seq for message in messages]
            self.flush()
        elif isinstance(error, UnwritableError):
            self._refuse(messages, error)
        else:
            self._fail(messages, error, gone=isinstance(error, _GONE))

    def flush(self) -> None:
        """Answers what was taken."""
        if self._taken and not self._closed:
            taken, self._taken = self._taken, []
            self._answers.ack(*self._address, taken)

    def _refuse(self, messages: list[Message], error: UnwritableError) -> None:
        if self._closed:
            return
        if len(messages) > 1:  # what fits goes alone, and so does what never will
            fits = error.fits or 1
            self._queue.extendleft((messages[fits:], messages[:fits]))
        else:
            self.flush()
            self._answers.reject(*self._address, [messages[0].seq], str(error))

    def _fail(self, messages: list[Message], error: Exception, *, gone: bool) -> None:
        self.flush()
        seqs = [message.seq for message in messages]
        for waiting in self._queue:
            seqs += [message.seq for message in waiting]
        self._queue.clear()
        if not self._closed:
            self._answers.failed(*self._address, seqs, _reason(error), gone)

    def close(self, error: Exception | None = None) -> None:
        """Calls the consumer no more."""
        self.flush()
        super().close(error)
        self._queue.clear()
        if self._timer is not None:
            self._timer.cancel()


class PullSupplierEndpoint(ClientEndpoint):
    """A pull supplier: asked for events when the engine says so."""

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Asks the supplier.

        Raises:
            Disconnected: It is no more.
            TidingsError: It could not be asked.
        """
        assert self.kind.transfer is not None
        sequence = self.kind.form is Form.SEQUENCE
        arguments = (most,) if sequence else ()
        try:
            found = await self._calls.transfer(self.client, self.kind.transfer, arguments)
        except _GONE as error:
            raise Disconnected(_reason(error)) from error
        self.heard_at = self._loop.time()
        value, has_event = found
        if not has_event:
            return ()
        if sequence:
            return self._readable(value)
        return (any_in(value) if self.kind.form is Form.ANY else event_in(value),)

    def _readable(self, batch: Sequence[WireEvent]) -> Sequence[Item]:
        """The events of a batch: the supplier has given them away, so a bad one goes alone."""
        found: list[Item] = []
        for event in batch:
            try:
                found.append(event_in(event))
            except InvalidEvent as error:
                _log.warning("an event of a pull supplier cannot be taken: %s", error)
        return found


def endpoint_for(calls: Calls, kind: ClientKind, client: Reference, seat: Seat) -> ClientEndpoint:
    """What reaches a client of this kind."""
    if not kind.must_be_called:
        return ClientEndpoint(calls, kind, client, seat)
    if kind.side is Side.CONSUMER:
        return PushConsumerEndpoint(calls, kind, client, seat)
    return PullSupplierEndpoint(calls, kind, client, seat)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, SystemException) else type(error).__name__


def _merge(
    types: Iterable[EventType], here: dict[EventType, None], there: dict[EventType, None]
) -> None:
    """Notes types that change one way, and forgets those that were to change the other way."""
    for one in types:
        if one in there:
            del there[one]
        else:
            here[one] = None
