"""Suppliers of the demo: each house publishes its offers in order, exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Self

from tidings.apps.auction_alert.ledger import Acknowledged, Ledger
from tidings.apps.auction_alert.scene import CHANNEL, House, Scene
from tidings.client.client import Client
from tidings.client.publishing import Publisher


class Supplier:
    """A house that is connected to the service.

    It syncs each acknowledgement to its ledger before it makes the next offer. While the service is
    down, the client resends the offer with the same number; if the service had accepted it, it
    repeats its first answer. `sent` and `answered` are the numbers of the latest offers.
    """

    def __init__(self, house: House, scene: Scene, publisher: Publisher, path: Path) -> None:
        self.house = house
        self.publisher = publisher
        self.sent = self.answered = 0
        self._offers = scene.offers(house)
        self._ledger = Ledger(path)

    @classmethod
    async def connected(cls, client: Client, scene: Scene, house: House, path: Path) -> Self:
        """Connect a house and advertise its event types."""
        publisher = await client.publisher(CHANNEL, house.name)
        await publisher.offer(house.types)
        return cls(house, scene, publisher, path)

    async def offer_until(
        self, last: int, heard: Callable[[Acknowledged], None], pause: float
    ) -> None:
        """Publish offers up to number `last`, and call `heard` with each acknowledgement."""
        for number in range(self.answered + 1, last + 1):
            offer = self._offers[number - 1]
            self.sent = number
            receipt = await self.publisher.publish(offer, number=number)
            self.answered = number
            acknowledged = Acknowledged(number, (receipt.origin, receipt.seq), offer)
            # Other houses of this process must not wait for this disk write.
            await asyncio.to_thread(self._ledger.write, acknowledged.line(), sync=True)
            heard(acknowledged)
            await asyncio.sleep(pause)

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()
