"""Channels, quality of service, admins and filters, managed through the client."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.promises.services import Service, bid, seqs
from tidings import Any, MappedConstraint, constraint, event
from tidings.channel.qos import DiscardPolicy, OrderPolicy
from tidings.channel.views import FilterInfo, MappingInfo
from tidings.channel.vocabulary import Operator, Side
from tidings.client.transports.iiop.values import UNKNOWN
from tidings.errors import (
    AdminLimitExceeded,
    AdminNotFound,
    ChannelNotFound,
    FilterNotFound,
    InvalidMappingValue,
    NameTaken,
    NotFound,
    PropertyErrorCode,
    ProxyNotFound,
    UnsupportedAdmin,
    UnsupportedQoS,
)
from tidings.events import typecode as tc


async def test_channels_are_made_listed_found_and_destroyed(service: Service) -> None:
    client = await service.client()
    one = await client.create_channel(qos={"Priority": 3}, admin={"MaxConsumers": 7})
    other = await client.create_channel()
    assert [(info.id, info.name) for info in await client.channels()] == [
        (one.id, ""),
        (other.id, ""),
    ]
    found = await client.channel(one.id)
    assert (found.id, found.name, found.origin) == (one.id, "", one.origin)
    info = await one.info()
    assert (info.qos["Priority"], info.admin["MaxConsumers"]) == (3, 7)
    await one.destroy()
    for missing in (one.id, 99, -1):
        with pytest.raises(ChannelNotFound):
            await client.channel(missing)
    with pytest.raises(ChannelNotFound):
        await one.info()
    assert (await client.create_channel()).id not in (one.id, other.id)


async def test_quality_of_service_takes_durations(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel(qos={"Timeout": "5s"})
    assert (await channel.info()).qos["Timeout"] == 50_000_000
    await channel.set_qos({"Timeout": timedelta(minutes=1), "PacingInterval": "250ms"})
    info = await channel.info()
    assert (info.qos["Timeout"], info.qos["PacingInterval"]) == (600_000_000, 2_500_000)
    for wrong in ("5 parsecs", "", "-1s"):
        with pytest.raises(UnsupportedQoS, match="Timeout"):
            await channel.set_qos({"Timeout": wrong})


@pytest.mark.not_over_corba("names")
async def test_channels_are_found_by_their_names(service: Service) -> None:
    client = await service.client()
    auction, unnamed = await client.create_channel("auction"), await client.create_channel()
    assert [(info.id, info.name) for info in await client.channels()] == [
        (auction.id, "auction"),
        (unnamed.id, ""),
    ]
    for key in ("auction", auction.id):
        found = await client.channel(key)
        assert (found.id, found.name, found.origin) == (auction.id, "auction", auction.origin)
    with pytest.raises(NameTaken, match="auction"):
        await client.create_channel("auction")
    await auction.destroy()
    for missing in ("auction", auction.id, "", "no such"):
        with pytest.raises(ChannelNotFound):
            await client.channel(missing)
    assert (await client.create_channel("auction")).id not in (auction.id, unnamed.id)


async def test_channels_survive_restarts(lasting: Service) -> None:
    client = await lasting.client()
    made = await client.create_channel(qos={"Priority": 3})
    gone = await client.create_channel()
    await gone.destroy()
    await lasting.restart(kill=True)
    client = await lasting.client()
    found = await client.channel(made.id)
    assert (found.id, found.origin) == (made.id, made.origin)
    assert (await found.info()).qos["Priority"] == 3
    assert [info.id for info in await client.channels()] == [made.id]


async def test_every_bad_property_is_listed_and_nothing_is_set(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    bad = {
        "Urgency": 1,
        "Priority": "high",
        "OrderPolicy": 9,
        "StartTime": 0,
        "MaximumBatchSize": 4,
    }
    codes = [
        ("Urgency", PropertyErrorCode.BAD_PROPERTY),
        ("Priority", PropertyErrorCode.BAD_TYPE),
        ("OrderPolicy", PropertyErrorCode.BAD_VALUE),
        ("StartTime", PropertyErrorCode.UNSUPPORTED_PROPERTY),
    ]
    before = (await channel.info()).qos
    admin = channel.consumer_admin()
    for place in (channel, admin, channel.proxy(subscription.proxy)):
        for attempt in (place.set_qos(bad), place.validate_qos(bad)):
            with pytest.raises(UnsupportedQoS) as raised:
                await attempt
            assert [(error.name, error.code) for error in raised.value.errors] == codes
    for making in (
        client.create_channel(qos=bad),
        client.subscribe(channel, qos=bad),
        client.publisher(channel, qos=bad),
    ):
        with pytest.raises(UnsupportedQoS) as raised:
            await making
        assert [error.name for error in raised.value.errors] == [name for name, _ in codes]
    assert (await channel.info()).qos == before
    assert len(await channel.proxies()) == 1


async def test_reliability_that_contradicts_itself_is_refused(service: Service) -> None:
    client = await service.client()
    with pytest.raises(UnsupportedQoS) as raised:
        await client.create_channel(qos={"EventReliability": 1}, persistent=False)
    assert [e.code for e in raised.value.errors] == [PropertyErrorCode.UNAVAILABLE_VALUE]
    channel = await client.create_channel(persistent=False)
    with pytest.raises(UnsupportedQoS):
        await client.subscribe(channel, qos={"ConnectionReliability": 1})


async def test_a_channel_is_persistent_unless_told_otherwise(service: Service) -> None:
    client = await service.client()
    names = ("EventReliability", "ConnectionReliability")
    for persistent, said in ((1, {}), (0, {"persistent": False}), (1, {"qos": {"Priority": 2}})):
        qos = (await (await client.create_channel(**said)).info()).qos
        assert [qos[name] for name in names] == [persistent, persistent]


async def test_validating_tells_what_else_could_be_set(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    ranges = {one.name: (one.low, one.high) for one in await channel.validate_qos({"Timeout": 5})}
    assert ranges["Priority"] == (-32767, 32767)
    assert "Timeout" not in ranges
    assert (await channel.info()).qos["Timeout"] == 0


async def test_what_is_set_counts_for_what_is_made_later(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    before = await client.subscribe(channel)
    await channel.set_qos({"OrderPolicy": OrderPolicy.FIFO})
    admin = await channel.new_consumer_admin()
    after = await client.subscribe(channel, admin=admin, qos={"MaxEventsPerConsumer": 2})
    assert (await before.info()).qos["OrderPolicy"] == OrderPolicy.ANY
    qos = (await after.info()).qos
    assert (qos["OrderPolicy"], qos["MaxEventsPerConsumer"]) == (OrderPolicy.FIFO, 2)
    assert (await admin.info()).qos["OrderPolicy"] == OrderPolicy.FIFO


async def test_order_and_discarding_are_as_asked_for(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    first = await client.puller(channel, qos={"OrderPolicy": OrderPolicy.FIFO})
    urgent = await client.puller(channel, qos={"OrderPolicy": OrderPolicy.PRIORITY})
    latest = await client.puller(
        channel, qos={"MaxEventsPerConsumer": 2, "DiscardPolicy": DiscardPolicy.FIFO}
    )
    publisher = await client.publisher(channel)
    for priority in (1, 3, 2):
        await publisher.publish(event("Auction", "bid", priority=priority))
    assert [d.seq for d in await first.pull(9)] == [1, 2, 3]
    assert [d.seq for d in await urgent.pull(9)] == [2, 3, 1]
    assert sorted(d.seq for d in await latest.pull(9)) == [2, 3]


async def test_admin_properties_limit_the_channel(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    await channel.set_admin_properties({"MaxConsumers": 1, "MaxSuppliers": 1})
    first = await client.subscribe(channel)
    publisher = await client.publisher(channel)
    for more in (client.subscribe(channel), client.puller(channel)):
        with pytest.raises(AdminLimitExceeded, match="MaxConsumers"):
            await more
    with pytest.raises(AdminLimitExceeded, match="MaxSuppliers"):
        await client.publisher(channel)
    await first.close()
    await publisher.close()
    await client.subscribe(channel)
    await client.publisher(channel)


async def test_every_bad_admin_property_is_listed(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    bad = {"MaxQueueLength": -1, "MaxPeople": 1, "RejectNewEvents": 3, "MaxConsumers": 5}
    with pytest.raises(UnsupportedAdmin) as raised:
        await channel.set_admin_properties(bad)
    assert [error.name for error in raised.value.errors] == [
        "MaxQueueLength",
        "MaxPeople",
        "RejectNewEvents",
    ]
    assert (await channel.info()).admin["MaxConsumers"] == 0
    with pytest.raises(UnsupportedAdmin):
        await client.create_channel(admin=bad)
    assert len(await client.channels()) == 1


async def test_a_full_channel_can_discard_instead(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel(admin={"MaxQueueLength": 2, "RejectNewEvents": False})
    puller = await client.puller(channel)
    await (await client.publisher(channel)).publish_many(bid(at) for at in range(5))
    assert [d.seq for d in await puller.pull(9)] == [4, 5]


@pytest.mark.parametrize(("operator", "expected"), [(Operator.AND, [2]), (Operator.OR, [1, 2, 3])])
async def test_filters_of_admins_and_proxies_go_together(
    service: Service, operator: Operator, expected: list[int]
) -> None:
    client = await service.client()
    channel = await client.create_channel()
    admin = await channel.new_consumer_admin(operator)
    await admin.add_filter(await client.create_filter("$price > 10"))
    subscription = await client.subscribe(channel, "$price < 90", admin=admin)
    await (await client.publisher(channel)).publish_many([bid(5), bid(50), bid(95)])
    assert await seqs(subscription, len(expected)) == expected
    assert await subscription.next(0) is None
    info = await admin.info()
    assert (info.side, info.operator) == (Side.CONSUMER, operator)
    assert info.proxies == (subscription.proxy,)


@pytest.mark.not_over_corba("ids")
async def test_filters_are_listed(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    shared = [await client.create_filter(f"$price > {n}") for n in range(3)]
    await (await channel.new_consumer_admin()).add_filter(shared[1])
    found = await client.filters()
    assert [(one.id, one.holders) for one in found] == [
        (one.id, int(at == 1)) for at, one in enumerate(shared)
    ]
    assert list(await client.filters(after=shared[0].id, most=1)) == [await shared[1].info()]


async def test_a_change_at_a_shared_filter_counts_everywhere_at_once(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    shared = await client.create_filter("$price > 10")
    one, other = [await channel.new_consumer_admin() for _ in range(2)]
    attached = [await admin.add_filter(shared) for admin in (one, other)]
    info = await shared.info()
    assert isinstance(info, FilterInfo)
    assert info.holders == (2 if service.tells_state else UNKNOWN)
    subscriptions = [await client.subscribe(channel, admin=admin) for admin in (one, other)]
    await client.publish(channel, bid(5))
    await shared.add(["$price < 10"])
    await client.publish(channel, bid(6))
    assert [await seqs(each, 1) for each in subscriptions] == [[2], [2]]
    await one.remove_filter(attached[0])
    await shared.clear()
    await shared.add(["$price > 1000"])
    await client.publish(channel, bid(7))
    assert await seqs(subscriptions[0], 1) == [3]
    assert await subscriptions[1].next(0.01) is None
    await shared.destroy()
    with pytest.raises(FilterNotFound):
        await shared.info()
    await client.publish(channel, bid(8))
    assert await seqs(subscriptions[1], 1) == [4]


async def test_a_subscriptions_own_filter_ends_with_it(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel, "$price > 1")
    [filter_id] = (await subscription.info()).filters.values()
    shared = await client.create_filter()
    assert shared.id != filter_id
    await subscription.close()
    gone = type(shared)(client._transport, filter_id)
    with pytest.raises(FilterNotFound):
        await gone.info()


async def test_a_mapping_filter_gives_events_another_priority(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    books = MappedConstraint(constraint("$category == 'books'"), Any(tc.SHORT, 9))
    mapping = await client.create_mapping(Any(tc.SHORT, 0), [books])
    puller = await client.puller(channel)
    await channel.proxy(puller.proxy).set_priority_filter(mapping)
    for category in ("cars", "books", "toys"):
        await client.publish(channel, bid(1, category=category))
    assert [d.seq for d in await puller.pull(9)] == [2, 1, 3]
    toys = MappedConstraint(constraint("$category == 'toys'"), Any(tc.SHORT, 20))
    [added] = await mapping.add_mapped([toys])
    info = await mapping.info()
    assert isinstance(info, MappingInfo)
    assert info.mapped[added] == toys
    with pytest.raises(InvalidMappingValue):
        await mapping.add_mapped([MappedConstraint(constraint("true"), "high")])
    await channel.proxy(puller.proxy).set_priority_filter(None)
    for category in ("cars", "toys"):
        await client.publish(channel, bid(1, category=category))
    assert [d.seq for d in await puller.pull(9)] == [4, 5]


async def test_a_mapping_filter_gives_events_another_lifetime(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    short = MappedConstraint(constraint("$price < 10"), Any(tc.ULONGLONG, 1))
    mapping = await client.create_mapping(Any(tc.ULONGLONG, 10**9), [short])
    admin = await channel.new_consumer_admin()
    await admin.set_lifetime_filter(mapping)
    puller = await client.puller(channel, admin=admin)
    for price in (5, 50):
        await client.publish(channel, bid(price))
    assert [d.seq for d in await puller.pull(9)] == [2]


@pytest.mark.not_over_corba("trails")
async def test_a_dry_run_tells_what_would_become_of_an_event(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    cheap = await client.subscribe(channel, "$price < 20")
    dear = await client.subscribe(channel, "$price > 20")
    publisher = await client.publisher(channel)
    trail = await channel.dry_run(bid(5), publisher.proxy)
    assert (trail.accepted, trail.recipients) == (True, (cheap.proxy,))
    steps = {step.proxy: step for step in trail.steps}
    assert steps[cheap.proxy].passed
    assert not steps[dear.proxy].passed
    assert steps[publisher.proxy].stage == "supplier"
    assert (await channel.info()).accepted == 0
    with pytest.raises(ProxyNotFound):
        await channel.dry_run(bid(5), 99)


@pytest.mark.not_over_corba("trails")
async def test_a_real_event_comes_with_its_trail(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    cheap = await client.subscribe(channel, "$price < 20")
    await client.subscribe(channel, "$price > 20")
    publisher = await client.publisher(channel)
    foreseen = await channel.dry_run(bid(5), publisher.proxy)
    receipt, trail = await publisher.publish_traced(bid(5))
    assert receipt == (channel.origin, 1)
    assert (trail.recipients, trail.steps) == (foreseen.recipients, foreseen.steps)
    delivery = await cheap.next(1)
    assert delivery is not None
    assert delivery.id == receipt


@pytest.mark.not_over_corba("trails")
async def test_what_became_of_an_event_is_told(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    cheap = await client.subscribe(channel, "$price < 20")
    await client.subscribe(channel, "$price > 20")
    publisher = await client.publisher(channel)
    _, seq = await publisher.publish(bid(5))
    assert await cheap.next(1) is not None
    fate = await channel.fate(seq)
    assert [(copy.proxy, copy.state) for copy in fate.copies] == [(cheap.proxy, "in_flight")]
    with pytest.raises(NotFound):
        await channel.fate(seq + 1)


async def test_an_admin_ends_with_its_proxies(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    admin = await channel.new_consumer_admin()
    subscription = await client.subscribe(channel, admin=admin)
    await admin.destroy()
    assert [delivery async for delivery in subscription] == []
    await subscription.close()
    with pytest.raises(AdminNotFound):
        await client.subscribe(channel, admin=admin)
    assert (await channel.info()).consumer_admins == (0,)
    assert (await channel.supplier_admin().info()).id == 0
