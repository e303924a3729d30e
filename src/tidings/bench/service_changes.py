"""Changes of services, for `tidings bench trader`: how many subscribers, how fast, how late.

One service with its journal on the disk. Each subscriber has a filter and a proxy that pushes to a
handler in this process. Changes of one offer are published at growing rates; each notice goes to
all subscribers, and is late by what lies between the change and its last delivery.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from tidings.bench.harness import Figures, Progress, demand
from tidings.changes import requests as r
from tidings.changes.pending import CHANNEL
from tidings.channel.management import Connect
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.server.cores import service_cores
from tidings.trader import requests as t

SUBSCRIBERS: Final = 1_000
RATES: Final = (1, 5, 20, 50)
"""Changes a second."""
_CHANGES: Final = 20
_TYPE: Final = "Bank"


def measure(
    figures: Figures, progress: Progress, subscribers: int = SUBSCRIBERS, changes: int = _CHANGES
) -> None:
    """Measure delivery to so many subscribers, each after so many changes at each rate."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measured(Path(folder) / "data", figures, progress, subscribers, changes))


async def _measured(
    folder: Path, figures: Figures, progress: Progress, subscribers: int, changes: int
) -> None:
    host = await Host.open(folder, cores=service_cores())
    door, world = LocalDoor(host), _Counting(subscribers)
    progress(f"service changes: {subscribers:,} subscribers")
    start = perf_counter()
    await asyncio.gather(*(_subscribe(door, f"s{number}") for number in range(subscribers)))
    figures.figure("subscribers registered", subscribers / (perf_counter() - start), "1/s")
    (channel,) = (one for one in host.channels.values() if one.name == CHANNEL)
    for proxy in list(channel.proxies):
        connect = Connect(channel.id, proxy, window=256, again=True)
        await door.connect(connect, door.handler(world.take))
    await door.ask(t.AddServiceType(_TYPE))
    await world.told(door.ask(t.ExportOffer(_TYPE, "corbaloc::10.0.0.9:2809/b", {"rate": 0})))
    for rate in RATES:
        progress(f"service changes: {rate} a second")
        late = []
        for number in range(changes):
            start = perf_counter()
            await world.told(door.ask(t.ModifyOffer(f"{_TYPE}/1", (), {"rate": number})))
            late.append(perf_counter() - start)
            await asyncio.sleep(max(0.0, 1 / rate - late[-1]))
        late.sort()
        name = f"to {subscribers} subscribers, {rate} changes/s"
        figures.figure(f"delivered {name}, median", late[len(late) // 2] * 1_000, "ms")
    start = perf_counter()
    for number in range(changes):
        await world.told(door.ask(t.ModifyOffer(f"{_TYPE}/1", (), {"rate": number + 0.5})))
    seconds = perf_counter() - start
    figures.figure(f"notices to {subscribers} subscribers", changes * subscribers / seconds, "1/s")
    demand(world.count == (1 + (len(RATES) + 1) * changes) * subscribers, "notices were lost")
    await host.close()


async def _subscribe(door: LocalDoor, id: str) -> None:
    await door.request(r.RegisterSubscriber(id))
    await door.ask(r.CreateProxySubscriber(id, r.ProxyType.PUSH_STRUCTURED))
    content = r.FilterContent(services=(r.TraderFilter(_TYPE, "$rate >= 0"),))
    await door.ask(r.AddSubscriberFilter(id, content, "PS01"))


class _Counting:
    """Counts deliveries, and knows when all have come.

    Attributes:
        count: How many.
    """

    def __init__(self, subscribers: int) -> None:
        self.count = 0
        self._subscribers = subscribers
        self._all = asyncio.Event()

    def take(self, _: object) -> None:
        """Take one notice."""
        self.count += 1
        if not self.count % self._subscribers:
            self._all.set()

    async def told(self, change: asyncio.Future[Any]) -> None:
        """Wait until every subscriber has been told of a change."""
        self._all.clear()
        await change
        await self._all.wait()
