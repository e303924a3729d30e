"""Lines that end in a function: a handler for events, or a source of events."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from tidings.api.frames import MAX_FRAME_EVENTS, PolledFrame, write_frame
from tidings.api.items import item_form
from tidings.channel.functions import Source, error_text, events_from
from tidings.channel.management import Connect
from tidings.client.transport import Message, TypesChanged
from tidings.client.transports.http.lines import (
    ConsumerLine,
    Line,
    Sender,
    checked,
    told_reason,
)
from tidings.errors import Disconnected, TidingsError
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.structured import StructuredEvent

# Seconds handlers run before yielding to the event loop.
TURN: Final = 0.002


class HandlerLine(ConsumerLine):
    """A push consumer whose handler is called with events in order, one call at a time.

    An event is acknowledged when the call returns. When a call raises, its event and all behind it
    are redelivered in order; `Disconnected` ends the connection through `leave`.
    """

    def __init__(
        self,
        connect: Connect,
        number: int,
        send: Sender,
        handler: Callable[..., object],
        leave: Callable[[], object],
    ) -> None:
        checked(handler)
        super().__init__(connect, number, send)
        self._handler = handler
        self._leave = leave
        self._queue: deque[list[Message]] = deque()
        self._batch = False
        self._task: asyncio.Task[None] | None = None

    def _take_in(self, messages: Sequence[Message], *, batch: bool) -> None:
        self._batch = batch
        if batch:
            self._queue.append(list(messages))
        else:
            self._queue.extend([message] for message in messages)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        loop, queue = asyncio.get_running_loop(), self._queue
        until = loop.time() + TURN
        try:
            while queue:
                messages = queue.popleft()
                error = await self._called(messages)
                if self.error is not None:
                    return
                if error is None:
                    self._acked([message.seq for message in messages])
                else:
                    self._raised(messages, error)
                if loop.time() >= until:
                    await asyncio.sleep(0)
                    until = loop.time() + TURN
        finally:
            self._task = None

    async def _called(self, messages: list[Message]) -> BaseException | None:
        try:
            answer = self._handler(messages if self._batch else messages[0])
            if answer is not None and isinstance(answer, Awaitable):
                await answer
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return error  # what the handler awaited was cancelled, not this task
        except Exception as error:  # noqa: BLE001 -- reported as the consumer's failure
            return error
        return None

    def _raised(self, messages: list[Message], error: BaseException) -> None:
        behind = [m.seq for queued in self._queue for m in queued]
        self._queue.clear()
        if isinstance(error, Disconnected):
            self.flush()
            self._leave()
            return
        first, *rest = [message.seq for message in messages]
        for seq in rest:
            self._known.failed(seq)
        self._failed(first, [*rest, *behind], error_text(error))

    def cut(self) -> None:
        """Drop queued events; the service redelivers them."""
        super().cut()
        kept = self._cut_off(message for queued in self._queue for message in queued)
        self._queue.clear()  # keep the object: a running call uses it
        self._queue.extend([kept] if self._batch and kept else ([one] for one in kept))

    def end(self, error: TidingsError) -> None:
        """Stop calling the handler; the result of a running call is ignored."""
        super().end(error)
        self._queue.clear()


class SupplierLine(Line):
    """A pull supplier: a source that the service asks for events.

    Events sent are kept until the service asks again; after a cut before that, they are resent.
    """

    def __init__(
        self,
        connect: Connect,
        number: int,
        send: Sender,
        on_types: TypesChanged | None,
        source: Source,
    ) -> None:
        checked(source)
        super().__init__(connect, number, send, on_types)
        self._source = source
        self._left: list[Any] = []
        self._handed: list[Any] = []
        self._number = 0
        self._task: asyncio.Task[None] | None = None

    def poll(self, number: int, most: int) -> None:
        """Ask the source, in its own task."""
        self._handed = []
        self._number = number
        if self._task is None and self.error is None:
            self._task = asyncio.get_running_loop().create_task(self._answer(most))

    async def _answer(self, most: int) -> None:
        reason, gone = "", False
        try:
            if not self._left:
                self._left.extend(await events_from(self._source, most))
        except Disconnected as error:
            reason, gone = error_text(error), True
        except Exception as error:  # noqa: BLE001 -- reported as the supplier's failure
            reason = error_text(error)
        finally:
            self._task = None
        if self.live:
            most = min(most, MAX_FRAME_EVENTS)
            self._handed, self._left = self._left[:most], self._left[most:]
            events = [_form(item) for item in self._handed]
            frame = PolledFrame(self.number, self._number, events, told_reason(reason), gone)
            self._send(write_frame(frame).encode())

    def cut(self) -> None:
        """Requeue events that the service may not have received."""
        super().cut()
        self._left[:0], self._handed = self._handed, []


def _form(item: object) -> object:
    """Encode an event as JSON; None for an invalid one, which the service refuses in its place."""
    return item_form(item) if isinstance(item, StructuredEvent | AnyValue) else None
