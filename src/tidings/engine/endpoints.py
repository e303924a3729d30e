"""How clients are reached: the endpoint protocol, and the endpoints of this process.

Handlers, iterators and suppliers of this process are here; other protocols have their own.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeAlias

import msgspec

from tidings.channel.effects import Message
from tidings.channel.entries import Entry
from tidings.channel.functions import Source, error_text, events_from
from tidings.channel.vocabulary import Form, Item
from tidings.errors import Disconnected, WrongClient
from tidings.filters.constraint import EventTypePattern

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
    """

    channel: int
    proxy: int
    messages: list[Message]
    again: frozenset[int] = frozenset()
    form: Form = Form.STRUCTURED
    entries: Sequence[Entry] = ()
    waits: int = 0
    leave: Callable[[EventBatch], None] | None = None

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

    __slots__ = ("__weakref__", "_answers")

    _answers: Answers

    def attach(self, answers: Answers) -> None:
        """Set whom to answer from now on."""
        self._answers = answers

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


# How long handlers run before the loop gets a turn, in seconds: well below the 5 ms that
# nothing may block it.
TURN: Final = 0.002

Handed: TypeAlias = Message | list[Message]
Handler: TypeAlias = Callable[..., object]
"""A plain or coroutine function of one `Message`, or of a list of them for sequence proxies."""


def _seqs(handed: Handed) -> list[int]:
    if isinstance(handed, list):
        return [message.seq for message in handed]
    return [handed.seq]


def _tell(told: Callable[..., object] | None, *what: object) -> None:
    """Call a client in a later turn of the loop.

    The engine is in the middle of its work, and the loop reports the client's errors.
    """
    if told is not None:
        asyncio.get_running_loop().call_soon(told, *what)


class HandlerEndpoint(Endpoint):
    """A push consumer in this process: a function that is called with the events, in order.

    An event is acknowledged when the call returns. When a call raises, it and everything behind it
    fails, so that all are redelivered in order; `Disconnected` ends the connection. Calls are made
    in a task, one after the other, so that one that hangs delays no other client. A sequence
    proxy's handler gets lists.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._queue: deque[Handed] = deque()
        self._taken: list[int] = []
        self._address = (0, 0)
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    def deliver(self, batch: EventBatch) -> None:
        """Queue the events for the handler."""
        if self._closed:
            return
        self._address = batch.address
        if batch.form is Form.SEQUENCE:
            self._queue.append(batch.messages)
        else:
            self._queue.extend(batch.messages)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

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

    async def _run(self) -> None:
        """Call the handler until nothing waits."""
        loop = asyncio.get_running_loop()
        until = loop.time() + TURN
        while self._queue:
            handed = self._queue.popleft()
            try:
                answer = self._handler(handed)
                if isinstance(answer, Awaitable):
                    await answer
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                # Not this task was cancelled, but what the handler waited for.
                self._fail(handed, error)
                break
            except Exception as error:  # noqa: BLE001 -- the consumer's trouble, told as such
                self._fail(handed, error)
                break
            if not self._taken:
                # All that is done in this turn of the loop is answered at once.
                loop.call_soon(self.flush)
            self._taken += _seqs(handed)
            if loop.time() >= until:
                await asyncio.sleep(0)
                until = loop.time() + TURN
        self._task = None

    def flush(self) -> None:
        """Send pending acknowledgements."""
        if self._taken and not self._closed:
            taken, self._taken = self._taken, []
            self._answers.ack(*self._address, taken)

    def _fail(self, handed: Handed, error: BaseException) -> None:
        self.flush()
        seqs = _seqs(handed)
        for waiting in self._queue:
            seqs += _seqs(waiting)
        self._queue.clear()
        if not self._closed:
            gone = isinstance(error, Disconnected)
            self._answers.failed(*self._address, seqs, error_text(error), gone)


# Until the first event comes, and never added to: most consumers are idle, and an empty deque
# takes 760 octets.
_NONE_WAITING: Final[deque[Message]] = deque(maxlen=0)
_NONE_AGAIN: Final[set[int]] = set()


class BufferEndpoint(Endpoint):
    """A push consumer in this process that takes events when it likes: for iterators.

    Acknowledgements of one turn of the loop are sent in one call. `on_offers` is a plain function.
    """

    __slots__ = ("_address", "_again", "_error", "_on_offers", "_readers", "_taken", "_waiting")

    def __init__(self, on_offers: TypesChanged | None = None) -> None:
        self._on_offers = on_offers
        self._waiting = _NONE_WAITING
        self._readers: list[asyncio.Future[None]] = []
        self._again = _NONE_AGAIN
        self._taken: list[int] = []
        self._address = (0, 0)
        self._error: Exception | None = None

    def __len__(self) -> int:
        """Count the events that wait to be taken."""
        return len(self._waiting)

    def deliver(self, batch: EventBatch) -> None:
        """Keep the events until they are taken, and wake the waiting caller."""
        if self._error is not None:
            return
        self._address = batch.address
        if self._waiting is _NONE_WAITING:
            self._waiting = deque()
        self._waiting.extend(batch.messages)
        if batch.again:
            if self._again is _NONE_AGAIN:
                self._again = set()
            self._again.update(batch.again)
        if self._readers:
            self._wake()

    async def get(self) -> Message:
        """Wait for the next event; raise what `close` was given."""
        if not self._waiting:
            await self._filled()
        return self._waiting.popleft()

    def get_nowait(self) -> Message | None:
        """Return the next event, None if none waits; raise what `close` was given."""
        if self._waiting:
            return self._waiting.popleft()
        if self._error is not None:
            raise self._error
        return None

    async def batch(self, most: int) -> list[Message]:
        """Wait for the next events, at most `most`; raise what `close` was given."""
        if not self._waiting:
            await self._filled()
        waiting = self._waiting
        if most < len(waiting):
            return [waiting.popleft() for _ in range(most)]
        everything = list(waiting)
        waiting.clear()
        return everything

    def ack(self, message: Message) -> None:
        """Acknowledge an event."""
        taken = self._taken
        if not taken:
            asyncio.get_running_loop().call_soon(self.flush)
        taken.append(message.seq)

    def ack_many(self, messages: Sequence[Message]) -> None:
        """Acknowledge events."""
        if messages and not self._taken:
            asyncio.get_running_loop().call_soon(self.flush)
        self._taken += [message.seq for message in messages]

    def fail(self, message: Message, reason: str) -> None:
        """Have the event redelivered later, before those that wait behind it."""
        self.flush()
        seqs = [message.seq, *(behind.seq for behind in self._waiting)]
        self._waiting.clear()
        if self._error is None:
            self._answers.failed(*self._address, seqs, reason)

    def reject(self, message: Message, reason: str) -> None:
        """Refuse the event for good: it becomes a dead letter."""
        self.flush()
        self._again.discard(message.seq)
        if self._error is None:
            self._answers.reject(*self._address, [message.seq], reason)

    def redelivered(self, seq: int) -> bool:
        """Return whether an unacknowledged event may have been delivered before."""
        return seq in self._again

    def offers(self, added: Types, removed: Types) -> None:
        """Tell the consumer in a later turn of the loop."""
        _tell(self._on_offers, added, removed)

    def disconnected(self) -> None:
        """Raise `Disconnected` in waiting and later calls."""
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Raise the error, `Disconnected` if None, in waiting and later calls; drop the events."""
        if self._error is None:
            self.flush()
            self._error = error or Disconnected("the subscription has ended: its proxy is gone")
            self._waiting.clear()
            self._again.clear()
            self._wake()

    async def _filled(self) -> None:
        while not self._waiting:
            if self._error is not None:
                raise self._error
            reader = asyncio.get_running_loop().create_future()
            self._readers.append(reader)
            try:
                await reader
            except asyncio.CancelledError:
                if reader in self._readers:
                    self._readers.remove(reader)
                raise

    def _wake(self) -> None:
        for reader in self._readers:
            if not reader.done():
                reader.set_result(None)
        self._readers.clear()

    def flush(self) -> None:
        """Send pending acknowledgements."""
        taken = self._taken
        if taken and self._error is None:
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
        self._source = source
        self._left: list[Item] = []

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tell the supplier in a later turn of the loop."""
        _tell(self._on_subscriptions, added, removed)

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Poll the source; keep what it returns beyond `most` for the next poll."""
        if self._source is None:
            return await super().try_pull(most)
        if not self._left:
            self._left.extend(await events_from(self._source, most))
        given, self._left = self._left[:most], self._left[most:]
        return given
