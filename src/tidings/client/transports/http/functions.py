"""Lines whose other end is a function: one that takes events, and one that has some."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from tidings.api.frames import MAX_FRAME_EVENTS, PolledFrame, write_frame
from tidings.api.items import item_form
from tidings.channel.management import Connect
from tidings.client.transport import Message, Source, TypesChanged
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

# How long handlers run before the loop gets a turn, in seconds.
TURN: Final = 0.002


class HandlerLine(ConsumerLine):
    """Events that a function is called with, in order, one call after the other.

    An event is done with when the call returns. When a call raises, it and everything behind it
    comes again in order; `Disconnected` ends the connection.

    Args:
        handler: Called with an event, or a list of them if the form is sequence.
        leave: Ends the connection.
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
        """What the handler raised; None if it returned."""
        try:
            answer = self._handler(messages if self._batch else messages[0])
            if answer is not None and isinstance(answer, Awaitable):
                await answer
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return error  # nobody cancelled this task: what the handler waited for was
        except Exception as error:  # noqa: BLE001 -- the consumer's trouble, told as such
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
        self._failed(first, [*rest, *behind], _in_words(error))

    def cut(self) -> None:
        """What the function was not called with comes again."""
        super().cut()
        kept = self._cut_off(message for queued in self._queue for message in queued)
        self._queue.clear()  # the same queue: a call may be running
        self._queue.extend([kept] if self._batch and kept else ([one] for one in kept))

    def end(self, error: TidingsError) -> None:
        """Calls the handler no more; a call that is running may end, and is not answered."""
        super().end(error)
        self._queue.clear()


class SupplierLine(Line):
    """A pull supplier: a source that the service asks for events.

    What was handed over is kept until the service asks again: if the line is cut before, it is
    handed over once more.

    Args:
        source: Asked for at most so many events.
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
        """Asks the source, in a task of its own."""
        self._handed = []
        self._number = number
        if self._task is None and self.error is None:
            self._task = asyncio.get_running_loop().create_task(self._answer(most))

    async def _answer(self, most: int) -> None:
        reason, gone = "", False
        try:
            if not self._left:
                found = self._source(most)
                if isinstance(found, Awaitable):
                    found = await found
                if isinstance(found, Sequence):
                    self._left.extend(found)
                elif found is not None:
                    self._left.append(found)
        except Disconnected as error:
            reason, gone = _in_words(error), True
        except Exception as error:  # noqa: BLE001 -- the supplier's trouble, told as such
            reason = _in_words(error)
        finally:
            self._task = None
        if self.live:
            most = min(most, MAX_FRAME_EVENTS)
            self._handed, self._left = self._left[:most], self._left[most:]
            events = [_form(item) for item in self._handed]
            frame = PolledFrame(self.number, self._number, events, told_reason(reason), gone)
            self._send(write_frame(frame).encode())

    def cut(self) -> None:
        """What the service may not have got is handed over again."""
        super().cut()
        self._left[:0], self._handed = self._handed, []


def _form(item: object) -> object:
    """An event as JSON; what is none is for the service to refuse, in its place."""
    return item_form(item) if isinstance(item, StructuredEvent | AnyValue) else None


def _in_words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- some errors cannot even say what they are
        return type(error).__name__
