from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.unit.servants.scenes import Scene, expression, play, refused, until
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import NotifySubscribeServant
from tidings.cos.CosNotifyFilter_auto import CallbackNotFound, Filter
from tidings.events.reference import Reference
from tidings.orb.exceptions import BAD_PARAM, IMP_LIMIT, NO_IMPLEMENT
from tidings.servants import callbacks

ALL = EventType("", "%ALL")
BID, LOT = EventType("Auction", "Bid"), EventType("Auction", "Lot")


class Listener(NotifySubscribeServant):
    """A client that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[list[EventType], list[EventType]]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: Exception | None = None

    async def subscription_change(
        self, added: Sequence[EventType], removed: Sequence[EventType]
    ) -> None:
        self.told.append((list(added), list(removed)))
        await self.gate.wait()
        if self.error is not None:
            raise self.error


async def listened(scene: Scene) -> tuple[Filter, Listener, Reference]:
    await scene.client.listen()
    listener = Listener()
    reference = scene.client.activate(listener, b"listener")
    made = scene.stub(Filter, await scene.filters.create_filter(""))
    return made, listener, reference


def test_a_callback_is_told_when_the_event_types_asked_for_change() -> None:
    async def part(scene: Scene) -> None:
        made, listener, reference = await listened(scene)
        id = await made.attach_callback(reference)
        assert list(await made.get_callbacks()) == [id]
        (bids,) = await made.add_constraints([expression("$price > 3", BID)])
        await until(lambda: len(listener.told) == 1)
        # The union stays the same: nobody is told.
        await made.add_constraints([expression("$price > 4", BID)])
        await made.modify_constraints([bids.constraint_id], ())
        await made.add_constraints([expression("", LOT)])
        await until(lambda: len(listener.told) == 2)
        await made.remove_all_constraints()
        await until(lambda: len(listener.told) == 3)
        assert listener.told == [([BID], []), ([LOT], []), ([], [BID, LOT])]

    play(part)


def test_a_constraint_without_event_types_asks_for_all() -> None:
    async def part(scene: Scene) -> None:
        made, listener, reference = await listened(scene)
        await made.attach_callback(reference)
        await made.add_constraints([expression("$price > 3")])
        await until(lambda: listener.told == [([ALL], [])])

    play(part)


def test_a_callback_that_was_detached_is_told_nothing() -> None:
    async def part(scene: Scene) -> None:
        made, listener, reference = await listened(scene)
        first, second = [await made.attach_callback(reference) for _ in range(2)]
        await made.detach_callback(first)
        with pytest.raises(CallbackNotFound):
            await made.detach_callback(first)
        assert list(await made.get_callbacks()) == [second]
        await made.add_constraints([expression("", BID)])
        await until(lambda: listener.told)
        await asyncio.sleep(0.02)
        assert len(listener.told) == 1

    play(part)


def test_a_slow_callback_is_told_what_has_changed_meanwhile_in_one_call() -> None:
    async def part(scene: Scene) -> None:
        made, listener, reference = await listened(scene)
        await made.attach_callback(reference)
        listener.gate.clear()
        await made.add_constraints([expression("", BID)])
        await until(lambda: listener.told)
        added = await made.add_constraints([expression("", LOT), expression("")])
        await made.modify_constraints([added[1].constraint_id], ())
        listener.gate.set()
        await until(lambda: len(listener.told) == 2)
        assert listener.told[1] == ([LOT], [])
        # What went and came again is no change at all.
        listener.gate.clear()
        await made.remove_all_constraints()
        await until(lambda: len(listener.told) == 3)
        (info,) = await made.add_constraints([expression("", BID)])
        await made.modify_constraints([info.constraint_id], ())
        listener.gate.set()
        await asyncio.sleep(0.02)
        assert len(listener.told) == 3

    play(part)


def test_a_callback_that_is_no_more_is_dropped() -> None:
    async def part(scene: Scene) -> None:
        made, _, reference = await listened(scene)
        await made.attach_callback(reference)
        scene.client.deactivate(b"listener")
        await made.add_constraints([expression("", BID)])
        found = scene.service.host.factory.filters.filter(1)
        await until(lambda: not found.callbacks())

    play(part)


def test_a_callback_that_fails_otherwise_is_told_of_the_next_change() -> None:
    async def part(scene: Scene) -> None:
        made, listener, reference = await listened(scene)
        await made.attach_callback(reference)
        listener.error = NO_IMPLEMENT()
        await made.add_constraints([expression("", BID)])
        await until(lambda: len(listener.told) == 1)
        await made.add_constraints([expression("", LOT)])
        await until(lambda: len(listener.told) == 2)
        assert len(await made.get_callbacks()) == 1

    play(part)


def test_a_callback_is_no_nil_reference() -> None:
    async def part(scene: Scene) -> None:
        made, _, _ = await listened(scene)
        await refused(made.attach_callback(Reference()), BAD_PARAM)

    play(part)


def test_a_filter_has_so_many_callbacks_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "MAX_CALLBACKS", 2)

    async def part(scene: Scene) -> None:
        made, _, reference = await listened(scene)
        for _ in range(2):
            await made.attach_callback(reference)
        await refused(made.attach_callback(reference), IMP_LIMIT)

    play(part)
