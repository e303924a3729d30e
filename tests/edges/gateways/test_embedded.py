"""A gateway inside a program: it runs while it is used, and leaves nothing."""

from __future__ import annotations

import asyncio

import pytest

from tests.edges.gateways.test_runner import TIMES, Listener, memory, speed
from tests.patience import PATIENCE
from tidings.client.client import Client
from tidings.errors import InvalidUsage
from tidings.federation import requests as r
from tidings.gateways.adapters.memory import bus
from tidings.names import new_origin
from tidings.server.embedded import embedded_gateway


async def applies(client: Client) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await client.transport.request(r.SeeFederationRequests("G"))
            if found and all(one.applied for one in found):
                return
            await asyncio.sleep(0.01)


async def test_a_gateway_in_a_program_carries_events_while_it_runs() -> None:
    one, other = new_origin(), new_origin()
    wanted = r.StandingRequest(r.RequestKind.SUBSCRIBE, "subject = Speed", "B", "A")
    given = r.CreateGateway("G", (memory("a", one), memory("b", other)), requests=(wanted,))
    heard = Listener(other)
    async with embedded_gateway(given, times=TIMES) as client:
        await applies(client)
        bus(one).publish(speed(40))
        assert (await heard.next()).data["rate"] == 40
    bus(one).publish(speed(50))
    await asyncio.sleep(0)
    assert heard.heard.empty()


async def test_a_gateway_that_cannot_run_says_why() -> None:
    side = r.SideConfig("a", "A", "pigeons", {})
    with pytest.raises(InvalidUsage, match="pigeons"):
        async with embedded_gateway(r.CreateGateway("G", (side,))):
            pass
