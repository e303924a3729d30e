from __future__ import annotations

import gc
from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.engine.hosts import (
    PERSISTENT,
    collect,
    consumer,
    crashed,
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
from tidings import constraint, event
from tidings.channel.commands import Push
from tidings.channel.effects import Outcome
from tidings.channel.management import (
    AddFilter,
    CreateFilter,
    DestroyChannel,
    Disconnect,
    ModifyConstraints,
    SetQoS,
    Suspend,
)
from tidings.channel.vocabulary import Place
from tidings.clock import ManualClock
from tidings.engine.bodies import Message
from tidings.engine.host import Host
from tidings.errors import AlreadyConnected, ProxyNotFound, StoreError
from tidings.events.envelope import ProducerMark
from tidings.stores.journal import Journal
from tidings.stores.payloads import topology_payload
from tidings.stores.records import Kind, Record

BESTEFFORT: dict[str, int] = {}


async def stopped(host: Host, folder: Path, how: str) -> Path:
    """Stops a host, in good order or by a crash; the folder it left."""
    if how == "close":
        await host.close(0.05)
        return folder
    copy = crashed(folder, folder.with_name(f"{folder.name}-crash"))
    await host.close(0.05)
    return copy


def marks(*numbers: int) -> list[ProducerMark]:
    return [ProducerMark("gauge", number) for number in numbers]


@pytest.mark.parametrize("qos", [PERSISTENT, BESTEFFORT], ids=["persistent", "besteffort"])
@pytest.mark.parametrize("how", ["close", "crash"])
def test_numbers_are_never_used_twice_and_have_no_gap_after_a_stop_in_good_order(
    tmp_path: Path, how: str, qos: dict[str, int]
) -> None:
    async def work() -> None:
        folder = tmp_path
        used: list[int] = []
        channel = 0
        for start in range(3):
            host = await Host.open(folder)
            if not start:
                channel = await new_channel(host, qos)
            proxy = await supplier(host, channel)
            used += await publish(host, channel, proxy, "a", "b", "c")
            assert 0 < host.factory.channel(channel).accepted <= len(used)
            folder = await stopped(host, folder, how)
        assert sorted(set(used)) == used
        host = await Host.open(folder)
        shown = host.factory.channel(channel)
        await host.close(0.05)
        assert 3 <= shown.accepted <= 9
        assert shown.seq >= used[-1]
        if how == "close" or qos is PERSISTENT:
            assert used == list(range(1, 10))
            assert (shown.accepted, shown.seq) == (9, 9)

    run(work())


@pytest.mark.parametrize("how", ["close", "crash"])
def test_a_duplicate_is_answered_with_the_first_number(tmp_path: Path, how: str) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        assert await publish(host, channel, proxy, "a", "b", marks=marks(7, 8)) == [1, 2]
        folder = await stopped(host, tmp_path, how)
        host = await Host.open(folder)
        proxy = await supplier(host, channel)
        again = await publish(host, channel, proxy, "a", "b", "c", marks=marks(7, 8, 9))
        assert again == [1, 2, 3]
        await host.close(0.05)

    run(work())


def test_marks_of_besteffort_events_outlive_a_stop_in_good_order(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host, BESTEFFORT)
        proxy = await supplier(host, channel)
        assert await publish(host, channel, proxy, "a", marks=marks(7)) == [1]
        await host.close(0.05)
        host = await Host.open(tmp_path)
        proxy = await supplier(host, channel)
        assert await publish(host, channel, proxy, "a", "b", marks=marks(7, 8)) == [1, 2]
        await host.close(0.05)

    run(work())


@pytest.mark.parametrize("how", ["close", "crash"])
def test_persistent_connections_are_back_with_their_queues_and_the_others_are_gone(
    tmp_path: Path, how: str
) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        kept, endpoint = await consumer(host, channel, window=2, text="$event_name != 'x'")
        quiet, _ = await consumer(host, channel, qos={"Priority": 3})
        lost, _ = await consumer(host, channel, qos={"ConnectionReliability": 0})
        await host.ask(Suspend(channel, quiet))
        await soon(host.ask(Push(channel, proxy, [happened("lost", persistent=False)])))
        await publish(host, channel, proxy, "a", "x", "b", "c", "d")
        await collect(endpoint, 2)
        await until(lambda: host.counts[Outcome.DELIVERED] == 2)
        await host.writer.finish()
        await collect(endpoint, 2, ack=False)
        folder = await stopped(host, tmp_path, how)

        host = await Host.open(folder)
        proxies = host.factory.channels[channel].proxies
        assert lost not in proxies
        with pytest.raises(AlreadyConnected):
            await reconnected(host, channel, kept, again=False)
        assert (channel, kept) not in host.out.endpoints
        endpoint = await reconnected(host, channel, kept)
        found = await collect(endpoint, 3, ack=False)
        assert [m.event.name for m in found] == ["b", "c", "d"]
        assert [endpoint.redelivered(m.seq) for m in found] == [True] * 3
        for message in found:
            endpoint.ack(message)
        assert proxies[quiet].suspended
        assert proxies[quiet].qos.priority == 3
        delivery = proxies[quiet].delivery
        assert delivery is not None
        assert delivery.waiting == 5
        source = await supplier(host, channel)
        assert source not in (proxy, kept, quiet, lost), "no id is given twice"
        [seq] = await publish(host, channel, source, "x")
        [seq] = await publish(host, channel, source, "new")
        assert seqs(await collect(endpoint, 1, ack=False)) == [seq]
        assert not endpoint.redelivered(seq)
        await host.close(0.05)

    run(work())


def test_filters_are_as_they_were_changed_last(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        kept, _ = await consumer(host, channel)
        shared, ids = await host.ask(CreateFilter([constraint("$x == 1")]))
        await host.ask(AddFilter(Place(channel, proxy=kept), shared))
        await host.ask(ModifyConstraints(shared, replace={ids[0]: constraint("$x == 2")}))
        await host.ask(SetQoS(Place(channel), {"Priority": 5}))
        version = host.factory.channels[channel].plan.version
        await host.close(0.05)
        host = await Host.open(tmp_path)
        proxy = await supplier(host, channel)
        endpoint = await reconnected(host, channel, kept)
        await soon(host.ask(Push(channel, proxy, [happened("a", x=1), happened("b", x=2)])))
        [message] = await collect(endpoint, 1)
        assert message.event.name == "b"
        assert host.factory.channels[channel].qos.priority == 5
        assert message.plan > version
        await host.close(0.05)

    run(work())


def test_what_was_acknowledged_does_not_come_again(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        kept, endpoint = await consumer(host, channel)
        await publish(host, channel, proxy, *range(10))
        for message in (await collect(endpoint, 10, ack=False))[::2]:
            endpoint.ack(message)
        await until(lambda: host.counts[Outcome.DELIVERED] == 5)
        await host.writer.finish()
        folder = await stopped(host, tmp_path, "crash")
        host = await Host.open(folder)
        endpoint = await reconnected(host, channel, kept)
        assert seqs(await collect(endpoint, 5)) == [2, 4, 6, 8, 10]
        await turns()
        assert len(endpoint) == 0
        await host.close(0.05)

    run(work())


def test_a_channel_that_was_ended_is_gone_and_its_id_is_not_given_again(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        first = await new_channel(host)
        last = await new_channel(host)
        proxy = await supplier(host, last)
        await consumer(host, last)
        await publish(host, last, proxy, "a")
        await host.ask(DestroyChannel(last))
        await host.close(0.05)
        host = await Host.open(tmp_path)
        assert list(host.factory.channels) == [first]
        assert await new_channel(host) > last
        assert len(host.bodies) == 0
        await host.close(0.05)

    run(work())


def test_time_goes_on_while_the_service_stands_still(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock(1_000_000_000_000_000)
        host = await Host.open(tmp_path, clock=clock)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        kept, _ = await consumer(host, channel)
        await host.ask(Suspend(channel, kept))
        short = event("Test", "Thing", "short", timeout=timedelta(seconds=60))
        long = event("Test", "Thing", "long", timeout=timedelta(seconds=3_600))
        await soon(host.ask(Push(channel, proxy, [short, long])))
        await host.close(0.05)
        clock.advance(120_000_000)
        host = await Host.open(tmp_path, clock=clock)
        host.factory.channels[channel].proxies[kept].suspended = False
        endpoint = await reconnected(host, channel, kept)
        [message] = await collect(endpoint, 1)
        assert message.event.name == "long"
        assert host.counts[Outcome.EXPIRED] == 1
        await host.close(0.05)

    run(work())


def test_the_order_is_kept_over_many_restarts(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path, segment_octets=4_000)
        channel = await new_channel(host, {**PERSISTENT, "OrderPolicy": 1})
        kept, _ = await consumer(host, channel)
        await host.ask(Suspend(channel, kept))
        for start in range(4):
            proxy = await supplier(host, channel)
            await publish(host, channel, proxy, *range(start * 300, start * 300 + 300))
            await host.close(0.05)
            host = await Host.open(tmp_path, segment_octets=4_000)
        host.factory.channels[channel].proxies[kept].suspended = False
        endpoint = await reconnected(host, channel, kept)
        found: list[Message] = []
        while len(found) < 1_200:
            found += await collect(endpoint, 1)
        assert [m.event.name for m in found] == [str(n) for n in range(1_200)]
        await host.close(0.05)

    run(work())


def test_unknown_kinds_of_records_are_passed_over(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        await publish(host, channel, proxy, "a")
        store_of(host).journal.append([Record(211, bytes(16), 3, b"from the future")])
        await host.close(0.05)
        host = await Host.open(tmp_path)
        proxy = await supplier(host, channel)
        assert await publish(host, channel, proxy, "b") == [2]
        await host.close(0.05)

    run(work())


def test_a_start_that_fails_lets_go_of_the_folder(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        await host.close(0.05)
        with Journal.open(tmp_path / "journal") as journal:
            state = {"form": 99, "id": 7}
            payload = topology_payload(channel, "proxy", "7", state)
            journal.append([Record(Kind.TOPOLOGY, bytes(16), 0, payload)])
        for _ in range(2):  # it is not in use the second time
            with pytest.raises(StoreError) as raised:
                await Host.open(tmp_path)
            assert raised.type is StoreError

    run(work())


def test_a_proxy_that_was_ended_is_gone(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        kept, _ = await consumer(host, channel)
        await soon(host.ask(Push(channel, proxy, named("a"))))
        await host.ask(Disconnect(channel, kept))
        folder = await stopped(host, tmp_path, "crash")
        host = await Host.open(folder)
        with pytest.raises(ProxyNotFound):
            await reconnected(host, channel, kept)
        assert len(host.bodies) == 0
        await host.close(0.05)

    run(work())


@pytest.mark.parametrize(("many", "frozen"), [(3, 1), (4, 0)])
def test_very_many_events_that_wait_are_kept_from_the_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, frozen: int
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr("tidings.engine.resuming._VERY_MANY", many)
    monkeypatch.setattr("tidings.engine.resuming.gc.freeze", lambda: asked.append(True))

    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        await consumer(host, channel)
        await soon(host.ask(Push(channel, proxy, named("a", "b", "c"))))
        folder = await stopped(host, tmp_path, "crash")
        host = await Host.open(folder)
        assert len(asked) == frozen
        assert gc.isenabled()
        await host.close(0.05)

    run(work())
