from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.hosts import (
    HeldDisk,
    collect,
    connected,
    consumer,
    happened,
    named,
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
from tidings.channel.management import (
    Connect,
    Disconnect,
    ObtainProxy,
    OfferChange,
    Resume,
    SubscriptionChange,
    Suspend,
)
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Place, Side, Style
from tidings.engine.bodies import Message
from tidings.engine.endpoints import HandlerEndpoint, PullSupplierEndpoint, SupplierEndpoint
from tidings.engine.host import Host
from tidings.errors import Disconnected, StoreError
from tidings.filters.constraint import event_type
from tidings.stores.retention import Retention


def test_persistent_events_leave_after_their_sync(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        disk = HeldDisk(host)
        disk.hold()
        push = host.ask(Push(channel, proxy, named("a")))
        await until(lambda: disk.writes)
        await turns(30)
        assert len(endpoint) == 0
        disk.release()
        await soon(push)
        assert seqs(await collect(endpoint, 1)) == [1]
        await host.close(0.05)

    run(work())


def test_besteffort_events_leave_at_once_but_never_overtake_within_one_consumer(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, all_of_them = await consumer(host, channel)
        _, second_only = await consumer(host, channel, text="$event_name == 'quick'")
        await soon(host.ask(Push(channel, proxy, [happened("first", persistent=False)])))
        await collect(all_of_them, 1)
        disk = HeldDisk(host)
        disk.hold()
        slow = host.ask(Push(channel, proxy, named("slow")))
        await until(lambda: disk.writes)
        quick = host.ask(Push(channel, proxy, [happened("quick", persistent=False)]))
        assert [m.event.name for m in await collect(second_only, 1)] == ["quick"]
        await turns(30)
        assert len(all_of_them) == 0
        disk.release()
        await soon(asyncio.gather(slow, quick))
        assert [m.event.name for m in await collect(all_of_them, 2)] == ["slow", "quick"]
        await host.close(0.05)

    run(work())


def test_contents_are_read_from_the_disk_in_order(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, cache_octets=2_000)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose, endpoint = await consumer(host, channel, window=7)
        await host.ask(Suspend(channel, whose))
        await publish(host, channel, proxy, *range(200))
        assert host.bodies.cached_octets <= 2_000
        await host.ask(Resume(channel, whose))
        found = await collect(endpoint, 7)
        while len(found) < 200:
            found += await collect(endpoint, 1)
        assert seqs(found) == list(range(1, 201))
        assert [m.event.name for m in found] == [str(n) for n in range(200)]
        await until(lambda: len(host.bodies) == 0)
        await host.close(0.05)

    run(work())


def test_an_event_that_cannot_be_read_is_reported_and_holds_up_nobody(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, cache_octets=1)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose, endpoint = await consumer(host, channel, window=10)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        await host.ask(Suspend(channel, whose))
        await publish(host, channel, proxy, "a", "b", "c")
        place = host.bodies.place(channel, 2)
        assert place is not None
        [segment] = (store_of(host).folder).glob("*1*")
        octets = bytearray(segment.read_bytes())
        octets[place.offset + 45] ^= 0xFF
        segment.write_bytes(octets)
        await host.ask(Resume(channel, whose))
        assert seqs(await collect(endpoint, 2)) == [1, 3]
        pulled = [seqs((await soon(host.pull(channel, puller))).messages) for _ in range(3)]
        assert pulled == [[1], [], [3]]
        await until(lambda: host.counts == {Outcome.DELIVERED: 4, Outcome.LOST: 2})
        assert [(n.kind, n.proxy) for n in host.notices] == [
            (NoticeKind.LOST, whose),
            (NoticeKind.LOST, puller),
        ]
        await until(lambda: len(host.bodies) == 0)
        await host.close(0.05)

    run(work())


def test_what_cannot_be_read_now_waits_and_comes_in_order(tmp_path: Path) -> None:
    """Whatever call fails, however often, and for whatever reason that proves no damage."""

    async def work(seed: int, codes: Sequence[int]) -> None:
        chance = random.Random(seed)
        host = await Host.open(tmp_path / str(seed), cache_octets=1)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose, endpoint = await consumer(host, channel, window=4)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        await host.ask(Suspend(channel, whose))
        left = await publish(host, channel, proxy, *range(12))
        store = store_of(host)

        def failing(call: Callable[..., Any]) -> Callable[..., Any]:
            def wrapped(*given: Any) -> Any:
                if threading.current_thread().name == "tidings-disk" and chance.random() < 0.5:
                    code = chance.choice(codes)
                    raise OSError(code, os.strerror(code))
                return call(*given)

            return wrapped

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tidings.engine.leaving._FIRST_PAUSE", 0.001)
            patch.setattr("tidings.engine.leaving._LONGEST_PAUSE", 0.002)
            store.journal.files.close()
            patch.setattr(os, "pread", failing(os.pread))
            patch.setattr(store.journal.files, "get", failing(store.journal.files.get))
            await host.ask(Resume(channel, whose))
            with contextlib.suppress(StoreError):  # who does not wait is told, and loses nothing
                while left:
                    left = left[len((await host.pull(channel, puller, wait=0)).messages) :]
            pulled = [await soon(host.pull(channel, puller)) for _ in left]
            found = [one for _ in range(3) for one in await collect(endpoint, 4)]
        assert [seqs(one.messages) for one in pulled] == [[seq] for seq in left]
        assert seqs(found) == list(range(1, 13))
        assert {notice.kind for notice in host.notices} == {NoticeKind.FAILING}
        await until(lambda: host.counts == {Outcome.DELIVERED: 24})
        await host.close(0.05)

    for seed in range(5):
        run(work(seed, [errno.EMFILE, errno.ENFILE, errno.EIO, errno.EINTR, errno.ENOMEM]))


def test_an_event_whose_read_is_repeated_is_found_where_retention_has_carried_it(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, cache_octets=1, segment_octets=2_000)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose, endpoint = await consumer(host, channel, window=1)
        await host.ask(Suspend(channel, whose))
        await publish(host, channel, proxy, "a")
        store = store_of(host)
        right = store.fetch
        failed: list[Sequence[int]] = []

        def fetch(places: Sequence[int]) -> list[Message | None]:
            failed.append(places)
            raise StoreError("planted")

        store.fetch = fetch  # type: ignore[method-assign]
        await host.ask(Resume(channel, whose))
        await until(lambda: failed)
        other = await new_channel(host)
        filler = await supplier(host, other)
        for number in range(30):
            await publish(host, other, filler, number)
        host.housekeeping.retention = Retention(keep_octets=1)
        await host.housekeeping.run_once()
        assert store.journal.segments[0] > 1
        store.fetch = right  # type: ignore[method-assign]
        assert seqs(await collect(endpoint, 1)) == [1]
        await until(lambda: host.counts == {Outcome.DELIVERED: 1})
        await host.close(0.05)

    run(work())


def test_a_pull_that_is_given_up_takes_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        answer = host.out._answer_pull
        for early in (True, False):  # before the answer is there, and right after it
            pull = asyncio.create_task(host.pull(channel, puller))
            await turns(3)

            def answered(*given: Any, pull: asyncio.Task[Any] = pull) -> None:
                answer(*given)
                pull.cancel()

            if early:
                pull.cancel()
            else:
                host.out._answer_pull = answered  # type: ignore[method-assign,assignment]
            [seq] = await publish(host, channel, proxy, "a")
            with pytest.raises(asyncio.CancelledError):
                await pull
            host.out._answer_pull = answer  # type: ignore[method-assign]
            assert seqs((await soon(host.pull(channel, puller))).messages) == [seq]
        await until(lambda: host.counts == {Outcome.DELIVERED: 2})
        await host.close(0.05)

    run(work())


def test_a_pull_that_is_given_up_while_its_event_is_written_takes_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        disk = HeldDisk(host)
        disk.hold()
        pushed = asyncio.create_task(publish(host, channel, proxy, "a"))
        pull = asyncio.create_task(host.pull(channel, puller))
        await turns(5)
        pull.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pull
        disk.release()
        assert seqs((await soon(host.pull(channel, puller))).messages) == await pushed
        await host.close(0.05)

    run(work())


def test_pulls_are_answered_in_order(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        disk = HeldDisk(host)
        disk.hold()
        pulls = [asyncio.create_task(host.pull(channel, puller)) for _ in range(2)]
        await turns()
        slow = host.ask(Push(channel, proxy, named("slow")))
        await until(lambda: disk.writes)
        quick = host.ask(Push(channel, proxy, [happened("quick", persistent=False)]))
        await turns(30)
        assert [pull.done() for pull in pulls] == [False, False]
        disk.release()
        await soon(asyncio.gather(slow, quick))
        assert [seqs((await soon(pull)).messages) for pull in pulls] == [[1], [2]]
        await host.close(0.05)

    run(work())


def test_a_pull_waits_as_long_as_asked_to() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        for wait in (0, 2_000):
            assert (await soon(host.pull(channel, puller, wait=wait))).messages == []
        assert not host.out.pulls
        await host.close(0.05)

    run(work())


def test_a_pull_that_is_cancelled_takes_no_event_along() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        pull = asyncio.create_task(host.pull(channel, puller))
        await turns()
        pull.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pull
        await publish(host, channel, proxy, "a")
        assert seqs((await soon(host.pull(channel, puller))).messages) == [1]
        assert not host.out.pulls
        await host.close(0.05)

    run(work())


def test_what_is_leased_comes_again_after_the_lease_and_is_marked() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        await publish(host, channel, proxy, "a", "b")
        first = await soon(host.pull(channel, puller, most=2, lease=20_000))
        assert (seqs(first.messages), first.again) == ([1, 2], frozenset())
        host.ack(channel, puller, [1])
        second = await soon(host.pull(channel, puller, most=2, lease=20_000))
        assert (seqs(second.messages), second.again) == ([2], frozenset({2}))
        host.ack(channel, puller, [2])
        await until(lambda: host.counts[Outcome.DELIVERED] == 2)
        await host.close(0.05)

    run(work())


def test_a_pull_ends_with_its_proxy() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        puller = await obtained(host, channel, Style.PULL)
        await host.connect(Connect(channel, puller), None)
        pull = asyncio.create_task(host.pull(channel, puller))
        await turns()
        await host.ask(Disconnect(channel, puller))
        with pytest.raises(Disconnected):
            await soon(pull)
        await host.close(0.05)

    run(work())


def test_a_pull_supplier_is_asked_again_and_again_until_it_says_it_is_gone() -> None:
    asked = []

    def source(most: int) -> object:
        asked.append(most)
        if len(asked) == 2:
            raise ValueError("in trouble")
        if len(asked) > 3:
            raise Disconnected("no more")
        return named(len(asked))

    async def work() -> None:
        host = await Host.open(settings=Settings(poll_interval=1_000))
        channel = await new_channel(host)
        _, endpoint = await consumer(host, channel)
        polled = await soon(host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PULL)))
        supplying = PullSupplierEndpoint(source)  # type: ignore[arg-type]
        await connected(host, channel, polled, supplying)
        assert [m.event.name for m in await collect(endpoint, 2)] == ["1", "3"]
        await until(lambda: polled not in host.factory.channels[channel].proxies)
        assert (channel, polled) not in host.out.endpoints
        await host.close(0.05)

    run(work())


def test_a_poll_that_hangs_does_not_hold_up_the_end() -> None:
    async def work() -> None:
        host = await Host.open(settings=Settings(poll_interval=1_000))
        channel = await new_channel(host)
        polled = await soon(host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PULL)))
        hanging = asyncio.Event()

        async def source(most: int) -> None:
            hanging.set()
            await asyncio.Event().wait()

        await connected(host, channel, polled, PullSupplierEndpoint(source))
        await soon(hanging.wait())
        await soon(host.close(0.01))

    run(work())


def test_a_client_hears_of_types_and_of_the_end() -> None:
    heard: list[object] = []

    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        offered = await soon(host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PUSH)))
        ends = SupplierEndpoint(
            lambda added, removed: heard.append(("wanted", len(added))),
            lambda: heard.append("supplier ended"),
        )
        await connected(host, channel, offered, ends)
        proxy = await obtained(host, channel)
        takes = HandlerEndpoint(
            lambda _: None,
            lambda added, removed: heard.append(("offered", len(added))),
            lambda: heard.append("consumer ended"),
        )
        await connected(host, channel, proxy, takes)
        types = [event_type("Test::Thing")]
        await host.ask(OfferChange(Place(channel, proxy=offered), types))
        await host.ask(SubscriptionChange(Place(channel, proxy=proxy), types))
        await host.ask(Disconnect(channel, proxy))
        await host.ask(Disconnect(channel, offered))
        await turns()
        assert ("offered", 1) in heard
        assert ("wanted", 1) in heard
        assert heard.index("consumer ended") < heard.index("supplier ended")
        assert not host.out.endpoints
        await host.close(0.05)

    run(work())


class Watched(HandlerEndpoint):
    """Notes what comes after the end."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.said: list[str] = []

    def deliver(self, batch: object) -> None:
        self.said.append("deliver")

    def close(self, error: Exception | None = None) -> None:
        self.said.append("close")


def test_after_the_end_nothing_comes_that_still_waited(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose = await obtained(host, channel)
        endpoint = Watched()
        await connected(host, channel, whose, endpoint)
        disk = HeldDisk(host)
        disk.hold()
        push = host.ask(Push(channel, proxy, named("a")))
        await until(lambda: disk.writes)
        taking = asyncio.create_task(reconnected(host, channel, whose))
        await turns(30)
        disk.release()
        await soon(push)
        assert seqs(await collect(await soon(taking), 1)) == [1]
        assert endpoint.said == ["close"]
        await host.close(0.05)

    run(work())


def test_events_come_again_in_order_after_a_failure() -> None:
    got: list[str] = []

    def handler(message: Message) -> None:
        got.append(message.event.name)
        if got == ["a", "b"]:
            raise ValueError("not now")

    async def work() -> None:
        host = await Host.open(settings=Settings(retry_first=1_000))
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        whose = await obtained(host, channel)
        await connected(host, channel, whose, HandlerEndpoint(handler))
        await publish(host, channel, proxy, "a", "b", "c")
        await until(lambda: host.counts[Outcome.DELIVERED] == 3)
        assert got == ["a", "b", "b", "c"]
        assert host.notices[0].kind is NoticeKind.FAILING
        await host.close(0.05)

    run(work())


def test_what_waits_to_leave_does_not_overtake_what_failed(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, settings=Settings(retry_first=1_000))
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, "a")
        [message] = await collect(endpoint, 1, ack=False)
        disk = HeldDisk(host)
        disk.hold()
        push = host.ask(Push(channel, proxy, named("b")))
        await until(lambda: disk.writes)
        endpoint.fail(message, "not now")
        disk.release()
        await soon(push)
        found = await collect(endpoint, 2)
        assert [m.event.name for m in found] == ["a", "b"]
        await host.close(0.05)

    run(work())
