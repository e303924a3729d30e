"""Floods a channel of which one consumer is stuck; prints what came of it as one JSON line.

Run as a process of its own, so that its memory can be measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tidings import event
from tidings.channel.settings import Limits, Settings
from tidings.client.client import Client
from tidings.client.publishing import Receipt
from tidings.client.subscription import Subscription
from tidings.errors import TidingsError
from tidings.events.structured import StructuredEvent
from tidings.server.embedded import embedded

BATCH = 1_000


def batch_of(start: int, count: int) -> list[StructuredEvent]:
    """Distinct events of the usual size."""
    return [
        event(
            "Traffic",
            "Speed",
            f"car-{number}",
            {"rate": number * 0.5, "area": number % 10, "lane": 3, "zone": number, "car": "x"},
        )
        for number in range(start, start + count)
    ]


class Reader:
    """A consumer that keeps up, and checks what it gets."""

    def __init__(self, step: int) -> None:
        self.count = 0
        self.faults = 0
        self._step = step
        self._expected = 0

    async def read(self, subscription: Subscription) -> None:
        """Takes everything; counts what is missing or out of order."""
        async for messages in subscription.batches():
            for message in messages:
                self.count += 1
                zone = message.event.data["zone"]
                if zone != self._expected:
                    self.faults += 1
                self._expected = int(str(zone)) + self._step


async def flood(client: Client, events: int, ahead: int, persistent: bool) -> dict[str, object]:
    """Publishes events past a stuck consumer.

    Args:
        client: Of the service.
        events: How many.
        ahead: How far the readers may fall behind: what is discarded for them never comes.
        persistent: Whether the events are.
    """
    channel = await client.create_channel("flood", qos={"OrderPolicy": 1}, persistent=persistent)
    stuck = await client.subscribe(channel, name="stuck", manual_ack=True)
    readers = [Reader(1), Reader(10)]
    wanted = [None, "$area == 0"]
    subscriptions = [await client.subscribe(channel, one, name=f"reader {one}") for one in wanted]
    tasks = [asyncio.create_task(r.read(s)) for r, s in zip(readers, subscriptions, strict=True)]
    publisher = await client.publisher(channel, "flood")
    refused = 0
    for start in range(0, events, BATCH):
        answers: Sequence[Receipt | TidingsError] = await publisher.publish_many(
            batch_of(start, min(BATCH, events - start))
        )
        refused += sum(isinstance(one, TidingsError) for one in answers)
        while min(readers[0].count, 10 * readers[1].count) < start - ahead:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    while readers[0].count < events or readers[1].count < events // 10:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()
    info = await stuck.info()
    return {
        "counts": [reader.count for reader in readers],
        "faults": [reader.faults for reader in readers],
        "refused": refused,
        "waiting": info.waiting,
        "spilled": info.spilled,
        "discarded": info.counts.get("discarded", 0),
        "in_flight": info.in_flight,
    }


def peak_octets() -> int:
    """The most memory this process has had."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("the kernel does not tell VmHWM")


async def main(events: int, entries: int, folder: str) -> None:
    """One flood, in a service that lets so many events wait for a consumer."""
    settings = Settings(limits=Limits(entries_per_consumer=entries))
    async with await embedded(folder or None, settings=settings) as client:
        before = peak_octets()
        result = await flood(client, events, entries // 4, bool(folder))
    sys.stdout.write(json.dumps({**result, "peak": peak_octets(), "before": before}) + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
