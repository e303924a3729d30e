"""CORBA clients as the engine reaches them, and the calls to them.

A client is called with events one call at a time, to keep their order. Event type changes are sent
in order, too, but separately: a client that hangs in one of those calls still receives events.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from tidings.channel.effects import Message
from tidings.channel.management import ObtainTypes, Suspend
from tidings.channel.vocabulary import Form, InfoMode, Item, Side
from tidings.cos.change_notices import DOCUMENTS, write_xml
from tidings.cos.CosEventComm_auto import Disconnected as ClientDisconnected
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotification_auto import StructuredEvent as WireEvent
from tidings.cos.events import any_in, event_in
from tidings.cos.kinds import Kind
from tidings.engine.beside import beside
from tidings.engine.endpoints import Endpoint, EventBatch, Types
from tidings.errors import Disconnected, InvalidEvent, TidingsError
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent
from tidings.orb.aio.repeated import CallAgain
from tidings.orb.exceptions import (
    BAD_OPERATION,
    COMM_FAILURE,
    NO_IMPLEMENT,
    OBJECT_NOT_EXIST,
    TIMEOUT,
    TRANSIENT,
    SystemException,
)
from tidings.servants.changes import TypeChanges
from tidings.servants.loops import path_context
from tidings.servants.shared_events import SharedEvents, UnwritableError

if TYPE_CHECKING:
    from tidings.engine.host import Host
    from tidings.orb.aio.orb import Orb
    from tidings.orb.stubs import Operation

_log: Final = logging.getLogger(__name__)

# A client that answers one of these no longer exists.
_GONE: Final = (ClientDisconnected, OBJECT_NOT_EXIST)
# A client that answers one of these does not support event type changes.
_DEAF: Final = (BAD_OPERATION, NO_IMPLEMENT, OBJECT_NOT_EXIST)
# With one of these a client may not have heard that its proxy is gone, and would wait for ever.
_UNHEARD: Final = (COMM_FAILURE, TIMEOUT, TRANSIENT)
# Seconds between attempts to tell it.
_TELL_AGAIN: Final = (0.1, 1.0, 10.0)
# Seconds until a resume by another protocol than CORBA is noticed.
_LOOK_AGAIN: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """Limits and timeouts of calls to clients.

    Attributes:
        window: Events queued ahead for one push consumer; calls are still made one at a time.
        call_seconds: For calls that transfer events.
        notice_seconds: For reporting changed event types or a disconnection.
        check_seconds: For asking a connecting client for its type.
        probe_seconds: Silence after which a client is probed.
    """

    window: int = 16
    call_seconds: float = 30.0
    notice_seconds: float = 10.0
    check_seconds: float = 5.0
    probe_seconds: float = 300.0
    probes_at_once: int = 16


class Calls:
    """Calls to clients, and the tasks that make them."""

    def __init__(self, orb: Orb, options: ClientOptions) -> None:
        self.orb = orb
        self.options = options
        self.events = SharedEvents(orb.options.limits.message_size)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run work in a background task."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def transfer(
        self,
        client: Reference,
        operation: Operation,
        arguments: tuple[Any, ...],
        *,
        retried: bool = False,
    ) -> Any:  # noqa: ANN401 - as various as the results of operations
        """Push or pull events; see `Orb.call`."""
        seconds = self.options.call_seconds
        return await self.orb.call(client, operation, arguments, seconds, retried=retried)

    async def tell(
        self, client: Reference, operation: Operation, arguments: tuple[Any, ...] = ()
    ) -> None:
        """Make a call that carries no events."""
        await self.orb.call(client, operation, arguments, self.options.notice_seconds)

    async def close(self) -> None:
        """Cancel all running calls."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Seat:
    """The proxy a client is connected to, as its endpoint sees it."""

    def __init__(self, host: Host, channel: int, proxy: int) -> None:
        self._host = host
        self._channels = host.channels
        self.address = channel, proxy

    @property
    def suspended(self) -> bool:
        """Return whether the connection is suspended."""
        channel = self._channels.get(self.address[0])
        proxy = None if channel is None else channel.proxies.get(self.address[1])
        return proxy is not None and proxy.suspended

    @property
    def origin(self) -> str:
        """Return the origin of the proxy's channel."""
        return self._channels.find(self.address[0]).origin

    def suspend(self) -> None:
        """Suspend the connection until the client connects again."""
        if not self.suspended:
            self._host.tell(Suspend(*self.address))

    def deaf(self) -> None:
        """Stop reporting event types to the client until it asks again."""
        mode = InfoMode.NONE_NOW_UPDATES_OFF
        self._host.tell(ObtainTypes(*self.address, mode))


class ClientEndpoint(Endpoint):
    """A client that initiates transfers itself: a push supplier or a pull consumer."""

    def __init__(self, calls: Calls, kind: Kind, client: Reference, seat: Seat) -> None:
        self.client = client
        self.kind = kind
        self.missed = 0
        """Consecutive failed probes without a sign of life from the client."""
        self.missed_at = 0.0
        """Loop time of the last failed probe."""
        self._calls = calls
        self._seat = seat
        self._loop = asyncio.get_running_loop()
        self.heard_at = self._loop.time()
        """Loop time of the client's last answer."""
        self._closed = False
        self._finishing = False
        self._task: asyncio.Task[None] | None = None
        self._changes = TypeChanges(self._tell_changes, calls.start)
        self._goodbye: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Return whether a call to the client is running."""
        return self.carries or self._changes.task is not None

    @property
    def carries(self) -> bool:
        """Return whether a call that transfers events is running."""
        return self._task is not None

    def finish(self) -> None:
        """Start no further calls; running ones may end and still count."""
        self._finishing = True

    def go_on(self) -> None:
        """Continue after the connection was resumed."""

    def ends_with_client(self) -> bool:
        """Whether the proxy ends now that its client does not exist any more."""
        return True

    def offers(self, added: Types, removed: Types) -> None:
        """Queue changed offers for a consumer."""
        if self.kind.side is Side.CONSUMER:
            self._changed(added, removed)

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Queue changed subscriptions for a supplier."""
        if self.kind.side is Side.SUPPLIER:
            self._changed(added, removed)

    def _changed(self, added: Types, removed: Types) -> None:
        if not self._closed and self.kind.notice is not None:
            self._changes.add(added, removed)

    async def _tell_changes(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        if self._closed or self._finishing:
            return
        assert self.kind.notice is not None
        try:
            await self._calls.tell(self.client, self.kind.notice, (added, removed))
            self.heard_at = self._loop.time()
        except _DEAF:
            self._changes.clear()
            self._seat.deaf()
        except TidingsError as error:
            _log.info("a client was not told of changed event types: %s", error)

    def disconnected(self) -> None:
        """Tell the client once, after the running call, that its proxy is gone."""
        if not self._closed:
            self._goodbye = self._calls.start(self._say_goodbye(self._under_way()))
        self.close()

    def _under_way(self) -> asyncio.Future[None] | None:
        """Return a future for the end of the running event call, if any."""
        return self._task

    async def _say_goodbye(self, running: asyncio.Future[None] | None) -> None:
        if running is not None:
            await asyncio.wait([running])
        for pause in (*_TELL_AGAIN, None):
            try:
                await self._calls.tell(self.client, self.kind.goodbye)
            except TidingsError as error:
                _log.debug("a client was not told that it is disconnected: %s", error)
                if isinstance(error, _UNHEARD) and pause is not None:
                    await asyncio.sleep(pause)
                    continue
            return

    def close(self, error: Exception | None = None) -> None:
        """Stop calling the client; a running call may end, but its result is ignored."""
        self._closed = True

    def cancel(self) -> None:
        """Cancel the running calls."""
        for task in (self._task, self._changes.task):
            if task is not None:
                task.cancel()


class PushConsumerEndpoint(ClientEndpoint):
    """A push consumer, called with one event or batch at a time.

    An event is acknowledged when its call returns. If a call fails, it and everything queued behind
    it fails, so redelivery keeps the order. Events that cannot be encoded for this client are not
    retried.
    """

    def __init__(self, calls: Calls, kind: Kind, client: Reference, seat: Seat) -> None:
        super().__init__(calls, kind, client, seat)
        assert kind.transfer is not None
        push = calls.events.operation(kind.transfer, kind.form, kind.write)
        self._origin = seat.origin
        self._push = push.replace(contexts=path_context((self._origin,)))
        self._again = calls.orb.repeated(
            client,
            self._push,
            self._called,
            seconds=calls.options.call_seconds,
            octets=calls.events.octets(self._push, kind.form, kind.write),
        )
        self._handed: list[Message] = []
        self._queue: deque[list[Message]] = deque()
        self._taken: list[int] = []
        self._address = seat.address
        self._timer: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[None] | None = None

    @property
    def carries(self) -> bool:
        """Return whether a call with events is running."""
        return self._again.under_way or super().carries

    def _under_way(self) -> asyncio.Future[None] | None:
        if not self._again.under_way:
            return self._task
        self._ended = self._loop.create_future()
        return self._ended

    def cancel(self) -> None:
        """Cancel the running calls."""
        super().cancel()
        self._again.cancel()

    def deliver(self, batch: EventBatch) -> None:
        """Queue events for the calls."""
        if self._closed:
            return
        if self.kind.form is Form.SEQUENCE:
            # A call carries one path: events that passed other channels need another call.
            self._queue += [list(run) for _, run in groupby(batch.messages, _hops)]
        else:
            self._queue += [[message] for message in batch.messages]
        self._begin()

    def go_on(self) -> None:
        """Continue with events queued before the connection was suspended."""
        self._begin()

    def _begin(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is None and not self._again.under_way:
            self._call()

    def _call(self) -> None:
        """Make the next call: at once over an open connection, otherwise in a task."""
        while self._queue and not self._is_held():
            messages = self._queue[0]
            try:
                begun = not messages[0].hops and self._again.begin(messages)
            except UnwritableError as error:
                self._queue.popleft()
                self._refuse(messages, error)
                continue
            if begun:
                self._handed = self._queue.popleft()
            else:
                self._task = self._calls.start(self._run())
            return

    def _is_held(self) -> bool:
        """Return whether calls must wait; recheck a suspended connection later."""
        if self._finishing:
            return True
        if self._seat.suspended:
            self._timer = self._loop.call_later(_LOOK_AGAIN, self._begin)
            return True
        return False

    def _called(self, _result: object, error: Exception | None) -> None:
        """Handle the end of a call made without a task."""
        messages, self._handed = self._handed, []
        if isinstance(error, CallAgain) and not self._closed:
            self._queue.appendleft(messages)
            self._task = self._calls.start(self._run(retried=error.retried))
        else:
            self._outcome(messages, error)
        if self._ended is not None:
            self._ended.set_result(None)
        elif self._task is None:
            self._call()

    async def _run(self, *, retried: bool = False) -> None:
        try:
            if self._queue and not self._is_held():
                await self._hand_over(self._queue.popleft(), retried=retried)
        finally:
            self._task = None
        self._call()  # without a task, if that is possible by now

    async def _hand_over(self, messages: list[Message], *, retried: bool) -> None:
        push, hops = self._push, messages[0].hops
        if hops:
            push = push.replace(contexts=path_context((*hops, self._origin)))
        try:
            await self._calls.transfer(self.client, push, (messages,), retried=retried)
        except (UnwritableError, TidingsError) as error:
            self._outcome(messages, error)
        else:
            self._outcome(messages, None)

    def _outcome(self, messages: list[Message], error: Exception | None) -> None:
        """Handle the result of a call."""
        if error is None:
            self.heard_at = self._loop.time()
            self._taken += [message.seq for message in messages]
            self.flush()
        elif isinstance(error, UnwritableError):
            self._refuse(messages, error)
        else:
            self._fail(messages, error, gone=isinstance(error, _GONE))

    def flush(self) -> None:
        """Acknowledge the delivered events."""
        if self._taken and not self._closed:
            taken, self._taken = self._taken, []
            self._answers.ack(*self._address, taken)

    def _refuse(self, messages: list[Message], error: UnwritableError) -> None:
        if self._closed:
            return
        if len(messages) > 1:  # send separately what fits and what never will
            fits = error.fits or 1
            self._queue.extendleft((messages[fits:], messages[:fits]))
        else:
            self.flush()
            self._answers.reject(*self._address, [messages[0].seq], str(error))

    def _fail(self, messages: list[Message], error: Exception, *, gone: bool) -> None:
        self.flush()
        seqs = [message.seq for message in messages]
        for waiting in self._queue:
            seqs += [message.seq for message in waiting]
        self._queue.clear()
        if not self._closed:
            self._answers.failed(*self._address, seqs, _reason(error), gone)

    def close(self, error: Exception | None = None) -> None:
        """Stop calling the consumer."""
        self.flush()
        super().close(error)
        self._queue.clear()
        if self._timer is not None:
            self._timer.cancel()


class SubscriberEndpoint(PushConsumerEndpoint):
    """A subscriber of change notices: if it cannot be reached, its notices wait until it is back.

    Nothing is tried again meanwhile, and no notice is given up.
    """

    _preparing: asyncio.Task[None] | None = None

    def ends_with_client(self) -> bool:
        """Keep the proxy: the subscriber can come back."""
        self._seat.suspend()
        return False

    def _is_held(self) -> bool:
        """Return whether calls must wait: also for documents that take a while."""
        if super()._is_held():
            return True
        if self.kind.write is not write_xml:
            return False
        events = [one.event for one in self._queue[0]]
        if self._preparing is None and not DOCUMENTS.are_ready(events):
            self._preparing = self._calls.start(self._prepare(events))
        return self._preparing is not None

    async def _prepare(self, events: list[StructuredEvent]) -> None:
        await prepare_documents(events)
        self._preparing = None
        self._begin()

    def _fail(self, messages: list[Message], error: Exception, *, gone: bool) -> None:
        if gone or isinstance(error, _UNHEARD):
            self._seat.suspend()
        super()._fail(messages, error, gone=False)


async def prepare_documents(events: Iterable[StructuredEvent]) -> None:
    """Make notices into XML documents beside the loop, if that takes a while."""
    for one in events:
        if not DOCUMENTS.are_ready((one,)):
            await beside(partial(DOCUMENTS.make, one))


class PullSupplierEndpoint(ClientEndpoint):
    """A pull supplier, polled when the engine says so."""

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Poll the supplier; raise Disconnected if it no longer exists."""
        if self._finishing:
            return ()
        self._task = asyncio.current_task()
        try:
            return await self._ask(most)
        finally:
            self._task = None

    async def _ask(self, most: int) -> Sequence[Item]:
        assert self.kind.transfer is not None
        sequence = self.kind.form is Form.SEQUENCE
        arguments = (most,) if sequence else ()
        try:
            found = await self._calls.transfer(self.client, self.kind.transfer, arguments)
        except _GONE as error:
            raise Disconnected(_reason(error)) from error
        self.heard_at = self._loop.time()
        value, has_event = found
        if not has_event:
            return ()
        if sequence:
            return self._readable(value)
        return (any_in(value) if self.kind.form is Form.ANY else event_in(value),)

    def _readable(self, batch: Sequence[WireEvent]) -> Sequence[Item]:
        """Return the valid events of a batch; the supplier cannot resend, so drop only bad ones."""
        found: list[Item] = []
        for event in batch:
            try:
                found.append(event_in(event))
            except InvalidEvent as error:
                _log.warning("an event of a pull supplier cannot be taken: %s", error)
        return found


def endpoint_for(calls: Calls, kind: Kind, client: Reference, seat: Seat) -> ClientEndpoint:
    """Return the endpoint for a client of this kind."""
    if kind.transfer is None:
        return ClientEndpoint(calls, kind, client, seat)
    if kind.side is Side.CONSUMER:
        made = SubscriberEndpoint if kind.dialect else PushConsumerEndpoint
        return made(calls, kind, client, seat)
    return PullSupplierEndpoint(calls, kind, client, seat)


def _hops(message: Message) -> tuple[str, ...]:
    return message.hops


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, SystemException) else type(error).__name__
