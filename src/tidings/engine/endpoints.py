"""How clients are reached: the protocol of endpoints, and those of this process.

Handlers, iterators and suppliers of this process are here; doors have endpoints of their own.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from tidings.channel.vocabulary import Form, Item
from tidings.engine.bodies import Message
from tidings.errors import Disconnected, WrongClient
from tidings.filters.constraint import EventTypePattern

Types: TypeAlias = Sequence[EventTypePattern]
"""Event types that were added, or removed."""

TypesChanged: TypeAlias = Callable[[Types, Types], object]
"""A plain function that is told which event types were added and which removed."""


def in_words(error: BaseException) -> str:
    """A client's error in words: some cannot even say what they are."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- of the client's making, too
        return type(error).__name__


class EventBatch(NamedTuple):
    """Events for one consumer, in order.

    Attributes:
        channel: Which channel.
        proxy: Through which proxy.
        messages: The events.
        again: Numbers of those that may have been handed over before.
        form: The form of the proxy.
    """

    channel: int
    proxy: int
    messages: list[Message]
    again: frozenset[int] = frozenset()
    form: Form = Form.STRUCTURED


class Answers(Protocol):
    """What an endpoint says of the events it was given; on the loop's thread, at any time."""

    def ack(self, channel: int, proxy: int, seqs: Sequence[int]) -> None:
        """The consumer has taken these."""
        ...

    def failed(
        self, channel: int, proxy: int, seqs: Sequence[int], reason: str, gone: bool = False
    ) -> None:
        """These could not be handed over; with `gone`, there is no such consumer any more."""
        ...

    def reject(self, channel: int, proxy: int, seqs: Sequence[int], reason: str) -> None:
        """The consumer will never take these."""
        ...


class Endpoint(Protocol):
    """A client of one proxy. Called on the loop's thread; no call blocks.

    `attach` comes first. After `disconnected` or `close` nothing else comes but `cancel`.
    """

    def attach(self, answers: Answers) -> None:
        """Whom to answer from now on."""
        ...

    def deliver(self, batch: EventBatch) -> None:
        """Hands events to a push consumer; each is answered later. Raises nothing."""
        ...

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Asks a pull supplier for events, at most `most`; none if it has none now.

        Raises:
            Disconnected: The supplier is no more.
            WrongClient: This client is no pull supplier.
            Exception: Whatever else the supplier raises: it is asked again later.
        """
        ...

    def offers(self, added: Types, removed: Types) -> None:
        """Tells a consumer which event types are offered now, and which no more."""
        ...

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tells a supplier which event types are wanted now, and which no more."""
        ...

    def flush(self) -> None:
        """Answers at once what was dealt with: another client takes over."""
        ...

    def disconnected(self) -> None:
        """Tells the client that its proxy is gone, and closes."""
        ...

    def close(self, error: Exception | None = None) -> None:
        """Drops what was not handed over, unanswered; a call that is running may end."""
        ...

    def cancel(self) -> None:
        """Ends calls to the client that are still running: the engine stops."""
        ...


class QuietEndpoint:
    """An endpoint that hears everything and does nothing; the others override their part."""

    __slots__ = ("__weakref__", "_answers")

    _answers: Answers

    def attach(self, answers: Answers) -> None:
        """Whom to answer from now on."""
        self._answers = answers

    def deliver(self, batch: EventBatch) -> None:
        """Fails: this client takes no events."""
        self._answers.failed(
            batch.channel,
            batch.proxy,
            [message.seq for message in batch.messages],
            f"{type(self).__name__} takes no events: connect a push consumer",
        )

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Refuses: this client cannot be asked for events.

        Raises:
            WrongClient: Always.
        """
        raise WrongClient(
            f"{type(self).__name__} cannot be asked for {most} events: connect a pull supplier"
        )

    def offers(self, added: Types, removed: Types) -> None:
        """Ignored."""

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Ignored."""

    def flush(self) -> None:
        """Owes no answers."""

    def disconnected(self) -> None:
        """Closes; the client is not told."""
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Nothing waits here."""

    def cancel(self) -> None:
        """Nothing runs here."""


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
    """Calls a client in a later turn of the loop.

    The engine is in the middle of its work, and an error of the client's is the loop's to report.
    """
    if told is not None:
        asyncio.get_running_loop().call_soon(told, *what)


class HandlerEndpoint(QuietEndpoint):
    """A push consumer in this process: a function that is called with the events, in order.

    An event is done with when the call returns. When a call raises, it and everything behind it
    fails, so that it all comes again in order; `Disconnected` ends the connection. Calls are made
    in a turn of the loop of their own, never inside `deliver`; coroutines run in one task, one
    after the other, so that one that hangs holds up nobody else.

    Args:
        handler: Called with a `Message`, or with a list of them if the proxy's form is sequence.
        on_offers: Told of changes in what is offered; a plain function.
        on_disconnected: Called once when the proxy is gone; a plain function.
    """

    def __init__(
        self,
        handler: Handler,
        on_offers: TypesChanged | None = None,
        on_disconnected: Callable[[], object] | None = None,
    ) -> None:
        self._handler = handler
        self._on_offers = on_offers
        self._on_disconnected = on_disconnected
        self._queue: deque[Handed] = deque()
        self._taken: list[int] = []
        self._address = (0, 0)
        self._busy = False
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    def deliver(self, batch: EventBatch) -> None:
        """Queues the events for the handler."""
        if self._closed:
            return
        self._address = batch[:2]
        if batch.form is Form.SEQUENCE:
            self._queue.append(batch.messages)
        else:
            self._queue.extend(batch.messages)
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().call_soon(self._turn)

    def offers(self, added: Types, removed: Types) -> None:
        """Tells the consumer in a later turn of the loop."""
        _tell(self._on_offers, added, removed)

    def disconnected(self) -> None:
        """Tells the consumer in a later turn of the loop, and closes."""
        told, self._on_disconnected = self._on_disconnected, None
        _tell(told)
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Calls the handler no more; a call that is running may end, and is not answered."""
        self.flush()
        self._closed = True
        self._queue.clear()

    def cancel(self) -> None:
        """Cancels the coroutine that is running, if any."""
        self.close()
        if self._task is not None:
            self._task.cancel()

    def _turn(self) -> None:
        loop, queue, handler = asyncio.get_running_loop(), self._queue, self._handler
        until = loop.time() + TURN
        while queue:
            handed = queue.popleft()
            try:
                answer = handler(handed)
            except Exception as error:  # noqa: BLE001 -- the consumer's trouble, told as such
                self._fail(handed, error)
                break
            if answer is not None and isinstance(answer, Awaitable):
                self._task = loop.create_task(self._run(handed, answer))
                return
            self._taken += _seqs(handed)
            if queue and loop.time() >= until:
                self.flush()
                loop.call_soon(self._turn)
                return
        self._busy = False
        self.flush()

    async def _run(self, handed: Handed, answer: object) -> None:
        """Goes on in a task from the first call that gave a coroutine, until nothing waits."""
        loop = asyncio.get_running_loop()
        until = loop.time() + TURN
        while True:
            try:
                if answer is None:
                    answer = self._handler(handed)
                if isinstance(answer, Awaitable):
                    await answer
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                # Nobody cancelled this task: what the handler waited for was.
                self._fail(handed, error)
                break
            except Exception as error:  # noqa: BLE001 -- the consumer's trouble, told as such
                self._fail(handed, error)
                break
            if not self._taken:
                # All that is done in this turn of the loop is answered at once.
                loop.call_soon(self.flush)
            self._taken += _seqs(handed)
            if not self._queue:
                break
            if loop.time() >= until:
                await asyncio.sleep(0)
                until = loop.time() + TURN
                if not self._queue:
                    break
            handed, answer = self._queue.popleft(), None
        self._task, self._busy = None, False

    def flush(self) -> None:
        """Answers what was dealt with."""
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
            self._answers.failed(*self._address, seqs, in_words(error), gone)


# Until the first event comes, and never added to: most consumers are idle, and an empty deque
# takes 760 octets.
_NONE_WAITING: Final[deque[Message]] = deque(maxlen=0)
_NONE_AGAIN: Final[set[int]] = set()


class BufferEndpoint(QuietEndpoint):
    """A push consumer in this process that takes events when it likes: for iterators.

    What is acknowledged in one turn of the loop is answered in one call.

    Args:
        on_offers: Told of changes in what is offered; a plain function.
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
        """How many events wait to be taken."""
        return len(self._waiting)

    def deliver(self, batch: EventBatch) -> None:
        """Keeps the events until they are taken, and wakes who waits for them."""
        if self._error is not None:
            return
        self._address = batch[:2]
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
        """The next event; waits for it.

        Raises:
            Exception: What `close` was given.
        """
        if not self._waiting:
            await self._filled()
        return self._waiting.popleft()

    def get_nowait(self) -> Message | None:
        """The next event; None if none waits.

        Raises:
            Exception: What `close` was given.
        """
        if self._waiting:
            return self._waiting.popleft()
        if self._error is not None:
            raise self._error
        return None

    async def batch(self, most: int) -> list[Message]:
        """The next events, at most `most`; waits for the first.

        Raises:
            Exception: What `close` was given.
        """
        if not self._waiting:
            await self._filled()
        take = self._waiting.popleft
        return [take() for _ in range(min(most, len(self._waiting)))]

    def ack(self, message: Message) -> None:
        """The event was dealt with."""
        taken = self._taken
        if not taken:
            asyncio.get_running_loop().call_soon(self.flush)
        taken.append(message.seq)

    def ack_many(self, messages: Sequence[Message]) -> None:
        """The events were dealt with."""
        if messages and not self._taken:
            asyncio.get_running_loop().call_soon(self.flush)
        self._taken += [message.seq for message in messages]

    def fail(self, message: Message, reason: str) -> None:
        """The event is to come again later, and before those that wait behind it."""
        self.flush()
        seqs = [message.seq, *(behind.seq for behind in self._waiting)]
        self._waiting.clear()
        if self._error is None:
            self._answers.failed(*self._address, seqs, reason)

    def reject(self, message: Message, reason: str) -> None:
        """The event shall never come again: it becomes a dead letter."""
        self.flush()
        self._again.discard(message.seq)
        if self._error is None:
            self._answers.reject(*self._address, [message.seq], reason)

    def redelivered(self, seq: int) -> bool:
        """Whether an event that was not acknowledged yet may have come before."""
        return seq in self._again

    def offers(self, added: Types, removed: Types) -> None:
        """Tells the consumer in a later turn of the loop."""
        _tell(self._on_offers, added, removed)

    def disconnected(self) -> None:
        """Who waits or takes gets `Disconnected`."""
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Who waits or takes gets the error, `Disconnected` if None; what waited is dropped."""
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
        """Answers what was dealt with."""
        taken = self._taken
        if taken and self._error is None:
            self._taken = []
            if self._again:
                self._again.difference_update(taken)
            self._answers.ack(*self._address, taken)


class SupplierEndpoint(QuietEndpoint):
    """A push supplier in this process.

    Args:
        on_subscriptions: Told of changes in what is wanted; a plain function.
        on_disconnected: Called once when the proxy is gone; a plain function.
    """

    def __init__(
        self,
        on_subscriptions: TypesChanged | None = None,
        on_disconnected: Callable[[], object] | None = None,
    ) -> None:
        self._on_subscriptions = on_subscriptions
        self._on_disconnected = on_disconnected

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tells the supplier in the later turn of the loop."""
        _tell(self._on_subscriptions, added, removed)

    def disconnected(self) -> None:
        """Tells the supplier in the later turn of the loop."""
        told, self._on_disconnected = self._on_disconnected, None
        _tell(told)


PulledItems: TypeAlias = Item | Sequence[Item] | None
Source: TypeAlias = Callable[[int], PulledItems | Awaitable[PulledItems]]
"""Asked for at most so many events: returns one, several or None, or a coroutine of these."""


class PullSupplierEndpoint(SupplierEndpoint):
    """A pull supplier in this process.

    Args:
        source: Asked for events.
        on_subscriptions: Told of changes in what is wanted; a plain function.
        on_disconnected: Called once when the proxy is gone; a plain function.
    """

    def __init__(
        self,
        source: Source,
        on_subscriptions: TypesChanged | None = None,
        on_disconnected: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(on_subscriptions, on_disconnected)
        self._source = source
        self._left: list[Item] = []

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Asks the source; what it gives beyond `most` is given the next time."""
        if not self._left:
            found = self._source(most)
            if isinstance(found, Awaitable):
                found = await found
            if isinstance(found, Sequence):
                self._left.extend(found)
            elif found is not None:
                self._left.append(found)
        given, self._left = self._left[:most], self._left[most:]
        return given
