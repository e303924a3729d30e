"""The houses and the bidders as parts, each run in its own process and controlled by orders.

Houses are suppliers: each publishes its offers in order, exactly once. Bidders are consumers: each
subscribes by name and receives alerts in its own way. A part keeps running while the service is
killed and restarted; its client reconnects.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any, Self, TypeAlias

from tidings.apps.auction_alert.accounts import (
    Acknowledged,
    Ledger,
    bidder_ledger,
    house_ledger,
)
from tidings.apps.auction_alert.listener import Listener
from tidings.apps.auction_alert.scene import CHANNEL, Bidder, Habit, House, Scene
from tidings.client.client import Client
from tidings.client.publishing import Publisher
from tidings.client.subscription import Delivery
from tidings.clock import Clock
from tidings.errors import InvalidUsage

SLOW_SECONDS = 0.005

Tell: TypeAlias = Callable[[str, dict[str, Any]], None]
"""Called with the name of a happening and its details as plain data."""


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


class Recorder(Listener):
    """A bidder with a ledger.

    It writes an alert to its ledger before it acknowledges it. If the service dies in between, it
    redelivers the alert; the client drops the duplicate.
    """

    def __init__(
        self, client: Client, bidder: Bidder, path: Path, heard: Callable[[Bidder, Delivery], None]
    ) -> None:
        super().__init__(client, bidder)
        self.ledger = Ledger(path)
        self._heard = heard

    async def take(self, delivery: Delivery) -> None:
        """Write an alert down, acknowledge it, and tell of it."""
        self.ledger.write({"id": delivery.id, "again": delivery.redelivered})
        self._heard(self.bidder, delivery)
        delivery.ack()
        if self.bidder.habit is Habit.SLOWLY:
            await asyncio.sleep(SLOW_SECONDS)

    async def close(self) -> None:
        """Stop receiving and close the ledger."""
        await self.stop()
        self.ledger.close()

    async def go_on(self) -> None:
        """Resume and receive the backlog."""
        self.ledger.write({"stock": True})
        await super().go_on()


class Part(ABC):
    """One side of the demo; reports ``cut`` and ``back`` as the connection is lost and restored."""

    def __init__(self, scene: Scene, folder: Path, tell: Tell) -> None:
        self._scene = scene
        self._folder = folder
        self._tell = tell
        self._away = False
        self._orders: dict[str, Callable[[], Awaitable[None]]] = {}

    def on_connection(self, reached: bool, why: str) -> None:
        """Report that the client has gained or lost the connection."""
        if reached is self._away:
            self._away = not reached
            self._tell("back" if reached else "cut", {} if reached else self._interrupted())

    def _interrupted(self) -> dict[str, Any]:
        return {}

    @abstractmethod
    async def connect(self, client: Client) -> None:
        """Connect all members to the service."""

    async def do(self, order: str) -> None:
        """Carry out an order; raise InvalidUsage if it is unknown."""
        if order not in self._orders:
            raise InvalidUsage(f"{type(self).__name__} know no order {order!r:.60}")
        await self._orders[order]()

    @abstractmethod
    async def close(self) -> None:
        """Disconnect all members."""


class Houses(Part):
    """All houses of a scene.

    Orders: ``begin`` publishes the offers before the kill, ``finish`` the rest. Reports
    ``connected`` once, ``offered`` for each acknowledged offer, and with ``cut`` the offers
    without an answer. `pause` is in seconds, between two offers of a house.
    """

    def __init__(self, scene: Scene, folder: Path, tell: Tell, pause: float) -> None:
        super().__init__(scene, folder, tell)
        self._pause = pause
        self._suppliers: list[Supplier] = []
        self._orders = {
            "begin": lambda: self._offer_until(scene.before_kill),
            "finish": lambda: self._offer_until(scene.per_house),
        }

    def _interrupted(self) -> dict[str, Any]:
        return {
            "acknowledged": sum(one.answered for one in self._suppliers),
            "unanswered": [
                (one.house.name, one.sent) for one in self._suppliers if one.sent > one.answered
            ],
        }

    async def connect(self, client: Client) -> None:
        """Connect all houses to the service."""
        for house in self._scene.houses:
            path = house_ledger(self._folder, house)
            self._suppliers.append(await Supplier.connected(client, self._scene, house, path))
        proxies = {one.house.name: one.publisher.proxy for one in self._suppliers}
        self._tell("connected", {"proxies": proxies})

    async def _offer_until(self, last: int) -> None:
        await _all(one.offer_until(last, self._offered, self._pause) for one in self._suppliers)

    def _offered(self, one: Acknowledged) -> None:
        data = one.offer.data
        said = {"item": data["item"], "price": data["start_price"], "seller": data["seller"]}
        self._tell("offered", {"seq": one.id[1], **said})

    async def close(self) -> None:
        """Disconnect all houses."""
        for supplier in self._suppliers:
            supplier.close()


class Bidders(Part):
    """All bidders of a scene.

    Orders: ``leave`` and ``return`` for those who go away, ``pause`` and ``go on`` for those who
    receive by priority, ``drain`` to wait until no alerts are waiting. Reports each of them, and
    ``alerted`` for each alert.
    """

    def __init__(self, scene: Scene, folder: Path, tell: Tell, clock: Clock) -> None:
        super().__init__(scene, folder, tell)
        self._clock = clock
        self._listeners: list[Recorder] = []
        self._orders = {
            "leave": self._leave,
            "pause": self._pause,
            "go on": self._go_on,
            "return": self._return,
            "drain": lambda: _all(listener.drained() for listener in self._listeners),
        }

    async def connect(self, client: Client) -> None:
        """Connect all bidders to the service."""
        for bidder in self._scene.bidders:
            path = bidder_ledger(self._folder, bidder)
            listener = Recorder(client, bidder, path, self._alerted)
            self._listeners.append(listener)
            await listener.connect()

    def _with(self, habit: Habit) -> list[Recorder]:
        return [one for one in self._listeners if one.bidder.habit is habit]

    def _alerted(self, bidder: Bidder, delivery: Delivery) -> None:
        self._tell("alerted", {"bidder": bidder.name, "again": delivery.redelivered})

    async def _leave(self) -> None:
        for away in self._with(Habit.AWAY):
            await away.leave()
            self._tell("left", {"bidder": away.bidder.name})

    async def _pause(self) -> None:
        for paused in self._with(Habit.BY_PRIORITY):
            await paused.drained()
            await paused.pause()
            self._tell("paused", {"bidder": paused.bidder.name})

    async def _go_on(self) -> None:
        for paused in self._with(Habit.BY_PRIORITY):
            self._tell("went on", await _stock(paused))
            await paused.go_on()

    async def _return(self) -> None:
        for away in self._with(Habit.AWAY):
            away.ledger.write({"back": self._clock.now()})
            self._tell("came back", await _stock(away))
            await away.connect()

    async def close(self) -> None:
        """Disconnect all bidders."""
        for listener in self._listeners:
            await listener.close()


async def _stock(listener: Recorder) -> dict[str, Any]:
    return {"bidder": listener.bidder.name, "waiting": await listener.waiting()}


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; the first failure cancels the others."""
    async with asyncio.TaskGroup() as group:
        for one in work:
            group.create_task(one)
