"""A car: a CAN bus with a speedometer, an in-car gateway COSMIC to STEAM, and a radio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from tidings.apps.traffic_monitoring.city import CARS, Car, drive, position_of
from tidings.apps.traffic_monitoring.entity import (
    AROUND,
    AROUND_TEXT,
    Entity,
    Job,
    Tell,
    gateway,
    steam_side,
)
from tidings.errors import TidingsError
from tidings.events.build import event
from tidings.federation import requests as r
from tidings.federation.proximity import PROXIMITY, position_text
from tidings.services.cosmic.node import Node
from tidings.services.cosmic.settings import CosmicSettings
from tidings.services.steam.datagrams import EventType, Kind, SteamEvent

SPEED: Final = {
    "subject": "Speed",
    "id": 12345,
    "fields": [
        {"name": "license_no", "type": "string", "octets": "0..6"},
        {"name": "rate", "type": "double", "octets": "7"},
    ],
}
"""The mapping of the source: identifier 12345, octets 0 to 6 the licence, octet 7 the rate."""
LOCATION: Final = EventType("Location", {"license_no": Kind.TEXT})
"""Where the car is: every STEAM event says that of its producer."""
BRAKE: Final = EventType("Brake", {"license_no": Kind.TEXT, "brakes": Kind.INTEGER})

_GATEWAY: Final = 1
_SPEEDOMETER: Final = 2


def bus(car: Car) -> dict[str, object]:
    """Return the car's CAN bus: one of its process, that no other car reaches."""
    return {"interface": "virtual", "channel": f"can-{car.number}", "events": [SPEED]}


def in_car_gateway(car: Car, job: Job, position: str) -> r.CreateGateway:
    """Return the car's gateway, with the standing subscription that it has from its start."""
    cosmic, steam = f"cosmic-{car.number}", f"steam-{car.number}"
    everywhere = [{"when": "$event_name == 'Speed'", "header": {PROXIMITY: AROUND_TEXT}}]
    return r.CreateGateway(
        car.name,
        (
            r.SideConfig("can", cosmic, "cosmic", {**bus(car), "node": _GATEWAY}),
            steam_side(job, "radio", steam, position, mapping={"out": everywhere}),
        ),
        system=car.name,
        requests=(r.StandingRequest(r.RequestKind.SUBSCRIBE, "subject = Speed", steam, cosmic),),
    )


class CarEntity(Entity):
    """A car that drives; orders: `move` into a second, then `publish` what it has measured."""

    def __init__(self, job: Job, tell: Tell) -> None:
        self.car = next(car for car in CARS if car.name == job.name)
        self._gps = Path(job.folder) / f"{job.name}.gps"
        self.source = f"file:{self._gps}"
        super().__init__(job, self.source, tell)
        settings = {**bus(self.car), "node": _SPEEDOMETER}
        self._speedometer = Node(msgspec.convert(settings, CosmicSettings))
        self._sent = asyncio.Event()
        self._braked = False

    @classmethod
    @asynccontextmanager
    async def running(cls, job: Job, tell: Tell) -> AsyncIterator[CarEntity]:
        """Have a car with everything switched on."""
        car = cls(job, tell)
        car.move(0)
        async with (
            car._speedometer,
            gateway(in_car_gateway(car.car, job, car.source)),
            car.radio as radio,
        ):
            radio.announce(LOCATION, AROUND)
            radio.announce(BRAKE, AROUND)
            radio.listen("cars", ("Location", "Brake"), lambda _: True, car.heard)
            radio.listen("own", ("Speed",), car._is_own, lambda _: car._sent.set())
            yield car

    def _is_own(self, event: SteamEvent) -> bool:
        return event.values.get("license_no") == self.car.licence

    async def do(self, order: dict[str, Any]) -> None:
        """Carry out an order."""
        self.second = order["second"]
        if order["order"] == "move":
            self.move(self.second)
        else:
            await self.publish()

    def move(self, second: int) -> None:
        """Be where the car is in a second."""
        with self._gps.open("a", encoding="ascii") as file:
            file.write(f"{position_text(position_of(drive(self.car, second).place))}\n")

    async def publish(self) -> None:
        """Log and publish what the car does; return when its speed is on the air."""
        now, licence = drive(self.car, self.second), self.car.licence
        (x, y), rate = now.place, now.rate
        self.log(
            "drove", licence=licence, x=x, y=y, heading=now.heading, rate=rate, brakes=now.brakes
        )
        self.radio.publish("Location", {"license_no": licence})
        if now.brakes != self._braked:
            self.radio.publish("Brake", {"license_no": licence, "brakes": int(now.brakes)})
            self._braked = now.brakes
        self._sent.clear()
        speed = event("", "", "Speed", {"license_no": licence, "rate": float(rate)})
        if await self._speedometer.publish(speed) is not None:
            raise TidingsError(f"{self.name}: the CAN bus was not free")
        await self._sent.wait()
