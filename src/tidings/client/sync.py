"""The client for threads: every call blocks until its answer arrives.

The client runs an event loop in its own thread; any number of threads may use one client.
Functions that the client calls, such as handlers, run on that loop: they must not call the client
nor block.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeVar

from tidings.channel.vocabulary import Item
from tidings.client.client import Client
from tidings.client.connection import Connection
from tidings.client.managing import Channel, Wanted
from tidings.client.publishing import Publisher, Receipt
from tidings.client.subscription import Delivery, PullSubscription, Subscription
from tidings.client.transport import Message
from tidings.errors import InvalidUsage, Stopping, TidingsError

_T = TypeVar("_T")
_P = ParamSpec("_P")
_C = TypeVar("_C", bound=Connection)


class _LoopThread:
    """An event loop in its own thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._stopped = False
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name="tidings-client", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def check(self) -> None:
        """Refuse callers that would deadlock: the loop's own thread, and forked processes."""
        if threading.current_thread() is self._thread:
            raise InvalidUsage(
                "this runs on the client's own loop, where waiting would never end: use the "
                "asynchronous client here, or another thread"
            )
        if self._process != os.getpid():
            raise InvalidUsage(
                "this process was forked after the client was made, and the client stayed behind: "
                "make another one here"
            )

    def wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on the loop and wait; raise `Stopping` if the client is closed."""
        try:
            self.check()
        except InvalidUsage:
            work.close()
            raise
        with self._lock:  # a stopped loop would never run it
            if self._stopped:
                work.close()
                raise Stopping("the client is closed: make another one")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise Stopping("the client was closed while this call waited") from None
        except BaseException:
            future.cancel()
            raise

    def call(self, function: Callable[[], None]) -> None:
        """Run a plain function on the loop and wait for it."""

        async def run() -> None:
            function()

        self.wait(run())

    def stop(self) -> None:
        """End the loop and its thread; calls still waiting raise `Stopping`."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            last = asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop)
        last.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class SyncClient:
    """A client with blocking calls.

    Args:
        connect: Creates the asynchronous client, on the client's own loop.
    """

    def __init__(self, connect: Callable[[], Awaitable[Client]]) -> None:
        self._thread = _LoopThread()
        self._closing = threading.Lock()
        try:
            self._client = self._thread.wait(_made(connect))
        except BaseException:
            self._thread.stop()
            raise

    def call(
        self, method: Callable[_P, Coroutine[Any, Any, _T]], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Wait for any method of the client or of its objects: ``call(channel.info)``."""
        return self._thread.wait(method(*args, **kwargs))

    @property
    def asynchronous(self) -> Client:
        """The asynchronous client, for `call`."""
        return self._client

    def create_channel(self, name: str = "", **settings: Any) -> Channel:  # noqa: ANN401
        """As `Client.create_channel`."""
        return self._thread.wait(self._client.create_channel(name, **settings))

    def channel(self, id_or_name: int | str) -> Channel:
        """As `Client.channel`."""
        return self._thread.wait(self._client.channel(id_or_name))

    def publish(self, channel: Channel | int | str, event: Item) -> Receipt:
        """As `Client.publish`."""
        return self._thread.wait(self._client.publish(channel, event))

    def publisher(
        self,
        channel: Channel | int | str,
        producer: str = "",
        **settings: Any,  # noqa: ANN401
    ) -> SyncPublisher:
        """As `Client.publisher`."""
        made = self._thread.wait(self._client.publisher(channel, producer, **settings))
        return SyncPublisher(self._thread, made)

    def subscribe(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        **settings: Any,  # noqa: ANN401
    ) -> SyncSubscription:
        """As `Client.subscribe`."""
        made = self._thread.wait(self._client.subscribe(channel, wanted, **settings))
        return SyncSubscription(self._thread, made)

    def puller(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        **settings: Any,  # noqa: ANN401
    ) -> SyncPuller:
        """As `Client.puller`."""
        made = self._thread.wait(self._client.puller(channel, wanted, **settings))
        return SyncPuller(self._thread, made)

    def peek(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        **settings: Any,  # noqa: ANN401
    ) -> list[Message]:
        """As `Client.peek`."""
        return self._thread.wait(self._client.peek(channel, wanted, **settings))

    def history(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        **settings: Any,  # noqa: ANN401
    ) -> Iterator[Message]:
        """As `Client.history`, as a plain iterator."""
        past = self._thread.wait(self._client.past(channel, wanted, **settings))
        while not past.end:
            yield from self._thread.wait(past.page())

    def close(self) -> None:
        """As `Client.close`; also ends the client's thread."""
        self._thread.check()
        with self._closing:  # a second thread that closes waits for the first
            try:
                self._thread.wait(self._client.close())
            except Stopping:
                return
            finally:
                self._thread.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


async def _made(connect: Callable[[], Awaitable[Client]]) -> Client:
    return await connect()


class _SyncConnection(Generic[_C]):
    """A connection with blocking calls; ``with`` closes it at the end.

    Attributes:
        asynchronous: The asynchronous connection, for `SyncClient.call`.
    """

    def __init__(self, thread: _LoopThread, asynchronous: _C) -> None:
        self._thread = thread
        self.asynchronous = asynchronous

    def delete(self) -> None:
        """As `Connection.delete`."""
        self._thread.wait(self.asynchronous.delete())

    def close(self) -> None:
        """As `Connection.close`."""
        try:
            self._thread.wait(self.asynchronous.close())
        except Stopping:
            return  # it ended with the client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._thread.wait(self.asynchronous.__aexit__(kind, error, trace))
        except Stopping:
            return


class SyncPublisher(_SyncConnection[Publisher]):
    """A publisher with blocking calls."""

    @property
    def number(self) -> int:
        """As `Publisher.number`."""
        return self.asynchronous.number

    def publish(self, event: Item, *, number: int | None = None) -> Receipt:
        """As `Publisher.publish`."""
        return self._thread.wait(self.asynchronous.publish(event, number=number))

    def publish_many(self, events: Iterable[Item]) -> list[Receipt | TidingsError]:
        """As `Publisher.publish_many`."""
        return self._thread.wait(self.asynchronous.publish_many(list(events)))


class _SyncTaking(_SyncConnection[_C]):
    """A consumer's connection; any thread may acknowledge its events."""

    asynchronous: Any

    def _handed(self, delivery: Delivery) -> Delivery:
        return Delivery(delivery.message, delivery.redelivered, self)

    def replayed(self, message: Message) -> bool:
        """Tell whether an event came from the journal."""
        replayed: bool = self.asynchronous.replayed(message)
        return replayed

    def ack(self, message: Message) -> None:
        """Acknowledge an event."""
        self._thread.call(lambda: self.asynchronous.ack(message))

    def retry(self, message: Message, reason: str) -> None:
        """Have an event redelivered."""
        self._thread.call(lambda: self.asynchronous.retry(message, reason))

    def reject(self, message: Message, reason: str) -> None:
        """Turn an event into a dead letter."""
        self._thread.call(lambda: self.asynchronous.reject(message, reason))


class SyncSubscription(_SyncTaking[Subscription]):
    """A subscription as a plain iterator."""

    def __iter__(self) -> Iterator[Delivery]:
        return self

    def __next__(self) -> Delivery:
        try:
            found = self.next()
        except Stopping:
            found = None
        if found is None:
            raise StopIteration
        return found

    def next(self, seconds: float | None = None) -> Delivery | None:
        """As `Subscription.next`."""
        found = self._thread.wait(self.asynchronous.next(seconds))
        return None if found is None else self._handed(found)


class SyncPuller(_SyncTaking[PullSubscription]):
    """A pull subscription with blocking calls."""

    def pull(
        self, most: int = 1, *, seconds: float | None = None, lease: float | None = None
    ) -> list[Delivery]:
        """As `PullSubscription.pull`."""
        found = self._thread.wait(self.asynchronous.pull(most, seconds=seconds, lease=lease))
        return [self._handed(delivery) for delivery in found]
