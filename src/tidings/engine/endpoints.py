"""How clients are reached: the endpoint protocol, and the endpoints of this process.

Handlers, iterators and suppliers of this process are here; other protocols have their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import msgspec

from tidings.channel.effects import Message
from tidings.channel.entries import Entry
from tidings.channel.functions import Source, SourceReader, error_text
from tidings.channel.vocabulary import Form, Item
from tidings.engine.access import OWNER, Caller
from tidings.errors import Disconnected, WrongClient
from tidings.filters.constraint import EventTypePattern
from tidings.inbox import Handler, HandlerRunner, Inbox

Types: TypeAlias = Sequence[EventTypePattern]
"""Event types that were added, or removed."""

TypesChanged: TypeAlias = Callable[[Types, Types], object]
"""A plain function, called with the event types added and removed."""


class EventBatch(msgspec.Struct, eq=False):
    """Events for one consumer, in order.

    Attributes:
        messages: The events; what waits in the outbox may have places on disk among them.
        again: Numbers of events that may have been delivered before.
        entries: The entries of the events.
        waits: How many conditions must be met before they may leave.
        leave: Hands them over.
        withheld: Whether some were taken out that the consumer may not see any more.
    """

    channel: int
    proxy: int
    messages: list[Message]
    again: frozenset[int] = frozenset()
    form: Form = Form.STRUCTURED
    entries: Sequence[Entry] = ()
    waits: int = 0
    leave: Callable[[EventBatch], None] | None = None
    withheld: bool = False

    @property
    def address(self) -> tuple[int, int]:
        """The consumer: channel and proxy."""
        return self.channel, self.proxy


class Answers(Protocol):
    """How an endpoint answers for its events; on the loop's thread, at any time."""

    def ack(self, channel: int, proxy: int, seqs: Sequence[int]) -> None:
        """Acknowledge events."""
        ...

    def failed(
        self, channel: int, proxy: int, seqs: Sequence[int], reason: str, gone: bool = False
    ) -> None:
        """Report events that could not be delivered; with `gone`, the consumer no longer exists."""
        ...

    def reject(self, channel: int, proxy: int, seqs: Sequence[int], reason: str) -> None:
        """Refuse events for good."""
        ...


class Endpoint:
    """A client of one proxy. Called on the loop's thread; no call blocks.

    `attach` comes first. After `disconnected` or `close` only `cancel` may follow. Here a client
    that does nothing; subclasses override their part.
    """

    __slots__ = ("__weakref__", "_answers", "connected_by")

    _answers: Answers
    connected_by: Caller
    """Who has connected the client, and from where."""

    def attach(self, answers: Answers, connected_by: Caller = OWNER) -> None:
        """Set whom to answer from now on, and who has connected the client."""
        self._answers = answers
        self.connected_by = connected_by

    def deliver(self, batch: EventBatch) -> None:
        """Deliver events to a push consumer; each is answered later. Never raises."""
        self._answers.failed(
            *batch.address,
            [message.seq for message in batch.messages],
            f"{type(self).__name__} takes no events: connect a push consumer",
        )

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Poll a pull supplier for at most `most` events; none if it has none now.

        Disconnected means that the supplier is gone; after other errors it is polled again later.
        """
        raise WrongClient(
            f"{type(self).__name__} cannot be asked for {most} events: connect a pull supplier"
        )

    def offers(self, added: Types, removed: Types) -> None:
        """Tell a consumer which event types are newly offered, and which no longer are."""

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tell a supplier which event types are newly wanted, and which no longer are."""

    def flush(self) -> None:
        """Send pending acknowledgements at once: another client takes over."""

    def disconnected(self) -> None:
        """Tell the client that its proxy is gone, and close."""
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Drop undelivered events without an answer; a running call may finish."""

    def cancel(self) -> None:
        """Cancel running calls to the client: the engine stops."""


def _tell(told: Callable[..., object] | None, *what: object) -> None:
    """Call a client in a later turn of the loop.

    The engine is in the middle of its work, and the loop reports the client's errors.
    """
    if told is not None:
        asyncio.get_running_loop().call_soon(told, *what)


class HandlerEndpoint(HandlerRunner, Endpoint):
    """A push consumer in this process: a function that is called with the events, in order.

    `Disconnected` raised by it ends the connection. A sequence proxy's handler gets lists.
    """

    def __init__(self, handler: Handler) -> None:
        super().__init__(handler)
        self._address = (0, 0)
        self._closed = False

    def deliver(self, batch: EventBatch) -> None:
        """Queue the events for the handler."""
        if not self._closed:
            self._address = batch.address
            self._put(batch.messages, batch=batch.form is Form.SEQUENCE)

    def close(self, error: Exception | None = None) -> None:
        """Stop calling the handler; a running call may finish, and is not answered."""
        self.flush()
        self._closed = True
        self._queue.clear()

    def cancel(self) -> None:
        """Cancel the running coroutine, if any."""
        self.close()
        if self._task is not None:
            self._task.cancel()

    def flush(self) -> None:
        """Send pending acknowledgements."""
        if self._taken and not self._closed:
            taken, self._taken = self._taken, []
            self._answers.ack(*self._address, taken)

    def _raised(self, called: list[int], behind: list[int], error: BaseException) -> None:
        if not self._closed:
            gone = isinstance(error, Disconnected)
            self._answers.failed(*self._address, [*called, *behind], error_text(error), gone)


class BufferEndpoint(Inbox, Endpoint):
    """A push consumer in this process that takes events when it likes: for iterators.

    `on_offers` is a plain function.
    """

    __slots__ = ("_address", "_again", "_on_offers", "_readers", "_taken", "_waiting", "error")

    def __init__(self, on_offers: TypesChanged | None = None) -> None:
        super().__init__()
        self._on_offers = on_offers
        self._address = (0, 0)

    def deliver(self, batch: EventBatch) -> None:
        """Keep the events until they are taken, and wake the waiting caller."""
        if self.error is None:
            self._address = batch.address
            self._put(batch.messages, batch.again)

    def fail(self, message: Message, reason: str) -> None:
        """Have the event redelivered later, before those that wait behind it."""
        self.flush()
        seqs = [message.seq, *(behind.seq for behind in self._waiting)]
        self._waiting.clear()
        if self.error is None:
            self._answers.failed(*self._address, seqs, reason)

    def reject(self, message: Message, reason: str) -> None:
        """Refuse the event for good: it becomes a dead letter."""
        self.flush()
        self._again.discard(message.seq)
        if self.error is None:
            self._answers.reject(*self._address, [message.seq], reason)

    def offers(self, added: Types, removed: Types) -> None:
        """Tell the consumer in a later turn of the loop."""
        _tell(self._on_offers, added, removed)

    def close(self, error: Exception | None = None) -> None:
        """Raise the error, `Disconnected` if None, in waiting and later calls; drop the events."""
        if self.error is None:
            self.flush()
            self._end(error or Disconnected("the subscription has ended: its proxy is gone"))

    def flush(self) -> None:
        """Send pending acknowledgements."""
        taken = self._taken
        if taken and self.error is None:
            self._taken = []
            if self._again:
                self._again.difference_update(taken)
            self._answers.ack(*self._address, taken)


class SupplierEndpoint(Endpoint):
    """A supplier in this process; a pull supplier has a `source`, which is polled for events.

    `on_subscriptions` is a plain function.
    """

    def __init__(
        self, on_subscriptions: TypesChanged | None = None, source: Source | None = None
    ) -> None:
        self._on_subscriptions = on_subscriptions
        self._source = None if source is None else SourceReader(source)

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tell the supplier in a later turn of the loop."""
        _tell(self._on_subscriptions, added, removed)

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Poll the source; keep what it returns beyond `most` for the next poll."""
        if self._source is None:
            return await super().try_pull(most)
        return await self._source.read(most)
