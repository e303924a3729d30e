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

from tidings.bench.figures import (
    Figures,
    Progress,
    demand,
    least_one,
    sample_events,
    undisturbed,
)
from tidings.bench.receiving import Recording, check_received
from tidings.channel.qos import OrderPolicy
from tidings.client.client import Client
from tidings.client.publishing import Publisher, Receipt
from tidings.client.transports.inproc import InProcess
from tidings.engine.door import LocalDoor
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
    progress: Progress = lambda step: None,
) -> dict[str, Any]:
    """Run the bench; medians of interleaved rounds are reported.

    A round has `events` in batches of 100, a tenth of them awaited one by one, and a fifth in the
    fan-out to consumers without a filter. One filtered consumer, a tenth and all of `consumers` are
    measured.
    """
    least_one(events=events, consumers=consumers, fan_out=fan_out, rounds=rounds)
    figures = Figures()
    asyncio.run(_measure(figures, events, consumers, fan_out, rounds, progress))
    return {"bench": "channel", "results": figures.rows}


class _Scene:
    """A channel with its consumers, and what each round of it gave.

    Each event is for all consumers that record; `batch` are published at once, `count` a round.
    """

    def __init__(
        self,
        host: Host,
        publisher: Publisher,
        recording: Recording,
        *,
        consumers: int,
        count: int,
        batch: int = _BATCH,
        fifo: bool = False,
    ) -> None:
        self._watchdog = host.watchdog
        self._publisher = publisher
        self._recording = recording
        self._consumers = consumers
        self._count = count
        self._batch = batch
        self._fifo = fifo
        self._rates: list[float] = []
        self._floors: list[float] = []

    @property
    def rate(self) -> float:
        """Deliveries a second, the median of all rounds."""
        return statistics.median(self._rates)

    @property
    def floor(self) -> float:
        """The same of the floor."""
        return statistics.median(self._floors)

    async def round(self, first: int) -> float:
        """Measures floor and channel; what it took to build an event, in microseconds."""
        events, building = sample_events(first, self._count)
        recording, size = self._recording, self._batch
        deliveries = self._count * len(recording.got)
        bare = self._floor(events)
        self._floors.append(deliveries / bare.seconds)
        batches = [events[at : at + size] for at in range(0, self._count, size)]
        recording.expect(deliveries)
        with undisturbed():
            self._watchdog.start()
            start = thread_time()
            answers = await self._publish(batches)
            await recording.all_here()
            self._rates.append(deliveries / (thread_time() - start))
            self._watchdog.stop()
        refused = [one for one in answers if not isinstance(one, Receipt)]
        demand(not refused, f"{len(refused)} events were refused, such as: {refused[:1]}")
        await recording.check(events, fifo=self._fifo)
        return building

    async def _publish(
        self, batches: Sequence[Sequence[StructuredEvent]]
    ) -> list[Receipt | TidingsError]:
        publisher = self._publisher
        if self._batch == 1:
            return [await publisher.publish(event) for [event] in batches]
        answers: list[Receipt | TidingsError] = []
        for batch in batches:
            answers += await publisher.publish_many(batch)
        return answers

    def _floor(self, events: Sequence[StructuredEvent]) -> Floor:
        fan_out = len(self._recording.got) > 1
        found = floor(events, self._consumers, fan_out=fan_out)
        for got in found.got if fan_out else found.got[:1]:
            check_received(got, events, fifo=True)
        return found


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


class _Bench:
    """All scenes on one host."""

    def __init__(self, host: Host, events: int) -> None:
        self._host = host
        self._client = Client(InProcess(LocalDoor(host, owned=True)))
        self._events = events
        self.filtered: dict[int, _Scene] = {}

    async def prepare(self, consumers: int, fan_out: int, progress: Progress) -> None:
        """Makes channels and consumers."""
        events = self._events
        for size in sorted({1, max(1, consumers // 10), consumers}):
            progress(f"channel: {size:,} filtered consumers subscribe")
            self.filtered[size] = await self._scene(size, 1, events)
        self.single = await self._scene(1, 1, max(1, events // 10), batch=1)
        self.fifo = await self._scene(1, 1, events, fifo=True)
        self.everyone = await self._scene(fan_out, fan_out, max(1, events // 5))

    async def _scene(
        self, consumers: int, receiving: int, count: int, batch: int = _BATCH, fifo: bool = False
    ) -> _Scene:
        """A channel whose consumers have filters, unless all of several receive."""
        client = self._client
        order = OrderPolicy.FIFO if fifo else OrderPolicy.ANY
        channel = await client.create_channel(qos={"OrderPolicy": order.value}, persistent=False)
        subscriptions = [
            await client.subscribe(
                channel, f"$rate > 30 and $area == {area}" if receiving == 1 else None
            )
            for area in range(consumers)
        ]
        recording = Recording(subscriptions[:receiving], subscriptions[receiving:])
        publisher = await client.publisher(channel)
        return _Scene(
            self._host, publisher, recording, consumers=consumers, count=count, batch=batch,
            fifo=fifo,
        )  # fmt: skip

    async def measure(self, rounds: int, progress: Progress) -> float:
        """Measures all scenes in turn; what it took to build an event, in microseconds."""
        scenes = [*self.filtered.values(), self.single, self.fifo, self.everyone]
        building = []
        watchdog = self._host.watchdog
        watchdog.stop()  # it watches the rounds only
        watchdog.blocks = watchdog.longest = 0
        for number in range(rounds):
            progress(f"channel: round {number + 1} of {rounds}")
            for at, scene in enumerate(scenes):
                first = (number * len(scenes) + at) * self._events
                building.append(await scene.round(first))
        return statistics.median(building)

    async def close(self) -> None:
        """Ends everything."""
        await self._client.close()


async def _measure(
    figures: Figures, events: int, consumers: int, fan_out: int, rounds: int, progress: Progress
) -> None:
    host = await Host.open()
    bench = _Bench(host, events)
    try:
        await bench.prepare(consumers, fan_out, progress)
        building = await bench.measure(rounds, progress)
    finally:
        await bench.close()
    figures.figure("building an event", building, "µs")
    figures.figure("awaited one by one, 1 consumer", bench.single.rate, "events/s")
    one = bench.filtered[1]
    for size, scene in bench.filtered.items():
        name = f"batches of {_BATCH}, {size} consumer{'s' if size > 1 else ''}"
        figures.figure(name, scene.rate, "events/s")
        if scene is one:
            _beside_floor(figures, name, scene, "events/s", _OF_FLOOR)
        elif size == consumers:
            figures.at_least(f"{name} / 1 consumer", scene.rate / one.rate, "times", _MANY_OF_ONE)
    figures.figure(f"batches of {_BATCH}, 1 consumer, FIFO order", bench.fifo.rate, "events/s")
    name = f"fan-out to {fan_out}"
    figures.figure(name, bench.everyone.rate, "deliveries/s")
    _beside_floor(figures, name, bench.everyone, "deliveries/s", _FAN_OUT_OF_FLOOR)
    figures.figure("blocks of the loop over 5 ms", host.watchdog.blocks, "blocks")
    figures.figure("longest block of the loop", host.watchdog.longest / 1_000, "ms")


def _beside_floor(figures: Figures, name: str, scene: _Scene, unit: str, target: float) -> None:
    figures.figure(f"{name}: floor", scene.floor, unit)
    figures.at_least(f"{name} / floor", scene.rate / scene.floor, "times", target)
