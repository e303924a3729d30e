"""A federation for the console: a service with gateways that run, and another one behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.edges.web.served import ServedDoor, served
from tests.patience import PATIENCE
from tidings.client.client import Client
from tidings.engine.host import Host
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation import requests as r
from tidings.federation.gateway import GatewayTimes
from tidings.gateways.adapters.memory import Bus, bus
from tidings.gateways.runner import Gateways
from tidings.names import new_origin
from tidings.server.cores import service_cores
from tidings.server.embedded import client_for, local_client
from tidings.web.options import WebOptions

TIMES = GatewayTimes(hello=100_000, gone=350_000)


class Federation:
    """`roads`, a channel, and services within the process, by names that no other test has."""

    def __init__(self, door: ServedDoor, client: Client) -> None:
        self.door = door
        self.client = client
        self._life = new_origin()

    @property
    def url(self) -> str:
        """Of the service."""
        return f"http://127.0.0.1:{self.door.port}"

    def bus(self, service: str) -> Bus:
        """A service within the process."""
        return bus(f"{service} {self._life}")

    def side(self, service: str, **rest: Any) -> r.SideConfig:
        """A gateway's side at a service."""
        if service == "roads":
            return r.SideConfig("t-r", service, "tidings", {"channel": service, "create": True})
        name = f"{service} {self._life}"
        return r.SideConfig(f"m-{service}", service, "memory", {"name": name}, **rest)

    async def gateway(self, name: str, *sides: r.SideConfig, at: Client | None = None) -> None:
        """A gateway that is connected."""
        client = at or self.client
        await client.transport.ask(r.CreateGateway(name, sides))

        async def is_up() -> bool:
            info = await self.info(name, client)
            return not info.problem and all(one.state == "up" for one in info.sides)

        await until(is_up)

    async def info(self, name: str, at: Client | None = None) -> r.GatewayInfo:
        """A gateway as it is now."""
        return await (at or self.client).transport.request(r.SeeGateway(name))

    async def want(self, what: str, source: str, targets: str, name: str = "tower") -> None:
        """A standing request that applies."""
        asked = r.AskFederation(name, r.RequestKind.SUBSCRIBE, what, source, targets)
        await self.client.transport.ask(asked)

        async def applies() -> bool:
            found = await self.client.transport.request(r.SeeFederationRequests(name))
            return all(one.applied for one in found)

        await until(applies)

    async def reaches(self, name: str, service: str) -> None:
        """Waits until a gateway reaches a service."""

        async def is_reached() -> bool:
            found = await self.client.transport.request(r.SeeFederation(name))
            return any(one.service == service and one.gateways for one in found)

        await until(is_reached)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Waits for a condition."""
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0.01)


def speed(rate: int) -> StructuredEvent:
    """An event."""
    return event("", "", "Speed", {"rate": rate})


@asynccontextmanager
async def _running(host: Host) -> AsyncIterator[Client]:
    gateways = Gateways(host.tell, host.on_effect, partial(client_for, host), times=TIMES)
    gateways.start()
    client = local_client(host)
    try:
        yield client
    finally:
        await gateways.stop()
        await client.close()


@asynccontextmanager
async def federated(folder: Path | None = None) -> AsyncIterator[Federation]:
    """A service that can run gateways and has none."""
    async with (
        served(WebOptions(), folder, cores=service_cores()) as door,
        _running(door.host) as client,
    ):
        yield Federation(door, client)


@asynccontextmanager
async def harbour(folder: Path | None = None) -> AsyncIterator[Federation]:
    """roads – tower – plant – dock – cranes, and – yard – depot, which another service runs."""
    async with federated(folder) as made:
        other = await Host.open(None, cores=service_cores())
        try:
            async with _running(other) as elsewhere:
                await made.gateway("tower", made.side("roads"), made.side("plant"))
                await made.gateway("dock", made.side("plant"), made.side("cranes"))
                await made.gateway("yard", made.side("cranes"), made.side("depot"), at=elsewhere)
                await made.reaches("tower", "depot")
                yield made
        finally:
            await other.close()
