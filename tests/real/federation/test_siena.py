"""Networks of three SIENA servers, a process each, whose middle one is killed and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.patience import PATIENCE
from tests.real.federation.siena_network import SienaNetwork, all_up
from tidings.filters.dialects.siena import AttributeTest, Operator
from tidings.services.siena.client import SienaClient
from tidings.services.siena.relations import Notification

SPEED = (
    AttributeTest("kind", Operator.EQUAL, "Speed"),
    AttributeTest("rate", Operator.GREATER, 30),
)


class Ear:
    """A consumer."""

    def __init__(self) -> None:
        self._heard: asyncio.Queue[Notification] = asyncio.Queue()

    async def __call__(self, notifications: Sequence[Notification]) -> None:
        for one in notifications:
            self._heard.put_nowait(one)

    async def next(self) -> Notification:
        async with asyncio.timeout(PATIENCE):
            return await self._heard.get()


@pytest.mark.parametrize("topology", ["hierarchical", "peers"])
async def test_a_network_heals_when_its_middle_server_comes_back(topology: str) -> None:
    network = SienaNetwork()
    peers = topology == "peers"
    more = ("--advertised",) if peers else ()
    link = "--peer" if peers else "--master"
    try:
        top = await asyncio.to_thread(network.start, "top", *more)
        middle = await asyncio.to_thread(network.start, "middle", link, top, *more)
        bottom = await asyncio.to_thread(network.start, "bottom", link, middle, *more)
        high, low = Ear(), Ear()
        async with (
            await SienaClient.connect(top, high) as above,
            await SienaClient.connect(bottom, low) as below,
        ):
            await all_up(bottom)
            for client in (above, below):
                client.subscribe(SPEED)
                client.advertise(())
                await client.settle()
            await _both_ways(above, high, below, low, 40)
            await asyncio.to_thread(network.kill, "middle")
            assert await below.settle() == 1
            await _nearby(network.urls["bottom"], low)
            await asyncio.to_thread(network.restart, "middle")
            await all_up(bottom)
            # The servers have said again what the clients had asked for.
            await _both_ways(above, high, below, low, 50)
    finally:
        await asyncio.to_thread(network.stop)


async def _both_ways(
    above: SienaClient, high: Ear, below: SienaClient, low: Ear, rate: int
) -> None:
    for writer, ear in ((above, low), (below, high)):
        await writer.publish({"kind": "Speed", "rate": 20})
        await writer.publish({"kind": "Speed", "rate": rate})
        assert await ear.next() == {"kind": "Speed", "rate": rate}


async def _nearby(url: str, low: Ear) -> None:
    """Clients of one server reach each other while its neighbour is away."""
    async with await SienaClient.connect(url) as near:
        near.advertise(())
        await near.publish({"kind": "Speed", "rate": 99})
        assert await low.next() == {"kind": "Speed", "rate": 99}
