from __future__ import annotations

import asyncio

import pytest

from tests.unit.client.fake_transport import FakeTransport
from tests.unit.engine.recorded_answers import RecordedAnswers, delivery
from tidings.client.subscription import Subscription
from tidings.engine.endpoints import BufferEndpoint


def _subscribed(*, manual: bool = False) -> tuple[Subscription, BufferEndpoint, RecordedAnswers]:
    stream, answers = BufferEndpoint(), RecordedAnswers()
    stream.attach(answers)
    transport = FakeTransport().as_transport()
    return (
        Subscription(transport, 1, 2, stream, named=True, manual=manual),
        stream,
        answers,
    )


def test_an_event_that_comes_with_the_cancellation_is_not_lost() -> None:
    async def scene() -> None:
        subscription, stream, answers = _subscribed()
        waiting = asyncio.create_task(subscription.next(10))
        await asyncio.sleep(0)
        stream.deliver(delivery(1))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        found = await subscription.next(0)
        assert found is not None
        assert found.seq == 1
        await asyncio.sleep(0)
        assert answers.said == []

    asyncio.run(scene())


def test_an_event_that_comes_with_the_end_of_patience_is_not_lost() -> None:
    async def scene() -> None:
        subscription, stream, _ = _subscribed()
        loop = asyncio.get_running_loop()
        waiting = asyncio.create_task(subscription.next(0))
        await asyncio.sleep(0)
        loop.call_soon(stream.deliver, delivery(1))
        first = await waiting
        second = await subscription.next(0)
        assert [one.seq for one in (first, second) if one is not None] == [1]

    asyncio.run(scene())


def test_a_subscription_without_events_is_still_true() -> None:
    async def scene() -> None:
        subscription, stream, _ = _subscribed()
        assert len(subscription) == 0
        assert subscription
        stream.deliver(delivery(1))
        assert len(subscription) == 1

    asyncio.run(scene())


def test_a_delivery_knows_its_event() -> None:
    async def scene() -> None:
        subscription, stream, _ = _subscribed()
        stream.deliver(delivery(5))
        found = await anext(subscription)
        assert found.event is found.message.event
        assert found.id == (found.message.origin, 5)

    asyncio.run(scene())


def test_saying_what_became_of_one_of_a_batch_leaves_the_others_to_the_next() -> None:
    async def scene() -> None:
        subscription, stream, answers = _subscribed()
        stream.deliver(delivery(1, 2, 3))
        batches = subscription.batches()
        batch = await anext(batches)
        subscription.reject(batch[1], "no")
        stream.deliver(delivery(4))
        await anext(batches)
        await asyncio.sleep(0)
        assert [said[:2] for said in answers.said] == [("reject", [2]), ("ack", [1, 3])]

    asyncio.run(scene())
