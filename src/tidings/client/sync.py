"""The same client for plain threads: every call waits for its answer.

The service is talked to from a loop in a thread of its own; any number of threads may use one
client.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from tidings.channel.vocabulary import Item
from tidings.client.client import Client, Wanted
from tidings.client.managing import Channel
from tidings.client.publishing import Publisher, Receipt
from tidings.client.subscription import Delivery, PullSubscription, Subscription
from tidings.errors import Stopping, TidingsError

__all__ = ["SyncClient", "SyncPublisher", "SyncPuller", "SyncSubscription"]

_T = TypeVar("_T")
_P = ParamSpec("_P")


class _LoopThread:
    """A loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="tidings-client", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Runs something on the loop and waits for it."""
        if self._loop.is_closed() or threading.current_thread() is self._thread:
            work.close()
            raise Stopping("the client is closed, or called from its own loop")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def call(self, function: Callable[[], None]) -> None:
        """Runs a plain function on the loop and waits for it."""

        async def run() -> None:
            function()

        self.wait(run())

    def stop(self) -> None:
        """Ends the loop and its thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


class SyncClient:
    """A client whose calls wait.

    Args:
        connect: Makes the client, on the loop where it will live.
    """

    def __init__(self, connect: Callable[[], Awaitable[Client]]) -> None:
        self._thread = _LoopThread()
        try:
            self._client = self._thread.wait(_made(connect))
        except BaseException:
            self._thread.stop()
            raise

    def call(
        self, method: Callable[_P, Coroutine[Any, Any, _T]], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Waits for any method of the client, or of what it gave: ``call(channel.info)``."""
        return self._thread.wait(method(*args, **kwargs))

    @property
    def asynchronous(self) -> Client:
        """The client underneath, for `call`."""
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

    def close(self) -> None:
        """As `Client.close`; ends the thread, too."""
        try:
            self._thread.wait(self._client.close())
        except Stopping:
            return
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


class SyncPublisher:
    """A publisher whose calls wait."""

    def __init__(self, thread: _LoopThread, publisher: Publisher) -> None:
        self._thread = thread
        self.publisher = publisher

    def publish(self, event: Item, *, number: int | None = None) -> Receipt:
        """As `Publisher.publish`."""
        return self._thread.wait(self.publisher.publish(event, number=number))

    def publish_many(self, events: Iterable[Item]) -> list[Receipt | TidingsError]:
        """As `Publisher.publish_many`."""
        return self._thread.wait(self.publisher.publish_many(list(events)))

    def close(self) -> None:
        """As `Publisher.close`."""
        self._thread.wait(self.publisher.close())


class SyncSubscription:
    """A subscription as a plain iterator."""

    def __init__(self, thread: _LoopThread, subscription: Subscription) -> None:
        self._thread = thread
        self.subscription = subscription

    def __iter__(self) -> Iterator[Delivery]:
        while (delivery := self.next()) is not None:
            yield delivery

    def next(self, seconds: float | None = None) -> Delivery | None:
        """As `Subscription.next`."""
        return self._thread.wait(self.subscription.next(seconds))

    def ack(self, delivery: Delivery) -> None:
        """As `Delivery.ack`."""
        self._thread.call(delivery.ack)

    def reject(self, delivery: Delivery, reason: str) -> None:
        """As `Delivery.reject`."""
        self._thread.call(lambda: delivery.reject(reason))

    def retry(self, delivery: Delivery, reason: str) -> None:
        """As `Delivery.retry`."""
        self._thread.call(lambda: delivery.retry(reason))

    def delete(self) -> None:
        """As `Subscription.delete`."""
        self._thread.wait(self.subscription.delete())

    def close(self) -> None:
        """As `Subscription.close`."""
        self._thread.wait(self.subscription.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class SyncPuller:
    """A pull subscription whose calls wait."""

    def __init__(self, thread: _LoopThread, puller: PullSubscription) -> None:
        self._thread = thread
        self.puller = puller

    def pull(
        self, most: int = 1, *, seconds: float | None = None, lease: float | None = None
    ) -> Sequence[Delivery]:
        """As `PullSubscription.pull`."""
        return self._thread.wait(self.puller.pull(most, seconds=seconds, lease=lease))

    def ack(self, delivery: Delivery) -> None:
        """As `Delivery.ack`."""
        self._thread.call(delivery.ack)

    def close(self) -> None:
        """As `PullSubscription.close`."""
        self._thread.wait(self.puller.close())
