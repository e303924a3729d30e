"""A simulated evening: the scene's houses announce lots at a speed, and its bidders take alerts.

Lots come every few seconds of the evening's clock, in the middle a whole collection at once. One
bidder is slow, one pulls, one takes what it wants most first, and one is away for half of the
evening. That one rejects what is damaged, which makes a dead letter now and then.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any, NamedTuple

from tidings.apps.auction_alert.listener import Listener
from tidings.apps.auction_alert.pace import Pace
from tidings.apps.auction_alert.scene import CHANNEL, Bidder, Habit, Lot, Scene
from tidings.client.client import Client
from tidings.client.publishing import Publisher
from tidings.client.subscription import Delivery
from tidings.clock import utc_now
from tidings.errors import TidingsError

# Seconds of the evening between two lots, on average.
LOT_EVERY = 2.5
# So many lots in the middle come at once.
BURST = 40
# Seconds of the evening that the slow bidder looks at an alert.
SLOW_SECONDS = 20.0
# When the bidder who is away leaves and comes back, as parts of the evening.
LEAVES, RETURNS = 0.2, 0.7
# Real seconds for which a lot is open, whatever the speed: people must be able to see it.
OPEN_SECONDS = (30, 120)
DAMAGED = "Block, misprinted"


class Call(NamedTuple):
    """A lot and when it is announced, in seconds of the evening."""

    at: float
    lot: Lot
    open_for: timedelta


def calls_of(scene: Scene) -> list[Call]:
    """Return the lots of all houses in the order of their calls; deterministic for a seed."""
    random = Random(f"{scene.seed} evening")
    lots = [lot for house in scene.houses for lot in scene.lots(house)]
    random.shuffle(lots)
    burst = range((len(lots) - BURST) // 2, (len(lots) + BURST) // 2)
    calls, at = [], 0.0
    for number, lot in enumerate(lots):
        at += 0 if number in burst else LOT_EVERY * random.uniform(0.5, 1.5)
        calls.append(Call(at, lot, timedelta(seconds=random.randint(*OPEN_SECONDS))))
    return calls


class Guest(Listener):
    """A bidder of the evening, who counts alerts."""

    def __init__(self, client: Client, bidder: Bidder, pace: Pace) -> None:
        super().__init__(client, bidder)
        self.alerts: Counter[tuple[str, int]] = Counter()
        self.rejected = 0
        self.away = False
        self._pace = pace

    async def take(self, delivery: Delivery) -> None:
        """Count an alert, reject what is damaged, and acknowledge the rest."""
        self.alerts[delivery.id] += 1
        habit = self.bidder.habit
        if habit is Habit.SLOWLY:
            await self._pace.sleep(SLOW_SECONDS)
        if habit is Habit.AWAY and delivery.event.data.get("item") == DAMAGED:
            self.rejected += 1
            delivery.reject("the lot is damaged")
        else:
            delivery.ack()


@dataclass(frozen=True, slots=True)
class EveningState:
    """An evening as pages show it; `problem` says why it has ended too early."""

    running: bool
    paused: bool
    speed: float
    called: int
    calls: int
    guests: Sequence[dict[str, Any]]
    problem: str


class Evening:
    """One evening after the other, with one speed for all who watch."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._scene = Scene(0, 0)
        self._pace = Pace(1)
        self.speed: float = 1
        self._calls: list[Call] = []
        self._called = 0
        self._guests: list[Guest] = []
        self._houses: dict[str, Publisher] = {}
        self._problem = ""
        self._playing: asyncio.Task[None] | None = None

    @property
    def houses(self) -> dict[str, int]:
        """Ids of the houses' proxies, by name."""
        return {name: one.proxy for name, one in self._houses.items()}

    @property
    def running(self) -> bool:
        """Whether houses and bidders are there."""
        return self._playing is not None and not self._playing.done()

    def steer(self, speed: float | None = None, paused: bool | None = None) -> None:
        """Set the speed, pause, or go on; what is None stays as it is."""
        self.speed = self.speed if speed is None else speed
        pauses = not self._pace.speed if paused is None else paused
        self._pace.set_speed(0 if pauses else self.speed)

    def begin(self, seed: int | None = None) -> None:
        """Let an evening begin if there is none; without a seed, with other lots than before."""
        if not self.running:
            self._scene = Scene(self._scene.seed + 1 if seed is None else seed, 0)
            self._pace = Pace(self.speed)
            self._called, self._problem, self._calls = 0, "", calls_of(self._scene)
            self._playing = asyncio.create_task(self._play())

    def state(self) -> EveningState:
        """Return what there is to see."""
        return EveningState(
            self.running,
            not self._pace.speed,
            self.speed,
            self._called,
            len(self._calls),
            [_shown(one) for one in self._guests],
            self._problem,
        )

    async def ended(self) -> None:
        """Wait until the evening is over."""
        if self._playing is not None:
            await asyncio.wait((self._playing,))

    async def close(self) -> None:
        """End the evening; the bidders' subscriptions stay."""
        if self._playing is not None:
            self._playing.cancel()
            await self.ended()

    async def _play(self) -> None:
        try:
            self._guests = [Guest(self._client, one, self._pace) for one in self._scene.bidders]
            for guest in self._guests:
                await guest.connect()
            await self._open_houses()
            await self._call_all()
            for guest in self._guests:
                await guest.drained()
        except TidingsError as error:
            self._problem = str(error)
        finally:
            await self._go_home()

    async def _open_houses(self) -> None:
        for house in self._scene.houses:
            publisher = self._houses[house.name] = await self._client.publisher(CHANNEL)
            await publisher.offer(house.types)

    async def _call_all(self) -> None:
        end = self._calls[-1].at
        absence = asyncio.create_task(self._absence(end))
        try:
            for call in self._calls:
                await self._pace.until(call.at)
                offer = call.lot.offer(utc_now() + call.open_for)
                await self._houses[call.lot.seller].publish(offer)
                self._called += 1
            await absence
        finally:
            absence.cancel()

    async def _absence(self, end: float) -> None:
        (guest,) = [one for one in self._guests if one.bidder.habit is Habit.AWAY]
        await self._pace.until(end * LEAVES)
        await guest.leave()
        guest.away = True
        await self._pace.until(end * RETURNS)
        await guest.connect()
        guest.away = False

    async def _go_home(self) -> None:
        houses, self._houses = self._houses, {}
        await asyncio.gather(
            *(guest.leave() for guest in self._guests),
            *(publisher.close() for publisher in houses.values()),
            return_exceptions=True,
        )


def _shown(guest: Guest) -> dict[str, Any]:
    bidder = guest.bidder
    return {
        "name": bidder.name,
        "wanted": [one.text for one in bidder.wanted],
        "types": sorted({one.type for asked in bidder.wanted for one in asked.event_types}),
        "habit": bidder.habit.value.partition(";")[0],
        "alerts": len(guest.alerts),
        "twice": guest.alerts.total() - len(guest.alerts),
        "rejected": guest.rejected,
        "away": guest.away,
    }
