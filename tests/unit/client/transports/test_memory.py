from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import pytest

from tidings import Any as AnyValue
from tidings import MappedConstraint, constraint, event_type
from tidings.channel.commands import Command
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    ClearFilter,
    CreateFilter,
    CreateMapping,
    DestroyAdmin,
    DestroyChannel,
    DestroyFilter,
    Disconnect,
    ModifyConstraints,
    ObtainProxy,
    ObtainTypes,
    OfferChange,
    RemoveAllFilters,
    RemoveFilter,
    Resume,
    SetMapping,
    SetQoS,
    SubscriptionChange,
    Suspend,
)
from tidings.channel.vocabulary import InfoMode, Place, Side, Style
from tidings.client.transports.memory import Memory
from tidings.errors import ConnectionAlreadyInactive, FilterNotFound, Unreachable
from tidings.events import typecode as tc

PLACE = Place(1, proxy=5)
CHEAP, DEAR = constraint("$price < 10"), constraint("$price > 90")


def obtained(**parts: Any) -> Memory:
    memory = Memory()
    memory.note(ObtainProxy(1, Side.CONSUMER, Style.PUSH, **parts), 5)
    return memory


class Service:
    """Answers commands with fresh ids; it knows no filter of before."""

    def __init__(self, *known: int) -> None:
        self.asked: list[Command] = []
        self._ids = count(100)
        self._known = set(known)

    async def ask(self, command: Command) -> object:
        self.asked.append(command)
        if isinstance(command, CreateFilter | CreateMapping):
            made = next(self._ids)
            self._known.add(made)
            given = command.constraints if isinstance(command, CreateFilter) else command.mapped
            return made, tuple(next(self._ids) for _ in given)
        used = getattr(command, "filter", None)
        if used is not None and used not in self._known:
            raise FilterNotFound(f"there is no filter {used}")
        return next(self._ids)


def remade(memory: Memory, *known: int) -> list[Command]:
    """What is asked of a service that has begun anew."""
    service = Service(*known)

    async def work() -> None:
        if await memory.remake((1, 5), service.ask):
            await memory.settle((1, 5), service.ask)

    asyncio.run(work())
    return service.asked


def test_only_what_has_no_name_is_remembered() -> None:
    assert not obtained(name="bidder").proxies
    assert remade(obtained(name="bidder")) == []
    assert obtained().proxies


def test_a_proxy_is_made_again_with_its_qualities_and_types() -> None:
    memory = obtained(qos={"Priority": 1, "Timeout": 5})
    memory.note(SetQoS(PLACE, {"Priority": 2}), None)
    memory.note(SetQoS(Place(1), {"Priority": 9}), None)
    memory.note(SubscriptionChange(PLACE, (event_type("A::a"), event_type("A::b"))), None)
    memory.note(SubscriptionChange(PLACE, (event_type("A::c"),), (event_type("A::a"),)), None)
    made, types = remade(memory)
    assert isinstance(made, ObtainProxy)
    assert made.qos == {"Priority": 2, "Timeout": 5}
    wanted = (event_type("A::b"), event_type("A::c"))
    assert types == SubscriptionChange(Place(1, proxy=100), wanted)
    assert memory.proxy_now(1, 5) == 100


def test_a_supplier_offers_again() -> None:
    memory = Memory()
    memory.note(ObtainProxy(1, Side.SUPPLIER, Style.PUSH), 5)
    memory.note(OfferChange(PLACE, (event_type("A::a"),)), None)
    assert isinstance(remade(memory)[-1], OfferChange)


def test_its_own_filter_is_made_again_as_it_was_last() -> None:
    memory = obtained()
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(PLACE, 7), 3)
    memory.note(AddConstraints(7, (DEAR,)), [2])
    memory.note(ModifyConstraints(7, (1,), {2: constraint("$price > 95")}), None)
    _, lost, made, used = remade(memory)
    assert lost == AddFilter(Place(1, proxy=100), 7)
    assert isinstance(made, CreateFilter)
    assert [one.text for one in made.constraints] == ["$price > 95"]
    assert used == AddFilter(Place(1, proxy=100), 101)
    assert memory.filters[7].ids == {2: 102}
    assert list(memory.proxies[1, 5].attached) == [3]


def test_a_shared_filter_is_attached_again_and_one_that_is_gone_is_dropped() -> None:
    memory = obtained()
    for attachment, filter in ((1, 8), (2, 9)):
        memory.note(AddFilter(PLACE, filter), attachment)
    assert remade(memory, 8)[1:] == [AddFilter(Place(1, proxy=100), n) for n in (8, 9)]
    assert memory.proxies[1, 5].filters == {1: 8}


def test_mapping_filters_are_set_again() -> None:
    memory = obtained()
    mapped = MappedConstraint(CHEAP, AnyValue(tc.SHORT, 3))
    memory.note(CreateMapping(AnyValue(tc.SHORT, 0), (), private=True), (7, ()))
    memory.note(AddMapped(7, (mapped,)), [1])
    memory.note(SetMapping(PLACE, "priority", 7), None)
    memory.note(SetMapping(PLACE, "lifetime", 8), None)
    memory.note(SetMapping(PLACE, "lifetime", None), None)
    asked = remade(memory)
    assert isinstance(asked[2], CreateMapping)
    assert asked[2].mapped == (mapped,)
    assert asked[3] == SetMapping(Place(1, proxy=100), "priority", 101)
    assert len(asked) == 4


def test_a_pause_and_what_it_wants_to_hear_come_once_it_is_connected() -> None:
    memory = obtained()
    memory.note(Suspend(1, 5), None)
    memory.note(ObtainTypes(1, 5, InfoMode.ALL_NOW_UPDATES_OFF), ())
    assert remade(memory)[1:] == [
        ObtainTypes(1, 100, InfoMode.NONE_NOW_UPDATES_OFF),
        Suspend(1, 100),
    ]
    memory.note(Resume(1, 5), None)
    assert not memory.proxies[1, 5].suspended


@pytest.mark.parametrize(
    "end",
    [Disconnect(1, 5), DestroyChannel(1), DestroyAdmin(1, Side.CONSUMER, 0)],
    ids=lambda command: type(command).__name__,
)
def test_what_has_ended_is_forgotten_with_its_filters(end: Command) -> None:
    memory = obtained()
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(PLACE, 7), 3)
    memory.note(end, None)
    assert not memory.proxies
    assert not memory.filters


@pytest.mark.parametrize("off", [RemoveFilter(PLACE, 3), RemoveAllFilters(PLACE), DestroyFilter(7)])
def test_filters_that_are_taken_off_are_forgotten(off: Command) -> None:
    memory = obtained()
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(PLACE, 7), 3)
    memory.note(off, None)
    assert not memory.filters
    assert len(remade(memory)) == 1


def test_a_filter_of_something_that_survives_is_not_remembered() -> None:
    memory = obtained()
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(Place(1, proxy=6), 7), 3)
    assert not memory.filters


def test_a_cleared_filter_is_made_again_empty() -> None:
    memory = obtained()
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(PLACE, 7), 3)
    memory.note(ClearFilter(7), None)
    made = remade(memory)[2]
    assert isinstance(made, CreateFilter)
    assert made.constraints == ()


def test_ids_the_program_knows_stay_its_own() -> None:
    memory = obtained()
    memory.note(AddFilter(PLACE, 8), 1)
    memory.note(AddFilter(PLACE, 9), 2)
    memory.note(RemoveFilter(PLACE, 1), None)
    made = memory.proxies[1, 5]
    made.attached = {2: 1}  # made again, the one that was left got the first id
    added = memory.note(AddFilter(PLACE, 8), 2)
    assert added not in (1, 2)
    assert made.filters == {2: 9, added: 8}
    assert made.attached == {2: 1, added: 2}


def test_a_proxy_that_was_cut_half_way_through_is_made_anew() -> None:
    memory = obtained()
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(PLACE, 7), 3)
    memory.note(Suspend(1, 5), None)

    class Cut(Service):
        async def ask(self, command: Command) -> object:
            if isinstance(command, AddFilter):
                raise Unreachable("cut")
            return await super().ask(command)

    with pytest.raises(Unreachable):
        asyncio.run(memory.remake((1, 5), Cut().ask))
    assert memory.proxy_now(1, 5) == 5  # the half is no proxy of ours
    asked = remade(memory)
    assert isinstance(asked[0], ObtainProxy)
    assert AddFilter in {type(one) for one in asked}
    assert asked[-1] == Suspend(1, memory.proxy_now(1, 5))


def test_what_was_settled_before_an_answer_was_lost_is_settled() -> None:
    memory = obtained()
    memory.note(Suspend(1, 5), None)
    service = Service()

    async def inactive(command: Command) -> object:
        raise ConnectionAlreadyInactive("it has a pause")

    async def scene() -> None:
        await memory.settle((1, 5), service.ask)
        assert service.asked == []  # nothing was made again
        await memory.remake((1, 5), service.ask)
        await memory.settle((1, 5), inactive)
        asked = len(service.asked)
        await memory.settle((1, 5), service.ask)
        assert len(service.asked) == asked

    asyncio.run(scene())


def test_a_filter_is_forgotten_with_the_last_place_that_holds_it() -> None:
    memory = obtained()
    memory.note(ObtainProxy(1, Side.CONSUMER, Style.PUSH), 6)
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(PLACE, 7), 1)
    memory.note(AddFilter(PLACE, 7), 2)
    memory.note(AddFilter(Place(1, proxy=6), 7), 1)
    memory.note(RemoveFilter(PLACE, 1), None)
    memory.note(Disconnect(1, 5), None)
    assert 7 in memory.filters
    memory.note(RemoveAllFilters(Place(1, proxy=6)), None)
    assert not memory.filters
