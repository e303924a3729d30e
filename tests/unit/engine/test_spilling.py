from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.hosts import (
    HeldDisk,
    collect,
    consumer,
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
from tidings.channel.management import DestroyChannel, Disconnect, Resume, Suspend
from tidings.channel.settings import Limits, Settings
from tidings.engine.bodies import Message
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.errors import DiskFull, StoreError

FEW = Settings(limits=Limits(entries_per_consumer=10))
FIFO = {"EventReliability": 1, "ConnectionReliability": 1, "OrderPolicy": 1}


async def suspended(host: Host) -> tuple[int, int, list[int]]:
    """A channel, its supplier, and two consumers that do not keep up."""
    channel = await new_channel(host, FIFO)
    proxy = await supplier(host, channel)
    slow = [(await consumer(host, channel, window=5))[0] for _ in range(2)]
    for one in slow:
        await host.ask(Suspend(channel, one))
    return channel, proxy, slow


async def collect_all(endpoint: BufferEndpoint, count: int) -> list[Message]:
    """The next events of a consumer, one by one."""
    found: list[Message] = []
    while len(found) < count:
        found += await collect(endpoint, 1)
    return found


def test_what_does_not_fit_goes_to_the_disk_and_comes_back_in_order(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW, cache_octets=3_000)
        channel, proxy, slow = await suspended(host)
        for start in range(0, 120, 30):
            await publish(host, channel, proxy, *range(start, start + 30))
        waits = [host.factory.channels[channel].proxies[one].delivery for one in slow]
        assert all(one is not None and one.spilled > 80 for one in waits)
        assert len(host.bodies) < 40
        for one in slow:
            endpoint = await reconnected(host, channel, one, window=5)
            await host.ask(Resume(channel, one))
            found = await collect_all(endpoint, 120)
            assert seqs(found) == list(range(1, 121))
            assert [m.event.name for m in found] == [str(n) for n in range(120)]
        await until(lambda: len(host.bodies) == 0)
        assert store_of(host).catalog.spilled(channel, slow[0]) == 0
        await host.close(0.05)

    run(work())


def test_events_that_are_being_written_are_spilled_for_each_who_waits(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW)
        channel, proxy, slow = await suspended(host)
        disk = HeldDisk(host)
        disk.hold()
        push = host.ask(Push(channel, proxy, named(*range(40))))
        await until(lambda: disk.writes)
        disk.release()
        await soon(push)
        for one in slow:
            delivery = host.factory.channels[channel].proxies[one].delivery
            assert delivery is not None
            await until(
                lambda one=one, delivery=delivery: (
                    store_of(host).catalog.spilled(channel, one)  # type: ignore[misc]
                    == delivery.spilled
                )
            )
            endpoint = await reconnected(host, channel, one, window=5)
            await host.ask(Resume(channel, one))
            assert seqs(await collect_all(endpoint, 40)) == list(range(1, 41))
        await host.close(0.05)

    run(work())


def test_what_was_refused_is_on_no_disk(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW)
        channel, proxy, slow = await suspended(host)
        await publish(host, channel, proxy, *range(15))
        disk = HeldDisk(host)
        disk.error = DiskFull("no room")
        await publish(host, channel, proxy, *range(30))
        disk.error = None
        assert await publish(host, channel, proxy, "new") == [16]
        endpoint = await reconnected(host, channel, slow[0], window=5)
        await host.ask(Resume(channel, slow[0]))
        assert seqs(await collect_all(endpoint, 16)) == list(range(1, 17))
        await host.close(0.05)

    run(work())


def test_a_catalog_that_refuses_loses_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW)
        channel, proxy, slow = await suspended(host)
        store = store_of(host)
        right = store.spill, store.refill

        def failing(*_: object) -> None:
            raise StoreError("planted")

        store.spill = failing  # type: ignore[method-assign, assignment]
        await publish(host, channel, proxy, *range(12))
        await turns(50)
        store.spill = right[0]  # type: ignore[method-assign]
        endpoint = await reconnected(host, channel, slow[0], window=5)
        await host.ask(Resume(channel, slow[0]))
        assert seqs(await collect_all(endpoint, 12)) == list(range(1, 13))
        await host.close(0.05)

    run(work())


@pytest.mark.parametrize("good", [1, 2, 3])
def test_a_catalog_that_refuses_later_keeps_the_order(good: int, tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW)
        channel, proxy, slow = await suspended(host)
        store = store_of(host)
        right, tries = store.spill, []

        def failing_after_some(*what: object) -> None:
            tries.append(what)
            if len(tries) > good:
                raise StoreError("planted")
            right(*what)  # type: ignore[arg-type]

        store.spill = failing_after_some  # type: ignore[method-assign, assignment]
        for number in range(16):
            await publish(host, channel, proxy, number)
            await turns(20)
        assert len(tries) > good
        store.spill = right  # type: ignore[method-assign]
        endpoint = await reconnected(host, channel, slow[0], window=5)
        await host.ask(Resume(channel, slow[0]))
        assert seqs(await collect_all(endpoint, 16)) == list(range(1, 17))
        await host.close(0.05)

    run(work())


def test_a_refill_that_fails_is_tried_again(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW)
        channel, proxy, slow = await suspended(host)
        await publish(host, channel, proxy, *range(40))
        store = store_of(host)
        right, tries = store.refill, []

        def failing_once(channel: int, proxy: int, order: str, most: int) -> object:
            tries.append(proxy)
            if len(tries) == 1:
                raise StoreError("planted")
            return right(channel, proxy, order, most)

        store.refill = failing_once  # type: ignore[method-assign, assignment]
        endpoint = await reconnected(host, channel, slow[0], window=5)
        await host.ask(Resume(channel, slow[0]))
        assert seqs(await collect_all(endpoint, 40)) == list(range(1, 41))
        await host.close(0.05)

    run(work())


def test_the_end_of_a_consumer_or_channel_clears_the_disk(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW)
        channel, proxy, slow = await suspended(host)
        await publish(host, channel, proxy, *range(40))
        catalog = store_of(host).catalog
        await until(lambda: catalog.spilled(channel, slow[0]))
        await host.ask(Disconnect(channel, slow[0]))
        await until(lambda: not catalog.spilled(channel, slow[0]))
        await host.ask(Resume(channel, slow[1]))
        await host.ask(DestroyChannel(channel))
        await until(lambda: not catalog.spilled(channel, slow[1]))
        await until(lambda: not host.disk.waiting)
        await host.close(0.05)

    run(work())


def test_what_was_on_the_disk_waits_again_after_a_restart(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW)
        channel, proxy, slow = await suspended(host)
        await publish(host, channel, proxy, *range(40))
        await host.close(0.05)
        host = await Host.open(tmp_path, settings=FEW)
        endpoint = await reconnected(host, channel, slow[0], window=5)
        await host.ask(Resume(channel, slow[0]))
        assert seqs(await collect_all(endpoint, 40)) == list(range(1, 41))
        await host.close(0.05)

    run(work())


def test_what_comes_back_is_not_forgotten_with_the_last_other_who_waited(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=FEW, cache_octets=1)
        channel, proxy, slow = await suspended(host)
        quick, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, *range(40))
        await collect(endpoint, 40, ack=False)
        right = host.spilling._refilled

        def with_the_last_ack(*given: Any) -> None:
            host.ack(channel, quick, range(1, 41))
            right(*given)

        host.spilling._refilled = with_the_last_ack  # type: ignore[method-assign, assignment]
        await host.ask(Disconnect(channel, slow[1]))
        endpoint = await reconnected(host, channel, slow[0], window=5)
        await host.ask(Resume(channel, slow[0]))
        assert seqs(await collect_all(endpoint, 40)) == list(range(1, 41))
        assert all(notice.kind is not NoticeKind.LOST for notice in host.notices)
        await host.close(0.05)

    run(work())
