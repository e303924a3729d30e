"""AMQP 0-9-1 brokers such as RabbitMQ, through a headers exchange.

An event's properties are the headers of its message, and the whole event is the body. One durable
queue per side holds what the broker hands over. Filters are bindings, which ask for equal values
only; so the queue gets more than is wanted, each event once. ::

    exchange ── a binding per alternative ──> slot 0 or 1 ──> queue of the side

The bindings go to one of two slots, exchanges of the side's own: another set of filters goes to the
other slot, and then the first one is deleted with its bindings. Nothing is missed between the two.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import ssl
from collections.abc import Awaitable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple, TypeVar

import aio_pika
import msgspec
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractIncomingMessage
from aio_pika.exceptions import AMQPError
from aiormq.exceptions import InvalidFrameError

from tidings.clock import SystemClock
from tidings.errors import TidingsError
from tidings.events.codecs.json_text import MAX_EVENT_OCTETS
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.filters.constraint import Constraint
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Heard,
    Outgoing,
    Placed,
    Refused,
    Side,
)
from tidings.gateways.brokers import properties as p
from tidings.gateways.brokers.amqp_messages import (
    MATCH,
    Headers,
    bindings_of,
    distinct,
    event_of,
    message_of,
    routing_key,
    words,
)

log = logging.getLogger(__name__)

_T = TypeVar("_T")
_BATCH: Final = 256
# Seconds until an answer or a confirmation that does not come counts as lost.
_PATIENCE: Final = 30.0
# Seconds for the last acknowledgements, and to say good-bye.
_CLOSING: Final = 2.0
_MOST_QUEUE: Final = 200
_HIGHEST_PRIORITY: Final = 9


class AmqpParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which exchange.

    Attributes:
        host: Where the broker is.
        port: Its port; 0 for the usual one, 5672 or (with TLS) 5671.
        virtual_host: The virtual host.
        user: Who the gateway is there.
        password: Its password.
        tls: Whether the connection is encrypted and the broker's certificate checked.
        ca_file: The authorities that are trusted; empty for those of the machine.
        exchange: The headers exchange; it is created, durable, if it is missing.
        queue_type: Of the side's queue: `classic`, or `quorum`, which is replicated and knows no
            priorities.
        prefetch: Events that the broker hands over before the first is acknowledged.
        heartbeat: Seconds between signs of life; a broker that is silent for six times as long
            is lost.
    """

    host: str = "127.0.0.1"
    port: int = 0
    virtual_host: str = "/"
    user: str = "guest"
    password: str = "guest"
    tls: bool = False
    ca_file: str = ""
    exchange: str = "tidings"
    queue_type: Literal["classic", "quorum"] = "classic"
    prefetch: int = 512
    heartbeat: int = 10


class _Window(NamedTuple):
    """A consumer's channel, and what it was given and has not acknowledged."""

    channel: AbstractChannel
    unacknowledged: set[int]


class AmqpAdapter(Adapter[AmqpParameters]):
    """The adapter of a headers exchange."""

    Parameters = AmqpParameters
    secrets = ("password",)
    capabilities = Capabilities(
        kind="amqp",
        promise="at least once: twice only around a failure",
        filtering=Filtering.SUBJECT,
        holds=True,
        confirms=True,
        marks=True,
        control=True,
        nested=True,
        most_octets=MAX_EVENT_OCTETS,
        priority=Survival.PARTLY,
        order=Survival.KEPT,
        lifetime=Survival.KEPT,
        reliability=Survival.KEPT,
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: AmqpParameters) -> None:
        super().__init__(side, parameters)
        if parameters.queue_type == "quorum":
            self.capabilities = msgspec.structs.replace(
                self.capabilities, priority=Survival.LOST, reliability=Survival.PARTLY
            )
        whole = f"federation {side.system}/{side.gateway}/{side.adapter} {parameters.exchange}"
        digest = hashlib.sha256(whole.encode()).hexdigest()[:16]
        self._queue = whole if len(whole.encode()) <= _MOST_QUEUE else f"federation {digest}"
        self._port = parameters.port or (5671 if parameters.tls else 5672)
        self._where = f"the broker at {parameters.host}:{self._port}"
        self._clock = SystemClock()
        self._connection: AbstractConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def connect(self, heard: Heard) -> None:
        """Connect, and find or create the exchange."""
        self._heard = heard
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._arrived: asyncio.Queue[tuple[_Window, AbstractIncomingMessage]] = asyncio.Queue()
        self._taken: asyncio.Queue[tuple[_Window, int] | None] = asyncio.Queue()
        self._window: _Window | None = None
        self._slot: int | None = None
        self._bound: Sequence[Headers] = ()
        self._filters: tuple[Constraint, ...] = ()
        try:
            await self._answer(self._connect())
        except AdapterError:
            await self.disconnect()
            raise
        self._tasks = [asyncio.create_task(one()) for one in (self._read, self._acknowledge)]

    async def _connect(self) -> None:
        given = self.parameters
        context = ssl.create_default_context(cafile=given.ca_file or None) if given.tls else None
        try:
            self._connection = await aio_pika.connect(
                host=given.host, port=self._port, login=given.user, password=given.password,
                virtualhost=given.virtual_host, ssl=given.tls, ssl_context=context,
                timeout=_PATIENCE, heartbeat=given.heartbeat,
            )  # fmt: skip
        except InvalidFrameError as error:  # the client drops the broker's words
            raise AdapterError(
                f"{self._where} does not open the virtual host {given.virtual_host!r} to "
                f"{given.user!r}: it is not there, or not the user's"
            ) from error
        self._connection.close_callbacks.add(self._hang_up)
        self._writing = await self._channel(publisher_confirms=True)
        self._exchange = await self._writing.declare_exchange(
            given.exchange, aio_pika.ExchangeType.HEADERS, durable=True
        )

    async def _channel(self, *, publisher_confirms: bool) -> AbstractChannel:
        assert self._connection is not None
        channel = await self._connection.channel(publisher_confirms=publisher_confirms)
        channel.close_callbacks.add(self._hang_up)
        return channel

    def _hang_up(self, _: object, cause: BaseException | None = None) -> None:
        if not self._lost.done():
            self._lost.set_result(f"{self._where}: {_cause(cause)}")

    async def disconnect(self) -> None:
        """Leave the broker; the queue stays there."""
        tasks, self._tasks = self._tasks, []
        if tasks:
            self._taken.put_nowait(None)  # what was taken is acknowledged
            await asyncio.wait(tasks[1:], timeout=_CLOSING)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(AdapterError):
                await self._answer(connection.close(), _CLOSING)

    async def lost(self) -> str:
        """Wait until the connection or a channel is closed, or the queue deleted."""
        return await asyncio.shield(self._lost)

    async def _answer(self, work: Coroutine[Any, Any, _T], patience: float = _PATIENCE) -> _T:
        """Return what the broker answers; AdapterError with its words if it refuses or is gone.

        The client cancels whoever waits when a connection breaks: never the gateway's own task.
        """
        task = asyncio.create_task(work)
        try:
            await asyncio.wait((task,), timeout=patience)
        finally:
            if not task.done():
                task.cancel()
        if not task.done():
            raise AdapterError(f"{self._where} has not answered for {patience:.0f} s")
        if task.cancelled():
            raise AdapterError(f"{self._where}: the connection is lost")
        error = task.exception()
        if isinstance(error, AMQPError | OSError | RuntimeError):
            raise AdapterError(f"{self._where}: {_cause(error)}") from error
        return task.result()

    # What is wanted.

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Bind the side's queue; without filters, delete it."""
        if self._connection is None or self._lost.done():
            raise AdapterError(f"{self._where} is not connected")
        found = [bindings_of(one) for one in filters]
        alternatives = distinct(row for one in found for row in one.alternatives)
        await self._answer(self._bind(alternatives) if alternatives else self._unbind())
        self._filters = tuple(filters)
        return [Placed(words(one.alternatives), one.exact, one.surplus) for one in found]

    async def _bind(self, alternatives: Sequence[Headers]) -> None:
        assert self._connection is not None
        if alternatives == self._bound:
            return
        async with self._connection.channel() as channel:
            arguments: dict[str, Any] = {"x-queue-type": self.parameters.queue_type}
            if self.parameters.queue_type == "classic":
                arguments["x-max-priority"] = _HIGHEST_PRIORITY
            queue = await channel.declare_queue(self._queue, durable=True, arguments=arguments)
            if self._slot is None:  # what an earlier life has left may be in either slot: add first
                await self._fill(channel, queue, 0, alternatives)
                self._slot = 0
            await channel.exchange_delete(self._slot_name(1 - self._slot))
            await self._fill(channel, queue, 1 - self._slot, alternatives)
            await channel.exchange_delete(self._slot_name(self._slot))
            self._slot = 1 - self._slot
        if self._window is None:
            await self._consume()
        self._bound = alternatives

    async def _consume(self) -> None:
        reading = await self._channel(publisher_confirms=False)
        window = self._window = _Window(reading, set())
        await reading.set_qos(prefetch_count=self.parameters.prefetch)
        underlay = await reading.get_underlay_channel()
        underlay.on_consumer_cancel_callbacks.add(self._queue_gone)

        async def incoming(message: AbstractIncomingMessage) -> None:
            if message.delivery_tag is not None:
                window.unacknowledged.add(message.delivery_tag)
                self._arrived.put_nowait((window, message))

        queue = await reading.get_queue(self._queue, ensure=False)
        await queue.consume(incoming)

    async def _fill(
        self,
        channel: AbstractChannel,
        queue: aio_pika.abc.AbstractQueue,
        slot: int,
        alternatives: Sequence[Headers],
    ) -> None:
        place = await channel.declare_exchange(
            self._slot_name(slot), aio_pika.ExchangeType.FANOUT, durable=True, internal=True
        )
        await queue.bind(place)
        for asked in (*alternatives, {p.PARTLY: True}):
            await place.bind(self.parameters.exchange, arguments={MATCH: "all-with-x", **asked})

    async def _unbind(self) -> None:
        assert self._connection is not None
        window, self._window, self._slot, self._bound = self._window, None, None, ()
        if window is not None:
            window.channel.close_callbacks.discard(self._hang_up)
            await window.channel.close()
        async with self._connection.channel() as channel:
            for slot in (0, 1):
                await channel.exchange_delete(self._slot_name(slot))
            await channel.queue_delete(self._queue)

    def _slot_name(self, slot: int) -> str:
        return f"{self._queue} slot {slot}"

    def _queue_gone(self, _: object) -> None:
        if not self._lost.done():
            self._lost.set_result(f"{self._where}: the queue {self._queue} was deleted")

    # What is handed over.

    async def _read(self) -> None:
        while True:
            arrivals = []
            for window, message in await _some(self._arrived):
                handle = (window, message.delivery_tag)
                arrival = Arrival(*event_of(message), handle=handle)
                if p.PARTLY in message.headers and not p.is_wanted(arrival.event, self._filters):
                    self.taken((arrival,))
                else:
                    arrivals.append(arrival)
            try:
                await self._heard(arrivals)
            except Exception as fault:
                log.exception("events of %s could not be taken", self._where)
                self._hang_up(self, fault)
                return

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Acknowledge events; those of an earlier connection come again anyway."""
        for arrival in arrivals:
            window: _Window
            window, tag = arrival.handle
            if window is self._window and tag in window.unacknowledged:
                window.unacknowledged.discard(tag)
                self._taken.put_nowait((window, tag))

    async def _acknowledge(self) -> None:
        found: list[tuple[_Window, int] | None] = []
        while None not in found:
            found = await _some(self._taken)
            window = self._window
            tags = sorted(one[1] for one in found if one is not None and one[0] is window)
            if window is not None and tags:
                with suppress(AMQPError, OSError, RuntimeError):  # `lost` tells
                    await _acknowledge(window, tags)

    # What is published.

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events; return when the broker has confirmed each."""
        if self._connection is None or self._lost.done():
            raise AdapterError(f"{self._where} is not connected")
        now = self._clock.now()
        answers: list[Refused | None] = []
        waiting: list[Awaitable[Any]] = []
        for event, mark in events:
            answers.append(None)
            if p.lifetime(event, now) == 0:  # nobody would get it
                continue
            try:
                message = message_of(event, mark, now)
            except TidingsError as error:
                answers[-1] = Refused(str(error))
                continue
            waiting.append(self._exchange.publish(message, routing_key(event), mandatory=False))
        await self._answer(_all(waiting))
        return answers


async def _acknowledge(window: _Window, tags: Sequence[int]) -> None:
    """Acknowledge with one frame what is older than all that is not taken yet."""
    channel = await window.channel.get_underlay_channel()
    oldest = min(window.unacknowledged, default=tags[-1] + 1)
    together = [tag for tag in tags if tag < oldest]
    if together:
        await channel.basic_ack(together[-1], multiple=True)
    for tag in tags[len(together) :]:
        await channel.basic_ack(tag)


async def _all(work: Sequence[Awaitable[Any]]) -> None:
    await asyncio.gather(*work)


async def _some(queue: asyncio.Queue[_T]) -> list[_T]:
    """Wait for one, and take what else is there."""
    found = [await queue.get()]
    while len(found) < _BATCH and not queue.empty():
        found.append(queue.get_nowait())
    return found


def _cause(error: BaseException | None) -> str:
    if error is None:
        return "the connection was closed"
    if isinstance(error, asyncio.CancelledError):  # so the client says it
        return "the connection broke, or its heart-beat has stopped"
    return str(error) or type(error).__name__
