"""What is rejected or given up becomes a dead letter, with its causes; and the way back."""

from __future__ import annotations

import pytest

from tests.promises.services import Service, bid, eventually, known, seen, seqs
from tidings.channel.questions import (
    CountDeadLetters,
    DropDeadLetters,
    RedriveDeadLetters,
    SeeDeadLetters,
)
from tidings.channel.views import DeadLetterInfo
from tidings.client.client import Client
from tidings.engine.access import ANONYMOUS, Caller
from tidings.errors import Forbidden, InvalidConstraint, NotFound

pytestmark = pytest.mark.not_over_corba("letters")


async def dead(client: Client, count: int) -> list[DeadLetterInfo]:
    """The dead letters, as soon as there are so many."""

    async def look() -> list[DeadLetterInfo]:
        return list(await client.dead_letters())

    return await seen(look, lambda found: len(found) >= count)


async def test_what_is_rejected_can_be_delivered_again(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction", persistent=True)
    subscription = await client.subscribe(channel, name="bidder")
    for price in (1, 2):
        await client.publish(channel, bid(price))
    first = await anext(subscription)
    first.retry("the disk is full")
    first = await anext(subscription)
    first.reject("the price is in another currency")
    assert await seqs(subscription, 1) == [2]
    [letter] = await dead(client, 1)
    assert (letter.channel, letter.proxy, letter.seq) == (channel.id, subscription.proxy, 1)
    assert [cause.reason for cause in letter.causes] == [
        "the disk is full",
        "the price is in another currency",
    ]
    assert letter.event == bid(1)
    await lasting.restart(kill=True)
    client = await lasting.client()
    subscription = await client.subscribe("auction", name="bidder")
    [letter] = await client.dead_letters("auction")
    await client.redrive(letter.id)
    deliveries = [await subscription.next(0.1) for _ in range(2)]
    [again] = [delivery for delivery in deliveries if delivery and delivery.seq == 1]
    assert again.redelivered
    assert again.event == bid(1)
    assert await client.dead_letters() == []
    with pytest.raises(NotFound):
        await client.redrive(letter.id)


async def test_dead_letters_come_in_pages_and_can_be_dropped(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel(persistent=True)
    other = await client.create_channel(persistent=True)
    subscription = await client.subscribe(channel)
    for price in range(5):
        await client.publish(channel, bid(price))
        (await anext(subscription)).reject("no")
    letters = await dead(client, 5)
    assert [letter.seq for letter in letters] == [1, 2, 3, 4, 5]
    page = await client.dead_letters(channel, after=letters[1].id, most=2)
    assert [letter.seq for letter in page] == [3, 4]
    assert await client.dead_letters(other) == []
    await client.drop_dead_letter(letters[0].id)
    with pytest.raises(NotFound):
        await client.drop_dead_letter(letters[0].id)
    assert [letter.seq for letter in await client.dead_letters()] == [2, 3, 4, 5]


async def test_many_are_counted_delivered_again_and_dropped_by_a_constraint(
    lasting: Service,
) -> None:
    owner, ann = await lasting.client(), await lasting.client(Caller("ann"))
    channel = await owner.create_channel("auction", persistent=True)
    subscriptions = [await ann.subscribe(channel), await owner.subscribe(channel)]
    for price in range(1, 5):
        await owner.publish(channel, bid(price))
    for subscription in subscriptions:
        for _ in range(4):
            (await anext(subscription)).reject("no")
    letters = await dead(owner, 8)
    ann_s, matching = subscriptions[0].proxy, "$price > 1"
    ask = owner.transport.request
    assert await ask(CountDeadLetters(channel.id)) == 8
    assert await ask(CountDeadLetters(proxy=ann_s, matching=matching)) == 3
    assert await ann.transport.request(CountDeadLetters(matching=matching)) == 3
    found = await ask(SeeDeadLetters(after=letters[0].id, most=2, matching="$price == 2"))
    assert [(one.seq, one.event) for one in found] == [(2, bid(2)), (2, bid(2))]
    for question in (SeeDeadLetters, CountDeadLetters, RedriveDeadLetters, DropDeadLetters):
        with pytest.raises(InvalidConstraint):
            await ask(question(matching="$price >"))
    # Whoever may not use a subscription neither counts nor drops what was for it.
    bob = await lasting.client(Caller("bob"))
    assert await bob.transport.request(CountDeadLetters()) == 0
    assert await bob.transport.request(DropDeadLetters()) == 0
    assert await ask(DropDeadLetters("auction", matching, 2, ann_s)) == 2
    assert await ask(RedriveDeadLetters(channel.id, matching, proxy=ann_s)) == 1
    assert await seqs(subscriptions[0], 1) == [4]
    assert await ask(CountDeadLetters()) == 5


async def test_a_consumer_that_always_fails_is_given_up(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel(persistent=True)
    calls: list[int] = []

    def handler(message: object) -> None:
        calls.append(1)
        raise ValueError("never")

    handled = await client.handle(channel, handler)
    await client.publish(channel, bid(1))
    [letter] = await dead(client, 1)
    assert len(calls) == 3  # the retry limit here
    assert letter.causes[0].reason == "ValueError: never"
    with pytest.raises(NotFound):
        await handled.info()
    with pytest.raises(NotFound):
        await client.redrive(letter.id)
    assert [one.id for one in await client.dead_letters()] == [letter.id]


async def test_pulled_events_can_be_rejected(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel(persistent=True)
    puller = await client.puller(channel, name="bidder")
    await client.publish(channel, bid(1))
    [delivery] = await puller.pull(lease=30)
    delivery.reject("no")
    await dead(client, 1)
    assert (await known(puller, lambda info: not info.in_flight)).waiting == 0


async def test_only_who_may_use_a_subscription_sees_its_dead_letters(lasting: Service) -> None:
    owner = await lasting.client()
    channel = await owner.create_channel(persistent=True)
    ann, bob = [await lasting.client(Caller(name)) for name in ("ann", "bob")]
    subscription = await ann.subscribe(channel, name="ann's")
    await owner.publish(channel, bid(1))
    (await anext(subscription)).reject("no")
    [letter] = await dead(ann, 1)
    for other in (bob, await lasting.client(ANONYMOUS)):
        assert await other.dead_letters() == []
        for attempt in (other.redrive(letter.id), other.drop_dead_letter(letter.id)):
            with pytest.raises(Forbidden, match="may not use proxy 1 of channel 1 of ann"):
                await attempt
    assert [one.id for one in await owner.dead_letters()] == [letter.id]
    await ann.redrive(letter.id)
    await eventually(lambda: len(subscription) == 1)
    assert await owner.dead_letters() == []


async def test_in_memory_no_dead_letters_are_kept(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    await client.publish(channel, bid(1))
    (await anext(subscription)).reject("no")
    info = await known(subscription, lambda info: not info.in_flight)
    assert info.counts["rejected"] == 1


@pytest.mark.parametrize("reason", ["no such file: \udcff", 5])
async def test_a_reason_that_is_no_text_stops_nobody(lasting: Service, reason: str) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction", persistent=True)
    subscription = await client.subscribe(channel, name="bidder")
    await client.publish(channel, bid(1))
    (await anext(subscription)).reject(reason)
    [letter] = await dead(client, 1)
    kept = [cause.reason for cause in letter.causes]
    assert (await client.publish(channel, bid(2))).seq == 2
    await lasting.restart(kill=True)
    [letter] = await (await lasting.client()).dead_letters()
    assert [cause.reason for cause in letter.causes] == kept
