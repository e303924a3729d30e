"""Subscriptions: events as an asynchronous iterator, with acknowledgements and resume."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from tidings.channel.commands import Ack, Failed, Reject
from tidings.channel.management import Detach, Disconnect, Resume, Suspend
from tidings.channel.translation import left_as
from tidings.channel.views import ProxyInfo
from tidings.channel.vocabulary import Form
from tidings.client.transport import Message, Stream, Transport
from tidings.errors import Disconnected
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.structured import StructuredEvent

__all__ = ["Delivery", "PullSubscription", "Subscription"]


class Delivery(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One event, handed to one subscription.

    Attributes:
        message: The event with what the service knows of it.
        redelivered: Whether it may have come before.
        _stream: Who is told what became of it.
    """

    message: Any
    redelivered: bool
    _stream: Any

    @property
    def event(self) -> StructuredEvent:
        """The event."""
        event: StructuredEvent = self.message.event
        return event

    @property
    def value(self) -> AnyValue:
        """The event as an any, as a consumer of the form ANY would get it."""
        found = left_as(self.message.event, Form.ANY)
        assert isinstance(found, AnyValue)
        return found

    @property
    def id(self) -> tuple[str, int]:
        """The event's id everywhere: origin and number."""
        return self.message.origin, self.message.seq

    @property
    def seq(self) -> int:
        """Its number in the channel."""
        seq: int = self.message.seq
        return seq

    def ack(self) -> None:
        """It was dealt with: it will not come again."""
        self._stream.ack(self.message)

    def retry(self, reason: str) -> None:
        """It could not be dealt with: it comes again, before those behind it."""
        self._stream.fail(self.message, reason)

    def reject(self, reason: str) -> None:
        """It will never be dealt with: it becomes a dead letter."""
        self._stream.reject(self.message, reason)


class Subscription:
    """Events of one channel that one consumer asked for; made by `Client.subscribe`.

    ``async for delivery in subscription`` acknowledges an event when the next one is asked for,
    unless it was made with ``manual_ack``. A subscription with a name lives until `delete`;
    events wait for it while nobody takes them. One without ends with `close`.
    """

    def __init__(
        self,
        transport: Transport,
        channel: int,
        proxy: int,
        stream: Stream,
        *,
        named: bool,
        manual: bool,
    ) -> None:
        self._transport = transport
        self.channel = channel
        self.proxy = proxy
        self._stream = stream
        self._named = named
        self._manual = manual
        self._last: Message | None = None
        self._closed = False

    def __len__(self) -> int:
        """How many events are here and not yet taken."""
        return len(self._stream)

    def __aiter__(self) -> AsyncIterator[Delivery]:
        return self

    async def __anext__(self) -> Delivery:
        stream = self._stream
        if self._last is not None:
            stream.ack(self._last)
            self._last = None
        try:
            message = stream.get_nowait() or await stream.get()
        except Disconnected:
            raise StopAsyncIteration from None
        if not self._manual:
            self._last = message
        return Delivery(message, stream.redelivered(message.seq), stream)

    async def next(self, seconds: float | None = None) -> Delivery | None:
        """The next event; None if none comes in that time, or the subscription has ended."""
        try:
            return await asyncio.wait_for(anext(self), seconds)
        except (TimeoutError, StopAsyncIteration):
            return None

    async def batches(self, most: int = 256) -> AsyncIterator[Sequence[Message]]:
        """Events in batches as they come, for programs in a hurry.

        A batch is acknowledged when the next one is asked for, unless the subscription was made
        with ``manual_ack``.
        """
        stream = self._stream
        while True:
            try:
                messages = await stream.batch(most)
            except Disconnected:
                return
            yield messages
            if not self._manual:
                for message in messages:
                    stream.ack(message)

    def ack(self, message: Message) -> None:
        """An event from `batches` was dealt with."""
        self._stream.ack(message)

    async def suspend(self) -> None:
        """Asks for a pause: events wait at the service."""
        await self._transport.ask(Suspend(self.channel, self.proxy))

    async def resume(self) -> None:
        """Goes on after `suspend`."""
        await self._transport.ask(Resume(self.channel, self.proxy))

    async def info(self) -> ProxyInfo:
        """The subscription as the service sees it."""
        return await self._transport.proxy(self.channel, self.proxy)

    async def delete(self) -> None:
        """Ends the subscription; what waits for it is dropped."""
        if not self._closed:
            self._closed = True
            await self._transport.ask(Disconnect(self.channel, self.proxy))

    async def close(self) -> None:
        """Takes no more events; one with a name stays, and can be subscribed to again."""
        if self._closed:
            return
        if self._last is not None:
            self._stream.ack(self._last)
            self._last = None
            await asyncio.sleep(0)  # what is acknowledged leaves before the line is cut
        if not self._named:
            await self.delete()
            return
        self._closed = True
        await self._transport.ask(Detach(self.channel, self.proxy))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._last = None  # the event that could not be dealt with comes again
        await self.close()


class PullSubscription:
    """Events that wait until they are asked for; made by `Client.puller`."""

    def __init__(self, transport: Transport, channel: int, proxy: int, *, named: bool) -> None:
        self._transport = transport
        self.channel = channel
        self.proxy = proxy
        self._named = named

    async def pull(
        self, most: int = 1, *, seconds: float | None = None, lease: float | None = None
    ) -> list[Delivery]:
        """Asks for events.

        Args:
            most: At most so many; more than one needs the form SEQUENCE, or a lease.
            seconds: How long to wait for the first; 0 for not at all, None for ever.
            lease: In how many seconds they must be acknowledged, or they come again; None if
                they count as delivered at once.
        """
        wait = None if seconds is None else int(seconds * 1_000_000)
        until = None if lease is None else int(lease * 1_000_000)
        found = await self._transport.pull(self.channel, self.proxy, most, wait, until)
        return [Delivery(m, m.seq in found.again, self) for m in found.messages]

    def ack(self, message: Message) -> None:
        """An event was dealt with."""
        self._tell(Ack(self.channel, self.proxy, (message.seq,)))

    def fail(self, message: Message, reason: str) -> None:
        """An event is to come again."""
        self._tell(Failed(self.channel, self.proxy, (message.seq,), reason))

    def reject(self, message: Message, reason: str) -> None:
        """An event becomes a dead letter."""
        self._tell(Reject(self.channel, self.proxy, (message.seq,), reason))

    def _tell(self, command: Ack | Failed | Reject) -> None:
        task = asyncio.ensure_future(self._transport.ask(command))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def info(self) -> ProxyInfo:
        """The subscription as the service sees it."""
        return await self._transport.proxy(self.channel, self.proxy)

    async def delete(self) -> None:
        """Ends the subscription; what waits for it is dropped."""
        await self._transport.ask(Disconnect(self.channel, self.proxy))

    async def close(self) -> None:
        """Asks no more; one with a name stays."""
        if not self._named:
            await self.delete()
