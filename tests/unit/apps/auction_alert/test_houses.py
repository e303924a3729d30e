from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from tidings.apps.auction_alert.houses import Supplier
from tidings.apps.auction_alert.ledger import Acknowledged, acknowledged_in
from tidings.apps.auction_alert.scene import CHANNEL, HOUSES, Scene
from tidings.client.client import Client
from tidings.events.structured import StructuredEvent
from tidings.server.embedded import embedded

SCENE = Scene(1, 1_794_700_000_000_000, per_house=12)
HOUSE = HOUSES[0]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 20))


async def opened() -> Client:
    client = await embedded()
    await client.create_channel(CHANNEL)
    return client


def test_offers_are_made_in_order_and_written_down(tmp_path: Path) -> None:
    heard: list[Acknowledged] = []

    async def play() -> None:
        client = await opened()
        supplier = await Supplier.connected(client, SCENE, HOUSE, tmp_path / "ledger")
        await supplier.offer_until(3, heard.append, 0)
        assert (supplier.sent, supplier.answered) == (3, 3)
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


def test_what_has_no_answer_is_not_written_down(tmp_path: Path) -> None:
    class Silent:
        async def publish(self, offer: StructuredEvent, *, number: int) -> None:
            await asyncio.Event().wait()

    async def play() -> None:
        publisher: Any = Silent()
        supplier = Supplier(HOUSE, SCENE, publisher, tmp_path / "ledger")
        offering = asyncio.create_task(supplier.offer_until(5, lambda one: None, 0))
        await asyncio.sleep(0.01)
        assert (supplier.sent, supplier.answered) == (1, 0)
        offering.cancel()
        await asyncio.wait((offering,))
        supplier.close()

    run(play())
    assert acknowledged_in(tmp_path / "ledger") == []


def test_an_answer_is_on_the_disk_before_the_next_offer(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    written: list[int] = []

    async def play() -> None:
        client = await opened()
        supplier = await Supplier.connected(client, SCENE, HOUSE, path)
        publish = supplier.publisher.publish

        async def noted(offer: StructuredEvent, *, number: int) -> object:
            written.append(len(acknowledged_in(path)))
            return await publish(offer, number=number)

        supplier.publisher.publish = noted  # type: ignore[method-assign, assignment]
        await supplier.offer_until(4, lambda one: None, 0)
        supplier.close()
        await client.close()

    run(play())
    assert written == [0, 1, 2, 3]
