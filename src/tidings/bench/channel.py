"""`tidings bench channel`: events through a channel in this process, beside a bare dispatch.

Events are built before the clock starts. Consumers record what they get, and all of it is
checked before anything is reported: every expected event once, nothing else, in an order the
channel's policy allows. The floor, measured in turn with the channel, is what a program without
a service would do: a function looks the consumers of an event up in a dictionary and appends it to
their deques, from which they take and record it. No quality of service, no filters, no answers.

All of it happens on one thread that never waits, so rates are by processor time: the floor is
done in one go, and other work on the machine would slow down the channel only.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import deque
from collections.abc import Sequence
from time import thread_time
from typing import Any, Final, NamedTuple

from tidings.bench.harness import (
    Figures,
    Progress,
    Recording,
    Series,
    check_received,
    demand,
    local_service,
    rounds,
    sample_events,
    silent,
    undisturbed,
)
from tidings.channel.qos import OrderPolicy
from tidings.client.client import Client
from tidings.client.publishing import Publisher, Receipt
from tidings.engine.host import Host
from tidings.errors import TidingsError
from tidings.events.structured import StructuredEvent

_BATCH: Final = 100
_OF_FLOOR: Final = 0.015
_FAN_OUT_OF_FLOOR: Final = 0.035
_MANY_OF_ONE: Final = 0.6


def run(
    *,
    events: int = 20_000,
    consumers: int = 10_000,
    fan_out: int = 100,
    rounds: int = 5,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported.

    A round has `events` in batches of 100, a tenth of them awaited one by one, and a fifth in the
    fan-out to consumers without a filter. One filtered consumer, a tenth and all of `consumers` are
    measured.
    """
    figures = Figures()
    asyncio.run(_measure(figures, events, consumers, fan_out, rounds, progress))
    return figures.report("channel")


class _Scene:
    """A channel with its consumers, and what each round of it gave.

    `receiving` of the consumers get all events: the only one whose filter matches, or all of them,
    without filters. `count` events are published in a round, `batch` at once.
    """

    def __init__(
        self, consumers: int, receiving: int, count: int, batch: int = _BATCH, fifo: bool = False
    ) -> None:
        self.rounds = Series()
        self._consumers = consumers
        self._receiving = receiving
        self._count = max(1, count)
        self._batch = batch
        self._fifo = fifo

    async def open(self, client: Client) -> None:
        order = OrderPolicy.FIFO if self._fifo else OrderPolicy.ANY
        channel = await client.create_channel(qos={"OrderPolicy": order.value}, persistent=False)
        subscriptions = [
            await client.subscribe(
                channel, f"$rate > 30 and $area == {area}" if self._receiving == 1 else None
            )
            for area in range(self._consumers)
        ]
        self._recording = Recording(
            subscriptions[: self._receiving], subscriptions[self._receiving :]
        )
        self._publisher: Publisher = await client.publisher(channel)

    async def round(self, host: Host, first: int) -> None:
        events, building = sample_events(first, self._count)
        recording, size = self._recording, self._batch
        deliveries = self._count * self._receiving
        self.rounds["building"].append(building)
        self.rounds["floor"].append(deliveries / self._floor(events))
        batches = [events[at : at + size] for at in range(0, self._count, size)]
        recording.expect(deliveries)
        with undisturbed():
            host.watchdog.start()
            start = thread_time()
            answers = await self._publish(batches)
            await recording.all_here()
            self.rounds["channel"].append(deliveries / (thread_time() - start))
            host.watchdog.stop()
        refused = [one for one in answers if not isinstance(one, Receipt)]
        demand(not refused, f"{len(refused)} events were refused, such as: {refused[:1]}")
        await recording.check(events, fifo=self._fifo)

    async def _publish(
        self, batches: Sequence[Sequence[StructuredEvent]]
    ) -> list[Receipt | TidingsError]:
        if self._batch == 1:
            return [await self._publisher.publish(event) for [event] in batches]
        answers: list[Receipt | TidingsError] = []
        for batch in batches:
            answers += await self._publisher.publish_many(batch)
        return answers

    def _floor(self, events: Sequence[StructuredEvent]) -> float:
        fan_out = self._receiving > 1
        found = floor(events, self._consumers, fan_out=fan_out)
        for got in found.got if fan_out else found.got[:1]:
            check_received(got, events, fifo=True)
        return found.seconds

    def report(self, figures: Figures, name: str, unit: str, of_floor: float | None) -> float:
        """Reports the rate, and beside the floor if it has a target; the rate."""
        rate, bare = self.rounds.median("channel"), self.rounds.median("floor")
        figures.figure(name, rate, unit)
        if of_floor is not None:
            figures.figure(f"{name}: floor", bare, unit)
            figures.at_least(f"{name} / floor", rate / bare, "times", of_floor)
        return rate


class Floor(NamedTuple):
    """How long a bare dispatch of events took, and what each consumer recorded."""

    seconds: float
    got: list[list[StructuredEvent]]


def floor(events: Sequence[StructuredEvent], consumers: int, *, fan_out: bool) -> Floor:
    """Dispatch events of area 0 by a dictionary, in batches; each consumer then takes its own.

    In a fan-out all consumers are for area 0; otherwise one is for each area.
    """
    queues: list[deque[StructuredEvent]] = [deque() for _ in range(consumers)]
    table: dict[object, list[deque[StructuredEvent]]]
    table = {0: queues} if fan_out else {area: [queue] for area, queue in enumerate(queues)}
    got: list[list[StructuredEvent]] = [[] for _ in queues]
    receiving = list(zip(table[0], got, strict=False))

    def dispatch(event: StructuredEvent) -> None:
        for queue in table[event.data["area"]]:
            queue.append(event)

    seconds = 0.0
    for at in range(0, len(events), _BATCH):
        batch = events[at : at + _BATCH]
        start = thread_time()
        for event in batch:
            dispatch(event)
        for queue, record in receiving:
            while queue:
                record.append(queue.popleft())
        seconds += thread_time() - start
    return Floor(seconds, got)


async def _measure(
    figures: Figures, events: int, consumers: int, fan_out: int, count: int, progress: Progress
) -> None:
    filtered = {
        size: _Scene(size, 1, events) for size in sorted({1, max(1, consumers // 10), consumers})
    }
    single = _Scene(1, 1, events // 10, batch=1)
    fifo = _Scene(1, 1, events, fifo=True)
    everyone = _Scene(fan_out, fan_out, events // 5)
    scenes = [*filtered.values(), single, fifo, everyone]
    async with local_service() as (host, client):
        progress(f"channel: up to {consumers:,} filtered consumers subscribe")
        for scene in scenes:
            await scene.open(client)
        host.watchdog.stop()  # it watches the rounds only
        host.watchdog.blocks = host.watchdog.longest = 0
        for number in rounds("channel", count, progress):
            for at, scene in enumerate(scenes):
                await scene.round(host, (number * len(scenes) + at) * events)
    building = [seconds for scene in scenes for seconds in scene.rounds["building"]]
    figures.figure("building an event", statistics.median(building), "µs")
    single.report(figures, "awaited one by one, 1 consumer", "events/s", None)
    rates: dict[int, float] = {}
    for size, scene in filtered.items():
        name = f"batches of {_BATCH}, {size} consumer{'s' if size > 1 else ''}"
        rates[size] = scene.report(figures, name, "events/s", _OF_FLOOR if size == 1 else None)
        if 1 < size == consumers:
            of_one = rates[size] / rates[1]
            figures.at_least(f"{name} / 1 consumer", of_one, "times", _MANY_OF_ONE)
    fifo.report(figures, f"batches of {_BATCH}, 1 consumer, FIFO order", "events/s", None)
    everyone.report(figures, f"fan-out to {fan_out}", "deliveries/s", _FAN_OUT_OF_FLOOR)
    figures.loop(host)
