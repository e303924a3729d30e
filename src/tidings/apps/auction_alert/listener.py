"""A bidder as a consumer: a named subscription, and alerts taken in the bidder's own way."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from tidings.apps.auction_alert.scene import CHANNEL, Bidder, Habit
from tidings.client.client import Client
from tidings.client.subscription import Delivery, PullSubscription, Subscription
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.filters.mapping import MappedConstraint

PULL_EVERY_SECONDS = 0.1
PULLED_AT_ONCE = 16
LEASE_SECONDS = 30.0
LOOK_EVERY_SECONDS = 0.03


class Listener(ABC):
    """A bidder that is connected to the service."""

    def __init__(self, client: Client, bidder: Bidder) -> None:
        self._client = client
        self.bidder = bidder
        self._source: Subscription | PullSubscription | None = None
        self._taking: asyncio.Task[None] | None = None

    @abstractmethod
    async def take(self, delivery: Delivery) -> None:
        """Take an alert and acknowledge it; the next one waits until this is done."""

    @property
    def proxy(self) -> int:
        """Id of the bidder's subscription."""
        return self._connected.proxy

    @property
    def _connected(self) -> Subscription | PullSubscription:
        assert self._source is not None
        return self._source

    async def connect(self) -> None:
        """Create or resume the named subscription and start to receive."""
        name, wanted, qos = self.bidder.name, self.bidder.wanted, self.bidder.qos
        if self.bidder.habit is Habit.PULLS:
            puller = await self._client.puller(CHANNEL, wanted, name=name, qos=qos)
            self._source, taking = puller, self._pull(puller)
        else:
            pushed = await self._client.subscribe(
                CHANNEL, wanted, name=name, qos=qos, manual_ack=True
            )
            self._source, taking = pushed, self._take(pushed)
        await self._set_priorities()
        self._taking = asyncio.create_task(taking)

    async def _set_priorities(self) -> None:
        if not self.bidder.priorities or (await self._connected.info()).priority_filter:
            return
        mapped = [
            MappedConstraint(one.constraint, AnyValue(tc.SHORT, one.value))
            for one in self.bidder.priorities
        ]
        mapping = await self._client.create_mapping(AnyValue(tc.SHORT, 0), mapped)
        channel = await self._client.channel(CHANNEL)
        await channel.proxy(self.proxy).set_priority_filter(mapping)

    async def _take(self, subscription: Subscription) -> None:
        async for delivery in subscription:
            await self.take(delivery)

    async def _pull(self, puller: PullSubscription) -> None:
        while True:
            await asyncio.sleep(PULL_EVERY_SECONDS)
            for delivery in await puller.pull(PULLED_AT_ONCE, seconds=0, lease=LEASE_SECONDS):
                await self.take(delivery)

    async def leave(self) -> None:
        """Disconnect; new alerts wait at the service."""
        await self.stop()
        if self._source is not None:
            await self._source.close()

    async def stop(self) -> None:
        """Stop receiving."""
        if self._taking is not None:
            self._taking.cancel()
            await asyncio.gather(self._taking, return_exceptions=True)

    async def pause(self) -> None:
        """Suspend the subscription, then receive what has already arrived."""
        assert isinstance(self._source, Subscription)
        await self._source.suspend()
        await self.drained(flying=True)

    async def waiting(self) -> int:
        """Return the number of alerts that wait at the service or are in flight."""
        seen = await self._connected.info()
        return seen.waiting + seen.in_flight

    async def go_on(self) -> None:
        """Resume and receive the backlog."""
        assert isinstance(self._source, Subscription)
        await self._source.resume()

    async def drained(self, *, flying: bool = False) -> None:
        """Wait until no alerts are waiting; with `flying`, until none are in flight."""
        while True:
            if self._taking is not None and self._taking.done():
                self._taking.result()  # it ends by itself only with an error
            seen = await self._connected.info()
            if not seen.in_flight and (flying or not seen.waiting):
                return
            await asyncio.sleep(LOOK_EVERY_SECONDS)
