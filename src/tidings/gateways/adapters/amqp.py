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
from collections.abc import Awaitable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any, Final, Literal, NamedTuple, TypeVar

import aio_pika
import msgspec
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractIncomingMessage
from aio_pika.exceptions import AMQPError

from tidings.clock import SystemClock
from tidings.errors import InvalidEvent, TidingsError
from tidings.events.anyvalue import Value, pack
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.codecs.json_text import MAX_EVENT_OCTETS
from tidings.events.fields import plain
from tidings.events.standard_header import utc
from tidings.events.structured import StructuredEvent
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.marks import PROPERTY, Mark, mark_of_text, mark_text
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.writing import Surplus, Test, conjunctions, formula_of
from tidings.gateways import properties as p
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

log = logging.getLogger(__name__)

_T = TypeVar("_T")
_BATCH: Final = 256
# Seconds until an answer or a confirmation that does not come counts as lost.
_PATIENCE: Final = 30.0
# Seconds for the last acknowledgements.
_CLOSING: Final = 2.0
_MOST_BINDINGS: Final = 64
# Octets of a header's name (the client cuts off the rest), of a value that a binding asks for, of
# all headers (they must fit into one frame, which usually has 128 KiB), and of a queue's name.
_MOST_NAME, _MOST_ASKED, _MOST_HEADERS, _MOST_QUEUE = 128, 1_024, 100_000, 200
_MOST_LIFETIME: Final = 2**32 - 1
_HIGHEST_PRIORITY: Final = 9
_LOWEST_NUMBER, _HIGHEST_NUMBER = -(2**63), 2**63 - 1
_MATCH: Final = "x-match"

Headers = dict[str, Any]


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
        heartbeat: Seconds; a broker that is silent for two of them is lost.
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


# Events and messages.


def headers_of(event: StructuredEvent, mark: Mark) -> Headers:
    """Return the headers of an event's message; `PARTLY` if they are not all its properties."""
    headers: Headers = {**p.fixed(event), PROPERTY: mark_text(mark)}
    room, partly = _MOST_HEADERS, False
    for name, value in p.visible(event):
        try:
            given, comparable = _header(value)
        except _Unfit:
            partly = True
            continue
        size = 4 * (len(name) + len(str(given)))
        if not _can_be(name) or size > room:
            partly = True
            continue
        room -= size
        headers[name] = given
        partly = partly or not comparable
    if partly:
        headers[p.PARTLY] = True
    return headers


class _Unfit(Exception):
    """A value that no header can have."""


def _can_be(name: str) -> bool:
    return name != _MATCH and len(name.encode()) <= _MOST_NAME


def _header(value: Value) -> tuple[Any, bool]:
    """Return a value as a header's, and whether the broker compares it as our filters do."""
    found = plain(value)
    if isinstance(found, str):  # a character or a label is another kind than a text
        return str(found), type(found) is str
    if isinstance(found, bool | int | float | Decimal):
        return _table_value(found), type(found) is not Decimal
    return _table_value(value), True


def _table_value(value: object) -> Any:  # noqa: ANN401
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int) and _LOWEST_NUMBER <= value <= _HIGHEST_NUMBER:
        return value
    if isinstance(value, float) and isfinite(value):  # the broker ends the connection at others
        return value
    if isinstance(value, bytes):
        return bytearray(value)
    if isinstance(value, tuple):
        return [_table_value(one) for one in value]
    if isinstance(value, dict) and all(len(name.encode()) <= _MOST_NAME for name in value):
        return {name: _table_value(one) for name, one in value.items()}
    if isinstance(value, Decimal) and abs(int(value.scaleb(_scale(value)))) < 2**31:
        return value
    raise _Unfit


def _scale(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or not -255 <= exponent <= 0:
        raise _Unfit
    return -exponent


def message_of(event: StructuredEvent, mark: Mark, now: int) -> aio_pika.Message:
    """Return the message that stands for an event; a LimitExceeded if it is too large."""
    body = encode_event(event)
    life = p.lifetime(event, now)
    return aio_pika.Message(
        body,
        headers=headers_of(event, mark),
        content_type=p.CONTENT_TYPE,
        type=event.name if len(event.name.encode()) <= _MOST_NAME else None,
        delivery_mode=aio_pika.DeliveryMode(1 + p.is_persistent(event)),
        priority=p.level_of(event.header.get("Priority")),
        expiration=None if life is None or life > _MOST_LIFETIME else timedelta(milliseconds=life),
    )


def arrival_of(message: AbstractIncomingMessage, handle: object) -> Arrival:
    """Return the event that stands for a message, of ours or of a foreign client."""
    headers = dict(message.headers)
    text = headers.pop(PROPERTY, None)
    mark = None
    if isinstance(text, str):
        with suppress(InvalidEvent):
            mark = mark_of_text(text)
    if message.content_type == p.CONTENT_TYPE:
        with suppress(TidingsError):
            return Arrival(decode_event(message.body), mark, handle=handle)
    found: dict[str, Value] = {}
    for name, value in headers.items():
        with suppress(InvalidEvent):  # a name or a text that no property can have
            found.update(_properties({name: value}))
    event = p.foreign_event(found, _context(message), _body(message))
    return Arrival(event, mark, handle=handle)


def _properties(table: Mapping[str, Any]) -> dict[str, Value]:
    packed = pack({name: _value(value) for name, value in table.items()})
    assert isinstance(packed, dict)
    return packed


def _value(value: Any) -> object:  # noqa: ANN401
    """Return what a header's value is in an event.

    Brokers compare a decimal with no other number, and we must not call equal what they do not:
    it becomes a structure, which no filter compares.
    """
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, datetime):
        return utc(value)
    if isinstance(value, list):
        return [_value(one) for one in value]
    if isinstance(value, dict):
        return {name: _value(one) for name, one in value.items()}
    return value


def _context(message: AbstractIncomingMessage) -> dict[str, Value]:
    """The event header of a foreign message."""
    header: dict[str, Value] = {"EventReliability": int(message.delivery_mode == 2)}
    if message.priority:
        header["Priority"] = p.priority_of(message.priority)
    if message.expiration is not None and isinstance(message.expiration, int | float):
        header["Timeout"] = p.timeout(round(message.expiration * 1_000))
    native = {
        name: text
        for name in ("routing_key", "type", "app_id", "message_id", "correlation_id", "reply_to")
        if (text := getattr(message, name))
    }
    if native:
        with suppress(InvalidEvent):
            header[p.NATIVE] = pack(native)
    return header


def _body(message: AbstractIncomingMessage) -> Value:
    kind = (message.content_type or "").partition(";")[0]
    if not message.body:
        return None
    if kind.startswith("text/") or kind == "application/json":
        with suppress(UnicodeDecodeError, msgspec.DecodeError, InvalidEvent):
            text = message.body.decode()
            return pack(msgspec.json.decode(text) if kind == "application/json" else text)
    return message.body


# Filters and bindings.


class Bindings(NamedTuple):
    """A filter as bindings.

    Attributes:
        alternatives: For each binding the headers that it asks for; None for any value.
        exact: Whether they select nothing else.
        surplus: What else, in words.
    """

    alternatives: tuple[Headers, ...]
    exact: bool
    surplus: str


_seen = p.names(_can_be)


def bindings_of(wanted: Constraint) -> Bindings:
    """Write a filter as bindings of a headers exchange, which never select fewer events."""
    surplus = Surplus()
    rows = conjunctions(formula_of(wanted, _seen, surplus), _MOST_BINDINGS, surplus)
    found = [asked for row in rows if (asked := _asked(row, surplus)) is not None]
    return Bindings(tuple(_distinct(found)), surplus.exact, surplus.text)


def _asked(tests: Iterable[Test], surplus: Surplus) -> Headers | None:
    """What a binding asks for so that all tests hold; None if they never do."""
    asked: Headers = {}
    for (name, _, _), operator, value in tests:
        given: object = None
        if operator in ("==", "is") and len(str(value)) <= _MOST_ASKED:
            given = value
        elif operator != "exist":
            surplus.add(f"any {name}, since bindings ask for equal values alone")
        if operator == "absent":
            continue
        before = asked.get(name)
        if given is not None and before is not None and _kind(before) != _kind(given):
            return None
        asked[name] = before if given is None else given
    return asked


def _kind(value: object) -> tuple[bool, object]:
    return isinstance(value, bool), value


def _distinct(found: Iterable[Headers]) -> list[Headers]:
    kept = {frozenset((name, _kind(value)) for name, value in one.items()): one for one in found}
    return [{}] if frozenset() in kept else list(kept.values())


def _words(alternatives: Sequence[Headers]) -> str:
    shown = [
        " and ".join(
            name if value is None else f"{name} = {value!r}" for name, value in one.items()
        )
        for one in alternatives
    ]
    return " or ".join(one or "every message" for one in shown) or "nothing"


# The adapter.


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
        self._connection = await aio_pika.connect(
            host=given.host, port=self._port, login=given.user, password=given.password,
            virtualhost=given.virtual_host, ssl=given.tls, ssl_context=context,
            timeout=_PATIENCE, heartbeat=given.heartbeat,
        )  # fmt: skip
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
                await self._answer(connection.close())

    async def lost(self) -> str:
        """Wait until the connection or a channel is closed, or the queue deleted."""
        return await asyncio.shield(self._lost)

    async def _answer(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Return what the broker answers; AdapterError with its words if it refuses or is gone.

        The client cancels whoever waits when a connection breaks: never the gateway's own task.
        """
        task = asyncio.create_task(work)
        try:
            await asyncio.wait((task,), timeout=_PATIENCE)
        finally:
            if not task.done():
                task.cancel()
        if not task.done():
            raise AdapterError(f"{self._where} has not answered for {_PATIENCE:.0f} s")
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
        alternatives = _distinct(row for one in found for row in one.alternatives)
        await self._answer(self._bind(alternatives) if alternatives else self._unbind())
        self._filters = tuple(filters)
        return [Placed(_words(one.alternatives), one.exact, one.surplus) for one in found]

    async def _bind(self, alternatives: Sequence[Headers]) -> None:
        assert self._connection is not None
        async with self._connection.channel() as channel:
            arguments: dict[str, Any] = {"x-queue-type": self.parameters.queue_type}
            if self.parameters.queue_type == "classic":
                arguments["x-max-priority"] = _HIGHEST_PRIORITY
            queue = await channel.declare_queue(self._queue, durable=True, arguments=arguments)
            if self._slot is None:  # what an earlier life has left may be in either slot: add first
                self._slot = 0
                await self._fill(channel, queue, 0, alternatives)
            await channel.exchange_delete(self._slot_name(1 - self._slot))
            await self._fill(channel, queue, 1 - self._slot, alternatives)
            await channel.exchange_delete(self._slot_name(self._slot))
            self._slot = 1 - self._slot
        if self._window is None:
            await self._consume()

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
            await place.bind(self.parameters.exchange, arguments={_MATCH: "all-with-x", **asked})

    async def _unbind(self) -> None:
        assert self._connection is not None
        window, self._window, self._slot = self._window, None, None
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
                arrival = arrival_of(message, (window, message.delivery_tag))
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
            try:
                message = message_of(event, mark, now)
            except TidingsError as error:
                answers.append(Refused(str(error)))
                continue
            answers.append(None)
            key = event.name if len(event.name.encode()) <= _MOST_NAME else ""
            waiting.append(self._exchange.publish(message, key, mandatory=False))
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
    """Return the words of an error, which may be inside another one."""
    if error is None:
        return "the connection was closed"
    return str(error) or type(error).__name__
