"""What is in the answers to pulls, and what becomes of events that are not."""

from __future__ import annotations

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
    numbered,
    numbers,
    run,
    until,
    world,
)
from tidings.channel.effects import Outcome
from tidings.channel.vocabulary import Form, Side, Style
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import DATA_CONVERSION, Completion
from tidings.servants.service import NIL

# Of three such events a message would be too long.
LONG = b"x" * 700_000
NOT_LATIN = "\N{EURO SIGN}"


def play(part: Callable[[World], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with world() as made:
            await part(made)

    run(whole())


async def scene(made: World, consumer: type[Whatever], *bodies: Whatever) -> Whatever:
    """A proxy to pull from, with events of these bodies."""
    channel = await made.channel(*FIRST_COME)
    _, proxy = await joined(made, channel, kind_of(consumer))
    supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
    await supply.connect_structured_push_supplier(NIL)
    for number, body in enumerate(bodies):
        await supply.push_structured_event(numbered(number)._replace(remainder_of_body=body))
    return proxy


def flight(made: World) -> int:
    """How many events were handed out and are not done with."""
    delivery = made.host.factory.channel(1).proxy(1).delivery
    assert delivery is not None
    return len(delivery.flight)


def test_an_answer_is_no_longer_than_old_orbs_take_and_the_rest_waits() -> None:
    async def part(made: World) -> None:
        proxy = await scene(made, SequencePullConsumer, *[LONG] * 5)
        assert numbers(await proxy.pull_structured_events(100)) == [0, 1]
        found, has_event = await proxy.try_pull_structured_events(100)
        assert (numbers(found), has_event) == ([2, 3], True)
        assert numbers(await proxy.pull_structured_events(100)) == [4]
        await until(lambda: flight(made) == 0)
        assert await proxy.try_pull_structured_events(100) == ((), False)

    play(part)


def test_an_event_too_long_for_a_shared_answer_comes_alone() -> None:
    async def part(made: World) -> None:
        proxy = await scene(made, SequencePullConsumer, 1, b"x" * 3_000_000, 2)
        for number in range(3):
            assert numbers(await proxy.pull_structured_events(100)) == [number]

    play(part)


@pytest.mark.parametrize("little", [True, False])
def test_an_event_that_cannot_be_written_takes_no_other_with_it(little: bool) -> None:
    async def part(made: World) -> None:
        proxy = await scene(made, SequencePullConsumer, 0, 1, [NOT_LATIN], "3", 4)
        async with Orb(Options(minor=0, little=little, close_seconds=0.1)) as old:
            stub = old.stub(type(proxy), proxy._reference)
            found, has_event = await stub.try_pull_structured_events(100)
            assert (numbers(found), has_event) == ([0, 1, 3, 4], True)
            assert [one.remainder_of_body for one in found] == [0, 1, "3", 4]
        await until(lambda: flight(made) == 0)
        assert made.host.counts[Outcome.REJECTED] == 1

    play(part)


@pytest.mark.parametrize(
    ("consumer", "operation", "arguments"),
    [
        (AnyPullConsumer, "pull", ()),
        (AnyPullConsumer, "try_pull", ()),
        (StructuredPullConsumer, "pull_structured_event", ()),
        (StructuredPullConsumer, "try_pull_structured_event", ()),
        (SequencePullConsumer, "pull_structured_events", (1,)),
        (SequencePullConsumer, "try_pull_structured_events", (1,)),
    ],
)
def test_what_cannot_be_written_at_all_is_told_and_becomes_a_dead_letter(
    consumer: type[Whatever], operation: str, arguments: tuple[int, ...]
) -> None:
    async def part(made: World) -> None:
        proxy = await scene(made, consumer, NOT_LATIN, "next")
        async with Orb(Options(minor=0, close_seconds=0.1)) as old:
            pull = getattr(old.stub(type(proxy), proxy._reference), operation)
            with pytest.raises(DATA_CONVERSION) as told:
                await pull(*arguments)
            assert told.value.completed is Completion.YES
            assert "next" in repr(await pull(*arguments))
        await until(lambda: flight(made) == 0)
        assert made.host.counts[Outcome.REJECTED] == 1

    play(part)
