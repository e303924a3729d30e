"""Suppliers, and the consumer that takes when it likes; handlers are in test_handlers.py."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.engine.recorded_answers import RecordedAnswers, delivery, message, turns
from tidings.channel.vocabulary import Item
from tidings.engine.bodies import Message
from tidings.engine.endpoints import BufferEndpoint, PullSupplierEndpoint, SupplierEndpoint
from tidings.errors import Disconnected, Stopping
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern

ALARM, NEWS = EventTypePattern("d", "alarm"), EventTypePattern("d", "news")


def _buffer() -> tuple[BufferEndpoint, RecordedAnswers]:
    endpoint, answers = BufferEndpoint(), RecordedAnswers()
    endpoint.attach(answers)
    return endpoint, answers


def test_events_are_taken_in_order_and_acknowledged_once_a_turn() -> None:
    async def scene() -> None:
        endpoint, answers = _buffer()
        endpoint.deliver(delivery(1, 2))
        endpoint.deliver(delivery(3))
        assert len(endpoint) == 3
        first = await endpoint.get()
        second = endpoint.get_nowait()
        assert second is not None
        assert (first.seq, second.seq) == (1, 2)
        endpoint.ack(first)
        endpoint.ack(second)
        assert answers.said == []
        await turns()
        assert answers.said == [("ack", [1, 2])]
        endpoint.ack(await endpoint.get())
        await turns()
        assert answers.said == [("ack", [1, 2]), ("ack", [3])]
        assert endpoint.get_nowait() is None

    asyncio.run(scene())


def test_who_waits_is_woken() -> None:
    async def scene() -> None:
        endpoint, _ = _buffer()
        readers = [asyncio.create_task(endpoint.get()) for _ in range(2)]
        await turns()
        endpoint.deliver(delivery(1))
        assert (await readers[0]).seq == 1
        await turns()
        assert not readers[1].done()
        endpoint.deliver(delivery(2))
        assert (await readers[1]).seq == 2

    asyncio.run(scene())


def test_a_batch_has_what_is_there_up_to_its_size() -> None:
    async def scene() -> None:
        endpoint, _ = _buffer()
        waiting = asyncio.create_task(endpoint.batch(2))
        await turns()
        endpoint.deliver(delivery(1, 2, 3))
        assert [found.seq for found in await waiting] == [1, 2]
        assert [found.seq for found in await endpoint.batch(100)] == [3]

    asyncio.run(scene())


def test_a_reader_that_gives_up_takes_nothing_and_leaves_nothing() -> None:
    async def scene() -> None:
        endpoint, _ = _buffer()
        for _ in range(3):
            reader = asyncio.create_task(endpoint.get())
            await turns()
            reader.cancel()
            await turns()
        assert endpoint._readers == []
        # Given up in the very turn in which it was woken.
        reader = asyncio.create_task(endpoint.get())
        await turns()
        endpoint.deliver(delivery(1))
        reader.cancel()
        await turns()
        assert (await endpoint.get()).seq == 1

    asyncio.run(scene())


def test_what_may_have_come_before_is_marked_until_it_is_acknowledged() -> None:
    async def scene() -> None:
        endpoint, _ = _buffer()
        endpoint.deliver(delivery(1, 2, 3, again=[1, 3]))
        assert [endpoint.redelivered(seq) for seq in (1, 2, 3)] == [True, False, True]
        endpoint.ack(await endpoint.get())
        endpoint.reject(message(3), "no")
        await turns()
        assert not endpoint.redelivered(1)
        assert not endpoint.redelivered(3)

    asyncio.run(scene())


def test_an_event_that_failed_takes_those_behind_it_along() -> None:
    async def scene() -> None:
        endpoint, answers = _buffer()
        endpoint.deliver(delivery(1, 2, 3, 4))
        endpoint.ack(await endpoint.get())
        endpoint.fail(await endpoint.get(), "busy")
        assert answers.said == [("ack", [1]), ("failed", [2, 3, 4], "busy", False)]
        assert endpoint.get_nowait() is None

    asyncio.run(scene())


def test_a_rejected_event_goes_alone() -> None:
    async def scene() -> None:
        endpoint, answers = _buffer()
        endpoint.deliver(delivery(1, 2, 3))
        endpoint.ack(await endpoint.get())
        endpoint.reject(await endpoint.get(), "nonsense")
        assert answers.said == [("ack", [1]), ("reject", [2], "nonsense")]
        assert (await endpoint.get()).seq == 3

    asyncio.run(scene())


def test_closing_tells_who_waits_and_who_comes_later() -> None:
    async def scene() -> None:
        endpoint, answers = _buffer()
        endpoint.deliver(delivery(1, 2))
        taken = await endpoint.get()
        endpoint.ack(taken)
        endpoint.close(Stopping("good night"))
        assert answers.said == [("ack", [1])]
        endpoint.close(ValueError("too late"))
        endpoint.deliver(delivery(3))
        assert len(endpoint) == 0
        for call in (endpoint.get(), endpoint.batch(5)):
            with pytest.raises(Stopping, match="good night"):
                await call
        with pytest.raises(Stopping):
            endpoint.get_nowait()
        endpoint.ack(taken)
        endpoint.fail(taken, "late")
        endpoint.reject(taken, "late")
        await turns()
        assert answers.said == [("ack", [1])]

    asyncio.run(scene())


def test_a_reader_hears_that_the_proxy_is_gone() -> None:
    async def scene() -> None:
        endpoint, _ = _buffer()
        readers = [asyncio.create_task(endpoint.get()) for _ in range(2)]
        await turns()
        endpoint.disconnected()
        for reader in readers:
            with pytest.raises(Disconnected, match="the subscription has ended"):
                await reader

    asyncio.run(scene())


def test_all_consumers_get_the_same_message() -> None:
    async def scene() -> tuple[Message, Message]:
        batch = delivery(1)
        (one, _), (other, _) = _buffer(), _buffer()
        one.deliver(batch)
        other.deliver(batch)
        return await one.get(), await other.get()

    first, second = asyncio.run(scene())
    assert first is second


def test_an_iterator_hears_of_offers() -> None:
    async def scene() -> None:
        heard: list[object] = []
        endpoint = BufferEndpoint(on_offers=lambda *what: heard.append(what))
        endpoint.offers((ALARM,), ())
        await turns()
        assert heard == [((ALARM,), ())]

    asyncio.run(scene())


def test_a_supplier_hears_later_what_is_wanted_and_once_that_it_is_over() -> None:
    async def scene() -> None:
        heard: list[object] = []
        endpoint = SupplierEndpoint(
            lambda *what: heard.append(what), lambda: heard.append("disconnected")
        )
        endpoint.subscriptions((ALARM,), (NEWS,))
        assert heard == []
        endpoint.disconnected()
        endpoint.disconnected()
        await turns()
        assert heard == [((ALARM,), (NEWS,)), "disconnected"]
        deaf = SupplierEndpoint()
        deaf.subscriptions((ALARM,), ())
        deaf.disconnected()

    asyncio.run(scene())


def test_an_error_of_the_suppliers_is_reported_by_the_loop_not_raised() -> None:
    async def scene() -> None:
        reported: list[object] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: reported.append(context["exception"])
        )
        error = ValueError("mine")

        def trouble(*_: object) -> None:
            raise error

        endpoint = SupplierEndpoint(trouble, trouble)
        endpoint.subscriptions((), ())
        endpoint.disconnected()
        await turns()
        assert reported == [error, error]

    asyncio.run(scene())


def test_a_pull_supplier_may_give_one_event_several_or_none_in_either_way() -> None:
    async def scene() -> None:
        a, b = StructuredEvent(name="a"), StructuredEvent(name="b")
        answers: list[Item | list[Item] | None] = [None, a, [a, b], []]

        async def later(found: Item | list[Item] | None) -> Item | list[Item] | None:
            await asyncio.sleep(0)
            return found

        for plain in (True, False):
            given = iter(answers)
            endpoint = PullSupplierEndpoint(
                lambda _, given=given, plain=plain: (  # type: ignore[misc]
                    next(given) if plain else later(next(given))
                )
            )
            assert [list(await endpoint.try_pull(5)) for _ in range(4)] == [[], [a], [a, b], []]

    asyncio.run(scene())


def test_what_a_pull_supplier_gives_too_much_is_kept_for_the_next_time() -> None:
    async def scene() -> None:
        events = [StructuredEvent(name=str(number)) for number in range(5)]
        asked: list[int] = []

        def source(most: int) -> list[Item]:
            asked.append(most)
            return [*events]

        endpoint = PullSupplierEndpoint(source)
        taken = [list(await endpoint.try_pull(2)) for _ in range(4)]
        assert taken == [events[:2], events[2:4], events[4:], events[:2]]
        assert asked == [2, 2]

    asyncio.run(scene())


@pytest.mark.parametrize("error", [Disconnected("gone"), ValueError("no")])
def test_what_a_pull_supplier_raises_is_passed_on(error: Exception) -> None:
    def source(most: int) -> None:
        raise error

    with pytest.raises(type(error)):
        asyncio.run(PullSupplierEndpoint(source).try_pull(1))
