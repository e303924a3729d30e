"""Programs that ask the federation through their own service, and what they are told."""

from __future__ import annotations

import pytest

from tests.edges.gateways.test_runner import Listener, channel, memory, speed, world
from tidings.errors import InvalidConstraint, InvalidUsage
from tidings.federation import requests as r
from tidings.gateways.adapters.base import AdapterError
from tidings.gateways.adapters.memory import bus
from tidings.gateways.asking import FederationClient
from tidings.names import new_origin


def client(name: str, key: tuple[str, bytes] | None = None) -> FederationClient:
    return FederationClient("memory", "A", {"name": name}, key=key)


async def test_a_request_is_answered_with_where_it_applies() -> None:
    one, other = new_origin(), new_origin()
    async with world() as made:
        await made.gateway(memory("a", one), memory("b", other), channel("c", "roads"))
        heard = Listener(one)
        async with client(one) as federation:
            answer = await federation.subscribe("subject = Speed and rate > 30", "B, C")
            assert set(answer.applied) == {"B", "C"}
            assert answer.missing == ()
            for rate in (30, 31):
                bus(other).publish(speed(rate))
            assert (await heard.next()).data["rate"] == 31
            await federation.publish(speed(40), "B")
            answer = await federation.subscribe("Speed", "nowhere, B", wait=0.5)
            assert answer.missing == ("nowhere",)
            assert (await federation.unsubscribe("subject = Speed and rate > 30", "B, C")).ended
        await made.until(lambda info: info.sides[1].sent == 1)


async def test_who_is_not_answered_says_so() -> None:
    async with world(), client(new_origin()) as federation:
        with pytest.raises(AdapterError, match=r"no gateway of .* has answered at A"):
            await federation.subscribe("Speed", wait=0.1)
        with pytest.raises(InvalidConstraint):
            await federation.subscribe("subject = Speed and rate >")
        with pytest.raises(InvalidUsage, match="distribution list"):
            await federation.subscribe("Speed", "a b")


async def test_a_client_signs_where_the_gateway_asks_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CITY_KEY", "secret")
    one, other = new_origin(), new_origin()
    async with world() as made:
        sides = (memory("a", one), memory("b", other))
        await made.ask(
            r.CreateGateway("G", sides, keys={"city": "env:CITY_KEY"}, clients_sign=True)
        )
        await made.until(lambda info: all(side.state == "up" for side in info.sides))
        async with client(one, key=("city", b"wrong")) as federation:
            refused = await federation.subscribe("Speed", "B")
            assert "signature" in refused.cause
        async with client(one, key=("city", b"secret")) as federation:
            assert set((await federation.subscribe("Speed", "B")).applied) == {"B"}
