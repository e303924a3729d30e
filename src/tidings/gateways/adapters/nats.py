"""NATS: a stream of JetStream, which holds events and numbers them; or core NATS, at most once.

A push consumer reads the stream. On every connection it is made anew, behind the last event up to
which all were acknowledged, so that what was not comes again at once, and in order. It has one of
two names in turn: the old one is deleted when the new one is there, and a crash in between loses
nothing.

The mark is the `Nats-Msg-Id`, by which the server drops what is published twice;
`gateways/messages.py` has the form of messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import re
from collections.abc import Coroutine, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo, DeliverPolicy
from nats.js.client import JetStreamContext
from nats.js.errors import NotFoundError

from tidings.errors import InvalidUsage, LimitExceeded
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.marks import Mark, mark_text
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.topics import NATS, Template
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
from tidings.gateways.messages import (
    CONTENT_TYPE,
    EVENT,
    Message,
    Names,
    event_of,
    message_of,
    whole,
)
from tidings.gateways.subscriptions import subscriptions, template_of
from tidings.gateways.tls import tls_context

log = logging.getLogger(__name__)

MOST_WAITING: Final = 10_000
"""Messages of core NATS in memory: the server does not wait with them, so more are dropped."""
MOST_HEADER: Final = 65_535
"""Octets of a message's header in a stream."""
MOST_SUBJECT: Final = 3_000
"""Octets of a subject: a line of the protocol, 4,096 by default, has more to say."""
USUAL_OCTETS: Final = 1_048_576
"""Octets of a message that a server takes unless it is set up differently."""
KEPT: Final = 7 * 86_400
"""Seconds for which a stream that the adapter creates keeps events."""
_SEVERAL_FILTERS: Final = (2, 10)
"""The first version whose consumers filter by several subjects; those before ignore them."""
_BATCH: Final = 256
_CONNECT_TIME: Final = 5
_CLOSE_TIME: Final = 1.0
_ANSWER_TIME: Final = 20.0
_PING_INTERVAL: Final = 5
_HEARTBEAT: Final = 3.0
_NO_RESPONDERS: Final = "503"
_DENIED: Final = re.compile(
    r"permissions violation for (publish|subscription) to \"(.*)\"", re.DOTALL
)
# Errors of JetStream for one message that no later try changes: its size, its header's size.
_NEVER: Final = frozenset({10054, 10097})


class NatsParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which servers, and where in their subjects.

    Attributes:
        servers: The servers of one cluster, `nats://host:port`.
        subject: The subjects: texts and `{domain}`, `{type}`, `{name}` as whole tokens.
        stream: The stream of JetStream; empty for core NATS.
        create: Whether a missing stream is created.
        payload: `data` for an event's data as plain JSON; `event` for the whole event.
        user: The user.
        password: Its password.
        token: A token instead of both.
        tls: Whether the connection is encrypted.
        ca_file: Certificates of authorities; empty for those of the machine.
        cert_file: The gateway's certificate, if the server asks for one.
        key_file: The certificate's key.
        consumer: The consumer's name; empty for system, gateway and adapter.
        window: Messages on their way, each direction.
        ack_wait: Seconds after which the server hands over again what was not acknowledged.
    """

    servers: tuple[str, ...] = ("nats://127.0.0.1:4222",)
    subject: str = "tidings.{domain}.{type}.{name}"
    stream: str = "tidings"
    create: bool = False
    payload: Literal["data", "event"] = "data"
    user: str = ""
    password: str = ""
    token: str = ""
    tls: bool = False
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    consumer: str = ""
    window: Annotated[int, msgspec.Meta(ge=1, le=65_536)] = 1_024
    ack_wait: Annotated[float, msgspec.Meta(ge=1)] = 30.0


class NatsAdapter(Adapter[NatsParameters]):
    """The adapter of a stream, or of subjects without one."""

    Parameters = NatsParameters
    secrets = ("password", "token")
    capabilities = Capabilities(
        kind="nats",
        promise="at least once; the stream drops what is published again within its window",
        filtering=Filtering.SUBJECT,
        holds=True,
        confirms=True,
        marks=True,
        control=True,
        nested=True,
        most_octets=USUAL_OCTETS,
        priority=Survival.KEPT,
        order=Survival.KEPT,
        lifetime=Survival.PARTLY,  # it travels, and the stream does not act upon it
        reliability=Survival.KEPT,
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: NatsParameters) -> None:
        super().__init__(side, parameters)
        where = f"{side.adapter}: nats"
        self._template = template_of(parameters.subject, NATS, f"{where}: subject")
        for name in ("stream", "consumer"):
            if not re.fullmatch(r"[^\s.*>/\\]*", getattr(parameters, name)):
                raise InvalidUsage(f"{where}: {name}: a name without blanks and . * > / \\")
        if not parameters.servers or any("@" in server for server in parameters.servers):
            raise InvalidUsage(
                f"{where}: servers: nats://host:port, one or more; user, password and token are "
                "parameters of their own"
            )
        if not parameters.stream:
            self.capabilities = msgspec.structs.replace(
                self.capabilities,
                promise="at most once",
                holds=False,
                confirms=False,
                reliability=Survival.PARTLY,
            )
        self._place = f"NATS at {', '.join(parameters.servers)}"
        self._client: Client | None = None
        self._reader: _Reader | None = None

    # The connection.

    async def connect(self, heard: Heard) -> None:
        """Connect with a server, and find the stream."""
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._cause = ""
        self._denied: set[tuple[str, str]] = set()
        self._answers: dict[str, tuple[str, asyncio.Future[object]]] = {}
        self._numbers = itertools.count()
        self._client = client = Client()
        try:
            async with asyncio.timeout(_CONNECT_TIME):
                await self._open(client)
            self._inbox = client.new_inbox()
            if self.parameters.stream:
                await client.subscribe(f"{self._inbox}.*", cb=self._on_answer)
                stream = await _Stream.find(client, self.parameters, self._template)
                self._reader = _StreamReader(self, client, heard, stream)
            else:
                self._reader = _Reader(self, client, heard)
        except BaseException as error:
            await self.disconnect()
            if isinstance(error, NatsError | OSError | TimeoutError | ValueError | AdapterError):
                raise AdapterError(
                    f"{self._place}: {self._cause or str(error) or 'no answer'}"
                ) from error
            raise
        self.capabilities = msgspec.structs.replace(
            self.capabilities, most_octets=client.max_payload
        )

    async def _open(self, client: Client) -> None:
        own = self.parameters
        await client.connect(
            servers=list(own.servers),
            name="/".join(self.side[:3]),
            # The gateway connects again. nats-py tries every server once more, and without a
            # limit it would do so for ever.
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=_CONNECT_TIME,
            ping_interval=_PING_INTERVAL,
            no_echo=not own.stream,
            error_cb=self._on_error,
            closed_cb=self._on_closed,
            user=own.user or None,
            password=own.password or None,
            token=own.token or None,
            tls=tls_context(own.tls, own.ca_file, own.cert_file, own.key_file),
        )

    async def _on_error(self, error: Exception) -> None:
        denied = _DENIED.search(str(error).lower())
        if denied is None:
            self._cause = str(error) or repr(error)
            return
        verb, subject = denied.groups()
        self._denied.add((verb, subject))
        for sent, answer in list(self._answers.values()):
            if sent.lower() == subject and not answer.done():
                answer.set_result(_no_permission(sent))

    async def _on_closed(self) -> None:
        self.end(self._cause or "the connection is closed")

    def end(self, cause: str) -> None:
        """Say that the connection is over; what waits for an answer gets none."""
        if not self._lost.done():
            self._lost.set_result(f"{self._place}: {cause}")
        for _, answer in self._answers.values():
            if not answer.done():
                answer.set_result(None)
        self._answers.clear()

    async def disconnect(self) -> None:
        """Leave the server; the consumer stays there."""
        reader, self._reader = self._reader, None
        client, self._client = self._client, None
        if reader is not None:
            await _try(reader.stop())
        if client is not None:
            await _try(client.close())

    async def lost(self) -> str:
        """Wait until the connection is gone, or the consumer."""
        return await asyncio.shield(self._lost)

    def _there(self) -> Client:
        if self._client is None or self._lost.done():
            raise AdapterError(f"{self._place} is not connected")
        return self._client

    # What comes.

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Subscribe subjects by domain, type and name; the gateway filters the rest."""
        client = self._there()
        assert self._reader is not None
        wanted = subscriptions(self._template, filters, self._reader.most_patterns)
        try:
            await self._reader.read(wanted.patterns)
            await round_trip(client)
        except (NatsError, OSError) as error:
            raise AdapterError(f"{self._place}: {error}") from error
        wrong = [one for one in wanted.patterns if ("subscription", one.lower()) in self._denied]
        if wrong:
            self._denied.clear()
            raise AdapterError(f"{self._place}: no permission to subscribe {', '.join(wrong):.200}")
        return [Placed(*one) for one in wanted.placed]

    def arrival(self, message: Msg, stream: str = "", number: int = 0) -> Arrival | None:
        """Return what a message stands for; None if its subject is none of the template's."""
        parts = self._template.parts_of(message.subject)
        if parts is None:
            return None
        texts = {
            name: text
            for name, text in (message.headers or {}).items()
            if not name.startswith("Nats-")  # the server's own
        }
        whole = self.parameters.payload == "event"
        label = EVENT if whole else texts.get(CONTENT_TYPE, "")
        event, mark = event_of(Message(message.data, label, texts), Names(*parts))
        return Arrival(event, mark, stream, number, number)

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Acknowledge events."""
        if self._reader is not None:
            self._reader.taken(arrivals)

    # What goes.

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events, and wait until the stream has them."""
        client = self._there()
        made = [letter(one, self.parameters, self._template, client.max_payload) for one in events]
        try:
            async with asyncio.timeout(_ANSWER_TIME):
                if self.parameters.stream:
                    return await self._publish_to_stream(client, made)
                return await self._publish_to_all(client, made)
        except TimeoutError as error:
            raise AdapterError(f"{self._place} has not acknowledged an event in time") from error
        except (NatsError, OSError) as error:
            raise AdapterError(f"{self._place}: {error}") from error

    async def _publish_to_all(
        self, client: Client, made: Sequence[Letter | Refused]
    ) -> Sequence[Refused | None]:
        """Publish with core NATS; the server has read them when it answers a ping."""
        for one in made:
            if isinstance(one, Letter):
                await client.publish(one.subject, one.payload, headers=dict(one.headers))
        await round_trip(client)
        self._there()
        denied = {subject for verb, subject in self._denied if verb == "publish"}
        self._denied.clear()
        return [
            one
            if isinstance(one, Refused)
            else _no_permission(one.subject)
            if one.subject.lower() in denied
            else None
            for one in made
        ]

    async def _publish_to_stream(
        self, client: Client, made: Sequence[Letter | Refused]
    ) -> Sequence[Refused | None]:
        sent: list[Refused | asyncio.Future[object]] = []
        for at, one in enumerate(made):
            if at >= self.parameters.window:
                await self._settled(sent[at - self.parameters.window])
            sent.append(one if isinstance(one, Refused) else await self._send(client, one))
        return [await self._settled(one) for one in sent]

    async def _send(self, client: Client, one: Letter) -> asyncio.Future[object]:
        reply = f"{self._inbox}.{next(self._numbers)}"
        answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._answers[reply] = one.subject, answer
        await client.publish(one.subject, one.payload, reply=reply, headers=dict(one.headers))
        return answer

    async def _on_answer(self, message: Msg) -> None:
        _, answer = self._answers.pop(message.subject, ("", None))
        if answer is not None and not answer.done():
            answer.set_result(message)

    async def _settled(self, sent: Refused | asyncio.Future[object]) -> Refused | None:
        """Return what the stream says of an event."""
        if isinstance(sent, Refused):
            return sent
        answer = await sent
        if isinstance(answer, Refused):
            return answer
        if not isinstance(answer, Msg):
            raise AdapterError(f"{self._place}: the connection broke")
        if (answer.headers or {}).get("Status") == _NO_RESPONDERS:
            raise AdapterError(
                f"{self._place}: stream {self.parameters.stream!r} does not answer, or does not "
                f"take the subjects {self.parameters.subject}"
            )
        return refusal(answer.data, self._place)


async def round_trip(client: Client) -> None:
    """Wait until the server has read all that was sent.

    nats-py writes a ping ahead of what still waits to be written; the second ping follows it.
    """
    await client.flush()
    await client.flush()


async def _try(farewell: Coroutine[Any, Any, None]) -> None:
    """Do what a connection may be too broken for: nats-py can wait for its end for ever."""
    with contextlib.suppress(NatsError, OSError, TimeoutError):
        async with asyncio.timeout(_CLOSE_TIME):
            await farewell


def refusal(answer: bytes, place: str) -> Refused | None:
    """Read what a stream answers to a message.

    Raises:
        AdapterError: It could not take it now.
    """
    try:
        error = msgspec.json.decode(answer, type=_Answer).error
    except msgspec.DecodeError as wrong:
        raise AdapterError(f"{place}: {answer!r:.100} is no answer of a stream") from wrong
    if error is None:
        return None
    if error.err_code in _NEVER:
        return Refused(f"{place}: {error.description}")
    raise AdapterError(f"{place}: {error.description}")


class _AnswerError(msgspec.Struct):
    err_code: int = 0
    description: str = ""


class _Answer(msgspec.Struct):
    error: _AnswerError | None = None


def _no_permission(subject: str) -> Refused:
    return Refused(f"the gateway's user may not publish to subject {subject!r:.100}")


class Letter(NamedTuple):
    """What is published for an event."""

    subject: str
    payload: bytes
    headers: Mapping[str, str]


def letter(
    outgoing: Outgoing, parameters: NatsParameters, template: Template, most_octets: int
) -> Letter | Refused:
    """Return the message for an event, or why NATS or the server cannot carry it."""
    event, mark = outgoing
    subject = template.topic(event.domain, event.type, event.name)
    if len(subject.encode()) > MOST_SUBJECT:
        return Refused(f"name: the subject of the event has more than {MOST_SUBJECT} octets")
    try:
        message = message_of(event, mark, Names(*(template.parts_of(subject) or ())))
        if parameters.payload == "event" or _octets(_headers(message, mark)) > MOST_HEADER:
            message = whole(event, mark)
    except LimitExceeded as error:
        return Refused(str(error))
    headers = _headers(message, mark)
    octets = len(message.payload) + _octets(headers)
    if octets > most_octets:
        return Refused(f"the event takes {octets} octets; the server takes up to {most_octets}")
    return Letter(subject, message.payload, headers)


def _headers(message: Message, mark: Mark) -> dict[str, str]:
    return {
        **message.texts,
        CONTENT_TYPE: message.content_type,
        "Nats-Msg-Id": "/".join(mark_text(mark).split("/")[:4]),
    }


def _octets(headers: Mapping[str, str]) -> int:
    """The octets that headers take, with the lines around them."""
    return sum(len(name.encode()) + len(text.encode()) + 4 for name, text in headers.items()) + 12


class _Reader:
    """Reads subjects of core NATS.

    Attributes:
        most_patterns: Subjects that can be read at once; None for any number.
    """

    most_patterns: int | None = None

    def __init__(self, adapter: NatsAdapter, client: Client, heard: Heard) -> None:
        self._adapter = adapter
        self._client = client
        self._heard = heard
        self._messages: asyncio.Queue[Msg] = asyncio.Queue()
        self._subscribed: dict[str, Subscription] = {}
        self._task: asyncio.Task[None] | None = None

    async def read(self, patterns: frozenset[str]) -> None:
        """Read these, and no longer others."""
        for new in sorted(patterns - self._subscribed.keys()):
            self._subscribed[new] = await self._client.subscribe(new, cb=self._on_message)
        for old in self._subscribed.keys() - patterns:
            await self._subscribed.pop(old).unsubscribe()
        self._start()

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _on_message(self, message: Msg) -> None:
        if self._messages.qsize() < MOST_WAITING:
            self._messages.put_nowait(message)

    async def _run(self) -> None:
        try:
            while True:
                messages = [await self._next()]
                while not self._messages.empty() and len(messages) < _BATCH:
                    messages.append(self._messages.get_nowait())
                found = [await self._arrival(message) for message in messages]
                arrivals = [one for one in found if one is not None]
                if arrivals:
                    await self._heard(arrivals)
        except TimeoutError:
            self._adapter.end("the consumer is gone: it was deleted, or another gateway has it")
        except Exception as fault:
            log.exception("reading from NATS failed")
            self._adapter.end(f"reading failed: {fault!r}")

    async def _next(self) -> Msg:
        return await self._messages.get()

    async def _arrival(self, message: Msg) -> Arrival | None:
        return self._adapter.arrival(message)

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Nothing: core NATS has forgotten them already."""

    async def stop(self) -> None:
        """Read no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))


class _Stream(NamedTuple):
    """A stream.

    Attributes:
        name: Its name.
        id: Its name, and when it was created: one created again counts from 1 again.
        jetstream: What manages it.
    """

    name: str
    id: str
    jetstream: JetStreamContext

    @classmethod
    async def find(cls, client: Client, own: NatsParameters, template: Template) -> _Stream:
        """Find the stream, or create it; AdapterError if neither is possible."""
        jetstream = client.jetstream(timeout=_CONNECT_TIME)
        try:
            info = await jetstream.stream_info(own.stream)
        except NotFoundError:
            if not own.create:
                raise AdapterError(
                    f"there is no stream {own.stream!r}: create it, or set create = true"
                ) from None
            info = await jetstream.add_stream(
                name=own.stream, subjects=template.patterns({}), max_age=KEPT
            )
        return cls(own.stream, f"{own.stream}@{info.created}", jetstream)


def position(info: ConsumerInfo) -> int:
    """Return the number up to which a consumer has all events acknowledged."""
    acknowledged = info.ack_floor.stream_seq if info.ack_floor else 0
    begin = (info.config.opt_start_seq or 1) - 1
    idle = info.delivered.stream_seq if info.delivered and not info.num_ack_pending else 0
    return max(acknowledged, begin, idle)


class _StreamReader(_Reader):
    """Reads a stream with a consumer."""

    def __init__(self, adapter: NatsAdapter, client: Client, heard: Heard, stream: _Stream) -> None:
        super().__init__(adapter, client, heard)
        version = client.connected_server_version
        several = (version.major, version.minor) >= _SEVERAL_FILTERS
        self.most_patterns = None if several else 1
        self._several = several
        self._own = adapter.parameters
        self._stream = stream
        base = self._own.consumer or "~".join(adapter.side[:3]).replace(".", "=")
        self._names = (f"{base}~0", f"{base}~1")
        self._patterns: frozenset[str] | None = None
        self._delivery: Subscription | None = None
        self._highest = 0
        self._unacknowledged: dict[int, Msg] = {}
        self._acknowledgements: asyncio.Queue[Msg] = asyncio.Queue()
        self._acknowledger: asyncio.Task[None] | None = None

    async def read(self, patterns: frozenset[str]) -> None:
        """Have a consumer filter by these; without any, delete it.

        A server before 2.10 says that it changes the filter of a consumer that is there, and then
        delivers little or nothing. So another one goes on where this one is.
        """
        if patterns == self._patterns:
            return
        found = await self._found()
        if self._delivery is not None:
            await self._delivery.unsubscribe()
            self._delivery = None
        if patterns:
            free = await self._create(patterns, found)
            found.pop(free, None)
        else:
            self._highest = 0
            self._unacknowledged.clear()
        for name in found:
            await self._stream.jetstream.delete_consumer(self._stream.name, name)
        self._patterns = patterns
        self._start()
        if self._acknowledger is None:
            self._acknowledger = asyncio.create_task(self._acknowledge())

    async def _create(self, patterns: frozenset[str], found: Mapping[str, ConsumerInfo]) -> str:
        """Create a consumer behind what the others have done; return its name."""
        jetstream, stream = self._stream.jetstream, self._stream.name
        best = max(found, key=lambda name: position(found[name]), default=None)
        if best is None:
            done = (await jetstream.stream_info(stream)).state.last_seq
        else:
            done = position(found[best])
        free = self._names[1] if best == self._names[0] else self._names[0]
        if free in found:
            await jetstream.delete_consumer(stream, free)
        inbox = self._client.new_inbox()
        self._delivery = await self._client.subscribe(
            inbox, cb=self._on_message, pending_bytes_limit=2**62
        )
        config = ConsumerConfig(
            durable_name=free,
            deliver_subject=inbox,
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=done + 1,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self._own.ack_wait,
            max_ack_pending=self._own.window,
            idle_heartbeat=_HEARTBEAT,
        )
        await jetstream.add_consumer(stream, self._filtered(config, patterns))
        return free

    def _filtered(self, config: ConsumerConfig, patterns: frozenset[str]) -> ConsumerConfig:
        if self._several:
            return config.evolve(filter_subjects=sorted(patterns))
        [pattern] = patterns
        return config.evolve(filter_subject=pattern)

    async def _found(self) -> dict[str, ConsumerInfo]:
        """The gateway's consumers, of this life or earlier ones."""
        found = {}
        for name in self._names:
            with contextlib.suppress(NotFoundError):
                found[name] = await self._stream.jetstream.consumer_info(self._stream.name, name)
        return found

    async def _on_message(self, message: Msg) -> None:
        self._messages.put_nowait(message)  # the window bounds them

    async def _next(self) -> Msg:
        """Wait for a message; without even a heartbeat the consumer is gone."""
        while True:
            try:
                async with asyncio.timeout(3 * _HEARTBEAT):
                    return await self._messages.get()
            except TimeoutError:
                if self._patterns:
                    raise

    async def _arrival(self, message: Msg) -> Arrival | None:
        if not message.reply:
            return None  # a heartbeat
        number = message.metadata.sequence.stream
        if number in self._unacknowledged:  # the gateway is slow with it: the server shall wait
            self._unacknowledged[number] = message
            await message.in_progress()
            return None
        arrival = None
        if number > self._highest:  # else its acknowledgement was lost, or nobody wanted it then
            self._highest = number
            arrival = self._adapter.arrival(message, self._stream.id, number)
        if arrival is None:
            self._acknowledgements.put_nowait(message)
        else:
            self._unacknowledged[number] = message
        return arrival

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Let the consumer forget events."""
        for arrival in arrivals:
            message = self._unacknowledged.pop(arrival.handle, None)
            if message is not None:
                self._acknowledgements.put_nowait(message)

    async def _acknowledge(self) -> None:
        try:
            while True:
                message = await self._acknowledgements.get()
                await self._client.publish(message.reply, b"+ACK")
        except NatsError as error:
            self._adapter.end(str(error))

    async def stop(self) -> None:
        """Read no more; what was taken is acknowledged."""
        await super().stop()
        if self._acknowledger is not None:
            self._acknowledger.cancel()
            await asyncio.wait((self._acknowledger,))
        while not self._acknowledgements.empty():
            await self._client.publish(self._acknowledgements.get_nowait().reply, b"+ACK")
        if self._client.is_connected:
            await round_trip(self._client)
