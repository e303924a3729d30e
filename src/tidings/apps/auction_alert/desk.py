"""Open the demo's channel and query its state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from tidings.apps.auction_alert.accounts import Acknowledged
from tidings.apps.auction_alert.scene import CHANNEL, Bidder, wants
from tidings.client.client import Client
from tidings.client.managing import Channel
from tidings.errors import NameTaken
from tidings.filters.constraint import EventTypePattern

if TYPE_CHECKING:
    from tidings.channel.views import ChannelInfo


class Standing(NamedTuple):
    """State of a subscription; `delivered` and `expired` count from the service's start."""

    waiting: int
    in_flight: int
    delivered: int
    expired: int


class Desk:
    """Queries about the auction channel; create it with `opened`."""

    def __init__(self, client: Client, channel: Channel) -> None:
        self._client = client
        self._channel = channel

    @classmethod
    async def opened(cls, client: Client) -> Self:
        """Create the channel, with persistent events and connections, or find it."""
        try:
            channel = await client.create_channel(CHANNEL, persistent=True)
        except NameTaken:
            channel = await client.channel(CHANNEL)
        return cls(client, channel)

    async def totals(self) -> ChannelInfo:
        """Return the state of the channel."""
        return await self._channel.info()

    async def dead_letters(self) -> int:
        """Return how many offers could not be delivered."""
        return len(await self._client.dead_letters(self._channel))

    async def standings(self) -> dict[str, Standing]:
        """Return the state of each bidder's subscription, by bidder name."""
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

    async def advertised(
        self, houses: Mapping[str, int], without: int | None = None
    ) -> list[tuple[str, list[str], list[str]]]:
        """Return the advertised event types, who offers and who wants each.

        `houses` are the proxy ids of suppliers by name: the service has no names for these.
        `without` is a consumer's proxy that is left out.
        """
        found = await self._channel.advertisement()
        bidders = await self._names()
        suppliers = {f"proxy {proxy}": name for name, proxy in houses.items()}
        offers = [(suppliers.get(key, key), _texts(types)) for key, types in found.offers.items()]
        wants = [
            (bidders.get(proxy, f"proxy {proxy}"), _texts(types))
            for proxy, types in found.wants.items()
            if proxy != without
        ]
        advertised = {text for _, texts in (*offers, *wants) for text in texts}
        return [(text, _whose(offers, text), _whose(wants, text)) for text in sorted(advertised)]

    async def accepted_until(self, moment: int) -> set[tuple[str, int]]:
        """Return (house, number) of the offers accepted up to a time, microseconds since 1970."""
        return {
            (one.mark.producer, one.mark.number)
            async for one in self._client.history(self._channel)
            if one.arrival <= moment and one.mark is not None
        }

    async def verdict(self, bidder: Bidder, missed: Acknowledged) -> tuple[list[str], str]:
        """Dry-run an offer: who would receive it, and why this bidder would not."""
        trail = await self._channel.dry_run(missed.offer)
        names = await self._names()
        (step,) = [one for one in trail.steps if names.get(one.proxy) == bidder.name]
        return [names[proxy] for proxy in trail.recipients], step.reason

    async def _names(self) -> dict[int | None, str]:
        return {one.id: one.name for one in await self._channel.proxies() if one.name}


def _texts(types: Iterable[EventTypePattern]) -> list[str]:
    return [f"{one.domain}::{one.type}" for one in types]


def _whose(types: Iterable[tuple[str, Sequence[str]]], text: str) -> list[str]:
    return sorted({name for name, named in types if text in named})


def near_miss(bidder: Bidder, offers: Sequence[Acknowledged]) -> Acknowledged | None:
    """Return the cheapest unwanted offer of a type that the bidder watches."""
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
