"""Brokers of JMS, such as ActiveMQ, over STOMP: one topic, with selectors at durable subscriptions.

An event's properties are those of its message, as texts, and the whole event is the text body. The
broker compares the texts with numbers as numbers (`convert_string_expressions`).

A durable subscription that gets another selector loses what it holds. So another set of filters is
another subscription: a chain, whose first one is read until a fence comes, a message published when
the next one was there; then the next one is read, without what both had. The chain is kept as
a message in a queue of the side's own, for the next life.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import ssl
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote

import msgspec
from stompman import (
    AckFrame,
    BeginFrame,
    CommitFrame,
    MessageFrame,
    SendFrame,
    SubscribeFrame,
    UnsubscribeFrame,
)

from tidings.clock import Clock, SystemClock
from tidings.errors import TidingsError
from tidings.events.codecs.json_codec import encode_event
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
from tidings.gateways.brokers.jms_messages import (
    FENCE,
    MOST_LINE,
    event_of,
    headers_of,
    joined,
    selector_of,
)
from tidings.gateways.brokers.stomp import PATIENCE, StompLine, StompLost, StompRefused

log = logging.getLogger(__name__)

_BATCH: Final = 256
# Seconds for the last clean-up.
_CLOSING: Final = 2.0
_MOST_SEEN: Final = 100_000
_TRANSACTION: Final = {"transaction": "batch"}
# Octets of a transaction, which the broker keeps in memory.
_MOST_OCTETS: Final = 1_000_000
_MOST_CHAIN: Final = 8
_LONG: Final = f"also: every event, since all filters together have more than {MOST_LINE} octets"


class JmsParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which topic.

    Attributes:
        host: Where the broker speaks STOMP.
        port: Its port; 0 for the usual one, 61613 or (with TLS) 61612.
        user: Who the gateway is there; empty for nobody.
        password: Its password.
        tls: Whether the connection is encrypted and the broker's certificate checked.
        ca_file: The authorities that are trusted; empty for those of the machine.
        topic: The topic.
        texts: Properties of foreign messages that are texts though they may read as numbers.
        window: Events that the broker hands over before the first is acknowledged.
        heartbeat: Seconds; a broker that is silent for two of them is lost.
        transformation: What the broker is asked to make of map messages, such as `jms-map-json`;
            empty if it cannot: a broker without XStream ends the connection.
    """

    host: str = "127.0.0.1"
    port: int = 0
    user: str = ""
    password: str = ""
    tls: bool = False
    ca_file: str = ""
    topic: str = "tidings"
    texts: tuple[str, ...] = ()
    window: int = 512
    heartbeat: int = 10
    transformation: str = ""


class _Generation:
    """A durable subscription of the chain.

    Attributes:
        number: Higher than those of all before it: old fences open nothing new.
        selector: What it asks for; it never changes.
        subscribed: Whether the broker hands over what it holds.
        frames: Messages that are not heard yet.
        left: Those that were heard and are not taken, by what acknowledges them.
        seen: The ids of messages heard from it.
        before: The ids of those heard from the one before.
        done: Whether the fence has come: the next one goes on.
    """

    def __init__(self, number: int, selector: str) -> None:
        self.number = number
        self.selector = selector
        self.subscribed = self.done = False
        self.frames: deque[MessageFrame] = deque()
        self.left: set[str] = set()
        self.seen: dict[str, None] = {}
        self.before: Mapping[str, None] = {}

    @property
    def name(self) -> str:
        """Its name at the broker."""
        return f"slot {self.number % _MOST_CHAIN}"


class JmsAdapter(Adapter[JmsParameters]):
    """The adapter of a topic."""

    Parameters = JmsParameters
    secrets = ("password",)
    capabilities = Capabilities(
        kind="jms",
        promise="at least once: twice only around a failure",
        filtering=Filtering.CONTENT,
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

    def __init__(self, side: Side, parameters: JmsParameters) -> None:
        super().__init__(side, parameters)
        names = (side.system, side.gateway, side.adapter, parameters.topic)
        whole = ".".join(quote(name, safe="") for name in ("federation", *names))
        digest = hashlib.sha256(whole.encode()).hexdigest()[:32]
        self._name = whole if len(whole) <= 200 else f"federation.{digest}"
        self._topic = f"/topic/{parameters.topic}"
        self._port = parameters.port or (61612 if parameters.tls else 61613)
        self._where = f"the broker at {parameters.host}:{self._port}"
        self._clock: Clock = SystemClock()
        self._reading: StompLine | None = None
        self._writing: StompLine | None = None
        self._reader: asyncio.Task[None] | None = None

    async def connect(self, heard: Heard) -> None:
        """Connect, once for each direction: a broker that takes no events still hears us."""
        self._heard = heard
        self._filters: tuple[Constraint, ...] = ()
        self._chain: list[_Generation] = []
        self._memos: deque[MessageFrame] | None = None
        self._come = asyncio.Event()
        self._noted = asyncio.Event()
        self._changing = asyncio.Lock()
        try:
            self._reading = await self._line({"client-id": self._name})
            self._writing = await self._line({})
        except (StompLost, OSError) as error:
            await self.disconnect()
            raise AdapterError(f"{self._where}: {error}") from error
        self._reader = asyncio.create_task(self._read())

    async def _line(self, headers: Mapping[str, str]) -> StompLine:
        given = self.parameters
        context = ssl.create_default_context(cafile=given.ca_file or None) if given.tls else None
        known = {"login": given.user, "passcode": given.password} if given.user else {}
        return await StompLine.open(
            given.host, self._port, context, {**known, **headers}, given.heartbeat, self._take
        )

    async def disconnect(self) -> None:
        """Leave the broker; the subscriptions stay there."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait((self._reader,))
            self._reader = None
        if self._reading is not None and not self._reading.lost.done():
            with suppress(StompLost, StompRefused, TimeoutError):
                async with asyncio.timeout(_CLOSING):
                    await self._retire()
        reading, self._reading = self._reading, None
        writing, self._writing = self._writing, None
        for line in (reading, writing):
            if line is not None:
                await line.close()

    async def lost(self) -> str:
        """Wait until one of the connections is lost."""
        assert self._reading is not None
        assert self._writing is not None
        both = (self._reading.lost, self._writing.lost)
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        return next(f"{self._where}: {one.result()}" for one in both if one.done())

    def _lines(self) -> tuple[StompLine, StompLine]:
        if self._reading is None or self._writing is None:
            raise AdapterError(f"{self._where} is not connected")
        return self._reading, self._writing

    # What is wanted.

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Add a subscription to the chain, unless its last one asks for the same."""
        reading, _ = self._lines()
        found = [selector_of(one) for one in filters]
        selector = joined([one.text for one in found], self._name)
        try:
            async with self._changing:
                if self._memos is None:
                    await self._load(reading)
                if not filters:
                    await self._delete(reading)
                else:
                    await self._change(reading, selector or "")
        except (StompLost, StompRefused) as error:
            raise AdapterError(f"{self._where}: {error}") from error
        self._filters = tuple(filters)
        if selector is None:
            return [Placed("every event", exact=False, surplus=_LONG)] * len(found)
        return [Placed(one.text or "every event", one.exact, one.surplus) for one in found]

    async def _change(self, reading: StompLine, selector: str) -> None:
        if not self._chain or self._chain[-1].selector != selector:
            number = self._chain[-1].number + 1 if self._chain else 0
            if self._chain and number - self._chain[0].number >= _MOST_CHAIN:
                raise StompRefused(
                    f"the filters have changed {_MOST_CHAIN} times while events of the first ones "
                    "wait to be taken"
                )
            self._chain.append(_Generation(number, selector))
            await self._store(reading)
            try:
                await self._subscribe(reading, self._chain[-1])
            except StompRefused:
                self._chain.pop()
                await self._store(reading)
                raise
        for one in self._chain:
            if not one.subscribed:
                await self._subscribe(reading, one)
        for one in self._chain[1:]:
            await reading.request(
                SendFrame, {"destination": self._topic, FENCE: self._name, "opens": str(one.number)}
            )

    async def _subscribe(self, reading: StompLine, one: _Generation) -> None:
        given = self.parameters
        await reading.request(
            SubscribeFrame,
            {
                "id": str(one.number),
                "destination": self._topic,
                "ack": "client-individual",
                "activemq.subscriptionName": one.name,
                "activemq.prefetchSize": str(given.window),
                **({"selector": one.selector} if one.selector else {}),
                **({"transformation": given.transformation} if given.transformation else {}),
            },
        )
        one.subscribed = True

    async def _delete(self, reading: StompLine) -> None:
        for one in self._chain:
            await self._unsubscribe(reading, one)
        self._chain = []
        await self._store(reading)

    async def _unsubscribe(self, reading: StompLine, one: _Generation) -> None:
        headers = {"id": str(one.number)}
        one.left.clear()  # what it has handed over cannot be acknowledged any more
        # There may be none, if this has begun before.
        if one.subscribed:
            with suppress(StompRefused):
                await reading.request(UnsubscribeFrame, headers)
        with suppress(StompRefused):
            await reading.request(
                UnsubscribeFrame, {**headers, "activemq.subscriptionName": one.name}
            )

    async def _retire(self) -> None:
        """Delete the subscriptions that are read to their end, and all of it taken."""
        reading = self._reading
        if reading is None or not any(one.done and not one.left for one in self._chain):
            return
        async with self._changing:
            for one in tuple(self._chain):
                if one.done and not one.left:
                    await self._unsubscribe(reading, one)
                    self._chain.remove(one)
            await self._store(reading)

    # The chain, as a message in a queue: the last one counts.

    async def _load(self, reading: StompLine) -> None:
        self._memos = memos = deque[MessageFrame]()
        queue = f"/queue/{self._name}"
        await reading.request(
            SubscribeFrame, {"id": "memo", "destination": queue, "ack": "client-individual"}
        )
        end = f"end {self._clock.now()}".encode()
        await self._note(reading, end)
        try:
            async with asyncio.timeout(PATIENCE):
                while not any(one.body == end for one in memos):
                    self._noted.clear()
                    await self._noted.wait()
        except TimeoutError as error:
            raise StompLost(f"{queue} has handed over nothing for {PATIENCE:.0f} s") from error
        kept = [one for one in memos if not one.body.startswith(b"end ")]
        if kept:
            with suppress(msgspec.DecodeError):
                chain = msgspec.json.decode(kept[-1].body, type=list[tuple[int, str]])
                self._chain = [_Generation(number, selector) for number, selector in chain]

    async def _store(self, reading: StompLine) -> None:
        assert self._memos is not None
        before = tuple(self._memos)
        self._memos.clear()
        if self._chain:
            chain = [(one.number, one.selector) for one in self._chain]
            await self._note(reading, msgspec.json.encode(chain))
        for frame in before:
            _acknowledge(reading, frame)

    async def _note(self, reading: StompLine, body: bytes) -> None:
        headers = {"destination": f"/queue/{self._name}", "persistent": "true"}
        await reading.request(SendFrame, {**headers, "content-length": str(len(body))}, body=body)

    # What is handed over.

    def _take(self, frame: MessageFrame) -> None:
        subscription = frame.headers["subscription"]
        if subscription == "memo":
            assert self._memos is not None
            self._memos.append(frame)
            self._noted.set()
        for one in self._chain:
            if subscription == str(one.number):
                one.frames.append(frame)
                self._come.set()

    async def _read(self) -> None:
        try:
            while True:
                await self._come.wait()
                self._come.clear()
                while (arrivals := self._next()) is not None:
                    await self._heard(arrivals)
                await self._retire()
        except (StompLost, StompRefused) as error:
            cause = str(error)
        except Exception as fault:
            log.exception("events of %s could not be taken", self._where)
            cause = f"events could not be taken: {fault!r}"
        if self._reading is not None:
            self._reading.lose(cause)

    def _next(self) -> list[Arrival] | None:
        """Return what comes next, in order; None for nothing."""
        reading = self._reading
        arrivals: list[Arrival] = []
        looked = 0
        while looked < _BATCH and reading is not None:
            open_ = next((one for one in self._chain if not one.done), None)
            if open_ is None or not open_.frames:
                break
            looked += 1
            frame = open_.frames.popleft()
            arrival = self._arrival(open_, frame)
            if arrival is None:
                _acknowledge(reading, frame)
            else:
                open_.left.add(frame.headers["ack"])
                arrivals.append(arrival)
        return arrivals if looked else None

    def _arrival(self, one: _Generation, frame: MessageFrame) -> Arrival | None:
        """Return the event of a message; None for a fence, and for what nobody wants."""
        headers: Any = frame.headers
        at = self._chain.index(one)
        if FENCE in headers:
            opens = headers.get("opens", "")
            ours = headers[FENCE] == self._name and opens.isdecimal()
            if ours and int(opens) > one.number and at + 1 < len(self._chain):
                one.done = True
                self._chain[at + 1].before = one.seen
            return None
        number = frame.headers["message-id"]
        one.seen[number] = None
        if len(one.seen) > _MOST_SEEN:
            del one.seen[next(iter(one.seen))]
        if number in one.before:
            return None
        handle = (self._reading, one, frame)
        arrival = Arrival(*event_of(frame, self.parameters.texts), handle=handle)
        if p.PARTLY in headers and not p.is_wanted(arrival.event, self._filters):
            return None
        return arrival

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Acknowledge events; those of an earlier connection come again anyway."""
        for arrival in arrivals:
            line: StompLine
            line, one, frame = arrival.handle
            if line is self._reading and frame.headers["ack"] in one.left:
                one.left.discard(frame.headers["ack"])
                _acknowledge(line, frame)
                if one.done and not one.left:
                    self._come.set()

    # What is published.

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events; return when the broker has confirmed all.

        They are in transactions: the broker syncs its disk once for each, not for each event.
        """
        _, writing = self._lines()
        now = self._clock.now()
        answers: list[Refused | None] = []
        try:
            octets = 0
            writing.send(BeginFrame, _TRANSACTION)
            for event, mark in events:
                answers.append(None)
                if p.lifetime(event, now) == 0:  # nobody would get it
                    continue
                try:
                    body = encode_event(event)
                except TidingsError as error:
                    answers[-1] = Refused(str(error))
                    continue
                headers = {**headers_of(event, mark, now), "destination": self._topic}
                writing.send(SendFrame, {**headers, **_TRANSACTION}, body=body)
                await writing.drain()
                octets += len(body)
                if octets > _MOST_OCTETS:
                    await writing.request(CommitFrame, _TRANSACTION)
                    writing.send(BeginFrame, _TRANSACTION)
                    octets = 0
            await writing.request(CommitFrame, _TRANSACTION)
        except (StompLost, StompRefused) as error:
            raise AdapterError(f"{self._where}: {error}") from error
        return answers


def _acknowledge(line: StompLine, frame: MessageFrame) -> None:
    line.send(AckFrame, {"id": frame.headers["ack"], "subscription": frame.headers["subscription"]})
