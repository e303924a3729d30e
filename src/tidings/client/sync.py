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
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from tidings.channel.effects import Message
from tidings.channel.vocabulary import Item
from tidings.client.client import Client
from tidings.client.connection import Connection
from tidings.client.managing import Channel, Wanted
from tidings.client.publishing import Publisher, Receipt
from tidings.client.subscription import Delivery, PullSubscription, Subscription
from tidings.errors import InvalidUsage, Stopping, TidingsError

_T = TypeVar("_T")
_R = TypeVar("_R")
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

    def call(self, function: Callable[..., None], *arguments: object) -> None:
        """Run a plain function on the loop and wait for it."""

        async def run() -> None:
            function(*arguments)

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


def _blocking(
    method: Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]],
) -> Callable[Concatenate[_Blocking[Any], _P], _T]:
    """Make a method that calls one of the asynchronous object, and waits for its answer."""

    @wraps(method)
    def call(self: _Blocking[Any], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._thread.wait(method(self.asynchronous, *args, **kwargs))

    return call


def _making(
    made: Callable[[_LoopThread, _T], _R],
    method: Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]],
) -> Callable[Concatenate[_Blocking[Any], _P], _R]:
    """Make a method like `_blocking`, whose answer is wrapped in a class of this module."""

    @wraps(method)
    def call(self: _Blocking[Any], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        found = self._thread.wait(method(self.asynchronous, *args, **kwargs))
        return made(self._thread, found)

    return call


class _Blocking(Generic[_T]):
    """An asynchronous object with blocking calls; ``with`` closes it at the end.

    Attributes:
        asynchronous: The asynchronous object, for `SyncClient.call`.
    """

    _thread: _LoopThread
    asynchronous: _T

    def close(self) -> None:
        """Close the asynchronous object."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _SyncConnection(_Blocking[_C]):
    """A connection with blocking calls."""

    def __init__(self, thread: _LoopThread, asynchronous: _C) -> None:
        self._thread = thread
        self.asynchronous = asynchronous

    delete = _blocking(Connection.delete)

    def close(self) -> None:
        """As `Connection.close`."""
        self.__exit__(None, None, None)

    def __exit__(self, *error: object) -> None:
        try:
            self._thread.wait(self.asynchronous.__aexit__(*error))
        except Stopping:
            return  # it ended with the client


class SyncPublisher(_SyncConnection[Publisher]):
    """A publisher with blocking calls."""

    @property
    def number(self) -> int:
        """As `Publisher.number`."""
        return self.asynchronous.number

    publish = _blocking(Publisher.publish)

    def publish_many(self, events: Iterable[Item]) -> list[Receipt | TidingsError]:
        """As `Publisher.publish_many`."""
        # The program's iterable runs on its own thread, not on the client's.
        return self._thread.wait(self.asynchronous.publish_many(list(events)))


class _SyncConsumer(_SyncConnection[_C]):
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
        self._thread.call(self.asynchronous.ack, message)

    def retry(self, message: Message, reason: str) -> None:
        """Have an event redelivered."""
        self._thread.call(self.asynchronous.retry, message, reason)

    def reject(self, message: Message, reason: str) -> None:
        """Turn an event into a dead letter."""
        self._thread.call(self.asynchronous.reject, message, reason)


class SyncSubscription(_SyncConsumer[Subscription]):
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


class SyncPuller(_SyncConsumer[PullSubscription]):
    """A pull subscription with blocking calls."""

    def pull(
        self, most: int = 1, *, seconds: float | None = None, lease: float | None = None
    ) -> list[Delivery]:
        """As `PullSubscription.pull`."""
        found = self._thread.wait(self.asynchronous.pull(most, seconds=seconds, lease=lease))
        return [self._handed(delivery) for delivery in found]


class SyncClient(_Blocking[Client]):
    """A client with blocking calls.

    Args:
        connect: Creates the asynchronous client, on the client's own loop.
    """

    def __init__(self, connect: Callable[[], Awaitable[Client]]) -> None:
        async def made() -> Client:
            return await connect()

        self._thread = _LoopThread()
        self._closing = threading.Lock()
        try:
            self.asynchronous = self._thread.wait(made())
        except BaseException:
            self._thread.stop()
            raise

    def call(
        self, method: Callable[_P, Coroutine[Any, Any, _T]], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Wait for any method of the client or of its objects: ``call(channel.info)``."""
        return self._thread.wait(method(*args, **kwargs))

    create_channel = _blocking(Client.create_channel)
    channel = _blocking(Client.channel)
    publish = _blocking(Client.publish)
    publisher = _making(SyncPublisher, Client.publisher)
    subscribe = _making(SyncSubscription, Client.subscribe)
    puller = _making(SyncPuller, Client.puller)
    peek = _blocking(Client.peek)

    def history(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        **settings: Any,  # noqa: ANN401
    ) -> Iterator[Message]:
        """As `Client.history`, as a plain iterator."""
        past = self.call(self.asynchronous.past, channel, wanted, **settings)
        while not past.end:
            yield from self._thread.wait(past.page())

    def close(self) -> None:
        """As `Client.close`; also ends the client's thread."""
        self._thread.check()
        with self._closing:  # a second thread that closes waits for the first
            try:
                self._thread.wait(self.asynchronous.close())
            except Stopping:
                return
            finally:
                self._thread.stop()


def for_threads(connect: Callable[_P, Awaitable[Client]]) -> Callable[_P, SyncClient]:
    """Make a function that connects as another does, for threads."""

    @wraps(connect)
    def connect_sync(*args: _P.args, **kwargs: _P.kwargs) -> SyncClient:
        return SyncClient(lambda: connect(*args, **kwargs))

    return connect_sync
