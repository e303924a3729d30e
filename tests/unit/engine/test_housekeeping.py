from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.unit.engine.hosts import (
    collect,
    consumer,
    happened,
    named,
    new_channel,
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
from tidings.channel.effects import NoticeKind
from tidings.channel.management import Detach
from tidings.clock import ManualClock
from tidings.engine import housekeeping as housekeeping_module
from tidings.engine.carrying import Carrying
from tidings.engine.host import Host
from tidings.errors import DiskFull, InvalidUsage, StoreError
from tidings.stores import observed_time
from tidings.stores.retention import Retention

SEGMENT = 12_000
DAY = 24 * 3600 * 1_000_000
NOTHING = Retention(keep_octets=1)


async def filled(host: Host, channel: int, source: int, segments: int = 3) -> int:
    """Pushes until so many more segments are full; how many events."""
    journal = store_of(host).journal
    end, count = journal.segments[-1] + segments, 0
    while journal.segments[-1] < end:
        count += len(await publish(host, channel, source, *range(count, count + 40)))
    return count


async def acknowledged(host: Host, left: int = 0) -> None:
    """Waits until all that was acknowledged is in the journal."""
    await until(lambda: in_memory(host) == left)
    host.writer.flush()
    await until(lambda: host.writer.idle)


def in_memory(host: Host) -> int:
    """How many entries the core holds."""
    return sum(d.waiting - d.spilled + len(d.flight) for _, d in host.factory.core.deliveries())


def test_old_segments_go_when_nobody_needs_them(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, endpoint = await consumer(host, channel, window=1_000)
        count = await filled(host, channel, source)
        await collect(endpoint, count)
        await acknowledged(host)
        before = store_of(host).journal.segments
        await soon(host.housekeeping.run_once())
        assert store_of(host).journal.segments[0] >= before[-1]
        [last] = await publish(host, channel, source, "last")
        assert last == count + 1
        await host.close()
        again = await Host.open(tmp_path, segment_octets=SEGMENT)
        endpoint = await reconnected(again, channel, proxy)
        assert seqs(await collect(endpoint, 1)) == [last]
        assert await publish(again, channel, source, "next") == [last + 1]
        await again.close()

    run(play())


@pytest.mark.parametrize("quota", [None, 2 * SEGMENT])
def test_what_is_not_archived_stays_unless_it_is_too_much(
    tmp_path: Path, quota: int | None
) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        await filled(host, channel, source, 6)
        journal, keeper = store_of(host).journal, host.housekeeping
        first, second, *_ = journal.segments
        keeper.unarchived = lambda: (first, 100 * SEGMENT)
        await soon(keeper.run_once())
        assert journal.segments[0] == first
        keeper.unarchived = lambda: (second, 100 * SEGMENT)
        await soon(keeper.run_once())
        assert journal.segments[0] == second
        if quota is None:
            keeper.unarchived = lambda: (second, SEGMENT)
        else:
            keeper.disk_quota = quota
        await soon(keeper.run_once())
        assert journal.segments[0] > second
        assert len(journal.segments) >= 2
        assert not host.factory.core.disk_full
        assert await publish(host, channel, source, "more")
        await host.close()

    run(play())


def test_what_waits_is_carried_and_comes_in_order_also_after_a_restart(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING, cache_octets=0)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        slow, endpoint = await consumer(
            host, channel, text="$event_name == '3' or $event_name == '17'"
        )
        _, quick = await consumer(host, channel, window=1_000)
        await soon(host.ask(Detach(channel, slow)))
        count = await filled(host, channel, source)
        await collect(quick, count)
        await acknowledged(host, 2)
        old = store_of(host).journal.segments[-1]
        await soon(host.housekeeping.run_once())
        assert store_of(host).journal.segments[0] >= old
        endpoint = await reconnected(host, channel, slow)
        found = await collect(endpoint, 2, ack=False)
        assert [message.event.name for message in found[:2]] == ["3", "17"]
        await host.close()
        again = await Host.open(tmp_path, segment_octets=SEGMENT)
        endpoint = await reconnected(again, channel, slow)
        found += await collect(endpoint, 2)
        assert seqs(found[:2]) == seqs(found[2:])
        assert endpoint.get_nowait() is None
        await again.close()

    run(play())


def test_a_journal_full_of_waiting_events_is_not_copied_again_and_again(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, _ = await consumer(host, channel)
        await soon(host.ask(Detach(channel, proxy)))
        await filled(host, channel, source)
        await soon(host.housekeeping.run_once())  # the first segment has objects that changed
        before = store_of(host).journal.segments
        end = store_of(host).journal.end
        await soon(host.housekeeping.run_once())
        assert store_of(host).journal.segments == before
        assert store_of(host).journal.end == end
        with mock.patch.object(Carrying, "needed", side_effect=AssertionError):
            await soon(host.housekeeping._run())  # a pause, after an attempt in vain
        assert not host.notices
        await host.close()

    run(play())


def test_a_clock_that_is_set_makes_nothing_old_and_time_that_passes_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tidings.engine.housekeeping")
    passing = ManualClock()
    monkeypatch.setattr(observed_time, "monotonic_microseconds", passing.now)
    wall = ManualClock(1_700_000_000_000_000)
    week = Retention(keep_microseconds=7 * DAY)

    def opened() -> Coroutine[Any, Any, Host]:
        return Host.open(tmp_path, segment_octets=SEGMENT, retention=week, clock=wall)

    async def segments(host: Host) -> list[int]:
        host.clock.check()
        await soon(host.housekeeping.run_once())
        return store_of(host).journal.segments

    async def play() -> None:
        host = await opened()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        await filled(host, channel, source, 2)
        wall.advance(400 * DAY)
        for path in store_of(host).folder.glob("*.journal"):
            os.utime(path, (0, 0))
        assert await segments(host) == [1, 2, 3]
        await host.close()
        wall.advance(400 * DAY)  # a pause counts for a day at most
        host = await opened()
        assert await segments(host) == [1, 2, 3]
        passing.advance(5 * DAY)
        await host.close()
        host = await opened()
        assert await segments(host) == [1, 2, 3]
        passing.advance(1 * DAY + 1)
        assert (await segments(host))[0] == 3
        assert "segments 1 to 2 of the journal went: 2 were older than" in caplog.text
        await host.close()

    run(play())


def test_beyond_the_quota_persistent_events_are_refused_and_nothing_else(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, disk_quota=4 * SEGMENT)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, _ = await consumer(host, channel, window=1_000)
        await soon(host.ask(Detach(channel, proxy)))
        count = await filled(host, channel, source, 8)
        await soon(host.housekeeping.run_once())
        answers = await soon(
            host.ask(Push(channel, source, [happened("no"), happened("yes", False)]))
        )
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

    run(play())


def test_an_error_is_told_once_and_tried_again(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        channel = await new_channel(host)
        await filled(host, channel, await supplier(host, channel))
        journal = store_of(host).journal
        with mock.patch.object(journal, "drop_before", side_effect=StoreError("stuck")):
            await soon(host.housekeeping.run_once())
            await soon(host.housekeeping.run_once())
        [notice] = host.notices
        assert notice.kind is NoticeKind.FAILING
        assert "stuck" in notice.detail
        assert journal.segments[0] == 1
        assert store_of(host).ledger is None
        last = journal.segments[-1]
        await soon(host.housekeeping.run_once())
        assert journal.segments[0] == last
        await host.close()

    run(play())


def test_it_runs_by_itself_when_a_segment_is_full_and_now_and_then(tmp_path: Path) -> None:
    async def play() -> None:
        with mock.patch.object(housekeeping_module, "_LOOK", 0.001):
            host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
            channel = await new_channel(host)
            source = await supplier(host, channel)
            journal = store_of(host).journal
            await until(lambda: host.housekeeping._end)
            await filled(host, channel, source, 1)
            await until(lambda: journal.segments[0] > 1)
            host.housekeeping.every = 0.001
            with mock.patch.object(host.housekeeping, "_run") as again:
                await until(lambda: again.called)
            await host.close()

    run(play())


def test_a_host_that_closes_waits_for_a_step_and_gives_the_rest_up(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        channel = await new_channel(host)
        await filled(host, channel, await supplier(host, channel))
        before = store_of(host).journal.segments
        running = asyncio.ensure_future(host.housekeeping.run_once())
        await asyncio.sleep(0)
        await host.close()
        assert running.done()
        assert store_of(host).journal.segments == before
        assert not host.notices
        again = await Host.open(tmp_path)
        await soon(again.housekeeping.run_once())
        await again.close()

    run(play())


def test_without_a_disk_there_is_nothing_to_keep() -> None:
    async def play() -> None:
        host = await Host.open()
        await soon(host.housekeeping.run_once())
        await host.close()

    run(play())


@pytest.mark.parametrize("restart", [False, True])
def test_who_is_gone_for_long_waits_on_the_disk(tmp_path: Path, restart: bool) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        idle, _ = await consumer(host, channel)
        _, active = await consumer(host, channel, window=400)
        await soon(host.ask(Detach(channel, idle)))
        await soon(host.ask(Push(channel, source, named(*range(300)))))
        host.housekeeping.idle_seconds = 0.0
        host.housekeeping.most_entries = 600
        await soon(host.housekeeping.run_once())
        assert in_memory(host) == 600  # just as many as may be
        await collect(active, 200)
        host.housekeeping.most_entries = 399
        await soon(host.housekeeping.run_once())
        assert in_memory(host) == 100
        assert len(host.bodies) == 100
        await publish(host, channel, source, "later")
        if restart:
            await host.close()
            host = await Host.open(tmp_path)
        endpoint = await reconnected(host, channel, idle, window=400)
        names = [m.event.name for m in await collect(endpoint, 301)]
        assert names == [*map(str, range(300)), "later"]
        await host.close()

    run(play())


def test_who_moves_or_holds_little_is_left_alone(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        source = await supplier(host, channel)
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
        deliveries = {p.id: d for p, d in host.factory.core.deliveries()}
        assert {id: d.spilled for id, d in deliveries.items()} == {first: 0, second: 150, small: 0}
        keeper.most_entries, keeper.idle_seconds = 0, 60.0
        await soon(keeper.run_once())
        assert not deliveries[first].spilled
        keeper.idle_seconds = 0.0
        await soon(keeper.run_once())
        assert (deliveries[first].spilled, deliveries[small].spilled) == (149, 0)
        await host.close()

    run(play())


@pytest.mark.parametrize("quota", [0, -1, 1.5, "much"])
def test_a_quota_is_a_number_of_octets(tmp_path: Path, quota: int) -> None:
    async def work() -> None:
        with pytest.raises(InvalidUsage, match="a number of octets from 1 on, not"):
            await Host.open(tmp_path, disk_quota=quota)
        host = await Host.open(tmp_path)  # the folder is free again
        await host.close(0.0)

    run(work())
