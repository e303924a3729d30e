"""One evening in two lives: the service is killed in the first, and goes on in the second.

Everybody connects by name, so both lives begin alike; the ledgers say how far everybody had come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tidings.apps.auction_alert.bidders import Listener
from tidings.apps.auction_alert.houses import Supplier
from tidings.apps.auction_alert.ledger import Acknowledged, offers_in
from tidings.apps.auction_alert.scene import CHANNEL, Bidder, Habit, House, Scene, wants
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.client.subscription import Delivery
from tidings.clock import Clock
from tidings.filters.constraint import EventTypePattern

__all__ = ["Evening", "bidder_ledger", "house_ledger", "near_miss"]

# The service reads its own clock: what closes at the very moment is left out of the account.
_GRACE = 50_000

Tell = Callable[[str, dict[str, Any]], None]
"""Told what happens: a word, and what belongs to it as plain data."""


def house_ledger(folder: Path, house: House) -> Path:
    """Where a house writes down what was acknowledged."""
    return folder / "houses" / f"{house.name}.jsonl"


def bidder_ledger(folder: Path, bidder: Bidder) -> Path:
    """Where a bidder writes down what came."""
    return folder / "bidders" / f"{bidder.name}.jsonl"


class Evening:
    """Houses and bidders of a scene, at one service; leaving the context sends them home.

    Args:
        client: The way to the service.
        scene: Who there is.
        folder: For the ledgers; not the service's.
        tell: Told what happens.
        clock: What the time is.
        pause: Seconds between two offers of a house.
    """

    def __init__(
        self, client: Client, scene: Scene, folder: Path, tell: Tell, clock: Clock, pause: float
    ) -> None:
        self._client = client
        self._scene = scene
        self._folder = folder
        self._tell = tell
        self._clock = clock
        self._pause = pause
        self._suppliers: list[Supplier] = []
        self._listeners: list[Listener] = []

    async def first_life(self) -> None:
        """From the beginning until every house has made the offers it makes before the kill."""
        channel = await self._client.create_channel(CHANNEL, persistent=True)
        for bidder in self._scene.bidders:
            await self._listener(bidder).connect()
        await self._connect_houses()
        self._tell("advertised", await self._advertisement(channel))
        for away in self._with(Habit.AWAY):
            await away.leave()
            self._tell("left", {"bidder": away.bidder.name})
        await self._offer_until(self._scene.before_kill)

    async def second_life(self) -> None:
        """After the kill, on the same data: goes on where everybody was, to the end."""
        channel = await self._client.channel(CHANNEL)
        found = await channel.info()
        self._tell("restored", {"accepted": found.accepted, "waiting": found.waiting})
        for bidder in self._scene.bidders:
            listener = self._listener(bidder)
            if bidder.habit is not Habit.AWAY:
                await listener.connect()
        for paused in self._with(Habit.BY_PRIORITY):
            await paused.drained()
            await paused.pause()
            self._tell("paused", {"bidder": paused.bidder.name})
        await self._connect_houses()
        self._tell("resumed", {"unheard": sum(one.unheard for one in self._suppliers)})
        await self._offer_until(self._scene.per_house)
        for paused in self._with(Habit.BY_PRIORITY):
            self._tell("went on", await self._stock(paused))
            await paused.go_on()
        for away in self._with(Habit.AWAY):
            await self._return(away)
        await _all(listener.drained() for listener in self._listeners)
        await self._explain(channel)
        self._tell("finished", {"accepted": (await channel.info()).accepted})

    # Houses.

    async def _connect_houses(self) -> None:
        for house in self._scene.houses:
            path = house_ledger(self._folder, house)
            self._suppliers.append(await Supplier.connected(self._client, self._scene, house, path))

    async def _offer_until(self, last: int) -> None:
        await _all(one.offer_until(last, self._offered, self._pause) for one in self._suppliers)

    def _offered(self, one: Acknowledged) -> None:
        data = one.offer.data
        said = {"item": data["item"], "price": data["start_price"], "seller": data["seller"]}
        self._tell("offered", {"seq": one.id[1], "type": one.offer.type, **said})

    # Bidders.

    def _listener(self, bidder: Bidder) -> Listener:
        listener = Listener(
            self._client, bidder, bidder_ledger(self._folder, bidder), self._alerted
        )
        self._listeners.append(listener)
        return listener

    def _with(self, habit: Habit) -> list[Listener]:
        return [one for one in self._listeners if one.bidder.habit is habit]

    def _alerted(self, bidder: Bidder, delivery: Delivery) -> None:
        said = {"bidder": bidder.name, "seq": delivery.seq, "again": delivery.redelivered}
        self._tell("alerted", said)

    async def _return(self, away: Listener) -> None:
        """Somebody comes back, when everything that was to close meanwhile has closed."""
        missing = self._scene.last_call_closed + _GRACE - self._clock.now()
        await asyncio.sleep(max(0, missing) / 1_000_000)
        back = self._clock.now()
        away.ledger.write({"back": back})
        await away.connect()
        self._tell("came back", await self._stock(away))

    async def _stock(self, listener: Listener) -> dict[str, Any]:
        return {"bidder": listener.bidder.name, "waiting": await listener.waiting()}

    # What can be asked of the channel.

    async def _advertisement(self, channel: Channel) -> dict[str, Any]:
        """What is offered and what is wanted, by whom."""
        found = await channel.advertisement()
        houses = {f"proxy {one.publisher.proxy}": one.house.name for one in self._suppliers}
        bidders = {one.proxy: one.bidder.name for one in self._listeners}
        return {
            "offered": _texts(found.offered),
            "wanted": _texts(found.wanted),
            "offers": {houses[key]: _texts(types) for key, types in found.offers.items()},
            "wants": {bidders[key]: _texts(types) for key, types in found.wants.items()},
        }

    async def _explain(self, channel: Channel) -> None:
        """Asks the service why a bidder did not get an offer that came close."""
        paths = [house_ledger(self._folder, house) for house in self._scene.houses]
        listener = self._listeners[0]
        missed = near_miss(listener.bidder, offers_in(paths))
        if missed is None:
            return
        trail = await channel.dry_run(missed.offer)
        (step,) = [step for step in trail.steps if step.proxy == listener.proxy]
        names = {one.proxy: one.bidder.name for one in self._listeners}
        said = {
            "bidder": listener.bidder.name,
            "line": missed.line(),
            "reason": step.reason,
            "plan": trail.plan,
            "recipients": [names[proxy] for proxy in trail.recipients],
        }
        self._tell("missed", said)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for listener in self._listeners:
            await listener.close()
        for supplier in self._suppliers:
            supplier.close()


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Waits for all; the first that fails ends the others."""
    async with asyncio.TaskGroup() as group:
        for one in work:
            group.create_task(one)


def _texts(types: Iterable[EventTypePattern]) -> list[str]:
    return [f"{one.domain}::{one.type}" for one in types]


def near_miss(bidder: Bidder, offers: Sequence[Acknowledged]) -> Acknowledged | None:
    """The cheapest offer of a type the bidder looks at, and did not want."""
    missed = [
        one
        for one in offers
        if not wants(bidder, one.offer)
        and any(asked.is_tried(one.offer.domain, one.offer.type) for asked in bidder.wanted)
    ]
    return min(missed, key=_price, default=None)


def _price(one: Acknowledged) -> float:
    price = one.offer.data["start_price"]
    assert isinstance(price, float)
    return price
