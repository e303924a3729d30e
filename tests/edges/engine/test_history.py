"""The past that can be read: pages of it, and what is told of the part that went."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.edges.engine.hosts import (
    HeldDisk,
    happened,
    hosted,
    new_channel,
    opened,
    publish,
    seqs,
    soon,
    store_of,
    supplier,
    turns,
)
from tidings.channel.commands import Push
from tidings.channel.management import DestroyChannel
from tidings.engine import history as history_module
from tidings.engine.history import MOST, HistoryPage
from tidings.engine.host import Host
from tidings.errors import (
    ChannelNotFound,
    CursorNotFound,
    DiskFull,
    InvalidUsage,
    StoreError,
    TidingsError,
)
from tidings.stores.retention import Retention
from tidings.stores.segments import segment_path

# Small segments, of which nothing is kept longer than it must be.
SMALL: dict[str, Any] = {"segment_octets": 6_000, "retention": Retention(keep_octets=1)}


async def pages(host: Host, channel: int, **asked: Any) -> list[HistoryPage]:
    """All pages up to the end."""
    found = [await soon(host.history.page(channel, **asked))]
    while not found[-1].end:
        asked["after"] = found[-1].next
        found.append(await soon(host.history.page(channel, **asked)))
    return found


async def numbers(host: Host, channel: int, **asked: object) -> list[int]:
    """The numbers of all past events."""
    return [seq for page in await pages(host, channel, **asked) for seq in seqs(page.messages)]


async def fill(host: Host, channel: int, source: int) -> int:
    """Pushes until three more segments are full; how many events there are then."""
    journal = store_of(host).journal
    end, last = journal.segments[-1] + 3, 0
    while journal.segments[-1] < end:
        last = max(await publish(host, channel, source, *range(10)))
    return last


async def test_events_of_the_channel_come_as_they_were_published_in_few_steps(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        other = await new_channel(host)
        beside = await supplier(host, other)
        sent = [happened("a", price=1), happened("b", price=2)]
        for one in sent:
            await soon(host.ask(Push(channel, source, [one])))
            await publish(host, other, beside, *["theirs"] * 3)
        [page] = await pages(host, channel)
        assert [message.event for message in page.messages] == sent
        assert [one.id for one in page.messages] == [(host.origins[channel], n) for n in (1, 2)]
        assert page[1:] == (2, True, 2, ())
        assert await numbers(host, other, most=1) == [1, 2, 3, 4, 5, 6]
        await soon(host.ask(DestroyChannel(other)))
        with pytest.raises(ChannelNotFound):
            await soon(host.history.page(other))

        await publish(host, channel, source, *range(100))
        search = history_module.Search
        with mock.patch.object(search, "step", autospec=True, side_effect=search.step) as step:
            assert await numbers(host, channel) == list(range(1, 103))
        assert step.call_count < 50


async def test_a_page_ends_after_so_many_octets_and_few_places_are_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "_PAGE_OCTETS", 1_000)
    monkeypatch.setattr(history_module, "_PLACES", 2)
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        for name in range(6):
            await soon(host.ask(Push(channel, source, [happened(str(name), text="x" * 600)])))
        found = await pages(host, channel)
        assert [seqs(page.messages) for page in found] == [[1, 2], [3, 4], [5, 6]]
        guide = host.history.guide
        assert [reached for _, reached in guide.places] == [4, 6]


async def test_what_the_disk_refused_is_neither_seen_nor_counted(tmp_path: Path) -> None:
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        await publish(host, channel, source, 1)
        disk = HeldDisk(host, DiskFull("full"), held=True)
        pushed = asyncio.ensure_future(publish(host, channel, source, 2, 3))
        await turns()
        asked = asyncio.ensure_future(host.history.page(channel))
        await turns()
        disk.release()
        assert await soon(asked) == (mock.ANY, 1, True, 1, ())
        assert all(isinstance(one, TidingsError) for one in await soon(pushed))
        disk.error = None


async def test_what_cannot_be_asked_is_refused_and_what_cannot_be_read_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        wrong: dict[str, Any]
        for wrong in (
            {"after": -1},
            {"after": "1"},
            {"since": True},
            {"most": 0},
            {"most": MOST + 1},
        ):
            with pytest.raises(InvalidUsage):
                await host.history.page(channel, **wrong)
        await publish(host, channel, source, 1)
        broken = mock.patch.object(history_module, "durable_entries", side_effect=OSError("bad"))
        with broken, pytest.raises(StoreError, match="segment 1 cannot be read: bad"):
            await soon(host.history.page(channel))
        store = store_of(host)
        record = next(entry.record for entry in store.journal.read() if entry.record.kind == 1)
        host.factory.channel(channel).seq = 4
        payloads = [b"", record.payload[:-1] + b"?", record.payload]
        bad = [record._replace(seq=seq, payload=one) for seq, one in enumerate(payloads, 2)]
        await soon(host.submit(lambda: store.write(bad, sync=True)))
        assert await numbers(host, channel) == [1, 4]
        assert "event 3 cannot be read" in caplog.text
        page = await soon(host.history.page(channel))
        assert [seq for first, last in page.lost for seq in range(first, last + 1)] == [2, 3]


async def test_what_was_dropped_is_told_with_the_oldest_that_is_kept(tmp_path: Path) -> None:
    host, channel, source = await opened(tmp_path, **SMALL)
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
        await host.close()
        if not again:
            host = await Host.open(tmp_path, **SMALL)


async def test_a_drop_that_happened_in_part_is_one(tmp_path: Path) -> None:
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        await fill(host, channel, source)
        oldest = segment_path(store_of(host).folder, 1)

        def drop(*_: object) -> None:
            oldest.unlink()
            raise OSError("no more")

        with mock.patch("tidings.stores.journal.segments.drop_segments", drop):
            await soon(host.housekeeping.run_once())
        assert store_of(host).journal.segments[0] == 1
        with pytest.raises(CursorNotFound):
            await soon(host.history.page(channel, after=0))
        found = await numbers(host, channel)
        assert found == list(range(found[0], found[-1] + 1))
        oldest.touch()  # what is not there cannot be dropped


async def test_segments_that_go_while_a_page_is_read_end_it_before_the_gap(tmp_path: Path) -> None:
    async with hosted(tmp_path, **SMALL) as (host, channel, source):
        last = await fill(host, channel, source)
        taken = asyncio.Event()
        step = history_module.Search.step

        def noted(search: history_module.Search) -> bool:
            done = step(search)
            host.loop.call_soon_threadsafe(taken.set)
            return done

        async def dropped() -> None:
            await taken.wait()
            await host.housekeeping.run_once()

        one_by_one = mock.patch.object(history_module, "_STEP_EVENTS", 1)
        with one_by_one, mock.patch.object(history_module.Search, "step", noted):
            cleaning = asyncio.ensure_future(dropped())
            page = await soon(host.history.page(channel, after=0, most=1_000))
            await soon(cleaning)
        found = seqs(page.messages)
        assert found == list(range(1, len(found) + 1))
        assert 0 < len(found) < last
        assert not page.end
        with pytest.raises(CursorNotFound):
            await soon(host.history.page(channel, after=page.next))
