"""`HandlerEndpoint` of endpoints.py: functions and coroutines that are called with events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from tests.unit.engine.recorded_answers import RecordedAnswers, delivery, turns, until
from tidings.channel.vocabulary import Form
from tidings.engine.bodies import Message
from tidings.engine.endpoints import HandlerEndpoint
from tidings.errors import Disconnected


def _handled(handler: Callable[..., object]) -> tuple[HandlerEndpoint, RecordedAnswers]:
    endpoint, answers = HandlerEndpoint(handler), RecordedAnswers()
    endpoint.attach(answers)
    return endpoint, answers


class _Consumer:
    """Writes down what it is called with, and raises at some numbers.

    Args:
        kind: ``plain``, ``eager`` (a coroutine that never waits) or ``waiting``.
        errors: By number, what is raised.
    """

    def __init__(self, kind: str, errors: dict[int, BaseException] | None = None) -> None:
        self.kind = kind
        self.errors = errors or {}
        self.seen: list[int | list[int]] = []

    def _see(self, handed: Message | list[Message]) -> None:
        seqs = [each.seq for each in handed] if isinstance(handed, list) else handed.seq
        self.seen.append(seqs)
        for seq in seqs if isinstance(seqs, list) else [seqs]:
            if seq in self.errors:
                raise self.errors[seq]

    def __call__(self, handed: Message | list[Message]) -> object:
        if self.kind != "plain":
            return self._later(handed)
        self._see(handed)
        return None

    async def _later(self, handed: Message | list[Message]) -> str:
        if self.kind == "waiting":
            await asyncio.sleep(0)
        self._see(handed)
        return "answers of handlers are ignored"


def _acked(answers: RecordedAnswers) -> list[int]:
    return [seq for said in answers.said if said[0] == "ack" for seq in said[1]]  # type: ignore[attr-defined]


KINDS = pytest.mark.parametrize("kind", ["plain", "eager", "waiting"])


@KINDS
def test_events_are_handed_over_one_by_one_in_order_and_are_gone(kind: str) -> None:
    async def scene() -> None:
        consumer = _Consumer(kind)
        endpoint, answers = _handled(consumer)
        endpoint.deliver(delivery(1, 2, 3))
        assert consumer.seen == []
        endpoint.deliver(delivery(4, form=Form.ANY))
        await until(lambda: len(_acked(answers)) == 4)
        endpoint.deliver(delivery(5))
        await until(lambda: len(_acked(answers)) == 5)
        assert consumer.seen == _acked(answers) == [1, 2, 3, 4, 5]

    asyncio.run(scene())


@KINDS
def test_sequences_are_handed_over_whole(kind: str) -> None:
    async def scene() -> None:
        consumer = _Consumer(kind)
        endpoint, answers = _handled(consumer)
        endpoint.deliver(delivery(1, 2, form=Form.SEQUENCE))
        endpoint.deliver(delivery(3, form=Form.SEQUENCE))
        await until(lambda: len(_acked(answers)) == 3)
        assert consumer.seen == [[1, 2], [3]]

    asyncio.run(scene())


@KINDS
def test_what_fails_takes_everything_behind_it_along(kind: str) -> None:
    async def scene() -> None:
        consumer = _Consumer(kind, {3: ValueError("no threes")})
        endpoint, answers = _handled(consumer)
        endpoint.deliver(delivery(1, 2, 3, 4))
        endpoint.deliver(delivery(5))
        await until(lambda: answers.said and answers.said[-1][0] == "failed")
        assert _acked(answers) == [1, 2]
        assert answers.said[-1] == ("failed", [3, 4, 5], "ValueError: no threes", False)
        assert consumer.seen == [1, 2, 3]
        consumer.errors.clear()
        endpoint.deliver(delivery(3, 4, 5))
        await until(lambda: _acked(answers) == [1, 2, 3, 4, 5])

    asyncio.run(scene())


@KINDS
def test_a_sequence_fails_as_a_whole(kind: str) -> None:
    async def scene() -> None:
        endpoint, answers = _handled(_Consumer(kind, {2: KeyError("two")}))
        endpoint.deliver(delivery(1, 2, 3, form=Form.SEQUENCE))
        await until(lambda: answers.said)
        assert answers.said == [("failed", [1, 2, 3], "KeyError: 'two'", False)]

    asyncio.run(scene())


@KINDS
def test_a_consumer_that_says_disconnected_is_gone(kind: str) -> None:
    async def scene() -> None:
        endpoint, answers = _handled(_Consumer(kind, {1: Disconnected("bye")}))
        endpoint.deliver(delivery(1, 2))
        await until(lambda: answers.said)
        assert answers.said == [("failed", [1, 2], "Disconnected: bye", True)]

    asyncio.run(scene())


def test_the_acks_of_one_turn_come_together() -> None:
    async def scene() -> None:
        for kind in ("plain", "eager"):
            endpoint, answers = _handled(_Consumer(kind))
            endpoint.deliver(delivery(*range(1, 51)))
            await until(lambda answers=answers: answers.said)  # type: ignore[misc]
            assert answers.said == [("ack", list(range(1, 51)))]

    asyncio.run(scene())


def test_an_event_is_gone_as_soon_as_its_call_returns() -> None:
    async def scene() -> None:
        go = asyncio.Event()

        async def handler(handed: Message) -> None:
            if handed.seq == 2:
                await go.wait()

        endpoint, answers = _handled(handler)
        endpoint.deliver(delivery(1, 2))
        await turns()
        assert answers.said == [("ack", [1])]
        go.set()
        await until(lambda: _acked(answers) == [1, 2])

    asyncio.run(scene())


def test_a_handler_that_hangs_holds_up_nobody_else_and_is_never_called_twice_at_once() -> None:
    async def scene() -> None:
        running = 0

        async def hang(handed: Message) -> None:
            nonlocal running
            running += 1
            await asyncio.Event().wait()

        stuck, silent = _handled(hang)
        free, answers = _handled(_Consumer("waiting"))
        stuck.deliver(delivery(1, 2))
        free.deliver(delivery(1, 2))
        stuck.deliver(delivery(3))
        await until(lambda: _acked(answers) == [1, 2])
        assert (running, silent.said) == (1, [])
        stuck.cancel()
        await turns()
        assert stuck._task is not None
        assert stuck._task.cancelled()
        assert silent.said == []

    asyncio.run(scene())


@pytest.mark.parametrize("kind", ["plain", "eager"])
def test_busy_handlers_let_the_loop_turn(kind: str) -> None:
    async def scene() -> None:
        def plain(_: Message) -> None:
            time.sleep(0.001)

        async def eager(_: Message) -> None:
            time.sleep(0.001)  # noqa: ASYNC251 -- what a bad coroutine does

        endpoint, answers = _handled(plain if kind == "plain" else eager)
        endpoint.deliver(delivery(*range(1, 21)))
        turned = 0
        while len(_acked(answers)) < 20:
            await asyncio.sleep(0)
            turned += 1
        assert turned > 5
        assert len(answers.said) > 5

    asyncio.run(scene())


def test_something_cancelled_inside_the_handler_is_a_failure_like_others() -> None:
    async def scene() -> None:
        endpoint, answers = _handled(_Consumer("waiting", {1: asyncio.CancelledError()}))
        endpoint.deliver(delivery(1))
        await until(lambda: answers.said)
        assert answers.said == [("failed", [1], "CancelledError: ", False)]
        endpoint.deliver(delivery(2))
        await until(lambda: _acked(answers) == [2])

    asyncio.run(scene())


@KINDS
def test_after_closing_nothing_is_handed_over_or_answered(kind: str) -> None:
    async def scene() -> None:
        consumer = _Consumer(kind)
        endpoint, answers = _handled(consumer)
        endpoint.deliver(delivery(1, 2))
        endpoint.close()
        endpoint.deliver(delivery(3))
        await turns(20)
        assert (consumer.seen, answers.said) == ([], [])

    asyncio.run(scene())


def test_a_handler_may_disconnect_its_own_proxy_in_the_middle_of_a_call() -> None:
    async def scene() -> None:
        finished: list[int] = []

        async def handler(handed: Message) -> None:
            if handed.seq == 2:
                endpoint.disconnected()
            await asyncio.sleep(0)
            finished.append(handed.seq)

        endpoint, answers = _handled(handler)
        endpoint.deliver(delivery(1, 2, 3))
        await turns(20)
        assert finished == [1, 2]
        assert answers.said == [("ack", [1])]

    asyncio.run(scene())


def test_closing_answers_first_what_was_done() -> None:
    async def scene() -> None:
        def handler(handed: Message) -> None:
            if handed.seq == 2:
                endpoint.close()

        endpoint, answers = _handled(handler)
        endpoint.deliver(delivery(1, 2, 3))
        await turns()
        assert answers.said == [("ack", [1])]

    asyncio.run(scene())


def test_a_consumer_hears_later_of_offers_and_once_that_it_is_over() -> None:
    async def scene() -> None:
        heard: list[object] = []
        endpoint = HandlerEndpoint(
            print, lambda *what: heard.append(what), lambda: heard.append("disconnected")
        )
        endpoint.attach(RecordedAnswers())
        endpoint.offers((), ())
        endpoint.disconnected()
        endpoint.disconnected()
        assert heard == []
        await turns()
        assert heard == [((), ()), "disconnected"]

    asyncio.run(scene())
