"""An ORB calls objects of another one, by references and URLs, and in both directions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.edges.orb.aio.scenes import pair
from tests.edges.orb.echo import ECHO, INTERFACE, MISSING, UNKNOWN, Echo, EchoServant
from tidings.errors import InvalidUsage
from tidings.events.reference import Reference
from tidings.orb import exceptions as corba
from tidings.orb.aio import Bidirectional, Options, Orb, Targets, link
from tidings.orb.aio.later import Later
from tidings.orb.connection import MOST_POINTS, Connection
from tidings.orb.corbaloc import Corbaname, NameComponent
from tidings.orb.exceptions import OMG, Completion
from tidings.orb.ior import make_reference, to_ior


async def test_every_object_answers_the_pseudo_operations() -> None:
    async with pair() as p:
        nameless = Reference("", p.reference.profiles)
        assert await p.client.is_a(nameless, "IDL:tests/Base:1.0")
        assert not await p.client.is_a(nameless, "IDL:tests/Other:1.0")
        assert not await p.client.non_existent(p.reference)
        p.server.deactivate(b"echo")
        assert await p.client.non_existent(p.reference)


async def test_faults_of_servants_are_told_by_what_they_are() -> None:
    async with pair() as p:
        with pytest.raises(corba.NO_PERMISSION) as refused:
            await p.stub.odd("system")
        assert (refused.value.minor, refused.value.completed) == (7, Completion.NO)
        with pytest.raises(corba.UNKNOWN) as unlisted:
            await p.stub.odd("unlisted")
        assert unlisted.value.minor == OMG | 1
        with pytest.raises(corba.UNKNOWN) as bug:
            await p.stub.odd("bug")
        assert (bug.value.minor, bug.value.completed) == (0, Completion.MAYBE)
        with pytest.raises(corba.BAD_OPERATION):
            await p.client.call(p.reference, UNKNOWN, ())
        with pytest.raises(corba.NO_IMPLEMENT):
            await p.client.call(p.reference, MISSING, ())
        assert await p.stub.echo("fine") == "fine"


async def test_closing_does_not_wait_for_ever() -> None:
    async with pair(Options(close_seconds=0.05)) as p:
        napping = asyncio.create_task(p.stub.nap(60_000))
        await asyncio.sleep(0.05)
        await p.server.close()
        with pytest.raises((corba.TRANSIENT, corba.COMM_FAILURE)) as ended:
            await napping
        assert ended.value.completed is Completion.MAYBE


async def test_what_an_orb_does_not_do() -> None:
    async with pair(client=Options(targets=Targets(()))) as p:
        with pytest.raises(corba.NO_PERMISSION, match=r"127\.0\.0\.1"):
            await p.stub.echo("x")
        with pytest.raises(corba.BAD_PARAM, match="in use"):
            p.server.activate(EchoServant(), b"echo")
        with pytest.raises(corba.BAD_INV_ORDER, match="listen"):
            p.client.reference(b"k", INTERFACE)


@pytest.mark.parametrize(
    "options",
    [{"server": Options(idle_seconds=0.05)}, {"client": Options(opened_idle_seconds=0.05)}],
)
async def test_idle_connections_are_closed_and_opened_again(options: Any) -> None:
    async with pair(**options) as p:
        for _ in range(3):
            assert await p.stub.echo("x") == "x"
            await asyncio.sleep(0.15)


async def test_urls_stand_for_objects() -> None:
    async with pair() as p:
        p.client.initial_references["Echo"] = p.reference
        place = f"127.0.0.1:{p.address.port}/echo"
        urls = (f"corbaloc::{place}", f"corbaloc:iiop:1.2@{place}", to_ior(p.reference))
        for url in (*urls, "corbaloc:rir:/Echo"):
            assert await p.client.stub(Echo, url).echo("x") == "x"
            found = await p.client.resolve(url)
            assert await p.client.call(found, ECHO, ("y",)) == "y"
        with pytest.raises(corba.BAD_PARAM, match="it has Echo"):
            await p.client.resolve("corbaloc:rir:/NameService")
        with pytest.raises(corba.BAD_PARAM, match="resolve"):
            p.client.stub(Echo, "corbaname::127.0.0.1:1#x")
        with pytest.raises(corba.NO_IMPLEMENT):
            await p.client.resolve("corbaname::127.0.0.1:1#x")


async def test_names_are_looked_up_by_whoever_was_told_how() -> None:
    asked: list[Corbaname] = []

    async def look_up(orb: Orb, name: Corbaname) -> Reference:
        asked.append(name)
        return nobody

    nobody = make_reference(INTERFACE.id, "127.0.0.1", 1, b"x")
    async with Orb(names=look_up) as orb:
        orb.initial_references["NameService"] = nobody
        assert await orb.resolve("corbaname:rir:#a/b.c") == nobody
    assert asked == [Corbaname(nobody, (NameComponent("a"), NameComponent("b", "c")))]


@pytest.mark.parametrize(
    ("option", "number", "told"),
    [
        *(("max_calls", 0, "max_calls"), ("idle_seconds", -1, "idle_seconds")),
        *(("idle_seconds", float("nan"), "idle_seconds"), ("minor", 7, r"1\.7")),
    ],
)
def test_numbers_that_mean_nothing_are_refused(option: str, number: Any, told: str) -> None:
    with pytest.raises(InvalidUsage, match=told):
        Options(**{option: number})


async def test_what_comes_later_can_be_awaited_before_and_after() -> None:
    later: Later[str] = Later()
    asyncio.get_running_loop().call_soon(later.set_result, "here")
    assert await later == "here"
    assert await later == "here"
    await later.ended()
    failed: Later[str] = Later()
    failed.set_exception(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        await failed
    told: list[object] = []
    cancelled: Later[int] = Later()
    cancelled.then(lambda value, error: told.append(value))
    cancelled.cancel()
    cancelled.cancel()
    assert cancelled.done()
    assert told == []  # nobody is told


async def test_a_servant_may_answer_later_and_in_any_order() -> None:
    asked: list[Later[str]] = []
    all_asked = asyncio.Event()

    class Waiting(EchoServant):
        def echo(self, text: str) -> Later[str]:  # type: ignore[override] # no coroutine
            asked.append(Later())
            if len(asked) == 3:
                all_asked.set()
            return asked[-1]

    async with pair(servant=Waiting()) as p:
        calls = [asyncio.create_task(p.stub.echo("x")) for _ in range(3)]
        await all_asked.wait()
        asked[2].set_result("third")
        assert await calls[2] == "third"
        asked[0].set_result("first")
        assert await calls[0] == "first"
        calls[1].cancel()  # its answer is thrown away
        await asyncio.sleep(0.01)
        asked[1].set_result("second")


@asynccontextmanager
async def both_ways(**times: float) -> AsyncIterator[tuple[Orb, Reference]]:
    """A server that opens no connections, and an object of a client that offers its own."""
    both = Options(**times, close_seconds=0.1)  # type: ignore[arg-type]  # all of them are times
    server = replace(both, accept_bidirectional=Bidirectional.ALWAYS, targets=Targets(()))
    async with pair(server, replace(both, offer_bidirectional=True)) as p:
        own = p.client.activate(EchoServant(), b"own")
        assert await p.stub.echo("offer") == "offer"
        yield p.server, own


async def test_neither_a_slow_answer_nor_idleness_ends_an_offer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "SUSPECT_SECONDS", 0.02)
    async with both_ways(idle_seconds=0.1, opened_idle_seconds=0.1) as (server, own):
        with pytest.raises(corba.TIMEOUT):
            await server.stub(Echo, own, 0.1).nap(300)
        assert await server.stub(Echo, own).echo("still there") == "still there"
        await asyncio.sleep(0.4)
        assert await server.stub(Echo, own).echo("still there") == "still there"


async def test_a_connection_has_so_many_offers_and_no_more() -> None:
    options = Options(accept_bidirectional=Bidirectional.ALWAYS, close_seconds=0.1)
    async with Orb(options) as server:
        address = await server.listen()
        reader, writer = await asyncio.open_connection(*address)
        peer = Connection(opener=True)
        for number in range(5):
            peer.offer(tuple((f"host-{number}-{point}", 7) for point in range(50)))
            peer.call(b"nobody", "_non_existent")
        writer.write(peer.data_to_send())
        answers = 0
        while answers < 5:
            answers += len(peer.receive_data(await reader.read(4096)))
        assert len(server._links.pool._callbacks) == MOST_POINTS
        writer.close()
