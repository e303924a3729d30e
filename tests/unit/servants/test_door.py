"""Single pushes that come together are carried out together, and the order is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any as Whatever

import pytest

from tests.unit.servants.worlds import (
    FIRST_COME,
    AnyPullConsumer,
    World,
    joined,
    kind_of,
    run,
    world,
)
from tidings.channel.commands import Command, Push
from tidings.channel.management import Disconnect
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosEventComm_auto import Disconnected as ClientDisconnected
from tidings.cos.CosNotification_auto import Property
from tidings.cos.events import any_in
from tidings.engine.mailbox import Waiting
from tidings.errors import Disconnected, ProxyNotFound, Stopping
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.orb.exceptions import IMP_LIMIT, OBJECT_NOT_EXIST
from tidings.servants.door import GatheringDoor
from tidings.servants.service import NIL


def play(part: Callable[[World], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with world() as made:
            await part(made)

    run(whole())


def door_of(made: World) -> GatheringDoor:
    door = made.service.door(0)
    assert door is not None
    return door


def asked(made: World) -> list[Command]:
    """All that the host is asked from now on."""
    found: list[Command] = []
    post = made.host.post

    def listening(command: Command, waiting: Waiting, *rest: Whatever) -> None:
        found.append(command)
        post(command, waiting, *rest)

    made.host.post = listening  # type: ignore[assignment, method-assign]  # to listen
    return found


async def supplier(made: World, channel: Whatever) -> Whatever:
    proxy = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.ANY)
    await proxy.connect_any_push_supplier(NIL)
    return proxy


def test_pushes_of_one_turn_are_one_command() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        await supplier(made, channel)
        heard = asked(made)
        door = door_of(made)
        answers = await asyncio.gather(*(door.push(1, 1, any_in(number)) for number in range(10)))
        assert answers == list(range(1, 11))
        assert [type(one) for one in heard] == [Push]

    play(part)


def test_pipelined_pushes_of_a_client_need_few_commands() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        supply = await supplier(made, channel)
        _, pulls = await joined(made, channel, kind_of(AnyPullConsumer))
        heard = asked(made)
        await asyncio.gather(*(supply.push(number) for number in range(200)))
        assert 0 < len(heard) < 40
        got = [await pulls.pull() for _ in range(200)]
        assert got == list(range(200))

    play(part)


def test_events_through_two_proxies_keep_the_order_they_came_in() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        one, two = await supplier(made, channel), await supplier(made, channel)
        _, pulls = await joined(made, channel, kind_of(AnyPullConsumer))
        pushes = [(one, two)[number % 3 == 0].push(number) for number in range(60)]
        await asyncio.gather(*pushes)
        assert [await pulls.pull() for _ in range(60)] == list(range(60))

    play(part)


def test_what_is_asked_after_a_push_is_carried_out_after_it() -> None:
    async def part(made: World) -> None:
        channel = await made.channel(*FIRST_COME)
        supply = await supplier(made, channel)
        _, pulls = await joined(made, channel, kind_of(AnyPullConsumer))
        pushes = [asyncio.create_task(supply.push(number)) for number in range(5)]
        end = asyncio.create_task(supply.disconnect_push_consumer())
        late = asyncio.create_task(supply.push(5))
        await asyncio.gather(*pushes, end)
        with pytest.raises((ClientDisconnected, OBJECT_NOT_EXIST)):
            await late
        assert [await pulls.pull() for _ in range(5)] == list(range(5))

    play(part)


def test_every_push_gets_its_own_answer() -> None:
    async def part(made: World) -> None:
        full = Property("MaxQueueLength", Any(tc.LONG, 3))
        channel = await made.channel(*FIRST_COME)
        await channel.set_admin([full])
        supply = await supplier(made, channel)
        await joined(made, channel, kind_of(AnyPullConsumer))
        pushes = [supply.push(number) for number in range(5)]
        answers = await asyncio.gather(*pushes, return_exceptions=True)
        assert answers[:3] == [None] * 3
        assert [type(answer) for answer in answers[3:]] == [IMP_LIMIT] * 2

    play(part)


def test_an_error_of_the_proxy_is_the_answer_to_every_push() -> None:
    async def part(made: World) -> None:
        await made.proxy(await made.channel(), Side.SUPPLIER, Style.PUSH, Form.ANY)
        door = door_of(made)
        pushes = [door.push(1, 1, any_in(number)) for number in range(3)]
        answers = await asyncio.gather(*pushes, return_exceptions=True)
        assert [type(answer) for answer in answers] == [Disconnected] * 3
        with pytest.raises(ProxyNotFound):
            await door.push(1, 99, any_in(0))

    play(part)


def test_who_gives_up_takes_nobody_elses_answer_away() -> None:
    async def part(made: World) -> None:
        await supplier(made, await made.channel())
        door = door_of(made)
        one, two, three = (door.push(1, 1, any_in(number)) for number in range(3))
        two.cancel()
        assert (await one, await three) == (1, 3)

    play(part)


def test_more_pushes_than_one_command_should_hold_are_several() -> None:
    async def part(made: World) -> None:
        await supplier(made, await made.channel())
        heard = asked(made)
        door = door_of(made)
        pushes = [door.push(1, 1, any_in(number)) for number in range(1_200)]
        assert await asyncio.gather(*pushes) == list(range(1, 1_201))
        assert [len(one.items) for one in heard if isinstance(one, Push)] == [500, 500, 200]

    play(part)


def test_commands_go_behind_the_events() -> None:
    async def part(made: World) -> None:
        await supplier(made, await made.channel())
        heard = asked(made)
        door = door_of(made)
        accepted = door.push(1, 1, any_in(1))
        await door.ask(Disconnect(1, 1))
        assert await accepted == 1
        assert [type(one) for one in heard] == [Push, Disconnect]

    play(part)


def test_a_closed_door_takes_nothing() -> None:
    async def part(made: World) -> None:
        await supplier(made, await made.channel())
        door = door_of(made)
        await door.close()
        with pytest.raises(Stopping):
            await door.push(1, 1, any_in(1))

    play(part)
