"""Who may do what: rights, keys of objects, what each command needs, what a door lets through."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.engine.hosts import happened, new_channel
from tests.promises.services import SETTINGS, bid
from tidings import constraint
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.entries import Entry
from tidings.channel.questions import SeeProxy
from tidings.channel.vocabulary import InfoMode, Place, Side, Style
from tidings.engine import authority
from tidings.engine.access import (
    ANONYMOUS,
    KEY_OCTETS,
    KINDS,
    OWNER,
    Access,
    Caller,
    FilterId,
    Keys,
    Object,
    ObjectKey,
)
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.viewing import Viewing
from tidings.errors import BadInput, Forbidden, InvalidUsage, LimitExceeded, NotFound, Stopping
from tidings.grants.model import Verb
from tidings.server.embedded import local_client

SECRET = b"a secret of thirty-two octets ..."
ANN, BOB = Caller("ann"), Caller("bob")
OFFERED = {Verb.PUBLISH, Verb.SUBSCRIBE, Verb.INSPECT}


def _allowed(access: Access, principal: Caller, target: Object, owner: str = "") -> set[Verb]:
    return {verb for verb in Verb if access.may(principal, verb, target, owner)}


@pytest.mark.parametrize("target", [Place(3, proxy=7), Place(3), FilterId(2), None])
def test_who_may_do_what(target: Object) -> None:
    for principal, owner, allowed in [
        *((OWNER, owner, {*Verb}) for owner in ("", "ann")),
        *((one, one.name, {*Verb} - {Verb.ADMINISTER}) for one in (ANN, ANONYMOUS)),
        *((BOB, owner, OFFERED) for owner in ("", "ann")),
        *((ANONYMOUS, owner, OFFERED) for owner in ("", "ann")),
    ]:
        assert _allowed(Access(), principal, target, owner) == allowed, (principal, owner)


def test_outside_its_scope_a_principal_may_nothing() -> None:
    inside, outside = Place(3), Place(4, proxy=1)
    for principal in (Caller("ann", scope=Place(3)), Caller("o", True, Place(3))):
        assert _allowed(Access(), principal, inside)
        assert _allowed(Access(), principal, outside, owner=principal.name) == set()


@given(
    st.sampled_from(KINDS),
    st.lists(st.integers(0, 2**56 - 1), max_size=3).map(tuple),
    st.integers(0, 2**32 - 1),
)
def test_a_key_says_what_it_was_made_of(kind: str, ids: tuple[int, ...], grant: int) -> None:
    key = Keys(SECRET).make(kind, ids, grant)
    assert len(key) <= KEY_OCTETS < 48
    # Another run with the same secret, no table.
    assert Keys(SECRET).read(key) == ObjectKey(kind, ids, grant)


def test_any_flipped_bit_is_refused() -> None:
    keys = Keys(SECRET)
    for made in (keys.make("proxy", (3, 70_000), 9), keys.make("factory", (), 0)):
        for bit in range(len(made) * 8):
            forged = bytearray(made)
            forged[bit // 8] ^= 1 << bit % 8
            with pytest.raises(Forbidden):
                keys.read(bytes(forged))


@given(st.binary(max_size=60))
def test_junk_is_refused(junk: bytes) -> None:
    with pytest.raises(Forbidden):
        Keys(SECRET).read(junk)


def test_a_key_of_another_form_is_refused_though_it_is_ours() -> None:
    keys = Keys(SECRET)
    body = bytes([2]) + keys.make("proxy", (3, 7), 9)[1:-16]
    with pytest.raises(Forbidden, match="form 2"):
        keys.read(body + keys._mac(body))


def test_what_no_key_can_be_made_of() -> None:
    keys = Keys(SECRET)
    with pytest.raises(BadInput, match="no kind of object: factory, channel"):
        keys.make("teapot", (1,), 1)
    for ids, grant in [((-1,), 1), ((1,), -1)]:
        with pytest.raises(BadInput, match="-1 cannot be part"):
            keys.make("proxy", ids, grant)
    with pytest.raises(LimitExceeded, match="do not fit"):
        keys.make("proxy", (2**63,) * 4, 1)
    with pytest.raises(BadInput, match="15 octets is too short: 16"):
        Keys(bytes(15))


def needed(channel: int, proxy: int, filter: int) -> list[tuple[Any, tuple[Verb, Object, str]]]:
    """Every command as somebody may ask for it, with the right it needs and of whom."""
    place, whole, thing = Place(channel, Side.CONSUMER, proxy=proxy), Place(channel), happened("a")
    use = (Verb.USE, place, "ann")
    manage = (Verb.MANAGE, whole, "")
    engine = (Verb.ADMINISTER, None, "")
    filters = (Verb.MANAGE, FilterId(filter), "ann")
    about_proxy: list[Any] = [
        *(c.Ack(channel, proxy, [1]), c.CancelPull(channel, proxy, 1)),
        *(c.DryRun(channel, thing, proxy), c.Failed(channel, proxy, [1], "no")),
        *(c.Polled(channel, proxy), c.Pull(channel, proxy, 1), c.Push(channel, proxy, [thing])),
        c.Redrive(channel, proxy, thing, Entry(0, 1, 0, 0, 0), 0, 0),
        *(c.Reject(channel, proxy, [1], "no"), m.ValidateEventQoS(channel, proxy, {})),
        m.ObtainTypes(channel, proxy, InfoMode.ALL_NOW_UPDATES_ON),
        *(
            kind(channel, proxy)
            for kind in (m.Connect, m.Detach, m.Disconnect, m.Purge, m.Resume, m.Suspend)
        ),
    ]
    about_place: list[Callable[[Place], Any]] = [
        *(m.OfferChange, m.RemoveAllFilters, m.SubscriptionChange),
        *(lambda at: m.AddFilter(at, filter), lambda at: m.RemoveFilter(at, 1)),
        *(lambda at: m.SetQoS(at, {}), lambda at: m.ValidateQoS(at, {})),
        lambda at: m.SetMapping(at, "priority", None),
    ]
    changes_channel = [
        *(m.DestroyChannel(channel), m.SetAdminProperties(channel, {})),
        *(m.NewAdmin(channel, Side.CONSUMER), m.DestroyAdmin(channel, Side.CONSUMER, 0)),
    ]
    changes_filter = [
        *(m.AddConstraints(filter, []), m.ModifyConstraints(filter), m.ClearFilter(filter)),
        *(m.AddMapped(filter, []), m.ModifyMapped(filter), m.DestroyFilter(filter)),
    ]
    of_the_engine = [
        *(
            c.ClockSet(0),
            c.RefusePersistent("full"),
            c.Idle(channel, proxy),
            c.Refilled(channel, proxy, [], 0),
        ),
        *(c.Lost(channel, proxy, [1]), c.Revoke(channel, [1]), c.Tick()),
    ]
    return [
        *((one, use) for one in about_proxy),
        *((make(place), use) for make in about_place),
        *((make(whole), manage) for make in about_place),
        *((one, manage) for one in changes_channel),
        *((one, filters) for one in changes_filter),
        *((one, engine) for one in of_the_engine),
        (c.DryRun(channel, thing), (Verb.INSPECT, whole, "")),
        *(
            (m.ObtainProxy(channel, side, Style.PUSH), (verb, Place(channel, side, 0), ""))
            for side, verb in ((Side.CONSUMER, Verb.SUBSCRIBE), (Side.SUPPLIER, Verb.PUBLISH))
        ),
        (m.CreateChannel("0" * 32), (Verb.MANAGE, None, "")),
        *((one, (Verb.SUBSCRIBE, None, "")) for one in (m.CreateFilter(), m.CreateMapping(1))),
    ]


async def owned(host: Host) -> tuple[int, int, int]:
    """A channel, a proxy of Ann's in it, and a filter of hers."""
    channel = await new_channel(host)
    proxy = await host.ask(m.ObtainProxy(channel, Side.CONSUMER, Style.PUSH, owner="ann"))
    filter, _ = await host.ask(m.CreateFilter([constraint("true")], owner="ann"))
    return channel, proxy, filter


async def test_every_command_needs_its_right() -> None:
    host = await Host.open()
    for command, right in needed(*await owned(host)):
        assert authority._needed(host, command, OWNER) == right, command
    await host.close(0.05)


async def test_who_may_not_is_refused_and_nothing_is_changed() -> None:
    host = await Host.open(access=Access(anonymous_may_subscribe=False))
    channel, proxy, filter = await owned(host)
    changes = (m.Disconnect(channel, proxy), m.DestroyChannel(channel), m.ClearFilter(filter))
    for command in (*changes, c.Tick()):
        with pytest.raises(Forbidden, match="bob may not"):
            await host.ask(command, BOB)
    assert proxy in host.factory.channels[channel].proxies
    await host.ask(m.Disconnect(channel, proxy), ANN)
    assert proxy not in host.factory.channels[channel].proxies
    with pytest.raises(NotFound):
        await host.ask(m.Disconnect(channel, proxy), ANN)
    await host.close(0.05)


NOT_THERE: list[Callable[[Viewing], object]] = [
    *(lambda views: views.channel(9), lambda views: views.admin(1, Side.CONSUMER, 9)),
    *(lambda views: views.proxy(1, 9), lambda views: views.proxies(9)),
    *(lambda views: views.filter(9), lambda views: views.advertisement(9)),
    lambda views: views.highest_number(9, "x"),
]
THERE: list[Callable[[Viewing], object]] = [
    *(lambda views: views.channels(), lambda views: views.channel(1)),
    *(lambda views: views.channel("auction"), lambda views: views.filter(1)),
    *(lambda views: views.admin(1, Side.CONSUMER, 0), lambda views: views.advertisement(1)),
    *(lambda views: views.proxies(1), lambda views: views.proxy(1, 1)),
    lambda views: views.proxy(1, "bidder"),
]


async def test_who_may_not_look_sees_nothing_at_all() -> None:
    host = await Host.open(None, access=Access(anonymous_may_subscribe=False))
    client = local_client(host)
    channel = await client.create_channel("auction")
    await client.create_channel()
    await client.subscribe(channel, "$price > 1", name="bidder")
    for look in [*THERE, *NOT_THERE]:
        with pytest.raises(Forbidden):
            look(Viewing(host, ANONYMOUS))
    for look in THERE:
        assert look(Viewing(host)) is not None
    await host.close(0.0)


async def test_what_a_principal_makes_belongs_to_it_whatever_the_command_says() -> None:
    host = await Host.open(None, settings=SETTINGS)
    channel = await local_client(host).create_channel()
    for principal, owner in ((Caller("ann"), "ann"), (OWNER, "bob")):
        door = LocalDoor(host, principal)
        proxy = await door.ask(m.ObtainProxy(channel.id, Side.CONSUMER, Style.PUSH, owner="bob"))
        filter_id, _ = await door.ask(m.CreateFilter(owner="bob"))
        assert door.views.proxy(channel.id, proxy).owner == owner
        assert door.views.filter(filter_id).owner == owner
    await host.close(0.0)


async def test_closing_lets_go_of_what_is_its_own_only() -> None:
    host = await Host.open(None, settings=SETTINGS)
    one, other = local_client(host), local_client(host)
    channel = await one.create_channel()
    await one.subscribe(channel)
    stays = await other.subscribe(channel)
    named = await one.subscribe(channel, name="bidder")
    await one.close()
    left = await (await other.channel(channel.id)).proxies()
    assert {proxy.id: proxy.attached for proxy in left} == {stays.proxy: True, named.proxy: False}
    with pytest.raises(Stopping):
        await one.channels()
    await other.channels()
    await host.close(0.0)


def test_functions_are_functions() -> None:
    nothing: Any = 5
    makes: list[Callable[[Any], object]] = [
        *(LocalDoor.buffer, LocalDoor.handler),
        *(lambda it: LocalDoor.supplier(it, None), lambda it: LocalDoor.supplier(None, it)),
    ]
    for make in makes:
        with pytest.raises(InvalidUsage, match="told to a function, not to 5"):
            make(nothing)


async def test_nothing_is_kept_of_channels_that_ended() -> None:
    host = await Host.open(None, settings=SETTINGS)
    client = local_client(host)
    stays = await client.create_channel()
    await client.publish(stays, bid(1))
    for _ in range(200):
        channel = await client.create_channel()
        await client.publish(channel, bid(1))
        await channel.destroy()
    assert set(host.origins) == {stays.id}
    assert len(client._publishers) <= 65
    assert (await client.publish(stays, bid(2))).seq == 2
    await host.close(0.0)


async def test_every_change_is_counted_and_logged_with_who_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    host = await Host.open(access=Access(anonymous_may_manage=True))
    channel, proxy, _ = await owned(host)
    door = LocalDoor(host, BOB)
    with caplog.at_level("INFO", "tidings.audit"):
        with pytest.raises(Forbidden):
            await door.ask(m.Disconnect(channel, proxy))
        await LocalDoor(host, ANN).ask(m.Purge(channel, proxy))
        await door.request(SeeProxy(channel, proxy))
        await asyncio.sleep(0)
    assert host.operations.counts == {
        ("disconnect", "forbidden"): 1,
        ("purge", "done"): 1,
        ("see_proxy", "done"): 1,
    }
    assert [record.getMessage() for record in caplog.records] == [
        f"bob: disconnect (channel {channel}, proxy {proxy}): forbidden",
        f"ann: purge (channel {channel}, proxy {proxy}): done",
    ]
    await host.close(0.05)
