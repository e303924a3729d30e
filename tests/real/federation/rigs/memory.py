"""The service within the process."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.real.federation import rigs
from tidings.events.structured import StructuredEvent
from tidings.gateways.adapters.memory import Bus, bus

_NAMES = itertools.count()


class Native(rigs.Native):
    def __init__(self, service: Bus) -> None:
        self._bus = service
        self.waiting: asyncio.Queue[StructuredEvent] = asyncio.Queue()

    async def publish(self, sent: StructuredEvent) -> None:
        self._bus.publish(sent)

    async def received(self) -> AsyncIterator[StructuredEvent]:
        while True:
            yield await self.waiting.get()


class Rig(rigs.Rig):
    def start(self) -> None:
        self._name = ""

    def stop(self) -> None:
        pass

    def parameters(self) -> dict[str, Any]:
        self._name = f"suite-{next(_NAMES)}"
        return {"name": self._name}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        service = bus(parameters["name"])
        made = Native(service)
        key = service.listen(made.waiting.put_nowait, lambda _: None)
        yield made
        service.leave(key)

    def kill(self) -> None:
        bus(self._name).go("killed by the test")

    def restart(self) -> None:
        bus(self._name).come_back()
