"""Who may do what: the anonymous, people with a name, and the owner of the service."""

from __future__ import annotations

import asyncio

import pytest

from tests.promises.services import Service, because, bid, seqs
from tidings.channel.vocabulary import Place
from tidings.engine.access import ANONYMOUS, Caller
from tidings.errors import Forbidden

ANN, BOB = Caller("ann"), Caller("bob")


@pytest.mark.parametrize("principal", [ANONYMOUS, ANN], ids=str)
async def test_everybody_may_publish_subscribe_and_look_around(
    service: Service, principal: Caller
) -> None:
    made = await (await service.client()).create_channel()
    client = await service.client(principal)
    channel = await client.channel(made.id)
    async with (
        await client.subscribe(channel, "$price > 1", types=["Auction::*"]) as subscription,
        await client.puller(channel) as puller,
        await client.publisher(channel) as publisher,
    ):
        await publisher.offer(["Auction::bid"])
        await publisher.publish_many([bid(1), bid(2)])
        await client.publish(channel, bid(3))
        assert await seqs(subscription, 2) == [2, 3]
        assert len(await puller.pull(9)) == 3
        await channel.proxy(subscription.proxy).set_qos({"Priority": 1})
        own = await client.create_filter("$price > 2")
        await own.add(["$price < 0"])
        await channel.proxy(subscription.proxy).add_filter(own)
        await subscription.suspend()
        await subscription.resume()
    seen: list[int] = []
    async with await client.handle(channel, lambda message: seen.append(message.seq)):
        await client.publish(channel, bid(4))
    assert [info.id for info in await client.channels()] == [channel.id]


@pytest.mark.not_over_corba("trails")
@pytest.mark.parametrize("principal", [ANONYMOUS, ANN], ids=str)
async def test_everybody_may_use_what_is_not_of_the_standard(
    service: Service, principal: Caller
) -> None:
    await (await service.client()).create_channel("auction")
    client = await service.client(principal)
    channel = await client.channel("auction")
    async with (
        await client.puller(channel) as puller,
        await client.publisher(channel, "house") as publisher,
    ):
        await publisher.publish(bid(1))
        for delivery in await puller.pull(9, lease=30):
            delivery.ack()
        assert (await puller.info()).owner == principal.name
    assert (await channel.dry_run(bid(1))).accepted
    assert (await channel.advertisement()).offered == ()


@pytest.mark.parametrize("principal", [ANONYMOUS, ANN], ids=str)
async def test_only_the_owner_manages(service: Service, principal: Caller) -> None:
    owner = await service.client()
    made = await owner.create_channel()
    client = await service.client(principal)
    channel = await client.channel(made.id)
    admin = channel.consumer_admin()
    for attempt in (
        client.create_channel(),
        channel.destroy(),
        channel.set_qos({"Priority": 1}),
        channel.set_admin_properties({"MaxConsumers": 1}),
        channel.new_consumer_admin(),
        channel.new_supplier_admin(),
        admin.set_qos({"Priority": 1}),
        admin.add_filter(await client.create_filter("$price > 1")),
        admin.destroy(),
    ):
        with pytest.raises(Forbidden, match=because(service, f"{principal} may not manage")):
            await attempt


@pytest.mark.not_over_corba("ids")
@pytest.mark.parametrize("principal", [ANONYMOUS, ANN], ids=str)
async def test_filters_are_changed_by_those_who_made_them(
    service: Service, principal: Caller
) -> None:
    owner = await service.client()
    channel = await owner.create_channel()
    shared = await owner.create_filter("$price > 1")
    client = await service.client(principal)
    theirs = type(shared)(client._transport, shared.id)
    for attempt in (
        theirs.add(["$price < 0"]),
        theirs.destroy(),
        (await client.channel(channel.id)).consumer_admin().add_filter(theirs),
    ):
        with pytest.raises(Forbidden, match=f"{principal} may not manage"):
            await attempt


@pytest.mark.not_over_corba("names")
@pytest.mark.parametrize("principal", [ANONYMOUS, BOB], ids=str)
async def test_what_others_have_is_theirs(service: Service, principal: Caller) -> None:
    await (await service.client()).create_channel("auction")
    ann = await service.client(ANN)
    theirs = await ann.subscribe("auction", "$price > 1", name="ann's")
    pulled = await ann.puller("auction", name="ann's too")
    client = await service.client(principal)
    channel = await client.channel("auction")
    proxy = channel.proxy(theirs.proxy)
    for attempt in (
        client.subscribe(channel, name="ann's"),
        client.subscribe(channel, "$price > 9", name="ann's"),
        client.subscribe(channel, name="ann's", qos={"Priority": 1}),
        client.puller(channel, name="ann's too"),
        client.handle(channel, print, name="ann's"),
        proxy.set_qos({"Priority": 1}),
        proxy.ask_for(["Auction::bid"]),
        channel.dry_run(bid(1), theirs.proxy),
    ):
        with pytest.raises(
            Forbidden, match=f"{principal} may not use proxy . of channel auction of ann"
        ):
            await attempt
    assert len(await channel.proxies()) == 2
    await (await service.client()).publish(channel, bid(2))
    assert await seqs(theirs, 1) == [1]
    assert len(await pulled.pull(seconds=5)) == 1


@pytest.mark.not_over_corba("names")
async def test_the_owner_may_use_what_others_have(service: Service) -> None:
    owner = await service.client()
    channel = await owner.create_channel("auction")
    ann = await service.client(ANN)
    theirs = await ann.subscribe("auction", name="ann's")
    await channel.proxy(theirs.proxy).set_qos({"Priority": 1})
    taken = await owner.subscribe(channel, name="ann's")
    await taken.delete()
    assert [delivery async for delivery in theirs] == []


async def test_who_is_confined_to_channels_sees_no_others(service: Service) -> None:
    owner = await service.client()
    inside, outside = [await owner.create_channel() for _ in range(2)]
    client = await service.client(Caller("ann", scope=Place(inside.id)))
    assert [info.id for info in await client.channels()] == [inside.id]
    assert (await client.publish(inside.id, bid(1))).accepted
    for attempt in (
        client.channel(outside.id),
        client.subscribe(outside),
        client.publisher(outside),
    ):
        with pytest.raises(Forbidden, match=because(service, "ann may not")):
            await attempt


@pytest.mark.not_over_corba("names")
async def test_who_is_confined_to_channels_finds_no_others_by_name(service: Service) -> None:
    owner = await service.client()
    inside, _ = [await owner.create_channel(name) for name in ("inside", "outside")]
    client = await service.client(Caller("ann", scope=Place(inside.id)))
    assert (await client.publish("inside", bid(1))).seq == 1
    with pytest.raises(Forbidden, match="ann may not"):
        await client.channel("outside")


@pytest.mark.not_over_corba("state")
async def test_nobody_can_pretend_to_be_somebody_else(service: Service) -> None:
    await (await service.client()).create_channel("auction")
    client = await service.client(ANN)
    made = await asyncio.gather(*(client.subscribe("auction") for _ in range(3)))
    assert {(await one.info()).owner for one in made} == {"ann"}
