from __future__ import annotations

from tidings import constraint, event, event_type
from tidings.channel.commands import Ack, DryRun
from tidings.channel.management import (
    AddFilter,
    CreateFilter,
    Disconnect,
    ModifyConstraints,
    NewAdmin,
    ObtainProxy,
    RemoveFilter,
    SetQoS,
    Suspend,
)
from tidings.channel.trail import Step, Trail
from tidings.channel.views import AdminInfo, Advertisement, FilterInfo, ProxyInfo
from tidings.channel.vocabulary import Form, Operator, Place, Side, Style
from tidings.client.transports.memory import Memory
from tidings.client.transports.names import Names

CHEAP = constraint("$price < 10")
PLACE = Place(1, proxy=5)


def named(*, again: bool = True) -> Names:
    """A proxy 5 that is 50 by now, with a filter 7 that is 70, its constraint 1 that is 10."""
    memory = Memory()
    memory.note(ObtainProxy(1, Side.CONSUMER, Style.PUSH), 5)
    memory.note(CreateFilter((CHEAP,), private=True), (7, (1,)))
    memory.note(AddFilter(PLACE, 7), 3)
    names = Names(memory)
    if again:
        memory.proxies[1, 5].now = 50
        memory.proxies[1, 5].attached = {3: 30}
        memory.filters[7].now = 70
        memory.filters[7].ids = {1: 10}
        names.refresh()
    return names


def proxy_info(id: int, filters: dict[int, int]) -> ProxyInfo:
    return ProxyInfo(
        1, id, Side.CONSUMER, Style.PUSH, Form.STRUCTURED, 0, "", "", {}, filters, (),
        True, True, False, 0, 0, 0, 0, {}, None, 70,
    )  # fmt: skip


def test_commands_go_out_with_the_ids_the_service_has() -> None:
    names = named()
    now = Place(1, proxy=50)
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
    ):
        assert names.outward(command) == sent
    item = event("A", "b")
    assert names.outward(DryRun(1, item, 5)) == DryRun(1, item, 50)
    assert names.filter_now(7) == 70


def test_views_come_in_with_the_ids_the_program_knows() -> None:
    names = named()
    assert names.inward([proxy_info(50, {30: 70, 31: 8})]) == [
        names.inward(proxy_info(50, {30: 70, 31: 8}))
    ]
    info = names.inward(proxy_info(50, {30: 70, 31: 8}))
    assert (info.id, info.filters, info.lifetime_filter) == (5, {3: 7, 31: 8}, 7)
    admin = AdminInfo(1, Side.CONSUMER, 0, Operator.AND, {}, {1: 70}, (), (50, 51), 70, None)
    known = names.inward(admin)
    assert (known.proxies, known.filters, known.priority_filter) == ((5, 51), {1: 7}, 7)
    filter = names.inward(FilterInfo(70, 1, {10: CHEAP, 11: CHEAP}, 1, ""))
    assert (filter.id, list(filter.constraints)) == (7, [1, 11])


def test_advertisements_and_trails_name_proxies_as_the_program_knows_them() -> None:
    names = named()
    types = (event_type("A::a"),)
    found = Advertisement(types, types, {"proxy 50": types, "admin 0": types}, {50: types})
    known = names.advertisement(1, found)
    assert (list(known.offers), list(known.wants)) == (["proxy 5", "admin 0"], [5])
    steps = (Step("channel", None, True, ""), Step("consumer", 50, True, ""))
    trail = names.trail(1, Trail(1, 0, True, (50, 51), steps))
    assert (trail.recipients, [step.proxy for step in trail.steps]) == ((5, 51), [None, 5])


def test_what_was_not_made_again_passes_as_it_is() -> None:
    names = named(again=False)
    command = RemoveFilter(PLACE, 3)
    assert names.outward(command) is command
    info = proxy_info(5, {3: 7})
    assert names.inward(info) is info
