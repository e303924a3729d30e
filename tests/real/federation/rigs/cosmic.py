"""A CAN bus of python-can's interface `virtual`, within the process, which can be unplugged.

`udp_multicast` needs the package msgpack and a network interface with multicast, and `socketcan` a
kernel with CAN; neither can be assumed.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import can
from can.interfaces.virtual import VirtualBus

from tests.real.federation import rigs
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

SPEED_ID = 12345
SPEED = {
    "subject": "Speed",
    "id": SPEED_ID,
    "fields": [
        {"name": "license_no", "type": "string", "octets": "0..6"},
        {"name": "rate", "type": "double", "octets": "7"},
    ],
}
_NAMES = itertools.count()


class UnpluggableBus(VirtualBus):
    """A virtual bus whose adapter can be pulled out of the machine."""

    unplugged: ClassVar[set[str]] = set()

    def __init__(self, channel: str, **options: Any) -> None:
        self._name = channel
        if channel in self.unplugged:
            raise can.CanInitializationError(f"no such device: {channel}")
        super().__init__(channel, **options)

    def _check_if_open(self) -> None:
        super()._check_if_open()
        if self._name in self.unplugged:
            raise can.CanOperationError(f"{self._name} is gone")


can.interfaces.BACKENDS["unpluggable"] = (__name__, UnpluggableBus.__name__)


class Native(rigs.Native):
    """A program that knows python-can, and which octets are what."""

    def __init__(self, bus: can.BusABC) -> None:
        self._bus = bus

    async def publish(self, sent: StructuredEvent) -> None:
        name, rate = str(sent.data["license_no"]), sent.data["rate"]
        assert isinstance(rate, float)
        octets = name.encode().ljust(7, b"\0") + bytes((int(rate),))
        self._bus.send(can.Message(arbitration_id=SPEED_ID, data=octets))

    async def received(self) -> AsyncIterator[StructuredEvent]:
        while True:
            message = await asyncio.to_thread(self._bus.recv, 0.1)
            if message is not None and message.arbitration_id == SPEED_ID:
                data = bytes(message.data)
                name = data[:7].rstrip(b"\0").decode()
                yield event("", "", "Speed", {"license_no": name, "rate": float(data[7])})


class Rig(rigs.Rig):
    part = ("python-can", can.__version__)

    def start(self) -> None:
        self._name = ""

    def stop(self) -> None:
        pass

    def parameters(self) -> dict[str, Any]:
        self._name = f"suite-{next(_NAMES)}"
        return {"interface": "unpluggable", "channel": self._name, "events": [SPEED]}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        with can.Bus(
            interface="unpluggable", channel=parameters["channel"], ignore_config=True
        ) as bus:
            yield Native(bus)

    def kill(self) -> None:
        UnpluggableBus.unplugged.add(self._name)

    def restart(self) -> None:
        UnpluggableBus.unplugged.discard(self._name)

    def unmappable(self) -> StructuredEvent | None:
        return event("", "", "Speed", {"license_no": "EIGHT888", "rate": 30.0})
