"""What is behind the objects a service calls, without a service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tidings import event
from tidings.channel.vocabulary import Form
from tidings.client.transports.iiop_lines import HandlerLine, Line, SourceLine, Valve
from tidings.client.transports.iiop_values import Events
from tidings.cos.CosEventComm_auto import Disconnected as GoneClient
from tidings.errors import (
    ConnectionAlreadyActive,
    ConnectionAlreadyInactive,
    Disconnected,
    Unreachable,
)
from tidings.orb.exceptions import UNKNOWN

BID = event("Auction", "bid", "", {"price": 1})


def noted(into: list[str], word: str) -> Callable[[], Awaitable[None]]:
    async def note() -> None:
        into.append(word)

    return note


def test_a_pause_is_asked_for_once_whoever_wants_it() -> None:
    async def scene() -> None:
        said: list[str] = []
        valve = Valve(noted(said, "pause"), noted(said, "go on"))
        await valve.fill(lambda: True)
        await valve.fill(lambda: True)
        await valve.suspend()
        assert said == ["pause"]
        with pytest.raises(ConnectionAlreadyInactive):
            await valve.suspend()
        await valve.drain(lambda: True)
        assert said == ["pause"]
        await valve.resume()
        assert said == ["pause", "go on"]
        with pytest.raises(ConnectionAlreadyActive):
            await valve.resume()
        await valve.drain(lambda: True)
        await valve.fill(lambda: False)
        assert said == ["pause", "go on"]

    asyncio.run(scene())


def test_a_service_that_does_not_pause_is_no_trouble_of_the_stream() -> None:
    async def away() -> None:
        raise Unreachable("away")

    async def scene() -> None:
        valve = Valve(away, away)
        await valve.fill(lambda: True)
        await valve.drain(lambda: True)
        with pytest.raises(Unreachable):
            await valve.suspend()
        with pytest.raises(ConnectionAlreadyActive):
            await valve.resume()

    asyncio.run(scene())


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
        line = SourceLine(source, Form.SEQUENCE, Events())
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
        line = SourceLine(lambda most: [BID, object(), BID], Form.SEQUENCE, Events())
        assert len(await line.give(9)) == 2

    asyncio.run(scene())


def test_nobody_sends_to_a_supplier_or_asks_it() -> None:
    async def scene() -> None:
        for asking in (Line().take(BID), Line().give(1)):
            with pytest.raises(GoneClient):
                await asking

    asyncio.run(scene())
