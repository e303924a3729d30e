"""From the core to its consumers: order, what cannot be read or is swapped out, pulls, faults."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import random
import threading
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edges.engine.hosts import (
    HeldDisk,
    collect,
    connected,
    consumer,
    happened,
    hosted,
    named,
    new_channel,
    obtained,
    opened,
    publish,
    reconnected,
    seqs,
    soon,
    store_of,
    supplier,
    turns,
    until,
)
from tests.edges.engine.recorded_answers import message
from tidings.channel.commands import Push, Tick
from tidings.channel.effects import Message, Notice, NoticeKind, Outcome
from tidings.channel.entries import Entry
from tidings.channel.management import (
    Connect,
    CreateChannel,
    Disconnect,
    ObtainProxy,
    Purge,
    Resume,
    Suspend,
)
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Side, Style
from tidings.clock import ManualClock
from tidings.engine import mailbox
from tidings.engine.bodies import OVERHEAD_OCTETS, Bodies
from tidings.engine.endpoints import EventBatch, HandlerEndpoint, SupplierEndpoint
from tidings.engine.host import Host
from tidings.engine.sender import REFUSED, Outbox
from tidings.errors import (
    Disconnected,
    DiskFull,
    InvalidEvent,
    InvalidUsage,
    LimitExceeded,
    StoreError,
    TidingsError,
)
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.names import new_origin
from tidings.stores.retention import Retention
from tidings.stores.segments import Cursor


async def pulling(host: Host, channel: int) -> int:
    """A pull consumer that is connected."""
    puller = await obtained(host, channel, Style.PULL)
    await host.connect(Connect(channel, puller), None)
    return puller


# Order.


async def test_persistent_events_leave_after_their_sync_and_besteffort_ones_at_once(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path) as (host, channel, proxy):
        _, all_of_them = await consumer(host, channel)
        _, quick_only = await consumer(host, channel, text="$event_name == 'quick'")
        await soon(host.ask(Push(channel, proxy, [happened("first", persistent=False)])))
        await collect(all_of_them, 1)
        disk = HeldDisk(host, held=True)
        slow = host.ask(Push(channel, proxy, named("slow")))
        await until(lambda: disk.writes)
        quick = host.ask(Push(channel, proxy, [happened("quick", persistent=False)]))
        assert [m.event.name for m in await collect(quick_only, 1)] == ["quick"]
        await turns(30)
        assert len(all_of_them) == 0, "nothing overtakes within one consumer"
        disk.release()
        await soon(asyncio.gather(slow, quick))
        assert [m.event.name for m in await collect(all_of_them, 2)] == ["slow", "quick"]


async def test_what_waits_to_leave_does_not_overtake_what_failed(tmp_path: Path) -> None:
    async with hosted(tmp_path, settings=Settings(retry_first=1_000)) as (host, channel, proxy):
        _, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, "a")
        [message] = await collect(endpoint, 1, ack=False)
        disk = HeldDisk(host, held=True)
        push = host.ask(Push(channel, proxy, named("b")))
        await until(lambda: disk.writes)
        endpoint.fail(message, "not now")
        disk.release()
        await soon(push)
        assert [m.event.name for m in await collect(endpoint, 2)] == ["a", "b"]


async def test_nothing_overtakes_an_event_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    handled: list[int] = []
    failures = [3, 7, 20, 21, 50]

    def handler(message: Message) -> None:
        if message.seq in failures:
            failures.remove(message.seq)
            raise ValueError("not now")
        handled.append(message.seq)

    monkeypatch.setattr(mailbox, "_MOST", 4)
    quick = Settings(retry_first=1_000, retry_longest=1_000)
    async with hosted(settings=quick, qos={"OrderPolicy": 1}) as (host, channel, source):
        proxy = await obtained(host, channel)
        await connected(host, channel, proxy, HandlerEndpoint(handler), window=8)
        for number in range(60):
            host.tell(Push(channel, source, named(number)))
            for _ in range(8):  # behind them the core hears late of what failed
                host.tell(Tick())
            if number % 7 == 0:
                await asyncio.sleep(0.002)
        await until(lambda: len(handled) >= 60)
    assert handled == list(range(1, 61))
    assert not failures


async def test_nothing_overtakes_while_the_core_has_not_heard_of_all_that_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = Settings(retry_first=1, retry_longest=1, retry_limit=2)
    async with hosted(settings=at_once, qos={"EventReliability": 0}) as (host, channel, source):
        _, endpoint = await consumer(host, channel)
        await publish(host, channel, source, "a")
        [message] = await collect(endpoint, 1, ack=False)
        tell, unheard = host.out._tell, list[tuple[Any, ...]]()
        monkeypatch.setattr(host.out, "_tell", lambda *told: unheard.append(told))
        endpoint.fail(message, "not now")
        await publish(host, channel, source, "b")
        tell(*unheard.pop(0))
        await turns()  # the pause is over, but b is not back yet
        await publish(host, channel, source, "c")
        monkeypatch.undo()
        for told in unheard:
            tell(*told)
        assert [m.event.name for m in await collect(endpoint, 3)] == ["a", "b", "c"]


def _noted(left: list[Any], thing: object) -> Callable[[EventBatch], None]:
    return lambda _: left.append(thing)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=15), st.randoms())
def test_each_consumer_gets_its_things_in_order_and_all_of_them(
    things: list[tuple[int, int]], random: random.Random
) -> None:
    outbox = Outbox()
    left: list[tuple[int, int]] = []
    due: list[EventBatch] = []
    for number, (proxy, waits) in enumerate(things):
        batch = EventBatch(1, proxy, [])
        outbox.put(batch, _noted(left, (proxy, number)), waits)
        due += [batch] * waits
    random.shuffle(due)
    for batch in due:
        outbox.ready(batch)
    for proxy in range(3):
        mine = [number for whose, number in left if whose == proxy]
        assert mine == [number for number, (whose, _) in enumerate(things) if whose == proxy]
    assert not outbox.lines


def test_what_was_never_accepted_is_taken_out_wherever_it_waits() -> None:
    outbox = Outbox()
    one, two = message(1), message(2)
    waiting: dict[tuple[int, int], list[Any]] = {
        (1, 7): [one, two],
        (1, 8): [two, 5],
        (2, 7): [two],
    }
    for key, messages in waiting.items():
        outbox.put(EventBatch(*key, messages), lambda _: None, 1)
    outbox.withdraw(1, {2, 5})
    assert waiting == {(1, 7): [one, REFUSED], (1, 8): [REFUSED, 5], (2, 7): [two]}


def test_what_is_called_back_never_leaves() -> None:
    outbox, left = Outbox(), list[int]()
    entries = [Entry(0, seq, 0, 0, 0) for seq in (4, 5, 6)]
    first = EventBatch(1, 7, [], entries=entries[:2])
    outbox.put(first, _noted(left, 1), 1)
    outbox.put(EventBatch(1, 7, [], entries=entries[2:]), _noted(left, 2), 0)
    assert outbox.recall((1, 8)) == []
    assert outbox.recall((1, 7)) == [4, 5, 6]
    outbox.ready(first)
    assert left == []
    assert not outbox.lines


# What cannot be read.


async def test_an_event_that_cannot_be_read_is_reported_and_holds_up_nobody(tmp_path: Path) -> None:
    async with hosted(tmp_path, cache_octets=1) as (host, channel, proxy):
        whose, endpoint = await consumer(host, channel, window=10)
        puller = await pulling(host, channel)
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
        assert [notice.kind for notice in host.notices] == [NoticeKind.LOST] * 2
        detail = "lost by damage in the journal: event 2"
        assert [(n.proxy, n.detail) for n in host.notices] == [(whose, detail), (puller, detail)]
        await until(lambda: len(host.bodies) == 0)


async def test_what_cannot_be_read_now_waits_and_comes_in_order(tmp_path: Path) -> None:
    """Whatever call fails, however often, and for whatever reason that proves no damage."""
    codes = [errno.EMFILE, errno.ENFILE, errno.EIO, errno.EINTR, errno.ENOMEM]
    for seed in range(5):
        chance = random.Random(seed)
        host, channel, proxy = await opened(tmp_path / str(seed), cache_octets=1)
        whose, endpoint = await consumer(host, channel, window=4)
        puller = await pulling(host, channel)
        await host.ask(Suspend(channel, whose))
        left = await publish(host, channel, proxy, *range(12))
        files = store_of(host).journal.files

        def failing(call: Callable[..., Any], chance: random.Random) -> Callable[..., Any]:
            def wrapped(*given: Any) -> Any:
                if threading.current_thread().name == "tidings-disk" and chance.random() < 0.5:
                    code = chance.choice(codes)
                    raise OSError(code, os.strerror(code))
                return call(*given)

            return wrapped

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tidings.engine.sender._FIRST_PAUSE", 0.001)
            patch.setattr("tidings.engine.sender._LONGEST_PAUSE", 0.002)
            files.close()
            patch.setattr(os, "pread", failing(os.pread, chance))
            patch.setattr(files, "get", failing(files.get, chance))
            await host.ask(Resume(channel, whose))
            with contextlib.suppress(StoreError):  # who does not wait is told, and loses nothing
                while left:
                    left = left[len((await host.pull(channel, puller, wait=0)).messages) :]
            pulled = [await soon(host.pull(channel, puller)) for _ in left]
            found = [one for _ in range(3) for one in await collect(endpoint, 4)]
        assert [seqs(one.messages) for one in pulled] == [[seq] for seq in left]
        assert seqs(found) == list(range(1, 13))
        assert {notice.kind for notice in host.notices} == {NoticeKind.FAILING}
        await until(lambda host=host: host.counts == {Outcome.DELIVERED: 24})  # type: ignore[misc]
        await host.close(0.05)


async def test_a_pull_of_what_cannot_be_read_is_repeated_for_as_long_as_it_may_take(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path, cache_octets=1) as (host, channel, proxy):
        puller = await pulling(host, channel)
        await publish(host, channel, proxy, "a")
        store, error = store_of(host), StoreError("planted")
        with mock.patch.object(store, "fetch", side_effect=error) as fetch:
            with pytest.raises(StoreError, match="cannot be read from the journal now; they wait"):
                await soon(host.pull(channel, puller, wait=0))
            assert fetch.call_count == 1
        again = [error, mock.DEFAULT]
        with mock.patch.object(store, "fetch", wraps=store.fetch, side_effect=again):
            found = await soon(host.pull(channel, puller, wait=600_000_000))
        assert seqs(found.messages) == [1]


async def test_an_event_whose_read_is_repeated_is_found_where_retention_has_carried_it(
    tmp_path: Path,
) -> None:
    async with hosted(tmp_path, cache_octets=1, segment_octets=2_000) as (host, channel, proxy):
        whose, endpoint = await consumer(host, channel, window=1)
        await host.ask(Suspend(channel, whose))
        await publish(host, channel, proxy, "a")
        store = store_of(host)
        with mock.patch.object(store, "fetch", side_effect=StoreError("planted")) as fetch:
            await host.ask(Resume(channel, whose))
            await until(lambda: fetch.called)
            other = await new_channel(host)
            filler = await supplier(host, other)
            for number in range(30):
                await publish(host, other, filler, number)
            host.housekeeping.retention = Retention(keep_octets=1)
            await host.housekeeping.run_once()
            assert store.journal.segments[0] > 1
        assert seqs(await collect(endpoint, 1)) == [1]
        await until(lambda: host.counts == {Outcome.DELIVERED: 1})


# Pulls and polls that are given up.


async def test_a_pull_that_is_given_up_takes_nothing(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, proxy):
        puller = await pulling(host, channel)
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
        disk = HeldDisk(host, held=True)  # while its event is written
        pushed = asyncio.create_task(publish(host, channel, proxy, "a"))
        pull = asyncio.create_task(host.pull(channel, puller))
        await turns(5)
        pull.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pull
        disk.release()
        assert seqs((await soon(host.pull(channel, puller))).messages) == await pushed


async def test_a_poll_that_hangs_does_not_hold_up_the_end() -> None:
    host = await Host.open(settings=Settings(poll_interval=1_000))
    channel = await new_channel(host)
    polled = await soon(host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PULL)))
    hanging = asyncio.Event()

    async def source(most: int) -> None:
        hanging.set()
        await asyncio.Event().wait()

    await connected(host, channel, polled, SupplierEndpoint(source=source))
    await soon(hanging.wait())
    await soon(host.close(0.01))


# Bodies of events, in memory and on the disk.


def test_the_envelope_is_only_made_when_asked_for() -> None:
    wrong = Message(StructuredEvent(), "no origin", 1, 2)
    with pytest.raises(InvalidEvent):
        _ = wrong.envelope


def test_what_was_used_longest_ago_leaves_the_cache_first() -> None:
    bodies = Bodies(cache_octets=3 * (100 + OVERHEAD_OCTETS))
    for seq in (1, 2, 3):
        bodies.keep_on_disk(1, seq, message(seq), Cursor(1, seq))
    assert bodies.get(1, 1) is not None
    bodies.keep_on_disk(2, 4, message(4), Cursor(1, 4))
    assert (bodies.get(1, 2), bodies.place(1, 2)) == (None, Cursor(1, 2))
    assert None not in (bodies.get(1, 1), bodies.get(1, 3), bodies.get(2, 4))
    again = message(2)
    bodies.cache(1, 2, again)
    assert bodies.get(1, 2) is again
    assert bodies.get(1, 1) is None


def test_what_comes_too_late_is_ignored() -> None:
    bodies = Bodies()
    bodies.keep_on_disk(1, 1, message(1), Cursor(1, 1))
    bodies.forget(1, [1])
    bodies.cache(1, 1, message(1))
    bodies.moved(1, 1, Cursor(1, 1))
    bodies.moved(9, 9, Cursor(1, 1))
    bodies.forget(9, [9])
    bodies.drop_channel(9)
    assert (bodies.get(1, 1), bodies.place(1, 1), bodies.cached_octets) == (None, None, 0)
    bodies.keep(1, 2, message(2))
    bodies.moved(1, 2, Cursor(1, 1))
    assert bodies.place(1, 2) is None


def test_an_event_that_is_kept_again_is_counted_once() -> None:
    bodies = Bodies()
    bodies.keep(1, 1, message(1, octets=10))
    bodies.keep(1, 1, message(1, octets=30))
    assert bodies.octets == 30
    bodies.keep_on_disk(1, 1, message(1), Cursor(1, 1))
    assert bodies.octets == 0
    bodies.keep(1, 1, message(1))
    assert (bodies.place(1, 1), bodies.cached_octets) == (Cursor(1, 1), 100 + OVERHEAD_OCTETS)
    bodies.forget(1, [1])
    assert (bodies.octets, bodies.cached_octets, len(bodies)) == (0, 0, 0)


# Swapped out to the disk.


@contextlib.asynccontextmanager
async def suspended(folder: Path, **options: Any) -> Any:
    """A host, a channel, its supplier, and two consumers that do not keep up."""
    few = Settings(limits=Limits(entries_per_consumer=10))
    fifo = {"EventReliability": 1, "ConnectionReliability": 1, "OrderPolicy": 1}
    async with hosted(folder, fifo, settings=few, **options) as (host, channel, proxy):
        slow = [(await consumer(host, channel, window=5))[0] for _ in range(2)]
        for one in slow:
            await host.ask(Suspend(channel, one))
        yield host, channel, proxy, slow


async def gets_all(host: Host, channel: int, proxy: int, count: int) -> None:
    """A consumer that was suspended takes event after event, and none is missing."""
    endpoint = await reconnected(host, channel, proxy, window=5)
    await host.ask(Resume(channel, proxy))
    assert seqs([(await collect(endpoint, 1))[0] for _ in range(count)]) == [*range(1, count + 1)]


async def test_events_that_are_being_written_are_spilled_for_each_who_waits(tmp_path: Path) -> None:
    async with suspended(tmp_path) as (host, channel, proxy, slow):
        disk = HeldDisk(host, held=True)
        push = host.ask(Push(channel, proxy, named(*range(40))))
        await until(lambda: disk.writes)
        disk.release()
        await soon(push)
        catalog, proxies = store_of(host).catalog, host.factory.channels[channel].proxies
        for one in slow:
            delivery = proxies[one].consumer
            while catalog.spilled(channel, one) != delivery.spilled:
                await turns(1)
            await gets_all(host, channel, one, 40)


async def test_what_waits_on_the_disk_is_dropped_too_and_nothing_that_comes_later(
    tmp_path: Path,
) -> None:
    async with suspended(tmp_path) as (host, channel, proxy, slow):
        await publish(host, channel, proxy, *range(60))
        one = slow[0]
        delivery = host.factory.channels[channel].proxies[one].consumer
        assert delivery.spilled
        before = delivery.waiting
        assert await host.ask(Purge(channel, one)) == before
        assert await publish(host, channel, proxy, "new") == [61]
        await until(lambda: delivery.counts.get(Outcome.PURGED) == before)
        await until(lambda: not delivery.spilled)
        endpoint = await reconnected(host, channel, one, window=5)
        await host.ask(Resume(channel, one))
        assert seqs(await collect(endpoint, 1))[-1] == 61
        await gets_all(host, channel, slow[1], 61)


async def test_what_was_refused_is_on_no_disk(tmp_path: Path) -> None:
    async with suspended(tmp_path) as (host, channel, proxy, slow):
        await publish(host, channel, proxy, *range(15))
        disk = HeldDisk(host, DiskFull("no room"))
        await publish(host, channel, proxy, *range(30))
        disk.error = None
        assert await publish(host, channel, proxy, "new") == [16]
        await gets_all(host, channel, slow[0], 16)


@pytest.mark.parametrize("good", [1, 2, 3])
async def test_a_catalog_that_refuses_later_keeps_the_order(good: int, tmp_path: Path) -> None:
    async with suspended(tmp_path) as (host, channel, proxy, slow):
        store = store_of(host)
        refuses = chain([mock.DEFAULT] * good, repeat(StoreError("planted")))
        with mock.patch.object(store, "spill", wraps=store.spill, side_effect=refuses) as spill:
            for number in range(16):
                await publish(host, channel, proxy, number)
                await turns(20)
            assert spill.call_count > good
        await gets_all(host, channel, slow[0], 16)


async def test_a_refill_that_fails_is_tried_again(tmp_path: Path) -> None:
    async with suspended(tmp_path) as (host, channel, proxy, slow):
        await publish(host, channel, proxy, *range(40))
        store = store_of(host)
        refuses = chain([StoreError("planted")], repeat(mock.DEFAULT))
        with mock.patch.object(store, "refill", wraps=store.refill, side_effect=refuses):
            await gets_all(host, channel, slow[0], 40)


async def test_what_comes_back_is_not_forgotten_with_the_last_other_who_waited(
    tmp_path: Path,
) -> None:
    async with suspended(tmp_path, cache_octets=1) as (host, channel, proxy, slow):
        quick, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, *range(40))
        await collect(endpoint, 40, ack=False)
        right = host.spilling._refilled

        def with_the_last_ack(*given: Any) -> None:
            host.ack(channel, quick, range(1, 41))
            right(*given)

        host.spilling._refilled = with_the_last_ack
        await host.ask(Disconnect(channel, slow[1]))
        await gets_all(host, channel, slow[0], 40)
        assert all(notice.kind is not NoticeKind.LOST for notice in host.notices)


# The host itself.


async def test_who_takes_a_connection_over_gets_what_was_not_acknowledged() -> None:
    async with hosted() as (host, channel, source):
        proxy, first = await consumer(host, channel)
        await publish(host, channel, source, "a", "b")
        [one, _] = await collect(first, 2, ack=False)
        first.ack(one)
        await turns()
        second = await reconnected(host, channel, proxy)
        with pytest.raises(Disconnected, match="taken the connection over"):
            await soon(first.get())
        [two] = await collect(second, 1, ack=False)
        assert two.seq == 2
        assert second.redelivered(2)
        first.ack(two)
        await turns()
        assert host.counts[Outcome.DELIVERED] == 1, "who is out has no say"


async def test_a_push_beyond_the_limit_or_with_wrong_marks_changes_nothing() -> None:
    limited = Settings(limits=Limits(batch_events=300))
    async with hosted(settings=limited) as (host, channel, source):
        with pytest.raises(LimitExceeded):
            await publish(host, channel, source, *range(301))
        with pytest.raises(InvalidUsage):
            await publish(host, channel, source, *range(200), marks=[ProducerMark("p", 1)])
        assert host.factory.channels[channel].seq == 0
        assert await publish(host, channel, source, *range(300)) == list(range(1, 301))


async def test_a_fault_of_ours_answers_everybody_and_the_service_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with hosted() as (host, channel, source):
        _, endpoint = await consumer(host, channel)
        planted = mock.Mock(side_effect=ZeroDivisionError("planted"))
        with mock.patch.dict(host.factory._handlers, {CreateChannel: planted}):
            pushed = host.ask(Push(channel, source, named("a")))
            made = host.ask(CreateChannel(new_origin()))
            with pytest.raises(TidingsError, match="CreateChannel could not be carried out"):
                await soon(made)
            assert await soon(pushed) == [1], "others are not concerned"
        assert "a command has met a fault" in caplog.text
        assert seqs(await collect(endpoint, 1)) == [1], "what was done before is carried out"
        broken = mock.patch.object(type(host._performer), "perform", planted)
        with broken, pytest.raises(ZeroDivisionError, match="planted"):
            await soon(host.ask(Tick()))
        assert "a batch of commands could not be carried out" in caplog.text
        assert await publish(host, channel, source, "b") == [2]
        assert seqs(await collect(endpoint, 1)) == [2]


async def test_notices_are_kept_and_told() -> None:
    heard: list[Notice] = []

    def failing(_: object) -> None:
        raise ValueError("no")

    hasty = Settings(retry_first=1_000, retry_limit=2)
    async with hosted(settings=hasty) as (host, channel, source):
        end = host.watch(heard.append)
        proxies = host.factory.channels[channel].proxies
        for told in (True, False):
            proxy = await obtained(host, channel, qos={"ConnectionReliability": 0})
            await connected(host, channel, proxy, HandlerEndpoint(failing))
            await publish(host, channel, source, "a")
            await until(lambda proxy=proxy: proxy not in proxies)  # type: ignore[misc]
            await turns()
            if told:
                end()
        assert [notice.kind for notice in heard] == [NoticeKind.FAILING, NoticeKind.GIVEN_UP]
        assert len(host.notices) == 4
        assert list(host.notices)[:2] == heard
        assert all(notice.time and notice.channel_name == "" for notice in heard)


async def test_arrival_times_are_those_of_the_clock() -> None:
    second = 1_000_000
    clock = ManualClock(1_700_000_000 * second)
    async with hosted(clock=clock) as (host, channel, source):
        _, endpoint = await consumer(host, channel)
        clock.advance(-86_400 * second)
        host._look_around()
        await publish(host, channel, source, "a")
        [message] = await collect(endpoint, 1)
        assert abs(message.arrival - clock.now()) < 60 * second
