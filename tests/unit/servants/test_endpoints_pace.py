"""When clients are called: suspended connections, batches, and how many are called ahead."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from tests.unit.servants.worlds import (
    FIRST_COME,
    QUICK,
    QUICK_CLIENTS,
    SequencePullSupplier,
    SequencePushConsumer,
    StructuredPullSupplier,
    StructuredPushConsumer,
    World,
    joined,
    kind_of,
    numbered,
    numbers,
    push_all,
    run,
    structured_pair,
    until,
    world,
)
from tidings.channel.management import Resume, Suspend
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos.CosNotification_auto import Property
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.orb.exceptions import NO_RESOURCES
from tidings.servants.calls import ClientOptions
from tidings.servants.service import NIL

CONSUMER = kind_of(StructuredPushConsumer)
# Of three such events a message would be too long.
LONG = b"x" * 700_000


def play(
    part: Callable[[World], Awaitable[None]],
    settings: Settings = QUICK,
    options: ClientOptions = QUICK_CLIENTS,
) -> None:
    async def whole() -> None:
        async with world(settings=settings, options=options) as made:
            await part(made)

    run(whole())


# Suspended connections.


def test_a_suspended_consumer_gets_nothing_until_it_resumes() -> None:
    async def part(made: World) -> None:
        supply, consumer, proxy = await structured_pair(made, await made.channel(*FIRST_COME))
        with pytest.raises(admin.ConnectionAlreadyActive):
            await proxy.resume_connection()
        await proxy.suspend_connection()
        with pytest.raises(admin.ConnectionAlreadyInactive):
            await proxy.suspend_connection()
        await push_all(supply, range(40))
        await asyncio.sleep(0.05)
        assert not consumer.got
        await proxy.resume_connection()
        await until(lambda: len(consumer.got) == 40)
        assert numbers(consumer.got) == list(range(40))

    play(part)


def test_what_was_handed_over_already_waits_as_well_while_suspended() -> None:
    async def part(made: World) -> None:
        supply, consumer, proxy = await structured_pair(made, await made.channel(*FIRST_COME))
        consumer.during = lambda: asyncio.sleep(0.05)
        await push_all(supply, range(10))
        await until(lambda: consumer.got)
        await proxy.suspend_connection()
        await asyncio.sleep(0.1)
        got = len(consumer.got)
        assert got < 5
        await asyncio.sleep(0.15)
        assert len(consumer.got) == got
        consumer.during = None
        await proxy.resume_connection()
        await until(lambda: len(consumer.got) == 10)
        assert numbers(consumer.got) == list(range(10))

    play(part)


def test_a_connection_that_is_resumed_by_another_way_goes_on() -> None:
    async def part(made: World) -> None:
        supply, consumer, _ = await structured_pair(made, await made.channel(*FIRST_COME))
        consumer.during = lambda: asyncio.sleep(0.05)
        await push_all(supply, range(5))
        await until(lambda: consumer.got)
        await made.host.ask(Suspend(1, 2))
        await asyncio.sleep(0.15)
        got = len(consumer.got)
        assert got < 4
        await made.host.ask(Resume(1, 2))
        await until(lambda: len(consumer.got) == 5)

    play(part)


def test_no_more_is_handed_over_ahead_than_may_wait() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        await supply.connect_structured_push_supplier(NIL)
        few = Property("MaxEventsPerConsumer", Any(tc.LONG, 2))
        await joined(made, channel, CONSUMER, qos=[few])
        await joined(made, channel, CONSUMER)
        proxies = made.host.factory.channel(1).proxies
        assert [proxies[number].window for number in (2, 3)] == [2, 16]

    play(part)


def test_only_a_connected_proxy_can_be_suspended() -> None:
    async def part(made: World) -> None:
        proxy = await made.proxy(await made.channel(), Side.CONSUMER, Style.PUSH, Form.ANY)
        with pytest.raises(admin.NotConnected):
            await proxy.suspend_connection()
        with pytest.raises(admin.NotConnected):
            await proxy.resume_connection()

    play(part)


def test_a_suspended_pull_supplier_is_not_asked() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        _, consumer, _ = await structured_pair(made, channel)
        supplier, proxy = await joined(made, channel, kind_of(StructuredPullSupplier))
        await proxy.suspend_connection()
        await asyncio.sleep(0.05)  # who was asked just before may still answer
        supplier.has.extend(map(numbered, range(3)))
        await asyncio.sleep(0.05)
        assert len(supplier.has) == 3
        await proxy.resume_connection()
        await until(lambda: len(consumer.got) == 3)

    play(part)


# Batches.


def batch_qos(size: int, pacing: int = 0) -> tuple[Property, ...]:
    """Properties of batches; the pace in milliseconds."""
    return (
        Property("MaximumBatchSize", Any(tc.LONG, size)),
        Property("PacingInterval", Any(tc.ULONGLONG, pacing * 10_000)),
    )


def test_a_batch_holds_no_more_than_asked_for_and_waits_to_be_full() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        supply, _, _ = await structured_pair(made, channel)
        kind = kind_of(SequencePushConsumer)
        consumer, _ = await joined(made, channel, kind, qos=batch_qos(4, 60_000))
        await push_all(supply, range(10))
        await until(lambda: len(consumer.got) == 8)
        await asyncio.sleep(0.05)
        assert consumer.batches == [4, 4]
        assert numbers(consumer.got) == list(range(8))

    play(part)


def test_a_batch_that_is_not_full_goes_after_the_pacing_interval() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        supply, _, _ = await structured_pair(made, channel)
        kind = kind_of(SequencePushConsumer)
        consumer, _ = await joined(made, channel, kind, qos=batch_qos(100, 150))
        began = time.monotonic()
        await push_all(supply, range(3))
        await until(lambda: consumer.got)
        assert time.monotonic() - began > 0.14
        assert consumer.batches == [3]

    play(part)


def test_a_consumer_that_fails_gets_the_whole_batch_again() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        supply, _, _ = await structured_pair(made, channel)
        kind = kind_of(SequencePushConsumer)
        consumer, _ = await joined(made, channel, kind, qos=batch_qos(3, 60_000))
        failed = False

        async def during() -> None:
            nonlocal failed
            if not failed:
                failed = True
                raise NO_RESOURCES

        consumer.during = during
        await push_all(supply, range(6))
        await until(lambda: len(consumer.got) == 6)
        assert consumer.batches == [3, 3]
        assert numbers(consumer.got) == list(range(6))

    play(part)


def test_a_pull_supplier_of_sequences_is_asked_for_as_many_as_a_batch_holds() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        _, consumer, _ = await structured_pair(made, channel)
        kind = kind_of(SequencePullSupplier)
        supplier, _ = await joined(made, channel, kind, qos=batch_qos(4))
        supplier.has.extend(map(numbered, range(10)))
        await until(lambda: len(consumer.got) == 10)
        assert numbers(consumer.got) == list(range(10))

    play(part)


def test_a_batch_is_no_longer_than_old_orbs_take() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        await supply.connect_structured_push_supplier(NIL)
        consumer, _ = await joined(
            made, channel, kind_of(SequencePushConsumer), qos=batch_qos(5, 60_000)
        )
        long = [numbered(number)._replace(remainder_of_body=LONG) for number in range(5)]
        for one in long:
            await supply.push_structured_event(one)
        await until(lambda: len(consumer.got) == 5)
        assert numbers(consumer.got) == list(range(5))
        assert consumer.batches == [2, 2, 1]

    play(part)
