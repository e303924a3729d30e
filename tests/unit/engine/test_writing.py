from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path

from tests.unit.engine.hosts import (
    HeldDisk,
    named,
    new_channel,
    run,
    soon,
    store_of,
    supplier,
    turns,
    until,
)
from tests.unit.engine.recorded_answers import message
from tidings.channel.commands import Push, Revoke
from tidings.engine.bodies import Bodies
from tidings.engine.disk import Done
from tidings.engine.host import Host
from tidings.engine.mailbox import Post
from tidings.engine.store import Writable
from tidings.engine.writing import AcceptedEvent, Write, Writer
from tidings.errors import DiskFull, StoreError
from tidings.events.envelope import ProducerMark
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

ORIGIN = bytes(range(16))


def record(seq: int, kind: Kind = Kind.OUTCOME) -> Record:
    return Record(kind, ORIGIN, seq, b"")


class ByHand:
    """A host whose disk is worked by hand."""

    def __init__(self) -> None:
        self.jobs: list[tuple[list[int], bool, Done]] = []
        self.told: list[object] = []

    def submit_write(self, records: Sequence[Writable], sync: bool, done: Done) -> None:
        found = [r.seq for r in records if isinstance(r, Record)]
        self.jobs.append((found, sync, done))

    def withdraw(self, channel: int, seqs: Collection[int]) -> None:
        self.told.append(("withdraw", channel, sorted(seqs)))

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


def events(*numbers: int, mark: ProducerMark | None = None) -> Write:
    write = Write()
    write.sync = True
    for at, seq in enumerate(numbers):
        write.records.append(record(seq, Kind.EVENT))
        write.events.append(AcceptedEvent(at, 1, seq, message(seq), mark))
    return write


def answered_later(write: Write, answer: object) -> asyncio.Future[object]:
    future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    write.answers.append((Post(Push(1, 2, named("x")), future), answer))
    return future


def test_one_write_at_a_time_and_what_comes_meanwhile_goes_together() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
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

    run(work())


def test_records_nobody_waits_for_ride_on_the_next_batch_and_go_alone_in_time() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
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

    run(work())


def test_the_places_of_events_are_kept_behind_riding_records() -> None:
    async def work() -> None:
        host, bodies = ByHand(), Bodies()
        writer = Writer(host, bodies)
        bodies.keep(1, 3, message(3))
        writer.ride([record(1)])
        writer.begin(events(2, 3))
        writer.begin(events(4))
        bodies.keep(1, 4, message(4))
        await host.finish()
        await host.finish()
        assert bodies.place(1, 3) == Cursor(1, 103)
        assert bodies.place(1, 4) == Cursor(1, 104)
        assert bodies.place(1, 2) is None, "nobody waits for it"

    run(work())


def test_two_may_ask_for_one_place() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
        first: dict[int, int] = {}
        second: dict[int, int] = {}
        writer.ask_place(1, 3, first)
        writer.ask_place(1, 3, second)
        writer.begin(events(3))
        await host.finish()
        assert first == second
        assert list(first) == [3]

    run(work())


def test_after_a_failed_write_the_rest_is_owed_and_goes_first() -> None:
    async def work() -> None:
        host, bodies = ByHand(), Bodies()
        writer = Writer(host, bodies)
        mark = ProducerMark("p", 1)
        write = events(2, mark=mark)
        write.records.append(record(3))
        bodies.keep(1, 2, message(2))
        push = answered_later(write, [2, 0])
        writer.ride([record(1)])
        writer.begin(write)
        error = DiskFull("no room")
        await host.finish(error)
        assert await push == [error, 0]
        assert host.told == [("withdraw", 1, [2]), Revoke(1, [2], [mark]), error]
        assert not bodies.holds(1, 2)
        assert not writer.idle
        writer.begin(events(9))
        assert await host.finish() == [1, 3, 9]
        assert writer.idle

    run(work())


def test_what_gathered_behind_a_failed_write_is_refused_with_it() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
        first, second = events(1), events(2)
        first.records.append(record(10))
        second.records.append(record(20))
        answers = [answered_later(first, [1]), answered_later(second, [1])]
        writer.begin(first)
        writer.begin(second)
        error = StoreError("no")
        await host.finish(error)
        assert [await answer for answer in answers] == [[error], [error]]
        assert Revoke(1, [1, 2], []) in host.told
        assert not host.jobs
        writer.flush()
        assert await host.finish() == [10, 20], "in the order they were made"

    run(work())


def test_an_event_that_is_delivered_again_is_owed_not_refused() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
        write = events(1, 2)
        write.events[0] = write.events[0]._replace(again=True)
        writer.begin(write)
        await host.finish(StoreError("no"))
        assert Revoke(1, [2], []) in host.told
        writer.flush()
        assert await host.finish() == [1]

    run(work())


def test_another_error_of_the_disk_is_told_as_one_of_the_store() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
        write = events(1)
        push = answered_later(write, [1])
        writer.begin(write)
        await host.finish(OSError("odd"))
        answer = await push
        assert isinstance(answer, list)
        assert isinstance(answer[0], StoreError)
        assert "odd" in str(answer[0])

    run(work())


def test_a_fault_in_what_follows_a_write_keeps_nobody_waiting() -> None:
    def fault() -> None:
        raise RuntimeError("planted")

    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
        done: list[int] = []
        write = events(1)
        write.after += [fault, lambda: done.append(1)]
        push = answered_later(write, [1])
        writer.begin(write)
        await host.finish()
        assert done == [1]
        assert await push == [1]
        assert writer.idle

    run(work())


def test_things_are_done_in_order_after_all_writes_or_at_once() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
        done: list[int] = []
        writer.after_writes(lambda: done.append(0))
        assert done == [0]
        writer.begin(events(1))
        writer.after_writes(lambda: done.append(1))
        writer.begin(events(2))
        writer.after_writes(lambda: done.append(2))
        await host.finish()
        assert done == [0, 1]
        await host.finish()
        assert done == [0, 1, 2]

    run(work())


def test_finishing_waits_for_all_that_is_written() -> None:
    async def work() -> None:
        host = ByHand()
        writer = Writer(host, Bodies())
        writer.begin(events(1))
        writer.ride([record(2)])
        finishing = asyncio.create_task(writer.finish())
        await turns()
        await host.finish()
        assert not finishing.done()
        await host.finish(StoreError("no"))
        await soon(finishing)

    run(work())


# With a real disk.


def test_many_pushes_share_one_sync_and_are_answered_only_after_it(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        disk = HeldDisk(host)
        disk.hold()
        before = store_of(host).syncs
        pushes = [host.ask(Push(channel, proxy, named(n))) for n in range(40)]
        await until(lambda: disk.writes)
        more = [host.ask(Push(channel, proxy, named(n))) for n in range(40, 80)]
        await turns(30)
        assert not any(push.done() for push in [*pushes, *more])
        disk.release()
        answers = await soon(asyncio.gather(*pushes, *more))
        assert answers == [[seq] for seq in range(1, 81)]
        assert store_of(host).syncs - before <= 3
        await host.close(0.05)

    run(work())
