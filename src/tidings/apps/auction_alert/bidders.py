"""Consumers of the demo: each bidder subscribes by name and receives alerts in its own way."""

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
    """A bidder that is connected to the service.

    It writes an alert to its ledger before it acknowledges it. If the service dies in between, it
    redelivers the alert; the client drops the duplicate.
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
        """Disconnect; new alerts wait at the service."""
        await self._stop()
        await self._connected.close()

    async def close(self) -> None:
        """Stop receiving and close the ledger."""
        await self._stop()
        self.ledger.close()

    async def _stop(self) -> None:
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
        self.ledger.write({"stock": True})
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
