"""The past: peeked at, read as a whole, and replayed before what comes, without a gap."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.patience import PATIENCE
from tests.promises.services import Service, bid, known, seqs
from tidings import constraint
from tidings.channel.vocabulary import Operator, Place
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.client.subscription import Subscription
from tidings.engine.access import ANONYMOUS, Caller
from tidings.engine.host import Host
from tidings.errors import (
    ChannelNotFound,
    CursorNotFound,
    Forbidden,
    InvalidConstraint,
    InvalidUsage,
)
from tidings.events.structured import StructuredEvent

pytestmark = pytest.mark.not_over_corba("history")


async def made(service: Service, *prices: int) -> tuple[Client, Channel]:
    client = await service.client()
    channel = await client.create_channel("auction", persistent=True)
    for price in prices:
        await client.publish(channel, bid(price))
    return client, channel


async def past(client: Client, channel: Channel, **asked: object) -> list[int]:
    return [message.seq async for message in client.history(channel, **asked)]  # type: ignore[arg-type]


async def take(subscription: Subscription, found: list[int], enough: Callable[[], object]) -> None:
    """Takes what comes, until it is enough and nothing more comes."""
    async with asyncio.timeout(PATIENCE):
        while (delivery := await subscription.next(0.02)) is not None or not enough():
            if delivery is not None:
                found.append(delivery.seq)


def fleeting(price: int) -> StructuredEvent:
    event = bid(price)
    return StructuredEvent(
        event.domain, event.type, event.name, {"EventReliability": 0}, event.data, event.body
    )


async def test_peeking_takes_nothing_away(lasting: Service) -> None:
    client, channel = await made(lasting, 5, 15, 25)
    for _ in range(2):
        found = await client.peek(channel)
        assert [(one.seq, one.event) for one in found] == [
            (1, bid(5)),
            (2, bid(15)),
            (3, bid(25)),
        ]
    assert {one.origin for one in found} == {channel.origin}
    assert [one.seq for one in await client.peek("auction", most=2)] == [1, 2]
    assert [one.seq for one in await client.peek(channel.id, after=1, most=1)] == [2]
    assert [one.seq for one in await client.peek(channel, since=found[2].arrival)] == [3]


async def test_what_is_lost_is_told(lasting: Service, caplog: pytest.LogCaptureFixture) -> None:
    client, channel = await made(lasting, 5, 15, 25)
    host: Host = lasting._host  # type: ignore[attr-defined]
    host.losses.add_events(channel.id, [1, 2])  # as if their records were damaged
    past = await client.past(channel)
    await past.page()
    assert past.lost == [(1, 2)]
    assert "events 1 to 2 of channel" in caplog.text


async def test_a_service_that_keeps_nothing_shows_nothing(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel(persistent=False)  # nothing is written
    for price in (1, 2):
        await client.publish(channel, bid(price))
    assert await client.peek(channel) == []
    assert await past(client, channel) == []
    subscription = await client.subscribe(channel, since=0)
    await client.publish(channel, bid(3))
    assert await seqs(subscription, 1) == [3]


async def test_only_what_is_wanted(lasting: Service) -> None:
    client, channel = await made(lasting, 5, 15, 25)
    books = constraint("$price == 25", ["Auction::bid"])
    for wanted, expected in (
        ("$price > 10", [2, 3]),
        (["$price < 10", "$price > 20"], [1, 3]),
        (["$missing.part > 1", "$price == 15"], [2]),  # what fails in one says nothing of others
        (books, [3]),
        (constraint("", ["Weather::*"]), []),
        ([], [1, 2, 3]),
    ):
        assert await past(client, channel, wanted=wanted) == expected
        assert [one.seq for one in await client.peek(channel, wanted)] == expected


async def test_it_is_all_there_after_a_restart(lasting: Service) -> None:
    client, channel = await made(lasting, 1, 2)
    await lasting.restart(kill=True)
    client = await lasting.client()
    channel = await client.channel("auction")
    await client.publish(channel, bid(3))
    assert await past(client, channel, after=0) == [1, 2, 3]


async def test_many_pages(lasting: Service) -> None:
    client, channel = await made(lasting)
    publisher = await client.publisher(channel)
    await publisher.publish_many([bid(price % 10) for price in range(2_500)])
    assert await past(client, channel) == list(range(1, 2_501))
    assert await past(client, channel, after=2_400, wanted="$price == 0") == list(
        range(2_401, 2_501, 10)
    )
    assert len(await client.peek(channel, most=1_500)) == 1_500


async def test_what_makes_no_sense_is_refused(lasting: Service) -> None:
    client, channel = await made(lasting, 1)
    for attempt, error in (
        (client.peek(channel, after=2), CursorNotFound),
        (client.peek(channel, after=-1), InvalidUsage),
        (client.peek(channel, after="1"), InvalidUsage),  # type: ignore[arg-type]
        (client.peek(channel, most=0), InvalidUsage),
        (client.peek(channel, "$price >"), InvalidConstraint),
        (client.peek(channel, since="now"), InvalidUsage),  # type: ignore[arg-type]
        (client.peek(channel, since=datetime(2026, 1, 1)), InvalidUsage),  # noqa: DTZ001
        (client.subscribe(channel, since=datetime(2026, 1, 1)), InvalidUsage),  # noqa: DTZ001
        (client.peek(99), ChannelNotFound),
    ):
        with pytest.raises(error):
            await attempt
    assert (await channel.info()).consumers == 0


async def test_who_may_not_subscribe_may_not_look_back(lasting: Service) -> None:
    owner, channel = await made(lasting, 1)
    other = await owner.create_channel("other")
    assert len(await (await lasting.client(ANONYMOUS)).peek(channel)) == 1
    confined = await lasting.client(Caller("ann", scope=Place(other.id)))
    with pytest.raises(Forbidden, match=r"ann may not (subscribe to|inspect) channel auction"):
        await confined.peek(channel)


async def test_the_past_comes_first_and_then_what_comes(lasting: Service) -> None:
    client, channel = await made(lasting, 1, 2, 3)
    async with await client.subscribe(channel, since=0) as subscription:
        await client.publish(channel, bid(4))
        found = [await anext(subscription) for _ in range(4)]
        await client.publish(channel, bid(5))
        found.append(await anext(subscription))
        assert [one.seq for one in found] == [1, 2, 3, 4, 5]
        assert [one.replayed for one in found][::4] == [True, False]
        assert not any(one.redelivered for one in found)
        assert await subscription.next(0.01) is None


async def test_nothing_is_missed_while_the_line_is_made(lasting: Service) -> None:
    client, channel = await made(lasting, 1)
    publisher = await client.publisher(channel)
    subscribing = asyncio.ensure_future(client.subscribe(channel, "$price > 0", since=0))
    publishing = []
    for _ in range(100):
        publishing.append(asyncio.ensure_future(publisher.publish(bid(1))))
        await asyncio.sleep(0)
    published = [(await one).seq for one in publishing]
    assert await seqs(await subscribing, 1 + len(published)) == [1, *published]


async def test_a_moment_as_a_datetime(lasting: Service) -> None:
    client, channel = await made(lasting, 1)
    await asyncio.sleep(0.002)
    await client.publish(channel, bid(2))
    [second] = await client.peek(channel, after=1)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=second.arrival)
    assert [one.seq for one in await client.peek(channel, since=moment)] == [2]
    assert await past(client, channel, since=moment + timedelta(microseconds=1)) == []
    assert await past(client, channel, since=moment - timedelta(days=40_000)) == [1, 2]
    assert await seqs(await client.subscribe(channel, since=moment), 1) == [2]


async def test_the_past_is_judged_as_the_subscription_judges(lasting: Service) -> None:
    client, channel = await made(lasting, *range(10))
    admin = await channel.new_consumer_admin(Operator.AND)
    await admin.add_filter(await client.create_filter("$price >= 5"))
    one = await client.subscribe(channel, ["$price == 2", "$price == 7"], since=0)
    assert await seqs(one, 2) == [3, 8]
    below = await client.subscribe(channel, "$price < 8", admin=admin, since=0)
    assert await seqs(below, 3) == [6, 7, 8]
    for subscription in (
        one,
        below,
        await client.subscribe(channel, types=["Weather::*"], since=0),
        await client.subscribe(channel, constraint("", ["Weather::*"]), since=0),
    ):
        assert await subscription.next(0.01) is None


async def test_the_service_is_not_told_what_became_of_the_past(lasting: Service) -> None:
    client, channel = await made(lasting, 1, 2, 3)
    subscription = await client.subscribe(channel, since=0, manual_ack=True)
    first, second, third = [await anext(subscription) for _ in range(3)]
    first.ack()
    second.retry("not now")
    third.reject("never")
    again = await subscription.next(PATIENCE)
    assert again is not None
    assert (again.seq, again.replayed) == (2, True)
    again.ack()
    receipt = await client.publish(channel, bid(4))
    found = await subscription.next(PATIENCE)
    assert found is not None
    assert found.seq == receipt.seq
    found.ack()
    info = await known(subscription, lambda info: not info.in_flight)
    assert sum(info.counts.values()) == 1
    assert await client.dead_letters() == []


async def test_what_waits_for_a_name_comes_once(lasting: Service) -> None:
    client, channel = await made(lasting, 1, 2)
    await (await client.subscribe(channel, "$price > 1", name="bidder")).close()
    for price in (3, 4):
        await client.publish(channel, bid(price))
    subscription = await client.subscribe(channel, name="bidder", since=0)
    assert await seqs(subscription, 3) == [2, 3, 4]
    assert await subscription.next(0.02) is None
    await known(subscription, lambda info: not (info.waiting or info.in_flight))
    await subscription.close()
    await client.publish(channel, bid(5))
    again = await client.subscribe(channel, name="bidder")  # the past was asked for once
    assert await seqs(again, 1) == [5]


async def test_what_was_not_taken_of_the_past_still_waits_for_a_name(lasting: Service) -> None:
    client, channel = await made(lasting)
    await (await client.subscribe(channel, name="bidder")).close()
    for price in (1, 2, 3):
        await client.publish(channel, bid(price))
    async with await client.subscribe(channel, name="bidder", since=0) as subscription:
        assert (await anext(subscription)).seq == 1
    again = await client.subscribe(channel, name="bidder")
    assert await seqs(again, 3) == [1, 2, 3]


async def test_batches_of_the_past(lasting: Service) -> None:
    client, channel = await made(lasting, *range(5))
    subscription = await client.subscribe(channel, since=0)
    await client.publish(channel, bid(6))
    found: list[int] = []
    async for batch in subscription.batches(most=2):
        assert len(batch) <= 2
        assert all(subscription.replayed(message) for message in batch)
        found += [message.seq for message in batch]
        if len(found) == 6:
            break
    assert found == [1, 2, 3, 4, 5, 6]


async def test_closing_ends_the_past_too(lasting: Service) -> None:
    client, channel = await made(lasting, 1, 2, 3)
    for end in (Subscription.close, Subscription.delete):
        subscription = await client.subscribe(channel, since=0)
        assert (await anext(subscription)).seq == 1
        await end(subscription)
        assert [one async for one in subscription] == []
    subscription = await client.subscribe(channel, since=0)
    await channel.destroy()
    assert [one async for one in subscription] == []


@pytest.mark.parametrize("seed", range(4))
async def test_whoever_joins_sees_every_event_from_its_start_once(
    lasting: Service, seed: int
) -> None:
    chosen = random.Random(seed)
    client, channel = await made(lasting, 1)
    done = asyncio.Event()

    async def publish(publisher_seed: int) -> None:
        chosen = random.Random(publisher_seed)
        publisher = await client.publisher(channel)
        for _ in range(40):
            prices = [chosen.randrange(100) for _ in range(chosen.randrange(1, 6))]
            make = fleeting if chosen.random() < 0.2 else bid
            await publisher.publish_many(make(price) for price in prices)
            for _ in range(chosen.randrange(4)):
                await asyncio.sleep(0)

    async def join(at: int) -> None:
        chosen = random.Random(at)
        for _ in range(chosen.randrange(200)):
            await asyncio.sleep(0)
        wanted = chosen.choice([None, "$price < 50", ["$price < 20", "$price > 70"]])
        name = f"joins {at}" if chosen.random() < 0.3 else ""
        if name and chosen.random() < 0.5:
            await (await client.subscribe(channel, wanted, name=name)).close()
        seen = await client.peek(channel, most=1_000)
        since = chosen.choice([0, chosen.choice(seen).arrival])
        subscription = await client.subscribe(
            channel, wanted, name=name, since=since, window=chosen.choice([1, 4, 256])
        )
        found: list[int] = []
        await take(subscription, found, done.is_set)
        expected = set(await past(client, channel, wanted=wanted, since=since))
        await take(subscription, found, lambda: expected <= set(found))
        assert len(set(found)) == len(found)

    joining = [asyncio.ensure_future(join(chosen.randrange(10**6))) for _ in range(8)]
    await asyncio.gather(*(publish(chosen.randrange(10**6)) for _ in range(3)))
    done.set()
    await asyncio.gather(*joining)
