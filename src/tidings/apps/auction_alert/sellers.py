"""Sellers: each page from which somebody announces lots is a supplier of its own.

A page numbers its announcements. It sends one again with the same number when it has no answer;
the service accepts each number once, also after a crash of this program or of the service.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from tidings.apps.auction_alert.scene import CATEGORIES, CHANNEL, DOMAIN, Lot
from tidings.client.client import Client
from tidings.client.publishing import Publisher, Receipt
from tidings.clock import utc_now
from tidings.names import is_readable

# The page that was quiet longest goes; when it is back, it continues with its next number.
_MOST: Final = 100

Text = Annotated[str, Field(max_length=200)]


class Announcement(BaseModel):
    """What a page sends; `page` and `number` identify it."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    page: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    number: Annotated[int, Field(ge=1, le=2**31)]
    seller: Text
    item: Text
    category: Text
    start_price: Annotated[float, Field(ge=0, le=1e9)]
    open_seconds: Annotated[int, Field(ge=10, le=3_600)]

    @field_validator("seller", "item")
    @classmethod
    def _readable(cls, text: str) -> str:
        if not text:
            raise ValueError("it is missing")
        if not is_readable(text):
            raise ValueError("it must not have control characters")
        return text

    @field_validator("category")
    @classmethod
    def _known(cls, text: str) -> str:
        if text not in CATEGORIES:
            raise ValueError(f"it must be one of {', '.join(CATEGORIES)}")
        return text

    @property
    def lot(self) -> Lot:
        """What is announced."""
        return Lot(self.item, self.category, self.start_price, self.seller)


class _Seller:
    def __init__(self, publisher: Publisher) -> None:
        self.publisher = publisher
        self.name = ""
        self.categories: set[str] = set()
        self.busy = asyncio.Lock()  # numbers of a page go out in their order


class Sellers:
    """The publishers of all pages that announce lots."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sellers: dict[str, _Seller] = {}
        self._opening = asyncio.Lock()

    @property
    def proxies(self) -> dict[str, int]:
        """Proxy ids by the sellers' names."""
        return {one.name: one.publisher.proxy for one in self._sellers.values()}

    async def announce(self, given: Announcement) -> Receipt:
        """Publish an announcement, once however often it comes."""
        seller = await self._seller(given.page)
        async with seller.busy:
            seller.name = given.seller
            if given.category not in seller.categories:
                await seller.publisher.offer([f"{DOMAIN}::{given.category}"])
                seller.categories.add(given.category)
            offer = given.lot.offer(utc_now() + timedelta(seconds=given.open_seconds))
            return await seller.publisher.publish(offer, number=given.number)

    async def _seller(self, page: str) -> _Seller:
        async with self._opening:
            found = self._sellers.pop(page, None)
            if found is None:
                found = _Seller(await self._client.publisher(CHANNEL, f"page-{page}"))
            self._sellers[page] = found  # the last one used is last
            if len(self._sellers) > _MOST:
                await self._sellers.pop(next(iter(self._sellers))).publisher.close()
        return found
