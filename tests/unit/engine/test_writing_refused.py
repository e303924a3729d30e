"""What happens when the disk takes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.unit.engine.hosts import (
    HeldDisk,
    collect,
    consumer,
    happened,
    named,
    new_channel,
    obtained,
    publish,
    run,
    seqs,
    soon,
    supplier,
    turns,
    until,
)
from tidings.channel.commands import Pull, Push
from tidings.channel.management import Connect, CreateChannel, SetQoS
from tidings.channel.vocabulary import Place, Style
from tidings.engine.host import Host
from tidings.errors import DiskFull, JournalBroken
from tidings.events.envelope import ProducerMark
from tidings.names import new_origin


def test_a_full_disk_refuses_each_event_and_the_next_try_begins_where_it_was(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        disk = HeldDisk(host)
        disk.error = DiskFull("no room")
        marks = [ProducerMark("p", n) for n in range(3)]
        answers = await publish(host, channel, proxy, "a", "b", "c", marks=marks)
        assert all(isinstance(answer, DiskFull) for answer in answers)
        await turns()
        assert len(endpoint) == 0, "what was refused reaches nobody"
        disk.error = None
        assert await publish(host, channel, proxy, "a", "b", "c", marks=marks) == [1, 2, 3]
        assert [m.event.name for m in await collect(endpoint, 3)] == ["a", "b", "c"]
        await host.close(0.05)

    run(work())


def test_a_refused_event_does_not_leave_with_a_later_batch(tmp_path: Path) -> None:
    """The window of the consumer opens while the write that will fail is under way."""

    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel, window=1)
        await publish(host, channel, proxy, "kept")
        [kept] = await collect(endpoint, 1, ack=False)
        disk = HeldDisk(host)
        disk.hold()
        refused = host.ask(Push(channel, proxy, named("refused")))
        await until(lambda: disk.writes)
        late = host.ask(Push(channel, proxy, named("late")))
        endpoint.ack(kept)
        await turns(30)
        disk.error = DiskFull("no room")
        disk.release()
        assert all(isinstance(a, DiskFull) for a in [*await soon(refused), *await soon(late)])
        disk.error = None
        assert await publish(host, channel, proxy, "new") == [2]
        assert [m.event.name for m in await collect(endpoint, 1)] == ["new"]
        await host.close(0.05)

    run(work())


def test_a_duplicate_is_not_answered_before_the_first_is_on_the_disk(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        disk = HeldDisk(host)
        disk.hold()
        push = Push(channel, proxy, named("a"), [ProducerMark("p", 1)])
        first = host.ask(push)
        await until(lambda: disk.writes)
        again = host.ask(push)
        other = host.ask(Push(channel, proxy, [*named("a"), *named("b")],
                              [ProducerMark("p", 1), ProducerMark("p", 2)]))  # fmt: skip
        await turns(30)
        assert not again.done()
        disk.error = DiskFull("no room")
        disk.release()
        for answers in (await soon(first), await soon(again), await soon(other)):
            assert all(isinstance(answer, DiskFull) for answer in answers)
        await host.close(0.05)

    run(work())


def test_changes_are_refused_until_the_disk_takes_records_again(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        disk = HeldDisk(host)
        disk.error = DiskFull("no room")
        with pytest.raises(DiskFull, match="is made, but not on the disk yet"):
            await host.ask(SetQoS(Place(channel), {"Priority": 3}))
        with pytest.raises(DiskFull, match="nothing can be changed"):
            await host.ask(CreateChannel(new_origin()))
        disk.error = None
        host._look_around()
        await until(lambda: host.disk_error is None)
        await host.ask(SetQoS(Place(channel), {"Priority": 4}))
        disk.error = DiskFull("no room")
        await publish(host, channel, proxy, "a")
        assert host.disk_error is not None
        disk.error = None
        host._look_around()
        await until(lambda: host.disk_error is None)
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert host.factory.channels[channel].qos.priority == 4
        await host.close(0.05)

    run(work())


def test_a_failed_sync_breaks_the_journal_and_everything_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: int) -> None:
        raise OSError(5, "lost")

    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        assert await publish(host, channel, proxy, "a") == [1]
        with monkeypatch.context() as patch:
            patch.setattr("os.fdatasync", failing)
            [answer] = await publish(host, channel, proxy, "b")
        assert isinstance(answer, JournalBroken)
        [answer] = await publish(host, channel, proxy, "c")
        assert isinstance(answer, JournalBroken)
        await host.close(0.05)
        host = await Host.open(tmp_path)
        proxy = await supplier(host, channel)
        assert await publish(host, channel, proxy, "d") == [2]
        await host.close(0.05)

    run(work())


def test_who_pulls_is_not_told_of_a_refused_change(tmp_path: Path) -> None:
    """A pull that raised would leave the core with somebody who waits, and loses the event."""

    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        disk = HeldDisk(host)
        disk.error = DiskFull("no room")
        push = host.ask(Push(channel, proxy, [happened("b", persistent=True)]))
        pull = host.ask(Pull(channel, puller, 99, wait=None))
        await soon(push)
        assert await soon(pull) is None
        await host.close(0.05)

    run(work())


def test_a_pull_of_a_refused_event_gives_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        disk = HeldDisk(host)
        disk.error = DiskFull("no room")
        pull = asyncio.create_task(host.pull(channel, puller))
        await turns()
        await publish(host, channel, proxy, "a")
        assert seqs((await soon(pull)).messages) == []
        await host.close(0.05)

    run(work())
