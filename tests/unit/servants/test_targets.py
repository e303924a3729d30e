"""Where references lead: the service connects to no address that the settings do not allow.

Here everybody is on loopback: the client's own address is 127.0.0.1, that of others 127.0.0.2.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any as Whatever

import pytest

from tests.unit.orb.echo import INTERFACE, Echo
from tests.unit.servants.worlds import (
    CONSUMERS,
    PERSISTENT,
    SUPPLIERS,
    Kind,
    StructuredPushConsumer,
    World,
    joined,
    numbered,
    opened,
    run,
    structured_pair,
    until,
    world,
)
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.Advertising_auto import Advertiser
from tidings.cos.CosNotifyFilter_auto import Filter, FilterFactory
from tidings.engine.access import ObjectKey
from tidings.events.reference import Reference
from tidings.orb.aio import Address, Options, Orb, Targets
from tidings.orb.exceptions import BAD_PARAM, NO_PERMISSION
from tidings.orb.ior import make_reference
from tidings.orb.poa import Found
from tidings.servants.advertiser import ADVERTISER, Advertisers

KNOWN = StructuredPushConsumer.INTERFACE.id
CALLED = [
    kind
    for kind in (*CONSUMERS, *SUPPLIERS)
    if (kind.side is Side.CONSUMER) == (kind.style is Style.PUSH)
]


class Bystander:
    """A service at 127.0.0.2 that is none of ours, and notes who connects."""

    def __init__(self) -> None:
        self.met = 0

    async def __aenter__(self) -> Bystander:
        self._server = await asyncio.start_server(self._meet, "127.0.0.2", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    def _meet(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.met += 1
        writer.close()

    def object(self, type_id: str = "IDL:x:1.0", host: str = "127.0.0.2") -> Reference:
        """A reference that leads there."""
        return make_reference(type_id, host, self.port, b"octets of the caller's choice")


def play(part: Callable[[World, Bystander], Awaitable[None]], *networks: str) -> None:
    async def whole() -> None:
        async with Bystander() as other, world(targets=Targets(networks, "the setting")) as made:
            await part(made, other)

    run(whole())


@pytest.mark.parametrize("kind", CALLED, ids=str)
def test_no_client_has_the_service_connect_elsewhere(
    kind: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    async def part(made: World, other: Bystander) -> None:
        channel = await made.channel()
        proxy = await made.proxy(channel, kind.side, kind.style, kind.form, bare=kind.bare)
        with pytest.raises(NO_PERMISSION):
            await getattr(proxy, kind.connect)(other.object())
        assert not other.met
        await joined(made, channel, kind)  # its own address is allowed

    play(part, "peer")
    assert "127.0.0.1 leads to 127.0.0.2:" in caplog.text
    assert "the setting" in caplog.text


def test_callbacks_of_filters_and_listeners_are_checked_as_well() -> None:
    async def part(made: World, other: Bystander) -> None:
        key = ObjectKey("filter factory", (), 0)
        found = made.service.reference(key, FilterFactory.INTERFACE)
        filters = made.stub(FilterFactory, found)
        filter = made.stub(Filter, await filters.create_filter(""))
        with pytest.raises(NO_PERMISSION):
            await filter.attach_callback(other.object())
        await made.channel()
        made.service.makers = {**made.service.makers, ADVERTISER: Advertisers(made.service)}
        key = ObjectKey(ADVERTISER, tuple(made.host.factory.channels), 0)
        advertiser = made.stub(Advertiser, made.service.reference(key, Advertiser.INTERFACE))
        with pytest.raises(NO_PERMISSION):
            await advertiser.attach(other.object())
        assert not other.met

    play(part, "peer")


@pytest.mark.parametrize(("networks", "allowed"), [
    (("loopback",), True), (("127.0.0.2/32",), True), (("peer", "10.0.0.0/8", "::1"), False),
    ((), False),
])  # fmt: skip
def test_networks_decide(networks: tuple[str, ...], allowed: bool) -> None:
    async def part(made: World, other: Bystander) -> None:
        channel = await made.channel()
        proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        if allowed:
            await proxy.connect_structured_push_consumer(other.object(KNOWN))
        else:
            with pytest.raises(NO_PERMISSION):
                await proxy.connect_structured_push_consumer(other.object(KNOWN))

    play(part, *networks)


def test_a_name_that_leads_elsewhere_later_is_checked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looked_up = socket.getaddrinfo
    leads_to = ["127.0.0.1"]

    def found(host: str, *rest: Whatever, **named: Whatever) -> Whatever:
        return looked_up(leads_to[0] if host == "rebound.example" else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", found)

    async def part(made: World, other: Bystander) -> None:
        channel = await made.channel()
        supply, consumer, _ = await structured_pair(made, channel)
        proxy = await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
        await proxy.connect_structured_push_consumer(other.object(KNOWN, "rebound.example"))
        leads_to[0] = "127.0.0.2"
        await supply.push_structured_event(numbered(1))
        await until(lambda: consumer.got)
        await until(lambda: "rebound.example" in caplog.text)
        assert not other.met

    play(part, "peer")


def test_a_forward_leads_only_where_a_reference_may() -> None:
    async def scene() -> None:
        def find(key: bytes) -> Found:
            return other.object(INTERFACE.id)

        options = Options(targets=Targets(["peer", "127.0.0.1/32"]))
        async with Bystander() as other, Orb(find=find) as forwarder, Orb(options) as orb:
            await forwarder.listen()
            stub = orb.stub(Echo, forwarder.reference(b"old", INTERFACE))
            with pytest.raises(NO_PERMISSION):
                await stub.echo("x")
            assert not other.met

    run(scene())


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_client_at_its_own_address_is_called_after_a_restart(tmp_path: Path, name: str) -> None:
    async def scene() -> None:
        options = Options(close_seconds=0.2, advertise=Address(name, 0))
        async with Orb(options) as client:
            await client.listen()
            async with opened(client, tmp_path, targets=Targets(["peer"])) as made:
                port = made.service.orb._links.listening[0].port
                channel = await made.channel(*PERSISTENT)
                supply, consumer, _ = await structured_pair(made, channel)
            async with opened(client, tmp_path, port, targets=Targets(["peer"])):
                await supply.push_structured_event(numbered(1))
                await until(lambda: consumer.got)

    run(scene())


def test_an_address_in_an_old_journal_stays_allowed_and_a_name_does_not() -> None:
    async def scene() -> None:
        targets = Targets(["peer"])
        orb = Orb(Options(targets=targets))
        orb.trust(make_reference("IDL:x:1.0", "10.0.0.7", 5, b"x"), "")
        orb.trust(make_reference("IDL:x:1.0", "a.name", 5, b"x"), "")
        assert targets.allows("10.0.0.7", 5)
        assert not targets.allows("10.0.0.7", 6)

    run(scene())


def test_a_channel_is_not_connected_with_itself() -> None:
    async def part(made: World, _: Bystander) -> None:
        first, second = await made.channel(), await made.channel()
        ends = {}
        for name, channel in (("first", first), ("second", second)):
            ends[name] = (
                await made.proxy(channel, Side.CONSUMER, Style.PUSH, Form.STRUCTURED),
                await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED),
            )
        (out, into), (second_out, second_into) = ends["first"], ends["second"]
        with pytest.raises(BAD_PARAM):
            await out.connect_structured_push_consumer(into._reference)
        # One channel may feed another, but not the other way round as well.
        await out.connect_structured_push_consumer(second_into._reference)
        await second_into.connect_structured_push_supplier(out._reference)
        with pytest.raises(BAD_PARAM):
            await second_out.connect_structured_push_consumer(into._reference)
        with pytest.raises(BAD_PARAM):
            await into.connect_structured_push_supplier(second_out._reference)
        pulled = await made.proxy(second, Side.CONSUMER, Style.PULL, Form.STRUCTURED)
        pulls = await made.proxy(first, Side.SUPPLIER, Style.PULL, Form.STRUCTURED)
        with pytest.raises(BAD_PARAM):
            await pulls.connect_structured_pull_supplier(pulled._reference)
        # When the first connection is gone, the other one is no loop.
        await out.disconnect_structured_push_supplier()
        await second_into.disconnect_structured_push_consumer()
        await second_out.connect_structured_push_consumer(into._reference)

    play(part, "peer")
