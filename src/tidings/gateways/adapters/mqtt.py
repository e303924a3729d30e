"""Brokers of MQTT, tested with Mosquitto: version 5, and 3.1.1 with less.

A session under the gateway's own client id stays at the broker, so that it holds events of QoS 1
while the gateway is away; an event is acknowledged when it is safe at all its destinations. The
mark and the header travel as user properties; `gateways/messages.py` has the form of payloads.

aiomqtt brings the connection; what it leaves out is in `_Line`: the broker's reasons, its receive
window, and acknowledgement by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import socket
import ssl
import threading
import zlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

import aiomqtt
import msgspec
from aiomqtt.client import ProtocolVersion
from aiomqtt.types import PahoSocket
from paho.mqtt.client import (
    MQTT_CLEAN_START_FIRST_ONLY,
    Client,
    ConnectFlags,
    DisconnectFlags,
    MQTTMessage,
)
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from tidings.clock import SystemClock, from_timebase
from tidings.errors import InvalidUsage, LimitExceeded
from tidings.events.anyvalue import Any as Boxed
from tidings.events.anyvalue import Value
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.topics import MQTT, PARTS, Template
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
from tidings.gateways.messages import EVENT, Message, Names, event_of, message_of, whole
from tidings.gateways.subscriptions import subscriptions, template_of
from tidings.gateways.tls import tls_context

log = logging.getLogger(__name__)
# What paho logs of a connection that breaks; the gateway tells it in its own words.
_QUIET: Final = logging.getLogger(f"{__name__}.paho")
_QUIET.setLevel(logging.CRITICAL)

MOST_QOS_0: Final = 10_000
"""Messages of QoS 0 in memory: the broker does not wait with them, so more are dropped."""
MOST_TEXT: Final = 65_535
"""Octets of a topic or a user property."""
MOST_OCTETS: Final = 268_435_455
"""Octets of a packet."""
_BATCH: Final = 256
_CONNECT_TIME: Final = 5.0
# A broker that does not acknowledge for so long has lost the message, or itself.
_ANSWER_TIME: Final = 20.0
# Of a packet, beside topic, payload and texts.
_FRAME: Final = 64
_SECOND: Final = 1_000_000
_UNITS: Final = 10_000_000
_GONE: Final = -1
_UNSPECIFIED: Final = 0x80
_NEW: Final = SubscribeOptions.RETAIN_SEND_IF_NEW_SUB
_LIVE: Final = SubscribeOptions.RETAIN_DO_NOT_SEND
# Reasons why a broker takes one message never; with the others it may take it later.
_NEVER: Final = {
    0x87: "the gateway's user may not publish there",
    0x90: "the broker does not accept the topic",
    0x95: "the message is larger than the broker takes",
    0x99: "the payload is not in the format that the broker asks for",
}


class MqttParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which broker, and where in its topics.

    Attributes:
        host: The broker's name or address.
        port: Its port.
        topic: The topics: texts and `{domain}`, `{type}`, `{name}` as whole levels.
        protocol: 3.1.1 for brokers without version 5: without user properties, expiry, no-local.
        payload: `data` for an event's data as plain JSON; `event` for the whole event.
        qos: 1 for at least once; 0 for at most once.
        user: The user.
        password: Its password.
        tls: Whether the connection is encrypted.
        ca_file: Certificates of authorities; empty for those of the machine.
        cert_file: The gateway's certificate, if the broker asks for one.
        key_file: The certificate's key.
        client_id: The name of the session; empty for system, gateway and adapter.
        group: The gateways with the same name here share the events (`$share`).
        retained: Whether retained messages are taken when a filter is new.
        session: Seconds for which the broker holds events for an absent gateway; 0 for none.
        window: Messages on their way, each direction; the broker's own window counts too.
        most_octets: Of a packet; a broker of version 5 says itself what it takes.
        keepalive: Seconds of silence after which the broker is asked whether it is there.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 1883
    topic: str = "tidings/{domain}/{type}/{name}"
    protocol: Literal["5", "3.1.1"] = "5"
    payload: Literal["data", "event"] = "data"
    qos: Literal[0, 1] = 1
    user: str = ""
    password: str = ""
    tls: bool = False
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    client_id: str = ""
    group: str = ""
    retained: bool = False
    session: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 604_800
    window: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 256
    most_octets: Annotated[int, msgspec.Meta(ge=1, le=MOST_OCTETS)] = MOST_OCTETS
    keepalive: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 15


class MqttAdapter(Adapter[MqttParameters]):
    """The adapter of a broker."""

    Parameters = MqttParameters
    secrets = ("password",)
    capabilities = Capabilities(
        kind="mqtt",
        promise="at least once, of what others publish with QoS 1 or 2 and the broker queues",
        filtering=Filtering.SUBJECT,
        holds=True,
        confirms=True,
        marks=True,
        control=True,
        nested=True,
        most_octets=MOST_OCTETS,
        priority=Survival.KEPT,
        order=Survival.PARTLY,  # MQTT keeps it within a topic
        lifetime=Survival.KEPT,
        reliability=Survival.PARTLY,  # Mosquitto writes its sessions down from time to time
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: MqttParameters) -> None:
        super().__init__(side, parameters)
        where = f"{side.adapter}: mqtt"
        self._template = template_of(parameters.topic, MQTT, f"{where}: topic")
        if parameters.topic.startswith("$"):
            raise InvalidUsage(f"{where}: topic: topics that begin with $ are the broker's own")
        if any(unfit in parameters.group for unfit in "/+#"):
            raise InvalidUsage(
                f"{where}: group: a name without / + #, not {parameters.group!r:.60}"
            )
        self.capabilities = narrowed(self.capabilities, parameters, self._template)
        self._five = parameters.protocol == "5"
        self._clock = SystemClock()
        self._line: _Line | None = None
        self._reader: asyncio.Task[None] | None = None
        self._subscribed: frozenset[str] = frozenset()
        self._known: frozenset[int] = frozenset()
        self._heard: Heard | None = None
        self._place = f"the broker at {parameters.host}:{parameters.port}"

    # The connection.

    async def connect(self, heard: Heard) -> None:
        """Connect with the broker; what it holds is read after the first `want`."""
        self._heard = heard
        self._subscribed = frozenset()
        own = self.parameters
        try:
            tls = tls_context(own.tls, own.ca_file, own.cert_file, own.key_file)
        except OSError as error:
            raise AdapterError(f"{self._place}: {error}") from error
        line = _Line(own, self._client_id, tls)
        try:
            await line.open()
            if line.most_qos < self.parameters.qos:
                raise aiomqtt.MqttError("it has QoS 0 only: set qos = 0")
        except BaseException as error:
            await line.close()
            if isinstance(error, aiomqtt.MqttError | ValueError):
                raise AdapterError(f"{self._place}: {error}") from error
            raise
        self._line = line

    @property
    def _client_id(self) -> str:
        return self.parameters.client_id or "/".join(self.side[:3])

    async def disconnect(self) -> None:
        """Leave the broker; the session stays there."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.wait((reader,))
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def lost(self) -> str:
        """Wait until the connection is gone."""
        assert self._line is not None
        return f"{self._place}: {await asyncio.shield(self._line.gone)}"

    def _there(self) -> _Line:
        if self._line is None or self._line.gone.done():
            raise AdapterError(f"{self._place} is not connected")
        return self._line

    # What comes.

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Subscribe topics by domain, type and name; the gateway filters the rest."""
        line = self._there()
        patterns, placed = subscriptions(self._template, filters)
        new, old = patterns - self._subscribed, self._subscribed - patterns
        self._known = frozenset(map(_identifier, patterns | self._subscribed))
        try:
            await self._subscribe(line, sorted(new))
            await line.leave([self._shared(one) for one in sorted(old)])
        except aiomqtt.MqttError as error:
            raise AdapterError(f"{self._place}: {error}") from error
        self._subscribed = patterns
        self._known = frozenset(map(_identifier, patterns))
        if self._reader is None:
            self._reader = asyncio.create_task(self._read(line))
        return [Placed(*one) for one in placed]

    async def _subscribe(self, line: _Line, patterns: Sequence[str]) -> None:
        given = [(self._shared(one), _identifier(one)) for one in patterns]
        codes = await asyncio.gather(
            *(line.enter(*one, retained=self.parameters.retained) for one in given)
        )
        wrong = [one for (one, _), code in zip(given, codes, strict=True) if code >= 0x80]
        if wrong:
            await line.leave([one for one, _ in given])
            raise AdapterError(f"{self._place} refuses to subscribe {', '.join(wrong):.200}")

    def _shared(self, pattern: str) -> str:
        return f"$share/{self.parameters.group}/{pattern}" if self.parameters.group else pattern

    async def _read(self, line: _Line) -> None:
        assert self._heard is not None
        try:
            while True:
                messages = await line.arrived(_BATCH)
                found = [self._arrival(line, message) for message in messages]
                arrivals = [one for one in found if one is not None]
                if arrivals:
                    await self._heard(arrivals)
        except Exception as fault:
            log.exception("reading from %s failed", self._place)
            line.end(f"reading failed: {fault!r}")

    def _arrival(self, line: _Line, message: MQTTMessage) -> Arrival | None:
        """Return what a message stands for; None if it is not for the gateway any more."""
        parts = _parts(self._template, message)
        if parts is None or (message.retain and not self.parameters.retained):
            line.acknowledge(message)  # a retained one, or for a template of an earlier life
            return None
        properties = getattr(message, "properties", None)
        self._leave_old(line, parts, getattr(properties, "SubscriptionIdentifier", ()))
        label = getattr(properties, "ContentType", "")
        if self.parameters.payload == "event":
            label = EVENT
        texts = dict(getattr(properties, "UserProperty", ()))
        event, mark = event_of(Message(bytes(message.payload), label, texts), parts)
        expiry = getattr(properties, "MessageExpiryInterval", None)
        if expiry is not None:
            event = msgspec.structs.replace(event, header=with_rest(event.header, expiry))
        return Arrival(event, mark, handle=(line, message))

    def _leave_old(self, line: _Line, parts: Names, identifiers: Sequence[int]) -> None:
        """Leave what an earlier life of the gateway has subscribed, and its session still has.

        Nobody tells these patterns; but what an event fits is made of some of its levels.
        """
        if not line.inherited or (identifiers and self._known.issuperset(identifiers)):
            return
        fitting = {_identifier(one): one for one in patterns_of(self._template, parts)}
        if identifiers:
            old = (fitting.keys() & set(identifiers)) - self._known
        else:
            old = set() if fitting.keys() & self._known else set(fitting)
        if old:
            line.leave_soon([self._shared(fitting[one]) for one in old])

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Acknowledge events."""
        for arrival in arrivals:
            line: _Line
            line, message = arrival.handle
            if line is self._line:
                line.acknowledge(message)

    # What goes.

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events, as many at once as the broker's window allows."""
        line = self._there()
        sent: list[Refused | tuple[str, asyncio.Future[int]]] = []
        for at, outgoing in enumerate(events):
            if at >= line.window:
                await self._settled(sent[at - line.window])
            made = self._packet(outgoing, line.most_octets)
            sent.append(made if isinstance(made, Refused) else (made.topic, line.send(made)))
        return [await self._settled(one) for one in sent]

    def _packet(self, outgoing: Outgoing, most_octets: int) -> Packet | Refused:
        return packet(outgoing, self.parameters, self._template, self._clock.now(), most_octets)

    async def _settled(self, sent: Refused | tuple[str, asyncio.Future[int]]) -> Refused | None:
        if isinstance(sent, Refused):
            return sent
        topic, answer = sent
        try:
            async with asyncio.timeout(_ANSWER_TIME):
                code = await answer
        except TimeoutError as error:
            raise AdapterError(f"{self._place} has not acknowledged an event in time") from error
        if code in _NEVER:
            return Refused(f"{self._place} refuses topic {topic!r:.100}: {_NEVER[code]}")
        if code == _GONE:
            raise AdapterError(f"{self._place}: the connection broke")
        if code >= 0x80:
            raise AdapterError(
                f"{self._place} refuses topic {topic!r:.100} for now: reason {code:#x}"
            )
        return None


def narrowed(full: Capabilities, parameters: MqttParameters, template: Template) -> Capabilities:
    """Return what is left of the capabilities with these parameters."""
    changes: dict[str, Any] = {}
    if parameters.qos == 0:
        changes |= {"promise": "at most once", "holds": False, "confirms": False}
    if parameters.session == 0:
        changes |= {"holds": False}
    if parameters.protocol == "5":
        return msgspec.structs.replace(full, **changes)
    changes |= {"lifetime": Survival.PARTLY}
    if parameters.payload == "data":
        lost = ("priority", "lifetime", "reliability", "proximity")
        changes |= {"marks": False, **dict.fromkeys(lost, Survival.LOST)}
        changes |= {"control": "{name}" in template.levels}
    return msgspec.structs.replace(full, **changes)


class Packet(NamedTuple):
    """What is published for an event.

    Attributes:
        topic: Where.
        message: What.
        expiry: Seconds after which the broker drops it; None for never.
    """

    topic: str
    message: Message
    expiry: int | None


def packet(
    outgoing: Outgoing, parameters: MqttParameters, template: Template, now: int, most_octets: int
) -> Packet | Refused:
    """Return the packet for an event, or why MQTT or the broker cannot carry it."""
    event, mark = outgoing
    topic = template.topic(event.domain, event.type, event.name)
    if len(topic.encode()) > MOST_TEXT:
        return Refused(f"name: the topic of the event has more than {MOST_TEXT} octets")
    told = Names(*(template.parts_of(topic) or ()))
    five = parameters.protocol == "5"
    try:
        message = message_of(event, mark, told)
        if parameters.payload == "event" or _longest(message.texts) > MOST_TEXT:
            message = whole(event, mark)
    except LimitExceeded as error:
        return Refused(str(error))
    if not five:
        message = message._replace(texts={})
        if parameters.payload == "data" and event_of(message._replace(content_type=""), told)[
            0
        ] != msgspec.structs.replace(event, header={}):
            return Refused("body: MQTT 3.1.1 cannot say what the payload is: set payload = 'event'")
    octets = len(topic) + len(message.payload) + sum(map(_size, message.texts.items())) + _FRAME
    if octets > most_octets:
        return Refused(f"the event takes {octets} octets; the broker takes up to {most_octets}")
    return Packet(topic, message, lifetime(event.header, now) if five else None)


def _size(text: tuple[str, str]) -> int:
    return sum(len(part.encode()) for part in text) + 5


def _longest(texts: Mapping[str, str]) -> int:
    return max((len(part.encode()) for text in texts.items() for part in text), default=0)


def lifetime(header: Mapping[str, Value], now: int) -> int | None:
    """Return the seconds that an event is worth delivering, at least 1; None if nobody says."""
    ends = []
    timeout, stop = header.get("Timeout"), header.get("StopTime")
    if isinstance(timeout, int) and timeout:
        ends.append(-(-timeout // _UNITS))
    if isinstance(stop, Boxed) and isinstance(stop.value, tuple) and isinstance(stop.value[0], int):
        ends.append(-(-(from_timebase(stop.value[0]) - now) // _SECOND))
    return min(max(1, min(ends)), 2**32 - 1) if ends else None


def with_rest(header: Mapping[str, Value], seconds: int) -> Mapping[str, Value]:
    """Return a header whose timeout is no more than what the broker has left of it."""
    timeout = header.get("Timeout")
    if timeout is None and "StopTime" in header:
        return header
    rest = seconds * _UNITS
    return {**header, "Timeout": min(timeout, rest) if isinstance(timeout, int) else rest}


def patterns_of(template: Template, parts: Names) -> list[str]:
    """Return every pattern that an event with these parts fits."""
    given = list(zip(PARTS.values(), parts, strict=True))
    chosen = (
        dict(one) for size in range(len(given) + 1) for one in itertools.combinations(given, size)
    )
    return [pattern for wanted in chosen for pattern in template.patterns(wanted)]


def _parts(template: Template, message: MQTTMessage) -> Names | None:
    try:
        found = template.parts_of(message.topic)
    except UnicodeDecodeError:
        return None
    return None if found is None else Names(*found)


def _identifier(pattern: str) -> int:
    """A subscription's number, the same in every life of the gateway."""
    return zlib.crc32(pattern.encode()) % MOST_OCTETS + 1


def _properties(packet_type: int, **values: object) -> Properties:
    made = Properties(packet_type)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        if value is not None:
            setattr(made, name, value)
    return made


class _Line(aiomqtt.Client):
    """One connection.

    Attributes:
        gone: Why it is over, when it is.
        window: Messages that may be on their way to the broker.
        most_octets: Of a packet that the broker takes.
        most_qos: Of what can be published.
        inherited: Whether the session is one of an earlier connection.
    """

    def __init__(
        self, parameters: MqttParameters, client_id: str, tls: ssl.SSLContext | None
    ) -> None:
        self._five = parameters.protocol == "5"
        properties = None
        if self._five:
            properties = _properties(
                PacketTypes.CONNECT,
                SessionExpiryInterval=parameters.session,
                ReceiveMaximum=parameters.window,
            )
        super().__init__(
            parameters.host,
            parameters.port,
            username=parameters.user or None,
            password=parameters.password or None,
            logger=_QUIET,
            identifier=client_id,
            protocol=ProtocolVersion.V5 if self._five else ProtocolVersion.V311,
            clean_session=None if self._five else parameters.session == 0,
            clean_start=parameters.session == 0 if self._five else MQTT_CLEAN_START_FIRST_ONLY,
            keepalive=parameters.keepalive,
            properties=properties,
            tls_context=tls,
            timeout=_CONNECT_TIME,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            max_inflight_messages=0,  # ours counts instead, since paho knows no peer's window
        )
        self._client.manual_ack_set(True)
        self._client.connect_timeout = _CONNECT_TIME
        self.pending_calls_threshold = MOST_TEXT
        self.gone: asyncio.Future[str] = self._loop.create_future()
        self.window = parameters.window
        self.most_octets = parameters.most_octets
        self.most_qos = 2
        self.inherited = False
        self._qos = parameters.qos
        self._no_local = not parameters.group  # a shared subscription cannot have it
        self._opening: asyncio.Task[Any] | None = None
        self._thread = threading.get_ident()
        self._answers: dict[int, asyncio.Future[int]] = {}
        self._messages: deque[MQTTMessage] = deque()
        self._come = asyncio.Event()
        self._leaving: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Connect; MqttError if it cannot be."""
        self._opening = self._loop.create_task(self.__aenter__())
        await asyncio.shield(self._opening)
        self._disconnected.add_done_callback(self._on_gone)

    async def close(self) -> None:
        """Disconnect, also from a connection that is broken or was never there."""
        for task in self._leaving:
            task.cancel()
        if self._opening is not None:  # a thread of aiomqtt connects; it cannot be cancelled
            await asyncio.wait((self._opening,))
            is_open = self._opening.exception() is None
            if self._client.disconnect() == 0 and is_open and not self._disconnected.done():
                await asyncio.wait((self._disconnected,), timeout=_CONNECT_TIME)
        sock = self._client.socket()
        if isinstance(sock, socket.socket):  # it does not even take the farewell
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            while self._client.socket() is not None:  # noqa: ASYNC110 -- paho notices soon
                await asyncio.sleep(0)
        self.end("closed")
        if self._misc_task is not None:
            self._misc_task.cancel()
            await asyncio.wait((self._misc_task,))

    def end(self, cause: str) -> None:
        """Say that it is over; what waits for an answer gets none."""
        if not self.gone.done():
            self.gone.set_result(cause)
        answers, self._answers = self._answers, {}
        for answer in answers.values():
            if not answer.done():
                answer.set_result(_GONE)

    def _on_gone(self, disconnected: asyncio.Future[None]) -> None:
        error = None if disconnected.cancelled() else disconnected.exception()
        self.end(str(error) if error is not None else "closed")

    # aiomqtt's own handlers of paho, and what they leave out.

    def _on_connect(
        self,
        client: Client,
        userdata: object,
        flags: ConnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        self.window = min(self.window, getattr(properties, "ReceiveMaximum", self.window))
        most = getattr(properties, "MaximumPacketSize", self.most_octets)
        self.most_octets = min(self.most_octets, most)
        self.most_qos = getattr(properties, "MaximumQoS", 2)
        self.inherited = flags.session_present
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_disconnect(
        self,
        client: Client,
        userdata: object,
        flags: DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError("it closes the connection at once"))
        elif reason_code != 0:
            cause = "" if reason_code == _UNSPECIFIED else f": {reason_code}"
            by = "the broker has closed" if flags.is_disconnect_packet_from_server else "lost"
            self.end(f"{by} the connection{cause}")
        super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_publish(
        self,
        client: Client,
        userdata: object,
        mid: int,
        reason_code: ReasonCode,
        properties: Properties,
    ) -> None:
        answer = self._answers.pop(mid, None)
        if answer is not None and not answer.done():
            answer.set_result(reason_code.value)

    def _on_message(self, client: Client, userdata: object, message: MQTTMessage) -> None:
        if message.qos or len(self._messages) < MOST_QOS_0:
            self._messages.append(message)
            self._come.set()

    def _on_socket_register_write(self, client: Client, userdata: object, sock: PahoSocket) -> None:
        """Write when there is room; aiomqtt would do so in a socket that was closed meanwhile."""

        def write() -> None:
            try:
                client.loop_write()
            except (OSError, ValueError) as error:
                self.end(f"writing failed: {error!r}")

        def register() -> None:
            current = client.socket()
            if current is not None and current is sock:
                self._loop.add_writer(current.fileno(), write)

        if threading.get_ident() == self._thread:
            register()
        else:  # connecting
            self._loop.call_soon_threadsafe(register)

    # What the adapter does with it.

    async def arrived(self, most: int) -> list[MQTTMessage]:
        """Wait for messages, and return what is there, up to so many."""
        while not self._messages:
            self._come.clear()
            await self._come.wait()
        count = min(most, len(self._messages))
        return [self._messages.popleft() for _ in range(count)]

    def acknowledge(self, message: MQTTMessage) -> None:
        """Let the broker forget a message."""
        if message.qos and not self.gone.done():
            self._client.ack(message.mid, message.qos)

    async def enter(self, pattern: str, identifier: int, *, retained: bool) -> int:
        """Subscribe a pattern; the broker's answer is a reason."""
        if not self._five:
            codes = await self.subscribe(pattern, self._qos)
        else:
            handling = _NEW if retained else _LIVE
            options = SubscribeOptions(self._qos, self._no_local, retainHandling=handling)
            number = _properties(PacketTypes.SUBSCRIBE, SubscriptionIdentifier=identifier)
            codes = await self.subscribe(pattern, options=options, properties=number)
        code = codes[0]
        return code if isinstance(code, int) else code.value

    async def leave(self, patterns: Sequence[str]) -> None:
        """Unsubscribe patterns."""
        if patterns:
            await self.unsubscribe(list(patterns))

    def leave_soon(self, patterns: Iterable[str]) -> None:
        """Unsubscribe patterns, and do not wait for it."""
        task = self._loop.create_task(self._left(list(patterns)))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _left(self, patterns: Sequence[str]) -> None:
        with contextlib.suppress(aiomqtt.MqttError):
            await self.leave(patterns)

    def send(self, made: Packet) -> asyncio.Future[int]:
        """Publish; the broker's answer is a reason, or `_GONE`."""
        properties = None
        if self._five:
            properties = _properties(
                PacketTypes.PUBLISH,
                ContentType=made.message.content_type,
                UserProperty=list(made.message.texts.items()) or None,
                MessageExpiryInterval=made.expiry,
            )
        answer: asyncio.Future[int] = self._loop.create_future()
        if self.gone.done():
            answer.set_result(_GONE)
            return answer
        info = self._client.publish(
            made.topic, made.message.payload, self._qos, properties=properties
        )
        if self._qos == 0 or info.rc:
            answer.set_result(_GONE if info.rc else 0)
        else:
            self._answers[info.mid] = answer
        return answer
