"""Channels of Tidings: of the service that runs the gateway, or of another one over HTTP or IIOP.

One named subscription per side stays at the channel, so that nothing is missed while the gateway is
away; an event is acknowledged when it is safe at all its destinations. What is published carries
the number of its origin, and the channel accepts each number once: across kills, retries and other
gateways that take over, every event arrives exactly once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.client.publishing import Publisher
from tidings.client.subscription import Subscription
from tidings.errors import (
    BadInput,
    ChannelFull,
    Disconnected,
    InvalidEvent,
    LimitExceeded,
    NumberTooOld,
    TidingsError,
)
from tidings.events.envelope import ProducerMark
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.marks import marked, unmarked
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
        channel: Its name; it is created if it is missing and `create` says so.
        url: Where the service is, `http://…` or `corbaloc:…`; empty for the service itself.
        token: Who the gateway is there.
        create: Whether a missing channel is created, persistent.
    """

    channel: str
    url: str = ""
    token: str = ""
    create: bool = False


class TidingsAdapter(Adapter[TidingsParameters]):
    """The adapter of a channel."""

    Parameters = TidingsParameters
    secrets = ("token",)
    capabilities = Capabilities(
        kind="tidings",
        promise="exactly once between persistent channels",
        filtering=Filtering.CONTENT,
        holds=True,
        confirms=True,
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
        self._client: Client | None = None
        self._publisher: Publisher | None = None
        self._subscription: Subscription | None = None
        self._reader: asyncio.Task[None] | None = None
        self._heard: Heard | None = None
        self._name = f"federation {side.system}/{side.gateway}/{side.adapter}"

    async def connect(self, heard: Heard) -> None:
        """Connect with the service, and find the channel."""
        self._heard = heard
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        try:
            self._client = await self._connected()
            await self._find_channel(self._client)
            self._publisher = await self._client.publisher(self.parameters.channel)
        except TidingsError as error:
            await self.disconnect()
            raise AdapterError(f"channel {self.parameters.channel}: {error}") from error

    async def _connected(self) -> Client:
        url = self.parameters.url
        if not url:
            make = self.side.local.get("client")
            if make is None:
                raise AdapterError("this process runs no service: give the url of one")
            made: Client = make()
            return made
        token = self.parameters.token or None
        return await connect(url, token=token, patience=_PATIENCE, on_connection=self._told)

    def _told(self, connected: bool, *_: object) -> None:
        if not connected and not self._lost.done():
            self._lost.set_result(f"the service at {self.parameters.url} does not answer")

    async def _find_channel(self, client: Client) -> None:
        if self.parameters.create and self.parameters.channel not in {
            one.name for one in await client.channels()
        }:
            await client.create_channel(self.parameters.channel)
        await client.channel(self.parameters.channel)

    async def disconnect(self) -> None:
        """Leave the channel; the subscription stays there."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.wait((reader,))
        client, self._client, self._subscription = self._client, None, None
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
            await self._subscribe(self._client, filters)
        except TidingsError as error:
            raise AdapterError(f"channel {self.parameters.channel}: {error}") from error
        return [Placed(one.text, exact=True) for one in filters]

    async def _subscribe(self, client: Client, filters: Sequence[Constraint]) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.wait((reader,))
            assert self._subscription is not None
            await self._subscription.close()
        if not filters:
            await self._unsubscribe(client)
            return
        self._subscription = await client.subscribe(
            self.parameters.channel,
            list(filters),
            name=self._name,
            manual_ack=True,
            window=_WINDOW,
        )
        self._reader = asyncio.create_task(self._read(self._subscription))

    async def _unsubscribe(self, client: Client) -> None:
        """Delete the subscription, this one's or one of an earlier life."""
        subscription = self._subscription or await client.subscribe(
            self.parameters.channel, "FALSE", name=self._name, manual_ack=True
        )
        self._subscription = None
        await subscription.delete()

    async def _read(self, subscription: Subscription) -> None:
        assert self._heard is not None
        try:
            async for messages in subscription.batches(_BATCH):
                arrivals = []
                for message in messages:
                    bare, mark = unmarked(message.event)
                    arrivals.append(Arrival(bare, mark, message.origin, message.seq, message))
                await self._heard(arrivals)
            cause = "the subscription has ended"
        except TidingsError as error:
            cause = str(error)
        if not self._lost.done():
            self._lost.set_result(cause)

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Acknowledge events."""
        subscription = self._subscription
        if subscription is not None:
            for arrival in arrivals:
                subscription.ack(arrival.handle)

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events under the numbers of their origins."""
        items = [marked(event, mark) for event, mark in events]
        marks = [ProducerMark(mark.producer, mark.number) for _, mark in events]
        answers: list[Refused | None] = []
        while len(answers) < len(items):
            done = len(answers)
            answers += await self._relayed(items[done:], marks[done:])
            if len(answers) < len(items):
                await asyncio.sleep(_PAUSE)  # the channel is full
        return answers

    async def _relayed(self, items: Sequence[Any], marks: Sequence[ProducerMark]) -> list[Any]:
        """Publish as far as there is room."""
        if self._publisher is None or self._lost.done():
            raise AdapterError(f"channel {self.parameters.channel} is not connected")
        try:
            found = await self._publisher.relay(items, marks)
        except (InvalidEvent, Disconnected) as error:
            raise AdapterError(str(error)) from error
        except TidingsError as error:
            raise AdapterError(f"channel {self.parameters.channel}: {error}") from error
        answers: list[Refused | None] = []
        for answer in found:
            if isinstance(answer, ChannelFull):
                break
            if isinstance(answer, BadInput | LimitExceeded | NumberTooOld):
                answers.append(Refused(str(answer)))
            elif isinstance(answer, TidingsError):
                raise AdapterError(str(answer))
            else:
                answers.append(None)
        return answers
