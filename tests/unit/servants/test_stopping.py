"""The end of the service: who waits is answered at once, calls of ours may end for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.unit.servants.opened import name
from tests.unit.servants.scenes import SECRET
from tests.unit.servants.worlds import (
    PERSISTENT,
    QUICK,
    StructuredPullSupplier,
    World,
    numbered,
    numbers,
    run,
    structured_pair,
    until,
)
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosNaming_auto import NamingContext
from tidings.cos.CosNotification_auto import StructuredEvent
from tidings.engine.host import Host
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import OMG, TRANSIENT
from tidings.servants.calls import ClientOptions
from tidings.servants.opening import Opened, open_service
from tidings.servants.service import NIL

LONG = 1_000.0
"""Nothing in these tests waits for as many seconds; one that does fails."""


PULLS = {
    Form.ANY: "pull",
    Form.STRUCTURED: "pull_structured_event",
    Form.SEQUENCE: "pull_structured_events",
}


@asynccontextmanager
async def service(
    client: Orb, folder: Path | None = None, port: int = 0
) -> AsyncIterator[tuple[Opened, World]]:
    """A service whose requests in progress, and whose calls, may take very long."""
    host = await Host.open(folder, settings=QUICK)
    options = ClientOptions(call_seconds=LONG)
    opened = open_service(host, Options(close_seconds=LONG), SECRET, dict, clients=options)
    try:
        await opened.service.orb.listen("127.0.0.1", port)
        opened.publish(None)
        await opened.reconnect()
        yield opened, World(client, opened.service)
    finally:
        await opened.close()
        await host.close(0.0)


@asynccontextmanager
async def clients() -> AsyncIterator[Orb]:
    """The ORB of clients."""
    async with Orb(Options(close_seconds=0.1)) as orb:
        await orb.listen()
        yield orb


@pytest.mark.parametrize("form", list(Form))
def test_who_waits_in_a_pull_is_told_at_once_to_come_back(form: Form) -> None:
    async def part() -> None:
        async with clients() as client, service(client) as (opened, world):
            proxy = await world.proxy(await world.channel(), Side.CONSUMER, Style.PULL, form)
            await getattr(proxy, f"connect_{form.name.lower()}_pull_consumer")(NIL)
            arguments = (5,) if form is Form.SEQUENCE else ()
            waiting = asyncio.ensure_future(getattr(proxy, PULLS[form])(*arguments))
            await until(lambda: world.host.out.pulls)
            await opened.close()
            with pytest.raises(TRANSIENT):
                await waiting

    run(part())


def test_requests_that_come_while_calls_of_ours_end_are_refused() -> None:
    async def part() -> None:
        async with clients() as client, service(client) as (opened, world):
            supply, consumer, _ = await structured_pair(world, await world.channel())
            gate = asyncio.Event()
            consumer.during = gate.wait
            await supply.push_structured_event(numbered(1))
            await until(lambda: _carries(world))
            names = client.stub(NamingContext, opened.names.reference())
            closing = asyncio.ensure_future(opened.close(LONG))
            await asyncio.sleep(0)
            with pytest.raises(TRANSIENT) as told:
                await names.resolve(name("NotificationService"))
            assert told.value.minor == OMG | 1
            assert not closing.done()
            gate.set()
            await closing
            assert numbers(consumer.got) == [1]

    run(part())


def test_a_call_that_ends_in_time_is_answered_and_none_is_made_after_it(tmp_path: Path) -> None:
    async def part() -> None:
        async with clients() as client:
            async with service(client, tmp_path) as (opened, world):
                port = opened.service.orb._links.listening[0].port
                channel = await world.channel(*PERSISTENT)
                supply, consumer, _ = await structured_pair(world, channel)
                gate = asyncio.Event()
                consumer.during = gate.wait
                for number in (1, 2):
                    await supply.push_structured_event(numbered(number))
                await until(lambda: _carries(world))
                closing = asyncio.ensure_future(opened.close(LONG))
                await asyncio.sleep(0)
                gate.set()
                await closing
                assert numbers(consumer.got) == [1]
            async with service(client, tmp_path, port):
                await until(lambda: len(consumer.got) >= 2)
            assert numbers(consumer.got) == [1, 2]

    run(part())


def test_a_call_that_is_cut_off_is_no_failure_and_its_event_comes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def part() -> None:
        async with clients() as client:
            async with service(client, tmp_path) as (opened, world):
                port = opened.service.orb._links.listening[0].port
                channel = await world.channel(*PERSISTENT)
                supply, consumer, _ = await structured_pair(world, channel)
                await supply.push_structured_event(numbered(1))
                await until(lambda: consumer.got and not _carries(world))
                # Now that there is a connection, the next call has no task.
                consumer.during = asyncio.Event().wait
                await supply.push_structured_event(numbered(2))
                await until(lambda: _carries(world))
                told: list[object] = []
                monkeypatch.setattr(world.host.out, "failed", told.append)
                await opened.close(0.01)
                for _ in range(5):  # what a lost connection brings about comes a moment later
                    await asyncio.sleep(0)
                assert not told
            assert numbers(consumer.got) == [1]
            consumer.during = None
            async with service(client, tmp_path, port):
                await until(lambda: len(consumer.got) >= 2)
            assert numbers(consumer.got) == [1, 2]

    run(part())


def test_what_a_pull_supplier_gives_away_in_the_last_moment_is_taken() -> None:
    async def part() -> None:
        async with clients() as client, service(client) as (opened, world):
            channel = await world.channel()
            proxy = await world.proxy(channel, Side.SUPPLIER, Style.PULL, Form.STRUCTURED)
            supplier = _SlowSupplier()
            await proxy.connect_structured_pull_supplier(world.activate(supplier))
            await until(lambda: supplier.asked)
            closing = asyncio.ensure_future(opened.close(LONG))
            await asyncio.sleep(0)
            supplier.gate.set()
            await closing
            (kept,) = world.host.factory.channels.values()
            await until(lambda: kept.seq)
            assert (supplier.asked, kept.seq) == (1, 1)

    run(part())


class _SlowSupplier(StructuredPullSupplier):
    """A pull supplier that has an event whenever it is asked, and takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.asked = 0

    async def try_pull_structured_event(self) -> tuple[StructuredEvent, bool]:
        self.asked += 1
        await self.gate.wait()
        return numbered(self.asked), True


def _carries(world: World) -> bool:
    return any(one.carries for one, _ in world.host.out.endpoints.values())  # type: ignore[attr-defined]
