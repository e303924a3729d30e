"""The load of `tidings bench federation`: what is published before a link, and comes behind it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tidings.bench import harness
from tidings.bench.federation_relay import Batches, PublishAll
from tidings.bench.harness import Series, demand
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

BATCH: Final = 250
"""Events that are published at one time."""
HIGHEST: Final = 200
"""Rates are below this."""
_PROBE: Final = "probe"
_AGAIN: Final = 2.0
# Seconds between two events at a low rate.
_PAUSE: Final = 0.01
# Seconds after which what a service may lose is lost, and the share of events that may be.
_SILENCE: Final = 2.0
_MOST_LOST: Final = 0.01


def sample(number: int, name: str = "Speed") -> StructuredEvent:
    """An event that every service can carry: seven characters, and a whole number below 256."""
    data = {"license_no": f"{number:07}", "rate": float(number % HIGHEST)}
    return event("", "", name, data)


class Lane:
    """A link, with the load before and behind it.

    Attributes:
        series: What each round gave.
        waits: How long events took, in seconds, at a low rate.
        lost: Events that did not come, where they may be lost.
        loses: Whether they may.
        process: Of the link, if it has one of its own.
    """

    def __init__(self, publish: PublishAll, window: int, loses: bool) -> None:
        self.series = Series()
        self.waits: list[float] = []
        self.lost = 0
        self.loses = loses
        self.process: harness.ServerProcess | None = None
        self._publish = publish
        self._window = window
        self._expected: dict[str, StructuredEvent] = {}
        self._came: Counter[str] = Counter()
        self._wrong = ""
        self._given_up = 0
        self._last = 0.0
        self._come = asyncio.Event()
        self._number = 0
        self._sent_at: dict[str, float] = {}

    # What comes.

    async def listen(self, batches: Batches) -> None:
        """Take what comes, and note what is wrong with it."""
        async for events, forget in batches:
            self._last = time.perf_counter()
            for one in events:
                self._take(one)
            self._come.set()
            await forget()

    def _take(self, came: StructuredEvent) -> None:
        number = str(came.data.get("license_no"))
        sent = self._expected.get(number)
        if sent is None or (came.name, dict(came.data)) != (sent.name, dict(sent.data)):
            if number != _PROBE:
                self._wrong = f"an event came that was not sent: {came}"
            return
        self._came[number] += 1
        if number in self._sent_at:
            self.waits.append(self._last - self._sent_at.pop(number))

    def expect(self, events: Sequence[StructuredEvent]) -> None:
        """Forget what came; these are to come."""
        self.check()
        self._expected = {str(one.data["license_no"]): one for one in events}
        self._came.clear()
        self._given_up = 0

    async def all_here(self, sent: int | None = None, still_out: int = 0) -> None:
        """Wait until of so many (all) no more than some are on their way, or they are lost."""
        count = len(self._expected)
        while (count if sent is None else sent) - len(self._came) - self._given_up > still_out:
            self._come.clear()
            try:
                async with asyncio.timeout(_SILENCE if self.loses else harness.PATIENCE):
                    await self._come.wait()
            except TimeoutError:
                self.check()
                missing = (count if sent is None else sent) - len(self._came)
                allowed = _MOST_LOST * count if self.loses else 0
                demand(missing <= allowed, f"{missing} of {count} events are missing")
                self.lost += missing - self._given_up
                self._given_up = missing

    def check(self) -> None:
        """Demand that nothing came that should not, and nothing twice."""
        demand(not self._wrong, self._wrong)
        twice = sum(count > 1 for count in self._came.values())
        demand(not twice, f"{twice} events came more than once")

    # What goes.

    async def begin(self, probe: StructuredEvent | None = None) -> None:
        """Publish an event until one has come: then the link stands."""
        one = sample(0) if probe is None else probe
        data = {**one.data, "license_no": _PROBE}
        one = event("", "", one.name, data)
        async with asyncio.timeout(harness.PATIENCE):
            while not self._last:
                await self._publish([one])
                with suppress(TimeoutError):
                    async with asyncio.timeout(_AGAIN):
                        await self._come.wait()

    async def burst(self, count: int) -> None:
        """Publish events as fast as they come out behind the link."""
        events = self._next(count)
        self.expect(events)
        used = 0.0 if self.process is None else self.process.processor_seconds()
        with harness.undisturbed():
            began = time.perf_counter()
            batch = min(BATCH, self._window)
            for at in range(0, count, batch):
                await self.all_here(at, self._window - batch)
                await self._publish(events[at : at + batch])
            await self.all_here()
        self.series["rate"].append(len(self._came) / (self._last - began))
        if self.process is not None:
            self.series["processor"].append((self.process.processor_seconds() - used) / count)

    async def one(self) -> None:
        """Publish an event whose time is taken."""
        [one] = self._next(1)
        number = str(one.data["license_no"])
        self._expected[number] = one
        self._sent_at[number] = time.perf_counter()
        await self._publish([one])

    def _next(self, count: int) -> list[StructuredEvent]:
        self._number += count
        return [sample(at) for at in range(self._number - count, self._number)]


async def pace(lanes: Sequence[Lane], count: int) -> None:
    """Publish single events in turn, at a low steady rate."""
    for lane in lanes:
        lane.expect(())
    start = time.perf_counter()
    for at in range(count * len(lanes)):
        await asyncio.sleep(max(0.0, start + at * _PAUSE - time.perf_counter()))
        await lanes[at % len(lanes)].one()
    for lane in lanes:
        await lane.all_here()
