"""The desk: opens the channel, and asks the service how things stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from tidings.apps.auction_alert.ledger import Acknowledged
from tidings.apps.auction_alert.scene import CHANNEL, Bidder, wants
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.filters.constraint import EventTypePattern


class Advertised(NamedTuple):
    """An event type, who offers it and who wants it."""

    type: str
    offered_by: Sequence[str]
    wanted_by: Sequence[str]


class Standing(NamedTuple):
    """How a subscription stands.

    Attributes:
        waiting: How many alerts wait for it at the service.
        in_flight: How many are on their way, and not acknowledged.
        delivered: How many were acknowledged since the service was started.
        expired: How many closed while they waited, since then.
    """

    waiting: int
    in_flight: int
    delivered: int
    expired: int


class Totals(NamedTuple):
    """How the channel stands.

    Attributes:
        accepted: How many offers it has accepted.
        waiting: How many of them wait for somebody.
        dead_letters: How many alerts could not be delivered and were put aside.
    """

    accepted: int
    waiting: int
    dead_letters: int


class Verdict(NamedTuple):
    """What the service would do with an offer, and why one bidder would not get it."""

    recipients: Sequence[str]
    reason: str


class Desk:
    """Asks about the channel of the auctions; made by `opened`."""

    def __init__(self, client: Client, channel: Channel) -> None:
        self._client = client
        self._channel = channel

    @classmethod
    async def opened(cls, client: Client) -> Self:
        """Makes the channel: what it accepts survives a crash, and so do its connections."""
        return cls(client, await client.create_channel(CHANNEL, persistent=True))

    async def totals(self) -> Totals:
        """How the channel stands now."""
        info = await self._channel.info()
        dead = await self._client.dead_letters(self._channel)
        return Totals(info.accepted, info.waiting, len(dead))

    async def standings(self) -> dict[str, Standing]:
        """How each bidder's subscription stands now, by the bidder's name."""
        return {
            one.name: Standing(
                one.waiting,
                one.in_flight,
                one.counts.get("delivered", 0),
                one.counts.get("expired", 0),
            )
            for one in await self._channel.proxies()
            if one.name
        }

    async def advertised(self, houses: Mapping[str, int]) -> list[Advertised]:
        """What is offered and what is wanted, by whom.

        Args:
            houses: The houses' proxies: they have no names at the service.
        """
        found = await self._channel.advertisement()
        bidders = await self._names()
        proxies = {f"proxy {proxy}": name for name, proxy in houses.items()}
        offers = {proxies[key]: _texts(types) for key, types in found.offers.items()}
        wanted = {bidders[proxy]: _texts(types) for proxy, types in found.wants.items()}
        return [
            Advertised(text, _whose(offers, text), _whose(wanted, text))
            for text in sorted({*_texts(found.offered), *_texts(found.wanted)})
        ]

    async def accepted_until(self, moment: int) -> set[tuple[str, int]]:
        """The houses' numbers of all offers that were accepted up to a moment.

        Args:
            moment: Microseconds since 1970.
        """
        return {
            (one.mark.producer, one.mark.number)
            async for one in self._client.history(self._channel)
            if one.arrival <= moment and one.mark is not None
        }

    async def verdict(self, bidder: Bidder, missed: Acknowledged) -> Verdict:
        """Who would get an offer, and why a bidder would not: a dry run, nothing is changed."""
        trail = await self._channel.dry_run(missed.offer)
        names = await self._names()
        (step,) = [one for one in trail.steps if names.get(one.proxy) == bidder.name]
        return Verdict([names[proxy] for proxy in trail.recipients], step.reason)

    async def _names(self) -> dict[int | None, str]:
        return {one.id: one.name for one in await self._channel.proxies() if one.name}


def _texts(types: Iterable[EventTypePattern]) -> list[str]:
    return [f"{one.domain}::{one.type}" for one in types]


def _whose(types: Mapping[str, Sequence[str]], text: str) -> list[str]:
    return sorted(name for name, named in types.items() if text in named)


def near_miss(bidder: Bidder, offers: Sequence[Acknowledged]) -> Acknowledged | None:
    """The cheapest offer of a type the bidder looks at, and did not want."""
    missed = [
        one
        for one in offers
        if not wants(bidder, one.offer)
        and any(asked.is_tried(one.offer.domain, one.offer.type) for asked in bidder.wanted)
    ]
    return min(missed, key=_price, default=None)


def _price(one: Acknowledged) -> float:
    price = one.offer.data["start_price"]
    assert isinstance(price, float)
    return price
