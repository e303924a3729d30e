from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.unit.engine.hosts import (
    PERSISTENT,
    happened,
    new_channel,
    obtained,
    reconnected,
    run,
    soon,
    store_of,
    supplier,
)
from tests.unit.engine.journal_oracle import SEGMENT_OCTETS, Oracle
from tidings import event
from tidings.channel import management as m
from tidings.channel.commands import Idle, Push
from tidings.channel.qos import OrderPolicy
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Place, Side
from tidings.engine.carrying import Carrying
from tidings.engine.disk import Done
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.errors import NotFound, Stopping, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import constraint
from tidings.names import new_origin

SMALL = Settings(limits=Limits(entries_per_consumer=12))
BY_PRIORITY = {"OrderPolicy": int(OrderPolicy.PRIORITY)}


def never() -> None:
    """Nothing stops it."""


async def carry_all(host: Host) -> None:
    """Does without all segments but the last."""
    async with Carrying(host, never) as carrying:
        await carrying.carry(store_of(host).journal.segments[-1])


class World:
    """A host to which random things happen, a crash after each job of its disk."""

    def __init__(self, host: Host, folder: Path, seed: int) -> None:
        self.host = host
        self.random = Random(seed)
        self.oracle = Oracle(host, folder)
        self.numbers = count(1)
        self.endpoints: dict[int, BufferEndpoint] = {}
        self.faults: list[BaseException] = []
        self.crash = False
        self._call = host.disk.call
        host.disk.call = self.call  # type: ignore[method-assign]

    def call(self, job: Callable[[], Any], done: Done) -> None:
        def job_and_crash() -> Any:  # noqa: ANN401
            try:
                return job()
            finally:
                if self.crash:
                    try:
                        self.oracle.judge()
                    except BaseException as fault:  # noqa: BLE001 -- raised in the end
                        self.faults.append(fault)
                        self.crash = False

        self._call(job_and_crash, done)

    async def begin(self) -> None:
        host = self.host
        self.channel = await new_channel(host)
        self.source = await supplier(host, self.channel)
        filter, _ = await soon(host.ask(m.CreateFilter([constraint("$n > 0")])))
        for qos in ({}, BY_PRIORITY, {}, {"ConnectionReliability": 0}):
            proxy = await obtained(host, self.channel, qos=qos)
            await soon(host.ask(m.AddFilter(Place(self.channel, proxy=proxy), filter)))
            self.endpoints[proxy] = await reconnected(
                host, self.channel, proxy, window=5, again=False
            )

    async def push(self) -> None:
        numbers = [next(self.numbers) for _ in range(self.random.randint(1, 8))]
        items = [
            event("Test", "Thing", str(n), {"n": n, "text": "x" * 60}, priority=n * 7 % 3)
            for n in numbers
        ]
        marks = [ProducerMark("p", n) for n in numbers]
        await soon(self.host.ask(Push(self.channel, self.source, items, marks)))

    def take(self, share: float = 0.8) -> None:
        for endpoint in self.endpoints.values():
            while self.random.random() < share and len(endpoint):
                message = endpoint.get_nowait()
                assert message is not None
                if self.random.random() < 0.1:
                    endpoint.reject(message, "no")
                else:
                    endpoint.ack(message)

    async def reconnect(self) -> None:
        proxy = self.random.choice(list(self.endpoints))
        self.endpoints[proxy] = await reconnected(self.host, self.channel, proxy, window=5)

    async def swap_out(self) -> None:
        proxy = self.random.choice(list(self.endpoints))
        await soon(self.host.ask(m.Detach(self.channel, proxy)))
        await soon(self.host.ask(Idle(self.channel, proxy)))

    async def redrive(self) -> None:
        letters = await self.host.dead_letters.list()
        if letters:
            id = self.random.choice(letters).id
            work = (
                self.host.dead_letters.redrive
                if self.random.random() < 0.7
                else (self.host.dead_letters.drop)
            )
            try:
                await work(id)
            except TidingsError:
                pass  # it may wait already

    async def manage(self) -> None:
        """Makes something, and ends or changes something else."""
        host, random = self.host, self.random
        made = await soon(host.ask(m.NewAdmin(self.channel, Side.CONSUMER)))
        proxy = await obtained(host, self.channel, text="$n > 5")
        what = random.choice(
            [
                m.Disconnect(self.channel, proxy),
                m.DestroyAdmin(self.channel, Side.CONSUMER, made),
                m.SetQoS(Place(self.channel, proxy=proxy), {"Priority": 3}),
                m.CreateChannel(new_origin()),
            ]
        )
        answer = await soon(host.ask(what))
        if isinstance(answer, int):
            await soon(host.ask(m.DestroyChannel(answer)))

    async def anything(self) -> None:
        chosen = self.random.choice(
            [self.push, self.push, self.reconnect, self.swap_out, self.redrive, self.manage]
        )
        await chosen()
        self.take(self.random.choice([0.3, 0.9]))
        for _ in range(self.random.choice([0, 1, 5])):
            await asyncio.sleep(0)


@pytest.mark.parametrize("seed", range(6))
def test_a_crash_at_any_moment_loses_nothing_and_brings_nothing_back(
    seed: int, tmp_path: Path
) -> None:
    async def play() -> None:
        folder = tmp_path / "store"
        host = await Host.open(folder, settings=SMALL, segment_octets=SEGMENT_OCTETS)
        world = World(host, folder, seed)
        await world.begin()
        for _ in range(25):
            await world.anything()
        world.crash = True
        for _ in range(2):
            before = store_of(host).journal.segments
            running = asyncio.ensure_future(carry_all(host))
            while not running.done():
                await world.anything()
            await running
            after = store_of(host).journal.segments
            assert after[0] == before[-1]
        world.crash = False
        assert world.oracle.crashes > 30
        await host.close()
        if world.faults:
            raise world.faults[0]
        world.oracle.judge()

    asyncio.run(asyncio.wait_for(play(), 60))
