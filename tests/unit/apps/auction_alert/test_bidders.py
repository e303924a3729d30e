from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from tidings.apps.auction_alert.bidders import Listener
from tidings.apps.auction_alert.ledger import taken_in
from tidings.apps.auction_alert.scene import BIDDERS, CHANNEL, HOUSES, Bidder, Habit, Scene, wants
from tidings.client.client import Client
from tidings.client.subscription import Delivery
from tidings.events.fields import fields_of
from tidings.events.structured import StructuredEvent
from tidings.server.embedded import embedded

SCENE = Scene(1, 4_000_000_000_000_000, per_house=16)
OFFERS = [one for house in HOUSES for one in SCENE.offers(house)]
(EMIL,) = [one for one in BIDDERS if one.habit is Habit.BY_PRIORITY]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 20))


def ignore(bidder: Bidder, delivery: Delivery) -> None:
    """Nobody looks."""


async def opened() -> Client:
    client = await embedded()
    await client.create_channel(CHANNEL)
    return client


async def publish(client: Client, offers: list[StructuredEvent]) -> None:
    publisher = await client.publisher(CHANNEL)
    await publisher.publish_many(offers)


def numbers(path: Path) -> list[int]:
    return [one.id[1] for one in taken_in(path)[0]]


def wanted(bidder: Bidder) -> list[int]:
    return [seq for seq, offer in enumerate(OFFERS, 1) if wants(bidder, offer)]


@pytest.mark.parametrize("bidder", BIDDERS, ids=lambda bidder: bidder.habit.name)
def test_a_bidder_writes_down_what_was_asked_for(bidder: Bidder, tmp_path: Path) -> None:
    heard: list[tuple[str, int]] = []

    async def play() -> None:
        client = await opened()
        listener = Listener(
            client, bidder, tmp_path / "ledger", lambda who, d: heard.append((who.name, d.seq))
        )
        await listener.connect()
        await publish(client, OFFERS)
        await listener.drained()
        await listener.close()
        await client.close()

    run(play())
    assert sorted(numbers(tmp_path / "ledger")) == wanted(bidder)
    assert heard == [(bidder.name, seq) for seq in numbers(tmp_path / "ledger")]


def test_what_comes_while_a_bidder_is_away_waits(tmp_path: Path) -> None:
    ada = BIDDERS[0]

    async def play() -> None:
        client = await opened()
        before = Listener(client, ada, tmp_path / "ledger", ignore)
        await before.connect()
        await before.leave()
        await publish(client, OFFERS)
        assert await before.waiting() == len(wanted(ada))
        assert numbers(tmp_path / "ledger") == []
        after = Listener(client, ada, tmp_path / "ledger", ignore)
        await after.connect()
        assert after.proxy == before.proxy
        await after.drained()
        await before.close()
        await after.close()
        await client.close()

    run(play())
    assert numbers(tmp_path / "ledger") == wanted(ada)


def test_a_pause_gathers_a_stock_that_comes_by_priority(tmp_path: Path) -> None:
    async def play() -> None:
        client = await opened()
        listener = Listener(client, EMIL, tmp_path / "ledger", ignore)
        await listener.connect()
        await listener.pause()
        await publish(client, OFFERS)
        assert await listener.waiting() == len(wanted(EMIL))
        await listener.go_on()
        await listener.drained()
        await listener.close()
        await client.close()

    run(play())
    taken, _ = taken_in(tmp_path / "ledger")
    assert all(one.stock for one in taken)
    given = [EMIL.priority(fields_of(OFFERS[one.id[1] - 1])) for one in taken]
    keys = [(-priority, one.id[1]) for priority, one in zip(given, taken, strict=True)]
    assert keys == sorted(keys)
    assert len(set(given)) > 2


def test_an_error_while_taking_is_not_waited_for(tmp_path: Path) -> None:
    def broken(bidder: Bidder, delivery: Delivery) -> None:
        raise ValueError("broken")

    async def play() -> None:
        client = await opened()
        listener = Listener(client, BIDDERS[0], tmp_path / "ledger", broken)
        await listener.connect()
        await publish(client, OFFERS)
        with pytest.raises(ValueError, match="broken"):
            await listener.drained()
        await listener.close()
        await client.close()

    run(play())
