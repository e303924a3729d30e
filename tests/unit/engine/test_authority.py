from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from tests.unit.engine.hosts import happened, new_channel, obtained, run, supplier
from tidings import constraint
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.entries import Entry
from tidings.channel.vocabulary import InfoMode, Place, Side, Style
from tidings.engine import authority
from tidings.engine.access import Access, Object, Principal, Verb
from tidings.engine.host import Host
from tidings.errors import Forbidden, NotFound

ANN, BOB = Principal("ann"), Principal("bob")


def commands_at_a_place(filter: int) -> list[Callable[[Place], Any]]:
    """What can be asked of a channel, admin or proxy alike."""
    return [
        lambda at: m.AddFilter(at, filter),
        m.OfferChange,
        m.RemoveAllFilters,
        lambda at: m.RemoveFilter(at, 1),
        lambda at: m.SetMapping(at, "priority", None),
        lambda at: m.SetQoS(at, {}),
        m.SubscriptionChange,
        lambda at: m.ValidateQoS(at, {}),
    ]


def needed(channel: int, proxy: int, filter: int) -> dict[Any, tuple[Verb, Object, str]]:
    """Every command as somebody may ask for it, with the right it needs and of whom."""
    place, whole = Place(channel, proxy=proxy), Place(channel)
    entry = Entry(0, 1, 0, 0, 0)
    thing = happened("a")
    use = (Verb.USE, place, "ann")
    manage = (Verb.MANAGE, whole, "")
    engine = (Verb.ADMINISTER, None, "")
    filters = (Verb.MANAGE, f"filter {filter}", "ann")
    about_proxy: list[Any] = [
        c.Ack(channel, proxy, [1]),
        c.CancelPull(channel, proxy, 1),
        c.DryRun(channel, thing, proxy),
        c.Failed(channel, proxy, [1], "no"),
        c.Polled(channel, proxy),
        c.Pull(channel, proxy, 1),
        c.Push(channel, proxy, [thing]),
        c.Redrive(channel, proxy, thing, entry, 0, 0),
        c.Reject(channel, proxy, [1], "no"),
        m.Connect(channel, proxy),
        m.Detach(channel, proxy),
        m.Disconnect(channel, proxy),
        m.ObtainTypes(channel, proxy, InfoMode.ALL_NOW_UPDATES_ON),
        m.Resume(channel, proxy),
        m.Suspend(channel, proxy),
        m.ValidateEventQoS(channel, proxy, {}),
    ]
    about_place = commands_at_a_place(filter)
    asked: list[tuple[Any, tuple[Verb, Object, str]]] = [
        *((one, use) for one in about_proxy),
        *((make(place), use) for make in about_place),
        *((make(whole), manage) for make in about_place),
        (c.DryRun(channel, thing), (Verb.INSPECT, whole, "")),
        (m.ObtainProxy(channel, Side.CONSUMER, Style.PUSH), (Verb.SUBSCRIBE, whole, "")),
        (m.ObtainProxy(channel, Side.SUPPLIER, Style.PUSH), (Verb.PUBLISH, whole, "")),
        (m.CreateChannel("0" * 32), (Verb.MANAGE, None, "")),
        (m.DestroyChannel(channel), manage),
        (m.NewAdmin(channel, Side.CONSUMER), manage),
        (m.DestroyAdmin(channel, Side.CONSUMER, 0), manage),
        (m.SetAdminProperties(channel, {}), manage),
        (m.CreateFilter(), (Verb.SUBSCRIBE, None, "")),
        (m.CreateMapping(1), (Verb.SUBSCRIBE, None, "")),
        (m.AddConstraints(filter, []), filters),
        (m.ModifyConstraints(filter), filters),
        (m.AddMapped(filter, []), filters),
        (m.ModifyMapped(filter), filters),
        (m.ClearFilter(filter), filters),
        (m.DestroyFilter(filter), filters),
        (c.ClockSet(0), engine),
        (c.Idle(channel, proxy), engine),
        (c.Refilled(channel, proxy, [], 0), engine),
        (c.Lost(channel, proxy, [1]), engine),
        (c.Revoke(channel, [1]), engine),
        (c.Tick(), engine),
    ]
    return {_Asked(command): right for command, right in asked}


class _Asked:
    """A command as a key, though some cannot be hashed."""

    def __init__(self, command: Any) -> None:
        self.command = command


def kinds() -> set[type]:
    """All commands there are, in the modules that name them."""
    named = {getattr(module, name) for module in (c, m) for name in module.__all__}
    return {kind for kind in named if isinstance(kind, type) and kind is not c.Warned}


def test_every_kind_of_command_needs_a_right_and_a_new_one_must_be_thought_of() -> None:
    assert set(get_args(c.Command)) == kinds()
    known = [
        authority._ENGINE,
        authority._CHANNEL,
        authority._NEW_FILTER,
        authority._FILTER,
        authority._PLACE,
        authority._PROXY,
        {m.ObtainProxy},
    ]
    assert set().union(*known) == kinds()
    assert sum(map(len, known)) == len(kinds()), "each stands in one group"
    assert {type(asked.command) for asked in needed(1, 1, 1)} == kinds()


async def owned(host: Host) -> tuple[int, int, int]:
    """A channel, a proxy of Ann's in it, and a filter of hers."""
    channel = await new_channel(host)
    ask = m.ObtainProxy(channel, Side.CONSUMER, Style.PUSH, owner="ann")
    proxy = await host.ask(ask)
    filter, _ = await host.ask(m.CreateFilter([constraint("true")], owner="ann"))
    return channel, proxy, filter


def test_the_table() -> None:
    async def work() -> None:
        host = await Host.open()
        for asked, right in needed(*await owned(host)).items():
            assert authority._needed(host, asked.command) == right, asked.command
        await host.close(0.05)

    run(work())


def test_who_may_not_is_refused_and_nothing_is_changed() -> None:
    async def work() -> None:
        host = await Host.open(access=Access(anonymous_may_subscribe=False))
        channel, proxy, filter = await owned(host)
        for command in (
            m.Disconnect(channel, proxy),
            m.DestroyChannel(channel),
            m.ClearFilter(filter),
            c.Tick(),
        ):
            with pytest.raises(Forbidden, match="bob may not"):
                await host.ask(command, BOB)
        assert proxy in host.factory.channels[channel].proxies
        await host.ask(m.Disconnect(channel, proxy), ANN)
        assert proxy not in host.factory.channels[channel].proxies
        with pytest.raises(NotFound):
            await host.ask(m.Disconnect(channel, proxy), ANN)
        await host.close(0.05)

    run(work())


def test_a_scope_binds_even_an_owner() -> None:
    async def work() -> None:
        host = await Host.open()
        inside, outside = await new_channel(host), await new_channel(host)
        bound = Principal("ann", is_owner=True, scope=frozenset({inside}))
        proxies = {channel: await supplier(host, channel) for channel in (inside, outside)}
        push = [happened("a")]
        assert await host.ask(c.Push(inside, proxies[inside], push), bound) == [1]
        with pytest.raises(Forbidden):
            await host.ask(c.Push(outside, proxies[outside], push), bound)
        with pytest.raises(Forbidden):
            await host.pull(outside, await obtained(host, outside, Style.PULL), principal=bound)
        assert not host.out.pulls
        await host.close(0.05)

    run(work())
