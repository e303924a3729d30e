"""Lines that are cut, and services that are started again, while programs go on."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.promises.cutting import CuttingProxy
from tests.promises.services import HttpService, bid, eventually, known, seen, seqs
from tidings.channel.effects import Message
from tidings.channel.vocabulary import Form
from tidings.client.client import Client
from tidings.client.publishing import Receipt
from tidings.client.subscription import Subscription
from tidings.errors import ProxyNotFound, TidingsError, Unreachable
from tidings.events.structured import StructuredEvent


@pytest.fixture
def served(tmp_path: Path) -> HttpService:
    """A service with a disk, over HTTP."""
    return HttpService(tmp_path / "data")


@asynccontextmanager
async def way(served: HttpService) -> AsyncIterator[tuple[Client, CuttingProxy]]:
    """A client whose way to the service can be cut."""
    async with CuttingProxy(await served.start()) as between:
        client = await served.client(port=between.port)
        yield client, between
        await client.close()


async def cut_at_random(between: CuttingProxy, times: int, chance: random.Random) -> None:
    """Cuts the way so many times, each after some more octets from the service."""
    for _ in range(times):
        upto = between.passed + chance.randrange(12_000)
        while between.passed <= upto:  # noqa: ASYNC110 -- as soon as it is so
            await asyncio.sleep(0.001)
        between.cut()


@pytest.mark.parametrize("seed", range(3))
async def test_a_consumer_that_is_cut_sees_each_event_once(served: HttpService, seed: int) -> None:
    chance = random.Random(seed)
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    async with way(served) as (client, between):
        subscription = await client.subscribe(channel, window=64)
        publisher = await owner.publisher(channel)
        cutting = asyncio.create_task(cut_at_random(between, 20, chance))

        async def publish() -> None:
            for start in range(0, 2_000, 50):
                await publisher.publish_many(bid(at) for at in range(start, start + 50))
                await asyncio.sleep(0.002)

        publishing = asyncio.create_task(publish())
        found: list[int] = []
        async with asyncio.timeout(PATIENCE):
            async for delivery in subscription:
                found.append(delivery.seq)
                if chance.random() < 0.02:
                    await asyncio.sleep(0.001)
                if delivery.seq == 2_000:
                    break
        await publishing
        assert cutting.done()
        assert found == list(range(1, 2_001))


async def test_a_publisher_that_is_cut_loses_nothing_and_sends_nothing_twice(
    served: HttpService,
) -> None:
    chance = random.Random(7)
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    subscription = await owner.subscribe(channel, window=5_000)
    async with way(served) as (client, between):
        publisher = await client.publisher(channel)
        cutting = asyncio.create_task(cut_at_random(between, 15, chance))
        receipts: list[Receipt | TidingsError] = []
        for start in range(0, 300, 10):
            one = asyncio.create_task(publisher.publish(bid(start)))
            many = [
                asyncio.create_task(publisher.publish(bid(at)))
                for at in range(start + 1, start + 10)
            ]
            receipts += await asyncio.gather(one, *many)
        receipts += await publisher.publish_many(bid(at) for at in range(300, 1_300))
        cutting.cancel()
    assert [r.seq for r in receipts if not isinstance(r, TidingsError)] == list(range(1, 1_301))
    found = []
    for _ in range(1_300):
        delivery = await subscription.next(PATIENCE)
        assert delivery is not None
        found.append(delivery.event.data["price"])
    assert found == list(range(1_300))
    assert await subscription.next(0.02) is None


async def test_what_the_program_still_has_is_not_handed_out_again(served: HttpService) -> None:
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    async with way(served) as (client, between):
        subscription = await client.subscribe(channel, manual_ack=True)
        await (await owner.publisher(channel)).publish_many(bid(at) for at in range(6))
        first, second, third = [await anext(subscription) for _ in range(3)]
        second.ack()
        between.cut()
        first.ack()
        found = [await subscription.next(PATIENCE) for _ in range(3)]
        assert [(d.seq, d.redelivered) for d in found if d] == [(4, False), (5, False), (6, False)]
        third.retry("not now")
        assert [(d.seq, d.redelivered) for d in [await anext(subscription)]] == [(3, True)]
        await known(subscription, lambda info: info.counts.get("delivered") == 2)
        assert (await subscription.info()).in_flight == 4


async def test_what_was_rejected_is_rejected_again(served: HttpService) -> None:
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    async with way(served) as (client, between):
        subscription = await client.subscribe(channel)
        await (await owner.publisher(channel)).publish_many([bid(1), bid(2)])
        first = await anext(subscription)
        between.cut()
        await asyncio.sleep(0)
        first.reject("no")
        assert await seqs(subscription, 1) == [2]
        [letter] = await seen(client.dead_letters, lambda found: len(found) == 1)
        assert (letter.seq, letter.causes[-1].reason) == (1, "no")


@pytest.mark.parametrize("form", [None, Form.SEQUENCE])
async def test_a_handler_that_is_cut_is_called_once_for_each(
    served: HttpService, form: Form | None
) -> None:
    chance = random.Random(3)
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    calls: list[int] = []

    async def handler(handed: Message | list[Message]) -> None:
        if chance.random() < 0.1:
            await asyncio.sleep(0.001)
        calls.extend(m.seq for m in (handed if isinstance(handed, list) else [handed]))

    async with way(served) as (client, between):
        qos = {} if form is None else {"MaximumBatchSize": 7, "PacingInterval": 10_000}
        handled = await client.handle(channel, handler, form=form, qos=qos, window=32)
        publisher = await owner.publisher(channel)
        cutting = asyncio.create_task(cut_at_random(between, 10, chance))
        for start in range(0, 700, 35):
            await publisher.publish_many(bid(at) for at in range(start, start + 35))
            await asyncio.sleep(0.003)
        await eventually(lambda: len(calls) >= 700)
        cutting.cancel()
        await known(handled, lambda info: info.counts.get("delivered") == 700)
    assert calls == list(range(1, 701))


async def test_a_source_that_is_cut_loses_nothing(served: HttpService) -> None:
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    subscription = await owner.subscribe(channel)
    stock = [bid(price) for price in range(200)]

    def source(most: int) -> StructuredEvent | None:
        return stock.pop(0) if stock else None

    async with way(served) as (client, between):
        await client.supply(channel, source)
        cutting = asyncio.create_task(cut_at_random(between, 5, random.Random(1)))
        prices: set[object] = set()
        while len(prices) < 200:
            delivery = await subscription.next(PATIENCE)
            assert delivery is not None
            prices.add(delivery.event.data["price"])
        cutting.cancel()


async def test_a_puller_that_is_cut_sees_each_event_once(served: HttpService) -> None:
    chance = random.Random(5)
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    await owner.subscribe(channel)
    async with way(served) as (client, between):
        puller = await client.puller(channel)
        cutting = asyncio.create_task(cut_at_random(between, 10, chance))
        publisher = await owner.publisher(channel)
        found: list[int] = []
        for start in range(0, 300, 30):
            await publisher.publish_many(bid(at) for at in range(start, start + 30))
            for lease in (None, 0.4):
                for delivery in await puller.pull(9, seconds=5, lease=lease):
                    found.append(delivery.seq)
                    if lease is not None:
                        delivery.ack()
        while len(found) < 300:
            taken = await puller.pull(50, seconds=10)
            assert taken, f"{len(found)}, and then no more"
            found += [delivery.seq for delivery in taken]
        cutting.cancel()
        assert sorted(found) == list(range(1, 301))


@pytest.mark.parametrize("kill", [False, True])
async def test_without_a_name_a_subscription_misses_nothing_persistent(
    served: HttpService, kill: bool
) -> None:
    told: list[tuple[bool, str]] = []
    client = await served.client(on_connection=lambda *now: told.append(now))
    channel = await client.create_channel("auction", persistent=True)
    some = await client.subscribe(channel, "$price > 10", window=2)
    idle = await client.subscribe(channel, "$price == 30")
    calls: list[int] = []
    await client.handle(channel, lambda message: calls.append(message.seq))
    await client.publish(channel, bid(1))
    for price in range(20, 26):  # of these one is taken, one is here, and the rest waits there
        await client.publish(channel, bid(price))
    assert await seqs(some, 1) == [2]
    await eventually(lambda: len(calls) == 7)
    await served.stop(kill=kill)
    await served.start()
    other = await served.client()
    for price in (30, 2, 31):
        await other.publish("auction", bid(price))
    await eventually(lambda: [up for up, _ in told] == [True, False, True])
    await other.publish("auction", bid(40))
    assert await seqs(some, 8) == [3, 4, 5, 6, 7, 8, 10, 11]
    assert await seqs(idle, 1) == [8]
    await eventually(lambda: calls == list(range(1, 12)))
    assert await some.next(0.05) is None
    assert told[-1] == (True, "")


async def test_without_a_name_a_subscription_says_what_it_missed(served: HttpService) -> None:
    told: list[str] = []
    client = await served.client(on_connection=lambda up, why: told.append(why if up else "cut"))
    channel = await client.create_channel("auction", persistent=False)
    some = await client.subscribe(channel, "$price > 10", window=1)
    for price in range(20, 23):
        await client.publish(channel, bid(price))
    assert await seqs(some, 1) == [1]
    await served.stop()
    await served.start()
    await eventually(lambda: len(told) == 3)
    assert told[0] == ""
    assert re.fullmatch("channel 1: up to [0-9]+ events missed: BestEffort, .*", told[2])


@pytest.mark.parametrize("kill", [False, True])
async def test_everything_goes_on_after_a_restart(served: HttpService, kill: bool) -> None:
    told: list[bool] = []
    client = await served.client(on_connection=lambda up, why: told.append(up))
    channel = await client.create_channel("auction", persistent=True)
    named = await client.subscribe(channel, name="bidder")
    unnamed = await client.subscribe(channel, "$price > 10", types=["Auction::*"])
    puller = await client.puller(channel)
    publisher = await client.publisher(channel, "house")
    calls: list[int] = []
    handled = await client.handle(channel, lambda message: calls.append(message.seq))
    await handled.suspend()
    await publisher.publish_many([bid(1), bid(20)])
    assert await seqs(named, 2) == [1, 2]
    assert await seqs(unnamed, 1) == [2]
    other = await served.client()
    for _ in range(3):
        await other.subscribe(channel)  # others take ids, too
    before = await unnamed.info()
    await served.stop(kill=kill)
    publishing = asyncio.create_task(publisher.publish_many([bid(3), bid(30)]))
    await asyncio.sleep(0.05)
    await served.start()
    await eventually(lambda: told == [True, False, True])
    receipts = await asyncio.wait_for(publishing, PATIENCE)
    numbers = [receipt.seq for receipt in receipts if not isinstance(receipt, TidingsError)]
    assert numbers == sorted(numbers)
    assert await seqs(named, 2) == numbers
    assert await seqs(unnamed, 1) == numbers[1:]
    info = await unnamed.info()
    assert (info.id, info.types, info.filters) == (before.id, before.types, before.filters)
    assert unnamed.proxy in [one.id for one in await channel.proxies()]
    assert [d.seq for d in await puller.pull(9, seconds=5)] == numbers
    assert (await handled.info()).suspended
    await handled.resume()
    await eventually(lambda: calls == [1, 2, *numbers])
    [attachment] = info.filters
    proxy = channel.proxy(unnamed.proxy)
    await proxy.remove_filter(attachment)
    added = await proxy.add_filter(await client.create_filter("$price < 5"))
    assert set((await unnamed.info()).filters) == {added}
    await publisher.publish(bid(4))
    assert await seqs(unnamed, 1) == [numbers[-1] + 1]
    await unnamed.close()
    with pytest.raises(ProxyNotFound):
        await unnamed.info()


async def test_what_ended_while_a_client_was_away_ends_its_loop(served: HttpService) -> None:
    owner = await served.client()
    channel = await owner.create_channel(persistent=True)
    async with way(served) as (client, between):
        named = await client.subscribe(channel, name="bidder")
        between.refusing = True
        between.cut()
        await (await owner.subscribe(channel, name="bidder")).delete()
        between.refusing = False
        assert await asyncio.wait_for(_all(named), PATIENCE) == []
        unnamed = await client.subscribe(channel)
        between.refusing = True
        between.cut()
        await channel.destroy()
        between.refusing = False
        assert await asyncio.wait_for(_all(unnamed), PATIENCE) == []


async def _all(subscription: Subscription) -> list[int]:
    return [delivery.seq async for delivery in subscription]


async def test_a_service_without_a_disk_begins_anew(tmp_path: Path) -> None:
    served = HttpService(None)
    try:
        client = await served.client()
        channel = await client.create_channel("auction")
        subscription = await client.subscribe(channel)
        publisher = await client.publisher(channel)
        await served.stop(kill=True)
        publishing = asyncio.create_task(publisher.publish(bid(1)))
        await served.start()
        other = await served.client()
        await other.create_channel("another")  # with the id of the one that is gone
        assert await asyncio.wait_for(_all(subscription), PATIENCE) == []
        with pytest.raises(TidingsError):
            await asyncio.wait_for(publishing, PATIENCE)
    finally:
        await served.close()


async def test_who_waits_for_too_long_is_told(served: HttpService) -> None:
    client = await served.client(patience=0.3)
    channel = await client.create_channel(persistent=True)
    publisher = await client.publisher(channel)
    subscription = await client.subscribe(channel, name="bidder")
    await publisher.publish(bid(1))
    await served.stop()
    for asking in (
        publisher.publish(bid(2), number=2),
        client.channels(),
        client.create_channel("another"),
        client.subscribe(channel),
    ):
        with pytest.raises(Unreachable):
            await asyncio.wait_for(asking, PATIENCE)
    await served.start()
    assert await seqs(subscription, 1) == [1]
    assert (await publisher.publish(bid(2), number=2)).seq == 2
    assert await seqs(subscription, 1) == [2]


async def test_nobody_there_is_told_when_connecting(served: HttpService) -> None:
    async with CuttingProxy(1) as between:
        between.refusing = True
        with pytest.raises(Unreachable):
            await served.client(port=between.port, patience=0.1)


async def test_a_client_is_closed_though_its_service_is_away(served: HttpService) -> None:
    client = await served.client()
    channel = await client.create_channel(persistent=True)
    subscription = await client.subscribe(channel)
    await served.stop()
    async with asyncio.timeout(PATIENCE):
        await client.close()
    assert await _all(subscription) == []


async def test_a_publisher_notices_that_an_older_journal_was_restored(
    served: HttpService, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = await served.client()
    channel = await client.create_channel(persistent=True)
    publisher = await client.publisher(channel, producer="house")
    await publisher.publish(bid(1), number=1)
    await served.stop()
    shutil.copytree(tmp_path / "data", tmp_path / "backup")
    await served.start()
    for number in (2, 3, 4):
        await publisher.publish(bid(number), number=number)
    assert not caplog.messages  # a restart is no loss
    await served.stop()
    shutil.rmtree(tmp_path / "data")
    shutil.copytree(tmp_path / "backup", tmp_path / "data")
    await served.start()
    assert (await publisher.publish(bid(5), number=5)).seq == 2
    assert "an older copy of its journal" in caplog.text
