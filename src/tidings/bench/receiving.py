"""Consumers that record what they get, and the check that it is what they should have got."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tidings.bench.figures import demand
from tidings.channel.effects import Message
from tidings.client.subscription import Subscription
from tidings.events.structured import StructuredEvent

# Whoever waits longer for events that were accepted waits for ever.
_PATIENCE: Final = 60.0


class Recording:
    """Consumers of one channel that record what they get, in the order it came."""

    def __init__(self, receiving: Sequence[Subscription], others: Sequence[Subscription]) -> None:
        self.got: list[list[Message]] = [[] for _ in receiving]
        self._others = others
        self._missing = 0
        self._all_here = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._record(subscription, got))
            for subscription, got in zip(receiving, self.got, strict=True)
        ]

    async def _record(self, subscription: Subscription, got: list[Message]) -> None:
        async for messages in subscription.batches():
            got += messages
            self._missing -= len(messages)
            if self._missing <= 0:
                self._all_here.set()

    def expect(self, deliveries: int) -> None:
        """Forgets what was recorded; so many deliveries are to come."""
        for got in self.got:
            got.clear()
        self._missing = deliveries
        self._all_here.clear()

    async def all_here(self, seconds: float = _PATIENCE) -> None:
        """Wait for the deliveries."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._all_here.wait(), seconds)
        demand(self._missing <= 0, f"{self._missing} deliveries did not come")

    async def check(self, events: Sequence[StructuredEvent], *, fifo: bool) -> None:
        """Demand that what should have come was recorded."""
        for _ in range(10):
            await asyncio.sleep(0)  # what is too much may come now
        for got in self.got:
            check_received([message.event for message in got], events, fifo=fifo)
        stray = sum(map(len, self._others))
        demand(not stray, f"{stray} events came to consumers whose filters do not match them")

    def stop(self) -> None:
        """Ends the recording."""
        for task in self._tasks:
            task.cancel()


def check_received(
    got: Sequence[StructuredEvent], events: Sequence[StructuredEvent], *, fifo: bool
) -> None:
    """Demand that a consumer got every event once, and in a right order.

    Without `fifo` only events of one priority keep the order in which they were published.
    """
    numbers = {event.name: number for number, event in enumerate(events)}
    places = [numbers.get(event.name, -1) for event in got]
    demand(sorted(places) == list(range(len(events))), "a consumer did not get every event once")
    same = all(one is events[at] or one == events[at] for one, at in zip(got, places, strict=True))
    demand(same, "an event has another content than was published")
    lines: dict[object, list[int]] = defaultdict(list)
    for one, at in zip(got, places, strict=True):
        lines[None if fifo else one.header.get("Priority")].append(at)
    demand(all(line == sorted(line) for line in lines.values()), "events came out of order")
