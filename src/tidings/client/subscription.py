"""Subscriptions: events from an asynchronous iterator or by pulling, with acknowledgement."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, Final

import msgspec

from tidings.channel.commands import Ack, Failed, Reject
from tidings.channel.effects import Message
from tidings.channel.management import Connect
from tidings.channel.translation import left_as
from tidings.channel.vocabulary import Form
from tidings.client.connection import Connection, PushConnection
from tidings.client.past import Past, Replay
from tidings.client.transport import Transport
from tidings.errors import Disconnected, InvalidUsage
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.structured import StructuredEvent
from tidings.inbox import Inbox

# A thousand years, in microseconds.
_LONGEST: Final = 31_556_952_000_000_000


class Delivery(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One event delivered to one subscription.

    Attributes:
        message: The event with the service's metadata.
        redelivered: Whether it may have been delivered before.
    """

    message: Message
    redelivered: bool
    _subscription: Any

    @property
    def event(self) -> StructuredEvent:
        """The event."""
        return self.message.event

    @property
    def value(self) -> AnyValue:
        """The event as an `Any`, as a consumer of the form ANY receives it."""
        found = left_as(self.message.event, Form.ANY)
        assert isinstance(found, AnyValue)
        return found

    @property
    def id(self) -> tuple[str, int]:
        """The event's globally unique id: origin and sequence number."""
        return self.message.origin, self.message.seq

    @property
    def seq(self) -> int:
        """The event's sequence number in the channel."""
        return self.message.seq

    @property
    def replayed(self) -> bool:
        """Whether the event came from the journal."""
        replayed: bool = self._subscription.replayed(self.message)
        return replayed

    def ack(self) -> None:
        """Acknowledge the event; it will not be redelivered."""
        self._subscription.ack(self.message)

    def retry(self, reason: str) -> None:
        """Report a failure; the event is redelivered after a pause, before those behind it."""
        self._subscription.retry(self.message, reason)

    def reject(self, reason: str) -> None:
        """Turn the event into a dead letter."""
        self._subscription.reject(self.message, reason)


class Subscription(PushConnection):
    """One consumer's events from one channel; made by `Client.subscribe`.

    ``async for delivery in subscription`` acknowledges an event when the program asks for the next
    one or closes the subscription, unless it was made with ``manual_ack`` or the program has
    acknowledged, retried or rejected the event itself. If the body of an ``async with`` raises,
    the current event is redelivered. A named subscription lives until `delete`, and its backlog
    grows while nobody reads; an unnamed one ends with `close`.

    With `since`, events from the journal come first. The service does not track their
    acknowledgements: a retried one comes again after a pause, a rejected one makes no dead letter,
    and after an error the program must ask for them again.
    """

    def __init__(
        self, transport: Transport, connect: Connect, stream: Inbox, *, named: bool, manual: bool
    ) -> None:
        super().__init__(transport, connect, stream, named=named)
        self._stream = stream
        self._replay: Replay | None = None
        self._manual = manual
        # Handed out; acknowledged when the program asks for more.
        self._out: Sequence[Message] = ()

    def __len__(self) -> int:
        """Number of events received and not yet read."""
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
        """Return the next event, or None after `seconds` or when the subscription has ended."""
        try:
            # Not wait_for: with 0 seconds it would not check at all.
            async with asyncio.timeout(seconds):
                return await anext(self)
        except (TimeoutError, StopAsyncIteration):
            return None

    async def batches(self, most: int = 256) -> AsyncGenerator[Sequence[Message], None]:
        """Yield events in batches as they arrive, for high throughput.

        A batch is acknowledged when the program asks for the next one or closes the subscription,
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
        """Replay past events before new ones; call before any event is read."""
        self._stream = self._replay = Replay(self._stream, past)

    def replayed(self, message: Message) -> bool:
        """Tell whether an event came from the journal."""
        return self._replay is not None and self._replay.replayed(message.seq)

    def redelivered(self, message: Message) -> bool:
        """Tell whether an unacknowledged event from `batches` may have been delivered before."""
        return self._stream.redelivered(message.seq)

    def ack(self, message: Message) -> None:
        """Acknowledge an event."""
        self._forget(message)
        self._stream.ack(message)

    def retry(self, message: Message, reason: str) -> None:
        """Have an event redelivered after a pause, before those behind it."""
        self._forget(message)
        self._stream.fail(message, reason)

    def reject(self, message: Message, reason: str) -> None:
        """Turn an event into a dead letter."""
        self._forget(message)
        self._stream.reject(message, reason)

    def _forget(self, message: Message) -> None:
        """Exclude an event from automatic acknowledgement."""
        if self._out:
            self._out = [other for other in self._out if other is not message]

    def _ack_out(self) -> None:
        done, self._out = self._out, ()
        self._stream.ack_many(done)

    async def close(self) -> None:
        """Stop reading; a named subscription stays and can be resumed."""
        self._leave_past()
        self._ack_out()
        await super().close()

    async def delete(self) -> None:
        """Delete the subscription at the service, named or not, with its backlog."""
        self._leave_past()
        await super().delete()

    def _leave_past(self) -> None:
        if self._replay is not None:
            self._replay.stop()

    async def __aexit__(self, *error: object) -> None:
        if error[0] is not None:
            self._out = ()  # unacknowledged events are redelivered
        await self.close()


class PullSubscription(Connection):
    """Events that wait at the service until pulled; made by `Client.puller`."""

    @staticmethod
    def replayed(message: Message) -> bool:
        """Return False: pulled events never come from the journal."""
        return False

    async def pull(
        self, most: int = 1, *, seconds: float | None = None, lease: float | None = None
    ) -> list[Delivery]:
        """Pull events.

        Args:
            most: Maximum number of events; more than one needs the form SEQUENCE or a lease.
            seconds: How long to wait for the first event; 0 not at all, None without limit.
            lease: Seconds within which to acknowledge events before they are redelivered; None
                acknowledges them at once.

        Raises:
            Disconnected: The subscription ended or was closed during the wait.
            ProxyNotFound: The subscription had ended before.
        """
        found = await self._transport.pull(
            self.channel, self.proxy, most, _microseconds(seconds), _microseconds(lease)
        )
        return [Delivery(m, m.seq in found.again, self) for m in found.messages]

    def ack(self, message: Message) -> None:
        """Acknowledge an event."""
        self._transport.tell(Ack(self.channel, self.proxy, (message.seq,)))

    def retry(self, message: Message, reason: str) -> None:
        """Have an event redelivered to the next pull."""
        self._transport.tell(Failed(self.channel, self.proxy, (message.seq,), reason))

    def reject(self, message: Message, reason: str) -> None:
        """Turn an event into a dead letter."""
        self._transport.tell(Reject(self.channel, self.proxy, (message.seq,), reason))


def _microseconds(seconds: float | None) -> int | None:
    if seconds is None:
        return None
    try:
        return max(0, min(int(seconds * 1_000_000), _LONGEST))
    except (TypeError, ValueError, OverflowError) as error:
        told = f"a time is a number of seconds, or None, not {seconds!r:.60}"
        raise InvalidUsage(told) from error
