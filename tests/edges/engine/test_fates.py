"""What became of events: every copy is accounted for, and what cannot be known is said."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest

from tests.edges.engine.hosts import (
    happened,
    hosted,
    obtained,
    publish,
    soon,
    store_of,
)
from tests.edges.engine.test_fences import EU, ROADS, scene
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.consumer import Consumer
from tidings.channel.fate import Fate
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Form, Side, Style
from tidings.clock import ManualClock
from tidings.engine import fates as fates_module
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import Forbidden, NotFound
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.stores.retention import Retention

SECOND = 1_000_000
DURABLE = {"ConnectionReliability": 1}


async def fate(host: Host, channel: int, number: int, **rest: int) -> Fate:
    """What became of an event."""
    return await soon(LocalDoor(host).request(q.SeeFate(channel, number, **rest)))


async def puller(host: Host, channel: int, **qos: int) -> int:
    """A consumer that pulls."""
    proxy = await obtained(host, channel, Style.PULL, Form.SEQUENCE, {**DURABLE, **qos})
    await soon(host.connect(m.Connect(channel, proxy), None))
    return proxy


async def pulled(host: Host, channel: int, proxy: int, most: int) -> list[int]:
    """The numbers of the next events."""
    batch = await soon(host.pull(channel, proxy, most, 0, 3_600 * SECOND))
    return [one.seq for one in batch.messages]


class Walk:
    """Consumers of one channel that do at random what consumers do."""

    def __init__(
        self, host: Host, channel: int, source: int, clock: ManualClock, seed: int
    ) -> None:
        self.host, self.channel, self.source, self.clock = host, channel, source, clock
        self.random = Random(seed)
        self.consumers: list[int] = []

    async def begin(self) -> None:
        for qos in ({}, {"MaxEventsPerConsumer": 4}, {"Timeout": 20 * 10_000_000}, {}):
            self.consumers.append(await puller(self.host, self.channel, **qos))

    async def step(self) -> None:
        random, host, channel = self.random, self.host, self.channel
        proxy = random.choice(self.consumers)
        match random.randrange(7):
            case 0 | 1:
                await publish(host, channel, self.source, *range(random.randint(1, 3)))
            case 2:
                await pulled(host, channel, proxy, 2)
            case 3 | 4:
                consumer = self.consumer(proxy)
                flight = [] if consumer is None else [*consumer.flight]
                some = random.sample(flight, min(2, len(flight)))
                kinds: list[Any] = [c.Ack, c.Reject, c.Failed]
                await soon(host.ask(random.choice(kinds)(channel, proxy, some)))
            case 5:
                self.clock.advance(5 * SECOND)
                if random.random() < 0.2:
                    await soon(host.ask(m.Purge(channel, proxy)))
            case 6:
                letters = await host.dead_letters.list()
                if letters:
                    await host.dead_letters.redrive(random.choice(letters).id)

    def consumer(self, proxy: int) -> Consumer | None:
        found: Consumer | None = getattr(
            self.host.channels[self.channel].proxies[proxy], "consumer", None
        )
        return found

    def told(self) -> dict[int, Counter[str]]:
        """What each consumer counts of its own copies."""
        found: dict[int, Counter[str]] = {}
        for proxy in self.consumers:
            counts = found[proxy] = Counter()
            if (consumer := self.consumer(proxy)) is not None:
                counts.update({"waiting": consumer.waiting, "in_flight": len(consumer.flight)})
                counts.update({kind.name.lower(): n for kind, n in consumer.counts.items()})
                del counts["redriven"]
        return {proxy: +counts for proxy, counts in found.items()}

    async def fates(self) -> list[Fate]:
        last = self.host.channels[self.channel].seq
        return [await fate(self.host, self.channel, one) for one in range(1, last + 1)]

    async def drain(self) -> None:
        """Has every consumer take all that waits for it."""
        for proxy in self.consumers:
            await pulled(self.host, self.channel, proxy, 1_000)
            consumer = self.consumer(proxy)
            flight = [] if consumer is None else [*consumer.flight]
            await soon(self.host.ask(c.Ack(self.channel, proxy, flight)))


@pytest.mark.parametrize("seed", range(3))
async def test_fates_add_up_to_what_consumers_count_and_outlast_a_stop(
    seed: int, tmp_path: Path
) -> None:
    clock = ManualClock(1_700_000_000 * SECOND)
    async with hosted(tmp_path, clock=clock) as (host, channel, source):
        walk = Walk(host, channel, source, clock, seed)
        await walk.begin()
        for _ in range(120):
            await walk.step()
        for one in (found := await walk.fates()):
            assert [copy.proxy for copy in one.copies] == walk.consumers
        told = walk.told()
        for state in ("waiting", "in_flight"):
            now = Counter(x.proxy for one in found for x in one.copies if x.state == state)
            assert now == Counter({proxy: told[proxy][state] for proxy in walk.consumers})
        await walk.drain()
        counted: dict[int, Counter[str]] = {proxy: Counter() for proxy in walk.consumers}
        for one in (found := await walk.fates()):
            for copy in one.copies:
                counted[copy.proxy].update([*(one.state for one in copy.earlier), copy.state])
        assert counted == walk.told()
        assert {"delivered", "rejected"} <= set().union(*counted.values())
    async with hosted(tmp_path, clock=clock) as (host, _, _):
        assert [(await fate(host, channel, one.number)).copies for one in found] == [
            one.copies for one in found
        ]


async def test_a_dead_letter_that_was_delivered_again_has_two_endings(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, source):
        proxy = await puller(host, channel)
        await publish(host, channel, source, 1)
        await pulled(host, channel, proxy, 1)
        await soon(host.ask(c.Reject(channel, proxy, [1], "closed")))
        [copy] = (await fate(host, channel, 1)).copies
        assert (copy.state, copy.letter, copy.earlier) == ("rejected", 1, ())
        await host.dead_letters.redrive(1)
        [copy] = (await fate(host, channel, 1)).copies
        assert (copy.state, copy.letter) == ("waiting", None)
        await pulled(host, channel, proxy, 1)
        await soon(host.ask(c.Ack(channel, proxy, [1])))
        [copy] = (await fate(host, channel, 1)).copies
        assert (copy.state, [one.state for one in copy.earlier]) == ("delivered", ["rejected"])


async def test_what_leaves_no_trace_is_said_to_be_unknown(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, source):
        durable = await puller(host, channel)
        fleeting = await puller(host, channel, ConnectionReliability=0)
        await soon(host.ask(c.Push(channel, source, [happened("a"), happened("b", False)])))
        for proxy in (durable, fleeting):
            assert await pulled(host, channel, proxy, 9) == [1, 2]
        found = await fate(host, channel, 2)
        assert (found.record, found.counts) == ("missing", {"in_flight": 2})
        for proxy in (durable, fleeting):
            await soon(host.ask(c.Ack(channel, proxy, [1, 2])))
        found = await fate(host, channel, 1)
        assert [copy.state for copy in found.copies] == ["delivered", "not_recorded"]
        assert "does not record" in found.unknown[0]
        found = await fate(host, channel, 2)
        assert (found.record, found.copies) == ("missing", ())
        assert "The journal has no event 2" in found.unknown[0]
        # Under other rules, nobody knows who the consumers without a trace were.
        await soon(host.ask(m.Disconnect(channel, fleeting)))
        found = await fate(host, channel, 1)
        assert [copy.proxy for copy in found.copies] == [durable]
        assert "The rules have changed" in found.unknown[0]
        for missing in (0, 3):
            with pytest.raises(NotFound, match="its latest is 2"):
                await fate(host, channel, missing)


async def test_a_consumer_that_is_gone_was_disconnected_though_its_copies_were_on_the_disk(
    tmp_path: Path,
) -> None:
    few = Settings(limits=Limits(entries_per_consumer=10))
    async with hosted(tmp_path, settings=few) as (host, channel, source):
        proxy = await puller(host, channel)
        await publish(host, channel, source, *range(40))
        assert host.channels[channel].spilled
        assert (await fate(host, channel, 40)).counts == {"waiting": 1}
        await soon(host.ask(m.Disconnect(channel, proxy)))
        found = [await fate(host, channel, one) for one in (1, 40)]
        assert [one.copies[0].state for one in found] == ["disconnected"] * 2


async def test_what_waits_on_the_disk_is_known_without_reading(tmp_path: Path) -> None:
    few = Settings(limits=Limits(entries_per_consumer=10))
    async with hosted(tmp_path, settings=few) as (host, channel, source):
        await puller(host, channel)
        await publish(host, channel, source, *range(40))
        with mock.patch.object(fates_module.Follower, "_look", side_effect=AssertionError):
            assert (await fate(host, channel, 20)).counts == {"waiting": 1}


async def test_retention_takes_the_past_and_leaves_what_waits(tmp_path: Path) -> None:
    small: dict[str, Any] = {"segment_octets": 6_000, "retention": Retention(keep_octets=1)}
    async with hosted(tmp_path, **small) as (host, channel, source):
        quick, slow = await puller(host, channel), await puller(host, channel)
        await publish(host, channel, source, "kept back")
        journal = store_of(host).journal
        while journal.segments[0] == 1:
            await publish(host, channel, source, *range(10))
            for proxy in (quick, slow):
                taken = await pulled(host, channel, proxy, 1_000)
                await soon(host.ask(c.Ack(channel, proxy, [one for one in taken if one > 1])))
            await soon(host.ask(c.Ack(channel, quick, [1])))
            await soon(host.housekeeping.run_once())
        found = await fate(host, channel, 1)
        assert (found.record, found.arrival) == ("removed", None)
        assert [(copy.proxy, copy.state) for copy in found.copies] == [(slow, "in_flight")]
        assert "retention has removed" in found.unknown[0]


async def test_a_damaged_record_is_told(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, source):
        await puller(host, channel)
        await publish(host, channel, source, 1)
        host.losses.add_events(channel, [1])
        found = await fate(host, channel, 1)
        assert (found.record, found.counts) == ("damaged", {"waiting": 1})


async def test_a_long_journal_is_read_in_parts_that_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fates_module, "_STEP", 2_000)
    monkeypatch.setattr(fates_module, "_MOST_READ", 8_000)
    async with hosted(tmp_path, segment_octets=20_000) as (host, channel, source):
        proxy = await puller(host, channel)
        await publish(host, channel, source, "first", *range(300))
        numbers = await pulled(host, channel, proxy, 400)
        await soon(host.ask(c.Ack(channel, proxy, numbers[1:])))
        await publish(host, channel, source, *range(100))
        await soon(host.ask(c.Ack(channel, proxy, [1])))
        found = [await fate(host, channel, 1)]
        while not found[-1].complete:
            assert found[-1].copies[0].state == "not_found"
            assert "ask again" in found[-1].unknown[-1]
            found.append(await fate(host, channel, 1))
            assert len(found) < 50
        assert len(found) > 3
        assert found[-1].copies[0].state == "delivered"
        assert (await fate(host, channel, 1)).complete
        # What waits, wherever, is known without reading on.
        assert (await fate(host, channel, 302)).complete


async def test_copies_come_in_pages(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, source):
        proxies = [await puller(host, channel) for _ in range(5)]
        await publish(host, channel, source, 1)
        first = await fate(host, channel, 1, most=3)
        rest = await fate(host, channel, 1, after=first.copies[-1].proxy, most=3)
        assert [copy.proxy for copy in first.copies + rest.copies] == proxies
        assert first.counts == rest.counts == {"waiting": 5}


async def test_without_a_journal_what_waits_is_known() -> None:
    async with hosted(None, {}) as (host, channel, source):
        proxy = await puller(host, channel, ConnectionReliability=0)
        await publish(host, channel, source, 1)
        found = await fate(host, channel, 1)
        assert (found.record, found.counts) == ("missing", {"waiting": 1})
        await pulled(host, channel, proxy, 1)
        await soon(host.ask(c.Ack(channel, proxy, [1])))
        assert (await fate(host, channel, 1)).counts == {}


async def test_what_a_fence_hides_is_as_what_is_missing(tmp_path: Path) -> None:
    async with scene(tmp_path) as made:
        with pytest.raises(NotFound):
            await made.ann.request(q.SeeFate(ROADS, 1))
        await made.grant(EU)
        mine = await made.consumer()
        await made.happen()  # one in the EU, two elsewhere
        with pytest.raises(Forbidden):
            await made.ann.request(q.SeeFate(ROADS, 1))
        await made.host.ask(g.CreateGrant("ann", (Verb.INSPECT,), ("roads",)))
        seen = await made.ann.request(q.SeeFate(ROADS, 1))
        assert [copy.proxy for copy in seen.copies] == [mine]
        owners = await LocalDoor(made.host).request(q.SeeFate(ROADS, 2))
        hidden = await made.ann.request(q.SeeFate(ROADS, 2))
        assert (owners.record, hidden.record) == ("kept", "missing")
        assert (hidden.arrival, hidden.plan, hidden.copies, hidden.counts) == (None, None, (), {})
        everything = await made.host.ask(
            m.ObtainProxy(ROADS, Side.CONSUMER, Style.PULL, qos=DURABLE)
        )
        await made.host.connect(m.Connect(ROADS, everything), None)
        fleeting = happened("us", False, region="us")
        await made.host.ask(c.Push(ROADS, made.supplier, [fleeting]))
        assert (await LocalDoor(made.host).request(q.SeeFate(ROADS, 4))).counts == {"waiting": 1}
        assert (await made.ann.request(q.SeeFate(ROADS, 4))).copies == ()
