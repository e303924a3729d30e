"""Hosts that stop, and hosts that cannot start."""

from __future__ import annotations

import asyncio
import gc
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.engine.hosts import (
    HeldDisk,
    collect,
    connected,
    consumer,
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
from tidings import event
from tidings.channel.commands import Push
from tidings.channel.management import Connect, CreateChannel, Disconnect
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Style
from tidings.engine.endpoints import HandlerEndpoint, SupplierEndpoint
from tidings.engine.host import Host
from tidings.errors import (
    Disconnected,
    JournalInUse,
    JournalTooNew,
    Stopping,
)
from tidings.events.envelope import ProducerMark
from tidings.names import new_origin
from tidings.stores.records import Kind, Record, encode


def contents(folder: Path) -> dict[Path, bytes]:
    """All files in a folder."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_who_stops_takes_nothing_more_and_lets_out_what_is_on_its_way() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        _, endpoint = await consumer(host, channel, window=1)
        await publish(host, channel, source, "a", "b", "c")
        draining = asyncio.create_task(host.drain(5))
        await turns()
        with pytest.raises(Stopping):
            await publish(host, channel, source, "d")
        for _ in range(3):
            assert not draining.done()
            await collect(endpoint, 1)
        assert await soon(draining)
        await soon(host.close())

    run(work())


def test_draining_waits_for_what_is_tried_again_but_not_for_ever() -> None:
    got: list[object] = []

    def handler(message: object) -> None:
        got.append(message)
        if len(got) == 1:
            raise ValueError("not now")

    async def work() -> None:
        host = await Host.open(settings=Settings(retry_first=20_000))
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy = await obtained(host, channel)
        await connected(host, channel, proxy, HandlerEndpoint(handler))
        await publish(host, channel, source, "a")
        assert await soon(host.drain(5))
        assert len(got) == 2
        await host.close()
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        await consumer(host, channel)
        await publish(host, channel, source, "a")
        assert not await soon(host.drain(0.02))
        await host.close(0.01)

    run(work())


def test_closing_again_is_no_error_and_waits_for_the_first(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        await publish(host, channel, source, "a")
        [message] = await collect(endpoint, 1, ack=False)
        await soon(asyncio.gather(host.close(0.02), host.close(0.02)))
        await soon(host.close())
        with pytest.raises(Stopping):
            await host.ask(CreateChannel(new_origin()))
        endpoint.ack(message)
        host.ack(channel, 1, [1])
        await turns()
        with pytest.raises(Disconnected):
            await endpoint.get()
        host = await Host.open(tmp_path)
        await host.close()
        assert not [t for t in threading.enumerate() if t.name == "tidings-disk"]

    run(work())


def test_who_waits_in_a_pull_hears_of_the_end() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        puller = await obtained(host, channel, Style.PULL)
        await soon(host.connect(Connect(channel, puller), SupplierEndpoint()))
        pulls = [asyncio.create_task(host.pull(channel, puller)) for _ in range(3)]
        await turns()
        await soon(host.close())
        for pull in pulls:
            with pytest.raises(Disconnected, match="stopped"):
                await soon(pull)

    run(work())


def test_whoever_was_taken_in_before_the_end_is_answered_and_on_the_disk(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        disk = HeldDisk(host)
        disk.hold()
        asked = [Push(channel, source, named(n), [ProducerMark("p", n)]) for n in range(2_000)]
        pushes = [host.ask(push) for push in asked[:50]]
        await until(lambda: disk.writes)
        pushes += [host.ask(push) for push in asked[50:]]
        closing = asyncio.create_task(host.close(0))
        await turns()
        disk.release()
        await soon(closing)
        answers = await soon(asyncio.gather(*pushes))
        assert answers == [[seq] for seq in range(1, 2_001)]
        host = await Host.open(tmp_path)
        source = await supplier(host, channel)
        assert host.factory.channels[channel].seq == 2_000
        assert await soon(host.ask(asked[-1]._replace(proxy=source))) == [2_000]
        await host.close()

    run(work())


def test_a_host_that_is_closed_leaves_nothing_running() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        await consumer(host, channel)
        await soon(host.ask(Push(channel, source, [event("T", "T", timeout=timedelta(hours=1))])))
        await host.close(0.01)
        await turns()
        assert host._timer.at is None
        gc.collect()

    run(work())


def test_two_hosts_do_not_share_a_folder(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        with pytest.raises(JournalInUse):
            await Host.open(tmp_path)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        assert await publish(host, channel, source, "a") == [1]
        await host.close()
        host = await Host.open(tmp_path)
        await host.close()

    run(work())


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        await new_channel(host)
        await host.close()
        newer = tmp_path / "journal" / "000000000002.journal"
        header = encode(Record(Kind.HEADER, bytes(16), 2, (9).to_bytes(2, "big")))
        newer.write_bytes(header * 2)
        before = contents(tmp_path)
        with pytest.raises(JournalTooNew):
            await Host.open(tmp_path)
        assert contents(tmp_path) == before
        newer.unlink()
        host = await Host.open(tmp_path)
        assert len(host.factory.channels) == 1
        await host.close()

    run(work())


def test_the_service_works_without_a_disk() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, endpoint = await consumer(host, channel)
        assert await publish(host, channel, source, "a", marks=[ProducerMark("p", 1)]) == [1]
        assert await publish(host, channel, source, "a", marks=[ProducerMark("p", 1)]) == [1]
        assert seqs(await collect(endpoint, 1)) == [1]
        await host.ask(Disconnect(channel, proxy))
        with pytest.raises(Disconnected):
            await soon(endpoint.get())
        await host.close()

    run(work())
