"""Three SIENA servers in a row of peers, processes each: adapter and native client at the ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.real.federation import rigs
from tests.real.federation.siena_network import SienaNetwork
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.filters.dialects.siena import AttributeTest, Operator
from tidings.services.siena.client import SienaClient
from tidings.services.siena.relations import Notification

SPEED = (AttributeTest("FES_Subject", Operator.EQUAL, "Speed"),)


class Native(rigs.Native):
    def __init__(self) -> None:
        self.client: SienaClient
        self._waiting: asyncio.Queue[Notification] = asyncio.Queue()

    async def take(self, notifications: Sequence[Notification]) -> None:
        for one in notifications:
            self._waiting.put_nowait(one)

    async def publish(self, sent: StructuredEvent) -> None:
        data: Any = sent.data
        await self.client.publish({"FES_Subject": sent.name, **data})

    async def received(self) -> AsyncIterator[StructuredEvent]:
        while True:
            found = dict(await self._waiting.get())
            name = str(found["FES_Subject"])
            data = {key: value for key, value in found.items() if not key.startswith("FES_")}
            yield event("", "", name, data)


class Rig(rigs.Rig):
    def start(self) -> None:
        self._network = SienaNetwork()
        middle = self._network.start("middle", "--advertised")
        self._network.start("left", "--advertised", "--peer", middle)
        self._network.start("right", "--advertised", "--peer", middle)
        self._network.settle("left")
        self.port = int(self._network.urls["left"].rpartition(":")[2])

    def stop(self) -> None:
        self._network.stop()

    def kill(self) -> None:
        self._network.kill("left")

    def restart(self) -> None:
        self._network.restart("left")
        self._network.settle("left")

    def parameters(self) -> dict[str, Any]:
        return {"url": self._network.urls["left"]}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        native = Native()
        url = self._network.urls["right"]
        async with await SienaClient.connect(url, native.take) as native.client:
            native.client.subscribe(SPEED)
            native.client.advertise(SPEED)
            await native.client.settle()
            yield native

    def unmappable(self) -> StructuredEvent | None:
        return event("", "", "Speed", {"license_no": "CAR0009", "axles": [1, 2]})
