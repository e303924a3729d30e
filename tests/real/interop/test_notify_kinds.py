"""Clients in C++ of every kind: whoever supplies, every consumer gets every field."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.real.interop.notifying import Scene, scene

FORMS = ("any", "structured", "sequence", "event")
STYLES = ("push", "pull")
KINDS = tuple(product(STYLES, FORMS))

# Of every kind of type one; the names of objects are those in the client.
VALUES = (
    *("boolean:true", "octet:200", "char:x", "short:-5", "ushort:65535", "long:-70000"),
    *("ulong:4000000000", "longlong:-5000000000", "ulonglong:18000000000000000000"),
    *("float:1.5", "double:0.10000000000000001", "string:two words", "string:", "null:"),
    *("enum:blue", "U:red=7", "U:green=hi", "U:blue=0.25", "S:1;2.5;green=inside"),
    *("Node:(1(2)(3(4)))", "longs:1,2,3", "longs:", "texts:a,,b", "utc:137000000000000000"),
    *("object:channel", "any:{S:1;2.5;red=7}", "any:{any:{long:1}}"),
)
EVENTS = (
    *(f"Telecom|Alarm|no {at}||value={value}|{value}" for at, value in enumerate(VALUES)),
    "Telecom|Alarm|all|Priority=short:4&Timeout=ulonglong:90000000000&mine=string:x|"
    + "&".join(f"v{at}={value}" for at, value in enumerate(VALUES))
    + "|event:{in|side|it|Priority=short:1|a=long:1|Node:(1)}",
    "Telecom|%ANY|kept|Priority=short:9|a=long:1|S:1;2.5;red=7",
    "|||||null:",
)
FIFO = "OrderPolicy=short:1"


def given_as(form: str) -> tuple[str, ...]:
    """What a supplier sends."""
    return VALUES if form in {"any", "event"} else EVENTS


def got_as(form: str, supplied: str) -> list[str]:
    """What a consumer gets of it, item by item."""
    from_any, to_any = supplied in {"any", "event"}, form in {"any", "event"}
    if from_any == to_any:
        return list(given_as(supplied))
    if from_any:
        return [f"|%ANY||||{value}" for value in VALUES]
    return [
        event.split("|")[-1] if event.split("|")[1] == "%ANY" else f"event:{{{event}}}"
        for event in EVENTS
    ]


PUSHES = {
    "any": "push",
    "event": "push",
    "structured": "push_structured_event",
    "sequence": "push_structured_events",
}


@pytest.mark.parametrize(("style", "form"), KINDS, ids=str)
async def test_every_consumer_gets_every_field(style: str, form: str, notify: Path) -> None:
    async with scene(notify, qos=FIFO) as s:
        for how, what in KINDS:
            await s.proxy(f"{how}-{what}", "consumers", how, what)
        await s.proxy("source", "suppliers", style, form)
        if style == "push":
            await s.done("push", "source", *given_as(form))
        else:
            await s.done("give", "source-client", *given_as(form))
        for what in FORMS:
            await check_pushed(s, what, got_as(what, form))
            await check_pulled(s, what, got_as(what, form))


async def check_pushed(s: Scene, form: str, items: list[str]) -> None:
    """A push consumer was called with each, in order."""
    who = f"push-{form}-client {PUSHES[form]} "
    size = "1 " if form == "sequence" else ""
    heard = await s.client.until(
        lambda heard: sum(line.startswith(who) for line in heard) >= len(items)
    )
    found = [line.removeprefix(who) for line in heard if line.startswith(who)]
    assert found == [f"{size}{item}" for item in items]


async def check_pulled(s: Scene, form: str, items: list[str]) -> None:
    """A pull consumer is given each, in order; then there is none."""
    name = f"pull-{form}"
    if form == "sequence":
        found: list[str] = []
        while len(found) < len(items):
            count, _, batch = (await s.one("pull", name, "10")).partition(" ")
            events = batch.split(" ; ")
            assert int(count) == len(events) <= 10
            found += events
        assert found == items
        assert await s.one("try_pull", name, "10") == "none 0 "
        return
    assert [await s.one("pull", name) for _ in items] == items
    nothing = "none |||||null:" if form == "structured" else "none null:"
    assert await s.one("try_pull", name) == nothing


@pytest.mark.parametrize("side", ["consumers", "suppliers"])
async def test_proxies_say_what_they_are(side: str, notify: Path) -> None:
    async with scene(notify) as s:
        ids: dict[str, list[int]] = {"push": [], "pull": []}
        for at, (form, style) in enumerate(product(FORMS[:3], STYLES)):
            name = f"{style}-{form}"
            ids[style].append(await s.id("obtain", name, side, style, form))
            assert await s.one("show", name, "MyType") == str(at)
            assert await s.one("get", "-", name, "MyAdmin") == side
            assert await s.one("find", "-", side, "proxy", str(ids[style][-1])) == name
        await s.do("obtain", "bare", side, "push", "event")
        for style, found in ids.items():
            assert await s.one("show", side, style) == ",".join(map(str, found))
        assert await s.one("find", "-", side, "proxy", "99") == "! ProxyNotFound"


@pytest.mark.parametrize(("style", "form"), KINDS, ids=str)
@pytest.mark.parametrize("side", ["consumers", "suppliers"])
async def test_connections_begin_once_and_end_for_both(
    side: str, style: str, form: str, notify: Path
) -> None:
    async with scene(notify) as s:
        await s.proxy("p", side, style, form)
        assert await s.one("connect", "p", "another") == "! AlreadyConnected"
        await s.done("disconnect", "p")
        kind = "" if form in {"any", "event"} else f"{form}_"
        role = "consumer" if side == "consumers" else "supplier"
        await s.hears(f"p-client disconnect_{kind}{style}_{role}")
        assert await s.one("non_existent", "p") == "true"


async def test_a_client_without_a_reference_of_its_own(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "structured")
        for form in FORMS:
            await s.do("obtain", f"s-{form}", "suppliers", "push", form)
            await s.done("connect", f"s-{form}", "nil")
            await s.do("obtain", f"t-{form}", "suppliers", "pull", form)
            assert await s.one("connect", f"t-{form}", "nil") == "! BAD_PARAM minor 0 completed 1"
        await s.done("push", "s-structured", "a|b|c|||null:")
        await s.hears("c-client push_structured_event a|b|c|||null:")


@pytest.mark.parametrize("form", FORMS)
async def test_who_is_not_connected_sends_and_gets_nothing(form: str, notify: Path) -> None:
    async with scene(notify) as s:
        await s.do("obtain", "s", "suppliers", "push", form)
        item = "long:1" if form in {"any", "event"} else "a|b|c|||null:"
        assert await s.one("push", "s", item) == "! Disconnected"
        await s.do("obtain", "c", "consumers", "pull", form)
        assert await s.one("try_pull", "c", "1") == "! Disconnected"
