"""The bench of gateways measures each pair, and reports nothing when events go astray."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from tests.edges.bench.test_benches import run, targets
from tidings.bench import federation, federation_load, federation_services, harness
from tidings.bench.federation_load import Lane, pace
from tidings.bench.federation_relay import Batches, relay_text
from tidings.errors import InvalidUsage
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

Change = Callable[[Sequence[StructuredEvent]], Sequence[StructuredEvent]]


@pytest.mark.slow
def test_every_figure_of_gateways_is_there() -> None:
    pairs = ("memory", "tidings", "mqtt")
    rows = run(federation, pairs=pairs, events=300, paced=10, links=2, rounds=1)
    ways = [
        *(
            f"{one} to {other}"
            for a in ("memory", "mqtt")
            for one, other in (("tidings", a), (a, "tidings"))
        ),
        "tidings to tidings",
    ]
    assert targets(rows) == {
        f"{way}, gateway of relay": ">= 0.8" if way == ways[-1] else ">= 0.5" for way in ways
    }
    for way in ways:
        gateway, relay = (rows[f"{way}, {what}"]["value"] for what in ("gateway", "relay"))
        assert rows[f"{way}, gateway of relay"]["value"] == pytest.approx(gateway / relay, abs=1e-3)
        assert rows[f"{way}, added latency, p99"]["unit"] == "ms"
    assert rows["tidings to mqtt, processor time of the gateway"]["value"] > 0
    assert "tidings to memory, processor time of the gateway" not in rows
    for kind, kept in (("memory", 1), ("tidings", 1), ("mqtt", 0.5 / 0.95)):
        assert rows[f"from {kind}, events that did not have to cross"]["value"] == 0.95
        kept_there = rows[f"from {kind}, of them kept by the service"]["value"]
        assert kept_there == pytest.approx(kept, abs=1e-3)
    assert rows["memory of a gateway with its two sides"]["value"] > 0


def test_what_is_not_installed_is_named_and_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(federation_services, "program", lambda name: None)
    with caplog.at_level(logging.WARNING):
        rows = run(federation, pairs=["mqtt"], events=1, paced=1, links=1, rounds=1)
    assert set(rows) == {"memory of a gateway with its two sides"}
    assert caplog.messages == ["mqtt is left out: mosquitto is not installed"]
    with pytest.raises(InvalidUsage, match="no kind is named 'carrier pigeon'; there are tidings"):
        run(federation, pairs=["carrier pigeon"])


def test_the_relay_that_is_shown_is_the_one_that_runs() -> None:
    text = relay_text("mqtt", "nats")
    for line in ("async for events, forget in batches:", "aiomqtt.Client(", "stream.publish("):
        assert line in text
    assert "jetstream().subscribe(" not in text


@asynccontextmanager
async def lane(change: Change, *, loses: bool = False) -> AsyncIterator[Lane]:
    """A load before and behind a link that does this with what is published."""
    link: asyncio.Queue[Sequence[StructuredEvent]] = asyncio.Queue()
    forgotten: list[int] = []

    async def publish(events: Sequence[StructuredEvent]) -> None:
        link.put_nowait(change(events))

    async def batches() -> Batches:
        while True:
            events = await link.get()

            async def forget(count: int = len(events)) -> None:
                forgotten.append(count)

            yield events, forget

    made = Lane(publish, 20, loses)
    listening = asyncio.create_task(made.listen(batches()))
    try:
        await made.begin()
        yield made
        made.check()
        assert forgotten
    finally:
        listening.cancel()
        await asyncio.wait((listening,))


def louder(events: Sequence[StructuredEvent]) -> Sequence[StructuredEvent]:
    return [event("", "", one.name, {**one.data, "rate": 1.5}) for one in events]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda events: [*events, events[-1]], "events came more than once"),
        (louder, "an event came that was not sent: .*1.5"),
        (lambda events: [*events, event("", "", "Speed", {"license_no": "9"})], "was not sent"),
        (lambda events: [one for one in events if one.data["rate"] != 7.0], "1 of 100 events are"),
    ],
    ids=["twice", "changed", "a stranger", "missing"],
)
async def test_events_that_a_link_muddles_end_the_bench(
    monkeypatch: pytest.MonkeyPatch, change: Any, why: str
) -> None:
    monkeypatch.setattr(harness, "PATIENCE", 0.3)
    with pytest.raises(AssertionError, match=why):
        await burst(lane(change), 100)


async def burst(opened: AbstractAsyncContextManager[Lane], count: int) -> int:
    """Publish events through a link; return how many were lost."""
    async with opened as load:
        await load.burst(count)
        return load.lost


async def test_a_service_may_lose_a_hundredth_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(federation_load, "_SILENCE", 0.05)

    def without(*lost: float) -> Change:
        return lambda events: [one for one in events if one.data["rate"] not in lost]

    assert await burst(lane(without(7.0), loses=True), 150) == 1
    with pytest.raises(AssertionError, match="2 of 150 events are missing"):
        await burst(lane(without(7.0, 8.0), loses=True), 150)


async def test_the_time_of_every_paced_event_is_taken() -> None:
    async with lane(lambda events: events) as one, lane(lambda events: events) as other:
        await pace([one, other], 3)
        assert len(one.waits) == len(other.waits) == 3
        assert all(wait > 0 for wait in (*one.waits, *other.waits))
