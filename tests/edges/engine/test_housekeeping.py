"""What the journal keeps: segments that go, and what is carried forward before they do."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest

from tests.edges.engine.hosts import (
    ORIGIN,
    collect,
    consumer,
    event_record,
    happened,
    hosted,
    named,
    new_channel,
    obtained,
    opened,
    outcome_record,
    publish,
    reconnected,
    seqs,
    soon,
    store_of,
    supplier,
    turns,
    until,
)
from tidings import event
from tidings.channel import management as m
from tidings.channel.commands import Idle, Push
from tidings.channel.effects import NoticeKind, Outcome
from tidings.channel.entries import NEVER, PERSISTENT, Entry
from tidings.channel.management import Detach
from tidings.channel.producers import ProducerMarks
from tidings.channel.qos import OrderPolicy
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Place, Side
from tidings.clock import ManualClock
from tidings.engine import compaction as compaction_module
from tidings.engine.compaction import JournalCompaction, channel_records
from tidings.engine.disk import Done
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.engine.ledger import Ledger
from tidings.engine.recovery import recover
from tidings.engine.store import Writable
from tidings.errors import DiskFull, InvalidUsage, Stopping, StoreError, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import constraint
from tidings.live.core import Live
from tidings.live.model import ObjectUpdate
from tidings.live.requests import SeeLiveObjects, SetObjects
from tidings.names import new_origin
from tidings.stores import observed_time
from tidings.stores.catalog import Catalog
from tidings.stores.payloads import (
    stored_dead,
    stored_dead_gone,
    stored_event,
    stored_marks,
    stored_outcome,
    stored_topology,
)
from tidings.stores.records import Kind, Record
from tidings.stores.retention import Retention
from tidings.stores.segments import Cursor

SEGMENT_OCTETS = 4_000


class Oracle:
    """What the journal must say after a crash at any moment, kept beside it by other means.

    Sees every write of a host, and judges copies of its folder; `crashes` counts them.
    """

    def __init__(self, host: Host, folder: Path) -> None:
        self.crashes = 0
        self._folder = folder
        self._limits: Limits = host.settings.limits
        # Origin, number and proxy of all copies that recovery must serve, with priority.
        self._waiting: dict[tuple[bytes, int, int], int] = {}
        self._seqs: dict[bytes, int] = {}
        self._objects: dict[tuple[int, str, str], Any] = {}
        self._dead: set[tuple[bytes, int, int]] = set()
        self._marks: dict[tuple[bytes, str], dict[int, int]] = {}
        store = store_of(host)
        append, write = store.journal.append, store.write
        made: list[Record] = []

        def append_and_note(records: Sequence[Record]) -> list[Cursor]:
            made[:] = records
            return append(records)

        def write_and_note(records: Sequence[Writable], *, sync: bool) -> list[Cursor]:
            found = write(records, sync=sync)
            for record in made:
                self._note(record)
            return found

        store.journal.append = append_and_note  # type: ignore[method-assign]
        store.write = write_and_note  # type: ignore[method-assign]

    def _note(self, record: Record) -> None:
        """Takes in a record the host has written; what housekeeping writes is none of these."""
        kind, origin, seq, payload = record
        if kind == Kind.EVENT:
            stored = stored_event(payload)
            self._seqs[origin] = max(self._seqs.get(origin, 0), seq)
            for proxy in stored.durable:
                _, priority = stored.views.get(proxy, (0, stored.priority))
                self._waiting[origin, seq, proxy] = priority
            if stored.producer is not None:
                self._marks.setdefault((origin, stored.producer), {})[stored.number] = seq
        elif kind == Kind.OUTCOME:
            proxy, outcome, seqs, _ = stored_outcome(payload)
            for seq in seqs if outcome is not Outcome.WITHDRAWN else ():
                self._waiting.pop((origin, seq, proxy), None)
        elif kind == Kind.TOPOLOGY:
            channel, what, key, state = stored_topology(payload)
            self._objects[channel, what, key] = state
        elif kind == Kind.DEAD:
            self._dead.add((origin, seq, stored_dead(payload).proxy))
        elif kind == Kind.DEAD_GONE:
            proxy, seq = stored_dead_gone(payload)
            self._dead.discard((origin, seq, proxy))

    def judge(self) -> None:
        """Lets a copy of the folder recover, and compares; between two jobs of the disk."""
        self.crashes += 1
        with tempfile.TemporaryDirectory() as name:
            copy = Path(name) / "copy"
            shutil.copytree(self._folder, copy)
            store, found = recover(copy, self._limits, SEGMENT_OCTETS)
            try:
                assert not found.unreadable
                self._judge_objects(found.states)
                for origin in set(found.origins().values()) - {bytes(16)}:
                    self._judge_channel(origin, found.channels[origin], store)
            finally:
                store.close()

    def _judge_objects(self, states: dict[tuple[int, str, str], Any]) -> None:
        """All that was written down is there; a channel may know of later admins."""
        expected = {key: state for key, state in self._objects.items() if state is not None}
        assert states.keys() >= expected.keys()
        for key, state in states.items():
            if key[1] == "channel":
                last = state["last_admin"], expected[key]["last_admin"]
                assert all(last[0][side] >= last[1][side] for side in last[1])
                assert {**state, "last_admin": last[1]} == expected[key]
            elif key[1] == "factory":
                assert state["last"] >= expected.get(key, {"last": 0})["last"]
            else:
                assert state == expected[key]

    def _judge_channel(self, origin: bytes, found: Any, store: Any) -> None:
        waiting: dict[tuple[bytes, int, int], int] = {}
        for seq, (place, _, priority, _, _, proxies, views) in found.pending.items():
            for proxy in proxies:
                waiting[origin, seq, proxy] = (views or {}).get(proxy, (0, priority))[1]
            [message] = store.fetch([place])
            assert message is not None
            assert (message.seq, message.origin) == (seq, origin.hex())
        assert waiting == {k: v for k, v in self._waiting.items() if k[0] == origin}
        assert max(found.seq, found.reserved) >= self._seqs.get(origin, 0)
        dead = {(origin, seq, proxy) for proxy, seq in found.dead}
        assert dead == {letter for letter in self._dead if letter[0] == origin}
        for (of, producer), marks in self._marks.items():
            if of == origin:
                seen = {n: found.marks.seen(ProducerMark(producer, n)) for n in marks}
                assert (seen, found.marks.highest(producer)) == (marks, max(marks))


SEGMENT = 12_000
DAY = 24 * 3600 * 1_000_000
SMALL: dict[str, Any] = {"segment_octets": SEGMENT, "retention": Retention(keep_octets=1)}


async def filled(host: Host, channel: int, source: int, segments: int = 3) -> int:
    """Pushes until so many more segments are full; how many events."""
    journal = store_of(host).journal
    end, count = journal.segments[-1] + segments, 0
    while journal.segments[-1] < end:
        count += len(await publish(host, channel, source, *range(count, count + 40)))
    return count


async def acknowledged(host: Host) -> None:
    """Waits until all that was acknowledged is in the journal."""
    all_of_them = host.factory.channels.consumers
    await until(lambda: all(d.waiting == d.spilled and not d.flight for d in all_of_them()))
    host.writer.flush()
    await until(lambda: host.writer.idle)


@pytest.mark.parametrize("quota", [None, 2 * SEGMENT])
async def test_what_is_not_archived_stays_unless_it_is_too_much(
    tmp_path: Path, quota: int | None
) -> None:
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        journal, keeper = store_of(host).journal, host.housekeeping
        keeper.unarchived = lambda: (1, 100 * SEGMENT)  # it also runs by itself
        await filled(host, channel, source, 6)
        first, second, *_ = journal.segments
        for oldest in (first, second):
            keeper.unarchived = lambda oldest=oldest: (oldest, 100 * SEGMENT)
            await soon(keeper.run_once())
            assert journal.segments[0] == oldest
        if quota is None:
            files = (tmp_path / "journal").glob("*.journal")
            half = sum(file.stat().st_size for file in files) // 2
            keeper.unarchived = lambda: (second, half)
        else:
            keeper.disk_quota = quota
        await soon(keeper.run_once())
        assert journal.segments[0] > second
        assert len(journal.segments) >= 2
        assert not host.factory.core.disk_full
        assert await publish(host, channel, source, "more")


async def test_what_a_dead_letter_could_not_read_yet_stays(tmp_path: Path) -> None:
    async with hosted(tmp_path, cache_octets=1, **SMALL) as (host, channel, source):
        _, endpoint = await consumer(host, channel, window=1_000)
        count = await filled(host, channel, source)
        [first, *others] = await collect(endpoint, count, ack=False)
        journal = store_of(host).journal
        with mock.patch.object(journal, "fetch", side_effect=StoreError("no")) as failing:
            endpoint.reject(first, "no")
            endpoint.ack_many(others)
            await until(lambda: failing.called)
            await acknowledged(host)
            await soon(host.housekeeping.run_once())
            assert journal.segments[0] == 1
        while not await host.dead_letters.list():
            await turns(1)
        await soon(host.housekeeping.run_once())
        assert journal.segments[0] > 1
        assert [letter.seq for letter in await host.dead_letters.list()] == [1]


async def test_a_clock_that_is_set_makes_nothing_old_and_time_that_passes_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tidings.engine.housekeeping")
    passing = ManualClock()
    monkeypatch.setattr(observed_time, "monotonic_microseconds", passing.now)
    wall = ManualClock(1_700_000_000_000_000)
    week = Retention(keep_microseconds=7 * DAY)

    options: dict[str, Any] = {"segment_octets": SEGMENT, "retention": week, "clock": wall}

    async def segments(host: Host) -> list[int]:
        host.clock.check()
        await soon(host.housekeeping.run_once())
        return store_of(host).journal.segments

    async with hosted(tmp_path, **options) as (host, channel, source):
        await filled(host, channel, source, 2)
        wall.advance(400 * DAY)
        for path in store_of(host).folder.glob("*.journal"):
            os.utime(path, (0, 0))
        assert await segments(host) == [1, 2, 3]
    wall.advance(400 * DAY)  # a pause counts for a day at most
    for days in (5, 0):
        host = await Host.open(tmp_path, **options)
        assert await segments(host) == [1, 2, 3]
        passing.advance(days * DAY)
        if days:
            await host.close()
    passing.advance(1 * DAY + 1)
    assert (await segments(host))[0] == 3
    assert "segments 1 to 2 of the journal went: 2 were older than" in caplog.text
    await host.close()


async def test_beyond_the_quota_persistent_events_are_refused_and_nothing_else(
    tmp_path: Path,
) -> None:
    host, channel, source = await opened(tmp_path, segment_octets=SEGMENT, disk_quota=4 * SEGMENT)
    proxy, _ = await consumer(host, channel, window=1_000)
    await soon(host.ask(Detach(channel, proxy)))
    count = await filled(host, channel, source, 8)
    await soon(host.housekeeping.run_once())
    answers = await soon(host.ask(Push(channel, source, [happened("no"), happened("yes", False)])))
    assert isinstance(answers[0], DiskFull)
    assert f"may have {4 * SEGMENT}" in str(answers[0])
    assert answers[1] == count + 1
    await new_channel(host)
    assert [n.kind for n in host.notices] == [NoticeKind.FAILING]
    endpoint = await reconnected(host, channel, proxy, window=1_000)
    names = [m.event.name for m in await collect(endpoint, count + 1)]
    assert names == [*map(str, range(count)), "yes"]
    await acknowledged(host)
    await soon(host.housekeeping.run_once())
    assert await publish(host, channel, source, "again") == [count + 2]
    assert [n.kind for n in host.notices] == [NoticeKind.FAILING, NoticeKind.CAUGHT_UP]
    await host.close()


async def test_an_error_is_told_once_and_tried_again(tmp_path: Path) -> None:
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        await filled(host, channel, source)
        journal = store_of(host).journal
        with mock.patch.object(journal, "drop_before", side_effect=StoreError("stuck")):
            for _ in range(2):
                await soon(host.housekeeping.run_once())
        [notice] = host.notices
        assert (notice.kind, "stuck" in notice.detail) == (NoticeKind.FAILING, True)
        assert (journal.segments[0], store_of(host).ledger) == (1, None)
        last = journal.segments[-1]
        await soon(host.housekeeping.run_once())
        assert journal.segments[0] == last


async def test_who_moves_or_holds_little_is_left_alone(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, source):
        first, _ = await consumer(host, channel)
        second, _ = await consumer(host, channel)
        small, _ = await consumer(host, channel, text="$event_name == '7'")
        for proxy in (first, second, small):
            await soon(host.ask(Detach(channel, proxy)))
        await soon(host.ask(Push(channel, source, named(*range(150)))))
        keeper = host.housekeeping
        keeper.idle_seconds, keeper.most_entries = 0.0, 10_000
        await soon(keeper.run_once())  # seen for the first time
        endpoint = await reconnected(host, channel, first, window=1)
        await collect(endpoint, 1)
        await turns()
        await soon(host.ask(Detach(channel, first)))
        await asyncio.sleep(0.002)
        keeper.most_entries = 150
        await soon(keeper.run_once())  # the one that took something last stays
        deliveries = {d.proxy.id: d for d in host.factory.channels.consumers()}
        assert {id: d.spilled for id, d in deliveries.items()} == {first: 0, second: 150, small: 0}
        keeper.most_entries, keeper.idle_seconds = 0, 60.0
        await soon(keeper.run_once())
        assert not deliveries[first].spilled
        keeper.idle_seconds = 0.0
        await soon(keeper.run_once())
        assert (deliveries[first].spilled, deliveries[small].spilled) == (149, 0)


async def test_a_quota_is_a_number_of_octets_and_without_a_disk_there_is_nothing_to_keep(
    tmp_path: Path,
) -> None:
    wrong: Any
    for wrong in (0, -1, 1.5, "much"):
        with pytest.raises(InvalidUsage, match="a number of octets from 1 on, not"):
            await Host.open(tmp_path, disk_quota=wrong)
    for folder in (tmp_path, None):  # the folder is free again
        host = await Host.open(folder)
        await soon(host.housekeeping.run_once())
        await host.close(0.0)
        await soon(host.housekeeping.run_once())  # which does nothing any more


def never() -> None:
    """Nothing stops it."""


def carrying_of(host: Host, check: Callable[[], None]) -> JournalCompaction:
    """An attempt to do without old segments."""
    return JournalCompaction(host.storage, host.factory, host.cores, host.ask, check)


async def carry_all(host: Host) -> None:
    """Does without all segments but the last."""
    async with carrying_of(host, never) as carrying:
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
        by_priority = {"OrderPolicy": int(OrderPolicy.PRIORITY)}
        for qos in ({}, by_priority, {}, {"ConnectionReliability": 0}):
            proxy, self.endpoints[proxy] = await consumer(host, self.channel, window=5, qos=qos)
            await soon(host.ask(m.AddFilter(Place(self.channel, proxy=proxy), filter)))

    async def push(self) -> None:
        numbers = [next(self.numbers) for _ in range(self.random.randint(1, 8))]
        text = "x" * 60
        items = [event("T", "T", str(n), {"n": n, "x": text}, priority=n * 7 % 3) for n in numbers]
        marks = [ProducerMark("p", n) for n in numbers]
        await soon(self.host.ask(Push(self.channel, self.source, items, marks)))

    def take(self, share: float = 0.8) -> None:
        for endpoint in self.endpoints.values():
            while self.random.random() < share and len(endpoint):
                if (message := endpoint.get_nowait()) is not None:
                    no = self.random.random() < 0.1
                    endpoint.reject(message, "no") if no else endpoint.ack(message)

    async def reconnect(self) -> None:
        proxy = self.random.choice(list(self.endpoints))
        self.endpoints[proxy] = await reconnected(self.host, self.channel, proxy, window=5)

    async def swap_out(self) -> None:
        proxy = self.random.choice(list(self.endpoints))
        await soon(self.host.ask(m.Detach(self.channel, proxy)))
        await soon(self.host.ask(Idle(self.channel, proxy)))

    async def redrive(self) -> None:
        letters = self.host.dead_letters
        if known := await letters.list():
            work = letters.redrive if self.random.random() < 0.7 else letters.drop
            with contextlib.suppress(TidingsError):  # it may wait already
                await work(self.random.choice(known).id)

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
        some = [self.push, self.push, self.reconnect, self.swap_out, self.redrive, self.manage]
        await self.random.choice(some)()
        self.take(self.random.choice([0.3, 0.9]))
        await turns(self.random.choice([0, 1, 5]))


@pytest.mark.parametrize(("seed", "rounds"), [(1, 1), (4, 2)])
async def test_a_crash_at_any_moment_loses_nothing_and_brings_nothing_back(
    seed: int, rounds: int, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    few = Settings(limits=Limits(entries_per_consumer=12))
    host = await Host.open(folder, settings=few, segment_octets=SEGMENT_OCTETS)
    world = World(host, folder, seed)
    await world.begin()
    for _ in range(20):
        await world.anything()
    world.crash = True
    for _ in range(rounds):
        before = store_of(host).journal.segments
        with mock.patch.object(compaction_module, "STEP_RECORDS", 8):
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


async def left_over(host: Host, channel: int, source: int) -> int:
    """A consumer that does not take two segments of events."""
    kept, _ = await consumer(host, channel)
    await soon(host.ask(m.Detach(channel, kept)))
    journal = store_of(host).journal
    last = journal.segments[-1] + 2
    while journal.segments[-1] < last:
        await publish(host, channel, source, *range(10))
    return kept


async def test_a_mark_whose_event_is_not_written_yet_is_not_remembered(tmp_path: Path) -> None:
    async with hosted(tmp_path / "store") as (host, channel, source):
        marks = [ProducerMark("p", number) for number in (1, 2)]
        await publish(host, channel, source, "first", marks=marks[:1])
        found = host.factory.channel(channel)
        found.marks.record(marks[1], 2)  # accepted, and on its way
        records = {one.kind: one for one in channel_records(host.recorder, found, marks[1:])()}
        plain = stored_marks(records[Kind.MARK].payload)
        known = ProducerMarks.from_plain(plain, host.settings.limits)
        assert [known.seen(mark) for mark in marks] == [1, None]
        assert found.marks.seen(marks[1]) == 2
        assert records[Kind.RESERVED].seq == 1


async def test_who_gives_up_leaves_everything_as_it_was(tmp_path: Path) -> None:
    async with hosted(tmp_path, segment_octets=SEGMENT_OCTETS) as (host, channel, source):
        kept = await left_over(host, channel, source)
        store, enough = store_of(host), mock.Mock(side_effect=Stopping("enough"))
        before = store.journal.segments
        with pytest.raises(Stopping):
            await carrying_of(host, enough).__aenter__()
        assert store.ledger is None
        async with carrying_of(host, never) as carrying:
            carrying._check = enough
            with pytest.raises(Stopping):
                await carrying.carry(2**30)
        assert store.journal.segments == before
        async with carrying_of(host, never) as carrying:
            finish = carrying._finish
            changed = Record(Kind.TOPOLOGY, ORIGIN, 0, b"")
            changes = ([changed, changed], list[Any]())

            def while_objects_change(*given: Any) -> Any:
                with mock.patch.object(type(host.writer), "unwritten", return_value=changes):
                    return finish(*given)

            carrying._finish = while_objects_change  # type: ignore[method-assign, assignment]
            with pytest.raises(StoreError, match="objects change all the time"):
                await carrying.carry(2**30)
        assert store.journal.segments[: len(before)] == before
        count = host.factory.channel(channel).seq
        found = await collect(await reconnected(host, channel, kept, window=1_000), count)
        assert seqs(found) == list(range(1, count + 1))


async def test_objects_that_never_rest_do_not_keep_old_segments(tmp_path: Path) -> None:
    async with hosted(tmp_path, segment_octets=SEGMENT_OCTETS, cores=[Live()]) as (host, *_):
        done = False

        async def feed(tag: str) -> None:
            for number in count():
                await host.ask(SetObjects([ObjectUpdate(tag, {"n": number, "x": "x" * 200})]))
                if done:
                    return

        feeding = [asyncio.create_task(feed(f"flight/{at}")) for at in range(4)]
        while len(store_of(host).journal.segments) < 5:  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0.001)
        before = store_of(host).journal.segments
        await soon(carry_all(host))
        done = True
        await asyncio.gather(*feeding)
        assert set(before[:-1]).isdisjoint(store_of(host).journal.segments)
        last = await LocalDoor(host).request(SeeLiveObjects())
    restarted = await Host.open(tmp_path, cores=[Live()])
    assert await LocalDoor(restarted).request(SeeLiveObjects()) == last
    await restarted.close(0.0)


async def test_what_waits_on_the_disk_is_found_where_it_was_carried(tmp_path: Path) -> None:
    options: dict[str, Any] = {"segment_octets": SEGMENT_OCTETS, "cache_octets": 0}
    async with hosted(tmp_path, **options) as (host, channel, source):
        kept = await left_over(host, channel, source)
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


# The ledger of who waits.


def entries(*seqs: int) -> list[Entry]:
    """What waits."""
    return [Entry(NEVER, seq, 0, 0, PERSISTENT) for seq in seqs]


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    with Catalog.open(None, bytes(16)) as made:
        yield made


@pytest.fixture
def ledger(catalog: Catalog) -> Ledger:
    return Ledger({ORIGIN: 1}, catalog, set())


def left(ledger: Ledger, seq: int = 1) -> tuple[int, ...]:
    """For whom an event is needed."""
    found = ledger.wanted(event_record(seq, 5, 6))
    return () if found is None else stored_event(found.payload).durable


def test_who_waits_is_carried_with_how_they_see_it(ledger: Ledger) -> None:
    assert ledger.is_empty
    ledger.saw(1, 6, entries(1, 2))
    ledger.saw(1, 7, entries(1))
    assert not ledger.is_empty
    ledger.all_seen([])
    found = ledger.wanted(event_record(1, 5, 6, views={5: (1, 1), 6: (2, 2)}))
    assert found is not None
    stored = stored_event(found.payload)
    assert (stored.durable, stored.views, stored.carried) == ((6,), {6: (2, 2)}, True)
    assert (found.kind, found.channel, found.seq) == (Kind.EVENT, ORIGIN, 1)
    assert ledger.wanted(event_record(3, 5)) is None
    assert ledger.wanted(event_record(1, 6)._replace(channel=bytes(16))) is None


def test_what_was_done_with_while_others_were_asked_is_not_needed(ledger: Ledger) -> None:
    ledger.wrote([outcome_record(5, 1)])
    ledger.saw(1, 5, entries(1, 2))  # seen before, told after
    ledger.all_seen([])
    assert left(ledger) == ()
    assert left(ledger, 2) == (5,)
    ledger.wrote([outcome_record(5, 2)])
    assert left(ledger, 2) == ()
    ledger.saw(1, 5, entries(1))  # delivered again, and swapped out
    assert left(ledger) == (5,)


def test_what_the_journal_does_not_know_to_be_done_is_needed(ledger: Ledger) -> None:
    ledger.all_seen([outcome_record(5, 1), outcome_record(6, 1, what=Outcome.WITHDRAWN)])
    assert left(ledger) == (5,)
    ledger.wrote([outcome_record(5, 1)])
    assert left(ledger) == ()


def test_what_waits_on_the_disk_is_needed(ledger: Ledger, catalog: Catalog) -> None:
    ledger.all_seen([])
    assert left(ledger) == ()
    catalog.spill(1, 6, entries(1, 700))
    ledger.begin_step()
    assert left(ledger) == (6,)
    assert left(ledger, 700) == (6,)
    rows, _ = catalog.refill(1, 6, "fifo", 10)
    ledger.begin_step()
    assert left(ledger) == ()
    ledger.saw(1, 6, rows)
    assert left(ledger) == (6,)
    ledger.places[1, 5] = 77  # it was carried since its place was looked up
    places = {5: 1, 6: 2}
    ledger.renew(1, places)
    assert places == {5: 77, 6: 2}


def test_what_cannot_be_understood_is_not_needed(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    ledger.saw(1, 5, entries(1))
    for kind in (Kind.EVENT, Kind.DEAD):
        assert ledger.wanted(Record(kind, ORIGIN, 1, b"\x01")) is None
    assert ledger.wanted(Record(Kind.PLAN, ORIGIN, 1, b"")) is None
    assert len(caplog.records) == 2
