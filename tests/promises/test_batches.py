"""Events in batches: how they are acknowledged."""

from __future__ import annotations

import pytest

from tests.promises.services import Service, bid, eventually, known, seqs
from tidings.channel.vocabulary import Form
from tidings.client.client import Client
from tidings.client.subscription import Subscription
from tidings.errors import InvalidUsage


async def scene(service: Service, *, manual_ack: bool = False) -> tuple[Client, Subscription]:
    """A named subscription for which six events wait."""
    client = await service.client()
    channel = await client.create_channel("auction")
    subscription = await client.subscribe(channel, name="bidder", manual_ack=manual_ack)
    await (await client.publisher(channel)).publish_many(bid(at) for at in range(6))
    return client, subscription


async def left(client: Client) -> list[int]:
    """What still comes."""
    async with await client.subscribe("auction", name="bidder") as again:
        info = await again.info()
        return await seqs(again, info.waiting + info.in_flight)


@pytest.mark.not_over_corba("acks")
async def test_a_batch_is_acknowledged_when_the_next_is_asked_for(service: Service) -> None:
    client, subscription = await scene(service)
    batches = subscription.batches(4)
    first, second = await anext(batches), await anext(batches)
    assert [[m.seq for m in batch] for batch in (first, second)] == [[1, 2, 3, 4], [5, 6]]
    assert not subscription.redelivered(second[0])
    await subscription.__aexit__(RuntimeError, RuntimeError(), None)
    assert await left(client) == [5, 6]


@pytest.mark.not_over_corba("acks")
async def test_the_batch_a_loop_was_left_at_is_acknowledged_by_closing(service: Service) -> None:
    client, subscription = await scene(service)
    async with subscription:
        async for batch in subscription.batches(4):
            assert len(batch) == 4
            break
    assert await left(client) == [5, 6]


@pytest.mark.not_over_corba("acks")
async def test_the_batch_an_error_came_from_comes_again(service: Service) -> None:
    client, subscription = await scene(service)

    async def take() -> None:
        async with subscription:
            async for _ in subscription.batches(4):
                raise RuntimeError

    with pytest.raises(RuntimeError):
        await take()
    async with await client.subscribe("auction", name="bidder") as again:
        batch = await anext(again.batches())
        assert [(m.seq, again.redelivered(m)) for m in batch] == [(n, True) for n in range(1, 7)]


@pytest.mark.not_over_corba("acks")
async def test_single_events_of_a_batch_can_be_answered(service: Service) -> None:
    client, subscription = await scene(service, manual_ack=True)
    async with subscription:
        batch = await anext(subscription.batches())
        for message in batch[2:]:
            subscription.ack(message)
    assert await left(client) == [1, 2]


@pytest.mark.not_over_corba("acks")
async def test_loops_over_events_and_over_batches_can_follow_each_other(service: Service) -> None:
    client, subscription = await scene(service)
    async with subscription:
        await anext(subscription.batches(2))
        delivery = await anext(subscription)
        assert delivery.seq == 3
        await known(subscription, lambda info: info.in_flight == 4)
    assert await left(client) == [4, 5, 6]


async def test_batches_come_in_order(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    await (await client.publisher(channel)).publish_many(bid(at) for at in range(6))
    found: list[int] = []
    async for batch in subscription.batches(4):
        assert 1 <= len(batch) <= 4
        found += [message.seq for message in batch]
        if len(found) == 6:
            break
    assert found == [1, 2, 3, 4, 5, 6]


async def test_a_batch_holds_at_least_one_event(service: Service) -> None:
    client = await service.client()
    subscription = await client.subscribe(await client.create_channel())
    with pytest.raises(InvalidUsage, match="at least one event, not 0"):
        await anext(subscription.batches(0))


async def test_the_service_makes_batches_by_size_for_the_form_sequence(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    seen: list[list[int]] = []
    handled = await client.handle(
        channel,
        lambda batch: seen.append([message.seq for message in batch]),
        form=Form.SEQUENCE,
        qos={"MaximumBatchSize": 3, "PacingInterval": 10_000_000},
    )
    await (await client.publisher(channel)).publish_many(bid(at) for at in range(6))
    await eventually(lambda: len(seen) == 2)
    assert seen == [[1, 2, 3], [4, 5, 6]]
    assert (await handled.info()).form is Form.SEQUENCE
