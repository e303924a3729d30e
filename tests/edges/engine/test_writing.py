"""To the disk: its thread, the store, batches of writes, and a disk that takes nothing."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import pytest

from tests.edges.engine.hosts import (
    ORIGIN,
    HeldDisk,
    collect,
    connected,
    consumer,
    event_record,
    happened,
    hosted,
    named,
    obtained,
    opened,
    publish,
    reconnected,
    seqs,
    soon,
    store_of,
    turns,
    until,
)
from tests.edges.engine.recorded_answers import message
from tidings import event
from tidings.api import items
from tidings.api.items import write_delivered
from tidings.channel.commands import Pull, Push, Revoke
from tidings.channel.effects import Cause, Outcome
from tidings.channel.entries import NEVER
from tidings.channel.management import Connect, CreateChannel, SetQoS
from tidings.channel.settings import Limits
from tidings.channel.vocabulary import Place, Style
from tidings.engine.bodies import OVERHEAD_OCTETS, Bodies, packed
from tidings.engine.disk import DiskThread, Done
from tidings.engine.endpoints import Endpoint, EventBatch
from tidings.engine.host import Host
from tidings.engine.mailbox import Post
from tidings.engine.recovery import recover
from tidings.engine.store import Writable
from tidings.engine.writing import Write, Writer
from tidings.errors import BadInput, DiskFull, LimitExceeded, Stopping, StoreError
from tidings.events.codecs.json_codec import encode_event
from tidings.events.envelope import ProducerMark
from tidings.names import new_origin
from tidings.stores.payloads import StoredDeadLetter
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

NO_ROOM = DiskFull("no room")


# The thread of the disk.


@pytest.mark.parametrize("error", [NO_ROOM, StopIteration(3), SystemExit(2), KeyboardInterrupt()])
async def test_whatever_a_job_raises_the_thread_goes_on(error: BaseException) -> None:
    disk = DiskThread()
    thread = await disk.submit(threading.get_ident)
    assert thread != threading.get_ident()
    failed = disk.submit(mock.Mock(side_effect=error))
    assert await disk.submit(threading.get_ident) == thread
    assert failed.exception() is not None
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        assert failed.exception() is error
    disk.close()


async def test_one_wake_up_delivers_all_that_is_done() -> None:
    loop = asyncio.get_running_loop()
    disk = DiskThread()
    with mock.patch.object(loop, "call_soon_threadsafe", wraps=loop.call_soon_threadsafe) as told:
        futures = [disk.submit(lambda: None) for _ in range(50)]
        # The loop does not turn while this thread waits for the other one.
        while not disk._jobs.empty() or len(disk._results) < 50:
            threading.Event().wait(0.001)
        await futures[-1]
        assert told.call_count == 1
        assert all(future.done() for future in futures)
        await disk.submit(lambda: None)
        assert told.call_count == 2
    disk.close()


async def test_close_finishes_what_is_queued_and_takes_nothing_more() -> None:
    disk, done = DiskThread(), list[int]()
    futures = [disk.submit(lambda n=n: done.append(n)) for n in range(100)]  # type: ignore[misc]
    disk.close()
    assert done == list(range(100))
    assert all(future.done() for future in futures)
    assert disk.waiting == 0
    assert not disk._thread.is_alive()
    with pytest.raises(Stopping, match="takes no more jobs"):
        await disk.submit(lambda: None)
    disk.close()


async def test_a_job_nobody_waits_for_is_done_all_the_same() -> None:
    disk, go, done = DiskThread(), threading.Event(), list[int]()
    for job in (disk.submit(go.wait), disk.submit(lambda: done.append(2))):
        job.cancel()
    go.set()
    await disk.submit(lambda: done.append(3))
    assert done == [2, 3]
    disk.close()


# The store.


def test_the_store_counts_syncs_and_writes_nothing_or_all(tmp_path: Path) -> None:
    store, _ = recover(tmp_path, Limits(), 1 << 20)
    store.write([event_record(1, 3), Record(Kind.RESERVED, ORIGIN, 5, b"")], sync=True)
    store.write([event_record(2, 3)], sync=False)
    assert (store.syncs, store.synced_events) == (1, 1)

    end, failing = store.journal.end, mock.Mock(side_effect=StoreError("planted"))
    with pytest.raises(StoreError, match="planted"):
        store.write([event_record(3, 3), failing], sync=True)
    assert store.journal.end == end

    records = [event_record(1, 3), event_record(2, 3, octets=b"{no event"), event_record(3, 3)]
    places = [packed(place) for place in store.write(records, sync=True)]
    found = store.fetch([*places, packed(Cursor(99, 64))])  # what cannot be read is None
    assert [None if one is None else one.seq for one in found] == [1, None, 3, None]
    assert found[0] is not None
    assert (found[0].event, found[0].octets > 0) == (happened("1"), True)
    assert store.fetch([]) == []

    for seq in (1, 2, 3):  # of dead letters the oldest go
        letter = StoredDeadLetter(3, seq, (Cause(seq, "no"),), NEVER, 0, 0, 0, 1, b"{}")
        assert store.bury(1, seq, letter, 2) == seq
    assert [row.seq for row in store.catalog.dead_letters()] == [2, 3]
    store.close()


# Batches of writes.


def record(seq: int, kind: Kind = Kind.OUTCOME) -> Record:
    return Record(kind, ORIGIN, seq, b"")


class ByHand:
    """A host whose disk is worked by hand."""

    def __init__(self) -> None:
        self.jobs: list[tuple[list[int], bool, Done]] = []
        self.told: list[object] = []

    def submit_write(self, records: Sequence[Writable], sync: bool, done: Done) -> None:
        self.jobs.append(([r.seq for r in records if isinstance(r, Record)], sync, done))

    def revoke(self, command: Revoke) -> None:
        self.told.append(command)

    def refused(self, error: StoreError) -> None:
        self.told.append(error)

    def taken(self) -> None:
        self.told.append("taken")

    async def finish(self, error: Exception | None = None) -> list[int]:
        """Ends the write under way; the numbers of its records."""
        found, _, done = self.jobs.pop(0)
        done([Cursor(1, 100 + seq) for seq in found], error)
        await turns()
        return found


def by_hand() -> tuple[ByHand, Bodies, Writer]:
    host, bodies = ByHand(), Bodies()
    writer = Writer(bodies, host.submit_write, host.revoke, host.refused, host.taken)
    return host, bodies, writer


def events(*numbers: int, mark: ProducerMark | None = None) -> Write:
    write = Write()
    write.sync = True
    for at, seq in enumerate(numbers):
        write.records.append(record(seq, Kind.EVENT))
        made = message(seq)
        made.mark = mark
        write.events.append((at, made))
    return write


def answered_later(write: Write, answer: object) -> asyncio.Future[object]:
    future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    write.answers.append((Post(Push(1, 2, named("x")), future), answer))
    return future


async def test_one_write_at_a_time_and_what_comes_meanwhile_goes_together() -> None:
    host, _, writer = by_hand()
    writes = [events(1), events(2), events(3, 4)]
    answers = [answered_later(write, [at]) for at, write in enumerate(writes)]
    for write in writes:
        writer.begin(write)
    assert [job[:2] for job in host.jobs] == [([1], True)]
    assert await host.finish() == [1]
    assert [answer.done() for answer in answers] == [True, False, False]
    assert await host.finish() == [2, 3, 4]
    assert [answer.done() for answer in answers] == [True, True, True]
    assert writer.idle


async def test_records_nobody_waits_for_ride_on_the_next_batch_and_go_alone_in_time() -> None:
    host, _, writer = by_hand()
    writer.ride([record(1)])
    writer.ride([record(2)])
    await turns()
    assert not host.jobs
    writer.begin(events(3))
    assert await host.finish() == [1, 2, 3]
    writer.ride([record(4)])
    await until(lambda: host.jobs)
    assert host.jobs[0][:2] == ([4], True)
    await host.finish()
    writer.ride([record(seq) for seq in range(1_000)])
    assert len(host.jobs) == 1, "so many do not wait"
    await host.finish()


async def test_after_a_failed_write_the_rest_is_owed_and_goes_first() -> None:
    host, bodies, writer = by_hand()
    mark = ProducerMark("p", 1)
    write = events(2, mark=mark)
    write.records.append(record(3))
    bodies.keep(1, 2, message(2))
    push = answered_later(write, [2, 0])
    writer.ride([record(1)])
    writer.begin(write)
    await host.finish(NO_ROOM)
    assert await push == [NO_ROOM, 0]
    assert host.told == [Revoke(1, [2], [mark]), NO_ROOM]
    assert not bodies.holds(1, 2)
    assert not writer.idle
    writer.begin(events(9))
    assert await host.finish() == [1, 3, 9]
    assert writer.idle


async def test_what_gathered_behind_a_failed_write_is_refused_with_it() -> None:
    host, _, writer = by_hand()
    first, second = events(1), events(2)
    first.records.append(record(10))
    second.records.append(record(20))
    answers = [answered_later(first, [1]), answered_later(second, [1])]
    writer.begin(first)
    writer.begin(second)
    await host.finish(OSError("odd"))
    one, two = await answers[0], await answers[1]
    assert isinstance(one, list)
    assert isinstance(one[0], StoreError), "another error of the disk is told as one of the store"
    assert "odd" in str(one[0])
    assert one == two
    assert Revoke(1, [1, 2], []) in host.told
    assert not host.jobs
    writer.flush()
    assert await host.finish() == [10, 20], "in the order they were made"


async def test_finishing_waits_for_all_that_is_written() -> None:
    host, _, writer = by_hand()
    writer.begin(events(1))
    writer.ride([record(2)])
    finishing = asyncio.create_task(writer.finish())
    await turns()
    await host.finish()
    assert not finishing.done()
    await host.finish(StoreError("no"))
    await soon(finishing)


# With a real disk.


async def test_many_pushes_share_one_sync_and_are_answered_only_after_it(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, proxy):
        disk = HeldDisk(host, held=True)
        before = store_of(host).syncs
        pushes = [host.ask(Push(channel, proxy, named(n))) for n in range(40)]
        await until(lambda: disk.writes)
        pushes += [host.ask(Push(channel, proxy, named(n))) for n in range(40, 80)]
        await turns(30)
        assert not any(push.done() for push in pushes)
        disk.release()
        assert await soon(asyncio.gather(*pushes)) == [[seq] for seq in range(1, 81)]
        assert store_of(host).syncs - before <= 3


async def test_a_full_disk_refuses_each_event_and_the_next_try_begins_where_it_was(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path) as (host, channel, proxy):
        _, endpoint = await consumer(host, channel)
        disk = HeldDisk(host, NO_ROOM)
        marks = [ProducerMark("p", n) for n in range(3)]
        answers = await publish(host, channel, proxy, "a", "b", "c", marks=marks)
        assert all(isinstance(answer, DiskFull) for answer in answers)
        await turns()
        assert len(endpoint) == 0, "what was refused reaches nobody"
        disk.error = None
        assert await publish(host, channel, proxy, "a", "b", "c", marks=marks) == [1, 2, 3]
        assert [m.event.name for m in await collect(endpoint, 3)] == ["a", "b", "c"]


async def test_changes_are_refused_until_the_disk_takes_records_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host, channel, proxy = await opened(tmp_path)
    disk = HeldDisk(host, NO_ROOM)
    with pytest.raises(DiskFull, match="is made, but not on the disk yet"):
        await host.ask(SetQoS(Place(channel), {"Priority": 3}))
    with pytest.raises(DiskFull, match="nothing can be changed"):
        await host.ask(CreateChannel(new_origin()))
    for times in (1, 2):
        assert caplog.text.count("the disk refuses: no room") == times
        disk.error = None
        host._look_around()
        await until(lambda: host.disk_error is None)
        if times == 1:
            await host.ask(SetQoS(Place(channel), {"Priority": 4}))
            disk.error = NO_ROOM
            for name in ("a", "b"):
                await publish(host, channel, proxy, name)
            assert host.disk_error is not None
    await host.close(0.05)
    host = await Host.open(tmp_path)
    assert host.factory.channels[channel].qos.priority == 4
    await host.close(0.05)


async def test_on_a_full_disk_a_client_may_come_back_and_no_new_one_connects(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path) as (host, channel, proxy):
        known, _ = await consumer(host, channel)
        new = await obtained(host, channel)
        disk = HeldDisk(host, NO_ROOM)
        await publish(host, channel, proxy, "a")
        with pytest.raises(DiskFull, match="nothing can be changed"):
            await reconnected(host, channel, new, again=False)
        endpoint = await reconnected(host, channel, known)
        disk.error = None
        host._look_around()
        await publish(host, channel, proxy, "b")
        assert [m.event.name for m in await collect(endpoint, 1)] == ["b"]


async def test_who_pulls_is_not_told_of_a_refused_change(tmp_path: Path) -> None:
    """A pull that raised would leave the core with somebody who waits, and loses the event."""
    async with hosted(tmp_path) as (host, channel, proxy):
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        HeldDisk(host, NO_ROOM)
        push = host.ask(Push(channel, proxy, [happened("b", persistent=True)]))
        pull = host.ask(Pull(channel, puller, 99, wait=None))
        await soon(push)
        assert await soon(pull) is None


@pytest.mark.parametrize("persistent", [True, False])
async def test_an_event_is_recorded_if_it_is_persistent(tmp_path: Path, persistent: bool) -> None:
    host, channel, proxy = await opened(tmp_path)
    _, endpoint = await consumer(host, channel)
    disk = HeldDisk(host)
    await soon(host.ask(Push(channel, proxy, [happened("a", persistent)])))
    await collect(endpoint, 1)
    assert disk.count(Kind.EVENT) == int(persistent)
    await until(lambda: host.counts[Outcome.DELIVERED] == 1)
    assert disk.count(Kind.RESERVED) == int(not persistent)
    await host.close(0.05)
    assert disk.count(Kind.OUTCOME) == int(persistent)


async def test_an_event_no_record_can_hold_is_refused_and_no_other(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, proxy):
        _, endpoint = await consumer(host, channel)
        huge = event("Test", "Thing", "huge", {"x": "\x01" * 4_000_000})
        mark = [ProducerMark("p", 1)]
        pushes = [
            host.ask(Push(channel, proxy, named("a"))),
            host.ask(Push(channel, proxy, named("b"), hops=("no origin",))),
            host.ask(Push(channel, proxy, [huge], mark)),
            host.ask(Push(channel, proxy, named("c"))),
        ]
        answers = [type((await soon(push))[0]) for push in pushes]
        assert answers == [int, BadInput, LimitExceeded, int]
        assert [m.event.name for m in await collect(endpoint, 2)] == ["a", "c"]
        [again] = await soon(host.ask(Push(channel, proxy, named("d"), mark)))
        assert isinstance(again, int), "the mark of what was refused may come again"
        assert seqs(await collect(endpoint, 1)) == [again]
        assert not host.notices
        assert host.disk_error is None


class Faulty(Endpoint):
    def deliver(self, batch: EventBatch) -> None:
        raise RuntimeError("planted")


async def test_a_client_that_raises_harms_nobody_else(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        async with hosted(folder) as (host, channel, proxy):
            await connected(host, channel, await obtained(host, channel), Faulty())
            _, endpoint = await consumer(host, channel)
            assert await publish(host, channel, proxy, "a") == [1]
            assert seqs(await collect(endpoint, 1)) == [1]


async def test_the_json_of_the_journal_is_the_one_that_consumers_get(tmp_path: Path) -> None:
    host, channel, proxy = await opened(tmp_path)
    consumed, endpoint = await consumer(host, channel)
    await publish(host, channel, proxy, "a")
    [first] = await collect(endpoint, 1, ack=False)
    assert first.json == encode_event(first.event)
    assert host.bodies.cached_octets == first.octets + len(first.json) + OVERHEAD_OCTETS
    with mock.patch.object(items, "encode_event", side_effect=AssertionError):
        assert json.loads(write_delivered(first))["event"]["name"] == "a"
    await host.close(0.05)
    host = await Host.open(tmp_path)
    endpoint = await reconnected(host, channel, consumed)
    [again] = await collect(endpoint, 1)
    assert (again.id, again.json) == (first.id, first.json)
    await host.close(0.05)
