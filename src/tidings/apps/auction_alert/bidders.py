"""The consumers' side: a bidder asks by name, and takes alerts in a way of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Protocol

from tidings.apps.auction_alert.ledger import Ledger
from tidings.apps.auction_alert.scene import CHANNEL, Bidder, Habit
from tidings.client.client import Client
from tidings.client.subscription import Delivery, PullSubscription, Subscription
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.mapping import MappedConstraint

SLOW_SECONDS = 0.005
PULL_EVERY_SECONDS = 0.1
PULLED_AT_ONCE = 16
LEASE_SECONDS = 30.0
LOOK_EVERY_SECONDS = 0.03


class _Heard(Protocol):
    def __call__(self, bidder: Bidder, delivery: Delivery) -> None: ...


class Listener:
    """A bidder who is connected to the service.

    An alert is written down before it is acknowledged: if the service dies between the two, it
    is delivered once more. The client knows what was handed out, and does so once.

    Args:
        client: The way to the service.
        bidder: Who.
        path: The bidder's ledger.
        heard: Told of each alert.
    """

    def __init__(self, client: Client, bidder: Bidder, path: Path, heard: _Heard) -> None:
        self._client = client
        self.bidder = bidder
        self.ledger = Ledger(path)
        self._heard = heard
        self._source: Subscription | PullSubscription | None = None
        self._taking: asyncio.Task[None] | None = None

    @property
    def proxy(self) -> int:
        """The id of the bidder's subscription."""
        return self._connected.proxy

    @property
    def _connected(self) -> Subscription | PullSubscription:
        assert self._source is not None
        return self._source

    async def connect(self) -> None:
        """Subscribes by name, or resumes the subscription of that name, and begins to take."""
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
            MappedConstraint(one.constraint, Any(tc.SHORT, one.value))
            for one in self.bidder.priorities
        ]
        mapping = await self._client.create_mapping(Any(tc.SHORT, 0), mapped)
        channel = await self._client.channel(CHANNEL)
        await channel.proxy(self.proxy).set_priority_filter(mapping)

    async def _take(self, subscription: Subscription) -> None:
        slow = self.bidder.habit is Habit.SLOWLY
        async for delivery in subscription:
            self._note(delivery)
            delivery.ack()
            if slow:
                await asyncio.sleep(SLOW_SECONDS)

    async def _pull(self, puller: PullSubscription) -> None:
        while True:
            await asyncio.sleep(PULL_EVERY_SECONDS)
            for delivery in await puller.pull(PULLED_AT_ONCE, seconds=0, lease=LEASE_SECONDS):
                self._note(delivery)
                delivery.ack()

    def _note(self, delivery: Delivery) -> None:
        self.ledger.write({"id": delivery.id, "again": delivery.redelivered})
        self._heard(self.bidder, delivery)

    async def leave(self) -> None:
        """Goes away; what comes now waits."""
        await self._stop()
        await self._connected.close()

    async def close(self) -> None:
        """Takes no more, and puts the ledger away."""
        await self._stop()
        self.ledger.close()

    async def _stop(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            await asyncio.gather(self._taking, return_exceptions=True)

    async def pause(self) -> None:
        """Takes what is here already, and asks the service for a pause."""
        assert isinstance(self._source, Subscription)
        await self._source.suspend()
        await self.drained(flying=True)

    async def waiting(self) -> int:
        """How many alerts wait at the service, or are on their way."""
        seen = await self._connected.info()
        return seen.waiting + seen.in_flight

    async def go_on(self) -> None:
        """Takes what has gathered meanwhile."""
        assert isinstance(self._source, Subscription)
        self.ledger.write({"stock": True})
        await self._source.resume()

    async def drained(self, *, flying: bool = False) -> None:
        """Waits until nothing waits for the bidder, or at least nothing is on its way."""
        while True:
            if self._taking is not None and self._taking.done():
                self._taking.result()  # it ends of itself only by an error
            seen = await self._connected.info()
            if not seen.in_flight and (flying or not seen.waiting):
                return
            await asyncio.sleep(LOOK_EVERY_SECONDS)
