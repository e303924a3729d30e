from __future__ import annotations

from typing import Any

import pytest

from tests.unit.client.configuration.worlds import on_services
from tidings.channel.vocabulary import Operator, Side
from tidings.client.client import Client
from tidings.client.configuration.model import Spot
from tidings.client.configuration.state import OWN, Found, find_configuration
from tidings.errors import ChannelNotFound, ProxyNotFound


async def _scene(client: Client) -> Found:
    channel = await client.create_channel("a")
    await client.create_channel()
    shared = await client.create_filter("$n == 1")
    await (await channel.new_consumer_admin()).destroy()
    admin = await channel.new_consumer_admin(Operator.OR)
    await admin.add_filter(shared)
    named = await client.subscribe(channel, "$n == 2", name="s", admin=admin)
    await channel.proxy(named.proxy).add_filter(shared)
    program = await client.subscribe(channel, "$n == 3")
    await channel.proxy(program.proxy).add_filter(shared)
    return await find_configuration(client.transport)


def test_what_has_a_name_is_found() -> None:
    found = on_services(_scene)
    channel = found.configuration.channels["a"]
    assert list(channel.admins[Side.CONSUMER]) == ["default", "admin-1"]
    proxy = channel.proxies[Side.CONSUMER]["s"]
    assert proxy.constraints is not None
    assert [one.text for one in proxy.constraints] == ["$n == 2"]
    assert (proxy.admin, proxy.filters) == ("admin-1", ("filter-1",))
    assert list(channel.proxies[Side.CONSUMER]) == ["s"]


def test_ids_are_found_with_it() -> None:
    found = on_services(_scene)
    spot = Spot("a", Side.CONSUMER, proxy="s")
    assert found.places[spot].proxy is not None
    assert found.attachments[spot].keys() == {OWN, "filter-1"}
    assert found.places[Spot("a", Side.CONSUMER, "admin-1")].admin == 2
    assert found.lent == frozenset(found.filters.values())  # the program holds it, too
    assert len(found.unnamed) == 1


class _Changing:
    """A service in which something ends between two looks."""

    def __init__(self, client: Client, error: Exception, times: int) -> None:
        self._transport = client.transport
        self._error = error
        self._left = times

    async def proxies(self, channel: int) -> Any:
        self._left -= 1
        if self._left >= 0:
            raise self._error
        return await self._transport.proxies(channel)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


@pytest.mark.parametrize(
    ("error", "times", "channels"),
    [
        (ProxyNotFound("gone"), 2, ["a", "b"]),
        (ChannelNotFound("gone"), 1, ["b"]),
    ],
)
def test_a_service_that_changes_meanwhile(
    error: Exception, times: int, channels: list[str]
) -> None:
    async def scene(client: Client) -> list[str]:
        await client.create_channel("b")
        await client.create_channel("a")
        found = await find_configuration(_Changing(client, error, times))
        return list(found.configuration.channels)

    assert on_services(scene) == channels
