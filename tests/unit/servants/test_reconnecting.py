"""The service ends and begins again: persistent clients go on by themselves, nothing is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any as Whatever

import pytest

from tests.unit.servants.worlds import (
    CONSUMERS,
    FIRST_COME,
    PERSISTENT,
    Kind,
    SequencePullSupplier,
    StructuredPushConsumer,
    StructuredPushSupplier,
    World,
    joined,
    kind_of,
    numbered,
    numbers,
    opened,
    run,
    until,
)
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos.CosNotification_auto import EventType
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import OBJECT_NOT_EXIST, SystemException
from tidings.servants.service import NIL

LASTING = (*PERSISTENT, *FIRST_COME)


def port_of(world: World) -> int:
    """Where the service listens."""
    return world.service.orb._links.listening[0].port


class Run:
    """A client's ORB, and a service that is opened again and again on one folder and port."""

    def __init__(self, client: Orb, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.port = 0

    def opened(self) -> Whatever:
        """The service, once more."""
        return opened(self.client, self.folder, self.port)


def play(folder: Path, part: Whatever) -> None:
    async def whole() -> None:
        async with Orb(Options(close_seconds=0.2)) as client:
            await client.listen()
            await part(Run(client, folder))

    run(whole(), 30.0)


def test_a_persistent_push_consumer_goes_on_and_nothing_is_lost(tmp_path: Path) -> None:
    async def part(run: Run) -> None:
        async with run.opened() as made:
            run.port = port_of(made)
            channel = await made.channel(*LASTING)
            supplier, supply = await joined(made, channel, kind_of(StructuredPushSupplier))
            consumer, proxy = await joined(made, channel, kind_of(StructuredPushConsumer))
            consumer.during = lambda: asyncio.sleep(0.02)
            for number in range(20):
                await supply.push_structured_event(numbered(number))
        assert len(consumer.got) < 20
        consumer.during = None
        async with run.opened() as made:
            for number in range(20, 25):
                await supply.push_structured_event(numbered(number))
            await until(lambda: set(numbers(consumer.got)) >= set(range(25)))
            await proxy.subscription_change([EventType("D", "T")], [])
            await until(lambda: supplier.notices)
            assert await proxy.get_MyType() == "PUSH_STRUCTURED"
            await proxy.disconnect_structured_push_supplier()
            await until(lambda: consumer.goodbyes == 1)
        # At least once, and in order but for what came again.
        assert list(dict.fromkeys(numbers(consumer.got))) == list(range(25))
        assert len(consumer.got) <= 26

    play(tmp_path, part)


def test_every_kind_of_consumer_goes_on(tmp_path: Path) -> None:
    lasting = [kind for kind in CONSUMERS if not kind.bare]

    async def part(run: Run) -> None:
        async with run.opened() as made:
            run.port = port_of(made)
            channel = await made.channel(*LASTING)
            supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
            await supply.connect_structured_push_supplier(NIL)
            joint = [(kind, *await joined(made, channel, kind)) for kind in lasting]
        async with run.opened():
            for number in range(3):
                await supply.push_structured_event(numbered(number))
            for kind, client, proxy in joint:
                got = await _three(kind, client, proxy)
                if kind.form is not Form.ANY:
                    assert numbers(got) == [0, 1, 2]

    play(tmp_path, part)


async def _three(kind: Kind, client: Whatever, proxy: Whatever) -> list[Whatever]:
    if kind.style is Style.PUSH:
        await until(lambda: len(client.got) == 3)
        got: list[Whatever] = client.got
        return got
    if kind.form is Form.SEQUENCE:
        return list(await proxy.pull_structured_events(3))
    pull = proxy.pull if kind.form is Form.ANY else proxy.pull_structured_event
    return [await pull() for _ in range(3)]


def test_a_pull_supplier_is_asked_again(tmp_path: Path) -> None:
    async def part(run: Run) -> None:
        async with run.opened() as made:
            run.port = port_of(made)
            channel = await made.channel(*LASTING)
            supplier, _ = await joined(made, channel, kind_of(SequencePullSupplier))
            consumer, _ = await joined(made, channel, kind_of(StructuredPushConsumer))
        supplier.has.extend(map(numbered, range(5)))
        async with run.opened():
            await until(lambda: len(consumer.got) == 5)
        assert numbers(consumer.got) == list(range(5))

    play(tmp_path, part)


def test_a_consumer_that_was_away_as_well_gets_its_events_when_it_is_back(tmp_path: Path) -> None:
    async def part(run: Run) -> None:
        consumer = StructuredPushConsumer()
        async with Orb(Options(close_seconds=0.1)) as orb, run.opened() as made:
            run.port = port_of(made)
            host, port = await orb.listen()
            channel = await made.channel(*LASTING)
            supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
            await supply.connect_structured_push_supplier(NIL)
            proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
            await proxy.connect_structured_push_consumer(orb.activate(consumer, b"c"))
        async with run.opened() as made:
            await supply.push_structured_event(numbered(0))
            core = made.host.factory.channel(1).proxy(2)
            await until(lambda: core.delivery is not None and core.delivery.failures > 6)
            async with Orb(Options(close_seconds=0.1)) as back:
                await back.listen(host, port)
                back.activate(consumer, b"c")
                await until(lambda: consumer.got)

    play(tmp_path, part)


def test_a_suspended_consumer_stays_suspended(tmp_path: Path) -> None:
    async def part(run: Run) -> None:
        async with run.opened() as made:
            run.port = port_of(made)
            channel = await made.channel(*LASTING)
            supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
            await supply.connect_structured_push_supplier(NIL)
            consumer, proxy = await joined(made, channel, kind_of(StructuredPushConsumer))
            await proxy.suspend_connection()
            await supply.push_structured_event(numbered(0))
        async with run.opened():
            await supply.push_structured_event(numbered(1))
            await asyncio.sleep(0.05)
            assert not consumer.got
            await proxy.resume_connection()
            await until(lambda: len(consumer.got) == 2)

    play(tmp_path, part)


def test_connections_that_are_not_persistent_end_with_the_service(tmp_path: Path) -> None:
    async def part(run: Run) -> None:
        async with run.opened() as made:
            run.port = port_of(made)
            channel = await made.channel()
            consumer, proxy = await joined(made, channel, kind_of(StructuredPushConsumer))
        async with run.opened() as made:
            assert await _is_gone(proxy.get_MyType())
            assert not made.host.out.endpoints
            assert not consumer.goodbyes

    play(tmp_path, part)


async def _is_gone(work: Whatever) -> bool:
    try:
        await work
    except OBJECT_NOT_EXIST:
        return True
    except SystemException:
        return False
    return False


def test_a_push_is_answered_when_the_event_is_on_the_disk(tmp_path: Path) -> None:
    async def part(run: Run) -> None:
        async with run.opened() as made:
            run.port = port_of(made)
            channel = await made.channel(*LASTING)
            supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
            await supply.connect_structured_push_supplier(NIL)
            pulls = await made.proxy(channel, Side.CONSUMER, Style.PULL, Form.STRUCTURED)
            await pulls.connect_structured_pull_consumer(NIL)
            await asyncio.gather(
                *(supply.push_structured_event(numbered(number)) for number in range(50))
            )
            assert made.host.writer.idle
        async with run.opened():
            again = [await pulls.pull_structured_event() for _ in range(50)]
            assert numbers(again) == list(range(50))

    play(tmp_path, part)


def test_who_was_found_again_is_counted(tmp_path: Path) -> None:
    async def part(run: Run) -> None:
        async with run.opened() as made:
            run.port = port_of(made)
            channel: admin.EventChannel = await made.channel(*LASTING)
            for _ in range(3):
                await joined(made, channel, kind_of(StructuredPushConsumer))
        async with run.opened() as made:
            assert len(made.host.out.endpoints) == 3
            assert await made.service.clients.reconnect() == 0

    play(tmp_path, part)


def test_a_client_whose_reference_cannot_be_read_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def part(run: Run) -> None:
        async with run.opened() as made:
            channel = await made.channel(*LASTING)
            for _ in range(2):
                await joined(made, channel, kind_of(StructuredPushConsumer))
            made.host.out.endpoints.clear()
            made.host.factory.channel(1).proxy(1).address = "IOR:no hexadecimal digits"
            assert await made.service.clients.reconnect() == 1
            assert made.service.clients.reached(1, 1) is None
            assert made.service.clients.reached(1, 2) is not None

    play(tmp_path, part)
    assert "the client of proxy 1 of channel 1 cannot be found again" in caplog.text
