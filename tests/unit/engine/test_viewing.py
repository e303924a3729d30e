from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tidings.channel.vocabulary import Side
from tidings.engine.access import ANONYMOUS, Access, Principal
from tidings.engine.host import Host
from tidings.engine.viewing import Viewing
from tidings.errors import (
    AdminNotFound,
    ChannelNotFound,
    FilterNotFound,
    Forbidden,
    ProxyNotFound,
    TidingsError,
)
from tidings.server.embedded import local_client

LOOKS: list[tuple[str, Callable[[Viewing], object], type[TidingsError]]] = [
    ("channel", lambda views: views.channel(9), ChannelNotFound),
    ("channel_named", lambda views: views.channel_named("x"), ChannelNotFound),
    ("unnamed", lambda views: views.channel_named(""), ChannelNotFound),
    ("admin", lambda views: views.admin(1, Side.CONSUMER, 9), AdminNotFound),
    ("proxy", lambda views: views.proxy(1, 9), ProxyNotFound),
    ("proxy_named", lambda views: views.proxy_named(1, "x"), ProxyNotFound),
    ("proxies", lambda views: views.proxies(9), ChannelNotFound),
    ("filter", lambda views: views.filter(9), FilterNotFound),
    ("advertisement", lambda views: views.advertisement(9), ChannelNotFound),
    ("highest_number", lambda views: views.highest_number(9, "x"), ChannelNotFound),
]
THERE: list[Callable[[Viewing], object]] = [
    lambda views: views.channels(),
    lambda views: views.channel(1),
    lambda views: views.channel_named("auction"),
    lambda views: views.admin(1, Side.CONSUMER, 0),
    lambda views: views.proxy(1, 1),
    lambda views: views.proxy_named(1, "bidder"),
    lambda views: views.proxies(1),
    lambda views: views.filter(1),
    lambda views: views.advertisement(1),
]


async def _host(access: Access | None = None) -> Host:
    host = await Host.open(None, access=access)
    client = local_client(host)
    channel = await client.create_channel("auction")
    await client.create_channel()
    await client.subscribe(channel, "$price > 1", name="bidder")
    return host


@pytest.mark.parametrize(("look", "error"), [row[1:] for row in LOOKS], ids=[r[0] for r in LOOKS])
def test_what_is_not_there_is_said_to_be_missing(
    look: Callable[[Viewing], object], error: type[TidingsError]
) -> None:
    async def scene() -> None:
        host = await _host()
        with pytest.raises(error):
            look(Viewing(host))
        await host.close(0.0)

    asyncio.run(scene())


def test_who_may_not_look_sees_nothing_at_all() -> None:
    async def scene() -> None:
        host = await _host(Access(anonymous_may_subscribe=False))
        for look in [*THERE, *(row[1] for row in LOOKS if "named" not in row[0])]:
            with pytest.raises(Forbidden):
                look(Viewing(host, ANONYMOUS))
        for look in THERE:
            assert look(Viewing(host)) is not None
        await host.close(0.0)

    asyncio.run(scene())


def test_a_scope_bounds_what_is_seen() -> None:
    async def scene() -> None:
        host = await _host()
        views = Viewing(host, Principal("ann", scope=frozenset({2})))
        assert [info.id for info in views.channels()] == [2]
        assert [info.id for info in Viewing(host).channels()] == [1, 2]
        with pytest.raises(Forbidden):
            views.channel_named("auction")
        await host.close(0.0)

    asyncio.run(scene())


def test_a_producer_nobody_knows_has_no_number() -> None:
    async def scene() -> None:
        host = await _host()
        assert Viewing(host).highest_number(1, "house") is None
        await host.close(0.0)

    asyncio.run(scene())
