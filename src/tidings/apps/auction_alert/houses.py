"""The suppliers' side: a house offers its things one after the other, each exactly once."""

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

    What the service acknowledged is written down and synced before the next offer is made. While
    the service is away the house waits for its answer: the client sends the offer again under the
    same number, and if it had been accepted, the service answers as the first time.

    Attributes:
        house: Which one.
        publisher: Its way into the channel.
        sent: The number of the latest offer.
        answered: The number of the latest that was acknowledged.
    """

    def __init__(self, house: House, scene: Scene, publisher: Publisher, path: Path) -> None:
        self.house = house
        self.publisher = publisher
        self.sent = self.answered = 0
        self._offers = scene.offers(house)
        self._ledger = Ledger(path)

    @classmethod
    async def connected(cls, client: Client, scene: Scene, house: House, path: Path) -> Self:
        """Connects a house and says what it will offer."""
        publisher = await client.publisher(CHANNEL, house.name)
        await publisher.offer(house.types)
        return cls(house, scene, publisher, path)

    async def offer_until(
        self, last: int, heard: Callable[[Acknowledged], None], pause: float
    ) -> None:
        """Makes its offers up to a number, with a pause after each; tells of each answer."""
        for number in range(self.answered + 1, last + 1):
            offer = self._offers[number - 1]
            self.sent = number
            receipt = await self.publisher.publish(offer, number=number)
            self.answered = number
            acknowledged = Acknowledged(number, (receipt.origin, receipt.seq), offer)
            # The other houses of this process must not wait for our disk.
            await asyncio.to_thread(self._ledger.write, acknowledged.line(), sync=True)
            heard(acknowledged)
            await asyncio.sleep(pause)

    def close(self) -> None:
        """Puts the ledger away."""
        self._ledger.close()
