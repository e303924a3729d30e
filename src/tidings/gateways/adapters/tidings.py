"""Channels of Tidings: of the service that runs the gateway, or of another one over HTTP or IIOP.

One named subscription per side stays at the channel, so that nothing is missed while the gateway is
away; an event is acknowledged when it is safe at all its destinations. What is published carries
the number of its origin, and the channel accepts each number once: across kills, retries and other
gateways that take over, every event arrives exactly once.

Gateways talk in a channel beside, so that consumers and the past of the channel have events only.
Requests of clients are heard in both.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, Final
from urllib.parse import quote

import msgspec

from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.client.publishing import Publisher
from tidings.client.subscription import Subscription
from tidings.errors import (
    BadInput,
    ChannelFull,
    Forbidden,
    InvalidUsage,
    LimitExceeded,
    NameTaken,
    NumberTooOld,
    TidingsError,
)
from tidings.events.envelope import ProducerMark
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.gateway import CONTROL_FILTER
from tidings.federation.marks import marked, unmarked
from tidings.federation.requests import OF_GATEWAYS
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

log = logging.getLogger(__name__)

_WINDOW: Final = 1_024
_BATCH: Final = 256
# Seconds that a remote service may be away before the gateway is told.
_PATIENCE: Final = 2.0
# Seconds between two looks whether a service that says nothing is still there.
_LOOK: Final = 2.0
_PAUSE: Final = 0.05


class TidingsParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which channel.

    Attributes:
        channel: Its name.
        url: Where the service is, `http://…` or `corbaloc:…`; empty for the service itself.
        token: Who the gateway is at another service.
        principal: Who it is at the service itself; empty for its owner. Grants decide.
        create: Whether a missing channel is created, persistent.
        public_url: Where others find the service itself; the federation is told.
        control: The channel where gateways talk, created if it is missing; empty for the channel's
            name and `.federation`.
    """

    channel: str
    url: str = ""
    token: str = ""
    principal: str = ""
    create: bool = False
    public_url: str = ""
    control: str = ""


class _Line:
    """One channel: what the gateway publishes there and hears of it."""

    def __init__(self, channel: str, name: str, heard: Heard, lose: Callable[[str], None]) -> None:
        self._channel = channel
        self._name = name
        self._heard = heard
        self._lose = lose
        self._publisher: Publisher | None = None
        self._subscription: Subscription | None = None
        self._reader: asyncio.Task[None] | None = None

    async def open(self, client: Client, *, create: bool) -> None:
        """Find the channel, or create it."""
        if create and self._channel not in {one.name for one in await client.channels()}:
            with suppress(NameTaken):  # another gateway was quicker
                await client.create_channel(self._channel)
        await client.channel(self._channel)
        self._publisher = await client.publisher(self._channel)

    async def stop(self) -> None:
        """Hand over no more events; the subscription stays at the channel."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.wait((reader,))

    async def want(self, client: Client, filters: Sequence[Constraint]) -> None:
        """Hear the events that match any of these; without a filter none, not even later."""
        await self.stop()
        before, self._subscription = self._subscription, None
        if before is not None:
            await before.close()
        made = await client.subscribe(
            self._channel,
            list(filters) or "FALSE",
            name=self._name,
            manual_ack=True,
            window=_WINDOW,
        )
        if not filters:
            await made.delete()
            return
        self._subscription = made
        self._reader = asyncio.create_task(self._read(made))

    async def _read(self, subscription: Subscription) -> None:
        try:
            async for messages in subscription.batches(_BATCH):
                arrivals = []
                for message in messages:
                    bare, mark = unmarked(message.event)
                    handle, time = (subscription, message), message.arrival
                    arrivals.append(Arrival(bare, mark, message.origin, message.seq, handle, time))
                await self._heard(arrivals)
            cause = "the subscription has ended"
        except TidingsError as error:
            cause = str(error)
        except Exception as fault:
            log.exception("the reader of channel %s has a fault", self._channel)
            cause = f"the reader has a fault: {fault!r}"
        self._lose(f"channel {self._channel}: {cause}")

    async def publish(self, events: Sequence[Outgoing]) -> list[Refused | None]:
        """Publish events under the numbers of their origins; wait while the channel is full."""
        items = [marked(event, mark) for event, mark in events]
        marks = [ProducerMark(mark.producer, mark.number) for _, mark in events]
        answers: list[Refused | None] = []
        while len(answers) < len(items):
            done = len(answers)
            answers += await self._relay(items[done:], marks[done:])
            if len(answers) < len(items):
                await asyncio.sleep(_PAUSE)
        return answers

    async def _relay(
        self, items: Sequence[Any], marks: Sequence[ProducerMark]
    ) -> list[Refused | None]:
        """Publish as far as there is room."""
        if self._publisher is None:
            raise AdapterError(f"channel {self._channel} is not connected")
        try:
            found = await self._publisher.relay(items, marks)
        except TidingsError as error:
            raise AdapterError(f"channel {self._channel}: {error}") from error
        answers: list[Refused | None] = []
        for answer in found:
            if not isinstance(answer, TidingsError):
                answers.append(None)
            elif isinstance(answer, ChannelFull):
                break
            elif isinstance(answer, BadInput | LimitExceeded | NumberTooOld | Forbidden):
                answers.append(Refused(str(answer)))
            else:
                raise AdapterError(str(answer))
        return answers


class TidingsAdapter(Adapter[TidingsParameters]):
    """The adapter of a channel."""

    Parameters = TidingsParameters
    batch = 1_000  # a service syncs its disk once for all of them
    secrets = ("token",)
    capabilities = Capabilities(
        kind="tidings",
        promise="exactly once between persistent channels",
        filtering=Filtering.CONTENT,
        holds=True,
        confirms=True,
        once=True,
        marks=True,
        control=True,
        nested=True,
        most_octets=10 * 2**20,
        priority=Survival.KEPT,
        order=Survival.KEPT,
        lifetime=Survival.KEPT,
        reliability=Survival.KEPT,
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: TidingsParameters) -> None:
        super().__init__(side, parameters)
        if parameters.url and parameters.principal:
            raise InvalidUsage(
                f"{side.adapter}: principal is for channels of the service itself; at another one "
                "a token says who the gateway is"
            )
        self._control = parameters.control or f"{parameters.channel}.federation"
        self._client: Client | None = None
        if url := (parameters.url or parameters.public_url):
            self.place = f"{url.rstrip('/')}/{quote(parameters.channel, safe='')}"

    async def connect(self, heard: Heard) -> None:
        """Connect with the service, and find the channels."""
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        name = f"{OF_GATEWAYS}{self.side.system}/{self.side.gateway}/{self.side.adapter}"
        channel = self.parameters.channel
        self._events = _Line(channel, name, heard, self._lose)
        self._talk = (
            self._events
            if self._control == channel
            else _Line(self._control, name, heard, self._lose)
        )
        try:
            self._client = await self._connected()
            await self._events.open(self._client, create=self.parameters.create)
            if self._talk is not self._events:
                await self._talk.open(self._client, create=True)
        except TidingsError as error:
            await self.disconnect()
            raise AdapterError(f"channel {channel}: {error}") from error

    async def _connected(self) -> Client:
        url = self.parameters.url
        if not url:
            make = self.side.local.get("client")
            if make is None:
                raise AdapterError("this process runs no service: give the url of one")
            made: Client = make(self.parameters.principal)
            return made
        token = self.parameters.token or None
        return await connect(url, token=token, patience=_PATIENCE, on_connection=self._told)

    def _told(self, connected: bool, *_: object) -> None:
        if not connected:
            self._lose(f"the service at {self.parameters.url} does not answer")

    def _lose(self, cause: str) -> None:
        if not self._lost.done():
            self._lost.set_result(cause)

    async def disconnect(self) -> None:
        """Leave the channels; the subscriptions stay there."""
        await self._events.stop()
        await self._talk.stop()
        client, self._client = self._client, None
        if client is not None:
            try:
                async with asyncio.timeout(_PATIENCE):
                    await client.close()
            except (TidingsError, TimeoutError):
                pass

    async def lost(self) -> str:
        """Wait until the channel or its service is gone."""
        while not self._lost.done():
            await asyncio.wait((self._lost,), timeout=_LOOK)
            if not self._lost.done() and self._client is not None:
                try:
                    await self._client.channel(self.parameters.channel)
                except TidingsError as error:
                    return str(error)
        return self._lost.result()

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Subscribe under the gateway's name; the channel filters exactly."""
        assert self._client is not None
        try:
            await self._events.want(self._client, filters)
            if self._talk is not self._events:
                control = [one for one in filters if one == CONTROL_FILTER]
                await self._talk.want(self._client, control)
        except TidingsError as error:
            raise AdapterError(f"channel {self.parameters.channel}: {error}") from error
        return [Placed(one.text, exact=True) for one in filters]

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Acknowledge events."""
        for arrival in arrivals:
            subscription, message = arrival.handle
            subscription.ack(message)

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events; what gateways say to each other goes to its own channel."""
        if self._lost.done():
            raise AdapterError(self._lost.result())
        answers: list[Refused | None] = []
        for talk, group in groupby(events, lambda one: one.event.name == CONTROL_SUBJECT):
            line = self._talk if talk else self._events
            answers += await line.publish(list(group))
        return answers
