"""Events through proxies of all kinds, over real sockets, every field compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any as Whatever

import pytest

from tests.unit.servants.worlds import (
    BATCHES,
    CONSUMERS,
    PERSISTENT,
    SUPPLIERS,
    Kind,
    World,
    joined,
    opened,
    run,
    until,
    world,
)
from tidings.channel.translation import entered
from tidings.channel.vocabulary import Form, Style
from tidings.cos.events import any_out, event_in, event_out
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue, Value, infer, same
from tidings.events.build import event
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent
from tidings.orb.aio import Options, Orb

COLOUR = tc.enum("IDL:Colour:1.0", "Colour", ["red", "green"])
POINT = tc.struct("IDL:Point:1.0", "Point", [("x", tc.LONG), ("y", tc.SHORT)])
NAMED = tc.alias("IDL:Points:1.0", "Points", tc.sequence(POINT))
EITHER = tc.union("IDL:Either:1.0", "Either", tc.LONG, [(1, "n", tc.OCTET), (None, "s", tc.STRING)])

VALUES: tuple[Value, ...] = (
    7,
    "text",
    None,
    Any(tc.SHORT, -3),
    Any(tc.WSTRING, "wide é"),
    b"octets",
    (1, 2, 3),
    (1, "two", None),
    {"a": 1, "b": ("x", "y")},
    Any(COLOUR, "green"),
    Any(NAMED, ((1, 2), (3, 4))),
    Any(EITHER, UnionValue(1, 255)),
    Any(EITHER, UnionValue(5, "other")),
    Reference("IDL:Chess/Board:1.0", [(0, b"profile")]),
    tc.sequence(POINT),
)

EVENTS = (
    event("Telecom", "CommunicationsAlarm", "lost"),
    event(
        "Telecom",
        "Alarm",
        "n",
        dict(zip("abcdefghijklmno", VALUES, strict=True)),
        header={"Priority": 4, "Timeout": 10**12, "own": Any(tc.ULONG, 1)},
        body=Any(POINT, (1, 2)),
    ),
    event("", "%ANY", body="a bare value"),
    event("Ünicode", "Ⓣ", "ñ", {"é": "ö"}, body={"nested": event("a", "b").as_any()}),
)


def sent(kind: Kind) -> list[tuple[Whatever, StructuredEvent]]:
    """What a supplier of a kind sends, and the event that is."""
    if kind.form is not Form.ANY:
        return [(event_out(one), one) for one in EVENTS]
    bare = [(value, entered(_boxed(value), unwrap=True)) for value in VALUES]
    return bare + [(one.as_any(), one) for one in EVENTS if one.type != "%ANY"]


def _boxed(value: Value) -> Any:
    return value if isinstance(value, Any) else Any(infer(value), value)


async def send(kind: Kind, client: Whatever, proxy: Whatever, what: Sequence[Whatever]) -> None:
    """Has a supplier send events, each way as its kind does."""
    if kind.style is Style.PULL:
        client.has.extend(what)
    elif kind.form is Form.SEQUENCE:
        await proxy.push_structured_events(what)
    else:
        push = proxy.push if kind.form is Form.ANY else proxy.push_structured_event
        for one in what:
            await push(one)


async def receive(kind: Kind, client: Whatever, proxy: Whatever, number: int) -> list[Whatever]:
    """So many events, as a consumer of a kind gets them."""
    if kind.style is Style.PUSH:
        await until(lambda: len(client.got) >= number)
        got: list[Whatever] = client.got
        return got
    found: list[Whatever] = []
    while len(found) < number:
        if kind.form is Form.SEQUENCE:
            found += await proxy.pull_structured_events(3)
        elif kind.form is Form.STRUCTURED:
            found.append(await proxy.pull_structured_event())
        else:
            found.append(await proxy.pull())
    return found


@pytest.mark.parametrize("consumer", CONSUMERS, ids=str)
@pytest.mark.parametrize("supplier", SUPPLIERS, ids=str)
def test_every_field_arrives_whoever_sends_and_whoever_takes(
    supplier: Kind, consumer: Kind
) -> None:
    async def part() -> None:
        async with world() as made:
            await play(made)

    async def play(made: World) -> None:
        channel = await made.channel(*BATCHES)
        taker, taken = await joined(made, channel, consumer)
        giver, given = await joined(made, channel, supplier)
        pairs = sent(supplier)
        await send(supplier, giver, given, [what for what, _ in pairs])
        compare(consumer, await receive(consumer, taker, taken, len(pairs)), pairs)

    run(part())


def compare(
    consumer: Kind, got: Sequence[Whatever], pairs: Sequence[tuple[Whatever, StructuredEvent]]
) -> None:
    """Whether a consumer got what was sent, in every field."""
    assert len(got) == len(pairs)
    for found, (_, meant) in zip(got, pairs, strict=True):
        if consumer.form is Form.ANY:
            assert same(_boxed(found), _boxed(any_out(meant)))
        else:
            assert event_in(found) == meant


@pytest.mark.parametrize("consumer", [kind for kind in CONSUMERS if not kind.bare], ids=str)
@pytest.mark.parametrize("supplier", SUPPLIERS, ids=str)
def test_every_field_arrives_after_a_restart_of_the_service(
    supplier: Kind, consumer: Kind, tmp_path: Path
) -> None:
    async def part() -> None:
        async with Orb(Options(close_seconds=0.2)) as client:
            await client.listen()
            async with opened(client, tmp_path) as made:
                port = made.service.orb._links.listening[0].port
                channel = await made.channel(*PERSISTENT, *BATCHES)
                taker, taken = await joined(made, channel, consumer)
                if consumer.style is Style.PUSH:
                    await taken.suspend_connection()
                giver, given = await joined(made, channel, supplier)
                pairs = sent(supplier)
                await send(supplier, giver, given, [what for what, _ in pairs])
                await until(lambda: made.host.factory.channel(1).seq == len(pairs))
            async with opened(client, tmp_path, port):
                if consumer.style is Style.PUSH:
                    await taken.resume_connection()
                compare(consumer, await receive(consumer, taker, taken, len(pairs)), pairs)

    run(part(), 30.0)
