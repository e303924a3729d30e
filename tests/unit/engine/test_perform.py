from __future__ import annotations

from pathlib import Path

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
    run,
    seqs,
    soon,
    supplier,
    until,
)
from tidings import event
from tidings.channel import effects
from tidings.channel.commands import Push
from tidings.channel.effects import Outcome
from tidings.engine import perform
from tidings.engine.endpoints import Delivery, QuietEndpoint
from tidings.engine.host import Host
from tidings.errors import BadInput, LimitExceeded
from tidings.events.envelope import ProducerMark
from tidings.stores.records import Kind


def test_every_kind_of_effect_is_carried_out() -> None:
    kinds = {getattr(effects, name) for name in effects.__all__}
    known = set(effects.Effect.__args__)
    assert known <= kinds
    assert set(perform._PERFORM) == known


@pytest.mark.parametrize("persistent", [True, False])
def test_an_event_is_recorded_if_it_is_persistent(tmp_path: Path, persistent: bool) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        disk = HeldDisk(host)
        await soon(host.ask(Push(channel, proxy, [happened("a", persistent)])))
        await collect(endpoint, 1)
        assert disk.count(Kind.EVENT) == int(persistent)
        await until(lambda: host.counts[Outcome.DELIVERED] == 1)
        assert disk.count(Kind.RESERVED) == int(not persistent)
        await host.close(0.05)
        assert disk.count(Kind.OUTCOME) == int(persistent)

    run(work())


def test_contents_are_kept_as_long_as_somebody_waits() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, first = await consumer(host, channel)
        _, second = await consumer(host, channel)
        await publish(host, channel, proxy, "a", "b")
        assert len(host.bodies) == 2
        await collect(first, 2)
        await collect(second, 1)
        await until(lambda: len(host.bodies) == 1)
        await collect(second, 1)
        await until(lambda: len(host.bodies) == 0)
        assert host.bodies.octets == 0
        await host.close(0.05)

    run(work())


def test_what_nobody_wants_is_not_kept() -> None:
    async def work() -> None:
        host = await Host.open()
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        assert await publish(host, channel, proxy, "a") == [1]
        assert len(host.bodies) == 0
        await host.close(0.05)

    run(work())


def test_an_event_no_record_can_hold_is_refused_and_no_other(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        _, endpoint = await consumer(host, channel)
        huge = event("Test", "Thing", "huge", {"x": "\x01" * 4_000_000})
        mark = [ProducerMark("p", 1)]
        pushes = [
            host.ask(Push(channel, proxy, named("a"))),
            host.ask(Push(channel, proxy, named("b"), hops=("no origin",))),
            host.ask(Push(channel, proxy, [huge], mark)),
            host.ask(Push(channel, proxy, named("c"))),
        ]
        answers = [(await soon(push))[0] for push in pushes]
        assert answers[0] == 1
        assert isinstance(answers[1], BadInput)
        assert isinstance(answers[2], LimitExceeded)
        assert isinstance(answers[3], int)
        assert [m.event.name for m in await collect(endpoint, 2)] == ["a", "c"]
        [again] = await soon(host.ask(Push(channel, proxy, named("d"), mark)))
        assert isinstance(again, int), "the mark of what was refused may come again"
        assert seqs(await collect(endpoint, 1)) == [again]
        assert not host.notices
        assert host.disk_error is None
        await host.close(0.05)

    run(work())


class Faulty(QuietEndpoint):
    def deliver(self, batch: Delivery) -> None:
        raise RuntimeError("planted")


@pytest.mark.parametrize("folder", ["memory", "disk"])
def test_a_client_that_raises_harms_nobody_else(tmp_path: Path, folder: str) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path if folder == "disk" else None)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        await connected(host, channel, await obtained(host, channel), Faulty())
        _, endpoint = await consumer(host, channel)
        assert await publish(host, channel, proxy, "a") == [1]
        assert seqs(await collect(endpoint, 1)) == [1]
        await host.close(0.01)

    run(work())


def test_answers_to_other_commands_come_while_a_write_is_under_way(tmp_path: Path) -> None:
    async def work() -> None:
        host = await Host.open(tmp_path)
        channel = await new_channel(host)
        proxy = await supplier(host, channel)
        disk = HeldDisk(host)
        disk.hold()
        push = host.ask(Push(channel, proxy, named("a")))
        await until(lambda: disk.writes)
        other = host.ask(Push(channel, proxy, [happened("b", persistent=False)]))
        await until(lambda: host.factory.channels[channel].seq == 2)
        assert not push.done()
        disk.release()
        assert await soon(push) == [1]
        assert await soon(other) == [2]
        await host.close(0.05)

    run(work())
