"""Clients' ends: the consumer that takes when it likes, handlers that are called, quiet ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.edges.engine.recorded_answers import RecordedAnswers, delivery, message, turns, until
from tidings import inbox
from tidings.channel.effects import Message
from tidings.channel.functions import error_text
from tidings.engine.endpoints import BufferEndpoint, Endpoint, HandlerEndpoint
from tidings.errors import Disconnected, Stopping, WrongClient


def _buffer() -> tuple[BufferEndpoint, RecordedAnswers]:
    endpoint, answers = BufferEndpoint(), RecordedAnswers()
    endpoint.attach(answers)
    return endpoint, answers


async def test_what_may_have_come_before_is_marked_until_it_is_acknowledged() -> None:
    endpoint, _ = _buffer()
    endpoint.deliver(delivery(1, 2, 3, again=[1, 3]))
    assert [endpoint.redelivered(seq) for seq in (1, 2, 3)] == [True, False, True]
    endpoint.ack(await endpoint.get())
    endpoint.reject(message(3), "no")
    await turns()
    assert not endpoint.redelivered(1)
    assert not endpoint.redelivered(3)


async def test_closing_tells_who_waits_and_who_comes_later() -> None:
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


async def test_a_reader_hears_that_the_proxy_is_gone() -> None:
    endpoint, _ = _buffer()
    readers = [asyncio.create_task(endpoint.get()) for _ in range(2)]
    await turns()
    endpoint.disconnected()
    for reader in readers:
        with pytest.raises(Disconnected, match="the subscription has ended"):
            await reader


def _handled(handler: Callable[..., object]) -> tuple[HandlerEndpoint, RecordedAnswers]:
    endpoint, answers = HandlerEndpoint(handler), RecordedAnswers()
    endpoint.attach(answers)
    return endpoint, answers


class _Consumer:
    """Writes down what it is called with, and raises at the number 1 if it has an error.

    Args:
        kind: ``plain``, ``eager`` (a coroutine that never waits) or ``waiting``.
    """

    def __init__(self, kind: str, error: BaseException | None = None) -> None:
        self.kind = kind
        self.error = error
        self.seen: list[int] = []

    def _see(self, handed: Message) -> None:
        self.seen.append(handed.seq)
        if self.error is not None and handed.seq == 1:
            raise self.error

    def __call__(self, handed: Message) -> object:
        if self.kind != "plain":
            return self._later(handed)
        self._see(handed)
        return None

    async def _later(self, handed: Message) -> str:
        if self.kind == "waiting":
            await asyncio.sleep(0)
        self._see(handed)
        return "answers of handlers are ignored"


def _acked(answers: RecordedAnswers) -> list[int]:
    return [seq for said in answers.said if said[0] == "ack" for seq in said[1]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["plain", "eager", "waiting"])
async def test_who_says_disconnected_is_gone_and_who_is_closed_is_called_no_more(kind: str) -> None:
    endpoint, answers = _handled(_Consumer(kind, Disconnected("bye")))
    endpoint.deliver(delivery(1, 2))
    await until(lambda: answers.said)
    assert answers.said == [("failed", [1, 2], "Disconnected: bye", True)]

    consumer = _Consumer(kind)
    endpoint, answers = _handled(consumer)
    endpoint.deliver(delivery(1, 2))
    endpoint.close()
    endpoint.deliver(delivery(3))
    await turns(20)
    assert (consumer.seen, answers.said) == ([], [])


async def test_a_handler_that_hangs_holds_up_nobody_and_is_never_called_twice_at_once() -> None:
    running: list[int] = []

    async def hang(handed: Message) -> None:
        running.append(handed.seq)
        await asyncio.Event().wait()

    stuck, silent = _handled(hang)
    free, answers = _handled(_Consumer("waiting"))
    stuck.deliver(delivery(1, 2))
    free.deliver(delivery(1, 2))
    stuck.deliver(delivery(3))
    await until(lambda: _acked(answers) == [1, 2])
    assert (running, silent.said) == ([1], [])
    stuck.cancel()
    await turns()
    assert stuck._task is not None
    assert stuck._task.cancelled()
    assert silent.said == []


async def test_a_handler_that_takes_long_lets_others_have_a_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inbox, "TURN", -1.0)
    endpoint, answers = _handled(_Consumer("plain"))
    endpoint.deliver(delivery(1, 2, 3))
    await until(lambda: _acked(answers) == [1, 2, 3])
    assert answers.said == [("ack", [1]), ("ack", [2]), ("ack", [3])]


async def test_something_cancelled_inside_the_handler_is_a_failure_like_others() -> None:
    endpoint, answers = _handled(_Consumer("waiting", asyncio.CancelledError()))
    endpoint.deliver(delivery(1))
    await until(lambda: answers.said)
    assert answers.said == [("failed", [1], "CancelledError: ", False)]
    endpoint.deliver(delivery(2))
    await until(lambda: _acked(answers) == [2])


async def test_a_consumer_hears_later_of_offers() -> None:
    heard: list[object] = []
    endpoint = BufferEndpoint(lambda *what: heard.append(what))
    endpoint.attach(RecordedAnswers())
    endpoint.offers((), ())
    assert heard == []
    await turns()
    assert heard == [((), ())]


async def test_a_quiet_endpoint_hears_everything_and_takes_nothing() -> None:
    endpoint, answers = Endpoint(), RecordedAnswers()
    endpoint.attach(answers)
    endpoint.offers((), ())
    endpoint.subscriptions((), ())
    endpoint.flush()
    endpoint.disconnected()
    endpoint.close(ValueError())
    endpoint.cancel()
    assert answers.said == []
    endpoint.deliver(delivery(4, 5))
    reason = "Endpoint takes no events: connect a push consumer"
    assert answers.said == [("failed", [4, 5], reason, False)]
    with pytest.raises(WrongClient, match="cannot be asked for 3 events"):
        await endpoint.try_pull(3)


def test_errors_that_cannot_say_what_they_are() -> None:
    class Speechless(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert error_text(ValueError("no")) == "ValueError: no"
    assert error_text(Speechless()) == "Speechless"
