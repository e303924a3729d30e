from __future__ import annotations

from collections import deque
from pathlib import Path
from unittest import mock

import pytest

from tests.unit.engine.hosts import (
    HeldDisk,
    collect,
    connected,
    consumer,
    crashed,
    happened,
    new_channel,
    obtained,
    publish,
    reconnected,
    run,
    seqs,
    soon,
    store_of,
    supplier,
    turns,
    until,
)
from tidings.channel.commands import Push
from tidings.channel.effects import NoticeKind, Outcome
from tidings.channel.management import Disconnect, Resume, Suspend
from tidings.channel.settings import Limits, Settings
from tidings.engine import dead_letters
from tidings.engine.endpoints import BufferEndpoint, HandlerEndpoint
from tidings.engine.host import Host
from tidings.errors import DiskFull, NotFound, StoreError


async def buried(host: Host, *names: str) -> tuple[int, int, int, BufferEndpoint]:
    """A channel where a consumer has rejected events: channel, supplier, consumer, its end."""
    channel = await new_channel(host)
    proxy = await supplier(host, channel)
    whose, endpoint = await consumer(host, channel)
    await publish(host, channel, proxy, *names)
    for message in await collect(endpoint, len(names), ack=False):
        endpoint.reject(message, f"no {message.event.name}")
    await until(lambda: host.counts[Outcome.REJECTED] == len(names))
    await turns(20)
    return channel, proxy, whose, endpoint


def test_what_a_consumer_rejects_is_listed_with_its_cause(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel, _, whose, _ = await buried(host, "a", "b", "c")
        rows = await soon(host.dead_letters.list())
        assert [(row.channel, row.proxy, row.seq) for row in rows] == [
            (channel, whose, seq) for seq in (1, 2, 3)
        ]
        assert [row.causes[0].reason for row in rows] == ["no a", "no b", "no c"]
        assert await host.dead_letters.list(after=rows[1].id) == rows[2:]
        assert await host.dead_letters.list(most=1) == rows[:1]
        assert await host.dead_letters.list(channel=channel, proxy=whose + 1) == []
        assert len(host.bodies) == 0
        await host.close(0.05)

    run(work())


def test_a_dead_letter_is_delivered_again_and_gone(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel, _, whose, endpoint = await buried(host, "a", "b")
        [first, second] = await host.dead_letters.list()
        await soon(host.dead_letters.redrive(first.id))
        [message] = await collect(endpoint, 1, ack=False)
        assert (message.seq, message.event.name) == (1, "a")
        assert endpoint.redelivered(1)
        assert [row.id for row in await host.dead_letters.list()] == [second.id]
        with pytest.raises(NotFound):
            await host.dead_letters.redrive(first.id)
        await host.writer.finish()
        copy = crashed(tmp_path, tmp_path.parent / f"{tmp_path.name}-crash")
        endpoint.ack(message)
        await turns()
        counts = {outcome.name.lower(): n for outcome, n in host.counts.items()}
        assert counts == {"rejected": 2, "redriven": 1, "delivered": 1}
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert [row.seq for row in await host.dead_letters.list()] == [2]
        assert len(host.bodies) == 0
        await host.close(0.05)
        host = await Host.open(copy)
        assert [row.seq for row in await host.dead_letters.list()] == [2]
        assert seqs(await collect(await reconnected(host, channel, whose), 1)) == [1]
        await host.close(0.05)

    run(work())


def test_a_letter_that_cannot_be_delivered_again_stays(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel, _, whose, _ = await buried(host, "a")
        await host.ask(Disconnect(channel, whose))
        [row] = await host.dead_letters.list()
        with pytest.raises(NotFound):
            await soon(host.dead_letters.redrive(row.id))
        assert await host.dead_letters.list() == [row]
        await host.close(0.05)

    run(work())


@pytest.mark.parametrize("catalog", ["kept", "lost"])
def test_ids_stay_over_a_restart(tmp_path: Path, catalog: str) -> None:
    async def restarted(host: Host) -> Host:
        await host.close(0.05)
        if catalog == "lost":
            (tmp_path / "catalog.sqlite").unlink()
        return await Host.open(tmp_path)

    async def work() -> None:
        host = await Host.open(tmp_path)
        channel, proxy, whose, _ = await buried(host, "a", "b", "c", "d")
        known = await host.dead_letters.list()
        for id in (known[1].id, known[3].id):
            await host.dead_letters.drop(id)
        for _ in range(2):
            host = await restarted(host)
            assert await host.dead_letters.list() == [known[0], known[2]]
        endpoint = await reconnected(host, channel, whose)
        await publish(host, channel, proxy, "e")
        [message] = await collect(endpoint, 1, ack=False)
        endpoint.reject(message, "no e")
        await until(lambda: host.counts[Outcome.REJECTED] == 1)
        await turns(20)
        rows = await host.dead_letters.list()
        assert [row.seq for row in rows] == [1, 3, 5]
        assert rows[-1].id > known[3].id  # an id seen before never means another letter
        host = await restarted(host)
        assert await host.dead_letters.list() == rows
        await host.close(0.05)

    run(work())


def test_a_dropped_letter_is_gone_for_good(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        await buried(host, "a", "b")
        [first, _] = await host.dead_letters.list()
        await host.dead_letters.drop(first.id)
        with pytest.raises(NotFound):
            await host.dead_letters.drop(first.id)
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert [row.seq for row in await host.dead_letters.list()] == [2]
        await host.close(0.05)

    run(work())


def test_the_first_cause_is_kept_and_besteffort_events_are_kept_too(tmp_path: Path) -> None:
    failed = []

    def failing(message: object) -> None:
        failed.append(message)
        raise ValueError(f"failure {len(failed)}")

    async def work() -> None:
        host = await Host.open(tmp_path, settings=Settings(retry_first=1, retry_limit=20))
        channel = await new_channel(host, {})
        proxy = await supplier(host, channel)
        await connected(host, channel, await obtained(host, channel), HandlerEndpoint(failing))
        await soon(host.ask(Push(channel, proxy, [happened("a", x=7)])))
        await until(lambda: host.counts[Outcome.DEAD])
        await until(lambda: not host.writer.under_way)
        copy = crashed(tmp_path, tmp_path.parent / f"{tmp_path.name}-crash")
        await host.close(0.05)
        host = await Host.open(copy)
        [row] = await host.dead_letters.list()
        causes = [cause.reason for cause in row.causes]
        assert causes[0] == "ValueError: failure 1"
        assert causes[-1] == "ValueError: failure 20"
        await host.close(0.05)

    run(work())


def test_there_are_never_more_than_the_limit_and_the_oldest_go(tmp_path: Path) -> None:
    few = Settings(limits=Limits(dead_letters=3))

    async def work() -> None:
        host = await Host.open(tmp_path, settings=few)
        channel, proxy, _, endpoint = await buried(host, "a", "b")
        other = await new_channel(host)
        source = await supplier(host, other)
        _, end = await consumer(host, other)
        await publish(host, other, source, "c")
        end.reject((await collect(end, 1, ack=False))[0], "no c")
        await until(lambda: host.counts[Outcome.REJECTED] == 3)
        await publish(host, channel, proxy, "d", "e")
        for message in await collect(endpoint, 2, ack=False):
            endpoint.reject(message, "no")
        await until(lambda: host.counts[Outcome.REJECTED] == 5)
        await host.writer.finish()
        kept = [(row.channel, row.seq) for row in await host.dead_letters.list()]
        assert kept == [(other, 1), (channel, 3), (channel, 4)]
        await host.close(0.05)
        host = await Host.open(tmp_path, settings=few)
        assert [(row.channel, row.seq) for row in await host.dead_letters.list()] == kept
        await host.close(0.05)

    run(work())


def test_one_that_cannot_be_read_is_reported_and_blocks_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, cache_octets=1)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, "a")
        [message] = await collect(endpoint, 1, ack=False)
        store = store_of(host)
        right = store.fetch
        store.fetch = lambda places: [None for _ in places]  # type: ignore[method-assign]
        endpoint.reject(message, "no")
        await until(lambda: any(n.kind is NoticeKind.LOST for n in host.notices))
        store.fetch = right  # type: ignore[method-assign]
        assert await publish(host, channel, proxy, "b") == [2]
        assert await host.dead_letters.list() == []
        assert host.disk_error is None
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert seqs(await collect(await reconnected(host, channel, whose), 1)) == [2]
        await host.close(0.05)

    run(work())


def test_one_that_cannot_be_read_now_is_written_later(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, cache_octets=1)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, "a")
        [message] = await collect(endpoint, 1, ack=False)
        store = store_of(host)
        right = store.journal.fetch
        store.journal.fetch = mock.Mock(  # type: ignore[method-assign]
            side_effect=StoreError("no descriptor")
        )
        endpoint.reject(message, "no")
        await until(lambda: host.disk_error is not None)
        store.journal.fetch = right  # type: ignore[method-assign]
        await until(lambda: host.disk_error is None)
        [letter] = await host.dead_letters.list()
        assert (letter.proxy, letter.seq) == (whose, 1)
        assert host.notices == deque()
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert len(await host.dead_letters.list()) == 1
        await host.close(0.05)

    run(work())


def test_one_that_can_never_be_read_holds_up_the_others_for_a_while_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        monkeypatch.setattr(dead_letters, "_TRIES", 2)
        host = await Host.open(tmp_path, cache_octets=1)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, "a")
        [message] = await collect(endpoint, 1, ack=False)
        store_of(host).journal.fetch = mock.Mock(  # type: ignore[method-assign]
            side_effect=StoreError("an error of the disk")
        )
        endpoint.reject(message, "no")
        await until(lambda: [one.kind for one in host.notices] == [NoticeKind.LOST])
        await until(lambda: host.disk_error is None)
        assert await host.dead_letters.list() == []
        assert await publish(host, channel, proxy, "b") == [2]
        await host.close(0.05)

    run(work())


def test_a_catalog_that_refuses_keeps_no_record_out(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, "a")
        [message] = await collect(endpoint, 1, ack=False)

        def failing(*_: object) -> None:
            raise StoreError("planted")

        store_of(host).bury = failing  # type: ignore[method-assign, assignment]
        endpoint.reject(message, "no")
        assert await publish(host, channel, proxy, "b") == [2]
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert [row.seq for row in await host.dead_letters.list()] == [1]
        await host.close(0.05)

    run(work())


def test_delivering_again_on_a_full_disk_harms_no_other_consumer(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel, proxy, _, endpoint = await buried(host, "a")
        other, waiting = await consumer(host, channel)
        await host.ask(Suspend(channel, other))
        await publish(host, channel, proxy, "b")
        endpoint.reject((await collect(endpoint, 1, ack=False))[0], "no")
        await until(lambda: host.counts[Outcome.REJECTED] == 2)
        await turns(20)
        [_, row] = await host.dead_letters.list()
        disk = HeldDisk(host)
        disk.error = DiskFull("no room")
        await soon(host.dead_letters.redrive(row.id))
        assert seqs(await collect(endpoint, 1)) == [2]
        disk.error = None
        host._look_around()
        await until(lambda: host.disk_error is None)
        await host.ask(Resume(channel, other))
        assert seqs(await collect(waiting, 1)) == [2]
        assert await publish(host, channel, proxy, "c") == [3], "no number is used twice"
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert [left.seq for left in await host.dead_letters.list()] == [1]
        await host.close(0.05)

    run(work())


def test_without_a_disk_there_are_none() -> None:
    async def work() -> None:
        host = await Host.open()
        await buried(host, "a")
        assert await host.dead_letters.list() == []
        with pytest.raises(NotFound):
            await host.dead_letters.drop(1)
        await host.close(0.05)

    run(work())
