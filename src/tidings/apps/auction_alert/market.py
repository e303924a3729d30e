"""What is on offer now, and what the channel's advertiser says of it.

The market subscribes to everything, without a name: it begins with the last hour from the journal,
then takes new offers as they come. An offer that has closed is forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, Self

from tidings.apps.auction_alert.desk import Desk
from tidings.apps.auction_alert.scene import CHANNEL, DOMAIN, Lot, closing
from tidings.client.client import Client
from tidings.client.subscription import Delivery
from tidings.clock import SystemClock, utc_now
from tidings.errors import TidingsError, Unreachable
from tidings.events.fields import Fields, fields_of
from tidings.events.structured import StructuredEvent

_LAST: Final = timedelta(hours=1)  # for which a lot is open at most
# More are not remembered; the one that closes first goes.
_MOST_OFFERS: Final = 1_000
# Longer texts of others are cut.
_MOST_CHARACTERS: Final = 300
# What is dearer, or closes later (in 2096), is not an offer.
_DEAREST: Final = 1e12
_LATEST: Final = 4_000_000_000_000_000
# Events of others may be large.
_WINDOW: Final = 32
_LOOK_EVERY_SECONDS: Final = 1.0
# A service that takes longer than this over an answer is shown as away.
_PATIENCE_SECONDS: Final = 3.0


def shown(delivery: Delivery) -> dict[str, Any]:
    """Return an offer for a page. Anybody may publish anything: what does not fit is left open."""
    offer, data = delivery.event, delivery.event.data
    price = data.get("start_price")
    known = price if isinstance(price, int | float) and abs(price) < _DEAREST else None
    return {
        "id": f"{delivery.id[0]}-{delivery.seq}",
        "seq": delivery.seq,
        "category": _text(offer.type),
        "item": _text(data.get("item")),
        "seller": _text(data.get("seller")),
        "start_price": None if known is None else float(known),
        "closes": _closes(offer),
    }


def _text(value: object) -> str:
    return value[:_MOST_CHARACTERS] if isinstance(value, str) else "?"


def _closes(offer: StructuredEvent) -> int | None:
    if "StopTime" not in offer.header:
        return None
    closes = closing(offer)  # the service refuses a time that is none
    return closes if 0 < closes < _LATEST else None


class Open(NamedTuple):
    """An offer that has not closed: as pages show it, and what constraints see of it."""

    shown: dict[str, Any]
    fields: Fields

    @classmethod
    def of(cls, delivery: Delivery) -> Self | None:
        """Return an offer of the size that offers have; None if it is not one of ours."""
        seen = shown(delivery)
        if delivery.event.domain != DOMAIN or seen["closes"] is None or seen["start_price"] is None:
            return None
        lot = Lot(seen["item"], seen["category"], seen["start_price"], seen["seller"])
        closes = datetime.fromtimestamp(seen["closes"] / 1_000_000, UTC)
        return cls(seen, fields_of(lot.offer(closes)))


class Market:
    """The open offers, and who offers and wants what; `trouble` says why the latter is old.

    `sellers` returns the proxy ids of all suppliers of this program, by name.
    """

    def __init__(
        self, client: Client, desk: Desk, sellers: Callable[[], Mapping[str, int]]
    ) -> None:
        self.trouble = ""
        self.advertised: list[tuple[str, list[str], list[str]]] = []
        self.waiting: dict[str, int] = {}
        self._client = client
        self._desk = desk
        self._sellers = sellers
        self._clock = SystemClock()
        self._offers: dict[int, Open] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        since = utc_now() - _LAST
        self._taking = await self._client.subscribe(
            CHANNEL, types=[f"{DOMAIN}::*"], since=since, window=_WINDOW
        )
        self._tasks = [asyncio.create_task(work) for work in (self._take(), self._look())]
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(TidingsError):
            await self._taking.close()

    async def _take(self) -> None:
        async for delivery in self._taking:
            offer = Open.of(delivery)
            if offer is not None:
                self._offers[delivery.seq] = offer
            if len(self._offers) > _MOST_OFFERS:
                del self._offers[min(self._offers, key=self._closing)]

    def _closing(self, seq: int) -> int:
        closes: int = self._offers[seq].shown["closes"]
        return closes

    def open(self) -> list[Open]:
        """Return the open offers, the newest first."""
        now = self._clock.now()
        for seq in [seq for seq in self._offers if self._closing(seq) <= now]:
            del self._offers[seq]
        return [self._offers[seq] for seq in sorted(self._offers, reverse=True)]

    async def _look(self) -> None:
        while True:
            try:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._refresh()
                self.trouble = ""
            except (TimeoutError, Unreachable):
                self.trouble = "The service does not answer"
            except TidingsError as error:
                self.trouble = f"The service says: {error}"
            await asyncio.sleep(_LOOK_EVERY_SECONDS)

    async def _refresh(self) -> None:
        self.advertised = await self._desk.advertised(self._sellers(), self._taking.proxy)
        standings = await self._desk.standings()
        self.waiting = {name: one.waiting + one.in_flight for name, one in standings.items()}
