"""STEAM: no broker; the native client is a node with sockets of its own.

It cannot be killed: there is nothing but the interface, which a test cannot take down. What the
adapter does without it is in `tests/edges/services/test_steam.py`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.real.federation import rigs
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation.proximity import Circle, Position
from tidings.services.steam.datagrams import EventType, Kind
from tidings.services.steam.machine import SteamConfig
from tidings.services.steam.node import SteamNode, Subscription, plain

_NAMES = itertools.count()
SPEED = EventType("Speed", {"license_no": Kind.TEXT, "rate": Kind.DOUBLE})
AROUND = Circle(Position(0, 0), 250, relative=True)


class Native(rigs.Native):
    def __init__(self, node: SteamNode, heard: Subscription) -> None:
        self._node = node
        self._heard = heard

    async def publish(self, sent: StructuredEvent) -> None:
        self._node.publish(sent.name, dict(sent.data))  # type: ignore[arg-type]

    async def received(self) -> AsyncIterator[StructuredEvent]:
        async for one in self._heard:
            yield plain(one)


class Rig(rigs.Rig):
    can_go = False

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def parameters(self) -> dict[str, Any]:
        return {"network": f"suite-{os.getpid()}-{next(_NAMES)}", "position": "53.34, -6.25"}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        config = SteamConfig(parameters["network"])
        async with SteamNode(config, position="53.3401, -6.2502") as node:
            node.announce(SPEED, AROUND)
            yield Native(node, node.subscribe("Speed"))

    def unmappable(self) -> StructuredEvent | None:
        return event("", "", "Speed", {"license_no": ["no", "list"], "rate": 1.0})
