"""What a client remembers of its proxies and filters, to make them again under other ids."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from tidings import Any as AnyValue
from tidings import MappedConstraint, constraint, event, event_type
from tidings.api.operations import Call
from tidings.channel.commands import Ack, Command, DryRun
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    ClearFilter,
    Connect,
    CreateFilter,
    CreateMapping,
    DestroyFilter,
    Disconnect,
    ModifyConstraints,
    NewAdmin,
    ObtainProxy,
    ObtainTypes,
    RemoveAllFilters,
    RemoveFilter,
    Resume,
    SetMapping,
    SetQoS,
    Suspend,
)
from tidings.channel.questions import SeeAdvertisement, SeeFilter
from tidings.channel.trail import Step, Trail
from tidings.channel.views import AdminInfo, Advertisement, FilterInfo, ProxyInfo
from tidings.channel.vocabulary import Form, InfoMode, Operator, Place, Side, Style
from tidings.client.transports.http.lines import Line
from tidings.client.transports.http.recovery import ServiceRecovery
from tidings.client.transports.memory import Memory
from tidings.errors import FilterNotFound, ProxyNotFound, Unreachable
from tidings.events import typecode as tc

PLACE, NOW = Place(1, proxy=5), Place(1, proxy=100)
CHEAP, DEAR = constraint("$price < 10"), constraint("$price > 90")
OBTAIN = ObtainProxy(1, Side.CONSUMER, Style.PUSH)
MADE, ADDED = CreateFilter((CHEAP,), private=True), AddFilter(PLACE, 7)
OWN: list[tuple[Command, object]] = [(MADE, (7, (1,))), (ADDED, 3)]
"""A filter of its own: its id is 7, its constraint is 1, and it is attached as 3."""


def remembered(*notes: tuple[Command, object]) -> Memory:
    """What is known of proxy 5 of channel 1 after such commands with such answers."""
    memory = Memory()
    for command, answer in ((OBTAIN, 5), *notes):
        memory.note(command, answer)
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


async def remade(memory: Memory, *known: int) -> list[Any]:
    """What is asked of a service that has begun anew."""
    service = Service(*known)
    if await memory.remake((1, 5), service.ask):
        await memory.settle((1, 5), service.ask)
    return service.asked


async def test_its_own_filter_is_made_again_as_it_was_last() -> None:
    memory = remembered(*OWN, (AddConstraints(7, (DEAR,)), [2]))
    memory.note(ModifyConstraints(7, (1,), {2: constraint("$price > 95")}), None)
    _, lost, made, used = await remade(memory)
    assert lost == AddFilter(NOW, 7)
    assert isinstance(made, CreateFilter)
    assert [one.text for one in made.constraints] == ["$price > 95"]
    assert used == AddFilter(NOW, 101)
    assert memory.filters[7].ids == {2: 102}
    assert list(memory.proxies[1, 5].attached) == [3]
    _, _, made, _ = await remade(remembered(*OWN, (ClearFilter(7), None)))
    assert isinstance(made, CreateFilter)
    assert made.constraints == ()


async def test_a_shared_filter_is_attached_again_and_one_that_is_gone_is_dropped() -> None:
    memory = remembered((AddFilter(PLACE, 8), 1), (AddFilter(PLACE, 9), 2))
    assert (await remade(memory, 8))[1:] == [AddFilter(NOW, 8), AddFilter(NOW, 9)]
    assert memory.proxies[1, 5].filters == {1: 8}


async def test_mapping_filters_are_set_again() -> None:
    mapped = MappedConstraint(CHEAP, AnyValue(tc.SHORT, 3))
    memory = remembered(
        (CreateMapping(AnyValue(tc.SHORT, 0), (), private=True), (7, ())),
        (AddMapped(7, (mapped,)), [1]),
        (SetMapping(PLACE, "priority", 7), None),
        (SetMapping(PLACE, "lifetime", 8), None),
        (SetMapping(PLACE, "lifetime", None), None),
    )
    _, _, made, used = await remade(memory)
    assert isinstance(made, CreateMapping)
    assert made.mapped == (mapped,)
    assert used == SetMapping(NOW, "priority", 101)


async def test_a_pause_and_what_it_wants_to_hear_come_once_it_is_connected() -> None:
    types = ObtainTypes(1, 5, InfoMode.ALL_NOW_UPDATES_OFF)
    memory = remembered((Suspend(1, 5), None), (types, ()))
    types = ObtainTypes(1, 100, InfoMode.NONE_NOW_UPDATES_OFF)
    assert (await remade(memory))[1:] == [types, Suspend(1, 100)]
    memory.note(Resume(1, 5), None)
    assert not memory.proxies[1, 5].suspended


async def test_filters_that_are_taken_off_are_forgotten_with_the_last_place() -> None:
    for off in (RemoveFilter(PLACE, 3), RemoveAllFilters(PLACE), DestroyFilter(7)):
        memory = remembered(*OWN, (off, None))
        assert not memory.filters
        assert len(await remade(memory)) == 1
    memory = remembered(*OWN, (OBTAIN, 6), (ADDED, 2), (AddFilter(Place(1, proxy=6), 7), 1))
    memory.note(RemoveFilter(PLACE, 3), None)
    memory.note(Disconnect(1, 5), None)
    assert 7 in memory.filters
    memory.note(RemoveAllFilters(Place(1, proxy=6)), None)
    assert not memory.filters


def test_ids_the_program_knows_stay_its_own() -> None:
    memory = remembered((AddFilter(PLACE, 8), 1), (AddFilter(PLACE, 9), 2))
    memory.note(RemoveFilter(PLACE, 1), None)
    made = memory.proxies[1, 5]
    made.attached = {2: 1}  # made again, the one that was left got the first id
    added = memory.note(AddFilter(PLACE, 8), 2)
    assert added not in (1, 2)
    assert made.filters == {2: 9, added: 8}
    assert made.attached == {2: 1, added: 2}


async def test_a_proxy_that_was_cut_half_way_through_is_made_anew() -> None:
    class Cut(Service):
        async def ask(self, command: Command) -> object:
            if isinstance(command, AddFilter):
                raise Unreachable("cut")
            return await super().ask(command)

    memory = remembered(*OWN, (Suspend(1, 5), None))
    with pytest.raises(Unreachable):
        await memory.remake((1, 5), Cut().ask)
    assert memory.proxy_now(1, 5) == 5  # the half is no proxy of ours
    asked = await remade(memory)
    assert isinstance(asked[0], ObtainProxy)
    assert AddFilter in {type(one) for one in asked}
    assert asked[-1] == Suspend(1, memory.proxy_now(1, 5))


async def test_what_was_cut_before_it_was_settled_is_settled_next_time() -> None:
    class Caller(Service):
        async def call(self, call: Call) -> object:
            return SimpleNamespace(origin="one")

    tries: list[bool] = []

    async def connect(line: Line, again: bool) -> None:
        tries.append(again)
        if len(tries) == 1:
            raise ProxyNotFound("channel 1 has no proxy 5")
        if len(tries) == 2:
            raise Unreachable("cut")

    memory, caller, line = (
        remembered((Suspend(1, 5), None)),
        Caller(),
        Line(Connect(1, 5)),
    )
    recovery = ServiceRecovery(caller, memory, {1: "one"})  # type: ignore[arg-type]
    with pytest.raises(Unreachable):
        await recovery.reconnect(line, connect)
    assert Suspend(1, 100) not in caller.asked
    await recovery.reconnect(line, connect)
    assert tries == [True, False, True]
    assert caller.asked[-1] == Suspend(1, 100)


def renamed() -> Memory:
    """Proxy 5 is 50 by now, with filter 7 that is 70, and its constraint 1 that is 10."""
    memory = remembered(*OWN)
    memory.proxies[1, 5].now, memory.proxies[1, 5].attached = 50, {3: 30}
    memory.filters[7].now, memory.filters[7].ids = 70, {1: 10}
    memory._stale = True
    return memory


def test_commands_go_out_with_the_ids_the_service_has() -> None:
    names, now, item = renamed(), Place(1, proxy=50), event("A", "b")
    for command, sent in (
        (SetQoS(PLACE, {}), SetQoS(now, {})),
        (Disconnect(1, 5), Disconnect(1, 50)),
        (Suspend(1, 5), Suspend(1, 50)),
        (Suspend(2, 5), Suspend(2, 5)),
        (Ack(1, 5, (1,)), Ack(1, 50, (1,))),
        (AddFilter(Place(1), 7), AddFilter(Place(1), 70)),
        (RemoveFilter(PLACE, 3), RemoveFilter(now, 30)),
        (ModifyConstraints(7, (1,), {1: CHEAP}), ModifyConstraints(70, (10,), {10: CHEAP})),
        (NewAdmin(1, Side.CONSUMER), NewAdmin(1, Side.CONSUMER)),
        (DryRun(1, item, 5), DryRun(1, item, 50)),
    ):
        assert names.outward(command) == sent
    assert names.outward(SeeFilter(7)) == SeeFilter(70)


def test_views_and_trails_come_in_with_the_ids_the_program_knows() -> None:
    names = renamed()
    proxy = ProxyInfo(
        1, 50, Side.CONSUMER, Style.PUSH, Form.STRUCTURED, 0, "", "", {}, {30: 70, 31: 8}, (),
        True, True, False, 0, 0, 0, 0, {}, None, 70,
    )  # fmt: skip
    info = names.inward(proxy)
    assert names.inward([proxy]) == [info]
    assert (info.id, info.filters, info.lifetime_filter) == (5, {3: 7, 31: 8}, 7)
    admin = AdminInfo(1, Side.CONSUMER, 0, Operator.AND, {}, {1: 70}, (), (50, 51), 70, None)
    known = names.inward(admin)
    assert (known.proxies, known.filters, known.priority_filter) == ((5, 51), {1: 7}, 7)
    filter = names.inward(FilterInfo(70, 1, {10: CHEAP, 11: CHEAP}, 1, ""))
    assert (filter.id, list(filter.constraints)) == (7, [1, 11])
    types = (event_type("A::a"),)
    found = Advertisement(types, types, {"proxy 50": types, "admin 0": types}, {50: types})
    told = names.inward(found, SeeAdvertisement(1))
    assert (list(told.offers), list(told.wants)) == (["proxy 5", "admin 0"], [5])
    steps = (Step("channel", None, True, ""), Step("consumer", 50, True, ""))
    trail = names.inward(Trail(1, 0, True, (50, 51), steps), DryRun(1, event("A", "a")))
    assert (trail.recipients, [step.proxy for step in trail.steps]) == ((5, 51), [None, 5])
