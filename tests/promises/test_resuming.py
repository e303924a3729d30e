"""Subscriptions with a name: found again after closing, restarts and take-overs."""

from __future__ import annotations

import asyncio

import pytest

from tests.patience import PATIENCE
from tests.promises.services import Service, bid, seqs
from tidings import event
from tidings.channel.vocabulary import Form
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.errors import InvalidUsage

pytestmark = pytest.mark.not_over_corba("names")


async def made(service: Service) -> tuple[Client, Channel]:
    client = await service.client()
    return client, await client.create_channel("auction", persistent=True)


async def test_events_wait_while_nobody_takes_them(service: Service) -> None:
    client, channel = await made(service)
    subscription = await client.subscribe(channel, "$price < 20", name="bidder")
    await subscription.close()
    for price in (5, 15, 25):
        await client.publish(channel, bid(price))
    info = await subscription.info()
    assert (info.connected, info.attached, info.waiting) == (True, False, 2)
    again = await client.subscribe("auction", name="bidder")
    assert again.proxy == subscription.proxy
    assert await seqs(again, 2) == [1, 2]
    assert await again.next(0) is None


@pytest.mark.parametrize("kill", [False, True])
async def test_after_a_restart_it_goes_on_where_it_was(lasting: Service, kill: bool) -> None:
    client, channel = await made(lasting)
    subscription = await client.subscribe(channel, "$price > 1", name="bidder", manual_ack=True)
    for price in (1, 2, 3, 4):
        await client.publish(channel, bid(price))
    deliveries = [await anext(subscription) for _ in range(3)]
    deliveries[0].ack()
    await asyncio.sleep(0)
    await client.publish(channel, bid(5))  # acknowledgements ride on the next write
    await lasting.restart(kill=kill)
    client = await lasting.client()
    again = await client.subscribe("auction", name="bidder")
    found = [await again.next(PATIENCE) for _ in range(3)]
    assert [delivery.seq for delivery in found if delivery] == [3, 4, 5]
    assert found[0] is not None
    assert found[0].redelivered
    assert await again.next(0.01) is None
    await client.publish("auction", bid(1))
    await client.publish("auction", bid(6))
    assert await seqs(again, 1) == [7]


async def test_another_constraint_counts_from_then_on(service: Service) -> None:
    client, channel = await made(service)
    await (await client.subscribe(channel, "$price < 20", name="bidder")).close()
    await client.publish(channel, bid(10))
    subscription = await client.subscribe(channel, "$price > 90", name="bidder")
    for price in (10, 95):
        await client.publish(channel, bid(price))
    assert await seqs(subscription, 2) == [1, 3]  # what waited waits on
    assert await subscription.next(0) is None
    assert len((await subscription.info()).filters) == 1


async def test_the_same_constraint_changes_nothing(service: Service) -> None:
    client, channel = await made(service)
    first = await client.subscribe(channel, ["$price < 20", "$price > 90"], name="bidder")
    before = (await channel.info()).plan
    again = await client.subscribe(channel, ["$price < 20", "$price > 90"], name="bidder")
    assert (await again.info()).filters == (await first.info()).filters
    assert (await channel.info()).plan == before


async def test_from_everything_to_something_and_back(service: Service) -> None:
    client, channel = await made(service)
    await client.subscribe(channel, name="bidder")
    subscription = await client.subscribe(channel, "$price > 90", name="bidder")
    await client.publish(channel, bid(10))
    subscription = await client.subscribe(channel, [], name="bidder")
    await client.publish(channel, bid(20))
    assert await seqs(subscription, 1) == [2]
    assert (await subscription.info()).filters == {}


async def test_filters_others_hold_stay_as_they_are(service: Service) -> None:
    client, channel = await made(service)
    shared = await client.create_filter("$price < 5")
    subscription = await client.subscribe(channel, name="bidder")
    await channel.proxy(subscription.proxy).add_filter(shared)
    before = await shared.info()
    subscription = await client.subscribe(channel, "$price > 90", name="bidder")
    assert await shared.info() == before
    for price in (1, 50, 95):
        await client.publish(channel, bid(price))
    assert await seqs(subscription, 2) == [1, 3]


async def test_other_types_and_qualities_count_from_then_on(service: Service) -> None:
    client, channel = await made(service)
    await client.subscribe(channel, types=["Auction::bid", "Auction::offer"], name="bidder")
    subscription = await client.subscribe(
        channel, types=["Auction::offer", "Weather::*"], name="bidder", qos={"Priority": 3}
    )
    for domain, type in (("Auction", "bid"), ("Auction", "offer"), ("Weather", "rain")):
        await client.publish(channel, event(domain, type))
    assert await seqs(subscription, 2) == [2, 3]
    info = await subscription.info()
    assert [(one.domain, one.type) for one in info.types] == [
        ("Auction", "offer"),
        ("Weather", "*"),
    ]
    assert info.qos["Priority"] == 3
    untouched = await client.subscribe(channel, name="bidder")
    assert (await untouched.info()).types == info.types
    assert (await untouched.info()).qos == info.qos


async def test_what_cannot_be_changed_must_fit(service: Service) -> None:
    client, channel = await made(service)
    admin = await channel.new_consumer_admin()
    await client.subscribe(channel, name="bidder", form=Form.SEQUENCE, admin=admin)
    await client.subscribe(channel, name="bidder", form=Form.SEQUENCE, admin=admin)
    for again, message in (
        (client.puller(channel, name="bidder"), "the name of a push proxy of a consumer"),
        (client.subscribe(channel, name="bidder", form=Form.ANY), "has the form SEQUENCE"),
        (
            client.subscribe(channel, name="bidder", admin=channel.consumer_admin()),
            f"belongs to admin {admin.id}, not 0",
        ),
    ):
        with pytest.raises(InvalidUsage, match=message):
            await again


async def test_who_comes_later_takes_it_over(service: Service) -> None:
    client, channel = await made(service)
    first = await client.subscribe(channel, name="bidder")
    for price in (1, 2):
        await client.publish(channel, bid(price))
    assert (await anext(first)).seq == 1
    second = await (await service.client()).subscribe(channel, name="bidder")
    assert [delivery async for delivery in first] == []
    # What the first one has, or lets go of, is no business of its any more.
    await first.close()
    assert [((d := await anext(second)).seq, d.redelivered) for _ in range(2)] == [
        (1, True),
        (2, True),
    ]
    await client.close()
    await client_goes_on(second, service)


async def client_goes_on(subscription: object, service: Service) -> None:
    """Events still come to a subscription of another client."""
    client = await service.client()
    await client.publish("auction", bid(3))
    assert await seqs(subscription, 1) == [3]  # type: ignore[arg-type]


async def test_a_client_takes_over_from_itself(service: Service) -> None:
    client, channel = await made(service)
    first = await client.subscribe(channel, name="bidder")
    second = await client.subscribe(channel, name="bidder")
    await first.close()
    await client.publish(channel, bid(1))
    assert await seqs(second, 1) == [1]


async def test_what_was_acknowledged_before_a_take_over_does_not_come_again(
    service: Service,
) -> None:
    client, channel = await made(service)
    first = await client.subscribe(channel, name="bidder")
    for price in (1, 2, 3):
        await client.publish(channel, bid(price))
    assert await seqs(first, 2) == [1, 2]  # asking for the second acknowledges the first
    again = await client.subscribe(channel, name="bidder")
    assert await seqs(again, 2) == [2, 3]


@pytest.mark.not_over_corba("purges")
async def test_what_was_dropped_does_not_come_back(lasting: Service) -> None:
    client, channel = await made(lasting)
    subscription = await client.subscribe(channel, name="bidder", window=1, manual_ack=True)
    for price in (1, 2, 3):
        await client.publish(channel, bid(price))
    await anext(subscription)
    assert await subscription.purge() == 2
    await client.publish(channel, bid(4))  # it is on the disk with the next write
    await lasting.restart(kill=True)
    client = await lasting.client()
    again = await client.subscribe("auction", name="bidder")
    assert await seqs(again, 2) == [1, 4]
    assert await again.next(0.01) is None
