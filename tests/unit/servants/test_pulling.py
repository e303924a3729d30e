"""Consumers that ask for events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any as Whatever

import pytest

from tests.unit.servants.worlds import (
    FIRST_COME,
    AnyPullConsumer,
    SequencePullConsumer,
    StructuredPullConsumer,
    World,
    joined,
    kind_of,
    run,
    until,
    world,
)
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosEventComm_auto import Disconnected
from tidings.cos.CosNotification_auto import Property
from tidings.cos.events import NO_EVENT, event_out
from tidings.engine.endpoints import Delivery
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.events.build import event
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import BAD_PARAM, TIMEOUT
from tidings.servants.service import NIL


def play(part: Callable[[World], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with world() as made:
            await part(made)

    run(whole())


async def supplier(made: World, channel: Whatever) -> Whatever:
    proxy = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.ANY)
    await proxy.connect_any_push_supplier(NIL)
    return proxy


def test_who_waits_goes_on_waiting_if_what_came_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        _, structured = await joined(made, channel, kind_of(StructuredPullConsumer))
        pull, spoiled = made.host.out.pull, [True]

        async def unreadable(*arguments: Whatever) -> Delivery:
            found = await pull(*arguments)
            return found._replace(messages=[]) if spoiled.pop() else found

        monkeypatch.setattr(made.host.out, "pull", unreadable)
        supply = await supplier(made, channel)
        waiting = asyncio.ensure_future(structured.pull_structured_event())
        await supply.push(7)
        await until(lambda: not spoiled)
        spoiled.append(False)
        await supply.push(8)
        assert (await waiting).remainder_of_body == 8

    play(part)


def test_who_tries_to_pull_is_told_that_there_is_nothing() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        _, anys = await joined(made, channel, kind_of(AnyPullConsumer))
        _, structured = await joined(made, channel, kind_of(StructuredPullConsumer))
        _, sequence = await joined(made, channel, kind_of(SequencePullConsumer))
        assert await anys.try_pull() == (None, False)
        assert await structured.try_pull_structured_event() == (NO_EVENT, False)
        assert await sequence.try_pull_structured_events(5) == ((), False)
        supply = await supplier(made, channel)
        await supply.push(7)
        bare = event_out(event("", "%ANY", body=7))
        assert await anys.try_pull() == (7, True)
        assert await structured.try_pull_structured_event() == (bare, True)
        assert await sequence.try_pull_structured_events(5) == ((bare,), True)
        assert await anys.try_pull() == (None, False)

    play(part)


def test_a_pull_waits_for_an_event_and_holds_up_nobody() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        _, proxy = await joined(made, channel, kind_of(AnyPullConsumer))
        supply = await supplier(made, channel)
        pulls = [asyncio.create_task(proxy.pull()) for _ in range(20)]
        await asyncio.sleep(0.05)
        assert not any(pull.done() for pull in pulls)
        assert await proxy.get_MyType() == "PULL_ANY"
        for number in range(20):
            await supply.push(number)
        got = await asyncio.gather(*pulls)
        assert sorted(got) == list(range(20))

    play(part)


def test_a_pull_that_waits_ends_with_its_proxy() -> None:
    async def part(made: World) -> None:
        _, proxy = await joined(made, await made.channel(), kind_of(AnyPullConsumer))
        pull = asyncio.create_task(proxy.pull())
        await asyncio.sleep(0.05)
        await proxy.disconnect_pull_supplier()
        with pytest.raises(Disconnected):
            await pull

    play(part)


def test_a_pull_given_up_takes_no_event() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        _, proxy = await joined(made, channel, kind_of(AnyPullConsumer))
        supply = await supplier(made, channel)
        hasty = made.client.stub(type(proxy), proxy._reference, 0.05)
        with pytest.raises(TIMEOUT):
            await hasty.pull()
        async with Orb(Options(close_seconds=0.1)) as other:
            gone = asyncio.create_task(other.stub(type(proxy), proxy._reference).pull())
            await asyncio.sleep(0.05)
            gone.cancel()
        core = made.host.factory.channel(1).proxy(1)
        await until(lambda: core.delivery is not None and not core.delivery.pulls)
        await supply.push(1)
        assert await proxy.try_pull() == (1, True)

    play(part)


def test_a_pull_of_a_sequence_takes_what_there_is_up_to_the_number_asked_for() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        _, proxy = await joined(made, channel, kind_of(SequencePullConsumer))
        supply = await supplier(made, channel)
        for number in range(5):
            await supply.push(number)
        first = await proxy.pull_structured_events(3)
        second, more = await proxy.try_pull_structured_events(3)
        assert [one.remainder_of_body for one in first] == [0, 1, 2]
        assert [one.remainder_of_body for one in second] == [3, 4]
        assert more
        for bad in (0, -1):
            with pytest.raises(BAD_PARAM):
                await proxy.pull_structured_events(bad)
            with pytest.raises(BAD_PARAM):
                await proxy.try_pull_structured_events(bad)

    play(part)


def test_a_pull_of_a_sequence_waits_for_more_as_long_as_the_pacing_interval() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        pacing = Property("PacingInterval", Any(tc.ULONGLONG, 1_000_000))
        _, proxy = await joined(made, channel, kind_of(SequencePullConsumer), qos=[pacing])
        supply = await supplier(made, channel)
        pull = asyncio.create_task(proxy.pull_structured_events(10))
        await asyncio.sleep(0.02)
        began = time.monotonic()
        await supply.push(1)
        await supply.push(2)
        assert len(await pull) == 2
        assert time.monotonic() - began > 0.09

    play(part)


def test_what_was_pulled_counts_as_delivered() -> None:
    async def part(made: World) -> None:
        channel = await made.channel()
        _, proxy = await joined(made, channel, kind_of(AnyPullConsumer))
        supply = await supplier(made, channel)
        await supply.push(1)
        await proxy.pull()
        core = made.host.factory.channel(1).proxy(1)
        assert core.delivery is not None
        await until(lambda: core.delivery is not None and not core.delivery.flight)
        assert len(made.host.bodies) == 0

    play(part)
