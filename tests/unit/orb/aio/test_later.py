"""Results that come later are told in the moment they come."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.orb.echo import Echo, EchoServant
from tidings.orb.aio import Orb
from tidings.orb.aio.later import Later


def test_who_waits_is_told_at_once() -> None:
    told: list[object] = []
    later: Later[int] = Later()
    later.then(lambda value, error: told.append((value, error)))
    assert not later.done()
    later.set_result(5)
    assert told == [(5, None)]
    assert later.done()
    later.then(lambda value, error: told.append("again"))
    assert told == [(5, None), "again"]


def test_errors_are_told_as_translated() -> None:
    told: list[BaseException | None] = []
    later: Later[int] = Later()
    later.translate(lambda error: KeyError(str(error)))
    later.then(lambda value, error: told.append(error))
    later.set_exception(ValueError("odd"))
    assert [repr(one) for one in told] == ["KeyError('odd')"]


def test_it_can_be_awaited_before_and_after() -> None:
    async def scene() -> None:
        later: Later[str] = Later()
        asyncio.get_running_loop().call_soon(later.set_result, "here")
        assert await later == "here"
        assert await later == "here"
        await later.ended()
        failed: Later[str] = Later()
        failed.set_exception(ValueError("no"))
        with pytest.raises(ValueError, match="no"):
            await failed

    asyncio.run(scene())


def test_nobody_is_told_of_what_was_cancelled() -> None:
    told: list[object] = []
    later: Later[int] = Later()
    later.then(lambda value, error: told.append(value))
    later.cancel()
    later.cancel()
    assert later.done()
    assert told == []


class Waiting(EchoServant):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Later[str]] = []
        self.all_asked = asyncio.Event()

    def echo(self, text: str) -> Later[str]:  # type: ignore[override] # no coroutine
        self.asked.append(Later())
        if len(self.asked) == 3:
            self.all_asked.set()
        return self.asked[-1]


def test_a_servant_may_answer_later_and_in_any_order() -> None:
    async def scene() -> None:
        async with Orb() as server, Orb() as client:
            await server.listen()
            servant = Waiting()
            stub = client.stub(Echo, server.activate(servant, b"waiting"))
            calls = [asyncio.create_task(stub.echo("x")) for _ in range(3)]
            await servant.all_asked.wait()
            servant.asked[2].set_result("third")
            assert await calls[2] == "third"
            servant.asked[0].set_result("first")
            assert await calls[0] == "first"
            calls[1].cancel()  # its answer is thrown away
            await asyncio.sleep(0.01)
            servant.asked[1].set_result("second")

    asyncio.run(scene())
