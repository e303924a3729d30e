"""The roadside: a monitor with a gateway STEAM to SIENA, and a sign that shows the limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tidings.apps.traffic_monitoring.city import CITY, OFFICE, ROADS, position_of
from tidings.apps.traffic_monitoring.entity import Entity, Job, Tell, gateway, steam_side
from tidings.client.client import Client
from tidings.federation import requests as r
from tidings.federation.proximity import position_text
from tidings.services.steam.datagrams import SteamEvent

_LOOK = 0.02


def roadside_gateway(job: Job, position: str) -> r.CreateGateway:
    """Return the gateway of a monitor; the services are named like the monitor, and the office."""
    number = job.name.rpartition("-")[2]
    siena = r.SideConfig(f"siena-{number}", OFFICE, "siena", {"url": job.office})
    steam = steam_side(job, f"steam-{number}", job.name, position)
    return r.CreateGateway(f"monitor-{number}", (steam, siena), system=CITY)


class RoadEntity(Entity):
    """A monitor with its sign; orders: `move` into a second, `meet` the others, `drain`."""

    def __init__(self, job: Job, position: str, client: Client, tell: Tell) -> None:
        super().__init__(job, position, tell)
        self._client = client
        self._gateway = roadside_gateway(job, position).name

    @classmethod
    @asynccontextmanager
    async def running(cls, job: Job, tell: Tell) -> AsyncIterator[RoadEntity]:
        """Have a monitor with everything switched on."""
        place = next(road.place for road in ROADS if road.name == job.name)
        position = position_text(position_of(place))
        async with gateway(roadside_gateway(job, position)) as client:
            road = cls(job, position, client, tell)
            async with road.radio as radio:
                radio.listen("cars", ("Speed", "Location", "Brake"), lambda _: True, road.heard)
                radio.listen("sign", ("SpeedLimit",), lambda _: True, road.show)
                yield road

    def show(self, event: SteamEvent) -> None:
        """Show a limit on the sign."""
        self.log("shows", limit=event.values["limit"])

    async def do(self, order: dict[str, Any]) -> None:
        """Carry out an order."""
        self.second = order["second"]
        if order["order"] == "meet":
            await self._meet()
        elif order["order"] == "drain":
            await self._drain()

    async def _meet(self) -> None:
        """Wait until the gateway knows all monitors, so that `road-*` means them all."""
        everybody = {road.name for road in ROADS}
        while True:
            found = await self._client.transport.request(r.SeeFederation(self._gateway))
            if everybody <= {one.service for one in found if one.gateways}:
                return
            await asyncio.sleep(_LOOK)

    async def _drain(self) -> None:
        """Wait until the gateway has handed on all that it has received."""
        while True:
            found = await self._client.transport.request(r.SeeGateway(self._gateway))
            if not any(side.waiting for side in found.sides):
                return
            await asyncio.sleep(_LOOK)
