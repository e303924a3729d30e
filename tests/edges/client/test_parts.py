"""Parts of a client without a service: proxies, publishers, subscriptions, and the past."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest

from tests.edges.engine.recorded_answers import RecordedAnswers, delivery, message, turns
from tests.promises.services import bid
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.vocabulary import Form, Side
from tidings.client import past as past_module
from tidings.client.client import Client
from tidings.client.managing import Admin, constraints
from tidings.client.past import Past, Replay
from tidings.client.publishing import Publisher
from tidings.client.subscription import Subscription
from tidings.client.transport import Transport
from tidings.engine.endpoints import BufferEndpoint
from tidings.errors import (
    ChannelNotFound,
    CursorNotFound,
    Disconnected,
    InvalidEvent,
    InvalidUsage,
    Stopping,
)


class FakeTransport:
    """Writes down what it is asked; answers each kind of command from a list, errors are raised."""

    def __init__(self, **answers: list[object]) -> None:
        self.asked: list[Any] = []
        self._answers = answers

    async def ask(self, command: object) -> object:
        """The next answer to this kind of command; None if there is none left."""
        self.asked.append(command)
        waiting = self._answers.get(type(command).__name__)
        answer = waiting.pop(0) if waiting else None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def tell(self, command: object) -> None:
        self.asked.append(command)

    @property
    def kinds(self) -> list[str]:
        """Of which kinds the commands were."""
        return [type(command).__name__ for command in self.asked]


@pytest.mark.parametrize("wanted", [5, [5], [None], {"$price > 1": 2}, b"$price > 1"])
def test_what_is_no_constraint_is_refused(wanted: Any) -> None:
    with pytest.raises(InvalidUsage, match="a constraint is a text"):
        constraints(wanted)


@pytest.mark.parametrize(("again", "asked"), [(False, ["Disconnect"]), (True, [])])
async def test_a_proxy_that_cannot_be_connected_ends_unless_it_was_there_before(
    again: bool, asked: list[str]
) -> None:
    async def refuse() -> None:
        raise InvalidUsage("no")

    transport: Any = FakeTransport()
    with pytest.raises(InvalidUsage):
        await Client(transport)._linked(Connect(1, 7, again=again), refuse())
    assert transport.kinds == asked


@pytest.mark.parametrize("place", [(1, Side.SUPPLIER), (2, Side.CONSUMER)])
async def test_an_admin_of_another_kind_is_refused(place: tuple[int, Side]) -> None:
    transport: Any = FakeTransport()
    admin = Admin(transport, *place, 0)
    with pytest.raises(InvalidUsage, match="is no consumer admin of channel 1"):
        await Client(transport)._obtain(ObtainProxy(1, form=Form.ANY), admin)
    assert transport.asked == []


def publishing(last: int = 0, **answers: list[object]) -> tuple[Publisher, FakeTransport]:
    transport: Any = FakeTransport(**answers)
    connect = Connect(1, 2)
    made = Publisher(transport, connect, None, origin="ab", producer="house", last=last)
    return made, transport


async def test_numbers_rise_over_all_ways_to_publish() -> None:
    publisher, transport = publishing(last=10, Push=[[1], [2, 3], [4], [5]])
    await publisher.publish(bid(1))
    await publisher.publish_many([bid(2), bid(3)])
    await publisher.publish(bid(4), number=40)
    await publisher.publish(bid(5))
    marks = [(mark.producer, mark.number) for push in transport.asked for mark in push.marks]
    assert marks == [("house", number) for number in (11, 12, 13, 40, 41)]
    for number in (-1, 2**63):
        with pytest.raises(InvalidEvent, match="number"):
            await publisher.publish(bid(0), number=number)


async def test_the_receipts_of_the_first_thousands_are_kept_when_a_later_push_fails() -> None:
    gone = ChannelNotFound("gone")
    publisher, transport = publishing(Push=[list(range(1, 1001)), gone])
    answers = await publisher.publish_many([bid(0)] * 2_500)
    assert answers[:1000] == [("ab", seq) for seq in range(1, 1001)]
    assert answers[1000:] == [gone] * 1_500
    assert [len(push.items) for push in transport.asked] == [1_000, 1_000]


def subscribed() -> tuple[Subscription, BufferEndpoint, RecordedAnswers]:
    stream, answers = BufferEndpoint(), RecordedAnswers()
    stream.attach(answers)
    transport: Any = FakeTransport()
    return Subscription(transport, Connect(1, 2), stream, named=True, manual=False), stream, answers


async def test_an_event_that_comes_with_the_cancellation_is_not_lost() -> None:
    subscription, stream, answers = subscribed()
    assert len(subscription) == 0
    assert subscription  # though it has no events
    waiting = asyncio.create_task(subscription.next(10))
    await asyncio.sleep(0)
    stream.deliver(delivery(1))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(subscription) == 1
    found = await subscription.next(0)
    assert found is not None
    assert found.seq == 1
    await asyncio.sleep(0)
    assert answers.said == []


async def test_saying_what_became_of_one_of_a_batch_leaves_the_others_to_the_next() -> None:
    subscription, stream, answers = subscribed()
    stream.deliver(delivery(1, 2, 3))
    batches = subscription.batches()
    batch = await anext(batches)
    subscription.reject(batch[1], "no")
    stream.deliver(delivery(4))
    await anext(batches)
    await asyncio.sleep(0)
    assert [said[:2] for said in answers.said] == [("reject", [2]), ("ack", [1, 3])]


class Pages:
    """A transport with a past, in pages, that answers while `free` is set."""

    def __init__(self, *pages: Sequence[int] | Exception) -> None:
        self.asked = 0
        self.free = asyncio.Event()
        self.free.set()
        self._pages = list(pages)

    async def history(self, *asked: object) -> Any:
        self.asked += 1
        await self.free.wait()
        page = self._pages.pop(0)
        if isinstance(page, Exception):
            raise page
        messages, after = [message(seq) for seq in page], max(page, default=0)
        end = not self._pages
        return SimpleNamespace(messages=messages, next=after, end=end, last=99, lost=())


def replayed(
    *pages: Sequence[int] | Exception,
) -> tuple[Replay, BufferEndpoint, RecordedAnswers, Pages]:
    live, answers, transport = BufferEndpoint(), RecordedAnswers(), Pages(*pages)
    live.attach(answers)
    past = Past(cast("Transport", transport), 1, (None, None), since=7)
    return Replay(live, past), live, answers, transport


async def test_the_past_comes_first_and_what_both_have_comes_once() -> None:
    replay, live, answers, _ = replayed([1, 2], [], [3, 5])
    live.deliver(delivery(3, 4, 5, 6))
    assert len(replay) == 4
    assert replay.get_nowait() is None  # nothing overtakes the past
    assert [(await replay.get()).seq for _ in range(5)] == [1, 2, 3, 5, 4]
    last = replay.get_nowait()
    assert last is not None
    assert last.seq == 6
    assert replay.get_nowait() is None
    assert [seq for seq in range(1, 8) if replay.replayed(seq)] == [1, 2, 3, 5]
    await turns()
    assert answers.said == [("ack", [3, 5])]  # of what was not handed out


async def test_what_was_replayed_is_not_told_to_the_service() -> None:
    replay, live, answers, _ = replayed([1, 2, 3])
    live.deliver(delivery(4, 5, 6, again=[4]))
    found = [await replay.get() for _ in range(6)]
    assert [replay.redelivered(one.seq) for one in found] == [False] * 3 + [True, False, False]
    replay.ack(found[0])
    replay.reject(found[1], "no")
    replay.ack_many(found[2:4])
    await turns()
    assert answers.said == [("ack", [4])]
    replay.ack(found[4])
    replay.reject(found[5], "no")
    assert answers.said[1:] == [("ack", [5]), ("reject", [6], "no")]


async def test_what_failed_comes_again_after_a_pause_before_the_rest() -> None:
    replay, live, answers, _ = replayed([1, 2])
    live.deliver(delivery(3))
    with mock.patch.object(past_module, "_PAUSE", 0.02):
        replay.fail(await replay.get(), "later")
        assert replay.get_nowait() is None
        before = asyncio.get_running_loop().time()
        assert [(await replay.get()).seq for _ in range(3)] == [1, 2, 3]
        assert asyncio.get_running_loop().time() >= before + 0.01
    replay.fail(message(3), "later")
    assert answers.said == [("failed", [3], "later", False)]


async def test_batches_of_the_past_end_where_it_ends() -> None:
    replay, live, _, _ = replayed([1, 2, 3])
    live.deliver(delivery(2, 3))
    assert [one.seq for one in await replay.batch(2)] == [1, 2]
    assert [one.seq for one in await replay.batch(2)] == [3]
    waiting = asyncio.create_task(cast("Coroutine[Any, Any, Any]", replay.batch(2)))
    await turns()
    assert not waiting.done()
    live.deliver(delivery(4))
    assert [one.seq for one in await waiting] == [4]


async def test_stopping_ends_the_past() -> None:
    replay, live, _, transport = replayed([1, 2], [3])
    assert (await replay.get()).seq == 1
    replay.stop()
    live.close()
    with pytest.raises(Disconnected):
        await replay.get()
    assert transport.asked == 1
    replay, live, _, transport = replayed([1])
    transport.free.clear()
    waiting = asyncio.create_task(cast("Coroutine[Any, Any, Any]", replay.get()))
    await turns()
    replay.stop()
    live.close()
    transport.free.set()
    with pytest.raises(Disconnected):
        await waiting


async def test_nobody_complains_of_a_page_that_nobody_waits_for() -> None:
    replay, _, _, transport = replayed(Stopping("the client is closed"))
    transport.free.clear()
    waiting = asyncio.create_task(cast("Coroutine[Any, Any, Any]", replay.get()))
    await turns()
    waiting.cancel()
    transport.free.set()
    await turns()
    del replay


async def test_a_past_that_is_not_kept_any_more_is_told() -> None:
    replay, _, _, _ = replayed([1], CursorNotFound("not kept"), [5])
    assert (await replay.get()).seq == 1
    with pytest.raises(CursorNotFound, match="not kept"):
        await replay.get()
