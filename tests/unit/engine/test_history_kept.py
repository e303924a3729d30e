from __future__ import annotations

import asyncio
from pathlib import Path
from unittest import mock

import pytest

from tests.unit.engine.history_hosts import NOTHING, SEGMENT, fill, hosted, numbers, pages
from tests.unit.engine.hosts import (
    consumer,
    crashed,
    happened,
    new_channel,
    publish,
    run,
    seqs,
    soon,
    store_of,
    supplier,
)
from tidings.channel.commands import Push
from tidings.channel.management import Detach
from tidings.engine import history as history_module
from tidings.engine.host import Host
from tidings.errors import (
    CursorNotFound,
)
from tidings.stores import event_index
from tidings.stores.segments import segment_path


def test_numbers_of_best_effort_events_are_missing_and_not_called_expired(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        kinds = [False, False, True, False, True, False]
        await soon(host.ask(Push(channel, source, [happened("", kind) for kind in kinds])))
        [page] = await pages(host, channel, after=0)
        assert seqs(page.messages) == [3, 5]
        assert page[1:] == (6, True, 6, ())
        await fill(host, channel, source)  # and they are not called so when segments have gone
        other = await new_channel(host)
        source = await supplier(host, other)
        await soon(host.ask(Push(other, source, [happened("", kind) for kind in kinds])))
        await soon(host.housekeeping.run_once())
        assert store_of(host).journal.segments[0] > 1
        assert await numbers(host, other, after=0) == [3, 5]

    hosted(tmp_path, scene)


def test_what_was_dropped_is_told_with_the_oldest_that_is_kept(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        await fill(host, channel, source)
        await soon(host.housekeeping.run_once())
        kept = await numbers(host, channel)
        first = kept[0]
        assert first > 1
        for again in range(2):
            assert await numbers(host, channel, after=first - 1) == kept
            assert await numbers(host, channel, since=0) == kept
            message = f"after {first - 2} are not kept .* oldest number that is kept is {first}"
            with pytest.raises(CursorNotFound, match=message):
                await soon(host.history.page(channel, after=first - 2))
            if not again:
                await host.close()
                host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        await host.close()

    run(play())


def test_when_everything_was_dropped_that_is_told_too(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        last = await fill(host, channel, source)
        store_of(host).journal.roll()
        await soon(host.housekeeping.run_once())
        assert await soon(host.history.page(channel)) == ([], last, True, last, ())
        assert await soon(host.history.page(channel, after=last)) == ([], last, True, last, ())
        with pytest.raises(CursorNotFound, match=f"is kept is {last + 1}"):
            await soon(host.history.page(channel, after=last - 1))

    hosted(tmp_path, scene)


def test_a_drop_that_did_not_happen_is_none(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        last = await fill(host, channel, source)
        refused = mock.patch("tidings.stores.journal.segments.drop_segments", side_effect=OSError)
        with refused:
            await soon(host.housekeeping.run_once())
        assert await numbers(host, channel, after=0) == list(range(1, last + 1))
        again = await Host.open(crashed(tmp_path / "now", tmp_path / "then"))
        assert await numbers(again, channel, after=0) == list(range(1, last + 1))
        await again.close()

    hosted(tmp_path / "now", scene)


def test_a_drop_that_happened_in_part_is_one(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await fill(host, channel, source)
        folder = store_of(host).folder

        def drop(*_: object) -> None:
            segment_path(folder, 1).unlink()
            raise OSError("no more")

        with mock.patch("tidings.stores.journal.segments.drop_segments", drop):
            await soon(host.housekeeping.run_once())
        assert store_of(host).journal.segments[0] == 1
        with pytest.raises(CursorNotFound):
            await soon(host.history.page(channel, after=0))
        found = await numbers(host, channel)
        assert found == list(range(found[0], found[-1] + 1))
        segment_path(folder, 1).touch()  # what is not there cannot be dropped

    hosted(tmp_path, scene)


def test_what_was_carried_forward_comes_once_or_is_gone_with_the_rest(tmp_path: Path) -> None:
    async def play() -> None:
        host = await Host.open(tmp_path, segment_octets=SEGMENT, retention=NOTHING)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        slow, _ = await consumer(host, channel, text="$event_name == '3'")
        await soon(host.ask(Detach(channel, slow)))
        last = await fill(host, channel, source)
        everything = list(range(1, last + 1))
        refused = mock.patch("tidings.stores.journal.segments.drop_segments", side_effect=OSError)
        with refused:  # the copies are there, and so are the events
            await soon(host.housekeeping.run_once())
        for most in (7, 1_000):
            assert await numbers(host, channel, most=most) == everything
        everything += await publish(host, channel, source, *range(20))
        await soon(host.housekeeping.run_once())
        kept = await numbers(host, channel, most=7)
        assert 1 < len(kept) <= 20
        assert kept == everything[-len(kept) :]
        await host.close()

    run(play())


def test_a_page_deep_in_the_journal_does_not_read_what_is_before_it(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        with mock.patch.object(event_index, "BLOCK_OCTETS", 1_000):
            last = await fill(host, channel, source, 8)
            assert await numbers(host, channel) == list(range(1, last + 1))
            read: list[int] = []
            reading = event_index.durable_entries

            def counted(*args: object) -> object:
                found = list(reading(*args))  # type: ignore[arg-type]
                read.extend(entry.record.seq for entry in found)
                return iter(found)

            with mock.patch.object(history_module, "durable_entries", counted):
                page = await soon(host.history.page(channel, after=last // 2, most=3))
            assert seqs(page.messages) == [last // 2 + at for at in (1, 2, 3)]
            assert len(read) < 30 < last / 4

    hosted(tmp_path, scene)


def test_old_segments_leave_nothing_behind(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        for _ in range(3):
            await fill(host, channel, source)
            await numbers(host, channel)
            await soon(host.housekeeping.run_once())
        await numbers(host, channel)
        known = set(host.history._guide._segments)
        assert known <= set(store_of(host).journal.segments)

    hosted(tmp_path, scene)


def test_segments_that_go_while_a_page_is_read_end_it_before_the_gap(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        last = await fill(host, channel, source)
        taken = asyncio.Event()
        step = history_module._Search.step

        def noted(search: history_module._Search) -> bool:
            done = step(search)
            host.loop.call_soon_threadsafe(taken.set)
            return done

        async def dropped() -> None:
            await taken.wait()
            await host.housekeeping.run_once()

        with (
            mock.patch.object(history_module._Search, "step", noted),
            mock.patch.object(history_module, "_STEP_EVENTS", 1),
        ):
            cleaning = asyncio.ensure_future(dropped())
            page = await soon(host.history.page(channel, after=0, most=1_000))
            await soon(cleaning)
        found = seqs(page.messages)
        assert found == list(range(1, len(found) + 1))
        assert 0 < len(found) < last
        assert not page.end
        with pytest.raises(CursorNotFound):
            await soon(host.history.page(channel, after=page.next))

    hosted(tmp_path, scene)
