from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tidings import event
from tidings.api.call import Call
from tidings.channel.commands import Ack, Command, Failed
from tidings.client.transports.http_pulls import Pulls
from tidings.errors import Disconnected, InvalidUsage, NotFound, Stopping, Unreachable
from tidings.events.codecs.json_codec import event_to_plain

KEY = (1, 5)


class FakeCaller:
    """Answers pulls with what it has, and notes all else."""

    def __init__(self) -> None:
        self.pages: list[list[tuple[int, bool]]] = []
        self.pulls: list[dict[str, Any]] = []
        self.asked: list[Command] = []
        self.error: Exception | None = None
        self.taking = 0.001
        self.ended: list[bool] = []

    async def goes_on(self, key: tuple[int, int]) -> bool:
        return self.ended.pop(0) if self.ended else False

    async def ask(self, command: Command) -> None:
        await asyncio.sleep(self.taking)
        self.asked.append(command)
        if self.error is not None:
            raise self.error

    async def call(self, call: Call, **how: Any) -> object:
        assert isinstance(call.body, dict)
        assert how["safe"]
        self.pulls.append(call.body)
        if self.ended:
            raise Disconnected("the connection has ended")
        if not self.pages:
            await asyncio.sleep(call.body["wait"])
            return {"origin": "0" * 32, "events": []}
        plain = event_to_plain(event("A", "b"))
        return {
            "origin": "0" * 32,
            "events": [
                {"seq": seq, "arrival": 1, "priority": 0, "redelivered": again, "event": plain}
                for seq, again in self.pages.pop(0)
            ],
        }


def played(scene: Callable[[Pulls, FakeCaller], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        caller: Any = FakeCaller()
        pulls = Pulls(caller, lambda command: command, 0.1, caller.goes_on)
        await asyncio.wait_for(scene(pulls, caller), 5)
        await pulls.close()

    asyncio.run(run())


def test_without_a_lease_events_are_leased_and_acknowledged_at_once() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        caller.pages = [[(1, False), (2, True)]]
        found = await pulls.pull(KEY, 9, 0, None, single=False)
        assert [message.seq for message in found.messages] == [1, 2]
        assert found.again == {2}
        assert caller.pulls[0]["lease"] > 0
        await pulls.told()
        assert caller.asked == [Ack(1, 5, (1, 2))]

    played(scene)


def test_with_a_lease_the_program_acknowledges() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        caller.pages = [[(1, False)]]
        await pulls.pull(KEY, 5_000, 0, 2_000_000, single=True)
        assert (caller.pulls[0]["most"], caller.pulls[0]["lease"]) == (1_000, 2)
        assert caller.asked == []

    played(scene)


def test_some_forms_give_one_at_a_time_without_a_lease() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        await pulls.pull(KEY, 9, 0, None, single=True)
        assert caller.pulls[0]["most"] == 1
        with pytest.raises(InvalidUsage, match="at least one event"):
            await pulls.pull(KEY, 0, 0, None, single=True)

    played(scene)


def test_what_was_acknowledged_does_not_come_again() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        pulls.tell(Ack(1, 5, (1,)))
        caller.pages = [[(1, True)], [(2, True)]]
        found = await pulls.pull(KEY, 9, 1_000_000, 1_000, single=False)
        assert [message.seq for message in found.messages] == [2]
        await pulls.told()
        assert caller.asked == [Ack(1, 5, (1,)), Ack(1, 5, (1,))]

    played(scene)


def test_answers_are_sent_in_order_and_together_before_the_next_pull() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        caller.error = NotFound("gone")  # nobody hears of it
        told: list[Command] = [
            Ack(1, 5, (1,)),
            Ack(1, 5, (2,)),
            Failed(1, 5, (3,), "no"),
            Ack(1, 5, (4,)),
        ]
        for command in told:
            pulls.tell(command)
        await pulls.pull(KEY, 1, 0, 1, single=False)
        assert caller.asked == [Ack(1, 5, (1, 2)), *told[2:]]

    played(scene)


def test_closing_ends_a_pull_that_waits_and_cancelling_is_cancelling() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        waiting = asyncio.create_task(pulls.pull(KEY, 1, None, None, single=False))
        await asyncio.sleep(0.002)
        pulls.end(KEY)
        with pytest.raises(Disconnected):
            await waiting
        waiting = asyncio.create_task(pulls.pull(KEY, 1, None, None, single=False))
        await asyncio.sleep(0.002)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    played(scene)


def test_long_waits_are_asked_for_in_pieces() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        caller.pages = [[], [], [(1, False)]]
        found = await pulls.pull(KEY, 1, None, None, single=False)
        assert [message.seq for message in found.messages] == [1]
        assert {asked["wait"] for asked in caller.pulls} == {50.0}

    played(scene)


def test_a_pull_that_ended_with_a_cut_is_asked_again() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        caller.ended = [True, True]
        caller.pages = [[(1, False)]]
        found = await pulls.pull(KEY, 1, None, None, single=False)
        assert [message.seq for message in found.messages] == [1]
        assert len(caller.pulls) == 3
        caller.ended = [False]
        with pytest.raises(Disconnected, match="the connection has ended"):
            await pulls.pull(KEY, 1, None, None, single=False)

    played(scene)


def test_whoever_asks_waits_for_the_answers_of_before_and_for_no_others() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        pulls.tell(Ack(1, 5, (1,)))
        waiting = asyncio.create_task(pulls.told())
        await asyncio.sleep(0)
        for seq in range(2, 50):
            pulls.tell(Failed(1, 5, (seq,), "no"))
        await waiting
        assert caller.asked == [Ack(1, 5, (1,))]

    played(scene)


def test_whoever_asks_does_not_wait_for_ever_for_answers_that_cannot_be_sent() -> None:
    async def scene(pulls: Pulls, caller: FakeCaller) -> None:
        caller.taking = 60
        pulls.tell(Ack(1, 5, (1,)))
        with pytest.raises(Unreachable, match=r"could not be sent for 0\.1 s"):
            await pulls.told()
        waiting = asyncio.create_task(pulls.told())
        await asyncio.sleep(0.001)
        await pulls.close()
        with pytest.raises(Stopping):
            await waiting

    played(scene)
