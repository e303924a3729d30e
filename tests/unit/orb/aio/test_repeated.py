"""Calls without a task end as those with one do, or say that one is needed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest

from tests.unit.orb.echo import ECHO, INTERFACE, Echo, EchoServant
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Options, Orb
from tidings.orb.aio.repeated import CallAgain
from tidings.orb.ior import make_reference, profile_of

Outcome = tuple[object, Exception | None]


class Hanging(EchoServant):
    """Never answers `slow`."""

    async def echo(self, text: str) -> str:  # type: ignore[override] # a coroutine
        if text == "slow":
            await asyncio.sleep(60)
        return text


class Caller:
    """Calls again and again, and waits for the outcome each time."""

    def __init__(self, orb: Orb, reference: Reference, seconds: float | None = 5) -> None:
        self.outcomes: asyncio.Queue[Outcome] = asyncio.Queue()
        self.repeated = orb.repeated(
            reference, ECHO, lambda *outcome: self.outcomes.put_nowait(outcome), seconds=seconds
        )

    async def call(self, text: str) -> Outcome:
        assert self.repeated.begin((text,))
        assert self.repeated.under_way
        outcome = await self.outcomes.get()
        assert not self.repeated.under_way
        return outcome


def played(
    scene: Callable[[Orb, Orb, Reference], Awaitable[None]],
    server_options: Options | None = None,
    client_options: Options | None = None,
) -> None:
    async def play() -> None:
        async with Orb(server_options) as server, Orb(client_options) as client:
            await server.listen()
            reference = server.activate(Hanging(), b"hanging")
            await client.stub(Echo, reference).echo("quick")  # the connection is there now
            await scene(server, client, reference)

    asyncio.run(play())


@pytest.mark.parametrize("minor", [0, 1, 2])
@pytest.mark.parametrize("little", [True, False])
def test_each_result_is_told(minor: int, little: bool) -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        caller = Caller(client, reference)
        for text in ("", "quick", "longer than that", "äöü" * (minor > 0)):
            assert await caller.call(text) == (text, None)

    played(scene, Options(minor=minor), Options(little=little))


def test_a_oneway_is_refused_since_nobody_would_tell_its_end() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        oneway = ECHO._replace(oneway=True)
        with pytest.raises(corba.BAD_PARAM, match="'echo' is a oneway"):
            client.repeated(reference, oneway, print)

    played(scene)


def test_without_a_connection_none_is_begun() -> None:
    async def scene(_server: Orb, _client: Orb, reference: Reference) -> None:
        async with Orb() as stranger:
            assert not Caller(stranger, reference).repeated.begin(("quick",))
            assert not Caller(stranger, Reference("", ())).repeated.begin(("quick",))

    played(scene)


def test_on_a_connection_where_nothing_was_agreed_none_is_begun() -> None:
    async def scene(_server: Orb, _client: Orb, reference: Reference) -> None:
        async with Orb() as other:
            profile = profile_of(reference)
            assert profile is not None
            # References without code sets agree on nothing.
            plain = make_reference(INTERFACE.id, profile.host, profile.port, profile.key, minor=0)
            await other.stub(Echo, plain).echo("quick")
            assert not Caller(other, reference).repeated.begin(("quick",))
            await other.stub(Echo, reference).echo("quick")
            assert await Caller(other, reference).call("äöü") == ("äöü", None)

    played(scene)


def test_an_answer_that_does_not_come_in_time_is_a_timeout() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        caller = Caller(client, reference, 0.05)
        _, error = await caller.call("slow")
        assert isinstance(error, corba.TIMEOUT)
        assert await caller.call("quick") == ("quick", None)

    played(scene)


def test_each_call_has_the_whole_time() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        caller, loop = Caller(client, reference, 0.3), asyncio.get_running_loop()
        assert await caller.call("quick") == ("quick", None)
        await asyncio.sleep(0.2)
        began = loop.time()
        _, error = await caller.call("slow")
        assert isinstance(error, corba.TIMEOUT)
        assert loop.time() - began >= 0.29

    played(scene)


def test_an_exception_is_told() -> None:
    async def scene(server: Orb, client: Orb, reference: Reference) -> None:
        caller = Caller(client, reference)
        server.deactivate(b"hanging")
        _, error = await caller.call("quick")
        assert isinstance(error, CallAgain)  # it may have moved: that is worth an ordinary call

    played(scene)


def test_nothing_is_told_after_a_cancel_and_the_connection_goes_on() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        caller = Caller(client, reference, 0.05)
        assert caller.repeated.begin(("slow",))
        caller.repeated.cancel()
        caller.repeated.cancel()
        await asyncio.sleep(0.1)
        assert caller.outcomes.empty()
        assert await caller.call("quick") == ("quick", None)

    played(scene)


def test_a_lost_connection_is_told_and_the_next_call_finds_another() -> None:
    async def scene(server: Orb, client: Orb, reference: Reference) -> None:
        caller = Caller(client, reference)
        waiting = asyncio.create_task(caller.call("slow"))
        await asyncio.sleep(0.05)
        for link in list(client._links._sockets):
            link.abort()
        _, error = await waiting
        assert isinstance(error, corba.COMM_FAILURE)
        assert not caller.repeated.begin(("quick",))
        await client.stub(Echo, reference).echo("quick")
        assert await caller.call("quick") == ("quick", None)

    played(scene)


def test_a_server_that_closes_in_good_order_has_done_nothing() -> None:
    async def scene(server: Orb, client: Orb, reference: Reference) -> None:
        waiting = asyncio.create_task(Caller(client, reference).call("slow"))
        await asyncio.sleep(0.05)
        await server.close()
        _, error = await waiting
        assert isinstance(error, corba.SystemException | CallAgain)

    played(scene)


def test_a_connection_with_all_it_may_have_takes_no_more() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        one, two = Caller(client, reference), Caller(client, reference)
        assert one.repeated.begin(("slow",))
        assert not two.repeated.begin(("quick",))
        one.repeated.cancel()
        assert await two.call("quick") == ("quick", None)

    played(scene, None, Options(max_calls=1))


def test_a_connection_that_has_ended_is_not_kept() -> None:
    async def scene(_server: Orb, client: Orb, reference: Reference) -> None:
        caller = Caller(client, reference)
        await caller.call("quick")
        [link] = client._links._sockets
        link.close()
        del link
        while client._links._sockets:  # noqa: ASYNC110 -- no event tells of it
            await asyncio.sleep(0.01)
        gc.collect()  # its parts know each other
        assert caller.repeated._link() is None

    played(scene)
