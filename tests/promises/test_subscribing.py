"""Subscriptions as iterators: acknowledgement, redelivery, the window, ends of all kinds."""

from __future__ import annotations

import asyncio

import pytest

from tests.patience import PATIENCE
from tests.promises.services import Service, bid, eventually, known, seqs, shown
from tidings.channel.settings import Limits
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.client.subscription import Subscription
from tidings.errors import (
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    InvalidConstraint,
    InvalidUsage,
    LimitExceeded,
    ProxyNotFound,
    Stopping,
)


async def scene(
    service: Service, count: int, *, name: str = "", manual_ack: bool = False, window: int = 256
) -> tuple[Client, Channel, Subscription]:
    """A channel with a subscription, and events for it."""
    client = await service.client()
    channel = await client.create_channel(persistent=True)
    subscription = await client.subscribe(channel, name=name, manual_ack=manual_ack, window=window)
    publisher = await client.publisher(channel)
    await publisher.publish_many(bid(at) for at in range(1, count + 1))
    return client, channel, subscription


async def left(client: Client, subscription: Subscription) -> list[tuple[int, bool]]:
    """What still comes to a subscription by its name: numbers, and whether marked."""
    name = (await subscription.info()).name
    await subscription.close()
    found = []
    async with await client.subscribe(subscription.channel, name=name) as again:
        while (delivery := await again.next(0.05)) is not None:
            found.append((delivery.seq, delivery.redelivered))
    return found


async def test_a_subscription_that_cannot_be_made_leaves_nothing(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    with pytest.raises(LimitExceeded):
        await client.subscribe(channel, ["TRUE"] * (Limits().filter_constraints + 1))
    assert await channel.proxies() == []


async def test_only_what_is_wanted_comes(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    cheap = await client.subscribe(channel, "$price < 20")
    either = await client.subscribe(channel, ["$price < 10", "$price > 90"])
    typed = await client.subscribe(channel, types=["Auction::offer"])
    everything = await client.subscribe(channel)
    publisher = await client.publisher(channel)
    await publisher.publish_many([bid(5), bid(15), bid(95)])
    assert await seqs(everything, 3) == [1, 2, 3]
    assert await seqs(cheap, 2) == [1, 2]
    assert await seqs(either, 2) == [1, 3]
    assert [await one.next(0) for one in (cheap, either, typed, everything)] == [None] * 4


@pytest.mark.not_over_corba("acks")
async def test_asking_for_the_next_acknowledges_the_one_before(service: Service) -> None:
    _, _, subscription = await scene(service, 3)
    await anext(subscription)
    info = await subscription.info()
    assert (info.in_flight, info.counts.get("delivered", 0)) == (3, 0)
    await anext(subscription)
    info = await known(subscription, lambda info: info.in_flight == 2)
    assert info.counts["delivered"] == 1


@pytest.mark.not_over_corba("acks")
async def test_what_a_loop_was_left_at_is_acknowledged_by_closing(service: Service) -> None:
    client, _, subscription = await scene(service, 4, name="bidder")
    async for delivery in subscription:
        if delivery.seq == 2:
            break
    assert await left(client, subscription) == [(3, True), (4, True)]


@pytest.mark.not_over_corba("acks")
async def test_what_an_error_came_from_comes_again(service: Service) -> None:
    client, _, subscription = await scene(service, 4, name="bidder")

    async def take() -> None:
        async with subscription:
            async for delivery in subscription:
                if delivery.seq == 3:
                    raise RuntimeError("a bad day")

    with pytest.raises(RuntimeError, match="a bad day"):
        await take()
    async with await client.subscribe(subscription.channel, name="bidder") as again:
        found = [await again.next(PATIENCE), await again.next(PATIENCE)]
    assert [(d.seq, d.redelivered) for d in found if d is not None] == [(3, True), (4, True)]


@pytest.mark.not_over_corba("acks")
async def test_with_manual_acknowledgement_only_what_is_acknowledged_is_gone(
    service: Service,
) -> None:
    client, _, subscription = await scene(service, 4, name="bidder", manual_ack=True)
    deliveries = [await anext(subscription) for _ in range(4)]
    assert not any(delivery.redelivered for delivery in deliveries)
    deliveries[1].ack()
    deliveries[3].ack()
    deliveries[3].ack()
    # Closing right behind it must not cut the line before the acknowledgements have left.
    assert await left(client, subscription) == [(1, True), (3, True)]


@pytest.mark.not_over_corba("acks")
async def test_an_early_acknowledgement_counts_without_manual_mode(service: Service) -> None:
    client, _, subscription = await scene(service, 2, name="bidder")

    async def take() -> None:
        async with subscription:
            (await anext(subscription)).ack()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await take()
    again = await client.subscribe(subscription.channel, name="bidder")
    assert await left(client, again) == [(2, True)]


@pytest.mark.not_over_corba("acks")
async def test_what_is_to_be_retried_comes_before_those_behind_it(service: Service) -> None:
    _, _, subscription = await scene(service, 3)
    first = await anext(subscription)
    assert (first.seq, first.redelivered) == (1, False)
    first.retry("not now")
    assert len(subscription) == 0
    again = [await anext(subscription) for _ in range(3)]
    assert [(d.seq, d.redelivered) for d in again] == [(1, True), (2, True), (3, True)]
    assert await subscription.next(0) is None
    info = await known(subscription, lambda info: not info.in_flight)
    assert (info.failures, info.counts["delivered"]) == (0, 3)


@pytest.mark.not_over_corba("acks")
async def test_asking_for_more_does_not_acknowledge_what_is_to_be_retried(
    service: Service,
) -> None:
    client, _, subscription = await scene(service, 1, name="bidder")
    delivery = await anext(subscription)
    delivery.retry("not now")
    await eventually(lambda: len(subscription))  # it has come again, and is not taken
    waiting = await subscription.next(0)
    assert waiting is not None
    assert (await subscription.info()).in_flight == 1
    subscription.retry(waiting.message, "nor now")
    assert await left(client, subscription) == [(1, True)]


async def test_the_window_is_not_exceeded(service: Service) -> None:
    _, _, subscription = await scene(service, 10, window=3)
    await eventually(lambda: len(subscription) == 3)
    await shown(service, subscription, in_flight=3, waiting=7)
    await asyncio.sleep(0.01)
    assert len(subscription) == 3
    assert await seqs(subscription, 10) == list(range(1, 11))


async def test_no_event_is_lost_when_waiting_is_cut_short(service: Service) -> None:
    client, channel, subscription = await scene(service, 0)
    assert await subscription.next(0) is None
    assert await subscription.next(0.001) is None
    waiting = asyncio.create_task(subscription.next())
    await asyncio.sleep(0.001)
    publishing = asyncio.create_task(client.publish(channel, bid(1)))
    await eventually(lambda: len(subscription) or waiting.done())
    waiting.cancel()
    await asyncio.wait([waiting, publishing])
    if waiting.cancelled():
        assert await seqs(subscription, 1) == [1]


async def test_a_cancelled_task_leaves_the_event_to_the_next_who_asks(service: Service) -> None:
    client, channel, subscription = await scene(service, 0)
    waiting = asyncio.create_task(subscription.next())
    await asyncio.sleep(0.001)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await client.publish(channel, bid(1))
    assert await seqs(subscription, 1) == [1]


async def test_next_without_waiting_finds_what_is_here(service: Service) -> None:
    _, _, subscription = await scene(service, 2)
    await eventually(lambda: len(subscription) == 2)
    assert [(d.seq if d else None) for d in [await subscription.next(0) for _ in range(3)]] == [
        1,
        2,
        None,
    ]


async def test_a_suspended_subscription_has_nothing_pushed(service: Service) -> None:
    client, channel, subscription = await scene(service, 0)
    with pytest.raises(ConnectionAlreadyActive):
        await subscription.resume()
    await subscription.suspend()
    with pytest.raises(ConnectionAlreadyInactive):
        await subscription.suspend()
    await client.publish(channel, bid(1))
    assert await subscription.next(0.01) is None
    await shown(service, subscription, suspended=True, waiting=1)
    await subscription.resume()
    assert await seqs(subscription, 1) == [1]


async def test_a_deleted_subscription_ends_the_loop(service: Service) -> None:
    _, channel, subscription = await scene(service, 2)
    found: list[int] = []
    loop = asyncio.create_task(_all(subscription, found))
    await eventually(lambda: len(found) == 2)
    await subscription.delete()
    assert await loop == [1, 2]
    await subscription.delete()
    await subscription.close()
    assert await subscription.next() is None
    assert (await channel.info()).consumers == 0
    with pytest.raises(ProxyNotFound):
        await subscription.info()


@pytest.mark.not_over_corba("names")
async def test_a_deleted_subscription_leaves_its_name(service: Service) -> None:
    client, channel, subscription = await scene(service, 2, name="bidder")
    await subscription.delete()
    assert (await channel.info()).consumers == 0
    assert (await (await client.subscribe(channel, name="bidder")).info()).waiting == 0


async def _all(subscription: Subscription, found: list[int] | None = None) -> list[int]:
    found = [] if found is None else found
    async for delivery in subscription:
        found.append(delivery.seq)
    return found


@pytest.mark.not_over_corba("names")
async def test_closing_ends_a_loop_in_another_task(service: Service) -> None:
    _, _, subscription = await scene(service, 1, name="bidder")
    loop = asyncio.create_task(_all(subscription))
    await asyncio.sleep(0.005)
    await subscription.close()
    await subscription.close()
    assert await asyncio.wait_for(loop, PATIENCE) == [1]
    assert (await subscription.info()).connected


@pytest.mark.not_over_corba("names")
async def test_a_named_one_can_be_deleted_after_closing(service: Service) -> None:
    _, channel, subscription = await scene(service, 1, name="bidder")
    await subscription.close()
    assert (await channel.info()).consumers == 1
    await subscription.delete()
    assert (await channel.info()).consumers == 0


async def test_a_channel_that_is_destroyed_ends_the_loop(service: Service) -> None:
    _, channel, subscription = await scene(service, 1)
    async with subscription:
        found: list[int] = []
        loop = asyncio.create_task(_all(subscription, found))
        await eventually(lambda: found)
        await channel.destroy()
        assert await asyncio.wait_for(loop, PATIENCE) == [1]


@pytest.mark.not_over_corba("names")
async def test_closing_the_client_ends_its_loops_and_what_has_no_name(service: Service) -> None:
    client, channel, named = await scene(service, 1, name="bidder")
    unnamed = await client.subscribe(channel)
    await client.puller(channel)
    await client.publisher(channel)
    del client  # nobody closes what it made
    client = await service.client()
    other = await client.subscribe(channel)
    await client.publisher(channel)
    loops = [asyncio.create_task(_all(one)) for one in (named, unnamed, other)]
    await asyncio.sleep(0.005)
    await client.close()
    await client.close()
    assert await asyncio.wait_for(loops[2], PATIENCE) == []
    assert not loops[0].done()
    info = await (await (await service.client()).channel(channel.id)).info()
    assert (info.suppliers, info.consumers) == (2, 3)
    for loop in loops:
        loop.cancel()


@pytest.mark.not_over_corba("acks")
async def test_what_a_loop_was_at_when_its_client_was_closed_comes_again(
    service: Service,
) -> None:
    client, _, subscription = await scene(service, 3, name="bidder")
    async with subscription:
        async for delivery in subscription:
            if delivery.seq == 2:
                await client.close()
    again = await (await service.client()).subscribe(subscription.channel, name="bidder")
    assert await seqs(again, 2) == [2, 3]


async def test_a_closed_client_says_so(service: Service) -> None:
    client, channel, subscription = await scene(service, 1)
    publisher = await client.publisher(channel)
    puller = await client.puller(channel)
    await client.close()
    for call in (
        client.create_channel(),
        client.channels(),
        client.channel(channel.id),
        client.publish(channel, bid(1)),
        client.dead_letters(),
        publisher.publish(bid(1)),
        puller.pull(),
        subscription.suspend(),
        subscription.info(),
        subscription.delete(),
    ):
        with pytest.raises(Stopping, match="the client is closed"):
            await call
    await subscription.close()
    await publisher.close()
    assert [delivery async for delivery in subscription] == []
    info = await (await (await service.client()).channel(channel.id)).info()
    assert (info.suppliers, info.consumers) == (0, 0)


@pytest.mark.parametrize(
    ("settings", "error"),
    [({"window": 0}, InvalidUsage), ({"wanted": "$price <"}, InvalidConstraint)],
)
async def test_a_subscription_that_cannot_be_had_leaves_nothing_behind(
    service: Service, settings: dict[str, object], error: type[Exception]
) -> None:
    client = await service.client()
    channel = await client.create_channel()
    with pytest.raises(error):
        await client.subscribe(channel, **settings)  # type: ignore[arg-type]
    assert await channel.proxies() == []


@pytest.mark.not_over_corba("names")
async def test_a_subscription_that_cannot_be_had_leaves_no_name_behind(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    with pytest.raises(InvalidUsage):
        await client.subscribe(channel, name="bidder", window=0)
    assert await channel.proxies() == []


@pytest.mark.not_over_corba("names")
@pytest.mark.parametrize("name", ["\ud800", "a\0b", "tab\there", "x" * 257])
async def test_names_can_be_read(service: Service, name: str) -> None:
    client = await service.client()
    channel = await client.create_channel()
    for making in (
        client.create_channel(name),
        client.subscribe(channel, name=name),
        client.puller(channel, name=name),
    ):
        with pytest.raises(InvalidUsage, match="a name has at most 256 characters"):
            await making
    assert await channel.proxies() == []


@pytest.mark.not_over_corba("names")
@pytest.mark.parametrize("name", ["a/b c", "Zoë «x»", "7 ", "x" * 256, "'; --"])
async def test_names_may_be_odd(lasting: Service, name: str) -> None:
    client = await lasting.client()
    channel = await client.create_channel(name, persistent=True)
    await client.subscribe(channel, name=name)
    await client.publish(name, bid(1))
    await lasting.restart()
    client = await lasting.client()
    assert await seqs(await client.subscribe(name, name=name), 1) == [1]
