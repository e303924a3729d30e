"""Pauses, without a service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tidings.client.transports.iiop_valve import Valve
from tidings.errors import ConnectionAlreadyActive, ConnectionAlreadyInactive, Unreachable


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


def test_a_proxy_that_was_made_again_pauses_as_the_one_before() -> None:
    async def scene() -> None:
        said: list[str] = []
        valve = Valve(noted(said, "pause"), noted(said, "go on"))
        await valve.begin_anew()
        assert said == []
        await valve.fill(lambda: True)
        await valve.begin_anew()
        assert said == ["pause", "pause"]

    asyncio.run(scene())
