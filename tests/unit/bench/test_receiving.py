"""The check of deliveries lets nothing wrong pass."""

from __future__ import annotations

import asyncio

import pytest

from tidings.bench.figures import sample_events
from tidings.bench.receiving import Recording, check_received
from tidings.events.structured import StructuredEvent
from tidings.server.embedded import embedded

EVENTS, _ = sample_events(0, 20)


def by_priority(events: list[StructuredEvent]) -> list[StructuredEvent]:
    return sorted(events, key=lambda event: -int(str(event.header["Priority"])))


def test_what_the_orders_allow_passes() -> None:
    check_received(EVENTS, EVENTS, fifo=True)
    check_received(EVENTS, EVENTS, fifo=False)
    check_received(by_priority(EVENTS), EVENTS, fifo=False)


@pytest.mark.parametrize(
    ("got", "fifo", "why"),
    [
        (EVENTS[1:], False, "every event once"),
        ([*EVENTS, EVENTS[0]], False, "every event once"),
        ([*EVENTS[1:], EVENTS[1]], False, "every event once"),
        ([*EVENTS[1:], sample_events(99, 1)[0][0]], False, "every event once"),
        ([*EVENTS[:5], EVENTS[6], EVENTS[5], *EVENTS[7:]], True, "out of order"),
        ([*EVENTS[5:], *EVENTS[:5]], False, "out of order"),
        ([*EVENTS[:-1], sample_events(19, 1, area=7)[0][0]], False, "another content"),
    ],
    ids=["missing", "twice", "another twice", "stranger", "not fifo", "late", "changed"],
)
def test_what_is_wrong_is_noticed(got: list[StructuredEvent], fifo: bool, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        check_received(got, EVENTS, fifo=fifo)


def test_deliveries_are_waited_for_and_strays_are_noticed() -> None:
    async def scene() -> None:
        async with await embedded() as client:
            channel = await client.create_channel()
            mine = await client.subscribe(channel, "$area == 0")
            stray = await client.subscribe(channel, "$area == 0")
            recording = Recording([mine], [stray])
            recording.expect(len(EVENTS))
            publisher = await client.publisher(channel)
            await publisher.publish_many(EVENTS)
            await recording.all_here()
            assert len(recording.got[0]) == len(EVENTS)
            with pytest.raises(AssertionError, match="20 events came to consumers whose filters"):
                await recording.check(EVENTS, fifo=False)
            recording.expect(3)
            assert recording.got == [[]]
            with pytest.raises(AssertionError, match="3 deliveries did not come"):
                await recording.all_here(seconds=0.01)
            recording.stop()

    asyncio.run(scene())
