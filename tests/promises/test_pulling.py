"""Events that wait until they are pulled."""

from __future__ import annotations

import asyncio

import pytest

from tests.patience import PATIENCE
from tests.promises.services import Service, bid, known, shown
from tidings.channel.management import Purge
from tidings.channel.vocabulary import Form
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.client.subscription import PullSubscription
from tidings.errors import Disconnected, InvalidUsage, ProxyNotFound


async def scene(
    service: Service, count: int, *, name: str = "", form: Form | None = None
) -> tuple[Client, Channel, PullSubscription]:
    client = await service.client()
    channel = await client.create_channel(persistent=True)
    puller = await client.puller(channel, name=name, form=form)
    await (await client.publisher(channel)).publish_many(bid(at) for at in range(count))
    return client, channel, puller


async def pulled(puller: PullSubscription, most: int, lease: float | None = None) -> list[int]:
    return [delivery.seq for delivery in await puller.pull(most, seconds=0, lease=lease)]


async def test_a_pull_has_as_many_as_asked_for_and_there_are(service: Service) -> None:
    _, _, puller = await scene(service, 5)
    assert await pulled(puller, 1) == [1]
    assert await pulled(puller, 3) == [2, 3, 4]
    assert await pulled(puller, 3) == [5]
    assert await pulled(puller, 3) == []


@pytest.mark.parametrize("form", [Form.ANY, Form.STRUCTURED])
async def test_other_forms_give_one_at_a_time_without_a_lease(service: Service, form: Form) -> None:
    _, _, puller = await scene(service, 3, form=form)
    assert [await pulled(puller, 3) for _ in range(4)] == [[1], [2], [3], []]


@pytest.mark.not_over_corba("leases")
@pytest.mark.parametrize("form", [Form.ANY, Form.STRUCTURED])
async def test_other_forms_give_many_with_a_lease(service: Service, form: Form) -> None:
    _, _, puller = await scene(service, 5, form=form)
    assert await pulled(puller, 1) == [1]
    assert await pulled(puller, 3, lease=30) == [2, 3, 4]


async def test_a_pull_waits_for_the_first_event(service: Service) -> None:
    client, channel, puller = await scene(service, 0)
    assert await puller.pull(seconds=0.001) == []
    assert await puller.pull(seconds=-1) == []
    waiting = asyncio.create_task(puller.pull(9))
    await asyncio.sleep(0.002)
    assert not waiting.done()
    await client.publish(channel, bid(1))
    assert [delivery.seq for delivery in await waiting] == [1]


async def test_without_a_lease_it_is_gone_at_once(service: Service) -> None:
    _, _, puller = await scene(service, 1)
    assert await pulled(puller, 1) == [1]
    await shown(service, puller, delivered=1, waiting=0)


@pytest.mark.not_over_corba("leases")
async def test_a_leased_event_is_gone_when_it_is_acknowledged(service: Service) -> None:
    _, _, puller = await scene(service, 2)
    first, second = await puller.pull(2, lease=30)
    assert (await puller.info()).in_flight == 2
    first.ack()
    info = await known(puller, lambda info: info.in_flight == 1)
    assert info.counts["delivered"] == 1
    second.retry("not now")
    [again] = await puller.pull(lease=30, seconds=5)
    assert (again.seq, again.redelivered) == (2, True)


@pytest.mark.not_over_corba("leases")
async def test_a_lease_that_runs_out_brings_it_again(service: Service) -> None:
    _, _, puller = await scene(service, 1)
    [first] = await puller.pull(lease=0.005)
    assert not first.redelivered
    [again] = await puller.pull(lease=30, seconds=5)
    assert (again.seq, again.redelivered) == (1, True)
    again.ack()
    await known(puller, lambda info: not info.in_flight)


@pytest.mark.not_over_corba("leases")
async def test_acknowledged_right_before_closing_it_does_not_come_again(
    service: Service,
) -> None:
    client, channel, puller = await scene(service, 2, name="bidder")
    for delivery in await puller.pull(1, lease=30):
        delivery.ack()
    await puller.close()
    again = await client.puller(channel, name="bidder")
    assert again.proxy == puller.proxy
    assert await pulled(again, 9) == [2]


@pytest.mark.not_over_corba("leases")
async def test_leased_events_come_again_when_the_puller_is_closed(service: Service) -> None:
    client, channel, puller = await scene(service, 1, name="bidder")
    assert await pulled(puller, 1, lease=30) == [1]
    await puller.close()
    again = await client.puller(channel, name="bidder")
    [delivery] = await again.pull(seconds=0)
    assert delivery.redelivered


@pytest.mark.not_over_corba("leases")
async def test_after_a_restart_what_was_leased_comes_again(lasting: Service) -> None:
    client, channel, puller = await scene(lasting, 2, name="bidder")
    assert await pulled(puller, 1, lease=30) == [1]
    await lasting.restart(kill=True)
    client = await lasting.client()
    again = await client.puller(channel.id, name="bidder")
    found = await again.pull(9, seconds=5)
    assert [delivery.seq for delivery in found] == [1, 2]


async def test_closing_ends_a_pull_that_waits(service: Service) -> None:
    await close_while_it_waits(service, "")


@pytest.mark.not_over_corba("names")
async def test_closing_ends_a_pull_that_waits_under_a_name(service: Service) -> None:
    await close_while_it_waits(service, "bidder")


async def close_while_it_waits(service: Service, name: str) -> None:
    client = await service.client()
    channel = await client.create_channel()
    puller = await client.puller(channel, name=name)
    waiting = asyncio.create_task(puller.pull())
    await asyncio.sleep(0.002)
    await puller.close()
    with pytest.raises(Disconnected):
        await asyncio.wait_for(waiting, PATIENCE)


async def test_an_unnamed_one_ends_and_pulls_no_more(service: Service) -> None:
    _, channel, puller = await scene(service, 1)
    await puller.close()
    assert (await channel.info()).consumers == 0
    with pytest.raises(ProxyNotFound):
        await puller.pull()


async def test_a_cancelled_pull_takes_nothing(service: Service) -> None:
    client, channel, puller = await scene(service, 0)
    waiting = asyncio.create_task(puller.pull())
    await asyncio.sleep(0.002)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await client.publish(channel, bid(1))
    assert await pulled(puller, 1) == [1]


async def test_a_pull_is_for_at_least_one(service: Service) -> None:
    _, _, puller = await scene(service, 1)
    with pytest.raises(InvalidUsage, match="at least one event"):
        await puller.pull(0)


@pytest.mark.parametrize("seconds", ["1", float("nan"), float("inf"), []])
async def test_times_are_numbers(service: Service, seconds: float) -> None:
    _, _, puller = await scene(service, 1)
    for pulling in (puller.pull(seconds=seconds), puller.pull(lease=seconds)):
        with pytest.raises(InvalidUsage, match="a time is a number of seconds"):
            await pulling
    assert await pulled(puller, 1) == [1]


@pytest.mark.not_over_corba("purges")
async def test_what_waits_can_be_dropped(service: Service) -> None:
    client, channel, puller = await scene(service, 5)
    other = await client.puller(channel)
    assert len(await puller.pull(2, seconds=0, lease=30)) == 2
    assert await puller.purge() == 3
    info = await puller.info()
    assert (info.counts["purged"], info.waiting, info.in_flight) == (3, 0, 2)
    assert await puller.purge() == 0
    await client.publish(channel, bid(6))
    assert await pulled(puller, 9, lease=30) == [6]
    assert await pulled(other, 9, lease=30) == [6]
    with pytest.raises(ProxyNotFound):
        await client.transport.ask(Purge(channel.id, 99))
