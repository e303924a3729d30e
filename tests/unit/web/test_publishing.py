"""Events from requests reach the host in order, through a proxy that is there."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.engine.hosts import new_channel, run, supplier
from tidings import event
from tidings.channel.management import Disconnect, ObtainProxy
from tidings.channel.vocabulary import Side, Style
from tidings.engine.access import OWNER
from tidings.engine.host import Host
from tidings.errors import ChannelNotFound, InvalidEvent, ProxyNotFound, WrongClient
from tidings.events.envelope import ProducerMark
from tidings.web.options import WebOptions
from tidings.web.publishing import Publisher, Suppliers, connect_quietly
from tidings.web.reading import Incoming
from tidings.web.state import WebState

ONE = event("a", "b")


def test_events_with_marks_without_and_bad_ones_keep_their_places() -> None:
    async def work() -> None:
        host = await Host.open(None)
        state = WebState(host, WebOptions())
        door = state.door(OWNER)
        channel = await new_channel(host)
        publisher = Publisher(state, door, channel, None, trail=False)
        await publisher.begin()
        bad = InvalidEvent("none")
        mark = ProducerMark("p", 1)
        given = [Incoming(ONE), Incoming(bad, mark), Incoming(ONE, mark), Incoming(ONE)]
        first = publisher.ask(given)
        second = publisher.ask([Incoming(ONE)])
        assert await publisher.answers(second) == [4]
        assert await publisher.answers(first) == [1, bad, 2, 3]
        assert publisher.origin == host.factory.channel(channel).origin
        await host.close()

    run(work())


def test_a_proxy_that_ended_meanwhile_is_found_again() -> None:
    async def work() -> None:
        host = await Host.open(None)
        state = WebState(host, WebOptions())
        door = state.door(OWNER)
        channel = await new_channel(host)
        suppliers = state.part(Suppliers)
        both = await asyncio.gather(*(suppliers.proxy(door, channel) for _ in range(2)))
        assert both[0] == both[1]
        publisher = Publisher(state, door, channel, None, trail=False)
        await publisher.begin()
        await host.ask(Disconnect(channel, both[0]))
        asked = [publisher.ask([Incoming(ONE)]) for _ in range(2)]
        assert [await publisher.answers(one) for one in asked] == [[1], [2]]
        assert await suppliers.proxy(door, channel) != both[0]
        assert len(host.factory.channel(channel).proxies) == 1
        with pytest.raises(ChannelNotFound):
            await suppliers.proxy(door, 99)
        await host.close()

    run(work())


def test_a_proxy_of_ones_own_is_connected_if_nobody_has() -> None:
    async def work() -> None:
        host = await Host.open(None)
        state = WebState(host, WebOptions())
        door = state.door(OWNER)
        channel = await new_channel(host)
        own = await host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PUSH))
        publisher = Publisher(state, door, channel, own, trail=False)
        await publisher.begin()
        assert await publisher.answers(publisher.ask([Incoming(ONE)])) == [1]
        await connect_quietly(door, channel, own)  # once more does no harm
        other = Publisher(state, door, channel, await supplier(host, channel), trail=False)
        await other.begin()
        assert await other.answers(other.ask([Incoming(ONE)])) == [2]
        await host.ask(Disconnect(channel, own))
        with pytest.raises(ProxyNotFound):
            await publisher.answers(publisher.ask([Incoming(ONE)]))
        pulls = await host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PULL))
        with pytest.raises(WrongClient, match="pull proxy of a supplier"):
            await Publisher(state, door, channel, pulls, trail=False).begin()
        await host.close()

    run(work())
