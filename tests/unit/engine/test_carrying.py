from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest

from tests.unit.engine.hosts import (
    collect,
    consumer,
    new_channel,
    obtained,
    publish,
    reconnected,
    run,
    seqs,
    soon,
    store_of,
    supplier,
    until,
)
from tests.unit.engine.journal_oracle import SEGMENT_OCTETS, Oracle
from tidings import event
from tidings.channel import management as m
from tidings.channel.commands import Idle, Push
from tidings.channel.effects import Outcome
from tidings.channel.producers import ProducerMarks
from tidings.channel.qos import OrderPolicy
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Place, Side
from tidings.engine import carrying as carrying_module
from tidings.engine.carrying import Carrying
from tidings.engine.checkpoint import channel_records, objects
from tidings.engine.disk import Done
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.errors import Stopping, TidingsError
from tidings.events.anyvalue import pack
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import constraint
from tidings.names import new_origin
from tidings.stores.payloads import stored_marks
from tidings.stores.records import Kind

SMALL = Settings(limits=Limits(entries_per_consumer=12))
BY_PRIORITY = {"OrderPolicy": int(OrderPolicy.PRIORITY)}


def never() -> None:
    """Nothing stops it."""


async def carry_all(host: Host) -> None:
    """Does without all segments but the last."""
    async with Carrying(host, never) as carrying:
        await carrying.carry(2**30)


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
        def job_and_crash() -> Any:
            try:
                return job()
            finally:
                if self.crash and self.random.random() < 0.4:
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
            with contextlib.suppress(TidingsError):  # it may wait already
                await work(id)

    async def manage(self) -> None:
        """Makes something, and ends or changes something else."""
        host, random = self.host, self.random
        made = await soon(host.ask(m.NewAdmin(self.channel, Side.CONSUMER)))
        proxy = await obtained(host, self.channel, text="$n > 5")
        changes: list[m.Management] = [
            m.Disconnect(self.channel, proxy),
            m.DestroyAdmin(self.channel, Side.CONSUMER, made),
            m.SetQoS(Place(self.channel, proxy=proxy), {"Priority": 3}),
            m.CreateChannel(new_origin()),
        ]
        answer = await soon(host.ask(random.choice(changes)))
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


@pytest.mark.parametrize(("seed", "rounds"), [(1, 1), (4, 2)])
def test_a_crash_at_any_moment_loses_nothing_and_brings_nothing_back(
    seed: int, rounds: int, tmp_path: Path
) -> None:
    async def play() -> None:
        folder = tmp_path / "store"
        host = await Host.open(folder, settings=SMALL, segment_octets=SEGMENT_OCTETS)
        world = World(host, folder, seed)
        await world.begin()
        for _ in range(20):
            await world.anything()
        world.crash = True
        for _ in range(rounds):
            before = store_of(host).journal.segments
            with mock.patch.object(carrying_module, "STEP_RECORDS", 8):
                running = asyncio.ensure_future(carry_all(host))
                while not running.done():
                    await world.anything()
                await running
            after = store_of(host).journal.segments
            assert after[0] >= before[-1]
        world.crash = False
        assert world.oracle.crashes > 10
        await host.close()
        if world.faults:
            raise world.faults[0]
        world.oracle.judge()

    asyncio.run(asyncio.wait_for(play(), 60))


async def told_in_full(host: Host, channel: int) -> tuple[int, int]:
    """A consumer that takes, and one that does not, of two segments of events."""
    source = await supplier(host, channel)
    kept, _ = await consumer(host, channel)
    await soon(host.ask(m.Detach(channel, kept)))
    last = store_of(host).journal.segments[-1] + 2
    while store_of(host).journal.segments[-1] < last:
        await publish(host, channel, source, *range(10))
    return source, kept


def test_a_dead_letter_that_is_delivered_again_does_not_hide_who_waited_all_along(
    tmp_path: Path,
) -> None:
    async def play(folder: Path, carried: bool) -> None:
        host = await Host.open(folder, segment_octets=SEGMENT_OCTETS)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        asleep, _ = await consumer(host, channel)
        await soon(host.ask(m.Detach(channel, asleep)))
        other, endpoint = await consumer(host, channel, qos=BY_PRIORITY)
        await publish(host, channel, source, "both")
        endpoint.reject(await soon(endpoint.get()), "no")
        await until(lambda: host.writer.idle and host.counts[Outcome.REJECTED])
        letters = await host.dead_letters.list()
        last = store_of(host).journal.segments[-1] + 2
        while store_of(host).journal.segments[-1] < last:
            [seq] = await publish(host, channel, source, "x" * 900)
            await collect(endpoint, 1)
        await host.dead_letters.redrive(letters[0].id)
        if carried:
            await carry_all(host)
        host.writer.flush()
        await host.close()
        again = await Host.open(folder)
        for proxy, first in ((asleep, "both"), (other, "both")):
            found = await collect(await reconnected(again, channel, proxy), 1)
            assert found[0].event.name == first
        assert await publish(again, channel, source, "new") == [seq + 1]
        await again.close()

    run(play(tmp_path / "before", carried=False))
    run(play(tmp_path / "after", carried=True))


def test_objects_rules_and_marks_are_there_after_all_else_is_gone(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT_OCTETS)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        mark = ProducerMark("p", 1)
        [seq] = await publish(host, channel, source, "marked", marks=[mark])
        filter, _ = await soon(host.ask(m.CreateFilter([constraint("$n > 5")])))
        mapping, _ = await soon(host.ask(m.CreateMapping(pack(3))))
        proxy = await obtained(host, channel, text="$n > 7")
        version = host.factory.channel(channel).plan.version
        await publish(host, channel, source, *range(30))
        await carry_all(host)
        assert store_of(host).journal.segments[0] > 1
        before = {one[:3]: one[3] for one in objects(host.factory)}
        await host.close()
        again = await Host.open(tmp_path)
        after = {one[:3]: one[3] for one in objects(again.factory)}
        assert after.keys() == before.keys()
        assert {(0, "filter", str(filter)), (0, "mapping", str(mapping))} <= after.keys()
        assert after[channel, "proxy", str(proxy)] == before[channel, "proxy", str(proxy)]
        assert again.factory.channel(channel).plan.version > version
        assert await publish(again, channel, source, "again", marks=[mark]) == [seq]
        assert await publish(again, channel, source, "new") == [32]
        await again.close()

    run(play())


def test_a_mark_whose_event_is_not_written_yet_is_not_remembered(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path / "store")
        channel = await new_channel(host)
        source = await supplier(host, channel)
        marks = [ProducerMark("p", number) for number in (1, 2)]
        await publish(host, channel, source, "first", marks=marks[:1])
        found = host.factory.channel(channel)
        found.marks.record(marks[1], 2)  # accepted, and on its way
        records = {one.kind: one for one in channel_records(host, found, marks[1:])()}
        limits = host.settings.limits
        plain = stored_marks(records[Kind.MARK].payload)
        known = ProducerMarks.from_plain(plain, limits)
        assert [known.seen(mark) for mark in marks] == [1, None]
        assert found.marks.seen(marks[1]) == 2
        assert records[Kind.RESERVED].seq == 1
        await host.close()

    run(play())


def test_who_gives_up_leaves_everything_as_it_was(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT_OCTETS)
        channel = await new_channel(host)
        _, kept = await told_in_full(host, channel)
        before = store_of(host).journal.segments

        def check() -> None:
            raise Stopping("enough")

        with pytest.raises(Stopping):
            async with Carrying(host, check):
                pass
        assert store_of(host).ledger is None
        async with Carrying(host, never) as carrying:
            carrying._check = check
            with pytest.raises(Stopping):
                await carrying.carry(2**30)
        assert store_of(host).journal.segments == before
        count = host.factory.channel(channel).seq
        found = await collect(await reconnected(host, channel, kept, window=1_000), count)
        assert seqs(found) == list(range(1, count + 1))
        await host.close()

    run(play())


def test_what_waits_on_the_disk_is_found_where_it_was_carried(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT_OCTETS, cache_octets=0)
        channel = await new_channel(host)
        source, kept = await told_in_full(host, channel)
        count = host.factory.channel(channel).seq
        assert await soon(host.ask(Idle(channel, kept))) == count
        await carry_all(host)
        for _ in range(2):  # the second time as entries that came back
            endpoint = await reconnected(host, channel, kept, window=1_000)
            found = await collect(endpoint, count, ack=False)
            assert seqs(found) == list(range(1, count + 1))
            await soon(host.ask(m.Detach(channel, kept)))
            await carry_all(host)
        await publish(host, channel, source, "later")
        assert not host.notices
        await host.close()

    run(play())
