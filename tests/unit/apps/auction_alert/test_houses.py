from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from tidings.apps.auction_alert.houses import Supplier
from tidings.apps.auction_alert.ledger import Acknowledged, acknowledged_in
from tidings.apps.auction_alert.scene import CHANNEL, HOUSES, Scene
from tidings.client.client import Client
from tidings.server.embedded import embedded

SCENE = Scene(1, 1_794_700_000_000_000, per_house=12)
HOUSE = HOUSES[0]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 20))


async def opened(folder: Path, *, first: bool) -> Client:
    client = await embedded(folder / "data")
    if first:
        await client.create_channel(CHANNEL, persistent=True)
    return client


def test_offers_are_made_in_order_and_written_down(tmp_path: Path) -> None:
    heard: list[Acknowledged] = []

    async def play() -> None:
        client = await opened(tmp_path, first=True)
        supplier = await Supplier.connected(client, SCENE, HOUSE, tmp_path / "ledger")
        await supplier.offer_until(5, heard.append, 0)
        channel = await client.channel(CHANNEL)
        offers = (await channel.advertisement()).offers
        (types,) = offers.values()
        assert [f"{one.domain}::{one.type}" for one in types] == list(HOUSE.types)
        supplier.close()
        await client.close()

    run(play())
    assert acknowledged_in(tmp_path / "ledger") == heard
    assert [one.number for one in heard] == [one.id[1] for one in heard] == [1, 2, 3, 4, 5]
    assert [one.offer for one in heard] == SCENE.offers(HOUSE)[:5]


@pytest.mark.parametrize("swallowed", [0, 1, 2])
def test_answers_that_never_arrived_are_asked_for_again(tmp_path: Path, swallowed: int) -> None:
    path = tmp_path / "ledger"

    async def first() -> None:
        client = await opened(tmp_path, first=True)
        supplier = await Supplier.connected(client, SCENE, HOUSE, path)
        await supplier.offer_until(6, lambda one: None, 0)
        supplier.close()
        await client.close()

    async def second() -> None:
        client = await opened(tmp_path, first=False)
        supplier = await Supplier.connected(client, SCENE, HOUSE, path)
        assert supplier.unheard == swallowed
        await supplier.offer_until(12, lambda one: None, 0)
        supplier.close()
        channel = await client.channel(CHANNEL)
        assert (await channel.info()).accepted == 12
        await client.close()

    run(first())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) - swallowed]))
    run(second())
    found = acknowledged_in(path)
    assert [one.id[1] for one in found] == list(range(1, 13))
    assert [one.offer for one in found] == SCENE.offers(HOUSE)
