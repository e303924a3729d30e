"""Queries of the trader that need others: waits for them, within limits, beside the loop's work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from tidings.errors import TidingsError
from tidings.events.anyvalue import Value
from tidings.trader.outside import (
    Answered,
    ContinueQuery,
    Evaluation,
    Failed,
    Follow,
    Known,
    Needed,
)
from tidings.trader.requests import QueryAnswer


class Others(Protocol):
    """Whoever calls other traders, and the objects that evaluate dynamic properties."""

    async def evaluate(self, asked: Evaluation, seconds: int) -> Value | Failed:
        """Return the value of a dynamic property; the caller waits for so long."""

    async def query(self, asked: Follow) -> Answered:
        """Return the offers of another trader."""


async def find_offers(
    first: Awaitable[Any],
    then: Callable[[ContinueQuery], Awaitable[Any]],
    others: Others | None,
) -> QueryAnswer:
    """Answer a query, with what others have answered until their time was over.

    `first` is what the trader says of the query, `then` asks it again.
    """
    found = await first
    known = Known()
    while isinstance(found, Needed):
        known = await _with(others, known, found)
        found = await then(ContinueQuery(found.query, known))
    answer: QueryAnswer = found
    return answer


async def _with(others: Others | None, known: Known, needed: Needed) -> Known:
    evaluations, links = needed.evaluations, needed.links
    values, answers = await asyncio.gather(
        asyncio.gather(*(_value(others, one, needed.seconds) for one in evaluations)),
        asyncio.gather(*(_answer(others, one) for one in links)),
    )
    keys = [(one.offer, one.name) for one in evaluations]
    names = [one.link for one in links]
    return Known(
        known.evaluated or bool(evaluations),
        {**known.values, **dict(zip(keys, values, strict=True))},
        {**known.answers, **dict(zip(names, answers, strict=True))},
    )


async def _value(others: Others | None, asked: Evaluation, seconds: int) -> Value | Failed:
    if others is None:
        return Failed("this service calls no CORBA objects")
    try:
        async with asyncio.timeout(seconds):
            return await others.evaluate(asked, seconds)
    except TimeoutError:
        return Failed(f"no answer within {seconds} s")
    except TidingsError as error:
        return Failed(str(error))


async def _answer(others: Others | None, asked: Follow) -> Answered:
    if others is None:
        return Answered(note="not followed: this service calls no CORBA objects")
    try:
        async with asyncio.timeout(asked.seconds):
            return await others.query(asked)
    except TimeoutError:
        return Answered(note=f"no answer within {asked.seconds} s")
    except TidingsError as error:
        return Answered(note=f"failed: {error}")
