"""A process of the scene: a car, a monitor, or the SIENA server of the city."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import msgspec

from tidings.apps.child_process import DONE, obey, tell
from tidings.apps.traffic_monitoring.entity import Job, Tell


class Part(Protocol):
    """What a process is."""

    async def do(self, order: dict[str, Any]) -> None:
        """Carry out an order."""


class SienaPart:
    """A SIENA server, which takes no orders."""

    async def do(self, order: dict[str, Any]) -> None:
        """Carry out nothing."""


@asynccontextmanager
async def _siena(tell: Tell) -> AsyncIterator[Part]:
    from tidings.services.siena.service import SienaService, SienaSettings

    service = SienaService(SienaSettings("127.0.0.1:0", name="city"))
    await service.start()
    try:
        tell("listens", {"url": service.url})
        yield SienaPart()
    finally:
        await service.stop()


@asynccontextmanager
async def _part(job: Job, tell: Tell) -> AsyncIterator[Part]:
    if job.part == "siena":
        async with _siena(tell) as server:
            yield server
    elif job.part == "car":
        from tidings.apps.traffic_monitoring.car import CarEntity

        async with CarEntity.running(job, tell) as car:
            yield car
    else:
        from tidings.apps.traffic_monitoring.roadside import RoadEntity

        async with RoadEntity.running(job, tell) as road:
            yield road


async def _play(first: bytes, orders: asyncio.Queue[dict[str, Any]]) -> None:
    async with _part(msgspec.json.decode(first, type=Job), tell) as part:
        while True:
            tell(DONE, {})
            await part.do(await orders.get())


def main() -> None:
    """Be a part until the parent is gone."""
    asyncio.run(obey(_play))


if __name__ == "__main__":
    main()
