"""Publishing: receipts, producers' marks, errors of single events."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.patience import PATIENCE
from tests.promises.services import Service, bid, seqs
from tidings import Any, event
from tidings.client.publishing import Receipt
from tidings.errors import (
    ChannelFull,
    ChannelNotFound,
    InvalidEvent,
    ProxyNotFound,
    TidingsError,
)
from tidings.events import typecode as tc
from tidings.events.structured import StructuredEvent


@pytest.mark.not_over_corba("numbers")
async def test_receipts_name_the_channel_and_count_its_events(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel("auction")
    publisher = await client.publisher(channel)
    first = await publisher.publish(bid(1))
    assert first == Receipt(channel.origin, 1)
    assert first.accepted
    assert await client.publish("auction", bid(2)) == (channel.origin, 2)
    assert await client.publish(channel.id, bid(3)) == (channel.origin, 3)
    assert (await channel.info()).accepted == 3


@pytest.mark.not_over_corba("numbers")
async def test_many_events_have_their_receipts_in_order(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    publisher = await client.publisher(channel)
    receipts = await publisher.publish_many(bid(at) for at in range(2_500))
    assert receipts == [(channel.origin, seq) for seq in range(1, 2_501)]
    assert publisher.number == 2_500
    assert await publisher.publish_many([]) == []


async def test_an_event_that_is_refused_does_not_keep_the_others_out(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    publisher = await client.publisher(channel)
    wrong: Any = {"price": 2}  # type: ignore[assignment]
    first, second, third = await publisher.publish_many([bid(1), wrong, bid(3)])
    assert isinstance(first, Receipt)
    assert isinstance(third, Receipt)
    assert first.accepted
    assert third.accepted
    assert isinstance(second, InvalidEvent)
    assert "a dict is no event" in str(second)
    with pytest.raises(InvalidEvent, match="a dict is no event"):
        await publisher.publish(wrong)
    assert await seqs(subscription, 2) == [1, 2]


async def test_a_standard_property_that_cannot_be_meant_is_refused(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    publisher = await client.publisher(channel)
    for name, value, right in (
        ("Priority", Any(tc.LONG, 4), "a short from -32767 to 32767, not Any(long, 4)"),
        ("Timeout", 5.5, "a duration such as 250ms, 5s or 2h"),
        ("StartTime", 7, "a time such as 2027-01-01T08:00:00Z"),
    ):
        words = re.escape(f"header.{name}: must be {right}") + "|BAD_PARAM"  # CORBA has no more
        with pytest.raises(TidingsError, match=words):
            await publisher.publish(event("Auction", "bid", header={name: value}))
    await publisher.publish(bid(1))
    assert await seqs(subscription, 1) == [1]


async def test_an_event_that_ends_before_it_begins_is_refused(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    publisher = await client.publisher(channel)
    later = "2999-01-01T00:00:00Z"
    for name, end in (("Timeout", "1s"), ("StopTime", later)):
        words = rf"its {name} is over .* before its StartTime|BAD_PARAM"  # CORBA has no more
        with pytest.raises(TidingsError, match=words):
            await publisher.publish(event("Auction", "bid", start=later, header={name: end}))
    await publisher.publish(event("Auction", "bid", start=later, stop="2999-01-02T00:00:00Z"))


async def test_texts_of_standard_properties_come_with_the_standards_types(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    sent = StructuredEvent(
        "Auction", "bid", header={"Timeout": "2h", "StopTime": "2999-01-01T00:00:00Z"}
    )
    await (await client.publisher(channel)).publish(sent)
    come = await subscription.next(PATIENCE)
    assert come is not None
    assert come.event == event("Auction", "bid", timeout="2h", stop="2999-01-01T00:00:00Z")
    assert come.event != sent


@pytest.mark.not_over_corba("numbers")
async def test_a_slip_in_a_standard_name_is_warned_of(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    publisher = await client.publisher(channel)
    slip = event("Auction", "bid", header={"Priorty": 4})
    warnings = ("header.Priorty has no effect; did you mean Priority?",)
    assert (await publisher.publish(slip)).warnings == warnings
    many = await publisher.publish_many([bid(1), slip])
    assert [getattr(one, "warnings", None) for one in many] == [(), warnings]


async def test_many_events_come_in_their_order(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    puller = await client.puller(channel)
    publisher = await client.publisher(channel)
    receipts = await publisher.publish_many(bid(at) for at in range(2_500))
    assert len(receipts) == 2_500
    found: list[object] = []
    while len(found) < 2_500:
        found += [one.event.data["price"] for one in await puller.pull(1_000, seconds=5)]
    assert found == list(range(2_500))


async def test_what_a_filter_of_the_suppliers_stops_reaches_nobody(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    admin = await channel.new_supplier_admin()
    await admin.add_filter(await client.create_filter("$price > 10"))
    publisher = await client.publisher(channel, admin=admin)
    for price in (5, 50, 6, 60):
        await publisher.publish(bid(price))
    assert await seqs(subscription, 2) == [1, 2]
    assert await subscription.next(0) is None


@pytest.mark.not_over_corba("numbers")
async def test_what_a_filter_of_the_suppliers_stops_has_no_number(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    admin = await channel.new_supplier_admin()
    await admin.add_filter(await client.create_filter("$price > 10"))
    publisher = await client.publisher(channel, admin=admin)
    stopped = await publisher.publish(bid(5))
    assert stopped.seq == 0
    assert not stopped.accepted
    assert (await publisher.publish(bid(50))).seq == 1


@pytest.mark.not_over_corba("producers")
async def test_the_same_number_is_accepted_once(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    publisher = await client.publisher(channel, "house")
    first = await publisher.publish(bid(1), number=7)
    assert await publisher.publish(bid(1), number=7) == first
    other = await client.publisher(channel, "another house")
    assert (await other.publish(bid(1), number=7)).seq == 2
    assert await seqs(subscription, 2) == [1, 2]
    assert await subscription.next(0) is None


@pytest.mark.not_over_corba("producers")
async def test_numbers_go_on_behind_the_highest(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    publisher = await client.publisher(channel, "house")
    await publisher.publish(bid(1), number=7)
    await publisher.publish(bid(1), number=3)
    await publisher.publish(bid(2))
    assert publisher.number == 8
    assert (await client.publisher(channel, "house")).number == 8
    assert (await client.publisher(channel)).number == 0


@pytest.mark.not_over_corba("producers")
async def test_publishers_without_a_name_are_different_producers(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    one, other = await client.publisher(channel), await client.publisher(channel)
    assert one.producer != other.producer
    assert [(await p.publish(bid(1), number=1)).seq for p in (one, other)] == [1, 2]


@pytest.mark.not_over_corba("producers")
@pytest.mark.parametrize("kill", [False, True])
async def test_the_same_number_is_accepted_once_across_restarts(
    lasting: Service, kill: bool
) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction", persistent=True)
    subscription = await client.subscribe(channel, name="bidder")
    publisher = await client.publisher(channel, "house")
    receipts = await publisher.publish_many([bid(1), bid(2), bid(3)])
    await lasting.restart(kill=kill)
    client = await lasting.client()
    publisher = await client.publisher("auction", "house")
    assert publisher.number == 3
    assert [await publisher.publish(bid(n), number=n) for n in (1, 2, 3)] == receipts
    assert (await publisher.publish(bid(4))).seq == 4
    subscription = await client.subscribe("auction", name="bidder")
    assert await seqs(subscription, 4) == [1, 2, 3, 4]
    assert await subscription.next(0.01) is None


async def test_a_full_channel_refuses_what_is_pushed(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel(admin={"MaxQueueLength": 2})
    puller = await client.puller(channel)
    publisher = await client.publisher(channel)
    answers = await publisher.publish_many([bid(1), bid(2), bid(3)])
    assert isinstance(answers[2], ChannelFull)
    with pytest.raises(ChannelFull):
        await publisher.publish(bid(4))
    assert [d.seq for d in await puller.pull(2)] == [1, 2]
    assert (await publisher.publish(bid(5))).accepted
    assert [d.seq for d in await puller.pull(2)] == [3]


async def test_a_value_of_any_type_is_an_event_too(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    await client.publish(channel, Any(tc.LONG, 42))
    delivery = await subscription.next(PATIENCE)
    assert delivery is not None
    assert delivery.event.type == "%ANY"
    assert delivery.value == Any(tc.LONG, 42)


async def test_publishing_into_a_channel_that_is_gone(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    publisher = await client.publisher(channel)
    await client.publish(channel, bid(1))
    await channel.destroy()
    for publishing in (publisher.publish(bid(2)), client.publish(channel, bid(2))):
        with pytest.raises(ChannelNotFound):
            await publishing
    with pytest.raises(ChannelNotFound):
        await publisher.publish_many([bid(2)])
    await publisher.close()


async def test_a_closed_publisher_is_gone(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    async with await client.publisher(channel) as publisher:
        await publisher.publish(bid(1))
        assert (await publisher.info()).connected
    assert (await channel.info()).suppliers == 0
    with pytest.raises(ProxyNotFound):
        await publisher.publish(bid(2))
    await publisher.close()


async def test_publishing_at_once_needs_one_publisher(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    puller = await client.puller(channel)
    receipts = await asyncio.gather(*(client.publish(channel, bid(at)) for at in range(10)))
    assert all(receipt.accepted for receipt in receipts)
    assert [delivery.seq for delivery in await puller.pull(20)] == list(range(1, 11))
    assert (await channel.info()).suppliers == 1


async def test_publishing_goes_on_when_the_default_admin_begins_anew(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    await client.publish(channel, bid(1))
    await channel.supplier_admin().destroy()
    puller = await client.puller(channel)
    assert (await client.publish(channel, bid(2))).accepted
    assert [delivery.seq for delivery in await puller.pull(9)] == [2]


@pytest.mark.not_over_corba("producers")
@pytest.mark.parametrize("name", ["\ud800", "a\nb", "x" * 257])
async def test_a_producers_name_can_be_read(service: Service, name: str) -> None:
    client = await service.client()
    channel = await client.create_channel()
    with pytest.raises(InvalidEvent, match="a producer's name"):
        await client.publisher(channel, name)
    assert (await channel.info()).suppliers == 0
    assert (await client.publisher(channel, "Zoë/1 «x»")).producer == "Zoë/1 «x»"
