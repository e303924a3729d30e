"""Suppliers that the service asks for events."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.promises.services import Service, bid, eventually, seen, seqs, shown
from tidings.channel.vocabulary import Form
from tidings.errors import Disconnected
from tidings.events.structured import StructuredEvent


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
async def test_a_function_is_asked_until_it_has_nothing(service: Service, kind: str) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    stock = [bid(price) for price in range(3)]

    def plain(most: int) -> StructuredEvent | None:
        assert most == 1
        return stock.pop(0) if stock else None

    async def coroutine(most: int) -> StructuredEvent | None:
        await asyncio.sleep(0)
        return plain(most)

    await client.supply(channel, plain if kind == "plain" else coroutine)
    assert await seqs(subscription, 3) == [1, 2, 3]
    stock.append(bid(4))
    assert await seqs(subscription, 1) == [4]


async def test_a_sequence_is_asked_for_by_its_size(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    asked: list[int] = []

    def source(most: int) -> Sequence[StructuredEvent]:
        asked.append(most)
        return [bid(price) for price in range(5)] if len(asked) == 1 else []

    qos = {"MaximumBatchSize": 3}
    await client.supply(channel, source, form=Form.SEQUENCE, qos=qos)
    assert await seqs(subscription, 5) == [1, 2, 3, 4, 5]
    assert set(asked) == {3}


async def test_a_source_that_raises_is_asked_again(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    answers: list[object] = [ValueError("a bad day"), bid(1)]

    def source(most: int) -> object:
        answer = answers.pop(0) if answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    await client.supply(channel, source)
    assert await seqs(subscription, 1) == [1]


async def test_disconnected_ends_the_supply(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()

    def source(most: int) -> None:
        raise Disconnected("sold out")

    await client.supply(channel, source)
    await seen(channel.info, lambda info: not info.suppliers)


async def test_a_supply_can_be_paused_and_ended(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    asked: list[int] = []
    supply = await client.supply(channel, asked.append)
    await eventually(lambda: asked)
    await supply.suspend()
    await shown(service, supply, suspended=True)
    await asyncio.sleep(0.003)
    asked.clear()
    await asyncio.sleep(0.005)
    assert asked == []
    await supply.resume()
    await eventually(lambda: asked)
    await supply.close()
    assert (await channel.info()).suppliers == 0
