"""Commands as operations of the standard: those that a client has no method of its own for."""

from __future__ import annotations

import pytest

from tests.unit.client.transports.iiop_scenes import Scene, run
from tidings import Any, MappedConstraint, constraint
from tidings.channel.management import (
    ModifyConstraints,
    ModifyMapped,
    ObtainTypes,
    RemoveAllFilters,
    ValidateEventQoS,
)
from tidings.channel.views import FilterInfo, MappingInfo
from tidings.channel.vocabulary import InfoMode, Side
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.errors import ConstraintNotFound, InvalidUsage, UnsupportedQoS
from tidings.events import typecode as tc


def test_filters_are_changed_and_looked_at() -> None:
    async def scene(made: Scene) -> None:
        client = made.client
        with pytest.raises(InvalidUsage, match="make a channel first"):
            await client.create_filter("$price > 1")
        channel = await client.create_channel()
        kept = await client.create_filter(["$price > 1", "$price > 2"])
        info = await kept.info()
        assert isinstance(info, FilterInfo)
        first, second = info.constraints
        change = ModifyConstraints(kept.id, [first], {second: constraint("$price > 3")})
        await client.transport.ask(change)
        info = await kept.info()
        assert isinstance(info, FilterInfo)
        assert [one.text for one in info.constraints.values()] == ["$price > 3"]
        with pytest.raises(ConstraintNotFound):
            await client.transport.ask(change)
        books = MappedConstraint(constraint("$price > 1"), Any(tc.SHORT, 9))
        mapping = await client.create_mapping(Any(tc.SHORT, 0), [books])
        found = await mapping.info()
        assert isinstance(found, MappingInfo)
        [number] = found.mapped
        cars = MappedConstraint(constraint("$price > 2"), Any(tc.SHORT, 8))
        await client.transport.ask(ModifyMapped(mapping.id, [], {number: cars}))
        found = await mapping.info()
        assert isinstance(found, MappingInfo)
        assert found.mapped == {number: cars}
        assert found.default == Any(tc.SHORT, 0)
        await mapping.clear()
        admin = channel.consumer_admin()
        await admin.add_filter(kept)
        await admin.set_priority_filter(mapping)
        told = await admin.info()
        assert (list(told.filters.values()), told.priority_filter) == ([kept.id], mapping.id)
        await client.transport.ask(RemoveAllFilters(admin.place))
        assert (await admin.info()).filters == {}
        with pytest.raises(InvalidUsage, match="one of the other kind"):
            await mapping.add("$price > 1")

    run(scene)


async def _both(client: Client) -> tuple[Channel, int, int]:
    """A channel, and a proxy of each side."""
    channel = await client.create_channel()
    publisher, subscription = await client.publisher(channel), await client.subscribe(channel)
    return channel, publisher.proxy, subscription.proxy


def test_what_only_one_side_has_is_told() -> None:
    async def scene(made: Scene) -> None:
        channel, supplies, consumes = await _both(made.client)
        supplier, consumer = channel.proxy(supplies), channel.proxy(consumes)
        assert [one.side for one in await channel.proxies()] == [Side.SUPPLIER, Side.CONSUMER]
        for asking in (
            supplier.ask_for(["Auction::bid"]),
            consumer.offer(["Auction::bid"]),
            supplier.set_priority_filter(None),
        ):
            with pytest.raises(InvalidUsage):
                await asking
        mode = InfoMode.ALL_NOW_UPDATES_OFF
        await supplier.offer(["Auction::bid"])
        [offered] = await made.client.transport.ask(ObtainTypes(channel.id, consumes, mode))
        assert (offered.domain, offered.type) == ("Auction", "bid")
        check = ValidateEventQoS(channel.id, supplies, {"Priority": 3})
        assert "Timeout" in {one.name for one in await made.client.transport.ask(check)}
        bad = ValidateEventQoS(channel.id, supplies, {"Priority": 10**9})
        with pytest.raises(UnsupportedQoS):
            await made.client.transport.ask(bad)

    run(scene)
