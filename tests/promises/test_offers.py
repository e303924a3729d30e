"""Suppliers and consumers hear of each other: which event types are offered, and which wanted."""

from __future__ import annotations

import pytest

from tests.promises.services import Service, eventually
from tidings.errors import InvalidUsage


async def test_suppliers_hear_what_is_wanted_and_consumers_what_is_offered(
    service: Service,
) -> None:
    client = await service.client()
    channel = await client.create_channel()
    wanted: list[tuple[list[str], list[str]]] = []
    offered: list[tuple[list[str], list[str]]] = []

    def told(into: list[tuple[list[str], list[str]]]) -> object:
        return lambda added, removed: into.append(
            ([f"{a.domain}::{a.type}" for a in added], [f"{r.domain}::{r.type}" for r in removed])
        )

    publisher = await client.publisher(channel, on_wanted=told(wanted))  # type: ignore[arg-type]
    subscription = await client.subscribe(
        channel,
        types=["Auction::bid"],
        on_offers=told(offered),  # type: ignore[arg-type]
    )
    await eventually(lambda: wanted == [(["Auction::bid"], [])])
    await publisher.offer(["Auction::bid", "Auction::offer"])
    await eventually(lambda: offered)
    await publisher.offer(["Weather::rain"], ["Auction::offer"])
    proxy = channel.proxy(subscription.proxy)
    await proxy.ask_for(["Weather::*"], ["Auction::bid"])
    await eventually(lambda: (["Weather::*"], ["Auction::bid"]) in wanted and len(offered) == 2)
    await subscription.close()
    await eventually(lambda: wanted[-1] == ([], ["Weather::*"]))
    assert offered == [
        (["Auction::bid", "Auction::offer"], []),
        (["Weather::rain"], ["Auction::offer"]),
    ]


@pytest.mark.not_over_corba("state")
async def test_a_channel_tells_who_offers_and_who_wants_what(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    publisher = await client.publisher(channel)
    subscription = await client.subscribe(channel, types=["Weather::*"])
    await publisher.offer(["Auction::bid", "Weather::rain"])
    found = await channel.advertisement()
    assert [f"{o.domain}::{o.type}" for o in found.offered] == ["Auction::bid", "Weather::rain"]
    assert [f"{w.domain}::{w.type}" for w in found.wanted] == ["Weather::*"]
    assert list(found.offers) == [f"proxy {publisher.proxy}"]
    assert list(found.wants) == [subscription.proxy]
    await subscription.close()
    assert (await channel.advertisement()).wanted == ()


async def test_types_are_a_list_of_patterns(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel()
    with pytest.raises(InvalidUsage, match="come as a list"):
        await client.subscribe(channel, types="Auction::bid")
    assert await channel.proxies() == []
