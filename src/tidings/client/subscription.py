"""Subscriptions: events as an asynchronous iterator, with acknowledgements and resume."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any, Final

import msgspec

from tidings.channel.commands import Ack, Failed, Reject
from tidings.channel.translation import left_as
from tidings.channel.vocabulary import Form
from tidings.client.connection import Connection, PushConnection
from tidings.client.past import Past, Replay
from tidings.client.transport import Message, Stream, Transport
from tidings.errors import Disconnected, InvalidUsage
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.structured import StructuredEvent

# A thousand years, in microseconds: for ever.
_LONGEST: Final = 31_556_952_000_000_000


class Delivery(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One event, handed to one subscription.

    Attributes:
        message: The event with what the service knows of it.
        redelivered: Whether it may have come before.
        _subscription: Who is told what became of it.
    """

    message: Any
    redelivered: bool
    _subscription: Any

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

    @property
    def replayed(self) -> bool:
        """Whether it came from the past, and not as it was published."""
        replayed: bool = self._subscription.replayed(self.message)
        return replayed

    def ack(self) -> None:
        """It was dealt with: it will not come again."""
        self._subscription.ack(self.message)

    def retry(self, reason: str) -> None:
        """It could not be dealt with: it comes again after a pause, before those behind it."""
        self._subscription.retry(self.message, reason)

    def reject(self, reason: str) -> None:
        """It will never be dealt with: it becomes a dead letter."""
        self._subscription.reject(self.message, reason)


class Subscription(PushConnection):
    """Events of one channel that one consumer asked for; made by `Client.subscribe`.

    ``async for delivery in subscription`` acknowledges an event when the next one is asked for,
    or the subscription is closed, unless it was made with ``manual_ack`` or the program has said
    itself what became of the event. When the body of an ``async with`` raises, the event it was
    at comes again. A subscription with a name lives until `delete`; events wait for it while
    nobody takes them. One without ends with `close`.

    Events of the past come first if `since` was given. The service does not wait to hear what
    became of them: one to retry comes again after a pause, one that is rejected is done with,
    and after an error it is for the program to ask for them again.
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
        super().__init__(transport, channel, proxy, stream, named=named)
        self._stream = stream
        self._replay: Replay | None = None
        self._manual = manual
        # What was handed out and is acknowledged by asking for more.
        self._out: Sequence[Message] = ()

    def __len__(self) -> int:
        """How many events are here and not yet taken."""
        return len(self._stream)

    def __bool__(self) -> bool:
        return True

    def __aiter__(self) -> AsyncIterator[Delivery]:
        return self

    async def __anext__(self) -> Delivery:
        if self._out:
            self._ack_out()
        stream = self._stream
        try:
            message = stream.get_nowait() or await stream.get()
        except Disconnected:
            raise StopAsyncIteration from None
        if not self._manual:
            self._out = (message,)
        return Delivery(message, stream.redelivered(message.seq), self)

    async def next(self, seconds: float | None = None) -> Delivery | None:
        """The next event; None if none comes in that time, or the subscription has ended."""
        try:
            # Not wait_for: with 0 seconds it would not even look.
            async with asyncio.timeout(seconds):
                return await anext(self)
        except (TimeoutError, StopAsyncIteration):
            return None

    async def batches(self, most: int = 256) -> AsyncIterator[Sequence[Message]]:
        """Events in batches as they come, for programs in a hurry.

        A batch is acknowledged when the next one is asked for, or the subscription is closed,
        unless it was made with ``manual_ack``.
        """
        if most < 1:
            raise InvalidUsage(f"a batch holds at least one event, not {most}")
        while True:
            self._ack_out()
            try:
                messages = await self._stream.batch(most)
            except Disconnected:
                return
            if not self._manual:
                self._out = messages
            yield messages

    def begin_with(self, past: Past) -> None:
        """Hands out past events before those that come; before anything was taken."""
        self._stream = self._replay = Replay(self._stream, past)

    def replayed(self, message: Message) -> bool:
        """Whether an event came from the past, and not as it was published."""
        return self._replay is not None and self._replay.replayed(message.seq)

    def redelivered(self, message: Message) -> bool:
        """Whether an event from `batches` that is not acknowledged yet may have come before."""
        return self._stream.redelivered(message.seq)

    def ack(self, message: Message) -> None:
        """An event was dealt with."""
        self._forget(message)
        self._stream.ack(message)

    def retry(self, message: Message, reason: str) -> None:
        """An event is to come again after a pause, and before those behind it."""
        self._forget(message)
        self._stream.fail(message, reason)

    def reject(self, message: Message, reason: str) -> None:
        """An event becomes a dead letter."""
        self._forget(message)
        self._stream.reject(message, reason)

    def _forget(self, message: Message) -> None:
        """The program has said what became of an event: asking for more says nothing of it."""
        if self._out:
            self._out = [other for other in self._out if other is not message]

    def _ack_out(self) -> None:
        done, self._out = self._out, ()
        self._stream.ack_many(done)

    async def close(self) -> None:
        """Takes no more events; one with a name stays, and can be subscribed to again."""
        self._leave_past()
        self._ack_out()
        await super().close()

    async def delete(self) -> None:
        """Ends it at the service, with a name or without; what waits for it is dropped."""
        self._leave_past()
        await super().delete()

    def _leave_past(self) -> None:
        if self._replay is not None:
            self._replay.stop()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._out = ()  # what could not be dealt with comes again
        await self.close()


class PullSubscription(Connection):
    """Events that wait until they are asked for; made by `Client.puller`."""

    @staticmethod
    def replayed(message: Message) -> bool:
        """Whether an event came from the past: none does."""
        return False

    async def pull(
        self, most: int = 1, *, seconds: float | None = None, lease: float | None = None
    ) -> list[Delivery]:
        """Asks for events.

        Args:
            most: At most so many; more than one needs the form SEQUENCE, or a lease.
            seconds: How long to wait for the first; 0 for not at all, None for ever.
            lease: In how many seconds they must be acknowledged, or they come again; None if
                they count as delivered at once.

        Raises:
            Disconnected: The subscription has ended, or was closed while this waited.
            ProxyNotFound: It had ended before.
        """
        found = await self._transport.pull(
            self.channel,
            self.proxy,
            most,
            _microseconds(seconds),
            _microseconds(lease),
        )
        return [Delivery(m, m.seq in found.again, self) for m in found.messages]

    def ack(self, message: Message) -> None:
        """An event was dealt with."""
        self._transport.tell(Ack(self.channel, self.proxy, (message.seq,)))

    def retry(self, message: Message, reason: str) -> None:
        """An event is to come again: to whoever pulls next."""
        self._transport.tell(Failed(self.channel, self.proxy, (message.seq,), reason))

    def reject(self, message: Message, reason: str) -> None:
        """An event becomes a dead letter."""
        self._transport.tell(Reject(self.channel, self.proxy, (message.seq,), reason))


def _microseconds(seconds: float | None) -> int | None:
    if seconds is None:
        return None
    try:
        return max(0, min(int(seconds * 1_000_000), _LONGEST))
    except (TypeError, ValueError, OverflowError) as error:
        told = f"a time is a number of seconds, or None, not {seconds!r:.60}"
        raise InvalidUsage(told) from error
