"""What a query waits for: values and offers of others, each for so long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tidings.engine import trading
from tidings.errors import Unreachable
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value
from tidings.trader.outside import (
    Answered,
    ContinueQuery,
    Evaluation,
    Failed,
    Follow,
    Known,
    LinkedOffer,
    Needed,
)
from tidings.trader.requests import QueryAnswer, QueryOffers

ASKED = QueryOffers("Printer")
FOUND = Answered([LinkedOffer("corbaloc::a/b", {})])


class Others:
    """Those that are asked: one answers, one fails, one never answers."""

    async def evaluate(self, asked: Evaluation, seconds: int) -> Value | Failed:
        found: Value = await _do(asked.name, 1.5)
        return found

    async def query(self, asked: Follow) -> Answered:
        found: Answered = await _do(asked.link, FOUND)
        return found


async def _do(how: str, answer: Any) -> Any:
    if how == "fail":
        raise Unreachable("nobody is there")
    if how == "hang":
        await asyncio.Event().wait()
    return answer


async def known(others: trading.Others | None, how: str) -> Known:
    """What is known after one round."""
    told: list[Known] = []
    value = AnyValue(tc.LONG, 1)
    needed = Needed(
        ASKED, (Evaluation(7, how, value),), 1, (Follow(how, "corbaloc::a/b", ASKED, 1, 9),)
    )

    async def first() -> Needed:
        return needed

    async def then(asked: ContinueQuery) -> QueryAnswer:
        told.append(asked.known)
        return QueryAnswer(())

    await trading.find_offers(first(), then, others)
    [found] = told
    return found


async def test_what_others_answer_is_known() -> None:
    found = await known(Others(), "answer")
    assert found == Known(True, {(7, "answer"): 1.5}, {"answer": FOUND})


async def test_what_goes_wrong_is_noted() -> None:
    found = await known(Others(), "fail")
    assert found.values == {(7, "fail"): Failed("nobody is there")}
    assert found.answers["fail"].note == "failed: nobody is there"
    found = await known(None, "x")
    assert found.values == {(7, "x"): Failed("this service calls no CORBA objects")}
    assert found.answers["x"].note.startswith("not followed")


async def test_who_does_not_answer_is_waited_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []
    real = asyncio.timeout

    def short(seconds: float | None) -> asyncio.Timeout:
        given.append(seconds)
        return real(0.01)

    monkeypatch.setattr("asyncio.timeout", short)
    found = await known(Others(), "hang")
    assert given == [1, 1]
    assert found.values == {(7, "hang"): Failed("no answer within 1 s")}
    assert found.answers["hang"].note == "no answer within 1 s"
