from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from unittest import mock

import pytest

from tests.unit.engine.history_hosts import hosted, numbers, pages
from tests.unit.engine.hosts import (
    HeldDisk,
    happened,
    new_channel,
    publish,
    seqs,
    soon,
    store_of,
    supplier,
    turns,
)
from tidings import constraint
from tidings.channel.commands import Push
from tidings.channel.management import DestroyChannel
from tidings.engine import history as history_module
from tidings.engine.history import MOST
from tidings.engine.host import Host
from tidings.errors import (
    ChannelNotFound,
    CursorNotFound,
    DiskFull,
    InvalidUsage,
    StoreError,
    TidingsError,
)


def test_events_come_as_they_were_published(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        sent = [happened("a", price=1), happened("b", price=2)]
        await soon(host.ask(Push(channel, source, sent)))
        [page] = await pages(host, channel)
        assert [message.event for message in page.messages] == sent
        assert [message.id for message in page.messages] == [
            (host.origins[channel], 1),
            (host.origins[channel], 2),
        ]
        assert page[1:] == (2, True, 2, ())

    hosted(tmp_path, scene)


def test_a_page_has_as_many_as_asked_for_and_goes_on_behind_them(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await publish(host, channel, source, *range(10))
        found = await pages(host, channel, most=4)
        assert [seqs(page.messages) for page in found] == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]
        assert [page[1:4] for page in found] == [(4, False, 10), (8, False, 10), (10, True, 10)]
        assert await numbers(host, channel, after=7) == [8, 9, 10]
        assert await soon(host.history.page(channel, after=10)) == ([], 10, True, 10, ())

    hosted(tmp_path, scene)


def test_a_host_in_memory_has_no_past() -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        assert await publish(host, channel, source, 1, 2) == [1, 2]
        assert await soon(host.history.page(channel)) == ([], 2, True, 2, ())
        assert await soon(host.history.page(channel, after=9)) == ([], 2, True, 2, ())

    hosted(None, scene)


def test_only_events_of_the_channel_itself(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        other = await new_channel(host)
        beside = await supplier(host, other)
        for _ in range(3):
            await publish(host, channel, source, "ours")
            await publish(host, other, beside, "theirs", "theirs")
        [page] = await pages(host, channel)
        assert [(one.seq, one.event.name) for one in page.messages] == [
            (seq, "ours") for seq in (1, 2, 3)
        ]
        assert await numbers(host, other, most=1) == [1, 2, 3, 4, 5, 6]
        await soon(host.ask(DestroyChannel(other)))
        with pytest.raises(ChannelNotFound):
            await soon(host.history.page(other))

    hosted(tmp_path, scene)


def test_only_what_matches_asked_as_it_was_when_it_came(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        sent = [happened("", price=price) for price in (5, 50, 500)]
        await soon(host.ask(Push(channel, source, [*sent, happened("none")])))
        assert await numbers(host, channel, constraint=constraint("$price > 10")) == [2, 3]
        assert await numbers(host, channel, constraint=constraint("", ["Other::*"])) == []
        [found] = (await soon(host.history.page(channel, most=1))).messages
        moment = found.arrival // 1_000_000
        assert await numbers(host, channel, constraint=constraint(f"$curtime < {moment}")) == []

    hosted(tmp_path, scene)


def test_only_what_came_then_or_later(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        for name in range(4):
            await publish(host, channel, source, name)
            await asyncio.sleep(0.001)
        [page] = await pages(host, channel)
        arrivals = [message.arrival for message in page.messages]
        assert await numbers(host, channel, since=arrivals[2]) == [3, 4]
        assert await numbers(host, channel, since=arrivals[3]) == [4]
        assert await numbers(host, channel, since=arrivals[2] + 1, most=1) == [4]
        [late] = await pages(host, channel, since=arrivals[3] + 1)
        assert late == ([], 4, True, 4, ())

    hosted(tmp_path, scene)


def test_an_event_that_is_not_synced_is_not_seen(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await publish(host, channel, source, 1)
        record = next(
            entry.record for entry in store_of(host).journal.read() if entry.record.kind == 1
        )
        host.factory.channel(channel).seq = 2
        unsynced = record._replace(seq=2)
        await soon(host.submit(lambda: store_of(host).write([unsynced], sync=False)))
        assert await numbers(host, channel) == [1]
        await soon(host.submit(store_of(host).journal.sync))
        assert await numbers(host, channel) == [1, 2]

    hosted(tmp_path, scene)


def test_a_page_waits_until_it_is_decided_what_was_accepted(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        disk = HeldDisk(host)
        await publish(host, channel, source, 1)
        disk.hold()
        pushed = [asyncio.ensure_future(publish(host, channel, source, name)) for name in (2, 3)]
        await turns()
        asked = asyncio.ensure_future(host.history.page(channel))
        await turns()
        assert not asked.done()
        disk.release()
        page = await soon(asked)
        assert seqs(page.messages) == [1, 2, 3]
        assert page.last == 3
        assert all(push.done() for push in pushed)  # nothing is seen before it is answered

    hosted(tmp_path, scene)


def test_what_the_disk_refused_is_neither_seen_nor_counted(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        disk = HeldDisk(host)
        await publish(host, channel, source, 1)
        disk.hold()
        disk.error = DiskFull("full")
        pushed = asyncio.ensure_future(publish(host, channel, source, 2, 3))
        await turns()
        asked = asyncio.ensure_future(host.history.page(channel))
        await turns()
        disk.release()
        assert await soon(asked) == (mock.ANY, 1, True, 1, ())
        assert all(isinstance(one, TidingsError) for one in await soon(pushed))
        disk.error = None

    hosted(tmp_path, scene)


def test_a_number_nobody_has_yet_is_refused(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await publish(host, channel, source, 1)
        with pytest.raises(CursorNotFound, match="no event 2 yet: its latest is 1"):
            await soon(host.history.page(channel, after=2))

    hosted(tmp_path, scene)


@pytest.mark.parametrize(
    "asked",
    [{"after": -1}, {"after": "1"}, {"since": True}, {"most": 0}, {"most": MOST + 1}],
    ids=str,
)
def test_what_cannot_be_asked_is_refused(tmp_path: Path, asked: dict[str, object]) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        with pytest.raises(InvalidUsage):
            await pages(host, channel, **asked)

    hosted(tmp_path, scene)


def test_a_page_ends_after_so_many_looked_at_and_so_many_octets(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await publish(host, channel, source, *range(10))
        nothing = constraint("$event_name == 'x'")
        with mock.patch.object(history_module, "_LOOKED_AT", 4):
            found = await pages(host, channel, constraint=nothing)
            assert [page[:3] for page in found] == [([], 4, False), ([], 8, False), ([], 10, True)]
        with mock.patch.object(history_module, "_PAGE_OCTETS", 200):
            found = await pages(host, channel)
            assert {len(page.messages) for page in found} == {1, 2} or len(found) >= 5
            assert [seq for page in found for seq in seqs(page.messages)] == list(range(1, 11))

    hosted(tmp_path, scene)


def test_pushes_go_on_between_the_steps_of_a_page(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await publish(host, channel, source, *range(500))
        order: list[str] = []
        step = history_module._Search.step

        def noted(search: history_module._Search) -> bool:
            assert threading.current_thread() is not threading.main_thread()
            order.append("step")
            return step(search)

        with mock.patch.object(history_module._Search, "step", noted):
            asked = asyncio.ensure_future(host.history.page(channel, most=500))
            pushed = asyncio.ensure_future(publish(host, channel, source, 1))
            pushed.add_done_callback(lambda _: order.append("pushed"))
            page = await soon(asked)
            await soon(pushed)
        assert len(page.messages) == 500
        assert page.last == 500
        assert order.count("step") >= 500 // 24
        assert order.index("pushed") < len(order) - 1

    hosted(tmp_path, scene)


def test_an_event_that_cannot_be_understood_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await publish(host, channel, source, 1)
        store = store_of(host)
        record = next(entry.record for entry in store.journal.read() if entry.record.kind == 1)
        host.factory.channel(channel).seq = 4
        bad = [
            record._replace(seq=2, payload=b""),
            record._replace(seq=3, payload=record.payload[:-1] + b"?"),
            record._replace(seq=4),
        ]
        await soon(host.submit(lambda: store.write(bad, sync=True)))
        assert await numbers(host, channel) == [1, 4]
        assert "event 3 cannot be read" in caplog.text

    hosted(tmp_path, scene)


def test_a_disk_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    async def scene(host: Host, channel: int, source: int) -> None:
        await publish(host, channel, source, 1)
        broken = mock.patch.object(history_module, "durable_entries", side_effect=OSError("bad"))
        with broken, pytest.raises(StoreError, match="segment 1 cannot be read: bad"):
            await soon(host.history.page(channel))

    hosted(tmp_path, scene)
