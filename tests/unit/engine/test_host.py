from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.unit.engine.hosts import (
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
    supplier,
    turns,
    until,
)
from tidings import event
from tidings.channel.commands import Push
from tidings.channel.effects import Notice, NoticeKind, Outcome
from tidings.channel.management import Connect, CreateChannel, Detach, Resume, Suspend
from tidings.channel.settings import Limits, Settings
from tidings.clock import ManualClock
from tidings.engine.access import Access, Principal
from tidings.engine.endpoints import BufferEndpoint, HandlerEndpoint
from tidings.engine.host import Host
from tidings.errors import (
    AlreadyConnected,
    ChannelNotFound,
    Disconnected,
    Forbidden,
    InvalidUsage,
    LimitExceeded,
    ProxyNotFound,
    TidingsError,
)
from tidings.events.envelope import ProducerMark
from tidings.names import new_origin

SECOND = 1_000_000
NOON = 1_700_000_000 * SECOND


# Connecting.


def test_a_connect_that_is_refused_leaves_nothing_behind() -> None:
    async def work() -> None:
        host = await Host.open(access=Access())
        channel = await new_channel(host)
        proxy = await obtained(host, channel)
        bob = Principal("bob")
        for command, principal, error in (
            (Connect(channel, proxy, window=0), None, InvalidUsage),
            (Connect(channel, proxy, reachable=False), None, InvalidUsage),
            (Connect(channel, proxy), bob, Forbidden),
            (Connect(channel, 99), None, ProxyNotFound),
            (Connect(99, proxy), None, ChannelNotFound),
        ):
            who = {} if principal is None else {"principal": principal}
            with pytest.raises(error):
                await soon(host.connect(command, BufferEndpoint(), **who))
        assert host.out.endpoints == {}
        assert not host.factory.channels[channel].proxies[proxy].connected
        await host.close(0.05)

    run(work())


def test_a_second_client_is_refused_and_the_first_goes_on() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, first = await consumer(host, channel)
        with pytest.raises(AlreadyConnected):
            await reconnected(host, channel, proxy, again=False)
        wrong = Connect(channel, proxy, window=0, again=True)
        with pytest.raises(InvalidUsage):
            await soon(host.connect(wrong, HandlerEndpoint(len)))
        await publish(host, channel, source, "a")
        assert seqs(await collect(first, 1)) == [1]
        await host.close(0.05)

    run(work())


def test_who_takes_a_connection_over_gets_what_was_not_acknowledged() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
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
        await host.close(0.05)

    run(work())


def test_a_consumer_whose_line_is_cut_finds_its_events_again() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, first = await consumer(host, channel)
        await publish(host, channel, source, "a")
        await collect(first, 1, ack=False)
        await host.ask(Detach(channel, proxy))
        await publish(host, channel, source, "b")
        again = await reconnected(host, channel, proxy)
        assert seqs(await collect(again, 2, ack=False)) == [1, 2]
        assert [again.redelivered(seq) for seq in (1, 2)] == [True, False]
        await host.close(0.05)

    run(work())


# Asking.


def test_a_push_beyond_the_limit_or_with_wrong_marks_changes_nothing() -> None:
    async def work() -> None:
        host = await Host.open(settings=Settings(limits=Limits(batch_events=300)))
        channel = await new_channel(host)
        source = await supplier(host, channel)
        with pytest.raises(LimitExceeded):
            await publish(host, channel, source, *range(301))
        with pytest.raises(InvalidUsage):
            await publish(host, channel, source, *range(200), marks=[ProducerMark("p", 1)])
        assert host.factory.channels[channel].seq == 0
        assert await publish(host, channel, source, *range(300)) == list(range(1, 301))
        await host.close(0.05)

    run(work())


def test_each_event_is_judged_by_itself_in_large_pushes_too(tmp_path: Path) -> None:
    async def work() -> None:
        limits = Limits(event_octets=5_000)
        host = await Host.open(tmp_path, settings=Settings(limits=limits))
        channel = await new_channel(host)
        source = await supplier(host, channel)
        items = named(*range(500))
        items[250] = happened("large", x="y" * 6_000)
        answers = await soon(host.ask(Push(channel, source, items)))
        assert isinstance(answers[250], LimitExceeded)
        assert answers[:250] + answers[251:] == list(range(1, 500))
        await host.close(0.05)

    run(work())


def test_a_fault_of_ours_answers_everybody_and_the_service_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        source = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)

        def faulty(*_: object) -> int:
            raise ZeroDivisionError("planted")

        with monkeypatch.context() as patch:
            patch.setitem(host.factory._handlers, CreateChannel, faulty)
            pushed = host.ask(Push(channel, source, named("a")))
            made = host.ask(CreateChannel(new_origin()))
            with pytest.raises(TidingsError, match="CreateChannel could not be carried out"):
                await soon(made)
            assert await soon(pushed) == [1], "others are not concerned"
        assert seqs(await collect(endpoint, 1)) == [1], "what was done before is carried out"
        assert await publish(host, channel, source, "b") == [2]
        assert seqs(await collect(endpoint, 1)) == [2]
        await host.close(0.05)

    run(work())
    assert "a command has met a fault" in caplog.text


def test_notices_are_kept_and_told() -> None:
    heard: list[Notice] = []

    def failing(_: object) -> None:
        raise ValueError("no")

    async def work() -> None:
        host = await Host.open(settings=Settings(retry_first=1_000, retry_limit=2))
        end = host.watch(heard.append)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        for _ in range(2):
            proxy = await obtained(host, channel, qos={"ConnectionReliability": 0})
            await connected(host, channel, proxy, HandlerEndpoint(failing))
            await publish(host, channel, source, "a")
            await until(lambda proxy=proxy: proxy not in host.factory.channels[channel].proxies)  # type: ignore[misc]
            await turns()
            end()
            end = lambda: None  # noqa: E731 -- once
        assert [notice.kind for notice in heard] == [NoticeKind.FAILING, NoticeKind.GIVEN_UP]
        assert len(host.notices) == 4
        assert list(host.notices)[:2] == heard
        assert all(notice.time and notice.channel_name == "" for notice in heard)
        await host.close(0.05)

    run(work())


# Time.


def test_what_waits_by_the_clock_moves_with_it_and_nothing_else_does() -> None:
    async def work() -> None:
        clock = ManualClock(NOON)
        host = await Host.open(clock=clock)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, endpoint = await consumer(host, channel)
        at = datetime.fromtimestamp(NOON / SECOND, UTC)
        start = event("T", "T", "start", start=at + timedelta(seconds=100))
        stop = event("T", "T", "stop", stop=at + timedelta(seconds=100))
        timeout = event("T", "T", "timeout", timeout=timedelta(seconds=100))
        await host.ask(Suspend(channel, proxy))
        await soon(host.ask(Push(channel, source, [start, stop, timeout])))
        clock.advance(-3_600 * SECOND)
        host._look_around()
        clock.advance(3_600 * SECOND + 200 * SECOND)
        host._look_around()
        await turns()
        await until(lambda: host.factory.channels[channel].live)
        await host.ask(Resume(channel, proxy))
        found = await collect(endpoint, 2)
        assert sorted(m.event.name for m in found) == ["start", "timeout"]
        await until(lambda: host.counts[Outcome.EXPIRED] == 1)
        await host.close(0.05)

    run(work())


def test_a_clock_set_back_makes_start_times_late_and_retries_not() -> None:
    got: list[str] = []

    def handler(message: object) -> None:
        got.append("x")
        if len(got) == 1:
            raise ValueError("not now")

    async def work() -> None:
        clock = ManualClock(NOON)
        host = await Host.open(clock=clock, settings=Settings(retry_first=20_000))
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy = await obtained(host, channel)
        await connected(host, channel, proxy, HandlerEndpoint(handler))
        later = event("T", "T", "later", start=datetime.fromtimestamp(NOON / SECOND + 0.02, UTC))
        await soon(host.ask(Push(channel, source, [later, happened("now")])))
        clock.advance(-3_600 * SECOND)
        host._look_around()
        await until(lambda: host.counts[Outcome.DELIVERED] == 1)
        await asyncio.sleep(0.04)
        assert host.counts[Outcome.DELIVERED] == 1
        clock.advance(2 * 3_600 * SECOND)
        host._look_around()
        await until(lambda: host.counts[Outcome.DELIVERED] == 2)
        await host.close(0.01)

    run(work())


def test_arrival_times_are_those_of_the_clock() -> None:
    async def work() -> None:
        clock = ManualClock(NOON)
        host = await Host.open(clock=clock)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        clock.advance(-86_400 * SECOND)
        host._look_around()
        await publish(host, channel, source, "a")
        [message] = await collect(endpoint, 1)
        assert abs(message.arrival - clock.now()) < 60 * SECOND
        await host.close(0.05)

    run(work())


def test_a_recorded_deadline_is_right_whenever_the_clock_is_set(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock(NOON)
        host = await Host.open(tmp_path, clock=clock)
        channel = await new_channel(host)
        source = await supplier(host, channel)
        proxy, _ = await consumer(host, channel)
        stop = datetime.fromtimestamp(NOON / SECOND, UTC) + timedelta(seconds=7_200)
        await host.ask(Suspend(channel, proxy))
        push = host.ask(Push(channel, source, [event("T", "T", "a", stop=stop)]))
        clock.advance(3_600 * SECOND)
        host._look_around()  # while the push waits
        await soon(push)
        await host.close(0.05)
        clock.advance(1_800 * SECOND)
        host = await Host.open(tmp_path, clock=clock)
        assert host.factory.channels[channel].live
        [entry] = host.factory.channels[channel].proxies[proxy].delivery.all_entries()  # type: ignore[union-attr]
        assert abs(entry.expiry - NOON - 7_200 * SECOND) < SECOND
        await host.close(0.05)

    run(work())
