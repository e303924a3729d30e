"""Calls without a task end as those with one do, or say that one is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from tests.unit.orb.echo import ECHO, INTERFACE, Echo, EchoServant
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Orb
from tidings.orb.aio.begun import CallAgain
from tidings.orb.ior import make_reference, profile_of

Outcome = tuple[object, Exception | None]


class Hanging(EchoServant):
    """Never answers what is not `quick`."""

    async def echo(self, text: str) -> str:  # type: ignore[override] # a coroutine
        if text != "quick":
            await asyncio.sleep(60)
        return text


def played(scene: Callable[[Orb, Orb, Reference], Awaitable[None]]) -> None:
    async def play() -> None:
        async with Orb() as server, Orb() as client:
            await server.listen()
            reference = server.activate(Hanging(), b"hanging")
            await client.stub(Echo, reference).echo("quick")  # the connection is there now
            await scene(server, client, reference)

    asyncio.run(play())


async def begun(client: Orb, reference: Reference, text: str, seconds: float = 5) -> Outcome:
    ended: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
    call = client.begin(
        reference, ECHO, (text,), seconds, lambda *outcome: ended.set_result(outcome)
    )
    assert call is not None
    return await ended


def test_the_result_is_told() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        assert await begun(client, reference, "quick") == ("quick", None)

    played(scene)


def test_without_a_connection_none_is_begun() -> None:
    async def scene(server: Orb, _client: Orb, reference: Reference) -> None:
        async with Orb() as stranger:
            assert stranger.begin(reference, ECHO, ("quick",), 5, print) is None
            nil = Reference("", ())
            assert stranger.begin(nil, ECHO, ("quick",), 5, print) is None

    played(scene)


def test_an_answer_that_does_not_come_in_time_is_a_timeout() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        _, error = await begun(client, reference, "slow", 0.05)
        assert isinstance(error, corba.TIMEOUT)
        assert await begun(client, reference, "quick") == ("quick", None)

    played(scene)


def test_an_object_that_is_not_there_is_worth_an_ordinary_call() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        profile = profile_of(reference)
        assert profile is not None
        other = make_reference(INTERFACE.id, profile.host, profile.port, b"nobody")
        _, error = await begun(client, other, "quick")
        assert isinstance(error, CallAgain)

    played(scene)


def test_nothing_is_told_after_a_cancel_and_the_connection_goes_on() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        told: list[object] = []
        call = client.begin(reference, ECHO, ("slow",), 0.05, lambda *o: told.append(o))
        assert call is not None
        call.cancel()
        call.cancel()
        await asyncio.sleep(0.1)
        assert told == []
        assert await begun(client, reference, "quick") == ("quick", None)

    played(scene)


def test_a_lost_connection_is_told() -> None:
    async def scene(server: Orb, client: Orb, reference: Reference) -> None:
        waiting = asyncio.create_task(begun(client, reference, "slow"))
        await asyncio.sleep(0.05)
        await server.close()
        _, error = await waiting
        assert isinstance(error, corba.SystemException | CallAgain)

    played(scene)
