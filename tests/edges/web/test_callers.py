"""Who calls: tokens over HTTP and WebSocket, revoked, wrong and guessed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2
import pytest

from tests.edges.web.served import served
from tests.patience import PATIENCE
from tidings import event
from tidings.channel import management as m
from tidings.client.connecting import connect
from tidings.engine.access import OWNER
from tidings.engine.door import LocalDoor
from tidings.errors import ChannelNotFound, Forbidden, TidingsError, Unauthenticated
from tidings.events.structured import StructuredEvent
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.names import new_origin
from tidings.server.cores import service_cores
from tidings.server.embedded import local_client


class Scene(NamedTuple):
    owner: LocalDoor
    url: str
    token: g.NewToken


@asynccontextmanager
async def scene(*grants: g.CreateGrant) -> AsyncIterator[Scene]:
    """A service with an administrator and Ann, who has a token."""
    async with served(cores=service_cores()) as door:
        owner = LocalDoor(door.host, OWNER)
        await owner.ask(m.CreateChannel(new_origin(), name="roads"))
        for command in (
            g.CreatePrincipal("root"),
            g.CreateGrant("root", (Verb.ADMINISTER,)),
            g.CreatePrincipal("ann"),
            *grants,
        ):
            await owner.ask(command)
        await owner.request(g.CreateToken("root"))
        token = await owner.request(g.CreateToken("ann"))
        yield Scene(owner, f"http://127.0.0.1:{door.port}", token)


BOTH = g.CreateGrant("ann", (Verb.PUBLISH, Verb.SUBSCRIBE), ("roads",))


async def test_a_client_with_a_token_publishes_and_subscribes() -> None:
    async with scene(BOTH) as (_, url, made), await connect(url, token=made.token) as client:
        subscription = await client.subscribe("roads")
        await client.publish("roads", event("Traffic", "Speed", "car-7"))
        delivery = await subscription.next(PATIENCE)
        assert delivery is not None
        assert delivery.event.name == "car-7"
        with pytest.raises(Forbidden):
            await client.create_channel("mine")


async def test_a_grant_on_a_channel_applies_when_that_is_created() -> None:
    later = g.CreateGrant("ann", (Verb.PUBLISH,), ("rail*",))
    async with scene(later) as (owner, url, made), await connect(url, token=made.token) as client:
        with pytest.raises(ChannelNotFound):
            await client.publish("rails", event("a", "b"))
        await owner.ask(m.CreateChannel(new_origin(), name="rails"))
        await client.publish("rails", event("a", "b"))


def driven(domain: str, region: str) -> StructuredEvent:
    return event(domain, "Speed", data={"region": region})


async def test_a_publisher_stays_within_its_grant() -> None:
    narrow = g.CreateGrant("ann", (Verb.PUBLISH,), ("roads",), ("Traffic::*",), "$region == 'eu'")
    async with scene(narrow) as (_, url, made), await connect(url, token=made.token) as client:
        await client.publish("roads", driven("Traffic", "eu"))
        for wrong in (driven("Traffic", "us"), driven("Shop", "eu")):
            with pytest.raises(Forbidden, match="may not publish event 1 of 1, of type"):
                await client.publish("roads", wrong)


async def test_a_subscriber_sees_only_what_its_grant_allows() -> None:
    fenced = g.CreateGrant("ann", (Verb.SUBSCRIBE,), ("roads",), (), "$region == 'eu'")
    async with scene(fenced) as (owner, url, made), await connect(url, token=made.token) as client:
        subscription = await client.subscribe("roads", "$region != 'eu' or true")
        local = local_client(owner._host)
        for region in ("us", "asia", "eu"):
            await local.publish("roads", driven("Traffic", region))
        delivery = await subscription.next(PATIENCE)
        assert delivery is not None
        assert delivery.event.data["region"] == "eu"


async def test_a_revoked_token_ends_what_it_opened() -> None:
    async with scene(BOTH) as (owner, url, made), await connect(url, token=made.token) as client:
        subscription = await client.subscribe("roads")
        await owner.ask(g.RevokeCredential(made.credential))
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(StopAsyncIteration):
                await anext(subscription)
        with pytest.raises(Unauthenticated):
            await (await connect(url, token=made.token)).channels()


async def test_with_a_revoked_token_nothing_is_published_over_an_open_socket() -> None:
    async with scene(BOTH) as (owner, url, made), await connect(url, token=made.token) as client:
        publisher = await client.publisher("roads")
        await publisher.publish(event("a", "b"))
        await owner.ask(g.RevokeCredential(made.credential))
        with pytest.raises(TidingsError):
            await publisher.publish(event("a", "b"))


async def test_a_revoked_grant_ends_what_it_allowed() -> None:
    async with scene(BOTH) as (owner, url, made), await connect(url, token=made.token) as client:
        publisher = await client.publisher("roads")
        await publisher.publish(event("a", "b"))
        await owner.ask(g.RevokeGrant(2))
        with pytest.raises((ChannelNotFound, Unauthenticated, Forbidden, TidingsError)):
            await publisher.publish(event("a", "b"))


async def test_guessing_is_slowed_and_told_when_to_come_again() -> None:
    async with scene() as (_, url, made), httpx2.AsyncClient(timeout=PATIENCE) as client:
        wrong = "".join(("tdg_", str(made.credential), "_", "x" * 32))
        headers = {"Authorization": f"Bearer {wrong}"}
        answers: list[Any] = []
        while not answers or answers[-1].status_code == 401:
            answers.append(await client.get(f"{url}/v1/channels", headers=headers))
        assert len(answers) > 5  # people mistype
        assert answers[-1].status_code == 429
        assert "try again in" in answers[-1].json()["detail"]
        assert all(wrong not in answer.text for answer in answers)
