"""What cars and the roadside have in common: a gateway, a radio, a log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

import msgspec

from tidings.apps.traffic_monitoring.city import REACH
from tidings.apps.traffic_monitoring.replay import Line
from tidings.client.client import Client
from tidings.clock import SystemClock
from tidings.federation import requests as r
from tidings.federation.gateway import GatewayTimes
from tidings.federation.proximity import Circle, Position, area_text
from tidings.server.embedded import embedded_gateway
from tidings.services.steam.datagrams import SteamEvent
from tidings.services.steam.machine import SteamConfig
from tidings.services.steam.node import SteamNode

Tell: TypeAlias = Callable[[str, dict[str, Any]], None]
"""Called with the name of a happening and its details as plain data."""

AROUND: Final = Circle(Position(0.0, 0.0), REACH, relative=True)
"""The area of what a radio sends: its whole reach, wherever it is."""
AROUND_TEXT: Final = area_text(AROUND)

# Gateways on one machine notice each other fast; a busy one is not taken for gone.
_TIMES: Final = GatewayTimes(hello=500_000, gone=60_000_000)
_LOOK: Final = 0.02


class Job(msgspec.Struct, frozen=True):
    """What a process is.

    Attributes:
        part: `car`, `road` or `siena`.
        name: Its name in the city.
        network: The name of the radio network.
        office: The address of the SIENA server.
        folder: Where its files are.
    """

    part: str
    name: str
    network: str = ""
    office: str = ""
    folder: str = ""


class Entity:
    """A thing with a radio that writes a log; `second` is that of the scene."""

    def __init__(self, job: Job, position: str, tell: Tell) -> None:
        self.second = 0
        self.name = job.name
        self.radio = SteamNode(SteamConfig(job.network), position=position)
        self._clock = SystemClock()
        self._tell = tell

    def log(self, word: str, **about: Any) -> None:  # noqa: ANN401
        """Write a line."""
        line = Line(self._clock.now(), self.second, self.name, word, about)
        self._tell("log", msgspec.to_builtins(line))

    def heard(self, event: SteamEvent) -> None:
        """Write down what the radio has received."""
        self.log("heard", subject=event.subject, **event.values)


def steam_side(job: Job, adapter: str, service: str, position: str, **more: Any) -> r.SideConfig:  # noqa: ANN401
    """Return the side of a gateway at the radio."""
    given = {"network": job.network, "position": position, "default_range": REACH}
    return r.SideConfig(adapter, service, "steam", given, **more)


@asynccontextmanager
async def gateway(given: r.CreateGateway) -> AsyncIterator[Client]:
    """Run a gateway while the context lasts; its sides are up, its own requests apply."""
    async with embedded_gateway(given, times=_TIMES) as client:
        await _until(client, given)
        yield client


async def _until(client: Client, given: r.CreateGateway) -> None:
    while True:
        info = await client.transport.request(r.SeeGateway(given.name))
        if not info.problem and all(one.state is r.SideState.UP for one in info.sides):
            found = await client.transport.request(r.SeeFederationRequests(given.name))
            if len(found) == len(given.requests) and all(_applies(one) for one in found):
                return
        await asyncio.sleep(_LOOK)


def _applies(request: r.RequestInfo) -> bool:
    return bool(request.applied) and not request.missing and not request.refused
