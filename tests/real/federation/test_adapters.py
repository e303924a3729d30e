"""What every adapter promises, with the real service and a native client of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.real.federation.fault_story import fault_story
from tests.real.federation.rigs import KINDS, Rig, new_rig
from tidings.errors import InvalidUsage
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.federation.capabilities import Filtering
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.marks import Mark
from tidings.filters.constraint import Constraint, constraint
from tidings.gateways import sides
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Outgoing,
    Side,
    new_adapter,
)

SPEED = constraint("$event_name == 'Speed'")
FAST = constraint("$event_name == 'Speed' and $rate > 100")
CONTROL = constraint(f"$event_name == '{CONTROL_SUBJECT}'")
MANY = 50


@pytest.fixture(scope="module", params=KINDS)
def rig(
    request: pytest.FixtureRequest, record_real_part: Callable[[str, str], None]
) -> Iterator[Rig]:
    made = new_rig(request.param)
    made.start()
    if made.part is not None:
        record_real_part(*made.part)
    yield made
    made.stop()


@pytest.fixture
def kind(rig: Rig) -> str:
    return rig.adapter or type(rig).__module__.rpartition(".")[2]


class Ear:
    """Takes what an adapter hears."""

    def __init__(self) -> None:
        self.heard: list[Arrival] = []
        self._come = asyncio.Event()

    async def __call__(self, arrivals: Sequence[Arrival]) -> None:
        self.heard += arrivals
        self._come.set()

    async def until(self, done: Callable[[list[Arrival]], bool]) -> list[Arrival]:
        async with asyncio.timeout(PATIENCE):
            while not done(self.heard):
                self._come.clear()
                await self._come.wait()
        return self.heard

    async def named(self, name: str) -> list[Arrival]:
        """Wait for an event with a license, and return all until then."""
        return await self.until(
            lambda heard: any(one.event.data.get("license_no") == name for one in heard)
        )


def side(adapter: str = "a") -> Side:
    return Side("test", "G", adapter, "S")


def made(kind: str, parameters: dict[str, Any], adapter: str = "a") -> Adapter[Any]:
    return new_adapter(kind, side(adapter), parameters)


@asynccontextmanager
async def connected(
    kind: str, parameters: dict[str, Any], *wanted: Constraint, adapter: str = "a"
) -> AsyncIterator[tuple[Adapter[Any], Ear]]:
    one, ear = made(kind, parameters, adapter), Ear()
    await one.connect(ear)
    try:
        if wanted:
            placed = await one.want(wanted)
            assert len(placed) == len(wanted)
        yield one, ear
    finally:
        await one.disconnect()


def mark(number: int) -> Mark:
    return Mark("test", "elsewhere", "stream", number, ("elsewhere",))


def same(found: StructuredEvent, sent: StructuredEvent) -> bool:
    return found.name == sent.name and dict(found.data) == dict(sent.data)


def licenses(heard: Sequence[Arrival]) -> list[str]:
    return [str(one.event.data["license_no"]) for one in heard]


async def test_what_is_wanted_comes_in_order(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    async with connected(kind, parameters, SPEED) as (_, ear), rig.native(parameters) as native:
        sent = [rig.sample(number) for number in range(MANY)]
        for one in sent:
            await native.publish(one)
        heard = await ear.until(lambda heard: len(heard) >= MANY)
    assert all(same(found.event, one) for found, one in zip(heard, sent, strict=True))
    assert all(found.mark is None for found in heard)


async def test_a_filter_is_never_narrower_and_exact_ones_are_exact(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    async with connected(kind, parameters) as (one, ear), rig.native(parameters) as native:
        [placed] = await one.want([FAST])
        for number in range(90, 111):
            await native.publish(rig.sample(number))
        heard = await ear.named("CAR0110")
        names = licenses(heard)
        assert [name for name in names if name > "CAR0100"] == [f"CAR0{n}" for n in range(101, 111)]
        if placed.exact:
            assert len(names) == 10
            assert not placed.surplus
        else:
            assert placed.surplus
        if one.capabilities.filtering is Filtering.CONTENT:
            assert len(names) == 10


async def test_an_event_comes_once_though_several_filters_match(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    wide = constraint("$event_name == 'Speed' and $rate > 10")
    async with (
        connected(kind, parameters, SPEED, FAST, wide) as (_, ear),
        rig.native(parameters) as native,
    ):
        for number in (105, 106, 107):
            await native.publish(rig.sample(number))
        heard = await ear.named("CAR0107")
    assert licenses(heard) == ["CAR0105", "CAR0106", "CAR0107"]


async def test_another_set_replaces_the_filters(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    async with connected(kind, parameters, FAST) as (one, ear), rig.native(parameters) as native:
        await native.publish(rig.sample(110))
        await ear.named("CAR0110")
        await one.want([])
        await native.publish(rig.sample(111))
        await one.want([SPEED])
        await native.publish(rig.sample(3))
        heard = await ear.named("CAR0003")
    # What came between the two sets may have been on its way.
    assert set(licenses(heard)) <= {"CAR0110", "CAR0111", "CAR0003"}


async def test_what_is_published_reaches_a_native_client(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    async with rig.native(parameters) as native, connected(kind, parameters) as (one, _):
        await one.offer(["Speed"])
        sent = [rig.sample(number) for number in range(MANY)]
        answers = await one.publish([Outgoing(each, mark(n)) for n, each in enumerate(sent, 1)])
        assert answers == [None] * MANY
        received = native.received()
        async with asyncio.timeout(PATIENCE):
            found = [await anext(received) for _ in sent]
    assert all(same(got, each) for got, each in zip(found, sent, strict=True))


async def test_a_mark_survives_the_service(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    async with (
        connected(kind, parameters, SPEED) as (reader, ear),
        connected(kind, parameters, adapter="b") as (writer, _),
    ):
        await writer.offer(["Speed"])
        await writer.publish([Outgoing(rig.sample(7), mark(41))])
        [found] = await ear.named("CAR0007")
        assert found.mark == (mark(41) if reader.capabilities.marks else None)


async def test_a_control_event_passes_whole(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    async with (
        connected(kind, parameters, constraint(f"$event_name == '{CONTROL_SUBJECT}'")) as (
            one,
            ear,
        ),
        connected(kind, parameters, adapter="b") as (writer, _),
    ):
        if not one.capabilities.control:
            return
        text = "".join(chr(33 + n % 90) for n in range(3_000)) + "'\"%_äß 漢"
        sent = event("", "", CONTROL_SUBJECT, {"Type": 2, "DistList": "ES*", "Filter": text})
        await writer.offer([CONTROL_SUBJECT])
        await writer.publish([Outgoing(sent, mark(1))])
        [found] = await ear.until(bool)
        assert same(found.event, sent)


async def test_what_cannot_be_carried_is_refused_alone(rig: Rig, kind: str) -> None:
    parameters, wrong = rig.parameters(), rig.unmappable()
    if wrong is None:
        return
    async with rig.native(parameters) as native, connected(kind, parameters) as (one, _):
        await one.offer(["Speed"])
        events = [rig.sample(1), wrong, rig.sample(2)]
        answers = await one.publish([Outgoing(each, mark(n)) for n, each in enumerate(events, 1)])
        assert [answer is None for answer in answers] == [True, False, True]
        assert answers[1] is not None
        assert answers[1].cause
        received = native.received()
        async with asyncio.timeout(PATIENCE):
            found = [await anext(received), await anext(received)]
    assert same(found[0], events[0])
    assert same(found[1], events[2])


async def test_what_is_not_taken_comes_again_where_the_service_holds_it(
    rig: Rig, kind: str
) -> None:
    parameters = rig.parameters()
    async with connected(kind, parameters, SPEED) as (one, ear):
        if not one.capabilities.holds:
            return
        async with rig.native(parameters) as native:
            for number in (1, 2, 3):
                await native.publish(rig.sample(number))
            heard = await ear.named("CAR0003")
            one.taken(heard[:1])
            await one.disconnect()
            await native.publish(rig.sample(4))  # while nobody is there
            ear.heard.clear()
            await one.connect(ear)
            await one.want([SPEED])
            again = await ear.named("CAR0004")
    assert licenses(again) == ["CAR0002", "CAR0003", "CAR0004"]


async def test_a_service_that_goes_and_comes_back(rig: Rig, kind: str) -> None:
    parameters = rig.parameters()
    async with connected(kind, parameters, SPEED) as (one, ear):
        if not rig.can_go:
            return
        await asyncio.to_thread(rig.kill)
        try:
            async with asyncio.timeout(PATIENCE):
                assert await one.lost()
            with pytest.raises(AdapterError):
                await one.publish([Outgoing(rig.sample(1), mark(1))])
            await one.disconnect()
            with pytest.raises(AdapterError):
                await one.connect(ear)
        finally:
            await asyncio.to_thread(rig.restart)
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await one.connect(ear)
                    break
                except AdapterError:
                    await asyncio.sleep(0.05)
        await one.want([SPEED])
        async with rig.native(parameters) as native:
            await native.publish(rig.sample(9))
            await ear.named("CAR0009")


async def test_what_a_broken_line_does_is_what_the_adapter_promises(
    rig: Rig, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers and acknowledgements are lost, the line is cut, the service is slow."""
    if not rig.port:
        return
    monkeypatch.setattr(sides, "MOST_QUEUED", 20)
    async with fault_story(rig, kind) as story:
        capabilities = story.side.capabilities
        await story.both_ways(5)
        unanswered = await story.lose_answers()
        waiting = await story.publish(5, inward=False)
        held = await story.publish(5, inward=True)
        await story.mend_line()
        await story.come(waiting)
        unacknowledged = await story.lose_acknowledgements()
        await story.mend_line()
        slow = await story.be_slow(20)
        await story.both_ways(5)
        await story.until(lambda: not story.side.waiting)
        info = story.side.info()
    assert info.set_aside == 0
    assert all(story.at_service[number] for number in unanswered)
    if capabilities.holds:
        assert all(story.at_channel[number] for number in held)
    assert max(story.at_service.values()) <= 2
    twice, again = story.repeated()
    assert twice <= {*unanswered, *slow}
    assert again <= {*unacknowledged, *held}
    if capabilities.once:
        assert not twice | again
    assert len(twice) <= info.repeated <= len(unanswered) + len(slow)


async def test_a_service_that_is_killed_while_events_flow(rig: Rig, kind: str) -> None:
    """Where no line can be cut: the service itself goes."""
    if rig.port or not rig.can_go:
        return
    async with fault_story(rig, kind) as story:
        await story.both_ways(5)
        flowing = [
            asyncio.create_task(story.publish(100, inward=inward)) for inward in (False, True)
        ]
        await story.until(lambda: len(story.at_service) > 5 and len(story.at_channel) > 5)
        await asyncio.to_thread(rig.kill)
        try:
            assert (await story.info("down")).cause
        finally:
            await asyncio.to_thread(rig.restart)
        await asyncio.gather(*flowing, return_exceptions=True)  # native clients may be gone
        await story.info("up")
        await story.until(lambda: not story.side.waiting)
        info = story.side.info()
        twice, again = story.repeated()
        assert info.sent >= 105
        assert len(twice) <= info.repeated
        assert not again
        assert not twice or story.side.capabilities.confirms


def test_wrong_parameters_are_named(rig: Rig, kind: str) -> None:
    with pytest.raises(InvalidUsage, match=r"no parameter 'colour'.*has:"):
        made(kind, {**rig.parameters(), "colour": "red"})
