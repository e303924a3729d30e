"""What is behind the objects a service calls, without a service."""

from __future__ import annotations

import asyncio

import pytest

from tidings import event
from tidings.channel.vocabulary import Form
from tidings.client.transports.iiop_lines import HandlerLine, Line, SourceLine
from tidings.client.transports.iiop_values import Events
from tidings.cos.CosEventComm_auto import Disconnected as GoneClient
from tidings.errors import (
    Disconnected,
)
from tidings.orb.exceptions import UNKNOWN

MOST = 8 * 1024 * 1024
BID = event("Auction", "bid", "", {"price": 1})


def test_an_error_of_a_function_brings_the_event_again_and_disconnected_ends_it() -> None:
    errors: list[Exception] = [ValueError("a bad day"), Disconnected("enough")]

    def handler(message: object) -> None:
        if errors:
            raise errors.pop(0)

    async def scene() -> None:
        events = Events()
        line = HandlerLine(handler, Form.STRUCTURED, events)
        wire = events.written(BID, Form.STRUCTURED)
        with pytest.raises(UNKNOWN, match="ValueError"):
            await line.take(wire)
        with pytest.raises(GoneClient):
            await line.take(wire)
        await line.take(wire)
        line.ended()
        with pytest.raises(GoneClient):
            await line.take(wire)

    asyncio.run(scene())


def test_what_a_source_gives_beyond_what_is_wanted_is_given_the_next_time() -> None:
    given: list[object] = [[BID, BID, BID], None, ValueError("no"), {"price": 1}]

    def source(most: int) -> object:
        found = given.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    async def scene() -> None:
        line = SourceLine(source, Form.SEQUENCE, Events(), MOST)
        assert [len(await line.give(2)) for _ in range(3)] == [2, 1, 0]
        for _ in range(2):  # what it raises, and what is no event
            with pytest.raises(UNKNOWN):
                await line.give(2)
        line.close()
        with pytest.raises(GoneClient):
            await line.give(2)

    asyncio.run(scene())


def test_what_is_no_event_takes_no_other_with_it() -> None:
    async def scene() -> None:
        line = SourceLine(lambda most: [BID, object(), BID], Form.SEQUENCE, Events(), MOST)
        assert len(await line.give(9)) == 2

    asyncio.run(scene())


def test_an_answer_with_many_events_is_no_longer_than_a_message_may_be() -> None:
    long, too_long = (event("Auction", "bid", "", {"x": "x" * size}) for size in (900_000, MOST))

    async def scene() -> None:
        given = [[too_long, *[long] * 5, too_long], [too_long]]
        line = SourceLine(lambda most: given.pop(0), Form.SEQUENCE, Events(), MOST)
        assert [len(await line.give(9)) for _ in range(3)] == [2, 2, 1]
        with pytest.raises(UNKNOWN, match="InvalidEvent"):
            await line.give(9)

    asyncio.run(scene())


def test_nobody_sends_to_a_supplier_or_asks_it() -> None:
    async def scene() -> None:
        for asking in (Line().take(BID), Line().give(1)):
            with pytest.raises(GoneClient):
                await asking

    asyncio.run(scene())
